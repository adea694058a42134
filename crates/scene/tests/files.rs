//! Includes, settings and versions: scenes of several parts, and errors that name the right part.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use granum_engine::BodyId;
use granum_scene::Scene;

const MATERIALS: &str = r#"
[materials.glass]
density = 2500
[materials.steel]
density = 7800
[[contact]]
between = ["glass", "glass"]
law = "linear"
stiffness = 1000
restitution = 0.5
friction = 0.3
[[contact]]
between = ["steel", "glass"]
law = "linear"
stiffness = 1000
restitution = 0.5
friction = 0.1
"#;

const MAIN: &str = r#"
include = ["parts/materials.toml"]
time = { end = 0.1 }
materials.glass.density = 2600
[[contact]]
between = ["glass", "steel"]
law = "linear"
stiffness = 2000
restitution = 0.7
friction = 0.2
[[grains]]
material = "glass"
positions = [[0, 0, 0]]
sphere = { radius = 0.01 }
[[grains]]
material = "steel"
positions = [[0, 0, 1]]
sphere = { radius = 0.01 }
"#;

fn folder(name: &str) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(dir.join("parts")).unwrap();
    fs::write(dir.join("parts/materials.toml"), MATERIALS).unwrap();
    fs::write(dir.join("main.toml"), MAIN).unwrap();
    dir
}

fn settings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| text.to_string()).collect()
}

#[test]
fn the_including_file_overrides_the_included_one() {
    let scene = Scene::load(&folder("include_wins").join("main.toml")).unwrap();
    assert_eq!((scene.materials["glass"].density, scene.materials["steel"].density), (2600.0, 7800.0));
    let contacts: Vec<_> =
        scene.contact.iter().map(|contact| (contact.between[1].as_str(), contact.friction.unwrap())).collect();
    assert_eq!(contacts, [("glass", 0.3), ("steel", 0.2)]);
    // There is one body of each material, so that steel on steel needs no law.
    let world = scene.build().unwrap();
    assert_eq!(world.body_count(), 2);
    // The resolved scene needs no other file.
    let again = common::scene(&scene.to_toml().unwrap());
    assert_eq!(again.to_toml().unwrap(), scene.to_toml().unwrap());
}

#[test]
fn errors_name_the_file_that_causes_them() {
    let dir = folder("include_faults");
    let error = || {
        let error = Scene::load(&dir.join("main.toml")).unwrap_err().to_string();
        error.replace(dir.to_str().unwrap(), "DIR")
    };
    let materials = |text: &str| fs::write(dir.join("parts/materials.toml"), text).unwrap();
    materials(&MATERIALS.replace("density = 7800", "density = -1"));
    assert_eq!(error(), "DIR/parts/materials.toml:5: materials.steel.density must be a positive density, not -1");
    materials(&MATERIALS.replace("density = 7800", "densty = 1"));
    assert_eq!(
        error(),
        "DIR/parts/materials.toml:5: materials.steel.densty: unknown key `densty`; did you mean `density`?"
    );
    materials(&MATERIALS.replace("[materials.steel]", "[materials.steel"));
    assert!(error().starts_with("DIR/parts/materials.toml:4: "), "{}", error());
    materials("include = [\"../main.toml\"]\n");
    assert_eq!(
        error(),
        "DIR/parts/materials.toml:1: include: `../main.toml` includes this file, directly or indirectly; remove the \
         circular include"
    );
    fs::remove_file(dir.join("parts/materials.toml")).unwrap();
    assert!(error().starts_with("DIR/main.toml:2: include: cannot read DIR/parts/materials.toml: "), "{}", error());
    fs::write(dir.join("main.toml"), "include = 3\n").unwrap();
    assert!(error().starts_with("DIR/main.toml:1: include must be a list of file names"), "{}", error());
}

