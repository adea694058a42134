//! A shape that a program defines: any type that implements [`UserShape`].
//!
//! A shape is plain data that can be saved, so a user-defined shape is stored as its name and its
//! sizes. To read it back, a program registers the type first: [`UserDefined::register`]. Every
//! pair works through the routine `general`, unless the program registers a faster one for
//! [`Kind::UserDefined`](crate::Kind::UserDefined).

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use glam::DVec3;
use serde::{Deserialize, Deserializer, Serialize, de};

use super::{Convex, InvalidShape, Realm, Shape};
use crate::{Aabb, MassProperties, Mesh, Pose};

/// A bounded convex shape in space that a program adds to the built-in ones.
///
/// The body axes must be the principal axes of inertia, with the centre of mass as the origin.
///
/// ```
/// use glam::DVec3;
/// use granum_geometry::{Convex, InvalidShape, Shape};
/// use granum_geometry::shape::UserShape;
///
/// /// A regular octahedron: |x| + |y| + |z| <= radius.
/// struct Octahedron { radius: f64 }
///
/// impl Convex for Octahedron {
///     fn support(&self, direction: DVec3) -> DVec3 {
///         let d = direction.abs();
///         let axis = if d.x >= d.y.max(d.z) { DVec3::X } else if d.y >= d.z { DVec3::Y } else { DVec3::Z };
///         self.radius * direction.signum() * axis
///     }
///     fn inside_outside(&self, point: DVec3) -> f64 {
///         point.abs().element_sum() - self.radius
///     }
///     fn validate(&self) -> Result<(), InvalidShape> {
///         Ok(())
///     }
/// }
///
/// impl UserShape for Octahedron {
///     const NAME: &str = "octahedron";
///     fn sizes(&self) -> Vec<f64> {
///         vec![self.radius]
///     }
///     fn from_sizes(sizes: &[f64]) -> Option<Self> {
///         let &[radius] = sizes else { return None };
///         Some(Self { radius })
///     }
/// }
///
/// let shape: Shape = Octahedron { radius: 0.3 }.into();
/// let volume = shape.as_convex().mass_properties().volume;
/// assert!((volume - 4.0 / 3.0 * 0.3_f64.powi(3)).abs() < 1e-4);
/// ```
pub trait UserShape: Convex + Send + Sync + 'static {
    /// Name in files and messages. It must be different from the names of other user-defined
    /// shapes.
    const NAME: &'static str;

    /// Returns the numbers that define the shape, for example its lengths, m.
    fn sizes(&self) -> Vec<f64>;

    /// Returns the shape with these sizes; `None` if their number is wrong.
    fn from_sizes(sizes: &[f64]) -> Option<Self>
    where
        Self: Sized;
}

/// A user-defined shape as an element of [`Shape`]. Clones share it.
#[derive(Clone)]
pub struct UserDefined(Arc<Inner>);

struct Inner {
    name: &'static str,
    sizes: Vec<f64>,
    shape: Box<dyn AnyConvex>,
}

/// A convex body of which the type can be recovered.
trait AnyConvex: Convex + Any + Send + Sync {}

impl<S: UserShape> AnyConvex for S {}

/// A type in the registry.
struct Entry {
    name: &'static str,
    type_id: TypeId,
    read: fn(&[f64]) -> Option<UserDefined>,
}

/// All registered types.
static REGISTRY: RwLock<Vec<Entry>> = RwLock::new(Vec::new());

impl UserDefined {
    /// Returns a shape of the user.
    pub fn new<S: UserShape>(shape: S) -> Self {
        Self(Arc::new(Inner { name: S::NAME, sizes: shape.sizes(), shape: Box::new(shape) }))
    }

