//! Cuts, four of them at a time, by the sides that bound a piece of the region.
//!
//! Between two bends of the integrands the same sides bound every cut: only these are cut by the other rectangle, and four cuts
//! side by side take little more time than one. What is summed over the sides is told by `sums`.

use glam::DVec2;

use super::frame::Frame;
use super::simd::Four;

/// Which sides bound a cut: a bit for each upright side, then for each base. Of each the order is: the first's on the positive side,
/// on the negative side, the second's on these.
#[derive(Clone, Copy)]
pub(super) struct Active(u8);

/// Places along x, what they count for, and the half widths of the two rectangles there.
#[derive(Clone, Copy)]
pub(super) struct Nodes {
    pub x: Four,
    pub dx: Four,
    w: [Four; 2],
}

impl Nodes {
    /// Places with what they count for.
    #[inline(always)]
    pub fn new(frame: &Frame, x: Four, dx: Four) -> Self {
        let [r1, r2] = frame.r.map(Four::all);
        let y = x - Four::all(frame.d);
        Self { x, dx, w: [((r1 - x) * (r1 + x)).root(), ((r2 - y) * (r2 + y)).root()] }
    }

    /// The same with the ways from the low or the high end of either circle, which are exact where the place itself is rounded.
    #[inline(always)]
    pub fn from_ends(frame: &Frame, x: Four, dx: Four, ways: [Four; 2]) -> Self {
        let width = |i: usize| (ways[i] * (Four::all(2.0 * frame.r[i]) - ways[i])).root();
        Self { x, dx, w: [width(0), width(1)] }
    }
}

/// Sums over cuts, of what a side adds to each.
pub(super) trait Sum {
    /// Whether the sides of the first and of the second body count.
    const OF: [bool; 2];

    /// Whether sides add triangles from the place of the cuts: a base on which that lies adds none.
    const FROM_PLACE: bool;

    /// Cuts in a piece that are enough far from the ends of the circles.
    const FEW: usize;

    /// Adds the part of the K-th side along a body's height, which is `own` away from the axis.
    fn upright<const K: usize>(&mut self, cuts: &Cuts, nodes: &Nodes, own: Four, part: Part);

    /// Adds the part of the K-th base.
    fn base<const K: usize>(&mut self, cuts: &Cuts, nodes: &Nodes, part: Part);

    /// Ends the cuts at x, all of whose sides were added.
    fn close(&mut self, x: Four);
}

/// The part of a side in the other rectangle, from the middle of the side.
#[derive(Clone, Copy)]
pub(super) struct Part {
    from: Four,
    to: Four,
}

impl Part {
    #[inline(always)]
    pub fn length(self) -> Four {
        (self.to - self.from).or_larger(Four::default())
    }

    #[inline(always)]
    pub fn middle(self) -> Four {
        (self.from + self.to) * 0.5
    }
}

/// What the sides need, apart from the widths at x; a number for each of four. Places along a side's line count from the body's centre;
/// the other rectangle's lines cross it at places times one over the sine or the cosine.
struct Sides {
    /// Half height of the body and of the other.
    height: Four,
    other_height: Four,
    /// Upright: the place in the middle of the other's width, for no width and for a unit of it; then of its height.
    across: Four,
    across_rate: Four,
    along: Four,
    along_rate: Four,
    /// Base: the same of the other's width, and where its height begins and ends.
    base_across: Four,
    from: Four,
    to: Four,
}

/// The cuts of two cylinders.
pub(super) struct Cuts<'a> {
    pub frame: &'a Frame,
    sides: Sides,
    /// The place about which first moments are taken, on a base if one bounds the cut there, and the bodies' centres from it, in the
    /// body's axes.
    pub about: DVec2,
    pub centres: [DVec2; 2],
    /// The sides that bound the cut near that place.
    pub sides_there: Active,
    /// The base on which it lies, if any.
    pub base_there: Active,
}

