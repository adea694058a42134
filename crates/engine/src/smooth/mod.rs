//! The smooth response: contact forces from overlap, velocities and history.
//!
//! A law is composed of a normal, a tangential and a rolling part, each in its own file, chosen at run time for
//! each pair of materials. This file holds what they share: the life of a contact. It begins inside a step and
//! ends inside a step, and the force of that step is weighted by the part of the step in which the bodies touched,
//! so that restitution and energy are right to second order in the step (docs/theory/laws.md).

mod normal;
mod partial_step;
pub mod response;
pub mod restitution;
mod rolling;
mod tangential;

use glam::DVec3;
use granum_geometry::{Gear, Patch};
use serde::{Deserialize, Serialize};

pub use normal::{Damping, Normal, NormalState, Stiffness, reduced_modulus};
pub use rolling::Rolling;
pub use tangential::Tangential;

use crate::state::contact::PreviousEvaluation;
use crate::state::{Contact, ContactLosses, Phase, RollingState};
use rolling::RollingSprings;
use tangential::Slider;

/// When a contact ends. Restitution depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EndRule {
    /// When the overlap is zero again; the dashpot may pull before.
    ZeroOverlap,
    /// As soon as spring and dashpot together would pull: dry grains do not stick.
    NoTension,
}

/// A law that cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct LawError(pub String);

/// How two materials push each other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactLaw {
    /// Along the normal.
    pub normal: Normal,
    /// Along the contact plane.
    pub tangential: Tangential,
    /// Against relative rotation.
    pub rolling: Rolling,
    /// When a contact ends.
    pub end: EndRule,
}

/// The motion at a contact, as the laws see it.
#[derive(Clone, Copy, Debug)]
pub struct Kinematics {
    /// Time step, s.
    pub dt: f64,
    /// Whether a step went before, in which a new contact may have begun.
    pub moving: bool,
    /// Inverse of the mass that an impulse along the gap feels, 1/kg.
    pub inverse_mass: f64,
    /// Inverse of the mass that a normal impulse at the point feels, 1/kg: the same where the gap is a distance.
    pub point_inverse_mass: f64,
    /// The same if the bodies did not turn: it stays as it is while they touch, 1/kg.
    pub own_inverse_mass: f64,
    /// Inverse of the moment of inertia that rolling feels, 1/(kg m²); zero where the law has no rolling part.
    pub inverse_inertia: f64,
    /// Largest radius to roll on, m: the size of the smaller grain that is not round.
    pub reach: f64,
    /// Rate of overlap, m/s.
    pub approach: f64,
    /// Velocity of b against a in the contact plane, m/s.
    pub slip: DVec3,
    /// Spin of b against a, rad/s.
    pub turn: DVec3,
}

/// A contact as a law works on it.
#[derive(Debug)]
pub struct ContactEvaluation<'a> {
    /// Its record.
    pub c: &'a mut Contact,
    /// What it has lost, and its curvature.
    pub losses: &'a mut ContactLosses,
    /// Its resistance against rolling; stays zero where the law has none.
    pub roll: &'a mut RollingState,
    /// The evaluation before.
    pub before: PreviousEvaluation,
}

impl ContactLaw {
    /// Finds the force of one contact and moves its history on.
    #[inline]
    pub fn respond(&self, k: &Kinematics, live: &mut ContactEvaluation) {
        let ContactEvaluation { c, losses, before, .. } = live;
        let normal = self.normal_at(k, -c.gap, losses.curvature);
        if c.phase != Phase::Holds {
            // What it lost before is in the accounts of its bodies.
            losses.lost_to_damping = 0.0;
            losses.lost_to_friction = 0.0;
            if c.phase == Phase::Begins {
                if c.gap < 0.0 {
                    self.begin(k, live, &normal);
                }
                return; // surfaces that just touch begin when they overlap
            }
        }
        // The approach at the end of the step, once this contact's own force has corrected the predicted one.
        let half = 0.5 * k.dt * k.inverse_mass;
        let approach = (k.approach + half * (before.load - normal.elastic)) / (1.0 + half * normal.damping);
        let damping = normal.damping * approach;
        let load = normal.elastic + damping;
        let touches = c.gap < 0.0 && (self.end == EndRule::ZeroOverlap || load > 0.0);
        match (c.phase, touches) {
            (Phase::Slack, true) => {
                let deeper = before.gap - c.gap;
                let bend = if load > 0.0 { self.bend(&live.roll.patch, &normal, -c.gap, deeper) } else { 0.0 };
                // The spring gets back what the dashpot had taken up when the contact ended.
                losses.lost_to_damping = 0.5 * (load + bend) * deeper - normal.energy;
                self.hold(k, live, &normal, damping, load);
                if bend > 0.0 {
                    live.losses.kick += bend / load;
                    live.losses.lost_to_friction += live.friction_of_kick(k, load, bend / load);
                }
            }
            (_, true) => {
                losses.lost_to_damping += 0.5 * (c.damping + damping) * (before.gap - c.gap);
                self.hold(k, live, &normal, damping, load);
            }
            (Phase::Holds, false) => self.end(k, live, &normal, damping),
            (_, false) => live.release(),
        }
    }

