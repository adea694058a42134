//! The list of shapes, and the trait [`Convex`] that each shape implements.
//!
//! A new shape is one file beside this one and its line in `shapes!` below. A program can also
//! define a shape of its own, see [`UserShape`]. Every pair then works through the routine
//! `general`. A faster pair routine overrides its cell of the pair table.

mod capsule;
mod container;
mod cuboid;
mod cylinder;
mod disc;
mod ellipse;
mod ellipsoid;
mod half_space;
mod inside_circle;
mod polygon;
mod polyhedron;
mod revolution;
mod rock;
mod segment;
mod sphere;
mod superellipse;
pub(crate) mod superellipsoid;
mod surface;
mod tablet;
mod truncated_cone;
mod user_defined;

pub use capsule::Capsule;
pub use container::{InsideCylinder, InsideEllipsoid, InsideSphere};
pub use cuboid::Box;
pub use cylinder::Cylinder;
pub use disc::Disc;
pub use ellipse::Ellipse;
pub use ellipsoid::Ellipsoid;
pub use half_space::HalfSpace;
pub use inside_circle::InsideCircle;
pub use polygon::Polygon;
pub use polyhedron::Polyhedron;
pub use rock::{gabion, rock};
pub use segment::{Bar, Segment};
pub use sphere::Sphere;
pub use superellipse::Superellipse;
pub use superellipsoid::Superellipsoid;
pub use surface::Surface;
pub use tablet::Tablet;
pub use truncated_cone::TruncatedCone;
pub use user_defined::{UserDefined, UserShape};

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::{Aabb, MassProperties, Mesh, Pose};

/// The kind of world that admits a shape: spatial, planar or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Realm {
    /// Three-dimensional space.
    Space,
    /// The plane z = 0; sizes are per metre of thickness.
    Plane,
    /// Both.
    Both,
}

impl Realm {
    /// Returns whether a planar (or else a spatial) world admits a shape of this realm.
    pub fn admits(self, planar: bool) -> bool {
        self == if planar { Realm::Plane } else { Realm::Space } || self == Realm::Both
    }
}

/// A convex body in its own axes. Only `support`, `inside_outside` and `validate` have no default.
pub trait Convex {
    /// Returns the support point: the point of the body that lies farthest along `direction` (body
    /// axes, any length but zero).
    fn support(&self, direction: DVec3) -> DVec3;

    /// Returns the support function: the largest `direction . x` over the body, m. `direction` is a
    /// unit vector in body axes.
    fn support_value(&self, direction: DVec3) -> f64 {
        direction.dot(self.support(direction))
    }

    /// Returns a value that is negative inside, zero on the surface and positive outside. Only its
    /// sign has a meaning.
    fn inside_outside(&self, point: DVec3) -> f64;

    /// Checks the sizes. The error names the invalid field and the reason.
    fn validate(&self) -> Result<(), InvalidShape>;

    /// Returns the shape in the form that the pair routines expect, for example with unit normals.
    /// It is applied once, on input.
    fn normalised(self) -> Self
    where
        Self: Sized,
    {
        self
    }

    /// Returns the radius of a ball about the origin that contains the body, m.
    ///
    /// The default is half the diagonal of the bounding box, which is safe but not tight.
    fn bounding_radius(&self) -> f64 {
        let extent = |axis: DVec3| self.support(axis).dot(axis).max(-self.support(-axis).dot(axis));
        DVec3::new(extent(DVec3::X), extent(DVec3::Y), extent(DVec3::Z)).length()
    }

    /// Returns the radius of a ball about the origin that contains what pictures show, m. It is
    /// infinite for a wall that is cut off.
    fn drawn_radius(&self) -> f64 {
        self.bounding_radius()
    }

    /// Returns the axis-aligned bounding box in world axes.
    fn aabb(&self, pose: &Pose) -> Aabb {
        let to_body = pose.orientation.inverse();
        let extent = |axis: DVec3| axis.dot(pose.orientation * self.support(to_body * axis));
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        Aabb {
            min: pose.position - DVec3::from_array(axes.map(|axis| extent(-axis))),
            max: pose.position + DVec3::from_array(axes.map(extent)),
        }
    }

    /// Returns volume, centre of mass and inertia tensor. The default integrates the inside-outside
    /// function numerically.
    fn mass_properties(&self) -> MassProperties {
        const QUADRATURE_ORDER: usize = 64;
        MassProperties::by_quadrature(self, QUADRATURE_ORDER)
    }

