//! Helpers of the tests of scenes.

#![allow(dead_code, missing_docs)]

use std::path::Path;

use glam::DVec3;
use granum_engine::{Simulation, World};
use granum_scene::{Program, ProgramState, Scene};

/// Time, material, contact and a box of 10 cm; tests append grains.
pub const HEAD: &str = r#"
time = { end = "0.2 s" }
materials.glass = { density = 2500 }
contact = [{ between = ["glass", "glass"], law = "linear", stiffness = 1000, restitution = 0.5, friction = 0.3 }]
container = { material = "glass", min = [0, 0, 0], max = [0.1, 0.1, 0.1] }
"#;

pub fn scene(text: &str) -> Scene {
    Scene::parse(text, Path::new("x.toml")).unwrap_or_else(|error| panic!("{}", error.report()))
}

/// Returns the scene of `HEAD` and these grains.
pub fn with(grains: &str) -> Scene {
    scene(&format!("{HEAD}\n{grains}"))
}

/// Returns the error of the scene of `HEAD` and these grains.
pub fn message(grains: &str) -> String {
    scene_error(&format!("{HEAD}\n{grains}"))
}

/// Returns the error of reading or building a scene.
pub fn scene_error(text: &str) -> String {
    let result = Scene::parse(text, Path::new("x.toml")).and_then(|scene| scene.build());
    result.expect_err("the scene is invalid").to_string()
}

/// Returns the centre, bounding radius and mass of every grain.
pub fn grains(world: &World) -> Vec<(DVec3, f64, f64)> {
    world.grains().map(|grain| (grain.position, world.bounding_radius(grain.id), grain.mass)).collect()
}

/// A running scene.
pub struct Run {
    pub program: Program,
    pub state: ProgramState,
    pub simulation: Simulation,
    pub messages: Vec<String>,
}

impl Run {
    pub fn new(scene: &Scene, threads: usize) -> Self {
        let world = scene.build().unwrap_or_else(|error| panic!("{error}"));
        let program = Program::new(scene, &world).unwrap();
        let state = program.start();
        Self { program, state, simulation: Simulation::new(world, threads).unwrap(), messages: Vec::new() }
    }

    /// Runs to the end, or to the step `last`.
    pub fn to(&mut self, last: u64) {
        self.messages.extend(self.program.act(&mut self.state, &mut self.simulation));
        while !self.program.is_over(&self.state, self.simulation.world().steps()) {
            let step = self.simulation.world().steps();
            if step >= last {
                return;
            }
            let event = self.program.next_event(&self.state, step);
            self.simulation.run(event.min(last) - step);
            self.messages.extend(self.program.act(&mut self.state, &mut self.simulation));
        }
    }
}

/// Returns the positions and velocities of all bodies and the energies as bits.
pub fn bits(world: &World) -> Vec<u64> {
    let snapshot = granum_engine::Snapshot::of(world);
    let energy = snapshot.energy;
    let vectors = snapshot.bodies.iter().flat_map(|body| [body.position, body.velocity, body.spin]);
    let numbers =
        vectors.flat_map(|vector| vector.to_array()).chain([energy.total(), energy.work, energy.dissipated()]);
    numbers.map(f64::to_bits).collect()
}
