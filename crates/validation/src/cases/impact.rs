//! Set-ups and measurements that the single-contact cases share.
//!
//! Body b is above (along z). It hits body a or the floor at z = 0.

use glam::DVec3;
use granum_engine::{BodyId, BodySpec, ContactLaw, EndRule, Material, Normal, Rolling, Simulation, Tangential, World};
use granum_geometry::shape::Sphere;
use std::f64::consts::PI;

use crate::ground::Ground;

/// A round body with moment of inertia `beta m r²`.
#[derive(Clone, Copy)]
pub struct Ball {
    /// Radius, m.
    pub radius: f64,
    /// Mass, kg.
    pub mass: f64,
    /// Inertia factor, 2/5 for a uniform sphere.
    pub beta: f64,
    /// Velocity, m/s.
    pub velocity: DVec3,
    /// Spin, rad/s.
    pub spin: DVec3,
}

impl Ball {
    /// Creates a uniform sphere at rest.
    pub fn uniform(radius: f64, density: f64) -> Self {
        Self::of_mass(radius, 4.0 / 3.0 * PI * radius.powi(3) * density)
    }

    /// Creates a uniform sphere of a given mass at rest.
    pub fn of_mass(radius: f64, mass: f64) -> Self {
        Self { radius, mass, beta: 0.4, velocity: DVec3::ZERO, spin: DVec3::ZERO }
    }

    /// Returns the body with a velocity.
    pub fn moving(self, velocity: DVec3) -> Self {
        Self { velocity, ..self }
    }

    /// Returns the body with a spin.
    pub fn spinning(self, spin: DVec3) -> Self {
        Self { spin, ..self }
    }

    fn add_to(&self, world: &mut World, height: f64) -> BodyId {
        let stuff = world.add_material(stuff("ball")).expect("a valid material");
        let shape = world.add_shape(Sphere { radius: self.radius }).expect("a valid radius");
        let moment = self.beta * self.mass * self.radius * self.radius;
        let spec = BodySpec {
            velocity: self.velocity,
            spin: self.spin,
            mass: Some((self.mass, DVec3::splat(moment))),
            ..BodySpec::at(shape, stuff, DVec3::Z * height)
        };
        world.add_body(spec).expect("a valid body")
    }
}

/// Returns a law with normal forces only.
pub fn smooth(normal: Normal, end: EndRule) -> ContactLaw {
    ContactLaw { normal, tangential: Tangential::None, rolling: Rolling::None, end }
}

/// Returns `4/3 E sqrt(R)` with the reduced modulus and radius.
pub fn hertz_stiffness(modulus: f64, radius: f64) -> f64 {
    4.0 / 3.0 * modulus * radius.sqrt()
}

/// Returns the largest overlap of an elastic Hertz impact, m.
pub fn hertz_depth(stiffness: f64, mass: f64, speed: f64) -> f64 {
    (1.25 * mass * speed * speed / stiffness).powf(0.4)
}

/// Returns the duration of an elastic Hertz impact, s.
pub fn hertz_time(stiffness: f64, mass: f64, speed: f64) -> f64 {
    2.943275184 * hertz_depth(stiffness, mass, speed) / speed
}

/// Two bodies before a collision.
pub struct Meeting {
    /// The simulation, for cases that evaluate more than a collision.
    pub sim: Simulation,
    /// The upper body.
    pub b: BodyId,
    a: Option<BodyId>,
    contact_height: f64,
    end: EndRule,
}

/// The result of a collision without gravity.
#[derive(Clone, Copy, Debug)]
pub struct Collision {
    /// Restitution: separation speed divided by approach speed.
    pub restitution: f64,
    /// Deepest overlap, m.
    pub deepest: f64,
    /// Largest normal force, N.
    pub peak_force: f64,
    /// Duration of the contact, s.
    pub duration: f64,
}

/// Creates an empty world with this gravity (m/s²) and time step (s).
pub fn world_of(gravity: DVec3, time_step: f64) -> World {
    let mut world = World::new();
    world.set_gravity(gravity).expect("a finite gravity");
    world.set_time_step(time_step).expect("a positive time step");
    world
}

impl Meeting {
    /// Creates a ball above the floor with a gap (negative for an overlap).
    pub fn on_floor(ball: Ball, law: ContactLaw, gap: f64, gravity: DVec3, dt: f64) -> Self {
        Self::on_ground(Ground::HalfSpace, ball, law, gap, gravity, dt)
    }

