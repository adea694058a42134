//! Surfaces without a file.
//!
//! Each generator is a struct of a few sizes with a method `mesh`. Lengths are in m, angles in rad.
//! Vertices of neighbouring triangles are shared, so that every surface is free of the faults that
//! [`super::Report`] lists; the only exception is [`Mixer`], whose paddles begin inside its shaft.
//!
//! Normals point to the side where the grains usually are: into containers, and away from bodies
//! such as screws. [`TriangleMesh::reversed`] turns them.

mod boxes;
mod cylinder;
mod hopper;
mod mixer;
mod perforated_plate;
mod plate;
mod screw;
mod stairs;
mod terrain;

pub use boxes::BoxSurface;
pub use cylinder::CylinderSurface;
pub use hopper::Hopper;
pub use mixer::Mixer;
pub use perforated_plate::PerforatedPlate;
pub use plate::{Plate, RandomPlane};
pub use screw::Screw;
pub use stairs::Stairs;
pub use terrain::Terrain;

use std::f64::consts::TAU;

use glam::DVec3;

use super::TriangleMesh;
use crate::shape::{InvalidShape, check_length};

/// Largest number of triangles of a generated surface. They take 2.4 GB.
pub const MOST_TRIANGLES: u64 = 100_000_000;

/// Vertices and triangles of a surface that is being built.
#[derive(Default)]
struct Builder {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Builder {
    fn vertex(&mut self, x: f64, y: f64, z: f64) -> u32 {
        self.point(DVec3::new(x, y, z))
    }

    fn point(&mut self, point: DVec3) -> u32 {
        self.vertices.push(point);
        self.vertices.len() as u32 - 1
    }

    /// Adds a triangle, anticlockwise as seen from the side of its normal. A triangle with two
    /// equal vertices, as at the tip of a cone, is left out.
    fn triangle(&mut self, a: u32, b: u32, c: u32) {
        if a != b && b != c && c != a {
            self.triangles.push([a, b, c]);
        }
    }

    /// Adds two triangles, anticlockwise as seen from the side of the normal.
    fn quad(&mut self, a: u32, b: u32, c: u32, d: u32) {
        self.triangle(a, b, c);
        self.triangle(a, c, d);
    }

    /// Adds the vertices of a regular polygon about the z axis, anticlockwise as seen from above. A
    /// polygon of radius 0 is one vertex, repeated.
    fn ring(&mut self, radius: f64, z: f64, facets: u32) -> Vec<u32> {
        if radius == 0.0 {
            return vec![self.vertex(0.0, 0.0, z); facets as usize];
        }
        let corner = |k: u32| {
            let (sin, cos) = libm::sincos(TAU * f64::from(k) / f64::from(facets));
            DVec3::new(radius * cos, radius * sin, z)
        };
        (0..facets).map(|k| self.point(corner(k))).collect()
    }

    /// Adds the band between two rings. The normals point away from the axis if the first ring is
    /// the lower one, and to the axis otherwise.
    fn band(&mut self, from: &[u32], to: &[u32]) {
        for k in 0..from.len() {
            let next = (k + 1) % from.len();
            self.quad(from[k], from[next], to[next], to[k]);
        }
    }

    /// Fills a ring with triangles about its centre. The normals point up.
    fn fill_up(&mut self, ring: &[u32], centre: u32) {
        (0..ring.len()).for_each(|k| self.triangle(centre, ring[k], ring[(k + 1) % ring.len()]));
    }

    /// Fills a ring with triangles about its centre. The normals point down.
    fn fill_down(&mut self, ring: &[u32], centre: u32) {
        (0..ring.len()).for_each(|k| self.triangle(centre, ring[(k + 1) % ring.len()], ring[k]));
    }

    fn mesh(self) -> Result<TriangleMesh, InvalidShape> {
        TriangleMesh::new(self.vertices, self.triangles)
            .map_err(|error| InvalidShape { field: "size", reason: format!("makes no surface: {error}") })
    }
}

fn invalid<T>(field: &'static str, reason: impl Into<String>) -> Result<T, InvalidShape> {
    Err(InvalidShape { field, reason: reason.into() })
}

/// Checks that a length is positive and supported, or 0.
fn check_length_or_zero(field: &'static str, value: f64) -> Result<(), InvalidShape> {
    if value == 0.0 { Ok(()) } else { check_length(field, value) }
}

/// Checks a number of parts.
fn check_count(field: &'static str, value: u32, least: u32) -> Result<(), InvalidShape> {
    if value >= least { Ok(()) } else { invalid(field, format!("must be at least {least}, not {value}")) }
}

/// Checks the number of triangles before any of them is made.
fn check_triangles(field: &'static str, count: u64) -> Result<(), InvalidShape> {
    if count <= MOST_TRIANGLES {
        return Ok(());
    }
    invalid(field, format!("must give at most {MOST_TRIANGLES} triangles, not {count}"))
}
