//! The list of shapes, and what each must answer.
//!
//! A new shape is one file beside this one and one line in `shapes!` below: every pair then works through
//! `collide::general`, and a faster pair routine overrides its cell of the dispatch table.

mod capsule;
mod cuboid;
mod cylinder;
mod disc;
mod ellipse;
mod ellipsoid;
mod half_space;
mod hollow;
mod inside_circle;
mod polygon;
mod polyhedron;
mod revolution;
mod segment;
mod sphere;
mod stone;
mod superellipse;
pub(crate) mod superellipsoid;
mod truncated_cone;

pub use capsule::Capsule;
pub use cuboid::Box;
pub use cylinder::Cylinder;
pub use disc::Disc;
pub use ellipse::Ellipse;
pub use ellipsoid::Ellipsoid;
pub use half_space::HalfSpace;
pub use hollow::{InsideCylinder, InsideEllipsoid, InsideSphere};
pub use inside_circle::InsideCircle;
pub use polygon::Polygon;
pub use polyhedron::Polyhedron;
pub use segment::{Bar, Segment};
pub use sphere::Sphere;
pub use stone::{gabion, rock};
pub use superellipse::Superellipse;
pub use superellipsoid::Superellipsoid;
pub use truncated_cone::TruncatedCone;

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::{Aabb, MassProperties, Mesh, Pose};

/// Which worlds a shape lives in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Realm {
    /// Space.
    Space,
    /// The plane z = 0; sizes are per metre of thickness.
    Plane,
    /// Either.
    Both,
}

impl Realm {
    /// Whether a shape of this realm may be in a planar world, or in a spatial one.
    pub fn admits(self, planar: bool) -> bool {
        self == if planar { Realm::Plane } else { Realm::Space } || self == Realm::Both
    }
}

/// A convex body in its own axes. Only `support`, `inside_outside` and `validate` have no default.
pub trait Convex {
    /// The point of the body that lies farthest along `direction` (body axes, any length but zero).
    fn support(&self, direction: DVec3) -> DVec3;

    /// How far the body reaches along a unit vector (body axes), m.
    fn reach(&self, direction: DVec3) -> f64 {
        direction.dot(self.support(direction))
    }

    /// Negative inside, zero on the surface, positive outside. Its size has no meaning.
    fn inside_outside(&self, point: DVec3) -> f64;

    /// Says which field is wrong and why, if one is.
    fn validate(&self) -> Result<(), InvalidShape>;

    /// The shape in the form the routines expect, e.g. with unit directions. Applied once, on input.
    fn normalised(self) -> Self
    where
        Self: Sized,
    {
        self
    }

    /// Radius of the smallest ball about the origin that holds the body, m.
    ///
    /// The default is the half diagonal of the bounding box: safe, not tight.
    fn bounding_radius(&self) -> f64 {
        let reach = |axis: DVec3| self.support(axis).dot(axis).max(-self.support(-axis).dot(axis));
        DVec3::new(reach(DVec3::X), reach(DVec3::Y), reach(DVec3::Z)).length()
    }

    /// Bounds in world axes.
    fn aabb(&self, pose: &Pose) -> Aabb {
        let to_body = pose.orientation.inverse();
        let reach = |axis: DVec3| axis.dot(pose.orientation * self.support(to_body * axis));
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        Aabb {
            min: pose.position - DVec3::from_array(axes.map(|axis| reach(-axis))),
            max: pose.position + DVec3::from_array(axes.map(reach)),
        }
    }

    /// Volume, centre and inertia. The default integrates the inside-outside function.
    fn mass_properties(&self) -> MassProperties {
        const QUADRATURE_ORDER: usize = 64;
        MassProperties::by_quadrature(self, QUADRATURE_ORDER)
    }

    /// Mean curvature of the surface where its outward unit normal is `normal`, 1/m; 0 on a flat face.
    ///
    /// The default differentiates the support point: with `x(n)` the support point, the sum of the principal
    /// radii is the trace of `dx/dn` on the tangent plane, and the mean radius is half of it.
    fn curvature(&self, normal: DVec3) -> f64 {
        // The error is least near the cube root of the rounding error, for a central difference.
        const STEP: f64 = 1e-5;
        let (t, u) = crate::numeric::math::tangent_frame(normal);
        let radius = |axis: DVec3| {
            let ahead = self.support(normal + STEP * axis);
            let behind = self.support(normal - STEP * axis);
            (ahead - behind).dot(axis) / (2.0 * STEP)
        };
        let mean_radius = 0.5 * (radius(t) + radius(u));
        if mean_radius > 0.0 { 1.0 / mean_radius } else { f64::INFINITY }
    }

