//! The reference of scene files, as Markdown, from their JSON schema.

use std::fmt::Write;
use std::process::Command;

use serde_json::{Map, Value};

/// The page of the program's own schema.
pub fn made() -> Result<String, String> {
    let program = ["run", "--quiet", "--release", "--package", "granum-cli", "--", "schema"];
    let output = Command::new(env!("CARGO")).args(program).output();
    let output = output.map_err(|error| format!("cannot run granum schema: {error}"))?;
    let schema = serde_json::from_slice(&output.stdout).map_err(|error| format!("granum schema: {error}"))?;
    Ok(page(&schema))
}

/// A table for the scene and one for each kind of table in it.
fn page(schema: &Value) -> String {
    let mut page = "# Scene reference\n\nMade from the schema of scene files: do not edit.\n".to_owned();
    section(&mut page, "Scene", schema);
    for (name, table) in schema["$defs"].as_object().into_iter().flatten() {
        section(&mut page, name, table);
    }
    page
}

fn section(page: &mut String, name: &str, table: &Value) {
    // Writing to a text cannot fail.
    let _ = writeln!(page, "\n## {}\n\n{}", title(name), description(table));
    if let Some(fields) = table["properties"].as_object() {
        let _ = writeln!(page, "\n| field | takes | what it is |\n| --- | --- | --- |");
        rows(page, fields, &table["required"]);
    }
    for choice in table["oneOf"].as_array().into_iter().flatten() {
        if let Some(name) = choice["const"].as_str() {
            let _ = writeln!(page, "\n- `\"{name}\"`: {}", description(choice));
        }
        // A table whose one key tells which it is.
        for (name, inner) in choice["properties"].as_object().into_iter().flatten() {
            let _ = writeln!(page, "\n- `{name}`: {}", description(choice));
            if let Some(fields) = inner["properties"].as_object() {
                let _ = writeln!(page, "\n| field of `{name}` | takes | what it is |\n| --- | --- | --- |");
                rows(page, fields, &inner["required"]);
            }
        }
    }
}

/// `RandomPlaces` as "random places", `ContactTable` as "contact".
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

fn rows(page: &mut String, fields: &Map<String, Value>, required: &Value) {
    for (name, field) in fields {
        let must = required.as_array().is_some_and(|names| names.iter().any(|known| known == name));
        let note = match &field["default"] {
            _ if must => " **Required.**".to_owned(),
            Value::Null => String::new(),
            value => format!(" Default: `{value}`."),
        };
        let _ = writeln!(page, "| `{name}` | {} | {}{note} |", takes(field), description(field));
    }
}

fn description(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().replace('\n', " ").replace('|', "\\|")
}

/// What values a field takes, in words.
fn takes(field: &Value) -> String {
    if let Some(name) = field["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        let title = title(name);
        return format!("[{title}](#{})", title.replace(' ', "-"));
    }
    if let Some(choices) = field["anyOf"].as_array() {
        let choices: Vec<String> = choices.iter().filter(|choice| choice["type"] != "null").map(takes).collect();
        return choices.join(" or ");
    }
    if field["items"].is_object() {
        return format!("list of {}", takes(&field["items"]));
    }
    if field["additionalProperties"].is_object() {
        return format!("tables of {} by name", takes(&field["additionalProperties"]));
    }
    let word = |kind: &Value| match kind.as_str() {
        Some("string") => Some("text"),
        Some("integer") => Some("whole number"),
        Some("boolean") => Some("true or false"),
        Some("object") => Some("table"),
        Some("null") | None => None,
        Some(_) => Some("number"),
    };
    match &field["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(word).collect::<Vec<_>>().join(" or "),
        kind => word(kind).unwrap_or("value").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_field_has_its_row() {
        let schema = json!({
            "description": "A scene.",
            "properties": {
                "time": { "$ref": "#/$defs/TimeTable", "description": "How long." },
                "walls": { "type": "array", "items": { "$ref": "#/$defs/Wall" }, "description": "The walls." },
                "box": { "anyOf": [{ "$ref": "#/$defs/Box" }, { "type": "null" }], "description": "A box." },
            },
            "required": ["time"],
            "$defs": {
                "Ends": { "description": "When.", "oneOf": [{ "const": "soon", "description": "At once." }] },
                "Force": { "oneOf": [{
                    "description": "Springs.",
                    "properties": { "bed": { "properties": { "modulus": { "type": "number" } }, "required": ["modulus"] } },
                }] },
                "TimeTable": { "properties": { "end": { "type": ["number", "string", "null"], "default": 1.5 } } },
            },
        });
        let page = page(&schema);
        for line in [
            "| `time` | [time](#time) | How long. **Required.** |",
            "| `walls` | list of [wall](#wall) | The walls. |",
            "| `box` | [box](#box) | A box. |",
            "| `end` | number or text |  Default: `1.5`. |",
            "- `\"soon\"`: At once.",
            "- `bed`: Springs.",
            "| `modulus` | number |  **Required.** |",
        ] {
            assert!(page.lines().any(|found| found == line), "{line} in\n{page}");
        }
    }
}