    /// A contact that began inside the step now ending, or that was there from the start.
    fn begin(&self, k: &Kinematics, live: &mut ContactEvaluation, normal: &NormalState) {
        let overlap = -live.c.gap;
        // Share of the last step in which the bodies touched.
        let share = if k.moving { (overlap / (k.approach * k.dt).max(overlap)).clamp(0.0, 1.0) } else { 0.0 };
        // The spring force grew like t^p over that share and the dashpot's like t^q. The kick that ends this step
        // must give the impulse of that growth; the next one starts from the full force.
        let (p, q) = self.normal.exponents();
        let (spring_part, dashpot_part) = (partial_step::smooth(p, share), partial_step::steep(q, share));
        let half = 0.5 * k.dt * k.inverse_mass;
        // A dashpot's impulse is that of the overlap it has seen, whatever it did to the approach since: so it is taken
        // with the approach before.
        let bend = if k.moving { self.bend(&live.roll.patch, normal, share, 1.0) } else { 0.0 };
        let (spring, dashpot) = (spring_part * normal.elastic + bend, dashpot_part * normal.damping * k.approach);
        let approach = k.approach - half * (spring + dashpot);
        let damping = normal.damping * approach;
        let load = normal.elastic + damping;
        if self.end == EndRule::NoTension && load <= 0.0 {
            return live.release();
        }
        live.c.slide = k.slip * ((share - 0.5) * k.dt);
        live.roll.angle = k.turn * ((share - 0.5) * k.dt);
        self.hold(k, live, normal, damping, load);
        let kick = if load > 0.0 { (spring + dashpot) / load } else { 1.0 };
        // Over a step the integrator changes the kinetic energy by the mean force times the displacement and by
        // dt²/8m (F'² - F²). The last adds up to nothing over a contact, but for the jump with which the dashpot begins.
        let jump = if k.moving { 0.25 * half * k.dt * damping * damping } else { 0.0 };
        let work = live.friction_of_kick(k, load, kick);
        let ContactEvaluation { c, losses, roll, .. } = live;
        losses.kick = kick;
        losses.lost_to_damping = 0.5 * k.dt * (dashpot * 0.5 * (k.approach + approach) + bend * k.approach) + jump;
        let (curvature, gear, patch) = (losses.curvature, roll.gear, roll.patch);
        let at = Springs { slide: c.slide, angle: roll.angle, axis: c.normal, curvature, overlap, gear, patch };
        losses.lost_to_friction = work - self.stored_in_friction(k, &at, normal);
        // Each evaluation books the dashpots' power for the whole step before it. Half a step more at the beginning and
        // half a step less at the end make that the trapezoidal rule; in between, half a step is booked ahead.
        losses.lost_to_friction += 0.5 * k.dt * self.friction_dashpots(k, &at, normal);
    }

    /// A contact in full.
    #[inline]
    fn hold(&self, k: &Kinematics, live: &mut ContactEvaluation, normal: &NormalState, damping: f64, load: f64) {
        let Gear { rate, couple } = live.roll.gear;
        let pressed = rate * load.max(0.0);
        let friction = self.slide(k, live, normal, pressed);
        match self.rolling {
            Rolling::None if live.roll.patch.is_point() => live.roll.torque = DVec3::ZERO,
            _ => self.roll(k, live, normal, pressed),
        }
        let c = &mut *live.c;
        live.roll.torque += couple * load * c.normal;
        c.force = rate * load * c.normal + friction;
        c.damping = damping;
        c.phase = Phase::Holds;
    }

