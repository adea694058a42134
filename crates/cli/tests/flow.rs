//! `walls.csv` and `flow.csv` of runs with outlets and moving walls.

mod support;

use std::fs;
use std::path::Path;

use granum_output::RunFolder;

use support::{folder_with, granum, result, succeeds, summary, text};

/// Balls and capsules that rest on a flap between two slabs, which swings open, and fall through a
/// flow plane and an outlet.
const HOPPER: &str = r#"
[time]
end = "120 ms"
output = "4 ms"
[output]
frames = "20 ms"
[materials.glass]
density = 2500
restitution = 0.4
friction = 0.2
[materials.steel]
density = 7800
[[contact]]
between = ["glass", "glass"]
law = "linear"
stiffness = 2000
[[contact]]
between = ["glass", "steel"]
law = "linear"
stiffness = 2000
restitution = 0.3
friction = 0.3
[container]
material = "steel"
materials = { left = "glass" }
min = ["-2 cm", "-1 cm", "-10 cm"]
max = ["2 cm", "1 cm", "6 cm"]
open = ["bottom", "top"]
[[walls]]
name = "flap"
material = "steel"
position = [0, 0, 0]
motion = { axis = [0, -1, 0], pivot = ["2 cm", 0, 0], ramp = [{ time = "50 ms" }, { time = "60 ms", angular_velocity = 100 }, { time = "65 ms", angular_velocity = 100 }, { time = "75 ms" }] }
[walls.box]
half_sizes = ["2 cm", "1 cm", "1 mm"]
[[flow_planes]]
name = "slot"
centre = [0, 0, "-5 mm"]
normal = [0, 0, -1]
[[outlets]]
name = "exit"
centre = [0, 0, "-1.5 cm"]
normal = [0, 0, -1]
[[grains]]
name = "balls"
material = "glass"
count = 20
sphere = { radius = "2.5 mm" }
[grains.lattice]
min = ["-2 cm", "-1 cm", "1 mm"]
max = ["2 cm", "1 cm", "1.2 cm"]
[[grains]]
name = "capsules"
material = "glass"
count = 6
capsule = { radius = "2 mm", half_height = "2 mm" }
[grains.lattice]
min = ["-2 cm", "-1 cm", "1.3 cm"]
max = ["2 cm", "1 cm", "3 cm"]
"#;

/// Returns the tables of a run, as they are on the disk.
fn tables(run: &Path) -> [String; 3] {
    ["energy.csv", "walls.csv", "flow.csv"].map(|name| fs::read_to_string(run.join(name)).unwrap())
}

#[test]
fn grains_leave_through_an_outlet_with_the_same_bits_after_a_resumption() {
    let dir = folder_with("flow_resume", "hopper.toml", HOPPER);
    succeeds(&dir, &["run", "hopper.toml", "--out", "whole", "--threads", "1", "--quiet"]);
    let run = RunFolder::open(&dir.join("whole")).unwrap();
    let rows = run.flow().unwrap();
    let exit: Vec<_> = rows.iter().filter(|row| row.plane == "exit").collect();
    let left = exit.last().unwrap().grains;
    assert!(left > 5, "{left}");
    // The mass flow adds up to the mass, which is that of the grains missing in the frames.
    let flow: f64 = exit.windows(2).map(|pair| pair[1].mass_flow * (pair[1].time - pair[0].time)).sum();
    assert!((flow - exit.last().unwrap().mass).abs() < 1e-15);
    let mass = |number: u64| -> f64 {
        run.frame(number).unwrap().bodies.iter().filter(|body| body.is_grain()).map(|body| body.mass).sum()
    };
    let last = run.frames().last().unwrap().number;
    assert!((mass(0) - mass(last) - exit.last().unwrap().mass).abs() < 1e-12);
    let residual = run.energy().unwrap().last().unwrap().residual;
    assert!(residual.abs() < 1e-6, "{residual:e}");

    // An end while grains leave, and other numbers of threads.
    succeeds(&dir, &["run", "hopper.toml", "--out", "part", "--until", "95.3 ms", "--threads", "2", "--quiet"]);
    assert!(fs::read_to_string(dir.join("part/flow.csv")).unwrap().lines().count() > 10);
    succeeds(&dir, &["run", "--resume", "part", "--until", "120 ms", "--threads", "3", "--quiet"]);
    assert_eq!(tables(&dir.join("part")), tables(&dir.join("whole")));
    assert_eq!(result(&dir.join("part")), result(&dir.join("whole")));
    let printed = succeeds(&dir, &["info", "whole"]);
    assert!(printed.contains(&format!("flow       exit: {left} grains, ")), "{printed}");
    let printed = succeeds(&dir, &["plot", "whole"]);
    assert!(printed.contains("whole/charts/flow.png\nwhole/charts/flow.svg\n"), "{printed}");
    let drawing = fs::read_to_string(dir.join("whole/charts/flow.svg")).unwrap();
    assert!(["slot", "exit", "mass flow, "].iter().all(|text| drawing.contains(text)), "{drawing}");
}

