//! What is summed over the sides of cuts: the volume of the region and its moments, and surface integrals that tell how they change as the
//! bodies move.
//!
//! Volume and moments are those of triangles from one place to each part of a side, in the axes of the side's body; surface integrals are
//! those over one cylinder's surface.

use glam::{DMat3, DVec2, DVec3, Vec3Swizzles};

use super::cross_section::{Cuts, Nodes, Part, SIGNS, Sum};
use super::frame::Frame;
use super::simd::Four;

/// Volume and first moments.
#[derive(Clone, Copy, Default)]
pub(super) struct Volume {
    /// Twice the volume of the cuts that are not closed.
    open: Four,
    /// Twice the volume, and its moment along x.
    double: Four,
    along_x: Four,
    /// Three times the first moments, in the axes of either body.
    across: [Four; 2],
    up: [Four; 2],
}

impl Volume {
    /// Volume, and first moments about the place of the cuts in the frame's axes.
    #[inline(always)]
    pub fn total(&self, cuts: &Cuts) -> (f64, DVec3) {
        let (wide, high) = (cuts.frame.wide, cuts.frame.high);
        let own = DVec2::new(self.across[0].sum(), self.up[0].sum());
        let aside = (own + self.across[1].sum() * wide + self.up[1].sum() * high) / 3.0;
        (0.5 * self.double.sum(), DVec3::new(0.5 * self.along_x.sum(), aside.x, aside.y))
    }

    /// Volume and centroid; none without a volume.
    #[inline(always)]
    pub fn centroid(&self, cuts: &Cuts) -> Option<(f64, DVec3)> {
        let (volume, first) = self.total(cuts);
        (volume > 0.0).then(|| (volume, first / volume + DVec3::new(0.0, cuts.about.x, cuts.about.y)))
    }
}

impl Sum for Volume {
    const OF: [bool; 2] = [true; 2];
    const FROM_PLACE: bool = true;
    const FEW: usize = 4;

    #[inline(always)]
    fn upright<const K: usize>(&mut self, cuts: &Cuts, nodes: &Nodes, own: Four, part: Part) {
        let (i, sign) = (K / 2, SIGNS[K]);
        let outward = own * sign + Four::all(cuts.centres[i].x);
        let double = outward * (nodes.dx * part.length()) * sign;
        self.across[i] += double * outward;
        self.up[i] += double * (part.middle() + Four::all(cuts.centres[i].y));
        self.open += double;
    }

    #[inline(always)]
    fn base<const K: usize>(&mut self, cuts: &Cuts, nodes: &Nodes, part: Part) {
        let (i, sign) = (K / 2, SIGNS[K]);
        let outward = sign * cuts.height::<K>() + cuts.centres[i].y;
        let double = nodes.dx * part.length() * sign * outward;
        self.across[i] += double * (part.middle() + Four::all(cuts.centres[i].x));
        self.up[i] += double * outward;
        self.open += double;
    }

    #[inline(always)]
    fn close(&mut self, x: Four) {
        self.double += self.open;
        self.along_x += self.open * x;
        self.open = Four::default();
    }
}

/// The vector area of the first cylinder's surface, and its moment about the first centre; or the same of another integral over the normals
/// of one cylinder, about its centre and in its axes.
#[derive(Clone, Copy, Default)]
pub(super) struct Push {
    push: [Four; 3],
    turn: [Four; 2],
}

impl Push {
    /// The vector area and its moment. The normals of the side pass through the axis: moments have no part along it.
    #[inline(always)]
    pub fn total(&self) -> [DVec3; 2] {
        let [x, y] = self.turn.map(Four::sum);
        [DVec3::from_array(self.push.map(Four::sum)), DVec3::new(x, y, 0.0)]
    }

    /// Adds a side at x from the body's centre with the integral of a weight over it, and that of the weight times the height.
    #[inline(always)]
    fn add_upright(&mut self, sign: f64, x: Four, own: Four, [weight, moment]: [Four; 2]) {
        // On the side dA is r/w dx dl. At the very end of a circle there is no side.
        let slant = x / own.or_larger(Four::all(f64::MIN_POSITIVE));
        self.push[0] += slant * weight;
        self.push[1] += weight * sign;
        self.turn[0] += moment * -sign;
        self.turn[1] += slant * moment;
    }

