//! The dual form of a program: contacts in contact axes, one after the other in memory, and the
//! body velocities that belong to the present percussions.
//!
//! A percussion in contact axes has the components (normal, tangent 1, tangent 2). The bodies
//! outside the program are represented by one more body with zero inverse mass, so that loops have
//! no branch.

use glam::DVec3;

use super::proximal_response::ContactResponse;
use crate::percussion::program::{Program, ProgramContact, TangentialPotential, Twist};

/// Contact Jacobian of a contact in geometric form: axes, lever arms and bodies.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct ContactRow {
    /// Contact axes: the normal and two tangents.
    pub axes: [DVec3; 3],
    /// Lever arm of a, m.
    pub arm_a: DVec3,
    /// Lever arm of b, m.
    pub arm_b: DVec3,
    /// Number of body a.
    pub a: u32,
    /// Number of body b.
    pub b: u32,
}

/// A body of the dual form.
#[derive(Clone, Copy, Debug)]
struct RowBody {
    twist: Twist,
    inverse_mass: f64,
    /// Inverse inertia in world axes: xx, yy, zz, xy, xz, yz.
    inverse_inertia: [f64; 6],
}

impl RowBody {
    /// Returns the change of spin by an angular impulse.
    #[inline(always)]
    fn spin_change(&self, impulse: DVec3) -> DVec3 {
        let [xx, yy, zz, xy, xz, yz] = self.inverse_inertia;
        DVec3::new(
            xx * impulse.x + xy * impulse.y + xz * impulse.z,
            xy * impulse.x + yy * impulse.y + yz * impulse.z,
            xz * impulse.x + yz * impulse.y + zz * impulse.z,
        )
    }

    #[inline(always)]
    fn apply(&mut self, arm: DVec3, percussion: DVec3) {
        self.twist.velocity += self.inverse_mass * percussion;
        self.twist.spin += self.spin_change(arm.cross(percussion));
    }

    #[inline(always)]
    fn velocity_at(&self, arm: DVec3) -> DVec3 {
        self.twist.velocity + self.twist.spin.cross(arm)
    }
}

/// All contacts of a program in contact axes, and the velocities of its bodies.
pub struct ContactRows {
    /// Geometry of each contact.
    pub rows: Vec<ContactRow>,
    /// Response of each contact.
    pub responses: Vec<ContactResponse>,
    /// Velocity at each contact without percussions, contact axes, m/s.
    pub free: Vec<DVec3>,
    bodies: Vec<RowBody>,
    /// Velocities of the bodies without percussions.
    free_twists: Vec<Twist>,
    /// Scratch: impulses or changes of velocity of the bodies.
    changes: Vec<Twist>,
}

/// Returns two unit vectors that form an orthonormal basis with a unit normal.
pub fn tangents(normal: DVec3) -> [DVec3; 2] {
    // Any orthonormal pair will do, because the potentials are isotropic in the tangent plane.
    let first = normal.any_orthonormal_vector();
    [first, normal.cross(first)]
}

impl ContactRows {
    /// Builds the dual form of a program, with zero percussions.
    pub fn new(program: &Program) -> Self {
        let mut bodies: Vec<RowBody> = Vec::with_capacity(program.bodies.len() + 1);
        bodies.extend(program.bodies.iter().map(|body| {
            let i = body.inverse_inertia;
            RowBody {
                twist: body.free,
                inverse_mass: body.inverse_mass,
                inverse_inertia: [i.x_axis.x, i.y_axis.y, i.z_axis.z, i.x_axis.y, i.x_axis.z, i.y_axis.z],
            }
        }));
        // One entry represents all bodies outside the program.
        bodies.push(RowBody { twist: Twist::default(), inverse_mass: 0.0, inverse_inertia: [0.0; 6] });
        let (rows, responses) = program.contacts.iter().map(|contact| row(contact, &bodies)).unzip();
        let changes = vec![Twist::default(); bodies.len()];
        let free_twists = bodies.iter().map(|body| body.twist).collect();
        let mut made = Self { rows, responses, free: Vec::new(), bodies, free_twists, changes };
        // Without percussions the velocities at the contacts are the free ones.
        made.free = (0..program.contacts.len()).map(|k| made.velocity(k)).collect();
        made
    }

    /// Returns percussions, given in world axes, in contact axes and projected on their cones.
    pub fn admissible(&self, percussions: &[DVec3]) -> Vec<DVec3> {
        let all = self.rows.iter().zip(&self.responses).zip(percussions);
        all.map(|((row, response), &p)| response.project(row.in_contact_axes(p))).collect()
    }

