//! A program as the fast solvers read it: contacts in their own axes, one after the other in memory.

use glam::DVec3;

use super::problem::{Contact, Motion, Normal, Program, Tangential};

/// Where a contact is: its own axes, the normal first, then two tangents, and its arms.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Row {
    axes: [DVec3; 3],
    arm_a: DVec3,
    arm_b: DVec3,
    a: u32,
    b: u32,
}

/// How a contact answers.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// Velocity from outside the program, in its axes.
    drift: DVec3,
    /// Mobility along the normal, 1/kg ...
    pub nn: f64,
    /// ... from normal percussions to the tangents ...
    nt: [f64; 2],
    /// ... and along the tangents: its inverse and its largest eigenvalue.
    inverse_tt: [f64; 3],
    /// The largest mobility along the tangents, 1/kg.
    pub tt: f64,
    normal: Normal,
    across: Tangential,
}

/// A body in the solvers: its velocities and how percussions change them.
#[derive(Clone, Copy, Debug)]
struct Mover {
    motion: Motion,
    inverse_mass: f64,
    /// The symmetric inverse inertia: xx, yy, zz, xy, xz, yz.
    inverse_inertia: [f64; 6],
}

impl Mover {
    #[inline(always)]
    fn turn(&self, torque: DVec3) -> DVec3 {
        let [xx, yy, zz, xy, xz, yz] = self.inverse_inertia;
        DVec3::new(
            xx * torque.x + xy * torque.y + xz * torque.z,
            xy * torque.x + yy * torque.y + yz * torque.z,
            xz * torque.x + yz * torque.y + zz * torque.z,
        )
    }

    #[inline(always)]
    fn push(&mut self, arm: DVec3, percussion: DVec3) {
        self.motion.velocity += self.inverse_mass * percussion;
        self.motion.spin += self.turn(arm.cross(percussion));
    }

    #[inline(always)]
    fn velocity_at(&self, arm: DVec3) -> DVec3 {
        self.motion.velocity + self.motion.spin.cross(arm)
    }
}

/// The rows of a program and the velocities that go with the present percussions.
pub struct Rows {
    /// Where the contacts are.
    pub rows: Vec<Row>,
    /// How they answer.
    pub answers: Vec<Answer>,
    movers: Vec<Mover>,
    /// Changes of velocity that a change of percussions makes, by body.
    changes: Vec<Motion>,
}

/// Two unit vectors across a normal.
pub fn tangents(normal: DVec3) -> [DVec3; 2] {
    let first = normal.any_orthonormal_vector();
    [first, normal.cross(first)]
}

impl Rows {
    /// Prepares a program.
    pub fn new(program: &Program) -> Self {
        let mut movers: Vec<Mover> = Vec::with_capacity(program.bodies.len() + 1);
        movers.extend(program.bodies.iter().map(|body| {
            let i = body.inverse_inertia;
            Mover {
                motion: body.free,
                inverse_mass: body.inverse_mass,
                inverse_inertia: [i.x_axis.x, i.y_axis.y, i.z_axis.z, i.x_axis.y, i.x_axis.z, i.y_axis.z],
            }
        }));
        // What is outside is one more body that nothing moves.
        movers.push(Mover { motion: Motion::default(), inverse_mass: 0.0, inverse_inertia: [0.0; 6] });
        let (rows, answers) = program.contacts.iter().map(|contact| row(contact, &movers)).unzip();
        let changes = vec![Motion::default(); movers.len()];
        Self { rows, answers, movers, changes }
    }

    /// Velocity at a contact, in its axes.
    #[inline(always)]
    fn velocity(&self, row: &Row) -> DVec3 {
        let (a, b) = (&self.movers[row.a as usize], &self.movers[row.b as usize]);
        let v = b.velocity_at(row.arm_b) - a.velocity_at(row.arm_a);
        row.in_own(v)
    }

    /// Gives a percussion, in the contact's axes, to the bodies of a contact.
    #[inline(always)]
    pub fn give(&mut self, k: usize, percussion: DVec3) {
        let row = self.rows[k];
        let p = row.in_world(percussion);
        self.movers[row.a as usize].push(row.arm_a, -p);
        self.movers[row.b as usize].push(row.arm_b, p);
    }

    /// Velocity at contact `k`, in its axes.
    pub fn at(&self, k: usize) -> DVec3 {
        self.velocity(&self.rows[k]) + self.answers[k].drift
    }

    /// The changes of velocity at the contacts, in their axes, that a change of percussions would make.
    pub fn image(&mut self, change: &[DVec3], image: &mut [DVec3]) {
        self.changes.fill(Motion::default());
        for (row, &p) in self.rows.iter().zip(change) {
            let p = row.in_world(p);
            let (a, b) = (row.a as usize, row.b as usize);
            self.changes[a].velocity -= p;
            self.changes[a].spin -= row.arm_a.cross(p);
            self.changes[b].velocity += p;
            self.changes[b].spin += row.arm_b.cross(p);
        }
        for (change, mover) in self.changes.iter_mut().zip(&self.movers) {
            *change = Motion { velocity: mover.inverse_mass * change.velocity, spin: mover.turn(change.spin) };
        }
        for (row, image) in self.rows.iter().zip(image) {
            let (a, b) = (&self.changes[row.a as usize], &self.changes[row.b as usize]);
            let v = b.velocity + b.spin.cross(row.arm_b) - a.velocity - a.spin.cross(row.arm_a);
            *image = row.in_own(v);
        }
    }

