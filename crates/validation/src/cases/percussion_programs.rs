//! A1 to A10 and A12: percussion programs whose solutions are known in closed form.

use glam::DVec3;
use granum_engine::percussion::program::{OUTSIDE, Program, TangentialPotential, Twist};
use granum_engine::percussion::solver::{block_descent, interior_point};

use super::collision::{Collision, LIMIT, LIMITS, box_moments};
use crate::laboratory::Random;
use crate::{Case, Report};

/// Collisions with closed-form solutions.
pub const A: Case = Case {
    name: "A",
    tier: 0,
    about: "percussions: restitution, friction, chains, energy, optimality (A1-A10, A12)",
    run,
};

fn run(report: &mut Report) {
    restitution(report);
    corner(report);
    friction(report);
    gravity(report);
    chains(report);
    rocking(report);
    energy(report);
    optimality(report);
    painleve(report);
}

/// Returns the coefficient of restitution `(kappa - 2m)/(kappa + 2m)`, at least 0.
fn restitution_of(kappa: f64, mass: f64) -> f64 {
    ((kappa - 2.0 * mass) / (kappa + 2.0 * mass)).max(0.0)
}

fn restitution(report: &mut Report) {
    for (kappa, mass) in [(0.0, 1.0), (2.0, 1.0), (3.0, 1.0), (6.0, 1.0), (100.0, 1.0), (78.0, 0.5)] {
        for points in [1, 2, 4] {
            let mut collision = Collision::new();
            let ball = collision.body(mass, DVec3::ONE, DVec3::NEG_Z);
            (0..points).for_each(|_| collision.on_ground(ball, DVec3::ZERO, [kappa, 0.0]));
            let exact = restitution_of(f64::from(points) * kappa, mass);
            let ours = collision.after()[0].velocity.z;
            report.absolute(
                format!("A1, A3: restitution, kappa {kappa} kg, {mass} kg, {points} points"),
                exact,
                ours,
                LIMIT,
            );
        }
    }
    for (m1, m2, kappa) in [(1.0, 1.0, 10.0), (1.0, 3.0, 0.5), (2.0, 1.0, 30.0)] {
        let mut collision = Collision::new();
        let a = collision.body(m1, DVec3::ONE, DVec3::X * 2.0);
        let b = collision.body(m2, DVec3::ONE, DVec3::NEG_X);
        collision.contact([a, b], DVec3::X, [DVec3::ZERO; 2], [kappa, 0.0]);
        let reduced = m1 * m2 / (m1 + m2);
        let percussion = (1.0 + restitution_of(kappa, reduced)) * reduced * 3.0;
        let after = collision.after();
        report.absolute(
            format!("A1: balls of {m1} and {m2} kg, first"),
            2.0 - percussion / m1,
            after[0].velocity.x,
            LIMIT,
        );
        report.absolute(
            format!("A1: balls of {m1} and {m2} kg, second"),
            -1.0 + percussion / m2,
            after[1].velocity.x,
            LIMIT,
        );
    }
}

fn corner(report: &mut Report) {
    let (mass, half) = (2.0, DVec3::new(0.5, 0.3, 0.2));
    let moments = box_moments(mass, half);
    let arm = DVec3::new(half.x, half.y, -half.z);
    for kappa in [0.05, 1.0, 20.0] {
        let mut collision = Collision::new();
        let body = collision.body(mass, moments, DVec3::NEG_Z);
        collision.on_ground(body, arm, [kappa, 0.0]);
        let lever = arm.cross(DVec3::Z);
        let effective = 1.0 / (1.0 / mass + (lever * lever / moments).element_sum());
        let after = collision.after()[0];
        let rate = (after.velocity + after.spin.cross(arm)).z;
        report.absolute(
            format!("A2: corner of a box, kappa {kappa} kg, restitution"),
            restitution_of(kappa, effective),
            rate,
            LIMIT,
        );
    }
    for kappa in [0.2, 3.0, 40.0] {
        let mut collision = Collision::new();
        let body = collision.body(mass, moments, DVec3::NEG_Z * 1.5);
        for (x, y) in [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)] {
            collision.on_ground(body, half * DVec3::new(x, y, -1.0), [kappa, 0.7]);
        }
        let after = collision.after()[0];
        let exact = 1.5 * restitution_of(4.0 * kappa, mass);
        report.absolute(format!("A3: box on four corners, kappa {kappa} kg, speed"), exact, after.velocity.z, LIMIT);
        report.at_most(format!("A3: box on four corners, kappa {kappa} kg, spin"), after.spin.length(), LIMIT);
    }
}

