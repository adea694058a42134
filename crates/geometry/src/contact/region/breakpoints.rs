//! Where along the common perpendicular two cylinders overlap, and where the sides that bound their cuts change.
//!
//! Everything is said by lines `a w1 + b w2 + c` in the half widths of the two rectangles: which side of a line a corner is on. Widths
//! are concave in x, and the curvature of a line is known between any two places, so that most lines are seen at once to have no root.

use glam::DVec2;

use super::frame::Frame;
use super::simd::Four;

/// Most places that are taken, the ends included and each as often as it is found: more than six different bends have not been seen.
const MOST_BENDS: usize = 32;

/// Steps of a root's search: it halves its bracket at worst every other step.
const ROOT_STEPS: u32 = 60;

/// A step of Newton's method that small is the last one, in the length of the region; what is left is its square. The integrands
/// begin at zero where the region ends, so that a misplaced end costs the square of that, as does a misplaced bend.
const LAST_STEP: f64 = 2e-3;

/// Part of the region's length up to which a place is its end, and what is left of a value or a step is nothing.
const CLOSE: f64 = 1e-7;

/// The same where a circle ends there too: what is summed goes with the root of the way from such an end.
const AT_END: f64 = 1e-9;

/// Part of the way to the nearer end up to which two places are one: they are not known better.
const SAME: f64 = 1e-6;

/// Part of a length by which a corner may be off a side and yet meet it.
const LEEWAY: f64 = 1e-9;

/// Times that an interval is halved to find two roots in it that its ends do not tell: near the end of a circle they lie close.
const HALVINGS: u32 = 12;

/// Places along x.
pub(super) struct Places {
    all: [f64; MOST_BENDS],
    len: usize,
    /// What others lie between.
    between: [f64; 2],
}

impl Places {
    /// The ends of the region that two cylinders share.
    #[inline(always)]
    pub fn new([from, to]: [f64; 2]) -> Self {
        let mut all = [0.0; MOST_BENDS];
        (all[0], all[1]) = (from, to);
        Self { all, len: 2, between: [from, to] }
    }

    /// Adds the bends between the ends, in order. Where it stands: a copy would cost as much as a bend.
    #[inline(always)]
    pub fn add_bends(&mut self, frame: &Frame) {
        let ([from, to], [low, high]) = ([self.all[0], self.all[1]], frame.domain());
        let close = |end: f64, circle: f64| (to - from) * if end == circle { AT_END } else { CLOSE };
        self.between = [from + close(from, low), to - close(to, high)];
        frame.bends(self);
        self.sort();
    }

    /// Adds a place if it lies between the ends.
    fn see(&mut self, x: f64) {
        if x > self.between[0] && x < self.between[1] && self.len < MOST_BENDS {
            self.all[self.len] = x;
            self.len += 1;
        }
    }

    /// Puts them in order, and takes those that are one only once.
    fn sort(&mut self) {
        if self.len == 2 {
            return;
        }
        let (from, to) = (self.all[0], self.all[1]);
        self.all[..self.len].sort_unstable_by(f64::total_cmp);
        let mut kept = 1;
        for k in 1..self.len {
            // The ends themselves are kept.
            let x = self.all[k];
            if x - self.all[kept - 1] > SAME * (x - from).min(to - x) {
                self.all[kept] = self.all[k];
                kept += 1;
            }
        }
        self.len = kept;
    }

    pub fn all(&self) -> &[f64] {
        &self.all[..self.len]
    }
}

/// `a w1 + b w2 + c`: on which side of a line a corner is.
#[derive(Clone, Copy)]
struct Line {
    a: f64,
    b: f64,
    c: f64,
}

/// What a value lies between.
#[derive(Clone, Copy)]
struct Range {
    low: f64,
    high: f64,
}

impl Line {
    #[inline]
    fn at(&self, w: [f64; 2]) -> f64 {
        self.a * w[0] + self.b * w[1] + self.c
    }

