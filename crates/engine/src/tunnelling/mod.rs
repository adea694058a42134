//! Tunnelling: one body passes through another because the contact is too soft for the impact, or
//! because the time step is too long to see it.
//!
//! Two tests run in every step (docs/theory/motion.md derives the limits):
//!
//! - a contact has passed the middle of a body if its depth is more than half the width of the
//!   thinner body along the normal. From there the force pushes the bodies out on the wrong side.
//!   The contact response compares each overlap with one number; the exact test is rare;
//! - two bodies jump over each other if the path of a step leads through the other body, and the
//!   bodies end it apart or beyond the middle. Only a body that moves by more than half its
//!   thickness in a step can do that, so that a comparison with the greatest displacement of the
//!   step excludes it.
//!
//! A triangulated surface is not convex: the second test asks whether the centre of the body crosses
//! a triangle.
//!
//! A passage that neither test sees needs a displacement of more than the thicker body in a step,
//! which the second test excludes. Rotation within the step is neglected in the second test.

mod forecast;

use std::sync::Mutex;

use glam::DVec3;
use granum_geometry::{Aabb, Manifold, Measure, Pair, PairTable, Shape};

use crate::guard::thickness;
use crate::state::bodies::Bodies;
use crate::state::{BodyId, Contact, MotionKind, World};

/// Part of half the least thickness from which a contact is tested exactly. It covers generalised
/// overlaps, which are at least 0.6 times the depth, and shapes that are thinner along a direction
/// that is not a principal axis.
const SUSPECT: f64 = 0.5;

/// Largest number of passages that are described; the others are counted.
const MAX_DESCRIBED: usize = 8;

/// Gap at which bodies touch in the search for a jump, relative to the thickness of the fast body.
const TOUCHING: f64 = 1e-6;

/// Width of a body without thickness, relative to its bounding radius: rounding.
const NO_WIDTH: f64 = 1e-9;

/// Largest number of gaps along one path. A path that needs more grazes the other body.
const MAX_GAPS: usize = 100;

/// Steps per contact in the time step that is advised, as in the recommended time step.
const STEPS_PER_CONTACT: f64 = 50.0;

/// Kind of passage of a body through another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PassageKind {
    /// The contact has passed the middle of the thinner body.
    BeyondMiddle {
        /// Penetration depth, m.
        depth: f64,
    },
    /// The bodies have jumped over each other within one step.
    Jump {
        /// Relative displacement in the step, m.
        displacement: f64,
    },
}

/// A body that passes through another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passage {
    /// Steps done when it was found.
    pub step: u64,
    /// Time when it was found, s.
    pub time: f64,
    /// First body.
    pub a: BodyId,
    /// Second body.
    pub b: BodyId,
    /// Kind of passage.
    pub kind: PassageKind,
    /// Half the width of the thinner body along the contact normal, m: the largest depth from which
    /// a contact pushes the bodies apart.
    pub limit: f64,
    /// Relative speed, m/s.
    pub speed: f64,
    /// Reduced mass of the two bodies, kg.
    pub reduced_mass: f64,
}

impl Passage {
    /// Returns the longest time step, s, of a contact that stops the bodies within the limit: half
    /// a period of a spring of that depth has 50 steps.
    pub fn time_step(&self) -> f64 {
        std::f64::consts::PI * self.limit / (STEPS_PER_CONTACT * self.speed)
    }

    /// Returns the same passage with a limit of at most this fraction of the width of the thinner
    /// body: for advice that another guard accepts.
    pub fn within(&self, overlap_limit: f64) -> Self {
        Self { limit: self.limit.min(2.0 * overlap_limit * self.limit), ..*self }
    }

    /// Returns the stiffness of a linear spring, N/m, that stops the bodies within the limit.
    pub fn stiffness(&self) -> f64 {
        let ratio = self.speed / self.limit;
        self.reduced_mass * ratio * ratio
    }
}

/// Passages that were found since the last request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Passages {
    /// The first of them, a few at most, in the order of steps and ids.
    pub described: Vec<Passage>,
    /// Number of passages. A contact counts once for each step that it spends beyond the middle.
    pub count: usize,
}

/// A contact that may have passed the middle of a body.
#[derive(Clone, Copy)]
struct Suspect {
    contact: Contact,
    is_generalised: bool,
}

