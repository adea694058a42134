//! The default solver: sweeps of block Gauss-Seidel on the dual, then Newton's method.
//!
//! A sweep gives one contact after the other the percussion that it wants, all others fixed: from the percussions of the last
//! step a few are often enough. If not, proximal Newton steps solve for all bodies together (`newton.rs`), with a compliance that goes
//! down while they are slow. Both work in a fixed order.
//!
//! Coulomb's caps follow the percussions in the sweeps and in a number of Newton steps; then they stay as they are, the program
//! is convex, and it is the one that is certified.

use glam::DVec3;

use super::certificate::Certificate;
use super::newton::{Newton, Proximal};
use super::problem::Program;
use super::rows::Rows;

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Largest residual, relative to the program's speed.
    pub tolerance: f64,
    /// Most iterations: sweeps, and iterations of the conjugate gradients in Newton's steps.
    pub sweeps: u32,
}

/// What a solver found.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Percussion on b at each contact, world axes, N s.
    pub percussions: Vec<DVec3>,
    /// How near it is; where caps of friction followed and then stayed, with those.
    pub certificate: Certificate,
    /// Sweeps or iterations done.
    pub iterations: u32,
}

/// Contacts in all sweeps before the first Newton step: those cost little to set up, so that small programs are swept for longer ...
const SWEPT: usize = 10_000;
/// ... but no fewer and no more sweeps than these.
const SWEEPS: [usize; 2] = [6, 200];
/// Sweeps after the Newton steps seem to have arrived.
const LAST_SWEEPS: usize = 2;

/// Compliance of contacts in the first Newton steps, as a part of their mobilities: what the sweeps have left of the program's
/// speed, within these bounds ...
const COMPLIANCE: [f64; 2] = [1e-2, 0.1];
/// ... what it is multiplied with ...
const STIFFER: f64 = 0.5;
/// ... after a step that has moved percussions more than this part of the one before, in no more than these Newton steps ...
const SLOW: f64 = 0.6;
const QUICK: u32 = 8;
/// ... and the least: below it velocities would have too few digits for percussions.
const LEAST: f64 = 1e-7;
/// What it is multiplied with where Newton's method has not arrived, and the most.
const SOFTER: f64 = 10.0;
const SOFTEST: f64 = 3.0;
/// Part of the goal to which a proximal step is solved at most.
const NEAR: f64 = 0.1;
/// Proximal steps in which caps of friction follow the percussions. In a jammed heap they may never come to rest.
const FOLLOWING: u32 = 2;

/// Solves a program from the percussions `start`.
pub fn solve(program: &Program, start: &[DVec3], limits: Limits) -> Solution {
    let mut work = Work::new(program, start);
    let goal = limits.tolerance * program.speed();
    let mut newton: Option<Newton> = None;
    let (mut part, mut before) = (f64::INFINITY, f64::INFINITY);
    let (mut iterations, mut followed) = (0, 0);
    let mut sweeps = (SWEPT / program.contacts.len().max(1)).clamp(SWEEPS[0], SWEEPS[1]);
    loop {
        let mut largest = 0.0;
        for sweep in 0..sweeps {
            largest = work.sweep(sweep % 2 == 1);
            iterations += 1;
            let last = iterations >= limits.sweeps;
            if largest <= goal || last {
                let (percussions, certificate) = work.certify(program);
                if certificate.worst() <= limits.tolerance || last {
                    return Solution { percussions, certificate, iterations };
                }
            }
        }
        if part.is_infinite() {
            part = (largest / program.speed()).clamp(COMPLIANCE[0], COMPLIANCE[1]);
        }
        sweeps = LAST_SWEEPS;
        let newton = newton.get_or_insert_with(|| Newton::new(program, &work.rows));
        newton.start(&work.own);
        while iterations + newton.iterations < limits.sweeps {
            let Some(Proximal { moved, steps }) = newton.step(&work.rows, &mut work.own, part, NEAR * goal) else {
                part = (SOFTER * part).min(SOFTEST);
                continue;
            };
            if moved > SLOW * before && steps <= QUICK {
                part = (STIFFER * part).max(LEAST);
            }
            before = moved;
            followed += 1;
            if followed == FOLLOWING {
                work.rows.keep_caps(&work.own);
            }
            if moved <= goal {
                break;
            }
        }
        iterations += std::mem::take(&mut newton.iterations);
        work.rows.set(&work.own);
    }
}

struct Work {
    rows: Rows,
    /// Percussions in the contacts' axes.
    own: Vec<DVec3>,
}

impl Work {
    fn new(program: &Program, start: &[DVec3]) -> Self {
        let mut rows = Rows::new(program);
        let placed = rows.rows.iter().zip(&rows.answers).zip(start);
        let own: Vec<DVec3> = placed.map(|((row, answer), &p)| answer.admissible(row.in_own(p))).collect();
        rows.set(&own);
        Self { rows, own }
    }

    /// One contact after the other; the largest change of velocity.
    fn sweep(&mut self, backwards: bool) -> f64 {
        let count = self.own.len();
        let mut largest = 0f64;
        for t in 0..count {
            let k = if backwards { count - 1 - t } else { t };
            largest = largest.max(self.rows.relax(k, &mut self.own[k]));
        }
        largest
    }

    fn certify(&self, program: &Program) -> (Vec<DVec3>, Certificate) {
        let placed = self.own.iter().zip(&self.rows.rows);
        let percussions: Vec<DVec3> = placed.map(|(own, row)| row.in_world(*own)).collect();
        let motions = program.velocities(&percussions);
        let certificate = match self.rows.kept_caps(program) {
            Some(convex) => Certificate::of(&convex, &percussions, &motions),
            None => Certificate::of(program, &percussions, &motions),
        };
        (percussions, certificate)
    }
}