    /// What it lies between as the widths do.
    #[inline]
    fn over(&self, w: [Range; 2]) -> Range {
        let term = |rate: f64, w: Range| {
            if rate > 0.0 { [rate * w.low, rate * w.high] } else { [rate * w.high, rate * w.low] }
        };
        let ([p, q], [s, t]) = (term(self.a, w[0]), term(self.b, w[1]));
        Range { low: p + s + self.c, high: q + t + self.c }
    }
}

/// A place and the half widths there.
#[derive(Clone, Copy)]
struct Look {
    x: f64,
    w: [f64; 2],
}

impl Frame {
    /// Where both rectangles are.
    pub fn domain(&self) -> [f64; 2] {
        let [r1, r2] = self.r;
        [(-r1).max(self.d - r2), r1.min(self.d + r2)]
    }

    fn look(&self, x: f64) -> Look {
        Look { x, w: self.widths(x) }
    }

    /// A line's slope in x.
    #[inline]
    fn slope(&self, line: Line, Look { x, w }: Look) -> f64 {
        -line.a * x / w[0] - line.b * (x - self.d) / w[1]
    }

    /// Whether a line whose widths pull different ways surely rises or falls all the way between two places. With y from the second axis its
    /// slope is `A x/w1 - B y/w2`, or minus that: between the axes both terms pull one way. Beyond them that of the farther axis wins where
    /// `A^2 r2^2 x^2 > B^2 r1^2 y^2 + (A^2 - B^2) x^2 y^2`, which with a bound for y in the last term is told by the roots of both sides, straight lines.
    #[inline]
    fn is_monotonic(&self, line: Line, [from, to]: [f64; 2]) -> bool {
        let Self { r: [r1, r2], d, .. } = *self;
        let (a, b, d) = (line.a.abs(), line.b.abs(), d.abs());
        let (from, to) = if self.d < 0.0 { (-to, -from) } else { (from, to) };
        // Whether the term of the axis that is farther by d wins up to x from it.
        let wins = |[a, b]: [f64; 2], [r1, r2]: [f64; 2], x: f64| {
            let y = x - d;
            let least = a * a * r2 * r2 - (a * a - b * b).max(0.0) * y * y;
            y <= 0.0 || least * x * x > (b * r1 * y) * (b * r1 * y)
        };
        wins([a, b], [r1, r2], to) && wins([b, a], [r2, r1], d - from)
    }

    /// Newton's step to the root of a line: minus its value over its slope, by one division.
    #[inline]
    fn newton(&self, line: Line, value: f64, Look { x, w }: Look) -> f64 {
        value * (w[0] * w[1]) / (line.a * x * w[1] + line.b * (x - self.d) * w[0])
    }

    /// The part of `[from, to]` where the width of body `i` times the sine is no less than `lack`.
    fn where_wide(&self, i: usize, lack: f64, [from, to]: [f64; 2]) -> Option<[f64; 2]> {
        let (r, place, sin) = (self.r[i], [0.0, self.d][i], self.high.x);
        if lack <= 0.0 {
            return Some([from, to]);
        }
        if lack > sin * r {
            return None;
        }
        let width = lack / sin;
        let half = ((r - width) * (r + width)).max(0.0).sqrt();
        Some([from.max(place - half), to.min(place + half)])
    }

    /// Where the rectangles overlap: `[from, to]`, if anywhere.
    #[inline]
    pub fn range(&self) -> Option<[f64; 2]> {
        let [h1, h2] = self.h;
        let (sin, cos) = (self.high.x, self.high.y);
        let (y12, z12) = (self.centre.x.abs(), self.centre.y.abs());
        let (y21, z21) = (self.wide.dot(self.centre).abs(), self.high.dot(self.centre).abs());
        // Along either axis the margin holds one width only: a circle in closed form.
        let range = self.where_wide(1, z12 - h1 - cos * h2, self.domain())?;
        let range = self.where_wide(0, z21 - h2 - cos * h1, range)?;
        // Across them, two: a concave function.
        let range = self.positive(Line { a: 1.0, b: cos, c: sin * h2 - y12 }, range)?;
        self.positive(Line { a: cos, b: 1.0, c: sin * h1 - y21 }, range)
    }

