//! Grains that are poured over time.
//!
//! Every grain is drawn from a sequence of its own (seed, group, number), so that all that has to be saved is how many
//! have come. A grain that is due comes as soon as it finds room; while it waits, those after it wait as well.

use glam::{DQuat, DVec3};
use granum_engine::{BodySpec, IncomingGrains, MaterialId, ShapeId, Simulation, World};
use granum_geometry::contact::general::are_apart;
use granum_geometry::{Pair, Pose, Shape};
use serde::{Deserialize, Serialize};

use crate::error::SceneError;
use crate::format::{Grains, InletTable, Scene};
use crate::grains::body_axes;
use crate::planar;
use crate::room::Walls;
use crate::shape_table::GrainShapes;
use granum_geometry::random::Random;

/// Steps between two looks at what is due. Every body that comes costs a new neighbour list, which a run makes about
/// this often anyway.
const EVERY: u64 = 25;

/// Random places that are tried for a grain at one look.
const TRIES: u32 = 50;

/// Part of its bounding ball below which a grain is slim: by their balls needles and coins would find no room where there is plenty.
const SLIM: f64 = 0.25;

/// Where grains come from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Region {
    Box { min: DVec3, max: DVec3 },
    Disc { centre: DVec3, radius: f64, across: DVec3, along: DVec3 },
}

/// How soon one grain comes after another.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rate {
    /// 1/s.
    Grains(f64),
    /// kg/s.
    Mass(f64),
}

/// An inlet, as the scene describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Inlet {
    name: String,
    index: u64,
    grains: Grains,
    shapes: GrainShapes,
    material: MaterialId,
    region: Region,
    /// Whether grains stay in the plane z = 0.
    planar: bool,
    rate: Rate,
    start: f64,
    stop: f64,
}

/// How far an inlet has come.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct InletState {
    /// Grains that have come.
    pub poured: u64,
    /// Their mass, kg.
    pub mass: f64,
    /// Whether it is closed for good.
    pub closed: bool,
    /// Whether a grain has ever waited.
    waited: bool,
    /// The shape of all its grains, where it is one.
    shape: Option<ShapeId>,
}

/// A grain that one to come could touch.
struct Near {
    centre: DVec3,
    radius: f64,
    shape: ShapeId,
    orientation: DQuat,
}

/// One grain to come.
struct Grain {
    shape: Shape,
    mass: f64,
    orientation: DQuat,
    velocity: DVec3,
}

impl Scene {
    /// What inlets will bring, for laws and the time step.
    pub(crate) fn coming(&self, world: &World) -> Result<Vec<IncomingGrains>, SceneError> {
        Inlet::all(self, world)?.iter().map(|inlet| inlet.coming(world)).collect()
    }
}

impl Scene {
    /// Mass of an average grain, kg, from a hundred of them; none if its material or shape is not good.
    pub fn mean_mass(&self, grains: &Grains) -> Option<f64> {
        const SAMPLE: usize = 100;
        let shapes = grains.shapes().ok()?;
        let mut random = Random::stream(grains.seed, 0);
        let volume = |_| Some(shapes.draw(&mut random).ok()?.as_convex().mass_properties().volume);
        let volumes: Option<Vec<f64>> = (0..SAMPLE).map(volume).collect();
        Some(self.materials.get(&grains.material)?.density * volumes?.iter().sum::<f64>() / SAMPLE as f64)
    }
}

