//! A convex polyhedron.

use std::sync::Arc;

use glam::DVec3;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::rock::PolyhedronForm;
use super::{Convex, InvalidShape};
use crate::hull::Hull;
use crate::{MassProperties, Mesh, Pose};

/// The convex hull of vertices, which may be given in any axes.
///
/// The centre of mass of the body is the origin, and its principal axes are the body axes.
/// [`Convex::frame`] returns their pose in the axes of the vertices, which are kept as they were
/// given. Clones share the hull.
#[derive(Clone, Debug, Serialize)]
#[serde(into = "Vertices")]
pub struct Polyhedron {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    vertices: Vec<DVec3>,
    hull: Hull,
    /// Cached because every contact needs it and it costs a cube root.
    curvature: f64,
}

/// The serialised form of a polyhedron.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Polyhedron")]
struct Vertices {
    vertices: Vec<DVec3>,
}

impl<'de> Deserialize<'de> for Polyhedron {
    /// Text formats accept rocks and gabion rocks besides vertices; binary formats store vertices
    /// only.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let vertices = if deserializer.is_human_readable() {
            PolyhedronForm::deserialize(deserializer)?.vertices().map_err(D::Error::custom)?
        } else {
            Vertices::deserialize(deserializer)?.vertices
        };
        Self::new(vertices).map_err(D::Error::custom)
    }
}

impl From<Polyhedron> for Vertices {
    fn from(shape: Polyhedron) -> Self {
        Self { vertices: shape.inner.vertices.clone() }
    }
}

impl PartialEq for Polyhedron {
    fn eq(&self, other: &Self) -> bool {
        self.inner.vertices == other.inner.vertices
    }
}

impl Polyhedron {
    /// Creates the convex hull of `vertices`, m. It fails if they span no volume.
    ///
    /// ```
    /// use glam::DVec3;
    /// use granum_geometry::Shape;
    /// use granum_geometry::shape::Polyhedron;
    ///
    /// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let tetrahedron = Shape::from(Polyhedron::new(corners.to_vec())?);
    /// assert!((tetrahedron.as_convex().mass_properties().volume - 1.0 / 6.0).abs() < 1e-15);
    /// assert!(Polyhedron::new(vec![DVec3::X, DVec3::Y, DVec3::Z]).is_err()); // a triangle has no volume
    /// # Ok::<(), granum_geometry::InvalidShape>(())
    /// ```
    pub fn new(vertices: Vec<DVec3>) -> Result<Self, InvalidShape> {
        let hull =
            Hull::new(&vertices).map_err(|fault| InvalidShape { field: "vertices", reason: fault.to_string() })?;
        let curvature = ball_curvature(hull.volume());
        Ok(Self { inner: Arc::new(Inner { vertices, hull, curvature }) })
    }

    /// Returns the vertices as they were given, m.
    pub fn vertices(&self) -> &[DVec3] {
        &self.inner.vertices
    }

    /// Returns corners, edges and faces in body axes.
    #[inline]
    pub fn hull(&self) -> &Hull {
        &self.inner.hull
    }
}

/// Returns the curvature of a ball of this volume, 1/m. Laws for round grains use it for polyhedra,
/// whose own curvature is zero on faces and infinite on edges.
pub(super) fn ball_curvature(volume: f64) -> f64 {
    libm::cbrt(4.0 / 3.0 * std::f64::consts::PI / volume)
}