    /// The part of `[from, to]` where a concave margin is positive, if there is any.
    fn positive(&self, margin: Line, [from, to]: [f64; 2]) -> Option<[f64; 2]> {
        if from >= to {
            return None;
        }
        // Sure from the constant alone: widths are not negative.
        if margin.c >= 0.0 {
            return Some([from, to]);
        }
        let ends = [self.look(from), self.look(to)];
        let [at_from, at_to] = ends.map(|look| margin.at(look.w));
        if at_from >= 0.0 && at_to >= 0.0 {
            return Some([from, to]);
        }
        let (inside, starts) = if at_from > 0.0 || at_to > 0.0 {
            // The chord of a concave function lies below it.
            let chord = from + (to - from) * at_from / (at_from - at_to);
            (if at_from > 0.0 { from } else { to }, [chord; 2])
        } else {
            self.inside(margin, ends)?
        };
        let from = if at_from < 0.0 { self.root(margin, starts[0], inside, from, true) } else { from };
        let to = if at_to < 0.0 { self.root(margin, starts[1], inside, to, true) } else { to };
        (from < to).then_some([from, to])
    }

    /// A place between two where a concave margin is positive, and where a parabola there has its roots; none if it is positive nowhere.
    fn inside(&self, margin: Line, [first, last]: [Look; 2]) -> Option<(f64, [f64; 2])> {
        let (mut low, mut high) = (first.x, last.x);
        // The top of two parabolas, one for each circle.
        let parts = [margin.a * self.r[1], margin.b * self.r[0]];
        let mut x = self.d * parts[1] / (parts[0] + parts[1]);
        for _ in 0..ROOT_STEPS {
            if !(low < x && x < high) {
                x = 0.5 * (low + high);
            }
            let here = self.look(x);
            let (value, slope) = (margin.at(here.w), self.slope(margin, here));
            let bend = self.bend(margin, here);
            if value > 0.0 {
                let root = (slope * slope + 2.0 * bend * value).sqrt();
                return Some((x, [x + (slope - root) / bend, x + (slope + root) / bend]));
            }
            // A tangent lies above the function.
            *if slope > 0.0 { &mut low } else { &mut high } = x;
            let end = if slope > 0.0 { high } else { low };
            if value + slope * (end - x) <= 0.0 {
                return None;
            }
            let next = x + slope / bend;
            if next == x {
                return None;
            }
            x = next;
        }
        None
    }

    /// Minus a line's second derivative in x.
    #[inline]
    fn bend(&self, line: Line, Look { w, .. }: Look) -> f64 {
        let [r1, r2] = self.r;
        line.a * r1 * r1 / (w[0] * w[0] * w[0]) + line.b * r2 * r2 / (w[1] * w[1] * w[1])
    }

    /// The root of a line between two places of different signs, by Newton's method from `start`, kept between them; `inside` is a
    /// place of the region, or one end of it.
    fn root(&self, line: Line, start: f64, inside: f64, outside: f64, is_positive_inside: bool) -> f64 {
        let (mut low, mut high) = if inside < outside { (inside, outside) } else { (outside, inside) };
        let is_positive_low = is_positive_inside == (inside < outside);
        let least = CLOSE * (high - low);
        let mut x = start;
        for _ in 0..ROOT_STEPS {
            if !(low < x && x < high) {
                x = 0.5 * (low + high);
            }
            let here = self.look(x);
            let value = line.at(here.w);
            *if (value > 0.0) == is_positive_low { &mut low } else { &mut high } = x;
            let next = x + self.newton(line, value, here);
            // Near the end of a circle steps are short without being the last.
            let step = (next - x).abs();
            let way = |end: f64| step <= LAST_STEP * (next - end).abs() || step <= LAST_STEP * least;
            if low <= next && next <= high && way(inside) && way(outside) {
                return next;
            }
            x = next;
        }
        0.5 * (low + high)
    }

