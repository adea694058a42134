//! One time step, on one screen. Every stage is timed; data flow one way.

use crate::percussion;
use crate::pipeline::broad_phase::neighbours;
use crate::pipeline::integrate;
use crate::pipeline::narrow_phase::{self, SearchRange};
use crate::simulation::{Stage, Workspace};
use crate::smooth::response::Response;
use crate::state::{Evaluation, World};
use crate::user_force;

/// Moves the world one time step on.
pub fn step(world: &mut World, ws: &mut Workspace) {
    if world.percussion.is_some() {
        return percussion::step::step(world, ws);
    }
    user_force::book_first_half(world);
    let moved = ws.timed(Stage::Predict, |ws| integrate::predict(world, ws.neighbours.travelled(world)));
    ws.timed(Stage::BroadPhase, |ws| neighbours::update(&mut ws.neighbours, &ws.table, world, moved));
    evaluate(world, ws, true);
}

/// Finds the contacts and forces of the present poses. `moving` is false only before the first step, when no
/// velocity is to be corrected.
pub fn evaluate(world: &mut World, ws: &mut Workspace, moving: bool) {
    ws.timed_together([Stage::NarrowPhase, Stage::Response], |ws, clock| {
        let dt = world.time_step();
        let World { bodies, shapes, laws, contacts, .. } = world;
        let response = Response { bodies, laws, dt, moving };
        narrow_phase::find_contacts(
            bodies,
            shapes,
            &mut ws.neighbours.list,
            contacts,
            SearchRange::Touching,
            |group, before| {
                clock.second(|| response.respond(group, before));
            },
        );
    });
    ws.timed(Stage::Correct, |ws| {
        user_force::evaluate(ws.user_force.as_ref(), world, &mut ws.user_wrenches);
        integrate::correct(world, &ws.neighbours.list, &ws.user_wrenches, moving);
        user_force::book_second_half(world, &ws.user_wrenches, moving);
    });
    world.evaluation = Evaluation::Current;
}
