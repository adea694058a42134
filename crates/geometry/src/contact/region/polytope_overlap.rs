//! The smooth overlap of two boxes or polyhedra.
//!
//! The surface of the overlap region consists of the parts of a's faces inside b and of b's faces
//! inside a. Each face is clipped on its own by the planes of the other body. Three tests leave
//! little to clip:
//!
//! - Only faces near the contact matter. With the heights along a direction n from a to b, the
//!   region lies between the lowest corner of b and the highest corner of a. Faces of a that lie
//!   below, and faces of b that lie above, bound no part of it.
//! - Each corner has a bit for every plane of the other body beyond which it lies. A face whose
//!   corners share a bit is outside.
//! - A face is clipped only by planes beyond which one of its corners lies.
//!
//! `polytopes.rs` computes the same region by cutting a closed surface, and is the reference in the
//! tests.

use std::cell::RefCell;

use glam::DVec3;

use super::SmoothOverlap;
use super::cut_polytope::clip;
use super::polyhedron_moments::RegionSurface;
use crate::contact::polytope::{Polytope, PolytopePair};

/// Distance by which body b is enlarged, relative to the size of the pair: some rounding errors of
/// a coordinate. If faces of both bodies lie in parallel planes that differ by rounding only,
/// exactly one of them then bounds the region.
const ENLARGEMENT: f64 = 4e-15;

/// Angle, rad, and distance, relative to the size of the pair, up to which two faces coincide: the
/// face of a bounds the region and that of b is left out. At such angles the line in which the
/// faces intersect is lost to rounding, and a strip between its two copies would belong to neither
/// face. The overlap changes by about 1e-9 of itself times the cube of its ratio to the width.
const COINCIDENT: f64 = 1e-9;

/// Cosine of the angle between normals beyond which faces clearly do not coincide.
const NEARLY_PARALLEL: f64 = 0.999;

/// Overlap along n, relative to the size of the pair, up to which bodies only touch: it is too thin
/// for second moments that are larger than their rounding errors.
const TOUCHING: f64 = 1e-12;

/// Number of planes that have a bit of their own. All further planes share the last bit.
const OWN_BITS: usize = 63;
const SHARED_BIT: u64 = 1 << OWN_BITS;

/// One of the two bodies, in the axes of a, from the centre of a.
#[derive(Default)]
struct Side {
    corners: Vec<DVec3>,
    /// Heights of the corners along n, m.
    heights: Vec<f64>,
    /// The faces near the contact, and their planes: outward normal and distance from the origin.
    faces: Vec<u16>,
    planes: Vec<(DVec3, f64)>,
    /// For each corner, the planes of the other body beyond which it lies.
    outside: Vec<u64>,
    /// For each selected face, the selected face of the other body with which it coincides.
    twins: Vec<Option<u16>>,
}

/// Scratch of a thread, kept from pair to pair.
#[derive(Default)]
struct Scratch {
    sides: [Side; 2],
    region: RegionSurface,
    polygons: [Vec<DVec3>; 2],
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Returns the smooth overlap of two polytopes, in the axes of a and from its centre; `None` if
/// they share no volume or touch only. `n` is a unit vector along which they overlap least, or
/// nearly so.
pub(super) fn smooth_overlap<A: Polytope, B: Polytope>(placed: &PolytopePair<A, B>, n: DVec3) -> Option<SmoothOverlap> {
    SCRATCH.with_borrow_mut(|scratch| {
        let Scratch { sides: [side_a, side_b], region, polygons } = scratch;
        side_a.place(placed.a, n, |corner| placed.a.corner(corner));
        side_b.place(placed.b, n, |corner| placed.corner_b(corner));
        let highest = side_a.heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let lowest = side_b.heights.iter().copied().fold(f64::INFINITY, f64::min);
        let size = placed.size();
        if highest - lowest <= TOUCHING * size {
            return None;
        }
        // Only b is enlarged: its planes move outwards for the corners of a, and the planes of a
        // move inwards for the corners of b.
        let tolerance = ENLARGEMENT * size;
        side_a.select(placed.a, |height| height > lowest - tolerance, |face| placed.a.plane(face));
        side_b.select(
            placed.b,
            |height| height < highest + tolerance,
            |face| {
                let normal = placed.b.normal_in(face, &placed.turn);
                (normal, placed.b.plane(face).1 + normal.dot(placed.offset))
            },
        );
        side_a.compare(&side_b.planes, tolerance);
        side_b.compare(&side_a.planes, -tolerance);
        side_a.find_twins(side_b, COINCIDENT * size);
        region.clear();
        side_a.add_faces(placed.a, true, &side_b.planes, tolerance, polygons, region);
        side_b.add_faces(placed.b, false, &side_a.planes, -tolerance, polygons, region);
        if region.is_empty() {
            return None;
        }
        // If n is not the direction of least overlap, a region may be as thin as rounding errors
        // although the bodies overlap more along n.
        region.smooth_overlap(n).filter(|overlap| overlap.length > TOUCHING * size)
    })
}

impl Side {
    /// Computes the corners and their heights along n.
    fn place(&mut self, body: &impl Polytope, n: DVec3, corner: impl Fn(usize) -> DVec3) {
        self.corners.clear();
        self.corners.extend((0..body.corner_count()).map(corner));
        self.heights.clear();
        self.heights.extend(self.corners.iter().map(|corner| n.dot(*corner)));
    }

