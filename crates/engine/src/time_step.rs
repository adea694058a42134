//! Choice of the time step: a fraction of the shortest contact, with the reason as a sentence.

use glam::DVec3;
use granum_geometry::PairTable;

use crate::smooth::{Normal, Stiffness, restitution};
use crate::state::{GuideKind, MaterialId, World};

/// Steps per contact of the recommended time step. The restitution is then accurate to 1e-3.
const STEPS_PER_CONTACT: f64 = 50.0;

/// The same for elastic contacts by a generalised overlap. Two faces are four times as stiff as the
/// law, and a corner far from the centre moves with a third of the mass, so that the shortest
/// contacts last a third of the nominal time. With 50 steps a gas of 30 boxes gains 6e-3 of its
/// energy in 5,600 collisions, with 85 steps less than 1e-3. Damped contacts do not need it.
const STEPS_PER_ELASTIC_OVERLAP: f64 = 85.0;

/// Fewest steps per contact. With fewer, the errors of energy and restitution are visible.
const FEWEST_STEPS_PER_CONTACT: f64 = 20.0;
/// Largest time step on a Hertz contact, relative to the Rayleigh time.
const RAYLEIGH_PART: f64 = 0.2;
/// Least speed of an impact on a Hertz contact, m/s. Its duration would be infinite at rest.
const LEAST_SPEED: f64 = 0.1;

/// Recommended displacement of the smallest grain per step with percussions, relative to its
/// radius.
const TRAVEL: f64 = 0.05;
/// Largest such displacement with usable results. With a longer one, collisions are found too late.
const LONGEST_TRAVEL: f64 = 0.5;

/// A recommended time step with its reason.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeStepAdvice {
    /// Recommended time step, s. Infinite if nothing can collide.
    pub recommended: f64,
    /// Longest time step with usable results, s.
    pub longest: f64,
    /// Reason of the recommendation, as a sentence.
    pub reason: String,
}

/// Bodies that an inlet will add during the run, described by the lightest of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IncomingGrains {
    /// Material of the bodies.
    pub material: MaterialId,
    /// Mass of the lightest body, kg.
    pub mass: f64,
    /// Bounding radius of the lightest body, m.
    pub radius: f64,
    /// Highest point at which a body can be added, m.
    pub centre: DVec3,
    /// Greatest initial speed of a body, m/s.
    pub speed: f64,
}

impl TimeStepAdvice {
    /// Returns the advice for a world in its present state.
    ///
    /// ```
    /// # use glam::DVec3;
    /// # use granum_engine::{BodySpec, ContactLaw, Material, World, WorldError};
    /// # use granum_geometry::shape::Sphere;
    /// use granum_engine::TimeStepAdvice;
    ///
    /// # let mut world = World::new();
    /// # let glass = world.add_material(Material::new("glass", 2500.0))?;
    /// # world.set_law(glass, glass, ContactLaw::linear(1e4, 0.8, 0.3).expect("a valid law"))?;
    /// # let bead = world.add_shape(Sphere { radius: 1e-3 })?;
    /// # for x in [0.0, 0.01] {
    /// #     world.add_body(BodySpec::at(bead, glass, DVec3::new(x, 0.0, 0.0)))?;
    /// # }
    /// let advice = TimeStepAdvice::of(&world);
    /// println!("{}", advice.reason);
    /// world.set_time_step(advice.recommended)?;
    /// assert!(advice.recommended < advice.longest);
    /// # Ok::<(), WorldError>(())
    /// ```
    pub fn of(world: &World) -> Self {
        Self::with(world, &[])
    }

    /// Returns the advice for a world and the bodies that will be added to it.
    pub fn with(world: &World, incoming: &[IncomingGrains]) -> Self {
        if world.percussion.is_some() {
            return by_travel(world, incoming);
        }
        let nothing = Self { recommended: f64::INFINITY, longest: f64::INFINITY, reason: "nothing can collide".into() };
        let lightest = lightest_by_material(world, incoming);
        let lightest_walls = lightest_free_walls(world);
        let speed = greatest_speed(world, incoming);
        let mut advice = nothing;
        for (a, b, _) in world.laws.iter().filter(|(a, b, _)| a.0 <= b.0) {
            let masses = [lightest[a.0 as usize], lightest[b.0 as usize]];
            let Some(inverse_mass) = masses.into_iter().flatten().map(|(mass, _)| 1.0 / mass).reduce(|x, y| x + y)
            else {
                continue;
            };
            // A grain on a free wall may have a smaller reduced mass than two grains.
            let on_wall = |grain: Option<(f64, f64)>, wall: f64| grain.map_or(0.0, |(mass, _)| 1.0 / mass + wall);
            let walls = [lightest_walls[a.0 as usize], lightest_walls[b.0 as usize]];
            let inverse_mass = inverse_mass.max(on_wall(masses[0], walls[1])).max(on_wall(masses[1], walls[0]));
            let radius = masses.into_iter().flatten().map(|(_, radius)| radius).fold(f64::INFINITY, f64::min);
            let candidate = advise(world, a, b, inverse_mass, radius, speed);
            if candidate.recommended < advice.recommended {
                advice = candidate;
            }
        }
        advice
    }

