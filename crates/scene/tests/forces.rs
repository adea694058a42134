//! `[[forces]]`: the force fields that follow from them, and errors.

use std::path::Path;

use glam::DVec3;
use granum_engine::percussion::Field;
use granum_scene::Scene;

fn parse(response: &str, forces: &str) -> Result<Scene, String> {
    let text = format!(
        r#"
response = "{response}"
time = {{ end = "0.1 s", step = "1 ms" }}
materials.stone = {{ density = 2500 }}
contact = [{{ between = ["stone", "stone"], law = "linear", stiffness = 1000, restitution = 0, friction = 0.5 }}]
grains = [{{ material = "stone", sphere = {{ radius = 0.1 }}, positions = [[0, 0, 0]] }}]
forces = [{forces}]
"#
    );
    let parsed = Scene::parse(&text, Path::new("x.toml"));
    parsed.and_then(|scene| scene.build().map(|_| scene)).map_err(|error| error.to_string())
}

#[test]
fn forces_become_fields() {
    let scene = parse(
        "percussion",
        r#"{ bed = { normal = [0, 0, 2], offset = "10 cm", modulus = 1e6 } },
           { backing = { normal = [3, 0, 0], offset = "-2 m", stiffness = "30 kN/m" } },
           { net = { min = [-1, -1, -1], max = [1, 1, 1], modulus = 5 } },
           { spring = { to = [0, 0, 1], stiffness = "2 kN/m" } },
           { constant = { force = [1, 0, 0] } }"#,
    )
    .unwrap();
    let fields = scene.build().unwrap().percussion().unwrap().fields.clone();
    let expected = [
        Field::Bed { normal: DVec3::Z, offset: 0.1, modulus: 1e6 },
        Field::Backing { normal: DVec3::X, offset: -2.0, stiffness: 3e4 },
        Field::Net { min: DVec3::NEG_ONE, max: DVec3::ONE, modulus: 5.0 },
        Field::Spring { to: DVec3::Z, stiffness: 2000.0 },
        Field::Force { force: DVec3::X },
    ];
    assert_eq!(fields, expected);
}

#[test]
fn a_coefficient_that_a_percussion_does_not_need_stays_absent() {
    let text = r#"
response = "percussion"
percussion = { friction = "viscous" }
time = { end = "0.1 s", step = "1 ms" }
materials.stone = { density = 2500 }
contact = [{ between = ["stone", "stone"], kappa_n = "1 kg", kappa_t = "2 kg" }]
grains = [{ material = "stone", sphere = { radius = 0.1 }, positions = [[0, 0, 0]] }]
"#;
    let scene = Scene::parse(text, Path::new("x.toml")).unwrap();
    assert_eq!((scene.contact[0].restitution, scene.contact[0].friction), (None, None));
    scene.build().unwrap();
    // The resolved scene does not contain them either.
    let written = scene.to_toml().unwrap();
    assert!(!written.contains("restitution"), "{written}");
    Scene::parse(&written, Path::new("again.toml")).unwrap().build().unwrap();
}

#[test]
fn bad_forces_are_refused_by_their_key() {
    let refused = |response: &str, forces: &str| parse(response, forces).unwrap_err();
    let bed = |modulus: &str| format!("{{ bed = {{ normal = [0, 0, 1], modulus = {modulus} }} }}");
    assert!(refused("smooth", &bed("1")).contains("forces has no effect: forces need response"));
    assert!(refused("percussion", &bed("-1")).contains("forces[0].bed.modulus"));
    let net = "{ net = { min = [0, 0, 0], max = [1, 0, 1], modulus = 1 } }";
    assert!(refused("percussion", net).contains("net.max"));
    let level = "{ bed = { normal = [0, 0, 0], modulus = 1 } }";
    assert!(refused("percussion", level).contains("bed.normal"));
    let soft = "{ backing = { normal = [0, 0, 1], stiffness = -2 } }";
    assert!(refused("percussion", soft).contains("backing.stiffness"));
}
