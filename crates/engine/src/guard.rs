//! Guards: signs that a run no longer means anything, looked for between steps.
//!
//! Input: a `&World`; nothing is changed. Output: a [`Violation`] for each guard that has something to say. Bodies and
//! contacts are read once, so that a look every hundred steps is lost in the time of the steps. The ledger takes a sum
//! in order and is looked at when there is one anyway.

use glam::DVec3;
use granum_geometry::{Pose, Shape};
use serde::{Deserialize, Serialize};

use crate::energy::Energy;
use crate::state::{BodyId, Contact, World};

/// Most bodies, or pairs, that a violation names: the rest is counted.
const NAMED: usize = 8;

/// Part of the energies in a ledger that rounding may lose: a sum over a million bodies keeps ten digits.
const LEDGER_ROUNDING: f64 = 1e-10;

/// Part of a body's thickness where its middle is: from there the least way out is on the other side.
const MIDDLE: f64 = 0.5;

/// What to do when a guard is violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// End the run.
    Stop,
    /// Say so and go on.
    Warn,
    /// Do not look.
    Off,
}

/// What is watched, and with what limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guards {
    /// Steps from one look to the next; the ledger is looked at when it is written.
    pub every: u64,
    /// Positions, orientations, velocities and spins that are not finite numbers.
    pub not_finite: Rule,
    /// Centres of grains outside the domain.
    pub domain: Rule,
    /// The domain's corners, m; an infinite coordinate bounds nothing.
    pub bounds: (DVec3, DVec3),
    /// Contacts that are too deep.
    pub overlap: Rule,
    /// The deepest overlap, as a part of the diameter of the smaller body's bounding ball; in no case one that passes the middle of
    /// the thinner body.
    pub overlap_limit: f64,
    /// A ledger that does not close.
    pub ledger: Rule,
    /// The largest residual, as a part of the energy that was turned over.
    pub ledger_limit: f64,
}

/// Which guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Guard {
    /// Numbers that are not finite.
    NotFinite,
    /// Grains outside the domain.
    Domain,
    /// Contacts that are too deep.
    Overlap,
    /// A ledger that does not close.
    Ledger,
}

impl Guard {
    /// Its name in scenes and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotFinite => "not_finite",
            Self::Domain => "domain",
            Self::Overlap => "overlap",
            Self::Ledger => "ledger",
        }
    }
}

/// A guard that has something to say.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// Which one.
    pub guard: Guard,
    /// What is to be done.
    pub rule: Rule,
    /// What is wrong, as the end of a sentence that begins with step and time.
    pub message: String,
    /// The bodies at fault, the worst first, a few at most.
    pub bodies: Vec<BodyId>,
    /// The pairs at fault, the worst first, a few at most.
    pub pairs: Vec<(BodyId, BodyId)>,
    /// How many bodies or pairs are at fault.
    pub count: usize,
}

impl Guards {
    /// The first step after `step` at which to look.
    pub fn next_look(&self, step: u64) -> u64 {
        (step / self.every + 1) * self.every
    }

    /// Looks at bodies and contacts.
    pub fn look(&self, world: &World) -> Vec<Violation> {
        [self.not_finite(world), self.domain(world), self.overlap(world)].into_iter().flatten().collect()
    }

    /// Looks at the ledger: what there is `now` against what there was at the `start`.
    pub fn look_at_ledger(&self, now: &Energy, start: &Energy) -> Option<Violation> {
        if self.ledger == Rule::Off {
            return None;
        }
        let residual = now.residual(start).abs();
        let turned_over = now.turned_over(start);
        let rounding = LEDGER_ROUNDING * (now.total().abs() + start.total().abs());
        // Put this way round, a sum that is not a number does not pass.
        if residual <= self.ledger_limit * turned_over + rounding {
            return None;
        }
        let message = format!(
            "the energy ledger does not close: {residual:.3e} J are missing or too much, {:.1e} of the {turned_over:.3e} J \
             that were turned over; the limit is {}. A shorter time step makes it smaller",
            residual / turned_over,
            self.ledger_limit
        );
        let (guard, rule) = (Guard::Ledger, self.ledger);
        Some(Violation { guard, rule, message, bodies: Vec::new(), pairs: Vec::new(), count: 1 })
    }

