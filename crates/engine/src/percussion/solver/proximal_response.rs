//! Response of one contact to its velocity, in contact axes: block minimiser of the dual, proximal
//! step, and compliance derivative. All solvers use it.
//!
//! Vectors have the components (normal, tangent 1, tangent 2).

use glam::DVec3;

use crate::percussion::program::{NormalPotential, TangentialPotential};

/// A symmetric 3 x 3 matrix: xx, yy, zz, xy, xz, yz.
pub type Symmetric3 = [f64; 6];

/// The potentials of a contact and its block `W_kk` of the Delassus operator.
#[derive(Clone, Copy, Debug)]
pub struct ContactResponse {
    /// Velocity due to bodies outside the program, m/s.
    pub prescribed_velocity: DVec3,
    /// Normal entry of the block, 1/kg.
    pub w_nn: f64,
    /// Entries between the normal and the two tangents, 1/kg.
    pub w_nt: [f64; 2],
    /// Inverse of the tangential 2 x 2 part: 11, 12, 22, kg.
    pub w_tt_inverse: [f64; 3],
    /// Largest eigenvalue of the tangential part, 1/kg.
    pub w_tt: f64,
    /// Pseudo-potential of the normal velocity.
    pub normal_potential: NormalPotential,
    /// Pseudo-potential of the tangential velocity.
    pub tangential_potential: TangentialPotential,
}

impl ContactResponse {
    /// Returns the friction bound beside a normal percussion, N s.
    #[inline]
    pub fn friction_bound(&self, normal: f64) -> f64 {
        self.tangential_potential.friction_bound(normal)
    }

    /// Returns the percussion `q(v) = argmin phi*(q) + q.v + d |q - p|²/2` and the compliance
    /// derivative -dq/dv, kg.
    ///
    /// The compliance d is `fraction` of the mobilities `w_nn` and `w_tt`. The friction bound is
    /// given.
    #[inline]
    pub fn proximal(&self, v: DVec3, p: DVec3, bound: f64, fraction: f64) -> (DVec3, Symmetric3) {
        self.proximal_step(v, p, [fraction * self.w_nn, fraction * self.w_tt], Some(bound))
    }

    /// Returns the percussion after a projected gradient step from p, whose velocity is v, with one
    /// compliance, 1/kg, for all directions.
    #[inline]
    pub fn projected_gradient(&self, v: DVec3, p: DVec3, compliance: f64) -> DVec3 {
        self.proximal_step(v, p, [compliance; 2], None).0
    }

    /// Returns the proximal step from p with normal and tangential compliances, 1/kg, and its
    /// compliance derivative. Without a given bound, friction has that of the normal percussion.
    #[inline(always)]
    fn proximal_step(&self, v: DVec3, p: DVec3, [d_n, d_t]: [f64; 2], bound: Option<f64>) -> (DVec3, Symmetric3) {
        let normal = self.normal_potential.percussion(v.x - d_n * p.x, d_n);
        // A contact that does not act stays at zero for a small change of velocity.
        let acts = normal > 0.0 || self.normal_potential.tensile;
        let xx = if acts { 1.0 / (d_n + self.normal_potential.velocity(normal).1) } else { 0.0 };
        match self.tangential_potential {
            TangentialPotential::Frictionless => {
                return (DVec3::new(normal, 0.0, 0.0), [xx, 0.0, 0.0, 0.0, 0.0, 0.0]);
            }
            TangentialPotential::Viscous(kappa) => {
                let stiffness = 1.0 / (d_t + 1.0 / kappa);
                let q = DVec3::new(normal, stiffness * (d_t * p.y - v.y), stiffness * (d_t * p.z - v.z));
                return (q, [xx, stiffness, stiffness, 0.0, 0.0, 0.0]);
            }
            _ => {}
        }
        let bound = bound.unwrap_or_else(|| self.friction_bound(normal));
        let stiffness = 1.0 / d_t;
        let (y, z) = (p.y - stiffness * v.y, p.z - stiffness * v.z);
        let square = y * y + z * z;
        if square <= bound * bound {
            // The contact sticks.
            return (DVec3::new(normal, y, z), [xx, stiffness, stiffness, 0.0, 0.0, 0.0]);
        }
        // The contact slides: the percussion can change its direction, but not its length.
        let scale = bound / square.sqrt();
        let turn = scale * stiffness / square;
        (DVec3::new(normal, scale * y, scale * z), [xx, turn * z * z, turn * y * y, 0.0, 0.0, -turn * y * z])
    }

    /// Returns a change of percussion times the mobility, m/s.
    #[inline]
    pub fn as_velocity(&self, change: DVec3) -> f64 {
        (self.w_nn * change.x.abs()).max(self.w_tt * change.y.abs().max(change.z.abs()))
    }

