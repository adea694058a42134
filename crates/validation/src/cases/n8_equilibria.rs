//! Equilibria (N8): every shape, dropped on a floor with drag, must come to rest in a stable pose.
//!
//! A pose is stable if the height of the centre above the floor, the support function downward, has
//! a local minimum. The minimum is found from the final pose by descent on the sphere of directions
//! (or on the circle). The lean is the angle between the final pose and this minimum. It is large
//! for a body that balances on an edge or is still moving.

use std::f64::consts::PI;

use glam::{DQuat, DVec2, DVec3};
use granum_engine::{BodyId, Damping, EndRule, Motion, Simulation, Tangential};
use granum_geometry::shape::{
    Box, Capsule, Cylinder, Ellipse, Ellipsoid, Polygon, Polyhedron, Superellipse, Superellipsoid, TruncatedCone,
    gabion, rock,
};
use granum_geometry::{Pose, Realm, Shape};

use crate::laboratory::{GRAVITY, Laboratory, Random, damped_spring};
use crate::{Case, Report};

/// Equilibria of all shapes.
pub const N8: Case = Case { name: "N8", tier: 1, about: "dropped bodies of every shape end in a stable pose", run };

/// Number of drops of each shape.
const DROPS: usize = 4;

/// Largest lean, rad. Springs of [`STIFFNESS`] let a body of 1 kg sink by 1e-6 m, which may differ
/// from side to side.
const LEAN: f64 = 1e-4;

/// Stiffness of a contact point, N/m.
const STIFFNESS: f64 = 1e7;

/// Decay rate of velocity and spin by the drag, 1/s.
const DRAG: f64 = 4.0;

/// Number of steps between two applications of the drag.
const STROKE: u64 = 100;

/// Kinetic energy at rest, relative to that of a fall by the radius of the body. A body on one
/// point of a nearly flat side, whose height hardly depends on its tilt, oscillates at 1e-11.
const STILL: f64 = 1e-9;

/// Speed, m/s, and spin, rad/s, below which a body counts as being at rest.
const ASLEEP: f64 = 1e-6;

/// Number of consecutive applications of the drag at which the body must be at rest. They last a
/// large fraction of a rocking period, because a rocking body is at rest for an instant at each
/// turning point.
const QUIET: u32 = 50;

/// Longest simulated time of a drop, s.
const TIME: f64 = 12.0;

fn run(report: &mut Report) {
    for (name, shape) in shapes() {
        let mut random = Random::new(8);
        let ends: Vec<End> = (0..DROPS).map(|_| drop_one(&shape, &mut random)).collect();
        let worst = |of: fn(&End) -> f64| ends.iter().map(of).fold(0.0, f64::max);
        report.at_most(format!("{name}: angle to a stable pose, rad"), worst(|end| end.lean), LEAN);
        report.at_most(format!("{name}: kinetic energy at the end, m g R"), worst(|end| end.energy), STILL);
    }
}

/// The final state of a dropped body.
struct End {
    /// Angle between its pose and the nearest stable one, rad.
    lean: f64,
    /// Kinetic energy, relative to that of a fall by its radius.
    energy: f64,
}

/// Returns bodies with a size of about 0.1 m, at least one of each kind.
fn shapes() -> Vec<(&'static str, Shape)> {
    let polyhedron = |vertices| Polyhedron::new(vertices).expect("a solid").into();
    let superellipsoid = |eps| Superellipsoid { semi_axes: DVec3::new(0.12, 0.1, 0.08), eps }.into();
    let triangle = [(-0.1, -0.06), (0.12, -0.05), (0.0, 0.1)].map(|(x, y)| DVec2::new(x, y));
    let tetrahedron =
        [DVec3::ONE, DVec3::new(1.0, -1.0, -1.0), DVec3::new(-1.0, 1.0, -1.0), DVec3::NEG_ONE.with_z(1.0)];
    vec![
        ("ellipsoid", Ellipsoid { semi_axes: DVec3::new(0.12, 0.1, 0.07) }.into()),
        ("egg", Ellipsoid { semi_axes: DVec3::new(0.08, 0.08, 0.13) }.into()),
        ("boxy superellipsoid", superellipsoid([0.3, 0.3])),
        ("drum-like superellipsoid", superellipsoid([1.0, 0.3])),
        ("octahedral superellipsoid", superellipsoid([1.5, 1.5])),
        ("cylinder", Cylinder { radius: 0.1, half_height: 0.08 }.into()),
        ("capsule", Capsule { radius: 0.06, half_height: 0.08 }.into()),
        ("truncated cone", TruncatedCone { radii: [0.12, 0.06], half_height: 0.08 }.into()),
        ("cone", TruncatedCone { radii: [0.1, 0.0], half_height: 0.1 }.into()),
        ("box", Box { half_sizes: DVec3::new(0.12, 0.1, 0.07) }.into()),
        ("tetrahedron", polyhedron(tetrahedron.map(|corner| 0.07 * corner).to_vec())),
        ("gabion stone", polyhedron(gabion([0.2, 0.16, 0.14, 0.06]).expect("a stone"))),
        ("rock", polyhedron(rock([0.24, 0.2, 0.14], 30.0, 3.0).expect("a rock"))),
        ("ellipse", Ellipse { semi_axes: DVec2::new(0.12, 0.08) }.into()),
        ("superellipse", Superellipse { semi_axes: DVec2::new(0.12, 0.08), n: 5.0 }.into()),
        ("triangle", Polygon::new(triangle.to_vec()).expect("a polygon").into()),
    ]
}

