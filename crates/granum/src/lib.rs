//! granum simulates grains that are not spheres. This crate is the library; the program is
//! `granum-cli`.
//!
//! ```
//! use granum::glam::DVec3;
//! use granum::law::ContactLaw;
//! use granum::shape::{Cylinder, HalfSpace};
//! use granum::{BodySpec, Material, Simulation, World};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let mut world = World::new();
//!     world.set_gravity(DVec3::new(0.0, 0.0, -9.81))?; // m/s²
//!     world.set_time_step(2e-5)?; // s
//!     let steel = world.add_material(Material::new("steel", 7800.0))?; // kg/m³
//!     world.set_law(steel, steel, ContactLaw::linear(1e5, 0.5, 0.3)?)?; // N/m, restitution, friction
//!     let floor = world.add_shape(HalfSpace::new(DVec3::Z))?;
//!     let coin = world.add_shape(Cylinder { radius: 0.01, half_height: 0.001 })?; // m
//!     world.add_body(BodySpec::fixed(floor, steel, DVec3::ZERO))?;
//!     let dropped = world.add_body(BodySpec::at(coin, steel, DVec3::new(0.0, 0.0, 0.05)))?;
//!     let mut simulation = Simulation::new(world, 0)?;
//!     simulation.run(25_000); // 0.5 s
//!     let height = simulation.world().position(dropped).z;
//!     println!("the coin lies flat: its centre is {:.3} mm above the floor", 1e3 * height);
//!     assert!((height - 0.001).abs() < 1e-5);
//!     Ok(())
//! }
//! ```
//!
//! All quantities are in SI units. A gap is a signed distance, negative where two bodies overlap,
//! and a contact normal points from body a to body b.
//!
//! | task | items |
//! | --- | --- |
//! | build a world | [`World`], [`Material`], [`shape`], [`law`], [`BodySpec`] |
//! | move it | [`Simulation`], [`TimeStepAdvice`], [`Drive`], [`WallMotion`] |
//! | look at it | [`Snapshot`], [`Energy`], [`Guards`] |
//! | compute the contact of two bodies | [`collide`], [`Pair`], [`Manifold`] |
//! | add a force, a law or a pair routine | [`Simulation::set_force`], [`law::NormalForce`], [`PairTable`] |
//! | read scene files, write and read results | [`Scene`], [`Recorder`], [`RunFolder`] |
//!
//! The folder `examples` contains a short program for each of these tasks. The crate re-exports the
//! items that a program needs, and contains no code of its own.

pub use glam;
pub use granum_engine::{
    BodyId, BodySpec, BodyState, ContactState, ContactView, Course, Drive, Elasticity, Energy, FlowCount, FlowPlane,
    FlowState, Group, Guards, Guide, GuideKind, Material, MaterialId, Motion, ShapeId, Simulation, Snapshot,
    TimeStepAdvice, Turning, Twist, UserForce, UserForces, Violation, WallMotion, World, WorldError, Wrench,
};
pub use granum_geometry::{
    Aabb, CollideFn, ContactPoint, Convex, InvalidShape, Kind, Manifold, MassProperties, Measure, Mesh, Pair,
    PairTable, Pose, Realm, Routine, Shape, Status, TriangleMesh, collide,
};
pub use granum_output::{
    EnergyRow, EnergyTable, Frame, FrameEntry, FrameOptions, FrameWriter, ReadError, Recorder, RunFolder, Summary,
};
pub use granum_scene::{Scene, SceneError};

/// The shapes.
pub mod shape {
    pub use granum_geometry::shape::{
        Bar, Box, Capsule, Cylinder, Disc, Ellipse, Ellipsoid, HalfSpace, InsideCircle, InsideCylinder,
        InsideEllipsoid, InsideSphere, Polygon, Polyhedron, Segment, Sphere, Superellipse, Superellipsoid, Surface,
        Tablet, TruncatedCone, UserDefined, UserShape, gabion, rock,
    };
}

/// The laws of contact: forces of two bodies that overlap, and percussions of two bodies that
/// collide.
pub mod law {
    pub use granum_engine::percussion::{Friction, Percussion, PercussionLaw, Rebound, Slip, Solver, SolverStatistics};
    pub use granum_engine::smooth::{LawError, NormalForce, NormalInput, NormalState};
    pub use granum_engine::{ContactLaw, Damping, EndRule, Normal, Rolling, Stiffness, Tangential};
}
