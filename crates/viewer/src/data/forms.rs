//! The forms in which the page draws shapes: formulas with a few parameters, or meshes.

use std::collections::HashMap;

use glam::{DVec2, DVec3};
use granum_geometry::shape::{InsideCircle, Realm, Superellipse, Tablet, TruncatedCone};
use granum_geometry::{Kind, Mesh, Shape};

use super::message::Message;

/// How the page draws a shape. The numbers are those of `page/forms.js`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Form {
    /// Superquadric: semi-axes and the two exponents of the dual norm.
    Superquadric,
    /// Superelliptic prism or frustum: semi-axes and half height; exponent of the dual norm, and the
    /// ratio of the upper to the lower face. A negative ratio turns the body upside down.
    Prism,
    /// Tablet: radius, half height of the band, height of a cap. A capsule is a tablet whose caps
    /// are half balls.
    Tablet,
    /// Triangles, scaled.
    Mesh,
    /// Half-space: its normal.
    Plane,
    /// Triangles of a wall, which is glass from behind.
    Wall,
}

/// Half the thickness of a planar grain, relative to its largest extent from the middle, as in
/// `granum render`.
const PLATE: f64 = 0.02;

/// Width of the line of a planar container, relative to its radius.
const LINE: f64 = 0.02;

/// Level of detail of meshes of curved shapes without a formula: 1,280 triangles.
const LEVEL: u32 = 3;

/// Level of detail of curved containers: 5,120 triangles.
const CONTAINER_LEVEL: u32 = 4;

/// Relative resolution at which two meshes count as equal up to their size.
const SAME: f64 = 1e-6;

/// Largest component of a normal in a message.
const UNIT: f64 = 127.0;

/// A shape with its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Drawn {
    form: Form,
    size: DVec3,
    powers: [f64; 2],
    mesh: u32,
    /// Vertical shift of the middle of the form from the origin of the body axes.
    shift: f64,
}

/// Meshes that differ in shape and not only in size.
#[derive(Default)]
struct Meshes {
    /// Index of a mesh by its rounded vertices.
    known: HashMap<Vec<i32>, u32>,
    /// First vertex and number of vertices of each mesh.
    spans: Vec<[u32; 2]>,
    vertices: Vec<DVec3>,
    normals: Vec<DVec3>,
}

impl Meshes {
    /// Adds the triangles of a mesh, divided by `scale`, and returns its index.
    fn add(&mut self, mesh: &Mesh, scale: f64) -> u32 {
        let rounded = |vertex: &DVec3| (*vertex / (SAME * scale)).to_array().map(|x| x.round() as i32);
        let mut key: Vec<i32> = mesh.vertices.iter().flat_map(rounded).collect();
        key.extend(mesh.triangles.iter().flatten().map(|&index| index as i32));
        if let Some(&index) = self.known.get(&key) {
            return index;
        }
        let index = self.push(mesh, scale);
        self.known.insert(key, index);
        index
    }

    /// Adds a mesh that no other shape shares.
    fn push(&mut self, mesh: &Mesh, scale: f64) -> u32 {
        let index = self.spans.len() as u32;
        let corners = mesh.triangles.iter().flatten().map(|&index| index as usize);
        self.spans.push([self.vertices.len() as u32, 3 * mesh.triangles.len() as u32]);
        self.vertices.extend(corners.clone().map(|corner| mesh.vertices[corner] / scale));
        self.normals.extend(corners.map(|corner| mesh.normals[corner]));
        index
    }
}

/// Returns the exponent of the norm that is dual to the norm of a superquadric with `eps`: the
/// support point is its gradient.
fn dual_exponent(eps: f64) -> f64 {
    2.0 / (2.0 - eps)
}

