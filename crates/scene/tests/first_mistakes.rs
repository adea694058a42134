//! Messages and warnings that new users met and did not understand. Each test is named after the
//! fault.

use std::path::Path;

use granum_scene::Scene;

/// A valid scene of few lines; tests replace parts of it.
const GOOD: &str = r#"[time]
end = "0.1 s"
step = "auto"

[materials.glass]
density = 2500

[[contact]]
between = ["glass", "glass"]
law = "linear"
stiffness = "1 kN/m"
restitution = 0.8
friction = 0.3

[container]
material = "glass"
min = [0, 0, 0]
max = [0.1, 0.1, 0.1]

[[grains]]
material = "glass"
count = 10

[grains.sphere]
radius = "2 mm"

[grains.lattice]
min = [0, 0, 0]
max = [0.1, 0.1, 0.1]
"#;

/// Returns the error of reading or building a scene.
fn message(text: &str) -> String {
    let result = Scene::parse(text, Path::new("x.toml")).and_then(|scene| scene.build());
    let message = result.expect_err("the scene is invalid").to_string();
    assert_eq!(message.lines().count(), 1, "{message}");
    message
}

/// Returns the error of the valid scene with one part replaced.
fn with(from: &str, to: &str) -> String {
    assert_eq!(GOOD.matches(from).count(), 1, "{from}");
    message(&GOOD.replace(from, to))
}

/// Returns the error of the valid scene with more text at its end.
fn and(more: &str) -> String {
    message(&format!("{GOOD}{more}"))
}

#[test]
fn a_grain_outside_the_container_is_called_that() {
    let ball = "[[grains]]\nmaterial = \"glass\"\npositions = [[0.5, 0.05, 0.05]]\n[grains.sphere]\nradius = 0.003\n";
    assert_eq!(
        and(ball),
        "x.toml:30: grains[1]: body 0 at [5.0000e-1, 5.0000e-2, 5.0000e-2] is outside the container (right face) at the \
         start; move it inside"
    );
    let drum = "[[walls]]\nmaterial = \"glass\"\nposition = [0.3, 0, 0]\n[walls.inside_cylinder]\nradius = 0.1\nhalf_height = 0.1\n";
    let alone = GOOD.replace("[container]\nmaterial = \"glass\"\nmin = [0, 0, 0]\nmax = [0.1, 0.1, 0.1]\n", drum);
    let found = message(&alone);
    assert!(found.contains("is outside walls[0] at the start; move it inside"), "{found}");
}

#[test]
fn single_brackets_for_a_list_of_tables_are_named() {
    assert_eq!(
        with("[[contact]]", "[contact]"),
        "x.toml:8: contact must be a list of tables: write [[contact]] instead of [contact]"
    );
    let grains = "[grains]\nmaterial = \"glass\"\ncount = 10\n\n[grains.sphere]";
    assert_eq!(
        with("[[grains]]\nmaterial = \"glass\"\ncount = 10\n\n[grains.sphere]", grains),
        "x.toml:20: grains must be a list of tables: write [[grains]] instead of [grains]"
    );
    assert_eq!(with("[time]", "[[time]]"), "x.toml:1: time must be one table: write [time] instead of [[time]]");
    assert_eq!(
        with("[materials.glass]", "[[materials]]"),
        "x.toml:5: materials must be tables with names: write [materials.NAME] instead of [[materials]]"
    );
}

#[test]
fn wrong_types_are_not_named_by_rust_types() {
    assert_eq!(
        with("count = 10", "count = \"ten\""),
        "x.toml:22: grains[0].count must be a whole number of at least 0, not the text \"ten\""
    );
    assert_eq!(
        with("count = 10", "count = -1"),
        "x.toml:22: grains[0].count must be a whole number of at least 0, not -1"
    );
    assert_eq!(
        with("count = 10", "count = 1.5"),
        "x.toml:22: grains[0].count must be a whole number of at least 0, not 1.5"
    );
    assert_eq!(
        with("friction = 0.3", "friction = \"0.3\""),
        "x.toml:13: contact[0].friction must be a number, not the text \"0.3\""
    );
    assert_eq!(
        with("between = [\"glass\", \"glass\"]", "between = \"glass\""),
        "x.toml:9: contact[0].between must be a list of 2 values, not the text \"glass\""
    );
    assert_eq!(
        with("[materials.glass]", "[output]\nsurfaces = 1\n[materials.glass]"),
        "x.toml:6: output.surfaces must be true or false, not 1"
    );
}

