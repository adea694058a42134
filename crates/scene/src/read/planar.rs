//! Conversion of planar scenes to the form of spatial ones, and back.
//!
//! In the file of a planar scene a vector has two components and a spin is a number. Both get three
//! components here, so that the rest of the crate handles one form only.

use glam::DVec3;
use toml::de::{DeArray, DeTable, DeValue};
use toml::{Spanned, Table, Value};

use crate::error::SceneError;
use crate::read::source::Source;

/// Keys whose values are vectors, in any table.
const VECTORS: [&str; 12] = [
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
    "pivot",
    "normal",
];

/// Keys whose values are lists of vectors.
const LISTS: [&str; 1] = ["positions"];

/// Default acceleration of gravity of a planar scene, m/s²: down is -y.
const EARTH: &str = "[0, -9.81]";

/// Returns 1 for each axis along which bodies can move, and 0 for the others.
pub fn axes(planar: bool) -> DVec3 {
    if planar { DVec3::new(1.0, 1.0, 0.0) } else { DVec3::ONE }
}

/// Returns whether the scene has `dimension = 2`; an error if the value is neither 2 nor 3.
pub fn is_planar(source: &Source, root: &DeTable) -> Result<bool, SceneError> {
    match root.get("dimension").map(|value| value.get_ref()) {
        None => Ok(false),
        Some(DeValue::Integer(number)) if number.as_str() == "3" => Ok(false),
        Some(DeValue::Integer(number)) if number.as_str() == "2" => Ok(true),
        Some(_) => Err(source.error("dimension", "must be 2 or 3")),
    }
}

/// Adds the third component to every vector and spin of a planar scene.
pub fn add_third_components(source: &Source, root: &mut DeTable<'_>) -> Result<(), SceneError> {
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
            DeValue::Array(array) if VECTORS.contains(&name) || is_direction(&path) => pad(source, &path, array)?,
            DeValue::Array(_) if name == "spin" => {
                return Err(source.error(&path, "must be a number in a planar scene, where bodies rotate about z only"));
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

/// Returns whether a field is the direction in which contact forces move a wall. The `axis` of a
/// rotation has no meaning in a planar scene.
fn is_direction(path: &str) -> bool {
    path.ends_with("servo.axis") || path.ends_with("free.axis")
}

/// Appends a zero to a vector of two components.
fn pad(source: &Source, path: &str, array: &mut DeArray<'_>) -> Result<(), SceneError> {
    if array.len() != 2 {
        let reason = format!("must have 2 components in a planar scene, not {}", array.len());
        return Err(source.error(path, reason));
    }
    array.push(literal("0"));
    Ok(())
}

/// Returns a value that has no position in the file.
fn literal(text: &'static str) -> Spanned<DeValue<'static>> {
    let value = DeValue::parse(text).expect("a valid literal");
    Spanned::new(0..0, value.into_inner())
}

/// Removes the third component of every vector and spin of a planar scene.
pub fn remove_third_components(root: &mut Table) {
    for (name, value) in root.iter_mut() {
        match value {
            Value::Array(array) if VECTORS.contains(&name.as_str()) || name == "axis" => array.truncate(2),
            Value::Array(array) if name == "spin" => *value = array.pop().unwrap_or(Value::Float(0.0)),
            Value::Array(list) if LISTS.contains(&name.as_str()) => {
                list.iter_mut().filter_map(Value::as_array_mut).for_each(|vector| vector.truncate(2));
            }
            Value::Array(list) => list.iter_mut().filter_map(Value::as_table_mut).for_each(remove_third_components),
            Value::Table(table) => remove_third_components(table),
            _ => {}
        }
    }
}
