//! The region that two cylinders share, by layers across the common perpendicular of their axes.
//!
//! Each layer is the common part of two rectangles (`section`). As x goes on, a corner of one may cross a side of the other,
//! and the integrands bend there: the layers stand at Gauss points between these places.

use std::sync::LazyLock;

use glam::DVec3;

use super::Couple;
use super::section::{Bounds, Frame, Section};
use crate::math::gauss_legendre;
use crate::{Overlap, Pair, Shape};

/// Layers in a piece by default: volume and force come to 1e-6 of themselves.
pub const NODES: usize = 8;

/// Layers in a piece for a contact that is asked for at every step: the volume comes to 1e-4 of itself at worst, mostly to 1e-8.
pub const CONTACT_NODES: usize = 5;

/// Most layers in a piece: volume and force come to rounding, or nearly.
pub const MOST_NODES: usize = 32;

/// Places at which corners are looked at, to see which cross a side in between.
const LOOKS: usize = 8;

/// Most places where the integrands bend that are taken: with 32 lines and two crossings each there cannot be more.
const MOST_BENDS: usize = 64;

/// Steps of a root's search: it halves its bracket at worst every other step.
const ROOT_STEPS: u32 = 60;

/// A bracket that small is a point: where the region ends, in radii, and where the integrands bend, in its half length. A misplaced
/// bend costs the square of this.
const END: f64 = 1e-12;
const BEND: f64 = 1e-7;

/// Part of a length by which a corner may be off a side and yet meet it.
const LEEWAY: f64 = 1e-9;

/// The region that two cylinders share.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// Volume, centroid, and what a force needs.
    pub overlap: Overlap,
    /// Bounding dimensions along the common perpendicular, across it, and along the first axis, m.
    pub extent: DVec3,
    /// Extent away from the first axis, m.
    pub radial: f64,
    /// Number of layers.
    pub layers: usize,
}

/// Gauss-Legendre rules by their number of points.
static RULES: LazyLock<Vec<Vec<(f64, f64)>>> = LazyLock::new(|| (0..=MOST_NODES).map(gauss_legendre).collect());

/// The region of two cylinders by layers, `nodes` in each piece; none if they are apart, or are not cylinders.
pub fn layers(pair: &Pair, nodes: usize) -> Option<Region> {
    let (Shape::Cylinder(a), Shape::Cylinder(b)) = (pair.a, pair.b) else { return None };
    Couple::new([a, b], pair.offset, [pair.orientation_a, pair.orientation_b]).region(nodes)
}

/// The region by layers, and where they are.
struct Stack {
    overlap: Overlap,
    frame: Frame,
    places: Places,
    layers: usize,
}

impl Couple {
    /// Volume, centroid and force of the region that the two share, and the number of layers.
    pub(crate) fn shared(&self, nodes: usize) -> Option<(Overlap, usize)> {
        self.stack(nodes).map(|stack| (stack.overlap, stack.layers))
    }

    /// The same with its bounding dimensions.
    pub(crate) fn region(&self, nodes: usize) -> Option<Region> {
        let Stack { overlap, frame, places, layers } = self.stack(nodes)?;
        let places = places.all();
        let mut bounds = Bounds::NONE;
        for &x in places {
            frame.bound(x, &mut bounds);
        }
        for piece in places.windows(2) {
            frame.bound(0.5 * (piece[0] + piece[1]), &mut bounds);
        }
        let extent = (bounds.high - bounds.low).max(glam::DVec2::ZERO);
        let extent = DVec3::new(places[places.len() - 1] - places[0], extent.x, extent.y);
        Some(Region { overlap, extent, radial: bounds.radii[0] - bounds.radii[1], layers })
    }

