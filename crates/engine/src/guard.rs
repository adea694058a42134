//! Guards: checks between two steps that detect a run whose results are meaningless.
//!
//! Input: a `&World`, which is not changed. Output: a [`Violation`] for each guard that is
//! violated. Bodies and contacts are read once, so that a check every hundred steps takes little
//! time in comparison with the steps. The energy ledger is a sum in the order of ids, and is
//! checked when it is computed for output.

use glam::DVec3;
use granum_geometry::{Pose, Shape};
use serde::{Deserialize, Serialize};

use crate::energy::Energy;
use crate::state::{BodyId, Contact, RollingState, World};
use crate::time_step::TimeStepAdvice;
use crate::tunnelling::{PassageKind, Passages};

/// Largest number of bodies or pairs that a violation lists. The others are counted.
const NAMED: usize = 8;

/// Rounding error of the ledger, relative to its energies: a sum over a million bodies has ten
/// correct digits.
const LEDGER_ROUNDING: f64 = 1e-10;

/// Overlap at the middle of a body, relative to its thickness. Beyond it the shortest separation is
/// on the other side, and the force would push the bodies through each other.
const MIDDLE: f64 = 0.5;

/// Overlap above which a contact is soft, relative to the diameter of the smaller body. Grains of a
/// stiff simulation overlap by a hundredth at most.
const SOFT: f64 = 0.02;

/// Reaction to a violated guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// End the run.
    Stop,
    /// Print a warning and continue.
    Warn,
    /// Do not check.
    Off,
}

/// The rules and limits of all guards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guards {
    /// Number of steps between two checks; 0 is the same as 1. The ledger is checked when it is
    /// written.
    pub every: u64,
    /// Rule for positions, orientations, velocities and spins that are not finite numbers.
    pub not_finite: Rule,
    /// Rule for grains whose centres are outside the domain.
    pub domain: Rule,
    /// Lower and upper corner of the domain, m. An infinite coordinate is no bound.
    pub bounds: (DVec3, DVec3),
    /// Rule for contacts that are too deep.
    pub overlap: Rule,
    /// Largest overlap, relative to the diameter of the smaller body's bounding ball. An overlap
    /// beyond the middle of the thinner body is a violation in any case.
    pub overlap_limit: f64,
    /// Rule for bodies that pass through others, which is tested in every step.
    pub tunnelling: Rule,
    /// Rule for an energy ledger that does not close.
    pub ledger: Rule,
    /// Largest residual, relative to the energy turned over.
    pub ledger_limit: f64,
}

/// The guards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Guard {
    /// Numbers that are not finite.
    NotFinite,
    /// Grains outside the domain.
    Domain,
    /// Contacts that are too deep.
    Overlap,
    /// Bodies that pass through others.
    Tunnelling,
    /// A ledger that does not close.
    Ledger,
}

impl Guard {
    /// Returns the name in scenes and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotFinite => "not_finite",
            Self::Domain => "domain",
            Self::Overlap => "overlap",
            Self::Tunnelling => "tunnelling",
            Self::Ledger => "ledger",
        }
    }
}

/// A violated guard.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// The guard.
    pub guard: Guard,
    /// The reaction that was set for it.
    pub rule: Rule,
    /// The fault, as the end of a sentence that begins with step and time.
    pub message: String,
    /// The bodies concerned, the worst first; a few at most.
    pub bodies: Vec<BodyId>,
    /// The pairs concerned, the worst first; a few at most.
    pub pairs: Vec<(BodyId, BodyId)>,
    /// Number of bodies or pairs concerned.
    pub count: usize,
}

impl Guards {
    /// Returns the first step after `step` at which the guards are checked.
    pub fn next_look(&self, step: u64) -> u64 {
        let every = self.every.max(1);
        (step / every + 1) * every
    }

    /// Checks bodies and contacts.
    pub fn look(&self, world: &World) -> Vec<Violation> {
        [self.not_finite(world), self.domain(world), self.overlap(world)].into_iter().flatten().collect()
    }

    /// Checks the energy ledger `now` against that at the `start`. The message contains the
    /// probable cause of a violation, which is read from the world.
    pub fn look_at_ledger(&self, now: &Energy, start: &Energy, world: &World) -> Option<Violation> {
        if self.ledger == Rule::Off {
            return None;
        }
        let residual = now.residual(start).abs();
        let turned_over = now.turned_over(start);
        let rounding = LEDGER_ROUNDING * (now.total().abs() + start.total().abs());
        // A comparison with NaN is false, so that a ledger that is not a number is a violation.
        if residual <= self.ledger_limit * turned_over + rounding {
            return None;
        }
        let message = format!(
            "the energy ledger does not close: {residual:.3e} J are missing or in excess, {:.1e} of the {turned_over:.3e} \
             J that were turned over; the limit is {}. {}",
            residual / turned_over,
            self.ledger_limit,
            ledger_advice(world)
        );
        let (guard, rule) = (Guard::Ledger, self.ledger);
        Some(Violation { guard, rule, message, bodies: Vec::new(), pairs: Vec::new(), count: 1 })
    }