impl Convex for Polyhedron {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.hull().corners()[self.hull().farthest(direction)]
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        let heights = self.hull().faces().iter().map(|face| face.normal.dot(point) - face.offset);
        heights.fold(f64::NEG_INFINITY, f64::max)
    }

    /// Always succeeds, because the constructor rejects invalid polyhedra.
    fn validate(&self) -> Result<(), InvalidShape> {
        Ok(())
    }

    fn bounding_radius(&self) -> f64 {
        self.hull().radius()
    }

    fn mass_properties(&self) -> MassProperties {
        MassProperties::principal(self.hull().volume(), self.hull().moments())
    }

    /// Returns the curvature of a ball of the same volume.
    fn curvature(&self, _normal: DVec3) -> f64 {
        self.inner.curvature
    }

    fn surface(&self, _level: u32, _extent: f64) -> Mesh {
        Mesh::of_faces(self.hull())
    }

    fn frame(&self) -> Pose {
        self.hull().frame()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(vertices: &[[f64; 3]]) -> Result<Polyhedron, InvalidShape> {
        Polyhedron::new(vertices.iter().map(|&v| DVec3::from_array(v)).collect())
    }

    /// A brick with edges 1, 2, 3 and a corner at the origin, rotated about z.
    fn turned_brick() -> Polyhedron {
        let turn = glam::DQuat::from_rotation_z(0.4);
        let corner = |k: u32| DVec3::new((k & 1) as f64, (k >> 1 & 1) as f64 * 2.0, (k >> 2) as f64 * 3.0);
        Polyhedron::new((0..8).map(|k| turn * corner(k)).collect()).expect("a brick")
    }

    #[test]
    fn a_brick_has_six_faces_and_its_known_moments() {
        let brick = turned_brick();
        let hull = brick.hull();
        assert_eq!((hull.corners().len(), hull.edges().len(), hull.faces().len()), (8, 12, 6));
        assert!((hull.volume() - 6.0).abs() < 1e-14);
        let moments = brick.mass_properties().principal_moments().expect("principal axes");
        let mut sorted = moments.to_array();
        sorted.sort_by(f64::total_cmp);
        for (moment, known) in sorted.into_iter().zip([0.5 * (4.0 + 1.0), 0.5 * (9.0 + 1.0), 0.5 * (9.0 + 4.0)]) {
            assert!((moment - known).abs() < 1e-13, "{moment} {known}");
        }
    }

    #[test]
    fn the_frame_leads_back_to_the_vertices() {
        let brick = turned_brick();
        let frame = brick.frame();
        for (k, &vertex) in brick.vertices().iter().enumerate() {
            assert!((frame.point(brick.hull().corners()[k]) - vertex).length() < 1e-14);
        }
    }

    #[test]
    fn moments_agree_with_quadrature() {
        let body =
            shape(&[[0.1, 0.0, 0.0], [1.0, 0.2, 0.0], [0.3, 0.9, 0.1], [0.4, 0.3, 1.2], [0.9, 0.8, 0.9]]).unwrap();
        let exact = body.mass_properties();
        let numeric = MassProperties::by_quadrature(&body, 160);
        assert!((exact.volume / numeric.volume - 1.0).abs() < 1e-4);
        assert!(numeric.centre.length() < 1e-4);
        let off = (exact.inertia - numeric.inertia).to_cols_array();
        assert!(off.into_iter().all(|part| part.abs() < 1e-4 * exact.inertia.x_axis.x), "{off:?}");
    }

    #[test]
    fn points_inside_and_on_faces_are_no_corners() {
        let mut vertices = turned_brick().vertices().to_vec();
        let corners = vertices.len();
        for k in 0..corners {
            let next = vertices[(k + 1) % corners];
            vertices.push(0.5 * (vertices[k] + next));
        }
        let body = Polyhedron::new(vertices.clone()).expect("the same brick");
        assert_eq!((body.hull().corners().len(), body.hull().faces().len()), (8, 6));
        assert_eq!(body.vertices(), vertices, "what was given is kept");
    }

    #[test]
    fn what_is_no_solid_is_refused_with_a_reason() {
        let reason = |vertices: &[[f64; 3]]| shape(vertices).expect_err("no solid").to_string();
        let (o, x, y, z) = ([0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
        assert!(reason(&[o, x, y]).contains("at least 4"));
        assert!(reason(&[o, o, o, o]).contains("one point"));
        assert!(reason(&[o, x, [2.0, 0.0, 0.0], [3.0, 0.0, 0.0]]).contains("line"));
        assert!(reason(&[o, x, y, [1.0, 1.0, 0.0], [0.5, 0.5, 1e-12]]).contains("flat"));
        assert!(reason(&[o, x, y, [f64::NAN, 0.0, 0.0]]).contains("finite"));
        assert!(shape(&[o, x, y, z]).is_ok());
    }

    #[test]
    fn data_is_checked_as_it_is_read() {
        let flat = r#"{"vertices": [[0,0,0],[1,0,0],[0,1,0],[1,1,0]]}"#;
        assert!(serde_json::from_str::<Polyhedron>(flat).is_err_and(|error| error.to_string().contains("flat")));
        let brick = turned_brick();
        let text = serde_json::to_string(&brick).expect("plain data");
        assert_eq!(serde_json::from_str::<Polyhedron>(&text).expect("the same").vertices(), brick.vertices());
    }

    #[test]
    fn its_surface_encloses_its_volume() {
        let mesh = turned_brick().surface(0, 1.0);
        assert_eq!(mesh.triangles.len(), 12);
        assert!((mesh.volume() - 6.0).abs() < 1e-13);
    }
}
