//! The region that two cylinders share, by its edges: the fast representation of Feng, Han and Owen (2016, 3.4).
//!
//! An edge bounds the part of a base that lies in the other body. At most two count: both bases of one body, or one of each, or one
//! and the peak of the region over it. The paper takes the convex hull of the two; along one body's height the cut half way between
//! them, one more edge, tells the volume far better (Simpson's rule). Edges that two sides make are left out, so that a region that
//! only sides bound has none.

use glam::{DVec2, DVec3};

use super::Couple;
use super::section::{Bounds, Frame};
use crate::{Pair, Shape};

/// A region by its edges.
#[derive(Clone, Copy, Debug)]
pub struct Edges {
    /// Volume, m³.
    pub volume: f64,
    /// Centroid, from the centre of the first, world axes, m.
    pub centroid: DVec3,
    /// Bounding dimensions along the common perpendicular, across it, and along the first axis, m.
    pub extent: DVec3,
    /// Extent away from the first axis, m.
    pub radial: f64,
    /// Edges that count: 1 or 2.
    pub edges: usize,
}

/// Chords of a base: abscissae and weights of Gauss and Legendre.
const CHORDS: [(f64, f64); 4] = [
    (-0.861_136_311_594_052_6, 0.347_854_845_137_453_85),
    (-0.339_981_043_584_856_26, 0.652_145_154_862_546_2),
    (0.339_981_043_584_856_26, 0.652_145_154_862_546_2),
    (0.861_136_311_594_052_6, 0.347_854_845_137_453_85),
];

/// The part of a base, or of a cut along it, that lies in the other body.
#[derive(Clone, Copy)]
struct Base {
    area: f64,
    /// In the frame's axes.
    centroid: DVec3,
    /// The base's outward normal, and a point of its plane.
    normal: DVec3,
    plane: DVec3,
    /// Its height along the body's own axis.
    z: f64,
    /// What it reaches across the common perpendicular, and along it.
    bounds: Bounds,
    ends: [f64; 2],
}

impl Base {
    fn widen(&self, bounds: &mut Bounds, ends: &mut [f64; 2]) {
        bounds.join(&self.bounds);
        *ends = [ends[0].min(self.ends[0]), ends[1].max(self.ends[1])];
    }

    /// Distance of a point below the base.
    fn below(&self, point: DVec3) -> f64 {
        (self.plane - point).dot(self.normal).max(0.0)
    }
}

/// The region of two cylinders by its edges; none if they are apart, if only sides meet, or if they are not cylinders.
pub fn edges(pair: &Pair) -> Option<Edges> {
    let (Shape::Cylinder(a), Shape::Cylinder(b)) = (pair.a, pair.b) else { return None };
    Couple::new([a, b], pair.offset, [pair.orientation_a, pair.orientation_b]).edges()
}

impl Couple {
    /// The same for a couple.
    pub(crate) fn edges(&self) -> Option<Edges> {
        let frame = Frame::new(self);
        let mut bounds = Bounds::NONE;
        let mut ends = [f64::INFINITY, f64::NEG_INFINITY];
        let mut base = |i: usize, sign: f64| {
            let base = frame.base(i, sign * frame.h[i])?;
            base.widen(&mut bounds, &mut ends);
            Some(base)
        };
        let [upper, lower] = [1.0, -1.0].map(|sign| base(0, sign));
        let [other_upper, other_lower] =
            if upper.is_some() && lower.is_some() { [None; 2] } else { [1.0, -1.0].map(|sign| base(1, sign)) };
        let (volume, centroid, edges) = match ([upper, lower], [other_upper, other_lower]) {
            ([Some(p), Some(q)], _) => frame.between(0, &p, &q, 0.0),
            (_, [Some(p), Some(q)]) => frame.between(1, &p, &q, 0.0),
            ([Some(p), None] | [None, Some(p)], [Some(q), None] | [None, Some(q)]) => {
                // A wedge: what turns from one base to the other about the line in which they meet.
                let volume = 0.5 * (p.area * p.below(q.centroid) + q.area * q.below(p.centroid));
                (volume, 0.5 * (p.centroid + q.centroid), 2)
            }
            ([Some(p), None] | [None, Some(p)], [None, None]) => frame.peaked(0, &p),
            ([None, None], [Some(q), None] | [None, Some(q)]) => frame.peaked(1, &q),
            ([None, None], [None, None]) => return None,
        };
        let extent = (bounds.high - bounds.low).max(DVec2::ZERO);
        Some(Edges {
            volume,
            centroid: frame.world(centroid),
            extent: DVec3::new(ends[1] - ends[0], extent.x, extent.y),
            radial: bounds.radii[0] - bounds.radii[1],
            edges,
        })
    }
}

impl Frame {
    /// The part of the disc of body `i`, at the height z of its own, that lies in the other.
    fn base(&self, i: usize, z: f64) -> Option<Base> {
        let [from, to] = self.base_range(i, z)?;
        let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
        let (mut area, mut first) = (0.0, DVec3::ZERO);
        let mut bounds = Bounds::NONE;
        for (t, weight) in CHORDS {
            // Chords end like square roots: the step goes to zero there.
            let (x, dx) = (middle + half * 0.5 * t * (3.0 - t * t), half * weight * 1.5 * (1.0 - t * t));
            let w = self.widths(x);
            let chord = if i == 0 { self.level(z, w) } else { self.other_level(z, w) };
            let [p, q] = chord.ends();
            bounds.see(x, p);
            bounds.see(x, q);
            let part = dx * chord.length();
            let at = chord.middle_from(DVec2::ZERO);
            area += part;
            first += part * DVec3::new(x, at.x, at.y);
        }
        let along = if i == 0 { DVec2::Y } else { self.high };
        let (outward, plane) = (along * 1f64.copysign(z), if i == 0 { z * along } else { self.centre + z * along });
        let space = |v: DVec2| DVec3::new(0.0, v.x, v.y);
        let (normal, plane) = (space(outward), space(plane));
        (area > 0.0).then(|| Base { area, centroid: first / area, normal, plane, z, bounds, ends: [from, to] })
    }

    /// Volume and centroid of the region between two cuts across the height of body `i`, by Simpson's rule; `middle` is the height
    /// half way.
    fn between(&self, i: usize, p: &Base, q: &Base, middle: f64) -> (f64, DVec3, usize) {
        let height = p.below(q.plane).max(q.below(p.plane));
        let (mut area, mut first) = (p.area + q.area, p.area * p.centroid + q.area * q.centroid);
        if let Some(half) = self.base(i, middle) {
            area += 4.0 * half.area;
            first += 4.0 * half.area * half.centroid;
        }
        (height / 6.0 * area, first / area, 2)
    }

    /// The same between a base of body `i` and the peak over it.
    fn peaked(&self, i: usize, base: &Base) -> (f64, DVec3, usize) {
        let height = self.height(i, base.centroid.x);
        let peak = base.centroid - height * base.normal;
        let (volume, centroid, _) = self.between(
            i,
            base,
            &Base { area: 0.0, centroid: peak, plane: peak, ..*base },
            base.z - 0.5 * height.copysign(base.z),
        );
        (volume, centroid, 1)
    }
}
