//! Construction of a [`World`] from a checked [`Scene`].

mod change;
mod fill;
pub mod grains;
mod initial_overlap;
mod insertion;
mod law;
mod memory;
pub mod motion;
mod percussion;
mod positions;
mod saved;
pub mod wall_clearance;

use std::collections::BTreeMap;
use std::path::Path;

use glam::{DQuat, DVec3};
use granum_engine::{BodyId, BodySpec, FlowPlane, Material, MaterialId, Motion, ShapeId, World, WorldError};
use granum_geometry::shape::{HalfSpace, Surface};
use granum_geometry::surface::{InvalidMesh, repair};
use granum_geometry::{Pose, Shape, TriangleMesh};

use crate::build::initial_overlap::{Accepted, Owner};
use crate::build::saved::SavedGroup;
use crate::error::SceneError;
use crate::format::{Container, Face, FlowPlaneTable, Grains, Motions, Scene, SurfaceError, SurfaceSource, Wall};
use crate::program::schedule::Schedule;
use crate::read::source::Source;
use crate::shape::{ShapeError, ShapeTable};
use crate::value::orientation;

/// A world under construction.
pub struct Builder<'a> {
    scene: &'a Scene,
    pub world: World,
    /// Materials by name.
    materials: BTreeMap<&'a str, MaterialId>,
    /// The bodies that each field of the scene has created, in ascending order of ids.
    owners: Vec<Owner>,
    /// Groups of grains from saved states.
    saved: Vec<SavedGroup>,
}

impl Scene {
    /// Builds the world with its bodies, in the order container, walls, surfaces, grains; contact laws;
    /// gravity; and the time step.
    ///
    /// The same scene gives the same world bit for bit. It is an error if bodies overlap, unless
    /// their tables allow it.
    pub fn build(&self) -> Result<World, SceneError> {
        self.build_with_origins().map(|(world, _)| world)
    }

    /// Builds the world, and returns a description of the origin of each group of saved grains.
    pub fn build_with_origins(&self) -> Result<(World, Vec<String>), SceneError> {
        let world = if self.is_planar() { World::planar() } else { World::new() };
        let mut builder =
            Builder { scene: self, world, materials: BTreeMap::new(), owners: Vec::new(), saved: Vec::new() };
        let refused = |error: WorldError| self.source.file_error(error.to_string());
        builder.world.set_gravity(self.gravity).map_err(refused)?;
        builder.world.set_measure(self.contact_model.into()).map_err(refused)?;
        if let Some(percussion) = self.percussion_response() {
            builder.world.set_percussion(percussion).map_err(refused)?;
        }
        builder.add_materials()?;
        if let Some(container) = &self.container {
            builder.add_container(container)?;
        }
        for (index, wall) in self.walls.iter().enumerate() {
            builder.add_wall(&format!("walls[{index}]"), wall)?;
        }
        for (index, surface) in self.surfaces.iter().enumerate().filter(|(_, surface)| surface.wall) {
            builder.add_surface(&format!("surfaces[{index}]"), surface)?;
        }
        for (index, grains) in self.grains.iter().enumerate() {
            builder.add_grains(index, grains)?;
        }
        builder.add_flow_planes()?;
        let origins = builder.inherit_saved()?;
        let Builder { mut world, owners, .. } = builder;
        let incoming: Vec<MaterialId> = self.incoming_grains(&world)?.iter().map(|body| body.material).collect();
        world.check_laws_with(&incoming).map_err(|error| match error {
            WorldError::NoLaw(a, b) => self.source.file_error(format!(
                "missing [[contact]] of `{a}` and `{b}`, whose bodies can touch; add one with between = [\"{a}\", \"{b}\"]"
            )),
            other => self.source.file_error(other.to_string()),
        })?;
        initial_overlap::check(&self.source, &world, &owners)?;
        world.set_time_step(Schedule::new(self, &world)?.time_step).map_err(refused)?;
        Ok((world, origins))
    }
}