    /// Friction force on b.
    #[inline]
    fn slide(&self, k: &Kinematics, live: &mut ContactEvaluation, normal: &NormalState, load: f64) -> DVec3 {
        let ContactEvaluation { c, losses, before, .. } = live;
        let stiffness = match self.tangential {
            Tangential::None => return DVec3::ZERO,
            _ => self.tangential.stiffness(-c.gap, losses.curvature, normal),
        };
        let mut before_stiffness = stiffness;
        if let Tangential::Mindlin { .. } = self.tangential {
            // A contact that begins stiffens from what it has at its first evaluation.
            let (gap_before, curvature_before) = match c.phase {
                Phase::Begins => (c.gap, losses.curvature),
                _ => (before.gap, before.curvature),
            };
            before_stiffness = self.tangential.stiffness(-gap_before, curvature_before, normal);
        }
        let slider = Slider {
            stiffness,
            damping: self.tangential_dashpot(k, stiffness),
            limit: self.tangential.friction() * load,
        };
        losses.lost_to_friction += slider.change_from(before_stiffness, &mut c.slide);
        let slid = slider.advance(c.slide, k.slip, k.dt);
        c.slide = slid.displacement;
        losses.lost_to_friction += slid.lost;
        slid.force
    }

    /// The couple on b against rolling and spinning.
    fn roll(&self, k: &Kinematics, live: &mut ContactEvaluation, normal: &NormalState, load: f64) {
        let ContactEvaluation { c, losses, roll, before } = live;
        let [roller, spinner] = self.turners(k, load, (-c.gap, losses.curvature, &roll.patch), normal);
        let split = |v: DVec3| {
            let along = v.dot(c.normal) * c.normal;
            (v - along, along)
        };
        let ((rolled, spun), (roll_rate, spin_rate)) = (split(roll.angle), split(k.turn));
        // A contact that begins stiffens from what it has at its first evaluation.
        let [before_roll, before_spin] = if c.phase == Phase::Begins {
            [roller.stiffness, spinner.stiffness]
        } else {
            let normal = self.normal_at(k, -before.gap, before.curvature);
            let turners = self.turners(k, 0.0, (-before.gap, before.curvature, &roll.last.1), &normal);
            turners.map(|slider| slider.stiffness)
        };
        (roll.angle, roll.torque) = (DVec3::ZERO, DVec3::ZERO);
        for (slider, before, mut angle, rate) in
            [(roller, before_roll, rolled, roll_rate), (spinner, before_spin, spun, spin_rate)]
        {
            losses.lost_to_friction += slider.change_from(before, &mut angle);
            if slider.stiffness > 0.0 {
                let slid = slider.advance(angle, rate, k.dt);
                roll.torque += slid.force;
                roll.angle += slid.displacement;
                losses.lost_to_friction += slid.lost;
            }
        }
        if !roll.patch.is_point() {
            let (couple, power) = rocking(k, normal, roll.gear, &roll.patch, c.normal);
            roll.torque += couple;
            losses.lost_to_friction += power * k.dt;
        }
    }

    /// The springs against rolling and against spinning under a load, at an overlap, a curvature and a patch; what does not ask for their
    /// limits may give no load. The friction of a patch is spread over it: against spinning it has springs and dashpots as along the plane,
    /// times the square of its radius. Where only their stiffness is wanted, inlining drops the roots of the rest.
    #[inline(always)]
    fn turners(
        &self,
        k: &Kinematics,
        load: f64,
        (overlap, curvature, patch): (f64, f64, &Patch),
        normal: &NormalState,
    ) -> [Slider; 2] {
        let [roller, mut spinner] = match self.rolling {
            Rolling::Spring { friction, spinning, zeta } => {
                RollingSprings::new(load, curvature, normal, k).sliders(friction, spinning, zeta)
            }
            Rolling::None => [Slider::NONE; 2],
        };
        if !patch.is_point() {
            let square = patch.square();
            let stiffness = self.tangential.stiffness(overlap, curvature, normal);
            spinner.stiffness += stiffness * square;
            spinner.damping += self.tangential_dashpot(k, stiffness) * square;
            spinner.limit += self.tangential.friction() * square.sqrt() * load;
        }
        [roller, spinner]
    }

