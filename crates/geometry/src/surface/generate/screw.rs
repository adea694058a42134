//! A screw conveyor: a shaft with a helical blade.

use std::f64::consts::TAU;

use super::{Builder, check_count, check_triangles, invalid};
use crate::TriangleMesh;
use crate::shape::{InvalidShape, check_length};

/// A screw with its axis along z, from z = 0 to its length. It is one closed body with normals
/// outward. The blade is a helicoid of constant thickness along the axis; it ends a little before
/// both ends of the shaft.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Screw {
    /// Radius of the blade, m; larger than that of the shaft.
    pub radius: f64,
    /// Radius of the shaft, m. The edges of its facets lie on the circle.
    pub shaft_radius: f64,
    /// Length of the shaft, m; longer than the blade is thick.
    pub length: f64,
    /// Length of one turn of the blade, m.
    pub pitch: f64,
    /// Thickness of the blade along the axis, m; less than the pitch.
    pub thickness: f64,
    /// Number of facets in a turn.
    pub facets: u32,
    /// If true, the blade turns to the left: turning the screw by the right-hand rule about z then
    /// conveys along z. A right-handed screw conveys against z.
    pub left_handed: bool,
}

/// A cross-section of the blade at one angle: its vertices on the shaft and at its rim, on the lower
/// and on the upper face.
#[derive(Clone, Copy)]
struct Section {
    shaft: [u32; 2],
    rim: [u32; 2],
}

impl Screw {
    /// Returns the surface.
    pub fn mesh(&self) -> Result<TriangleMesh, InvalidShape> {
        let steps = self.checked_steps()?;
        let mut builder = Builder::default();
        let bottom = builder.ring(self.shaft_radius, 0.0, self.facets);
        let top = builder.ring(self.shaft_radius, self.length, self.facets);
        let (low, high) = (builder.vertex(0.0, 0.0, 0.0), builder.vertex(0.0, 0.0, self.length));
        builder.fill_down(&bottom, low);
        builder.fill_up(&top, high);
        let sections: Vec<Section> = (0..=steps).map(|step| self.section(&mut builder, step, steps)).collect();
        for pair in sections.windows(2) {
            let [from, to] = [pair[0], pair[1]];
            builder.quad(from.shaft[1], from.rim[1], to.rim[1], to.shaft[1]);
            builder.quad(from.shaft[0], to.shaft[0], to.rim[0], from.rim[0]);
            builder.quad(from.rim[0], to.rim[0], to.rim[1], from.rim[1]);
        }
        if let [first, .., last] = sections[..] {
            builder.quad(first.shaft[0], first.rim[0], first.rim[1], first.shaft[1]);
            builder.quad(last.shaft[0], last.shaft[1], last.rim[1], last.rim[0]);
        }
        for facet in 0..self.facets as usize {
            self.shaft_facet(&mut builder, facet, &sections, [&bottom, &top]);
        }
        let mesh = builder.mesh()?;
        if !self.left_handed {
            return Ok(mesh);
        }
        mesh.scaled(glam::DVec3::new(1.0, -1.0, 1.0))
            .map_err(|error| InvalidShape { field: "left_handed", reason: error.to_string() })
    }

    /// Returns the number of steps of the blade, each one facet wide.
    fn checked_steps(&self) -> Result<u32, InvalidShape> {
        check_length("radius", self.radius)?;
        check_length("shaft_radius", self.shaft_radius)?;
        check_length("length", self.length)?;
        check_length("pitch", self.pitch)?;
        check_length("thickness", self.thickness)?;
        check_count("facets", self.facets, 3)?;
        if self.radius <= self.shaft_radius {
            return invalid("radius", format!("must be larger than the radius of the shaft, not {} m", self.radius));
        }
        if self.thickness >= self.pitch {
            return invalid("thickness", format!("must be less than the pitch, not {} m", self.thickness));
        }
        let steps = f64::from(self.facets) * (self.length - self.thickness) / self.pitch;
        // One step less, so that shaft remains at both ends.
        let steps = steps.ceil() - 1.0;
        if steps < 1.0 {
            return invalid("length", format!("must be longer than the blade is thick, not {} m", self.length));
        }
        check_triangles("facets", 12 * (steps.min(1e18) as u64 + u64::from(self.facets)))?;
        Ok(steps as u32)
    }

    fn section(&self, builder: &mut Builder, step: u32, steps: u32) -> Section {
        let facet = step % self.facets;
        let (sin, cos) = libm::sincos(TAU * f64::from(facet) / f64::from(self.facets));
        let advance = (f64::from(step) - 0.5 * f64::from(steps)) / f64::from(self.facets);
        let middle = 0.5 * self.length + advance * self.pitch;
        let mut at = |radius: f64| {
            [-0.5, 0.5].map(|side| builder.vertex(radius * cos, radius * sin, middle + side * self.thickness))
        };
        Section { shaft: at(self.shaft_radius), rim: at(self.radius) }
    }

    /// Adds the part of the shaft between two of its edges, without the strips below the blade.
    fn shaft_facet(&self, builder: &mut Builder, facet: usize, sections: &[Section], rings: [&[u32]; 2]) {
        let facets = self.facets as usize;
        let next = (facet + 1) % facets;
        let (mut left, mut right) = (vec![rings[0][facet]], vec![rings[0][next]]);
        // The blade begins on the first edge: on the facet before it, its first section is only a
        // pair of vertices.
        if next == 0 {
            right.extend(sections[0].shaft);
        }
        for step in (facet..sections.len()).step_by(facets) {
            left.push(sections[step].shaft[0]);
            if let Some(to) = sections.get(step + 1) {
                right.push(to.shaft[0]);
                join(builder, &left, &right);
                (left, right) = (vec![sections[step].shaft[1]], vec![to.shaft[1]]);
            } else {
                left.push(sections[step].shaft[1]);
            }
        }
        left.push(rings[1][facet]);
        right.push(rings[1][next]);
        join(builder, &left, &right);
    }
}

/// Fills the area between two vertical lines of vertices, each sorted upward. The normal points to
/// the side from which the first line is on the left.
fn join(builder: &mut Builder, left: &[u32], right: &[u32]) {
    let (mut l, mut r) = (0, 0);
    let height = |builder: &Builder, line: &[u32], k: usize| {
        line.get(k).map_or(f64::INFINITY, |&vertex| builder.vertices[vertex as usize].z)
    };
    while l + 1 < left.len() || r + 1 < right.len() {
        if height(builder, left, l + 1) < height(builder, right, r + 1) {
            builder.triangle(left[l], right[r], left[l + 1]);
            l += 1;
        } else {
            builder.triangle(left[l], right[r], right[r + 1]);
            r += 1;
        }
    }
}