impl Inlet {
    /// The inlets of a scene.
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
        let shapes = grains.shapes().map_err(|fault| fault.of(source, &path, &grains.shape))?;
        let [_, most] = shapes.extremes().map_err(|fault| fault.of(source, &path, &grains.shape))?;
        let region = Region::of(table);
        let planar = scene.is_planar();
        if !region.holds(most.as_convex().bounding_radius(), planar) {
            let reason = format!(
                "must have room for the largest grain, whose bounding ball has the diameter {:.4e} m",
                2.0 * most.as_convex().bounding_radius()
            );
            return Err(source.fault(&format!("{path}.inlet"), reason));
        }
        // Without a rate they come evenly until the inlet closes; `check` has seen to it that one or the other is there.
        let duration = table.stop.unwrap_or(scene.end_time()) - table.start;
        let rate = match (table.rate, table.mass_rate, grains.count, grains.mass) {
            (Some(rate), ..) => Rate::Grains(rate),
            (_, Some(rate), ..) => Rate::Mass(rate),
            (.., Some(count), _) => Rate::Grains(count as f64 / duration),
            (.., mass) => Rate::Mass(mass.unwrap_or(0.0) / duration),
        };
        let material = world.materials.iter().position(|material| material.name == grains.material);
        Ok(Self {
            name: grains.name.clone().unwrap_or(path),
            index: index as u64,
            grains: grains.clone(),
            shapes,
            material: MaterialId(material.unwrap_or(0) as u16),
            region,
            planar,
            rate,
            start: table.start,
            stop: table.stop.unwrap_or(f64::INFINITY),
        })
    }

    /// What comes, for the time step.
    pub fn coming(&self, world: &World) -> Result<IncomingGrains, SceneError> {
        let fault =
            |fault: crate::shape_table::ShapeFault| fault.of(&Default::default(), &self.name, &self.grains.shape);
        let [least, _] = self.shapes.extremes().map_err(fault)?;
        let up = -world.gravity;
        let [low, high] = self.region.bounds();
        let density = world.materials[self.material.0 as usize].density;
        Ok(IncomingGrains {
            material: self.material,
            mass: density * least.as_convex().mass_properties().volume,
            radius: least.as_convex().bounding_radius(),
            centre: DVec3::select(up.cmpgt(DVec3::ZERO), high, low),
            speed: self.grains.velocity.length() + self.grains.random_velocity.length(),
        })
    }

    /// Time at which the next grain is due, s.
    fn due(&self, state: &InletState) -> f64 {
        self.start
            + match self.rate {
                Rate::Grains(rate) => state.poured as f64 / rate,
                Rate::Mass(rate) => state.mass / rate,
            }
    }

    /// The next step after `step` at which something is to be done.
    pub fn next_event(&self, state: &InletState, step: u64, time_step: f64) -> u64 {
        if state.closed {
            return u64::MAX;
        }
        let due = (self.due(state).min(self.stop) / time_step).ceil() as u64;
        due.max(step + 1).next_multiple_of(EVERY)
    }

    /// Pours what is due.
    pub fn pour(&self, state: &mut InletState, simulation: &mut Simulation) -> Vec<String> {
        let mut told = Vec::new();
        let (step, time) = (simulation.world().step, simulation.world().time());
        if state.closed || !step.is_multiple_of(EVERY) {
            return told;
        }
        let mut around = None;
        while !state.closed && self.due(state) <= time.min(self.stop) {
            let grain = self.grain(state.poured, simulation.world());
            if self.is_enough(state, grain.mass) {
                state.closed = true;
                break;
            }
            let around = around.get_or_insert_with(|| self.around(simulation.world()));
            let Some(centre) = self.place(state.poured, &grain, around, simulation.world()) else {
                if !state.waited {
                    told.push(format!("{}: the inlet is blocked; its grains wait for room", self.name));
                }
                state.waited = true;
                break;
            };
            let (orientation, radius) = (grain.orientation, grain.shape.as_convex().bounding_radius());
            if let Some(shape) = self.add(state, grain, centre, simulation.world_mut()) {
                around.push(Near { centre, radius, shape, orientation });
            }
        }
        if !state.closed && (time >= self.stop || self.due(state) > self.stop) {
            state.closed = true;
            if self.due(state) <= self.stop {
                told.push(format!(
                    "{}: the inlet has closed while grains were waiting; {} came",
                    self.name, state.poured
                ));
            }
        }
        told
    }

    /// Whether the count or the mass is reached; a last grain comes only if it brings the mass nearer.
    fn is_enough(&self, state: &InletState, more: f64) -> bool {
        let by_count = self.grains.count.is_some_and(|count| state.poured >= count);
        let by_mass = self.grains.mass.is_some_and(|total| {
            state.mass >= total || (state.poured > 0 && state.mass + more - total > total - state.mass)
        });
        by_count || by_mass
    }

    /// The grain of this number.
    fn grain(&self, number: u64, world: &World) -> Grain {
        let mut random = Random::keyed(&[self.grains.seed, self.index, number, 0]);
        // The shapes at the ends of all distributions were built before; what lies between is as good.
        let shape = self.shapes.draw(&mut random).or_else(|_| self.shapes.extremes().map(|[_, most]| most));
        let shape = shape.unwrap_or_else(|_| world.shapes[0].clone());
        let orientation = body_axes(self.grains.turned(&mut random, self.planar), &shape);
        let away = DVec3::new(random.signed(), random.signed(), random.signed());
        let density = world.materials[self.material.0 as usize].density;
        Grain {
            mass: density * shape.as_convex().mass_properties().volume,
            shape,
            orientation,
            velocity: self.grains.velocity + away * self.grains.random_velocity,
        }
    }

    /// Grains that a new one could touch.
    fn around(&self, world: &World) -> Vec<Near> {
        let [low, high] = self.region.bounds();
        let bodies = &world.bodies;
        let grains = (0..bodies.len()).filter(|&k| bodies.kinetic[k].tag.is_dynamic());
        let near = grains.filter(|&k| {
            let place = &bodies.place[k];
            let nearest = place.centre.clamp(low, high);
            (place.centre - nearest).length_squared() <= place.radius * place.radius
        });
        near.map(|k| Near {
            centre: bodies.place[k].centre,
            radius: bodies.place[k].radius,
            shape: bodies.kinetic[k].tag.shape,
            orientation: bodies.orientation[k],
        })
        .collect()
    }

    /// A place for a grain, if one is found. A grain that waits tries other places at every look.
    fn place(&self, number: u64, grain: &Grain, around: &[Near], world: &World) -> Option<DVec3> {
        let walls = Walls::of(world);
        let radius = grain.shape.as_convex().bounding_radius();
        let ball = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        let slim = !self.planar && grain.shape.as_convex().mass_properties().volume < SLIM * ball;
        let mut random = Random::keyed(&[self.grains.seed, self.index, number, 1 + world.step]);
        (0..TRIES).map(|_| self.region.point(radius, self.planar, &mut random)).find(|&centre| {
            let pose = Pose { position: centre, orientation: grain.orientation };
            let apart = |near: &Near| {
                let reach = radius + near.radius;
                (near.centre - centre).length_squared() > reach * reach
                    || slim && near.is_apart_from(&grain.shape, &pose, world)
            };
            around.iter().all(apart) && walls.leave_room(&grain.shape, &pose)
        })
    }

    /// Puts a grain into the world, and tells its shape.
    fn add(&self, state: &mut InletState, grain: Grain, centre: DVec3, world: &mut World) -> Option<ShapeId> {
        // Sizes and numbers were checked when the scene was built: nothing here can be refused.
        let shape = match state.shape {
            Some(shape) => Ok(shape),
            None => world.add_shape(grain.shape),
        };
        let shape = shape.ok()?;
        state.shape = self.shapes.is_fixed().then_some(shape);
        let pose = Pose { position: centre, orientation: grain.orientation };
        let (velocity, spin) = (grain.velocity, self.grains.spin);
        let added = world.pour(BodySpec { pose, velocity, spin, ..BodySpec::at(shape, self.material, centre) });
        if let Ok(id) = added {
            world.note_group(&self.name, id.0..id.0 + 1);
        }
        state.poured += 1;
        state.mass += grain.mass;
        Some(shape)
    }
}