    /// A contact that ended inside the step now ending: its force lasted for a share of it only, so the half kick
    /// already given at the last evaluation is corrected.
    fn end(&self, k: &Kinematics, live: &mut ContactEvaluation, normal: &NormalState, damping: f64) {
        let ContactEvaluation { c, losses, roll, before } = live;
        let load_before = before.load;
        let overlap_before = -before.gap;
        let curvature = before.curvature;
        let normal_before = self.normal_at(k, overlap_before, curvature);
        let (gear, patch) = roll.last;
        // Bodies apart know their distance, which an overlap would have followed at the gear's rate.
        let shallower = overlap_before + if c.gap > 0.0 { gear.rate * c.gap } else { c.gap };
        // Part of the step until the surfaces parted.
        let to_parting = if c.gap > 0.0 { overlap_before / shallower } else { 1.0 };
        // Impulse of the step over half a step of the force at its start; part of the step that the contact lasted.
        let (impulse, share) = match self.end {
            EndRule::ZeroOverlap => {
                let (p, q) = self.normal.exponents();
                // Without a singular end the dashpot's mean is better known from both ends of the step.
                let mean = if q == 0.0 { 0.5 * (c.damping + damping) } else { c.damping };
                let dashpot = partial_step::steep(q, to_parting) * mean;
                losses.lost_to_damping -= 0.5 * dashpot * shallower;
                (partial_step::smooth(p, to_parting) * normal_before.elastic + dashpot, to_parting)
            }
            EndRule::NoTension => {
                let last = (normal.elastic + damping).min(0.0);
                let until = if load_before > 0.0 { load_before / (load_before - last) } else { 0.0 };
                let share = to_parting * until;
                // The force is zero, so the dashpot takes up the spring's force, and then what the spring still holds.
                let overlap = overlap_before - share * shallower;
                let then = self.normal_at(k, overlap, curvature);
                losses.lost_to_damping += 0.5 * (c.damping - then.elastic) * (overlap - overlap_before) + then.energy;
                (share * load_before, share)
            }
        };
        let bend = self.bend(&patch, &normal_before, overlap_before, shallower);
        losses.lost_to_damping -= 0.5 * bend * shallower;
        // The springs along and about the plane let go of what they hold.
        // The force acts along the present normal: along that of the step before it would give a round container a torque.
        let force_before = before.turned(c.force, c.normal);
        let friction_before = force_before - gear.rate * load_before * c.normal;
        let moved = k.slip * (share * k.dt);
        let overlap = overlap_before;
        let at = Springs { slide: c.slide, angle: roll.angle, axis: c.normal, curvature, overlap, gear, patch };
        losses.lost_to_friction += self.stored_in_friction(k, &at, &normal_before) - 0.5 * friction_before.dot(moved);
        losses.lost_to_friction -= 0.5 * k.dt * self.friction_dashpots(k, &at, &normal_before);
        let scale = if load_before == 0.0 { -1.0 } else { impulse / load_before - 1.0 };
        let force = scale * force_before + bend * gear.rate * c.normal;
        let couple = scale * roll.torque + bend * gear.couple * c.normal;
        live.release();
        live.c.force = force;
        live.roll.torque = couple;
    }

    /// What more of a spring, in half steps of force, the kick needs next to which it begins or ends, as the step took the overlap on by `way`:
    /// the sum of the steps between does not see the spring bend there. Only patches have it: their overlaps keep energy
    /// while what touches changes, and with it the speeds at both ends.
    fn bend(&self, patch: &Patch, normal: &NormalState, overlap: f64, way: f64) -> f64 {
        if patch.is_point() || way <= 0.0 {
            return 0.0;
        }
        normal.elastic * partial_step::bend(self.normal.exponents().0, overlap / way)
    }

    /// Energy in the tangential and rolling springs, with the displacements taken back to the evaluation.
    fn stored_in_friction(&self, k: &Kinematics, at: &Springs, normal: &NormalState) -> f64 {
        let slide = at.slide - 0.5 * k.dt * k.slip;
        let mut stored = 0.5 * self.tangential.stiffness(at.overlap, at.curvature, normal) * slide.length_squared();
        if self.rolling != Rolling::None || !at.patch.is_point() {
            let [roller, spinner] = self.turners(k, 0.0, (at.overlap, at.curvature, &at.patch), normal);
            let angle = at.angle - 0.5 * k.dt * k.turn;
            let spin = angle.dot(at.axis);
            let roll_squared = angle.length_squared() - spin * spin;
            stored += 0.5 * (roller.stiffness * roll_squared + spinner.stiffness * spin * spin);
        }
        stored
    }

