//! Contact of two bodies by JSON: one object is the query, another the answer (`granum contact`).
//!
//! The query is `{"a": BODY, "b": BODY, "method": "auto"}`, with a `"tolerance"` for the methods that
//! are named `-as-printed`. A BODY is
//! `{"shape": SHAPE, "position": [x, y, z], "orientation": [w, x, y, z]}`, or in the plane
//! `{"shape": SHAPE, "position": [x, y], "angle_deg": d}`. The answer is an [`Answer`], in world
//! coordinates. A [`Query`] is always valid; an error names the field that is wrong.

mod answer;

pub use answer::{Answer, Fact, PointAnswer, Vector, answer, serving};

use std::sync::LazyLock;

use glam::{DQuat, DVec2, DVec3};
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::Value;

use crate::methods;
use granum_geometry::message::cut;
use granum_geometry::shape::{LENGTHS, TaggedShape};
use granum_geometry::{Pair, Pose, Shape};

/// Smallest accepted norm of an orientation. A smaller one is probably a zero.
const MIN_QUATERNION_NORM: f64 = 1e-6;

/// Largest accepted norm of an orientation. A larger one is probably not a quaternion that was left
/// unnormalised.
const MAX_QUATERNION_NORM: f64 = 1e6;

/// Accepted tolerances of a search, rad. Below them rounding decides.
const TOLERANCES: std::ops::RangeInclusive<f64> = 1e-12..=1.0;

/// Two placed bodies and the method for their contact.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// First body.
    pub a: Body,
    /// Second body.
    pub b: Body,
    /// The contact method.
    pub method: Choice,
    /// Tolerance of the search, rad, for a method that has one; the published one if omitted.
    pub tolerance: Option<f64>,
}

impl Query {
    /// Returns the two bodies as input of a pair routine.
    pub fn pair(&self) -> Pair<'_> {
        Pair::new(&self.a.shape, &self.a.pose, &self.b.shape, &self.b.pose)
    }
}

/// A placed shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// The shape, validated.
    pub shape: Shape,
    /// Pose of its body axes.
    pub pose: Pose,
    /// True if the body lies in the plane z = 0.
    pub planar: bool,
}

/// The requested method.
#[derive(Clone, Copy, Default)]
pub enum Choice {
    /// The routine of the pair table for the two kinds of shape.
    #[default]
    Auto,
    /// A method with a name.
    Named(&'static methods::Method),
}

impl Choice {
    /// Returns the name in queries.
    pub fn name(&self) -> &'static str {
        match self {
            Choice::Auto => "auto",
            Choice::Named(method) => method.name,
        }
    }
}

impl std::fmt::Debug for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl PartialEq for Choice {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

/// The accepted names of methods.
static NAMES: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| std::iter::once("auto").chain(methods::ALL.iter().map(|method| method.name)).collect());

impl<'de> Deserialize<'de> for Choice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = Choice;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a name")
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Choice, E> {
                match methods::named(name) {
                    Some(method) => Ok(Choice::Named(method)),
                    None if name == "auto" => Ok(Choice::Auto),
                    None => Err(E::unknown_variant(name, &NAMES)),
                }
            }
        }
        deserializer.deserialize_str(Name)
    }
}

/// The reason why a query has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum QueryError {
    /// The text is not JSON, or contains a number that is too large for an f64.
    #[error("{}not readable JSON: {reason}", prefix(.path))]
    Syntax {
        /// Path of the value that was being read; empty if there is none.
        path: String,
        /// The message of the parser, with the position.
        reason: String,
    },
    /// A field is unknown, is given twice, or has the wrong type.
    #[error("{}{reason}", prefix(.path))]
    Form {
        /// Path of the wrong value; empty for the query itself.
        path: String,
        /// Description of the error.
        reason: String,
    },
    /// A field is missing or has an invalid value.
    #[error("{field} {reason}")]
    Field {
        /// Path of the field.
        field: String,
        /// Description of the error, to be read after the name of the field.
        reason: String,
    },
    /// The pair has no contact that could be reported.
    #[error("a and b {0}")]
    NoContact(String),
}