    /// A lower bound of the gap to a ball at `centre` (body axes), m: what the search for neighbours asks walls.
    fn clearance(&self, centre: DVec3, radius: f64) -> f64 {
        centre.length() - self.bounding_radius() - radius
    }

    /// The surface as triangles, in body axes, for pictures: the finer, the higher the level (0 to
    /// [`crate::mesh::FINEST_LEVEL`]). A planar shape is a thin plate. Of an unbounded surface comes what lies within about `reach` (m) of the origin.
    fn surface(&self, level: u32, _reach: f64) -> Mesh {
        if self.realm() == Realm::Plane { Mesh::plate(self, level) } else { Mesh::of(self, level) }
    }

    /// Whether turning with `spin` (body axes) moves the surface, so that a wall comes nearer by turning.
    fn is_swept_by(&self, spin: DVec3) -> bool {
        spin != DVec3::ZERO
    }

    /// Whether every normal passes through the centre, so that a normal force never turns the body.
    fn is_ball(&self) -> bool {
        false
    }

    /// Where the body axes lie in the axes in which the shape was given.
    ///
    /// A shape that is given in its principal axes has nothing to tell.
    fn frame(&self) -> Pose {
        Pose::IDENTITY
    }

    /// Which worlds the shape lives in.
    fn realm(&self) -> Realm {
        Realm::Space
    }
}

/// A shape that cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("`{field}` {reason}")]
pub struct InvalidShape {
    /// The field at fault.
    pub field: &'static str,
    /// What is wrong with it, to be read after the field's name.
    pub reason: String,
}

/// A length must be a positive finite number.
pub(crate) fn check_length(field: &'static str, value: f64) -> Result<(), InvalidShape> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(InvalidShape { field, reason: format!("must be a positive length, not {value}") })
    }
}

/// Writes the shape enum, its kinds and its access to [`Convex`] from the one list of shapes.
macro_rules! shapes {
    ($($name:ident),+ $(,)?) => {
        /// Any shape. As data it is a table named after its kind, as in scenes and checkpoints:
        /// `sphere = { radius = 0.01 }`.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Shape { $(#[allow(missing_docs)] $name($name)),+ }

        /// The same with its kind as a field, as in queries: `{"type": "sphere", "radius": 0.01}`.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "type", rename_all = "snake_case")]
        pub enum TaggedShape { $(#[allow(missing_docs)] $name($name)),+ }

        impl From<TaggedShape> for Shape {
            fn from(shape: TaggedShape) -> Self {
                match shape { $(TaggedShape::$name(shape) => Shape::$name(shape)),+ }
            }
        }

        /// Which of the shapes a body has: the index into the dispatch table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[repr(u8)]
        pub enum Kind { $(#[allow(missing_docs)] $name),+ }

        impl Kind {
            /// Every kind, in the order of the table.
            pub const ALL: &[Kind] = &[$(Kind::$name),+];
        }

        impl Shape {
            /// Which kind of shape this is.
            #[inline]
            pub fn kind(&self) -> Kind {
                match self { $(Shape::$name(_) => Kind::$name),+ }
            }

            /// The shape, checked and in the form the routines expect; says which field is wrong, if one is.
            pub fn checked(self) -> Result<Self, InvalidShape> {
                match self {
                    $(Shape::$name(shape) => {
                        shape.validate()?;
                        Ok(Shape::$name(shape.normalised()))
                    })+
                }
            }

            /// The shape as a convex body.
            #[inline]
            pub fn as_convex(&self) -> &dyn Convex {
                match self { $(Shape::$name(shape) => shape),+ }
            }
        }

        $(impl From<$name> for Shape {
            fn from(shape: $name) -> Self { Shape::$name(shape) }
        })+
    };
}

shapes! {
    HalfSpace,
    InsideSphere,
    InsideEllipsoid,
    InsideCylinder,
    Sphere,
    Ellipsoid,
    Superellipsoid,
    Cylinder,
    Capsule,
    TruncatedCone,
    Box,
    Polyhedron,
    InsideCircle,
    Segment,
    Disc,
    Ellipse,
    Superellipse,
    Polygon,
}

impl Kind {
    /// Its name in scenes and tables: `half_space`.
    pub fn name(self) -> String {
        let mut name = String::new();
        for letter in format!("{self:?}").chars() {
            if letter.is_uppercase() && !name.is_empty() {
                name.push('_');
            }
            name.extend(letter.to_lowercase());
        }
        name
    }
}
