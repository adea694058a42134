//! The smooth response: contact forces from overlap, velocities and history.
//!
//! A law has a normal, a tangential and a rolling part, each in its own file, chosen for each pair
//! of materials. This file dispatches one evaluation of a contact to its begin (`begin.rs`), its
//! full force (`hold.rs`) or its end (`end.rs`). A contact begins and ends inside a step; the force
//! of that step is weighted by the contact share (`partial_step.rs`), so that restitution and
//! energy are of second order in the time step. The equations are in docs/theory/laws.md.

mod begin;
mod check;
mod end;
mod hold;
mod normal;
mod partial_step;
mod patch;
pub(crate) mod response;
pub mod restitution;
mod rolling;
mod stored_energy;
mod tangential;
mod user_law;

use glam::DVec3;
use serde::{Deserialize, Serialize};

pub use normal::{Damping, Normal, NormalState, Stiffness, reduced_modulus};
pub use rolling::Rolling;
pub use tangential::Tangential;
pub use user_law::{NormalForce, NormalInput, UserNormal};

use crate::state::contact::PreviousEvaluation;
use crate::state::{Contact, ContactLosses, Phase, RollingState};

/// The rule that ends a contact. Restitution depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EndRule {
    /// The contact ends at zero overlap. Its force may be tensile before.
    ZeroOverlap,
    /// The contact ends as soon as the sum of spring and dashpot would be tensile: dry grains do
    /// not stick \[Schwager2007\].
    NoTension,
}

/// The error of a law with impossible constants.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct LawError(pub String);

/// The contact law of a pair of materials.
///
/// ```
/// use granum_engine::{ContactLaw, Rolling};
///
/// // Stiffness, N/m, restitution and friction, with rolling resistance in addition.
/// let rolling = Rolling::Spring { friction: 0.05, spinning: 0.0, zeta: 0.3 };
/// let law = ContactLaw { rolling, ..ContactLaw::linear(1e4, 0.8, 0.5)? };
/// assert!(law.check().is_ok());
/// assert!(ContactLaw::linear(1e4, 1.2, 0.5).is_err()); // restitution above 1
/// # Ok::<(), granum_engine::smooth::LawError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactLaw {
    /// Force along the normal.
    pub normal: Normal,
    /// Friction in the contact plane.
    pub tangential: Tangential,
    /// Resistance against relative rotation.
    pub rolling: Rolling,
    /// Rule that ends a contact.
    pub end: EndRule,
}

/// Relative motion and effective masses of two bodies at a contact.
#[derive(Clone, Copy, Debug)]
pub struct Kinematics {
    /// Time step, s.
    pub dt: f64,
    /// True if a step precedes this evaluation, in which a new contact may have begun.
    pub moving: bool,
    /// Inverse effective mass of an impulse conjugate to the overlap, 1/kg.
    pub inverse_mass: f64,
    /// Inverse effective mass of a normal impulse at the contact point, 1/kg. Equal to
    /// `inverse_mass` where the overlap is a distance.
    pub point_inverse_mass: f64,
    /// Inverse reduced mass for translation only, 1/kg. It is constant while the bodies rotate.
    pub inverse_reduced_mass: f64,
    /// Inverse moment of inertia of rolling, 1/(kg m²); zero if the law has no rolling part.
    pub inverse_inertia: f64,
    /// Largest rolling radius, m: the bounding radius of the smaller grain that is not round.
    pub max_rolling_radius: f64,
    /// Rate at which the overlap increases, m/s.
    pub approach: f64,
    /// Tangential velocity of b relative to a, m/s.
    pub slip: DVec3,
    /// Angular velocity of b relative to a, rad/s.
    pub turn: DVec3,
}

/// The contact being evaluated.
#[derive(Debug)]
pub struct ContactEvaluation<'a> {
    /// Its record.
    pub record: &'a mut Contact,
    /// Its losses so far, and its curvature.
    pub losses: &'a mut ContactLosses,
    /// Its springs against rolling. Zero if the world has none.
    pub rolling: &'a mut RollingState,
    /// Its previous evaluation.
    pub previous: PreviousEvaluation,
}