/// The detector of a simulation. It is scratch: nothing in it changes the motion.
#[derive(Default)]
pub(crate) struct Detector {
    /// Half the least thickness of each shape, m. Infinite for unbounded shapes.
    half_thickness: Vec<f64>,
    /// Least half thickness of all bodies, m.
    thinnest: f64,
    /// Least half thickness of all bodies that move, m.
    thinnest_moving: f64,
    /// Rebuilds of the neighbour list when these were computed.
    computed_at: Option<u64>,
    /// Triangulated surfaces, by storage index.
    surfaces: Vec<usize>,
    suspects: Mutex<Vec<Suspect>>,
    found: Passages,
}

impl Detector {
    /// Recomputes the limits if the neighbour list was rebuilt, as it is after every change of the
    /// bodies.
    pub fn update(&mut self, world: &World, rebuilds: u64) {
        if self.computed_at == Some(rebuilds) {
            return;
        }
        self.computed_at = Some(rebuilds);
        for shape in &world.shapes[self.half_thickness.len()..] {
            let is_bounded = shape.as_convex().bounding_radius().is_finite();
            self.half_thickness.push(if is_bounded { 0.5 * thickness(shape) } else { f64::INFINITY });
        }
        (self.thinnest, self.thinnest_moving) = (f64::INFINITY, f64::INFINITY);
        for kinetic in &world.bodies.kinetic {
            let half = self.half_thickness[kinetic.tag.shape.0 as usize];
            match kinetic.tag.motion {
                MotionKind::Removed => continue,
                MotionKind::Fixed => {}
                MotionKind::Dynamic | MotionKind::Driven | MotionKind::Guided => {
                    self.thinnest_moving = self.thinnest_moving.min(half)
                }
            }
            self.thinnest = self.thinnest.min(half);
        }
        let is_surface = |k: &usize| {
            let tag = &world.bodies.kinetic[*k].tag;
            !tag.is_removed() && matches!(world.shapes[tag.shape.0 as usize], Shape::Surface(_))
        };
        self.surfaces = (0..world.bodies.len()).filter(is_surface).collect();
    }

    /// Returns the overlap, m, from which the response must pass a contact to `suspect`.
    pub fn least_suspect(&self) -> f64 {
        SUSPECT * self.thinnest
    }

    /// Notes a contact that may have passed the middle of a body.
    #[cold]
    pub fn suspect(&self, bodies: &Bodies, contact: &Contact, is_generalised: bool) {
        let half = |k: u32| self.half_thickness[bodies.kinetic[k as usize].tag.shape.0 as usize];
        if contact.overlap > SUSPECT * half(contact.a).min(half(contact.b)) {
            let mut suspects = self.suspects.lock().expect("no thread panics while it holds the lock");
            suspects.push(Suspect { contact: *contact, is_generalised });
        }
    }

    /// Tests the suspects of a step exactly.
    pub fn find_deep_contacts(&mut self, world: &World) {
        let suspects = std::mem::take(self.suspects.get_mut().expect("no thread panics while it holds the lock"));
        let mut passages: Vec<Passage> = suspects.iter().filter_map(|suspect| beyond_middle(world, suspect)).collect();
        self.add(&mut passages);
    }

    /// Finds the bodies that have jumped over each other in this step, at the new poses and before
    /// the forces there are known. `moved` is the greatest displacement of a body, m.
    pub fn find_jumps(&mut self, world: &World, table: &PairTable, moved: f64) {
        if moved + displacement_of_surfaces(world, &self.surfaces) < self.thinnest_moving {
            return;
        }
        let paths = Paths::new(world, &self.half_thickness, &self.surfaces);
        let mut passages: Vec<Passage> = (0..paths.fast.len()).flat_map(|k| paths.jumps_of(k, world, table)).collect();
        self.add(&mut passages);
    }

    fn add(&mut self, passages: &mut Vec<Passage>) {
        // Sorted, so that the list does not depend on the number of threads.
        passages.sort_by_key(|passage| (passage.a, passage.b));
        self.found.count += passages.len();
        let room = MAX_DESCRIBED.saturating_sub(self.found.described.len());
        self.found.described.extend(passages.drain(..).take(room));
    }

    /// Returns whether a passage was found since the last request.
    pub fn has_found(&self) -> bool {
        self.found.count > 0
    }

    /// Returns the passages that were found, and removes them.
    pub fn take(&mut self) -> Passages {
        std::mem::take(&mut self.found)
    }
}

