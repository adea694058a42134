//! Random packings of frictionless grains, squeezed between walls until they jam.
//!
//! Every centre and every wall is drawn towards the middle by a small part of its distance, and the grains push each other apart
//! again while their velocities are damped: no wall sweeps grains together, and nothing rattles. The packing is jammed
//! when rest does not take the energy out of its contacts. The fraction is that of the core, away from the walls, taken back
//! to no overlap. Grains that are to find an order keep moving, like the molecules of a gas, until they are caged.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};
use granum_engine::{BodySpec, Damping, EndRule, Motion, Simulation};
use granum_geometry::{Pose, Shape};

use crate::laboratory::{Laboratory, Random, damped_spring};

/// N/m; the density is 1, and grains have about the volume of a ball, or disc, of diameter 1 m.
const STIFFNESS: f64 = 1.0;
/// Restitution: low, so that grains that part do not come back soon.
const RESTITUTION: f64 = 0.3;
/// A twenty-fifth of the shortest contact, `pi sqrt(m/2k)` of two balls of 0.52 kg, s.
const TIME_STEP: f64 = 0.064;
/// Steps between two draws: one and a half contacts long, in which an overlap is pushed apart.
const STEPS: u64 = 40;
/// Overlaps, as parts of a diameter, that all grains have when their contacts hold the energy there is: where a packing
/// begins to resist, and where it is jammed.
const RESISTS: f64 = 3e-4;
const JAMMED: f64 = 1e-3;
/// Part of their distance by which centres come nearer in a draw while the packing is loose.
const LOOSE_DRAW: f64 = 4e-3;
/// Draws after which a packing that does not jam is given up.
const MOST_DRAWS: u32 = 20_000;
/// Part of the volume that balls around the grains take at the start: enough places for all of them.
const START: f64 = 0.2;

/// How fast grains are drawn together, and when they are jammed.
#[derive(Clone, Copy)]
pub(super) struct Pace {
    /// Part of their distance by which centres come nearer in a draw: in a dense packing, and when it begins to resist. The last
    /// brings less overlap than [`JAMMED`].
    pub draws: [f64; 2],
    /// What is left of the velocities after each.
    pub calm: f64,
    /// Rests of a packing that seems to be jammed, in draws of nothing ...
    pub rests: u32,
    /// ... and the part of its energy that must be left.
    pub left: f64,
    /// How they move before, if they do.
    pub heat: Option<Heat>,
}

/// Grains that move while they are drawn together, and lose nothing in collisions.
#[derive(Clone, Copy)]
pub(super) struct Heat {
    /// Speed that with their mass makes half of their energy of motion, m/s.
    pub speed: f64,
    /// Part of their distance by which centres come nearer in a draw.
    pub draw: f64,
}

impl Pace {
    /// Fast: ellipses roll past each other anyway.
    pub const FAST: Self = Self { draws: [5e-4, 1e-4], calm: 0.8, rests: 50, left: 0.5, heat: None };
    /// Slow: balls jam too soon at the fast pace, at 0.632.
    pub const SLOW: Self = Self { draws: [1e-4, 5e-5], calm: 0.95, rests: 200, left: 0.8, heat: None };
    /// Fast, after a long way in motion: a grain comes a hundredth nearer to its neighbours while it flies five times its size.
    pub const STIRRED: Self = Self { heat: Some(Heat { speed: 0.01, draw: 5e-5 }), ..Self::FAST };
}

/// What is packed.
pub(super) struct Recipe {
    /// Whether in the plane.
    pub planar: bool,
    /// Grains in all, of each shape as many but for chance.
    pub count: u32,
    /// The shapes.
    pub shapes: Vec<Shape>,
    /// Fraction up to which it is drawn together fast: well below that of any jammed packing.
    pub loose: f64,
    /// Distance of the core from the walls, m.
    pub margin: f64,
    /// How fast.
    pub pace: Pace,
}

impl Recipe {
    /// Balls of diameter 1 m, or what is as large, in space.
    pub fn in_space(count: u32, shape: impl Into<Shape>) -> Self {
        Self { planar: false, count, shapes: vec![shape.into()], loose: 0.5, margin: 3.0, pace: Pace::SLOW }
    }

