//! Ends of the region of two cylinders along x, and the breakpoints between them.
//!
//! At a breakpoint a vertex of one rectangle crosses an edge of the other, and the integrands over
//! the slices are not smooth. All conditions have the form `a w1 + b w2 + c = 0` in the half widths
//! of the two rectangles ([`WidthFunction`]). Half widths are concave in x with a known curvature,
//! so most functions are found to have no root without a search.

use glam::DVec2;

use super::frame::{CylinderFrame, SliceFrame};
use super::simd::F64x4;

/// Largest number of breakpoints before duplicates are removed, ends included. No pair with more
/// than six different breakpoints has been found.
const MOST_BREAKPOINTS: usize = 32;

/// Largest number of steps of a root search; its bracket is halved at least every other step.
const ROOT_STEPS: u32 = 60;

/// A Newton step that short, relative to the distance from the ends of its bracket, is the last:
/// its square is the error. The integrands are zero at the ends of the region, so an error of an
/// end or a breakpoint enters them squared.
const LAST_STEP: f64 = 2e-3;

/// Distance from an end, relative to the length of the region, up to which a breakpoint is that
/// end, and a value or a step is zero.
const CLOSE: f64 = 1e-7;

/// Such a distance from an end at which a circle ends too: the integrands then grow as the square
/// root of the distance from the end.
const CLOSE_TO_CIRCLE_END: f64 = 1e-9;

/// Distance of two breakpoints, relative to the distance from the nearer end, up to which they are
/// one: the error of a root.
const SAME: f64 = 1e-6;

/// Distance of a vertex from an edge, relative to its length, up to which it still meets the edge.
const EDGE_TOLERANCE: f64 = 1e-9;

/// Number of bisections in search of two roots between ends of equal sign: near the end of a circle
/// roots are close together.
const BISECTIONS: u32 = 12;

/// The ends of a region along x and its breakpoints, m.
pub(super) struct Breakpoints {
    /// The two ends first, until [`Self::sort`].
    all: [f64; MOST_BREAKPOINTS],
    len: usize,
    /// Open interval in which breakpoints are accepted.
    interior: [f64; 2],
}

impl Breakpoints {
    /// The ends `[from, to]` of a region whose bodies both have a cross-section in `domain`.
    #[inline(always)]
    pub fn new([from, to]: [f64; 2], [low, high]: [f64; 2]) -> Self {
        let mut all = [0.0; MOST_BREAKPOINTS];
        (all[0], all[1]) = (from, to);
        let close = |end: f64, circle: f64| (to - from) * if end == circle { CLOSE_TO_CIRCLE_END } else { CLOSE };
        Self { all, len: 2, interior: [from + close(from, low), to - close(to, high)] }
    }

    /// Returns the two ends. Valid before [`Self::sort`].
    fn ends(&self) -> [f64; 2] {
        [self.all[0], self.all[1]]
    }

    /// Returns the middle of the region. Valid after [`Self::sort`].
    #[inline(always)]
    pub fn middle(&self) -> f64 {
        0.5 * (self.all[0] + self.all[self.len - 1])
    }

    /// Adds a breakpoint if it is between the ends.
    pub fn add(&mut self, x: f64) {
        if x > self.interior[0] && x < self.interior[1] && self.len < MOST_BREAKPOINTS {
            self.all[self.len] = x;
            self.len += 1;
        }
    }

    /// Sorts the breakpoints and removes duplicates.
    #[inline(always)]
    pub fn sort(&mut self) {
        if self.len == 2 {
            return;
        }
        let (from, to) = (self.all[0], self.all[1]);
        self.all[..self.len].sort_unstable_by(f64::total_cmp);
        let mut kept = 1;
        for k in 1..self.len {
            // At the last end the tolerance is zero, so it is always kept.
            let x = self.all[k];
            if x - self.all[kept - 1] > SAME * (x - from).min(to - x) {
                self.all[kept] = self.all[k];
                kept += 1;
            }
        }
        self.len = kept;
    }

    /// Returns the ends and the breakpoints.
    pub fn all(&self) -> &[f64] {
        &self.all[..self.len]
    }
}

/// The function `a w1 + b w2 + c` of x: the signed distance of a vertex from a line, times a
/// constant.
#[derive(Clone, Copy)]
struct WidthFunction {
    a: f64,
    b: f64,
    c: f64,
}

/// Bounds of a value.
#[derive(Clone, Copy)]
struct Interval {
    low: f64,
    high: f64,
}