    fn stack(&self, nodes: usize) -> Option<Stack> {
        let frame = Frame::new(self);
        let [from, to] = frame.range()?;
        let mut places = Places::between(from, to);
        frame.bends(&mut places);
        let [low, high] = frame.domain();
        places.see(0.5 * (low + high));
        places.sort();
        let about = frame.point(0.5 * (from + to)).unwrap_or(frame.centre);
        let rule = &RULES[nodes.clamp(1, MOST_NODES)];
        let (mut volume, mut first) = (0.0, DVec3::ZERO);
        let (mut push, mut turn) = (DVec3::ZERO, glam::DVec2::ZERO);
        let mut layers = 0;
        // Widths end like square roots, at `low` and `high`: the places are counted in roots from the nearer of these.
        for piece in places.all().windows(2) {
            let is_low = piece[0] + piece[1] < low + high;
            let reach = |x: f64| if is_low { x - low } else { high - x }.max(0.0).sqrt();
            let ends = [reach(piece[0]), reach(piece[1])];
            let (middle, half) = (0.5 * (ends[0] + ends[1]), 0.5 * (ends[1] - ends[0]).abs());
            for &(place, weight) in rule {
                let root = middle + half * place;
                let x = if is_low { low + root * root } else { high - root * root };
                let dx = half * weight * 2.0 * root;
                let Section { area, first: moment, push: s, turn: g } = frame.section(x, about);
                volume += dx * area;
                first += dx * DVec3::new(x * area, moment.x, moment.y);
                push += dx * s;
                turn += dx * g;
            }
            layers += rule.len();
        }
        if volume <= 0.0 {
            return None;
        }
        let centroid = first / volume + DVec3::new(0.0, about.x, about.y);
        let overlap = Overlap {
            volume,
            centroid: frame.world(centroid),
            push: frame.world(push),
            turn: frame.world(turn.extend(0.0)),
        };
        Some(Stack { overlap, frame, places, layers })
    }
}

/// Places along x.
struct Places {
    all: [f64; MOST_BENDS],
    len: usize,
}

impl Places {
    fn between(from: f64, to: f64) -> Self {
        let mut all = [0.0; MOST_BENDS];
        all[..2].copy_from_slice(&[from, to]);
        Self { all, len: 2 }
    }

    /// Adds a place if it lies between the first two.
    fn see(&mut self, x: f64) {
        if x > self.all[0] && x < self.all[1] && self.len < MOST_BENDS {
            self.all[self.len] = x;
            self.len += 1;
        }
    }

    fn sort(&mut self) {
        self.all[..self.len].sort_unstable_by(f64::total_cmp);
    }

    fn all(&self) -> &[f64] {
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
    fn at(&self, w: [f64; 2]) -> f64 {
        self.a * w[0] + self.b * w[1] + self.c
    }

    /// What it lies between as the widths do.
    fn over(&self, w: [Range; 2]) -> Range {
        let term = |rate: f64, w: Range| {
            if rate > 0.0 { [rate * w.low, rate * w.high] } else { [rate * w.high, rate * w.low] }
        };
        let ([p, q], [s, t]) = (term(self.a, w[0]), term(self.b, w[1]));
        Range { low: p + s + self.c, high: q + t + self.c }
    }
}

impl Frame {
    /// Where both rectangles are.
    fn domain(&self) -> [f64; 2] {
        let [r1, r2] = self.r;
        [(-r1).max(self.d - r2), r1.min(self.d + r2)]
    }

    /// The part of `[from, to]` where the width of body `i` times the sine is no less than `lack`.
    fn where_wide(&self, i: usize, lack: f64, from: f64, to: f64) -> Option<[f64; 2]> {
        let (r, place, sin) = (self.r[i], [0.0, self.d][i], self.high.x);
        if lack <= 0.0 {
            return Some([from, to]);
        }
        let width = lack / sin;
        if lack > sin * r {
            return None;
        }
        let half = ((r - width) * (r + width)).max(0.0).sqrt();
        Some([from.max(place - half), to.min(place + half)])
    }

