//! Integrals over the slices: volume, first and second moments, and surface integrals, as sums over
//! clipped edges.
//!
//! Volume and moments are sums over triangles from an apex to each clipped edge, in the axes of the
//! edge's body. Surface integrals are over the surface of one body inside the other; they give the
//! gradient of a measure. See the README of this folder for the equations.

use glam::{DMat3, DVec2, DVec3, Vec3Swizzles};

use super::cross_section::{CrossSections, EdgePart, SIGNS, SliceIntegral, Slices4};
use super::frame::SliceFrame;
use super::simd::F64x4;

/// Volume and first moments.
///
/// The triangle from the apex to an edge of the length l has the area `l d/2`, d the distance of
/// the edge from the apex, and its centroid at two thirds of the vector from the apex to the middle
/// of the edge. The factors 1/2 and 1/3 are applied once at the end.
#[derive(Clone, Copy, Default)]
pub(super) struct VolumeIntegral {
    /// Twice the volume of the slices that are not finished.
    unfinished: F64x4,
    /// Twice the volume, and its moment along x.
    double: F64x4,
    along_x: F64x4,
    /// Three times the first moments along the width and the height of either body.
    across: [F64x4; 2],
    up: [F64x4; 2],
}

impl VolumeIntegral {
    /// Returns the volume and the first moments about the apex (about x = 0 along x), in the axes
    /// of the frame.
    #[inline(always)]
    pub fn total(&self, frame: &SliceFrame) -> (f64, DVec3) {
        let own = DVec2::new(self.across[0].sum(), self.up[0].sum());
        let aside = (own + self.across[1].sum() * frame.wide + self.up[1].sum() * frame.high) / 3.0;
        (0.5 * self.double.sum(), DVec3::new(0.5 * self.along_x.sum(), aside.x, aside.y))
    }

    /// Returns the volume and the centroid from the origin of the frame; `None` without a volume.
    #[inline(always)]
    pub fn centroid(&self, sections: &impl CrossSections) -> Option<(f64, DVec3)> {
        let (volume, first) = self.total(sections.frame());
        let apex = sections.apex().point;
        (volume > 0.0).then(|| (volume, first / volume + DVec3::new(0.0, apex.x, apex.y)))
    }
}

impl SliceIntegral for VolumeIntegral {
    const BODIES: [bool; 2] = [true; 2];
    const USES_TRIANGLES: bool = true;
    const FEW: usize = 4;

    #[inline(always)]
    fn add_side<const K: usize>(&mut self, sections: &impl CrossSections, slices: &Slices4, w: F64x4, part: EdgePart) {
        let (i, sign) = (K / 2, SIGNS[K]);
        let centre = sections.apex().centres[i];
        // Distance of the edge from the apex: the height of the triangle.
        let outward = w * sign + F64x4::splat(centre.x);
        let double = outward * (slices.dx * part.length()) * sign;
        self.across[i] += double * outward;
        self.up[i] += double * (part.middle() + F64x4::splat(centre.y));
        self.unfinished += double;
    }

    #[inline(always)]
    fn add_base<const K: usize>(&mut self, sections: &impl CrossSections, slices: &Slices4, part: EdgePart) {
        let (i, sign) = (K / 2, SIGNS[K]);
        let centre = sections.apex().centres[i];
        // A base through the apex has no triangle.
        let outward = sections.base_height::<K>() + centre.y;
        let double = slices.dx * part.length() * sign * outward;
        self.across[i] += double * (part.middle() + F64x4::splat(centre.x));
        self.up[i] += double * outward;
        self.unfinished += double;
    }

    #[inline(always)]
    fn finish_slices(&mut self, x: F64x4) {
        // x is the same for all edges of a slice, so that one product per slice suffices.
        self.double += self.unfinished;
        self.along_x += self.unfinished * x;
        self.unfinished = F64x4::default();
    }
}

/// Integral of `weight n dA` over the surface of one cylinder, and its moment about the centre of
/// this cylinder, in its axes. With the weight 1 over the first body it is the vector area S and
/// its moment G.
#[derive(Clone, Copy, Default)]
pub(super) struct SurfaceIntegral {
    force: [F64x4; 3],
    moment: [F64x4; 2],
}

