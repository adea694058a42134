//! The trait of planar shapes with a smooth boundary: support point and radius of curvature for a
//! normal.

use glam::DVec2;

/// Largest number of parts of the boundary of a body.
pub const MAX_PARTS: usize = 4;

/// The boundary point of a planar body with a given outward normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extreme {
    /// The boundary point, body axes, m.
    pub point: DVec2,
    /// Radius of curvature there, m: 0 at a corner, infinite on a straight side.
    pub radius: f64,
}

/// A point of least curvature of a boundary, where two of its parts meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seam {
    /// The outward normal there, body axes.
    pub normal: DVec2,
    /// The numbers of the two parts, see [`Profile::part`].
    pub parts: [u32; 2],
}

/// A convex planar body that is symmetric about its origin.
pub trait Profile {
    /// Returns the point and the radius of curvature where the outward unit normal is `n` (body
    /// axes).
    fn extreme(&self, n: DVec2) -> Extreme;

    /// Returns the derivative of the radius of curvature with respect to the angle of the normal,
    /// m/rad. `at` is the result of [`Profile::extreme`] at `n`.
    fn radius_change(&self, n: DVec2, at: &Extreme) -> f64;

    /// Returns the half widths along the body axes, m. They suffice for a first guess of the
    /// contact normal.
    fn half_widths(&self) -> DVec2;

    /// Returns a lower bound of the radius of curvature, m. A disc of this radius rolls inside the
    /// whole boundary.
    fn least_radius(&self) -> f64;

    /// Returns bounds of the radius of curvature between two unit normals less than a quarter turn
    /// apart, m.
    fn radius_range(&self, from: DVec2, to: DVec2) -> (f64, f64);

    /// Returns the number of the part of the boundary with this normal. Parts meet at the points of
    /// least curvature. A hollow circle that is flatter than these touches each part at most once,
    /// and no contact moves from one part to another.
    fn part(&self, n: DVec2) -> u32;

    /// Returns the points where parts meet; none if the boundary is one part. There are at most
    /// [`MAX_PARTS`] parts.
    fn seams(&self) -> impl Iterator<Item = Seam>;

    /// Returns the angle of the normal from the x axis (0) or the y axis (1), rad, at which the
    /// radius of curvature has decreased from infinity on the axis to about `radius`. It returns
    /// `None` if the boundary is curved on its axes.
    fn flat_angle(&self, _axis: usize, _radius: f64) -> Option<f64> {
        None
    }
}

/// Returns the least and the greatest absolute value of a component of a unit normal that rotates
/// from `from` to `to`. The component passes zero if its sign changes, and one if the sign of the
/// other component (`across`) changes.
pub(crate) fn component_range(from: f64, to: f64, across_from: f64, across_to: f64) -> (f64, f64) {
    let (low, high) = (from.abs().min(to.abs()), from.abs().max(to.abs()));
    let low = if from * to <= 0.0 { 0.0 } else { low };
    let high = if across_from * across_to <= 0.0 { 1.0 } else { high };
    (low, high)
}
