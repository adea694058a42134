//! Inlets: grains that are added to the world during a run.
//!
//! The random numbers of a grain depend on the seed, the inlet and the number of the grain only.
//! Therefore the state of an inlet is little more than the number of grains it has added. A grain
//! that is due is added as soon as a free position is found; until then, the grains after it wait.

use glam::{DQuat, DVec3};
use granum_engine::{BodySpec, IncomingGrains, MaterialId, ShapeId, Simulation, World};
use granum_geometry::contact::general::are_apart;
use granum_geometry::random::Random;
use granum_geometry::{Pair, Pose, Shape};
use serde::{Deserialize, Serialize};

use crate::build::grains::body_axes;
use crate::build::wall_clearance::Walls;
use crate::error::SceneError;
use crate::format::{Grains, InletTable, Scene};
use crate::read::planar;
use crate::read::source::Source;
use crate::shape::{GrainShapes, ShapeError};

/// Number of steps between two calls that add grains. An added body requires a new neighbour list,
/// and a run builds one about this often in any case.
pub(super) const EVERY: u64 = 25;

/// Number of random positions that are tried for a grain in one call.
const TRIES: u32 = 50;

/// Largest ratio of a slim grain's volume to that of its bounding ball. Needles and coins are
/// tested by their exact shapes, because their bounding balls would block a mostly empty inlet.
const SLIM: f64 = 0.25;

/// Number of grains from which the mean mass is estimated.
const SAMPLE: usize = 100;

/// Reason for which an inlet without a region is refused.
pub const NO_REGION: &str = "give `min` and `max` for a box, or `centre` and `radius` for a disc";

/// Reason for which an inlet without a rate is refused.
pub const NO_RATE: &str = "give `rate` (grains per second) or `mass_rate` (\"1 kg/s\"), or the `stop` of the inlet \
                           and the `count` or `mass` of its grains";

/// The region in which grains are added, m.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Region {
    Box {
        min: DVec3,
        max: DVec3,
    },
    /// A disc; `across` and `along` are orthogonal unit vectors of its plane.
    Disc {
        centre: DVec3,
        radius: f64,
        across: DVec3,
        along: DVec3,
    },
}

/// The rate at which grains become due.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rate {
    /// Number of grains per time, 1/s.
    Grains(f64),
    /// Mass per time, kg/s.
    Mass(f64),
}

/// An inlet of a scene. It does not change; [`InletState`] does.
#[derive(Clone, Debug, PartialEq)]
pub struct Inlet {
    /// Group of the grains, and name in messages.
    name: String,
    /// Index of the `[[grains]]` table.
    index: u64,
    grains: Grains,
    shapes: GrainShapes,
    material: MaterialId,
    region: Region,
    /// True if grains stay in the plane z = 0.
    planar: bool,
    rate: Rate,
    /// Time at which the first grain is due, s.
    start: f64,
    /// Time at which the inlet closes, s; infinite if only the amount of grains closes it.
    stop: f64,
}

/// Progress of an inlet. It is saved with the world.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct InletState {
    /// Number of grains added so far.
    pub poured: u64,
    /// Mass of these grains, kg.
    pub mass: f64,
    /// True after the inlet has closed; it does not open again.
    pub closed: bool,
    /// True if a grain has had to wait for a free position.
    waited: bool,
    /// The shape of the grains if all have the same; `None` before the first grain.
    shape: Option<ShapeId>,
}

/// A grain of the world that a new one could touch.
struct NearbyGrain {
    centre: DVec3,
    radius: f64,
    shape: ShapeId,
    orientation: DQuat,
}

/// A grain that has not been added yet.
struct NewGrain {
    shape: Shape,
    /// Mass, kg.
    mass: f64,
    orientation: DQuat,
    /// Velocity, m/s.
    velocity: DVec3,
}

impl Scene {
    /// Returns the bodies that inlets will add, for the check of contact laws and for the time
    /// step.
    pub(crate) fn incoming_grains(&self, world: &World) -> Result<Vec<IncomingGrains>, SceneError> {
        Inlet::all(self, world)?.iter().map(|inlet| inlet.incoming(&self.source, world)).collect()
    }