impl SurfaceIntegral {
    /// Returns the integral and its moment. The normals of the side pass through the axis and those
    /// of the bases are parallel to it, so the moment has no component along the axis.
    #[inline(always)]
    pub fn total(&self) -> [DVec3; 2] {
        let [x, y] = self.moment.map(F64x4::sum);
        [DVec3::from_array(self.force.map(F64x4::sum)), DVec3::new(x, y, 0.0)]
    }

    /// Adds a side edge at x from the body's axis: `weight` is the integral of the weight over the
    /// edge times dx, `moment` that of the weight times the height.
    #[inline(always)]
    fn accumulate_side(&mut self, sign: f64, x: F64x4, w: F64x4, [weight, moment]: [F64x4; 2]) {
        // The side has n dA = (x/w, sign, 0) dx dl. At the end of a circle w = 0 and the edge has
        // no length.
        // The moment is p × n = (-z sign, z x/w, 0): the normal passes through the axis.
        let slope = x / w.max(F64x4::splat(f64::MIN_POSITIVE));
        self.force[0] += slope * weight;
        self.force[1] += weight * sign;
        self.moment[0] += moment * -sign;
        self.moment[1] += slope * moment;
    }

    /// Adds a base edge: `weight` is the integral of the weight over the edge times dx, `moment`
    /// that of the weight times y, both with the sign of the base.
    #[inline(always)]
    fn accumulate_base(&mut self, x: F64x4, [weight, moment]: [F64x4; 2]) {
        // The moment is p × n = (y, -x, 0) for the normal along the axis.
        self.force[2] += weight;
        self.moment[0] += moment;
        self.moment[1] += weight * x * -1.0;
    }
}

impl SliceIntegral for SurfaceIntegral {
    const BODIES: [bool; 2] = [true, false];
    const USES_TRIANGLES: bool = false;
    const FEW: usize = 4;

    #[inline(always)]
    fn add_side<const K: usize>(&mut self, _: &impl CrossSections, slices: &Slices4, w: F64x4, part: EdgePart) {
        // Together with a volume integral it is given the edges of both bodies.
        if K < 2 {
            let weight = slices.dx * part.length();
            self.accumulate_side(SIGNS[K], slices.x, w, [weight, weight * part.middle()]);
        }
    }

    #[inline(always)]
    fn add_base<const K: usize>(&mut self, _: &impl CrossSections, slices: &Slices4, part: EdgePart) {
        if K < 2 {
            let weight = slices.dx * part.length() * SIGNS[K];
            self.accumulate_base(slices.x, [weight, weight * part.middle()]);
        }
    }
}

/// Volume, first and second moments about an inclined line of apexes.
///
/// The line follows the region: in a thin oblique region, triangles from a line that leaves it
/// would be as wide as the region is long, and their rounding errors as large as its thickness.
#[derive(Clone, Copy, Default)]
pub(super) struct MomentIntegral {
    volume: VolumeIntegral,
    /// x from which moments along x are taken, m.
    x0: f64,
    /// Slope (dy/dx, dz/dx) of the line of apexes, in the axes of the frame and in those of either
    /// body.
    slope: DVec2,
    slopes: [DVec2; 2],
    /// Four times the second moments in the plane of the slice, in the axes of either body:
    /// width-width, width-height, height-height.
    second: [[F64x4; 3]; 2],
    /// Twice the second moment along x.
    along: F64x4,
    /// Three times the mixed second moments of x with the width and the height of either body.
    mixed: [[F64x4; 2]; 2],
    /// Three times the first moments of the slices that are not finished.
    unfinished: [[F64x4; 2]; 2],
}

impl MomentIntegral {
    /// The integral with the apexes on a line through the apex of the cross-sections, at x0, with a
    /// slope (dy/dx, dz/dx).
    pub fn about_line(sections: &impl CrossSections, x0: f64, slope: DVec2) -> Self {
        let frame = sections.frame();
        let slopes = [slope, DVec2::new(frame.wide.dot(slope), frame.high.dot(slope))];
        Self { x0, slope, slopes, ..Self::default() }
    }

