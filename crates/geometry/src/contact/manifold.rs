//! Result of a pair routine: the contact points of one pair, and its accuracy.

use arrayvec::ArrayVec;
use glam::DVec3;

use super::point::ContactPoint;

/// Largest number of contact points of two convex bodies.
pub const MAX_POINTS: usize = 8;

/// Largest number of contact points of a grain with a surface.
pub const MAX_POINTS_ON_SURFACE: usize = 32;

/// Status of a pair routine.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Status {
    /// The result is accurate to the tolerance of the routine.
    #[default]
    Converged,
    /// The iteration did not converge: the two surface points do not share one normal.
    NotConverged {
        /// Length of the component of `p_b - p_a` perpendicular to the normal, m.
        residual: f64,
    },
    /// The surface points share the normal, but a direction with a smaller depth is not excluded.
    NotProven {
        /// Upper bound of the amount by which the true depth may be smaller, m.
        slack: f64,
    },
}

/// The contact points of one pair. It is reused from pair to pair, so that a query allocates no
/// memory.
#[derive(Clone, Debug, Default)]
pub struct Manifold {
    points: ArrayVec<ContactPoint, MAX_POINTS_ON_SURFACE>,
    /// Status of the routine.
    pub status: Status,
    /// Number of iterations; 0 for a closed form.
    pub iterations: u32,
    /// If no point is reported: a direction along which b is separated from a, if the routine has
    /// found one. It is a unit vector except for rounding. The bodies stay separated along it while
    /// they move little, see [`Pair::distance_along`](crate::Pair::distance_along).
    pub apart: Option<DVec3>,
    /// The nearest points of the two surfaces, if they are not among the acting points.
    nearest: Option<ContactPoint>,
}

impl Manifold {
    /// Removes all results.
    pub fn clear(&mut self) {
        self.points.clear();
        self.status = Status::Converged;
        self.iterations = 0;
        self.apart = None;
        self.nearest = None;
    }

    /// Removes the points, and keeps how the routine ended.
    pub(crate) fn drop_points(&mut self) {
        self.points.clear();
        self.nearest = None;
    }

    /// Adds a point.
    ///
    /// # Panics
    ///
    /// If there are [`MAX_POINTS_ON_SURFACE`] points already, which is an error of the routine.
    pub fn push(&mut self, point: ContactPoint) {
        self.points.push(point);
    }

    /// Sets the nearest points of the two surfaces, at which no force acts.
    ///
    /// Between parallel faces a tilt by a rounding error moves them far, therefore forces act at
    /// other points.
    pub fn set_nearest(&mut self, point: ContactPoint) {
        if self.nearest.is_none_or(|known| point.gap < known.gap) {
            self.nearest = Some(point);
        }
    }

    /// Returns the points at which forces act; the deepest first if the routine sorts them.
    pub fn points(&self) -> &[ContactPoint] {
        &self.points
    }

    /// Returns the same points for modification.
    pub fn points_mut(&mut self) -> &mut [ContactPoint] {
        &mut self.points
    }

    /// Returns the point with the smallest gap: the nearest points of the two surfaces, with or
    /// without a force.
    pub fn deepest(&self) -> Option<&ContactPoint> {
        // Of points with equal gaps the nearest points come first: they lie on both surfaces,
        // whereas the gap of others may be limited to the same value.
        self.nearest.iter().chain(self.points()).min_by(|p, q| p.gap.total_cmp(&q.gap))
    }

    /// Computes the gaps that the routine has not computed, from the result of the depth routine
    /// for the same pair.
    ///
    /// Only pairs with a single point omit its gap, so that it is the gap of the bodies.
    pub(super) fn set_missing_gaps(&mut self, by_depth: &Manifold) {
        let Some(&nearest) = by_depth.deepest() else { return };
        for point in self.points.iter_mut().filter(|point| point.gap.is_nan()) {
            point.gap = nearest.gap;
        }
        self.set_nearest(nearest);
        if self.status == Status::Converged {
            self.status = by_depth.status;
        }
    }

    /// Converts the result for (a, b) to that for (b, a); `offset` is the centre of b minus that of
    /// a.
    pub fn swap(&mut self, offset: DVec3) {
        for point in self.points.iter_mut().chain(&mut self.nearest) {
            *point = point.swapped(offset);
        }
        self.apart = self.apart.map(|direction| -direction);
    }
}
