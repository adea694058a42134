//! Quadrature over slices: volume, moments and gradients of an overlap region.
//!
//! The range of x is divided at the breakpoints (`breakpoints`). Within an interval the same edges
//! bound every slice and the integrands are smooth functions of the half widths, so Gauss-Legendre
//! points converge fast. This file chooses the points; `cross_section` clips the edges there, and
//! `integrals` sums over them.

use std::sync::LazyLock;

use glam::{DMat3, DVec2, DVec3};

use super::bounds::Bounds;
use super::breakpoints::Breakpoints;
use super::cross_section::{CrossSections, SliceIntegral, Slices4};
use super::frame::CylinderFrame;
use super::integrals::{MomentIntegral, QuadraticWeight, SurfaceIntegral, VolumeIntegral, WeightedSurfaceIntegral};
use super::simd::F64x4;
use super::two_rectangles::TwoRectangles;
use super::{MeasureGradient, OverlapRegion, SmoothOverlap};
use crate::contact::cylinder::CylinderPair;
use crate::numeric::math::gauss_legendre;
use crate::{ContactPatch, Pair, Shape};

/// Number of slices per interval between two breakpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceCount {
    /// As many as the interval needs for a relative error of 1e-7, estimated from its distance to
    /// the ends of the circles, where half widths are not smooth. Volume and force are accurate to
    /// about 1e-6.
    Adaptive,
    /// The same number in each, at most [`MAX_SLICES`].
    PerInterval(usize),
}

/// Slices per interval by default: volume and force are accurate to 1e-6.
pub const DEFAULT_SLICES: usize = 8;

/// Largest number of slices per interval: volume and force are accurate nearly to rounding.
pub const MAX_SLICES: usize = 32;

/// Distance of an interval's middle from the nearer end of the domain, in half lengths of the
/// interval, from which the Gauss points are in x. Nearer to the end they are in the square root of
/// the distance from it, of which the half width is a smooth function.
const FAR_FROM_END: f64 = 2.5;

/// Numbers of Gauss points near an end. n points leave an error of rho^-2n, where `rho + 1/rho` is
/// twice the sum of the distances from the nearest singularity of the integrand to both ends of the
/// interval, over its length (the sum of the semi-axes of the Bernstein ellipse). Each pair is the
/// value of that quotient from which n points leave 1e-7, and n.
const SUFFICIENT: [(f64, usize); 2] = [(1.5, 8), (1.15, 16)];

/// Number of Gauss points where the singularity is closer than that.
const NEAR_SINGULARITY: usize = 24;

/// Midpoints of a lens by the distance of the far ends of its circles from its middle, in half
/// lengths: the least distance at which they leave 1e-7, and their number.
///
/// With `x = middle - half cos(t)` midpoints in t integrate all harmonics below twice their number
/// exactly. The integrands of a lens have harmonics up to four; the others decay as powers of one
/// over twice that distance.
const LENS_MIDPOINTS: [(f64, usize); 2] = [(32.0, 4), (3.0, 8)];

/// Distance from the ends of the region, relative to its length, at which the bounding dimensions
/// are sampled: at its very ends the region is a point or a line, which rounding hides.
const INWARD: f64 = 1e-6;

/// Smallest smooth overlap, in enlargements of the second body
/// ([`ENLARGEMENT`](super::frame::ENLARGEMENT)): below it rounding dominates the second moments.
const THINNEST: f64 = 100.0;

/// Upper bound on |dD/dx|. A slab has 2, other regions have less; a larger value is due to rounding
/// in a very thin region.
const STEEPEST: f64 = 4.0;

/// The overlap region of two cylinders.
#[derive(Clone, Copy, Debug)]
pub struct CylinderRegion {
    /// Volume, centroid, and gradient of the volume.
    pub region: OverlapRegion,
    /// Bounding dimensions along the common perpendicular, across it, and along the first axis, m.
    pub extent: DVec3,
    /// Largest minus smallest distance from the first axis, m.
    pub radial: f64,
    /// Number of slices.
    pub slices: usize,
}