    /// Power that the dashpots along and about the contact plane would take, W.
    fn friction_dashpots(&self, k: &Kinematics, at: &Springs, normal: &NormalState) -> f64 {
        let stiffness = self.tangential.stiffness(at.overlap, at.curvature, normal);
        let mut power = self.tangential_dashpot(k, stiffness) * k.slip.length_squared();
        if self.rolling != Rolling::None || !at.patch.is_point() {
            let [roller, spinner] = self.turners(k, 0.0, (at.overlap, at.curvature, &at.patch), normal);
            let spin = k.turn.dot(at.axis);
            power += roller.damping * (k.turn.length_squared() - spin * spin) + spinner.damping * spin * spin;
            power += rocking(k, normal, at.gear, &at.patch, at.axis).1;
        }
        power
    }

    /// The normal law at an overlap; without one, that of surfaces that just touch.
    #[inline]
    fn normal_at(&self, k: &Kinematics, overlap: f64, curvature: f64) -> NormalState {
        self.normal.at(overlap.max(0.0), k.inverse_mass, k.own_inverse_mass, curvature)
    }

    #[inline]
    fn tangential_dashpot(&self, k: &Kinematics, stiffness: f64) -> f64 {
        2.0 * self.tangential.zeta() * (stiffness / k.point_inverse_mass).sqrt()
    }

    /// Energy that a contact that holds has stored, and the loss to friction that it has booked ahead, J.
    pub fn stored_and_ahead(
        &self,
        k: &Kinematics,
        c: &Contact,
        losses: &ContactLosses,
        roll: &RollingState,
    ) -> (f64, f64) {
        let (overlap, curvature) = ((-c.gap).max(0.0), losses.curvature);
        let normal = self.normal_at(k, overlap, curvature);
        let (gear, patch) = (roll.gear, roll.patch);
        let at = Springs { slide: c.slide, angle: roll.angle, axis: c.normal, curvature, overlap, gear, patch };
        let stored = normal.energy + self.stored_in_friction(k, &at, &normal);
        (stored, 0.5 * k.dt * self.friction_dashpots(k, &at, &normal))
    }
}

/// Stiffness of a smooth overlap against rocking, in that of springs which are spread over its patch.
const ROCKING: f64 = 3.0;

/// The couple on b against rocking on a patch, and what it takes, W: as much damping for its stiffness as along the normal.
fn rocking(k: &Kinematics, normal: &NormalState, gear: Gear, patch: &Patch, axis: DVec3) -> (DVec3, f64) {
    let damping = ROCKING * gear.rate * gear.rate * normal.damping;
    let couple = |arm: &DVec3| {
        let lever = arm.cross(axis);
        damping * lever.dot(k.turn) * lever
    };
    let couple = -patch.0.iter().map(couple).sum::<DVec3>();
    (couple, -couple.dot(k.turn))
}

/// The springs along and about the contact plane at one instant.
struct Springs {
    slide: DVec3,
    angle: DVec3,
    axis: DVec3,
    curvature: f64,
    overlap: f64,
    gear: Gear,
    patch: Patch,
}

impl ContactEvaluation<'_> {
    /// What friction takes while it acts for a share of half a step.
    fn friction_of_kick(&self, k: &Kinematics, load: f64, share: f64) -> f64 {
        let ContactEvaluation { c, roll, .. } = self;
        let friction = c.force - roll.gear.rate * load * c.normal;
        let couple = roll.torque - roll.gear.couple * load * c.normal;
        -0.5 * k.dt * share * (friction.dot(k.slip) + couple.dot(k.turn))
    }

    /// The contact carries nothing.
    fn release(&mut self) {
        self.c.phase = Phase::Slack;
        self.c.force = DVec3::ZERO;
        self.c.damping = 0.0;
        self.c.slide = DVec3::ZERO;
        (self.roll.angle, self.roll.torque) = (DVec3::ZERO, DVec3::ZERO);
    }
}
