//! `cargo xtask reference SCHEMA`: prints the reference of scene files, as Markdown, from their JSON schema.

use std::fmt::Write;
use std::fs;
use std::process::ExitCode;

use serde_json::{Map, Value};

/// Prints the page of a schema in a file.
pub fn run(path: &str) -> ExitCode {
    let text = fs::read_to_string(path).map_err(|error| error.to_string());
    let schema = text.and_then(|text| serde_json::from_str::<Value>(&text).map_err(|error| error.to_string()));
    match schema {
        Ok(schema) => {
            print!("{}", page(&schema));
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("cannot read the schema {path}: {reason}");
            ExitCode::from(2)
        }
    }
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
    let _ = writeln!(page, "\n## {name}\n\n{}", description(table));
    if let Some(fields) = table["properties"].as_object() {
        let _ = writeln!(page, "\n| field | takes | what it is |\n| --- | --- | --- |");
        rows(page, fields, &table["required"]);
    }
    for word in table["oneOf"].as_array().into_iter().flatten() {
        if let Some(name) = word["const"].as_str() {
            let _ = writeln!(page, "\n- `\"{name}\"`: {}", description(word));
        }
    }
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
        return format!("[{name}](#{})", name.to_lowercase());
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
                "TimeTable": { "properties": { "end": { "type": ["number", "string", "null"], "default": 1.5 } } },
            },
        });
        let page = page(&schema);
        for line in [
            "| `time` | [TimeTable](#timetable) | How long. **Required.** |",
            "| `walls` | list of [Wall](#wall) | The walls. |",
            "| `box` | [Box](#box) | A box. |",
            "| `end` | number or text |  Default: `1.5`. |",
            "- `\"soon\"`: At once.",
        ] {
            assert!(page.lines().any(|found| found == line), "{line} in\n{page}");
        }
    }
}