    /// Adds a base with the integral of a weight over it, and that of the weight times y, both with the sign of the base.
    #[inline(always)]
    fn add_base(&mut self, x: Four, [weight, moment]: [Four; 2]) {
        self.push[2] += weight;
        self.turn[0] += moment;
        self.turn[1] += weight * x * -1.0;
    }
}

impl Sum for Push {
    const OF: [bool; 2] = [true, false];
    const FROM_PLACE: bool = false;
    const FEW: usize = 4;

    #[inline(always)]
    fn upright<const K: usize>(&mut self, _: &Cuts, nodes: &Nodes, own: Four, part: Part) {
        if K < 2 {
            let weight = nodes.dx * part.length();
            self.add_upright(SIGNS[K], nodes.x, own, [weight, weight * part.middle()]);
        }
    }

    #[inline(always)]
    fn base<const K: usize>(&mut self, _: &Cuts, nodes: &Nodes, part: Part) {
        if K < 2 {
            let weight = nodes.dx * part.length() * SIGNS[K];
            self.add_base(nodes.x, [weight, weight * part.middle()]);
        }
    }

    #[inline(always)]
    fn close(&mut self, _: Four) {}
}

/// Volume, first and second moments, about a line that leans as the region does: triangles from a line that leaves a region which is
/// thin and aslant would be as wide as the region is long, and their roundings as much as its thickness.
#[derive(Clone, Copy, Default)]
pub(super) struct Moments {
    volume: Volume,
    /// x from which moments are taken.
    from: f64,
    /// How far the line moves across x, in the frame's axes and in those of either body.
    lean: DVec2,
    leans: [DVec2; 2],
    /// Four times the second moments across x, in the axes of either body: of the width, of both, of the height.
    second: [[Four; 3]; 2],
    /// Twice the second moment along x, and three times those along x and across, in the axes of either body.
    along: Four,
    mixed: [[Four; 2]; 2],
    /// Three times the first moments of the cuts that are not closed.
    open: [[Four; 2]; 2],
}

impl Moments {
    /// Nothing yet; moments are taken from x, about a line through the place of the cuts there.
    pub fn about_line(cuts: &Cuts, x: f64, lean: DVec2) -> Self {
        let leans = [lean, DVec2::new(cuts.frame.wide.dot(lean), cuts.frame.high.dot(lean))];
        Self { from: x, lean, leans, ..Self::default() }
    }

    /// The centre of the i-th body from the line, in its axes.
    #[inline(always)]
    fn centre(&self, cuts: &Cuts, nodes: &Nodes, i: usize) -> [Four; 2] {
        let (x, centre, lean) = (nodes.x - Four::all(self.from), cuts.centres[i], self.leans[i]);
        [Four::all(centre.x) - x * lean.x, Four::all(centre.y) - x * lean.y]
    }

    /// Adds a triangle, twice its area given: the middle of its side is `[across, up]` from the place, and the side lies along the k-th of them,
    /// with the second moment `spread` for a unit of length.
    #[inline(always)]
    fn add(&mut self, i: usize, double: Four, [across, up]: [Four; 2], k: usize, spread: Four) {
        let first = [double * across, double * up];
        let mut second = [first[0] * across, first[1] * up];
        second[k] += double * spread;
        self.open[i][0] += first[0];
        self.open[i][1] += first[1];
        self.second[i][0] += second[0];
        self.second[i][1] += first[0] * up;
        self.second[i][2] += second[1];
        self.volume.open += double;
    }

