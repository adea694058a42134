//! The default solver: sweeps of block Gauss-Seidel on the dual, then accelerated proximal gradients.
//!
//! A sweep gives one contact after the other the percussion that it wants, all others fixed: from the percussions of the last
//! step a few are often enough. If not, all contacts move at once along their gradients, each in the scale of its own mobility,
//! with Nesterov's acceleration, which is started anew when it points uphill. Both work in a fixed order.

use glam::DVec3;

use super::certificate::Certificate;
use super::problem::Program;
use super::rows::Rows;

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Largest residual, relative to the program's speed.
    pub tolerance: f64,
    /// Most sweeps.
    pub sweeps: u32,
}

/// What a solver found.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Percussion on b at each contact, world axes, N s.
    pub percussions: Vec<DVec3>,
    /// How near it is.
    pub certificate: Certificate,
    /// Sweeps or iterations done.
    pub iterations: u32,
}

/// Sweeps before the gradients.
const SWEEPS: u32 = 6;
/// Iterations that estimate how strongly contacts feel each other ...
const POWER_ITERATIONS: u32 = 12;
/// ... and what the estimate may lack, as a factor.
const POWER_MARGIN: f64 = 1.15;
/// How much more strongly they are taken to feel each other after a step that went too far.
const STIFFER: f64 = 1.5;
/// Iterations from one certificate to the next, once changes are small.
const CHECK_EVERY: u32 = 4;

/// Solves a program from the percussions `start`.
pub fn solve(program: &Program, start: &[DVec3], limits: Limits) -> Solution {
    let mut work = Work::new(program, start);
    let goal = limits.tolerance * program.speed();
    for sweep in 0..SWEEPS.min(limits.sweeps) {
        if work.sweep(sweep % 2 == 1) <= goal {
            let (percussions, certificate) = work.certify(program);
            if certificate.worst() <= limits.tolerance {
                return Solution { percussions, certificate, iterations: sweep + 1 };
            }
        }
    }
    work.accelerate(program, goal, limits)
}

struct Work {
    rows: Rows,
    /// Percussions in the contacts' axes.
    own: Vec<DVec3>,
    /// Velocities at the contacts without percussions.
    free: Vec<DVec3>,
}

impl Work {
    fn new(program: &Program, start: &[DVec3]) -> Self {
        let mut rows = Rows::new(program);
        let count = program.contacts.len();
        let free = (0..count).map(|k| rows.at(k)).collect();
        let placed = rows.rows.iter().zip(&rows.answers).zip(start);
        let own: Vec<DVec3> = placed.map(|((row, answer), &p)| answer.admissible(row.in_own(p))).collect();
        for (k, &p) in own.iter().enumerate() {
            rows.give(k, p);
        }
        Self { rows, own, free }
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

    /// All contacts at once.
    fn accelerate(&mut self, program: &Program, goal: f64, limits: Limits) -> Solution {
        let count = self.own.len();
        let mut scale = POWER_MARGIN * self.coupling();
        let mut ahead = self.own.clone();
        let mut velocity = vec![DVec3::ZERO; count];
        let mut momentum = 1.0;
        let mut best = f64::INFINITY;
        let (mut iterations, mut next_check) = (SWEEPS, 0);
        loop {
            self.rows.image(&ahead, &mut velocity);
            let next_momentum = 0.5 * (1.0 + (1.0f64 + 4.0 * momentum * momentum).sqrt());
            let share = (momentum - 1.0) / next_momentum;
            momentum = next_momentum;
            let (mut uphill, mut largest) = (0.0, 0f64);
            for k in 0..count {
                let answer = &self.rows.answers[k];
                let (p, y) = (self.own[k], ahead[k]);
                let new = answer.proximal(velocity[k] + self.free[k], y, scale);
                let (made, step) = (new - p, y - new);
                let weight = DVec3::new(answer.nn, answer.tt, answer.tt);
                uphill += (weight * step).dot(made);
                largest = largest.max((weight * step).abs().max_element());
                ahead[k] = new + share * made;
                self.own[k] = new;
            }
            iterations += 1;
            if uphill > 0.0 {
                momentum = 1.0;
                ahead.copy_from_slice(&self.own);
            }
            let largest = scale * largest;
            if largest > 1e3 * best {
                scale *= STIFFER;
                best = largest;
            }
            best = best.min(largest);
            let last = iterations >= limits.sweeps;
            if (largest <= goal && iterations >= next_check) || last {
                let (percussions, certificate) = self.certify(program);
                if certificate.worst() <= limits.tolerance || last {
                    return Solution { percussions, certificate, iterations };
                }
                next_check = iterations + CHECK_EVERY;
            }
        }
    }

    /// Estimates how strongly contacts feel each other: the largest eigenvalue of all mobilities in the scale of each contact's own.
    fn coupling(&mut self) -> f64 {
        let count = self.own.len();
        let scale: Vec<DVec3> = (self.rows.answers.iter())
            .map(|answer| {
                let (n, t) = ((1.0 / answer.nn).sqrt(), (1.0 / answer.tt).sqrt());
                DVec3::new(n, t, t)
            })
            .collect();
        let mut vector = vec![DVec3::ONE; count];
        let mut scaled = vec![DVec3::ZERO; count];
        let mut image = vec![DVec3::ZERO; count];
        let mut largest = 1.0;
        for _ in 0..POWER_ITERATIONS {
            let length = vector.iter().map(|v| v.length_squared()).sum::<f64>().sqrt();
            for k in 0..count {
                scaled[k] = scale[k] * vector[k] / length;
            }
            self.rows.image(&scaled, &mut image);
            for k in 0..count {
                vector[k] = scale[k] * image[k];
            }
            largest = vector.iter().map(|v| v.length_squared()).sum::<f64>().sqrt();
        }
        largest
    }

    fn certify(&self, program: &Program) -> (Vec<DVec3>, Certificate) {
        let placed = self.own.iter().zip(&self.rows.rows);
        let percussions: Vec<DVec3> = placed.map(|(own, row)| row.in_world(*own)).collect();
        let motions = program.velocities(&percussions);
        let certificate = Certificate::of(program, &percussions, &motions);
        (percussions, certificate)
    }
}