    /// Returns an estimate of the mean mass of a grain, kg; `None` if its material or shape is
    /// invalid.
    pub fn mean_mass(&self, grains: &Grains) -> Option<f64> {
        let shapes = grains.shapes().ok()?;
        let mut random = Random::stream(grains.seed, 0);
        let volume = |_| Some(shapes.draw(&mut random).ok()?.as_convex().mass_properties().volume);
        let volumes: Option<Vec<f64>> = (0..SAMPLE).map(volume).collect();
        Some(self.materials.get(&grains.material)?.density * volumes?.iter().sum::<f64>() / SAMPLE as f64)
    }
}

impl Inlet {
    /// Returns the inlets of a scene.
    pub fn all(scene: &Scene, world: &World) -> Result<Vec<Self>, SceneError> {
        let tables = scene.grains.iter().enumerate();
        let inlets = tables.filter_map(|(index, grains)| Some((index, grains, grains.inlet.as_ref()?)));
        inlets.map(|(index, grains, table)| Self::new(scene, world, index, grains, table)).collect()
    }

    fn new(
        scene: &Scene,
        world: &World,
        index: usize,
        grains: &Grains,
        table: &InletTable,
    ) -> Result<Self, SceneError> {
        let path = format!("grains[{index}]");
        let source = &scene.source;
        let shape_error = |error: ShapeError| error.at(source, &path, &grains.shape);
        let shapes = grains.shapes().map_err(shape_error)?;
        let [_, largest] = shapes.extremes().map_err(shape_error)?;
        let inlet_error = |reason: &str| source.error(&format!("{path}.inlet"), reason);
        let region = Region::of(table).ok_or_else(|| inlet_error(NO_REGION))?;
        let planar = scene.is_planar();
        let radius = largest.as_convex().bounding_radius();
        if !region.holds(radius, planar) {
            let diameter = 2.0 * radius;
            return Err(inlet_error(&format!(
                "must be larger than the largest grain, whose bounding ball has the diameter {diameter:.4e} m"
            )));
        }
        // Without a rate, the grains are distributed evenly over the time until the inlet closes.
        let duration = table.stop.unwrap_or(scene.end_time()) - table.start;
        let rate = match (table.rate, table.mass_rate, grains.count, grains.mass) {
            (Some(rate), ..) => Rate::Grains(rate),
            (_, Some(rate), ..) => Rate::Mass(rate),
            (.., Some(count), _) => Rate::Grains(count as f64 / duration),
            (.., Some(mass)) => Rate::Mass(mass / duration),
            (None, None, None, None) => return Err(inlet_error(NO_RATE)),
        };
        let material = world.material_named(&grains.material);
        let material = material.ok_or_else(|| {
            source.error(&format!("{path}.material"), format!("unknown material `{}`", grains.material))
        })?;
        Ok(Self {
            name: grains.name.clone().unwrap_or(path),
            index: index as u64,
            grains: grains.clone(),
            shapes,
            material,
            region,
            planar,
            rate,
            start: table.start,
            stop: table.stop.unwrap_or(f64::INFINITY),
        })
    }

    /// Returns a description of the grains to be added.
    fn incoming(&self, source: &Source, world: &World) -> Result<IncomingGrains, SceneError> {
        let path = format!("grains[{}]", self.index);
        let [least, _] = self.shapes.extremes().map_err(|error| error.at(source, &path, &self.grains.shape))?;
        let up = -world.gravity();
        let [low, high] = self.region.bounds();
        let density = world.material(self.material).density;
        Ok(IncomingGrains {
            material: self.material,
            mass: density * least.as_convex().mass_properties().volume,
            radius: least.as_convex().bounding_radius(),
            centre: DVec3::select(up.cmpgt(DVec3::ZERO), high, low),
            speed: self.grains.velocity.length() + self.grains.random_velocity.length(),
        })
    }

    /// Returns the time at which the next grain is due, s.
    fn due(&self, state: &InletState) -> f64 {
        self.start
            + match self.rate {
                Rate::Grains(rate) => state.poured as f64 / rate,
                Rate::Mass(rate) => state.mass / rate,
            }
    }

