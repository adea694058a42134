//! W6: ellipsoids in a drum, the experiment of [Trabelsi2009]: a rigid zone, a flowing layer, a
//! steady surface.
//!
//! The scenes are those of `scenes/`. The publication gives no numbers. Therefore the test requires
//! a steady surface and the two zones.

use std::path::Path;

use granum_engine::{Simulation, Snapshot};
use granum_output::Frame;
use granum_output::measure::{Measurement, Options, spread};
use granum_scene::{Program, Scene, SceneError};

use crate::{Case, Report};

/// The published drum.
pub const W6: Case = Case { name: "W6", tier: 3, about: "10,000 ellipsoids in a rotating drum", run: full };

/// A drum with a long free surface.
pub const W6_HALF: Case =
    Case { name: "W6-half", tier: 3, about: "5,500 ellipsoids in a half-full rotating drum", run: half };

/// Largest standard deviation of the angle of a steady surface, degrees.
const STEADY: f64 = 2.0;

/// Largest relative velocity difference between the wall and the grains of the rigid zone.
const RIGID: f64 = 0.1;

fn full(report: &mut Report) {
    compare(report, include_str!("../../scenes/drum.toml"));
}

fn half(report: &mut Report) {
    compare(report, include_str!("../../scenes/drum_half.toml"));
}

fn compare(report: &mut Report, text: &str) {
    let measured = turned(text).unwrap_or_else(|error| panic!("a scene of the project: {error}"));
    let drum = measured.drum();
    let (angle, deviation) = spread(drum.steady().iter().map(|row| row.surface));
    report.at_most("standard deviation of the surface angle, degrees", deviation, STEADY);
    report.note(format!("the surface stands at {angle:.2} degrees"));
    let flow = drum.flow();
    let shown = |part: Option<f64>| part.unwrap_or(f64::NAN);
    let deepest = flow.last().map(|row| row.velocity / row.rigid);
    report.absolute("velocity at the wall over that of the drum", 1.0, shown(deepest), RIGID);
    let bed = shown(flow.last().map(|row| row.depth));
    report.at_most("depth of reversal over that of the bed", shown(drum.reversal()) / bed, 0.5);
}

/// Runs a scene to its end and measures its frames.
fn turned(text: &str) -> Result<Measurement, SceneError> {
    let scene = Scene::parse(text, Path::new("drum.toml"))?;
    let world = scene.build()?;
    let program = Program::new(&scene, &world)?;
    let mut state = program.start();
    let materials: Vec<String> = world.materials().iter().map(|material| material.name.clone()).collect();
    let options = Options { region: None, cells: [1; 3], gravity: scene.gravity };
    let mut measurement = Measurement::new(options, None);
    let mut simulation = Simulation::new(world, 0).expect("a scene that was built");
    program.act(&mut state, &mut simulation);
    while !program.is_over(&state, simulation.world().steps()) {
        let step = simulation.world().steps();
        let event = program.next_event(&state, step);
        let frame = program.schedule.next_frame(step).unwrap_or(u64::MAX);
        let target = event.min(frame).max(step + 1);
        simulation.run(target - step);
        if target >= event {
            program.act(&mut state, &mut simulation);
        }
        if program.schedule.is_frame(target) {
            measurement.add(&seen(&simulation, &materials));
        }
    }
    Ok(measurement)
}

/// Returns the present state as a frame.
fn seen(simulation: &Simulation, materials: &[String]) -> Frame {
    let world = simulation.world();
    let Snapshot { step, time, bodies, contacts, .. } = Snapshot::of(world);
    Frame {
        step,
        time,
        bodies,
        contacts,
        wear: Vec::new(),
        shapes: world.shapes().to_vec(),
        materials: materials.to_vec(),
    }
}
