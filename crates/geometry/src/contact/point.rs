//! One contact point of two bodies: its gap, and its generalised overlap for measures that are not
//! distances.

use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

use crate::numeric::math::tangent_frame;

/// One point of contact. Lengths are in metres, vectors in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactPoint {
    /// Vector from the centre of a to the contact point.
    ///
    /// It is relative to body a, so that no digits are lost by cancellation far from the origin.
    /// For a distance it is the middle of the two surface points, for a generalised overlap a point
    /// on the line of action of the force.
    pub arm: DVec3,
    /// Unit normal from a to b.
    pub normal: DVec3,
    /// Signed distance of the surfaces, m; negative where the bodies overlap.
    ///
    /// Always a distance, whatever the measure. A pair routine may leave the gap of its only point
    /// with a generalised overlap at [`GAP_NOT_COMPUTED`], because the laws do not need it;
    /// [`PairTable::collide`](crate::PairTable::collide) then computes it by the depth.
    pub gap: f64,
    /// Sum of the mean curvatures of the two surfaces at the contact, 1/m: the inverse of Hertz's
    /// reduced radius.
    pub curvature: f64,
    /// Number of the features in contact. It is the same from step to step while they touch.
    pub feature: u32,
    /// The overlap by a measure that is not a distance; `None` if the overlap is minus the gap.
    pub overlap: Option<GeneralisedOverlap>,
}

/// Gap of a point with a generalised overlap whose routine has not computed the distance. It is not
/// a number, so that it cannot be mistaken for a distance.
pub const GAP_NOT_COMPUTED: f64 = f64::NAN;

/// The overlap of two bodies by a measure that is not a distance, such as the volume or the moments
/// of the overlap region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeneralisedOverlap {
    /// Overlap, m. Contact laws are functions of it.
    pub value: f64,
    /// Derivatives with respect to the relative motion.
    pub jacobian: GapJacobian,
    /// Second moments of the contact patch.
    pub patch: ContactPatch,
}

impl ContactPoint {
    /// Returns the overlap on which a contact law acts, m: the generalised overlap, or minus the
    /// gap where there is none. It is negative for separated bodies.
    #[inline]
    pub fn law_overlap(&self) -> f64 {
        match &self.overlap {
            Some(overlap) => overlap.value,
            None => -self.gap,
        }
    }

    /// Returns the derivatives of the overlap with respect to the relative motion.
    #[inline]
    pub fn jacobian(&self) -> GapJacobian {
        self.overlap.map_or(GapJacobian::PLAIN, |overlap| overlap.jacobian)
    }

    /// Returns the contact patch. It has no extent where there is no generalised overlap.
    #[inline]
    pub fn patch(&self) -> ContactPatch {
        self.overlap.map_or(ContactPatch::default(), |overlap| overlap.patch)
    }

    /// Returns the surface point of a, relative to the centre of a.
    pub fn on_a(&self) -> DVec3 {
        self.arm - 0.5 * self.gap * self.normal
    }

    /// Returns the surface point of b, relative to the centre of a.
    pub fn on_b(&self) -> DVec3 {
        self.arm + 0.5 * self.gap * self.normal
    }

    /// Returns the same contact with the bodies exchanged; `offset` is the centre of b minus that
    /// of a.
    pub fn swapped(&self, offset: DVec3) -> Self {
        Self { arm: self.arm - offset, normal: -self.normal, ..*self }
    }
}

/// Derivatives of an overlap with respect to the motion of the bodies: the overlap decreases at the
/// rate `normal v.n + spin w.n`.
///
/// v is the velocity of b relative to a at the contact point, and w the relative angular velocity.
/// A force `f` conjugate to the overlap acts on b as the force `normal f n` at the point and the
/// torque `spin f n`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GapJacobian {
    /// Decrease of the overlap per unit velocity along the normal.
    pub normal: f64,
    /// Decrease of the overlap per unit angular velocity about the normal, m.
    pub spin: f64,
}

impl GapJacobian {
    /// The derivatives of a distance.
    pub const PLAIN: Self = Self { normal: 1.0, spin: 0.0 };
}

impl Default for GapJacobian {
    fn default() -> Self {
        Self::PLAIN
    }
}

/// Second moments of the contact patch about its centroid: two vectors p, q in its plane, m, with
/// `<r r'> = p p' + q q'`.
///
/// The friction of a contact with a patch resists spinning, and its dashpots resist rocking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactPatch(pub [DVec3; 2]);

impl ContactPatch {
    /// Returns the patch of a positive semidefinite matrix of second moments, projected along a
    /// unit normal.
    ///
    /// Square roots of rounding errors are clamped to zero.
    pub fn of(moments: DMat3, normal: DVec3) -> Self {
        let (t, u) = tangent_frame(normal);
        let (of_t, of_u) = (moments * t, moments * u);
        let (long, wide) = (t.dot(of_t).max(0.0).sqrt(), u.dot(of_u).max(0.0).sqrt());
        let aslant = if long > 0.0 { (u.dot(of_t) / long).clamp(-wide, wide) } else { 0.0 };
        Self([long * t + aslant * u, (wide * wide - aslant * aslant).max(0.0).sqrt() * u])
    }

    /// Returns whether the patch has no extent.
    #[inline]
    pub fn is_point(&self) -> bool {
        self.0 == [DVec3::ZERO; 2]
    }

    /// Mean square distance from the point, m².
    pub fn square(&self) -> f64 {
        self.0[0].length_squared() + self.0[1].length_squared()
    }
}