fn friction(report: &mut Report) {
    let (mass, radius) = (1.5, 0.2);
    let moment = 0.4 * mass * radius * radius;
    for kappa in [[9.0, 0.3], [1.0, 2.0]] {
        let mut collision = Collision::new();
        let ball = collision.body(mass, DVec3::splat(moment), DVec3::new(1.0, 0.0, -2.0));
        let arm = DVec3::NEG_Z * radius;
        collision.on_ground(ball, arm, kappa);
        let after = collision.after()[0];
        let effective = 2.0 * mass / 7.0;
        let slip = (2.0 * effective - kappa[1]) / (2.0 * effective + kappa[1]);
        let ours = (after.velocity + after.spin.cross(arm)).x;
        report.absolute(format!("A4: slip of a ball, kappa_T {} kg", kappa[1]), slip, ours, LIMIT);
        report.absolute(
            format!("A4: rebound, kappa_N {} kg", kappa[0]),
            2.0 * restitution_of(kappa[0], mass),
            after.velocity.z,
            LIMIT,
        );
    }
    // A block on a slope creeps at the velocity m g sin(angle) dt/(n kappa_T).
    let (mass, kappa, points, dt, angle) = (2.0, 1.0, 4, 0.01, 0.3f64);
    let mut velocity = DVec3::ZERO;
    for _ in 0..60 {
        let mut collision = Collision::new();
        let block = collision.body(mass, DVec3::ONE, velocity);
        collision.external[0] = mass * 9.81 * dt * DVec3::new(angle.sin(), 0.0, -angle.cos());
        (0..points).for_each(|_| collision.on_ground(block, DVec3::ZERO, [5.0, kappa]));
        velocity = collision.after()[0].velocity;
    }
    let steady = mass * 9.81 * dt * angle.sin() / (f64::from(points) * kappa);
    report.absolute("A6: viscous creep on a slope, m/s", steady, velocity.x, LIMIT);
}

fn gravity(report: &mut Report) {
    let (mass, kappa, dt) = (1.0, 6.0, 0.01);
    for speed in [1.0, 0.001, 0.0] {
        let mut collision = Collision::new();
        let ball = collision.body(mass, DVec3::ONE, DVec3::NEG_Z * speed);
        collision.external[0] = DVec3::NEG_Z * mass * 9.81 * dt;
        collision.on_ground(ball, DVec3::ZERO, [kappa, 0.0]);
        let exact = ((kappa - 2.0 * mass) * speed - 2.0 * mass * 9.81 * dt) / (2.0 * mass + kappa);
        let ours = collision.after()[0].velocity.z;
        report.absolute(format!("A5: with gravity at {speed} m/s"), exact.max(0.0), ours, LIMIT);
    }
}

fn chains(report: &mut Report) {
    for kappa in [0.5, 2.0, 4.0, 10.0, 2e4] {
        let mut collision = Collision::new();
        let balls = [1.0, 0.0, 0.0].map(|speed| collision.body(1.0, DVec3::ONE, DVec3::X * speed));
        for pair in balls.windows(2) {
            collision.contact([pair[0], pair[1]], DVec3::X, [DVec3::ZERO; 2], [kappa, 0.0]);
        }
        let e = ((kappa - 4.0 / 3.0) / (kappa + 4.0 / 3.0)).max(0.0);
        let exact = [(1.0 - 2.0 * e) / 3.0, (1.0 + e) / 3.0, (1.0 + e) / 3.0];
        for (k, (ours, exact)) in collision.after().iter().zip(exact).enumerate() {
            report.absolute(
                format!("A7: three balls, kappa {kappa} kg, ball {}", k + 1),
                exact,
                ours.velocity.x,
                LIMIT,
            );
        }
    }
}

