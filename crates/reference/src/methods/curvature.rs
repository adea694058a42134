//! The thesis's second formulation: the overlap of the osculating circles at the two points of `potential` (3.6-3.15).

use glam::DVec2;

use super::potential::{Grains, Potential, Search, potential};
use super::{Detail, Method, Outcome};
use granum_geometry::{ContactPoint, Pair};

/// The method, with the global minimum and the signed distance of the centres of curvature.
pub const METHOD: Method = Method {
    name: "curvature",
    about: "overlap of the osculating circles at the points of `potential`",
    pairs: "discs, ellipses and superellipses",
    serves,
    solve: |pair| solve(pair, Search::Global),
};

/// The method as the thesis prints it.
pub const AS_PRINTED: Method = Method {
    name: "curvature-as-printed",
    about: "the same at the points of Brent's method, with an unsigned distance of the centres",
    pairs: "discs, ellipses and superellipses",
    serves,
    solve: |pair| solve(pair, Search::AsPrinted { tolerance: PRINTED_TOLERANCE }),
};

/// Tolerance of Brent's method in most examples of the thesis, rad.
const PRINTED_TOLERANCE: f64 = 1e-5;

/// What the circles tell.
#[derive(Clone, Copy, Debug)]
pub struct Curvature {
    /// Overlap of the two circles (3.14), m; negative if they are apart.
    pub overlap: f64,
    /// Unit vector from a to b along which it is measured.
    pub normal: DVec2,
    /// Radii of curvature of a and b, m.
    pub radii: [f64; 2],
    /// The two minima behind it.
    pub potential: Potential,
}

fn serves(pair: &Pair) -> bool {
    Grains::of(pair).is_some()
}

/// The overlap of the osculating circles of a pair of planar grains; none for other shapes.
pub fn curvature(pair: &Pair, search: Search) -> Option<Curvature> {
    let grains = Grains::of(pair)?;
    let potential = potential(pair, search)?;
    let thetas = [potential.on_a.at, potential.on_b.at];
    let normals = [0, 1].map(|k| grains.frames[k].to_world(grains.ovals[k].normal(thetas[k])));
    let radii = [0, 1].map(|k| grains.ovals[k].radius(thetas[k]));
    let points = [0, 1].map(|k| grains.point(k, thetas[k]));
    // (3.13), but as the distance between the points less what the radii put in: a flat body has no centre.
    let apart = points[1] - points[0];
    let centres_apart = apart + radii[0] * normals[0] - radii[1] * normals[1];
    let (overlap, normal) = match search {
        Search::AsPrinted { .. } => {
            let distance = centres_apart.length();
            (radii[0] + radii[1] - distance, centres_apart.normalize_or(normals[0]))
        }
        Search::Global => {
            // The outward normal of b is turned round; the mean of the two says on which side the centres are.
            let mean = (normals[0] - normals[1]).normalize_or(normals[0]);
            let distance = centres_apart.length().copysign(mean.dot(centres_apart));
            let overlap = radii[0] + radii[1] - distance;
            // Where a boundary is flat there is no centre, and only the points are left to measure between.
            (if overlap.is_finite() { overlap } else { -mean.dot(apart) }, mean)
        }
    };
    Some(Curvature { overlap, normal, radii, potential })
}

fn solve(pair: &Pair, search: Search) -> Outcome {
    let (Some(found), Some(grains)) = (curvature(pair, search), Grains::of(pair)) else {
        return Outcome::default();
    };
    let Curvature { overlap, normal, radii, potential } = found;
    let points = [grains.point(0, potential.on_a.at), grains.point(1, potential.on_b.at)];
    let gap = -overlap;
    let contact = ContactPoint {
        arm: (0.5 * (points[0] + points[1])).extend(0.0),
        normal: normal.extend(0.0),
        gap,
        curvature: radii.into_iter().map(|radius| 1.0 / radius).sum(),
        feature: 0,
    };
    Outcome {
        touching: gap <= 0.0,
        gap: Some(gap),
        normal: Some(normal.extend(0.0)),
        points: Some(points.map(|point| point.extend(0.0))),
        contacts: vec![contact],
        details: vec![
            ("h", Detail::Number(overlap)),
            ("radius_a", Detail::Number(radii[0])),
            ("radius_b", Detail::Number(radii[1])),
        ],
        iterations: potential.on_a.evaluations + potential.on_b.evaluations,
        ..Outcome::default()
    }
}
