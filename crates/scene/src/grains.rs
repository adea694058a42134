//! From `[[grains]]` tables to bodies.

use glam::{DQuat, DVec3};
use granum_engine::{BodySpec, MaterialId, ShapeId};
use granum_geometry::{Pose, Shape};

use crate::build::Builder;
use crate::check::MOST_BODIES;
use crate::error::SceneError;
use crate::format::Grains;
use crate::insertion::{self, Ball, NoRoom};
use crate::orientation;
use crate::place;
use crate::shape_table::{GrainShapes, ShapeFault};
use granum_geometry::random::Random;

/// First stream of orientations: far from those of places, sizes and velocities, which begin at 0.
const ORIENTATIONS: u64 = 1 << 40;

/// A grain that has its place.
struct Placed {
    centre: DVec3,
    orientation: DQuat,
    velocity: Option<DVec3>,
    spin: Option<DVec3>,
}

/// The shapes of grains, in their order.
enum Drawn {
    /// One for all of them.
    Same(Shape, u64),
    /// Each its own.
    Own(Vec<Shape>),
}

impl Drawn {
    fn len(&self) -> usize {
        match self {
            Drawn::Same(_, count) => *count as usize,
            Drawn::Own(shapes) => shapes.len(),
        }
    }

    /// Radius of the ball that holds any of them, m.
    fn largest(&self) -> f64 {
        let radius = |shape: &Shape| shape.as_convex().bounding_radius();
        match self {
            Drawn::Same(shape, _) => radius(shape),
            Drawn::Own(shapes) => shapes.iter().map(radius).fold(0.0, f64::max),
        }
    }

    /// Leaves out all but the first `count`.
    fn truncate(&mut self, count: u64) {
        match self {
            Drawn::Same(_, all) => *all = count.min(*all),
            Drawn::Own(shapes) => shapes.truncate(count as usize),
        }
    }

    fn get(&self, k: usize) -> &Shape {
        match self {
            Drawn::Same(shape, _) => shape,
            Drawn::Own(shapes) => &shapes[k],
        }
    }
}

impl Grains {
    /// The shapes of these grains.
    pub(crate) fn shapes(&self) -> Result<GrainShapes, ShapeFault> {
        let sized = self.table.as_ref().is_some_and(|table| table.has_sizes());
        GrainShapes::new(&self.shape, self.size.as_ref(), sized)
    }

    /// The orientation of one grain.
    pub(crate) fn turned(&self, random: &mut Random, planar: bool) -> DQuat {
        self.angle.map_or_else(|| self.orientation.draw(random, planar), orientation::about_z)
    }
}

