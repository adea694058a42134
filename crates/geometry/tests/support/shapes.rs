//! Random shapes of every kind, and the pairs of kinds that can occur in one world.

use glam::{DQuat, DVec2, DVec3};
use granum_geometry::shape::{
    Box, Capsule, Cylinder, Disc, Ellipse, Ellipsoid, HalfSpace, InsideCircle, InsideCylinder, InsideEllipsoid,
    InsideSphere, Polygon, Segment, Sphere, Superellipse, Superellipsoid, Surface, Tablet, TruncatedCone,
};
use granum_geometry::surface::TriangleMesh;
use granum_geometry::{Kind, Pair, Pose, Realm, Shape};

use super::Rng;
use super::polytopes::random_rock;

/// Two shapes with their poses. Each test creates them by its own method.
pub struct Case {
    pub a: Shape,
    pub b: Shape,
    pub pose_a: Pose,
    pub pose_b: Pose,
}

impl Case {
    pub fn pair(&self) -> Pair<'_> {
        Pair::new(&self.a, &self.pose_a, &self.b, &self.pose_b)
    }
}

fn semi_axes(rng: &mut Rng) -> DVec3 {
    DVec3::new(rng.range(0.3, 1.0), rng.range(0.3, 1.0), rng.range(0.3, 1.0))
}

/// Returns the hull of 3 to 9 points of the plane, about 1 m large.
pub fn random_polygon(rng: &mut Rng) -> Shape {
    let count = 3 + rng.index(7);
    loop {
        let vertices = (0..count).map(|_| rng.in_ball().truncate()).collect();
        if let Ok(polygon) = Polygon::new(vertices) {
            return polygon.into();
        }
    }
}

/// Returns a random shape of a kind, about 1 m large. A new shape adds its line here and is then
/// tested with all others.
pub fn random_shape(kind: Kind, planar: bool, rng: &mut Rng) -> Shape {
    let in_plane = |rng: &mut Rng| DVec2::new(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0));
    let axes = |rng: &mut Rng| DVec2::new(rng.range(0.3, 1.0), rng.range(0.3, 1.0));
    match kind {
        Kind::HalfSpace if planar => HalfSpace::new(in_plane(rng).extend(0.0)).into(),
        Kind::HalfSpace => HalfSpace::new(rng.direction()).into(),
        Kind::InsideSphere => InsideSphere { radius: rng.range(2.0, 6.0) }.into(),
        Kind::InsideEllipsoid => InsideEllipsoid { semi_axes: 5.0 * semi_axes(rng) }.into(),
        Kind::InsideCylinder => InsideCylinder { radius: rng.range(2.0, 6.0), half_height: rng.range(2.0, 6.0) }.into(),
        Kind::Surface => {
            let corners = (0..4).map(|_| 3.0 * rng.in_cube()).collect();
            let triangles = vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];
            let mesh = TriangleMesh::new(corners, triangles).expect("a tetrahedron");
            Surface::new(mesh, true).expect("a surface").into()
        }
        Kind::Sphere => Sphere { radius: rng.range(0.3, 1.0) }.into(),
        Kind::Ellipsoid => Ellipsoid { semi_axes: semi_axes(rng) }.into(),
        Kind::Superellipsoid => {
            // The general routine is the oracle. It has no second derivatives and needs rounder
            // bodies than the tests in `smooth.rs`.
            Superellipsoid { semi_axes: semi_axes(rng), eps: [rng.range(0.7, 1.3), rng.range(0.7, 1.3)] }.into()
        }
        Kind::Box => Box { half_sizes: semi_axes(rng) }.into(),
        Kind::Polyhedron => {
            let count = 8 + rng.index(20);
            random_rock(rng, count)
        }
        Kind::Cylinder => Cylinder { radius: rng.range(0.3, 1.0), half_height: rng.range(0.3, 1.0) }.into(),
        Kind::Capsule => Capsule { radius: rng.range(0.3, 1.0), half_height: rng.range(0.3, 1.0) }.into(),
        Kind::TruncatedCone => {
            TruncatedCone { radii: [rng.range(0.3, 1.0), rng.range(0.0, 1.0)], half_height: rng.range(0.3, 1.0) }.into()
        }
        Kind::Tablet => {
            let radius = rng.range(0.3, 1.0);
            let half_height = if rng.unit() < 0.2 { 0.0 } else { rng.range(0.05, 0.6) };
            Tablet { radius, half_height, cap_height: radius * rng.range(0.1, 1.0) }.into()
        }
        Kind::InsideCircle => InsideCircle { radius: rng.range(1.0, 5.0) }.into(),
        Kind::Segment => Segment { from: in_plane(rng), to: in_plane(rng), radius: rng.range(0.1, 0.3) }.into(),
        Kind::Disc => Disc { radius: rng.range(0.3, 1.0) }.into(),
        Kind::Ellipse => Ellipse { semi_axes: axes(rng) }.into(),
        Kind::Polygon => random_polygon(rng),
        Kind::Superellipse => Superellipse { semi_axes: axes(rng), n: rng.range(1.5, 3.0) }.into(),
        Kind::UserDefined => panic!("a user-defined shape has its own test"),
    }
}

/// Returns whether a kind of shape is planar.
pub fn is_planar(kind: Kind) -> bool {
    random_shape(kind, false, &mut Rng::new(1)).as_convex().realm() == Realm::Plane
}

/// Returns whether shapes of two kinds can occur in one world and are convex, or the outside of a
/// convex body. A triangulated surface is neither; the tests named `surface` compare it.
pub fn can_meet(a: Kind, b: Kind) -> bool {
    if [a, b].contains(&Kind::Surface) {
        return false;
    }
    let spatial = |kind: Kind| !is_planar(kind) && kind != Kind::HalfSpace;
    !(is_planar(a) && spatial(b) || spatial(a) && is_planar(b))
}

pub fn bounded(shape: &Shape) -> bool {
    shape.as_convex().bounding_radius().is_finite()
}

/// Returns a random vector in the unit ball, or in the unit disc of the plane.
pub fn vector(planar: bool, rng: &mut Rng) -> DVec3 {
    let v = rng.in_ball();
    if planar { v.with_z(0.0) } else { v }
}

pub fn rotation(planar: bool, rng: &mut Rng) -> DQuat {
    if planar { DQuat::from_rotation_z(rng.range(-3.0, 3.0)) } else { rng.rotation() }
}