    /// A bound of all mobilities together, 1/kg: no body feels more than all its contacts at once.
    pub fn bound(&self) -> f64 {
        let mut sums = vec![0.0; self.movers.len()];
        for row in &self.rows {
            for (body, arm) in [(row.a as usize, row.arm_a), (row.b as usize, row.arm_b)] {
                let mover = &self.movers[body];
                let [xx, yy, zz, ..] = mover.inverse_inertia;
                sums[body] += mover.inverse_mass + (xx + yy + zz) * arm.length_squared();
            }
        }
        let of = |row: &Row| sums[row.a as usize] + sums[row.b as usize];
        self.rows.iter().map(of).fold(f64::MIN_POSITIVE, f64::max)
    }

    /// Moves the percussion of contact `k` to where the program wants it, all others fixed; the change of velocity that the change
    /// of percussion makes there, m/s.
    #[inline]
    pub fn relax(&mut self, k: usize, percussion: &mut DVec3) -> f64 {
        let (row, answer) = (self.rows[k], &self.answers[k]);
        let v = self.velocity(&row) + answer.drift;
        let new = answer.wanted(v, *percussion);
        let change = new - *percussion;
        if change == DVec3::ZERO {
            return 0.0;
        }
        *percussion = new;
        let velocity = (answer.nn * change.x.abs()).max(answer.tt * change.y.abs().max(change.z.abs()));
        let p = row.in_world(change);
        self.movers[row.a as usize].push(row.arm_a, -p);
        self.movers[row.b as usize].push(row.arm_b, p);
        velocity
    }
}

fn row(contact: &Contact, movers: &[Mover]) -> (Row, Answer) {
    let outside = movers.len() - 1;
    let [t1, t2] = tangents(contact.normal);
    let axes = [contact.normal, t1, t2];
    let [a, b] = contact.bodies.map(|body| (body as usize).min(outside));
    let [arm_a, arm_b] = contact.arms;
    let mobility = |i: usize, j: usize| {
        let of = |body: &Mover, arm: DVec3| {
            let direct = if i == j { body.inverse_mass } else { 0.0 };
            direct + body.turn(arm.cross(axes[j])).dot(arm.cross(axes[i]))
        };
        of(&movers[a], arm_a) + of(&movers[b], arm_b)
    };
    let (w11, w12, w22) = (mobility(1, 1), mobility(1, 2), mobility(2, 2));
    let determinant = w11 * w22 - w12 * w12;
    let inverse_tt = [w22 / determinant, -w12 / determinant, w11 / determinant];
    let half = 0.5 * (w11 - w22);
    let tt = 0.5 * (w11 + w22) + (half * half + w12 * w12).sqrt();
    let row = Row { a: a as u32, b: b as u32, axes, arm_a, arm_b };
    let answer = Answer {
        drift: row.in_own(contact.drift),
        nn: mobility(0, 0),
        nt: [mobility(1, 0), mobility(2, 0)],
        inverse_tt,
        tt,
        normal: contact.along,
        across: contact.across,
    };
    (row, answer)
}

impl Row {
    /// A vector of the contact's axes in world axes.
    #[inline(always)]
    pub fn in_world(&self, v: DVec3) -> DVec3 {
        v.x * self.axes[0] + v.y * self.axes[1] + v.z * self.axes[2]
    }

    /// The reverse.
    #[inline(always)]
    pub fn in_own(&self, v: DVec3) -> DVec3 {
        DVec3::new(self.axes[0].dot(v), self.axes[1].dot(v), self.axes[2].dot(v))
    }
}

impl Answer {
    /// The nearest percussion in the contact's cone.
    #[inline]
    pub fn admissible(&self, p: DVec3) -> DVec3 {
        let normal = if self.normal.pulls { p.x } else { p.x.max(0.0) };
        let cap = self.across.cap(normal);
        let length = (p.y * p.y + p.z * p.z).sqrt();
        let scale = if length > cap { cap / length } else { 1.0 };
        DVec3::new(normal, scale * p.y, scale * p.z)
    }

    /// The percussion that a proximal gradient step gives: from percussion p with the velocity v that it makes, all mobilities
    /// taken `scale` times.
    #[inline(always)]
    pub fn proximal(&self, v: DVec3, p: DVec3, scale: f64) -> DVec3 {
        self.proximal_by(v, p, scale * self.nn, scale * self.tt)
    }

    /// The same with given mobilities along the normal and the tangents, 1/kg.
    #[inline(always)]
    pub fn proximal_by(&self, v: DVec3, p: DVec3, nn: f64, tt: f64) -> DVec3 {
        let normal = self.normal.percussion(v.x - nn * p.x, nn);
        let cap = match self.across {
            Tangential::Smooth => return DVec3::new(normal, 0.0, 0.0),
            Tangential::Viscous(stiffness) => {
                let share = 1.0 / (tt + 1.0 / stiffness);
                return DVec3::new(normal, share * (tt * p.y - v.y), share * (tt * p.z - v.z));
            }
            _ => self.across.cap(normal),
        };
        let (y, z) = (p.y - v.y / tt, p.z - v.z / tt);
        let square = y * y + z * z;
        let shorter = if square > cap * cap { cap / square.sqrt() } else { 1.0 };
        DVec3::new(normal, shorter * y, shorter * z)
    }

    /// The percussion that minimises the dual along the normal, and then along the tangents, given the present velocity v and
    /// percussion p. Where the cap of friction is met, a projected gradient step that descends.
    #[inline(always)]
    fn wanted(&self, v: DVec3, p: DVec3) -> DVec3 {
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
