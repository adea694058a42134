//! The surface of a superellipsoid as a function of its outward normal, in world axes.
//!
//! With the support function h, the surface point of the unit normal n is grad h(n), and the
//! Hessian of h in the tangent plane is the matrix of curvature radii
//! (`docs/theory/smooth_shapes.md`). The pair routines of this crate work with the types behind
//! this one; it is public for other contact methods.

use glam::{DQuat, DVec3};

use super::{OrientedSuperellipsoid, Smooth, Symmetric2};
use crate::shape::Superellipsoid;

/// A superellipsoid with an orientation, centred at the origin.
pub struct SuperellipsoidSurface<'a>(OrientedSuperellipsoid<'a>);

impl<'a> SuperellipsoidSurface<'a> {
    /// The surface of a shape whose body axes are turned by `orientation`.
    pub fn new(shape: &'a Superellipsoid, orientation: DQuat) -> Self {
        Self(OrientedSuperellipsoid::new(shape, orientation))
    }

    /// Returns the surface point with the outward unit normal `n`, m.
    pub fn point(&self, n: DVec3) -> DVec3 {
        self.0.evaluate(n).point
    }

    /// Returns the matrix of curvature radii at that point, m, in the tangent plane of the unit
    /// vectors `t` and `u`: dp = R dn for a change dn of the normal.
    pub fn curvature_radii(&self, n: DVec3, t: DVec3, u: DVec3) -> Symmetric2 {
        self.0.radii(&self.0.evaluate(n), t, u)
    }

    /// Returns the mean curvature that a contact law uses at that point, 1/m: the inverse of the
    /// mean curvature radius, limited near edges and faces.
    pub fn curvature(&self, n: DVec3, t: DVec3, u: DVec3) -> f64 {
        self.0.curvature(self.curvature_radii(n, t, u))
    }
}
