//! Uzawa's method, as in the thesis's first version: gradients with one constant step on all multipliers. For comparison.

use glam::DVec3;

use super::block_descent::{Limits, Solution};
use super::rows::Rows;
use crate::percussion::certificate::Certificate;
use crate::percussion::problem::Program;

/// Iterations from one certificate to the next.
const CHECK_EVERY: u32 = 50;

/// Solves a program from the percussions `start`.
pub fn solve(program: &Program, start: &[DVec3], limits: Limits) -> Solution {
    let mut rows = Rows::new(program);
    let count = program.contacts.len();
    let placed = rows.rows.iter().zip(&rows.answers).zip(start);
    let mut own: Vec<DVec3> = placed.map(|((row, answer), &p)| answer.admissible(row.in_own(p))).collect();
    let mut velocity = vec![DVec3::ZERO; count];
    // One step for all: the inverse of what surely bounds all mobilities together.
    let bound = rows.bound();
    let mut iterations = 0;
    loop {
        rows.image(&own, &mut velocity);
        for k in 0..count {
            let answer = &rows.answers[k];
            own[k] = answer.proximal_by(velocity[k] + rows.free[k], own[k], bound);
        }
        iterations += 1;
        let last = iterations >= limits.sweeps;
        if iterations % CHECK_EVERY == 0 || last {
            let percussions: Vec<DVec3> = own.iter().zip(&rows.rows).map(|(p, row)| row.in_world(*p)).collect();
            let certificate = Certificate::of(program, &percussions, &program.velocities(&percussions));
            if certificate.worst() <= limits.tolerance || last {
                return Solution { percussions, certificate, iterations };
            }
        }
    }
}
