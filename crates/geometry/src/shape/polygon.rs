//! A convex polygon in the plane.

use std::f64::consts::PI;
use std::sync::Arc;

use glam::{DVec2, DVec3, Vec2Swizzles};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::{Convex, InvalidShape, LENGTHS, Realm, are_coordinates, out_of_range};
use crate::contact::polytope::Corners;
use crate::{MassProperties, Pose};

/// Largest number of corners: a contact feature stores a corner in 16 bits.
const MOST_CORNERS: usize = 10_000;

/// Ratio of width to length below which the points count as collinear.
const FLAT: f64 = 1e-9;

/// Least distance of a corner from the line between its neighbours, relative to the size of the
/// polygon. A smaller distance is a rounding error.
const STANDS_OUT: f64 = 1e-14;

/// The convex hull of vertices, which may be given in any axes and order, per metre of thickness.
///
/// The centre of mass of the body is the origin. [`Convex::frame`] returns its position in the axes
/// of the vertices, which are kept as they were given. Clones share the outline.
#[derive(Clone, Debug, Serialize)]
#[serde(into = "Vertices")]
pub struct Polygon {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    vertices: Vec<DVec2>,
    corners: Vec<DVec2>,
    normals: Vec<DVec2>,
    centre: DVec2,
    area: f64,
    moments: DVec2,
    radius: f64,
    longest_edge: f64,
}

/// The serialised form of a polygon.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Polygon")]
struct Vertices {
    vertices: Vec<DVec2>,
}

impl<'de> Deserialize<'de> for Polygon {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(Vertices::deserialize(deserializer)?.vertices).map_err(D::Error::custom)
    }
}

impl From<Polygon> for Vertices {
    fn from(shape: Polygon) -> Self {
        Self { vertices: shape.inner.vertices.clone() }
    }
}

impl PartialEq for Polygon {
    fn eq(&self, other: &Self) -> bool {
        self.inner.vertices == other.inner.vertices
    }
}

impl Polygon {
    /// Creates the convex hull of `vertices`, m. It fails if they span no area.
    pub fn new(vertices: Vec<DVec2>) -> Result<Self, InvalidShape> {
        let mut corners = outline(&vertices).map_err(|reason| InvalidShape { field: "vertices", reason })?;
        let (area, centre) = area_and_centre(&corners);
        corners.iter_mut().for_each(|corner| *corner -= centre);
        let edges = corners.iter().zip(corners.iter().cycle().skip(1)).map(|(from, to)| *to - *from);
        let normals = edges.clone().map(|edge| -edge.perp().normalize()).collect();
        let longest_edge = edges.map(DVec2::length).fold(0.0, f64::max);
        let radius = corners.iter().map(|corner| corner.length()).fold(0.0, f64::max);
        let moments = moments(&corners);
        Ok(Self { inner: Arc::new(Inner { vertices, corners, normals, centre, area, moments, radius, longest_edge }) })
    }

    /// Returns the vertices as they were given, m.
    pub fn vertices(&self) -> &[DVec2] {
        &self.inner.vertices
    }

    /// Returns the corners relative to the centre of mass, anticlockwise, m.
    #[inline]
    pub fn corners(&self) -> &[DVec2] {
        &self.inner.corners
    }

    /// Returns the length of the longest edge, m.
    pub fn longest_edge(&self) -> f64 {
        self.inner.longest_edge
    }

    /// Returns the outward unit normal of the edge from each corner to the next.
    #[inline]
    pub fn normals(&self) -> &[DVec2] {
        &self.inner.normals
    }
}