/// A quadrature rule on [-1, 1]: nodes and weights, four at a time. The last four are filled up
/// with zero weights.
struct Rule {
    points: Vec<[F64x4; 2]>,
    count: usize,
}

/// Gauss-Legendre rules by their number of points.
static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| (0..=MAX_SLICES).map(|n| rule(&gauss_legendre(n))).collect());

/// The rules of a lens.
static LENS_RULES: LazyLock<[Rule; 2]> = LazyLock::new(|| LENS_MIDPOINTS.map(|(_, n)| rule(&cosine_midpoints(n))));

/// Returns the midpoint rule in t with the nodes cos(t) (Gauss-Chebyshev nodes).
fn cosine_midpoints(n: usize) -> Vec<(f64, f64)> {
    let step = std::f64::consts::PI / n as f64;
    (0..n).map(|k| libm::sincos((k as f64 + 0.5) * step)).map(|(sin, cos)| (cos, step * sin)).collect()
}

fn rule(points: &[(f64, f64)]) -> Rule {
    let four = |points: &[(f64, f64)]| {
        let at = |k: usize| points.get(k).copied().unwrap_or_default();
        [F64x4::new(std::array::from_fn(|k| at(k).0)), F64x4::new(std::array::from_fn(|k| at(k).1))]
    };
    Rule { points: points.chunks(F64x4::COUNT).map(four).collect(), count: points.len() }
}

/// Returns the overlap region of two cylinders; `None` if they are separated, or are not cylinders.
pub fn cylinder_region(pair: &Pair, count: SliceCount) -> Option<CylinderRegion> {
    let (Shape::Cylinder(a), Shape::Cylinder(b)) = (pair.a, pair.b) else { return None };
    CylinderPair::new([a, b], pair.offset, [pair.orientation_a, pair.orientation_b]).region(count)
}

/// Returns the smooth overlap `D = sqrt(48 / tr C^-1)` of two cylinders, C the second moments of
/// their region over its volume; `None` if they are separated, or are not cylinders.
///
/// D is [Feng2017, eq. 21], `2 / sqrt(1/a^2 + 1/b^2 + 1/c^2)`, of a box that has the same C. For a
/// slab it is twice the thickness.
pub fn smooth_overlap(pair: &Pair, count: SliceCount) -> Option<SmoothOverlap> {
    let (Shape::Cylinder(a), Shape::Cylinder(b)) = (pair.a, pair.b) else { return None };
    CylinderPair::new([a, b], pair.offset, [pair.orientation_a, pair.orientation_b]).smooth_overlap(count)
}

impl CylinderPair {
    /// Evaluates integrals over the slices of the overlap region; `None` if the cylinders are
    /// separated.
    #[inline(always)]
    pub(super) fn integrate<R>(
        &self,
        count: SliceCount,
        evaluate: impl FnOnce(&SliceQuadrature<TwoRectangles>) -> Option<R>,
    ) -> Option<R> {
        let frame = CylinderFrame::new(self);
        // Between two breakpoints the same edges bound every slice, so that the integrands are
        // smooth.
        let mut breakpoints = Breakpoints::new(frame.range()?, frame.domain());
        frame.add_breakpoints(&mut breakpoints);
        breakpoints.sort();
        // From an apex in the middle slice all triangles are short.
        let sections = TwoRectangles::new(&frame, breakpoints.middle());
        evaluate(&SliceQuadrature::new(sections, &breakpoints, count))
    }

    /// Returns the overlap region and the number of slices.
    pub(crate) fn overlap_region(&self, count: SliceCount) -> Option<(OverlapRegion, usize)> {
        self.integrate(count, |quadrature| quadrature.overlap_region())
    }

    /// Returns the overlap region with its bounding dimensions.
    pub(crate) fn region(&self, count: SliceCount) -> Option<CylinderRegion> {
        self.integrate(count, |quadrature| {
            let (region, slices) = quadrature.overlap_region()?;
            let (extent, radial) = quadrature.extent();
            Some(CylinderRegion { region, extent, radial, slices })
        })
    }

