//! The table of a shape, such as `[grains.sphere]`: any shape that geometry knows, with sizes that may be ranges.
//!
//! The table's name is the shape's `type` and its keys are the shape's fields, so this file names no shape and a new
//! one needs nothing here. Every number may be a length with a unit, or a distribution from which each grain draws its
//! own value, independently of the others. A `size` makes the whole shape larger or smaller.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use glam::DVec3;
use granum_geometry::shape::Realm;
use granum_geometry::{Kind, Shape};
use serde::de::value::{MapAccessDeserializer, MapDeserializer};
use serde::de::{Deserialize, Deserializer};

use crate::corners_file::Corner;
use crate::distribution::{Distribution, Number};
use crate::error::SceneError;
use crate::source::Source;
use crate::suggest;
use crate::values::Value;
use granum_geometry::random::Random;

/// The field of a shape that holds its corners; a file may stand for it.
pub const CORNERS: &str = "vertices";

/// Reason for which a `size` that is a list is refused.
pub const SIZE_IS_A_LIST: &str = "must be one number or one distribution, not a list";

/// Values of a shape's fields.
type Values<'a> = Vec<(&'a str, Value<'a>)>;

/// A shape as a scene gives it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShapeTable {
    /// Name of the shape, as in `granum contact`.
    pub kind: String,
    fields: BTreeMap<String, Number>,
}

/// What is wrong with a shape: the field of its table, if it is one field, and the reason.
pub struct ShapeFault {
    pub field: Option<String>,
    pub reason: String,
}

impl ShapeFault {
    /// The fault as one of the scene, of the body `path`.
    pub fn of(self, source: &Source, path: &str, shape: &ShapeTable) -> SceneError {
        let table = format!("{path}.{}", shape.kind);
        let field = self.field.map_or(table.clone(), |field| format!("{table}.{field}"));
        source.fault(&field, self.reason)
    }
}

impl ShapeTable {
    /// A shape of this kind, from the body of its table.
    pub fn new<'de, D: Deserializer<'de>>(kind: &str, table: D) -> Result<Self, D::Error> {
        Ok(Self { kind: kind.to_owned(), fields: BTreeMap::deserialize(table)? })
    }

    /// Gives the shape these corners, m.
    pub fn set_corners(&mut self, corners: Vec<Corner>) {
        let corner = |corner: Corner| Number::List(corner.map(Number::Fixed).into());
        self.fields.insert(CORNERS.to_owned(), Number::List(corners.into_iter().map(corner).collect()));
    }

    /// Whether every grain has the same shape.
    pub fn is_fixed(&self) -> bool {
        self.fields.values().all(is_fixed)
    }

    /// The shapes at the low and at the high end of all distributions.
    pub fn extremes(&self) -> Result<[Shape; 2], ShapeFault> {
        for (name, number) in &self.fields {
            check_number(name, number)?;
        }
        let end = |side: usize| self.shape(self.values(&mut |distribution| distribution.bounds()[side]));
        Ok([end(0)?, end(1)?])
    }

    /// The shape of one grain.
    pub fn draw(&self, random: &mut Random) -> Result<Shape, ShapeFault> {
        self.shape(self.values(&mut |distribution| distribution.draw(random)))
    }

    fn values(&self, pick: &mut impl FnMut(&Distribution) -> f64) -> Values<'_> {
        self.fields.iter().map(|(name, number)| (name.as_str(), value(number, pick))).collect()
    }

    fn shape(&self, values: Values) -> Result<Shape, ShapeFault> {
        let table = std::iter::once((self.kind.as_str(), Value::Table(values)));
        let shape = Shape::deserialize(MapAccessDeserializer::new(MapDeserializer::new(table)));
        let shape = shape.map_err(|error: serde::de::value::Error| {
            let message = error.to_string();
            let message = message.trim();
            let unknown = message.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next());
            // A shape that checks itself as it is read begins with the field at fault.
            let at_fault = message.strip_prefix('`').and_then(|rest| rest.split_once("` "));
            match at_fault.filter(|(field, _)| self.fields.contains_key(*field)) {
                Some((field, reason)) => ShapeFault { field: Some(field.to_owned()), reason: reason.to_owned() },
                None => ShapeFault { field: unknown.map(str::to_owned), reason: suggest::explain(message, &[]) },
            }
        })?;
        shape.checked().map_err(|fault| ShapeFault { field: Some(fault.field.into()), reason: fault.reason })
    }

    /// The table as a scene file has it.
    pub fn to_value(&self) -> Result<toml::Value, toml::ser::Error> {
        toml::Value::try_from(&self.fields)
    }
}

