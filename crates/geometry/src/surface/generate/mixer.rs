//! Paddles on a shaft.

use std::f64::consts::{PI, TAU};

use glam::DVec3;

use super::{Builder, check_count, check_triangles, invalid};
use crate::TriangleMesh;
use crate::shape::{InvalidShape, check_length};

/// Distance from the axis within which the inner end of a paddle is hidden, relative to the
/// distance of the facets of the shaft.
const HIDDEN: f64 = 0.9;

/// The rotor of a mixer: rows of flat paddles on a shaft with its axis along z, from z = 0 to its
/// length. The normals point outward. Shaft and paddles are closed bodies; the paddles begin inside
/// the shaft, so that they intersect it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mixer {
    /// Distance of the outer ends of the paddles from the axis, m.
    pub radius: f64,
    /// Radius of the shaft, m. The edges of its facets lie on the circle.
    pub shaft_radius: f64,
    /// Length of the shaft, m. Rows are evenly distributed along it.
    pub length: f64,
    /// Number of rows of paddles along the shaft. Each is turned by half the angle between paddles
    /// against the row below.
    pub rows: u32,
    /// Number of paddles in a row.
    pub paddles: u32,
    /// Width of a paddle, m.
    pub width: f64,
    /// Thickness of a paddle, m.
    pub thickness: f64,
    /// Angle between the plane of a paddle and the axis, rad. At 0 a paddle pushes grains around
    /// the axis only; at a positive angle, turning by the right-hand rule about z, also along z.
    pub angle: f64,
    /// Number of facets of the shaft.
    pub facets: u32,
}

impl Mixer {
    /// Returns the surface.
    pub fn mesh(&self) -> Result<TriangleMesh, InvalidShape> {
        check_length("radius", self.radius)?;
        check_length("shaft_radius", self.shaft_radius)?;
        check_length("length", self.length)?;
        check_length("width", self.width)?;
        check_length("thickness", self.thickness)?;
        check_count("rows", self.rows, 1)?;
        check_count("paddles", self.paddles, 1)?;
        check_count("facets", self.facets, 3)?;
        if self.radius <= self.shaft_radius {
            return invalid("radius", format!("must be larger than the radius of the shaft, not {} m", self.radius));
        }
        if !self.angle.is_finite() {
            return invalid("angle", format!("must be finite, not {}", self.angle));
        }
        let paddles = u64::from(self.rows) * u64::from(self.paddles);
        check_triangles("paddles", paddles.saturating_mul(12) + 4 * u64::from(self.facets))?;
        let mut builder = Builder::default();
        let bottom = builder.ring(self.shaft_radius, 0.0, self.facets);
        let top = builder.ring(self.shaft_radius, self.length, self.facets);
        let (low, high) = (builder.vertex(0.0, 0.0, 0.0), builder.vertex(0.0, 0.0, self.length));
        builder.fill_down(&bottom, low);
        builder.fill_up(&top, high);
        builder.band(&bottom, &top);
        for row in 0..self.rows {
            let z = self.length * (f64::from(row) + 0.5) / f64::from(self.rows);
            for paddle in 0..self.paddles {
                let part = f64::from(paddle) + 0.5 * f64::from(row % 2);
                self.paddle(&mut builder, z, TAU * part / f64::from(self.paddles));
            }
        }
        builder.mesh()
    }

    /// Adds a paddle in a direction about the axis.
    fn paddle(&self, builder: &mut Builder, z: f64, direction: f64) {
        let (sin, cos) = libm::sincos(direction);
        let (outward, around) = (DVec3::new(cos, sin, 0.0), DVec3::new(-sin, cos, 0.0));
        let (sin, cos) = libm::sincos(self.angle);
        // The front of the paddle looks along `front`: around the axis, and up if it is inclined.
        let across = 0.5 * self.width * (cos * DVec3::Z - sin * around);
        let front = 0.5 * self.thickness * (cos * around + sin * DVec3::Z);
        let aside = across.dot(around).abs() + front.dot(around).abs();
        let hidden = HIDDEN * self.shaft_radius * libm::cos(PI / f64::from(self.facets));
        let root = (hidden * hidden - aside * aside).max(0.0).sqrt();
        let mut ring = |distance: f64| {
            let middle = distance * outward + z * DVec3::Z;
            [-across - front, -across + front, across + front, across - front].map(|to| builder.point(middle + to))
        };
        let (inner, outer) = (ring(root), ring(self.radius));
        // Along `front` and then along `across` is anticlockwise as seen from outside.
        builder.quad(inner[3], inner[2], inner[1], inner[0]);
        builder.quad(outer[0], outer[1], outer[2], outer[3]);
        builder.band(&inner, &outer);
    }
}