impl WidthFunction {
    #[inline]
    fn at(&self, w: [f64; 2]) -> f64 {
        self.a * w[0] + self.b * w[1] + self.c
    }

    /// Returns bounds of the value from bounds of the half widths.
    #[inline]
    fn bounds(&self, w: [Interval; 2]) -> Interval {
        let term = |rate: f64, w: Interval| {
            if rate > 0.0 { [rate * w.low, rate * w.high] } else { [rate * w.high, rate * w.low] }
        };
        let ([p, q], [s, t]) = (term(self.a, w[0]), term(self.b, w[1]));
        Interval { low: p + s + self.c, high: q + t + self.c }
    }
}

/// A position and the half widths there.
#[derive(Clone, Copy)]
struct Sample {
    x: f64,
    w: [f64; 2],
}

impl CylinderFrame {
    fn sample(&self, x: f64) -> Sample {
        Sample { x, w: self.half_widths(x) }
    }

    /// Returns df/dx; from `w^2 = r^2 - x^2` follows `dw/dx = -x/w`.
    #[inline]
    fn slope(&self, f: WidthFunction, Sample { x, w }: Sample) -> f64 {
        -f.a * x / w[0] - f.b * (x - self.slice.d) / w[1]
    }

    /// Returns -d2f/dx2; `d2w/dx2 = -r^2/w^3`.
    #[inline]
    fn curvature(&self, f: WidthFunction, Sample { w, .. }: Sample) -> f64 {
        let [r1, r2] = self.r;
        f.a * r1 * r1 / (w[0] * w[0] * w[0]) + f.b * r2 * r2 / (w[1] * w[1] * w[1])
    }

    /// Returns Newton's step -f/f' to a root, with one division.
    #[inline]
    fn newton_step(&self, f: WidthFunction, value: f64, Sample { x, w }: Sample) -> f64 {
        value * (w[0] * w[1]) / (f.a * x * w[1] + f.b * (x - self.slice.d) * w[0])
    }

    /// Returns whether a function with coefficients of opposite signs is proven to be monotonic in
    /// an interval.
    ///
    /// With A = |a|, B = |b| and y = x - d, its slope is `A x/w1 - B y/w2` up to the sign. Between
    /// the axes both terms have the same sign. Beyond them the term of the farther axis is larger
    /// if `A^2 r2^2 x^2 > B^2 r1^2 y^2 + (A^2 - B^2) x^2 y^2`. With a bound for y in the last term
    /// both sides are squares of linear functions, so the end of the interval decides.
    #[inline]
    fn is_monotonic(&self, f: WidthFunction, [from, to]: [f64; 2]) -> bool {
        let (r, d) = (self.r, self.slice.d.abs());
        let (a, b) = (f.a.abs(), f.b.abs());
        let (from, to) = if self.slice.d < 0.0 { (-to, -from) } else { (from, to) };
        // True if the term of the axis that is farther by d is the larger one up to the distance x
        // from it.
        let is_larger = |[a, b]: [f64; 2], [r1, r2]: [f64; 2], x: f64| {
            let y = x - d;
            let least = a * a * r2 * r2 - (a * a - b * b).max(0.0) * y * y;
            y <= 0.0 || least * x * x > (b * r1 * y) * (b * r1 * y)
        };
        is_larger([a, b], r, to) && is_larger([b, a], [r[1], r[0]], d - from)
    }

    /// Returns the part of `[from, to]` in which the half width of body `i` times the sine is at
    /// least `missing`.
    fn where_wide(&self, i: usize, missing: f64, [from, to]: [f64; 2]) -> Option<[f64; 2]> {
        let (r, axis, sin) = (self.r[i], [0.0, self.slice.d][i], self.slice.high.x);
        if missing <= 0.0 {
            return Some([from, to]);
        }
        if missing > sin * r {
            return None;
        }
        let width = missing / sin;
        let half = ((r - width) * (r + width)).max(0.0).sqrt();
        Some([from.max(axis - half), to.min(axis + half)])
    }