#[test]
fn settings_override_files() {
    let path = folder("settings").join("main.toml");
    let with = |texts: &[&str]| Scene::load_with(&path, &settings(texts));
    let scene = with(&[
        "materials.glass.density=2700 kg/m3",
        "grains.1.sphere.radius=\"2 cm\"",
        "grains[0].positions[0][2]=-1",
        "contact[0].friction = 0.25",
        "title=a = b",
        "time.output=0.01",
    ])
    .unwrap();
    assert_eq!((scene.materials["glass"].density, scene.contact[0].friction), (2700.0, Some(0.25)));
    assert_eq!(scene.title.as_deref(), Some("a = b"));
    let world = scene.build().unwrap();
    assert_eq!((world.position(BodyId(0)).z, world.bounding_radius(BodyId(1))), (-1.0, 0.02));

    let error = |text: &str| with(&[text]).unwrap_err().to_string();
    assert_eq!(
        error("materials.glass.density=-1"),
        "--set materials.glass.density=-1: materials.glass.density must be a positive density, not -1"
    );
    assert_eq!(
        error("materials.glass.density=1 furlong"),
        "--set materials.glass.density=1 furlong: materials.glass.density: `1 furlong`: unknown unit `furlong`; a density is a number in kg/m3 or a string such as \"2.5 g/cm3\""
    );
    assert_eq!(
        error("grains.count=1"),
        "--set grains.count=1: `grains` is a list; give the index of the entry, as in grains.0.count"
    );
    assert_eq!(
        error("grains.7.count=1"),
        "--set grains.7.count=1: `grains` has 2 entries, counted from 0; there is no entry 7"
    );
    assert_eq!(error("time.end.x=1"), "--set time.end.x=1: `time.end` is a single value and has no keys");
    assert!(error("time.end").contains("must be KEY=VALUE"));
    assert!(error("time.ouput=1").contains("time.ouput: unknown key `ouput`; did you mean `output`?"));
}

#[test]
fn a_material_may_give_the_friction_with_itself() {
    let text = common::HEAD.replace(", friction = 0.3", "")
        + "grains = [{ material = \"glass\", sphere = { radius = 0.01 }, positions = [[0.05, 0.05, 0.05]] }]\n";
    let parse = |text: &str, set: &str| Scene::parse_with(text, Path::new("x.toml"), &settings(&[set]));
    let scene = parse(&text, "materials.glass.friction=0.3").unwrap();
    assert_eq!(scene.contact[0].friction, Some(0.3));
    assert_eq!(common::scene(&scene.to_toml().unwrap()).contact[0].friction, Some(0.3));
    let given = text.replace("restitution = 0.5", "restitution = 0.5, friction = 0.1");
    assert_eq!(
        parse(&given, "materials.glass.friction=0.3").unwrap_err().to_string(),
        "--set materials.glass.friction=0.3: materials.glass.friction has no effect: it is the default of a \
         [[contact]] with between = [\"glass\", \"glass\"], and there is none without its own friction"
    );
}

#[test]
fn another_version_is_refused_before_its_keys() {
    let message = |text: &str| Scene::parse(text, Path::new("x.toml")).unwrap_err().to_string();
    assert_eq!(
        message("version = 2\n[particles]\n"),
        "x.toml:1: version must be 1, the version of the format that this granum reads, not 2"
    );
    assert_eq!(message("version = \"one\"\n"), "x.toml:1: version must be an integer; this granum reads version 1");
}

#[test]
fn a_report_shows_the_line_and_underlines_the_error() {
    let text = "[time]\nend = \"1 s\"\n[materials.glass]\ndensity = \"2 ms\"   # grams?\n";
    let error = Scene::parse(text, Path::new("x.toml")).unwrap_err();
    assert_eq!(
        error.report(),
        "x.toml:4:11: materials.glass.density: `2 ms` is a time, not a density; a density is a number in kg/m3 or a string such as \"2.5 g/cm3\"\n   |\n 4 | density = \"2 ms\"   # grams?\n   |           ^^^^^^"
    );
    // Characters are counted, not bytes, and a long line is cut.
    let long = format!("title = \"x\"\ntime = {{ end = 1, output = \"{}\", edn = 2 }}\n", "é".repeat(500));
    let report = Scene::parse(&long, Path::new("x.toml")).unwrap_err().report();
    let lines: Vec<&str> = report.lines().collect();
    assert!(lines[1..].iter().all(|line| line.chars().count() < 120), "{report}");
    assert!(lines[0].starts_with("x.toml:2:"), "{report}");
}
