//! Bounds on the separation of listed pairs that have no contact.
//!
//! For most pairs of a neighbour list it is enough to know that their bodies have not moved far
//! enough to touch. A bound that is found here has an error far below [`CERTAIN`], so that the
//! contact search gives the same result with and without it.

use glam::{DVec3, Vec3};
use granum_geometry::Pair;

/// Separation above which two bodies are separate whatever the rounding, relative to the sum of
/// their bounding radii. Separations are computed to about 1e-15 of that sum.
const CERTAIN: f64 = 1e-9;

/// Factor that keeps a bound on the safe side when it is rounded to single precision, whose
/// relative rounding error is 6e-8.
const ROUND_DOWN: f64 = 1.0 - 1e-6;

/// Bounds of the pairs of one chunk.
pub(super) struct SeparationBounds<'a> {
    /// Distance that each body has moved since the list was built, m, by storage index. `None` if
    /// every pair is to be evaluated.
    pub travelled: Option<&'a [f64]>,
    /// By pair: distance that its bodies together may have travelled until it has to be evaluated,
    /// m.
    pub limits: &'a mut [f32],
    /// By pair: direction along which the bodies were last separate, or zero. Empty if no pair has
    /// one.
    pub directions: &'a mut Vec<Vec3>,
}

impl SeparationBounds<'_> {
    /// Returns whether a pair cannot touch, because its bodies have moved too little since it was
    /// last evaluated.
    #[inline]
    pub fn exclude_contact(&self, number: usize, bodies: [u32; 2]) -> bool {
        self.travelled_by(bodies).is_some_and(|travelled| f64::from(self.limits[number]) > travelled)
    }

    #[inline]
    fn travelled_by(&self, [a, b]: [u32; 2]) -> Option<f64> {
        self.travelled.map(|travelled| travelled[a as usize] + travelled[b as usize])
    }

    /// Stores a separation, m, and returns whether it is certain. `radii` is the sum of the
    /// bounding radii, m.
    #[inline]
    pub fn store(&mut self, number: usize, bodies: [u32; 2], separation: f64, radii: f64) -> bool {
        let is_certain = separation > CERTAIN * radii;
        if let (true, Some(travelled)) = (is_certain, self.travelled_by(bodies)) {
            self.limits[number] = ((travelled + separation) * ROUND_DOWN) as f32;
        }
        is_certain
    }

    /// Returns whether the bodies are still separate along the direction of their last evaluation.
    #[inline]
    pub fn still_separate(&mut self, number: usize, bodies: [u32; 2], pair: &Pair, radii: f64) -> bool {
        match self.directions.get(number) {
            Some(&direction) if direction != Vec3::ZERO => {
                self.store(number, bodies, pair.distance_along(direction.as_dvec3()) - pair.margin, radii)
            }
            _ => false,
        }
    }

    /// Stores a direction along which the bodies are separate: that of the pair routine, or else
    /// that of the centres.
    pub fn store_direction(
        &mut self,
        number: usize,
        bodies: [u32; 2],
        pair: &Pair,
        radii: f64,
        direction: Option<DVec3>,
    ) {
        let Some(direction) = direction.or_else(|| pair.offset.try_normalize()).filter(|_| radii.is_finite()) else {
            return;
        };
        if self.store(number, bodies, pair.distance_along(direction) - pair.margin, radii) {
            self.directions.resize(self.limits.len(), Vec3::ZERO);
            self.directions[number] = direction.as_vec3();
        }
    }
}
