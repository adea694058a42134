//! Free flight: motion without forces during half a step, and the distances that bodies may travel.

use glam::DVec3;
use rayon::prelude::*;

use crate::rotation::free_rotation::FreeRotation;
use crate::rotation::series::{self, LARGEST_TURN};
use crate::rotation::{self, InertiaKind};
use crate::state::World;
use crate::state::bodies::Bodies;

/// Bodies in a block of parallel work.
const BLOCK: usize = 256;

/// Largest angle of a flight for which the splitting of `rotation` replaces the closed form, rad. Its
/// error, which grows with the fifth power of the angle, is below 1e-14, and it costs a tenth.
const SMALL_TURN: f64 = 5e-3;

/// Returns whether a body has three different moments of inertia. Others have a cheap closed form in
/// `rotation`.
fn is_asymmetric(inertia: InertiaKind) -> bool {
    matches!(inertia, InertiaKind::Asymmetric { .. })
}

/// Moves all dynamic bodies without forces for the time `t`, s. Returns the largest displacement of a
/// centre, m.
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
                // Compensated sum: the part that rounding removes is added in the next flight.
                let displacement = moved + *remainder;
                let centre = place.centre + displacement;
                *remainder = displacement - (centre - place.centre);
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

/// Returns the distance within which contacts of each body are searched, m, by storage index: the
/// largest travel distance of the body and of its neighbours, because a body that is struck may become
/// as fast as the one that strikes it.
pub fn search_distances(world: &World, pairs: &[[u32; 2]]) -> Vec<f64> {
    let travel = travel_distances(world);
    let mut distances = travel.clone();
    for pair in pairs {
        let [a, b] = pair.map(|k| k as usize);
        // The last chunk of the list is padded with pairs of no bodies.
        let (Some(one), Some(other)) = (world.bodies.place.get(a), world.bodies.place.get(b)) else { continue };
        let radii = one.radius + other.radius;
        // An unbounded body is a wall, which is not accelerated.
        if radii.is_finite() && one.centre.distance_squared(other.centre) < radii * radii {
            distances[a] = distances[a].max(travel[b]);
            distances[b] = distances[b].max(travel[a]);
        }
    }
    distances
}

/// Returns an upper bound of the distance that a point of each body travels in a step without
/// contacts, m, by storage index.
pub fn travel_distances(world: &World) -> Vec<f64> {
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