#[test]
fn the_table_of_walls_has_the_weight_of_a_bed_at_rest() {
    // The flap stays closed, so that it carries all grains.
    let scene = HOPPER.replace("angular_velocity = 100", "angular_velocity = 0").replace("120 ms", "400 ms");
    let dir = folder_with("walls_table", "hopper.toml", &scene);
    succeeds(&dir, &["run", "hopper.toml", "--out", "r", "--quiet"]);
    let run = RunFolder::open(&dir.join("r")).unwrap();
    let rows = run.walls().unwrap();
    let names: Vec<&str> = rows.iter().take(5).map(|row| row.wall.as_str()).collect();
    assert_eq!(names, ["container.left", "container.right", "container.front", "container.back", "flap"]);
    let flap = rows.iter().rfind(|row| row.wall == "flap").unwrap();
    let frame = run.frame(run.frames().last().unwrap().number).unwrap();
    let grains = frame.bodies.iter().filter(|body| body.is_grain());
    let weight: f64 = grains.map(|grain| 9.81 * grain.mass).sum();
    assert!((flap.force_z + weight).abs() < 0.02 * weight, "{flap:?} for {weight} N");
    assert!(flap.contacts > 0);
    // The torque about the centre is the sum over the contacts of the frame.
    let id = frame.bodies.iter().find(|body| !body.is_grain() && body.position.z == 0.0 && body.position.x == 0.0);
    let id = id.unwrap().id;
    let torque_y: f64 = frame
        .contacts
        .iter()
        .filter(|contact| contact.a == id || contact.b == id)
        .map(|contact| {
            let sign = if contact.b == id { 1.0 } else { -1.0 };
            sign * (contact.point.cross(contact.force) + contact.torque).y
        })
        .sum();
    assert!((flap.torque_y - torque_y).abs() < 1e-12, "{flap:?} {torque_y}");
    // The faces of the container have their own materials.
    let material = |name: &str| {
        let number = ["container.left", "container.right"].iter().position(|known| *known == name).unwrap();
        frame.materials[frame.bodies[number].material.0 as usize].clone()
    };
    assert_eq!((material("container.left"), material("container.right")), ("glass".into(), "steel".into()));
}

#[test]
fn wrong_outlets_and_face_materials_are_refused() {
    for (from, to, message) in [
        ("materials = { left = \"glass\" }", "materials = { left = \"wood\" }", "unknown material `wood`"),
        (
            "materials = { left = \"glass\" }",
            "materials = { top = \"glass\" }",
            "container.materials.top has no effect: this face is open",
        ),
        ("name = \"exit\"", "name = \"slot\"", "must be unique, but `slot` is used twice"),
        (
            "centre = [0, 0, \"-1.5 cm\"]\nnormal = [0, 0, -1]",
            "centre = [0, 0, \"-1.5 cm\"]\nnormal = [0, 0, 0]",
            "outlets[0].normal must be a finite vector that is not zero",
        ),
        (
            "centre = [0, 0, \"-1.5 cm\"]",
            "centre = [0, 0, \"-1.5 cm\"]\nradius = 0",
            "outlets[0].radius must be a positive length, not 0",
        ),
    ] {
        let scene = HOPPER.replace(from, to);
        assert_ne!(scene, HOPPER);
        let dir = folder_with("flow_refused", "hopper.toml", &scene);
        let output = granum(&dir, &["run", "hopper.toml", "--out", "r"]);
        let found = text(&output.stderr);
        assert!(output.status.code() == Some(2) && found.contains(message), "{found}");
    }
}

#[test]
fn check_times_the_scene_itself() {
    let dir = folder_with("check_times", "hopper.toml", HOPPER);
    let started = std::time::Instant::now();
    let printed = succeeds(&dir, &["check", "hopper.toml", "--threads", "1"]);
    assert!(started.elapsed().as_secs_f64() < 10.0);
    let lines: Vec<&str> = printed.lines().collect();
    let time = lines.iter().position(|line| line.starts_with("time       ")).unwrap();
    assert!(lines[time].ends_with(" on 1 thread") && lines[time + 1].contains("measured: "), "{printed}");
}

#[test]
fn check_does_not_time_overlaps_that_are_deeper_than_those_of_a_bed() {
    let scene = r#"
[time]
end = "10 s"
[materials.glass]
density = 2500
[[contact]]
between = ["glass", "glass"]
law = "linear"
stiffness = "10 kN/m"
restitution = 0.5
friction = 0.3
[[grains]]
material = "glass"
count = 100
orientation = "random"
[grains.superellipsoid]
semi_axes = [0.004, 0.004, 0.003]
eps = [0.5, 0.5]
[grains.lattice]
min = [0, 0, 0]
max = [0.1, 0.1, 0.1]
"#;
    let dir = folder_with("check_cushions", "cushions.toml", scene);
    let printed = succeeds(&dir, &["check", "cushions.toml", "--threads", "1"]);
    let line = printed.lines().find(|line| line.contains("measured: ")).expect("the measured times");
    let seconds: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    // Deep overlaps made a step take a thousand times as long as one of the grains as placed.
    assert!(seconds.last().expect("a time") < &(150.0 * seconds[0]), "{line}");
}

#[test]
fn info_prints_json() {
    let dir = folder_with("info_json", "hopper.toml", HOPPER);
    succeeds(&dir, &["run", "hopper.toml", "--out", "r", "--quiet", "--until", "20 ms"]);
    let info: serde_json::Value = serde_json::from_str(&succeeds(&dir, &["info", "r", "--json"])).unwrap();
    assert_eq!(
        (&info["run"], &info["status"], &info["frames"]["count"]),
        (&"r".into(), &"completed".into(), &2.into())
    );
    assert_eq!(info["grains"][0]["count"].as_u64().unwrap() + info["grains"][1]["count"].as_u64().unwrap(), 26);
    assert_eq!(info["summary"]["state_hash"], summary(&dir.join("r"))["state_hash"]);
    assert_eq!(info["flow"].as_array().unwrap().len(), 2);
    assert!(
        info["last"]["kinetic_translational"].as_f64().unwrap() > 0.0 && info["damaged"].as_array().unwrap().is_empty()
    );
}
