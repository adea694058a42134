//! Ways to find a contact, by name, so that they can be compared (`granum contact`, "method").
//!
//! A method is one file and one line in [`ALL`]. It says which pairs it serves and answers with an [`Outcome`]: what it
//! can tell of the contact, what it alone knows (details), and how it ended. The simulation itself takes the
//! routines of the dispatch table; methods that are such a routine only give it its name.

mod algebraic;
mod brent;
mod common_normal;
mod curvature;
mod general;
mod geometric_potential;
mod harmonic;
mod intersection;
mod oval;
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

/// A way to find a contact.
pub struct Method {
    /// Its name in queries.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// Which pairs it serves, in words.
    pub pairs: &'static str,
    /// Whether it serves this pair.
    pub serves: fn(&Pair) -> bool,
    /// Finds the contact of a pair that it serves.
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

/// The method of this name.
pub fn named(name: &str) -> Option<&'static Method> {
    ALL.iter().find(|method| method.name == name)
}

/// What a method found out. Vectors in world axes, from the centre of a; lengths in metres.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Whether the bodies touch or overlap.
    pub touching: bool,
    /// Signed distance of the bodies, if the method tells it.
    pub gap: Option<f64>,
    /// Unit normal from a to b, if the method tells it.
    pub normal: Option<DVec3>,
    /// A point on each surface, if the method tells them.
    pub points: Option<[DVec3; 2]>,
    /// The contact points that it would give to a simulation.
    pub contacts: Vec<ContactPoint>,
    /// What this method alone tells, by name.
    pub details: Vec<(&'static str, Detail)>,
    /// Steps, or evaluations of what is minimised.
    pub iterations: u32,
    /// How it ended.
    pub status: Status,
}

/// A fact that only some methods tell.
#[derive(Clone, Debug, PartialEq)]
pub enum Detail {
    /// A number.
    Number(f64),
    /// Words.
    Text(&'static str),
    /// Points, from the centre of a, world axes, m.
    Points(Vec<DVec3>),
}

impl Outcome {
    /// The outcome of a pair routine; none if it reported no contact.
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
