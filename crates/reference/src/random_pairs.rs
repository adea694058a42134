//! Random pairs: superellipsoids whose contact is known by construction, as in [Wellmann2008, section
//! "Validation"], and overlapping cylinders.

use glam::{DQuat, DVec3};
use granum_geometry::random::Random;
use granum_geometry::shape::{Cylinder, Superellipsoid};
use granum_geometry::{Pair, Pose, Shape};

/// Bounds of the semi-axes \[Wellmann2008\], m.
const SEMI_AXES: [f64; 2] = [0.5, 3.0];

/// Largest gap of the separated pairs \[Wellmann2008\], m.
pub const LARGEST_GAP: f64 = 0.25;

/// Largest depth of the overlapping pairs \[Wellmann2008\], m.
pub const LARGEST_DEPTH: f64 = 1.75e-3;

/// The intervals of the exponents [Wellmann2008, table I].
pub const INTERVALS: [[f64; 2]; 3] = [[1.0, 1.0], [0.7, 1.3], [0.3, 1.7]];

/// Two superellipsoids with the surface points of opposite normals at a chosen distance.
pub struct RandomPair {
    a: Shape,
    b: Shape,
    pose_b: Pose,
    /// Unit normal from a to b by construction. The bodies may have another common normal with a
    /// smaller depth.
    pub normal: DVec3,
    /// Point on the surface of a, m.
    pub on_a: DVec3,
}

impl RandomPair {
    /// Draws two bodies with exponents in `eps` at the distance `gap`, m, along a random normal.
    pub fn new(random: &mut Random, eps: [f64; 2], gap: f64) -> Self {
        let (a, b) = (body(random, eps), body(random, eps));
        let (normal, orientation) = (random.direction(), random.rotation());
        let on_a = a.as_convex().support(normal);
        let on_b = orientation * b.as_convex().support(orientation.inverse() * -normal);
        Self { a, b, pose_b: Pose { position: on_a + gap * normal - on_b, orientation }, normal, on_a }
    }

    /// Returns the pair as input of a pair routine, which may stop at gaps above `margin`, m.
    pub fn pair(&self, margin: f64) -> Pair<'_> {
        Pair { margin, ..Pair::new(&self.a, &Pose::IDENTITY, &self.b, &self.pose_b) }
    }
}

fn body(random: &mut Random, eps: [f64; 2]) -> Shape {
    let mut semi_axis = || random.range(SEMI_AXES[0], SEMI_AXES[1]);
    let semi_axes = DVec3::new(semi_axis(), semi_axis(), semi_axis());
    Superellipsoid { semi_axes, eps: [random.range(eps[0], eps[1]), random.range(eps[0], eps[1])] }.into()
}

/// Draws two cylinders of height to diameter 0.025 to 50 that overlap by 1e-3 to 0.5 of the smallest
/// size.
pub fn random_cylinders(random: &mut Random) -> (Shape, Pose, Shape, Pose) {
    let cylinder = |random: &mut Random| {
        let aspect = random.log_range(0.025, 50.0);
        let radius = random.range(0.3, 1.0) / aspect.max(1.0);
        Cylinder { radius, half_height: radius * aspect }
    };
    let bodies = [cylinder(random), cylinder(random)];
    let smallest = bodies.map(|body| body.radius.min(body.half_height));
    let [a, b] = bodies.map(Shape::from);
    let (turn_a, turn_b) = (random.rotation(), random.rotation());
    let n = random.direction();
    let support = |shape: &Shape, turn: DQuat, n: DVec3| turn * shape.as_convex().support(turn.inverse() * n);
    let depth = smallest[0].min(smallest[1]) * random.log_range(1e-3, 0.5);
    let position = support(&a, turn_a, n) - support(&b, turn_b, -n) - depth * n;
    let pose = |position: DVec3, orientation: DQuat| Pose { position, orientation };
    (a, pose(DVec3::ZERO, turn_a), b, pose(position, turn_b))
}
