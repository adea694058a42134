//! Grains that start from a saved state: `[[grains]] from`.

use std::collections::BTreeMap;
use std::path::Path;

use granum_engine::{BodyId, BodySpec, Inherited, MaterialId, Motion, ShapeId, World};
use granum_geometry::Shape;

use crate::build::Builder;
use crate::build::initial_overlap::Accepted;
use crate::check::MOST_BODIES;
use crate::error::SceneError;
use crate::format::Grains;
use crate::read::saved_state::{SavedState, StateName};

/// Difference of two planes, relative to their distances from the origin, below which they are
/// equal. It covers rounding.
const ROUNDING: f64 = 1e-12;

/// Factor on the deepest saved overlap up to which saved grains may overlap other bodies. It covers
/// rounding, and that the overlap at the edge of a patch depends on the wall.
const AS_DEEP: f64 = 1.0 + 1e-6;

/// Overlap with other bodies that saved grains may have in any case, relative to the smallest
/// bounding radius: a contact without tension ends before its overlap does, and is not saved then.
const LEFT_OVER: f64 = 0.05;

/// The grains of a `[[grains]]` table that were saved.
pub struct SavedGroup {
    /// Index of the table.
    index: usize,
    state: SavedState,
    /// The grains in both worlds.
    grains: Vec<Inherited>,
}

impl Builder<'_> {
    /// Adds the grains of the saved state that a table names.
    pub fn add_saved_grains(&mut self, index: usize, grains: &Grains, from: &str) -> Result<(), SceneError> {
        let path = format!("grains[{index}]");
        let field = format!("{path}.from");
        let source = self.source();
        let error = |reason: String| source.error(&field, reason);
        // The path was made absolute when the scene was read.
        let state = StateName::parse(from, Path::new("")).and_then(StateName::read).map_err(error)?;
        if state.grains.is_empty() {
            return Err(error(format!("{} has no grains", state.name.to_text())));
        }
        if state.grains.len() as u64 > MOST_BODIES {
            return Err(error(format!("has more than {MOST_BODIES} grains, the most that a scene may have")));
        }
        let materials = self.saved_materials(grains, &state).map_err(error)?;
        let is_foreign = |shape: &Shape| !shape.as_convex().realm().admits(self.is_planar());
        if state.grains.iter().any(|grain| state.shapes.get(grain.shape).is_some_and(is_foreign)) {
            let [own, other] = if self.is_planar() { ["planar", "spatial"] } else { ["spatial", "planar"] };
            return Err(error(format!("is the state of a {other} scene, and this one is {own}")));
        }
        let accepted = match grains.allow_overlap {
            true => Accepted::ALL,
            false => {
                let radii = state.grains.iter().filter_map(|grain| state.shapes.get(grain.shape));
                let smallest = radii.map(|shape| shape.as_convex().bounding_radius()).fold(f64::INFINITY, f64::min);
                Accepted { among: f64::INFINITY, others: AS_DEEP * state.deepest.max(LEFT_OVER * smallest) }
            }
        };
        let mut pairs = Vec::with_capacity(state.grains.len());
        let name = grains.name.clone().unwrap_or_else(|| path.clone());
        self.add_group_with(&path, &name, accepted, |builder| {
            let mut shapes: BTreeMap<usize, ShapeId> = BTreeMap::new();
            for grain in &state.grains {
                let shape = match shapes.get(&grain.shape) {
                    Some(&shape) => shape,
                    None => {
                        let added = builder.shape(&field, state.shapes[grain.shape].clone())?;
                        shapes.insert(grain.shape, added);
                        added
                    }
                };
                let to = BodyId(builder.world.body_count() as u32);
                let material = materials[grain.material];
                let at = BodySpec::at(shape, material, grain.pose.position);
                let spec = BodySpec { pose: grain.pose, velocity: grain.velocity, spin: grain.spin, ..at };
                builder.body(&field, spec)?;
                pairs.push(Inherited { from: grain.id, to });
            }
            Ok(())
        })?;
        self.saved.push(SavedGroup { index, state, grains: pairs });
        Ok(())
    }

    /// Returns the material in this world of each saved material: that of the table, or the one of
    /// the same name.
    fn saved_materials(&self, grains: &Grains, state: &SavedState) -> Result<Vec<MaterialId>, String> {
        let used = |index: usize| state.grains.iter().any(|grain| grain.material == index);
        let id = |(index, name): (usize, &String)| match (grains.material.as_str(), self.world.material_named(name)) {
            ("", Some(material)) => Ok(material),
            ("", None) if used(index) => Err(format!(
                "needs the material `{name}` of its grains; add [materials.{name}], or give another `material`"
            )),
            // No grain has this material, so that its number is never used.
            ("", None) => Ok(MaterialId(0)),
            (own, _) => Ok(self.material(own)),
        };
        state.materials.iter().enumerate().map(id).collect()
    }

    /// Gives the world the motion of all saved grains and the history of their contacts, with each
    /// other and with walls that stand as in the saved state. Returns a description of each table.
    pub fn inherit_saved(&mut self) -> Result<Vec<String>, SceneError> {
        let mut descriptions = Vec::new();
        for SavedGroup { index, state, grains } in std::mem::take(&mut self.saved) {
            let (count, name) = (grains.len(), state.name.to_text());
            let history = match &state.world {
                None => match &state.refused {
                    Some(reason) => format!("without contact history: {reason}"),
                    None => "without contact history, which only a checkpoint has".to_owned(),
                },
                Some(saved) => {
                    let pairs: Vec<Inherited> = walls_in_both(saved, &self.world).chain(grains).collect();
                    let inherited = self.world.inherit(saved, &pairs);
                    let kept = inherited
                        .map_err(|error| self.source().error(&format!("grains[{index}].from"), error.to_string()))?;
                    let all = saved.contacts().filter(|contact| contact.carries_force()).count();
                    format!("{kept} of {all} contacts keep their history")
                }
            };
            descriptions.push(format!("grains[{index}]: {count} grains of {name}; {history}"));
        }
        Ok(descriptions)
    }
}

/// Returns the walls that stand in both worlds, with the same shape, pose and name of the material.
fn walls_in_both<'w>(saved: &'w World, world: &'w World) -> impl Iterator<Item = Inherited> + 'w {
    saved.walls().filter_map(move |old| {
        let found = world.walls().find(|new| {
            let (shape, other) = (saved.shape(old.shape), world.shape(new.shape));
            let same_name = saved.material(old.material).name == world.material(new.material).name;
            let is_pose = (old.position, old.orientation) == (new.position, new.orientation);
            same_name
                && shape == other
                && (is_pose || is_same_plane(shape, &old, new))
                && world.motion(new.id) == Some(Motion::Fixed)
        });
        found.map(|new| Inherited { from: old.id, to: new.id })
    })
}

/// Returns whether two half-spaces of equal shape have the same plane. A point on it is arbitrary.
fn is_same_plane(shape: &Shape, old: &granum_engine::BodyState, new: &granum_engine::BodyState) -> bool {
    let Shape::HalfSpace(half_space) = shape else { return false };
    let normal = old.orientation * half_space.normal();
    let distances = [old.position, new.position].map(|point| point.dot(normal));
    let size = old.position.length().max(new.position.length());
    old.orientation == new.orientation && (distances[0] - distances[1]).abs() <= ROUNDING * size
}
