//! Creation of the bodies of a `[[grains]]` table.

use glam::{DQuat, DVec3};
use granum_engine::{BodySpec, MaterialId, ShapeId, World};
use granum_geometry::random::Random;
use granum_geometry::{Pose, Shape};

use crate::build::Builder;
use crate::build::initial_overlap::Accepted;
use crate::build::insertion::{self, DoesNotFit, UnplacedGrain};
use crate::build::memory;
use crate::build::positions::Positions;
use crate::check::MOST_BODIES;
use crate::error::SceneError;
use crate::format::{GrainTable, Grains, RandomBox};
use crate::shape::{GrainShapes, ShapeError};
use crate::value::orientation;

/// Number of the first random stream of orientations. It is far from the streams of positions,
/// sizes and velocities, which begin at 0 and take three numbers for each table.
const ORIENTATIONS: u64 = 1 << 40;

/// The start pose of a grain, and its velocities where a table gives them.
pub(super) struct PlacedGrain {
    /// Centre of mass, m.
    pub(super) centre: DVec3,
    pub(super) orientation: DQuat,
    /// Velocity, m/s; `None` for that of the `[[grains]]` table.
    velocity: Option<DVec3>,
    /// Angular velocity, rad/s; `None` for that of the `[[grains]]` table.
    spin: Option<DVec3>,
}

/// The shapes of the grains of one table, in the order of the grains.
pub(super) enum DrawnShapes {
    /// One shape for this number of grains.
    Shared(Shape, u64),
    /// One shape for each grain.
    Individual(Vec<Shape>),
}

impl DrawnShapes {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Shared(_, count) => *count as usize,
            Self::Individual(shapes) => shapes.len(),
        }
    }

    /// Returns the largest bounding radius, m.
    fn largest_radius(&self) -> f64 {
        let radius = |shape: &Shape| shape.as_convex().bounding_radius();
        match self {
            Self::Shared(shape, _) => radius(shape),
            Self::Individual(shapes) => shapes.iter().map(radius).fold(0.0, f64::max),
        }
    }

    /// Drops all but the first `count` grains.
    fn truncate(&mut self, count: u64) {
        match self {
            Self::Shared(_, all) => *all = count.min(*all),
            Self::Individual(shapes) => shapes.truncate(count as usize),
        }
    }

    pub(super) fn get(&self, k: usize) -> &Shape {
        match self {
            Self::Shared(shape, _) => shape,
            Self::Individual(shapes) => &shapes[k],
        }
    }
}

/// One independent sequence of random numbers for each purpose, so that a change of one, as of the
/// sizes, leaves the others as they are.
pub(super) struct Streams {
    pub(super) positions: Random,
    pub(super) sizes: Random,
    velocities: Random,
    pub(super) orientations: Random,
}

impl Streams {
    fn new(seed: u64, index: usize) -> Self {
        let stream = |purpose: u64| Random::stream(seed, 3 * index as u64 + purpose);
        let orientations = Random::stream(seed, ORIENTATIONS + index as u64);
        Self { positions: stream(0), sizes: stream(1), velocities: stream(2), orientations }
    }
}

/// A `[[grains]]` table while its bodies are created.
pub(super) struct Group<'a> {
    /// Field of the table, such as `grains[0]`.
    pub(super) path: String,
    pub(super) grains: &'a Grains,
    pub(super) shapes: GrainShapes,
    /// Bounding radii of the shapes at the low and at the high ends of all distributions, m.
    radii: [f64; 2],
    pub(super) material: MaterialId,
}

impl Grains {
    /// Returns the shapes of these grains.
    pub(crate) fn shapes(&self) -> Result<GrainShapes, ShapeError> {
        let sized = self.table.as_ref().is_some_and(|table| table.has_sizes());
        GrainShapes::new(&self.shape, self.size.as_ref(), sized)
    }

    /// Returns the orientation of one grain, drawn from `random` if it is random.
    pub(crate) fn draw_orientation(&self, random: &mut Random, planar: bool) -> DQuat {
        self.angle.map_or_else(|| self.orientation.draw(random, planar), orientation::about_z)
    }
}

