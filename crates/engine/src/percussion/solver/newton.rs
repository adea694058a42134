//! Newton's method for large programs: proximal steps on the percussions, each an unconstrained convex program in the velocities.
//!
//! Every contact is given a small compliance d beside the percussion p that it has: its percussion at velocity v is then
//! `q(v) = argmin phi*(q) + q v + d (q - p)²/2`, a function of v with a known slope, and the velocities minimise a smooth convex function.
//! Newton's steps find them; their matrix has a block for every two bodies that touch (`body_matrix.rs`). Then p becomes q: the compliance
//! does not remain in the solution. Motions are in the scale of the square roots of masses and inertias, from the free ones.

use glam::DVec3;

use super::blocks::{Block, Six, dot};
use super::body_matrix::{BodyMatrix, Pattern};
use super::rows::{Row, Rows};
use crate::percussion::problem::Body;

/// Most Newton steps of a proximal step: it is then tried again with more compliance.
const MOST_STEPS: u32 = 25;
/// What is to be left of the residual of a Newton step's equations at most, and what for each square of that which the last step left of
/// what was off: near the end steps are worth exact ones (Eisenstat and Walker, 1996).
const EQUATIONS_LEFT: f64 = 0.2;
const FORCING: f64 = 5.0;
/// What is to be left at least of what the end of a proximal step allows.
const PART_OF_TARGET: f64 = 0.3;
const MOST_ITERATIONS: u32 = 1000;
/// What is to be left of the slope along a Newton step, and the most points tried.
const SLOPE_LEFT: f64 = 0.3;
const MOST_POINTS: u32 = 8;
/// Velocities by which motions and percussions may differ at the end of a proximal step, in those by which it has moved percussions.
const INNER: f64 = 3.0;

/// Velocities at a contact for scaled motions of its bodies, in its axes.
struct Reach {
    a: u32,
    b: u32,
    /// Rows of the normal and the tangents, for each of the two.
    of_a: [Six; 3],
    of_b: [Six; 3],
    /// Block off the diagonal.
    edge: u32,
}

/// Contacts of a program in the scaled motions of its bodies.
pub struct Newton {
    reaches: Vec<Reach>,
    pattern: Pattern,
    matrix: BodyMatrix,
    motion: Vec<Six>,
    change: Vec<Six>,
    slope: Vec<Six>,
    /// At the contacts: velocities, their change, and percussions.
    velocity: Vec<DVec3>,
    along: Vec<DVec3>,
    percussion: Vec<DVec3>,
    /// Caps of friction.
    caps: Vec<f64>,
    /// How percussions fall with velocities, and the compliance for which: what is in the matrix.
    falls: Vec<[f64; 6]>,
    part: f64,
    /// Passes over the contacts and iterations of conjugate gradients so far.
    pub iterations: u32,
}

impl Newton {
    /// Prepares these contacts of a program's bodies.
    pub fn new(bodies: &[Body], rows: &Rows) -> Self {
        let count = bodies.len();
        let roots: Vec<[DVec3; 3]> = bodies.iter().map(root).collect();
        let place = order(count, &rows.rows);
        let pairs = rows.rows.iter().map(|row| [row.a, row.b]);
        let inside = pairs.filter(|pair| pair.iter().all(|&body| (body as usize) < count));
        let pattern = Pattern::new(count, inside.map(|pair| pair.map(|body| place[body as usize])));
        let reach = |row: &Row| {
            let of = |body: u32, arm: DVec3, sign: f64| {
                let Some(root) = roots.get(body as usize) else { return (u32::MAX, [[0.0; 6]; 3]) };
                let mass = sign * bodies[body as usize].inverse_mass.sqrt();
                let rows = row.axes.map(|axis| {
                    let lever = sign * arm.cross(axis);
                    let linear = mass * axis;
                    [linear.x, linear.y, linear.z, root[0].dot(lever), root[1].dot(lever), root[2].dot(lever)]
                });
                (place[body as usize], rows)
            };
            let ((a, of_a), (b, of_b)) = (of(row.a, row.arm_a, -1.0), of(row.b, row.arm_b, 1.0));
            let edge = if a == u32::MAX || b == u32::MAX { u32::MAX } else { pattern.edge(a.max(b), a.min(b)) as u32 };
            Reach { a, b, of_a, of_b, edge }
        };
        let reaches: Vec<Reach> = rows.rows.iter().map(reach).collect();
        let matrix = BodyMatrix::unit(&pattern);
        let still = vec![[0.0; 6]; count];
        let contacts = vec![DVec3::ZERO; rows.rows.len()];
        Self {
            reaches,
            pattern,
            matrix,
            motion: still.clone(),
            change: still.clone(),
            slope: still,
            velocity: contacts.clone(),
            along: contacts.clone(),
            percussion: contacts,
            caps: Vec::new(),
            falls: vec![[0.0; 6]; rows.rows.len()],
            part: 0.0,
            iterations: 0,
        }
    }

