//! The JSON schema of scene files, for editors that check and complete while one writes.

use serde_json::{Value, json};

use crate::format::Scene;
use crate::{shape_fields, shape_table};

/// Bodies whose tables name their shape.
const SHAPED: [&str; 2] = ["Wall", "Grains"];

/// The JSON schema (draft 2020-12) of a scene file.
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(Scene).to_value();
    schema["title"] = json!("A granum scene");
    for body in SHAPED {
        add_shapes(&mut schema["$defs"][body]);
    }
    schema
}

/// A body has one table that is named after its shape and holds its sizes.
fn add_shapes(body: &mut Value) {
    let shapes: Vec<_> = shape_table::names().into_iter().map(|name| (shape_fields::fields(&name), name)).collect();
    for (fields, name) in &shapes {
        let properties: serde_json::Map<String, Value> =
            fields.iter().map(|field| (field.to_string(), json!({ "$ref": "#/$defs/Number" }))).collect();
        body["properties"][name] = json!({
            "type": "object",
            "description": format!("The shape: {}. Sizes are numbers in m, texts with a unit, or distributions.", name.replace('_', " ")),
            "properties": properties,
            "additionalProperties": false,
        });
    }
    let one_of: Vec<Value> = shapes.iter().map(|(_, name)| json!({ "required": [name] })).collect();
    body["oneOf"] = json!(one_of);
}