/// Returns half the smaller width of two bodies along a direction, m. Unbounded bodies have none.
fn half_width(pair: &Pair, direction: DVec3) -> f64 {
    let width = |shape: &Shape, own: DVec3| {
        let shape = shape.as_convex();
        let radius = shape.bounding_radius();
        if !radius.is_finite() {
            return f64::INFINITY;
        }
        let width = shape.support_value(own) + shape.support_value(-own);
        // A wall without thickness has no middle.
        if width > NO_WIDTH * radius { width } else { f64::INFINITY }
    };
    let of_a = width(pair.a, pair.orientation_a.inverse() * direction);
    0.5 * of_a.min(width(pair.b, pair.orientation_b.inverse() * direction))
}

fn beyond_middle(world: &World, suspect: &Suspect) -> Option<Passage> {
    let contact = &suspect.contact;
    let depth = -world.gap_of(contact, suspect.is_generalised);
    let [a, b] = [contact.a, contact.b].map(|k| k as usize);
    let pair = world.pair_of(a, b);
    let limit = half_width(&pair, contact.normal);
    let velocity = world.bodies.kinetic[b].twist.velocity - world.bodies.kinetic[a].twist.velocity;
    let kind = PassageKind::BeyondMiddle { depth };
    // A grain whose centre is behind a surface has no contact with it any more. The passage must
    // therefore be found in the step before.
    let approach = match pair.a {
        Shape::Surface(_) => (-velocity.dot(contact.normal) * world.time_step()).max(0.0),
        _ => 0.0,
    };
    (depth + approach > limit).then(|| passage(world, [a, b], kind, limit, velocity.length()))
}

fn passage(world: &World, [a, b]: [usize; 2], kind: PassageKind, limit: f64, speed: f64) -> Passage {
    let bodies = &world.bodies;
    let mut ids = [a, b].map(|k| BodyId(bodies.id[k]));
    ids.sort();
    Passage {
        step: world.steps(),
        time: world.time(),
        a: ids[0],
        b: ids[1],
        kind,
        limit,
        speed,
        reduced_mass: 1.0 / (bodies.kinetic[a].inverse_mass + bodies.kinetic[b].inverse_mass),
    }
}

/// The displacements of a step in which bodies move by more than half their thickness.
struct Paths<'a> {
    /// Bodies that move by more than half their thickness, with their displacements, m, in storage
    /// order.
    fast: Vec<(usize, DVec3)>,
    /// True for each body in `fast`, by storage index.
    is_fast: Vec<bool>,
    /// Bounds of all other bounded bodies.
    others: Aabb,
    /// Triangulated surfaces.
    surfaces: &'a [usize],
    dt: f64,
}

impl<'a> Paths<'a> {
    fn new(world: &World, half_thickness: &[f64], surfaces: &'a [usize]) -> Self {
        let bodies = &world.bodies;
        let (mut fast, mut is_fast) = (Vec::new(), vec![false; bodies.len()]);
        let mut others = Aabb::EMPTY;
        let of_surfaces = displacement_of_surfaces(world, surfaces);
        for k in 0..bodies.len() {
            let sphere = &bodies.sphere[k];
            if !sphere.radius.is_finite() {
                continue;
            }
            let displacement = displacement(world, k);
            if displacement.length() + of_surfaces >= half_thickness[bodies.kinetic[k].tag.shape.0 as usize] {
                fast.push((k, displacement));
                is_fast[k] = true;
            } else {
                others = others.including(sphere.centre, sphere.radius);
            }
        }
        Self { fast, is_fast, others, surfaces, dt: world.time_step() }
    }

    /// Returns the jumps of a fast body over slow bodies and over the fast bodies after it.
    fn jumps_of(&self, number: usize, world: &World, table: &PairTable) -> Vec<Passage> {
        let (k, path) = self.fast[number];
        let sphere = &world.bodies.sphere[k];
        let (low, high) = (sphere.centre.min(sphere.centre - path), sphere.centre.max(sphere.centre - path));
        let is_near =
            (low - sphere.radius).cmple(self.others.max).all() && (high + sphere.radius).cmpge(self.others.min).all();
        let slow = (0..if is_near { self.is_fast.len() } else { 0 }).filter(|&j| !self.is_fast[j]);
        let slow = slow.map(|j| (j, displacement(world, j)));
        let fast = self.fast[number + 1..].iter().copied();
        let over_bodies = slow.chain(fast).filter_map(|(j, other)| self.jump(world, table, [k, j], other - path));
        let through_surfaces = self.surfaces.iter().filter_map(|&wall| self.crossing(world, [k, wall], path));
        over_bodies.chain(through_surfaces).collect()
    }

