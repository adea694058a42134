//! Rocks: polyhedra that are described by a few numbers instead of their vertices.

use std::f64::consts::TAU;

use glam::DVec3;
use serde::Deserialize;

use super::{InvalidShape, check_length};
use crate::random::Random;

/// Admissible numbers of corners of a rock. Four make a tetrahedron; a rock with more than a
/// thousand corners is better described as an ellipsoid.
const CORNERS: std::ops::RangeInclusive<f64> = 4.0..=1000.0;

/// Number of random candidates for each corner of a rock. The candidate farthest from the other
/// corners is taken, because independent random corners cluster and make slivers.
const CANDIDATES: usize = 8;

/// A polyhedron in the form in which a user writes it: by its vertices, as a gabion rock or as a
/// random rock.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename = "Polyhedron")]
pub(super) struct PolyhedronForm {
    /// Vertices, m.
    vertices: Option<Vec<DVec3>>,
    /// The four lengths a, b, c, d of a gabion rock with twelve faces, m.
    gabion: Option<[f64; 4]>,
    /// Length, width and height of a random rock, m.
    rock: Option<[f64; 3]>,
    /// Number of corners of the rock. It is a float because scene values may be drawn from a
    /// distribution.
    corners: Option<f64>,
    /// Seed of the random corners.
    seed: Option<f64>,
}

impl PolyhedronForm {
    /// Returns the vertices. The error names the field that is missing or superfluous.
    pub fn vertices(self) -> Result<Vec<DVec3>, InvalidShape> {
        let superfluous =
            [("corners", self.corners), ("seed", self.seed)].into_iter().find(|(_, value)| value.is_some());
        if let (None, Some((field, _))) = (self.rock, superfluous) {
            return Err(fault(
                field,
                "must be left out: it is for a rock, whose lengths are rock = [length, width, height]",
            ));
        }
        match (self.vertices, self.gabion, self.rock) {
            (Some(vertices), None, None) => Ok(vertices),
            (None, Some(lengths), None) => gabion(lengths),
            (None, None, Some(lengths)) => rock(lengths, self.corners.unwrap_or(20.0), self.seed.unwrap_or(0.0)),
            (None, None, None) => Err(fault("vertices", "must be given, or the lengths of a gabion or of a rock")),
            _ => Err(fault("vertices", "must be given alone: a polyhedron has vertices, or is a gabion or a rock")),
        }
    }
}

fn fault(field: &'static str, reason: &str) -> InvalidShape {
    InvalidShape { field, reason: reason.into() }
}

/// Returns the vertices of a gabion rock with twelve faces. A vertical belt of four faces is `a`
/// long, `c` wide and `d` high. Four triangles above and four below meet in the two tips, whose
/// distance is `b`.
///
/// The shape follows [Leon2016, fig. 6.5], which gives the four lengths.
pub fn gabion([a, b, c, d]: [f64; 4]) -> Result<Vec<DVec3>, InvalidShape> {
    [a, b, c, d].into_iter().try_for_each(|length| check_length("gabion", length))?;
    if d >= b {
        let reason = format!("must have its belt d lower than its height b, not {d} and {b}");
        return Err(InvalidShape { field: "gabion", reason });
    }
    let belt = (0..8).map(|k| 0.5 * DVec3::new(side(k, 0) * a, side(k, 1) * c, side(k, 2) * d));
    Ok(belt.chain([DVec3::Z, DVec3::NEG_Z].map(|tip| 0.5 * b * tip)).collect())
}

fn side(corner: u32, axis: u32) -> f64 {
    if corner >> axis & 1 == 1 { 1.0 } else { -1.0 }
}