    /// Returns the projection of a percussion on the contact's cone.
    #[inline]
    pub fn project(&self, p: DVec3) -> DVec3 {
        let normal = if self.normal_potential.tensile { p.x } else { p.x.max(0.0) };
        let bound = self.friction_bound(normal);
        let length = (p.y * p.y + p.z * p.z).sqrt();
        let scale = if length > bound { bound / length } else { 1.0 };
        DVec3::new(normal, scale * p.y, scale * p.z)
    }

    /// Returns the percussion that minimises the dual along the normal and then along the tangents,
    /// with all other percussions fixed. v is the present velocity and p the present percussion.
    ///
    /// If friction reaches its bound, the tangential part is a projected gradient step, which
    /// decreases the dual but does not minimise it.
    #[inline(always)]
    pub fn block_minimiser(&self, v: DVec3, p: DVec3) -> DVec3 {
        let normal = self.normal_potential.percussion(v.x - self.w_nn * p.x, self.w_nn);
        let change = normal - p.x;
        // Tangential velocities after the change of the normal percussion.
        let (vy, vz) = (v.y + self.w_nt[0] * change, v.z + self.w_nt[1] * change);
        let bound = match self.tangential_potential {
            TangentialPotential::Frictionless => return DVec3::new(normal, 0.0, 0.0),
            TangentialPotential::Viscous(kappa) => {
                // One step towards p_t = -(W_tt + 1/kappa)⁻¹ v_t. W_tt is nearly a multiple of the
                // unit matrix, so its largest eigenvalue replaces it.
                let compliance = 1.0 / kappa;
                let w = self.w_tt + compliance;
                return DVec3::new(normal, p.y - (vy + compliance * p.y) / w, p.z - (vz + compliance * p.z) / w);
            }
            _ => self.friction_bound(normal),
        };
        let [m11, m12, m22] = self.w_tt_inverse;
        let (y, z) = (p.y - (m11 * vy + m12 * vz), p.z - (m12 * vy + m22 * vz));
        if y * y + z * z <= bound * bound {
            return DVec3::new(normal, y, z);
        }
        // The projection of the minimiser would not be the constrained minimiser, because the block
        // is not a multiple of the unit matrix. A gradient step with its largest eigenvalue
        // descends.
        let (y, z) = (p.y - vy / self.w_tt, p.z - vz / self.w_tt);
        let length = (y * y + z * z).sqrt();
        let scale = if length > bound { bound / length } else { 1.0 };
        DVec3::new(normal, scale * y, scale * z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Step of the finite differences, m/s, and the error that it leaves in a derivative of order
    /// one.
    const STEP: f64 = 1e-6;
    const ERROR: f64 = 1e-6;

    fn response(normal_potential: NormalPotential, tangential_potential: TangentialPotential) -> ContactResponse {
        ContactResponse {
            prescribed_velocity: DVec3::ZERO,
            w_nn: 1.7,
            w_nt: [0.1, -0.2],
            w_tt_inverse: [0.5, 0.1, 0.6],
            w_tt: 2.3,
            normal_potential,
            tangential_potential,
        }
    }

    #[test]
    fn the_compliance_derivative_is_that_of_finite_differences() {
        let normals = [
            NormalPotential { min_velocity: 0.0, kappa: 0.0, tensile: false },
            NormalPotential { min_velocity: -2.0, kappa: 0.8, tensile: false },
            NormalPotential { min_velocity: -0.1, kappa: 3.0, tensile: true },
        ];
        let tangentials = [
            TangentialPotential::Frictionless,
            TangentialPotential::Viscous(0.7),
            TangentialPotential::Bounded(0.4),  // slides
            TangentialPotential::Bounded(40.0), // sticks
        ];
        let (p, bound) = (DVec3::new(0.6, 0.2, -0.3), |t: &TangentialPotential| t.friction_bound(0.6));
        for (normal, tangential) in normals.into_iter().flat_map(|n| tangentials.map(|t| (n, t))) {
            let contact = response(normal, tangential);
            for v in [DVec3::new(-0.9, 0.8, -0.5), DVec3::new(0.4, -0.3, 0.9)] {
                let q = |v: DVec3| contact.proximal(v, p, bound(&tangential), 0.3).0;
                let [xx, yy, zz, xy, xz, yz] = contact.proximal(v, p, bound(&tangential), 0.3).1;
                let columns = [DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz)];
                for (axis, column) in DVec3::AXES.into_iter().zip(columns) {
                    let difference = (q(v - STEP * axis) - q(v + STEP * axis)) / (2.0 * STEP);
                    assert!((difference - column).length() < ERROR, "{normal:?} {tangential:?} {v}: {difference}");
                }
            }
        }
    }
}
