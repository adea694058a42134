//! granum simulates grains that are not spheres. This crate is the library; the program is `granum-cli`.
//!
//! It re-exports the items that a program needs, and contains no code of its own.
//!
//! ```
//! use granum::glam::DVec3;
//! use granum::law::{ContactLaw, Damping, EndRule, Normal, Rolling, Stiffness, Tangential};
//! use granum::shape::{Cylinder, HalfSpace};
//! use granum::{BodySpec, Material, Simulation, World};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut world = World::new();
//! world.set_gravity(DVec3::new(0.0, 0.0, -9.81))?;
//! world.set_time_step(2e-5)?;
//! let steel = world.add_material(Material::new("steel", 7800.0).with_elasticity(2.1e11, 0.3))?;
//! let end = EndRule::NoTension;
//! let normal = Normal::linear(Stiffness::Constant(1e5), Damping::Restitution(0.5), end)?;
//! let tangential = Tangential::Linear { friction: 0.3, ratio: 2.0 / 7.0, zeta: 0.1 };
//! world.set_law(steel, steel, ContactLaw { normal, tangential, rolling: Rolling::None, end })?;
//! let floor = world.add_shape(HalfSpace::new(DVec3::Z))?;
//! let coin = world.add_shape(Cylinder { radius: 0.01, half_height: 0.001 })?;
//! world.add_body(BodySpec::fixed(floor, steel, DVec3::ZERO))?;
//! let dropped = world.add_body(BodySpec::at(coin, steel, DVec3::new(0.0, 0.0, 0.05)))?;
//! let mut simulation = Simulation::new(world, 0)?;
//! simulation.run(10_000);
//! assert!(simulation.world().position(dropped).z < 0.05);
//! # Ok(())
//! # }
//! ```

pub use glam;
pub use granum_engine::{
    BodyId, BodySpec, BodyState, ContactState, Drive, Energy, Group, Guards, Material, MaterialId, Motion, ShapeId,
    Simulation, Snapshot, Violation, World, WorldError,
};
pub use granum_geometry::{
    ContactPoint, Convex, InvalidShape, Kind, Manifold, Measure, Pair, PairTable, Pose, Shape, collide,
};
pub use granum_output::{EnergyRow, Frame, FrameEntry, ReadError, RunFolder, Summary};
pub use granum_scene::{Scene, SceneError};

/// The shapes.
pub mod shape {
    pub use granum_geometry::shape::{
        Bar, Box, Capsule, Cylinder, Disc, Ellipse, Ellipsoid, HalfSpace, InsideCircle, InsideCylinder,
        InsideEllipsoid, InsideSphere, Polygon, Polyhedron, Segment, Sphere, Superellipse, Superellipsoid,
        TruncatedCone, gabion, rock,
    };
}

/// The laws of contact: forces of two bodies that overlap, and percussions of two bodies that collide.
pub mod law {
    pub use granum_engine::percussion::{Percussion, PercussionLaw};
    pub use granum_engine::{ContactLaw, Damping, EndRule, Normal, Rolling, Stiffness, Tangential};
}