    /// Where a base of body `i`, at the height z of its own, lies in the other body: `[from, to]`, if anywhere.
    pub(super) fn base_range(&self, i: usize, z: f64) -> Option<[f64; 2]> {
        let (sin, cos) = (self.high.x, self.high.y);
        let j = 1 - i;
        // The base's middle in the other's axes, and along its own.
        let on = match i {
            0 => glam::DVec2::new(0.0, z) - self.centre,
            _ => self.centre + z * self.high,
        };
        let (across, along) = if i == 0 { (self.wide.dot(on), self.high.dot(on)) } else { (on.x, on.y) };
        let own = if i == 0 { on.y } else { sin * on.x + cos * on.y };
        let [from, to] = self.domain();
        let [from, to] = self.where_wide(i, along.abs() - self.h[j], from, to)?;
        let [from, to] = self.where_wide(j, own.abs() - cos * self.h[j], from, to)?;
        let c = -across.abs();
        let margin = if i == 0 { Line { a: cos, b: 1.0, c } } else { Line { a: 1.0, b: cos, c } };
        if from >= to {
            return None;
        }
        self.positive(margin, from, to).filter(|[from, to]| from < to)
    }

    /// Where the rectangles overlap: `[from, to]`, if anywhere.
    fn range(&self) -> Option<[f64; 2]> {
        let [h1, h2] = self.h;
        let (sin, cos) = (self.high.x, self.high.y);
        let (y12, z12) = (self.centre.x.abs(), self.centre.y.abs());
        let (y21, z21) = (self.wide.dot(self.centre).abs(), self.high.dot(self.centre).abs());
        let [mut from, mut to] = self.domain();
        // Along either axis the margin holds one width only: a circle in closed form.
        [from, to] = self.where_wide(1, z12 - h1 - cos * h2, from, to)?;
        [from, to] = self.where_wide(0, z21 - h2 - cos * h1, from, to)?;
        // Across them, two: a concave function.
        for margin in [Line { a: 1.0, b: cos, c: sin * h2 - y12 }, Line { a: cos, b: 1.0, c: sin * h1 - y21 }] {
            if from >= to {
                return None;
            }
            [from, to] = self.positive(margin, from, to)?;
        }
        (from < to).then_some([from, to])
    }

    /// The part of `[from, to]` where a concave margin is positive.
    fn positive(&self, margin: Line, from: f64, to: f64) -> Option<[f64; 2]> {
        let size = self.r[0].min(self.r[1]);
        let value = |x: f64| margin.at(self.widths(x));
        let (at_from, at_to) = (value(from), value(to));
        if at_from >= 0.0 && at_to >= 0.0 {
            return Some([from, to]);
        }
        let inside = if at_from > 0.0 {
            from
        } else if at_to > 0.0 {
            to
        } else {
            // The top, where the slope changes its sign.
            let slope = |x: f64| {
                let [w1, w2] = self.widths(x);
                -margin.a * x * w2 - margin.b * (x - self.d) * w1
            };
            let top = root(slope, from, to, END * size);
            (value(top) > 0.0).then_some(top)?
        };
        let from = if at_from < 0.0 { root(value, from, inside, END * size) } else { from };
        let to = if at_to < 0.0 { root(value, inside, to, END * size) } else { to };
        Some([from, to])
    }