impl QueryError {
    /// Returns the error with long words of the query cut.
    fn cut(self) -> Self {
        match self {
            Self::Syntax { path, reason } => Self::Syntax { path: cut(&path), reason: cut(&reason) },
            Self::Form { path, reason } => Self::Form { path: cut(&path), reason: cut(&reason) },
            Self::Field { field, reason } => Self::Field { field: cut(&field), reason: cut(&reason) },
            Self::NoContact(reason) => Self::NoContact(reason),
        }
    }
}

/// Returns a path as the beginning of a message.
fn prefix(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("{path}: ") }
}

/// A query as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a query {\"a\": BODY, \"b\": BODY, \"method\": NAME}")]
struct QuerySpec {
    a: BodySpec,
    b: BodySpec,
    #[serde(default)]
    method: Choice,
    #[serde(default, deserialize_with = "given")]
    tolerance: Option<f64>,
}

/// A body as it is written.
#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a body {\"shape\": SHAPE, \"position\": [x,y,z], \"orientation\": [w,x,y,z]}"
)]
struct BodySpec {
    shape: TaggedShape,
    position: Position,
    #[serde(default, deserialize_with = "given")]
    orientation: Option<[f64; 4]>,
    #[serde(default, deserialize_with = "given")]
    angle_deg: Option<f64>,
}

/// Reads a field that may be omitted but not be null.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// A position: three numbers in space, two in the plane.
enum Position {
    Space(DVec3),
    Plane(DVec2),
}

impl<'de> Deserialize<'de> for Position {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Numbers;
        impl<'de> Visitor<'de> for Numbers {
            type Value = Position;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a point [x,y,z], or [x,y] in the plane")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Position, A::Error> {
                let mut numbers = Vec::new();
                while let Some(number) = seq.next_element::<f64>()? {
                    numbers.push(number);
                }
                match numbers[..] {
                    [x, y] => Ok(Position::Plane(DVec2::new(x, y))),
                    [x, y, z] => Ok(Position::Space(DVec3::new(x, y, z))),
                    _ => Err(serde::de::Error::invalid_length(numbers.len(), &self)),
                }
            }
        }
        deserializer.deserialize_seq(Numbers)
    }
}

/// Reads one query, written on one line. An orientation with a norm between 1e-6 and 1e6 is
/// accepted and normalised.
pub fn parse_query(text: &str) -> Result<Query, QueryError> {
    let spec: QuerySpec = read(text).map_err(|fault| diagnose(text, fault).cut())?;
    let (a, b) = (spec.a.check("a")?, spec.b.check("b")?);
    if a.planar != b.planar {
        let [planar, spatial] = if a.planar { ["a", "b"] } else { ["b", "a"] };
        let reason = format!("must have as many numbers as that of a: {planar} lies in the plane, {spatial} in space");
        return Err(QueryError::Field { field: "b.position".into(), reason });
    }
    if let Some(tolerance) = spec.tolerance {
        let fault = |reason: String| Err(QueryError::Field { field: "tolerance".into(), reason });
        if !TOLERANCES.contains(&tolerance) {
            let (low, high) = (TOLERANCES.start(), TOLERANCES.end());
            return fault(format!("must be an angle between {low:e} and {high:e} rad, not {tolerance}"));
        }
        if !matches!(spec.method, Choice::Named(method) if methods::has_tolerance(method)) {
            return fault(format!(
                "is for the methods that end in -as-printed: `{}` has no tolerance",
                spec.method.name()
            ));
        }
    }
    Ok(Query { a, b, method: spec.method, tolerance: spec.tolerance })
}

impl Body {
    fn is_unbounded(&self) -> bool {
        self.shape.as_convex().bounding_radius().is_infinite()
    }
}