    /// Returns the interval of x in which the rectangles overlap, if any. By the separating axis
    /// theorem they do if their projections on the four directions of their edges overlap.
    #[inline]
    pub fn range(&self) -> Option<[f64; 2]> {
        let [h1, h2] = self.h;
        let SliceFrame { centre, wide, high, .. } = self.slice;
        let (sin, cos) = (high.x, high.y);
        let (y12, z12) = (centre.x.abs(), centre.y.abs());
        let (y21, z21) = (wide.dot(centre).abs(), high.dot(centre).abs());
        // Along either axis the condition contains one width: a closed form.
        let range = self.where_wide(1, z12 - h1 - cos * h2, self.domain())?;
        let range = self.where_wide(0, z21 - h2 - cos * h1, range)?;
        // Across either axis it contains both: a concave function.
        let range = self.where_positive(WidthFunction { a: 1.0, b: cos, c: sin * h2 - y12 }, range)?;
        self.where_positive(WidthFunction { a: cos, b: 1.0, c: sin * h1 - y21 }, range)
    }

    /// Returns the part of `[from, to]` in which a concave function is positive, if any.
    fn where_positive(&self, f: WidthFunction, [from, to]: [f64; 2]) -> Option<[f64; 2]> {
        if from >= to {
            return None;
        }
        // Widths are not negative, so the constant alone may be sufficient.
        if f.c >= 0.0 {
            return Some([from, to]);
        }
        let ends = [self.sample(from), self.sample(to)];
        let [at_from, at_to] = ends.map(|sample| f.at(sample.w));
        if at_from >= 0.0 && at_to >= 0.0 {
            return Some([from, to]);
        }
        let (inside, starts) = if at_from > 0.0 || at_to > 0.0 {
            // The chord of a concave function is below it, so its root is a start on the positive
            // side.
            let chord = from + (to - from) * at_from / (at_from - at_to);
            (if at_from > 0.0 { from } else { to }, [chord; 2])
        } else {
            self.positive_point(f, ends)?
        };
        let from = if at_from < 0.0 { self.root(f, starts[0], inside, from, true) } else { from };
        let to = if at_to < 0.0 { self.root(f, starts[1], inside, to, true) } else { to };
        (from < to).then_some([from, to])
    }

    /// Returns a point at which a concave function is positive, and the roots of its second-order
    /// expansion there; `None` if it is positive nowhere between two points.
    fn positive_point(&self, f: WidthFunction, [first, last]: [Sample; 2]) -> Option<(f64, [f64; 2])> {
        let (mut low, mut high) = (first.x, last.x);
        // Start at the maximum of the sum of two parabolas, one for each circle.
        let parts = [f.a * self.r[1], f.b * self.r[0]];
        let mut x = self.slice.d * parts[1] / (parts[0] + parts[1]);
        for _ in 0..ROOT_STEPS {
            if !(low < x && x < high) {
                x = 0.5 * (low + high);
            }
            let here = self.sample(x);
            let (value, slope) = (f.at(here.w), self.slope(f, here));
            let curvature = self.curvature(f, here);
            if value > 0.0 {
                let root = (slope * slope + 2.0 * curvature * value).sqrt();
                return Some((x, [x + (slope - root) / curvature, x + (slope + root) / curvature]));
            }
            *if slope > 0.0 { &mut low } else { &mut high } = x;
            let end = if slope > 0.0 { high } else { low };
            // The tangent is above a concave function: no positive value if the tangent has none.
            if value + slope * (end - x) <= 0.0 {
                return None;
            }
            let next = x + slope / curvature;
            if next == x {
                return None;
            }
            x = next;
        }
        None
    }

    /// Returns the root of a function between two points of different signs, by Newton's method
    /// from `start` with bisection; `inside` is a point of the region, or one end of it.
    fn root(&self, f: WidthFunction, start: f64, inside: f64, outside: f64, is_positive_inside: bool) -> f64 {
        let (mut low, mut high) = if inside < outside { (inside, outside) } else { (outside, inside) };
        let is_positive_low = is_positive_inside == (inside < outside);
        let least = CLOSE * (high - low);
        let mut x = start;
        for _ in 0..ROOT_STEPS {
            if !(low < x && x < high) {
                x = 0.5 * (low + high);
            }
            let here = self.sample(x);
            let value = f.at(here.w);
            *if (value > 0.0) == is_positive_low { &mut low } else { &mut high } = x;
            let next = x + self.newton_step(f, value, here);
            // Near the end of a circle steps are short without being the last: compare with the
            // distance from the end.
            let step = (next - x).abs();
            let is_short = |end: f64| step <= LAST_STEP * (next - end).abs() || step <= LAST_STEP * least;
            if low <= next && next <= high && is_short(inside) && is_short(outside) {
                return next;
            }
            x = next;
        }
        0.5 * (low + high)
    }

