//! The plane z = 0 as a wall of the cases: as a half-space or as a triangulated surface.

use granum_geometry::Shape;
use granum_geometry::shape::{HalfSpace, Surface};
use granum_geometry::surface::generate::RandomPlane;

use glam::DVec3;

/// A plane z = 0 on which bodies lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ground {
    /// A half-space.
    HalfSpace,
    /// A square about the origin with sides of this length (m), cut into about 1,000 random
    /// triangles.
    Triangles(f64),
}

impl Ground {
    /// Number of random points of a triangulated ground. There are about twice as many triangles.
    const POINTS: u32 = 500;

    /// Returns the shape of the wall.
    pub fn shape(self) -> Shape {
        match self {
            Self::HalfSpace => HalfSpace::new(DVec3::Z).into(),
            Self::Triangles(side) => {
                let plane = RandomPlane { size: [side; 2], points: Self::POINTS, seed: 7 };
                let mesh = plane.mesh().expect("a positive length");
                Surface::new(mesh, false).expect("a surface without faults").into()
            }
        }
    }
}
