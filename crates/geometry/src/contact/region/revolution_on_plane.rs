//! The part of a capsule or truncated cone below a plane, and the section of the plane.
//!
//! Planes across the axis of the body cut it in discs. The frame has its origin in the plane and z
//! along its normal, and y along the projection of the axis. The plane cuts the meridian plane
//! x = 0 in the y axis; its points are in discs of the radius rho. In the disc at y the region is a
//! circular segment beyond the chord z = 0, whose moments have closed forms (`circular_segment`).
//! The integrals over y have no division by a cosine or sine of the tilt, so that upright, oblique
//! and lying bodies use the same code. Discs below the plane as a whole are polynomials in their
//! position along the axis.

use std::sync::LazyLock;

use glam::{DMat3, DVec2, DVec3};

use super::circular_segment::{CircularSegment, disc_area};
use super::cut_by_plane::{SectionMoments, VolumeMoments};
use crate::numeric::math::gauss_legendre;
use crate::shape::{Capsule, TruncatedCone};

/// Number of Gauss points over the section of one part of the body. The points are in the angle t
/// with `y = middle - half cos t`, because the integrands contain square roots of the distance from
/// the ends where the plane leaves the side of the body.
const NODES: usize = 24;

/// `(cos t, sin t, weight)` of these points for t from 0 to pi.
static RULE: LazyLock<[[f64; 3]; NODES]> = LazyLock::new(|| {
    let half = std::f64::consts::FRAC_PI_2;
    let node = |&(x, weight): &(f64, f64)| {
        let (sin, cos) = libm::sincos(half * (1.0 + x));
        [cos, sin, half * weight]
    };
    let nodes: Vec<_> = gauss_legendre(NODES).iter().map(node).collect();
    nodes.try_into().expect("the rule has the number of points requested")
});

/// Gauss points that are exact for the polynomials of degree 4 of a part below the plane.
static POLYNOMIAL: LazyLock<[(f64, f64); 3]> =
    LazyLock::new(|| gauss_legendre(3).try_into().expect("the rule has the number of points requested"));

/// A part of a body of revolution between two planes across its axis.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// A frustum of a cone between two coordinates along the axis, with its radii there.
    Frustum { ends: [f64; 2], radii: [f64; 2] },
    /// The half of a ball about a point of the axis on the given side, +1 or -1.
    Cap { centre: f64, radius: f64, side: f64 },
}

/// Pose of the axis of the body in the frame of the plane.
#[derive(Clone, Copy, Debug)]
struct Tilt {
    /// Height of the centre over the plane, m.
    height: f64,
    /// Sine and cosine of the angle of the axis to the plane; the cosine is not negative.
    sin: f64,
    cos: f64,
}

impl Tilt {
    /// Returns (y, z) of a point of the meridian plane. `along` is its coordinate along the axis
    /// and `across` the distance from the axis, positive on the upper side.
    fn point(&self, along: f64, across: f64) -> DVec2 {
        DVec2::new(along * self.cos - across * self.sin, self.height + along * self.sin + across * self.cos)
    }

    /// Returns the coordinate along the axis of the point y of the plane, and its distance from
    /// the axis, positive on the lower side.
    fn at(&self, y: f64) -> [f64; 2] {
        [y * self.cos - self.height * self.sin, y * self.sin + self.height * self.cos]
    }
}

/// A disc at a point of the plane: its radius, and the height of the segment below the plane.
type Disc = [f64; 2];

impl Part {
    /// Returns the interval of y in which the plane cuts the part.
    fn section(&self, tilt: &Tilt) -> Option<[f64; 2]> {
        match *self {
            Self::Frustum { ends: [s, t], radii: [p, q] } => {
                let outline = [tilt.point(s, -p), tilt.point(t, -q), tilt.point(t, q), tilt.point(s, p)];
                let mut range: Option<[f64; 2]> = None;
                for (k, &to) in outline.iter().enumerate() {
                    let from = outline[(k + 3) % 4];
                    if (from.y < 0.0) != (to.y < 0.0) {
                        let y = from.x + (to.x - from.x) * (from.y / (from.y - to.y));
                        range = Some(range.map_or([y, y], |[low, high]| [low.min(y), high.max(y)]));
                    }
                }
                range
            }
            Self::Cap { centre, radius, side } => {
                // The plane cuts the whole ball in a circle; the product loses no digits where the
                // circle is small.
                let middle = tilt.point(centre, 0.0);
                let square = (radius - middle.y) * (radius + middle.y);
                if square <= 0.0 {
                    return None;
                }
                let half = square.sqrt();
                // The ball's half is at (y - middle) cos >= z sin, for the other side reversed.
                let limit = middle.y * tilt.sin;
                let is_within = |y: f64| side * (y * tilt.cos - limit) >= 0.0;
                let cut = || middle.x + limit / tilt.cos;
                match [-half, half].map(is_within) {
                    [true, true] => Some([middle.x - half, middle.x + half]),
                    [false, false] => None,
                    [true, false] => Some([middle.x - half, cut()]),
                    [false, true] => Some([cut(), middle.x + half]),
                }
            }
        }
    }