    /// Returns the mean curvature of the surface where its outward unit normal is `normal`, 1/m. It
    /// is zero on a flat face.
    ///
    /// The default differentiates the support point: with `x(n)` the support point, the sum of the
    /// principal radii is the trace of `dx/dn` on the tangent plane, and the mean radius is half of
    /// it.
    fn curvature(&self, normal: DVec3) -> f64 {
        // The error of a central difference is least for a step near the cube root of machine
        // epsilon.
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

    /// Returns a lower bound of the gap to a ball at `centre` (body axes), m. The broad phase uses
    /// it for walls.
    fn clearance(&self, centre: DVec3, radius: f64) -> f64 {
        centre.length() - self.bounding_radius() - radius
    }

    /// Returns whether a ball at `centre` (body axes) comes within `distance` of the body, m. It may
    /// return `true` for a ball that is farther away.
    fn is_near(&self, centre: DVec3, radius: f64, distance: f64) -> bool {
        self.clearance(centre, radius) <= distance
    }

    /// Returns the surface as triangles in body axes, for pictures. A higher level (0 to
    /// [`crate::mesh::FINEST_LEVEL`]) gives smaller triangles. A planar shape becomes a thin plate.
    /// An unbounded surface is cut off at about the distance `extent` (m) from the origin.
    fn surface(&self, level: u32, _extent: f64) -> Mesh {
        if self.realm() == Realm::Plane { Mesh::plate(self, level) } else { Mesh::of(self, level) }
    }

    /// Returns whether a rotation with `spin` (body axes) moves the surface, so that a rotating
    /// wall may approach a grain.
    fn is_swept_by(&self, spin: DVec3) -> bool {
        spin != DVec3::ZERO
    }

    /// Returns whether every surface normal passes through the centre, so that a normal force
    /// exerts no torque.
    fn is_ball(&self) -> bool {
        false
    }

    /// Returns the pose of the body axes in the axes in which the user gave the shape.
    ///
    /// It is the identity for a shape that is given in its principal axes.
    fn frame(&self) -> Pose {
        Pose::IDENTITY
    }

    /// Returns the kind of world that admits the shape.
    fn realm(&self) -> Realm {
        Realm::Space
    }
}

/// The error for a shape with an invalid field.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("`{field}` {reason}")]
pub struct InvalidShape {
    /// Name of the invalid field.
    pub field: &'static str,
    /// The reason, as a phrase that follows the name of the field.
    pub reason: String,
}

/// Supported lengths of shapes, m. The inertia contains fifth powers of lengths, and the contact
/// routines multiply a few ratios of lengths; none of them must leave the range of an `f64`.
pub const LENGTHS: std::ops::RangeInclusive<f64> = 1e-50..=1e50;

/// Checks that a length is positive and in the range [`LENGTHS`].
pub(crate) fn check_length(field: &'static str, value: f64) -> Result<(), InvalidShape> {
    let reason = match value {
        _ if LENGTHS.contains(&value) => return Ok(()),
        _ if value.is_finite() && value > 0.0 => out_of_range("a length", value),
        _ => format!("must be a positive length, not {value}"),
    };
    Err(InvalidShape { field, reason })
}

/// Returns the reason why a quantity of a supported kind is refused.
pub(crate) fn out_of_range(what: &str, value: f64) -> String {
    format!("must be {what} from {:e} to {:e} m, not {value:e}", LENGTHS.start(), LENGTHS.end())
}

/// Returns whether coordinates are finite and not larger than the largest of [`LENGTHS`].
pub(crate) fn are_coordinates(numbers: &[f64]) -> bool {
    numbers.iter().all(|number| number.abs() <= *LENGTHS.end())
}

/// Generates the shape enum, its kinds and its access to [`Convex`] from the one list of shapes.
macro_rules! shapes {
    ($($name:ident),+ $(,)?) => {
        /// Any shape. It is serialised as a table named after its kind, as in scenes and
        /// checkpoints: `sphere = { radius = 0.01 }`.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Shape { $(#[allow(missing_docs)] $name($name)),+ }

        /// The same with the kind as a field, as in contact queries:
        /// `{"type": "sphere", "radius": 0.01}`.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "type", rename_all = "snake_case")]
        pub enum TaggedShape { $(#[allow(missing_docs)] $name($name)),+ }

        impl From<TaggedShape> for Shape {
            fn from(shape: TaggedShape) -> Self {
                match shape { $(TaggedShape::$name(shape) => Shape::$name(shape)),+ }
            }
        }

        /// The kind of a shape: its index in the pair table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[repr(u8)]
        pub enum Kind { $(#[allow(missing_docs)] $name),+ }

        impl Kind {
            /// Every kind, in the order of the table.
            pub const ALL: &[Kind] = &[$(Kind::$name),+];
        }

        impl Shape {
            /// Returns the kind of this shape.
            #[inline]
            pub fn kind(&self) -> Kind {
                match self { $(Shape::$name(_) => Kind::$name),+ }
            }

            /// Checks the shape and returns it in the form that the pair routines expect. The error
            /// names the invalid field.
            pub fn checked(self) -> Result<Self, InvalidShape> {
                match self {
                    $(Shape::$name(shape) => {
                        shape.validate()?;
                        Ok(Shape::$name(shape.normalised()))
                    })+
                }
            }

            /// Returns the shape as a convex body.
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
    Surface,
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
    Tablet,
    UserDefined,
}

impl Kind {
    /// The kinds of the built-in shapes: all but [`Kind::UserDefined`], which is the last.
    pub const BUILT_IN: &[Kind] = Kind::ALL.split_at(Kind::UserDefined as usize).0;

    /// Returns the name that scenes and tables use, for example `half_space`.
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