    /// Volume, centroid from the first centre, and the second moments about it over the volume, in the frame's axes; none
    /// without a volume.
    #[inline]
    pub fn total(&self, cuts: &Cuts) -> Option<(f64, DVec3, DMat3)> {
        let (wide, high) = (cuts.frame.wide, cuts.frame.high);
        let (volume, first) = self.volume.total(cuts);
        if volume <= 0.0 {
            return None;
        }
        let centre = first / volume;
        let [[ww, wh, hh], own] = [self.second[1].map(Four::sum), self.second[0].map(Four::sum)];
        let y = DVec2::new(wide.x, high.x);
        let z = DVec2::new(wide.y, high.y);
        let turned = |p: DVec2, q: DVec2| p.x * q.x * ww + (p.x * q.y + p.y * q.x) * wh + p.y * q.y * hh;
        let across =
            [own[0] + turned(y, y), own[1] + turned(y, z), own[2] + turned(z, z)].map(|sum| 0.25 * sum / volume);
        let [own, other] = self.mixed.map(|sums| DVec2::from_array(sums.map(Four::sum)));
        let mixed = (own + other.x * wide + other.y * high) / (3.0 * volume);
        let xx = 0.5 * self.along.sum() / volume - centre.x * centre.x;
        let [xy, xz] = [mixed.x - centre.x * centre.y, mixed.y - centre.x * centre.z];
        let yy = across[0] - centre.y * centre.y;
        let yz = across[1] - centre.y * centre.z;
        let zz = across[2] - centre.z * centre.z;
        // From moments about the line to those about its place at x: y and z grow with x.
        let DVec2 { x: p, y: q } = self.lean;
        let [yy, yz, zz] =
            [yy + p * (2.0 * xy + p * xx), yz + q * xy + p * (xz + q * xx), zz + q * (2.0 * xz + q * xx)];
        let [xy, xz] = [xy + p * xx, xz + q * xx];
        let spread = DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz));
        let place = cuts.about + centre.x * self.lean;
        Some((volume, centre + DVec3::new(self.from, place.x, place.y), spread))
    }
}

impl Sum for Moments {
    const OF: [bool; 2] = [true; 2];
    const FROM_PLACE: bool = true;
    const FEW: usize = 8;

    #[inline(always)]
    fn upright<const K: usize>(&mut self, cuts: &Cuts, nodes: &Nodes, own: Four, part: Part) {
        let (i, sign, length) = (K / 2, SIGNS[K], part.length());
        let [across, up] = self.centre(cuts, nodes, i);
        let outward = own * sign + across;
        let double = outward * (nodes.dx * length) * sign;
        let up = part.middle() + up;
        self.add(i, double, [outward, up], 1, length * length * (1.0 / 12.0));
    }

    #[inline(always)]
    fn base<const K: usize>(&mut self, cuts: &Cuts, nodes: &Nodes, part: Part) {
        let (i, sign, length) = (K / 2, SIGNS[K], part.length());
        let [across, up] = self.centre(cuts, nodes, i);
        let outward = Four::all(sign * cuts.height::<K>()) + up;
        let double = outward * (nodes.dx * length) * sign;
        let across = part.middle() + across;
        self.add(i, double, [across, outward], 0, length * length * (1.0 / 12.0));
    }

    #[inline(always)]
    fn close(&mut self, x: Four) {
        let x = x - Four::all(self.from);
        self.along += self.volume.open * x * x;
        self.volume.close(x);
        for i in 0..2 {
            let [across, up] = self.open[i];
            self.volume.across[i] += across;
            self.volume.up[i] += up;
            self.mixed[i][0] += across * x;
            self.mixed[i][1] += up * x;
        }
        self.open = Default::default();
    }
}

/// A quadratic weight about a place: `(x - centre)' form (x - centre) - level`.
#[derive(Clone, Copy)]
pub(super) struct Weight {
    pub centre: DVec3,
    pub form: DMat3,
    pub level: f64,
}

impl Weight {
    /// The same from the second centre, in the second's axes.
    fn of_second(&self, frame: &Frame) -> Self {
        let (wide, high) = (frame.wide, frame.high);
        let seen = |v: DVec3| DVec3::new(v.x, wide.dot(v.yz()), high.dot(v.yz()));
        let [x, y, z] = [self.form.x_axis, self.form.y_axis, self.form.z_axis].map(seen);
        let form = DMat3::from_cols(x, wide.x * y + wide.y * z, high.x * y + high.y * z);
        Self { centre: seen(self.centre - frame.second_centre()), form, level: self.level }
    }
}

/// The integral of a weight times the normal over the surface of body `I`, and its moment about that body's centre.
#[derive(Clone, Copy)]
pub(super) struct Weighted<const I: usize> {
    weight: Weight,
    /// Place of the body along x.
    along: f64,
    sums: Push,
}

impl Weighted<0> {
    /// Nothing yet, with this weight.
    pub fn of_first(weight: Weight) -> Self {
        Self { weight, along: 0.0, sums: Push::default() }
    }

    /// The integral and its moment about the first centre, in the frame's axes.
    pub fn total(&self) -> [DVec3; 2] {
        self.sums.total()
    }
}