/// A rocking block lands on its other edge without slip. It keeps the fraction of its spin that
/// [Housner1963] derives.
fn rocking(report: &mut Report) {
    let (mass, half) = (1.0, DVec3::new(0.25, 0.25, 0.75));
    let moments = box_moments(mass, half);
    let spin = 1.0;
    let mut collision = Collision::new();
    // The block rotates about its left edge until the right edge touches the ground.
    let (left, right) = (DVec3::new(-half.x, 0.0, -half.z), DVec3::new(half.x, 0.0, -half.z));
    let body = collision.body(mass, moments, -(DVec3::Y * spin).cross(left));
    collision.before[0].spin = DVec3::Y * spin;
    collision.on_ground(body, right, [0.0, 1e9]);
    let alpha = half.x.atan2(half.z);
    let ours = collision.after()[0];
    let after = ours.spin.y / spin;
    // The edge touches without slip. Therefore a mean slip of zero is also zero slip after the
    // collision.
    let exact = 1.0 - 1.5 * alpha.sin() * alpha.sin();
    report.absolute("A8: rocking block, remaining fraction of the spin (Housner)", exact, after, 1e-6);
}

fn random_collision(random: &mut Random, approaching: bool) -> Collision {
    let mut collision = Collision::new();
    let count = 1 + (4.0 * random.unit()) as u32;
    for _ in 0..count {
        let body =
            collision.body(0.2 + random.unit(), DVec3::splat(0.05) + 0.1 * random.vector().abs(), random.vector());
        collision.before[body as usize].spin = random.vector();
    }
    for _ in 0..1 + (6.0 * random.unit()) as u32 {
        let a = (f64::from(count) * random.unit()) as u32;
        let b = (f64::from(count) * random.unit()) as u32;
        let bodies = if a == b { [OUTSIDE, a] } else { [a, b] };
        let (normal, arms) = (random.vector().normalize(), [random.vector(), random.vector()]);
        let kappa = [10.0 * random.unit(), 5.0 * random.unit()];
        collision.contact(bodies, normal, arms, kappa);
        let last = collision.contacts.len() - 1;
        let rate = Program::default().relative_velocity(&collision.contacts[last], &collision.before).dot(normal);
        if approaching && rate > 0.0 {
            collision.contacts[last].normal = -normal;
        }
    }
    collision
}

fn energy(report: &mut Report) {
    let mut random = Random::new(9);
    let (mut most, mut identity, mut momentum) = (f64::NEG_INFINITY, 0f64, 0f64);
    for k in 0..1000 {
        let collision = random_collision(&mut random, k % 2 == 0);
        let program = collision.program();
        let solution = block_descent::solve(&program, &vec![DVec3::ZERO; program.contacts.len()], LIMITS);
        let after = collision.after();
        let (then, now) = (collision.kinetic(&collision.before), collision.kinetic(&after));
        most = most.max((now - then) / then);
        let mean = program.velocities(&solution.percussions);
        let pairs = program.contacts.iter().zip(&solution.percussions);
        let lost: f64 = pairs.map(|(contact, p)| -p.dot(program.relative_velocity(contact, &mean))).sum();
        identity = identity.max((then - now - lost).abs() / then);
        let closed = program.contacts.iter().all(|contact| contact.bodies[0] != OUTSIDE);
        if closed {
            let sum = |motions: &[Twist]| -> DVec3 {
                motions.iter().zip(&collision.masses).map(|(motion, (mass, _))| *mass * motion.velocity).sum()
            };
            momentum = momentum.max((sum(&after) - sum(&collision.before)).length());
        }
    }
    report.at_most("A9: kinetic energy gained in 1,000 random collisions, at most", most.max(0.0), 1e-12);
    report.at_most("A9: energy identity", identity, 3e-14);
    report.at_most("A9: momentum of closed systems, kg m/s", momentum, 1e-13);
}

