//! Cross-section of the region of two cylinders at one x: the simple reference of the tests for the
//! vectorised cross-sections.
//!
//! The intersection of the two rectangles is a polygon. Each of its edges is a part of an edge of
//! either rectangle, clipped by the other one on its own.

use glam::{DVec2, DVec3, Vec2Swizzles};

use super::frame::CylinderFrame;

/// The part of an edge that lies in the other rectangle.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// A point of the line of the edge: its middle.
    on: DVec2,
    /// Unit vector along the edge.
    along: DVec2,
    /// Ends of the part, as coordinates along the edge, m.
    from: f64,
    to: f64,
}

impl Part {
    #[inline]
    pub fn length(&self) -> f64 {
        (self.to - self.from).max(0.0)
    }

    #[inline]
    fn middle(&self) -> f64 {
        0.5 * (self.from + self.to)
    }

    /// Returns the middle of the part relative to `about`.
    #[inline]
    pub fn middle_from(&self, about: DVec2) -> DVec2 {
        self.on - about + self.middle() * self.along
    }
}

/// Clips an edge with the half length `half`. Its point at the coordinate t is between two lines of
/// the other rectangle if `|p + k t| <= half`, with k the sine or the cosine, that is `|t + p/k| <=
/// half/k`. `places` and `spans` are -p/k and half/k of each pair of lines.
#[inline]
fn cut(half: f64, on: DVec2, along: DVec2, places: DVec2, spans: DVec2) -> Part {
    let (low, high) = (places - spans, places + spans);
    Part { on, along, from: low.x.max(low.y).max(-half), to: high.x.min(high.y).min(half) }
}

/// Contribution of a cross-section to the integrals over x.
#[derive(Clone, Copy, Default)]
pub(super) struct Section {
    pub area: f64,
    /// First moment of the area about the given point.
    pub first: DVec2,
    /// Vector area of the surface of the first cylinder for unit dx, and its moment about the first
    /// centre.
    pub push: DVec3,
    pub turn: DVec2,
}

impl CylinderFrame {
    /// Returns the edges of the first rectangle clipped by the second: +y, -y, +z, -z; then those
    /// of the second clipped by the first.
    #[inline]
    fn parts(&self, w: [f64; 2]) -> [Part; 8] {
        [
            self.upright(w[0], w),
            self.upright(-w[0], w),
            self.level(self.h[0], w),
            self.level(-self.h[0], w),
            self.other_upright(w[1], w),
            self.other_upright(-w[1], w),
            self.other_level(self.h[1], w),
            self.other_level(-self.h[1], w),
        ]
    }

    /// Returns the edge of the first rectangle along its height at y, clipped by the second.
    #[inline]
    fn upright(&self, y: f64, w: [f64; 2]) -> Part {
        let from = DVec2::new(y, 0.0) - self.slice.centre;
        let places = DVec2::new(self.slice.wide.dot(from), -self.slice.high.dot(from)) * self.slice.inverse;
        cut(self.h[0], DVec2::new(y, 0.0), DVec2::Y, places, DVec2::new(w[1], self.h[1]) * self.slice.inverse)
    }

    /// Returns a base edge of the first rectangle, clipped by the second.
    #[inline]
    pub fn level(&self, z: f64, w: [f64; 2]) -> Part {
        let (from, over) = (DVec2::new(0.0, z) - self.slice.centre, self.slice.inverse.yx());
        let places = DVec2::new(-self.slice.wide.dot(from), -self.slice.high.dot(from)) * over;
        cut(w[0], DVec2::new(0.0, z), DVec2::X, places, DVec2::new(w[1], self.h[1]) * over)
    }

    /// Returns the edge of the second rectangle along its height, clipped by the first.
    #[inline]
    fn other_upright(&self, y: f64, w: [f64; 2]) -> Part {
        let on = self.slice.centre + y * self.slice.wide;
        cut(self.h[1], on, self.slice.high, -on * self.slice.inverse, DVec2::new(w[0], self.h[0]) * self.slice.inverse)
    }

    /// Returns a base edge of the second rectangle, clipped by the first.
    #[inline]
    pub fn other_level(&self, z: f64, w: [f64; 2]) -> Part {
        let (on, over) = (self.slice.centre + z * self.slice.high, self.slice.inverse.yx());
        cut(w[1], on, self.slice.wide, DVec2::new(-on.x, on.y) * over, DVec2::new(w[0], self.h[0]) * over)
    }

    /// Returns the cross-section at x; `about` is a point near it.
    pub fn section(&self, x: f64, about: DVec2) -> Section {
        let w = self.half_widths(x);
        let parts = self.parts(w);
        let centre = self.slice.centre - about;
        let (across, up) = (self.slice.wide.dot(centre), self.slice.high.dot(centre));
        let distances = [
            w[0] - about.x,
            w[0] + about.x,
            self.h[0] - about.y,
            self.h[0] + about.y,
            w[1] + across,
            w[1] - across,
            self.h[1] + up,
            self.h[1] - up,
        ];
        // Sum over the triangles from `about` to each part.
        let (mut area, mut first) = (0.0, DVec2::ZERO);
        for (part, distance) in parts.iter().zip(distances) {
            let double = distance * part.length();
            area += 0.5 * double;
            first += double / 3.0 * part.middle_from(about);
        }
        let [a, b, c, d, ..] = parts;
        let [a, b, c, d] = [a, b, c, d].map(|part| (part.length(), part.length() * part.middle()));
        // On the side dA is r/w dx dl. At the end of a circle the side has no width.
        let slant = if w[0] > 0.0 { x / w[0] } else { 0.0 };
        let push = DVec3::new(slant * (a.0 + b.0), a.0 - b.0, c.0 - d.0);
        // Normals of the side pass through the axis, so that their moment has no component along
        // it.
        let turn = DVec2::new(b.1 - a.1 + c.1 - d.1, slant * (a.1 + b.1) - x * (c.0 - d.0));
        Section { area, first, push, turn }
    }
}

