//! From a checked [`Scene`] to a [`World`].

use std::collections::BTreeMap;
use std::ops::Range;

use glam::{DQuat, DVec3};
use granum_engine::{BodySpec, Drive, Material, MaterialId, Motion, ShapeId, World, WorldError};
use granum_geometry::shape::HalfSpace;
use granum_geometry::{Pose, Shape};

use crate::format::{Container, Face, Grains, MotionTable, Scene, Wall};
use crate::random::Random;
use crate::schedule::Schedule;
use crate::shape_table::{ShapeFault, ShapeTable};
use crate::source::SceneError;
use crate::{law, overlap, place};

/// First stream of angles: far from those of places, sizes and velocities.
const ANGLES: u64 = 1 << 32;

/// A world in the making.
struct Builder<'a> {
    scene: &'a Scene,
    world: World,
    materials: BTreeMap<&'a str, MaterialId>,
    /// Which bodies each field of the scene has made, in the order of ids.
    owners: Vec<(Range<u32>, String)>,
}

impl Scene {
    /// Builds the world: bodies in the order container, walls, grains; laws; gravity; the time step.
    ///
    /// The same scene gives the same world, to the last bit. Bodies that overlap at the start are refused.
    pub fn build(&self) -> Result<World, SceneError> {
        let world = if self.is_planar() { World::planar() } else { World::new() };
        let mut builder = Builder { scene: self, world, materials: BTreeMap::new(), owners: Vec::new() };
        builder.world.gravity = self.gravity;
        builder.add_materials()?;
        if let Some(container) = &self.container {
            builder.add_container(container)?;
        }
        for (index, wall) in self.walls.iter().enumerate() {
            builder.add_wall(&format!("walls[{index}]"), wall)?;
        }
        for (index, grains) in self.grains.iter().enumerate() {
            builder.add_grains(&format!("grains[{index}]"), index, grains)?;
        }
        let Builder { mut world, owners, .. } = builder;
        world.check_laws().map_err(|error| match error {
            WorldError::NoLaw(a, b) => self.source.fault_of_file(format!(
                "no contact between `{a}` and `{b}`, which can meet; add a [[contact]] with between = [\"{a}\", \"{b}\"]"
            )),
            other => self.source.fault_of_file(other.to_string()),
        })?;
        overlap::refuse(&self.source, &world, &owners)?;
        world.time_step = Schedule::new(self, &world)?.time_step;
        Ok(world)
    }
}

impl<'a> Builder<'a> {
    fn add_materials(&mut self) -> Result<(), SceneError> {
        let materials: BTreeMap<&str, Material> =
            self.scene.materials.iter().map(|(name, table)| (name.as_str(), law::material(name, table))).collect();
        for (name, material) in &materials {
            let id = self.world.add_material(material.clone());
            let id = id.map_err(|error| self.scene.source.fault(&format!("materials.{name}"), error.to_string()))?;
            self.materials.insert(name, id);
        }
        for (index, contact) in self.scene.contact.iter().enumerate() {
            let [a, b] = contact.between.each_ref().map(String::as_str);
            let law = self.scene.law(index, [&materials[a], &materials[b]])?;
            self.world.set_law(self.materials[a], self.materials[b], law);
        }
        Ok(())
    }

    fn add_container(&mut self, container: &Container) -> Result<(), SceneError> {
        let material = self.materials[container.material.as_str()];
        for (face, inward, corner) in [
            (Face::Left, DVec3::X, container.min),
            (Face::Right, DVec3::NEG_X, container.max),
            (Face::Front, DVec3::Y, container.min),
            (Face::Back, DVec3::NEG_Y, container.max),
            (Face::Bottom, DVec3::Z, container.min),
            (Face::Top, DVec3::NEG_Z, container.max),
        ] {
            let planar = self.scene.is_planar();
            // In the plane, up is y: there is no front and no back.
            if container.open.contains(&face) || planar && matches!(face, Face::Front | Face::Back) {
                continue;
            }
            let inward = if planar { DVec3::new(inward.x, inward.z, 0.0) } else { inward };
            let path = format!("container ({face:?} face)").to_lowercase();
            self.owned(&path, |builder| {
                let shape = builder.shape(&path, HalfSpace::new(inward).into())?;
                builder.body(&path, BodySpec::fixed(shape, material, corner))
            })?;
        }
        Ok(())
    }

