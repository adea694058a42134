//! Contact Jacobians for scaled velocities, and the pattern of the matrices that they give.
//!
//! Velocities are multiplied by the square roots of masses and inertias, so that the matrix A of a
//! program is the unit matrix.

use glam::DVec3;

use super::block6::{Block6, Vector6, product};
use super::contact_rows::{ContactRow, ContactRows};
use super::hessian::{Hessian, Pattern};
use super::proximal_response::Symmetric3;
use crate::percussion::program::{ProgramBody, trace};

/// No body, or no block.
pub const NONE: u32 = u32::MAX;
/// Pivot of an inverse inertia that counts as zero, relative to its trace: rounding.
const ROUNDING: f64 = 1e-14;

/// Rows of the contact Jacobian C_k for scaled velocities: scaled by the inverse square root of
/// mass and inertia.
pub struct ContactJacobian {
    /// Bodies in the order of the Hessian, or [`NONE`].
    pub a: u32,
    pub b: u32,
    /// Rows of the normal and the two tangents, for each body.
    of_a: [Vector6; 3],
    of_b: [Vector6; 3],
    /// Number of the off-diagonal block of the two bodies, or [`NONE`].
    pub edge: u32,
}

/// The Jacobians of some contacts of a program, and the pattern of their products.
pub struct ContactJacobians {
    pub of: Vec<ContactJacobian>,
    pub pattern: Pattern,
}

impl ContactJacobians {
    /// Computes the Jacobians of the contacts `rows` of a program with these bodies.
    pub fn new(bodies: &[ProgramBody], rows: &ContactRows) -> Self {
        let count = bodies.len();
        let roots: Vec<[DVec3; 3]> = bodies.iter().map(inertia_root).collect();
        let position = breadth_first_order(count, &rows.rows);
        let pairs = rows.rows.iter().map(|row| [row.a, row.b]);
        let inside = pairs.filter(|pair| pair.iter().all(|&body| (body as usize) < count));
        let pattern = Pattern::new(count, inside.map(|pair| pair.map(|body| position[body as usize])));
        let jacobian = |row: &ContactRow| {
            let of = |body: u32, arm: DVec3, sign: f64| {
                // A body outside the program does not move and has no rows.
                let Some(root) = roots.get(body as usize) else { return (NONE, [[0.0; 6]; 3]) };
                let mass_root = sign * bodies[body as usize].inverse_mass.sqrt();
                let rows = row.axes.map(|axis| {
                    // The rows act on velocities that are scaled by the square roots of masses and
                    // inertias.
                    let lever = sign * arm.cross(axis);
                    let linear = mass_root * axis;
                    [linear.x, linear.y, linear.z, root[0].dot(lever), root[1].dot(lever), root[2].dot(lever)]
                });
                (position[body as usize], rows)
            };
            let ((a, of_a), (b, of_b)) = (of(row.a, row.arm_a, -1.0), of(row.b, row.arm_b, 1.0));
            // A contact with a body outside has a diagonal block only.
            let edge = if a == NONE || b == NONE { NONE } else { pattern.edge(a.max(b), a.min(b)) as u32 };
            ContactJacobian { a, b, of_a, of_b, edge }
        };
        let of = rows.rows.iter().map(jacobian).collect();
        Self { of, pattern }
    }
}

impl ContactJacobian {
    /// Returns the velocity at the contact, `C_k z`, contact axes, without the free velocities.
    #[inline]
    pub fn velocity(&self, velocities: &[Vector6]) -> DVec3 {
        let mut v = [0.0; 3];
        // A body outside the program has no entry in `velocities`.
        for (body, rows) in [(self.a, &self.of_a), (self.b, &self.of_b)] {
            if let Some(velocity) = velocities.get(body as usize) {
                for (v, row) in v.iter_mut().zip(rows) {
                    *v += product(row, velocity);
                }
            }
        }
        DVec3::from_array(v)
    }

    /// Returns the largest normal velocity that `velocities` give one of the two bodies, m/s.
    #[inline]
    pub fn largest_normal_velocity(&self, velocities: &[Vector6]) -> f64 {
        let of = |body: u32, of: &[Vector6; 3]| match velocities.get(body as usize) {
            Some(velocity) => product(&of[0], velocity).abs(),
            None => 0.0,
        };
        of(self.a, &self.of_a).max(of(self.b, &self.of_b))
    }

    /// Adds `C_k' p` to the scaled velocities of the bodies, with p in contact axes.
    #[inline]
    pub fn add_transposed_product(&self, p: DVec3, velocities: &mut [Vector6]) {
        for (body, rows) in [(self.a, &self.of_a), (self.b, &self.of_b)] {
            if let Some(velocity) = velocities.get_mut(body as usize) {
                for k in 0..6 {
                    velocity[k] += rows[0][k] * p.x + rows[1][k] * p.y + rows[2][k] * p.z;
                }
            }
        }
    }

