//! How one contact answers the velocity at it, in its own axes: what all solvers ask of a contact.

use glam::DVec3;

use crate::percussion::problem::{Normal, Tangential};

/// How a contact answers.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// Velocity from outside the program, in its axes.
    pub drift: DVec3,
    /// Mobility along the normal, 1/kg ...
    pub nn: f64,
    /// ... from normal percussions to the tangents ...
    pub nt: [f64; 2],
    /// ... and along the tangents: its inverse and its largest eigenvalue.
    pub inverse_tt: [f64; 3],
    /// The largest mobility along the tangents, 1/kg.
    pub tt: f64,
    /// Its pseudo-potential along the normal ...
    pub normal: Normal,
    /// ... and along the tangents.
    pub across: Tangential,
}

impl Answer {
    /// The cap of friction beside a normal percussion.
    #[inline]
    pub fn cap(&self, normal: f64) -> f64 {
        self.across.cap(normal)
    }

    /// The percussion at velocity `v` of a contact that has percussion `p` and gives way by `part` of its mobilities, and how it
    /// falls with the velocity: xx, yy, zz, xy, xz, yz.
    #[inline]
    pub fn compliant(&self, v: DVec3, p: DVec3, cap: f64, part: f64) -> (DVec3, [f64; 6]) {
        self.gives_way(v, p, [part * self.nn, part * self.tt], Some(cap))
    }

    /// The percussion that a proximal gradient step gives: from percussion p with the velocity v that it makes, with one mobility, 1/kg,
    /// for all directions.
    #[inline]
    pub fn proximal_by(&self, v: DVec3, p: DVec3, mobility: f64) -> DVec3 {
        self.gives_way(v, p, [mobility; 2], None).0
    }

    /// The percussion of a contact that gives way by nn and tt, 1/kg, from p, and how it falls with the velocity. Without a cap
    /// friction has that of the normal percussion.
    #[inline(always)]
    fn gives_way(&self, v: DVec3, p: DVec3, [nn, tt]: [f64; 2], cap: Option<f64>) -> (DVec3, [f64; 6]) {
        let normal = self.normal.percussion(v.x - nn * p.x, nn);
        let acts = normal > 0.0 || self.normal.pulls;
        let xx = if acts { 1.0 / (nn + self.normal.velocity(normal).1) } else { 0.0 };
        match self.across {
            Tangential::Smooth => return (DVec3::new(normal, 0.0, 0.0), [xx, 0.0, 0.0, 0.0, 0.0, 0.0]),
            Tangential::Viscous(stiffness) => {
                let share = 1.0 / (tt + 1.0 / stiffness);
                let q = DVec3::new(normal, share * (tt * p.y - v.y), share * (tt * p.z - v.z));
                return (q, [xx, share, share, 0.0, 0.0, 0.0]);
            }
            _ => {}
        }
        let cap = cap.unwrap_or_else(|| self.across.cap(normal));
        let share = 1.0 / tt;
        let (y, z) = (p.y - share * v.y, p.z - share * v.z);
        let square = y * y + z * z;
        if square <= cap * cap {
            return (DVec3::new(normal, y, z), [xx, share, share, 0.0, 0.0, 0.0]);
        }
        // Spent: it only turns.
        let shorter = cap / square.sqrt();
        let turn = shorter * share / square;
        (DVec3::new(normal, shorter * y, shorter * z), [xx, turn * z * z, turn * y * y, 0.0, 0.0, -turn * y * z])
    }

    /// A change of percussion as a velocity, m/s.
    #[inline]
    pub fn as_velocity(&self, change: DVec3) -> f64 {
        (self.nn * change.x.abs()).max(self.tt * change.y.abs().max(change.z.abs()))
    }

    /// The nearest percussion in the contact's cone.
    #[inline]
    pub fn admissible(&self, p: DVec3) -> DVec3 {
        let normal = if self.normal.pulls { p.x } else { p.x.max(0.0) };
        let cap = self.across.cap(normal);
        let length = (p.y * p.y + p.z * p.z).sqrt();
        let scale = if length > cap { cap / length } else { 1.0 };
        DVec3::new(normal, scale * p.y, scale * p.z)
    }

    /// The percussion that minimises the dual along the normal, and then along the tangents, given the present velocity v and
    /// percussion p. Where the cap of friction is met, a projected gradient step that descends.
    #[inline(always)]
    pub fn wanted(&self, v: DVec3, p: DVec3) -> DVec3 {
        let normal = self.normal.percussion(v.x - self.nn * p.x, self.nn);
        let change = normal - p.x;
        let (vy, vz) = (v.y + self.nt[0] * change, v.z + self.nt[1] * change);
        let cap = match self.across {
            Tangential::Smooth => return DVec3::new(normal, 0.0, 0.0),
            Tangential::Viscous(stiffness) => {
                // Velocities without this percussion, and p_t = -(W + 1/kappa)⁻¹ of them, by one step of each tangent's own:
                // W is nearly a multiple of one.
                let compliance = 1.0 / stiffness;
                let w = self.tt + compliance;
                return DVec3::new(normal, p.y - (vy + compliance * p.y) / w, p.z - (vz + compliance * p.z) / w);
            }
            _ => self.across.cap(normal),
        };
        let [xx, xy, yy] = self.inverse_tt;
        let (y, z) = (p.y - (xx * vy + xy * vz), p.z - (xy * vy + yy * vz));
        if y * y + z * z <= cap * cap {
            return DVec3::new(normal, y, z);
        }
        let (y, z) = (p.y - vy / self.tt, p.z - vz / self.tt);
        let length = (y * y + z * z).sqrt();
        let scale = if length > cap { cap / length } else { 1.0 };
        DVec3::new(normal, scale * y, scale * z)
    }
}