    /// Returns the smooth overlap; `None` too if it is of the size of rounding.
    pub(crate) fn smooth_overlap(&self, count: SliceCount) -> Option<SmoothOverlap> {
        self.integrate(count, |quadrature| quadrature.smooth_overlap(quadrature.sections.frame.rounding))
    }
}

/// Returns whether a symmetric matrix is positive definite (Sylvester's criterion).
fn is_positive_definite(m: DMat3) -> bool {
    let minor = m.x_axis.x * m.y_axis.y - m.x_axis.y * m.x_axis.y;
    m.x_axis.x > 0.0 && minor > 0.0 && m.determinant() > 0.0
}

/// A quadrature over the slices between breakpoints.
pub(super) struct SliceQuadrature<'a, C> {
    pub sections: C,
    breakpoints: &'a [f64],
    count: SliceCount,
    /// Middle of the region, where the apex of the cross-sections is, m.
    middle: f64,
    /// The rule for the whole region, if it is a lens.
    lens: Option<&'static Rule>,
}

impl<'a, C: CrossSections> SliceQuadrature<'a, C> {
    /// The quadrature; the apex of `sections` must be in the middle slice.
    #[inline(always)]
    pub fn new(sections: C, breakpoints: &'a Breakpoints, count: SliceCount) -> Self {
        let (middle, breakpoints) = (breakpoints.middle(), breakpoints.all());
        let lens = match (count, breakpoints) {
            // A lens has no breakpoint between its ends.
            (SliceCount::Adaptive, &[from, to]) => sections.lens_clearance([from, to], middle).and_then(lens_rule),
            _ => None,
        };
        Self { sections, breakpoints, count, middle, lens }
    }

    /// Adds all slices to an integral and returns their number.
    #[inline(always)]
    pub fn integrate<T: SliceIntegral>(&self, integral: &mut T) -> usize {
        let mut sum = SliceSum { quadrature: self, integral, count: 0 };
        match self.lens {
            Some(rule) => sum.add_interval_in_x([self.breakpoints[0], self.breakpoints[1]], rule),
            None => self.breakpoints.windows(2).for_each(|interval| sum.add_interval([interval[0], interval[1]])),
        }
        sum.count
    }

    /// Returns the overlap region and the number of slices; `None` without a volume.
    #[inline(always)]
    // Volume and surface in one pass, because the clipped edges are the same.
    fn overlap_region(&self) -> Option<(OverlapRegion, usize)> {
        let mut integrals = (VolumeIntegral::default(), SurfaceIntegral::default());
        let count = self.integrate(&mut integrals);
        let (volume, surface) = &integrals;
        let (volume, centroid) = volume.centroid(&self.sections)?;
        // The volume grows by n.dx dA where the first body's surface moves by dx.
        let [translation, rotation] = surface.total();
        let [centroid, translation, rotation] =
            [centroid, translation, rotation].map(|vector| self.sections.frame().world(vector));
        Some((OverlapRegion { volume, centroid, gradient: MeasureGradient { translation, rotation } }, count))
    }

    /// Returns the slope (dy/dx, dz/dx) of the line of apexes: from the middle slice to the slice
    /// half way to the end. A lens is symmetric and has the slope zero.
    #[inline(always)]
    fn apex_slope(&self) -> DVec2 {
        if self.lens.is_some() {
            return DVec2::ZERO;
        }
        let distance = 0.5 * (self.breakpoints[self.breakpoints.len() - 1] - self.middle);
        let point = self.sections.point_at(self.middle + distance);
        // In a base edge, the triangles of this edge have no area and need no sum.
        point
            .map_or(DVec2::ZERO, |point| self.sections.along_base_edge((point - self.sections.apex().point) / distance))
    }