    /// Returns the disc at the point y of the plane.
    fn disc(&self, tilt: &Tilt, y: f64) -> Disc {
        let [along, below] = tilt.at(y);
        match *self {
            Self::Frustum { ends: [s, t], radii: [p, q] } => {
                let radius = p + (q - p) * ((along - s) / (t - s)).clamp(0.0, 1.0);
                [radius, radius - below]
            }
            Self::Cap { centre, radius, .. } => {
                let middle = tilt.point(centre, 0.0);
                let out = along - centre;
                let rho = ((radius - out) * (radius + out)).max(0.0).sqrt();
                // rho - below loses digits for a low segment.
                let y = y - middle.x;
                let square = (radius - middle.y) * (radius + middle.y) - y * y;
                [rho, if below > 0.0 { square.max(0.0) / (rho + below) } else { rho - below }]
            }
        }
    }

    /// Returns the radius of the disc at a coordinate along the axis.
    fn radius(&self, along: f64) -> f64 {
        match *self {
            Self::Frustum { ends: [s, t], radii: [p, q] } => p + (q - p) * ((along - s) / (t - s)),
            Self::Cap { centre, radius, .. } => ((radius - along + centre) * (radius + along - centre)).max(0.0).sqrt(),
        }
    }

    /// Returns the intervals along the axis in which whole discs are below the plane.
    fn whole(&self, tilt: &Tilt) -> [Option<[f64; 2]>; 2] {
        match *self {
            Self::Frustum { ends: [s, t], radii: [p, q] } => {
                // A disc is below the plane if the highest point of its rim is. The height of this
                // point is a linear function of the position along the axis.
                let (from, to) = (tilt.point(s, p).y, tilt.point(t, q).y);
                let crossing = || s + (t - s) * (from / (from - to));
                let interval = match [from < 0.0, to < 0.0] {
                    [true, true] => Some([s, t]),
                    [true, false] => Some([s, crossing()]),
                    [false, true] => Some([crossing(), t]),
                    [false, false] => None,
                };
                [interval, None]
            }
            Self::Cap { centre, radius, side } => {
                let height = tilt.point(centre, 0.0).y;
                if height >= radius {
                    return [None, None];
                }
                // The upper rim of the disc at `out = side radius sin(phi)` from the centre is at
                // the height `height + radius cos(phi - lean)`.
                let lean = side * libm::atan2(tilt.sin, tilt.cos);
                let limit = libm::acos((-height / radius).min(1.0));
                let out = |phi: f64| centre + side * radius * libm::sin(phi);
                let quarter = std::f64::consts::FRAC_PI_2;
                let interval = |from: f64, to: f64| {
                    (to > from).then(|| {
                        let [p, q] = [out(from), out(to)];
                        [p.min(q), p.max(q)]
                    })
                };
                // The rim is below the plane where phi differs from the lean by more than the
                // limit. With the limit 0 the whole ball is.
                let (low, high) = (lean - limit, lean + limit);
                if limit == 0.0 {
                    return [interval(0.0, quarter), None];
                }
                [interval(0.0, low.min(quarter)), interval(high.max(0.0), quarter)]
            }
        }
    }

    /// Adds the integrals over the part below the plane and over its section. The origin of the
    /// integrals is at `origin` on the y axis.
    fn add(&self, tilt: &Tilt, origin: f64, volume: &mut VolumeMoments, section: &mut SectionMoments) {
        let Tilt { sin, cos, .. } = *tilt;
        if let Some([from, to]) = self.section(tilt) {
            let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
            let mut sums = SegmentSums::default();
            for [node_cos, node_sin, weight] in RULE.iter() {
                // dy = half sin(t) dt.
                let y = middle - half * node_cos;
                let dy = half * node_sin * weight;
                let [radius, height] = self.disc(tilt, y);
                let segment = CircularSegment::new(radius, height);
                section.add_strip(y - origin, segment.half_chord, dy);
                sums.add(&segment, y - origin, dy);
            }
            sums.add_to(volume, sin, cos);
        }
        for [from, to] in self.whole(tilt).into_iter().flatten() {
            let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
            for &(node, weight) in POLYNOMIAL.iter() {
                let along = middle + half * node;
                let radius = self.radius(along);
                let centre = tilt.point(along, 0.0);
                // Second moments of a disc over its area.
                // They are r^2/4 in each direction across the axis (0, cos, sin).
                let spread = 0.25 * radius * radius;
                let yz = -spread * sin * cos;
                let spread = DMat3::from_cols(
                    DVec3::new(spread, 0.0, 0.0),
                    DVec3::new(0.0, spread * sin * sin, yz),
                    DVec3::new(0.0, yz, spread * cos * cos),
                );
                let centroid = DVec3::new(0.0, centre.x - origin, centre.y);
                volume.add_part(half * weight * disc_area(radius), centroid, spread);
            }
        }
    }
}

/// Integrals over y of the moments of the segments. A point of a segment at the distance v from
/// its chord is at `(x, y + v sin, -v cos)`.
#[derive(Default)]
struct SegmentSums {
    /// Integrals of 1, v, v² over the segments times 1, y, y², as far as they are needed.
    area: [f64; 3],
    v: [f64; 2],
    vv: f64,
    xx: f64,
}