    /// Returns the centre of the i-th body from the apex of the slices, in the axes of the body.
    #[inline(always)]
    fn centre(&self, sections: &impl CrossSections, slices: &Slices4, i: usize) -> [F64x4; 2] {
        let (x, centre, slope) = (slices.x - F64x4::splat(self.x0), sections.apex().centres[i], self.slopes[i]);
        [F64x4::splat(centre.x) - x * slope.x, F64x4::splat(centre.y) - x * slope.y]
    }

    /// Adds a triangle with twice its area given. The middle of its edge is at `[across, up]` from
    /// the apex, and the edge lies along the k-th of these directions; `spread` is its mean square
    /// extent, length^2/12.
    ///
    /// With the middle m and the half edge e, the second moment of a triangle is `area (m m' + e
    /// e'/3)/2`.
    #[inline(always)]
    fn add_triangle(&mut self, i: usize, double: F64x4, [across, up]: [F64x4; 2], k: usize, spread: F64x4) {
        // All factors 1/2, 1/3 and 1/4 of areas and moments are applied once, in `total`.
        let first = [double * across, double * up];
        let mut second = [first[0] * across, first[1] * up];
        second[k] += double * spread;
        self.unfinished[i][0] += first[0];
        self.unfinished[i][1] += first[1];
        self.second[i][0] += second[0];
        self.second[i][1] += first[0] * up;
        self.second[i][2] += second[1];
        self.volume.unfinished += double;
    }

    /// Returns the volume V, the centroid from the origin of the frame, and the second moments C
    /// about the centroid over V, in the axes of the frame; `None` without a volume.
    #[inline]
    pub fn total(&self, sections: &impl CrossSections) -> Option<(f64, DVec3, DMat3)> {
        let SliceFrame { wide, high, .. } = *sections.frame();
        let (volume, first) = self.volume.total(sections.frame());
        if volume <= 0.0 {
            return None;
        }
        let centre = first / volume;
        let [[ww, wh, hh], own] = [self.second[1].map(F64x4::sum), self.second[0].map(F64x4::sum)];
        // The second body's moments, rotated into the axes of the frame.
        let y = DVec2::new(wide.x, high.x);
        let z = DVec2::new(wide.y, high.y);
        let rotated = |p: DVec2, q: DVec2| p.x * q.x * ww + (p.x * q.y + p.y * q.x) * wh + p.y * q.y * hh;
        let across =
            [own[0] + rotated(y, y), own[1] + rotated(y, z), own[2] + rotated(z, z)].map(|sum| 0.25 * sum / volume);
        let [own, other] = self.mixed.map(|sums| DVec2::from_array(sums.map(F64x4::sum)));
        let mixed = (own + other.x * wide + other.y * high) / (3.0 * volume);
        // From moments about the line to moments about the centroid (Steiner).
        let xx = 0.5 * self.along.sum() / volume - centre.x * centre.x;
        let [xy, xz] = [mixed.x - centre.x * centre.y, mixed.y - centre.x * centre.z];
        let yy = across[0] - centre.y * centre.y;
        let yz = across[1] - centre.y * centre.z;
        let zz = across[2] - centre.z * centre.z;
        // So far y and z were measured from the line. Add its slope: y -> y + p x, z -> z + q x.
        let DVec2 { x: p, y: q } = self.slope;
        let [yy, yz, zz] =
            [yy + p * (2.0 * xy + p * xx), yz + q * xy + p * (xz + q * xx), zz + q * (2.0 * xz + q * xx)];
        let [xy, xz] = [xy + p * xx, xz + q * xx];
        let spread = DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz));
        let apex = sections.apex().point + centre.x * self.slope;
        Some((volume, centre + DVec3::new(self.x0, apex.x, apex.y), spread))
    }
}

impl SliceIntegral for MomentIntegral {
    const BODIES: [bool; 2] = [true; 2];
    const USES_TRIANGLES: bool = true;
    // Second moments have twice the degree of the volume.
    const FEW: usize = 8;

    #[inline(always)]
    fn add_side<const K: usize>(&mut self, sections: &impl CrossSections, slices: &Slices4, w: F64x4, part: EdgePart) {
        let (i, sign, length) = (K / 2, SIGNS[K], part.length());
        let [across, up] = self.centre(sections, slices, i);
        let outward = w * sign + across;
        let double = outward * (slices.dx * length) * sign;
        let up = part.middle() + up;
        self.add_triangle(i, double, [outward, up], 1, length * length * (1.0 / 12.0));
    }

