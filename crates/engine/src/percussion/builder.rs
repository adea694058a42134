//! From an island to the programs of its collision.

use glam::DVec3;

use super::island::{Island, Touch};
use super::law::{Rebound, Slip};
use super::problem::{Body, Contact, Motion, Normal, Program, Tangential};

/// Sweeps that find the percussions with which a pair of bodies alone would come to a halt; pairs have eight points at most.
const PAIR_SWEEPS: usize = 40;
/// Approach below which a point of a pair counts as if it had this one, as a part of the pair's fastest: its kappa stays finite.
const SLOWEST: f64 = 1e-3;

/// What a step's programs have in common.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Time step, s.
    pub dt: f64,
    /// m/s².
    pub gravity: DVec3,
}

impl Island {
    /// Velocities of the members as they are.
    pub fn motions(&self) -> Vec<Motion> {
        self.members.iter().map(|member| member.motion).collect()
    }

    /// A program of its bodies, masses and inertias taken `times` times, with the given free velocities and laws.
    pub fn program(
        &self,
        times: f64,
        free: impl Fn(usize) -> Motion,
        law: impl Fn(usize, &Touch) -> (Normal, Tangential),
    ) -> Program {
        let bodies = self.members.iter().enumerate().map(|(k, member)| Body {
            inverse_mass: member.inverse_mass / times,
            inverse_inertia: member.inverse_inertia * (1.0 / times),
            free: free(k),
        });
        let contacts = self.touches.iter().enumerate().map(|(k, touch)| {
            let (along, across) = law(k, touch);
            Contact { bodies: touch.bodies, normal: touch.normal, arms: touch.arms, drift: touch.drift, along, across }
        });
        Program { bodies: bodies.collect(), contacts: contacts.collect() }
    }

    /// Whether a contact would bounce: it is reached in this step, its law gives something back, and what it gives back is more
    /// than gravity takes in a step.
    pub fn bounces(&self, motions: &[Motion], setting: &Setting) -> bool {
        let slowest = setting.gravity.length() * setting.dt;
        self.touches.iter().any(|touch| {
            let approach = -self.approach_rate(touch, motions);
            if !touch.is_struck(-approach, setting.dt) {
                return false;
            }
            let given_back = match touch.law.rebound {
                Rebound::Kappa(kappa) => {
                    // The restitution of the contact alone: `(kappa - 2 m)/(kappa + 2 m)`.
                    let twice = 2.0 / self.mobility(touch, touch);
                    (kappa - twice) / (kappa + twice)
                }
                Rebound::Restitution(restitution) => restitution,
            };
            given_back * approach > slowest
        })
    }

    /// kappa_N of each contact for velocities before the collision. A contact that is not reached has none.
    pub fn kappas(&self, motions: &[Motion], dt: f64) -> Vec<f64> {
        let mut kappas = vec![0.0; self.touches.len()];
        let rates: Vec<f64> = self.touches.iter().map(|touch| self.approach_rate(touch, motions)).collect();
        let mut first = 0;
        for of_pair in self.touches.chunk_by(|one, next| one.indices == next.indices) {
            let last = first + of_pair.len();
            self.pair_kappas(of_pair, &rates[first..last], dt, &mut kappas[first..last]);
            first = last;
        }
        kappas
    }

    /// Relative velocity along the normal, m/s; negative while the bodies approach.
    pub fn approach_rate(&self, touch: &Touch, motions: &[Motion]) -> f64 {
        let at = |side: usize| match motions.get(touch.bodies[side] as usize) {
            Some(motion) => motion.velocity + motion.spin.cross(touch.arms[side]),
            None => DVec3::ZERO,
        };
        (at(1) - at(0) + touch.drift).dot(touch.normal)
    }

    /// With p0 the percussions that bring the pair alone to a halt, `kappa = 2 (1 + e)/(1 - e) p0/approach`: then the pair alone
    /// rebounds with e at every point, however many there are.
    fn pair_kappas(&self, touches: &[Touch], rates: &[f64], dt: f64, kappas: &mut [f64]) {
        let struck: Vec<usize> = (0..touches.len()).filter(|&k| touches[k].is_struck(rates[k], dt)).collect();
        let fastest = struck.iter().map(|&k| -rates[k]).fold(0.0, f64::max);
        if fastest <= 0.0 {
            return;
        }
        let halting = self.halting(touches, rates, &struck);
        for (&k, p) in struck.iter().zip(halting) {
            kappas[k] = match touches[k].law.rebound {
                Rebound::Kappa(kappa) => kappa,
                Rebound::Restitution(e) if e < 1.0 => {
                    2.0 * (1.0 + e) / (1.0 - e) * p / (-rates[k]).max(SLOWEST * fastest)
                }
                Rebound::Restitution(_) if p > 0.0 => f64::INFINITY,
                Rebound::Restitution(_) => 0.0,
            };
        }
    }

    /// Change of the rate at one point of a pair for a unit percussion at another, 1/kg.
    fn mobility(&self, one: &Touch, other: &Touch) -> f64 {
        let side = |side: usize| match self.members.get(one.bodies[side] as usize) {
            Some(member) => {
                let turn = member.inverse_inertia * other.arms[side].cross(other.normal);
                member.inverse_mass * one.normal.dot(other.normal) + one.arms[side].cross(one.normal).dot(turn)
            }
            None => 0.0,
        };
        side(0) + side(1)
    }

    /// Percussions that end the approach of the struck points, if the pair were alone.
    fn halting(&self, touches: &[Touch], rates: &[f64], struck: &[usize]) -> Vec<f64> {
        let mobility = |i: usize, j: usize| self.mobility(&touches[i], &touches[j]);
        let mut p = vec![0.0; struck.len()];
        if let &[only] = struck {
            p[0] = -rates[only] / mobility(only, only);
            return p;
        }
        let matrix: Vec<Vec<f64>> = struck.iter().map(|&i| struck.iter().map(|&j| mobility(i, j)).collect()).collect();
        for _ in 0..PAIR_SWEEPS {
            for i in 0..struck.len() {
                let rate: f64 = rates[struck[i]] + (0..struck.len()).map(|j| matrix[i][j] * p[j]).sum::<f64>();
                p[i] = (p[i] - rate / matrix[i][i]).max(0.0);
            }
        }
        p
    }
}

impl Touch {
    /// Whether the surfaces meet within the step at this rate of approach.
    pub fn is_struck(&self, rate: f64, dt: f64) -> bool {
        rate < 0.0 && self.gap + rate * dt <= 0.0
    }

    /// Least normal velocity after the collision, m/s, for which the surfaces do not pass each other before the next.
    pub fn slowest(&self, dt: f64) -> f64 {
        -self.gap.max(0.0) / dt
    }

    /// kappa_T, kg.
    pub fn viscous(&self, dt: f64) -> Tangential {
        match self.law.slip {
            Slip::Kappa(kappa) if kappa > 0.0 => Tangential::Viscous(kappa),
            Slip::Viscosity(viscosity) if viscosity > 0.0 => Tangential::Viscous(viscosity * dt),
            _ => Tangential::Smooth,
        }
    }
}