impl<'a> Builder<'a> {
    fn add_materials(&mut self) -> Result<(), SceneError> {
        let materials: BTreeMap<&str, Material> =
            self.scene.materials.iter().map(|(name, table)| (name.as_str(), law::material(name, table))).collect();
        for (name, material) in &materials {
            let id = self.world.add_material(material.clone());
            let id = id.map_err(|error| self.scene.source.error(&format!("materials.{name}"), error.to_string()))?;
            self.materials.insert(name, id);
        }
        for (index, contact) in self.scene.contact.iter().enumerate() {
            let [a, b] = contact.between.each_ref().map(String::as_str);
            if self.world.percussion().is_some() {
                let law = self.scene.percussion_law(index)?;
                self.world
                    .set_percussion_law(self.materials[a], self.materials[b], law)
                    .map_err(|error| self.scene.source.file_error(error.to_string()))?;
                continue;
            }
            let law = self.scene.law(index, [&materials[a], &materials[b]])?;
            self.world
                .set_law(self.materials[a], self.materials[b], law)
                .map_err(|error| self.scene.source.file_error(error.to_string()))?;
        }
        Ok(())
    }

    fn add_container(&mut self, container: &Container) -> Result<(), SceneError> {
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
            // Up is z in space and y in the plane.
            let inward = if self.scene.is_planar() { DVec3::new(inward.x, inward.z, 0.0) } else { inward };
            let path = format!("container ({face:?} face)").to_lowercase();
            let material = self.materials[container.materials.get(&face).unwrap_or(&container.material).as_str()];
            self.add_group(&path, face.name(), |builder| {
                let shape = builder.shape(&path, HalfSpace::new(inward).into())?;
                builder.body(&path, BodySpec::fixed(shape, material, corner))
            })?;
        }
        Ok(())
    }

    /// Adds the flow planes and then the outlets.
    fn add_flow_planes(&mut self) -> Result<(), SceneError> {
        let lists = [("flow_planes", &self.scene.flow_planes, false), ("outlets", &self.scene.outlets, true)];
        for (list, tables, removes) in lists {
            for (index, table) in tables.iter().enumerate() {
                let path = format!("{list}[{index}]");
                let name = table.name.clone().unwrap_or_else(|| path.clone());
                let FlowPlaneTable { centre, normal, radius, .. } = *table;
                let added = self.world.add_flow_plane(FlowPlane { name, centre, normal, radius, removes });
                added.map_err(|error| self.scene.source.error(&path, error.to_string()))?;
            }
        }
        Ok(())
    }

    fn add_wall(&mut self, path: &str, wall: &Wall) -> Result<(), SceneError> {
        let material = self.materials[wall.material.as_str()];
        let name = wall.name.clone().unwrap_or_else(|| path.to_owned());
        self.add_group(path, &name, |builder| {
            let [shape, _] = wall.shape.extremes().map_err(|error| builder.shape_error(path, &wall.shape, error))?;
            let frame = shape.as_convex().frame();
            let shape = builder.shape(path, shape)?;
            let rotation = wall.angle.map(orientation::about_z).or(wall.orientation.map(orientation::quaternion));
            let orientation = rotation.unwrap_or(DQuat::IDENTITY);
            let motion = builder.motion(path, wall.motion.as_ref())?;
            let pose = frame.moved_by(&Pose { position: wall.position, orientation });
            builder.body(path, BodySpec { pose, motion, ..BodySpec::fixed(shape, material, pose.position) })
        })
    }

    /// Reads or generates a surface. Vertices of a file that differ by rounding are joined, because
    /// triangles are neighbours only if they share vertices.
    fn mesh(&self, path: &str, source: &SurfaceSource) -> Result<TriangleMesh, SceneError> {
        // The file has an absolute path.
        let wrong = |SurfaceError { field, reason }| self.source().error(&format!("{path}.{field}"), reason);
        let mesh = source.mesh(Path::new("")).map_err(wrong)?;
        repair::joined(&mesh, repair::WELD).map_err(|error| self.source().error(path, error.to_string()))
    }

    /// Adds a triangulated surface.
    fn add_surface(&mut self, path: &str, source: &SurfaceSource) -> Result<(), SceneError> {
        let material = self.materials[source.material.as_str()];
        let name = source.name.clone().unwrap_or_else(|| path.to_owned());
        self.add_group(path, &name, |builder| {
            let mesh = builder.mesh(path, source)?;
            let refused = |error: InvalidMesh| builder.source().error(path, error.to_string());
            let surface = Surface::new(mesh, source.sides == 2).map_err(refused)?;
            let motion = builder.motion(path, source.motion.as_ref())?;
            let shape = builder.shape(path, surface.into())?;
            let id = BodyId(builder.world.body_count() as u32);
            builder.body(path, BodySpec { motion, ..BodySpec::fixed(shape, material, DVec3::ZERO) })?;
            let recorded = if source.wear { builder.world.record_wear(id) } else { Ok(()) };
            recorded.map_err(|error| builder.source().error(path, error.to_string()))
        })
    }

    /// Returns the motion of a wall.
    fn motion(&self, path: &str, motions: Option<&Motions>) -> Result<Motion, SceneError> {
        let Some(motions) = motions else { return Ok(Motion::Fixed) };
        let wrong = |error: WorldError| self.source().error(&format!("{path}.motion"), error.to_string());
        Ok(Motion::Driven(motion::wall_motion(motions, self.is_planar()).map_err(wrong)?))
    }

    /// Records the bodies that `add` creates as those of the field `path`, and as the group `name`.
    pub fn add_group(
        &mut self,
        path: &str,
        name: &str,
        add: impl FnOnce(&mut Self) -> Result<(), SceneError>,
    ) -> Result<(), SceneError> {
        self.add_group_with(path, name, Accepted::NONE, add)
    }

    /// The same for bodies that may overlap at the start.
    pub fn add_group_with(
        &mut self,
        path: &str,
        name: &str,
        accepted: Accepted,
        add: impl FnOnce(&mut Self) -> Result<(), SceneError>,
    ) -> Result<(), SceneError> {
        let first = self.world.body_count() as u32;
        add(self)?;
        let ids = first..self.world.body_count() as u32;
        let named = self.world.name_bodies(name, ids.clone());
        named.map_err(|error| self.scene.source.error(path, error.to_string()))?;
        self.owners.push(Owner { ids, path: path.to_owned(), accepted });
        Ok(())
    }

    /// Returns the mean mass of the grains of a table, kg, from a sample.
    pub fn mean_mass(&self, grains: &Grains) -> Option<f64> {
        self.scene.mean_mass(grains)
    }

    /// Returns the files of the scene, for error messages.
    pub fn source(&self) -> &'a Source {
        &self.scene.source
    }

    /// Returns whether the scene is planar.
    pub fn is_planar(&self) -> bool {
        self.scene.is_planar()
    }

    /// Returns the material of a name; the scene was checked to define it.
    pub fn material(&self, name: &str) -> MaterialId {
        self.materials[name]
    }

    /// Adds a shape to the world; `path` is the field that an error names.
    pub fn shape(&mut self, path: &str, shape: Shape) -> Result<ShapeId, SceneError> {
        self.world.add_shape(shape).map_err(|error| self.scene.source.error(path, error.to_string()))
    }

    /// Adds a body to the world; `path` is the field that an error names.
    pub fn body(&mut self, path: &str, spec: BodySpec) -> Result<(), SceneError> {
        let added = self.world.add_body(spec);
        added.map(|_| ()).map_err(|error| self.scene.source.error(path, error.to_string()))
    }

    /// Returns the error of the shape of the body `path`.
    pub fn shape_error(&self, path: &str, shape: &ShapeTable, error: ShapeError) -> SceneError {
        error.at(&self.scene.source, path, shape)
    }
}
