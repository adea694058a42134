//! The region that two cylinders share, by layers across the common perpendicular of their axes.
//!
//! Each layer is the common part of two rectangles. As x goes on, a corner of one may cross a side of the other,
//! and the integrands bend there (`places`): the layers stand at Gauss points between these places (`lanes`).

use std::sync::LazyLock;

use glam::{DMat3, DVec2, DVec3};

use super::bounds::Bounds;
use super::breakpoints::Places;
use super::cross_section::{Cuts, Nodes, Sum};
use super::frame::Frame;
use super::integrals::{Moments, Push, Volume, Weight, Weighted};
use super::simd::Four;
use super::{MeasureGradient, OverlapRegion, SmoothOverlap};
use crate::contact::cylinder::CylinderPair;
use crate::numeric::math::gauss_legendre;
use crate::{ContactPatch, Pair, Shape};

/// Layers in a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceCount {
    /// As many as the piece asks for, by how far it is from the ends of the circles, where widths are not smooth: volume and force
    /// come to 1e-6 of themselves, or nearly.
    Adaptive,
    /// The same number in each, at most [`MAX_SLICES`].
    PerInterval(usize),
}

/// Layers in a piece by default: volume and force come to 1e-6 of themselves.
pub const DEFAULT_SLICES: usize = 8;

/// Most layers in a piece: volume and force come to rounding, or nearly.
pub const MAX_SLICES: usize = 32;

/// Distance of a piece's middle from the nearest end of a circle, in its half length, from which layers stand in x itself.
/// Nearer, they stand in the root of the distance from that end, in which the width is smooth.
const FAR: f64 = 2.5;

/// Part of the region's length by which its ends are looked at from within, for its bounds.
const INWARD: f64 = 1e-6;

/// How many layers a piece asks for nearer to an end. Gauss points leave an error of rho^-2n, with rho + 1/rho twice the sum of the distances of the
/// nearest place where the integrand is not smooth to the piece's ends, over its length: that sum from which n are enough for 1e-7.
const ENOUGH: [(f64, usize); 2] = [(1.5, 8), (1.15, 16)];

/// Smooth overlap, in roundings of the pair's size, up to which its moments are not those of a body.
const THINNEST: f64 = 100.0;

/// Slope of a smooth overlap that none has: a slab's is 2. In regions so thin that they are made of roundings it may be anything.
const TOO_STEEP: f64 = 4.0;

/// Layers where that place lies in the piece, or nearly.
const MANY: usize = 24;

/// Layers of a lens by how far the other ends of its circles lie from its middle, in its half length: the least distance from which they leave
/// 1e-7. With `x = middle - half cos(t)` midpoints in t sum all waves of t shorter than twice their number, and the integrands of a lens
/// hold waves up to four, the rest of which dies off as powers of one over twice that distance.
const OF_LENS: [(f64, usize); 2] = [(32.0, 4), (3.0, 8)];

/// The region that two cylinders share.
#[derive(Clone, Copy, Debug)]
pub struct CylinderRegion {
    /// Volume, centroid, and what a force needs.
    pub region: OverlapRegion,
    /// Bounding dimensions along the common perpendicular, across it, and along the first axis, m.
    pub extent: DVec3,
    /// Extent away from the first axis, m.
    pub radial: f64,
    /// Number of layers.
    pub slices: usize,
}

/// Places between -1 and 1 and their weights, four at a time, the last of which may count for nothing.
struct Rule {
    lanes: Vec<[Four; 2]>,
    count: usize,
}

/// Gauss-Legendre rules by their number of points.
static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| (0..=MAX_SLICES).map(|n| rule(&gauss_legendre(n))).collect());

/// The rules of a lens.
static LENS_RULES: LazyLock<[Rule; 2]> = LazyLock::new(|| OF_LENS.map(|(_, n)| rule(&midpoints_of_waves(n))));

/// The midpoint rule in t, with the cosine of t as the place.
fn midpoints_of_waves(n: usize) -> Vec<(f64, f64)> {
    let step = std::f64::consts::PI / n as f64;
    (0..n).map(|k| libm::sincos((k as f64 + 0.5) * step)).map(|(sin, cos)| (cos, step * sin)).collect()
}