    /// Returns the integral of a weight times the normal over the first body's surface and its
    /// moment about the first centre, and the number of slices. The surface with fewer edges in the
    /// middle slice is integrated.
    #[inline(always)]
    fn weighted_surface_integral(&self, weight: QuadraticWeight) -> ([DVec3; 2], usize) {
        let frame = self.sections.frame();
        // Over the closed surface of the region the integral vanishes, so that either part of it
        // determines the other.
        let [first, second] = self.sections.apex().edges.count_by_body();
        if first <= second {
            let mut integral = WeightedSurfaceIntegral::over_first(weight);
            let slices = self.integrate(&mut integral);
            (integral.total(), slices)
        } else {
            let mut integral = WeightedSurfaceIntegral::over_second(&weight, frame);
            let slices = self.integrate(&mut integral);
            (integral.total_over_first(frame), slices)
        }
    }

    /// Returns the smooth overlap; `None` if it is of the size of rounding. `rounding` is the
    /// enlargement of the second body, m.
    #[inline(always)]
    pub fn smooth_overlap(&self, rounding: f64) -> Option<SmoothOverlap> {
        let frame = self.sections.frame();
        let mut moments = MomentIntegral::about_line(&self.sections, self.middle, self.apex_slope());
        self.integrate(&mut moments);
        let (volume, centre, spread) =
            moments.total(&self.sections).filter(|&(.., spread)| is_positive_definite(spread))?;
        // The matrix is positive definite, so that the inverse exists.
        let inverse = spread.inverse();
        let trace = inverse.x_axis.x + inverse.y_axis.y + inverse.z_axis.z;
        let length = (48.0 / trace).sqrt();
        if length < THINNEST * rounding {
            return None;
        }
        // dD = (D^3/96 V) integral of (x' C^-2 x - tr C^-1) (n.dx) dA, x from the centroid.
        let scale = length * length * length / (96.0 * volume);
        let weight = QuadraticWeight { centre, form: inverse * inverse * scale, constant: trace * scale };
        let ([translation, rotation], evaluations) = self.weighted_surface_integral(weight);
        if translation.length_squared() > STEEPEST * STEEPEST {
            return None;
        }
        let patch = ContactPatch::of(spread, translation.normalize_or(DVec3::Z));
        let patch = ContactPatch(patch.0.map(|vector| frame.world(vector)));
        let [centroid, translation, rotation] = [centre, translation, rotation].map(|vector| frame.world(vector));
        let gradient = MeasureGradient { translation, rotation };
        Some(SmoothOverlap { length, centroid, gradient, patch, evaluations })
    }
}

impl SliceQuadrature<'_, TwoRectangles<'_>> {
    /// Returns the bounding dimensions along the common perpendicular, across it, and along the
    /// first axis, and the radial extent from the first axis, m: those of the vertices at the
    /// breakpoints and half way between them.
    #[inline(always)]
    pub fn extent(&self) -> (DVec3, f64) {
        let breakpoints = self.breakpoints;
        let (from, to) = (breakpoints[0], breakpoints[breakpoints.len() - 1]);
        let mut bounds = Bounds::of_point(self.middle, self.sections.apex().point);
        let inward = INWARD * (to - from);
        bounds.add_slice(&self.sections, from + inward);
        for interval in breakpoints.windows(2) {
            bounds.add_slice(&self.sections, 0.5 * (interval[0] + interval[1]));
            bounds.add_slice(&self.sections, interval[1].min(to - inward));
        }
        let (across, radial) = bounds.extent();
        (DVec3::new(to - from, across.x, across.y), radial)
    }
}

/// Returns the rule of a lens whose circles end at this distance from its middle, in half lengths;
/// `None` if too near.
fn lens_rule(clearance: f64) -> Option<&'static Rule> {
    LENS_MIDPOINTS.iter().position(|&(least, _)| clearance >= least).map(|k| &LENS_RULES[k])
}

/// A sum over slices in progress.
struct SliceSum<'a, C, T> {
    quadrature: &'a SliceQuadrature<'a, C>,
    integral: &'a mut T,
    count: usize,
}

