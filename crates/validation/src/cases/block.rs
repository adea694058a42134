//! One block of 1 kg on a plane: sliding and toppling (P8), a rod that slides on its end (P9),
//! rocking (N5).

use glam::{DQuat, DVec3};
use granum_engine::{BodyId, ContactLaw, Damping, EndRule, Simulation, Tangential};
use granum_geometry::shape::Box;

use crate::ground::Ground;
use crate::laboratory::{GRAVITY, Laboratory, damped_spring};
use crate::{Case, Report};

/// Sliding and toppling.
pub const P8: Case =
    Case { name: "P8", tier: 1, about: "a block on a slope: rest, sliding, stopping, toppling", run: p8 };
/// The same on triangles.
pub const P8_TRIANGLES: Case =
    Case { name: "P8-triangles", tier: 1, about: "P8 on 1,000 random triangles", run: p8_on_triangles };
/// Painlevé's rod.
pub const P9: Case = Case { name: "P9", tier: 1, about: "a sliding rod below Painlevé's friction", run: p9 };
/// The rocking block.
pub const N5: Case = Case { name: "N5", tier: 1, about: "a rocking block: period and loss", run: n5 };
/// The same on triangles.
pub const N5_TRIANGLES: Case =
    Case { name: "N5-triangles", tier: 1, about: "N5 on 1,000 random triangles", run: n5_on_triangles };

/// Side of the triangulated ground, m: the blocks move over many triangles, and not to its end.
const SIDE: f64 = 4.0;

/// Mass of the block, kg.
const MASS: f64 = 1.0;

/// A block on a floor, with gravity in any direction and springs of `stiffness` (N/m) at its
/// corners.
struct OnFloor {
    simulation: Simulation,
    block: BodyId,
}

impl OnFloor {
    /// Creates the block. `height` is that of its centre; it is rotated about y by `tilt`.
    fn new(
        ground: Ground,
        half: DVec3,
        [height, tilt]: [f64; 2],
        velocity: DVec3,
        gravity: DVec3,
        law: ContactLaw,
        step: f64,
    ) -> Self {
        let mut lab = Laboratory::new(law);
        lab.world.set_gravity(gravity).expect("a valid value");
        lab.ground(ground);
        let shape = lab.world.add_shape(Box { half_sizes: half }).expect("a valid block");
        let squares = half * half;
        let moments = MASS / 3.0 * (DVec3::splat(squares.element_sum()) - squares);
        let mut block = lab.of_shape(shape, MASS, moments);
        block.pose.position = DVec3::Z * height;
        block.pose.orientation = DQuat::from_rotation_y(tilt);
        block.velocity = velocity;
        let block = lab.add(block);
        Self { simulation: lab.start(step), block }
    }

    fn velocity(&self) -> DVec3 {
        self.simulation.world().twist(self.block).velocity
    }

    fn position(&self) -> DVec3 {
        self.simulation.world().position(self.block)
    }

    /// Rotation about y, rad.
    fn tilt(&self) -> f64 {
        let orientation = self.simulation.world().orientation(self.block);
        2.0 * orientation.y.atan2(orientation.w)
    }

    fn time(&self) -> f64 {
        self.simulation.world().time()
    }
}

/// Returns a law with dry friction and damped springs.
fn rough(stiffness: f64, friction: f64, damping: f64) -> ContactLaw {
    let tangential = Tangential::Linear { friction, ratio: 2.0 / 7.0, zeta: damping };
    ContactLaw { tangential, ..damped_spring(stiffness, Damping::Ratio(damping), EndRule::NoTension) }
}

/// Returns the time step: a fiftieth of half a period of the block on its four corners, s.
fn step(stiffness: f64) -> f64 {
    std::f64::consts::PI * (MASS / (4.0 * stiffness)).sqrt() / 50.0
}

/// Returns gravity on a floor that is inclined by an angle. The x axis points down the slope.
fn inclined(angle: f64) -> DVec3 {
    GRAVITY * DVec3::new(angle.sin(), 0.0, -angle.cos())
}

