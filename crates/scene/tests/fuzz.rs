//! Random changes of a scene file: reading ends with a scene or with an error of one line.

mod common;

use std::path::Path;

use granum_scene::Scene;
use proptest::prelude::*;

/// A scene that uses every table.
const ALL: &str = r#"version = 1
title = "all"
gravity = [0, 0, "-9.81 m/s2"]
[time]
end = "10 ms"
step = "auto"
output = "1 ms"
[materials.glass]
density = "2.5 g/cm3"
young = "70 GPa"
poisson = 0.2
[[contact]]
between = ["glass", "glass"]
law = "hertz"
restitution = 0.9
friction = 0.3
rolling_friction = 0.01
[container]
material = "glass"
min = [0, 0, 0]
max = ["10 cm", "10 cm", "20 cm"]
open = ["top"]
[[walls]]
name = "lid"
material = "glass"
position = [0, 0, "30 cm"]
orientation = [1, 0, 0, 0]
motion = [{ amplitude = [0, 0, "1 mm"], frequency = "20 Hz", phase = "90 deg" }, { servo = { axis = [0, 0, -1], pressure = "1 kPa", area = "100 cm2", max_speed = "1 cm/s", gain = "1 mm/s/N" } }]
half_space = { normal = [0, 0, -1] }
[[grains]]
material = "glass"
count = 20
seed = 1
size = { sieve = [["1 mm", 0], ["2 mm", 1]] }
orientation = "random"
sphere = { radius = { normal = { mean = 1, sd = 0.1 } } }
random = { min = [0, 0, 0], max = [0.1, 0.1, 0.05] }
[[grains]]
material = "glass"
mass = "10 g"
sphere = { radius = { lognormal = { median = "1 mm", sigma = 0.1 } } }
lattice = { min = [0, 0, 0.06], max = [0.1, 0.1, 0.1], jitter = 0.5 }
[[grains]]
material = "glass"
sphere = { radius = { min = "1 mm", max = "2 mm" } }
inlet = { min = [0, 0, 0.11], max = [0.1, 0.1, 0.15], rate = "100 Hz", stop = "5 ms" }
[[grains]]
material = "glass"
sphere = { radius = 0.001 }
table = { columns = ["x", "y", "z"], rows = [[0.05, 0.05, 0.16]] }
[[surfaces]]
name = "bin"
wall = false
shape = { box = { size = ["2 cm", "2 cm", "1 cm"], lid = true } }
rotate = { axis = [0, 0, 1], angle = "10 deg" }
translate = ["5 cm", "5 cm", "17 cm"]
[[grains]]
material = "glass"
sphere = { radius = 0.001 }
fill = { inside = "bin", gap = "1 mm", rotate = { axis = [1, 0, 0], angle = "20 deg" }, min = [0, 0, 0], max = [1, 1, 1] }
[[stages]]
name = "settle"
until = { kinetic_energy_below = "1 uJ", at_most = "8 ms" }
[[stages]]
duration = "1 ms"
motion.lid = { free = { axis = [0, 0, 1], mass = "1 kg", force = "-1 N" } }
[[stages]]
duration = "1 ms"
remove = ["lid"]
"#;

/// Texts that are likely to reveal an error of the parser.
const BITS: &[&str] = &[
    "-1",
    "0",
    "1e308",
    "-1e-308",
    "nan",
    "inf",
    "[]",
    "{}",
    "\"\"",
    "\"µ\"",
    "\"1e999 m\"",
    "true",
    "[[",
    "]]",
    "=",
    ".",
    "\n",
    "\u{feff}",
    "999999999999999999999",
    "[0, 0]",
    "\"random\"",
    "include = [\"x\"]\n",
    "version = 7\n",
    "\0",
];

fn read(text: &str) {
    match Scene::parse(text, Path::new("x.toml")) {
        Ok(scene) => {
            // A valid scene can be written and read again.
            let again = scene.to_toml().expect("a valid scene can be written");
            let reread = Scene::parse(&again, Path::new("y.toml"));
            assert!(reread.is_ok(), "{}\n{again}", reread.unwrap_err());
        }
        Err(error) => {
            assert_eq!(error.to_string().lines().count(), 1, "{error}");
            assert!(error.report().lines().count() <= 4);
        }
    }
}

#[test]
fn the_scene_with_all_tables_is_valid() {
    let scene = common::scene(ALL);
    let world = scene.build().unwrap_or_else(|error| panic!("{error}"));
    assert!(common::grains(&world).len() > 100);
    read(ALL);
    let mut run = common::Run::new(&scene, 1);
    run.to(u64::MAX);
    assert!(run.state.poured() > 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_mutated_scene_never_panics(
        cuts in prop::collection::vec((0usize..ALL.len(), 0usize..12, 0usize..BITS.len(), any::<bool>()), 1..4)
    ) {
        let mut text = ALL.to_owned();
        for (at, length, bit, put) in cuts {
            let floor = |mut at: usize| { while !text.is_char_boundary(at.min(text.len())) { at -= 1; } at.min(text.len()) };
            let (start, end) = (floor(at), floor(at + length));
            text.replace_range(start..end, if put { BITS[bit] } else { "" });
        }
        read(&text);
    }

    #[test]
    fn a_swapped_value_never_panics(line in 0usize..64, bit in 0usize..BITS.len()) {
        let mut lines: Vec<String> = ALL.lines().map(str::to_owned).collect();
        let line = line % lines.len();
        if let Some(at) = lines[line].find('=') {
            lines[line].replace_range(at + 1.., BITS[bit]);
        }
        read(&lines.join("\n"));
    }

    #[test]
    fn any_setting_is_read_or_refused(setting in ".{0,40}") {
        if let Err(error) = Scene::parse_with(ALL, Path::new("x.toml"), &[setting]) {
            prop_assert!(!error.reason.is_empty());
        }
    }
}