impl BodySpec {
    /// Validates the values and returns the body; `name` is the name of the body in messages.
    fn check(self, name: &str) -> Result<Body, QueryError> {
        let fault = |field: &str, reason: String| QueryError::Field { field: format!("{name}.{field}"), reason };
        let (position, planar) = match self.position {
            Position::Space(point) => (point, false),
            Position::Plane(point) => (point.extend(0.0), true),
        };
        if !position.to_array().iter().all(|coordinate| coordinate.abs() <= *LENGTHS.end()) {
            let reason = format!("must have coordinates up to {:e} m, not {:?}", LENGTHS.end(), position.to_array());
            return Err(fault("position", reason));
        }
        let out_of_place =
            if planar { self.orientation.map(|_| "orientation") } else { self.angle_deg.map(|_| "angle_deg") };
        if let Some(field) = out_of_place {
            let reason = "must be left out: a body in the plane has an angle_deg, one in space an orientation".into();
            return Err(fault(field, reason));
        }
        let turned = DQuat::from_rotation_z(self.angle_deg.unwrap_or(0.0).to_radians());
        let [w, x, y, z] = self.orientation.unwrap_or([turned.w, turned.x, turned.y, turned.z]);
        let quaternion = DQuat::from_xyzw(x, y, z, w);
        let norm = quaternion.length();
        if !(MIN_QUATERNION_NORM..=MAX_QUATERNION_NORM).contains(&norm) {
            let reason = format!(
                "must be a quaternion [w,x,y,z] with a norm between {MIN_QUATERNION_NORM:e} and \
                 {MAX_QUATERNION_NORM:e}, not [{w},{x},{y},{z}]"
            );
            return Err(fault("orientation", reason));
        }
        let shape = Shape::from(self.shape);
        if matches!(shape, Shape::HalfSpace(_)) && [x, y, z] != [0.0; 3] {
            let reason = "must be left out: the normal of a half_space is given in world axes".into();
            return Err(fault(if planar { "angle_deg" } else { "orientation" }, reason));
        }
        let shape = shape.checked().map_err(|error| fault(&format!("shape.{}", error.field), error.reason))?;
        if !shape.as_convex().realm().admits(planar) {
            let reason = match planar {
                true => "must be a planar shape where the position has two numbers",
                false => "must be a shape of space where the position has three numbers",
            };
            return Err(fault("shape", reason.into()));
        }
        let given = Pose { position, orientation: quaternion / norm };
        Ok(Body { pose: shape.as_convex().frame().moved_by(&given), shape, planar })
    }
}

/// Terms of Rust in messages of the parser, and their replacements for a reader who writes queries.
const JARGON: [(&str, &str); 6] = [
    ("unknown variant", "unknown name"),
    ("variant identifier", "a name"),
    ("string or map", "a name"),
    ("internally tagged enum TaggedShape", "a shape {\"type\": NAME, ...}"),
    ("f64 values", "numbers"),
    ("f64", "a number"),
];

/// An error of the parser, and the path of the value that it was reading.
struct Fault {
    path: String,
    error: serde_json::Error,
}

impl From<serde_path_to_error::Error<serde_json::Error>> for Fault {
    fn from(error: serde_path_to_error::Error<serde_json::Error>) -> Self {
        // The parser writes `.` for the root and `?` for a part that it lost. Neither helps a
        // reader.
        let path = error.path().to_string().trim_end_matches(['.', '?']).to_owned();
        Self { path, error: error.into_inner() }
    }
}

impl Fault {
    /// Returns the message of the parser without the position at its end.
    fn reason(&self) -> String {
        let error = &self.error;
        let position = format!(" at line {} column {}", error.line(), error.column());
        let message = error.to_string();
        let message = message.strip_suffix(&position).unwrap_or(&message).to_owned();
        JARGON.iter().fold(message, |message, (theirs, ours)| message.replace(theirs, ours))
    }
}

/// Reads all of `text` as a `T`.
fn read<T: for<'de> Deserialize<'de>>(text: &str) -> Result<T, Fault> {
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json)?;
    json.end().map_err(|error| Fault { path: String::new(), error })?;
    Ok(value)
}