    /// Adds the places where a corner of one rectangle crosses a side of the other to the ends.
    fn bends(&self, places: &mut Places) {
        let ends = [places.all[0], places.all[1]].map(|x| self.look(x));
        let widths = [0, 1].map(|i| self.width_range(i, ends));
        let (sin, cos) = (self.high.x, self.high.y);
        let Self { h: [h1, h2], centre, wide, high, .. } = *self;
        // The bases of the first in the second's axes, and those of the second in the first's; the corners are on either side.
        let first = DVec2::new(-wide.dot(centre), -high.dot(centre));
        self.corners::<0>(first, h1 * DVec2::new(-sin, cos), DVec2::new(cos, sin), ends, widths, places);
        self.corners::<1>(centre, h2 * high, DVec2::new(cos, -sin), ends, widths, places);
    }

    /// What the width of body `i` lies between.
    #[inline]
    fn width_range(&self, i: usize, [first, last]: [Look; 2]) -> Range {
        let top = [0.0, self.d][i];
        let (low, high) = if first.w[i] < last.w[i] { (first.w[i], last.w[i]) } else { (last.w[i], first.w[i]) };
        Range { low, high: if first.x < top && top < last.x { self.r[i] } else { high } }
    }

    /// Adds the places where a corner of body `I` crosses a side of the other. In the other's axes its bases are at `middle` and by
    /// `step` to either side, and from these its corners by `rate` times the width.
    #[inline]
    fn corners<const I: usize>(
        &self,
        middle: DVec2,
        step: DVec2,
        rate: DVec2,
        ends: [Look; 2],
        widths: [Range; 2],
        places: &mut Places,
    ) {
        let (own, other, height) = (widths[I], widths[1 - I], self.h[1 - I]);
        let (mean, spread) = (0.5 * (own.low + own.high) * rate, 0.5 * (own.high - own.low) * rate.abs());
        let reach = DVec2::new(other.high, height) * (1.0 + LEEWAY);
        // Where the corners are for the mean width: most never come to the other rectangle.
        let place = |middle: f64, step: f64, mean: f64| {
            Four::new([middle + step + mean, middle + step - mean, middle - step + mean, middle - step - mean])
        };
        let at = [place(middle.x, step.x, mean.x), place(middle.y, step.y, mean.y)];
        let far = reach + spread;
        let out = at[0].size().exceeds(Four::all(far.x)) | at[1].size().exceeds(Four::all(far.y));
        for corner in (0..4).filter(|corner| out >> corner & 1 == 0) {
            let side = if corner % 2 == 0 { 1.0 } else { -1.0 };
            let base = if corner < 2 { middle + step } else { middle - step };
            let at = DVec2::new(at[0].at(corner), at[1].at(corner));
            let line = |rate: f64, c: f64| match I {
                0 => Line { a: side * rate, b: 0.0, c },
                _ => Line { a: 0.0, b: side * rate, c },
            };
            let (y, z) = (line(rate.x, base.x), line(rate.y, base.y));
            for sign in [1.0, -1.0] {
                // Against an upright side, which ends at the heights.
                if sign * at.x + spread.x >= other.low {
                    let upright = if I == 0 { Line { b: -sign, ..y } } else { Line { a: -sign, ..y } };
                    self.crossings(upright, ends, HALVINGS, places, &|w| z.at(w).abs() <= reach.y);
                }
                // Against a base, which ends at the widths.
                if sign * at.y + spread.y >= height {
                    let width = side * self.crossings[I][corner / 2][if sign > 0.0 { 0 } else { 1 }];
                    self.on_circle::<I>(width, places, &|w| y.at(w).abs() <= w[1 - I] * (1.0 + LEEWAY));
                }
            }
        }
    }

