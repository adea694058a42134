//! Percussions of whole scenes: a heap comes to rest, and the benchmark of the solvers.

mod support;

use std::path::Path;

use granum_engine::Simulation;
use granum_scene::Scene;

use support::command;

/// Returns the path of a file in the folder of scenes.
fn scenes(name: &str) -> String {
    format!("{}/../../scenes/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_heap_of_100_boxes_comes_to_rest_at_every_tolerance() {
    for tolerance in ["1e-4", "1e-6"] {
        let settings = [format!("percussion.tolerance={tolerance}")];
        let scene = Scene::load_with(Path::new(&scenes("heap_100.toml")), &settings).unwrap();
        let mut simulation = Simulation::new(scene.build().unwrap(), 1).unwrap();
        let kinetic = |simulation: &Simulation| {
            let energy = simulation.energy();
            energy.kinetic_translational + energy.kinetic_rotational
        };
        let mut peak = 0f64;
        // 5 s.
        for _ in 0..50 {
            simulation.run(100);
            peak = peak.max(kinetic(&simulation));
        }
        let rest = kinetic(&simulation) / peak;
        assert!(rest < 1e-9, "tolerance {tolerance}: {rest:e} of the kinetic energy is left");
        let statistics = simulation.world().percussion().unwrap().statistics;
        // A jammed instant may have no percussions that obey the law.
        assert!(statistics.missed == statistics.missed_law && statistics.missed <= 10, "{statistics:?}");
    }
}

#[test]
fn the_benchmark_solves_saved_programs_and_prints_the_profile_of_a_scene() {
    let run = |arguments: &[&str]| {
        let output = command(Path::new("."), &["bench", "percussions"]).args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let saved = run(&[&scenes("data/heap_100.programs")]);
    assert!(saved.contains("0 missed the tolerance or Coulomb's law"), "{saved}");
    let profile = run(&[&scenes("heap_100.toml"), "--steps", "500"]);
    for part in ["narrow_phase", "s in factorisation", "with Newton steps", "analyses"] {
        assert!(profile.contains(part), "{profile}");
    }
}