/// Returns a more precise error for a text that cannot be read as a query.
///
/// The parser works in one pass and loses the path inside a shape, because a shape is read only
/// after its type is known. Therefore the text is read again as plain JSON, which finds errors of
/// syntax, and then the query from the JSON value, which finds errors of form.
fn diagnose(text: &str, first: Fault) -> QueryError {
    let value = match read::<Value>(text) {
        Ok(value) => value,
        Err(fault) => return syntax_error(text, &fault),
    };
    // Plain JSON accepts some errors, such as a key that is given twice. Only the first reading
    // found those.
    let fault = match serde_path_to_error::deserialize::<_, QuerySpec>(&value) {
        Ok(_) => first,
        Err(error) => error.into(),
    };
    let reason = fault.reason();
    if let Some(field) = reason.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
        let field = if fault.path.is_empty() { field.into() } else { format!("{}.{field}", fault.path) };
        return QueryError::Field { field, reason: "is missing".into() };
    }
    let shape = fault.path.strip_suffix(".shape").map(|body| &value[body]["shape"]);
    let field = shape.and_then(|shape| field_at_fault(shape, &reason)).map(|field| format!(".{field}"));
    QueryError::Form { path: fault.path + &field.unwrap_or_default(), reason }
}

/// Returns the error for text that is not JSON: the message of the parser, the column, and the word
/// at that column.
fn syntax_error(text: &str, fault: &Fault) -> QueryError {
    let is_end = |byte: &u8| b",:[]{}\"".contains(byte) || byte.is_ascii_whitespace();
    let column = fault.error.column();
    let (before, after) = text.as_bytes().split_at(column.saturating_sub(1).min(text.len()));
    let start = before.iter().rposition(is_end).map_or(0, |at| at + 1);
    let end = before.len() + after.iter().position(is_end).unwrap_or(after.len());
    let word = match &text[start..end] {
        "" => String::new(),
        word => format!(", at `{word}`"),
    };
    QueryError::Syntax { path: fault.path.clone(), reason: format!("{}{word} (column {column})", fault.reason()) }
}

/// Returns the field of a shape that causes an error: the field that, alone with the type, causes
/// the same error.
fn field_at_fault<'a>(shape: &'a Value, reason: &str) -> Option<&'a str> {
    let shape = shape.as_object()?;
    let causes_it = |field: &&String| {
        let kept = shape.iter().filter(|(key, _)| *key == "type" || key == field);
        let alone = Value::Object(kept.map(|(key, value)| (key.clone(), value.clone())).collect());
        TaggedShape::deserialize(&alone).is_err_and(|error| Fault { path: String::new(), error }.reason() == reason)
    };
    // The type first: if it is wrong, every other field causes an error as well.
    let fields = shape.keys().filter(|key| *key == "type").chain(shape.keys().filter(|key| *key != "type"));
    fields.into_iter().find(causes_it).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(text: &str) -> Result<Answer, QueryError> {
        answer(&parse_query(text)?)
    }

    #[test]
    fn points_are_in_world_coordinates() {
        let answer = ask(
            r#"{"a": {"shape": {"type": "sphere", "radius": 1}, "position": [10, 0, 0]},
                "b": {"shape": {"type": "sphere", "radius": 2}, "position": [10, 2.5, 0], "orientation": [0, 0, 3, 0]}}"#,
        )
        .unwrap();
        assert!(answer.touching);
        let space = |x: f64, y: f64, z: f64| Vector::Space(DVec3::new(x, y, z));
        assert_eq!((answer.gap, answer.normal), (Some(-0.5), Some(space(0.0, 1.0, 0.0))));
        assert_eq!((answer.point_a, answer.point_b), (Some(space(10.0, 1.0, 0.0)), Some(space(10.0, 0.5, 0.0))));
        let contact =
            PointAnswer { point: space(10.0, 0.75, 0.0), normal: space(0.0, 1.0, 0.0), gap: Some(-0.5), overlap: None };
        assert_eq!(answer.contacts, [contact]);
        assert_eq!((answer.method, answer.iterations, answer.status), ("sphere_sphere", 0, "converged"));
    }

    #[test]
    fn an_orientation_is_normalised() {
        let query = parse_query(
            r#"{"a": {"shape": {"type": "sphere", "radius": 1}, "position": [0, 0, 0], "orientation": [0, 0, 0, 1e5]},
                "b": {"shape": {"type": "half_space", "normal": [0, 3, 0]}, "position": [0, 0, 0], "orientation": [-2, 0, 0, 0]}}"#,
        )
        .unwrap();
        assert_eq!(query.a.pose.orientation, DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0));
    }
}
