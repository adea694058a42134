//! Random packings of frictionless grains, squeezed between walls until they jam.
//!
//! A compression multiplies the positions of all centres and walls by a factor slightly below 1.
//! Between two compressions the grains push each other apart while their velocities are damped. A
//! uniform compression does not accumulate grains at the walls. The packing is jammed if the
//! elastic energy of its contacts remains when the grains come to rest. The packing fraction is
//! that of the core, away from the walls, corrected to zero overlap. Grains that are to become
//! ordered keep moving, like the molecules of a gas, until their neighbours enclose them.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};
use granum_engine::{BodySpec, Damping, EndRule, Motion, Simulation};
use granum_geometry::{Pose, Shape};

use crate::laboratory::{Laboratory, Random, damped_spring};

/// Stiffness, N/m. The density is 1 kg/m³, and grains have about the volume of a ball (or disc) of
/// diameter 1 m.
const STIFFNESS: f64 = 1.0;
/// Coefficient of restitution. It is low, so that grains separate slowly.
const RESTITUTION: f64 = 0.3;
/// Time step, s: a twenty-fifth of the shortest contact, `pi sqrt(m/2k)` of two balls of 0.52 kg.
const TIME_STEP: f64 = 0.064;
/// Number of steps between two compressions: the duration of one and a half contacts, in which an
/// overlap vanishes.
const STEPS: u64 = 40;
/// Elastic energy at which a packing begins to resist compression, given as the overlap of one
/// contact per grain with this energy, in diameters.
const RESISTS: f64 = 3e-4;
/// Elastic energy at which a packing may be jammed, given in the same form, in diameters.
const JAMMED: f64 = 1e-3;
/// Relative decrease of distances in one compression while the packing is loose.
const LOOSE_COMPRESSION: f64 = 4e-3;
/// Number of compressions after which the attempt to jam a packing ends.
const MOST_COMPRESSIONS: u32 = 20_000;
/// Packing fraction of the bounding balls of the grains at the start. At this value, random
/// positions without overlap are found quickly.
const START: f64 = 0.2;

/// Parameters of the compression, and the condition for a jammed packing.
#[derive(Clone, Copy)]
pub(super) struct Compression {
    /// Relative decrease of distances in one compression: of a dense packing, and of one that
    /// resists. The second causes a smaller overlap than [`JAMMED`].
    pub steps: [f64; 2],
    /// Factor of the velocities at each compression, which damps the motion.
    pub damping: f64,
    /// Number of compressions by zero that test whether a packing is jammed.
    pub tests: u32,
    /// Fraction of the elastic energy that must remain after this test.
    pub remaining: f64,
    /// Motion of the grains before they jam; `None` for grains at rest.
    pub agitation: Option<Agitation>,
}

/// Motion of grains during the compression. Their collisions are elastic.
#[derive(Clone, Copy)]
pub(super) struct Agitation {
    /// Speed, m/s. The kinetic energy, including rotation, is the mass of all grains times its
    /// square.
    pub speed: f64,
    /// Relative decrease of distances in one compression.
    pub step: f64,
}

impl Compression {
    /// Fast compression, sufficient for ellipses and ellipsoids, which pass each other by rotation.
    pub const FAST: Self = Self { steps: [5e-4, 1e-4], damping: 0.8, tests: 50, remaining: 0.5, agitation: None };
    /// Slow compression. Balls that are compressed fast jam at too low a packing fraction, 0.632.
    pub const SLOW: Self = Self { steps: [1e-4, 5e-5], damping: 0.95, tests: 200, remaining: 0.8, agitation: None };
    /// Fast compression after a long agitation: while a grain moves by five diameters, distances
    /// decrease by a hundredth.
    pub const AGITATED: Self = Self { agitation: Some(Agitation { speed: 0.01, step: 5e-5 }), ..Self::FAST };
}

