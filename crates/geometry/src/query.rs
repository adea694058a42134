//! Contact of two bodies as text: one JSON object asks, another answers (`granum contact`).
//!
//! In: `{"a": BODY, "b": BODY, "method": "auto"}`, where a BODY is
//! `{"shape": SHAPE, "position": [x, y, z], "orientation": [w, x, y, z]}`. Out: an [`Answer`], in world coordinates.
//! A [`Query`] that exists is valid; an error names the field at fault.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::collide::{general::general, routine};
use crate::shape::{Ellipsoid, Sphere, Superellipsoid, TaggedShape};
use crate::{Manifold, ManifoldPoint, Pair, Pose, Shape, Status};

/// Smallest norm an orientation may have: one below it was meant to be zero.
const MIN_QUATERNION_NORM: f64 = 1e-6;

/// Largest norm an orientation may have: one above it is no quaternion that somebody forgot to normalise.
const MAX_QUATERNION_NORM: f64 = 1e6;

/// How far a normal's length may be from 1: rounding, with room to spare.
const UNIT_TOLERANCE: f64 = 1e-9;

/// Two placed bodies and how to find their contact.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// First body.
    pub a: Body,
    /// Second body.
    pub b: Body,
    /// How to find the contact.
    pub method: Method,
}

/// A shape and where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// The shape, checked.
    pub shape: Shape,
    /// Its placement.
    pub pose: Pose,
}

/// Which routine answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The routine the dispatch table holds for the two kinds of shape.
    #[default]
    Auto,
    /// The routine for any two bounded convex bodies.
    General,
}

/// The contact of two bodies. Lengths in metres, world coordinates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// Whether the gap is zero or negative.
    pub touching: bool,
    /// Signed distance of the bodies; negative is penetration depth.
    pub gap: f64,
    /// Unit normal from a to b.
    pub normal: DVec3,
    /// Point on the surface of a.
    pub point_a: DVec3,
    /// Point on the surface of b.
    pub point_b: DVec3,
    /// Every point of the contact; the closest pair alone if the bodies are apart.
    pub contacts: Vec<ContactPoint>,
    /// Name of the routine that answered.
    pub method: &'static str,
    /// Iterations it took; 0 for a closed form.
    pub iterations: u32,
    /// `converged` or `not converged`.
    pub status: &'static str,
    /// If not converged, how far the two points are from sharing one normal, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub residual: Option<f64>,
}

/// One point of a contact.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContactPoint {
    /// Middle of the two surface points.
    pub point: DVec3,
    /// Unit normal from a to b.
    pub normal: DVec3,
    /// Signed distance of the surfaces here.
    pub gap: f64,
}

/// Why a query has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum QueryError {
    /// The text is not JSON, or has a number in it that no f64 can hold.
    #[error("{}not readable JSON: {reason}", prefix(.path))]
    Syntax {
        /// Path of the value being read; empty if there is none.
        path: String,
        /// What the parser met, and where.
        reason: String,
    },
    /// A field is unknown, given twice or of the wrong type.
    #[error("{}{reason}", prefix(.path))]
    Form {
        /// Path of the value at fault; empty for the query itself.
        path: String,
        /// What is wrong.
        reason: String,
    },
    /// A field is missing or has a value that cannot be.
    #[error("{field} {reason}")]
    Field {
        /// Path of the field.
        field: String,
        /// What is wrong with it, to be read after its name.
        reason: String,
    },
    /// The pair has no contact to report.
    #[error("a and b {0}")]
    NoContact(String),
}

/// A path as the start of a message.
fn prefix(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("{path}: ") }
}

/// A query as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a query {\"a\": BODY, \"b\": BODY, \"method\": NAME}")]
struct QuerySpec {
    a: BodySpec,
    b: BodySpec,
    #[serde(default)]
    method: Method,
}

