//! The bounds of a region, by the corners of its cuts.

use glam::DVec2;

use super::four::Four;
use super::lanes::Cuts;

/// Bounds of the points seen, four sets of them side by side.
pub(super) struct Bounds {
    /// A point of the region, which stands for what is none: y, z, and the square of its distance from the first axis.
    any: [Four; 3],
    low: [Four; 3],
    high: [Four; 3],
}

impl Bounds {
    /// The bounds of one point of the cut at x.
    pub fn of(x: f64, point: DVec2) -> Self {
        let any = [point.x, point.y, x * x + point.x * point.x].map(Four::all);
        Self { any, low: any, high: any }
    }

    /// Widens them by the corners of the cut at x.
    pub fn see(&mut self, cuts: &Cuts, x: f64) {
        let frame = cuts.frame;
        let [[from, to], [base_from, base_to]] = cuts.parts(x);
        let ([w1, w2], [h1, _], c) = (frame.widths(x), frame.h, frame.centre);
        let (sin, cos) = (frame.high.x, frame.high.y);
        // Every corner is the end of an upright side, or of one of the first's bases.
        let across = Four::new([w1, -w1, w2, -w2]);
        let (straight, aslant) = (Four::new([1.0, 1.0, cos, cos]), Four::new([0.0, 0.0, sin, sin]));
        let y = Four::new([0.0, 0.0, c.x, c.x]) + across * straight;
        let z = Four::new([0.0, 0.0, c.y, c.y]) - across * aslant;
        let square = Four::all(x * x);
        self.widen(y + from * aslant, z + from * straight, square, [from, to]);
        self.widen(y + to * aslant, z + to * straight, square, [from, to]);
        let pick = |lanes: Four| Four::new([lanes.at(0), lanes.at(0), lanes.at(1), lanes.at(1)]);
        let y = Four::new([base_from.at(0), base_to.at(0), base_from.at(1), base_to.at(1)]);
        self.widen(y, Four::new([h1, h1, -h1, -h1]), square, [pick(base_from), pick(base_to)]);
    }

    /// Widens them by four points, each of which counts where its part of a side has a length.
    #[inline(always)]
    fn widen(&mut self, y: Four, z: Four, square: Four, [from, to]: [Four; 2]) {
        for (k, value) in [y, z, square + y * y].into_iter().enumerate() {
            let value = value.where_above(to, from, self.any[k]);
            self.low[k] = self.low[k].or_smaller(value);
            self.high[k] = self.high[k].or_larger(value);
        }
    }

    /// Dimensions across the common perpendicular and along the first axis, and away from that axis, m.
    pub fn extent(&self) -> (DVec2, f64) {
        let [y, z, near] = self.low.map(Four::smallest);
        let [high_y, high_z, far] = self.high.map(Four::largest);
        (DVec2::new(high_y - y, high_z - z), far.sqrt() - near.sqrt())
    }
}