impl Near {
    fn is_apart_from(&self, shape: &Shape, pose: &Pose, world: &World) -> bool {
        let own = Pose { position: self.centre, orientation: self.orientation };
        are_apart(&Pair::new(&world.shapes[self.shape.0 as usize], &own, shape, pose))
    }
}

impl Region {
    fn of(table: &InletTable) -> Self {
        match (table.centre, table.radius) {
            (Some(centre), Some(radius)) => {
                // In the plane z = 0 the disc lies in it.
                let normal = table.normal.unwrap_or(DVec3::Z).normalize();
                let (across, along) = granum_geometry::numeric::math::tangent_frame(normal);
                Self::Disc { centre, radius, across, along }
            }
            _ => Self::Box { min: table.min.unwrap_or_default(), max: table.max.unwrap_or_default() },
        }
    }

    fn holds(&self, radius: f64, planar: bool) -> bool {
        match self {
            Self::Box { min, max } => (*max - *min - 2.0 * radius * planar::axes(planar)).min_element() >= 0.0,
            Self::Disc { radius: disc, .. } => *disc >= radius,
        }
    }

    /// A box that holds every grain that comes.
    fn bounds(&self) -> [DVec3; 2] {
        match *self {
            Self::Box { min, max } => [min, max],
            Self::Disc { centre, radius, .. } => [centre - radius, centre + radius],
        }
    }

    /// A random place of a grain of this radius.
    fn point(&self, radius: f64, planar: bool, random: &mut Random) -> DVec3 {
        match *self {
            Self::Box { min, max } => {
                let part = DVec3::new(random.unit(), random.unit(), random.unit());
                let margin = radius * planar::axes(planar);
                min + margin + part * (max - min - 2.0 * margin)
            }
            Self::Disc { centre, radius: disc, across, along } => {
                let distance = (disc - radius) * random.unit().sqrt();
                let (sin, cos) = libm::sincos(std::f64::consts::TAU * random.unit());
                centre + distance * (cos * across + sin * along)
            }
        }
    }
}