/// A body as written.
#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a body {\"shape\": SHAPE, \"position\": [x,y,z], \"orientation\": [w,x,y,z]}"
)]
struct BodySpec {
    shape: TaggedShape,
    position: DVec3,
    #[serde(default = "unturned")]
    orientation: [f64; 4],
}

/// The orientation of a body that gives none: w, x, y, z.
fn unturned() -> [f64; 4] {
    [1.0, 0.0, 0.0, 0.0]
}

/// Reads one query, written on one line. An orientation of any length between 1e-6 and 1e6 is taken and normalised.
pub fn parse_query(text: &str) -> Result<Query, QueryError> {
    let spec: QuerySpec = read(text).map_err(|fault| diagnose(text, fault))?;
    Ok(Query { a: spec.a.check("a")?, b: spec.b.check("b")?, method: spec.method })
}

/// Finds the contact of the two bodies.
pub fn answer(query: &Query) -> Result<Answer, QueryError> {
    let Query { a, b, method } = query;
    let pair = Pair::new(&a.shape, &a.pose, &b.shape, &b.pose);
    let (collide, name) = match method {
        Method::Auto => {
            let routine = routine(a.shape.kind(), b.shape.kind());
            (routine.collide, routine.name)
        }
        Method::General => {
            if let Some((unbounded, _)) = [("a", a), ("b", b)].into_iter().find(|(_, body)| body.is_unbounded()) {
                let reason = format!("`general` is for bounded bodies, and {unbounded} is unbounded: use `auto`");
                return Err(QueryError::Field { field: "method".into(), reason });
            }
            (general as crate::CollideFn, "general")
        }
    };
    let mut manifold = Manifold::default();
    collide(&pair, &mut manifold);
    let Some(closest) = manifold.deepest() else {
        return Err(QueryError::NoContact(if a.is_unbounded() && b.is_unbounded() {
            "are both unbounded: they have no closest points".into()
        } else {
            format!("got no answer from the routine `{name}`")
        }));
    };
    if !manifold.points().iter().all(is_sound) {
        return Err(QueryError::NoContact("have sizes or positions too large or too small to compute with".into()));
    }
    let (status, residual) = match manifold.status {
        Status::Converged => ("converged", None),
        Status::NotConverged { residual } => ("not converged", Some(residual)),
        Status::NotProven { slack } => ("least depth not proven", Some(slack)),
    };
    let origin = a.pose.position;
    let contact =
        |point: &ManifoldPoint| ContactPoint { point: origin + point.arm, normal: point.normal, gap: point.gap };
    Ok(Answer {
        touching: closest.gap <= 0.0,
        gap: closest.gap,
        normal: closest.normal,
        point_a: origin + closest.on_a(),
        point_b: origin + closest.on_b(),
        contacts: manifold.points().iter().map(contact).collect(),
        method: name,
        iterations: manifold.iterations,
        status,
        residual,
    })
}

/// The shape of a file of benchmark pairs, by the file's name (`granum bench pairs`). Its size is about 2 m.
pub fn benchmark_shape(name: &str) -> Option<Shape> {
    match name {
        "sphere" => Some(Sphere { radius: 1.0 }.into()),
        "ellipsoid" => Some(Ellipsoid { semi_axes: DVec3::new(1.0, 1.5, 1.0) }.into()),
        "sq44" => Some(Superellipsoid { semi_axes: DVec3::new(1.0, 1.5, 1.0), eps: [0.5, 0.5] }.into()),
        "sq20_2" => Some(Superellipsoid { semi_axes: DVec3::new(1.0, 1.0, 1.5), eps: [1.0, 0.1] }.into()),
        _ => None,
    }
}

/// Whether a point has no overflow in it: numbers near the end of the range square to infinity or to zero.
fn is_sound(point: &ManifoldPoint) -> bool {
    point.gap.is_finite() && point.arm.is_finite() && (point.normal.length() - 1.0).abs() < UNIT_TOLERANCE
}