    /// Returns percussions, given in contact axes, in world axes.
    pub fn in_world_axes(&self, percussions: &[DVec3]) -> Vec<DVec3> {
        percussions.iter().zip(&self.rows).map(|(p, row)| row.in_world_axes(*p)).collect()
    }

    /// Returns the velocity of b relative to a without the prescribed part, contact axes, m/s.
    #[inline(always)]
    fn relative_velocity(&self, row: &ContactRow) -> DVec3 {
        let (a, b) = (&self.bodies[row.a as usize], &self.bodies[row.b as usize]);
        let v = b.velocity_at(row.arm_b) - a.velocity_at(row.arm_a);
        row.in_contact_axes(v)
    }

    /// Sets the velocities of the bodies to those of percussions in contact axes.
    pub fn set_percussions(&mut self, percussions: &[DVec3]) {
        self.sum_impulses(percussions);
        // Velocities are computed anew from the free ones, so that rounding errors of the sweeps
        // vanish.
        for ((body, impulse), free) in self.bodies.iter_mut().zip(&self.changes).zip(&self.free_twists) {
            body.twist.velocity = free.velocity + body.inverse_mass * impulse.velocity;
            body.twist.spin = free.spin + body.spin_change(impulse.spin);
        }
    }

    /// Gives all contacts the tangential potentials of the program again.
    pub fn release_friction_bounds(&mut self, program: &Program) {
        for (response, contact) in self.responses.iter_mut().zip(&program.contacts) {
            response.tangential_potential = contact.tangential_potential;
        }
    }

    /// Fixes the friction bound of a contact, N s.
    pub fn fix_friction_bound(&mut self, k: usize, bound: f64) {
        self.responses[k].tangential_potential = TangentialPotential::Bounded(bound);
    }

    /// Fixes the bounds of Coulomb friction at those of given percussions. The program is then
    /// convex.
    pub fn fix_friction_bounds(&mut self, percussions: &[DVec3]) {
        for (response, p) in self.responses.iter_mut().zip(percussions) {
            if let TangentialPotential::Coulomb { .. } = response.tangential_potential {
                response.tangential_potential = TangentialPotential::Bounded(response.friction_bound(p.x));
            }
        }
    }

    /// Returns whether friction bounds follow the percussions.
    pub fn has_coulomb_friction(&self) -> bool {
        let is_coulomb =
            |response: &ContactResponse| matches!(response.tangential_potential, TangentialPotential::Coulomb { .. });
        self.responses.iter().any(is_coulomb)
    }