/// The `size` of a group of grains, m: the diameter of the ball of the same volume.
#[derive(Clone, Debug, PartialEq)]
enum Size {
    Fixed(f64),
    Drawn(Distribution),
}

/// The shapes of a group of grains: those of their table, brought to their size.
#[derive(Clone, Debug, PartialEq)]
pub struct GrainShapes {
    table: ShapeTable,
    size: Option<Size>,
    /// Fields of the table that grow with the size.
    lengths: Vec<String>,
}

impl GrainShapes {
    /// The shapes of a table; `sized` if a size is given, here or grain by grain.
    pub fn new(table: &ShapeTable, size: Option<&Number>, sized: bool) -> Result<Self, ShapeFault> {
        let lengths = if sized || size.is_some() { lengths(table)? } else { Vec::new() };
        let size = match size {
            None => None,
            Some(Number::Fixed(size)) => Some(Size::Fixed(*size)),
            Some(Number::Drawn(distribution)) => Some(Size::Drawn(distribution.clone())),
            Some(Number::List(_)) => return Err(ShapeFault { field: None, reason: SIZE_IS_A_LIST.into() }),
        };
        Ok(Self { table: table.clone(), size, lengths })
    }

    /// Whether every grain has the same shape.
    pub fn is_fixed(&self) -> bool {
        self.table.is_fixed() && !matches!(self.size, Some(Size::Drawn(_)))
    }

    /// The smallest and the largest shape.
    pub fn extremes(&self) -> Result<[Shape; 2], ShapeFault> {
        let [low, high] = self.table.extremes()?;
        let Some(size) = &self.size else { return Ok([low, high]) };
        let end = |side: usize| match size {
            Size::Drawn(distribution) => distribution.bounds()[side],
            Size::Fixed(size) => *size,
        };
        // Of equal sizes, the longer proportions reach farther.
        let sized = |side: usize, size: f64| self.scaled(self.table.values(&mut |d| d.bounds()[side]), size);
        let candidates = [sized(0, end(1))?, sized(1, end(1))?];
        let reach = |shape: &Shape| shape.as_convex().bounding_radius();
        let [one, other] = candidates;
        Ok([sized(0, end(0))?, if reach(&one) > reach(&other) { one } else { other }])
    }

    /// The shape of one grain.
    pub fn draw(&self, random: &mut Random) -> Result<Shape, ShapeFault> {
        match &self.size {
            None => self.table.draw(random),
            Some(Size::Drawn(distribution)) => {
                let size = distribution.draw(random);
                self.of_size(random, size)
            }
            Some(Size::Fixed(size)) => self.of_size(random, *size),
        }
    }

    /// The shape of a grain of this size.
    pub fn of_size(&self, random: &mut Random, size: f64) -> Result<Shape, ShapeFault> {
        self.scaled(self.table.values(&mut |distribution| distribution.draw(random)), size)
    }

    /// The shape of a grain whose lengths along its own axes are these many times those of the table.
    pub fn stretched(&self, random: &mut Random, stretch: DVec3) -> Result<Shape, ShapeFault> {
        let mut values = self.table.values(&mut |distribution| distribution.draw(random));
        let mut stretches = false;
        for (_, value) in values.iter_mut().filter(|(name, _)| self.lengths.iter().any(|field| field == name)) {
            if let Value::List(list) = value
                && list.len() == 3
            {
                list.iter_mut().zip(stretch.to_array()).for_each(|(length, factor)| length.scale(factor));
                stretches = true;
            }
        }
        match stretches {
            true => self.table.shape(values),
            false => {
                let reason = "sx, sy and sz need a shape with a length along each of its axes; give sizes instead";
                Err(ShapeFault { field: None, reason: reason.into() })
            }
        }
    }