fn rule(points: &[(f64, f64)]) -> Rule {
    let lanes = |points: &[(f64, f64)]| {
        let at = |k: usize| points.get(k).copied().unwrap_or_default();
        [Four::new(std::array::from_fn(|k| at(k).0)), Four::new(std::array::from_fn(|k| at(k).1))]
    };
    Rule { lanes: points.chunks(Four::COUNT).map(lanes).collect(), count: points.len() }
}

/// The region of two cylinders by layers; none if they are apart, or are not cylinders.
pub fn cylinder_region(pair: &Pair, layers: SliceCount) -> Option<CylinderRegion> {
    let (Shape::Cylinder(a), Shape::Cylinder(b)) = (pair.a, pair.b) else { return None };
    CylinderPair::new([a, b], pair.offset, [pair.orientation_a, pair.orientation_b]).region(layers)
}

/// The smooth overlap of two cylinders: (21) of a box that has the second moments C of the region about its centroid, over its volume,
/// `2 / sqrt(1/a^2 + 1/b^2 + 1/c^2) = sqrt(48 / tr C^-1)`. Of a slab it is twice the thickness. None if they are apart, or are not cylinders.
pub fn smooth_overlap(pair: &Pair, layers: SliceCount) -> Option<SmoothOverlap> {
    let (Shape::Cylinder(a), Shape::Cylinder(b)) = (pair.a, pair.b) else { return None };
    CylinderPair::new([a, b], pair.offset, [pair.orientation_a, pair.orientation_b]).smooth_overlap(layers)
}

impl CylinderPair {
    /// What is told by the layers of the region that the two share; none if they are apart.
    #[inline(always)]
    pub(super) fn stacked<R>(&self, layers: SliceCount, tell: impl FnOnce(&Stack) -> Option<R>) -> Option<R> {
        let frame = Frame::new(self);
        let mut places = Places::new(frame.range()?);
        places.add_bends(&frame);
        tell(&Stack::new(&frame, &places, layers))
    }

    /// Volume, centroid and force of the region that the two share, and the number of layers.
    pub(crate) fn shared(&self, layers: SliceCount) -> Option<(OverlapRegion, usize)> {
        self.stacked(layers, |stack| stack.region())
    }

    /// The same with its bounding dimensions.
    pub(crate) fn region(&self, layers: SliceCount) -> Option<CylinderRegion> {
        self.stacked(layers, |stack| {
            let (region, slices) = stack.region()?;
            let (extent, radial) = stack.extent();
            Some(CylinderRegion { region, extent, radial, slices })
        })
    }

    /// The smooth overlap, and how it changes as the bodies move; none too if it is made of roundings.
    pub(crate) fn smooth_overlap(&self, layers: SliceCount) -> Option<SmoothOverlap> {
        self.stacked(layers, |stack| stack.smooth_overlap())
    }
}

/// Whether a symmetric matrix is positive definite.
fn is_positive(m: DMat3) -> bool {
    let minor = m.x_axis.x * m.y_axis.y - m.x_axis.y * m.x_axis.y;
    m.x_axis.x > 0.0 && minor > 0.0 && m.determinant() > 0.0
}

/// The rule for a lens, if the region is one: from the end of one circle to that of the other only their sides bound the cuts, which are
/// parallelograms then. All that is summed over them holds the roots of the distances from both ends, or of one over the other.
fn rule_of_lens(cuts: &Cuts, places: &[f64], middle: f64) -> Option<&'static Rule> {
    let &[from, to] = places else { return None };
    let ([r1, r2], d, [low, high]) = (cuts.frame.r, cuts.frame.d, cuts.frame.domain());
    let is_whole = from == low && to == high && (low == -r1) != (high == r1);
    if !is_whole || !cuts.sides_there.are_the_uprights() {
        return None;
    }
    let sign = if high == r1 { 1.0 } else { -1.0 };
    let beyond = (r1 + sign * middle).min(r2 + sign * (d - middle));
    let clear = 2.0 * beyond / (to - from);
    OF_LENS.iter().position(|&(least, _)| clear >= least).map(|k| &LENS_RULES[k])
}

/// Layers put on layers.
pub(super) struct Stack<'a> {
    pub cuts: Cuts<'a>,
    places: &'a [f64],
    layers: SliceCount,
    /// The place about which the cuts are.
    middle: f64,
    /// The rule for the whole region, where it is a lens.
    lens: Option<&'static Rule>,
}