fn p8(report: &mut Report) {
    p8_on(Ground::HalfSpace, report);
}

fn p8_on_triangles(report: &mut Report) {
    p8_on(Ground::Triangles(SIDE), report);
}

fn p8_on(ground: Ground, report: &mut Report) {
    /// Largest relative error of an acceleration, a distance or a time.
    const LIMIT: f64 = 1e-3;
    /// Stiffness, N/m. A corner that carries the block sinks by 2.5e-6 m.
    const STIFFNESS: f64 = 1e6;
    let half = DVec3::new(0.1, 0.08, 0.05);
    let laid = |gravity: DVec3, velocity: DVec3, friction: f64| {
        let height = half.z + gravity.z * MASS / (4.0 * STIFFNESS);
        OnFloor::new(ground, half, [height, 0.0], velocity, gravity, rough(STIFFNESS, friction, 0.3), step(STIFFNESS))
    };
    let angle = 20f64.to_radians();
    // The block rests: its friction exceeds the slope.
    let mut block = laid(inclined(angle), DVec3::ZERO, 1.05 * angle.tan());
    block.simulation.run((0.5 / step(STIFFNESS)) as u64);
    let before = block.position();
    block.simulation.run((0.5 / step(STIFFNESS)) as u64);
    report.at_most("slope, friction above tan: displacement in 0.5 s, m", (block.position() - before).length(), 1e-9);
    // The block slides: its friction is half the slope.
    let friction = 0.5 * angle.tan();
    let mut block = laid(inclined(angle), DVec3::ZERO, friction);
    block.simulation.run((0.1 / step(STIFFNESS)) as u64);
    let (speed, start) = (block.velocity().x, block.time());
    block.simulation.run((0.2 / step(STIFFNESS)) as u64);
    let acceleration = (block.velocity().x - speed) / (block.time() - start);
    let exact = GRAVITY * (angle.sin() - friction * angle.cos());
    report.relative("slope, half that friction: acceleration, m/s2", exact, acceleration, LIMIT);
    // The block slides on the level until it stops.
    let friction = 0.3;
    let mut block = laid(inclined(0.0), DVec3::X, friction);
    let mut before = block.velocity().x;
    while block.velocity().x > 0.0 && block.time() < 1.0 {
        before = block.velocity().x;
        block.simulation.run(1);
    }
    let now = block.velocity().x;
    let stopped = block.time() - step(STIFFNESS) * now / (now - before);
    report.relative("level: stopping distance, m", 0.5 / (friction * GRAVITY), block.position().x, LIMIT);
    report.relative("level: time until it stops, s", 1.0 / (friction * GRAVITY), stopped, LIMIT);
    topple(ground, report);
}

/// Finds the slope at which a tall block topples. There its centre is vertically above its lower
/// edge.
fn topple(ground: Ground, report: &mut Report) {
    /// Stiffness, N/m. The friction springs start unloaded, and the resulting oscillation topples
    /// the block slightly early: by 6e-3 of the slope at 1e6 N/m, decreasing with the square root
    /// of the stiffness.
    const STIFFNESS: f64 = 2e7;
    /// Tilt beyond which the block cannot return, rad.
    const LOST: f64 = 0.05;
    let half = DVec3::new(0.1, 0.1, 0.2);
    let ratio = half.x / half.z;
    let falls = |slope: f64| {
        let gravity = inclined(slope.atan());
        let height = half.z + gravity.z * MASS / (4.0 * STIFFNESS);
        let law = rough(STIFFNESS, 1.5 * ratio, 0.5);
        // Overlap of the corners at rest.
        let lean = MASS * gravity.x * half.z / (4.0 * STIFFNESS * half.x * half.x);
        let mut block = OnFloor::new(ground, half, [height, lean], DVec3::ZERO, gravity, law, step(STIFFNESS));
        while block.time() < 2.0 && block.tilt() < LOST {
            block.simulation.run(100);
        }
        block.tilt() >= LOST
    };
    let (mut low, mut high) = (0.95 * ratio, 1.05 * ratio);
    // Bisection to 1e-4 of the slope.
    for _ in 0..10 {
        let slope = 0.5 * (low + high);
        if falls(slope) { high = slope } else { low = slope }
    }
    report.relative("slope on which a block topples: tan", ratio, 0.5 * (low + high), 2e-3);
}

