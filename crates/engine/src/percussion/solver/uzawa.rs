//! Uzawa's method \[Arrow1958\]: projected gradients with one constant step for all multipliers, as
//! in \[Leon2016\]. For comparison.

use glam::DVec3;

use super::block_descent::{Limits, Solution};
use super::contact_rows::ContactRows;
use crate::percussion::certificate::Certificate;
use crate::percussion::profile::Effort;
use crate::percussion::program::Program;

/// Iterations between two certificates, which cost about as much as one of them.
const CHECK_EVERY: u32 = 50;

/// Solves a program from the percussions `start` (on b, world axes, N s).
pub fn solve(program: &Program, start: &[DVec3], limits: Limits) -> Solution {
    let mut rows = ContactRows::new(program);
    let count = program.contacts.len();
    let mut p = rows.admissible(start);
    let mut velocity = vec![DVec3::ZERO; count];
    // The method converges if the step is below the inverse of the largest eigenvalue of W.
    let bound = rows.delassus_bound();
    let mut iterations = 0;
    loop {
        rows.apply_delassus(&p, &mut velocity);
        for k in 0..count {
            p[k] = rows.responses[k].projected_gradient(velocity[k] + rows.free[k], p[k], bound);
        }
        iterations += 1;
        let last = iterations >= limits.max_iterations;
        if iterations % CHECK_EVERY == 0 || last {
            let percussions = rows.in_world_axes(&p);
            let certificate =
                Certificate::of(program, &percussions, &program.velocities(&percussions), limits.tolerance);
            if certificate.worst() <= limits.tolerance || last {
                return Solution { percussions, certificate, iterations, effort: Effort::default() };
            }
        }
    }
}
