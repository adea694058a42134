//! The default solver: sweeps of block Gauss-Seidel on the dual, then Newton's method.
//!
//! A sweep gives one contact after the other the percussion that it wants, all others fixed: from the percussions of the last
//! step a few are often enough. If not, proximal Newton steps solve for all bodies together (`newton.rs`), with a compliance that goes
//! down from one to the next, and with the contacts alone that may act: most of those ahead do not. Both work in a fixed order.
//!
//! Coulomb's caps follow the percussions in the sweeps and in a number of Newton steps; then they stay as they are, the program
//! is convex, and it is the one that is certified.

use glam::DVec3;

use super::newton::Newton;
use super::rows::Rows;
use crate::percussion::certificate::Certificate;
use crate::percussion::problem::{Normal, Program};

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
const SWEPT: usize = 40_000;
/// ... but no fewer and no more sweeps than these.
const SWEEPS: [usize; 2] = [6, 200];
/// Sweeps after the Newton steps seem to have arrived.
const LAST_SWEEPS: usize = 2;

/// Compliance of contacts in the first Newton steps, as a part of their mobilities ...
const COMPLIANCE: f64 = 0.3;
/// ... what it is multiplied with after each proximal step, and the least: below it velocities would have too few digits for percussions.
const STIFFER: f64 = 0.4;
const LEAST: f64 = 1e-7;
/// What it is multiplied with where Newton's method has not arrived, and the most.
const SOFTER: f64 = 10.0;
const SOFTEST: f64 = 3.0;
/// A contact without percussion may act if its velocity is less than this part of the program's speed from the least that it allows.
const MARGIN: f64 = 0.1;
/// Part of the goal to which a proximal step is solved at most.
const NEAR: f64 = 0.5;
/// Proximal steps in which caps of friction follow the percussions. In a jammed heap they may never come to rest.
const FOLLOWING: u32 = 2;

/// Solves a program from the percussions `start`.
pub fn solve(program: &Program, start: &[DVec3], limits: Limits) -> Solution {
    let mut work = Work::new(program, start);
    let speed = program.speed();
    let goal = limits.tolerance * speed;
    let (mut part, mut followed) = (COMPLIANCE, 0);
    let mut iterations = 0;
    let mut sweeps = (SWEPT / program.contacts.len().max(1)).clamp(SWEEPS[0], SWEEPS[1]);
    loop {
        for sweep in 0..sweeps {
            let largest = work.sweep(sweep % 2 == 1);
            iterations += 1;
            let last = iterations >= limits.sweeps;
            if largest <= goal || last {
                let (percussions, certificate) = work.certify(program);
                if certificate.worst() <= limits.tolerance || last {
                    return Solution { percussions, certificate, iterations };
                }
            }
        }
        sweeps = LAST_SWEEPS;
        let candidates = work.candidates(MARGIN * speed);
        let mut few = work.rows.only(&candidates);
        let mut own: Vec<DVec3> = candidates.iter().map(|&k| work.own[k as usize]).collect();
        let mut newton = Newton::new(&program.bodies, &few);
        newton.start(&own);
        while iterations + newton.iterations < limits.sweeps {
            let Some(moved) = newton.step(&few, &mut own, part, NEAR * goal) else {
                part = (SOFTER * part).min(SOFTEST);
                continue;
            };
            part = (STIFFER * part).max(LEAST);
            followed += 1;
            if followed == FOLLOWING {
                few.keep_caps(&own);
                work.put(&candidates, &own);
                work.rows.keep_caps(&work.own);
            }
            if moved <= goal {
                break;
            }
        }
        iterations += newton.iterations;
        work.put(&candidates, &own);
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

    /// Contacts that act, or whose velocities are within `margin`, m/s, of where they would.
    fn candidates(&self, margin: f64) -> Vec<u32> {
        let may_act = |k: &u32| {
            let (k, answer) = (*k as usize, &self.rows.answers[*k as usize]);
            let Normal { bound, stiffness, pulls } = answer.normal;
            let acts_below = if stiffness > 0.0 { bound.max(0.0) } else { bound };
            let holds = pulls || self.own[k] != DVec3::ZERO || answer.cap(0.0) > 0.0;
            holds || self.rows.at(k).x < acts_below + margin
        };
        (0..self.own.len() as u32).filter(may_act).collect()
    }

    /// Takes over percussions of some contacts.
    fn put(&mut self, contacts: &[u32], own: &[DVec3]) {
        for (&k, p) in contacts.iter().zip(own) {
            self.own[k as usize] = *p;
        }
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