fn drawn(shape: &Shape, meshes: &mut Meshes) -> Drawn {
    let formula = |form, size, powers| Drawn { form, size, powers, mesh: 0, shift: 0.0 };
    let superquadric = |size, eps: [f64; 2]| formula(Form::Superquadric, size, eps.map(dual_exponent));
    let plate = |axes: DVec2, n: f64| {
        let shape = Superellipse { semi_axes: axes, n };
        let extent = Shape::from(shape).as_convex().bounding_radius();
        formula(Form::Prism, axes.extend(PLATE * extent), [n / (n - 1.0), 1.0])
    };
    match shape {
        Shape::Sphere(ball) => superquadric(DVec3::splat(ball.radius), [1.0; 2]),
        Shape::Ellipsoid(egg) => superquadric(egg.semi_axes, [1.0; 2]),
        Shape::Superellipsoid(body) => superquadric(body.semi_axes, body.eps),
        Shape::Cylinder(body) => {
            formula(Form::Prism, DVec3::new(body.radius, body.radius, body.half_height), [2.0, 1.0])
        }
        Shape::TruncatedCone(cone) => frustum(cone),
        Shape::Capsule(body) => formula(Form::Tablet, DVec3::new(body.radius, body.half_height, body.radius), [0.0; 2]),
        Shape::Tablet(Tablet { radius, half_height, cap_height }) => {
            formula(Form::Tablet, DVec3::new(*radius, *half_height, *cap_height), [0.0; 2])
        }
        Shape::Disc(disc) => plate(DVec2::splat(disc.radius), 2.0),
        Shape::Ellipse(ellipse) => plate(ellipse.semi_axes, 2.0),
        Shape::Superellipse(body) => plate(body.semi_axes, body.n),
        Shape::HalfSpace(wall) => formula(Form::Plane, wall.normal(), [0.0; 2]),
        Shape::InsideCircle(InsideCircle { radius }) => {
            let mesh = meshes.push(&ring(*radius), 1.0);
            Drawn { form: Form::Mesh, size: DVec3::ONE, powers: [0.0; 2], mesh, shift: 0.0 }
        }
        _ if is_wall(shape) => {
            let mesh = meshes.push(&shape.as_convex().surface(CONTAINER_LEVEL, 0.0), 1.0);
            Drawn { form: Form::Wall, size: DVec3::ONE, powers: [0.0; 2], mesh, shift: 0.0 }
        }
        Shape::Box(body) => {
            let unit = granum_geometry::shape::Box { half_sizes: DVec3::ONE };
            let mesh = meshes.add(&Shape::from(unit).as_convex().surface(LEVEL, 0.0), 1.0);
            Drawn { form: Form::Mesh, size: body.half_sizes, powers: [0.0; 2], mesh, shift: 0.0 }
        }
        _ => {
            let scale = shape.as_convex().drawn_radius();
            let mesh = meshes.add(&shape.as_convex().surface(LEVEL, scale), scale);
            Drawn { form: Form::Mesh, size: DVec3::splat(scale), powers: [0.0; 2], mesh, shift: 0.0 }
        }
    }
}

/// Returns a truncated cone with its larger face below, upside down if need be.
fn frustum(cone: &TruncatedCone) -> Drawn {
    let [low, high] = cone.radii;
    let below = -Shape::from(*cone).as_convex().support(DVec3::NEG_Z).z;
    let (radius, ratio) = if low >= high { (low, high / low) } else { (high, -low / high) };
    // A cone upside down with a tip needs a ratio that is negative.
    let ratio = if low < high { ratio.min(-f64::from(f32::MIN_POSITIVE)) } else { ratio };
    Drawn {
        form: Form::Prism,
        size: DVec3::new(radius, radius, cone.half_height),
        powers: [2.0, ratio],
        mesh: 0,
        shift: cone.half_height - below,
    }
}

/// Returns whether a shape is a wall with a surface of triangles.
fn is_wall(shape: &Shape) -> bool {
    let is_container = matches!(shape.kind(), Kind::InsideSphere | Kind::InsideEllipsoid | Kind::InsideCylinder);
    is_container || shape.kind() == Kind::Surface
}

