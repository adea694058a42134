//! Proximal Newton method for large programs.
//!
//! A proximal step on the dual gives every contact a compliance d beside its percussion p. Its
//! percussion at velocity v is then `q(v) = argmin phi*(q) + q.v + d |q - p|²/2`, and the
//! velocities minimise a smooth convex function without constraints. Newton's method solves for
//! them, with the Hessian `A + sum_k C_k' (-dq_k/dv) C_k`, which has a block for every two bodies
//! in contact (`hessian.rs`). Then p becomes q: at the fixed point q = p, so that the compliance
//! does not remain in the solution.
//!
//! The unknowns are changes of the velocities from the free ones, multiplied by the square roots of
//! masses and inertias. In these coordinates A is the unit matrix.

use glam::DVec3;

use super::block6::{Block6, Vector6, dot};
use super::contact_rows::{ContactRow, ContactRows};
use super::hessian::{Hessian, Pattern};
use super::proximal_response::Symmetric3;
use crate::percussion::program::{ProgramBody, trace};

/// Newton steps of a proximal step. If they do not converge, it is repeated with more compliance.
const MAX_STEPS: u32 = 25;
/// Largest forcing term: relative residual of the linear equations of a Newton step.
const MAX_FORCING: f64 = 0.2;
/// Factor of the forcing term `eta = 5 (r_k/r_{k-1})²`, of the form of \[Eisenstat1996, choice 2\]:
/// the equations are solved more accurately as Newton's method converges.
const FORCING: f64 = 5.0;
/// Least residual of the linear equations, relative to the tolerance of the proximal step. A
/// smaller one would have no effect on its end.
const MIN_LINEAR_RESIDUAL: f64 = 0.3;
/// Iterations of the linear solver in a Newton step.
const MAX_LINEAR_ITERATIONS: u32 = 1000;
/// Slope at the end of the line search, relative to the slope at its start.
const LINE_SEARCH_SLOPE: f64 = 0.3;
/// Evaluations of the slope in a line search.
const MAX_LINE_SEARCH_POINTS: u32 = 8;
/// Least distance of a new point from the ends of the bracket of the line search, relative to its
/// length. It keeps the interpolation from creeping.
const BRACKET_MARGIN: f64 = 0.1;
/// Inner tolerance, relative to the size of the outer update: residual velocity at the end of a
/// proximal step over the change of the percussions times their compliance.
const INNER_TOLERANCE: f64 = 3.0;

/// No body, or no block.
const NONE: u32 = u32::MAX;
/// Pivot of an inverse inertia that counts as zero, relative to its trace: rounding.
const ROUNDING: f64 = 1e-14;

/// Rows of the contact Jacobian C_k for scaled velocities: scaled by the inverse square root of
/// mass and inertia.
struct ContactJacobian {
    /// Bodies in the order of the Hessian, or [`NONE`].
    a: u32,
    b: u32,
    /// Rows of the normal and the two tangents, for each body.
    of_a: [Vector6; 3],
    of_b: [Vector6; 3],
    /// Number of the off-diagonal block of the two bodies, or [`NONE`].
    edge: u32,
}

/// State of the method for some contacts of a program.
pub struct Newton {
    jacobians: Vec<ContactJacobian>,
    pattern: Pattern,
    hessian: Hessian,
    /// Scaled velocities, the Newton step, and the gradient.
    velocities: Vec<Vector6>,
    step: Vec<Vector6>,
    gradient: Vec<Vector6>,
    /// At the contacts: velocity, its change along the Newton step, and percussion q.
    contact_velocity: Vec<DVec3>,
    contact_change: Vec<DVec3>,
    percussion: Vec<DVec3>,
    /// Friction bounds during a proximal step, N s.
    bounds: Vec<f64>,
    /// Compliance derivatives -dq/dv that are summed in the Hessian, kg, and the fraction of the
    /// mobilities for which they hold.
    derivatives: Vec<Symmetric3>,
    fraction: f64,
    /// Newton steps and linear iterations so far.
    pub iterations: u32,
}

