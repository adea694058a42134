//! Forecast of tunnelling before a run, for `granum check`: from the greatest speed of the scene,
//! the stiffness of its contacts and the thickness of its bodies.

use std::collections::BTreeMap;

use super::{Passage, PassageKind};
use crate::guard::thickness;
use crate::smooth::ContactLaw;
use crate::state::{BodyId, MaterialId, MotionKind, World};
use crate::time_step::{IncomingGrains, greatest_speed};

/// A body as the forecast sees it.
#[derive(Clone, Copy)]
struct Collider {
    id: BodyId,
    material: MaterialId,
    inverse_mass: f64,
    /// Half the least thickness, m.
    half_thickness: f64,
}

impl Passage {
    /// Returns the pair of bodies that is most likely to pass through each other at the greatest
    /// speed of the world; `None` if all contacts stop their bodies before the middle, and no body
    /// moves by more than half its thickness in a step.
    ///
    /// The speed is that of the fastest body and of a fall through the height of the scene, so that
    /// the forecast may be too careful. Dashpots are neglected. Percussions need no forecast.
    /// `time_step` is that of the run, s.
    pub fn forecast(world: &World, incoming: &[IncomingGrains], time_step: f64) -> Option<Self> {
        if world.percussion.is_some() {
            return None;
        }
        let speed = greatest_speed(world, incoming);
        let colliders = colliders(world);
        let grains = colliders.iter().filter(|body| body.inverse_mass > 0.0);
        let walls: Vec<&Collider> = colliders.iter().filter(|body| body.inverse_mass == 0.0).collect();
        let mut worst: Option<(f64, Self)> = None;
        for grain in grains {
            // A grain meets another one of its kind, and every wall.
            for other in walls.iter().copied().chain([grain]) {
                let Some((severity, passage)) = forecast_of(world, [speed, time_step], grain, other) else { continue };
                if worst.as_ref().is_none_or(|(most, _)| severity > *most) {
                    worst = Some((severity, passage));
                }
            }
        }
        worst.map(|(_, passage)| passage)
    }

    /// Returns the warning of a forecast, as a sentence. `time_step` is that of the run, s, and
    /// `overlap_limit` the largest overlap relative to the width of a body.
    pub fn warning(&self, time_step: f64, overlap_limit: f64) -> String {
        let advised = self.within(overlap_limit);
        let what = match self.kind {
            PassageKind::BeyondMiddle { .. } => "its contact is too soft to stop it before the middle of the body",
            PassageKind::Jump { .. } => "it moves by more than half its thickness in a step",
        };
        let other = if self.a == self.b { "another of its kind".to_owned() } else { format!("body {}", self.b.0) };
        format!(
            "at {:.3e} m/s, the greatest speed that is expected, body {} may pass through {other}: {what}; a contact that \
             stops it needs a time step of at most {:.2e} s (it is {time_step:.2e} s) and a stiffness of at least {:.2e} N/m",
            self.speed,
            self.a.0,
            advised.time_step().min(time_step),
            advised.stiffness()
        )
    }
}

/// Returns one body of each kind: of equal shape, material and motion.
fn colliders(world: &World) -> Vec<Collider> {
    let bodies = &world.bodies;
    let mut kinds = BTreeMap::new();
    for k in 0..bodies.len() {
        let (kinetic, id) = (&bodies.kinetic[k], BodyId(bodies.id[k]));
        let tag = &kinetic.tag;
        if tag.motion == MotionKind::Removed {
            continue;
        }
        let least = kinds.entry((tag.shape.0, tag.material.0, tag.is_dynamic())).or_insert(Collider {
            id,
            material: tag.material,
            inverse_mass: kinetic.inverse_mass,
            half_thickness: match bodies.sphere[k].radius.is_finite() {
                true => 0.5 * thickness(&world.shapes[tag.shape.0 as usize]),
                false => f64::INFINITY,
            },
        });
        least.id = least.id.min(id);
    }
    kinds.into_values().collect()
}

/// Returns the forecast for a grain and another body with a measure of its severity.
fn forecast_of(
    world: &World,
    [speed, time_step]: [f64; 2],
    grain: &Collider,
    other: &Collider,
) -> Option<(f64, Passage)> {
    let law: &ContactLaw = world.laws.get(grain.material, other.material)?;
    let inverse_mass = grain.inverse_mass + other.inverse_mass;
    let limit = grain.half_thickness.min(other.half_thickness);
    let at_limit = law.normal.at(limit, inverse_mass, inverse_mass, 1.0 / limit);
    let softness = 0.5 * speed * speed / (inverse_mass * at_limit.energy);
    let displacement = speed * time_step;
    let jump = displacement / grain.half_thickness;
    let kind = if jump >= 1.0 {
        PassageKind::Jump { displacement }
    } else if softness > 1.0 {
        PassageKind::BeyondMiddle { depth: limit }
    } else {
        return None;
    };
    let passage = Passage {
        step: world.steps(),
        time: world.time(),
        a: grain.id,
        b: other.id,
        kind,
        limit,
        speed,
        reduced_mass: 1.0 / inverse_mass,
    };
    Some((jump.max(softness), passage))
}