/// Returns a planar container as a line of some width.
fn ring(radius: f64) -> Mesh {
    const CORNERS: u32 = 192;
    let mut mesh = Mesh::default();
    for k in 0..CORNERS {
        let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / f64::from(CORNERS)).sin_cos();
        mesh.vertices.extend([radius, (1.0 + LINE) * radius].map(|r| DVec3::new(r * cos, r * sin, 0.0)));
        mesh.normals.extend([DVec3::Z; 2]);
        let [a, b] = [2 * k, 2 * ((k + 1) % CORNERS)];
        mesh.triangles.extend([[a, a + 1, b + 1], [a, b + 1, b]]);
    }
    mesh
}

/// Returns whether a scene with these shapes is planar.
pub fn is_planar(shapes: &[Shape]) -> bool {
    shapes.iter().any(|shape| shape.as_convex().realm() == Realm::Plane)
}

/// Returns the shapes as the page draws them.
pub fn message(shapes: &[Shape]) -> Vec<u8> {
    let mut meshes = Meshes::default();
    let all: Vec<Drawn> = shapes.iter().map(|shape| drawn(shape, &mut meshes)).collect();
    let mut message = Message::default();
    message.set("count", shapes.len());
    message.set("planar", is_planar(shapes));
    let two_sided = shapes.iter().map(|shape| matches!(shape, Shape::Surface(surface) if surface.is_two_sided()));
    message.array("two_sided", two_sided.map(u8::from));
    message.array("form", all.iter().map(|drawn| drawn.form as u8));
    message.array("kind", shapes.iter().map(|shape| shape.kind() as u8));
    message.array("size", all.iter().flat_map(|drawn| drawn.size.as_vec3().to_array()));
    message.array("power", all.iter().flat_map(|drawn| drawn.powers.map(|power| power as f32)));
    message.array("shift", all.iter().map(|drawn| drawn.shift as f32));
    message.array("mesh", all.iter().map(|drawn| drawn.mesh));
    message.array("radius", shapes.iter().map(|shape| shape.as_convex().drawn_radius() as f32));
    message.array("bound", shapes.iter().map(|shape| shape.as_convex().bounding_radius() as f32));
    message.array("span", meshes.spans.iter().flatten().copied());
    message.array("vertex", meshes.vertices.iter().flat_map(|vertex| vertex.as_vec3().to_array()));
    let rounded = |normal: &DVec3| (UNIT * *normal).to_array().map(|x| x.round() as i8);
    message.array("normal", meshes.normals.iter().flat_map(rounded));
    message.finish()
}

#[cfg(test)]
mod tests {
    use granum_geometry::shape::{Polyhedron, Sphere, rock};

    use super::*;

    #[test]
    fn rocks_that_differ_only_in_size_share_a_mesh() {
        let stone = |scale: f64, seed: f64| -> Shape {
            let vertices = rock([0.3 * scale, 0.2 * scale, 0.1 * scale], 20.0, seed).expect("a rock");
            Polyhedron::new(vertices).expect("a solid").into()
        };
        let mut meshes = Meshes::default();
        let found = [stone(1.0, 1.0), stone(2.5, 1.0), stone(1.0, 2.0)].map(|shape| drawn(&shape, &mut meshes));
        assert_eq!(found.map(|drawn| drawn.mesh), [0, 0, 1]);
        assert!((found[1].size.x / found[0].size.x - 2.5).abs() < 1e-12);
    }

    #[test]
    fn a_frustum_has_its_faces_where_the_shape_has_them() {
        for radii in [[0.2, 0.1], [0.1, 0.2], [0.0, 0.3], [0.3, 0.0]] {
            let cone = TruncatedCone { radii, half_height: 0.25 };
            let drawn = frustum(&cone);
            let top = Shape::from(cone).as_convex().support(DVec3::Z).z;
            assert!((drawn.shift + drawn.size.z - top).abs() < 1e-15);
            assert_eq!(drawn.powers[1] < 0.0, radii[0] < radii[1]);
        }
    }

    #[test]
    fn a_ball_has_the_exponents_of_the_euclidean_norm() {
        let ball = drawn(&Sphere { radius: 2.0 }.into(), &mut Meshes::default());
        assert_eq!((ball.form, ball.powers), (Form::Superquadric, [2.0; 2]));
    }
}