impl Builder<'_> {
    /// Adds the grains of a table; those of an inlet come later.
    pub fn add_grains(&mut self, index: usize, grains: &Grains) -> Result<(), SceneError> {
        let path = format!("grains[{index}]");
        let material = self.material(&grains.material);
        let planar = self.is_planar();
        // One sequence for each purpose, so that a change of one leaves the others alone.
        let stream = |purpose: u64| Random::stream(grains.seed, 3 * index as u64 + purpose);
        let (mut places, mut sizes, mut velocities) = (stream(0), stream(1), stream(2));
        let mut orientations = Random::stream(grains.seed, ORIENTATIONS + index as u64);
        let shapes = grains.shapes().map_err(|fault| self.fault(&path, &grains.shape, fault))?;
        let extremes = shapes.extremes().map_err(|fault| self.fault(&path, &grains.shape, fault))?;
        let [least, most] = extremes.each_ref().map(|shape| shape.as_convex().bounding_radius());
        // A wall without an end has no bounds, one without a mass cannot be moved.
        let has_mass = extremes.iter().all(|shape| shape.as_convex().mass_properties().volume.is_finite());
        if !(least.max(most).is_finite() && has_mass) {
            let field = format!("{path}.{}", grains.shape.kind);
            return Err(self.source().fault(&field, "a grain must be bounded; this shape is for walls"));
        }
        if grains.inlet.is_some() {
            return Ok(());
        }
        let (drawn, placed) = if let Some(region) = &grains.random {
            let field = format!("{path}.random");
            let no_room = |builder: &Self, NoRoom(reason): NoRoom| builder.source().fault(&field, reason);
            if let Some(count) = grains.count {
                let least_volume = count as f64 * insertion::ball_volume(least.min(most), planar);
                insertion::check_volume(region, count, least_volume, [least, most], planar)
                    .map_err(|e| no_room(self, e))?;
            }
            let drawn = self.draw(&path, grains, &shapes, material, grains.count, &mut sizes)?;
            let radii = |k: usize| drawn.get(k).as_convex().bounding_radius();
            let volume: f64 = (0..drawn.len()).map(|k| insertion::ball_volume(radii(k), planar)).sum();
            insertion::check_volume(region, drawn.len() as u64, volume, [least, most], planar)
                .map_err(|e| no_room(self, e))?;
            let turned: Vec<DQuat> =
                (0..drawn.len()).map(|k| body_axes(grains.turned(&mut orientations, planar), drawn.get(k))).collect();
            let ball = |k: usize| Ball { shape: drawn.get(k), radius: radii(k), orientation: turned[k] };
            let balls: Vec<Ball> = (0..drawn.len()).map(ball).collect();
            let centres = insertion::insert(&self.world, region, &balls, &mut places);
            let centres = centres.map_err(|error| no_room(self, error))?;
            let placed = centres.into_iter().zip(turned);
            let placed: Vec<Placed> = placed.map(|(centre, orientation)| Placed::at(centre, orientation)).collect();
            (drawn, placed)
        } else if let Some(table) = &grains.table {
            let mut drawn = Vec::with_capacity(table.rows.len());
            let mut placed = Vec::with_capacity(table.rows.len());
            for row in table.iter() {
                let shape = match (row.size, row.stretch) {
                    (Some(size), _) => shapes.of_size(&mut sizes, size),
                    (None, Some(stretch)) => shapes.stretched(&mut sizes, stretch),
                    (None, None) => shapes.draw(&mut sizes),
                };
                let shape = shape.map_err(|fault| self.fault(&path, &grains.shape, fault))?;
                let orientation = row.orientation.unwrap_or_else(|| grains.turned(&mut orientations, planar));
                let orientation = body_axes(orientation, &shape);
                drawn.push(shape);
                placed.push(Placed { velocity: row.velocity, spin: row.spin, ..Placed::at(row.position, orientation) });
            }
            (Drawn::Own(drawn), placed)
        } else {
            let mut room = place::room(self.source(), &path, grains, least.max(most), planar)?;
            let wanted = grains.count.or(grains.mass.is_none().then_some(room.places()));
            if let Some(count) = wanted {
                room.check(self.source(), &path, count)?;
            }
            let mut drawn = self.draw(&path, grains, &shapes, material, wanted, &mut sizes)?;
            // The largest of random rocks is not known before they are drawn.
            let largest = drawn.largest();
            if largest > least.max(most) {
                room = place::room(self.source(), &path, grains, largest, planar)?;
                if grains.count.is_none() && grains.mass.is_none() {
                    drawn.truncate(room.places());
                }
            }
            room.check(self.source(), &path, drawn.len() as u64)?;
            let centres = room.centres(drawn.len() as u64, &mut places);
            let turned = centres.into_iter().enumerate().map(|(k, centre)| {
                Placed::at(centre, body_axes(grains.turned(&mut orientations, planar), drawn.get(k)))
            });
            let turned = turned.collect();
            (drawn, turned)
        };
        let name = grains.name.clone().unwrap_or_else(|| path.clone());
        self.owned(&path, &name, |builder| {
            let mut shared: Option<ShapeId> = None;
            for (k, placed) in placed.iter().enumerate() {
                let shape = match (&drawn, shared) {
                    (Drawn::Same(..), Some(shape)) => shape,
                    _ => builder.shape(&path, drawn.get(k).clone())?,
                };
                shared = Some(shape);
                let random = DVec3::new(velocities.signed(), velocities.signed(), velocities.signed());
                let velocity = placed.velocity.unwrap_or(grains.velocity + random * grains.random_velocity);
                let pose = Pose { position: placed.centre, orientation: placed.orientation };
                let spin = placed.spin.unwrap_or(grains.spin);
                let spec = BodySpec { pose, velocity, spin, ..BodySpec::at(shape, material, placed.centre) };
                builder.body(&path, spec)?;
            }
            Ok(())
        })
    }

    /// The shapes of `count` grains, or of as many as make up their mass.
    fn draw(
        &self,
        path: &str,
        grains: &Grains,
        shapes: &GrainShapes,
        material: MaterialId,
        count: Option<u64>,
        random: &mut Random,
    ) -> Result<Drawn, SceneError> {
        let fault = |fault| self.fault(path, &grains.shape, fault);
        let density = self.world.materials[material.0 as usize].density;
        let mass = |shape: &Shape| density * shape.as_convex().mass_properties().volume;
        let too_many = || {
            let reason = format!("these are more grains than granum can hold, {MOST_BODIES}");
            self.source().fault(&format!("{path}.mass"), reason)
        };
        if shapes.is_fixed() {
            let shape = shapes.draw(random).map_err(fault)?;
            let count = match (count, grains.mass) {
                (Some(count), _) => count,
                (None, Some(total)) => (total / mass(&shape)).round().max(1.0) as u64,
                (None, None) => 0,
            };
            return if count > MOST_BODIES { Err(too_many()) } else { Ok(Drawn::Same(shape, count)) };
        }
        let mut drawn = Vec::new();
        match (count, grains.mass) {
            (Some(count), _) => {
                for _ in 0..count {
                    drawn.push(shapes.draw(random).map_err(fault)?);
                }
            }
            (None, Some(total)) => {
                let mut sum = 0.0;
                while sum < total {
                    let shape = shapes.draw(random).map_err(fault)?;
                    let more = mass(&shape);
                    // The last one only if it brings the sum nearer.
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
        Ok(Drawn::Own(drawn))
    }
}

impl Placed {
    fn at(centre: DVec3, orientation: DQuat) -> Self {
        Self { centre, orientation, velocity: None, spin: None }
    }
}

/// The orientation of a body whose shape is turned by `given` in the axes it is given in. Its place is that of its centre.
pub fn body_axes(given: DQuat, shape: &Shape) -> DQuat {
    given * shape.as_convex().frame().orientation
}
