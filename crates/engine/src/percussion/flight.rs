//! Free flight: bodies move and turn by themselves for half a step.

use glam::DVec3;
use rayon::prelude::*;

use crate::rotation::free_rotation::FreeRotation;
use crate::rotation::series::{self, LARGEST_TURN};
use crate::rotation::{self, InertiaKind};
use crate::state::World;
use crate::state::bodies::Bodies;

/// Bodies in a block of parallel work.
const BLOCK: usize = 256;

/// Angle per flight up to which the splitting of `rotation` stands for the closed form, rad: its error, which grows with the fifth
/// power, is below 1e-14 there, and it costs a tenth.
const SMALL_TURN: f64 = 5e-3;

/// Whether a body has three different moments. A ball and a symmetric top have their closed form in `rotation`.
fn is_asymmetric(top: InertiaKind) -> bool {
    matches!(top, InertiaKind::Asymmetric { .. })
}

/// Moves every body on for the time `t`, s, without forces. Returns the largest distance a centre moved, m.
pub fn fly(world: &mut World, t: f64) -> f64 {
    let Bodies { place, remainder, orientation, kinetic, angular_momentum, inverse_moments, .. } = &mut world.bodies;
    let farthest_squared = place
        .par_chunks_mut(BLOCK)
        .zip(orientation.par_chunks_mut(BLOCK))
        .zip(kinetic.par_chunks_mut(BLOCK))
        .zip(remainder.par_chunks_mut(BLOCK))
        .zip(angular_momentum.par_chunks(BLOCK).zip(inverse_moments.par_chunks(BLOCK)))
        .map(|((((place, orientation), kinetic), remainder), (angular, inverse_moments))| {
            let mut farthest_squared = 0f64;
            let moving = place.iter_mut().zip(orientation).zip(kinetic).zip(remainder);
            for ((((place, orientation), kinetic), remainder), (&angular, &inverse_moments)) in
                moving.zip(angular.iter().zip(inverse_moments))
            {
                if !kinetic.tag.is_dynamic() {
                    continue;
                }
                let moved = t * kinetic.twist.velocity;
                farthest_squared = farthest_squared.max(moved.length_squared());
                // What rounding keeps from the centre is kept for the next time.
                let wanted = moved + *remainder;
                let centre = place.centre + wanted;
                *remainder = wanted - (centre - place.centre);
                place.centre = centre;
                if kinetic.tag.inertia == InertiaKind::Spherical {
                    *orientation = rotation::turn(*orientation, t * kinetic.twist.spin);
                } else if angular != DVec3::ZERO {
                    let turn = t * kinetic.twist.spin.length();
                    *orientation = if turn <= SMALL_TURN || !is_asymmetric(kinetic.tag.inertia) {
                        rotation::rotate(*orientation, angular, inverse_moments, kinetic.tag.inertia, t)
                    } else {
                        let spin = orientation.conjugate() * kinetic.twist.spin;
                        let moments = inverse_moments.recip();
                        match turn <= LARGEST_TURN {
                            true => series::turned(*orientation, spin, moments, t),
                            false => FreeRotation::new(moments, spin, *orientation).at(t).1.normalize(),
                        }
                    };
                    kinetic.twist.spin = rotation::spin(*orientation, angular, inverse_moments);
                }
            }
            farthest_squared
        })
        .reduce(|| 0.0, f64::max);
    farthest_squared.sqrt()
}

/// How far ahead contacts of each body are looked for, m, by storage index: as far as any body near it may come in a step, because a
/// body that is struck may become as fast as what strikes it.
pub fn looks(world: &World, pairs: &[[u32; 2]]) -> Vec<f64> {
    let reaches = reaches(world);
    let mut looks = reaches.clone();
    for pair in pairs {
        let [a, b] = pair.map(|k| k as usize);
        // Lists are filled up with pairs of nothing.
        let (Some(one), Some(other)) = (world.bodies.place.get(a), world.bodies.place.get(b)) else { continue };
        let reach = one.radius + other.radius;
        // What is not bounded is a wall, which nothing makes faster.
        if reach.is_finite() && one.centre.distance_squared(other.centre) < reach * reach {
            looks[a] = looks[a].max(reaches[b]);
            looks[b] = looks[b].max(reaches[a]);
        }
    }
    looks
}

/// How far a point of each body may come in a step, m, by storage index.
pub fn reaches(world: &World) -> Vec<f64> {
    let (dt, gravity) = (world.time_step(), world.gravity.length());
    let bodies = &world.bodies;
    let of = |k: usize| {
        let (kinetic, radius) = (&bodies.kinetic[k], bodies.place[k].radius);
        let turning = if radius.is_finite() { kinetic.twist.spin.length() * radius } else { 0.0 };
        let falling = if kinetic.tag.is_dynamic() { gravity * dt } else { 0.0 };
        dt * (kinetic.twist.velocity.length() + turning + falling)
    };
    (0..bodies.len()).map(of).collect()
}