impl Weighted<1> {
    /// Nothing yet, with this weight.
    pub fn of_second(weight: &Weight, frame: &Frame) -> Self {
        Self { weight: weight.of_second(frame), along: frame.d, sums: Push::default() }
    }

    /// What the first body's surface has by that of the second, about the first centre and in the frame's axes: over both the integral of a
    /// weight about the centroid vanishes, and so does its moment if the second moments commute with the form.
    pub fn total_of_first(&self, frame: &Frame) -> [DVec3; 2] {
        let turned = |v: DVec3| (v.y * frame.wide + v.z * frame.high).extend(v.x).zxy();
        let [push, turn] = self.sums.total().map(turned);
        [-push, -turn - frame.second_centre().cross(push)]
    }
}

impl<const I: usize> Weighted<I> {
    /// The integrals of `square l^2 + rate l + constant` over a part of a line with the middle l, and of the same times the way from the middle of
    /// the line.
    #[inline(always)]
    fn along_line(square: f64, rate: Four, constant: Four, l: Four, part: Part, counts: Four) -> [Four; 2] {
        let length = part.length();
        let spread = length * length * (1.0 / 12.0);
        let (counts, bent) = (counts * length, l * square);
        let slope = bent + rate;
        let weight = counts * (l * slope + (spread * square + constant));
        [weight, weight * part.middle() + counts * spread * (slope + bent)]
    }
}

impl<const I: usize> Sum for Weighted<I> {
    const OF: [bool; 2] = [I == 0, I == 1];
    const FROM_PLACE: bool = false;
    const FEW: usize = 8;

    #[inline(always)]
    fn upright<const K: usize>(&mut self, _: &Cuts, nodes: &Nodes, own: Four, part: Part) {
        let Weight { centre, form: f, level } = self.weight;
        let from_body = nodes.x - Four::all(self.along);
        let [x, y] = [from_body - Four::all(centre.x), own * SIGNS[K] - Four::all(centre.y)];
        let rate = x * (2.0 * f.x_axis.z) + y * (2.0 * f.y_axis.z);
        let constant = x * (x * f.x_axis.x + y * (2.0 * f.x_axis.y)) + (y * y * f.y_axis.y - Four::all(level));
        let sums = Self::along_line(f.z_axis.z, rate, constant, part.middle() - Four::all(centre.z), part, nodes.dx);
        self.sums.add_upright(SIGNS[K], from_body, own, sums);
    }

    #[inline(always)]
    fn base<const K: usize>(&mut self, cuts: &Cuts, nodes: &Nodes, part: Part) {
        let Weight { centre, form: f, level } = self.weight;
        let from_body = nodes.x - Four::all(self.along);
        let (x, z) = (from_body - Four::all(centre.x), SIGNS[K] * cuts.height::<K>() - centre.z);
        let rate = x * (2.0 * f.x_axis.y) + Four::all(2.0 * f.y_axis.z * z);
        let constant = x * (x * f.x_axis.x + Four::all(2.0 * f.x_axis.z * z)) + Four::all(f.z_axis.z * z * z - level);
        let counts = nodes.dx * SIGNS[K];
        let sums = Self::along_line(f.y_axis.y, rate, constant, part.middle() - Four::all(centre.y), part, counts);
        self.sums.add_base(from_body, sums);
    }

    #[inline(always)]
    fn close(&mut self, _: Four) {}
}

/// Two sums at once.
impl<S: Sum, T: Sum> Sum for (S, T) {
    const OF: [bool; 2] = [S::OF[0] || T::OF[0], S::OF[1] || T::OF[1]];
    const FROM_PLACE: bool = S::FROM_PLACE && T::FROM_PLACE;
    const FEW: usize = if S::FEW > T::FEW { S::FEW } else { T::FEW };

    #[inline(always)]
    fn upright<const K: usize>(&mut self, cuts: &Cuts, nodes: &Nodes, own: Four, part: Part) {
        self.0.upright::<K>(cuts, nodes, own, part);
        self.1.upright::<K>(cuts, nodes, own, part);
    }

    #[inline(always)]
    fn base<const K: usize>(&mut self, cuts: &Cuts, nodes: &Nodes, part: Part) {
        self.0.base::<K>(cuts, nodes, part);
        self.1.base::<K>(cuts, nodes, part);
    }

    #[inline(always)]
    fn close(&mut self, x: Four) {
        self.0.close(x);
        self.1.close(x);
    }
}
