//! From a checked [`Scene`] to a [`World`].

use std::collections::BTreeMap;
use std::ops::Range;

use glam::{DQuat, DVec3};
use granum_engine::{BodySpec, Drive, Material, MaterialId, Motion, ShapeId, World, WorldError};
use granum_geometry::shape::HalfSpace;
use granum_geometry::{Pose, Shape};

use crate::error::SceneError;
use crate::format::{Container, Face, MotionTable, Scene, Wall};
use crate::schedule::Schedule;
use crate::shape_table::{ShapeFault, ShapeTable};
use crate::source::Source;
use crate::{law, orientation, overlap};

/// A world in the making.
pub struct Builder<'a> {
    scene: &'a Scene,
    pub world: World,
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
        builder.world.measure = self.contact_model.into();
        builder.world.percussion = self.answer();
        builder.add_materials()?;
        if let Some(container) = &self.container {
            builder.add_container(container)?;
        }
        for (index, wall) in self.walls.iter().enumerate() {
            builder.add_wall(&format!("walls[{index}]"), wall)?;
        }
        for (index, grains) in self.grains.iter().enumerate() {
            builder.add_grains(index, grains)?;
        }
        let Builder { mut world, owners, .. } = builder;
        let coming: Vec<MaterialId> = self.coming(&world)?.iter().map(|body| body.material).collect();
        world.check_laws_with(&coming).map_err(|error| match error {
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
            if self.world.percussion.is_some() {
                let law = self.scene.percussion_law(index)?;
                self.world.set_percussion_law(self.materials[a], self.materials[b], law);
                continue;
            }
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
            if container.open.contains(&face) || !self.scene.faces().contains(&face) {
                continue;
            }
            // In the plane, up is y.
            let inward = if self.scene.is_planar() { DVec3::new(inward.x, inward.z, 0.0) } else { inward };
            let path = format!("container ({face:?} face)").to_lowercase();
            self.owned(&path, face.name(), |builder| {
                let shape = builder.shape(&path, HalfSpace::new(inward).into())?;
                builder.body(&path, BodySpec::fixed(shape, material, corner))
            })?;
        }
        Ok(())
    }

    fn add_wall(&mut self, path: &str, wall: &Wall) -> Result<(), SceneError> {
        let material = self.materials[wall.material.as_str()];
        let name = wall.name.clone().unwrap_or_else(|| path.to_owned());
        self.owned(path, &name, |builder| {
            let [shape, _] = wall.shape.extremes().map_err(|fault| builder.fault(path, &wall.shape, fault))?;
            let frame = shape.as_convex().frame();
            let shape = builder.shape(path, shape)?;
            let turned = wall.angle.map(orientation::about_z).or(wall.orientation.map(orientation::quaternion));
            let orientation = turned.unwrap_or(DQuat::IDENTITY);
            let motion = wall.motion.as_ref().map_or(Motion::Fixed, |motion| Motion::Driven(drive(motion)));
            let pose = frame.moved_by(&Pose { position: wall.position, orientation });
            builder.body(path, BodySpec { pose, motion, ..BodySpec::fixed(shape, material, pose.position) })
        })
    }

    /// Notes the bodies that `make` adds as those of `path`, with their name.
    pub fn owned(
        &mut self,
        path: &str,
        name: &str,
        make: impl FnOnce(&mut Self) -> Result<(), SceneError>,
    ) -> Result<(), SceneError> {
        let first = self.world.bodies.len() as u32;
        make(self)?;
        let ids = first..self.world.bodies.len() as u32;
        self.world.note_group(name, ids.clone());
        self.owners.push((ids, path.to_owned()));
        Ok(())
    }

    /// Where the fields stand.
    pub fn source(&self) -> &'a Source {
        &self.scene.source
    }

    /// Whether the scene is planar.
    pub fn is_planar(&self) -> bool {
        self.scene.is_planar()
    }

    /// A material that was checked to be there.
    pub fn material(&self, name: &str) -> MaterialId {
        self.materials[name]
    }

    /// Adds a shape.
    pub fn shape(&mut self, path: &str, shape: Shape) -> Result<ShapeId, SceneError> {
        self.world.add_shape(shape).map_err(|error| self.scene.source.fault(path, error.to_string()))
    }

    /// Adds a body.
    pub fn body(&mut self, path: &str, spec: BodySpec) -> Result<(), SceneError> {
        let added = self.world.add_body(spec);
        added.map(|_| ()).map_err(|error| self.scene.source.fault(path, error.to_string()))
    }

    /// A fault of a shape.
    pub fn fault(&self, path: &str, shape: &ShapeTable, fault: ShapeFault) -> SceneError {
        fault.of(&self.scene.source, path, shape)
    }
}

/// A motion as the engine wants it.
pub fn drive(motion: &MotionTable) -> Drive {
    match (motion.amplitude, motion.frequency) {
        (Some(amplitude), Some(frequency)) => {
            Drive::Oscillating { amplitude, frequency, phase: motion.phase.unwrap_or(0.0) }
        }
        _ => {
            Drive::Steady { velocity: motion.velocity.unwrap_or(DVec3::ZERO), spin: motion.spin.unwrap_or(DVec3::ZERO) }
        }
    }
}
