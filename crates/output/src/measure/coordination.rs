//! Coordination number: the mean number of bodies that a grain touches.

use std::collections::BTreeMap;

use granum_geometry::Aabb;

use super::grains;
use crate::run_folder::Frame;

/// Least number of contacts of a grain that carries load, because at least two forces balance each
/// other.
const FEWEST_THAT_CARRY: u32 = 2;

/// The coordination number of the grains whose centres lie in a box. Contacts with walls count.
/// Several contact points of two bodies count once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coordination {
    /// Number of grains.
    pub grains: usize,
    /// Mean over all grains.
    pub mean: f64,
    /// Mean over the grains that carry load.
    pub carrying: f64,
    /// Fraction of rattlers, which have fewer than two contacts.
    pub rattlers: f64,
}

impl Coordination {
    /// Computes the coordination number.
    pub fn of(frame: &Frame, bounds: &Aabb) -> Self {
        let inside = grains(frame).filter(|body| bounds.contains(body.position));
        let mut touched: BTreeMap<u32, u32> = inside.map(|body| (body.id.0, 0)).collect();
        let mut last = None;
        // Contacts are sorted by their bodies.
        for pair in frame.contacts.iter().map(|contact| (contact.a, contact.b)) {
            if last.replace(pair) == Some(pair) {
                continue;
            }
            for id in [pair.0, pair.1] {
                if let Some(count) = touched.get_mut(&id.0) {
                    *count += 1;
                }
            }
        }
        let carrying: Vec<u32> = touched.values().copied().filter(|&count| count >= FEWEST_THAT_CARRY).collect();
        let mean = |sum: u32, count: usize| f64::from(sum) / count as f64;
        Self {
            grains: touched.len(),
            mean: mean(touched.values().sum(), touched.len()),
            carrying: mean(carrying.iter().sum(), carrying.len()),
            rattlers: 1.0 - carrying.len() as f64 / touched.len() as f64,
        }
    }
}