    #[inline(always)]
    fn add_base<const K: usize>(&mut self, sections: &impl CrossSections, slices: &Slices4, part: EdgePart) {
        let (i, sign, length) = (K / 2, SIGNS[K], part.length());
        let [across, up] = self.centre(sections, slices, i);
        let outward = F64x4::splat(sections.base_height::<K>()) + up;
        let double = outward * (slices.dx * length) * sign;
        let across = part.middle() + across;
        self.add_triangle(i, double, [across, outward], 0, length * length * (1.0 / 12.0));
    }

    #[inline(always)]
    fn finish_slices(&mut self, x: F64x4) {
        let x = x - F64x4::splat(self.x0);
        self.along += self.volume.unfinished * x * x;
        self.volume.finish_slices(x);
        for i in 0..2 {
            let [across, up] = self.unfinished[i];
            self.volume.across[i] += across;
            self.volume.up[i] += up;
            self.mixed[i][0] += across * x;
            self.mixed[i][1] += up * x;
        }
        self.unfinished = Default::default();
    }
}

/// The weight `(x - centre)' form (x - centre) - constant` of a surface integral.
#[derive(Clone, Copy)]
pub(super) struct QuadraticWeight {
    pub centre: DVec3,
    pub form: DMat3,
    pub constant: f64,
}

impl QuadraticWeight {
    /// Returns the same weight in the axes of the second body, with the origin at its centre.
    fn in_second_body(&self, frame: &SliceFrame) -> Self {
        let (wide, high) = (frame.wide, frame.high);
        // The axes of the bodies differ by a rotation about x. It acts on the columns of the form
        // and then on its rows.
        let rotated = |v: DVec3| DVec3::new(v.x, wide.dot(v.yz()), high.dot(v.yz()));
        let [x, y, z] = [self.form.x_axis, self.form.y_axis, self.form.z_axis].map(rotated);
        let form = DMat3::from_cols(x, wide.x * y + wide.y * z, high.x * y + high.y * z);
        Self { centre: rotated(self.centre - frame.second_centre()), form, constant: self.constant }
    }
}

/// Integral of a quadratic weight times the normal over the surface of body `I`, and its moment
/// about the centre of that body.
#[derive(Clone, Copy)]
pub(super) struct WeightedSurfaceIntegral<const I: usize> {
    weight: QuadraticWeight,
    /// x of the body's axis, m.
    axis_x: f64,
    surface: SurfaceIntegral,
}

impl WeightedSurfaceIntegral<0> {
    pub fn over_first(weight: QuadraticWeight) -> Self {
        Self { weight, axis_x: 0.0, surface: SurfaceIntegral::default() }
    }

    /// Returns the integral and its moment about the first centre, in the axes of the frame.
    pub fn total(&self) -> [DVec3; 2] {
        self.surface.total()
    }
}

impl WeightedSurfaceIntegral<1> {
    pub fn over_second(weight: &QuadraticWeight, frame: &SliceFrame) -> Self {
        Self { weight: weight.in_second_body(frame), axis_x: frame.d, surface: SurfaceIntegral::default() }
    }

    /// Returns the integral over the first body's surface and its moment about the first centre, in
    /// the axes of the frame.
    ///
    /// It follows from the second body's surface: over both surfaces together the integral of a
    /// weight about the centroid vanishes, and so does its moment if the second moments commute
    /// with the form.
    pub fn total_over_first(&self, frame: &SliceFrame) -> [DVec3; 2] {
        let in_frame = |v: DVec3| (v.y * frame.wide + v.z * frame.high).extend(v.x).zxy();
        let [force, moment] = self.surface.total().map(in_frame);
        // The moment is moved from the second centre to the first.
        [-force, -moment - frame.second_centre().cross(force)]
    }
}

