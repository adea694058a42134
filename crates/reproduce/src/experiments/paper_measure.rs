//! Cylinders in a container with the published overlap and normal [Feng2017, eqs. 21 and 23], beside
//! measures that derive from an energy: the residual of the energy ledger.

use std::path::Path;

use granum_engine::Simulation;
use granum_reference::pair_table;
use granum_scene::{Program, Scene};
use serde::{Deserialize, Serialize};

use super::Experiment;
use super::statistics::curves;
use crate::{Page, Session, Stopped, Table, Verdict};

/// The experiment.
pub const MEASURE: Experiment = Experiment {
    name: "feng-measure",
    about: "cylinders with the published overlap and normal: what the energy ledger does not explain",
    cost: ["30 seconds", "1 second"],
    run,
};

/// Case 2 of [Feng2017, section 6] with fewer grains in a narrower container.
const SCENE: &str = include_str!("../../data/measure.toml");

/// The measures, by the name in a scene.
const MODELS: [&str; 4] = ["paper", "depth", "volume", "moments"];

/// Residual at which a run of the program stops by default, relative to the energy turned over.
const GUARD: f64 = 0.05;

/// Number of points of a chart.
const POINTS: usize = 60;

/// One run.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Ledger {
    grains: usize,
    times: Vec<f64>,
    /// Residual of the ledger, J, and the same over the energy turned over.
    residual: Vec<f64>,
    relative: Vec<f64>,
}

impl Ledger {
    fn worst(&self) -> f64 {
        self.relative.iter().fold(0.0, |worst, x| worst.max(x.abs()))
    }

    /// Returns the time at which the guard would stop the run, s.
    fn stop(&self) -> Option<f64> {
        self.times.iter().zip(&self.relative).find(|(_, x)| x.abs() > GUARD).map(|(time, _)| *time)
    }
}

fn follow(model: &str, grains: usize, duration: f64) -> Ledger {
    let settings = [format!("contact_model={model}"), format!("grains.0.count={grains}")];
    let scene = Scene::parse_with(SCENE, Path::new("measure.toml"), &settings).expect("a scene of this crate");
    let world = scene.build().expect("a scene of this crate");
    let program = Program::new(&scene, &world).expect("a scene of this crate");
    let mut state = program.start();
    let steps = ((duration / POINTS as f64) / world.time_step()).ceil() as u64;
    let mut simulation = Simulation::with_table(world, 1, pair_table().clone()).expect("a scene that was built");
    program.act(&mut state, &mut simulation);
    let start = simulation.energy();
    let mut ledger = Ledger { grains, times: Vec::new(), residual: Vec::new(), relative: Vec::new() };
    for _ in 0..POINTS {
        let until = simulation.world().steps() + steps;
        while simulation.world().steps() < until {
            let step = simulation.world().steps();
            let event = program.next_event(&state, step).min(until).max(step + 1);
            simulation.run(event - step);
            program.act(&mut state, &mut simulation);
        }
        let energy = simulation.energy();
        let residual = energy.residual(&start);
        ledger.times.push(simulation.world().time());
        ledger.residual.push(residual);
        ledger.relative.push(residual / energy.turned_over(&start));
    }
    ledger
}

fn run(session: &mut Session) -> Result<Page, Stopped> {
    let (grains, duration) = if session.is_small() { (20, 0.12) } else { (120, 0.6) };
    let mut ledgers = Vec::new();
    for model in MODELS {
        let share = 1.0 / MODELS.len() as f64;
        ledgers.push(session.part(model, share, || follow(model, grains, duration))?);
    }
    let mut page = Page::new("Cylinders by the published overlap", "[Feng2017], equations 21 and 23");
    page.text(format!(
        "{grains} cylinders with H/D 0.5 fall into a hollow cylinder for {duration} s, with the linear law, friction and \
         damping. The residual is the energy that the ledger does not explain: kinetic, elastic and potential energy plus \
         dissipation minus work. `granum run` stops a run at {:.0} % of the energy turned over.",
        100.0 * GUARD
    ));
    let mut table = Table::new([
        "contact_model",
        "residual at the end, J",
        "largest, of the energy turned over",
        "stopped by the guard",
    ]);
    for (ledger, model) in ledgers.iter().zip(MODELS) {
        table.row([
            model.to_owned(),
            format!("{:.2e}", ledger.residual.last().copied().unwrap_or(0.0)),
            format!("{:.2e}", ledger.worst()),
            ledger.stop().map_or("no".into(), |time| format!("at {time:.3} s")),
        ]);
    }
    page.table(table);
    let values = ledgers
        .iter()
        .zip(MODELS)
        .map(|(ledger, model)| (model.to_owned(), ledger.relative.iter().map(|x| 100.0 * x).collect()))
        .collect();
    let caption = "Residual of the energy ledger, per cent of the energy turned over";
    page.picture(
        "ledger",
        curves(caption, ["time", "s"], ["residual", "%"], ledgers[0].times.clone(), values),
        caption,
    );
    page.compare(
        "energy with the overlap of equation 21 and the normal of equation 23",
        "\"no superficial rotational energy\" (theorem 1)",
        format!("{:.2} % of the energy turned over is not explained", 100.0 * ledgers[0].worst()),
        format!("{:.4} % with `moments`", 100.0 * ledgers[3].worst()),
        Verdict::Corrected,
        "the theorem removes the moments about the axes, but the overlap is no function of the poses whose gradient is \
         the force: it jumps with the frame, so that a contact may end with another energy than it began with",
    );
    Ok(page)
}
