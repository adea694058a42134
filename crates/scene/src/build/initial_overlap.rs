//! Check that no two bodies overlap at the start of a run.
//!
//! A contact that starts compressed would release elastic energy that no body has brought in.

use std::ops::Range;

use granum_engine::World;
use granum_geometry::{Kind, Manifold, Measure, Pair, collide};

use crate::error::SceneError;
use crate::read::source::Source;

/// Accepted overlap relative to the smaller bounding radius: it covers the rounding of positions.
const ROUNDING: f64 = 1e-9;

/// Beginning of the names of the faces of the `[container]`.
const CONTAINER: &str = "container ";

/// The bodies that a field of the scene has created.
pub struct Owner {
    pub ids: Range<u32>,
    /// The field.
    pub path: String,
    pub accepted: Accepted,
}

/// Overlaps of the bodies of an owner that are accepted, m.
#[derive(Clone, Copy, Debug)]
pub struct Accepted {
    /// Of two bodies of the owner.
    pub among: f64,
    /// Of a body of the owner and one of another.
    pub others: f64,
}

impl Accepted {
    /// No overlap.
    pub const NONE: Self = Self { among: 0.0, others: 0.0 };
    /// Every overlap.
    pub const ALL: Self = Self { among: f64::INFINITY, others: f64::INFINITY };
}

/// Returns an error if two bodies overlap more than their owners accept.
pub fn check(source: &Source, world: &World, owners: &[Owner]) -> Result<(), SceneError> {
    let mut manifold = Manifold::default();
    for (a, b) in world.near_pairs(0.0) {
        let [first, second] = [a, b].map(|id| owner(owners, id.0));
        let accepted = accepted(first, second);
        if accepted == f64::INFINITY {
            continue;
        }
        let [one, other] = [a, b].map(|id| world.body(id).expect("a body of this world"));
        let radius = world.bounding_radius(a).min(world.bounding_radius(b));
        let pair = Pair {
            a: world.shape(one.shape),
            b: world.shape(other.shape),
            offset: other.position - one.position,
            orientation_a: one.orientation,
            orientation_b: other.orientation,
            margin: 0.0,
            warm: None,
        };
        collide(Measure::Depth, &pair, &mut manifold);
        let deepest = manifold.deepest().map_or(0.0, |point| -point.gap);
        if deepest > (ROUNDING * radius).max(accepted) {
            // An error names the grain, also if the wall has the lower id.
            let (body, other, [of_body, of_other]) =
                if one.is_grain() { (one, other, [first, second]) } else { (other, one, [second, first]) };
            let (path, obstacle) = (path(of_body), path(of_other));
            let first = of_body.map_or(0, |owner| owner.ids.start);
            let centre = body.position;
            let container = obstacle.starts_with(CONTAINER);
            let article = if container { "the " } else { "" };
            let which = format!("body {} at [{:.4e}, {:.4e}, {:.4e}]", body.id.0 - first, centre.x, centre.y, centre.z);
            let wall = world.shape(other.shape).as_convex();
            let is_around = container || is_container(world.shape(other.shape).kind());
            let reason = if !is_around {
                format!(
                    "{which} overlaps a body of {obstacle} by {deepest:.3e} m at the start; bodies must start apart, \
                     unless their [[grains]] table has allow_overlap = true"
                )
            } else if wall.inside_outside(other.orientation.inverse() * (centre - other.position)) < 0.0 {
                format!("{which} is outside {article}{obstacle} at the start; move it inside")
            } else {
                format!(
                    "{which} extends beyond {article}{obstacle} by {deepest:.3e} m at the start; move it inward, or \
                     give its [[grains]] table allow_overlap = true"
                )
            };
            return Err(source.error(path, reason));
        }
    }
    Ok(())
}

/// Returns whether a shape is a hollow body around the grains.
fn is_container(kind: Kind) -> bool {
    matches!(kind, Kind::InsideSphere | Kind::InsideEllipsoid | Kind::InsideCylinder | Kind::InsideCircle)
}

/// Returns the overlap that two owners accept, m.
fn accepted(one: Option<&Owner>, other: Option<&Owner>) -> f64 {
    let (Some(one), Some(other)) = (one, other) else { return 0.0 };
    if one.ids == other.ids { one.accepted.among } else { one.accepted.others.max(other.accepted.others) }
}

/// Returns the owner of a body.
fn owner(owners: &[Owner], id: u32) -> Option<&Owner> {
    owners.get(owners.partition_point(|owner| owner.ids.end <= id)).filter(|owner| owner.ids.contains(&id))
}

fn path(owner: Option<&Owner>) -> &str {
    owner.map_or("grains", |owner| owner.path.as_str())
}
