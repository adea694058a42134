//! A program as the fast solvers read it: contacts in their own axes, one after the other in memory.

use glam::DVec3;

use super::answer::Answer;
use crate::percussion::problem::{Contact, Motion, Program, Tangential};

/// Where a contact is, and its bodies, that outside the program being one more: its own axes, the normal first, then two tangents, and its arms.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Row {
    /// The normal and two tangents.
    pub axes: [DVec3; 3],
    /// From the centres of a and b to the point, m.
    pub arm_a: DVec3,
    /// See `arm_a`.
    pub arm_b: DVec3,
    /// The bodies.
    pub a: u32,
    /// See `a`.
    pub b: u32,
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
    /// Velocities at the contacts without percussions, in their axes.
    pub free: Vec<DVec3>,
    /// Whether caps of friction that followed percussions now stay.
    caps_stay: bool,
    movers: Vec<Mover>,
    /// Velocities of the bodies without percussions.
    unmoved: Vec<Motion>,
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
        let unmoved = movers.iter().map(|mover| mover.motion).collect();
        let mut made = Self { rows, answers, free: Vec::new(), caps_stay: false, movers, unmoved, changes };
        made.free = (0..program.contacts.len()).map(|k| made.at(k)).collect();
        made
    }

    /// Velocity at a contact, in its axes.
    #[inline(always)]
    fn velocity(&self, row: &Row) -> DVec3 {
        let (a, b) = (&self.movers[row.a as usize], &self.movers[row.b as usize]);
        let v = b.velocity_at(row.arm_b) - a.velocity_at(row.arm_a);
        row.in_own(v)
    }

    /// Gives the bodies the velocities that go with percussions in the contacts' axes.
    pub fn set(&mut self, percussions: &[DVec3]) {
        self.collect(percussions);
        for ((mover, change), unmoved) in self.movers.iter_mut().zip(&self.changes).zip(&self.unmoved) {
            mover.motion.velocity = unmoved.velocity + mover.inverse_mass * change.velocity;
            mover.motion.spin = unmoved.spin + mover.turn(change.spin);
        }
    }

    /// Lets caps of friction that follow the percussions stay as these percussions have them.
    pub fn keep_caps(&mut self, percussions: &[DVec3]) {
        for (answer, p) in self.answers.iter_mut().zip(percussions) {
            if let Tangential::Coulomb { .. } = answer.across {
                answer.across = Tangential::Capped(answer.across.cap(p.x));
                self.caps_stay = true;
            }
        }
    }

    /// Some of the contacts, without the velocities of the bodies.
    pub fn only(&self, contacts: &[u32]) -> Self {
        let pick = |k: &u32| *k as usize;
        Self {
            rows: contacts.iter().map(|k| self.rows[pick(k)]).collect(),
            answers: contacts.iter().map(|k| self.answers[pick(k)]).collect(),
            free: contacts.iter().map(|k| self.free[pick(k)]).collect(),
            caps_stay: self.caps_stay,
            movers: Vec::new(),
            unmoved: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// The program with the caps that stay; nothing where there are none.
    pub fn kept_caps(&self, program: &Program) -> Option<Program> {
        self.caps_stay.then(|| {
            let mut convex = program.clone();
            for (contact, answer) in convex.contacts.iter_mut().zip(&self.answers) {
                contact.across = answer.across;
            }
            convex
        })
    }

    /// Sums of the percussions and of their moments on each body.
    fn collect(&mut self, percussions: &[DVec3]) {
        self.changes.fill(Motion::default());
        for (row, &p) in self.rows.iter().zip(percussions) {
            let p = row.in_world(p);
            let (a, b) = (row.a as usize, row.b as usize);
            self.changes[a].velocity -= p;
            self.changes[a].spin -= row.arm_a.cross(p);
            self.changes[b].velocity += p;
            self.changes[b].spin += row.arm_b.cross(p);
        }
    }

    /// Velocity at contact `k`, in its axes.
    #[inline]
    pub fn at(&self, k: usize) -> DVec3 {
        self.velocity(&self.rows[k]) + self.answers[k].drift
    }

    /// The changes of velocity at the contacts, in their axes, that a change of percussions would make.
    pub fn image(&mut self, change: &[DVec3], image: &mut [DVec3]) {
        self.collect(change);
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