impl ContactLaw {
    /// Returns a linear spring with a dashpot and Coulomb friction, without rolling resistance.
    ///
    /// `stiffness` is along the normal, N/m. The tangential stiffness is 2/7 of it, which gives a
    /// ball the same period in both directions, with a damping ratio of 0.1. A contact ends as soon
    /// as its normal force would be tensile. These are the defaults of scene files.
    pub fn linear(stiffness: f64, restitution: f64, friction: f64) -> Result<Self, LawError> {
        let end = EndRule::NoTension;
        let law = Self {
            normal: Normal::linear(Stiffness::Constant(stiffness), Damping::Restitution(restitution), end)?,
            tangential: Tangential::Linear { friction, ratio: 2.0 / 7.0, zeta: 0.1 },
            rolling: Rolling::None,
            end,
        };
        law.check()?;
        Ok(law)
    }

    /// Computes the force of one contact and advances its history by one step.
    #[inline]
    pub fn evaluate(&self, motion: &Kinematics, contact: &mut ContactEvaluation) {
        let ContactEvaluation { record, losses, previous, .. } = contact;
        let normal = self.normal_at(motion, record.overlap, losses.curvature);
        if record.phase != Phase::Holds {
            // Losses of an earlier contact of these features are in the accounts of the bodies.
            losses.lost_to_damping = 0.0;
            losses.lost_to_friction = 0.0;
            if record.phase == Phase::Begins {
                // Surfaces at zero gap carry no force yet.
                if record.overlap > 0.0 {
                    self.begin(motion, contact, &normal);
                }
                return;
            }
        }
        // Approach at the end of the step, after the half kick of this contact's own force: the
        // trapezoidal rule, implicit in the contact's dashpot.
        let half = 0.5 * motion.dt * motion.inverse_mass;
        let approach = (motion.approach + half * (previous.load - normal.elastic)) / (1.0 + half * normal.damping);
        let damping = normal.damping * approach;
        let load = normal.elastic + damping;
        let touches = record.overlap > 0.0 && (self.end == EndRule::ZeroOverlap || load > 0.0);
        match (record.phase, touches) {
            (Phase::Slack, true) => {
                let increase = record.overlap - previous.overlap;
                let kink = if load > 0.0 {
                    self.kink_force(&contact.rolling.patch, &normal, record.overlap, increase)
                } else {
                    0.0
                };
                // The spring regains what was booked as a loss when the contact ended.
                losses.lost_to_damping = 0.5 * (load + kink) * increase - normal.energy;
                self.hold(motion, contact, &normal, damping, load);
                if kink > 0.0 {
                    contact.losses.kick += kink / load;
                    contact.losses.lost_to_friction += contact.friction_work_of_kick(motion, load, kink / load);
                }
            }
            (_, true) => {
                losses.lost_to_damping += 0.5 * (record.damping + damping) * (record.overlap - previous.overlap);
                self.hold(motion, contact, &normal, damping, load);
            }
            (Phase::Holds, false) => self.end(motion, contact, &normal, damping),
            (_, false) => contact.release(),
        }
    }

    /// Returns the normal law at an overlap, m; a negative overlap counts as zero.
    #[inline]
    pub(crate) fn normal_at(&self, motion: &Kinematics, overlap: f64, curvature: f64) -> NormalState {
        self.normal.at(overlap.max(0.0), motion.inverse_mass, motion.inverse_reduced_mass, curvature)
    }

    /// Returns the constant of the dashpot beside a tangential spring of this stiffness, N s/m.
    #[inline]
    fn tangential_dashpot(&self, motion: &Kinematics, stiffness: f64) -> f64 {
        2.0 * self.tangential.zeta() * (stiffness / motion.point_inverse_mass).sqrt()
    }
}