    /// Adds the places where a corner of one rectangle crosses a side of the other.
    fn bends(&self, places: &mut Places) {
        let (from, to) = (places.all[0], places.all[1]);
        let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
        let [h1, h2] = self.h;
        let (sin, cos) = (self.high.x, self.high.y);
        let Self { centre, wide, high, .. } = *self;
        // The widths between their ends, to see at once what cannot be crossed.
        let ends = [self.widths(from), self.widths(to)];
        let range = [0, 1].map(|i| {
            let (low, high) = (ends[0][i].min(ends[1][i]), ends[0][i].max(ends[1][i]));
            let top = [0.0, self.d][i];
            Range { low, high: if from < top && top < to { self.r[i] } else { high } }
        });
        let mut looks: Option<[(f64, [f64; 2]); LOOKS + 1]> = None;
        let mut see = |line: Line, other: Line, limit: Line| {
            let (values, others) = (line.over(range), other.over(range));
            if values.low > 0.0 || values.high < 0.0 {
                return;
            }
            // The line goes on beyond the side; a crossing there bends nothing.
            let reach = limit.over(range).high * (1.0 + LEEWAY);
            if others.low > reach || others.high < -reach {
                return;
            }
            let mut add = |x: f64| {
                let w = self.widths(x);
                if other.at(w).abs() <= limit.at(w) * (1.0 + LEEWAY) {
                    places.see(x);
                }
            };
            // One width alone: a place on its circle.
            if line.a == 0.0 || line.b == 0.0 {
                let (i, rate) = if line.b == 0.0 { (0, line.a) } else { (1, line.b) };
                let (top, width) = ([0.0, self.d][i], -line.c / rate);
                let aside = ((self.r[i] - width) * (self.r[i] + width)).max(0.0).sqrt();
                add(top - aside);
                add(top + aside);
                return;
            }
            let looks = looks.get_or_insert_with(|| {
                SPREAD.map(|part| {
                    let x = (middle + half * part).clamp(from, to);
                    (x, self.widths(x))
                })
            });
            let mut before = line.at(looks[0].1);
            for k in 1..=LOOKS {
                let after = line.at(looks[k].1);
                if (before < 0.0) != (after < 0.0) {
                    add(root(|x| line.at(self.widths(x)), looks[k - 1].0, looks[k].0, BEND * half));
                }
                before = after;
            }
        };
        let constant = |c: f64| Line { a: 0.0, b: 0.0, c };
        let (width1, width2) = (Line { a: 1.0, b: 0.0, c: 0.0 }, Line { a: 0.0, b: 1.0, c: 0.0 });
        for s in [1.0, -1.0] {
            for k in [h1, -h1] {
                // The first's corner (s w1, k) in the second's axes.
                let from_centre = glam::DVec2::new(0.0, k) - centre;
                let y = Line { a: s * cos, b: 0.0, c: wide.dot(from_centre) };
                let z = Line { a: s * sin, b: 0.0, c: high.dot(from_centre) };
                for q in [1.0, -1.0] {
                    see(Line { b: -q, ..y }, z, constant(h2));
                    see(Line { c: z.c - q * h2, ..z }, y, width2);
                }
            }
            for k in [h2, -h2] {
                // The second's corner in the first's axes.
                let y = Line { a: 0.0, b: s * cos, c: centre.x + sin * k };
                let z = Line { a: 0.0, b: -s * sin, c: centre.y + cos * k };
                for q in [1.0, -1.0] {
                    see(Line { a: -q, ..y }, z, constant(h1));
                    see(Line { c: z.c - q * h1, ..z }, y, width1);
                }
            }
        }
    }
}

/// `-cos(pi k / LOOKS)`: dense near the ends, where widths change fastest.
const SPREAD: [f64; LOOKS + 1] = [
    -1.0,
    -0.923_879_532_511_286_7,
    -std::f64::consts::FRAC_1_SQRT_2,
    -0.382_683_432_365_089_8,
    0.0,
    0.382_683_432_365_089_8,
    std::f64::consts::FRAC_1_SQRT_2,
    0.923_879_532_511_286_7,
    1.0,
];

/// The root of a function that changes its sign between `low` and `high`, to `close`: regula falsi with the Illinois weight.
fn root(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64, close: f64) -> f64 {
    let (mut at_low, mut at_high) = (f(low), f(high));
    let (mut last_low, mut last) = (None, f64::INFINITY);
    for _ in 0..ROOT_STEPS {
        if high - low <= close || at_low == at_high {
            break;
        }
        let x = (high - (high - low) * at_high / (at_high - at_low)).max(low).min(high);
        let value = f(x);
        if value == 0.0 || (x - last).abs() <= close {
            return x;
        }
        last = x;
        if (value < 0.0) == (at_low < 0.0) {
            (low, at_low) = (x, value);
            if last_low == Some(true) {
                at_high *= 0.5;
            }
            last_low = Some(true);
        } else {
            (high, at_high) = (x, value);
            if last_low == Some(false) {
                at_low *= 0.5;
            }
            last_low = Some(false);
        }
    }
    if at_low.abs() < at_high.abs() { low } else { high }
}