    /// Judges the passages that a simulation has found ([`Simulation::take_passages`]). `time_step`
    /// is that of the world, s.
    ///
    /// [`Simulation::take_passages`]: crate::Simulation::take_passages
    pub fn judge_passages(&self, passages: &Passages, time_step: f64) -> Option<Violation> {
        let first = passages.described.first().filter(|_| self.tunnelling != Rule::Off)?;
        let how = match first.kind {
            PassageKind::BeyondMiddle { depth } => format!(
                "their contact is {depth:.3e} m deep, beyond the middle of the thinner one at {:.3e} m, at a relative \
                 speed of {:.3e} m/s",
                first.limit, first.speed
            ),
            PassageKind::Jump { displacement } => format!(
                "they moved by {displacement:.3e} m relative to each other in one step, at {:.3e} m/s, and no contact \
                 stopped them",
                first.speed
            ),
        };
        let advised = first.within(self.overlap_limit);
        let message = format!(
            "bodies {} and {} pass through each other: {how}. A contact that stops them needs a time step of at most \
             {:.2e} s (it is {time_step:.2e} s) and a stiffness of at least {:.2e} N/m",
            first.a.0,
            first.b.0,
            advised.time_step().min(time_step),
            advised.stiffness()
        );
        let mut pairs: Vec<(BodyId, BodyId)> =
            passages.described.iter().map(|passage| (passage.a, passage.b)).take(NAMED).collect();
        pairs.dedup();
        let bodies = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        let (guard, rule) = (Guard::Tunnelling, self.tunnelling);
        Some(Violation { guard, rule, message, bodies, pairs, count: passages.count })
    }

    fn not_finite(&self, world: &World) -> Option<Violation> {
        let bodies = &world.bodies;
        let is_sound = |k: usize| {
            let twist = &bodies.kinetic[k].twist;
            bodies.sphere[k].centre.is_finite()
                && twist.velocity.is_finite()
                && twist.spin.is_finite()
                && bodies.orientation[k].is_finite()
        };
        self.bodies_at_fault(
            world,
            Guard::NotFinite,
            self.not_finite,
            |k| (!is_sound(k)).then_some(0.0),
            |first, count| {
                format!(
                    "{} a position or velocity that is not a finite number, {first}. The time step may be too long",
                    are(count, "body has", "bodies have")
                )
            },
        )
    }

    fn domain(&self, world: &World) -> Option<Violation> {
        let (min, max) = self.bounds;
        let bodies = &world.bodies;
        let outside = |k: usize| {
            let centre = bodies.sphere[k].centre;
            let beyond = (min - centre).max(centre - max).max_element();
            (beyond > 0.0 && bodies.kinetic[k].tag.is_dynamic()).then_some(beyond)
        };
        self.bodies_at_fault(world, Guard::Domain, self.domain, outside, |first, count| {
            format!(
                "{} left the domain {} to {} m, {first}",
                are(count, "grain has", "grains have"),
                position(min),
                position(max)
            )
        })
    }

    /// Returns the violation of the bodies for which `fault` is not `None`; the largest value is
    /// the worst.
    fn bodies_at_fault(
        &self,
        world: &World,
        guard: Guard,
        rule: Rule,
        fault: impl Fn(usize) -> Option<f64>,
        message: impl FnOnce(&str, usize) -> String,
    ) -> Option<Violation> {
        if rule == Rule::Off {
            return None;
        }
        let bodies = &world.bodies;
        let found = (0..bodies.len()).filter_map(|k| Some((fault(k)?, BodyId(bodies.id[k]))));
        let mut found: Vec<(f64, BodyId)> = found.collect();
        found.sort_by(|(a, first), (b, second)| b.total_cmp(a).then(first.cmp(second)));
        let &(_, worst) = found.first()?;
        let first = format!("the worst is body {} at {} m", worst.0, position(world.position(worst)));
        let named = found.iter().take(NAMED).map(|&(_, id)| id).collect();
        let message = message(&first, found.len());
        Some(Violation { guard, rule, message, bodies: named, pairs: Vec::new(), count: found.len() })
    }