    /// Returns some of the contacts, without the velocities of the bodies.
    pub fn subset(&self, contacts: &[u32]) -> Self {
        let index = |k: &u32| *k as usize;
        Self {
            rows: contacts.iter().map(|k| self.rows[index(k)]).collect(),
            responses: contacts.iter().map(|k| self.responses[index(k)]).collect(),
            free: contacts.iter().map(|k| self.free[index(k)]).collect(),
            bodies: Vec::new(),
            free_twists: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// Sums the impulses and angular impulses of percussions on each body, `C' p`.
    fn sum_impulses(&mut self, percussions: &[DVec3]) {
        // By Newton's third law a receives the opposite percussion.
        self.changes.fill(Twist::default());
        for (row, &p) in self.rows.iter().zip(percussions) {
            let p = row.in_world_axes(p);
            let (a, b) = (row.a as usize, row.b as usize);
            self.changes[a].velocity -= p;
            self.changes[a].spin -= row.arm_a.cross(p);
            self.changes[b].velocity += p;
            self.changes[b].spin += row.arm_b.cross(p);
        }
    }

    /// Returns the velocity at contact `k`, contact axes, m/s.
    #[inline]
    pub fn velocity(&self, k: usize) -> DVec3 {
        self.relative_velocity(&self.rows[k]) + self.responses[k].prescribed_velocity
    }

    /// Applies the Delassus operator: `image = W p = C A⁻¹ C' p`, contact axes.
    pub fn apply_delassus(&mut self, p: &[DVec3], image: &mut [DVec3]) {
        self.sum_impulses(p);
        for (change, body) in self.changes.iter_mut().zip(&self.bodies) {
            *change = Twist { velocity: body.inverse_mass * change.velocity, spin: body.spin_change(change.spin) };
        }
        for (row, image) in self.rows.iter().zip(image) {
            let (a, b) = (&self.changes[row.a as usize], &self.changes[row.b as usize]);
            let v = b.velocity + b.spin.cross(row.arm_b) - a.velocity - a.spin.cross(row.arm_a);
            *image = row.in_contact_axes(v);
        }
    }

    /// Returns an upper bound of the largest eigenvalue of the Delassus operator, 1/kg: the largest
    /// sum, over the contacts of the two bodies of a contact, of the traces of their mobilities.
    pub fn delassus_bound(&self) -> f64 {
        let mut sums = vec![0.0; self.bodies.len()];
        for row in &self.rows {
            for (body, arm) in [(row.a as usize, row.arm_a), (row.b as usize, row.arm_b)] {
                let mobile = &self.bodies[body];
                // The trace of J⁻¹ bounds its largest eigenvalue, and the arm bounds the cross
                // product.
                let [xx, yy, zz, ..] = mobile.inverse_inertia;
                sums[body] += mobile.inverse_mass + (xx + yy + zz) * arm.length_squared();
            }
        }
        // The row sums of W are bounded by the contacts that share a body with this one.
        let of = |row: &ContactRow| sums[row.a as usize] + sums[row.b as usize];
        // The lower bound keeps the step of the projected gradient finite without contacts.
        self.rows.iter().map(of).fold(f64::MIN_POSITIVE, f64::max)
    }

    /// Minimises the dual over the percussion of contact `k` with all others fixed. Returns the
    /// change of the velocity there, m/s.
    #[inline]
    pub fn relax(&mut self, k: usize, percussion: &mut DVec3) -> f64 {
        let (row, response) = (self.rows[k], &self.responses[k]);
        let v = self.relative_velocity(&row) + response.prescribed_velocity;
        let new = response.block_minimiser(v, *percussion);
        let change = new - *percussion;
        // Most contacts of a heap at rest do not change: the velocities stay valid.
        if change == DVec3::ZERO {
            return 0.0;
        }
        *percussion = new;
        let velocity = response.as_velocity(change);
        let p = row.in_world_axes(change);
        self.bodies[row.a as usize].apply(row.arm_a, -p);
        self.bodies[row.b as usize].apply(row.arm_b, p);
        velocity
    }
}

/// Returns the row and the response of a contact.
fn row(contact: &ProgramContact, bodies: &[RowBody]) -> (ContactRow, ContactResponse) {
    let outside = bodies.len() - 1;
    // Friction potentials use the two tangents as one plane; their choice does not affect the
    // result.
    let [t1, t2] = tangents(contact.normal);
    let axes = [contact.normal, t1, t2];
    // All outside bodies share the last entry, which has no mobility.
    let [a, b] = contact.bodies.map(|body| (body as usize).min(outside));
    let [arm_a, arm_b] = contact.arms;
    // Entry (i, j) of the block W_kk in contact axes.
    let w = |i: usize, j: usize| {
        let of = |body: &RowBody, arm: DVec3| {
            let translation = if i == j { body.inverse_mass } else { 0.0 };
            translation + body.spin_change(arm.cross(axes[j])).dot(arm.cross(axes[i]))
        };
        of(&bodies[a], arm_a) + of(&bodies[b], arm_b)
    };
    let (w11, w12, w22) = (w(1, 1), w(1, 2), w(2, 2));
    // The tangential block is positive definite if one of the bodies can move along both tangents.
    let determinant = w11 * w22 - w12 * w12;
    let w_tt_inverse = [w22 / determinant, -w12 / determinant, w11 / determinant];
    // Larger eigenvalue of a symmetric 2 x 2 matrix.
    let half = 0.5 * (w11 - w22);
    let w_tt = 0.5 * (w11 + w22) + (half * half + w12 * w12).sqrt();
    let row = ContactRow { a: a as u32, b: b as u32, axes, arm_a, arm_b };
    let response = ContactResponse {
        prescribed_velocity: row.in_contact_axes(contact.prescribed_velocity),
        w_nn: w(0, 0),
        w_nt: [w(1, 0), w(2, 0)],
        w_tt_inverse,
        w_tt,
        normal_potential: contact.normal_potential,
        tangential_potential: contact.tangential_potential,
    };
    (row, response)
}

impl ContactRow {
    /// Returns a vector of contact axes in world axes.
    #[inline(always)]
    pub fn in_world_axes(&self, v: DVec3) -> DVec3 {
        v.x * self.axes[0] + v.y * self.axes[1] + v.z * self.axes[2]
    }

    /// Returns a vector of world axes in contact axes.
    #[inline(always)]
    pub fn in_contact_axes(&self, v: DVec3) -> DVec3 {
        DVec3::new(self.axes[0].dot(v), self.axes[1].dot(v), self.axes[2].dot(v))
    }
}
