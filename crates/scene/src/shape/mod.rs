//! Shape tables, such as `[grains.sphere]`.
//!
//! The name of the table is the kind of the shape, and its keys are the fields of the shape in the
//! crate `geometry`. A new shape needs no change here but its description in `describe.rs`. Each
//! number may be a length with a unit, or a distribution from which each grain draws its own value,
//! independently of the others. The `size` of a group of grains scales the whole shape.

pub mod describe;
pub mod fields;
mod values;

use std::collections::BTreeMap;
use std::f64::consts::PI;

use glam::DVec3;
use granum_geometry::random::Random;
use granum_geometry::shape::Realm;
use granum_geometry::{Kind, Shape};
use serde::de::value::{MapAccessDeserializer, MapDeserializer};
use serde::de::{Deserialize, Deserializer};

use crate::error::SceneError;
use crate::read::source::Source;
use crate::read::suggest;
use crate::shape::values::Value;
use crate::value::distribution::{Distribution, Number};

/// The shape that a surface file can give.
pub const OF_A_FILE: &str = "polyhedron";

/// The field of this shape that contains its vertices. The keys `file`, `scale` and `hull` may
/// replace it.
pub const VERTICES: &str = "vertices";

/// Factor of the search for lengths: a power of two, so that it causes no rounding errors.
const HALF: f64 = 0.5;

/// Largest error of a support point of the halved shape, relative to its distance from the centre.
/// It covers rounding errors.
const ROUNDING: f64 = 1e-9;

/// Largest number of fields in the search for lengths, which tries all subsets. A shape has fewer.
const MOST_FIELDS: usize = 8;

/// Directions without symmetry, in which the support points of both shapes are compared.
const DIRECTIONS: [DVec3; 4] =
    [DVec3::new(0.3, -0.5, 0.8), DVec3::new(-0.7, 0.6, 0.2), DVec3::new(0.1, 0.9, -0.4), DVec3::new(1.0, 0.1, 0.05)];

/// Reason for which a `size` that is a list is refused.
pub const SIZE_IS_A_LIST: &str = "must be one number or one distribution, not a list";

/// Values of the fields of a shape.
type Values<'a> = Vec<(&'a str, Value<'a>)>;

/// A shape table of a scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShapeTable {
    /// Kind of the shape, as in `granum contact`.
    pub kind: String,
    fields: BTreeMap<String, Number>,
}

/// An error of a shape table.
pub struct ShapeError {
    /// The field of the table, if the error concerns a single one.
    pub field: Option<String>,
    pub reason: String,
}

impl ShapeError {
    /// Returns the error as one of the scene; `path` is the table that contains the shape table.
    pub fn at(self, source: &Source, path: &str, shape: &ShapeTable) -> SceneError {
        let table = format!("{path}.{}", shape.kind);
        let field = self.field.map_or(table.clone(), |field| format!("{table}.{field}"));
        source.error(&field, self.reason)
    }
}

impl ShapeTable {
    /// Reads the table of a shape of this kind.
    pub fn new<'de, D: Deserializer<'de>>(kind: &str, table: D) -> Result<Self, D::Error> {
        Ok(Self { kind: kind.to_owned(), fields: BTreeMap::deserialize(table)? })
    }

    /// Sets the vertices of the shape, m.
    pub fn set_vertices(&mut self, vertices: Vec<DVec3>) {
        let vertex = |vertex: DVec3| Number::List(vertex.to_array().map(Number::Fixed).into());
        self.fields.insert(VERTICES.to_owned(), Number::List(vertices.into_iter().map(vertex).collect()));
    }

    /// Returns whether all grains have the same shape.
    pub fn is_fixed(&self) -> bool {
        self.fields.values().all(is_fixed)
    }

    /// Returns the shapes at the low and at the high ends of all distributions.
    pub fn extremes(&self) -> Result<[Shape; 2], ShapeError> {
        for (name, number) in &self.fields {
            check_number(name, number)?;
        }
        let end = |side: usize| self.shape(self.values(&mut |distribution| distribution.bounds()[side]));
        Ok([end(0)?, end(1)?])
    }

