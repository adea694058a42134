//! The JSON schema of scene files, for editors that check and complete while one writes.

use serde_json::{Map, Value, json};

use crate::format::Scene;
use crate::{shape_fields, shape_table};

/// Bodies whose tables name their shape.
const SHAPED: [&str; 2] = ["Wall", "Grains"];

/// What the names of a planar scene's definitions begin with.
const PLANAR: &str = "Planar";

/// The JSON schema (draft 2020-12) of a scene file: one of space, or one of the plane.
pub fn schema() -> Value {
    let mut spatial = schemars::schema_for!(Scene).to_value();
    let mut definitions = take(&mut spatial, "$defs");
    for body in SHAPED {
        add_shapes(&mut definitions[body]);
    }
    definitions.insert("Scene".into(), spatial);
    let mut planar = definitions.clone();
    planar.values_mut().for_each(flatten);
    let (space, plane) = (&mut definitions["Scene"], &mut planar["Scene"]);
    space["properties"]["dimension"]["const"] = json!(3);
    plane["properties"]["dimension"]["const"] = json!(2);
    if let Some(required) = plane["required"].as_array_mut() {
        required.push(json!("dimension"));
    }
    let version = take_value(space, "$schema");
    take_value(plane, "$schema");
    definitions.extend(planar.into_iter().map(|(name, definition)| (format!("{PLANAR}{name}"), definition)));
    json!({
        "$schema": version,
        "title": "A granum scene",
        "oneOf": [{ "$ref": "#/$defs/Scene" }, { "$ref": format!("#/$defs/{PLANAR}Scene") }],
        "$defs": definitions,
    })
}

fn take_value(schema: &mut Value, key: &str) -> Value {
    schema.as_object_mut().and_then(|table| table.remove(key)).unwrap_or_default()
}

fn take(schema: &mut Value, key: &str) -> Map<String, Value> {
    match take_value(schema, key) {
        Value::Object(table) => table,
        _ => Map::new(),
    }
}

/// Makes the schema of a part of a spatial scene that of a planar one: vectors have two components, a spin is a number, and
/// definitions are those of the plane.
fn flatten(schema: &mut Value) {
    match schema {
        Value::Object(table) => {
            if table.get("minItems") == Some(&json!(3)) {
                table.insert("minItems".into(), json!(2));
                table.insert("maxItems".into(), json!(2));
                table.remove("default");
            }
            if let Some(Value::String(reference)) = table.get_mut("$ref") {
                *reference = reference.replace("#/$defs/", &format!("#/$defs/{PLANAR}"));
            }
            for (name, value) in table.iter_mut() {
                if name == "spin" {
                    let description = take_value(value, "description");
                    *value = take_value(value, "items");
                    value["description"] = description;
                }
                flatten(value);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(flatten),
        _ => {}
    }
}

/// A body has one table that is named after its shape and holds its sizes.
fn add_shapes(body: &mut Value) {
    let shapes: Vec<_> = shape_table::names().into_iter().map(|name| (shape_fields::fields(&name), name)).collect();
    for (fields, name) in &shapes {
        let mut properties: serde_json::Map<String, Value> =
            fields.iter().map(|field| (field.to_string(), json!({ "$ref": "#/$defs/Number" }))).collect();
        if fields.contains(&shape_table::CORNERS) {
            let file = "A file with the corners (.stl, .obj or .ply), relative to the scene's.";
            properties.insert("file".into(), json!({ "type": "string", "description": file }));
            let scale = "The unit of the file in metres; 1 if not given.";
            properties.insert("scale".into(), json!({ "type": "number", "description": scale }));
        }
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
