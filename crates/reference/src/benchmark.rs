//! Pairs for `granum bench pairs`: the shapes of its files, and pairs of ellipses whose contact is
//! known by construction.

use std::f64::consts::TAU;

use glam::{DQuat, DVec2, DVec3};
use granum_geometry::contact::planar::Frame;
use granum_geometry::shape::{Box, Convex, Cylinder, Ellipse, Ellipsoid, Polyhedron, Sphere, Superellipsoid};
use granum_geometry::{Pair, Shape};

/// Returns the shape of a file of benchmark pairs by the name of the file. Its size is about 2 m.
pub fn shape_of_file(name: &str) -> Option<Shape> {
    match name {
        "sphere" => Some(Sphere { radius: 1.0 }.into()),
        "ellipsoid" => Some(Ellipsoid { semi_axes: DVec3::new(1.0, 1.5, 1.0) }.into()),
        "cylinder" => Some(Cylinder { radius: 1.0, half_height: 1.5 }.into()),
        "box" => Some(Box { half_sizes: DVec3::new(1.0, 1.5, 0.8) }.into()),
        "dodeca" => Polyhedron::new(dodecahedron(0.7)).ok().map(Shape::from),
        "sq44" => Some(Superellipsoid { semi_axes: DVec3::new(1.0, 1.5, 1.0), eps: [0.5, 0.5] }.into()),
        "sq20_2" => Some(Superellipsoid { semi_axes: DVec3::new(1.0, 1.0, 1.5), eps: [1.0, 0.1] }.into()),
        _ => None,
    }
}

/// Returns the vertices of a regular dodecahedron, m: the eight of a cube with half size `scale`,
/// and twelve more on its planes of symmetry.
fn dodecahedron(scale: f64) -> Vec<DVec3> {
    let golden = (1.0 + 5f64.sqrt()) / 2.0;
    let signs = [-1.0, 1.0];
    let mut vertices = Vec::with_capacity(20);
    for x in signs {
        for y in signs {
            vertices.extend(signs.map(|z| DVec3::new(x, y, z)));
            vertices.push(DVec3::new(0.0, x / golden, y * golden));
            vertices.push(DVec3::new(x / golden, y * golden, 0.0));
            vertices.push(DVec3::new(x * golden, 0.0, y / golden));
        }
    }
    vertices.into_iter().map(|vertex| scale * vertex).collect()
}

/// Two placed planar grains and their contact.
pub struct KnownPair {
    shapes: [Shape; 2],
    orientations: [DQuat; 2],
    offset: DVec3,
    /// Unit normal from a to b.
    pub normal: DVec3,
    /// Signed distance, m.
    pub gap: f64,
}

impl KnownPair {
    /// Returns the pair as input of a pair routine, without a limit of the gap. `warm` is a normal
    /// to start from.
    pub fn pair(&self, warm: Option<DVec3>) -> Pair<'_> {
        Pair {
            a: &self.shapes[0],
            b: &self.shapes[1],
            offset: self.offset,
            orientation_a: self.orientations[0],
            orientation_b: self.orientations[1],
            margin: f64::INFINITY,
            warm,
        }
    }
}

/// Returns `count` pairs of ellipses with the given `gap`, m. The longer semi-axis is 1 m, the
/// shorter one 1 m to `1/aspect` m.
pub fn planar_pairs(count: usize, aspect: f64, gap: f64) -> Vec<KnownPair> {
    // Additive recurrences with irrational rates fill the space of parameters evenly without a
    // random generator.
    let fraction = |k: usize, rate: f64| (k as f64 * rate).fract();
    let pair = |k: usize| {
        let [short_a, short_b] = [0.754_877_666, 0.569_840_291].map(|rate| libm::pow(aspect, -fraction(k, rate)));
        let angles = [0.819_172_513, 0.671_043_607, 0.549_700_478].map(|rate| TAU * fraction(k, rate));
        let ellipses = [short_a, short_b].map(|short| Ellipse { semi_axes: DVec2::new(1.0, short) });
        let orientations = [angles[0], angles[1]].map(DQuat::from_rotation_z);
        let normal = DVec2::from_angle(angles[2]);
        // An ellipse is symmetric about its centre, so the support point of b along -n is minus the
        // one along n.
        let support_points = [0, 1].map(|i| {
            let frame = Frame::of(orientations[i]);
            frame.to_world(ellipses[i].support(frame.to_body(normal).extend(0.0)).truncate())
        });
        KnownPair {
            shapes: ellipses.map(Shape::from),
            orientations,
            offset: (support_points[0] + support_points[1] + gap * normal).extend(0.0),
            normal: normal.extend(0.0),
            gap,
        }
    };
    (1..=count).map(pair).collect()
}
