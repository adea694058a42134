//! Mistakes of new users: one message with the position and a remedy, and exit code 2.

mod support;

use std::fs;

use support::{empty_folder, folder_with, granum, text};

const GOOD: &str = r#"version = 1
[time]
end = "20 ms"
step = "auto"
[materials.glass]
density = "2.5 g/cm3"
[[contact]]
between = ["glass", "glass"]
law = "linear"
stiffness = 1000
restitution = 0.8
friction = 0.3
[container]
material = "glass"
min = [0, 0, 0]
max = ["2 cm", "2 cm", "4 cm"]
[[grains]]
material = "glass"
count = 30
[grains.sphere]
radius = "1 mm"
[grains.random]
min = [0, 0, 0]
max = ["2 cm", "2 cm", "4 cm"]
"#;

/// Returns the message of `check` and `run` for a scene. Both must print the same, return exit code
/// 2 and write no files.
fn refused(test: &str, scene: &str) -> String {
    let dir = folder_with(test, "x.toml", scene);
    let message_of = |arguments: &[&str]| {
        let output = granum(&dir, arguments);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""), "{output:?}");
        text(&output.stderr).to_owned()
    };
    let message = message_of(&["check", "x.toml"]);
    assert_eq!(message, message_of(&["run", "x.toml", "--out", "r"]));
    assert!(!dir.join("r").exists());
    message
}

/// Returns the message for the valid scene with one part replaced.
fn with(test: &str, from: &str, to: &str) -> String {
    assert_eq!(GOOD.matches(from).count(), 1, "{from}");
    refused(test, &GOOD.replace(from, to))
}

#[test]
fn the_valid_scene_is_accepted_and_described() {
    let dir = folder_with("bad_none", "x.toml", GOOD);
    let output = granum(&dir, &["check", "x.toml", "--set", "grains[0].count=40"]);
    let printed = text(&output.stdout);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    for part in [
        "40 grains, 6 walls",
        "steps a contact",
        "steps      ",
        "time       about",
        "memory     about",
        "disk       about",
    ] {
        assert!(printed.contains(part), "{part} in {printed}");
    }
}

#[test]
fn files_that_are_not_scenes() {
    assert_eq!(
        refused("bad_empty", ""),
        "x.toml: the scene is empty; it needs [time], [materials.NAME] and [[grains]]\n"
    );
    let output = granum(&empty_folder("bad_missing"), &["check", "no.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("no.toml: cannot read the scene: "), "{output:?}");
    assert_eq!(
        with("bad_version", "version = 1", "version = 2"),
        "x.toml:1:11: version must be 1, the version of the format that this granum reads, not 2\n   |\n 1 | version = 2\n   |           ^\n"
    );
}

#[test]
fn misspelt_and_mistaken() {
    assert_eq!(
        with("bad_key", "friction = 0.3", "fricton = 0.3"),
        "x.toml:12:1: contact[0].fricton: unknown key `fricton`; did you mean `friction`?\n    |\n 12 | fricton = 0.3\n    | ^^^^^^^\n"
    );
    assert_eq!(
        with("bad_unit", "\"2.5 g/cm3\"", "\"2.5 g/cm2\""),
        "x.toml:6:11: materials.glass.density: `2.5 g/cm2` is a quantity in kg m^-2, not a density; a density is a number in kg/m3 or a string such as \"2.5 g/cm3\"\n   |\n 6 | density = \"2.5 g/cm2\"\n   |           ^^^^^^^^^^^\n"
    );
    assert_eq!(
        with("bad_size", "\"1 mm\"", "\"-1 mm\""),
        "x.toml:21:10: grains[0].sphere.radius must be a positive length, not -0.001\n    |\n 21 | radius = \"-1 mm\"\n    |          ^^^^^^^\n"
    );
    assert_eq!(
        with("bad_step", "step = \"auto\"", "step = 0"),
        "x.toml:4:8: time.step must be a positive time, not 0\n   |\n 4 | step = 0\n   |        ^\n"
    );
}

#[test]
fn a_pair_of_materials_without_friction_or_without_a_contact() {
    assert_eq!(
        with("bad_friction", "friction = 0.3\n", ""),
        "x.toml:7:1: contact[0]: missing `friction`, the coefficient of sliding friction; give 0 for none\n   |\n 7 | [[contact]]\n   | ^^^^^^^^^^^\n"
    );
    let contact = &GOOD[GOOD.find("[[contact]]").unwrap()..GOOD.find("[container]").unwrap()];
    assert_eq!(
        with("bad_contact", contact, ""),
        "x.toml: missing [[contact]] of `glass` and `glass`, whose bodies can touch; add one with between = [\"glass\", \"glass\"]\n"
    );
}

#[test]
fn a_million_grains_that_do_not_fit() {
    let message = with("bad_million", "count = 30", "count = 1_000_000");
    let expected = "x.toml:22:1: grains[0].random: 1000000 grains do not fit: their bounding balls need 261.799 of the \
                    box volume, and random positions fill at most 0.38, about 1467 grains; enlarge the box, or pour the \
                    grains with [grains.inlet]\n";
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn a_new_scene_runs_and_is_never_overwritten() {
    let dir = empty_folder("new_scene");
    assert_eq!(granum(&dir, &["new", "drum"]).status.code(), Some(0));
    let quick = ["run", "drum.toml", "--out", "r", "--set", "grains[0].count=5", "--until", "50 ms", "--quiet"];
    let output = granum(&dir, &quick);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    fs::write(dir.join("drum.toml"), "mine").unwrap();
    let again = granum(&dir, &["new", "drum.toml"]);
    assert_eq!(again.status.code(), Some(2));
    assert_eq!(text(&again.stderr), "drum.toml already exists and is not overwritten; choose another name\n");
    assert_eq!(fs::read_to_string(dir.join("drum.toml")).unwrap(), "mine");
}

#[test]
fn the_schema_is_json() {
    let output = granum(&empty_folder("schema"), &["schema"]);
    let schema: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["$defs"]["Grains"]["properties"]["sphere"]["$ref"], "#/$defs/Sphere");
    assert!(schema["$defs"]["Sphere"]["properties"]["radius"].is_object());
}