    /// Adds the positions at which a vertex of one rectangle crosses an edge of the other.
    pub fn add_breakpoints(&self, breakpoints: &mut Breakpoints) {
        let ends = breakpoints.ends().map(|x| self.sample(x));
        let widths = [0, 1].map(|i| self.width_bounds(i, ends));
        let [h1, h2] = self.h;
        let SliceFrame { centre, wide, high, .. } = self.slice;
        let (sin, cos) = (high.x, high.y);
        // The bases of the first body in the axes of the second, and those of the second in the
        // axes of the first.
        let first = DVec2::new(-wide.dot(centre), -high.dot(centre));
        self.add_vertices::<0>(first, h1 * DVec2::new(-sin, cos), DVec2::new(cos, sin), ends, widths, breakpoints);
        self.add_vertices::<1>(centre, h2 * high, DVec2::new(cos, -sin), ends, widths, breakpoints);
    }

    /// Returns bounds of the half width of body `i` between two points.
    #[inline]
    fn width_bounds(&self, i: usize, [first, last]: [Sample; 2]) -> Interval {
        let axis = [0.0, self.slice.d][i];
        let (low, high) = if first.w[i] < last.w[i] { (first.w[i], last.w[i]) } else { (last.w[i], first.w[i]) };
        Interval { low, high: if first.x < axis && axis < last.x { self.r[i] } else { high } }
    }

    /// Adds the positions at which a vertex of body `I` crosses an edge of the other body. In the
    /// axes of the other, the bases of `I` have their middles at `middle` +- `step`, and the
    /// vertices are at +- w `rate` from these.
    #[inline]
    fn add_vertices<const I: usize>(
        &self,
        middle: DVec2,
        step: DVec2,
        rate: DVec2,
        ends: [Sample; 2],
        widths: [Interval; 2],
        breakpoints: &mut Breakpoints,
    ) {
        let (own, other, height) = (widths[I], widths[1 - I], self.h[1 - I]);
        let (mean, spread) = (0.5 * (own.low + own.high) * rate, 0.5 * (own.high - own.low) * rate.abs());
        let size = DVec2::new(other.high, height) * (1.0 + EDGE_TOLERANCE);
        // The vertices for the mean width. Most are never near the other rectangle and are skipped.
        let vertices = |middle: f64, step: f64, mean: f64| {
            F64x4::new([middle + step + mean, middle + step - mean, middle - step + mean, middle - step - mean])
        };
        let at = [vertices(middle.x, step.x, mean.x), vertices(middle.y, step.y, mean.y)];
        let far = size + spread;
        let is_far = at[0].abs().greater_mask(F64x4::splat(far.x)) | at[1].abs().greater_mask(F64x4::splat(far.y));
        for vertex in (0..4).filter(|vertex| is_far >> vertex & 1 == 0) {
            let side = if vertex % 2 == 0 { 1.0 } else { -1.0 };
            let base = if vertex < 2 { middle + step } else { middle - step };
            let at = DVec2::new(at[0].get(vertex), at[1].get(vertex));
            // Coordinates of the vertex along the width and the height of the other.
            let coordinate = |rate: f64, c: f64| match I {
                0 => WidthFunction { a: side * rate, b: 0.0, c },
                _ => WidthFunction { a: 0.0, b: side * rate, c },
            };
            let (y, z) = (coordinate(rate.x, base.x), coordinate(rate.y, base.y));
            for sign in [1.0, -1.0] {
                // Against a side edge, which ends at the bases.
                if sign * at.x + spread.x >= other.low {
                    let f = if I == 0 { WidthFunction { b: -sign, ..y } } else { WidthFunction { a: -sign, ..y } };
                    self.add_roots(f, ends, BISECTIONS, breakpoints, &|w| z.at(w).abs() <= size.y);
                }
                // Against a base edge, which ends at the sides.
                if sign * at.y + spread.y >= height {
                    let width = side * self.crossings[I][vertex / 2][if sign > 0.0 { 0 } else { 1 }];
                    let is_on_edge = |w: [f64; 2]| y.at(w).abs() <= w[1 - I] * (1.0 + EDGE_TOLERANCE);
                    self.add_where_width_is::<I>(width, breakpoints, &is_on_edge);
                }
            }
        }
    }