    /// Draws the shape of one grain.
    pub fn draw(&self, random: &mut Random) -> Result<Shape, ShapeError> {
        self.shape(self.values(&mut |distribution| distribution.draw(random)))
    }

    /// Returns the values of all fields; `pick` chooses a number of each distribution.
    fn values(&self, pick: &mut impl FnMut(&Distribution) -> f64) -> Values<'_> {
        self.fields.iter().map(|(name, number)| (name.as_str(), value(number, pick))).collect()
    }

    /// Builds the shape of these values through the deserialiser of the crate `geometry`.
    fn shape(&self, values: Values) -> Result<Shape, ShapeError> {
        let table = std::iter::once((self.kind.as_str(), Value::Table(values)));
        let shape = Shape::deserialize(MapAccessDeserializer::new(MapDeserializer::new(table)));
        let shape = shape.map_err(|error: serde::de::value::Error| {
            let message = error.to_string();
            let message = message.trim();
            let unknown = message.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next());
            // The message of a shape that checks itself while it is read begins with the wrong
            // field.
            let wrong = message.strip_prefix('`').and_then(|rest| rest.split_once("` "));
            match wrong.filter(|(field, _)| self.fields.contains_key(*field)) {
                Some((field, reason)) => {
                    ShapeError { field: Some(field.to_owned()), reason: suggest::explain(reason, &[]) }
                }
                None => ShapeError { field: unknown.map(str::to_owned), reason: suggest::explain(message, &[]) },
            }
        })?;
        shape.checked().map_err(|error| ShapeError { field: Some(error.field.into()), reason: error.reason })
    }

    /// Returns the table as TOML.
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

/// The shapes of a group of grains: those of the shape table, scaled to the size of the group.
#[derive(Clone, Debug, PartialEq)]
pub struct GrainShapes {
    table: ShapeTable,
    size: Option<Size>,
    /// Fields of the table that are lengths and therefore scale with the size.
    lengths: Vec<String>,
}

impl GrainShapes {
    /// Creates the shapes of a table.
    ///
    /// `sized` must be true if a table of grains gives sizes or stretches, which need the lengths.
    pub fn new(table: &ShapeTable, size: Option<&Number>, sized: bool) -> Result<Self, ShapeError> {
        let lengths = if sized || size.is_some() { lengths(table)? } else { Vec::new() };
        let size = match size {
            None => None,
            Some(Number::Fixed(size)) => Some(Size::Fixed(*size)),
            Some(Number::Drawn(distribution)) => Some(Size::Drawn(distribution.clone())),
            Some(Number::List(_)) => return Err(ShapeError { field: None, reason: SIZE_IS_A_LIST.into() }),
        };
        Ok(Self { table: table.clone(), size, lengths })
    }

    /// Returns whether all grains have the same shape.
    pub fn is_fixed(&self) -> bool {
        self.table.is_fixed() && !matches!(self.size, Some(Size::Drawn(_)))
    }

    /// Returns the smallest and the largest shape, judged at the ends of all distributions.
    pub fn extremes(&self) -> Result<[Shape; 2], ShapeError> {
        let [low, high] = self.table.extremes()?;
        let Some(size) = &self.size else { return Ok([low, high]) };
        let end = |side: usize| match size {
            Size::Drawn(distribution) => distribution.bounds()[side],
            Size::Fixed(size) => *size,
        };
        // Of two shapes of equal volume, the slimmer one has the larger bounding radius.
        let sized = |side: usize, size: f64| self.scaled(self.table.values(&mut |d| d.bounds()[side]), size);
        let candidates = [sized(0, end(1))?, sized(1, end(1))?];
        let radius = |shape: &Shape| shape.as_convex().bounding_radius();
        let [one, other] = candidates;
        Ok([sized(0, end(0))?, if radius(&one) > radius(&other) { one } else { other }])
    }