    /// Adds `C_k' D C_k` to the Hessian, for a symmetric D. The off-diagonal block is left out if
    /// `couples` is false.
    pub fn add_square(&self, &[xx, yy, zz, xy, xz, yz]: &Symmetric3, couples: bool, hessian: &mut Hessian) {
        let Self { a, b, of_a, of_b, edge } = self;
        // D times the rows, which both the diagonal and the off-diagonal blocks need.
        let weigh = |of: &[Vector6; 3]| {
            let mut product = [[0.0; 6]; 3];
            for k in 0..6 {
                let (x, y, z) = (of[0][k], of[1][k], of[2][k]);
                product[0][k] = xx * x + xy * y + xz * z;
                product[1][k] = xy * x + yy * y + yz * z;
                product[2][k] = xz * x + yz * y + zz * z;
            }
            product
        };
        // Without tangential entries the two tangents have no effect.
        let axes = if yy == 0.0 && zz == 0.0 { 1 } else { 3 };
        let (weighted_a, weighted_b) = (weigh(of_a), weigh(of_b));
        if let Some(block) = hessian.diagonal.get_mut(*a as usize) {
            add_outer(block, &of_a[..axes], &weighted_a);
        }
        if let Some(block) = hessian.diagonal.get_mut(*b as usize) {
            add_outer(block, &of_b[..axes], &weighted_b);
        }
        if !couples {
            return;
        }
        if let Some(block) = hessian.off_diagonal.get_mut(*edge as usize) {
            // The block belongs to the row of the later body.
            if a > b {
                add_outer(block, &of_a[..axes], &weighted_b);
            } else {
                add_outer(block, &of_b[..axes], &weighted_a);
            }
        }
    }
}

/// Adds `rows' columns` to a block.
#[inline]
fn add_outer(block: &mut Block6, rows: &[Vector6], columns: &[Vector6; 3]) {
    for (row, weighted) in rows.iter().zip(columns) {
        for c in 0..6 {
            for r in 0..6 {
                block[c][r] += row[r] * weighted[c];
            }
        }
    }
}

/// Returns the columns of the lower triangular Cholesky factor L of the inverse inertia, `L L'`. An
/// axis about which a body cannot rotate has a column of zeros.
fn inertia_root(body: &ProgramBody) -> [DVec3; 3] {
    // A pivot is zero for a body that rotates about one axis only. Rounding makes it a little larger
    // or negative.
    let i = body.inverse_inertia;
    let rounding = ROUNDING * trace(&i);
    let root = |pivot: f64| if pivot > rounding { pivot.sqrt() } else { 0.0 };
    let ratio = |x: f64, d: f64| if d > 0.0 { x / d } else { 0.0 };
    let xx = root(i.x_axis.x);
    let (yx, zx) = (ratio(i.x_axis.y, xx), ratio(i.x_axis.z, xx));
    let yy = root(i.y_axis.y - yx * yx);
    let zy = ratio(i.y_axis.z - yx * zx, yy);
    let zz = root(i.z_axis.z - zx * zx - zy * zy);
    [DVec3::new(xx, yx, zx), DVec3::new(0.0, yy, zy), DVec3::new(0.0, 0.0, zz)]
}

/// Returns the position of each body in a breadth-first order that starts at the bodies in contact
/// with a body outside. The preconditioner of the conjugate gradients sweeps in this order, so that
/// information travels from the ground upwards in one iteration.
fn breadth_first_order(count: usize, rows: &[ContactRow]) -> Vec<u32> {
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); count];
    // A contact with the outside is the support of a stack: the order starts there.
    let mut grounded = Vec::with_capacity(count);
    let mut position = vec![NONE; count];
    for &ContactRow { a, b, .. } in rows {
        match [a, b].map(|body| (body as usize) < count) {
            [true, true] => {
                neighbours[a as usize].push(b);
                neighbours[b as usize].push(a);
            }
            [true, false] | [false, true] => grounded.push(a.min(b)),
            [false, false] => {}
        }
    }
    let mut order = Vec::with_capacity(count);
    let mut visit = |body: u32, order: &mut Vec<u32>| {
        if position[body as usize] == NONE {
            position[body as usize] = order.len() as u32;
            order.push(body);
        }
    };
    // Breadth first: neighbours in contact get close positions.
    grounded.iter().for_each(|&body| visit(body, &mut order));
    let mut next = 0;
    for seed in 0..count as u32 {
        // A set of bodies without contact with the outside starts at its first body.
        if order.len() == next {
            visit(seed, &mut order);
        }
        while next < order.len() {
            for &body in &neighbours[order[next] as usize] {
                visit(body, &mut order);
            }
            next += 1;
        }
    }
    position
}
