//! Planar scenes: in the file a vector has two components, a spin is a number and bodies have an angle. Here each gets the
//! form it has in space, so that the rest of the crate knows one form only.

use glam::DVec3;
use toml::de::{DeArray, DeTable, DeValue};
use toml::{Spanned, Table, Value};

use crate::error::SceneError;
use crate::source::Source;

/// Keys whose values are vectors, wherever they stand.
const VECTORS: [&str; 11] = [
    "gravity",
    "min",
    "max",
    "centre",
    "domain_min",
    "domain_max",
    "position",
    "velocity",
    "random_velocity",
    "amplitude",
    "normal",
];

/// Keys whose values are lists of vectors.
const LISTS: [&str; 1] = ["positions"];

/// Acceleration of gravity where a planar scene gives none: down is -y, m/s².
const EARTH: &str = "[0, -9.81]";

/// One along each axis that a body can move along.
pub fn axes(planar: bool) -> DVec3 {
    if planar { DVec3::new(1.0, 1.0, 0.0) } else { DVec3::ONE }
}

/// Whether the scene says `dimension = 2`; a fault if it says something else than 2 or 3.
pub fn is_planar(source: &Source, root: &DeTable) -> Result<bool, SceneError> {
    match root.get("dimension").map(|value| value.get_ref()) {
        None => Ok(false),
        Some(DeValue::Integer(number)) if number.as_str() == "3" => Ok(false),
        Some(DeValue::Integer(number)) if number.as_str() == "2" => Ok(true),
        Some(_) => Err(source.fault("dimension", "must be 2 or 3")),
    }
}

/// Gives every vector of a planar scene its third component.
pub fn into_space(source: &Source, root: &mut DeTable<'_>) -> Result<(), SceneError> {
    if !root.contains_key("gravity") {
        root.insert(Spanned::new(0..0, "gravity".into()), literal(EARTH));
    }
    pad_table(source, "", root)
}

fn pad_table(source: &Source, path: &str, table: &mut DeTable<'_>) -> Result<(), SceneError> {
    for (key, value) in table.iter_mut() {
        let name = key.get_ref().as_ref();
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        match value.get_mut() {
            DeValue::Array(array) if VECTORS.contains(&name) => pad(source, &path, array)?,
            DeValue::Array(_) if name == "spin" => {
                return Err(source.fault(&path, "must be a number in a planar scene: bodies turn about z"));
            }
            DeValue::Array(list) if LISTS.contains(&name) => {
                for (index, element) in list.iter_mut().enumerate() {
                    if let DeValue::Array(array) = element.get_mut() {
                        pad(source, &format!("{path}[{index}]"), array)?;
                    }
                }
            }
            DeValue::Table(inner) => pad_table(source, &path, inner)?,
            DeValue::Array(list) => {
                for (index, element) in list.iter_mut().enumerate() {
                    if let DeValue::Table(inner) = element.get_mut() {
                        pad_table(source, &format!("{path}[{index}]"), inner)?;
                    }
                }
            }
            scalar if name == "spin" => {
                let about_z = std::mem::replace(scalar, DeValue::Boolean(false));
                let mut spin = DeArray::new();
                spin.push(literal("0"));
                spin.push(literal("0"));
                spin.push(Spanned::new(value.span(), about_z));
                *value.get_mut() = DeValue::Array(spin);
            }
            _ => {}
        }
    }
    Ok(())
}

fn pad(source: &Source, path: &str, array: &mut DeArray<'_>) -> Result<(), SceneError> {
    if array.len() != 2 {
        let reason = format!("must have two components in a planar scene, not {}", array.len());
        return Err(source.fault(path, reason));
    }
    array.push(literal("0"));
    Ok(())
}

/// A value that stands nowhere in the file.
fn literal(text: &'static str) -> Spanned<DeValue<'static>> {
    let value = DeValue::parse(text).expect("a literal of this file");
    Spanned::new(0..0, value.into_inner())
}

/// The scene as a file of its own: vectors with two components again.
pub fn from_space(root: &mut Table) {
    for (name, value) in root.iter_mut() {
        match value {
            Value::Array(array) if VECTORS.contains(&name.as_str()) => array.truncate(2),
            Value::Array(array) if name == "spin" => *value = array.pop().unwrap_or(Value::Float(0.0)),
            Value::Array(list) if LISTS.contains(&name.as_str()) => {
                list.iter_mut().filter_map(Value::as_array_mut).for_each(|vector| vector.truncate(2));
            }
            Value::Array(list) => list.iter_mut().filter_map(Value::as_table_mut).for_each(from_space),
            Value::Table(table) => from_space(table),
            _ => {}
        }
    }
}