    /// Returns the warning to a user who has chosen the time step `step`, s; `None` if it is short
    /// enough.
    pub fn warning(&self, step: f64) -> Option<String> {
        (step > self.longest).then(|| {
            format!(
                "time step {step:.3e} s is too long: {}; use {:.3e} s, and no more than {:.3e} s",
                self.reason, self.recommended, self.longest
            )
        })
    }
}

/// Returns the advice for percussions. Contacts have no duration, so that the displacement between
/// two collisions limits the step.
fn by_travel(world: &World, incoming: &[IncomingGrains]) -> TimeStepAdvice {
    let present = world.bodies.kinetic.iter().zip(&world.bodies.sphere);
    let present = present.filter(|(kinetic, _)| kinetic.tag.is_dynamic()).map(|(_, sphere)| sphere.radius);
    let radius = present.chain(incoming.iter().map(|body| body.radius)).fold(f64::INFINITY, f64::min);
    let speed = greatest_speed(world, incoming);
    TimeStepAdvice {
        recommended: TRAVEL * radius / speed,
        longest: LONGEST_TRAVEL * radius / speed,
        reason: format!("at {speed:.3} m/s the smallest grain moves {TRAVEL} of its radius, {radius:.3e} m, in a step"),
    }
}

fn advise(world: &World, a: MaterialId, b: MaterialId, inverse_mass: f64, radius: f64, speed: f64) -> TimeStepAdvice {
    let law = world.laws.get(a, b).expect("the caller found it in the table");
    let (name_a, name_b) = (&world.materials[a.0 as usize].name, &world.materials[b.0 as usize].name);
    let pair = format!("{name_a} on {name_b}");
    match law.normal {
        Normal::Linear { stiffness, zeta, .. } => {
            let period = match stiffness {
                Stiffness::ContactTime(time) => time,
                Stiffness::Constant(k) => {
                    let unit = 1.0 / (k * inverse_mass).sqrt();
                    // Strongly damped bodies do not separate, and the contact time diverges. The
                    // period of the spring must be resolved nevertheless.
                    restitution::linear_contact_time(zeta, law.end).min(std::f64::consts::PI) * unit
                }
            };
            let is_smooth = zeta == 0.0 && world.has_generalised_overlaps(PairTable::standard());
            let steps = if is_smooth { STEPS_PER_ELASTIC_OVERLAP } else { STEPS_PER_CONTACT };
            TimeStepAdvice {
                recommended: period / steps,
                longest: period / FEWEST_STEPS_PER_CONTACT,
                reason: format!(
                    "the shortest contact ({pair}, reduced mass {:.3e} kg) lasts {period:.3e} s, {steps} \
                     steps a contact",
                    1.0 / inverse_mass
                ),
            }
        }
        Normal::UserDefined(_) => {
            let period = user_law_period(&law.normal, inverse_mass, radius, speed);
            TimeStepAdvice {
                recommended: period / STEPS_PER_CONTACT,
                longest: period / FEWEST_STEPS_PER_CONTACT,
                reason: format!(
                    "the shortest contact ({pair}, at {speed:.3} m/s) lasts about {period:.3e} s, \
                     {STEPS_PER_CONTACT} steps a contact"
                ),
            }
        }
        Normal::Hertz { modulus, .. } => {
            // Two bodies of the smallest radius: the contact time is t = 2.943 d_max/v with the
            // largest overlap d_max = (5 m v²/(4 k))^(2/5).
            let k = 4.0 / 3.0 * modulus * (0.5 * radius).sqrt();
            let deepest = libm::pow(1.25 * speed * speed / (inverse_mass * k), 0.4);
            let contact = 2.943275184 * deepest / speed;
            let rayleigh =
                [a, b].into_iter().filter_map(|m| rayleigh_time(world, m, radius)).fold(f64::INFINITY, f64::min);
            let (by_contact, by_wave) = (contact / STEPS_PER_CONTACT, RAYLEIGH_PART * rayleigh);
            let reason = if by_contact < by_wave {
                format!(
                    "the shortest contact ({pair}, at {speed:.3} m/s) lasts {contact:.3e} s, {STEPS_PER_CONTACT} \
                     steps a contact"
                )
            } else {
                format!(
                    "a Rayleigh wave crosses the smallest grain ({pair}) in {rayleigh:.3e} s, of which {RAYLEIGH_PART}"
                )
            };
            TimeStepAdvice {
                recommended: by_contact.min(by_wave),
                longest: (contact / FEWEST_STEPS_PER_CONTACT).min(2.0 * by_wave),
                reason,
            }
        }
    }
}