impl<'a> Stack<'a> {
    /// The layers between places.
    #[inline(always)]
    pub fn new(frame: &'a Frame, places: &'a Places, layers: SliceCount) -> Self {
        let places = places.all();
        let middle = 0.5 * (places[0] + places[places.len() - 1]);
        let cuts = Cuts::new(frame, middle);
        let lens = match layers {
            SliceCount::Adaptive => rule_of_lens(&cuts, places, middle),
            SliceCount::PerInterval(_) => None,
        };
        Self { cuts, places, layers, middle, lens }
    }

    /// Adds all of them to sums; returns their number.
    #[inline(always)]
    pub fn sum<T: Sum>(&self, sums: &mut T) -> usize {
        let mut sum = Summed { stack: self, sums, count: 0 };
        match self.lens {
            Some(rule) => sum.evenly([self.places[0], self.places[1]], rule),
            None => self.places.windows(2).for_each(|piece| sum.piece([piece[0], piece[1]])),
        }
        sum.count
    }

    /// Volume, centroid and force, and the number of layers; none without a volume.
    #[inline(always)]
    fn region(&self) -> Option<(OverlapRegion, usize)> {
        let mut sums = (Volume::default(), Push::default());
        let count = self.sum(&mut sums);
        let (volume, push) = &sums;
        let (volume, centroid) = volume.centroid(&self.cuts)?;
        let [push, turn] = push.total();
        let [centroid, push, turn] = [centroid, push, turn].map(|vector| self.cuts.frame.world(vector));
        Some((
            OverlapRegion { volume, centroid, gradient: MeasureGradient { translation: push, rotation: turn } },
            count,
        ))
    }

    /// How far the region moves across x as x goes on, from its middle to half way to its end. A lens stays where it is.
    #[inline(always)]
    fn lean(&self) -> DVec2 {
        if self.lens.is_some() {
            return DVec2::ZERO;
        }
        let way = 0.5 * (self.places[self.places.len() - 1] - self.middle);
        let there = self.cuts.place_at(self.middle + way);
        there.map_or(DVec2::ZERO, |place| self.cuts.along_base((place - self.cuts.about) / way))
    }

    /// The integral of a weight times the normal over the first body's surface and its moment about the first centre, and the number of
    /// layers: by the surface of the body that has fewer sides in the middle cut.
    #[inline(always)]
    fn surface_integral(&self, weight: Weight) -> ([DVec3; 2], usize) {
        let frame = self.cuts.frame;
        let [first, second] = self.cuts.sides_there.counts();
        if first <= second {
            let mut sums = Weighted::of_first(weight);
            let layers = self.sum(&mut sums);
            (sums.total(), layers)
        } else {
            let mut sums = Weighted::of_second(&weight, frame);
            let layers = self.sum(&mut sums);
            (sums.total_of_first(frame), layers)
        }
    }

    /// The smooth overlap; none if it is made of roundings.
    #[inline(always)]
    fn smooth_overlap(&self) -> Option<SmoothOverlap> {
        let frame = self.cuts.frame;
        let mut moments = Moments::about_line(&self.cuts, self.middle, self.lean());
        self.sum(&mut moments);
        let (volume, centre, spread) = moments.total(&self.cuts).filter(|&(.., spread)| is_positive(spread))?;
        let inverse = spread.inverse();
        let trace = inverse.x_axis.x + inverse.y_axis.y + inverse.z_axis.z;
        let size = (48.0 / trace).sqrt();
        if size < THINNEST * frame.rounding {
            return None;
        }
        // As a surface moves by dx: d size = (size^3/96 V) (integral of (x' C^-2 x - tr C^-1) n dA) . dx
        let scale = size * size * size / (96.0 * volume);
        let weight = Weight { centre, form: inverse * inverse * scale, level: trace * scale };
        let ([push, turn], layers) = self.surface_integral(weight);
        if push.length_squared() > TOO_STEEP * TOO_STEEP {
            return None;
        }
        let patch =
            ContactPatch(ContactPatch::of(spread, push.normalize_or(DVec3::Z)).0.map(|vector| frame.world(vector)));
        let [centroid, push, turn] = [centre, push, turn].map(|vector| frame.world(vector));
        Some(SmoothOverlap {
            length: size,
            centroid,
            gradient: MeasureGradient { translation: push, rotation: turn },
            patch,
            evaluations: layers,
        })
    }