    /// Starts from the motions that percussions, in the contacts' axes, make.
    pub fn start(&mut self, own: &[DVec3]) {
        self.motion.fill([0.0; 6]);
        for (reach, &p) in self.reaches.iter().zip(own) {
            push(reach, p, &mut self.motion);
        }
    }

    /// One proximal step from percussions `own`, with compliances `part` of the contacts' mobilities. Caps of friction stay during
    /// the step, which ends when what is left is small beside what was moved, or below `near`, m/s. Gives how far a percussion has
    /// moved at most, as the velocity that its compliance makes of it, m/s. Percussions stay as they are if Newton's method has not
    /// arrived.
    pub fn step(&mut self, rows: &Rows, own: &mut [DVec3], part: f64, near: f64) -> Option<f64> {
        let count = own.len();
        self.caps.clear();
        self.caps.extend(rows.answers.iter().zip(&*own).map(|(answer, p)| answer.cap(p.x)));
        let mut last = None;
        for _ in 0..MOST_STEPS {
            self.iterations += 1;
            // Percussions at these velocities, and how far the motions are from those that they make.
            let mut velocity = std::mem::take(&mut self.velocity);
            self.velocities(&self.motion, &mut velocity);
            self.slope.copy_from_slice(&self.motion);
            if self.part != part {
                // The slopes of all contacts change: rounding of the changes so far goes with them.
                self.part = part;
                self.matrix.reset();
                self.falls.fill([0.0; 6]);
            }
            let mut moved = 0f64;
            for k in 0..count {
                velocity[k] += rows.free[k];
                let answer = &rows.answers[k];
                let (q, fall) = answer.compliant(velocity[k], own[k], self.caps[k], part);
                self.percussion[k] = q;
                moved = moved.max(answer.as_velocity(q - own[k]));
                push(&self.reaches[k], -q, &mut self.slope);
                if fall != self.falls[k] {
                    let old = std::mem::replace(&mut self.falls[k], fall);
                    self.add(k, &std::array::from_fn(|entry| fall[entry] - old[entry]));
                }
            }
            self.velocity = velocity;
            let off = self.largest_velocity();
            let target = (INNER * part * moved).max(near);
            if off <= target {
                own.copy_from_slice(&self.percussion);
                return Some(part * moved);
            }
            self.matrix.factorise(&self.pattern);
            let mut change = std::mem::take(&mut self.change);
            self.slope.iter_mut().flatten().for_each(|entry| *entry = -*entry);
            let left = last.map_or(EQUATIONS_LEFT, |last: f64| FORCING * (off / last).powi(2));
            let left = left.max(PART_OF_TARGET * target / off).min(EQUATIONS_LEFT);
            last = Some(off);
            self.iterations += self.matrix.solve(&self.slope, &mut change, left, MOST_ITERATIONS);
            self.change = change;
            let length = self.length(rows, own, part);
            for (motion, change) in self.motion.iter_mut().zip(&self.change) {
                for k in 0..6 {
                    motion[k] += length * change[k];
                }
            }
        }
        self.start(own);
        None
    }

    /// Velocities at the contacts for given motions, without the free ones.
    fn velocities(&self, motions: &[Six], to: &mut [DVec3]) {
        for (reach, to) in self.reaches.iter().zip(to) {
            let mut v = [0.0; 3];
            for (body, rows) in [(reach.a, &reach.of_a), (reach.b, &reach.of_b)] {
                if let Some(motion) = motions.get(body as usize) {
                    for (v, row) in v.iter_mut().zip(rows) {
                        *v += (0..6).map(|k| row[k] * motion[k]).sum::<f64>();
                    }
                }
            }
            *to = DVec3::from_array(v);
        }
    }

    /// The largest velocity that the present slope makes at a contact, m/s.
    fn largest_velocity(&self) -> f64 {
        let mut largest = 0f64;
        for reach in &self.reaches {
            for (body, of) in [(reach.a, &reach.of_a), (reach.b, &reach.of_b)] {
                if let Some(slope) = self.slope.get(body as usize) {
                    largest = largest.max((0..6).map(|k| of[0][k] * slope[k]).sum::<f64>().abs());
                }
            }
        }
        largest
    }