    /// Returns the next step after `step` at which [`Inlet::pour`] must be called.
    pub fn next_event(&self, state: &InletState, step: u64, time_step: f64) -> u64 {
        if state.closed {
            return u64::MAX;
        }
        let due = (self.due(state).min(self.stop) / time_step).ceil() as u64;
        due.max(step + 1).next_multiple_of(EVERY)
    }

    /// Adds the grains that are due, and returns messages for the user.
    pub fn pour(&self, state: &mut InletState, simulation: &mut Simulation) -> Vec<String> {
        let mut messages = Vec::new();
        let (step, time) = (simulation.world().steps(), simulation.world().time());
        if state.closed || !step.is_multiple_of(EVERY) {
            return messages;
        }
        let mut nearby = None;
        while !state.closed && self.due(state) <= time.min(self.stop) {
            let grain = self.draw_grain(state.poured, simulation.world());
            if self.is_enough(state, grain.mass) {
                state.closed = true;
                break;
            }
            let nearby = nearby.get_or_insert_with(|| self.nearby_grains(simulation.world()));
            let Some(centre) = self.find_position(state.poured, &grain, nearby, simulation.world()) else {
                if !state.waited {
                    messages.push(format!("{}: the inlet is blocked; its grains wait for a free position", self.name));
                }
                state.waited = true;
                break;
            };
            let (orientation, radius) = (grain.orientation, grain.shape.as_convex().bounding_radius());
            if let Some(shape) = self.add(state, grain, centre, simulation.world_mut()) {
                nearby.push(NearbyGrain { centre, radius, shape, orientation });
            }
        }
        if !state.closed && (time >= self.stop || self.due(state) > self.stop) {
            state.closed = true;
            if self.due(state) <= self.stop {
                messages.push(format!(
                    "{}: the inlet has closed while grains were waiting; {} were added",
                    self.name, state.poured
                ));
            }
        }
        messages
    }

    /// Returns whether the count or the mass of the grains is reached.
    ///
    /// The last grain, of mass `more`, is added only if the mass is then closer to its target.
    fn is_enough(&self, state: &InletState, more: f64) -> bool {
        let by_count = self.grains.count.is_some_and(|count| state.poured >= count);
        let by_mass = self.grains.mass.is_some_and(|total| {
            state.mass >= total || (state.poured > 0 && state.mass + more - total > total - state.mass)
        });
        by_count || by_mass
    }

    /// Draws the grain of this number.
    fn draw_grain(&self, number: u64, world: &World) -> NewGrain {
        let mut random = Random::keyed(&[self.grains.seed, self.index, number, 0]);
        // The shapes at the ends of all distributions were valid, so those between are valid too.
        let shape = self.shapes.draw(&mut random).or_else(|_| self.shapes.extremes().map(|[_, most]| most));
        let shape = shape.unwrap_or_else(|_| world.shapes()[0].clone());
        let orientation = body_axes(self.grains.draw_orientation(&mut random, self.planar), &shape);
        let deviation = DVec3::new(random.signed(), random.signed(), random.signed());
        let density = world.material(self.material).density;
        NewGrain {
            mass: density * shape.as_convex().mass_properties().volume,
            shape,
            orientation,
            velocity: self.grains.velocity + deviation * self.grains.random_velocity,
        }
    }

    /// Returns the grains of the world that a new one could touch.
    fn nearby_grains(&self, world: &World) -> Vec<NearbyGrain> {
        let [low, high] = self.region.bounds();
        let grains = world.grains().map(|grain| NearbyGrain {
            centre: grain.position,
            radius: world.bounding_radius(grain.id),
            shape: grain.shape,
            orientation: grain.orientation,
        });
        let is_near = |grain: &NearbyGrain| {
            let nearest = grain.centre.clamp(low, high);
            (grain.centre - nearest).length_squared() <= grain.radius * grain.radius
        };
        grains.filter(is_near).collect()
    }