    fn add_wall(&mut self, path: &str, wall: &Wall) -> Result<(), SceneError> {
        let material = self.materials[wall.material.as_str()];
        self.owned(path, |builder| {
            let [shape, _] = wall.shape.extremes().map_err(|fault| builder.fault(path, &wall.shape, fault))?;
            let shape = builder.shape(path, shape)?;
            let [w, x, y, z] = wall.orientation.unwrap_or([1.0, 0.0, 0.0, 0.0]);
            let orientation = DQuat::from_xyzw(x, y, z, w).normalize();
            let motion = wall.motion.as_ref().map_or(Motion::Fixed, |motion| Motion::Driven(drive(motion)));
            let pose = Pose { position: wall.position, orientation };
            builder.body(path, BodySpec { pose, motion, ..BodySpec::fixed(shape, material, wall.position) })
        })
    }

    fn add_grains(&mut self, path: &str, index: usize, grains: &Grains) -> Result<(), SceneError> {
        let material = self.materials[grains.material.as_str()];
        // One sequence for each purpose, so that a change of one leaves the others alone.
        let stream = |purpose: u64| Random::new(grains.seed, 3 * index as u64 + purpose);
        let (mut places, mut sizes, mut velocities) = (stream(0), stream(1), stream(2));
        let mut angles = Random::new(grains.seed, ANGLES + index as u64);
        let extremes = grains.shape.extremes().map_err(|fault| self.fault(path, &grains.shape, fault))?;
        let reach = extremes.iter().map(|shape| shape.as_convex().bounding_radius()).fold(0.0, f64::max);
        if !reach.is_finite() {
            let field = format!("{path}.{}", grains.shape.kind);
            return Err(self.scene.source.fault(&field, "a grain must be bounded; this shape is for walls"));
        }
        let centres = place::centres(self.scene, path, grains, reach, &mut places)?;
        let [shape, _] = extremes;
        let shared = if grains.shape.is_fixed() { Some(self.shape(path, shape)?) } else { None };
        self.owned(path, |builder| {
            for centre in centres {
                let shape = match shared {
                    Some(shape) => shape,
                    None => {
                        let drawn = grains.shape.draw(&mut sizes);
                        let drawn = drawn.map_err(|fault| builder.fault(path, &grains.shape, fault))?;
                        builder.shape(path, drawn)?
                    }
                };
                let random = DVec3::new(velocities.signed(), velocities.signed(), velocities.signed());
                let velocity = grains.velocity + random * grains.random_velocity;
                let mut spec = BodySpec { velocity, spin: grains.spin, ..BodySpec::at(shape, material, centre) };
                if grains.orientation.is_some() {
                    spec.pose.orientation = about_z(std::f64::consts::PI * angles.signed());
                }
                builder.body(path, spec)?;
            }
            Ok(())
        })
    }

    /// Notes the bodies that `make` adds as those of `path`.
    fn owned(&mut self, path: &str, make: impl FnOnce(&mut Self) -> Result<(), SceneError>) -> Result<(), SceneError> {
        let first = self.world.bodies.len() as u32;
        make(self)?;
        self.owners.push((first..self.world.bodies.len() as u32, path.to_owned()));
        Ok(())
    }

    fn shape(&mut self, path: &str, shape: Shape) -> Result<ShapeId, SceneError> {
        self.world.add_shape(shape).map_err(|error| self.scene.source.fault(path, error.to_string()))
    }

    fn body(&mut self, path: &str, spec: BodySpec) -> Result<(), SceneError> {
        let added = self.world.add_body(spec);
        added.map(|_| ()).map_err(|error| self.scene.source.fault(path, error.to_string()))
    }

    fn fault(&self, path: &str, shape: &ShapeTable, fault: ShapeFault) -> SceneError {
        fault.of(&self.scene.source, path, shape)
    }
}

/// A rotation about z, with the same bits on every platform.
fn about_z(angle: f64) -> DQuat {
    let (sin, cos) = libm::sincos(0.5 * angle);
    DQuat::from_xyzw(0.0, 0.0, sin, cos)
}

fn drive(motion: &MotionTable) -> Drive {
    match (motion.amplitude, motion.frequency) {
        (Some(amplitude), Some(frequency)) => {
            Drive::Oscillating { amplitude, frequency, phase: motion.phase.unwrap_or(0.0) }
        }
        _ => {
            Drive::Steady { velocity: motion.velocity.unwrap_or(DVec3::ZERO), spin: motion.spin.unwrap_or(DVec3::ZERO) }
        }
    }
}