/// A thin rod slides on its lower end and leans against its motion; the tangent of its slope is 2.
/// With `r` from its centre to the end, `N (1/m + (r_x² + mu r_x r_z)/I) = g` if the bracket is
/// positive, which holds below `mu = 4/3` for a thin rod \[Painleve1895\].
fn p9(report: &mut Report) {
    /// Stiffness, N/m, of a nearly rigid contact.
    const STIFFNESS: f64 = 1e8;
    /// Half the length and half the thickness of the rod, m.
    const HALF_LENGTH: f64 = 1.0;
    const THICKNESS: f64 = 1e-4;
    let half = DVec3::new(HALF_LENGTH, THICKNESS, THICKNESS);
    let inertia = MASS / 3.0 * (HALF_LENGTH * HALF_LENGTH + THICKNESS * THICKNESS);
    // A positive rotation about y moves +x down.
    let tilt = 2f64.atan();
    let turn = DQuat::from_rotation_y(tilt);
    let end = turn * DVec3::new(HALF_LENGTH, 0.0, -THICKNESS);
    let other = turn * DVec3::new(HALF_LENGTH, 0.0, THICKNESS);
    let end = if end.z < other.z { end } else { other };
    for friction in [0.0, 0.5, 1.0, 1.2] {
        // The end slides along x, and friction acts against it.
        let admittance = 1.0 / MASS + (end.x * end.x + friction * end.x * end.z) / inertia;
        let load = GRAVITY / admittance;
        // Two corners of the end carry the load.
        let height = -end.z - load / (2.0 * STIFFNESS);
        let law = rough(STIFFNESS, friction, 0.0);
        let period = std::f64::consts::TAU / (2.0 * STIFFNESS * admittance).sqrt();
        let dt = period / 4000.0;
        let mut rod = OnFloor::new(Ground::HalfSpace, half, [height, tilt], DVec3::X, DVec3::NEG_Z * GRAVITY, law, dt);
        // Averaging over half a period removes the oscillation about equilibrium.
        rod.simulation.run(2000);
        let found: f64 =
            rod.simulation.snapshot().contacts.iter().map(|contact| contact.force.dot(contact.normal).abs()).sum();
        report.relative(format!("friction {friction}: load of the sliding end, N"), load, found, 1e-3);
    }
}

fn n5(report: &mut Report) {
    n5_on(Ground::HalfSpace, report);
}

fn n5_on_triangles(report: &mut Report) {
    n5_on(Ground::Triangles(SIDE), report);
}

fn n5_on(ground: Ground, report: &mut Report) {
    /// Stiffness, N/m.
    const STIFFNESS: f64 = 1e8;
    let (b, h) = (0.25, 0.75);
    let half = DVec3::new(b, 0.3, h);
    let alpha = (b / h).atan();
    let radius = b.hypot(h);
    let dt = step(STIFFNESS);
    for (part, exact) in [(0.2, 0.914336), (0.5, 1.732036), (0.8, 3.009363)] {
        let tilt = part * alpha;
        // The block stands on the edge at +x. Its centre is R cos(alpha - tilt) above the edge.
        let height = radius * (alpha - tilt).cos() - MASS * GRAVITY / (2.0 * STIFFNESS);
        let law = rough(STIFFNESS, 5.0, 0.5);
        let mut block = OnFloor::new(ground, half, [height, tilt], DVec3::ZERO, DVec3::NEG_Z * GRAVITY, law, dt);
        let mut before = block.tilt();
        while block.tilt() > 0.0 && block.time() < 2.0 {
            before = block.tilt();
            block.simulation.run(1);
        }
        let now = block.tilt();
        let quarter = block.time() - dt * now / (now - before);
        report.relative(format!("released at {part} of its greatest tilt: period, s"), exact, 4.0 * quarter, 1e-5);
    }
}