impl Newton {
    /// Prepares the method for the contacts `rows` of a program with these bodies.
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
        let jacobians: Vec<ContactJacobian> = rows.rows.iter().map(jacobian).collect();
        let hessian = Hessian::unit(&pattern);
        let still = vec![[0.0; 6]; count];
        let contacts = vec![DVec3::ZERO; rows.rows.len()];
        Self {
            jacobians,
            pattern,
            hessian,
            velocities: still.clone(),
            step: still.clone(),
            gradient: still,
            contact_velocity: contacts.clone(),
            contact_change: contacts.clone(),
            percussion: contacts,
            bounds: Vec::new(),
            derivatives: vec![[0.0; 6]; rows.rows.len()],
            fraction: 0.0,
            iterations: 0,
        }
    }

    /// Sets the velocities to those of percussions in contact axes.
    pub fn start(&mut self, percussions: &[DVec3]) {
        self.velocities.fill([0.0; 6]);
        for (jacobian, &p) in self.jacobians.iter().zip(percussions) {
            add_transposed_product(jacobian, p, &mut self.velocities);
        }
    }

    /// Makes one proximal step from percussions in contact axes, with compliances that are
    /// `fraction` of the mobilities. Friction bounds are fixed during the step.
    ///
    /// Returns the largest change of a percussion times its compliance, m/s; `None` if Newton's
    /// method did not converge, in which case the percussions are unchanged. The step ends when the
    /// residual velocity is small beside that change, or below `tolerance`, m/s.
    pub fn proximal_step(
        &mut self,
        rows: &ContactRows,
        percussions: &mut [DVec3],
        fraction: f64,
        tolerance: f64,
    ) -> Option<f64> {
        let count = percussions.len();
        self.bounds.clear();
        self.bounds.extend(rows.responses.iter().zip(&*percussions).map(|(response, p)| response.friction_bound(p.x)));
        let mut last_residual = None;
        for _ in 0..MAX_STEPS {
            // z - z0 at the contacts. The gradient starts from A (z - z0), which is the unit matrix
            // here.
            self.iterations += 1;
            let mut velocity = std::mem::take(&mut self.contact_velocity);
            self.apply_jacobians(&self.velocities, &mut velocity);
            self.gradient.copy_from_slice(&self.velocities);
            if self.fraction != fraction {
                // All derivatives change. Starting again from the unit matrix also removes the
                // rounding errors of the updates so far.
                self.fraction = fraction;
                self.hessian.reset();
                self.derivatives.fill([0.0; 6]);
            }
            let mut moved = 0f64;
            for k in 0..count {
                // Velocity of the surfaces: that of the free motion plus that of all percussions.
                velocity[k] += rows.free[k];
                let response = &rows.responses[k];
                let (q, derivative) = response.proximal(velocity[k], percussions[k], self.bounds[k], fraction);
                self.percussion[k] = q;
                moved = moved.max(response.as_velocity(q - percussions[k]));
                // Gradient of the smooth function: z - C' q(v).
                add_transposed_product(&self.jacobians[k], -q, &mut self.gradient);
                // Most contacts keep their state from step to step, so only changes enter the
                // Hessian.
                if derivative != self.derivatives[k] {
                    let old = std::mem::replace(&mut self.derivatives[k], derivative);
                    self.update_hessian(k, &std::array::from_fn(|entry| derivative[entry] - old[entry]));
                }
            }
            self.contact_velocity = velocity;
            let residual = self.largest_gradient_velocity();
            // It is not worth solving a proximal step more accurately than it moves the
            // percussions.
            let target = (INNER_TOLERANCE * fraction * moved).max(tolerance);
            if residual <= target {
                percussions.copy_from_slice(&self.percussion);
                return Some(fraction * moved);
            }
            self.hessian.factorise(&self.pattern);
            let mut step = std::mem::take(&mut self.step);
            // Right-hand side of the Newton equations.
            self.gradient.iter_mut().flatten().for_each(|entry| *entry = -*entry);
            // Eisenstat-Walker: far from the solution an accurate Newton step would be wasted.
            let forcing = last_residual.map_or(MAX_FORCING, |last: f64| FORCING * (residual / last).powi(2));
            let forcing = forcing.max(MIN_LINEAR_RESIDUAL * target / residual).min(MAX_FORCING);
            last_residual = Some(residual);
            self.iterations += self.hessian.solve(&self.gradient, &mut step, forcing, MAX_LINEAR_ITERATIONS);
            self.step = step;
            let length = self.line_search(rows, percussions, fraction);
            for (velocity, step) in self.velocities.iter_mut().zip(&self.step) {
                for k in 0..6 {
                    velocity[k] += length * step[k];
                }
            }
        }
        // Restore the velocities that belong to the unchanged percussions.
        self.start(percussions);
        None
    }

    /// Computes the velocities at the contacts, `C z`, contact axes, without the free velocities.
    fn apply_jacobians(&self, velocities: &[Vector6], to: &mut [DVec3]) {
        for (jacobian, to) in self.jacobians.iter().zip(to) {
            let mut v = [0.0; 3];
            // A body outside the program has no entry in `velocities`.
            for (body, rows) in [(jacobian.a, &jacobian.of_a), (jacobian.b, &jacobian.of_b)] {
                if let Some(velocity) = velocities.get(body as usize) {
                    for (v, row) in v.iter_mut().zip(rows) {
                        *v += (0..6).map(|k| row[k] * velocity[k]).sum::<f64>();
                    }
                }
            }
            *to = DVec3::from_array(v);
        }
    }

    /// Returns the largest normal velocity that the gradient gives one body at a contact, m/s: the
    /// residual of the optimality condition in the unit of the tolerance.
    fn largest_gradient_velocity(&self) -> f64 {
        let mut largest = 0f64;
        for jacobian in &self.jacobians {
            for (body, of) in [(jacobian.a, &jacobian.of_a), (jacobian.b, &jacobian.of_b)] {
                if let Some(gradient) = self.gradient.get(body as usize) {
                    largest = largest.max((0..6).map(|k| of[0][k] * gradient[k]).sum::<f64>().abs());
                }
            }
        }
        largest
    }

    /// Adds `C_k' D C_k` to the Hessian, where D is a change of the compliance derivative of
    /// contact k.
    fn update_hessian(&mut self, k: usize, &[xx, yy, zz, xy, xz, yz]: &Symmetric3) {
        let ContactJacobian { a, b, of_a, of_b, edge } = &self.jacobians[k];
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
        if let Some(block) = self.hessian.diagonal.get_mut(*a as usize) {
            add_outer(block, &of_a[..axes], &weighted_a);
        }
        if let Some(block) = self.hessian.diagonal.get_mut(*b as usize) {
            add_outer(block, &of_b[..axes], &weighted_b);
        }
        if let Some(block) = self.hessian.off_diagonal.get_mut(*edge as usize) {
            // The block belongs to the row of the later body.
            if a > b {
                add_outer(block, &of_a[..axes], &weighted_b);
            } else {
                add_outer(block, &of_b[..axes], &weighted_a);
            }
        }
    }

    /// Returns the length of the Newton step at which the slope of the function has decreased
    /// enough, by regula falsi with safeguards.
    fn line_search(&mut self, rows: &ContactRows, percussions: &[DVec3], fraction: f64) -> f64 {
        let mut change = std::mem::take(&mut self.contact_change);
        self.apply_jacobians(&self.step, &mut change);
        // The quadratic part of the slope is a polynomial of the step length; only the contacts
        // must be evaluated again at each length.
        let (linear, square) = (dot(&self.velocities, &self.step), dot(&self.step, &self.step));
        let slope = |t: f64| {
            let mut sum = linear + t * square;
            for k in 0..percussions.len() {
                let v = self.contact_velocity[k] + t * change[k];
                let q = rows.responses[k].proximal(v, percussions[k], self.bounds[k], fraction).0;
                sum -= q.dot(change[k]);
            }
            sum
        };
        // `gradient` holds the negative gradient here: the right-hand side of the Newton equations.
        let first = -dot(&self.gradient, &self.step);
        let (mut low, mut at_low, mut high, mut at_high) = (0.0, first, 1.0, slope(1.0));
        let mut best = 1.0;
        // The full step is taken unless the slope at its end is clearly positive.
        if at_high > -LINE_SEARCH_SLOPE * first {
            for _ in 0..MAX_LINE_SEARCH_POINTS {
                // Regula falsi, kept away from the ends so that the bracket shrinks from both
                // sides.
                let part = (at_low / (at_low - at_high)).clamp(BRACKET_MARGIN, 1.0 - BRACKET_MARGIN);
                let t = low + (high - low) * part;
                let at = slope(t);
                best = t;
                if at.abs() <= -LINE_SEARCH_SLOPE * first {
                    break;
                }
                if at > 0.0 { (high, at_high) = (t, at) } else { (low, at_low) = (t, at) }
            }
        }
        self.contact_change = change;
        best
    }
}

/// Adds `C_k' p` to the scaled velocities of the bodies of a contact, with p in contact axes.
#[inline]
fn add_transposed_product(jacobian: &ContactJacobian, p: DVec3, velocities: &mut [Vector6]) {
    for (body, rows) in [(jacobian.a, &jacobian.of_a), (jacobian.b, &jacobian.of_b)] {
        if let Some(velocity) = velocities.get_mut(body as usize) {
            for k in 0..6 {
                velocity[k] += rows[0][k] * p.x + rows[1][k] * p.y + rows[2][k] * p.z;
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