    /// Returns a free position for a grain, if one is found.
    ///
    /// The step is part of the key, so that a waiting grain tries other positions in each call.
    fn find_position(&self, number: u64, grain: &NewGrain, nearby: &[NearbyGrain], world: &World) -> Option<DVec3> {
        let walls = Walls::of(world);
        let radius = grain.shape.as_convex().bounding_radius();
        let ball = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        let slim = !self.planar && grain.shape.as_convex().mass_properties().volume < SLIM * ball;
        let mut random = Random::keyed(&[self.grains.seed, self.index, number, 1 + world.steps()]);
        (0..TRIES).map(|_| self.region.point(radius, self.planar, &mut random)).find(|&centre| {
            let pose = Pose { position: centre, orientation: grain.orientation };
            let is_separated = |near: &NearbyGrain| {
                let sum = radius + near.radius;
                (near.centre - centre).length_squared() > sum * sum
                    || slim && near.is_separated_from(&grain.shape, &pose, world)
            };
            nearby.iter().all(is_separated) && walls.are_clear_of(&grain.shape, &pose)
        })
    }

    /// Adds a grain to the world and returns its shape.
    fn add(&self, state: &mut InletState, grain: NewGrain, centre: DVec3, world: &mut World) -> Option<ShapeId> {
        // The shapes were checked when the scene was built, so the world accepts them.
        let shape = match state.shape {
            Some(shape) => Ok(shape),
            None => world.add_shape(grain.shape),
        };
        let shape = shape.ok()?;
        state.shape = self.shapes.is_fixed().then_some(shape);
        let pose = Pose { position: centre, orientation: grain.orientation };
        let (velocity, spin) = (grain.velocity, self.grains.spin);
        let added = world.add_body(BodySpec { pose, velocity, spin, ..BodySpec::at(shape, self.material, centre) });
        if let Ok(id) = added {
            let named = world.name_bodies(&self.name, id.0..id.0 + 1);
            debug_assert_eq!(named, Ok(()));
        }
        state.poured += 1;
        state.mass += grain.mass;
        Some(shape)
    }
}

impl NearbyGrain {
    fn is_separated_from(&self, shape: &Shape, pose: &Pose, world: &World) -> bool {
        let own = Pose { position: self.centre, orientation: self.orientation };
        are_apart(&Pair::new(world.shape(self.shape), &own, shape, pose))
    }
}

impl Region {
    /// Returns the region of a table; `None` if the table describes neither a box nor a disc.
    fn of(table: &InletTable) -> Option<Self> {
        match (table.centre, table.radius) {
            (Some(centre), Some(radius)) => {
                // With this default, the disc of a planar scene lies in the plane z = 0.
                let normal = table.normal.unwrap_or(DVec3::Z).normalize();
                let (across, along) = granum_geometry::numeric::math::tangent_frame(normal);
                Some(Self::Disc { centre, radius, across, along })
            }
            _ => Some(Self::Box { min: table.min?, max: table.max? }),
        }
    }

    /// Returns whether a ball fits into the region.
    fn holds(&self, radius: f64, planar: bool) -> bool {
        match self {
            Self::Box { min, max } => (*max - *min - 2.0 * radius * planar::axes(planar)).min_element() >= 0.0,
            Self::Disc { radius: disc, .. } => *disc >= radius,
        }
    }

    /// Returns the corners of a box that contains every new grain, m.
    fn bounds(&self) -> [DVec3; 2] {
        match *self {
            Self::Box { min, max } => [min, max],
            Self::Disc { centre, radius, .. } => [centre - radius, centre + radius],
        }
    }

    /// Returns a random centre for a grain of this bounding radius, m.
    fn point(&self, radius: f64, planar: bool, random: &mut Random) -> DVec3 {
        match *self {
            Self::Box { min, max } => {
                let fraction = DVec3::new(random.unit(), random.unit(), random.unit());
                let margin = radius * planar::axes(planar);
                min + margin + fraction * (max - min - 2.0 * margin)
            }
            Self::Disc { centre, radius: disc, across, along } => {
                // The square root makes the points uniform over the area.
                let distance = (disc - radius) * random.unit().sqrt();
                let (sin, cos) = libm::sincos(std::f64::consts::TAU * random.unit());
                centre + distance * (cos * across + sin * along)
            }
        }
    }
}
