//! Stones: polyhedra that are told by a few numbers instead of their vertices.

use std::f64::consts::TAU;

use glam::DVec3;
use serde::Deserialize;

use super::{InvalidShape, check_length};
use crate::random::Random;

/// Corners of a rock: a tetrahedron at least; a grain with more is a ball.
const CORNERS: std::ops::RangeInclusive<f64> = 4.0..=1000.0;

/// Places tried for each corner of a rock, of which the one farthest from the others is taken: corners at random alone lie
/// in heaps, and make slivers.
const TRIES: usize = 8;

/// A polyhedron as people write it: by its vertices, or as a stone.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename = "Polyhedron")]
pub(super) struct Form {
    /// Corners, m.
    vertices: Option<Vec<DVec3>>,
    /// The four lengths a, b, c, d of a stone of twelve faces, m.
    gabion: Option<[f64; 4]>,
    /// The three lengths of a random rock, m.
    rock: Option<[f64; 3]>,
    /// Corners of the rock. A number of a scene may come from a distribution, and is no integer then.
    corners: Option<f64>,
    /// Every seed is another rock.
    seed: Option<f64>,
}

impl Form {
    /// The vertices that are meant.
    pub fn vertices(self) -> Result<Vec<DVec3>, InvalidShape> {
        let out_of_place =
            [("corners", self.corners), ("seed", self.seed)].into_iter().find(|(_, value)| value.is_some());
        if let (None, Some((field, _))) = (self.rock, out_of_place) {
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

/// The twelve-faced stone of a gabion: an upright belt of four faces, `a` long, `c` wide and `d` high, under and over which
/// four faces each rise to a point; `b` from point to point.
///
/// The paper gives the four lengths and the number of faces in words and the rest in a picture (004, figure 6.5).
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

/// A random rock that is as long, wide and high as told, with so many corners. The same on every machine.
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
        for _ in 0..TRIES {
            let at = direction(&mut random);
            if nearest(at) > best.1 {
                best = (at, nearest(at));
            }
        }
        points.push(best.0);
    }
    // Points of a ball stay corners of their hull however they are stretched.
    let low = points.iter().copied().reduce(DVec3::min).unwrap_or_default();
    let high = points.iter().copied().reduce(DVec3::max).unwrap_or_default();
    let stretch = DVec3::from_array(lengths) / (high - low);
    Ok(points.into_iter().map(|point| (point - 0.5 * (low + high)) * stretch).collect())
}

/// A unit vector, all equally likely.
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
        let stone = Polyhedron::new(gabion([a, b, c, d]).expect("lengths of the paper")).expect("a solid");
        let hull = stone.hull();
        assert_eq!((hull.corners().len(), hull.edges().len(), hull.faces().len()), (10, 20, 12));
        // A belt and two pyramids.
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
                let reach = vertices.iter().map(|v| v[axis]).fold(f64::NEG_INFINITY, f64::max);
                assert!((2.0 * reach - lengths[axis]).abs() < 1e-15);
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