impl Body {
    fn is_unbounded(&self) -> bool {
        self.shape.as_convex().bounding_radius().is_infinite()
    }
}

impl BodySpec {
    /// The body, if its values can be; `name` is the body's name in messages.
    fn check(self, name: &str) -> Result<Body, QueryError> {
        let [w, x, y, z] = self.orientation;
        let fault = |field: &str, reason: String| QueryError::Field { field: format!("{name}.{field}"), reason };
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
            return Err(fault("orientation", reason));
        }
        let shape = shape.checked().map_err(|error| fault(&format!("shape.{}", error.field), error.reason))?;
        Ok(Body { shape, pose: Pose { position: self.position, orientation: quaternion / norm } })
    }
}

/// What the parser says in terms of Rust, and what it means to who writes a query.
const JARGON: [(&str, &str); 6] = [
    ("unknown variant", "unknown name"),
    ("variant identifier", "a name"),
    ("string or map", "a name"),
    ("internally tagged enum TaggedShape", "a shape {\"type\": NAME, ...}"),
    ("f64 values", "numbers"),
    ("f64", "a number"),
];

/// A parser's error and the path of the value it was reading.
struct Fault {
    path: String,
    error: serde_json::Error,
}

impl From<serde_path_to_error::Error<serde_json::Error>> for Fault {
    fn from(error: serde_path_to_error::Error<serde_json::Error>) -> Self {
        // The root is written `.`, and a part that the parser lost `?`: neither helps a reader.
        let path = error.path().to_string().trim_end_matches(['.', '?']).to_owned();
        Self { path, error: error.into_inner() }
    }
}

impl Fault {
    /// The parser's message, without the position it ends in.
    fn reason(&self) -> String {
        let error = &self.error;
        let position = format!(" at line {} column {}", error.line(), error.column());
        let message = error.to_string();
        let message = message.strip_suffix(&position).unwrap_or(&message).to_owned();
        JARGON.iter().fold(message, |message, (theirs, ours)| message.replace(theirs, ours))
    }
}

/// Reads the whole of `text` as a `T`.
fn read<T: for<'de> Deserialize<'de>>(text: &str) -> Result<T, Fault> {
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json)?;
    json.end().map_err(|error| Fault { path: String::new(), error })?;
    Ok(value)
}

/// Finds out more about a text that cannot be read as a query.
///
/// The parser works in one pass and loses the path inside a shape, which is read only after its type is known.
/// So the text is read again as plain JSON, for faults of syntax, and the query from that, for faults of form.
fn diagnose(text: &str, first: Fault) -> QueryError {
    let value = match read::<Value>(text) {
        Ok(value) => value,
        Err(fault) => return syntax_error(text, &fault),
    };
    // What plain JSON forgives, such as a key given twice, only the first reading saw.
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

/// The message for text that is not JSON: the parser's reason, the column, and the word that stands there.
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

/// The field of a shape that causes an error: the one which, alone with the type, causes the same.
fn field_at_fault<'a>(shape: &'a Value, reason: &str) -> Option<&'a str> {
    let shape = shape.as_object()?;
    let causes_it = |field: &&String| {
        let kept = shape.iter().filter(|(key, _)| *key == "type" || key == field);
        let alone = Value::Object(kept.map(|(key, value)| (key.clone(), value.clone())).collect());
        TaggedShape::deserialize(&alone).is_err_and(|error| Fault { path: String::new(), error }.reason() == reason)
    };
    // The type first: if it is wrong, every other field seems to be.
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
        assert_eq!((answer.gap, answer.normal), (-0.5, DVec3::Y));
        assert_eq!((answer.point_a, answer.point_b), (DVec3::new(10.0, 1.0, 0.0), DVec3::new(10.0, 0.5, 0.0)));
        let contact = ContactPoint { point: DVec3::new(10.0, 0.75, 0.0), normal: DVec3::Y, gap: -0.5 };
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
