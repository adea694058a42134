//! The JSON schema: the scenes of the repository satisfy it, and invalid scenes do not.

use std::path::PathBuf;

use serde_json::{Value, json};

/// Returns whether a value satisfies a schema.
///
/// It implements the keywords that the schema of scenes uses, and panics at any other keyword.
fn satisfies(root: &Value, schema: &Value, value: &Value) -> bool {
    let Some(schema) = schema.as_object() else {
        return schema.as_bool().expect("a schema is an object or a boolean");
    };
    schema.iter().all(|(word, wanted)| match word.as_str() {
        "$schema" | "title" | "description" | "default" | "format" | "$defs" | "examples" => true,
        "$ref" => satisfies(
            root,
            root.pointer(&wanted.as_str().unwrap()[1..]).expect("the referenced definition exists"),
            value,
        ),
        "type" => match wanted {
            Value::Array(types) => types.iter().any(|one| is_of(value, one)),
            one => is_of(value, one),
        },
        "const" => value == wanted,
        "enum" => wanted.as_array().unwrap().contains(value),
        "anyOf" => wanted.as_array().unwrap().iter().any(|one| satisfies(root, one, value)),
        "oneOf" => wanted.as_array().unwrap().iter().filter(|one| satisfies(root, one, value)).count() == 1,
        "required" => wanted.as_array().unwrap().iter().all(|key| value.get(key.as_str().unwrap()).is_some()),
        "properties" => value.as_object().is_none_or(|table| {
            table.iter().all(|(key, value)| wanted.get(key).is_none_or(|schema| satisfies(root, schema, value)))
        }),
        "additionalProperties" => value.as_object().is_none_or(|table| {
            let known = schema.get("properties").and_then(Value::as_object);
            let more = table.iter().filter(|(key, _)| known.is_none_or(|known| !known.contains_key(*key)));
            more.into_iter().all(|(_, value)| satisfies(root, wanted, value))
        }),
        "items" => {
            let fixed = schema.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
            value.as_array().is_none_or(|list| list.iter().skip(fixed).all(|one| satisfies(root, wanted, one)))
        }
        "prefixItems" => value.as_array().is_none_or(|list| {
            list.iter().zip(wanted.as_array().unwrap()).all(|(one, schema)| satisfies(root, schema, one))
        }),
        "minItems" => value.as_array().is_none_or(|list| list.len() as u64 >= wanted.as_u64().unwrap()),
        "maxItems" => value.as_array().is_none_or(|list| list.len() as u64 <= wanted.as_u64().unwrap()),
        "minimum" => value.as_f64().is_none_or(|number| number >= wanted.as_f64().unwrap()),
        "maximum" => value.as_f64().is_none_or(|number| number <= wanted.as_f64().unwrap()),
        // An annotation that does not restrict the value.
        "writeOnly" => true,
        unknown => panic!("`{unknown}` in the schema is not known to this test"),
    })
}

fn is_of(value: &Value, name: &Value) -> bool {
    match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        unknown => panic!("type {unknown}"),
    }
}

fn scenes() -> Vec<(PathBuf, Value)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let scenes = paths.filter(|path| path.extension().is_some_and(|extension| extension == "toml"));
    scenes.map(|path| (path.clone(), toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())).collect()
}

#[test]
fn the_scenes_of_the_repository_satisfy_the_schema() {
    let schema = granum_scene::schema();
    let scenes = scenes();
    assert!(scenes.len() >= 4);
    // A scene with includes is complete only together with them.
    for (path, scene) in scenes.into_iter().filter(|(_, scene)| scene.get("include").is_none()) {
        assert!(satisfies(&schema, &schema, &scene), "{}", path.display());
    }
}

#[test]
fn the_schema_refuses_wrong_types_and_unknown_keys() {
    let schema = granum_scene::schema();
    let new = scenes().into_iter().find(|(path, _)| path.ends_with("new.toml")).unwrap().1;
    let broken = |path: &str, value: Value| {
        let mut scene = new.clone();
        let (table, key) = path.rsplit_once('/').unwrap();
        scene.pointer_mut(table).unwrap()[key] = value;
        !satisfies(&schema, &schema, &scene)
    };
    assert!(!broken("/time/end", json!("1 s")));
    for (path, value) in [
        ("/time/end", json!(true)),
        ("/time/edn", json!(1)),
        ("/contact/0/law", json!("linaer")),
        ("/grains/0/spere", json!({ "radius": 1 })),
        ("/grains/0/sphere", json!({ "radus": 1 })),
        ("/grains/0/half_space", json!({ "normal": [0, 0, 1] })),
        ("/grains/0/size", json!({ "normal": { "mean": 1 } })),
        ("/grains/0/velocity", json!([0, 0])),
        ("/stages/0/until", json!({ "kinetic_energy_below": 1 })),
    ] {
        assert!(broken(path, value.clone()), "{path} = {value} passes");
    }
}

#[test]
fn every_field_is_described() {
    fn walk(path: &str, schema: &Value) {
        if let Some(fields) = schema.get("properties").and_then(Value::as_object) {
            for (name, field) in fields {
                let described = field.get("description").or(field.get("$ref")).is_some();
                assert!(described || path.contains("Number") || field.get("anyOf").is_some(), "{path}.{name}");
            }
        }
    }
    let schema = granum_scene::schema();
    walk("Scene", &schema);
    for (name, definition) in schema["$defs"].as_object().unwrap() {
        walk(name, definition);
    }
}

#[test]
fn the_scenes_of_the_guide_on_shapes_are_valid_and_cited() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/guide/shapes.md")).unwrap();
    let mut shapes = 0;
    for entry in std::fs::read_dir(root.join("scenes/shapes")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        granum_scene::Scene::load(&path).and_then(|scene| scene.build()).unwrap_or_else(|error| panic!("{error}"));
        let text = std::fs::read_to_string(&path).unwrap();
        let examples = text.lines().filter(|line| line.starts_with(&format!("{name} = ")));
        assert_eq!(examples.filter(|line| page.lines().any(|other| other == *line)).count(), 3, "{name}");
        let picture = format!("pictures/shapes/{name}.png");
        assert_eq!(root.join("docs/guide").join(&picture).is_file(), page.contains(&picture), "{name}");
        shapes += 1;
    }
    // Walls are described in a table of the page.
    for name in granum_scene::schema()["$defs"]["Grains"]["oneOf"].as_array().unwrap() {
        let name = name["required"][0].as_str().unwrap();
        if name == "from" {
            continue; // Saved grains bring their shapes.
        }
        let is_pictured = root.join(format!("scenes/shapes/{name}.toml")).is_file();
        assert!(is_pictured || page.contains(&format!("| `{name}` |")), "{name} is not in the guide on shapes");
    }
    assert!(shapes >= 13);
}