mod tests {
    use glam::{DQuat, DVec2, DVec3};

    use crate::contact::cylinder::CylinderPair;
    use crate::contact::region::cross_section::CrossSections;
    use crate::contact::region::frame::CylinderFrame;
    use crate::contact::region::integrals::{SurfaceIntegral, VolumeIntegral};
    use crate::contact::region::simd::F64x4;
    use crate::contact::region::slices::{MAX_SLICES, SliceCount};
    use crate::contact::region::two_rectangles::TwoRectangles;
    use crate::shape::Cylinder;

    /// Rounding error of sums of some hundred terms, relative to the largest.
    const ROUNDING: f64 = 1e-11;

    /// Relative area of a cross-section that an edge only touches.
    const GRAZED: f64 = 1e-6;

    #[test]
    fn four_cuts_at_once_are_the_sum_of_the_cuts() {
        let [coin, rod] = [(1.0, 0.1), (0.3, 1.4)].map(|(radius, half_height)| Cylinder { radius, half_height });
        let mut compared = 0;
        for step in 0..2000 {
            // A low-discrepancy sequence, which covers all angles and positions.
            let part = |k: usize| (step as f64 * [0.618_034, 0.754_878, 0.569_840, 0.819_173, 0.671_044][k]).fract();
            let offset = DVec3::new(part(0) - 0.5, part(1) - 0.5, part(2) - 0.5) * 2.5;
            let turn = DQuat::from_rotation_x(3.0 * part(3)) * DQuat::from_rotation_y(3.0 * part(4));
            let frame = CylinderFrame::new(&CylinderPair::new([&coin, &rod], offset, [DQuat::IDENTITY, turn]));
            let Some([from, to]) = frame.range() else { continue };
            let x = from + part(4) * (to - from);
            let cuts = TwoRectangles::new(&frame, x);
            let mut sums = (VolumeIntegral::default(), SurfaceIntegral::default());
            let mut dx = [0.0; 4];
            dx[step % 4] = 1.0;
            cuts.add(&cuts.slices(F64x4::splat(x), F64x4::new(dx)), cuts.apex().edges, &mut sums);
            let about = cuts.apex().point;
            let cut = frame.section(x, about);
            if cut.area < GRAZED {
                continue;
            }
            let (area, centroid) = sums.0.centroid(&cuts).expect("an area");
            let [push, turn] = sums.1.total();
            assert!((area / cut.area - 1.0).abs() < ROUNDING, "{step}: {area} {}", cut.area);
            let place = cut.first / cut.area + about;
            assert!(
                (centroid - DVec3::new(x, place.x, place.y)).length() < 1e-3 * GRAZED,
                "{step}: {centroid} {place}"
            );
            let off = (push - cut.push).length() + DVec2::distance(turn.truncate(), cut.turn);
            assert!(off < ROUNDING * (1.0 + cut.push.length()), "{step}: {push} {}", cut.push);
            compared += 1;
        }
        assert!(compared > 500, "{compared}");
    }

    /// Number of cross-sections of a sum without breakpoints, and its relative error.
    const CUTS: usize = 4000;
    const LEFT: f64 = 1e-6;

    #[test]
    fn no_bend_is_missed_in_a_region_by_layers() {
        let can = Cylinder { radius: 0.8, half_height: 0.7 };
        let [coin, rod] = [(1.0, 0.03), (0.3, 1.4)].map(|(radius, half_height)| Cylinder { radius, half_height });
        let (mut worst, mut compared) = (0f64, 0);
        for step in 0..900 {
            let part = |k: usize| (step as f64 * [0.618_034, 0.754_878, 0.569_840, 0.819_173, 0.671_044][k]).fract();
            // Every third pair is nearly parallel and nearly coaxial.
            let (a, b, shift, tilt) = match step % 3 {
                0 => (&coin, &coin, 1e-2 * part(3), 0.1),
                1 => (&can, &coin, 1.5, 3.0),
                _ => (&rod, &can, 1.5, 3.0),
            };
            let height = (a.half_height + b.half_height) * part(2);
            let offset = DVec3::new(shift * (part(0) - 0.5), shift * (part(1) - 0.5), height);
            let turn = DQuat::from_rotation_x(tilt * part(3)) * DQuat::from_rotation_y(tilt * part(4));
            let cylinders = CylinderPair::new([a, b], offset, [DQuat::IDENTITY, turn]);
            let Some((region, _)) = cylinders.overlap_region(SliceCount::PerInterval(MAX_SLICES)) else { continue };
            let frame = CylinderFrame::new(&cylinders);
            // An interval slightly longer than the region.
            let ([low, high], Some([from, to])) = (frame.domain(), frame.range()) else { continue };
            let more = 0.05 * (to - from);
            let (low, high) = (low.max(from - more), high.min(to + more));
            let about = frame.slice.centre;
            let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
            let angle = std::f64::consts::PI / CUTS as f64;
            let summed: f64 = (0..CUTS)
                .map(|k| {
                    let (sin, cos) = libm::sincos((k as f64 + 0.5) * angle);
                    half * sin * angle * frame.section(middle - half * cos, about).area
                })
                .sum();
            if summed > GRAZED {
                worst = worst.max((region.volume / summed - 1.0).abs());
                compared += 1;
            }
        }
        eprintln!("{compared} regions against {CUTS} cuts: {worst:e}");
        assert!(compared > 400, "{compared}");
        assert!(worst < LEFT, "{worst:e}");
    }
}