    /// Draws the shape of one grain.
    pub fn draw(&self, random: &mut Random) -> Result<Shape, ShapeError> {
        match &self.size {
            None => self.table.draw(random),
            Some(Size::Drawn(distribution)) => {
                let size = distribution.draw(random);
                self.of_size(random, size)
            }
            Some(Size::Fixed(size)) => self.of_size(random, *size),
        }
    }

    /// Draws the shape of a grain of this size, m.
    pub fn of_size(&self, random: &mut Random, size: f64) -> Result<Shape, ShapeError> {
        self.scaled(self.table.values(&mut |distribution| distribution.draw(random)), size)
    }

    /// Draws the shape of a grain and multiplies its lengths along its own axes by these factors.
    pub fn stretched(&self, random: &mut Random, stretch: DVec3) -> Result<Shape, ShapeError> {
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
                let reason = "has no length along each of its axes, which sx, sy and sz need; give `size` instead";
                Err(ShapeError { field: None, reason: reason.into() })
            }
        }
    }

    /// Builds the shape of these values, scaled so that a ball of its volume has the diameter
    /// `size`; in a planar scene, so that a disc of its area has it.
    fn scaled(&self, mut values: Values, size: f64) -> Result<Shape, ShapeError> {
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

/// Returns the fields that are lengths.
///
/// The crate `geometry` does not distinguish lengths from exponents and directions. Therefore the
/// function tries sets of fields, the smallest first: halving exactly the lengths gives a shape of
/// half the size.
fn lengths(table: &ShapeTable) -> Result<Vec<String>, ShapeError> {
    let values = table.values(&mut |distribution| distribution.bounds()[1]);
    let whole = table.shape(values.clone())?;
    let names: Vec<&String> = table.fields.keys().collect();
    let mut subsets: Vec<u32> = (1..1 << names.len().min(MOST_FIELDS)).collect();
    subsets.sort_by_key(|subset| subset.count_ones());
    for subset in subsets {
        let chosen: Vec<String> = (0..names.len()).filter(|k| subset >> k & 1 == 1).map(|k| names[k].clone()).collect();
        let mut halved = values.clone();
        scale(&mut halved, &chosen, HALF);
        let Ok(small) = table.shape(halved) else { continue };
        let is_half = |direction: DVec3| {
            let large = whole.as_convex().support(direction);
            let small = small.as_convex().support(direction);
            large.is_finite() && large.length() > 0.0 && (small - HALF * large).length() <= ROUNDING * large.length()
        };
        if DIRECTIONS.into_iter().all(is_half) {
            return Ok(chosen);
        }
    }
    Err(ShapeError { field: None, reason: "cannot be scaled to a `size`; give a bounded shape".into() })
}

/// Multiplies the numbers of these fields by a factor.
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

/// Returns a number as a value; `pick` chooses a number of a distribution.
fn value<'a>(number: &Number, pick: &mut impl FnMut(&Distribution) -> f64) -> Value<'a> {
    match number {
        Number::Fixed(number) => Value::Number(*number),
        Number::Drawn(distribution) => Value::Number(pick(distribution)),
        Number::List(list) => Value::List(list.iter().map(|number| value(number, pick)).collect()),
    }
}

fn check_number(name: &str, number: &Number) -> Result<(), ShapeError> {
    let error = |reason: String| Err(ShapeError { field: Some(name.to_owned()), reason });
    match number {
        Number::Drawn(Distribution::Sieve(_)) => error(
            "must not be a sieve curve, which describes whole grains; give size = { sieve = .. } in [[grains]]".into(),
        ),
        Number::Drawn(distribution) => distribution.check().or_else(error),
        Number::List(list) => list.iter().try_for_each(|number| check_number(name, number)),
        Number::Fixed(_) => Ok(()),
    }
}

/// Returns the names of the shape tables, which are the kinds of shapes in snake case.
pub fn names() -> Vec<String> {
    // A surface has a table of its own, `[[surfaces]]`.
    Kind::BUILT_IN.iter().filter(|&&kind| kind != Kind::Surface).map(|kind| kind.name()).collect()
}
