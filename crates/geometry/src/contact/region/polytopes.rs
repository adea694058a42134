//! Overlap region of two polytopes: one is clipped by the face planes of the other. Volume,
//! centroid, and the derivatives of the volume with respect to the poses. A force that derives from
//! an energy W(V), `F = -W'(V) dV/dx`, conserves energy.

use std::cell::RefCell;

use glam::DVec3;

use super::cut_polytope::{CutPolytope, CutScratch, VolumeOfRegion};
use super::{MeasureGradient, OverlapRegion};
use crate::Pair;
use crate::contact::polytope::{Polytope, PolytopePair};

/// Memory that is reused from pair to pair.
#[derive(Default)]
struct Scratch {
    region: CutPolytope,
    cut: CutScratch,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Returns the overlap region of two polytopes; `None` if it has no volume.
pub(crate) fn region<A: Polytope, B: Polytope>(a: &A, b: &B, pair: &Pair) -> Option<OverlapRegion> {
    let reach = a.radius() + b.radius();
    if pair.offset.length_squared() >= reach * reach {
        return None;
    }
    // In the axes of a, where no digits are lost far from the origin of the world.
    let placed = PolytopePair::new(a, b, pair);
    SCRATCH.with_borrow_mut(|Scratch { region, cut }| {
        region.clear();
        for face in 0..a.face_count() {
            region.push(a.ring(face).iter().map(|&corner| a.corner(corner as usize)), true);
        }
        for face in 0..b.face_count() {
            let (normal, offset) = b.plane(face);
            let normal = placed.turn * normal;
            let offset = offset + normal.dot(placed.offset);
            if !region.cut(normal, offset, false, cut) {
                return None;
            }
        }
        let VolumeOfRegion { volume, centroid, gradient } = region.volume()?;
        let to_world = |v: DVec3| pair.orientation_a * v;
        let MeasureGradient { translation, rotation } = gradient;
        Some(OverlapRegion {
            volume,
            centroid: to_world(centroid),
            gradient: MeasureGradient { translation: to_world(translation), rotation: to_world(rotation) },
        })
    })
}

/// Returns the smooth overlap of the same region, in the axes of a: the reference of the faster
/// routine in `polytope_overlap.rs`.
#[cfg(test)]
pub(super) fn smooth_overlap_by_cutting<A: Polytope, B: Polytope>(
    a: &A,
    b: &B,
    pair: &Pair,
    thin: DVec3,
) -> Option<super::SmoothOverlap> {
    region(a, b, pair)?;
    SCRATCH.with_borrow(|scratch| scratch.region.smooth_overlap(thin))
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use crate::shape::{Box, Polyhedron, rock};
    use crate::{Pose, Shape, overlap_region};

    fn brick(x: f64, y: f64, z: f64) -> Shape {
        Box { half_sizes: DVec3::new(x, y, z) }.into()
    }

    fn stone(seed: f64) -> Shape {
        Polyhedron::new(rock([1.0, 0.8, 0.6], 14.0, seed).expect("a rock")).expect("a solid").into()
    }

    fn shared(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<OverlapRegion> {
        overlap_region(&Pair::new(a, pose_a, b, pose_b))
    }

    #[test]
    fn shifted_bricks_share_a_brick() {
        let (a, b) = (brick(1.0, 1.0, 1.0), brick(0.5, 2.0, 1.0));
        let region = shared(&a, &Pose::IDENTITY, &b, &Pose::at(DVec3::new(1.0, 0.5, 0.0))).expect("they overlap");
        assert!((region.volume - 0.5 * 2.0 * 2.0).abs() < 1e-14, "{region:?}");
        assert!((region.centroid - DVec3::new(0.75, 0.0, 0.0)).length() < 1e-14);
        // The whole face x = 1 of a lies in b.
        assert!((region.gradient.translation - DVec3::X * 4.0).length() < 1e-13, "{region:?}");
        assert_eq!(shared(&a, &Pose::IDENTITY, &b, &Pose::at(DVec3::X * 1.6)), None);
    }

    #[test]
    fn turned_slabs_share_an_octagonal_prism() {
        let slab = brick(1.0, 1.0, 0.5);
        let turn = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4);
        let pose = Pose { position: DVec3::Z * 0.75, orientation: turn };
        let region = shared(&slab, &Pose::IDENTITY, &slab, &pose).expect("they overlap");
        let octagon = 8.0 * (std::f64::consts::PI / 8.0).tan();
        assert!((region.volume - 0.25 * octagon).abs() < 1e-13);
        assert!((region.centroid - DVec3::Z * 0.375).length() < 1e-13);
        assert!(
            (region.gradient.translation - DVec3::Z * octagon).length() < 1e-13
                && region.gradient.rotation.length() < 1e-13
        );
    }

    #[test]
    fn a_body_shares_all_of_itself() {
        let (a, pose) =
            (stone(3.0), Pose { position: DVec3::new(3.0, -1.0, 2.0), orientation: DQuat::from_rotation_x(0.3) });
        let region = shared(&a, &pose, &a, &pose).expect("they overlap");
        let volume = a.as_convex().mass_properties().volume;
        assert!((region.volume - volume).abs() < 1e-13 && region.centroid.length() < 1e-13);
    }

    #[test]
    fn push_and_turn_are_the_derivatives_of_the_volume() {
        // Step of the finite difference. Its rounding error is 1e-10. If a corner passes a face
        // within the step, the derivative changes by the step times a length of the bodies at most.
        const STEP: f64 = 1e-6;
        const USUAL: f64 = 1e-8;
        let (mut tried, mut bent) = (0, 0);
        let mut see = |slope: f64, derivative: f64| {
            assert!((slope - derivative).abs() < 4.0 * STEP, "{slope} {derivative}");
            bent += usize::from((slope - derivative).abs() > USUAL);
        };
        for k in 0..200 {
            let part = |rate: f64| (k as f64 * rate).fract();
            let turned = |rates: [f64; 3]| DQuat::from_scaled_axis(6.0 * DVec3::from_array(rates.map(part)));
            let (a, b) = if k % 2 == 0 {
                (stone(part(0.7)), brick(0.4, 0.3, 0.2))
            } else {
                (brick(0.5, 0.2, 0.3), stone(part(0.3)))
            };
            let pose_a = Pose { position: DVec3::new(3.0, -1.0, 2.0), orientation: turned([0.41, 0.73, 0.57]) };
            let away = DVec3::new(part(0.618), part(0.324), part(0.755)) - 0.5;
            let pose_b = Pose { position: pose_a.position + away, orientation: turned([0.83, 0.17, 0.39]) };
            let Some(region) = shared(&a, &pose_a, &b, &pose_b) else { continue };
            tried += 1;
            let volume =
                |pose_a: &Pose, pose_b: &Pose| shared(&a, pose_a, &b, pose_b).map_or(0.0, |region| region.volume);
            let back = shared(&b, &pose_b, &a, &pose_a).expect("they overlap");
            assert!(
                (region.volume - back.volume).abs() < 1e-14
                    && (region.gradient.translation + back.gradient.translation).length() < 1e-13
            );
            for axis in DVec3::AXES {
                let at = |step: f64| Pose { position: pose_b.position + step * axis, ..pose_b };
                let slope = (volume(&pose_a, &at(STEP)) - volume(&pose_a, &at(-STEP))) / (2.0 * STEP);
                see(slope, -region.gradient.translation.dot(axis));
                let at =
                    |step: f64| Pose { orientation: DQuat::from_axis_angle(axis, step) * pose_a.orientation, ..pose_a };
                let slope = (volume(&at(STEP), &pose_b) - volume(&at(-STEP), &pose_b)) / (2.0 * STEP);
                see(slope, region.gradient.rotation.dot(axis));
            }
        }
        assert!(tried > 100 && bent * 100 < 6 * tried, "{bent} of {tried} pairs, six slopes each");
    }
}