impl SegmentSums {
    fn add(&mut self, segment: &CircularSegment, y: f64, dy: f64) {
        let [area, v, vv] = segment.moments.map(|moment| moment * dy);
        self.area[0] += area;
        self.area[1] += area * y;
        self.area[2] += area * y * y;
        self.v[0] += v;
        self.v[1] += v * y;
        self.vv += vv;
        self.xx += segment.along_chord * dy;
    }

    fn add_to(&self, moments: &mut VolumeMoments, sin: f64, cos: f64) {
        // Neighbouring discs are cos dy apart along the axis, which is their volume per area.
        let Self { area, v, vv, xx } = self;
        moments.volume += cos * area[0];
        moments.first += cos * DVec3::new(0.0, area[1] + sin * v[0], -cos * v[0]);
        let yy = area[2] + 2.0 * sin * v[1] + sin * sin * vv;
        let yz = -cos * (v[1] + sin * vv);
        let second =
            DMat3::from_cols(DVec3::new(*xx, 0.0, 0.0), DVec3::new(0.0, yy, yz), DVec3::new(0.0, yz, cos * cos * vv));
        moments.second += second * cos;
    }
}

/// A body of revolution over a plane, in the frame of the plane. Its centre is over the origin, and
/// its axis is at `(0, cos, sin)`.
pub(super) struct RevolutionOnPlane {
    parts: [Option<Part>; 3],
    tilt: Tilt,
}

/// Integrals over the part of a body below a plane and over the section, about a point of the y
/// axis, m.
pub(super) struct BelowPlane {
    pub volume: VolumeMoments,
    pub section: SectionMoments,
    pub origin: f64,
}

impl RevolutionOnPlane {
    /// A truncated cone. `sin` and `cos` are those of the angle of its axis to the plane.
    pub fn cone(cone: &TruncatedCone, height: f64, [sin, cos]: [f64; 2]) -> Self {
        let part = Part::Frustum { ends: cone.heights(), radii: cone.radii };
        Self { parts: [Some(part), None, None], tilt: Tilt { height, sin, cos } }
    }

    /// A capsule.
    pub fn capsule(capsule: &Capsule, height: f64, [sin, cos]: [f64; 2]) -> Self {
        let Capsule { radius, half_height } = *capsule;
        let cap = |side: f64| Some(Part::Cap { centre: side * half_height, radius, side });
        let side = Part::Frustum { ends: [-half_height, half_height], radii: [radius; 2] };
        Self { parts: [cap(-1.0), Some(side), cap(1.0)], tilt: Tilt { height, sin, cos } }
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().flatten()
    }

    /// Returns the integrals below the plane.
    pub fn below_plane(&self) -> BelowPlane {
        if let Some(cap) = self.parts().find_map(|part| part.only_cap(&self.tilt)) {
            return cap;
        }
        let sections = self.parts().filter_map(|part| part.section(&self.tilt));
        let range = sections.reduce(|[a, b], [c, d]| [a.min(c), b.max(d)]);
        let origin = range.map_or(0.0, |[from, to]| 0.5 * (from + to));
        let (mut volume, mut section) = (VolumeMoments::ZERO, SectionMoments::default());
        self.parts().for_each(|part| part.add(&self.tilt, origin, &mut volume, &mut section));
        BelowPlane { volume, section, origin }
    }
}

impl Part {
    /// Returns the integrals if the plane cuts only this round end, above its centre.
    fn only_cap(&self, tilt: &Tilt) -> Option<BelowPlane> {
        let Self::Cap { centre, radius, side } = *self else { return None };
        let middle = tilt.point(centre, 0.0);
        let depth = radius - middle.y;
        if middle.y <= 0.0 || depth <= 0.0 {
            return None;
        }
        let square = depth * (radius + middle.y);
        // The whole section is beyond the plane across the axis through the centre.
        if -side * middle.y * tilt.sin < square.sqrt() * tilt.cos {
            return None;
        }
        // The disc at the height t above the lowest point has the area pi (2 r t - t^2).
        let (r, d) = (radius, depth);
        let pi = std::f64::consts::PI;
        let cap = pi * d * d * (r - d / 3.0);
        let first = pi * d * d * d * (2.0 / 3.0 * r - 0.25 * d);
        let second = pi * d * d * d * d * (0.5 * r - 0.2 * d);
        let across = 0.25 * pi * d * d * d * (4.0 / 3.0 * r * r - r * d + 0.2 * d * d);
        let z = first - d * cap;
        let zz = second - 2.0 * d * first + d * d * cap;
        let volume = VolumeMoments {
            volume: cap,
            first: DVec3::new(0.0, 0.0, z),
            second: DMat3::from_diagonal(DVec3::new(across, across, zz)),
        };
        let around = 0.25 * pi * square * square;
        let section = SectionMoments { area: pi * square, second: [around, 0.0, around], ..SectionMoments::default() };
        Some(BelowPlane { volume, section, origin: middle.x })
    }
}