    /// Selects the faces that have a corner at a height near the contact.
    fn select(&mut self, body: &impl Polytope, is_near: impl Fn(f64) -> bool, plane: impl Fn(usize) -> (DVec3, f64)) {
        self.faces.clear();
        self.planes.clear();
        for face in 0..body.face_count() {
            if body.ring(face).iter().any(|&corner| is_near(self.heights[corner as usize])) {
                self.faces.push(face as u16);
                self.planes.push(plane(face));
            }
        }
    }

    /// Finds the planes, shifted outwards by a distance, beyond which each corner lies.
    fn compare(&mut self, planes: &[(DVec3, f64)], shift: f64) {
        self.outside.clear();
        self.outside.resize(self.corners.len(), 0);
        for (k, &(normal, offset)) in planes.iter().enumerate() {
            let (bit, limit) = (1 << k.min(OWN_BITS), offset + shift);
            for (corner, outside) in self.corners.iter().zip(&mut self.outside) {
                *outside |= if normal.dot(*corner) > limit { bit } else { 0 };
            }
        }
    }

    /// Finds the faces of both bodies that coincide.
    fn find_twins(&mut self, other: &mut Self, distance: f64) {
        for side in [&mut *self, &mut *other] {
            side.twins.clear();
            side.twins.resize(side.faces.len(), None);
        }
        for (i, &(normal, offset)) in self.planes.iter().enumerate() {
            for (j, &(other_normal, other_offset)) in other.planes.iter().enumerate() {
                if normal.dot(other_normal) > NEARLY_PARALLEL
                    && (normal - other_normal).length_squared() < COINCIDENT * COINCIDENT
                    && (offset - other_offset).abs() < distance
                {
                    self.twins[i] = Some(j as u16);
                    other.twins[j] = Some(i as u16);
                }
            }
        }
    }