    /// Adds the places where body `I` has this half width.
    fn on_circle<const I: usize>(&self, width: f64, places: &mut Places, counts: &dyn Fn([f64; 2]) -> bool) {
        let (top, r) = ([0.0, self.d][I], self.r[I]);
        if !(0.0..=r).contains(&width) {
            return;
        }
        let aside = ((r - width) * (r + width)).sqrt();
        for x in [top - aside, top + aside] {
            if counts(self.widths(x)) {
                places.see(x);
            }
        }
    }

    /// Adds the roots of a line between two places: those that its signs tell, and after as many halvings as wanted those that its
    /// curvature does not rule out.
    fn crossings(
        &self,
        line: Line,
        [first, last]: [Look; 2],
        halvings: u32,
        places: &mut Places,
        counts: &dyn Fn([f64; 2]) -> bool,
    ) {
        let (from, to) = (line.at(first.w), line.at(last.w));
        let length = last.x - first.x;
        // Bounds of the curvature, found only where they decide.
        let curvature = || {
            // That of a width is largest at an end.
            let widths = [0, 1].map(|i| self.width_range(i, [first, last]));
            let bend = |i: usize, w: f64| self.r[i] * self.r[i] / (w * w * w);
            let bends = [0, 1].map(|i| Range { low: bend(i, widths[i].high), high: bend(i, widths[i].low) });
            Line { c: 0.0, ..line }.over(bends)
        };
        let look_between = || self.look(0.5 * (first.x + last.x));
        let dip = |Range { low, high }: Range| low.abs().max(high.abs()) * length * length / 8.0;
        // Where both widths pull the same way, no curvature is needed to know its sign.
        let (is_convex, is_concave) = (line.a >= 0.0 && line.b >= 0.0, line.a <= 0.0 && line.b <= 0.0);
        let is_monotonic = || !is_convex && !is_concave && self.is_monotonic(line, [first.x, last.x]);
        // An end of the region may be a root itself, up to rounding, and is no bend.
        let tiny = CLOSE * from.abs().max(to.abs());
        let is_end = |look: Look| look.x == places.all[0] || look.x == places.all[1];
        let is_nothing = |value: f64, look: Look| value.abs() <= tiny && is_end(look);
        if (from > 0.0) != (to > 0.0) && !is_nothing(from, first) && !is_nothing(to, last) {
            // One root where the curvature has one sign, or where it cannot turn the slope.
            let is_one = || {
                let range = curvature();
                range.low >= 0.0 || range.high <= 0.0 || 8.0 * dip(range) <= (from - to).abs()
            };
            if is_convex || is_concave || halvings == 0 || is_monotonic() || is_one() {
                let start = first.x + length * from / (from - to);
                let x = self.root(line, start, first.x, last.x, from > 0.0);
                if counts(self.widths(x)) {
                    places.see(x);
                }
                return;
            }
        } else {
            // None where the curvature leads away from zero, or not so far.
            let is_positive = if from.abs() > to.abs() { from > 0.0 } else { to > 0.0 };
            let is_none = || {
                let range = curvature();
                let leads_away = if is_positive { range.low >= 0.0 } else { range.high <= 0.0 };
                leads_away || from.abs().min(to.abs()) > dip(range)
            };
            let leads_away = if is_positive { is_convex } else { is_concave };
            if leads_away || halvings == 0 || is_monotonic() || is_none() {
                return;
            }
            // Nor where widths do not rise so far above their chords: by no more than twice what they do in the middle.
            let middle = look_between();
            let rise = |i: usize| middle.w[i] - 0.5 * (first.w[i] + last.w[i]);
            let pulls =
                |rate: f64, i: usize| if (rate > 0.0) == is_positive { 0.0 } else { 2.0 * rate.abs() * rise(i) };
            if from.abs().min(to.abs()) > pulls(line.a, 0) + pulls(line.b, 1) {
                return;
            }
        }
        let middle = look_between();
        self.crossings(line, [first, middle], halvings - 1, places, counts);
        self.crossings(line, [middle, last], halvings - 1, places, counts);
    }
}
