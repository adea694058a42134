//! The region that two overlapping bodies share: what a contact law in its volume or its moments needs of it.
//!
//! Which pairs know theirs is said here, and nowhere else: whoever asks knows no shapes.

mod bounds;
mod breakpoints;
pub(super) mod contact;
mod cross_section;
#[cfg(test)]
mod cross_section_reference;
mod edges;
mod frame;
mod integrals;
mod polygons;
mod polytopes;
mod simd;
mod slices;

use glam::DVec3;

use crate::contact::polytope::Cuboid;
use polygons::of_polygons;
use polytopes::of_solids;

use crate::{Kind, Pair, Patch, Shape};
pub use edges::{Edges, edges};
pub use slices::{Layers, MOST_NODES, NODES, Region, layers, smooth_overlap};

/// The region that two bodies share. Vectors in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// Volume V, m³; of planar bodies the area, m², as for a metre of thickness.
    pub volume: f64,
    /// Centroid, from the centre of a, m.
    pub centroid: DVec3,
    /// `S`, m²: the integral of the outward normal over the part of a's surface that lies in b. V grows by `-S.dx` as b
    /// moves by dx, and by `S.dx` as a does.
    pub push: DVec3,
    /// `G`, m³: the integral of `(x - centre of a) x normal` over the same part. V grows by `G.dr` as a turns by dr.
    pub turn: DVec3,
}

impl Overlap {
    /// How the volume grows.
    pub fn slope(&self) -> Slope {
        Slope { push: self.push, turn: self.turn }
    }
}

/// How a measure of the region grows as the bodies move. Vectors in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// By `push.dx` as a moves by dx, and by `-push.dx` as b does.
    pub push: DVec3,
    /// By `turn.dr` as a turns by dr about its centre.
    pub turn: DVec3,
}

impl Slope {
    /// Unit normal from a to b, along which it shrinks fastest.
    pub fn normal(&self) -> DVec3 {
        self.push.normalize_or(DVec3::Z)
    }

    /// A point of the line along which a force has this moment, but for [`Self::couple`]: the nearest to a place. Both from
    /// the centre of a, m.
    pub fn point(&self, near: DVec3) -> DVec3 {
        let square = self.push.length_squared();
        if square == 0.0 {
            return near;
        }
        let foot = self.push.cross(self.turn) / square;
        foot + (near - foot).dot(self.push) / square * self.push
    }

    /// The part of the moment that is along the normal, for a unit force, m.
    pub fn couple(&self) -> f64 {
        let square = self.push.length_squared();
        if square == 0.0 { 0.0 } else { self.turn.dot(self.push) / square }
    }
}

/// How far two bodies overlap, as a smooth function of their poses. Vectors in world axes.
#[derive(Clone, Copy, Debug)]
pub struct SmoothOverlap {
    /// The overlap, m.
    pub size: f64,
    /// Mean place of what is shared, from the centre of a, m.
    pub centroid: DVec3,
    /// How the overlap grows as the bodies move.
    pub slope: Slope,
    /// What is shared, across the normal.
    pub patch: Patch,
    /// Number of layers, or of places of a rim, that were summed.
    pub parts: usize,
}

/// The region that two bodies share; none if they are apart, or if the pair does not know its region.
pub fn overlap(pair: &Pair) -> Option<Overlap> {
    match (pair.a, pair.b) {
        (Shape::Cylinder(_), Shape::Cylinder(_)) => layers(pair, Layers::Each(NODES)).map(|region| region.overlap),
        (Shape::Box(a), Shape::Box(b)) => of_solids(&Cuboid(a.half_sizes), &Cuboid(b.half_sizes), pair),
        (Shape::Box(a), Shape::Polyhedron(b)) => of_solids(&Cuboid(a.half_sizes), b.hull(), pair),
        (Shape::Polyhedron(a), Shape::Box(b)) => of_solids(a.hull(), &Cuboid(b.half_sizes), pair),
        (Shape::Polyhedron(a), Shape::Polyhedron(b)) => of_solids(a.hull(), b.hull(), pair),
        (Shape::Polygon(a), Shape::Polygon(b)) => of_polygons(a, b, pair),
        _ => None,
    }
}

/// A way to find the region that two bodies share, by name.
#[derive(Clone, Copy)]
pub struct Representation {
    /// Its name.
    pub name: &'static str,
    /// The volume by it, m³; none if the bodies are apart, or if this way does not serve the pair.
    pub volume: fn(&Pair) -> Option<f64>,
}

/// The ways to the region of two cylinders. The first is the reference of the others.
static OF_CYLINDERS: [Representation; 4] = [
    Representation { name: "reference", volume: |pair| layers_of(pair, Layers::Each(MOST_NODES)) },
    Representation { name: "layers", volume: |pair| layers_of(pair, Layers::Each(NODES)) },
    Representation { name: "contact", volume: |pair| layers_of(pair, Layers::Few) },
    Representation { name: "edges", volume: |pair| edges(pair).map(|region| region.volume) },
];

fn layers_of(pair: &Pair, count: Layers) -> Option<f64> {
    layers(pair, count).map(|region| region.overlap.volume)
}

/// The ways that two kinds of bodies have to their region, the reference of the others first; none where there is but one.
pub fn representations(a: Kind, b: Kind) -> &'static [Representation] {
    match (a, b) {
        (Kind::Cylinder, Kind::Cylinder) => &OF_CYLINDERS,
        _ => &[],
    }
}