impl Builder<'_> {
    /// Adds the grains of a table; an inlet adds its grains later, during the run.
    pub fn add_grains(&mut self, index: usize, grains: &Grains) -> Result<(), SceneError> {
        if let Some(from) = &grains.from {
            return self.add_saved_grains(index, grains, from);
        }
        let path = format!("grains[{index}]");
        let shapes = grains.shapes().map_err(|error| self.shape_error(&path, &grains.shape, error))?;
        let extremes = shapes.extremes().map_err(|error| self.shape_error(&path, &grains.shape, error))?;
        let radii = extremes.each_ref().map(|shape| shape.as_convex().bounding_radius());
        let has_mass = extremes.iter().all(|shape| shape.as_convex().mass_properties().volume.is_finite());
        if !(radii[0].max(radii[1]).is_finite() && has_mass) {
            let field = format!("{path}.{}", grains.shape.kind);
            return Err(self.source().error(&field, "must be a bounded shape; this one is for walls only"));
        }
        if grains.inlet.is_some() {
            return Ok(());
        }
        let group = Group { path, grains, shapes, radii, material: self.material(&grains.material) };
        let mut streams = Streams::new(grains.seed, index);
        let (shapes, placed) = if let Some(region) = &grains.random {
            self.place_randomly(&group, region, &mut streams)?
        } else if let Some(fill) = &grains.fill {
            self.fill_volume(&group, fill, &mut streams)?
        } else if let Some(table) = &grains.table {
            self.place_by_table(&group, table, &mut streams)?
        } else {
            self.place_at_positions(&group, &mut streams)?
        };
        self.add_placed(&group, &shapes, &placed, &mut streams.velocities)
    }

    /// Draws the grains and inserts them one by one at random positions of a box.
    fn place_randomly(
        &self,
        group: &Group,
        region: &RandomBox,
        streams: &mut Streams,
    ) -> Result<(DrawnShapes, Vec<PlacedGrain>), SceneError> {
        let (grains, planar) = (group.grains, self.is_planar());
        let field = format!("{}.random", group.path);
        let error = |DoesNotFit(reason): DoesNotFit| self.source().error(&field, reason);
        let [low, high] = group.radii;
        if let Some(count) = grains.count {
            // This check comes first: drawing a count that cannot fit may take very long.
            let least_volume = count as f64 * insertion::ball_volume(low.min(high), planar);
            insertion::check_volume(region, count, least_volume, group.radii, planar).map_err(error)?;
        }
        let shapes = self.draw(group, grains.count, grains.mass, &mut streams.sizes)?;
        let radius = |k: usize| shapes.get(k).as_convex().bounding_radius();
        let volume: f64 = (0..shapes.len()).map(|k| insertion::ball_volume(radius(k), planar)).sum();
        insertion::check_volume(region, shapes.len() as u64, volume, group.radii, planar).map_err(error)?;
        let orientations: Vec<DQuat> = (0..shapes.len())
            .map(|k| body_axes(grains.draw_orientation(&mut streams.orientations, planar), shapes.get(k)))
            .collect();
        let unplaced =
            |k: usize| UnplacedGrain { shape: shapes.get(k), radius: radius(k), orientation: orientations[k] };
        let unplaced: Vec<UnplacedGrain> = (0..shapes.len()).map(unplaced).collect();
        let centres = insertion::insert(&self.world, region, &unplaced, &mut streams.positions).map_err(error)?;
        let placed = centres.into_iter().zip(orientations);
        let placed = placed.map(|(centre, orientation)| PlacedGrain::at(centre, orientation)).collect();
        Ok((shapes, placed))
    }

    /// Places one grain for each row of a table.
    fn place_by_table(
        &self,
        group: &Group,
        table: &GrainTable,
        streams: &mut Streams,
    ) -> Result<(DrawnShapes, Vec<PlacedGrain>), SceneError> {
        let mut shapes = Vec::with_capacity(table.rows.len());
        let mut placed = Vec::with_capacity(table.rows.len());
        for row in table.iter() {
            let shape = match (row.size, row.stretch) {
                (Some(size), _) => group.shapes.of_size(&mut streams.sizes, size),
                (None, Some(stretch)) => group.shapes.stretched(&mut streams.sizes, stretch),
                (None, None) => group.shapes.draw(&mut streams.sizes),
            };
            let shape = shape.map_err(|error| self.shape_error(&group.path, &group.grains.shape, error))?;
            let orientation = row
                .orientation
                .unwrap_or_else(|| group.grains.draw_orientation(&mut streams.orientations, self.is_planar()));
            let orientation = body_axes(orientation, &shape);
            shapes.push(shape);
            let at = PlacedGrain::at(row.position, orientation);
            placed.push(PlacedGrain { velocity: row.velocity, spin: row.spin, ..at });
        }
        Ok((DrawnShapes::Individual(shapes), placed))
    }

    /// Places grains on a lattice or at the points of the scene.
    fn place_at_positions(
        &self,
        group: &Group,
        streams: &mut Streams,
    ) -> Result<(DrawnShapes, Vec<PlacedGrain>), SceneError> {
        let (grains, planar) = (group.grains, self.is_planar());
        let radius = group.radii[0].max(group.radii[1]);
        let mut positions = Positions::new(self.source(), &group.path, grains, radius, planar)?;
        let count = grains.count.or(grains.mass.is_none().then_some(positions.count()));
        if let Some(count) = count {
            positions.check(self.source(), &group.path, count)?;
        }
        let mut shapes = self.draw(group, count, grains.mass, &mut streams.sizes)?;
        // A random rock can be larger than those at the ends of its distributions.
        let largest = shapes.largest_radius();
        if largest > radius {
            positions = Positions::new(self.source(), &group.path, grains, largest, planar)?;
            if grains.count.is_none() && grains.mass.is_none() {
                shapes.truncate(positions.count());
            }
        }
        positions.check(self.source(), &group.path, shapes.len() as u64)?;
        let centres = positions.centres(shapes.len() as u64, &mut streams.positions);
        let placed = centres.into_iter().enumerate().map(|(k, centre)| {
            let orientation = grains.draw_orientation(&mut streams.orientations, planar);
            PlacedGrain::at(centre, body_axes(orientation, shapes.get(k)))
        });
        let placed = placed.collect();
        Ok((shapes, placed))
    }

    /// Adds the bodies of placed grains to the world.
    fn add_placed(
        &mut self,
        group: &Group,
        shapes: &DrawnShapes,
        placed: &[PlacedGrain],
        velocities: &mut Random,
    ) -> Result<(), SceneError> {
        let Group { path, grains, material, .. } = group;
        let name = grains.name.clone().unwrap_or_else(|| path.clone());
        let accepted = if grains.allow_overlap { Accepted::ALL } else { Accepted::NONE };
        self.add_group_with(path, &name, accepted, |builder| {
            let mut shared: Option<ShapeId> = None;
            for (k, placed) in placed.iter().enumerate() {
                let shape = match (shapes, shared) {
                    (DrawnShapes::Shared(..), Some(shape)) => shape,
                    _ => builder.shape(path, shapes.get(k).clone())?,
                };
                shared = Some(shape);
                let random = DVec3::new(velocities.signed(), velocities.signed(), velocities.signed());
                let velocity = placed.velocity.unwrap_or(grains.velocity + random * grains.random_velocity);
                let pose = Pose { position: placed.centre, orientation: placed.orientation };
                let spin = placed.spin.unwrap_or(grains.spin);
                let spec = BodySpec { pose, velocity, spin, ..BodySpec::at(shape, *material, placed.centre) };
                builder.body(path, spec)?;
            }
            Ok(())
        })
    }

    /// Checks that this number of grains fits into the memory of the machine.
    pub(super) fn check_memory(&self, group: &Group, count: f64) -> Result<(), SceneError> {
        // An array that grows doubles its size, and the old one exists until it is copied.
        const GROWTH: usize = 3;
        // The search for overlaps at the start: its grid and lists of neighbours.
        const SEARCH_BYTES: usize = 384;
        let shape = if group.shapes.is_fixed() { 0 } else { (1 + GROWTH) * size_of::<Shape>() };
        let grain = GROWTH * World::bytes_per_body() + size_of::<(DVec3, PlacedGrain)>() + SEARCH_BYTES + shape;
        let needed = count * grain as f64;
        match memory::available() {
            Some(available) if needed > available as f64 => {
                let Group { path, grains, .. } = group;
                let given = [("mass", grains.mass.is_some()), ("count", grains.count.is_some())];
                let placement = if grains.fill.is_some() { "fill" } else { "lattice" };
                let key = given.iter().find(|(_, given)| *given).map_or(placement, |(key, _)| key);
                let reason = format!(
                    "needs about {} of memory for {count:.2e} grains, but {} are available; use fewer grains",
                    memory::size(needed),
                    memory::size(available as f64)
                );
                Err(self.source().error(&format!("{path}.{key}"), reason))
            }
            _ => Ok(()),
        }
    }

    /// Draws the shapes of `count` grains, or of as many as have the total mass, kg.
    pub(super) fn draw(
        &self,
        group: &Group,
        count: Option<u64>,
        mass_of_all: Option<f64>,
        random: &mut Random,
    ) -> Result<DrawnShapes, SceneError> {
        let Group { path, grains, shapes, .. } = group;
        let error = |error| self.shape_error(path, &grains.shape, error);
        let density = self.world.material(group.material).density;
        let mass = |shape: &Shape| density * shape.as_convex().mass_properties().volume;
        let too_many = || {
            let reason = format!("needs more than {MOST_BODIES} grains, the most that a scene may have");
            self.source().error(&format!("{path}.mass"), reason)
        };
        let expected = match (count, mass_of_all) {
            (Some(count), _) => count as f64,
            (None, Some(total)) => total / self.mean_mass(grains).unwrap_or(f64::INFINITY),
            (None, None) => 0.0,
        };
        if expected > MOST_BODIES as f64 {
            return Err(too_many());
        }
        self.check_memory(group, expected)?;
        if shapes.is_fixed() {
            let shape = shapes.draw(random).map_err(error)?;
            let count = match (count, mass_of_all) {
                (Some(count), _) => count,
                (None, Some(total)) => (total / mass(&shape)).round().max(1.0) as u64,
                (None, None) => 0,
            };
            return if count > MOST_BODIES { Err(too_many()) } else { Ok(DrawnShapes::Shared(shape, count)) };
        }
        let mut drawn = Vec::new();
        match (count, mass_of_all) {
            (Some(count), _) => {
                for _ in 0..count {
                    drawn.push(shapes.draw(random).map_err(error)?);
                }
            }
            (None, Some(total)) => {
                let mut sum = 0.0;
                while sum < total {
                    let shape = shapes.draw(random).map_err(error)?;
                    let more = mass(&shape);
                    // The last grain is added only if the sum is then closer to the total.
                    if sum + more - total > total - sum && !drawn.is_empty() {
                        break;
                    }
                    sum += more;
                    drawn.push(shape);
                    if drawn.len() as u64 > MOST_BODIES {
                        return Err(too_many());
                    }
                }
            }
            (None, None) => {}
        }
        Ok(DrawnShapes::Individual(drawn))
    }
}

impl PlacedGrain {
    pub(super) fn at(centre: DVec3, orientation: DQuat) -> Self {
        Self { centre, orientation, velocity: None, spin: None }
    }
}

/// Returns the orientation of the body axes of a shape that is rotated by `rotation`.
///
/// A scene rotates a shape in the axes in which the shape is defined; a body has its principal
/// axes. The position of a grain is that of its centre of mass.
pub fn body_axes(rotation: DQuat, shape: &Shape) -> DQuat {
    rotation * shape.as_convex().frame().orientation
}