/// Description of a packing.
pub(super) struct Recipe {
    /// True in the plane.
    pub planar: bool,
    /// Total number of grains. The shape of each grain is drawn with equal probabilities.
    pub count: u32,
    /// The shapes.
    pub shapes: Vec<Shape>,
    /// Packing fraction up to which the compression is fast: well below that of any jammed packing.
    pub loose: f64,
    /// Distance of the core from the walls, m.
    pub margin: f64,
    /// Parameters of the compression.
    pub compression: Compression,
}

impl Recipe {
    /// Returns a packing in space of grains with about the volume of a ball of diameter 1 m.
    pub fn in_space(count: u32, shape: impl Into<Shape>) -> Self {
        Self {
            planar: false,
            count,
            shapes: vec![shape.into()],
            loose: 0.5,
            margin: 3.0,
            compression: Compression::SLOW,
        }
    }

    /// Returns the packing fraction; NaN if the packing does not jam.
    pub fn jammed_fraction(&self, seed: u64) -> f64 {
        let (mut simulation, mut half, volume) = self.start(seed);
        if let Some(agitation) = self.compression.agitation {
            half = self.agitate(agitation, &mut simulation, half, volume);
        }
        let energy_of = |overlap: f64| 0.5 * STIFFNESS * overlap * overlap * f64::from(self.count);
        for _ in 0..MOST_COMPRESSIONS {
            let elastic = simulation.energy().elastic;
            let is_loose = self.is_loose(half, volume);
            let resists = elastic > energy_of(RESISTS);
            let step = if is_loose { LOOSE_COMPRESSION } else { self.compression.steps[usize::from(resists)] };
            half *= 1.0 - step;
            self.compress(&mut simulation, 1.0 - step, self.compression.damping);
            if !is_loose && simulation.energy().elastic > energy_of(JAMMED) {
                let tests = 0..self.compression.tests;
                tests.for_each(|_| self.compress(&mut simulation, 1.0, self.compression.damping));
                if simulation.energy().elastic > self.compression.remaining * energy_of(JAMMED) {
                    return self.core_fraction(&simulation, half - self.margin);
                }
            }
        }
        f64::NAN
    }