impl<'a> Cuts<'a> {
    /// The cuts, about a place in that at x.
    #[inline(always)]
    pub fn new(frame: &'a Frame, x: f64) -> Self {
        let Frame { h: [h1, h2], centre: c, wide, high, .. } = *frame;
        let (sin, cos) = (high.x, high.y);
        let (across, along) = (wide.dot(c), high.dot(c));
        let [first, second] = frame.crossings;
        let sides = Sides {
            height: Four::new([h1, h1, h2, h2]),
            other_height: Four::new([h2, h2, h1, h1]),
            across: Four::new([-across, -across, -c.x, -c.x]),
            across_rate: Four::new([cos, -cos, -cos, cos]),
            along: Four::new([along, along, -c.y, -c.y]),
            along_rate: Four::new([-sin, sin, sin, -sin]),
            base_across: Four::new([across + sin * h1, across - sin * h1, -c.x - sin * h2, -c.x + sin * h2]),
            from: Four::new([first[0][1], first[1][1], second[0][0], second[1][0]]),
            to: Four::new([first[0][0], first[1][0], second[0][1], second[1][1]]),
        };
        let none = Active(0);
        let (about, centres) = (DVec2::ZERO, [DVec2::ZERO; 2]);
        let mut cuts = Self { frame, sides, about, centres, sides_there: none, base_there: none };
        let [uprights, bases] = cuts.parts(x);
        cuts.sides_there = Active::of(uprights, bases);
        cuts.base_there = cuts.sides_there.last_base();
        cuts.about = cuts.place(x, cuts.sides_there, uprights, bases).unwrap_or(c);
        let from = c - cuts.about;
        cuts.centres = [-cuts.about, DVec2::new(wide.dot(from), high.dot(from))];
        cuts
    }

    /// The sides that bound the cut at x.
    pub fn active(&self, x: f64) -> Active {
        let [uprights, bases] = self.parts(x);
        Active::of(uprights, bases)
    }

    /// Where the parts of the upright sides and of the bases begin and end at x.
    #[inline(always)]
    pub fn parts(&self, x: f64) -> [[Four; 2]; 2] {
        let ([w1, w2], s, over) = (self.frame.widths(x), &self.sides, self.frame.over);
        let (own, other) = (Four::new([w1, w1, w2, w2]), Four::new([w2, w2, w1, w1]));
        let across = s.across + own * s.across_rate;
        let along = s.along + own * s.along_rate;
        let uprights = common(around(across, other, over.x), around(along, s.other_height, over.y), s.height);
        let bases = common(around(s.base_across, other, over.y), [s.from, s.to], own);
        [uprights, bases]
    }

    /// A place in the cut at x; none if it has no sides.
    #[inline(always)]
    pub fn place_at(&self, x: f64) -> Option<DVec2> {
        let [uprights, bases] = self.parts(x);
        self.place(x, Active::of(uprights, bases), uprights, bases)
    }

    /// A direction across x, laid into the base on which the place of the cuts lies.
    #[inline(always)]
    pub fn along_base(&self, direction: DVec2) -> DVec2 {
        let wide = match self.base_there.last() {
            None => return direction,
            Some(4 | 5) => DVec2::X,
            Some(_) => self.frame.wide,
        };
        direction.dot(wide) * wide
    }

    /// The middle of a part of a side, a base if there is one; none without a side.
    fn place(&self, x: f64, active: Active, uprights: [Four; 2], bases: [Four; 2]) -> Option<DVec2> {
        let Frame { h, centre, wide, high, .. } = *self.frame;
        let bit = active.last()?;
        let (k, w) = (bit % 4, self.frame.widths(x));
        let sign = SIGNS[k];
        let middle = |[from, to]: [Four; 2]| 0.5 * (from.at(k) + to.at(k));
        let at = |own: f64, height: f64| match bit {
            0..4 => DVec2::new(sign * own, middle(uprights)),
            _ => DVec2::new(middle(bases), sign * height),
        };
        Some(match k {
            0 | 1 => at(w[0], h[0]),
            _ => {
                let at = at(w[1], h[1]);
                centre + at.x * wide + at.y * high
            }
        })
    }

