//! Contact methods by name, for comparison (`granum contact`, field "method").
//!
//! A method is one file and one line in [`ALL`]. It states which pairs it applies to, and returns
//! an [`Outcome`]: the contact as far as the method determines it, further results of this method
//! alone (details), and a status. The simulation uses the routines of the pair table. A method that
//! is such a routine only gives it a name.

mod algebraic;
mod brent;
mod common_normal;
mod curvature;
mod general;
mod geometric_potential;
mod harmonic;
mod hollow;
mod intersection;
mod oval;
mod pencil;
mod perram_wertheim;
mod potential;
mod quadric;
mod region;
mod support;
mod vertex_edge;
mod wellmann;

pub use brent::{Minimum, brent};
pub use curvature::{Curvature, curvature};
pub use oval::Oval;
pub use potential::{Potential, Search, potential};

use glam::DVec3;

use granum_geometry::{ContactPoint, Manifold, Pair, Status};

/// A contact method.
pub struct Method {
    /// Its name in queries.
    pub name: &'static str,
    /// Description in one line.
    pub about: &'static str,
    /// The pairs of shapes it applies to, for messages.
    pub pairs: &'static str,
    /// Returns whether the method applies to a pair.
    pub serves: fn(&Pair) -> bool,
    /// Computes the contact of a pair to which the method applies.
    pub solve: fn(&Pair) -> Outcome,
}

/// Every method, in the order in which they are listed.
pub const ALL: &[Method] = &[
    general::METHOD,
    common_normal::METHOD,
    potential::METHOD,
    potential::AS_PRINTED,
    curvature::METHOD,
    curvature::AS_PRINTED,
    intersection::METHOD,
    support::METHOD,
    wellmann::METHOD,
    perram_wertheim::METHOD,
    algebraic::METHOD,
    geometric_potential::METHOD,
    vertex_edge::METHOD,
    region::LAYERS,
    region::EDGES,
];

/// Returns the first method with this name.
pub fn named(name: &str) -> Option<&'static Method> {
    ALL.iter().find(|method| method.name == name)
}

/// Returns the result of a method whose search has the given tolerance, rad; `None` if the method
/// has no tolerance or does not apply.
pub fn solve_to(method: &Method, pair: &Pair, tolerance: f64) -> Option<Outcome> {
    let search = Search::AsPrinted { tolerance };
    match method.name {
        name if name == potential::AS_PRINTED.name => Some(potential::solve(pair, search)),
        name if name == curvature::AS_PRINTED.name => Some(curvature::solve(pair, search)),
        _ => None,
    }
    .filter(|_| (method.serves)(pair))
}

/// Returns whether a method has a tolerance, see [`solve_to`].
pub fn has_tolerance(method: &Method) -> bool {
    [potential::AS_PRINTED.name, curvature::AS_PRINTED.name].contains(&method.name)
}

/// The result of a method. Vectors are in world axes, points relative to the centre of a, in
/// metres.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// True if the bodies touch or overlap.
    pub touching: bool,
    /// Signed distance of the bodies, m, if the method determines it.
    pub gap: Option<f64>,
    /// Unit normal from a to b, if the method determines it.
    pub normal: Option<DVec3>,
    /// A point on each surface, a first, if the method determines them.
    pub points: Option<[DVec3; 2]>,
    /// The contact points that a simulation by this method would use.
    pub contacts: Vec<ContactPoint>,
    /// Results of this method alone, by name.
    pub details: Vec<(&'static str, Detail)>,
    /// Number of iterations, or of evaluations of the function that is minimised.
    pub iterations: u32,
    /// Status of the method: converged or not.
    pub status: Status,
}

/// A result that only some methods have.
#[derive(Clone, Debug, PartialEq)]
pub enum Detail {
    /// A number.
    Number(f64),
    /// A word or a phrase.
    Text(&'static str),
    /// Points relative to the centre of a, world axes, m.
    Points(Vec<DVec3>),
}

impl Outcome {
    /// Returns the outcome of a pair routine; `None` if it reported no contact.
    pub fn of(manifold: &Manifold) -> Option<Self> {
        let closest = manifold.deepest()?;
        Some(Self {
            touching: closest.gap <= 0.0,
            gap: Some(closest.gap),
            normal: Some(closest.normal),
            points: Some([closest.on_a(), closest.on_b()]),
            contacts: manifold.points().to_vec(),
            details: Vec::new(),
            iterations: manifold.iterations,
            status: manifold.status,
        })
    }
}
