//! What is summed over the sides of cuts: the volume of the region and its moments, and surface integrals that tell how they change as the
//! bodies move.
//!
//! Volume and moments are those of triangles from one place to each part of a side, in the axes of the side's body; surface integrals are
//! those over the first cylinder's surface.

use glam::{DMat3, DVec2, DVec3};

use super::four::Four;
use super::lanes::{Cuts, Nodes, Part, SIGNS, Sum};

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
    const OF_BOTH: bool = true;
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

/// The vector area of the first cylinder's surface, and its moment about the first centre.
#[derive(Clone, Copy, Default)]
pub(super) struct Push {
    push: [Four; 3],
    turn: [Four; 2],
}

impl Push {
    /// The vector area and its moment, in the frame's axes. The normals of the side pass through the axis: moments have no part along it.
    #[inline(always)]
    pub fn total(&self) -> [DVec3; 2] {
        let [x, y] = self.turn.map(Four::sum);
        [DVec3::from_array(self.push.map(Four::sum)), DVec3::new(x, y, 0.0)]
    }

    /// Adds a side with the integral of a weight over it, and that of the weight times the height.
    #[inline(always)]
    fn add_upright(&mut self, sign: f64, nodes: &Nodes, own: Four, [weight, moment]: [Four; 2]) {
        // On the side dA is r/w dx dl. At the very end of a circle there is no side.
        let slant = nodes.x / own.or_larger(Four::all(f64::MIN_POSITIVE));
        self.push[0] += slant * weight;
        self.push[1] += weight * sign;
        self.turn[0] += moment * -sign;
        self.turn[1] += slant * moment;
    }

    /// Adds a base with the integral of a weight over it, and that of the weight times y, both with the sign of the base.
    #[inline(always)]
    fn add_base(&mut self, nodes: &Nodes, [weight, moment]: [Four; 2]) {
        self.push[2] += weight;
        self.turn[0] += moment;
        self.turn[1] += weight * nodes.x * -1.0;
    }
}

impl Sum for Push {
    const OF_BOTH: bool = false;
    const FEW: usize = 4;

    #[inline(always)]
    fn upright<const K: usize>(&mut self, _: &Cuts, nodes: &Nodes, own: Four, part: Part) {
        if K < 2 {
            let weight = nodes.dx * part.length();
            self.add_upright(SIGNS[K], nodes, own, [weight, weight * part.middle()]);
        }
    }

    #[inline(always)]
    fn base<const K: usize>(&mut self, _: &Cuts, nodes: &Nodes, part: Part) {
        if K < 2 {
            let weight = nodes.dx * part.length() * SIGNS[K];
            self.add_base(nodes, [weight, weight * part.middle()]);
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

    /// Adds twice an area whose triangle has its side here: the middle of the side, and the half side along one of them.
    #[inline(always)]
    fn add(&mut self, i: usize, double: Four, [across, up]: [Four; 2], [wide, high]: [Four; 2]) {
        let first = [double * across, double * up];
        self.open[i][0] += first[0];
        self.open[i][1] += first[1];
        self.second[i][0] += first[0] * across + double * wide;
        self.second[i][1] += first[0] * up;
        self.second[i][2] += first[1] * up + double * high;
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
    const OF_BOTH: bool = true;
    const FEW: usize = 8;

    #[inline(always)]
    fn upright<const K: usize>(&mut self, cuts: &Cuts, nodes: &Nodes, own: Four, part: Part) {
        let (i, sign, length) = (K / 2, SIGNS[K], part.length());
        let [across, up] = self.centre(cuts, nodes, i);
        let outward = own * sign + across;
        let double = outward * (nodes.dx * length) * sign;
        let up = part.middle() + up;
        self.add(i, double, [outward, up], [Four::default(), length * length * (1.0 / 12.0)]);
    }

    #[inline(always)]
    fn base<const K: usize>(&mut self, cuts: &Cuts, nodes: &Nodes, part: Part) {
        let (i, sign, length) = (K / 2, SIGNS[K], part.length());
        let [across, up] = self.centre(cuts, nodes, i);
        let outward = Four::all(sign * cuts.height::<K>()) + up;
        let double = outward * (nodes.dx * length) * sign;
        let across = part.middle() + across;
        self.add(i, double, [across, outward], [length * length * (1.0 / 12.0), Four::default()]);
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

/// The integral of `weight(x) n` over the first cylinder's surface, and its moment: the weight is the quadratic
/// `(x - centre)' form (x - centre) - level`.
#[derive(Clone, Copy)]
pub(super) struct Weighted {
    centre: DVec3,
    form: DMat3,
    level: f64,
    sums: Push,
}

impl Weighted {
    /// Nothing yet, with this weight.
    pub fn new(centre: DVec3, form: DMat3, level: f64) -> Self {
        Self { centre, form, level, sums: Push::default() }
    }

    /// The integral and its moment about the first centre, in the frame's axes.
    pub fn total(&self) -> [DVec3; 2] {
        self.sums.total()
    }

    /// The integrals along a part of a line through (x, y, z), from the centre, along the k-th axis, of the weight, and of the weight times
    /// the way from the middle of the line.
    #[inline(always)]
    fn along(&self, k: usize, [x, y, z]: [Four; 3], part: Part, counts: Four) -> [Four; 2] {
        let f = &self.form;
        let slope = [
            x * f.x_axis.x + y * f.x_axis.y + z * f.x_axis.z,
            x * f.x_axis.y + y * f.y_axis.y + z * f.y_axis.z,
            x * f.x_axis.z + y * f.y_axis.z + z * f.z_axis.z,
        ];
        let length = part.length();
        let spread = length * length * (1.0 / 12.0);
        let middle = x * slope[0] + y * slope[1] + z * slope[2] - Four::all(self.level);
        let counts = counts * length;
        let weight = counts * (middle + spread * f.col(k)[k]);
        [weight, weight * part.middle() + counts * spread * slope[k] * 2.0]
    }
}

impl Sum for Weighted {
    const OF_BOTH: bool = false;
    const FEW: usize = 8;

    #[inline(always)]
    fn upright<const K: usize>(&mut self, _: &Cuts, nodes: &Nodes, own: Four, part: Part) {
        let [x, y, z] = self.centre.to_array().map(Four::all);
        let place = [nodes.x - x, own * SIGNS[K] - y, part.middle() - z];
        let sums = self.along(2, place, part, nodes.dx);
        self.sums.add_upright(SIGNS[K], nodes, own, sums);
    }

    #[inline(always)]
    fn base<const K: usize>(&mut self, cuts: &Cuts, nodes: &Nodes, part: Part) {
        let [x, y, z] = self.centre.to_array().map(Four::all);
        let place = [nodes.x - x, part.middle() - y, Four::all(SIGNS[K] * cuts.height::<K>()) - z];
        let sums = self.along(1, place, part, nodes.dx * SIGNS[K]);
        self.sums.add_base(nodes, sums);
    }

    #[inline(always)]
    fn close(&mut self, _: Four) {}
}

/// Two sums at once.
impl<S: Sum, T: Sum> Sum for (S, T) {
    const OF_BOTH: bool = S::OF_BOTH || T::OF_BOTH;
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