    /// Adds what a change of a contact's slope, in its axes, gives the matrix.
    fn add(&mut self, k: usize, &[xx, yy, zz, xy, xz, yz]: &Six) {
        let Reach { a, b, of_a, of_b, edge } = &self.reaches[k];
        let weigh = |of: &[Six; 3]| {
            let mut made = [[0.0; 6]; 3];
            for k in 0..6 {
                let (x, y, z) = (of[0][k], of[1][k], of[2][k]);
                made[0][k] = xx * x + xy * y + xz * z;
                made[1][k] = xy * x + yy * y + yz * z;
                made[2][k] = xz * x + yz * y + zz * z;
            }
            made
        };
        let axes = if yy == 0.0 && zz == 0.0 { 1 } else { 3 };
        let (wa, wb) = (weigh(of_a), weigh(of_b));
        if let Some(block) = self.matrix.diagonal.get_mut(*a as usize) {
            add_outer(block, &of_a[..axes], &wa);
        }
        if let Some(block) = self.matrix.diagonal.get_mut(*b as usize) {
            add_outer(block, &of_b[..axes], &wb);
        }
        if let Some(block) = self.matrix.off.get_mut(*edge as usize) {
            if a > b { add_outer(block, &of_a[..axes], &wb) } else { add_outer(block, &of_b[..axes], &wa) }
        }
    }

    /// How far to go along the change of motions: to where the function no longer falls much.
    fn length(&mut self, rows: &Rows, own: &[DVec3], part: f64) -> f64 {
        let mut along = std::mem::take(&mut self.along);
        self.velocities(&self.change, &mut along);
        let (linear, square) = (dot(&self.motion, &self.change), dot(&self.change, &self.change));
        let slope = |t: f64| {
            let mut sum = linear + t * square;
            for k in 0..own.len() {
                let q = rows.answers[k].compliant(self.velocity[k] + t * along[k], own[k], self.caps[k], part).0;
                sum -= q.dot(along[k]);
            }
            sum
        };
        // The equations were solved for the negative gradient.
        let first = -dot(&self.slope, &self.change);
        let (mut low, mut at_low, mut high, mut at_high) = (0.0, first, 1.0, slope(1.0));
        let mut best = 1.0;
        if at_high > -SLOPE_LEFT * first {
            for _ in 0..MOST_POINTS {
                let t = low + (high - low) * (at_low / (at_low - at_high)).clamp(0.1, 0.9);
                let at = slope(t);
                best = t;
                if at.abs() <= -SLOPE_LEFT * first {
                    break;
                }
                if at > 0.0 { (high, at_high) = (t, at) } else { (low, at_low) = (t, at) }
            }
        }
        self.along = along;
        best
    }
}

/// Adds a percussion, in the contact's axes, to the motions of its bodies.
#[inline]
fn push(reach: &Reach, p: DVec3, motions: &mut [Six]) {
    for (body, rows) in [(reach.a, &reach.of_a), (reach.b, &reach.of_b)] {
        if let Some(motion) = motions.get_mut(body as usize) {
            for k in 0..6 {
                motion[k] += rows[0][k] * p.x + rows[1][k] * p.y + rows[2][k] * p.z;
            }
        }
    }
}

#[inline]
fn add_outer(block: &mut Block, rows: &[Six], columns: &[Six; 3]) {
    for (row, weighed) in rows.iter().zip(columns) {
        for c in 0..6 {
            for r in 0..6 {
                block[c][r] += row[r] * weighed[c];
            }
        }
    }
}

/// The columns of a lower triangle L with `L L'` the inverse inertia; an axis about which a body cannot turn has a column of zeros.
fn root(body: &Body) -> [DVec3; 3] {
    let i = body.inverse_inertia;
    let ratio = |x: f64, d: f64| if d > 0.0 { x / d } else { 0.0 };
    let xx = i.x_axis.x.max(0.0).sqrt();
    let (yx, zx) = (ratio(i.x_axis.y, xx), ratio(i.x_axis.z, xx));
    let yy = (i.y_axis.y - yx * yx).max(0.0).sqrt();
    let zy = ratio(i.y_axis.z - yx * zx, yy);
    let zz = (i.z_axis.z - zx * zx - zy * zy).max(0.0).sqrt();
    [DVec3::new(xx, yx, zx), DVec3::new(0.0, yy, zy), DVec3::new(0.0, 0.0, zz)]
}

/// The place of each body in an order from those that touch what is outside to those on top.
fn order(count: usize, rows: &[Row]) -> Vec<u32> {
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut queue = Vec::with_capacity(count);
    let mut place = vec![u32::MAX; count];
    for &Row { a, b, .. } in rows {
        match [a, b].map(|body| (body as usize) < count) {
            [true, true] => {
                neighbours[a as usize].push(b);
                neighbours[b as usize].push(a);
            }
            [true, false] | [false, true] => queue.push(a.min(b)),
            [false, false] => {}
        }
    }
    let mut found = Vec::with_capacity(count);
    let mut visit = |body: u32, found: &mut Vec<u32>| {
        if place[body as usize] == u32::MAX {
            place[body as usize] = found.len() as u32;
            found.push(body);
        }
    };
    queue.iter().for_each(|&body| visit(body, &mut found));
    let mut next = 0;
    for seed in 0..count as u32 {
        if found.len() == next {
            visit(seed, &mut found);
        }
        while next < found.len() {
            for &body in &neighbours[found[next] as usize] {
                visit(body, &mut found);
            }
            next += 1;
        }
    }
    place
}
