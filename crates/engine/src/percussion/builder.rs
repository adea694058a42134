//! Builds the convex programs of an island, and kappa_N from the coefficients of restitution.

use glam::DVec3;

use super::island::{Island, IslandContact};
use super::law::{Rebound, Slip};
use super::program::{NormalPotential, Program, ProgramBody, ProgramContact, TangentialPotential, Twist};

/// Gauss-Seidel sweeps for the percussions that stop an isolated pair of bodies. A pair has at most
/// eight contact points, for which they converge.
const PAIR_SWEEPS: usize = 40;
/// Least approach velocity of a contact point in `kappa = 2 (1 + e)/(1 - e) p0/a`, relative to the
/// largest of the pair. It keeps kappa finite.
const MIN_APPROACH: f64 = 1e-3;

/// Parameters that all programs of a step share.
#[derive(Clone, Copy, Debug)]
pub struct StepParameters {
    /// Time step, s.
    pub dt: f64,
    /// Acceleration of gravity, m/s².
    pub gravity: DVec3,
}

impl Island {
    /// Returns the velocities of the bodies before the collision.
    pub fn twists(&self) -> Vec<Twist> {
        self.bodies.iter().map(|body| body.twist).collect()
    }

    /// Returns a program of the island, with masses and inertias multiplied by `mass_factor` and
    /// with the given free velocities and potentials.
    pub fn program(
        &self,
        mass_factor: f64,
        free: impl Fn(usize) -> Twist,
        potentials: impl Fn(usize, &IslandContact) -> (NormalPotential, TangentialPotential),
    ) -> Program {
        let bodies = self.bodies.iter().enumerate().map(|(k, body)| ProgramBody {
            inverse_mass: body.inverse_mass / mass_factor,
            inverse_inertia: body.inverse_inertia * (1.0 / mass_factor),
            free: free(k),
        });
        let contacts = self.contacts.iter().enumerate().map(|(k, contact)| {
            let (normal_potential, tangential_potential) = potentials(k, contact);
            ProgramContact {
                bodies: contact.bodies,
                normal: contact.normal,
                arms: contact.arms,
                prescribed_velocity: contact.prescribed_velocity,
                normal_potential,
                tangential_potential,
            }
        });
        Program { bodies: bodies.collect(), contacts: contacts.collect() }
    }

    /// Returns whether a contact rebounds: it closes in this step, and its rebound velocity exceeds
    /// the velocity that gravity gives in a step.
    pub fn rebounds(&self, twists: &[Twist], parameters: &StepParameters) -> bool {
        // A slower rebound would be a vibration of a body at rest.
        let gravity_velocity = parameters.gravity.length() * parameters.dt;
        self.contacts.iter().any(|contact| {
            let approach = -self.normal_velocity(contact, twists);
            if !contact.closes(-approach, parameters.dt) {
                return false;
            }
            let restitution = match contact.law.rebound {
                Rebound::Kappa(kappa) => {
                    // Restitution of the contact alone: (kappa - 2 m)/(kappa + 2 m).
                    let twice_mass = 2.0 / self.mobility(contact, contact);
                    (kappa - twice_mass) / (kappa + twice_mass)
                }
                Rebound::Restitution(restitution) => restitution,
            };
            restitution * approach > gravity_velocity
        })
    }

    /// Returns kappa_N of each contact, kg, for the velocities before the collision. It is zero for
    /// a contact that does not close in this step.
    pub fn kappas(&self, twists: &[Twist], dt: f64) -> Vec<f64> {
        let mut kappas = vec![0.0; self.contacts.len()];
        let rates: Vec<f64> = self.contacts.iter().map(|contact| self.normal_velocity(contact, twists)).collect();
        let mut first = 0;
        // Contacts of one pair are consecutive.
        for of_pair in self.contacts.chunk_by(|one, next| one.indices == next.indices) {
            let last = first + of_pair.len();
            self.pair_kappas(of_pair, &rates[first..last], dt, &mut kappas[first..last]);
            first = last;
        }
        kappas
    }

    /// Returns the normal velocity of b relative to a, m/s; negative while the bodies approach.
    pub fn normal_velocity(&self, contact: &IslandContact, twists: &[Twist]) -> f64 {
        let at = |side: usize| match twists.get(contact.bodies[side] as usize) {
            Some(twist) => twist.velocity + twist.spin.cross(contact.arms[side]),
            None => DVec3::ZERO,
        };
        (at(1) - at(0) + contact.prescribed_velocity).dot(contact.normal)
    }