/// Drops a body with a random orientation.
fn drop_one(shape: &Shape, random: &mut Random) -> End {
    let planar = shape.as_convex().realm() == Realm::Plane;
    let up = if planar { DVec3::Y } else { DVec3::Z };
    let law = damped_spring(STIFFNESS, Damping::Restitution(0.3), EndRule::NoTension);
    let mut lab = if planar { Laboratory::planar(law) } else { Laboratory::new(law) };
    lab.world.set_gravity(GRAVITY * -up).expect("a valid value");
    lab.change_law(|law| law.tangential = Tangential::Linear { friction: 0.4, ratio: 2.0 / 7.0, zeta: 0.3 });
    let number = lab.world.add_shape(shape.clone()).expect("a valid shape");
    let mass = shape.as_convex().mass_properties();
    let moments = mass.principal_moments().expect("body axes are principal") / mass.volume;
    let mut spec = lab.of_shape(number, 1.0, moments);
    let turn = PI * random.vector();
    spec.pose = Pose {
        position: 1.5 * shape.as_convex().bounding_radius() * up,
        orientation: DQuat::from_scaled_axis(if planar { turn.z * DVec3::Z } else { turn }),
    };
    let body = lab.add(spec);
    lab.wall(up, DVec3::ZERO, Motion::Fixed);
    let time_step = PI / STIFFNESS.sqrt() / 50.0;
    let mut simulation = lab.start(time_step);
    settle(&mut simulation, body);
    let down = simulation.world().orientation(body).inverse() * -up;
    let lowest = lowest_near(shape, down);
    // The pose of a body of revolution is arbitrary about its axis, and the descent may rotate
    // about it.
    let lowest = if is_round(shape) {
        (down.truncate().normalize_or_zero() * lowest.truncate().length()).extend(lowest.z)
    } else {
        lowest
    };
    // The chord is accurate for small angles, unlike the cosine.
    let lean = (down - lowest).length();
    let world = simulation.world();
    let twist = world.twist(body);
    let kinetic = 0.5 * (twist.velocity.length_squared() + twist.spin.dot(world.angular_momentum(body)));
    End { lean, energy: kinetic / (GRAVITY * shape.as_convex().bounding_radius()) }
}

/// Simulates a body under the drag until it rests, for at most [`TIME`].
fn settle(simulation: &mut Simulation, body: BodyId) {
    let dt = simulation.world().time_step();
    let left = (-DRAG * STROKE as f64 * dt).exp();
    let mut quiet = 0;
    while simulation.world().time() < TIME && quiet < QUIET {
        simulation.run(STROKE);
        let twist = simulation.world().twist(body);
        let touches = simulation.world().contacts().next().is_some();
        let is_quiet = touches && twist.velocity.length() < ASLEEP && twist.spin.length() < ASLEEP;
        quiet = if is_quiet { quiet + 1 } else { 0 };
        simulation.world_mut().scale_velocities(left).expect("a finite factor");
    }
}

/// Returns whether a body is symmetric about its z axis, by its support function.
fn is_round(shape: &Shape) -> bool {
    let height = |d: DVec3| d.dot(shape.as_convex().support(d));
    [0.3, 0.9, 2.0].into_iter().all(|polar: f64| {
        let at = |azimuth: f64| DVec3::new(polar.sin() * azimuth.cos(), polar.sin() * azimuth.sin(), polar.cos());
        let first = height(at(0.0));
        [0.5, 1.0, 2.2].into_iter().all(|azimuth| (height(at(azimuth)) - first).abs() < 1e-12)
    })
}

/// Returns the stable downward direction, in body axes, that descent from `down` finds.
fn lowest_near(shape: &Shape, down: DVec3) -> DVec3 {
    // Small steps, of the order of the compliance of the springs, follow the steepest descent and
    // do not drift along a valley. They end at the square root of machine epsilon.
    const FIRST: f64 = 1e-7;
    const LAST: f64 = 1e-9;
    const LARGEST: f64 = 1e-6;
    let body = shape.as_convex();
    let height = |d: DVec3| d.dot(body.support(d));
    // In the valley of a body that can roll, rounding errors must not cause a drift.
    let rounding = 1e-15 * body.bounding_radius();
    let (mut lowest, mut least, mut step) = (down, height(down), FIRST);
    while step > LAST {
        let here = lowest;
        let (t, u) = match body.realm() {
            Realm::Plane => (DVec3::Z.cross(here), DVec3::ZERO),
            Realm::Space | Realm::Both => here.any_orthonormal_pair(),
        };
        for k in 0..16 {
            let (sine, cosine) = (f64::from(k) * PI / 8.0).sin_cos();
            let next = (here + step * (cosine * t + sine * u)).normalize();
            if height(next) < least - rounding {
                (lowest, least) = (next, height(next));
            }
        }
        step = if lowest == here { 0.5 * step } else { (2.0 * step).min(LARGEST) };
    }
    lowest
}