    /// Bounding dimensions along the common perpendicular, across it, and along the first axis, and the extent away from that, m:
    /// those of the corners at the places, and half way between them.
    #[inline(always)]
    pub fn extent(&self) -> (DVec3, f64) {
        let places = self.places;
        let (from, to) = (places[0], places[places.len() - 1]);
        let mut bounds = Bounds::of(self.middle, self.cuts.about);
        // At its very ends the region is a point or a line, which roundings hide.
        let inward = INWARD * (to - from);
        bounds.see(&self.cuts, from + inward);
        for piece in places.windows(2) {
            bounds.see(&self.cuts, 0.5 * (piece[0] + piece[1]));
            bounds.see(&self.cuts, piece[1].min(to - inward));
        }
        let (across, radial) = bounds.extent();
        (DVec3::new(to - from, across.x, across.y), radial)
    }
}

/// A sum over layers on its way.
struct Summed<'a, T> {
    stack: &'a Stack<'a>,
    sums: &'a mut T,
    count: usize,
}

impl<T: Sum> Summed<'_, T> {
    fn piece(&mut self, piece: [f64; 2]) {
        let [from, to] = piece;
        let [low, high] = self.stack.cuts.frame.domain();
        let twice = from + to;
        if (twice - 2.0 * low).min(2.0 * high - twice) >= FAR * (to - from) {
            return self.evenly(piece, self.rule(|| T::FEW));
        }
        let middle = 0.5 * (low + high);
        if from < middle && middle < to {
            self.near_end([from, middle], true);
            self.near_end([middle, to], false);
        } else {
            self.near_end(piece, twice < low + high);
        }
    }

    /// The rule with as many layers as were asked for, or as are enough.
    fn rule(&self, enough: impl Fn() -> usize) -> &'static Rule {
        &RULES[match self.stack.layers {
            SliceCount::PerInterval(nodes) => nodes.clamp(1, MAX_SLICES),
            SliceCount::Adaptive => enough(),
        }]
    }

    /// A piece whose layers stand in x as a rule says.
    fn evenly(&mut self, [from, to]: [f64; 2], rule: &Rule) {
        let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
        let frame = self.stack.cuts.frame;
        self.add(rule, middle, |places, weights| Nodes::new(frame, Four::all(middle) + places * half, weights * half));
    }

    /// A piece whose layers stand in the root of the distance from the low or the high end of a circle.
    fn near_end(&mut self, piece: [f64; 2], is_low: bool) {
        let frame = self.stack.cuts.frame;
        let [low, high] = frame.domain();
        let ([r1, r2], d) = (frame.r, frame.d);
        let (end, sign) = if is_low { (low, 1.0) } else { (high, -1.0) };
        // How far the circles' ends on this side lie from here: of the narrower one not at all.
        let beyond = if is_low { [low + r1, low - (d - r2)] } else { [r1 - high, d + r2 - high] };
        let [p, q] = piece.map(|x| (sign * (x - end)).max(0.0).sqrt());
        let length = (q - p).abs();
        let enough = || {
            // The other end of the narrower circle, and the end of the other one beyond this one.
            let across = (high - low).sqrt();
            let beyond = beyond[0].max(beyond[1]);
            let to_ends = (beyond + p * p).sqrt() + (beyond + q * q).sqrt();
            let clear = (2.0 * across - p - q).min(to_ends);
            ENOUGH.iter().find(|(from, _)| clear >= from * length).map_or(MANY, |&(_, nodes)| nodes)
        };
        let (middle, half) = (0.5 * (p + q), 0.5 * length);
        self.add(self.rule(enough), end + sign * middle * middle, |places, weights| {
            let roots = Four::all(middle) + places * half;
            let way = roots * roots;
            let (x, dx) = (Four::all(end) + way * sign, weights * roots * (2.0 * half));
            Nodes::from_ends(frame, x, dx, beyond.map(|beyond| way + Four::all(beyond)))
        });
    }

    /// Adds the layers of a piece with this middle: `at` tells where those of a rule stand and what they count.
    #[inline(always)]
    fn add(&mut self, rule: &Rule, middle: f64, at: impl Fn(Four, Four) -> Nodes) {
        let stack = self.stack;
        let active = if middle == stack.middle { stack.cuts.sides_there } else { stack.cuts.active(middle) };
        if active.is_none() {
            return;
        }
        let active = if T::FROM_PLACE { active.without(stack.cuts.base_there) } else { active };
        for &[places, weights] in &rule.lanes {
            stack.cuts.add(&at(places, weights), active, self.sums);
        }
        self.count += rule.count;
    }
}