    /// Sets kappa_N of the contacts of one pair of bodies, kg.
    ///
    /// With p0 the percussions that stop the isolated pair and a the approach velocity of a point,
    /// `kappa = 2 (1 + e)/(1 - e) p0/a`. The isolated pair then rebounds with e at every point,
    /// whatever their number.
    fn pair_kappas(&self, contacts: &[IslandContact], rates: &[f64], dt: f64, kappas: &mut [f64]) {
        let closing: Vec<usize> = (0..contacts.len()).filter(|&k| contacts[k].closes(rates[k], dt)).collect();
        // The fastest point sets the lower bound of the approach velocity in kappa.
        let fastest = closing.iter().map(|&k| -rates[k]).fold(0.0, f64::max);
        if fastest <= 0.0 {
            return;
        }
        let stopping = self.stopping_percussions(contacts, rates, &closing);
        for (&k, p0) in closing.iter().zip(stopping) {
            kappas[k] = match contacts[k].law.rebound {
                Rebound::Kappa(kappa) => kappa,
                Rebound::Restitution(e) if e < 1.0 => {
                    2.0 * (1.0 + e) / (1.0 - e) * p0 / (-rates[k]).max(MIN_APPROACH * fastest)
                }
                // At e = 1 a point that carries load has an infinite kappa: v_n >= 0 for the mean
                // velocity.
                Rebound::Restitution(_) if p0 > 0.0 => f64::INFINITY,
                Rebound::Restitution(_) => 0.0,
            };
        }
    }

    /// Returns the change of the normal velocity at one contact of a pair per unit of normal
    /// percussion at another, 1/kg.
    fn mobility(&self, one: &IslandContact, other: &IslandContact) -> f64 {
        let side = |side: usize| match self.bodies.get(one.bodies[side] as usize) {
            Some(body) => {
                let spin = body.inverse_inertia * other.arms[side].cross(other.normal);
                body.inverse_mass * one.normal.dot(other.normal) + one.arms[side].cross(one.normal).dot(spin)
            }
            None => 0.0,
        };
        side(0) + side(1)
    }

    /// Returns the percussions that stop the approach of the closing contacts of an isolated pair,
    /// N s, by projected Gauss-Seidel sweeps.
    fn stopping_percussions(&self, contacts: &[IslandContact], rates: &[f64], closing: &[usize]) -> Vec<f64> {
        let mobility = |i: usize, j: usize| self.mobility(&contacts[i], &contacts[j]);
        let mut p = vec![0.0; closing.len()];
        // A single point has a closed form.
        if let &[only] = closing {
            p[0] = -rates[only] / mobility(only, only);
            return p;
        }
        // The Delassus matrix of the closing points.
        let matrix: Vec<Vec<f64>> =
            closing.iter().map(|&i| closing.iter().map(|&j| mobility(i, j)).collect()).collect();
        for _ in 0..PAIR_SWEEPS {
            for i in 0..closing.len() {
                let rate: f64 = rates[closing[i]] + (0..closing.len()).map(|j| matrix[i][j] * p[j]).sum::<f64>();
                // Exact for this point with the others fixed; a percussion is never tensile.
                p[i] = (p[i] - rate / matrix[i][i]).max(0.0);
            }
        }
        p
    }
}

impl IslandContact {
    /// Returns whether the gap closes within the step at a normal velocity `rate`, m/s.
    pub fn closes(&self, rate: f64, dt: f64) -> bool {
        rate < 0.0 && self.gap + rate * dt <= 0.0
    }

    /// Returns the least normal velocity after the collision, m/s, at which the surfaces do not
    /// penetrate before the next one.
    pub fn min_velocity(&self, dt: f64) -> f64 {
        -self.gap.max(0.0) / dt
    }

    /// Returns the viscous tangential potential of the contact.
    pub fn viscous(&self, dt: f64) -> TangentialPotential {
        match self.law.slip {
            Slip::Kappa(kappa) if kappa > 0.0 => TangentialPotential::Viscous(kappa),
            Slip::Viscosity(viscosity) if viscosity > 0.0 => TangentialPotential::Viscous(viscosity * dt),
            _ => TangentialPotential::Frictionless,
        }
    }
}
