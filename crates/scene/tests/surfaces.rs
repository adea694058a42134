//! Scenes with `[[surfaces]]`: what is built, and the messages for mistakes.

use std::path::Path;

use glam::DVec3;
use granum_engine::BodyId;
use granum_geometry::Shape;
use granum_scene::Scene;

/// A ball above a plate; tests add keys to the surface.
fn scene(keys: &str) -> String {
    format!(
        r#"[time]
end = "10 ms"
step = "auto"

[materials.glass]
density = 2500

[[contact]]
between = ["glass", "glass"]
law = "linear"
stiffness = "1 kN/m"
restitution = 0.8
friction = 0.3

[[surfaces]]
{keys}

[[grains]]
material = "glass"
positions = [[0, 0, "3 mm"]]
sphere = {{ radius = "2 mm" }}
"#
    )
}

const PLATE: &str = "material = \"glass\"\nshape = { plate = { size = [0.1, 0.1], cells = [3, 3] } }\n";

fn message(text: &str) -> String {
    match Scene::parse(text, Path::new("scene.toml")) {
        Ok(scene) => scene.build().expect_err("a wrong scene").to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_surface_is_a_wall_with_a_name_a_motion_and_sides() {
    let keys = format!("{PLATE}name = \"belt\"\nsides = 2\nmotion = {{ velocity = [\"1 m/s\", 0, 0] }}");
    let scene = Scene::parse(&scene(&keys), Path::new("scene.toml")).expect("a valid scene");
    let world = scene.build().expect("a world");
    let wall = world.walls().next().expect("a wall");
    let Shape::Surface(surface) = world.shape(wall.shape) else { panic!("the wall is a surface") };
    assert_eq!((surface.mesh().triangles().len(), surface.is_two_sided()), (18, true));
    assert_eq!(wall.velocity.x, 1.0);
    assert!(world.body(BodyId(1)).expect("the ball").is_grain());
}

#[test]
fn triangles_of_a_file_that_meet_in_rounded_points_are_joined() {
    let dir = std::env::temp_dir().join(format!("granum_surfaces_{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder");
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1e-9 0\nv 1 1 0\nv 1e-9 1 0\nf 1 2 3\nf 4 5 6\n";
    std::fs::write(dir.join("two.obj"), text).expect("a file");
    let keys = "material = \"glass\"\nfile = \"two.obj\"\ntranslate = [-0.3, -0.3, 0]";
    let scene = Scene::parse(&scene(keys), &dir.join("scene.toml")).expect("a valid scene");
    let world = scene.build().expect("a world");
    let wall = world.walls().next().expect("a wall");
    let Shape::Surface(surface) = world.shape(wall.shape) else { panic!("the wall is a surface") };
    assert_eq!(surface.mesh().vertices().len(), 4);
    std::fs::remove_dir_all(&dir).expect("the folder is removed");
}

#[test]
fn random_grains_are_not_in_solids() {
    let blades = "material = \"glass\"\nshape = { mixer = { radius = 0.05, shaft_radius = 0.03, length = 0.1, \
                  width = 0.02, thickness = 0.01 } }";
    let random = "count = 100\nrandom = { min = [-0.05, -0.05, 0], max = [0.05, 0.05, 0.1] }";
    let text = scene(blades).replace("positions = [[0, 0, \"3 mm\"]]", random);
    let world = Scene::parse(&text, Path::new("scene.toml")).expect("a valid scene").build().expect("a world");
    let from_axis = |at: DVec3| at.truncate().length();
    assert!(world.grains().count() == 100 && world.grains().all(|grain| from_axis(grain.position) > 0.03));
}

#[test]
fn mistakes_in_a_surface_name_its_field() {
    for (keys, expected) in [
        ("shape = { plate = { size = [0.1, 0.1] } }", "surfaces[0]: missing key `material`"),
        ("material = \"glass\"", "surfaces[0].file must be given, or a `shape`"),
        (&format!("{PLATE}sides = 3"), "surfaces[0].sides must be 1 or 2, not 3"),
        (&format!("{PLATE}side = 1"), "unknown"),
        ("material = \"glass\"\nfile = \"none.stl\"", "none.stl"),
        ("material = \"glass\"\nshape = \"plate\"", "surfaces[0].shape must be a name with its settings"),
        ("material = \"gold\"\nshape = { plate = { size = [0.1, 0.1] } }", "gold"),
        ("material = \"glass\"\nshape = { plate = { size = [0.1, -1] } }", "shape.plate.size"),
        (&format!("{PLATE}translate = [0, 0, \"2 mm\"]"), "grains[0]: body 0"),
    ] {
        let message = message(&scene(keys));
        assert!(message.contains(expected), "{keys}\n{message}\nshould contain {expected}");
    }
    let planar =
        scene(PLATE).replace("[time]", "dimension = 2\n[time]").replace("[[0, 0, \"3 mm\"]]", "[[0, \"3 mm\"]]");
    assert!(message(&planar).contains("surfaces[0]"), "{}", message(&planar));
}
