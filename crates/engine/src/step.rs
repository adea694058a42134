//! One time step on one screen. Every stage is timed, and data flow in one direction.

use crate::percussion;
use crate::pipeline::broad_phase::neighbours;
use crate::pipeline::narrow_phase::{self, SearchRange, SearchSettings};
use crate::pipeline::{guided, integrate};
use crate::simulation::{Stage, StageTimer, Workspace};
use crate::smooth::response::Response;
use crate::state::{Evaluation, World, wear};
use crate::user_force;
use crate::wear_log::{Triangles, WearLog};

/// Advances the world by one time step.
pub fn step(world: &mut World, ws: &mut Workspace) {
    if world.percussion.is_some() {
        return percussion::step::step(world, ws);
    }
    user_force::book_first_half(world);
    let moved = ws.timed(Stage::Predict, |ws| {
        guided::predict(world);
        integrate::predict(ws.execution, world, ws.neighbours.travelled(world))
    });
    ws.timed(Stage::BroadPhase, |ws| neighbours::update(ws.execution, &mut ws.neighbours, &ws.table, world, moved));
    ws.timed(Stage::NarrowPhase, |ws| {
        ws.detector.update(world, ws.neighbours.rebuilds());
        ws.detector.find_jumps(world, &ws.table, moved);
    });
    evaluate(world, ws, Preceding::Step);
    ws.detector.find_deep_contacts(world);
}

/// The motion that precedes an evaluation of the contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preceding {
    /// A step, whose velocities are corrected.
    Step,
    /// None.
    None {
        /// True if the forces of present contacts are valid and only those of new ones are
        /// computed.
        keep_forces: bool,
    },
}

/// Computes the contacts and forces at the present poses.
pub fn evaluate(world: &mut World, ws: &mut Workspace, preceding: Preceding) {
    let moving = preceding == Preceding::Step;
    ws.timed_together([Stage::NarrowPhase, Stage::Response], |ws, timer| {
        let dt = world.time_step();
        let World { bodies, shapes, driven, laws, contacts, wear, .. } = world;
        let keep_forces = preceding == Preceding::None { keep_forces: true };
        let detector = moving.then_some(&ws.detector);
        let response = Response { bodies, driven, laws, dt, moving, keep_forces, detector };
        let log = Triangles::new(wear, bodies, shapes).map(WearLog::new);
        let on_surfaces = StageTimer::default();
        narrow_phase::find_contacts(
            SearchSettings { execution: ws.execution, range: SearchRange::Touching, on_surfaces: &on_surfaces },
            bodies,
            shapes,
            &mut ws.neighbours.list,
            contacts,
            |group, previous| {
                timer.time(|| match &log {
                    None => response.respond(group, previous),
                    Some(log) => log.respond(&response, group, previous),
                });
            },
        );
        if let Some(log) = log {
            let entries = log.into_entries();
            wear::add(wear, entries);
        }
        ws.add_time_on_surfaces(&on_surfaces);
    });
    ws.timed(Stage::Correct, |ws| {
        user_force::evaluate(ws.execution, ws.user_force.as_ref(), world, &mut ws.user_wrenches);
        integrate::correct(ws.execution, world, &ws.neighbours.list, &ws.user_wrenches, moving);
        guided::correct(world, &ws.neighbours.list, moving);
        user_force::book_second_half(world, &ws.user_wrenches, moving);
    });
    world.evaluation = Evaluation::Current;
}
