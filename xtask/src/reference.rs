//! Generation of the scene reference, a Markdown page, from the JSON schema of scene files.

use std::fmt::Write;
use std::process::Command;

use serde_json::{Map, Value};

/// Prefix of the definitions for planar scenes, which differ only in the number of components.
const PLANAR: &str = "Planar";

/// Beginning of the page.
const INTRODUCTION: &str = "# Scene reference

This page is generated from the schema of scene files by `cargo xtask docs`. Do not edit it.

A scene file is a TOML file. A quantity is a number in SI units or a string with a unit, such as
`\"2.5 mm\"`. Vectors have three components. In a planar scene (`dimension = 2`) they have two, and a
spin is a number.
";

/// Returns the page for the schema of the program.
pub fn page_of_program() -> Result<String, String> {
    let program = ["run", "--quiet", "--release", "--package", "granum-cli", "--", "schema"];
    let output = Command::new(env!("CARGO")).args(program).output();
    let output = output.map_err(|error| format!("cannot run granum schema: {error}"))?;
    let schema = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("the output of granum schema is not valid JSON: {error}"))?;
    Ok(page(&schema))
}

/// Returns a page with a section for the scene and one for each definition that the scene refers
/// to.
fn page(schema: &Value) -> String {
    let mut page = INTRODUCTION.to_owned();
    let mut names = vec!["Scene".to_owned()];
    let mut next = 0;
    // Definitions appear in the order of the first reference to them.
    while let Some(name) = names.get(next).cloned() {
        next += 1;
        let definition = &schema["$defs"][name.as_str()];
        section(&mut page, &name, definition);
        collect_references(definition, &mut names);
    }
    page
}

/// Appends the names of definitions to which a schema refers and which are not in the list yet.
fn collect_references(schema: &Value, names: &mut Vec<String>) {
    match schema {
        Value::Object(table) => {
            if let Some(name) = table.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next())
                && !name.starts_with(PLANAR)
                && !names.iter().any(|known| known == name)
            {
                names.push(name.to_owned());
            }
            table.values().for_each(|value| collect_references(value, names));
        }
        Value::Array(list) => list.iter().for_each(|value| collect_references(value, names)),
        _ => {}
    }
}

/// Writes the section of a definition: its description, keys and values.
fn section(page: &mut String, name: &str, definition: &Value) {
    // Writing to a string cannot fail.
    let _ = writeln!(page, "\n## {}\n\n{}", title(name), description(definition));
    if let Some(keys) = definition["properties"].as_object() {
        let _ = writeln!(page, "\n| key | value | meaning |\n| --- | --- | --- |");
        rows(page, keys, &definition["required"]);
    }
    for choice in definition["oneOf"].as_array().into_iter().flatten() {
        if let Some(name) = choice["const"].as_str() {
            let _ = writeln!(page, "\n- `\"{name}\"`: {}", description(choice));
        }
        // A table with a single key, which names its variant.
        for (name, inner) in choice["properties"].as_object().into_iter().flatten() {
            let _ = writeln!(page, "\n- `{name}`: {}", description(choice));
            if let Some(keys) = inner["properties"].as_object() {
                let _ = writeln!(page, "\n| key of `{name}` | value | meaning |\n| --- | --- | --- |");
                rows(page, keys, &inner["required"]);
            }
        }
    }
}

/// Returns the title of a definition: "random box" for `RandomBox`, "contact" for `ContactTable`.
fn title(name: &str) -> String {
    let name = ["Table", "Name"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    let mut title = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !title.is_empty() {
            title.push(' ');
        }
        title.extend(letter.to_lowercase());
    }
    title
}

/// Writes one row of a table for each key.
fn rows(page: &mut String, keys: &Map<String, Value>, required: &Value) {
    for (name, key) in keys {
        let is_required = required.as_array().is_some_and(|names| names.iter().any(|known| known == name));
        let note = match &key["default"] {
            _ if is_required => " **Required.**".to_owned(),
            Value::Null => String::new(),
            value => format!(" Default: `{value}`."),
        };
        let _ = writeln!(page, "| `{name}` | {} | {}{note} |", type_of(key), description(key));
    }
}

fn description(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().replace('\n', " ").replace('|', "\\|")
}

/// Returns the type of the values of a key in words.
fn type_of(key: &Value) -> String {
    if let Some(name) = key["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        let title = title(name);
        return format!("[{title}](#{})", title.replace(' ', "-"));
    }
    if let Some(choices) = key["anyOf"].as_array() {
        let choices: Vec<String> = choices.iter().filter(|choice| choice["type"] != "null").map(type_of).collect();
        return choices.join(" or ");
    }
    if key["items"].is_object() {
        return format!("list of {}", type_of(&key["items"]));
    }
    if key["additionalProperties"].is_object() {
        return format!("tables of {} by name", type_of(&key["additionalProperties"]));
    }
    let word = |kind: &Value| match kind.as_str() {
        Some("string") => Some("string"),
        Some("integer") => Some("integer"),
        Some("boolean") => Some("true or false"),
        Some("object") => Some("table"),
        Some("null") | None => None,
        Some(_) => Some("number"),
    };
    match &key["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(word).collect::<Vec<_>>().join(" or "),
        kind => word(kind).unwrap_or("value").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_key_has_its_row() {
        let schema = json!({
            "oneOf": [{ "$ref": "#/$defs/Scene" }, { "$ref": "#/$defs/PlanarScene" }],
            "$defs": {
                "Ends": { "description": "When.", "oneOf": [{ "const": "soon", "description": "At once." }] },
                "Force": { "oneOf": [{
                    "description": "Springs.",
                    "properties": { "bed": { "properties": { "modulus": { "type": "number" } }, "required": ["modulus"] } },
                }] },
                "PlanarScene": { "description": "Not on the page." },
                "Scene": {
                    "description": "A scene.",
                    "properties": {
                        "time": { "$ref": "#/$defs/TimeTable", "description": "How long." },
                        "walls": { "type": "array", "items": { "$ref": "#/$defs/Wall" }, "description": "The walls." },
                        "box": { "anyOf": [{ "$ref": "#/$defs/Box" }, { "type": "null" }], "description": "A box." },
                        "ends": { "$ref": "#/$defs/Ends" },
                        "forces": { "type": "array", "items": { "$ref": "#/$defs/Force" } },
                    },
                    "required": ["time"],
                },
                "TimeTable": { "properties": { "end": { "type": ["number", "string", "null"], "default": 1.5 } } },
            },
        });
        let page = page(&schema);
        for line in [
            "| `time` | [time](#time) | How long. **Required.** |",
            "| `walls` | list of [wall](#wall) | The walls. |",
            "| `box` | [box](#box) | A box. |",
            "| `end` | number or string |  Default: `1.5`. |",
            "- `\"soon\"`: At once.",
            "- `bed`: Springs.",
            "| `modulus` | number |  **Required.** |",
        ] {
            assert!(page.lines().any(|found| found == line), "{line} in\n{page}");
        }
        assert!(!page.contains("Not on the page."), "{page}");
    }
}