impl<C: CrossSections, T: SliceIntegral> SliceSum<'_, C, T> {
    /// Adds the slices of an interval between two breakpoints.
    fn add_interval(&mut self, interval: [f64; 2]) {
        let [from, to] = interval;
        let [low, high] = self.quadrature.sections.domain();
        let twice_middle = from + to;
        // Far from the ends of the circles the half widths are smooth functions of x itself.
        if (twice_middle - 2.0 * low).min(2.0 * high - twice_middle) >= FAR_FROM_END * (to - from) {
            return self.add_interval_in_x(interval, self.rule(|| T::FEW));
        }
        // An interval that contains the middle of the domain is near both ends: it is divided
        // there.
        let middle = 0.5 * (low + high);
        if from < middle && middle < to {
            self.add_interval_near_end([from, middle], true);
            self.add_interval_near_end([middle, to], false);
        } else {
            self.add_interval_near_end(interval, twice_middle < low + high);
        }
    }

    /// Returns the rule with the number of points that the user set, or that suffices.
    fn rule(&self, sufficient: impl Fn() -> usize) -> &'static Rule {
        &RULES[match self.quadrature.count {
            SliceCount::PerInterval(count) => count.clamp(1, MAX_SLICES),
            SliceCount::Adaptive => sufficient(),
        }]
    }

    /// Adds an interval with the points of a rule in x.
    fn add_interval_in_x(&mut self, [from, to]: [f64; 2], rule: &Rule) {
        let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
        let sections = &self.quadrature.sections;
        self.add(rule, middle, |nodes, weights| sections.slices(F64x4::splat(middle) + nodes * half, weights * half));
    }

    /// Adds an interval with Gauss points in the square root q of the distance from the lower or
    /// the upper end of the domain: `x = end +- q^2`, `dx = 2 q dq`.
    fn add_interval_near_end(&mut self, interval: [f64; 2], is_lower: bool) {
        let sections = &self.quadrature.sections;
        let [low, high] = sections.domain();
        let (end, sign) = if is_lower { (low, 1.0) } else { (high, -1.0) };
        let beyond = sections.beyond_end(is_lower);
        // Rounding can place a breakpoint slightly beyond the end.
        let [p, q] = interval.map(|x| (sign * (x - end)).max(0.0).sqrt());
        let length = (q - p).abs();
        let sufficient = || {
            // Singularities in q: the other end of the domain, and the end of the other circle
            // beyond this end.
            let across = (high - low).sqrt();
            let beyond = beyond[0].max(beyond[1]);
            let to_ends = (beyond + p * p).sqrt() + (beyond + q * q).sqrt();
            let clearance = (2.0 * across - p - q).min(to_ends);
            let enough = SUFFICIENT.iter().find(|(from, _)| clearance >= from * length);
            enough.map_or(NEAR_SINGULARITY, |&(_, count)| count)
        };
        let (middle, half) = (0.5 * (p + q), 0.5 * length);
        self.add(self.rule(sufficient), end + sign * middle * middle, |nodes, weights| {
            let roots = F64x4::splat(middle) + nodes * half;
            let distance = roots * roots;
            // Near the end x determines the half width only to rounding. The distance is exact.
            let (x, dx) = (F64x4::splat(end) + distance * sign, weights * roots * (2.0 * half));
            sections.slices_from_ends(x, dx, beyond.map(|beyond| distance + F64x4::splat(beyond)))
        });
    }

    /// Adds the slices of an interval with this middle; `slices_at` maps nodes and weights of the
    /// rule to slices.
    #[inline(always)]
    fn add(&mut self, rule: &Rule, middle: f64, slices_at: impl Fn(F64x4, F64x4) -> Slices4) {
        let (sections, apex) = (&self.quadrature.sections, self.quadrature.sections.apex());
        // The same edges bound all slices of the interval. Those of the middle slice are known.
        let edges = if middle == self.quadrature.middle { apex.edges } else { sections.edges_at(middle) };
        if edges.is_empty() {
            return;
        }
        // The apex lies on this edge, so that its triangles have no area.
        let edges = if T::USES_TRIANGLES { edges.without(apex.base_edge) } else { edges };
        for &[nodes, weights] in &rule.points {
            sections.add(&slices_at(nodes, weights), edges, self.integral);
        }
        self.count += rule.count;
    }
}