    /// Creates a ball above a ground with a gap (negative for an overlap).
    pub fn on_ground(ground: Ground, ball: Ball, law: ContactLaw, gap: f64, gravity: DVec3, dt: f64) -> Self {
        let mut world = world_of(gravity, dt);
        let b = ball.add_to(&mut world, ball.radius + gap);
        let floor = world.add_material(stuff("floor")).expect("a valid material");
        let shape = world.add_shape(ground.shape()).expect("a valid shape");
        world.add_body(BodySpec::fixed(shape, floor, DVec3::ZERO)).expect("a valid body");
        Self::new(world, law, None, b, ball.radius)
    }

    /// Creates two balls above each other with a gap, without gravity.
    pub fn of_two(below: Ball, above: Ball, law: ContactLaw, gap: f64, dt: f64) -> Self {
        let mut world = world_of(DVec3::ZERO, dt);
        let reach = below.radius + above.radius;
        let a = below.add_to(&mut world, 0.0);
        let b = above.add_to(&mut world, reach + gap);
        Self::new(world, law, Some(a), b, reach)
    }

    fn new(mut world: World, law: ContactLaw, a: Option<BodyId>, b: BodyId, contact_height: f64) -> Self {
        let materials: Vec<_> = world.bodies().map(|body| body.material).collect();
        let (first, second) = (materials[0], materials[1]);
        for (one, other) in [(first, first), (first, second), (second, second)] {
            world.set_law(one, other, law).expect("a valid value");
        }
        let sim = Simulation::new(world, 1).expect("a complete world");
        Self { sim, b, a, contact_height, end: law.end }
    }

    /// Returns the relative velocity of the centres, m/s.
    pub fn velocity(&self) -> DVec3 {
        let of = |id| self.sim.world().twist(id).velocity;
        of(self.b) - self.a.map_or(DVec3::ZERO, of)
    }

    /// Returns the spin of b, rad/s.
    pub fn spin(&self) -> DVec3 {
        self.sim.world().twist(self.b).spin
    }

    /// Returns the spin of a, rad/s.
    pub fn spin_below(&self) -> DVec3 {
        self.a.map_or(DVec3::ZERO, |a| self.sim.world().twist(a).spin)
    }

    /// Returns the distance between the surfaces, m.
    pub fn gap(&self) -> f64 {
        let height = |id| self.sim.world().position(id).z;
        height(self.b) - self.a.map_or(0.0, height) - self.contact_height
    }

    /// Returns the present normal force, N; `None` without contact.
    pub fn load(&self) -> Option<f64> {
        let mut carrying = self.sim.world().contacts().filter(|contact| contact.carries_force());
        carrying.next().map(|contact| contact.force().dot(contact.normal()))
    }

    /// Runs a free collision to its end.
    pub fn collide(&mut self) -> Collision {
        // Largest number of steps, more than the longest case needs.
        const MOST_STEPS: usize = 20_000;
        let approach = -self.velocity().z;
        let began = self.gap() / approach;
        let (mut overlaps, mut loads) = (Vec::new(), Vec::new());
        for _ in 0..MOST_STEPS {
            self.sim.run(1);
            match self.load() {
                Some(load) => {
                    overlaps.push(-self.gap());
                    loads.push(load);
                }
                None if !loads.is_empty() => break,
                None => {}
            }
        }
        let separation = self.velocity().z;
        let (time, dt) = (self.sim.world().time(), self.sim.world().time_step());
        let parted = time - self.gap() / separation;
        let ended = match self.end {
            EndRule::ZeroOverlap => parted,
            EndRule::NoTension => (time + (steps_to_zero(&loads) - 1.0) * dt).min(parted),
        };
        Collision {
            restitution: separation / approach,
            deepest: peak(&overlaps),
            peak_force: peak(&loads),
            duration: ended - began,
        }
    }
}

/// Returns a material without elastic constants: the laws of these cases carry their own moduli.
fn stuff(name: &str) -> Material {
    Material::new(name, 1.0)
}

/// Returns the maximum of a smooth series by a parabola through the largest sample and its
/// neighbours.
fn peak(samples: &[f64]) -> f64 {
    let top = (0..samples.len()).max_by(|&i, &j| samples[i].total_cmp(&samples[j]));
    match top {
        Some(i) if i > 0 && i + 1 < samples.len() => {
            let (before, at, after) = (samples[i - 1], samples[i], samples[i + 1]);
            at + (after - before).powi(2) / (8.0 * (2.0 * at - before - after))
        }
        Some(i) => samples[i],
        None => f64::NAN,
    }
}

/// Returns the zero of the parabola through the last three samples, in steps after the last one.
fn steps_to_zero(samples: &[f64]) -> f64 {
    let &[.., second, first, last] = samples else { return f64::NAN };
    let curve = last - 2.0 * first + second;
    let (square, slope) = (0.5 * curve, last - first + 0.5 * curve);
    2.0 * last / (-slope + (slope * slope - 4.0 * square * last).sqrt())
}
