//! The bounds of a region, by the corners of its cuts.

use glam::DVec2;

use super::cross_section::Cuts;
use super::simd::Four;

/// Bounds of the points seen, four sets of them side by side: of y, of z, and of the square of the distance from the first axis.
pub(super) struct Bounds {
    low: [Four; 3],
    high: [Four; 3],
}

impl Bounds {
    /// The bounds of one point of the cut at x.
    pub fn of(x: f64, point: DVec2) -> Self {
        let one = [point.x, point.y, x * x + point.x * point.x].map(Four::all);
        Self { low: one, high: one }
    }

    /// Widens them by the corners of the cut at x.
    pub fn see(&mut self, cuts: &Cuts, x: f64) {
        let frame = cuts.frame;
        let [uprights, bases] = cuts.parts(x);
        let ([from, to], [base_from, base_to]) = (where_long(uprights), where_long(bases));
        let ([w1, w2], [h1, _], c) = (frame.widths(x), frame.h, frame.centre);
        let (sin, cos) = (frame.high.x, frame.high.y);
        // Every corner is the end of an upright side, or of one of the first's bases.
        let across = Four::new([w1, -w1, w2, -w2]);
        let (straight, aslant) = (Four::new([1.0, 1.0, cos, cos]), Four::new([0.0, 0.0, sin, sin]));
        let y = Four::new([0.0, 0.0, c.x, c.x]) + across * straight;
        let z = Four::new([0.0, 0.0, c.y, c.y]) - across * aslant;
        // Neither sine nor cosine is negative: a side ends no less far along y and z than it begins.
        let (low, high) = (y + from * aslant, y + to * aslant);
        self.widen(0, low, high);
        self.widen(1, z + from * straight, z + to * straight);
        let square = Four::all(x * x);
        let (low, high) = (square + low * low, square + high * high);
        self.widen(2, low, low);
        self.widen(2, high, high);
        let y = Four::new([base_from.at(0), base_to.at(0), base_from.at(1), base_to.at(1)]);
        // No height either where a base has no part.
        let z = Four::new([h1, h1, -h1, -h1]) + y * 0.0;
        let square = square + y * y;
        self.widen(0, y, y);
        self.widen(1, z, z);
        self.widen(2, square, square);
    }

    /// Widens the bounds of the K-th quantity by four values, low and high. What is not a number does not count.
    #[inline(always)]
    fn widen(&mut self, k: usize, low: Four, high: Four) {
        self.low[k] = low.smaller_or(self.low[k]);
        self.high[k] = high.larger_or(self.high[k]);
    }

    /// Dimensions across the common perpendicular and along the first axis, and away from that axis, m.
    pub fn extent(&self) -> (DVec2, f64) {
        let [y, z, near] = self.low.map(Four::smallest);
        let [high_y, high_z, far] = self.high.map(Four::largest);
        (DVec2::new(high_y - y, high_z - z), far.sqrt() - near.sqrt())
    }
}

/// Where the parts of sides begin and end; what has no length does so nowhere, at no number.
#[inline(always)]
fn where_long([from, to]: [Four; 2]) -> [Four; 2] {
    let nowhere = Four::all(f64::NAN);
    [from.where_above(to, from, nowhere), to.where_above(to, from, nowhere)]
}
