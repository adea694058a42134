//! Free flight: motion without forces during half a step, and the distances that bodies may travel.

use glam::DVec3;
use rayon::prelude::*;

use super::guided;
use crate::execution::Execution;
use crate::rotation::RotationalState;
use crate::state::World;
use crate::state::bodies::Bodies;

/// Bodies in a block of parallel work.
const BLOCK: usize = 256;

/// Moves all dynamic bodies without forces for the time `t`, s. Returns the largest displacement of
/// a centre, m.
pub fn fly(execution: Execution, world: &mut World, t: f64) -> f64 {
    let Bodies { sphere, remainder, orientation, kinetic, angular_momentum, inverse_moments, .. } = &mut world.bodies;
    let blocks = sphere
        .par_chunks_mut(BLOCK)
        .zip(orientation.par_chunks_mut(BLOCK))
        .zip(kinetic.par_chunks_mut(BLOCK))
        .zip(remainder.par_chunks_mut(BLOCK))
        .zip(angular_momentum.par_chunks_mut(BLOCK).zip(inverse_moments.par_chunks(BLOCK)));
    let farthest_squared =
        execution.greatest(blocks, |((((sphere, orientation), kinetic), remainder), (angular, inverse_moments))| {
            let mut farthest_squared = 0f64;
            let moving = sphere.iter_mut().zip(orientation).zip(kinetic).zip(remainder);
            for ((((sphere, orientation), kinetic), remainder), (angular_momentum, inverse_moments)) in
                moving.zip(angular.iter_mut().zip(inverse_moments))
            {
                if !kinetic.tag.is_dynamic() {
                    continue;
                }
                let moved = t * kinetic.twist.velocity;
                farthest_squared = farthest_squared.max(moved.length_squared());
                // Compensated sum: the part that rounding removes is added in the next flight.
                let displacement = moved + *remainder;
                let centre = sphere.centre + displacement;
                *remainder = displacement - (centre - sphere.centre);
                sphere.centre = centre;
                let mut rotation = RotationalState {
                    inertia: kinetic.tag.inertia,
                    orientation,
                    spin: &mut kinetic.twist.spin,
                    angular_momentum,
                    inverse_moments,
                };
                rotation.rotate_freely(t);
            }
            farthest_squared
        });
    farthest_squared.sqrt()
}

/// Returns the distance within which contacts of each body are searched, m, by storage index: the
/// largest travel distance of the body and of its neighbours, because a body that is struck may
/// become as fast as the one that strikes it.
pub fn search_distances(world: &World, pairs: &[[u32; 2]]) -> Vec<f64> {
    let travel = travel_distances(world);
    let mut distances = travel.clone();
    for pair in pairs {
        let [a, b] = pair.map(|k| k as usize);
        // The last chunk of the list is padded with pairs of no bodies.
        let (Some(one), Some(other)) = (world.bodies.sphere.get(a), world.bodies.sphere.get(b)) else { continue };
        let radii = one.radius + other.radius;
        // A wall that moves along an axis may become as fast as any grain that strikes it.
        for (wall, grain) in [(a, b), (b, a)] {
            if world.bodies.kinetic[wall].tag.is_guided() {
                distances[wall] = distances[wall].max(travel[grain]);
            }
        }
        // Another unbounded body is a wall that is not accelerated.
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
    // An unbounded wall that rotates moves the faster the farther from its axis a grain touches it.
    let farthest_grain = |centre: DVec3| {
        let grains = bodies.sphere.iter().filter(|sphere| sphere.radius.is_finite());
        grains.map(|sphere| sphere.centre.distance(centre) + sphere.radius).fold(0.0, f64::max)
    };
    let of = |k: usize| {
        let (kinetic, sphere) = (&bodies.kinetic[k], &bodies.sphere[k]);
        let spin = kinetic.twist.spin;
        let is_swept = || {
            let shape = world.shapes[kinetic.tag.shape.0 as usize].as_convex();
            shape.is_swept_by(bodies.orientation[k].conjugate() * spin)
        };
        let turning = if sphere.radius.is_finite() {
            spin.length() * sphere.radius
        } else if spin != DVec3::ZERO && is_swept() {
            spin.length() * farthest_grain(sphere.centre)
        } else {
            0.0
        };
        let falling = match kinetic.tag.is_guided() {
            true => guided::greatest_change(world, k),
            false if kinetic.tag.is_dynamic() => gravity * dt,
            false => 0.0,
        };
        dt * (kinetic.twist.velocity.length() + turning + falling)
    };
    (0..bodies.len()).map(of).collect()
}
