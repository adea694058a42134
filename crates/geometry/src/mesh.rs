//! Triangulated surfaces for pictures and exports. Contact detection never uses them.

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::sync::OnceLock;

use glam::DVec3;

use crate::contact::polytope::Polytope;
use crate::numeric::math::tangent_frame;
use crate::surface::TriangleMesh;
use crate::{Aabb, Convex, Pose};

/// Finest level of a surface. It has 81,920 triangles, more than a screen can show of one grain.
pub const FINEST_LEVEL: u32 = 6;

/// Number of corners of a planar outline at level 0. Each level doubles it.
const OUTLINE: u32 = 24;

/// Largest number of bisections between two normals of an outline, far finer than a pixel.
const MOST_HALVINGS: usize = 24;

/// Half the thickness of a plate, relative to its bounding radius.
const PLATE: f64 = 0.02;

/// A triangulated surface. Triangles are anticlockwise as seen from outside.
///
/// A vertex on a sharp edge is stored once per normal, so that the surface is closed in its points
/// but not in its indices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Points of the surface, m.
    pub vertices: Vec<DVec3>,
    /// Outward unit normals, one per vertex.
    pub normals: Vec<DVec3>,
    /// Indices of the three vertices of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// Creates the surface of a bounded convex body from its support points along the normals of an
    /// icosphere.
    ///
    /// Every vertex lies on the surface of the body and has its true normal. A corner or an edge
    /// has many normals; triangles that degenerate there are left out.
    pub fn of(body: &(impl Convex + ?Sized), level: u32) -> Self {
        Self::of_support(|normal| body.support(normal), level)
    }

    /// Creates the surface of a bounded convex body from its support function.
    pub fn of_support(support: impl Fn(DVec3) -> DVec3, level: u32) -> Self {
        let sphere = icosphere(level);
        let vertices: Vec<DVec3> = sphere.vertices.iter().map(|&normal| support(normal)).collect();
        let is_flat = |&[i, j, k]: &[u32; 3]| {
            let [a, b, c] = [i, j, k].map(|index| vertices[index as usize]);
            a == b || b == c || c == a
        };
        let triangles = sphere.triangles.iter().filter(|triangle| !is_flat(triangle)).copied().collect();
        Self { vertices, normals: sphere.vertices.clone(), triangles }
    }

    /// Creates a thin plate about the plane z = 0 from a planar body.
    pub fn plate(body: &(impl Convex + ?Sized), level: u32) -> Self {
        let (normals, outline): (Vec<DVec3>, Vec<DVec3>) =
            planar_outline(body, OUTLINE << level.min(FINEST_LEVEL)).into_iter().unzip();
        let sides = outline.len() as u32;
        let middle = outline.iter().sum::<DVec3>() / f64::from(sides);
        let extent = outline.iter().map(|point| (point - middle).length()).fold(0.0, f64::max);
        let up = PLATE * extent * DVec3::Z;
        let mut mesh = Self::default();
        // The outline is stored four times: top, bottom, and both edges of the rim, which has its
        // own normals.
        for (shift, normal) in [(up, Some(DVec3::Z)), (-up, Some(DVec3::NEG_Z)), (up, None), (-up, None)] {
            mesh.vertices.extend(outline.iter().map(|&point| point + shift));
            mesh.normals.extend(normals.iter().map(|&own| normal.unwrap_or(own)));
        }
        for k in 0..sides {
            let next = (k + 1) % sides;
            if 0 < k && next != 0 {
                mesh.triangles.extend([[0, k, next], [sides, sides + next, sides + k]]);
            }
            let [above, below] = [2 * sides, 3 * sides];
            mesh.triangles.extend([[below + k, below + next, above + next], [below + k, above + next, above + k]]);
        }
        mesh
    }

    /// Returns the surface with its orientation reversed: the surface of the space inside.
    pub fn inside_out(mut self) -> Self {
        self.normals.iter_mut().for_each(|normal| *normal = -*normal);
        self.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        self
    }

    /// Creates a square of the plane through the origin with half the edge length `extent`, m.
    pub fn patch(normal: DVec3, extent: f64) -> Self {
        let (t, u) = tangent_frame(normal);
        let corner = |a: f64, b: f64| extent * (a * t + b * u);
        Self {
            vertices: vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)],
            normals: vec![normal; 4],
            triangles: vec![[0, 1, 2], [0, 2, 3]],
        }
    }

    /// Creates the flat faces of a polyhedron. Each face has its own vertices, so that edges stay
    /// sharp.
    pub(crate) fn of_faces(solid: &impl Polytope) -> Self {
        let mut mesh = Self::default();
        for face in 0..solid.face_count() {
            let first = mesh.vertices.len() as u32;
            let ring = solid.ring(face);
            mesh.vertices.extend(ring.iter().map(|&corner| solid.corner(corner as usize)));
            mesh.normals.extend(ring.iter().map(|_| solid.plane(face).0));
            mesh.triangles.extend((2..ring.len() as u32).map(|k| [first, first + k - 1, first + k]));
        }
        mesh
    }

    /// Creates the faces of a triangulated surface. Each triangle has its own vertices and its
    /// normal, so that edges stay sharp.
    pub fn of_triangles(surface: &TriangleMesh) -> Self {
        let mut mesh = Self::default();
        for triangle in 0..surface.triangles().len() {
            let Some(normal) = surface.normal(triangle) else { continue };
            let first = mesh.vertices.len() as u32;
            mesh.vertices.extend(surface.corners(triangle));
            mesh.normals.extend([normal; 3]);
            mesh.triangles.push([first, first + 1, first + 2]);
        }
        mesh
    }

    /// Returns the surface in world axes.
    pub fn placed(&self, pose: &Pose) -> Self {
        Self {
            vertices: self.vertices.iter().map(|&vertex| pose.point(vertex)).collect(),
            normals: self.normals.iter().map(|&normal| pose.orientation * normal).collect(),
            triangles: self.triangles.clone(),
        }
    }

    /// Returns the part of the surface inside a box. The cut is left open.
    pub fn clipped(&self, bounds: &Aabb) -> Self {
        let mut clipped = Self::default();
        for triangle in &self.triangles {
            let corner = |k: usize| (self.vertices[triangle[k] as usize], self.normals[triangle[k] as usize]);
            let mut polygon = vec![corner(0), corner(1), corner(2)];
            for axis in 0..3 {
                polygon = cut(&polygon, |point| point[axis] - bounds.min[axis]);
                polygon = cut(&polygon, |point| bounds.max[axis] - point[axis]);
            }
            let first = clipped.vertices.len() as u32;
            let fan = (2..polygon.len() as u32).map(|k| [first, first + k - 1, first + k]);
            clipped.triangles.extend(fan);
            clipped.vertices.extend(polygon.iter().map(|(point, _)| *point));
            clipped.normals.extend(polygon.iter().map(|(_, normal)| *normal));
        }
        clipped
    }

    /// Returns the three corners of a triangle, m.
    pub fn corners(&self, triangle: &[u32; 3]) -> [DVec3; 3] {
        triangle.map(|index| self.vertices[index as usize])
    }

    /// Returns the volume inside a closed surface, m³.
    pub fn volume(&self) -> f64 {
        let six_fold = self.triangles.iter().map(|triangle| {
            let [a, b, c] = self.corners(triangle);
            a.dot(b.cross(c))
        });
        six_fold.sum::<f64>() / 6.0
    }
}