    /// Returns the passage of the centre of body `k` through a surface, if there is one. `path` is
    /// the displacement of the body in the step, m.
    fn crossing(&self, world: &World, [k, wall]: [usize; 2], path: DVec3) -> Option<Passage> {
        let bodies = &world.bodies;
        let Shape::Surface(surface) = &world.shapes[bodies.kinetic[wall].tag.shape.0 as usize] else { return None };
        let end = bodies.sphere[k].centre - bodies.sphere[wall].centre;
        let twist = &bodies.kinetic[wall].twist;
        let of_wall = self.dt * (twist.velocity + twist.spin.cross(end));
        let relative = path - of_wall;
        let to_surface = bodies.orientation[wall].inverse();
        let normal = surface.crossing(to_surface * (end - relative), to_surface * end)?;
        let normal = bodies.orientation[wall] * normal;
        let pair = world.pair_of(wall, k);
        let displacement = relative.length();
        let kind = PassageKind::Jump { displacement };
        Some(passage(world, [wall, k], kind, half_width(&pair, normal), displacement / self.dt))
    }

    /// Returns the jump of two bodies over each other, if there is one. `path` is the displacement
    /// of b relative to a in the step, m.
    fn jump(&self, world: &World, table: &PairTable, [a, b]: [usize; 2], path: DVec3) -> Option<Passage> {
        let spheres = [a, b].map(|k| &world.bodies.sphere[k]);
        let end = spheres[1].centre - spheres[0].centre;
        let length = path.length();
        // The point of the path nearest to the centre of a.
        let back = (end.dot(path) / (length * length)).clamp(0.0, 1.0);
        let reach = spheres[0].radius + spheres[1].radius;
        if !reach.is_finite() || (end - back * path).length_squared() > reach * reach {
            return None;
        }
        let pair = world.pair_of(a, b);
        let routine = table.routine(Measure::Depth, pair.a.kind(), pair.b.kind());
        let mut manifold = Manifold::default();
        let mut nearest = |part: f64| {
            manifold.clear();
            routine.evaluate(&Pair { offset: end - (1.0 - part) * path, ..pair }, &mut manifold);
            manifold.deepest().map(|point| (point.gap, point.normal))
        };
        let touching = TOUCHING * spheres[0].radius.min(spheres[1].radius);
        let (mut part, mut gaps) = (0.0, 0);
        let normal = loop {
            let (gap, normal) = nearest(part)?;
            if gap <= touching {
                break normal;
            }
            part += gap / length;
            gaps += 1;
            if part > 1.0 || gaps > MAX_GAPS {
                return None;
            }
        };
        let (gap, last_normal) = nearest(1.0)?;
        let passed = path.dot(normal) < 0.0 && (gap >= 0.0 || last_normal.dot(normal) < 0.0);
        let kind = PassageKind::Jump { displacement: length };
        passed.then(|| passage(world, [a, b], kind, half_width(&pair, normal), length / self.dt))
    }
}

/// Returns an upper bound of the displacement in a step of those points of triangulated surfaces
/// that are as far from the axis as a grain, m.
fn displacement_of_surfaces(world: &World, surfaces: &[usize]) -> f64 {
    let bodies = &world.bodies;
    let of = |&k: &usize| {
        let (twist, centre) = (&bodies.kinetic[k].twist, bodies.sphere[k].centre);
        let grains = || bodies.sphere.iter().filter(|sphere| sphere.radius.is_finite());
        let farthest = || grains().map(|sphere| sphere.centre.distance(centre)).fold(0.0, f64::max);
        let turning = if twist.spin == DVec3::ZERO { 0.0 } else { twist.spin.length() * farthest() };
        world.time_step() * (twist.velocity.length() + turning)
    };
    surfaces.iter().map(of).fold(0.0, f64::max)
}

/// Returns the displacement of a body in the step before the present poses, m, from its predicted
/// velocity.
fn displacement(world: &World, k: usize) -> DVec3 {
    let (dt, kinetic) = (world.time_step(), &world.bodies.kinetic[k]);
    match kinetic.tag.motion {
        MotionKind::Dynamic => {
            let acceleration = world.bodies.wrench[k].force * kinetic.inverse_mass + world.gravity;
            dt * (kinetic.twist.velocity - 0.5 * dt * acceleration)
        }
        MotionKind::Driven | MotionKind::Guided => dt * kinetic.twist.velocity,
        MotionKind::Fixed | MotionKind::Removed => DVec3::ZERO,
    }
}