fn optimality(report: &mut Report) {
    let mut random = Random::new(10);
    let (mut worst, mut apart, mut reference) = (0f64, 0f64, 0f64);
    for _ in 0..200 {
        let program = random_collision(&mut random, false).program();
        let count = program.contacts.len();
        let solution = block_descent::solve(&program, &vec![DVec3::ZERO; count], LIMITS);
        worst = worst.max(solution.certificate.worst());
        let other: Vec<DVec3> = (0..count).map(|_| 3.0 * random.vector()).collect();
        let other = program.velocities(&block_descent::solve(&program, &other, LIMITS).percussions);
        let interior = program.velocities(&interior_point::unpolished(&program, 1e-6).percussions);
        for ((x, y), z) in program.velocities(&solution.percussions).iter().zip(&other).zip(&interior) {
            apart = apart.max((x.velocity - y.velocity).length());
            reference = reference.max((x.velocity - z.velocity).length());
        }
    }
    report.at_most("A10: residual of 200 programs", worst, 1e-10);
    report.at_most("A10: velocities from another start", apart, 1e-8);
    report.at_most("A10: velocities against the interior point", reference, 1e-6);
}

/// A rod slides on its end and leans against its motion. Above the friction coefficient 4/3
/// \[Painleve1895\], Coulomb's law has no finite accelerations. The percussion program has one
/// solution, which neither penetrates nor gains energy.
fn painleve(report: &mut Report) {
    let (mass, half_length, dt) = (1.0, 1.0, 1e-3);
    let moments = DVec3::new(1e-6, mass / 3.0, mass / 3.0) * half_length * half_length;
    let lean = 2f64.atan();
    // The body axis x is along the rod. The lower end is in front.
    let end = half_length * DVec3::new(lean.cos(), 0.0, -lean.sin());
    let weight = DVec3::NEG_Z * mass * 9.81 * dt;
    let (mut apart, mut reference, mut sinks, mut gains) = (0f64, 0f64, 0f64, f64::NEG_INFINITY);
    let laws = [0.1, 1.0, 10.0, 1e3].map(TangentialPotential::Viscous);
    // Bounds of the tangential percussion: 2 and 5 times the weight times the time step.
    let caps = [2.0, 5.0].map(|friction| TangentialPotential::Bounded(friction * weight.length()));
    for across in laws.into_iter().chain(caps) {
        let mut collision = Collision::new();
        let rod = collision.body(mass, moments, DVec3::X);
        collision.external[0] = weight;
        collision.on_ground(rod, end, [0.0, 0.0]);
        collision.contacts[0].tangential_potential = across;
        let program = collision.program();
        let from = |start: DVec3| {
            let solution = block_descent::solve(&program, &[start], LIMITS);
            (program.velocities(&solution.percussions)[0], solution.percussions[0])
        };
        let (mean, percussion) = from(DVec3::ZERO);
        let (other, _) = from(DVec3::new(-3.0, 1.0, 5.0));
        let interior = program.velocities(&interior_point::unpolished(&program, 1e-8).percussions)[0];
        apart = apart.max((mean.velocity - other.velocity).length().max((mean.spin - other.spin).length()));
        reference = reference.max((mean.velocity - interior.velocity).length());
        sinks = sinks.max(-(mean.velocity + mean.spin.cross(end)).z);
        // Work of the ground: percussion times mean velocity of the lower end, J.
        gains = gains.max(percussion.dot(mean.velocity + mean.spin.cross(end)));
    }
    report.at_most("A12: Painlevé's rod, velocities from another start", apart, LIMIT);
    report.at_most("A12: Painlevé's rod, velocities against the interior point", reference, 1e-6);
    report.at_most("A12: Painlevé's rod, downward velocity of its end, m/s", sinks.max(0.0), LIMIT);
    report.at_most("A12: Painlevé's rod, energy gained from the ground, J", gains.max(0.0), 1e-12);
}