/// Returns normals and points of the outline of a planar body, anticlockwise, at equal angles of
/// the normal. Points are added where a chord is longer than twice the mean, as along a nearly
/// straight side.
fn planar_outline(body: &(impl Convex + ?Sized), even: u32) -> Vec<(DVec3, DVec3)> {
    let at = |angle: f64| {
        let (sin, cos) = libm::sincos(angle);
        let normal = DVec3::new(cos, sin, 0.0);
        (angle, normal, body.support(normal))
    };
    let angles = (0..=even).map(|k| TAU * f64::from(k) / f64::from(even));
    let coarse: Vec<(f64, DVec3, DVec3)> = angles.map(at).collect();
    let length: f64 = coarse.windows(2).map(|ends| ends[0].2.distance(ends[1].2)).sum();
    let longest = 2.0 * length / f64::from(even);
    let mut outline = Vec::with_capacity(2 * even as usize);
    for ends in coarse.windows(2) {
        let mut from = ends[0];
        let mut ahead = vec![ends[1]];
        while let Some(&to) = ahead.last() {
            let middle = at(0.5 * (from.0 + to.0));
            // A straight side has no support point between its ends.
            if from.2.distance(to.2) > longest && middle.2 != from.2 && middle.2 != to.2 && ahead.len() < MOST_HALVINGS
            {
                ahead.push(middle);
            } else {
                outline.push((from.1, from.2));
                from = to;
                ahead.pop();
            }
        }
    }
    outline
}