    /// Adds the positions at which body `I` has this half width and `is_on_edge` holds.
    fn add_where_width_is<const I: usize>(
        &self,
        width: f64,
        breakpoints: &mut Breakpoints,
        is_on_edge: &dyn Fn([f64; 2]) -> bool,
    ) {
        let (axis, r) = ([0.0, self.slice.d][I], self.r[I]);
        if !(0.0..=r).contains(&width) {
            return;
        }
        let aside = ((r - width) * (r + width)).sqrt();
        for x in [axis - aside, axis + aside] {
            if is_on_edge(self.half_widths(x)) {
                breakpoints.add(x);
            }
        }
    }

    /// Adds the roots of a function between two points at which `is_on_edge` holds. The interval is
    /// bisected, at most `bisections` times, until sign and curvature prove that a part has one
    /// root or none.
    fn add_roots(
        &self,
        f: WidthFunction,
        [first, last]: [Sample; 2],
        bisections: u32,
        breakpoints: &mut Breakpoints,
        is_on_edge: &dyn Fn([f64; 2]) -> bool,
    ) {
        let (from, to) = (f.at(first.w), f.at(last.w));
        let length = last.x - first.x;
        // Bounds of -f''. They are closures because most calls do not need them.
        let curvature = || {
            // The curvature r^2/w^3 of a width is largest where the width is smallest.
            let widths = [0, 1].map(|i| self.width_bounds(i, [first, last]));
            let second_derivative = |i: usize, w: f64| self.r[i] * self.r[i] / (w * w * w);
            let second_derivatives = [0, 1].map(|i| Interval {
                low: second_derivative(i, widths[i].high),
                high: second_derivative(i, widths[i].low),
            });
            WidthFunction { c: 0.0, ..f }.bounds(second_derivatives)
        };
        let middle_sample = || self.sample(0.5 * (first.x + last.x));
        // Largest distance of the function from its chord: |f''| length^2/8.
        let sag = |Interval { low, high }: Interval| low.abs().max(high.abs()) * length * length / 8.0;
        // If both coefficients have one sign, the curvature has it too.
        let (is_concave, is_convex) = (f.a >= 0.0 && f.b >= 0.0, f.a <= 0.0 && f.b <= 0.0);
        let is_monotonic = || !is_concave && !is_convex && self.is_monotonic(f, [first.x, last.x]);
        // An end of the region may itself be a root up to rounding, and is no breakpoint.
        let tiny = CLOSE * from.abs().max(to.abs());
        let ends = breakpoints.ends();
        let is_end = |sample: Sample| sample.x == ends[0] || sample.x == ends[1];
        let is_zero_at_end = |value: f64, sample: Sample| value.abs() <= tiny && is_end(sample);
        if (from > 0.0) != (to > 0.0) && !is_zero_at_end(from, first) && !is_zero_at_end(to, last) {
            // One root if the curvature has one sign, or if it is too small to change the sign of
            // the slope.
            let has_one_root = || {
                let bounds = curvature();
                bounds.low >= 0.0 || bounds.high <= 0.0 || 8.0 * sag(bounds) <= (from - to).abs()
            };
            if is_concave || is_convex || bisections == 0 || is_monotonic() || has_one_root() {
                let start = first.x + length * from / (from - to);
                let x = self.root(f, start, first.x, last.x, from > 0.0);
                if is_on_edge(self.half_widths(x)) {
                    breakpoints.add(x);
                }
                return;
            }
        } else {
            // No root if the curvature leads away from zero, or not as far as zero.
            let is_positive = if from.abs() > to.abs() { from > 0.0 } else { to > 0.0 };
            let has_no_root = || {
                let bounds = curvature();
                let leads_away = if is_positive { bounds.low >= 0.0 } else { bounds.high <= 0.0 };
                leads_away || from.abs().min(to.abs()) > sag(bounds)
            };
            let leads_away = if is_positive { is_concave } else { is_convex };
            if leads_away || bisections == 0 || is_monotonic() || has_no_root() {
                return;
            }
            // A concave width is above its chord by at most twice the distance in the middle.
            let middle = middle_sample();
            let rise = |i: usize| middle.w[i] - 0.5 * (first.w[i] + last.w[i]);
            let towards_zero =
                |rate: f64, i: usize| if (rate > 0.0) == is_positive { 0.0 } else { 2.0 * rate.abs() * rise(i) };
            if from.abs().min(to.abs()) > towards_zero(f.a, 0) + towards_zero(f.b, 1) {
                return;
            }
        }
        let middle = middle_sample();
        self.add_roots(f, [first, middle], bisections - 1, breakpoints, is_on_edge);
        self.add_roots(f, [middle, last], bisections - 1, breakpoints, is_on_edge);
    }
}