    /// Returns the mean packing fraction over the seeds 1 to `seeds`, and its standard error.
    pub fn mean(&self, seeds: u64) -> (f64, f64) {
        let found: Vec<f64> = (1..=seeds).map(|seed| self.jammed_fraction(seed)).collect();
        let n = found.len() as f64;
        let mean = found.iter().sum::<f64>() / n;
        let variance = found.iter().map(|fraction| (fraction - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (mean, (variance / n).sqrt())
    }

    /// Creates grains at random positions and orientations without contacts. Returns also half the
    /// side of their box, m, and their volume, m³ (m² in the plane).
    fn start(&self, seed: u64) -> (Simulation, f64, f64) {
        let mut random = Random::new(seed);
        let restitution = if self.compression.agitation.is_some() { 1.0 } else { RESTITUTION };
        let law = damped_spring(STIFFNESS, Damping::Restitution(restitution), EndRule::NoTension);
        let mut lab = if self.planar { Laboratory::planar(law) } else { Laboratory::new(law) };
        let shapes: Vec<_> = self
            .shapes
            .iter()
            .map(|shape| {
                let properties = shape.as_convex().mass_properties();
                let moments = properties.principal_moments().expect("the axes are principal axes");
                let id = lab.world.add_shape(shape.clone()).expect("a valid shape");
                (id, properties.volume, moments, shape.as_convex().bounding_radius())
            })
            .collect();
        let largest = shapes.iter().map(|shape| shape.3).fold(0.0, f64::max);
        let diameter = 2.0 * largest;
        let cells = match self.planar {
            true => f64::from(self.count) * TAU / 8.0 / START,
            false => f64::from(self.count) * TAU / 12.0 / START,
        };
        let half = 0.5 * diameter * if self.planar { cells.sqrt() } else { cells.cbrt() };
        let inner = half - largest;
        let flat = |v: DVec3| if self.planar { v.with_z(0.0) } else { v };
        let mut positions: Vec<DVec3> = Vec::new();
        let mut volume = 0.0;
        while positions.len() < self.count as usize {
            let position = flat(inner * random.vector());
            if positions.iter().any(|other| other.distance_squared(position) < diameter * diameter) {
                continue;
            }
            positions.push(position);
            let (shape, own_volume, moments, _) = shapes[(random.unit() * shapes.len() as f64) as usize];
            volume += own_volume;
            let orientation = match self.planar {
                true => DQuat::from_rotation_z(TAU * random.unit()),
                false => any_orientation(&mut random),
            };
            let spec = lab.of_shape(shape, own_volume, moments);
            let velocity =
                self.compression.agitation.map_or(DVec3::ZERO, |motion| flat(motion.speed * random.vector()));
            lab.add(BodySpec { pose: Pose { position, orientation }, velocity, ..spec });
        }
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        for axis in &axes[..if self.planar { 2 } else { 3 }] {
            lab.wall(*axis, -half * *axis, Motion::Fixed);
            lab.wall(-*axis, half * *axis, Motion::Fixed);
        }
        (lab.start(TIME_STEP), half, volume)
    }

    /// Returns true if grains of this volume, in a box of this half side, are far from jamming.
    fn is_loose(&self, half: f64, volume: f64) -> bool {
        volume / (2.0 * half).powi(if self.planar { 2 } else { 3 }) < self.loose
    }

    /// Compresses moving grains until the elastic energy of their contacts equals their kinetic
    /// energy. Returns half the side of their box, m.
    fn agitate(&self, agitation: Agitation, simulation: &mut Simulation, mut half: f64, volume: f64) -> f64 {
        // The density is 1 kg/m³, so the volume is the mass.
        let energy = volume * agitation.speed * agitation.speed;
        loop {
            let now = simulation.energy();
            if now.elastic >= energy {
                return half;
            }
            let step = if self.is_loose(half, volume) { LOOSE_COMPRESSION } else { agitation.step };
            half *= 1.0 - step;
            let kinetic = now.kinetic_translational + now.kinetic_rotational;
            self.compress(simulation, 1.0 - step, (energy / kinetic).sqrt());
        }
    }

    /// Multiplies all positions by `factor` and all velocities by `damping`, and then runs
    /// [`STEPS`] steps, in which overlapping grains push each other apart.
    fn compress(&self, simulation: &mut Simulation, factor: f64, damping: f64) {
        // The velocities are changed first, because `scale_positions` evaluates the contacts, whose
        // dashpots depend on the velocities.
        simulation.world_mut().scale_velocities(damping).expect("the factor is finite");
        simulation.scale_positions(factor).expect("the factor is positive");
        simulation.run(STEPS);
    }

    /// Returns the fraction of a square or cube about the origin that grains cover, corrected to
    /// zero overlap.
    fn core_fraction(&self, simulation: &Simulation, half: f64) -> f64 {
        /// Number of sampled points along a side of the core, in the plane and in space.
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
            let (radius, centre) = (convex.bounding_radius(), body.position);
            let deep = if self.planar { 0..=0 } else { cell(centre.z - radius)..=cell(centre.z + radius) };
            for layer in deep {
                let z = if self.planar { 0.0 } else { at(layer) };
                for row in cell(centre.y - radius)..=cell(centre.y + radius) {
                    for column in cell(centre.x - radius)..=cell(centre.x + radius) {
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

/// Returns a uniformly distributed random rotation \[Shoemake1992\].
fn any_orientation(random: &mut Random) -> DQuat {
    let (u, v, w) = (random.unit(), TAU * random.unit(), TAU * random.unit());
    let (a, b) = ((1.0 - u).sqrt(), u.sqrt());
    DQuat::from_xyzw(a * v.sin(), a * v.cos(), b * w.sin(), b * w.cos()).normalize()
}
