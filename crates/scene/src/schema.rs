//! The JSON schema of scene files, for editors with validation and completion.

use serde_json::{Map, Value, json};

use crate::format::Scene;
use crate::shape;

/// Definitions of tables that contain a shape table.
const SHAPED: [&str; 2] = ["Wall", "Grains"];

/// Prefix of the names of the definitions for planar scenes.
const PLANAR: &str = "Planar";

/// Returns the JSON schema (draft 2020-12) of a scene file, which is either spatial or planar.
pub fn schema() -> Value {
    let mut spatial = schemars::schema_for!(Scene).to_value();
    unescape(&mut spatial);
    let mut definitions = take(&mut spatial, "$defs");
    for body in SHAPED {
        add_shapes(&mut definitions[body]);
    }
    definitions.extend(shape::names().into_iter().map(|name| (definition_name(&name), definition(&name))));
    definitions.insert("Scene".into(), spatial);
    let mut planar = definitions.clone();
    planar.values_mut().for_each(make_planar);
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

/// Removes the escapes of brackets from all descriptions. They keep rustdoc from reading a citation
/// as a link.
fn unescape(schema: &mut Value) {
    match schema {
        Value::Object(table) => {
            if let Some(Value::String(text)) = table.get_mut("description") {
                *text = text.replace("\\[", "[").replace("\\]", "]");
            }
            table.values_mut().for_each(unescape);
        }
        Value::Array(list) => list.iter_mut().for_each(unescape),
        _ => {}
    }
}

/// Removes a key of a schema and returns its value; null if the key is absent.
fn take_value(schema: &mut Value, key: &str) -> Value {
    schema.as_object_mut().and_then(|table| table.remove(key)).unwrap_or_default()
}

/// Removes a key of a schema and returns its table; an empty one if the key is absent.
fn take(schema: &mut Value, key: &str) -> Map<String, Value> {
    match take_value(schema, key) {
        Value::Object(table) => table,
        _ => Map::new(),
    }
}

/// Changes a schema of a spatial scene to that of a planar one.
///
/// Vectors have two components, a spin is a number, and references lead to the planar definitions.
fn make_planar(schema: &mut Value) {
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
                make_planar(value);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(make_planar),
        _ => {}
    }
}

/// Returns the definition of the table of a shape.
fn definition(name: &str) -> Value {
    let property = |field: &&str| {
        let description = shape::describe::field(name, field);
        (field.to_string(), json!({ "$ref": "#/$defs/Number", "description": description }))
    };
    let mut properties: Map<String, Value> = shape::fields::fields(name).iter().map(property).collect();
    if name == shape::OF_A_FILE {
        let file = "File of a convex surface (.stl, .obj or .ply), relative to the folder of the scene. It replaces `vertices`.";
        properties.insert("file".into(), json!({ "type": "string", "description": file }));
        let scale = "Unit of the file in metres, such as 0.001 for millimetres. Default: 1.";
        properties.insert("scale".into(), json!({ "type": "number", "description": scale }));
        let hull = "If true, the convex hull replaces a surface of the file that is not convex or not closed. Such a surface is an error otherwise, because the hull has another volume. Default: false.";
        properties.insert("hull".into(), json!({ "type": "boolean", "description": hull }));
    }
    json!({
        "type": "object",
        "description": shape::describe::shape(name),
        "properties": properties,
        "additionalProperties": false,
    })
}

/// Returns the name of the definition of a shape: `TruncatedCone` for `truncated_cone`.
fn definition_name(shape: &str) -> String {
    let word = |word: &str| word[..1].to_uppercase() + &word[1..];
    shape.split('_').map(word).collect()
}

/// Adds references to the shape tables, of which a body must have exactly one.
fn add_shapes(body: &mut Value) {
    let names = shape::names();
    for name in &names {
        body["properties"][name] = json!({
            "$ref": format!("#/$defs/{}", definition_name(name)),
            "description": format!("The shape: {}. Exactly one shape table must be given.", name.replace('_', " ")),
        });
    }
    let mut one_of: Vec<Value> = names.iter().map(|name| json!({ "required": [name] })).collect();
    if body["properties"].get("from").is_some() {
        // Saved grains bring their shapes.
        one_of.push(json!({ "required": ["from"] }));
    }
    body["oneOf"] = json!(one_of);
}