    /// The fraction of one packing; not a number if it does not jam.
    pub fn jammed_fraction(&self, seed: u64) -> f64 {
        let (mut simulation, mut half, volume) = self.start(seed);
        if let Some(heat) = self.pace.heat {
            half = self.stir(heat, &mut simulation, half, volume);
        }
        let energy_of = |overlap: f64| 0.5 * STIFFNESS * overlap * overlap * f64::from(self.count);
        for _ in 0..MOST_DRAWS {
            let elastic = simulation.energy().elastic;
            let is_loose = self.is_loose(half, volume);
            let resists = elastic > energy_of(RESISTS);
            let draw = if is_loose { LOOSE_DRAW } else { self.pace.draws[usize::from(resists)] };
            half *= 1.0 - draw;
            self.squeeze(&mut simulation, 1.0 - draw, self.pace.calm);
            if !is_loose && simulation.energy().elastic > energy_of(JAMMED) {
                (0..self.pace.rests).for_each(|_| self.squeeze(&mut simulation, 1.0, self.pace.calm));
                if simulation.energy().elastic > self.pace.left * energy_of(JAMMED) {
                    return self.core_fraction(&simulation, half - self.margin);
                }
            }
        }
        f64::NAN
    }

    /// Mean and standard error over seeds from 1 on.
    pub fn mean(&self, seeds: u64) -> (f64, f64) {
        let found: Vec<f64> = (1..=seeds).map(|seed| self.jammed_fraction(seed)).collect();
        let n = found.len() as f64;
        let mean = found.iter().sum::<f64>() / n;
        let variance = found.iter().map(|fraction| (fraction - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (mean, (variance / n).sqrt())
    }

    /// Grains at random places and turned at random, that do not touch; half the side of their box, and their volume.
    fn start(&self, seed: u64) -> (Simulation, f64, f64) {
        let mut random = Random::new(seed);
        let restitution = if self.pace.heat.is_some() { 1.0 } else { RESTITUTION };
        let law = damped_spring(STIFFNESS, Damping::Restitution(restitution), EndRule::NoTension);
        let mut lab = if self.planar { Laboratory::planar(law) } else { Laboratory::new(law) };
        let shapes: Vec<_> = self
            .shapes
            .iter()
            .map(|shape| {
                let properties = shape.as_convex().mass_properties();
                let moments = properties.principal_moments().expect("its axes are principal");
                let id = lab.world.add_shape(shape.clone()).expect("a valid shape");
                (id, properties.volume, moments, shape.as_convex().bounding_radius())
            })
            .collect();
        let largest = shapes.iter().map(|shape| shape.3).fold(0.0, f64::max);
        let room = 2.0 * largest;
        let cells = match self.planar {
            true => f64::from(self.count) * TAU / 8.0 / START,
            false => f64::from(self.count) * TAU / 12.0 / START,
        };
        let half = 0.5 * room * if self.planar { cells.sqrt() } else { cells.cbrt() };
        let inner = half - largest;
        let flat = |v: DVec3| if self.planar { v.with_z(0.0) } else { v };
        let mut places: Vec<DVec3> = Vec::new();
        let mut volume = 0.0;
        while places.len() < self.count as usize {
            let place = flat(inner * random.vector());
            if places.iter().any(|other| other.distance_squared(place) < room * room) {
                continue;
            }
            places.push(place);
            let (shape, own_volume, moments, _) = shapes[(random.unit() * shapes.len() as f64) as usize];
            volume += own_volume;
            let orientation = match self.planar {
                true => DQuat::from_rotation_z(TAU * random.unit()),
                false => any_orientation(&mut random),
            };
            let spec = lab.of_shape(shape, own_volume, moments);
            let velocity = self.pace.heat.map_or(DVec3::ZERO, |heat| flat(heat.speed * random.vector()));
            lab.add(BodySpec { pose: Pose { position: place, orientation }, velocity, ..spec });
        }
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        for axis in &axes[..if self.planar { 2 } else { 3 }] {
            lab.wall(*axis, -half * *axis, Motion::Fixed);
            lab.wall(-*axis, half * *axis, Motion::Fixed);
        }
        (lab.start(TIME_STEP), half, volume)
    }

    /// Whether grains of this volume, in a box of this half side, are far from any jammed packing.
    fn is_loose(&self, half: f64, volume: f64) -> bool {
        volume / (2.0 * half).powi(if self.planar { 2 } else { 3 }) < self.loose
    }

    /// Draws moving grains together until their contacts hold as much energy as their motion: half the side of their box then.
    fn stir(&self, heat: Heat, simulation: &mut Simulation, mut half: f64, volume: f64) -> f64 {
        // The density is 1.
        let energy = volume * heat.speed * heat.speed;
        loop {
            let now = simulation.energy();
            if now.elastic >= energy {
                return half;
            }
            let draw = if self.is_loose(half, volume) { LOOSE_DRAW } else { heat.draw };
            half *= 1.0 - draw;
            let kinetic = now.kinetic_translational + now.kinetic_rotational;
            self.squeeze(simulation, 1.0 - draw, (energy / kinetic).sqrt());
        }
    }

    /// Draws everything towards the middle, changes the velocities by a factor, and lets grains push each other apart.
    fn squeeze(&self, simulation: &mut Simulation, factor: f64, calm: f64) {
        // The dashpots act on the velocities at which the contacts are evaluated: these come first.
        simulation.world_mut().scale_velocities(calm).expect("a finite factor");
        simulation.scale_positions(factor).expect("a positive factor");
        simulation.run(STEPS);
    }

    /// Part of a square or cube about the origin that grains cover, as it would be without their overlaps.
    fn core_fraction(&self, simulation: &Simulation, half: f64) -> f64 {
        /// Points along a side of the core at which it is looked whether a grain covers them, in the plane and in space.
        const GRIDS: [u32; 2] = [400, 120];
        let grid = GRIDS[usize::from(!self.planar)];
        let layers = if self.planar { 1 } else { grid };
        let snapshot = simulation.snapshot();
        let shapes = simulation.world().shapes();
        let mut covered = vec![false; (grid * grid * layers) as usize];
        let step = 2.0 * half / f64::from(grid);
        let cell = |x: f64| ((x + half) / step).clamp(0.0, f64::from(grid - 1)) as u32;
        let at = |k: u32| step * (f64::from(k) + 0.5) - half;
        for body in snapshot.bodies.iter().filter(|body| body.mass.is_finite()) {
            let convex = shapes[body.shape.0 as usize].as_convex();
            let (reach, centre) = (convex.bounding_radius(), body.position);
            let deep = if self.planar { 0..=0 } else { cell(centre.z - reach)..=cell(centre.z + reach) };
            for layer in deep {
                let z = if self.planar { 0.0 } else { at(layer) };
                for row in cell(centre.y - reach)..=cell(centre.y + reach) {
                    for column in cell(centre.x - reach)..=cell(centre.x + reach) {
                        let point = DVec3::new(at(column), at(row), z) - centre;
                        let inside = convex.inside_outside(body.orientation.inverse() * point) < 0.0;
                        covered[((layer * grid + row) * grid + column) as usize] |= inside;
                    }
                }
            }
        }
        let fraction = covered.iter().filter(|&&covered| covered).count() as f64 / covered.len() as f64;
        let contacts = &snapshot.contacts;
        let overlap = contacts.iter().map(|contact| -contact.gap).sum::<f64>() / contacts.len() as f64;
        fraction * (1.0 - overlap).powi(if self.planar { 2 } else { 3 })
    }
}

/// A rotation, each as likely as any other (Shoemake).
fn any_orientation(random: &mut Random) -> DQuat {
    let (u, v, w) = (random.unit(), TAU * random.unit(), TAU * random.unit());
    let (a, b) = ((1.0 - u).sqrt(), u.sqrt());
    DQuat::from_xyzw(a * v.sin(), a * v.cos(), b * w.sin(), b * w.cos()).normalize()
}