    /// Adds the part of each face that lies below all planes, shifted outwards by a distance. Of
    /// two faces that coincide, that of a is added.
    fn add_faces(
        &self,
        body: &impl Polytope,
        is_a: bool,
        planes: &[(DVec3, f64)],
        shift: f64,
        [polygon, clipped]: &mut [Vec<DVec3>; 2],
        region: &mut RegionSurface,
    ) {
        for (&face, &twin) in self.faces.iter().zip(&self.twins) {
            if twin.is_some() && !is_a {
                continue;
            }
            let twin = twin.map_or(usize::MAX, usize::from);
            let ring = body.ring(face as usize);
            // The plane of a coincident face does not count.
            let counted = if twin < OWN_BITS { !(1 << twin) } else { u64::MAX };
            // The last bit stands for several planes. Corners that share it need not lie beyond the
            // same one, so that it does not exclude a face.
            let (mut common, mut any) = (counted & !SHARED_BIT, 0);
            for &corner in ring {
                common &= self.outside[corner as usize];
                any |= self.outside[corner as usize];
            }
            if common != 0 {
                continue;
            }
            // The face is cut only by planes beyond which one of its corners lies.
            polygon.clear();
            polygon.extend(ring.iter().map(|&corner| self.corners[corner as usize]));
            for (k, &(normal, offset)) in planes.iter().enumerate() {
                if (any & counted) >> k.min(OWN_BITS) & 1 == 1 && k != twin {
                    clip(polygon, clipped, normal, offset + shift);
                    std::mem::swap(polygon, clipped);
                }
            }
            region.push(polygon.iter().copied(), is_a);
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::super::polytopes::smooth_overlap_by_cutting;
    use super::*;
    use crate::contact::polytope::Cuboid;
    use crate::hull::Hull;
    use crate::shape::{Box, Polyhedron, rock};
    use crate::{Pair, Pose, Shape};

    /// A number in [0, 1) for each k.
    fn part(k: usize, rate: f64) -> f64 {
        (k as f64 * rate).fract()
    }

    fn stone(k: usize) -> Shape {
        let corners = if k.is_multiple_of(10) { 90.0 } else { 8.0 + (k % 20) as f64 };
        Polyhedron::new(rock([1.0, 0.8, 0.6], corners, k as f64).expect("a rock")).expect("a solid").into()
    }

    fn brick(k: usize) -> Shape {
        Box { half_sizes: 0.2 + 0.5 * DVec3::new(part(k, 0.618), part(k, 0.324), part(k, 0.755)) }.into()
    }

    fn both(a: &Shape, b: &Shape, pair: &Pair, n: DVec3) -> [Option<SmoothOverlap>; 2] {
        fn of<A: Polytope, B: Polytope>(a: &A, b: &B, pair: &Pair, n: DVec3) -> [Option<SmoothOverlap>; 2] {
            [smooth_overlap(&PolytopePair::new(a, b, pair), n), smooth_overlap_by_cutting(a, b, pair, n)]
        }
        let hull = |shape: &Shape| -> Option<Hull> {
            if let Shape::Polyhedron(body) = shape { Some(body.hull().clone()) } else { None }
        };
        let cuboid = |shape: &Shape| match shape {
            Shape::Box(body) => Cuboid(body.half_sizes),
            _ => unreachable!("it is a box"),
        };
        match (hull(a), hull(b)) {
            (Some(a), Some(b)) => of(&a, &b, pair, n),
            (Some(a), None) => of(&a, &cuboid(b), pair, n),
            (None, Some(b)) => of(&cuboid(a), &b, pair, n),
            (None, None) => of(&cuboid(a), &cuboid(b), pair, n),
        }
    }

    /// Compares the fast routine with the slow one for a depth and an orientation of b.
    #[test]
    fn the_fast_routine_finds_the_region_of_the_slow_one() {
        let mut count = 0;
        for k in 0..6_000 {
            let (a, b) = match k % 4 {
                0 => (stone(k), brick(k)),
                1 => (brick(k), stone(k / 2)),
                2 => (stone(k), stone(k / 3)),
                _ => (brick(k), if k % 8 == 3 { brick(k) } else { brick(k / 2) }),
            };
            let any =
                |rate: f64| 6.0 * DVec3::new(part(k, 0.41 + rate), part(k, 0.73 + rate), part(k, 0.57 + rate)) - 3.0;
            let pose_a = Pose { position: DVec3::new(3.0, -1.0, 2.0), orientation: DQuat::from_scaled_axis(any(0.0)) };
            // Any orientation, or nearly that of a.
            let tilt = 10f64.powf(-16.0 * part(k, 0.29));
            let orientation = match k % 3 {
                0 => DQuat::from_scaled_axis(any(0.1)),
                1 => DQuat::from_scaled_axis(tilt * any(0.1)) * pose_a.orientation,
                _ => pose_a.orientation,
            };
            let n = if k % 5 < 2 { DVec3::AXES[k % 3] } else { any(0.2).normalize() };
            let to_b = orientation.inverse() * pose_a.orientation;
            let reach = a.as_convex().support(n).dot(n) - b.as_convex().support(to_b * -n).dot(to_b * n);
            let depth = 10f64.powf(-1.0 - 5.0 * part(k, 0.37));
            let aside = if k % 7 < 3 { DVec3::ZERO } else { 0.2 * any(0.3).cross(n) };
            let offset = (reach - depth) * n + aside;
            let pose_b = Pose { position: pose_a.position + pose_a.orientation * offset, orientation };
            let [fast, slow] = both(&a, &b, &Pair::new(&a, &pose_a, &b, &pose_b), n);
            let (fast, slow) = match (fast, slow) {
                (Some(fast), Some(slow)) => (fast, slow),
                (None, None) => continue,
                (one, other) => {
                    // Only a region of the size of rounding errors may be found by one alone.
                    let length = one.or(other).map_or(0.0, |found| found.length);
                    assert!(length < 1e-11, "{length} {k}");
                    continue;
                }
            };
            count += 1;
            let error = (fast.length / slow.length - 1.0).abs() * slow.length;
            // If faces of parallel bodies coincide, the region shrinks for either sign of a shift
            // across them. The two one-sided derivatives of D differ by D^3/(4 a^3), where a is the
            // width of the region.
            let kink = if k % 3 == 0 { 0.0 } else { 100.0 * slow.length.powi(3) };
            let push = (fast.gradient.translation - slow.gradient.translation).length();
            let moment = (fast.gradient.rotation - slow.gradient.rotation).length();
            let slope = (push.max(moment) - kink).max(0.0) * slow.length;
            // Nearly coincident faces lose a strip, and coincident ones differ by a distance.
            let limit = 1e-12 + if k % 3 == 0 { 0.0 } else { 1e-7 * slow.length };
            assert!(error < limit && slope < limit, "{k}: {error:e} {slope:e}, {fast:?} {slow:?}");
        }
        assert!(count > 1_200, "{count}");
    }

    #[test]
    fn a_body_in_another_has_no_gradient() {
        let (a, b) = (brick(3), Shape::from(Box { half_sizes: DVec3::splat(0.05) }));
        let pair = Pair::new(&a, &Pose::IDENTITY, &b, &Pose::IDENTITY);
        let found = both(&a, &b, &pair, DVec3::Z)[0].expect("they overlap");
        assert_eq!(found.gradient.translation, DVec3::ZERO);
        assert!((found.length - 0.2 / 3f64.sqrt()).abs() < 1e-14);
    }
}