#[test]
fn a_list_of_the_wrong_length_in_a_shape_names_its_key() {
    let shape = |eps: &str| {
        let table = format!("[grains.superellipsoid]\nsemi_axes = [0.002, 0.002, 0.002]\neps = {eps}");
        with("[grains.sphere]\nradius = \"2 mm\"", &table)
    };
    assert_eq!(shape("[0.1]"), "x.toml:26: grains[0].superellipsoid.eps must have 2 components, not 1");
    assert_eq!(shape("[1, 1, 1]"), "x.toml:26: grains[0].superellipsoid.eps must have 2 components, not 3");
    assert_eq!(shape("0.1"), "x.toml:26: grains[0].superellipsoid.eps must be a list of 2 values, not 0.1");
}

#[test]
fn an_output_interval_that_the_user_did_not_set_is_never_an_error() {
    let text = GOOD.replace("end = \"0.1 s\"\nstep = \"auto\"", "end = \"20 us\"\nstep = \"10 us\"");
    let scene = Scene::parse(&text, Path::new("x.toml")).unwrap();
    let world = scene.build().unwrap();
    let schedule = granum_scene::Schedule::new(&scene, &world).unwrap();
    assert_eq!(schedule.output_interval(), 1e-5);
}

#[test]
fn an_inlet_that_opens_after_the_end_is_an_error() {
    let inlet = "[grains.inlet]\nmin = [0, 0, 0.05]\nmax = [0.1, 0.1, 0.1]\nrate = 10\nstart = \"2 s\"\n";
    assert_eq!(
        with("[grains.lattice]\nmin = [0, 0, 0]\nmax = [0.1, 0.1, 0.1]\n", inlet),
        "x.toml:31: grains[0].inlet.start must be before the end of the run at 0.1 s, not 2 s: it would add no grains"
    );
}

/// Returns the warnings of the valid scene with one part replaced.
fn warnings(from: &str, to: &str) -> Vec<String> {
    Scene::parse(&GOOD.replace(from, to), Path::new("x.toml")).unwrap().warnings()
}

#[test]
fn unusual_densities_and_upward_gravity_are_warned_of() {
    assert_eq!(warnings("density = 2500", "density = 50"), [""; 0]);
    assert_eq!(warnings("density = 2500", "density = 25_000"), [""; 0]);
    assert_eq!(
        warnings("density = 2500", "density = 2.5"),
        ["materials.glass.density is 2.5 kg/m3; solid grains have 50 to 25000 kg/m3; 2.5 g/cm3 is written density = \
          \"2.5 g/cm3\""]
    );
    assert_eq!(
        warnings("density = 2500", "density = \"2500 g/cm3\""),
        ["materials.glass.density is 2500000 kg/m3; solid grains have 50 to 25000 kg/m3"]
    );
    assert_eq!(
        warnings("[time]", "gravity = [0, 0, 9.81]\n[time]"),
        ["gravity points upwards (9.81 m/s2 along z); gravity that pulls grains down is negative there"]
    );
}

#[test]
fn sums_are_shown_without_their_rounding_error() {
    assert_eq!(granum_scene::short_number(0.05 + 0.3), "0.35");
    assert_eq!(granum_scene::short_number(0.1 + 0.2), "0.3");
    assert_eq!(granum_scene::short_number(1e-5), "0.00001");
    assert_eq!(granum_scene::short_number(123456.0), "123456");
    assert_eq!(granum_scene::short_number(0.0), "0");
}
