//! Runs with a servo and with a free wall on triangulated surfaces, their stages and their tables.

mod support;

use std::fs;

use granum_output::RunFolder;

use support::{folder_with, result, succeeds};

/// Balls between a floor and a plate of triangles that first presses on them, then shears them, then
/// lies on them with its weight, and at last stops.
const PRESS: &str = r#"
[time]
output = "5 ms"
[materials.glass]
density = 2500
restitution = 0.1
friction = 0.3
[[contact]]
between = ["glass", "glass"]
law = "linear"
stiffness = 5000
[container]
material = "glass"
min = ["-1 cm", "-1 cm", 0]
max = ["1 cm", "1 cm", "5 cm"]
open = ["top"]
[[surfaces]]
name = "plate"
material = "glass"
shape = { plate = { size = ["6 cm", "6 cm"], cells = [5, 4] } }
flip = true
translate = [0, 0, "1.8 cm"]
motion = { servo = { axis = [0, 0, -1], pressure = "10 kPa", area = "4 cm2", max_speed = "10 cm/s" } }
[[grains]]
material = "glass"
count = 40
sphere = { radius = "2 mm" }
[grains.lattice]
min = ["-1 cm", "-1 cm", 0]
max = ["1 cm", "1 cm", "1.8 cm"]
[[stages]]
name = "press"
duration = "150 ms"
[[stages]]
name = "shear"
duration = "50 ms"
motion.plate = [{ velocity = ["2 cm/s", 0, 0] }, { servo = { axis = [0, 0, -1], force = "4 N", max_speed = "10 cm/s" } }]
[[stages]]
name = "lie"
duration = "400 ms"
motion.plate = { free = { axis = [0, 0, 1], mass = "100 g" } }
[[stages]]
name = "stop"
duration = "10 ms"
halt = ["plate"]
"#;

#[test]
fn a_surface_presses_shears_lies_and_stops_by_stages() {
    let dir = folder_with("guided_walls", "press.toml", PRESS);
    let printed = succeeds(&dir, &["run", "press.toml", "--out", "whole", "--threads", "1"]);
    for stage in ["plate holds 4 N", "plate moves freely with 0.1 kg", "plate stops"] {
        assert!(printed.contains(stage), "{printed}");
    }
    let run = RunFolder::open(&dir.join("whole")).unwrap();
    let rows = run.walls().unwrap();
    let plate = |time: f64| rows.iter().find(|row| row.wall == "plate" && (row.time - time).abs() < 1e-4).unwrap();
    for (time, force, tolerance) in [(0.145, 4.0, 0.02), (0.19, 4.0, 0.1), (0.595, 0.981, 0.05)] {
        let row = plate(time);
        assert!((row.force_z / force - 1.0).abs() < tolerance, "{row:?} for {force} N");
    }
    // While it shears, the plate works against friction, and by sinking.
    let shearing = plate(0.19);
    let sinking = (plate(0.185).z - plate(0.195).z) / 0.01;
    let expected = -shearing.force_x * 0.02 + shearing.force_z * sinking;
    assert!((shearing.power / expected - 1.0).abs() < 0.2, "{shearing:?} for {expected} W");
    assert!(shearing.power > 1e-3 && shearing.torque_x.is_finite(), "{shearing:?}");
    assert!(plate(0.605).power == 0.0 && plate(0.605).contacts > 0, "{:?}", plate(0.605));
    let last = run.energy().unwrap().pop().unwrap();
    assert!(last.residual.abs() < 1e-3 * (last.work.abs() + last.dissipated), "{last:?}");

    let printed = succeeds(&dir, &["plot", "whole"]);
    assert!(printed.contains("whole/charts/walls.png\nwhole/charts/walls.svg\n"), "{printed}");
    let drawing = fs::read_to_string(dir.join("whole/charts/walls.svg")).unwrap();
    assert!([">plate<", ">container.left<", "force, N", "power, "].iter().all(|part| drawing.contains(part)));

    // A run that is interrupted in the stage of the servo and in that of the free wall.
    succeeds(&dir, &["run", "press.toml", "--out", "part", "--until", "131.3 ms", "--threads", "2", "--quiet"]);
    succeeds(&dir, &["run", "--resume", "part", "--until", "231.7 ms", "--threads", "3", "--quiet"]);
    succeeds(&dir, &["run", "--resume", "part", "--until", "610 ms", "--threads", "1", "--quiet"]);
    let table = |run: &str| fs::read_to_string(dir.join(run).join("walls.csv")).unwrap();
    assert_eq!(table("part"), table("whole"));
    assert_eq!(result(&dir.join("part")), result(&dir.join("whole")));
}

#[test]
fn servos_and_free_walls_move_by_percussions_and_resume() {
    let scene = PRESS
        .replace("[time]\n", "response = \"percussion\"\n[time]\nstep = \"0.5 ms\"\n")
        .replace("law = \"linear\"\nstiffness = 5000\n", "");
    let dir = folder_with("guided_percussions", "press.toml", &scene);
    succeeds(&dir, &["run", "press.toml", "--out", "whole", "--threads", "1", "--quiet"]);
    let rows = |run: &str| fs::read_to_string(dir.join(run).join("walls.csv")).unwrap();
    // The servo of the second stage holds 4 N, the plate of the third carries its weight.
    let table = rows("whole");
    let columns: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let place = |name: &str| columns.iter().position(|column| *column == name).unwrap();
    let value = |name: &str, time: f64| -> f64 {
        let is_plate = |cells: &Vec<&str>| cells[place("wall")] == "plate";
        let row = table.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>()).filter(is_plate);
        let of_time = |cells: &Vec<&str>| (cells[place("time")].parse::<f64>().unwrap() - time).abs() < 1e-9;
        row.filter(of_time).map(|cells| cells[place(name)].parse::<f64>().unwrap()).next().unwrap()
    };
    let force = |time: f64| value("force_z", time);
    assert!((force(0.145) - 4.0).abs() < 0.01, "{table}");
    // The force of a servo grows with the speed at which the grains push it back, by 4 N at its
    // greatest speed of 0.1 m/s.
    let pushed_back = (value("z", 0.2) - value("z", 0.19)) / 0.01;
    assert!((force(0.195) - 4.0 * (1.0 + pushed_back / 0.1)).abs() < 0.01, "{table}");
    assert!((force(0.595) - 0.981).abs() < 0.01, "{}", force(0.595));
    succeeds(&dir, &["run", "press.toml", "--out", "part", "--until", "131.3 ms", "--threads", "2", "--quiet"]);
    succeeds(&dir, &["run", "--resume", "part", "--until", "610 ms", "--threads", "1", "--quiet"]);
    assert_eq!(rows("part"), table);
    assert_eq!(result(&dir.join("part")), result(&dir.join("whole")));
}