/// Returns the vertices of a random rock with the given length, width and height, m. The same
/// arguments give the same rock on every machine.
///
/// ```
/// use granum_geometry::shape::{Polyhedron, rock};
///
/// let vertices = rock([0.03, 0.02, 0.01], 16.0, 7.0)?;
/// assert_eq!(vertices.len(), 16);
/// let polyhedron = Polyhedron::new(vertices)?;
/// # assert_eq!(polyhedron.vertices().len(), 16);
/// # Ok::<(), granum_geometry::InvalidShape>(())
/// ```
pub fn rock(lengths: [f64; 3], corners: f64, seed: f64) -> Result<Vec<DVec3>, InvalidShape> {
    lengths.into_iter().try_for_each(|length| check_length("rock", length))?;
    if !(CORNERS.contains(&corners) && corners.fract() == 0.0) {
        let reason = format!("must be a whole number from {} to {}, not {corners}", CORNERS.start(), CORNERS.end());
        return Err(InvalidShape { field: "corners", reason });
    }
    if !seed.is_finite() {
        return Err(InvalidShape { field: "seed", reason: format!("must be a number, not {seed}") });
    }
    let mut random = Random::new(seed.to_bits());
    let mut points: Vec<DVec3> = Vec::with_capacity(corners as usize);
    for _ in 0..corners as usize {
        let nearest = |at: DVec3| points.iter().map(|point| point.distance_squared(at)).fold(f64::INFINITY, f64::min);
        let mut best = (DVec3::ZERO, f64::NEG_INFINITY);
        for _ in 0..CANDIDATES {
            let at = direction(&mut random);
            if nearest(at) > best.1 {
                best = (at, nearest(at));
            }
        }
        points.push(best.0);
    }
    // Points on a sphere stay corners of their convex hull under any stretch.
    let low = points.iter().copied().reduce(DVec3::min).unwrap_or_default();
    let high = points.iter().copied().reduce(DVec3::max).unwrap_or_default();
    let stretch = DVec3::from_array(lengths) / (high - low);
    Ok(points.into_iter().map(|point| (point - 0.5 * (low + high)) * stretch).collect())
}

/// Returns a unit vector from the uniform distribution on the sphere.
fn direction(random: &mut Random) -> DVec3 {
    let height = random.range(-1.0, 1.0);
    let (sin, cos) = libm::sincos(TAU * random.unit());
    let radius = (1.0 - height * height).max(0.0).sqrt();
    DVec3::new(radius * cos, radius * sin, height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Polyhedron;

    #[test]
    fn a_gabion_stone_has_twelve_faces_and_its_volume() {
        let [a, b, c, d] = [0.078, 0.053, 0.065, 0.038];
        let stone = Polyhedron::new(gabion([a, b, c, d]).expect("valid lengths")).expect("a solid");
        let hull = stone.hull();
        assert_eq!((hull.corners().len(), hull.edges().len(), hull.faces().len()), (10, 20, 12));
        // The belt is a box; each end is a pyramid.
        let exact = a * c * (d + (b - d) / 3.0);
        assert!((hull.volume() / exact - 1.0).abs() < 1e-13);
        assert_eq!(gabion([a, d, c, b]).expect_err("no points").field, "gabion");
    }

    #[test]
    fn a_rock_is_as_large_as_told_and_all_its_points_are_corners() {
        for seed in 0..200 {
            let count = 4.0 + (seed % 57) as f64;
            let lengths = [0.3, 0.2, 0.1];
            let vertices = rock(lengths, count, seed as f64).expect("a rock");
            for axis in 0..3 {
                let extent = vertices.iter().map(|v| v[axis]).fold(f64::NEG_INFINITY, f64::max);
                assert!((2.0 * extent - lengths[axis]).abs() < 1e-15);
            }
            let rock = Polyhedron::new(vertices).expect("a solid");
            assert_eq!(rock.hull().corners().len() as f64, count, "seed {seed}");
        }
        assert_ne!(rock([1.0; 3], 12.0, 1.0), rock([1.0; 3], 12.0, 2.0));
    }

    #[test]
    fn a_wrong_stone_is_refused_by_its_field() {
        let form = |text: &str| serde_json::from_str::<Polyhedron>(text).expect_err("no stone").to_string();
        assert!(form("{}").contains("`vertices` must be given"));
        assert!(form(r#"{"gabion": [1, 1, 1, 0.5], "rock": [1, 1, 1]}"#).contains("alone"));
        assert!(form(r#"{"seed": 3}"#).contains("`seed` must be left out"));
        assert!(form(r#"{"rock": [1, 1, 1], "corners": 3}"#).contains("whole number"));
        assert!(form(r#"{"rock": [1, -1, 1]}"#).contains("`rock` must be a positive length"));
        assert!(serde_json::from_str::<Polyhedron>(r#"{"rock": [1, 1, 1], "corners": 12, "seed": 4}"#).is_ok());
    }
}
