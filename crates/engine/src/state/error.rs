//! The error type of the methods that build or change a world.

use granum_geometry::Kind;

use super::{BodyId, MaterialId, ShapeId};

/// The reason why a change of a world was rejected. The world is then unchanged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WorldError {
    /// A shape with an impossible size.
    #[error("shape: {0}")]
    Shape(#[from] granum_geometry::InvalidShape),
    /// A shape of space in a planar world, or the reverse.
    #[error(
        "{kind:?} {}", if *planar { "is not a planar shape, and this world is planar" } else { "is a planar shape, and this world is not planar" }
    )]
    Realm {
        /// Kind of the shape.
        kind: Kind,
        /// True if the world is planar.
        planar: bool,
    },
    /// A shape that the world does not have.
    #[error("there is no shape number {} in this world", .0.0)]
    UnknownShape(ShapeId),
    /// A material that the world does not have.
    #[error("there is no material number {} in this world", .0.0)]
    UnknownMaterial(MaterialId),
    /// A body that the world does not have.
    #[error("there is no body number {} in this world", .0.0)]
    UnknownBody(BodyId),
    /// A number that is not finite, or a value that is not allowed.
    #[error("{0}")]
    Value(String),
    /// A change that is possible only before the first step.
    #[error("{0} can be set only before the first step")]
    HasBegun(&'static str),
    /// Two materials can meet for which no contact law was given.
    #[error("no contact law for the materials `{0}` and `{1}`: give their restitution and friction")]
    NoLaw(String, String),
}