    fn overlap(&self, world: &World) -> Option<Violation> {
        if self.overlap == Rule::Off {
            return None;
        }
        let bodies = &world.bodies;
        let thicknesses: Vec<f64> = world.shapes.iter().map(thickness).collect();
        let limit_of = |k: usize| {
            let (radius, shape) = (bodies.sphere[k].radius, bodies.kinetic[k].tag.shape);
            // A wall has no middle.
            let middle = if radius.is_finite() { MIDDLE * thicknesses[shape.0 as usize] } else { radius };
            middle.min(2.0 * self.overlap_limit * radius)
        };
        // Few contacts exceed the least limit of all bodies. This test reads no data of bodies.
        let shallowest = (0..bodies.len()).map(limit_of).fold(f64::INFINITY, f64::min);
        let overlaps =
            world.contact_records().map(|(contact, _, roll)| (contact, -world.gap_of(contact, roll.is_generalised)));
        let too_deep = |(contact, overlap): (&Contact, f64)| {
            let limit = limit_of(contact.a as usize).min(limit_of(contact.b as usize));
            let pair = [contact.a, contact.b].map(|body| BodyId(bodies.id[body as usize]));
            (overlap > limit).then_some((overlap / limit, overlap, pair.into()))
        };
        let mut found: Vec<(f64, f64, (BodyId, BodyId))> =
            overlaps.filter(|&(_, overlap)| overlap > shallowest).filter_map(too_deep).collect();
        found.sort_by(|(a, _, first), (b, _, second)| b.total_cmp(a).then(first.cmp(second)));
        let &(part, overlap, (a, b)) = found.first()?;
        let message = format!(
            "{} too deep; the worst is that of bodies {} and {}: {:.3e} m where {:.3e} m are the limit, {} of the smaller \
             one's diameter or the middle of the thinner one. The contact is too soft for its load, or the time step too long",
            are(found.len(), "contact is", "contacts are"),
            a.0,
            b.0,
            overlap,
            overlap / part,
            self.overlap_limit
        );
        let mut pairs: Vec<(BodyId, BodyId)> = found.iter().map(|&(_, _, pair)| pair).take(NAMED).collect();
        pairs.dedup();
        let bodies = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        let (guard, rule) = (Guard::Overlap, self.overlap);
        Some(Violation { guard, rule, message, bodies, pairs, count: found.len() })
    }
}

/// Returns the advice on a ledger that does not close, by its cause: a time step that is too long
/// for the contacts, contacts that are too soft for their load, or neither.
fn ledger_advice(world: &World) -> String {
    let advice = TimeStepAdvice::of(world);
    if let Some(warning) = advice.warning(world.time_step()) {
        return format!("The cause is probably a long step: {warning}");
    }
    let bodies = &world.bodies;
    let radius = |body: u32| bodies.sphere[body as usize].radius;
    let relative = |(contact, _, rolling): (&Contact, &_, RollingState)| {
        let diameter = 2.0 * radius(contact.a).min(radius(contact.b));
        -world.gap_of(contact, rolling.is_generalised) / diameter
    };
    let deepest = world.contact_records().map(relative).fold(0.0, f64::max);
    if deepest > SOFT {
        return format!(
            "The cause is probably a soft contact: the deepest overlap is {:.1} % of the smaller body's diameter; a \
             higher stiffness (or modulus, or a shorter contact time) makes it smaller",
            100.0 * deepest
        );
    }
    format!(
        "The time step, {:.3e} s, is short enough for the contacts, and none is deeper than {} % of a diameter. A \
         measure of overlaps that conserves energy (`contact_model = \"moments\"`) or a shorter time step makes the \
         residual smaller",
        world.time_step(),
        100.0 * SOFT
    )
}

/// Returns the least extent along an axis of the shape, m; of a planar shape in its plane.
pub fn thickness(shape: &Shape) -> f64 {
    let bounds = shape.as_convex().aabb(&Pose::IDENTITY);
    (bounds.max - bounds.min).to_array().into_iter().filter(|&extent| extent > 0.0).fold(f64::INFINITY, f64::min)
}

/// Returns a number with a noun and its verb.
fn are(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Returns a position as text.
fn position(point: DVec3) -> String {
    format!("[{:.4e}, {:.4e}, {:.4e}]", point.x, point.y, point.z)
}

/// Tests with worlds that no public method can create. The others are in `tests/guards.rs`.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_worlds::shaken_box;

    const GUARDS: Guards = Guards {
        every: 100,
        not_finite: Rule::Stop,
        domain: Rule::Warn,
        bounds: (DVec3::splat(-0.1), DVec3::splat(0.2)),
        overlap: Rule::Stop,
        overlap_limit: 0.1,
        tunnelling: Rule::Stop,
        ledger: Rule::Stop,
        ledger_limit: 0.05,
    };

    #[test]
    fn the_worst_of_those_outside_comes_first() {
        let mut world = shaken_box();
        for (id, z) in [(7, 0.3), (9, -0.5), (11, 0.4)] {
            let k = world.index_of(BodyId(id));
            world.bodies.sphere[k].centre.z = z;
        }
        let [found] = &GUARDS.look(&world)[..] else { panic!("one violation") };
        assert_eq!((found.guard, found.rule, found.count), (Guard::Domain, Rule::Warn, 3));
        assert_eq!(found.bodies, [BodyId(9), BodyId(11), BodyId(7)]);
    }

    #[test]
    fn numbers_that_are_not_finite_are_found_wherever_they_are() {
        let changes: [fn(&mut World, usize); 4] = [
            |world, k| world.bodies.sphere[k].centre.x = f64::NAN,
            |world, k| world.bodies.kinetic[k].twist.velocity.y = f64::INFINITY,
            |world, k| world.bodies.kinetic[k].twist.spin.z = f64::NAN,
            |world, k| world.bodies.orientation[k].w = f64::NAN,
        ];
        for change in changes {
            let mut world = shaken_box();
            let k = world.index_of(BodyId(42));
            change(&mut world, k);
            let found = &GUARDS.look(&world)[0];
            assert_eq!((found.guard, &found.bodies[..]), (Guard::NotFinite, &[BodyId(42)][..]));
        }
    }
}