/// Returns the corners of the convex hull, anticlockwise, by Andrew's monotone chain.
fn outline(vertices: &[DVec2]) -> Result<Vec<DVec2>, String> {
    if vertices.len() < 3 {
        return Err(format!("must be at least 3, not {}", vertices.len()));
    }
    if let Some(bad) = vertices.iter().find(|vertex| !vertex.is_finite()) {
        return Err(format!("must be finite, not {bad}"));
    }
    if let Some(bad) = vertices.iter().find(|vertex| !are_coordinates(&vertex.to_array())) {
        return Err(format!("must have coordinates up to {:e} m, not {bad}", LENGTHS.end()));
    }
    let mut sorted = vertices.to_vec();
    sorted.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    sorted.dedup();
    let size = sorted.iter().map(|vertex| (*vertex - sorted[0]).length()).fold(0.0, f64::max);
    if size == 0.0 {
        return Err("must not all be one point".into());
    }
    if size < *LENGTHS.start() {
        return Err(out_of_range("at distances", size));
    }
    let stands_out = |before: DVec2, corner: DVec2, after: DVec2| {
        let chord = after - before;
        (corner - before).perp_dot(chord) > STANDS_OUT * size * chord.length()
    };
    let chain = |points: &mut dyn Iterator<Item = DVec2>| {
        let mut chain: Vec<DVec2> = Vec::new();
        for point in points {
            while let [.., before, corner] = chain[..]
                && !stands_out(before, corner, point)
            {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut corners = chain(&mut sorted.iter().copied());
    corners.extend(chain(&mut sorted.iter().rev().copied()));
    let width = |corner: &DVec2, along: DVec2| along.perp_dot(*corner - corners[0]).abs();
    let far = corners.iter().copied().max_by(|p, q| {
        let distance = |r: &DVec2| (*r - corners[0]).length_squared();
        distance(p).total_cmp(&distance(q))
    });
    let along = far.map_or(DVec2::X, |far| (far - corners[0]).normalize_or(DVec2::X));
    let widest = corners.iter().map(|corner| width(corner, along)).fold(0.0, f64::max);
    if corners.len() < 3 || widest <= FLAT * size {
        return Err("must not lie on a line".into());
    }
    if corners.len() > MOST_CORNERS {
        return Err(format!("must be at most {MOST_CORNERS} corners, not {}", corners.len()));
    }
    Ok(corners)
}

/// Returns area and centroid. It sums triangles from the first corner, so that no digits cancel far
/// from the origin.
fn area_and_centre(corners: &[DVec2]) -> (f64, DVec2) {
    let first = corners[0];
    let (mut area, mut moment) = (0.0, DVec2::ZERO);
    for pair in corners[1..].windows(2) {
        let (p, q) = (pair[0] - first, pair[1] - first);
        let triangle = 0.5 * p.perp_dot(q);
        area += triangle;
        moment += triangle / 3.0 * (p + q);
    }
    (area, first + moment / area)
}

/// Returns the integrals of y² and x² about the origin, m⁴.
fn moments(corners: &[DVec2]) -> DVec2 {
    let edges = corners.iter().zip(corners.iter().cycle().skip(1));
    edges.map(|(&p, &q)| p.perp_dot(q) / 12.0 * (p * p + p * q + q * q)).sum::<DVec2>().yx()
}

impl Convex for Polygon {
    fn support(&self, direction: DVec3) -> DVec3 {
        let direction = direction.truncate();
        let along = |corner: &&DVec2| direction.dot(**corner);
        let farthest = self.corners().iter().max_by(|p, q| along(p).total_cmp(&along(q)));
        farthest.copied().unwrap_or_default().extend(0.0)
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        let edges = self.corners().iter().zip(self.normals());
        edges.map(|(corner, normal)| normal.dot(point.truncate() - *corner)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Always succeeds, because the constructor rejects invalid polygons.
    fn validate(&self) -> Result<(), InvalidShape> {
        Ok(())
    }

    fn bounding_radius(&self) -> f64 {
        self.inner.radius
    }

    fn mass_properties(&self) -> MassProperties {
        MassProperties::lamina(self.inner.area, self.inner.moments)
    }

    /// Returns the curvature of a disc of the same area, because edges are straight and corners are
    /// sharp.
    fn curvature(&self, _normal: DVec3) -> f64 {
        (PI / self.inner.area).sqrt()
    }

    fn frame(&self) -> Pose {
        Pose { position: self.inner.centre.extend(0.0), ..Pose::IDENTITY }
    }

    fn realm(&self) -> Realm {
        Realm::Plane
    }
}

impl Corners for Polygon {
    fn corner_count(&self) -> usize {
        self.corners().len()
    }

    fn corner(&self, corner: usize) -> DVec3 {
        self.corners()[corner].extend(0.0)
    }

    fn radius(&self) -> f64 {
        self.inner.radius
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polygon(vertices: &[[f64; 2]]) -> Result<Polygon, InvalidShape> {
        Polygon::new(vertices.iter().map(|&vertex| vertex.into()).collect())
    }

    #[test]
    fn a_triangle_far_from_the_origin_has_its_known_moments() {
        let triangle = polygon(&[[1e3, 1e3], [1003.0, 1e3], [1e3, 1006.0]]).expect("a triangle");
        let MassProperties { volume, inertia, centre } = triangle.mass_properties();
        assert!((volume - 9.0).abs() < 1e-12 && centre == DVec3::ZERO);
        // The moments of a triangle about its centre of mass are b h³/36 and h b³/36.
        let [about_x, about_y] = [3.0 * 216.0 / 36.0, 6.0 * 27.0 / 36.0];
        assert!((inertia.x_axis.x - about_x).abs() < 1e-10, "{}", inertia.x_axis.x);
        assert!((inertia.y_axis.y - about_y).abs() < 1e-10);
        assert!((inertia.z_axis.z - about_x - about_y).abs() < 1e-10);
        assert!((triangle.frame().position - DVec3::new(1001.0, 1002.0, 0.0)).length() < 1e-12);
    }

    #[test]
    fn the_order_of_vertices_and_points_between_do_not_matter() {
        let square = polygon(&[[1.0, 1.0], [0.0, 0.0], [0.5, 0.0], [0.0, 1.0], [1.0, 0.0], [0.3, 0.4]]).expect("one");
        let expected = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]].map(DVec2::from);
        assert_eq!(square.corners(), expected);
        assert_eq!(square.normals(), [DVec2::NEG_Y, DVec2::X, DVec2::Y, DVec2::NEG_X]);
        assert_eq!(square.vertices().len(), 6, "what was given is kept");
        assert_eq!(square.support(DVec3::new(1.0, 0.1, 0.0)), DVec3::new(0.5, 0.5, 0.0));
        assert!(square.inside_outside(DVec3::new(0.4, 0.0, 0.0)) < 0.0);
        assert!(square.inside_outside(DVec3::new(0.6, 0.0, 0.0)) > 0.0);
    }

    #[test]
    fn what_spans_no_area_is_refused_with_a_reason() {
        let reason = |vertices: &[[f64; 2]]| polygon(vertices).expect_err("no polygon").to_string();
        assert_eq!(reason(&[[0.0, 0.0], [1.0, 0.0]]), "`vertices` must be at least 3, not 2");
        assert_eq!(reason(&[[1.0, 1.0]; 4]), "`vertices` must not all be one point");
        assert_eq!(reason(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), "`vertices` must not lie on a line");
        assert_eq!(reason(&[[0.0, 0.0], [1.0, 1e-12], [2.0, 0.0]]), "`vertices` must not lie on a line");
        assert!(reason(&[[0.0, 0.0], [1.0, f64::NAN], [2.0, 0.0]]).contains("finite"));
    }

    #[test]
    fn data_is_checked_as_it_is_read() {
        let text = r#"{"vertices": [[0,0],[2,0],[0,1]]}"#;
        let triangle: Polygon = serde_json::from_str(text).expect("a triangle");
        assert_eq!(serde_json::to_string(&triangle).expect("data"), r#"{"vertices":[[0.0,0.0],[2.0,0.0],[0.0,1.0]]}"#);
        let flat = serde_json::from_str::<Polygon>(r#"{"vertices": [[0,0],[2,0]]}"#);
        assert!(flat.is_err_and(|error| error.to_string().contains("at least 3")));
    }
}