    /// A shape of these values, made larger or smaller until a ball of its volume has the diameter `size`; in the plane a
    /// disc of its area.
    fn scaled(&self, mut values: Values, size: f64) -> Result<Shape, ShapeFault> {
        let shape = self.table.shape(values.clone())?;
        let volume = shape.as_convex().mass_properties().volume;
        let diameter = match shape.as_convex().realm() {
            Realm::Plane => (4.0 * volume / PI).sqrt(),
            _ => libm::cbrt(6.0 * volume / PI),
        };
        let factor = size / diameter;
        scale(&mut values, &self.lengths, factor);
        self.table.shape(values)
    }
}

/// The fields that are lengths: those that must all be halved for the shape to become half as large.
///
/// Geometry does not tell lengths from exponents and directions, so this is found by trying.
fn lengths(table: &ShapeTable) -> Result<Vec<String>, ShapeFault> {
    // A half, so that a shape of halved lengths is the half of the shape to the last bits.
    const HALF: f64 = 0.5;
    const DIRECTIONS: [DVec3; 4] = [
        DVec3::new(0.3, -0.5, 0.8),
        DVec3::new(-0.7, 0.6, 0.2),
        DVec3::new(0.1, 0.9, -0.4),
        DVec3::new(1.0, 0.1, 0.05),
    ];
    let values = table.values(&mut |distribution| distribution.bounds()[1]);
    let whole = table.shape(values.clone())?;
    let names: Vec<&String> = table.fields.keys().collect();
    let mut subsets: Vec<u32> = (1..1 << names.len().min(8)).collect();
    subsets.sort_by_key(|subset| subset.count_ones());
    for subset in subsets {
        let chosen: Vec<String> = (0..names.len()).filter(|k| subset >> k & 1 == 1).map(|k| names[k].clone()).collect();
        let mut halved = values.clone();
        scale(&mut halved, &chosen, HALF);
        let Ok(small) = table.shape(halved) else { continue };
        let is_half = |direction: DVec3| {
            let large = whole.as_convex().support(direction);
            let small = small.as_convex().support(direction);
            large.is_finite() && large.length() > 0.0 && (small - HALF * large).length() <= 1e-9 * large.length()
        };
        if DIRECTIONS.into_iter().all(is_half) {
            return Ok(chosen);
        }
    }
    Err(ShapeFault { field: None, reason: "a size needs a bounded shape; this one cannot be made larger".into() })
}

/// Multiplies the numbers of these fields.
fn scale(values: &mut Values, fields: &[String], factor: f64) {
    for (_, value) in values.iter_mut().filter(|(name, _)| fields.iter().any(|field| field == name)) {
        value.scale(factor);
    }
}

fn is_fixed(number: &Number) -> bool {
    match number {
        Number::Fixed(_) => true,
        Number::Drawn(_) => false,
        Number::List(list) => list.iter().all(is_fixed),
    }
}

fn value<'a>(number: &Number, pick: &mut impl FnMut(&Distribution) -> f64) -> Value<'a> {
    match number {
        Number::Fixed(number) => Value::Number(*number),
        Number::Drawn(distribution) => Value::Number(pick(distribution)),
        Number::List(list) => Value::List(list.iter().map(|number| value(number, pick)).collect()),
    }
}

fn check_number(name: &str, number: &Number) -> Result<(), ShapeFault> {
    let fault = |reason: String| Err(ShapeFault { field: Some(name.to_owned()), reason });
    match number {
        Number::Drawn(Distribution::Sieve(_)) => {
            fault("a sieve curve is of whole grains: give it to [[grains]] as size = { sieve = .. }".into())
        }
        Number::Drawn(distribution) => distribution.check().or_else(fault),
        Number::List(list) => list.iter().try_for_each(|number| check_number(name, number)),
        Number::Fixed(_) => Ok(()),
    }
}

/// Names of the shapes that geometry knows, as tables are named.
pub fn names() -> Vec<String> {
    let snake_case = |kind: &Kind| {
        let mut name = String::new();
        for letter in format!("{kind:?}").chars() {
            if letter.is_uppercase() && !name.is_empty() {
                name.push('_');
            }
            name.extend(letter.to_lowercase());
        }
        name
    };
    Kind::ALL.iter().map(snake_case).collect()
}
