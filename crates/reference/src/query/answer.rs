//! The answer to a query.

use glam::{DVec2, DVec3};
use serde::{Serialize, Serializer};

use super::{Body, Choice, Query, QueryError};
use crate::methods::{self, Detail, Method, Outcome};
use granum_geometry::{ContactPoint, Manifold, Measure, OverlapRegion, PairTable, Status};

/// Largest deviation of the length of a normal from 1. A larger one is not rounding but overflow or
/// underflow.
const UNIT_TOLERANCE: f64 = 1e-9;

/// A vector with two components in the plane, three in space.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Vector {
    /// In space.
    Space(DVec3),
    /// In the plane.
    Plane(DVec2),
}

/// The contact of two bodies. Lengths in metres, world coordinates. A field that the method does
/// not determine is omitted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// True if the bodies touch or overlap.
    pub touching: bool,
    /// Signed distance of the bodies, m. Negative if they overlap: minus the penetration depth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<f64>,
    /// Unit normal from a to b.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normal: Option<Vector>,
    /// Point on the surface of a.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point_a: Option<Vector>,
    /// Point on the surface of b.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point_b: Option<Vector>,
    /// All contact points; only the closest one if the bodies are separated.
    pub contacts: Vec<PointAnswer>,
    /// The overlap region, where the pair table has a routine for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap: Option<SharedRegion>,
    /// Name of the method, or of the pair routine for the method `auto`.
    pub method: &'static str,
    /// Number of iterations; 0 for a closed form.
    pub iterations: u32,
    /// `converged`, `not converged` or `least depth not proven`.
    pub status: &'static str,
    /// If not converged, the deviation of the two surface points from a common normal, m; if not
    /// proven, the largest amount by which the depth may be too large, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub residual: Option<f64>,
    /// Results of this method alone.
    #[serde(flatten, serialize_with = "as_map")]
    pub details: Vec<(&'static str, Fact)>,
}

/// A detail of a method in world coordinates.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Fact {
    /// A number.
    Number(f64),
    /// A word or a phrase.
    Text(&'static str),
    /// Points.
    Points(Vec<Vector>),
}

/// The overlap region of two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SharedRegion {
    /// Volume, m^3; the area, m^2, in the plane.
    pub volume: f64,
    /// Centroid, m.
    pub centroid: Vector,
}

/// One point of a contact.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PointAnswer {
    /// Middle of the two surface points, m.
    pub point: Vector,
    /// Unit normal from a to b.
    pub normal: Vector,
    /// Signed distance of the surfaces at this point, m, if the method determines it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<f64>,
    /// Overlap by a measure that is not a distance, m, if the method has such a measure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap: Option<f64>,
}

fn as_map<S: Serializer>(details: &[(&'static str, Fact)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(details.iter().map(|(name, fact)| (name, fact)))
}

/// Returns the methods that apply to a query, without `auto`.
pub fn serving(query: &Query) -> impl Iterator<Item = &'static Method> + '_ {
    methods::ALL.iter().filter(|method| (method.serves)(&query.pair()))
}

/// Computes the contact of the two bodies.
pub fn answer(query: &Query) -> Result<Answer, QueryError> {
    let Query { a, b, method, tolerance } = query;
    let pair = query.pair();
    let (outcome, name) = match method {
        // The same name may denote one method in the plane and another in space.
        Choice::Named(method) => match serving(query).find(|other| other.name == method.name) {
            Some(method) => {
                let to_tolerance = tolerance.and_then(|tolerance| methods::solve_to(method, &pair, tolerance));
                (to_tolerance.unwrap_or_else(|| (method.solve)(&pair)), method.name)
            }
            None => return Err(not_served(query, method)),
        },
        Choice::Auto => {
            let routine = PairTable::standard().routine(Measure::Depth, a.shape.kind(), b.shape.kind());
            let mut manifold = Manifold::default();
            routine.evaluate(&pair, &mut manifold);
            let Some(outcome) = Outcome::of(&manifold) else {
                return Err(QueryError::NoContact(if a.is_unbounded() && b.is_unbounded() {
                    "are both unbounded: they have no closest points".into()
                } else {
                    format!("got no answer from the routine `{}`", routine.name())
                }));
            };
            (outcome, routine.name())
        }
    };
    if !outcome.contacts.iter().all(is_sound) {
        return Err(QueryError::NoContact("have sizes or positions too large or too small to compute with".into()));
    }
    let overlap = if outcome.touching { granum_geometry::overlap_region(&pair) } else { None };
    Ok(in_world(outcome, overlap, name, a))
}

fn not_served(query: &Query, method: &Method) -> QueryError {
    let unbounded = [("a", &query.a), ("b", &query.b)].into_iter().find(|(_, body)| body.is_unbounded());
    let reason = match unbounded {
        Some((name, _)) if method.name == "general" => {
            format!("`general` is for bounded bodies, and {name} is unbounded: use `auto`")
        }
        _ => format!("`{}` is for {}: use `auto`", method.name, method.pairs),
    };
    QueryError::Field { field: "method".into(), reason }
}

/// Returns an outcome, whose points are relative to the centre of a, in world coordinates.
fn in_world(outcome: Outcome, overlap: Option<OverlapRegion>, method: &'static str, a: &Body) -> Answer {
    let vector = |v: DVec3| if a.planar { Vector::Plane(v.truncate()) } else { Vector::Space(v) };
    let point = |arm: DVec3| vector(a.pose.position + arm);
    let (status, residual) = match outcome.status {
        Status::Converged => ("converged", None),
        Status::NotConverged { residual } => ("not converged", Some(residual)),
        Status::NotProven { slack } => ("least depth not proven", Some(slack)),
    };
    let contact = |p: &ContactPoint| PointAnswer {
        point: point(p.arm),
        normal: vector(p.normal),
        gap: (!p.gap.is_nan()).then_some(p.gap),
        overlap: p.overlap.map(|overlap| overlap.value),
    };
    let details = outcome.details.into_iter().map(|(name, detail)| {
        let fact = match detail {
            Detail::Number(number) => Fact::Number(number),
            Detail::Text(text) => Fact::Text(text),
            Detail::Points(points) => Fact::Points(points.into_iter().map(point).collect()),
        };
        (name, fact)
    });
    Answer {
        touching: outcome.touching,
        gap: outcome.gap,
        normal: outcome.normal.map(vector),
        point_a: outcome.points.map(|points| point(points[0])),
        point_b: outcome.points.map(|points| point(points[1])),
        contacts: outcome.contacts.iter().map(contact).collect(),
        overlap: overlap.map(|shared| SharedRegion { volume: shared.volume, centroid: point(shared.centroid) }),
        method,
        iterations: outcome.iterations,
        status,
        residual,
        details: details.collect(),
    }
}

/// Returns whether a point is free of overflow and underflow: numbers near the limits of the range
/// have squares that are infinite or zero.
fn is_sound(point: &ContactPoint) -> bool {
    point.law_overlap().is_finite() && point.arm.is_finite() && (point.normal.length() - 1.0).abs() < UNIT_TOLERANCE
}
