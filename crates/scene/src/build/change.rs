//! Change of the parameters of a world during a run, for a branch of the run.

use granum_engine::{Material, MaterialId, World, WorldError};

use crate::build::law;
use crate::error::SceneError;
use crate::format::Scene;

/// Keys that may change during a run. A key stands for all keys in its table or list.
const CHANGEABLE: [&str; 10] =
    ["title", "time.end", "time.output", "output", "gravity", "contact", "guards", "percussion", "forces", "stages"];

/// Keys of a material that may change.
const CHANGEABLE_OF_MATERIAL: [&str; 2] = [".young", ".poisson"];

impl Scene {
    /// Changes the parameters of a world to those of this scene. `before` is the scene to which the
    /// world belongs so far. Returns the changed keys with their values.
    ///
    /// Contact laws, gravity, percussions, guards, stages, outputs and the end may change; bodies,
    /// their masses and the time step may not. Energies that a change adds are booked as work.
    pub fn change_world(&self, before: &Self, world: &mut World) -> Result<Vec<String>, SceneError> {
        let changes = self.changes(before)?;
        let refused = |error: WorldError| self.source.file_error(error.to_string());
        let percussion = self.percussion_response();
        let mut changed = world.clone();
        let result = changed.change(|world| {
            if self.gravity != before.gravity {
                world.set_gravity(self.gravity).map_err(refused)?;
            }
            if let Some(settings) = &percussion {
                world.change_percussion(settings).map_err(refused)?;
            }
            self.change_laws(world)
        });
        result.map(|()| *world = changed)?;
        Ok(changes)
    }

    /// Sets the elastic constants of the materials and the laws of all contacts.
    fn change_laws(&self, world: &mut World) -> Result<(), SceneError> {
        let refused = |error: WorldError| self.source.file_error(error.to_string());
        let id = |world: &World, name: &str| -> Result<MaterialId, SceneError> {
            let unknown = || self.source.file_error(format!("the run has no material `{name}`"));
            world.material_named(name).ok_or_else(unknown)
        };
        for (name, table) in &self.materials {
            let material = id(world, name)?;
            world.set_elasticity(material, law::material(name, table).elasticity).map_err(refused)?;
        }
        for (index, contact) in self.contact.iter().enumerate() {
            let [a, b] = [id(world, &contact.between[0])?, id(world, &contact.between[1])?];
            if world.percussion().is_some() {
                world.set_percussion_law(a, b, self.percussion_law(index)?).map_err(refused)?;
                continue;
            }
            let materials: [&Material; 2] = [world.material(a), world.material(b)];
            let law = self.law(index, materials)?;
            if world.law(a, b) != Some(&law) {
                world.set_law(a, b, law).map_err(refused)?;
            }
        }
        Ok(())
    }

    /// Returns the keys that differ from those of another scene, with their values; an error if one
    /// of them must not change.
    fn changes(&self, before: &Self) -> Result<Vec<String>, SceneError> {
        let table = |scene: &Self| -> Result<toml::Value, SceneError> {
            let text = scene.to_toml().map_err(|error| self.source.file_error(error.to_string()))?;
            let table = text.parse::<toml::Table>().map_err(|error| self.source.file_error(error.to_string()))?;
            Ok(toml::Value::Table(table))
        };
        let mut changes = Vec::new();
        differences("", Some(&table(before)?), Some(&table(self)?), &mut changes);
        for (field, _) in &changes {
            if !is_changeable(field) {
                let reason = "must not change during a run; start a new scene from the state of the run, with \
                              [[grains]] from = \"RUN\"";
                return Err(self.source.error(field, reason));
            }
        }
        if self.stages.len() != before.stages.len() {
            return Err(self.source.error("stages", "must not change in number during a run"));
        }
        Ok(changes.into_iter().map(|(field, value)| format!("{field} = {value}")).collect())
    }
}

fn is_changeable(field: &str) -> bool {
    let is_in = |key: &str| field.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
    let of_material = field.starts_with("materials.") && CHANGEABLE_OF_MATERIAL.iter().any(|key| field.ends_with(key));
    of_material || CHANGEABLE.into_iter().any(is_in) && !field.ends_with(".between")
}

/// Collects the fields in which two values differ, with the value after the change.
fn differences(
    path: &str,
    before: Option<&toml::Value>,
    after: Option<&toml::Value>,
    found: &mut Vec<(String, String)>,
) {
    match (before, after) {
        (Some(toml::Value::Table(one)), Some(toml::Value::Table(other))) => {
            let mut keys: Vec<&String> = one.keys().chain(other.keys().filter(|key| !one.contains_key(*key))).collect();
            keys.sort_unstable();
            for key in keys {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                differences(&path, one.get(key), other.get(key), found);
            }
        }
        (Some(toml::Value::Array(one)), Some(toml::Value::Array(other)))
            if is_of_tables(one) && is_of_tables(other) =>
        {
            for index in 0..one.len().max(other.len()) {
                differences(&format!("{path}[{index}]"), one.get(index), other.get(index), found);
            }
        }
        _ if before == after => {}
        _ => found.push((path.to_owned(), after.map_or("none".to_owned(), toml::Value::to_string))),
    }
}

fn is_of_tables(array: &[toml::Value]) -> bool {
    array.iter().any(toml::Value::is_table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_named_by_their_fields() {
        let value = |text: &str| toml::Value::Table(text.parse().unwrap());
        let before = value("a = 1\nb = [1, 2]\n[[c]]\nx = 1\n[[c]]\nx = 2\n[d]\ny = 3");
        let after = value("a = 1\nb = [1, 3]\n[[c]]\nx = 1\n[[c]]\nx = 5\nz = 6");
        let mut found = Vec::new();
        differences("", Some(&before), Some(&after), &mut found);
        let named: Vec<String> = found.into_iter().map(|(field, value)| format!("{field} = {value}")).collect();
        assert_eq!(named, ["b = [1, 3]", "c[1].x = 5", "c[1].z = 6", "d = none"]);
    }

    #[test]
    fn bodies_and_the_time_step_must_not_change() {
        for field in ["contact[0].friction", "time.end", "materials.glass.young", "guards.domain", "gravity"] {
            assert!(is_changeable(field), "{field}");
        }
        for field in
            ["contact[0].between", "time.step", "materials.glass.density", "grains[0].count", "walls[0].motion"]
        {
            assert!(!is_changeable(field), "{field}");
        }
    }
}