/// Clips a polygon to the side where `height` is not negative (Sutherland-Hodgman). Each corner is
/// a point and a normal.
fn cut(polygon: &[(DVec3, DVec3)], height: impl Fn(DVec3) -> f64) -> Vec<(DVec3, DVec3)> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (k, &(point, normal)) in polygon.iter().enumerate() {
        let (next, next_normal) = polygon[(k + 1) % polygon.len()];
        let (here, there) = (height(point), height(next));
        if here >= 0.0 {
            kept.push((point, normal));
        }
        if (here >= 0.0) != (there >= 0.0) {
            let part = here / (here - there);
            let between = normal.lerp(next_normal, part).normalize_or(normal);
            kept.push((point.lerp(next, part), between));
        }
    }
    kept
}

/// Directions and triangles of a subdivided icosahedron.
struct Icosphere {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

/// Returns the icosphere whose edges were bisected `level` times. Each level is computed once.
fn icosphere(level: u32) -> &'static Icosphere {
    const LEVELS: usize = FINEST_LEVEL as usize + 1;
    static SPHERES: [OnceLock<Icosphere>; LEVELS] = [const { OnceLock::new() }; LEVELS];
    let level = level.min(FINEST_LEVEL);
    SPHERES[level as usize].get_or_init(|| match level {
        0 => icosahedron(),
        finer => icosphere(finer - 1).halved(),
    })
}

fn icosahedron() -> Icosphere {
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    let vertices = [
        [-1.0, golden, 0.0],
        [1.0, golden, 0.0],
        [-1.0, -golden, 0.0],
        [1.0, -golden, 0.0],
        [0.0, -1.0, golden],
        [0.0, 1.0, golden],
        [0.0, -1.0, -golden],
        [0.0, 1.0, -golden],
        [golden, 0.0, -1.0],
        [golden, 0.0, 1.0],
        [-golden, 0.0, -1.0],
        [-golden, 0.0, 1.0],
    ];
    #[rustfmt::skip]
    let triangles = vec![
        [0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11],
        [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8],
        [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9],
        [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1],
    ];
    Icosphere { vertices: vertices.map(|v| DVec3::from_array(v).normalize()).to_vec(), triangles }
}

impl Icosphere {
    /// Bisects every edge and divides every triangle into four.
    fn halved(&self) -> Self {
        let mut vertices = self.vertices.clone();
        let mut middles = BTreeMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                vertices.push((self.vertices[a as usize] + self.vertices[b as usize]).normalize());
                vertices.len() as u32 - 1
            })
        };
        let mut triangles = Vec::with_capacity(4 * self.triangles.len());
        for &[a, b, c] in &self.triangles {
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            triangles.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        Self { vertices, triangles }
    }
}
