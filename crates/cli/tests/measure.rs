//! `granum measure` on small runs.

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use granum_output::RunFolder;

use support::{SMALL, folder_with, granum, succeeds, text};

/// Discs that fall into a planar box.
const PLANAR: &str = r#"
dimension = 2
[time]
end = "20 ms"
output = "5 ms"
[materials.glass]
density = 2500
[[contact]]
between = ["glass", "glass"]
law = "linear"
stiffness = 1e6
restitution = 0.8
friction = 0.3
[container]
material = "glass"
min = [0, 0]
max = ["2 cm", "2 cm"]
[[grains]]
material = "glass"
count = 30
velocity = [0, -1]
[grains.disc]
radius = "1 mm"
[grains.lattice]
min = [0, 0]
max = ["2 cm", "2 cm"]
"#;

fn rows(path: &Path) -> Vec<BTreeMap<String, f64>> {
    csv::Reader::from_path(path).unwrap().deserialize().map(|row| row.unwrap()).collect()
}

#[test]
fn a_planar_run_is_measured_in_layers_along_y() {
    let dir = folder_with("measure_planar", "discs.toml", PLANAR);
    succeeds(&dir, &["run", "discs.toml", "--out", "r", "--quiet"]);
    // The box of the profiles is that of the grains in the last frame.
    succeeds(&dir, &["measure", "r", "--from", "0.018", "--quiet"]);
    let layers = rows(&dir.join("r/measure/profiles.csv"));
    assert_eq!(layers.len(), 20);
    assert!(layers.windows(2).all(|pair| pair[0]["y"] < pair[1]["y"] && pair[0]["z"] == 0.0 && pair[1]["z"] == 0.0));
    for column in ["packing", "density", "grains", "stress_yy"] {
        assert!(layers.iter().all(|row| row[column].is_finite()), "{column}");
    }
    let grains: f64 = layers.iter().map(|row| row["grains"]).sum();
    assert!((grains - 30.0).abs() < 1e-9, "{grains}");

    succeeds(&dir, &["measure", "r", "--grid", "3,2", "--region", "0,0,0.02,0.02", "--quiet", "--out", "m"]);
    let cells = rows(&dir.join("m/profiles.csv"));
    assert_eq!(cells.len(), 6);
    assert!((cells.iter().map(|row| row["grains"]).sum::<f64>() - 30.0).abs() < 1e-9);
    for (arguments, message) in [
        (["--grid", "1,1,20"], "--grid: a planar run has one layer along z; give NX,NY\n"),
        (["--grid", "20"], "--grid must be 2 numbers (NX,NY) in a planar run, not 1\n"),
        (["--region", "0,0,0,1,1,1"], "--region must be 4 numbers (x, y, x, y) in a planar run, not 6\n"),
    ] {
        let output = granum(&dir, &[&["measure", "r"], &arguments[..]].concat());
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), message));
    }
}

#[test]
fn removed_walls_are_in_no_frame_and_no_measurement() {
    let gate = r#"
[[walls]]
name = "gate"
material = "steel"
position = ["1 cm", "1 cm", "1 cm"]
[walls.box]
half_sizes = ["1 cm", "1 cm", "1 mm"]
[[stages]]
duration = "10 ms"
[[stages]]
duration = "10 ms"
remove = ["gate"]
"#;
    let scene = SMALL.replace("end = \"20 ms\"\n", "").replace(
        "min = [0, 0, 0]\nmax = [\"2 cm\", \"2 cm\", \"4 cm\"]\njitter",
        "min = [0, 0, \"1.2 cm\"]\nmax = [\"2 cm\", \"2 cm\", \"4 cm\"]\njitter",
    );
    let dir = folder_with("removed_walls", "gate.toml", &format!("{scene}{gate}"));
    succeeds(&dir, &["run", "gate.toml", "--out", "r", "--quiet"]);
    let run = RunFolder::open(&dir.join("r")).unwrap();
    let walls = |number| run.frame(number).unwrap().bodies.iter().filter(|body| !body.is_grain()).count();
    // The container has five closed faces. The frame at 10 ms follows the change of the stage.
    assert_eq!([0, 1, 2, 3, 4].map(walls), [6, 6, 5, 5, 5]);
    // The volume of a wall is not free, that of a removed one is: 2 cm x 2 cm x 2 mm.
    succeeds(&dir, &["measure", "r", "--region", "0,0,0,0.02,0.02,0.04", "--quiet"]);
    let room: Vec<f64> = rows(&dir.join("r/measure/observables.csv")).iter().map(|row| row["room"]).collect();
    assert!((room[4] - room[0] - 0.8e-6).abs() < 0.02e-6, "{room:?}");
}