impl<const I: usize> WeightedSurfaceIntegral<I> {
    /// Returns `dx` times the integral of `square s^2 + linear s + constant` over a part of an
    /// edge, and that of the same times the coordinate along the edge; s is the coordinate from the
    /// centre of the weight, `l` its value in the middle of the part.
    ///
    /// With s = l + t, the mean of t is 0 and that of t^2 is length^2/12.
    #[inline(always)]
    fn over_edge(square: f64, linear: F64x4, constant: F64x4, l: F64x4, part: EdgePart, dx: F64x4) -> [F64x4; 2] {
        let length = part.length();
        let spread = length * length * (1.0 / 12.0);
        let (measure, bent) = (dx * length, l * square);
        let slope = bent + linear;
        let weight = measure * (l * slope + (spread * square + constant));
        [weight, weight * part.middle() + measure * spread * (slope + bent)]
    }
}

impl<const I: usize> SliceIntegral for WeightedSurfaceIntegral<I> {
    const BODIES: [bool; 2] = [I == 0, I == 1];
    const USES_TRIANGLES: bool = false;
    const FEW: usize = 8;

    #[inline(always)]
    fn add_side<const K: usize>(&mut self, _: &impl CrossSections, slices: &Slices4, w: F64x4, part: EdgePart) {
        let QuadraticWeight { centre, form: f, constant: level } = self.weight;
        let from_axis = slices.x - F64x4::splat(self.axis_x);
        // Along the edge x and y are constant: the weight is a quadratic function of z.
        let [x, y] = [from_axis - F64x4::splat(centre.x), w * SIGNS[K] - F64x4::splat(centre.y)];
        let linear = x * (2.0 * f.x_axis.z) + y * (2.0 * f.y_axis.z);
        let constant = x * (x * f.x_axis.x + y * (2.0 * f.x_axis.y)) + (y * y * f.y_axis.y - F64x4::splat(level));
        let l = part.middle() - F64x4::splat(centre.z);
        let integrals = Self::over_edge(f.z_axis.z, linear, constant, l, part, slices.dx);
        self.surface.accumulate_side(SIGNS[K], from_axis, w, integrals);
    }

    #[inline(always)]
    fn add_base<const K: usize>(&mut self, sections: &impl CrossSections, slices: &Slices4, part: EdgePart) {
        let QuadraticWeight { centre, form: f, constant: level } = self.weight;
        let from_axis = slices.x - F64x4::splat(self.axis_x);
        // Along the edge x and z are constant: the weight is a quadratic function of y.
        let (x, z) = (from_axis - F64x4::splat(centre.x), sections.base_height::<K>() - centre.z);
        let linear = x * (2.0 * f.x_axis.y) + F64x4::splat(2.0 * f.y_axis.z * z);
        let constant =
            x * (x * f.x_axis.x + F64x4::splat(2.0 * f.x_axis.z * z)) + F64x4::splat(f.z_axis.z * z * z - level);
        let l = part.middle() - F64x4::splat(centre.y);
        let integrals = Self::over_edge(f.y_axis.y, linear, constant, l, part, slices.dx * SIGNS[K]);
        self.surface.accumulate_base(from_axis, integrals);
    }
}

/// Two integrals in one pass over the slices.
impl<S: SliceIntegral, T: SliceIntegral> SliceIntegral for (S, T) {
    const BODIES: [bool; 2] = [S::BODIES[0] || T::BODIES[0], S::BODIES[1] || T::BODIES[1]];
    const USES_TRIANGLES: bool = S::USES_TRIANGLES && T::USES_TRIANGLES;
    const FEW: usize = if S::FEW > T::FEW { S::FEW } else { T::FEW };

    #[inline(always)]
    fn add_side<const K: usize>(&mut self, sections: &impl CrossSections, slices: &Slices4, w: F64x4, part: EdgePart) {
        self.0.add_side::<K>(sections, slices, w, part);
        self.1.add_side::<K>(sections, slices, w, part);
    }

    #[inline(always)]
    fn add_base<const K: usize>(&mut self, sections: &impl CrossSections, slices: &Slices4, part: EdgePart) {
        self.0.add_base::<K>(sections, slices, part);
        self.1.add_base::<K>(sections, slices, part);
    }

    #[inline(always)]
    fn finish_slices(&mut self, x: F64x4) {
        self.0.finish_slices(x);
        self.1.finish_slices(x);
    }
}
