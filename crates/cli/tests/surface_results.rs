//! Load and wear of surfaces through the program: frames, `walls.csv`, resume, exports, pictures.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use glam::DVec3;
use granum_geometry::Shape;
use granum_output::{Frame, RunFolder};

use support::{folder_with, granum, text};

/// Balls that settle on a floor of many triangles in a box, and on a plate above it that turns.
const SCENE: &str = r#"
[time]
end = "120 ms"
output = "20 ms"

[output]
frames = "20 ms"

[materials.glass]
density = 2500

[[contact]]
between = ["glass", "glass"]
law = "linear"
stiffness = "2 kN/m"
restitution = 0.3
friction = 0.4

[container]
material = "glass"
min = ["-2 cm", "-2 cm", "-1 cm"]
max = ["2 cm", "2 cm", "6 cm"]

[[surfaces]]
name = "floor"
material = "glass"
wear = true
shape = { terrain = { size = ["5 cm", "5 cm"], cells = [40, 40], height = "0.5 mm", radius = "3 mm" } }

[[surfaces]]
name = "blade"
material = "glass"
wear = true
shape = { mixer = { radius = "1.2 cm", shaft_radius = "3 mm", length = "3 cm", width = "8 mm", thickness = "2 mm" } }
translate = [0, 0, "2.5 cm"]
motion = { spin = [0, 0, "120 rpm"] }

[[grains]]
material = "glass"
count = 40
sphere = { radius = "2.5 mm" }
lattice = { min = ["-1.9 cm", "-1.9 cm", "2 mm"], max = ["1.9 cm", "1.9 cm", "2.2 cm"] }
"#;

/// Runs the scene to a time. The lowest balls meet the floor in the first 20 ms.
fn ran(test: &str, until: &str) -> PathBuf {
    let dir = folder_with(test, "scene.toml", SCENE);
    let output = granum(&dir, &["run", "scene.toml", "--out", "r", "--quiet", "--until", until]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    dir
}

fn last_frame(run: &Path) -> Frame {
    let run = RunFolder::open(run).unwrap();
    run.frame(run.frames().last().unwrap().number).unwrap()
}

/// Returns the normal force by the mean pressures of a surface, and its works, N and J.
fn sums(frame: &Frame, number: usize) -> [f64; 3] {
    let wear = &frame.wear[number];
    let body = frame.bodies.iter().find(|body| body.id == wear.body).unwrap();
    let Shape::Surface(surface) = &frame.shapes[body.shape.0 as usize] else { panic!("a surface") };
    wear.triangles.iter().fold([0.0; 3], |sums, worn| {
        let area = surface.mesh().vector_area(worn.triangle as usize).length();
        let values = [worn.pressure, worn.friction_work, worn.impact_work];
        std::array::from_fn(|k| sums[k] + area * values[k])
    })
}

#[test]
fn pressures_of_a_settled_bed_are_the_force_of_the_table() {
    let dir = ran("surface_results", "120 ms");
    let frame = last_frame(&dir.join("r"));
    let [force, friction, impact] = sums(&frame, 0);
    let rows = RunFolder::open(&dir.join("r")).unwrap().walls().unwrap();
    let row = rows.iter().rfind(|row| row.wall == "floor").unwrap();
    // The bed still vibrates, and hills press sideways, too.
    let table = DVec3::new(row.force_x, row.force_y, row.force_z).length();
    assert!((force / table - 1.0).abs() < 0.1, "{force} N by pressures, {table} N in walls.csv");
    let energy = RunFolder::open(&dir.join("r")).unwrap().energy().unwrap();
    let dissipated = energy.last().unwrap().dissipated;
    assert!(friction > 0.0 && impact > 0.0 && friction + impact < dissipated, "{friction} {impact} of {dissipated} J");

    let printed = text(&granum(&dir, &["info", "r"]).stdout).to_owned();
    assert!(printed.contains("surface    floor: 3200 triangles of glass, 0.0025"), "{printed}");
    assert!(printed.contains("surface    blade: ") && printed.contains(" J by friction, "), "{printed}");
    let output = granum(&dir, &["export", "r", "--to", "csv"]);
    assert!(text(&output.stdout).contains("walls_000006.csv"), "{}", text(&output.stderr));
    assert!(fs::read_to_string(dir.join("r/export/walls_000006.csv")).unwrap().starts_with("wall,triangle,x,"));
    let output = granum(&dir, &["plot", "r"]);
    assert_eq!(output.status.code(), Some(0));
    let chart = fs::read_to_string(dir.join("r/charts/walls.svg")).unwrap();
    assert!(chart.contains("power, ") && chart.contains("force, ") && chart.contains(">blade<"), "{chart}");
}

#[test]
fn a_run_that_is_interrupted_has_the_same_wear() {
    let dir = ran("surface_results_resumed", "60 ms");
    let output = granum(&dir, &["run", "scene.toml", "--out", "cut", "--quiet", "--until", "40 ms"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    let output = granum(&dir, &["run", "--resume", "cut", "--quiet", "--until", "60 ms"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    let [whole, cut] = ["r", "cut"].map(|run| last_frame(&dir.join(run)));
    assert_eq!(whole.time, cut.time);
    assert_eq!(whole.wear, cut.wear);
    assert!(!whole.wear[0].triangles.is_empty());
    for name in ["walls_000002.vtp", "walls_000003.vtp"] {
        let [whole, cut] = ["r", "cut"].map(|run| fs::read(dir.join(run).join("frames").join(name)).unwrap());
        assert!(whole == cut, "{name}");
    }
}

#[test]
fn pictures_show_wear_and_refuse_a_run_without_it() {
    let dir = ran("surface_results_pictures", "40 ms");
    for quantity in ["height", "pressure", "peak-pressure", "friction-work", "impact-work", "none"] {
        let name = format!("{quantity}.png");
        let arguments = ["render", "r", "--surface-colour", quantity, "--out", &name, "--size", "160x120"];
        let output = granum(&dir, &arguments);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""), "{quantity}");
    }
    let [worn, plain] = ["friction-work.png", "none.png"].map(|name| fs::read(dir.join(name)).unwrap());
    assert!(worn != plain);

    let without = SCENE.replace("wear = true\n", "").replace("120 ms", "1 ms").replace("20 ms", "1 ms");
    fs::write(dir.join("without.toml"), &without).unwrap();
    let output = granum(&dir, &["run", "without.toml", "--out", "w", "--quiet"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    let output = granum(&dir, &["render", "w", "--surface-colour", "pressure"]);
    let printed = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(printed.contains("set `wear = true` in [[surfaces]]"), "{printed}");
    let picture = without.replace("[output]\n", "[output]\npicture = { surface_colour = \"pressure\" }\n");
    fs::write(dir.join("picture.toml"), picture).unwrap();
    let output = granum(&dir, &["check", "picture.toml"]);
    let printed = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(printed.contains("output.picture.surface_colour needs a surface with `wear = true`"), "{printed}");
}
