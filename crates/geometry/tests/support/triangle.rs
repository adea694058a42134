//! A triangle as a convex body: the reference of contacts with surfaces.

use glam::DVec3;
use granum_geometry::shape::UserShape;
use granum_geometry::{Convex, InvalidShape};

/// A triangle with these corners.
pub struct Triangle(pub [DVec3; 3]);

impl Convex for Triangle {
    fn support(&self, direction: DVec3) -> DVec3 {
        let far = |p: &&DVec3, q: &&DVec3| p.dot(direction).total_cmp(&q.dot(direction));
        *self.0.iter().max_by(far).expect("three corners")
    }

    fn inside_outside(&self, _point: DVec3) -> f64 {
        1.0
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        Ok(())
    }
}

impl UserShape for Triangle {
    const NAME: &str = "test_triangle";

    fn sizes(&self) -> Vec<f64> {
        self.0.iter().flat_map(|corner| corner.to_array()).collect()
    }

    fn from_sizes(sizes: &[f64]) -> Option<Self> {
        let corner = |k: usize| Some(DVec3::from_slice(sizes.get(3 * k..3 * k + 3)?));
        Some(Self([corner(0)?, corner(1)?, corner(2)?]))
    }
}
