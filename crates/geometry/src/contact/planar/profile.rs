//! What a planar shape must answer: its support point and its radius of curvature for a normal.

use glam::DVec2;

/// Most parts that the boundary of a body has.
pub const MOST_PARTS: usize = 4;

/// Where the boundary of a planar body has a given outward normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extreme {
    /// The boundary point, body axes, m.
    pub point: DVec2,
    /// Radius of curvature there, m; 0 at a corner, infinite where it is flat.
    pub radius: f64,
}

/// One of the flattest places of a boundary, where two parts of it meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seam {
    /// The outward normal there, body axes.
    pub normal: DVec2,
    /// The two parts, as [`Profile::part`] numbers them.
    pub parts: [u32; 2],
}

/// A convex planar body that is symmetric about its origin.
pub trait Profile {
    /// The point and the radius of curvature where the outward unit normal is `n` (body axes).
    fn extreme(&self, n: DVec2) -> Extreme;

    /// How the radius of curvature changes with the angle of the normal, m/rad, where [`Profile::extreme`] at `n` is `at`.
    fn radius_change(&self, n: DVec2, at: &Extreme) -> f64;

    /// Half widths along the body axes, m: a first guess of a contact's direction needs no more.
    fn half_widths(&self) -> DVec2;

    /// A radius that no radius of curvature is below, m: a disc of this size rolls inside the whole boundary.
    fn least_radius(&self) -> f64;

    /// Bounds of the radius of curvature between two unit normals less than a quarter turn apart, m.
    fn radius_range(&self, from: DVec2, to: DVec2) -> (f64, f64);

    /// Which part of the boundary has this normal, where the parts meet at the flattest places. A hollow rim flatter than
    /// those touches each part once at the most, and no contact passes from one part to another.
    fn part(&self, n: DVec2) -> u32;

    /// Where the parts meet; nothing if the boundary is one part. There are at most [`MOST_PARTS`] parts.
    fn seams(&self) -> impl Iterator<Item = Seam>;

    /// Angle of the normal from the x axis (0) or the y axis (1), rad, at which the radius of curvature, infinite on the
    /// axis, has come down to `radius`, nearly; nothing where the boundary is round on its axes.
    fn flat_angle(&self, _axis: usize, _radius: f64) -> Option<f64> {
        None
    }
}

/// Least and greatest absolute value of a component of a unit normal that goes from `from` to `to`, where `across` is
/// the other component: the first passes zero if its sign changes, and one if the sign of the other does.
pub(crate) fn component_range(from: f64, to: f64, across_from: f64, across_to: f64) -> (f64, f64) {
    let (low, high) = (from.abs().min(to.abs()), from.abs().max(to.abs()));
    let low = if from * to <= 0.0 { 0.0 } else { low };
    let high = if across_from * across_to <= 0.0 { 1.0 } else { high };
    (low, high)
}