/// Estimates the duration of a contact with a user-defined law, s, at an approach velocity: half a
/// period of a linear spring with the secant stiffness at the largest overlap. Exact for a linear
/// law, and 5 % short for a Hertz contact.
fn user_law_period(normal: &Normal, inverse_mass: f64, radius: f64, speed: f64) -> f64 {
    // The search covers overlaps from 1e-9 radii to one radius, in steps of 10 %.
    const START: f64 = 1e-9;
    const FACTOR: f64 = 1.1;
    const STEPS: i32 = 220;
    let kinetic = 0.5 * speed * speed / inverse_mass;
    let mut overlap = START * radius;
    let mut at = normal.at(overlap, inverse_mass, inverse_mass, 2.0 / radius);
    for _ in 0..STEPS {
        if at.energy >= kinetic {
            break;
        }
        overlap *= FACTOR;
        at = normal.at(overlap, inverse_mass, inverse_mass, 2.0 / radius);
    }
    std::f64::consts::PI * (overlap / (at.elastic * inverse_mass)).sqrt()
}

/// Returns the Rayleigh time of a ball, s; `None` if the material has no elastic constants.
fn rayleigh_time(world: &World, material: MaterialId, radius: f64) -> Option<f64> {
    let m = &world.materials[material.0 as usize];
    let e = m.elasticity?;
    Some(std::f64::consts::PI * radius * (m.density / e.shear_modulus()).sqrt() / (0.163 * e.poisson + 0.8766))
}

/// Returns mass, kg, and bounding radius, m, of the lightest dynamic body of each material.
fn lightest_by_material(world: &World, incoming: &[IncomingGrains]) -> Vec<Option<(f64, f64)>> {
    let bodies = &world.bodies;
    let mut lightest: Vec<Option<(f64, f64)>> = vec![None; world.materials.len()];
    let present = (0..bodies.len()).filter(|&k| bodies.kinetic[k].tag.is_dynamic());
    let present = present
        .map(|k| (bodies.kinetic[k].tag.material, 1.0 / bodies.kinetic[k].inverse_mass, bodies.sphere[k].radius));
    for (material, mass, radius) in present.chain(incoming.iter().map(|body| (body.material, body.mass, body.radius))) {
        let entry = &mut lightest[material.0 as usize];
        if entry.is_none_or(|(least, _)| mass < least) {
            *entry = Some((mass, radius));
        }
    }
    lightest
}

/// Returns the inverse mass of the lightest free wall of each material, 1/kg; zero without one.
fn lightest_free_walls(world: &World) -> Vec<f64> {
    let mut inverse_masses = vec![0f64; world.materials.len()];
    for wall in &world.driven {
        let kinetic = &world.bodies.kinetic[world.bodies.index[wall.id.0 as usize] as usize];
        if let Some(mass) = wall.motion.guide.and_then(|guide| guide.mass()) {
            let inverse_mass = &mut inverse_masses[kinetic.tag.material.0 as usize];
            *inverse_mass = inverse_mass.max(1.0 / mass);
        }
    }
    inverse_masses
}

/// Returns an upper estimate of the impact speed, m/s: from the fastest body, the greatest
/// speed of a servo, and a fall through the height of the scene.
pub(crate) fn greatest_speed(world: &World, incoming: &[IncomingGrains]) -> f64 {
    let bodies = &world.bodies;
    let mut fastest = 0f64;
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let up = -world.gravity.normalize_or_zero();
    let present = bodies
        .kinetic
        .iter()
        .zip(&bodies.sphere)
        .map(|(kinetic, sphere)| (kinetic.twist.velocity.length(), sphere.centre));
    for (speed, centre) in present.chain(incoming.iter().map(|body| (body.speed, body.centre))) {
        fastest = fastest.max(speed);
        let height = up.dot(centre);
        low = low.min(height);
        high = high.max(height);
    }
    for wall in &world.driven {
        if let Some(GuideKind::Servo { max_speed, .. }) = wall.motion.guide.map(|guide| guide.kind) {
            fastest = fastest.max(max_speed);
        }
    }
    let fall = if high > low { high - low } else { 0.0 };
    (fastest * fastest + 2.0 * world.gravity.length() * fall).sqrt().max(LEAST_SPEED)
}