    fn not_finite(&self, world: &World) -> Option<Violation> {
        let bodies = &world.bodies;
        let is_sound = |k: usize| {
            let twist = &bodies.kinetic[k].twist;
            bodies.place[k].centre.is_finite()
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
                    "{} at no finite place or velocity, {first}. The time step may be too long",
                    are(count, "body is", "bodies are")
                )
            },
        )
    }

    fn domain(&self, world: &World) -> Option<Violation> {
        let (min, max) = self.bounds;
        let bodies = &world.bodies;
        let outside = |k: usize| {
            let centre = bodies.place[k].centre;
            let beyond = (min - centre).max(centre - max).max_element();
            (beyond > 0.0 && bodies.kinetic[k].tag.is_dynamic()).then_some(beyond)
        };
        self.bodies_at_fault(world, Guard::Domain, self.domain, outside, |first, count| {
            format!(
                "{} left the domain {} to {} m, {first}",
                are(count, "grain has", "grains have"),
                place(min),
                place(max)
            )
        })
    }

    /// The violation of the bodies for which `fault` gives how bad they are, if there are any.
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
        let first = format!("body {} at {} m above all", worst.0, place(world.position(worst)));
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
            let (radius, shape) = (bodies.place[k].radius, bodies.kinetic[k].tag.shape);
            // Walls have no middle to pass.
            let middle = if radius.is_finite() { MIDDLE * thicknesses[shape.0 as usize] } else { radius };
            middle.min(2.0 * self.overlap_limit * radius)
        };
        // Few contacts pass this test, which reads nothing of the bodies.
        let shallowest = (0..bodies.len()).map(limit_of).fold(f64::INFINITY, f64::min);
        let overlaps =
            world.contact_records().map(|(contact, _, roll)| (contact, -roll.jacobian.distance(contact.gap)));
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
            "{} too deep, that of bodies {} and {} above all: {:.3e} m where {:.3e} m are the limit, {} of the smaller \
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

/// Least extent along an axis of the shape, m; that of a planar one in its plane.
pub fn thickness(shape: &Shape) -> f64 {
    let bounds = shape.as_convex().aabb(&Pose::IDENTITY);
    (bounds.max - bounds.min).to_array().into_iter().filter(|&extent| extent > 0.0).fold(f64::INFINITY, f64::min)
}

/// A number of things with their verb.
fn are(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A place for people.
fn place(point: DVec3) -> String {
    format!("[{:.4e}, {:.4e}, {:.4e}]", point.x, point.y, point.z)
}

/// Tests that need worlds which no method makes: the others are in `tests/guards.rs`.
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
        ledger: Rule::Stop,
        ledger_limit: 0.05,
    };

    #[test]
    fn the_worst_of_those_outside_comes_first() {
        let mut world = shaken_box();
        for (id, z) in [(7, 0.3), (9, -0.5), (11, 0.4)] {
            let k = world.index_of(BodyId(id));
            world.bodies.place[k].centre.z = z;
        }
        let [found] = &GUARDS.look(&world)[..] else { panic!("one violation") };
        assert_eq!((found.guard, found.rule, found.count), (Guard::Domain, Rule::Warn, 3));
        assert_eq!(found.bodies, [BodyId(9), BodyId(11), BodyId(7)]);
    }

    #[test]
    fn numbers_that_are_not_finite_are_found_wherever_they_are() {
        let changes: [fn(&mut World, usize); 4] = [
            |world, k| world.bodies.place[k].centre.x = f64::NAN,
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