    /// Registers a type, so that shapes of it can be read from files. A second registration of the
    /// same type has no effect.
    ///
    /// # Panics
    /// If another type has the same name.
    pub fn register<S: UserShape>() {
        let mut registry = REGISTRY.write().unwrap_or_else(PoisonError::into_inner);
        match registry.iter().find(|entry| entry.name == S::NAME) {
            Some(entry) => assert_eq!(entry.type_id, TypeId::of::<S>(), "two shapes have the name `{}`", S::NAME),
            None => registry.push(Entry {
                name: S::NAME,
                type_id: TypeId::of::<S>(),
                read: |sizes| S::from_sizes(sizes).map(Self::new),
            }),
        }
    }

    /// Returns the name of the type.
    pub fn name(&self) -> &'static str {
        self.0.name
    }

    /// Returns the numbers that define the shape.
    pub fn sizes(&self) -> &[f64] {
        &self.0.sizes
    }

    /// Returns the shape if it has the type `S`, for pair routines of the user.
    pub fn downcast_ref<S: UserShape>(&self) -> Option<&S> {
        let any: &dyn Any = &*self.0.shape;
        any.downcast_ref()
    }

    fn read(name: &str, sizes: &[f64]) -> Result<Self, String> {
        let registry = REGISTRY.read().unwrap_or_else(PoisonError::into_inner);
        let entry = registry.iter().find(|entry| entry.name == name);
        let entry = entry.ok_or_else(|| format!("shape `{name}` is not registered in this program"))?;
        (entry.read)(sizes).ok_or_else(|| format!("shape `{name}` cannot have {} sizes", sizes.len()))
    }
}

impl<S: UserShape> From<S> for Shape {
    fn from(shape: S) -> Self {
        Shape::UserDefined(UserDefined::new(shape))
    }
}

/// The serialised form.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "UserDefined")]
struct Record {
    name: String,
    sizes: Vec<f64>,
}

impl Serialize for UserDefined {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Record { name: self.name().to_owned(), sizes: self.sizes().to_vec() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for UserDefined {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Record { name, sizes } = Record::deserialize(deserializer)?;
        Self::read(&name, &sizes).map_err(de::Error::custom)
    }
}

impl fmt::Debug for UserDefined {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("UserDefined").field("name", &self.name()).field("sizes", &self.sizes()).finish()
    }
}

impl PartialEq for UserDefined {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name() && self.sizes() == other.sizes()
    }
}

/// Forwards every method to the user's shape.
impl Convex for UserDefined {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.0.shape.support(direction)
    }

    fn support_value(&self, direction: DVec3) -> f64 {
        self.0.shape.support_value(direction)
    }

    fn inside_outside(&self, point: DVec3) -> f64 {
        self.0.shape.inside_outside(point)
    }

    fn validate(&self) -> Result<(), InvalidShape> {
        self.0.shape.validate()?;
        // The routine `general` needs bounded bodies, and planar bodies would have no thickness.
        if !(self.bounding_radius().is_finite() && self.realm() == Realm::Space) {
            return Err(InvalidShape { field: self.name(), reason: "must be a bounded body in space".into() });
        }
        Ok(())
    }

    fn bounding_radius(&self) -> f64 {
        self.0.shape.bounding_radius()
    }

    fn aabb(&self, pose: &Pose) -> Aabb {
        self.0.shape.aabb(pose)
    }

    fn mass_properties(&self) -> MassProperties {
        self.0.shape.mass_properties()
    }

    fn curvature(&self, normal: DVec3) -> f64 {
        self.0.shape.curvature(normal)
    }

    fn clearance(&self, centre: DVec3, radius: f64) -> f64 {
        self.0.shape.clearance(centre, radius)
    }

    fn surface(&self, level: u32, extent: f64) -> Mesh {
        self.0.shape.surface(level, extent)
    }

    fn is_swept_by(&self, spin: DVec3) -> bool {
        self.0.shape.is_swept_by(spin)
    }

    fn is_ball(&self) -> bool {
        self.0.shape.is_ball()
    }

    fn frame(&self) -> Pose {
        self.0.shape.frame()
    }

    fn realm(&self) -> Realm {
        self.0.shape.realm()
    }
}