    /// Adds four cuts that the same sides bound.
    #[inline]
    pub fn add<T: Sum>(&self, nodes: &Nodes, active: Active, sums: &mut T) {
        let w = nodes.w;
        if T::OF[0] && active.has(0) {
            sums.upright::<0>(self, nodes, w[0], self.upright::<0>(w));
        }
        if T::OF[0] && active.has(1) {
            sums.upright::<1>(self, nodes, w[0], self.upright::<1>(w));
        }
        if T::OF[1] && active.has(2) {
            sums.upright::<2>(self, nodes, w[1], self.upright::<2>(w));
        }
        if T::OF[1] && active.has(3) {
            sums.upright::<3>(self, nodes, w[1], self.upright::<3>(w));
        }
        if T::OF[0] && active.has(4) {
            sums.base::<0>(self, nodes, self.base::<0>(w));
        }
        if T::OF[0] && active.has(5) {
            sums.base::<1>(self, nodes, self.base::<1>(w));
        }
        if T::OF[1] && active.has(6) {
            sums.base::<2>(self, nodes, self.base::<2>(w));
        }
        if T::OF[1] && active.has(7) {
            sums.base::<3>(self, nodes, self.base::<3>(w));
        }
        sums.close(nodes.x);
    }

    /// Half height of the body that the K-th base is one of.
    #[inline(always)]
    pub fn height<const K: usize>(&self) -> f64 {
        self.sides.height.at(K)
    }

    /// The part of the K-th side along a body's height.
    #[inline(always)]
    fn upright<const K: usize>(&self, w: [Four; 2]) -> Part {
        let (s, over, i) = (&self.sides, self.frame.over, K / 2);
        let (own, other) = (w[i], w[1 - i]);
        let across = s.across.every(K) + own * s.across_rate.at(K);
        let along = s.along.every(K) + own * s.along_rate.at(K);
        let lines = [around(across, other, over.x), around(along, s.other_height.every(K), over.y)];
        let [from, to] = common(lines[0], lines[1], s.height.every(K));
        Part { from, to }
    }

    /// The part of the K-th base.
    #[inline(always)]
    fn base<const K: usize>(&self, w: [Four; 2]) -> Part {
        let (s, over, i) = (&self.sides, self.frame.over, K / 2);
        let (own, other) = (w[i], w[1 - i]);
        let across = s.base_across.every(K);
        let [from, to] = common(around(across, other, over.y), [s.from.every(K), s.to.every(K)], own);
        Part { from, to }
    }
}

/// Where two of the other rectangle's lines cross a side: `half` to either side of a place, over the sine or the cosine.
#[inline(always)]
fn around(place: Four, half: Four, over: f64) -> [Four; 2] {
    [(place - half) * over, (place + half) * over]
}

/// What two stretches have in common with `[-half, half]`.
#[inline(always)]
fn common(a: [Four; 2], b: [Four; 2], half: Four) -> [Four; 2] {
    [a[0].or_larger(b[0]).or_larger(half * -1.0), a[1].or_smaller(b[1]).or_smaller(half)]
}

/// On which side of its body's middle a side is.
pub(super) const SIGNS: [f64; 4] = [1.0, -1.0, 1.0, -1.0];

impl Active {
    /// The sides whose parts have a length.
    #[inline]
    fn of(uprights: [Four; 2], bases: [Four; 2]) -> Self {
        Self(uprights[1].exceeds(uprights[0]) | bases[1].exceeds(bases[0]) << 4)
    }

    /// How many sides of either body bound the cut.
    #[inline]
    pub fn counts(self) -> [u32; 2] {
        [0b0011_0011, 0b1100_1100].map(|body: u8| (self.0 & body).count_ones())
    }

    /// Whether no side bounds the cut.
    #[inline]
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether all upright sides bound it, and no base.
    #[inline]
    pub fn are_the_uprights(self) -> bool {
        self.0 == 0b1111
    }

    #[inline]
    fn has(self, bit: usize) -> bool {
        self.0 >> bit & 1 == 1
    }

    /// The last of them.
    fn last(self) -> Option<usize> {
        self.0.checked_ilog2().map(|bit| bit as usize)
    }

    /// The last of them if it is a base.
    fn last_base(self) -> Self {
        self.last().filter(|bit| *bit >= 4).map_or(Self(0), |bit| Self(1 << bit))
    }

    /// These without others.
    #[inline]
    pub fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }
}
