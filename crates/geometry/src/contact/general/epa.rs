//! Least penetration of two overlapping bodies by the expanding polytope algorithm
//! `\[Bergen2001\]`.
//!
//! A polytope inside `Z` is expanded at the face nearest to the origin. The distance of this face
//! is a lower bound of the depth, and every support value `h(n)` is an upper bound. Both hold over
//! all directions, so that the result is the global minimum. Smooth surfaces would need very many
//! faces. A good direction is therefore refined by Newton's method, and the expansion only proves
//! that no other direction is less deep. Distances are signed, so that an origin outside the
//! polytope by a rounding error does no harm.

use std::cell::RefCell;

use glam::DVec3;

use super::Contact;
use super::difference::{Difference, Vertex};
use super::polish::{Polished, polish};
use super::polytope::{Face, Polytope};
use super::ridge::ridge;
use super::simplex::foot;

/// Largest number of expansions. Polytopes and shallow smooth contacts need 5 to 40. A small grain
/// near the centre of a large round one has no preferred direction and uses all of them.
const MAX_EXPANSIONS: u32 = 200;

/// Difference of the two bounds, in units, at which a face of the polytope is a face of `Z`: a few
/// rounding errors.
const FACE_IS_FINAL: f64 = 4e-15;

/// Distance from the plane of a face, in units, up to which a vertex lies in the plane. It is the
/// rounding error of the normal of a small face times the width of the polytope.
const COPLANAR: f64 = 1e-13;

/// Difference of the two bounds, in units, at which a refined minimum counts as the global one.
///
/// Another minimum is missed only if the two depths differ by less and no direction converged to
/// it.
const PROVEN: f64 = 1e-10;

/// Difference, in units, by which a direction must be less deep than a minimum to refute it.
/// Rounding decides below it where all directions are nearly equal, as for concentric balls.
const LESS_DEEP: f64 = 1e-13;

/// Difference of the bounds, relative to `h`, at which a direction is first refined. It is then
/// close enough to converge to its minimum.
const WORTH_POLISHING: f64 = 0.01;

/// Number of failed refinements after which the bodies count as polytopes and only expansion
/// continues.
const ROUGH_LIMIT: u32 = 6;

/// Number of directions that are refined if the expansions are used up before the proof.
const LAST_SEEDS: usize = 8;

/// Least angle between two such directions, rad.
const SEED_SPACING: f64 = 0.05;

/// Angle from a minimum, rad, beyond which a face below it belongs to another minimum.
const TIE_SPACING: f64 = 0.01;

thread_local! {
    static SCRATCH: RefCell<Polytope> = RefCell::default();
}

/// Returns the least penetration. `start` is the first direction that is tried.
pub(super) fn depth(difference: &Difference, start: DVec3, iterations: &mut u32) -> Contact {
    SCRATCH.with_borrow_mut(|polytope| Search::new(difference, polytope, iterations).run(start))
}

struct Search<'a, 'b> {
    difference: &'a Difference<'b>,
    polytope: &'a mut Polytope,
    iterations: &'a mut u32,
    /// The best minimum found by Newton's method.
    found: Option<Contact>,
    /// The best direction found by expansion, with its support value and its face.
    angular: Option<(f64, Face)>,
    rough: u32,
}

impl<'a, 'b> Search<'a, 'b> {
    fn new(difference: &'a Difference<'b>, polytope: &'a mut Polytope, iterations: &'a mut u32) -> Self {
        Self { difference, polytope, iterations, found: None, angular: None, rough: 0 }
    }

    fn run(mut self, start: DVec3) -> Contact {
        // The first direction may be far from the solution, but trying it on smooth bodies is
        // cheap.
        if let Polished::Minimum(contact) = polish(self.difference, start, f64::NEG_INFINITY, self.iterations) {
            self.take(contact);
        }
        let first = tetrahedron(self.difference, self.found.map_or(start, |contact| contact.normal));
        if !self.polytope.reset(first) {
            // No shape of the table is flat. A flat difference has its least depth normal to its
            // plane.
            return self.found.unwrap_or_else(|| Contact::of_mean(self.difference, start, first[0]));
        }
        let mut proven = false;
        for _ in 0..MAX_EXPANSIONS {
            let Some((index, face)) = self.polytope.pop() else { break };
            // The nearest face bounds the depth in all directions from below, so that nothing can
            // be less deep than the minimum found.
            if face.distance >= self.best() - PROVEN {
                proven = true;
                self.settle_ties(face);
                break;
            }
            *self.iterations += 1;
            let vertex = self.difference.support(face.normal);
            let h = face.normal.dot(vertex.z);
            if self.angular.is_none_or(|(best, _)| h < best) {
                self.angular = Some((h, face));
            }
            // The difference has no point beyond this face, so that the face is part of its
            // surface.
            if h - face.distance <= FACE_IS_FINAL {
                self.angular = Some((h, face));
                proven = true;
                break;
            }
            let near = h - face.distance <= WORTH_POLISHING * h.abs();
            if h < self.best() && near && self.rough < ROUGH_LIMIT {
                self.try_polish(face.normal);
            }
            self.polytope.grow(index, vertex);
        }
        if proven {
            return self.into_contact();
        }
        // The expansions are used up. The remaining bound is reported as the slack of the result.
        self.polish_last();
        let bound = self.polytope.pop().map_or(f64::NEG_INFINITY, |(_, face)| face.distance);
        let contact = self.into_contact();
        Contact { slack: (contact.depth - bound).max(0.0), ..contact }
    }

    /// Returns the depth of the best minimum found so far.
    fn best(&self) -> f64 {
        self.found.map_or(f64::INFINITY, |contact| contact.depth)
    }

    /// Resolves faces that remain below the best minimum. They either surround it or belong to
    /// another minimum of nearly the same depth.
    fn settle_ties(&mut self, face: Face) {
        // Symmetric bodies with nearly the same centre have nearly the same depth on the opposite
        // side.
        if let Some(Contact { normal, depth, .. }) = self.found {
            let opposite = -normal.dot(self.difference.support(-normal).z);
            if opposite <= depth + PROVEN {
                self.try_polish(-normal);
            }
        }
        let mut tried: Vec<DVec3> = self.found.iter().map(|contact| contact.normal).collect();
        let mut next = Some(face);
        while let Some(face) = next {
            if face.distance >= self.best() - super::SAME_DEPTH || tried.len() > LAST_SEEDS {
                break;
            }
            let h = face.normal.dot(self.difference.support(face.normal).z);
            if self.angular.is_none_or(|(best, _)| h < best) {
                self.angular = Some((h, face));
            }
            // A face near a direction already tried belongs to the same minimum and would converge
            // to it again.
            if h < self.best() || tried.iter().all(|n| n.distance(face.normal) > TIE_SPACING) {
                tried.push(face.normal);
                self.try_polish(face.normal);
            }
            next = self.polytope.pop().map(|(_, face)| face);
        }
    }

    /// Refines the direction `n`, on smooth surfaces by `polish`, else by `ridge`.
    fn try_polish(&mut self, n: DVec3) {
        let contact = match polish(self.difference, n, f64::NEG_INFINITY, self.iterations) {
            Polished::Minimum(contact) => Some(contact),
            Polished::Corner => None,
            _ => ridge(self.difference, n, self.iterations),
        };
        match contact {
            Some(contact) => self.take(contact),
            None => self.rough += 1,
        }
    }

    fn take(&mut self, contact: Contact) {
        self.found = Some(self.found.map_or(contact, |found| found.or(contact)));
    }

    /// Refines, without a proof, the directions that could still have a smaller depth, the best
    /// ones first.
    fn polish_last(&mut self) {
        let mut seeds: Vec<(f64, DVec3)> = self
            .polytope
            .faces()
            .map(|face| (face.normal.dot(self.difference.support(face.normal).z), face.normal))
            .collect();
        seeds.sort_by(|p, q| p.0.total_cmp(&q.0));
        let mut apart: Vec<DVec3> = Vec::new();
        for (_, n) in seeds {
            if apart.len() == LAST_SEEDS {
                break;
            }
            if apart.iter().all(|m| m.distance(n) > SEED_SPACING) {
                apart.push(n);
            }
        }
        for n in apart {
            self.try_polish(n);
        }
    }

    /// Returns the contact of least depth. If a direction of the expansion is less deep than every
    /// refined minimum, it is the result even if its surface points do not share the normal; the
    /// status reports that.
    fn into_contact(mut self) -> Contact {
        let Some((h, face)) = self.angular else {
            return self.found.expect("without a face looked at, a minimum has been proven");
        };
        let mut contact = self.on_face(&face);
        // A face of a polytope is exact. On curved bodies it is a chord, whose points lie slightly
        // inside.
        let curved = !matches!(polish(self.difference, face.normal, f64::INFINITY, self.iterations), Polished::Corner);
        let known = self.found.is_some_and(|found| found.depth <= h + LESS_DEEP);
        if (curved && !known || !contact.is_exact())
            && let Some(better) = ridge(self.difference, face.normal, self.iterations)
        {
            self.take(better);
        }
        if let Some(found) = self.found.filter(|found| found.depth <= h + LESS_DEEP) {
            contact = if curved { found.or(contact) } else { contact.or(found) };
        }
        contact
    }

    /// Returns the contact on a face, at the projection of the origin. If several triangles share a
    /// plane, the projection may lie in a neighbour of this one.
    fn on_face(&self, face: &Face) -> Contact {
        let inside = |face: &Face| {
            let corners = self.polytope.corners(face);
            foot(corners.map(|vertex| vertex.z)).map(|weights| {
                let least = weights.into_iter().fold(f64::INFINITY, f64::min);
                (least, Vertex::mix(corners, clamped(weights)))
            })
        };
        let coplanar = |other: &&Face| {
            let corners = self.polytope.corners(other);
            corners.iter().all(|v| (face.normal.dot(v.z) - face.distance).abs() <= COPLANAR)
        };
        // The projection of the origin has positive weights in the triangle that contains it. If
        // rounding excludes it from all coplanar triangles, the one with the least violation is
        // used.
        let mut best = inside(face);
        if best.is_none_or(|(least, _)| least < 0.0) {
            for other in self.polytope.faces().filter(coplanar) {
                let candidate = inside(other);
                if candidate.is_some_and(|(least, _)| best.is_none_or(|(most, _)| least > most)) {
                    best = candidate;
                }
            }
        }
        let mean = best.map_or_else(|| self.polytope.corners(face)[0], |(_, mean)| mean);
        Contact::of_mean(self.difference, face.normal, mean)
    }
}

/// Clamps barycentric weights to the triangle.
fn clamped(weights: [f64; 3]) -> [f64; 3] {
    let positive = weights.map(|weight| weight.max(0.0));
    let sum: f64 = positive.iter().sum();
    positive.map(|weight| weight / sum)
}

/// Returns four support points that span a volume: along `n`, opposite to it, and farthest from
/// their line and their plane.
fn tetrahedron(difference: &Difference, n: DVec3) -> [Vertex; 4] {
    let farther = |axis: DVec3, from: &dyn Fn(DVec3) -> f64| {
        let (ahead, behind) = (difference.support(axis), difference.support(-axis));
        if from(ahead.z) >= from(behind.z) { ahead } else { behind }
    };
    let (first, second) = (difference.support(n), difference.support(-n));
    let line = (second.z - first.z).normalize_or(-n);
    let (t, u) = crate::numeric::math::tangent_frame(line);
    let off_line = |z: DVec3| (z - first.z).cross(line).length_squared();
    // A single perpendicular axis could meet the line again, as for a thin plate. Two axes and both
    // signs are tried, and the point farthest from the line is kept.
    let (along_t, along_u) = (farther(t, &off_line), farther(u, &off_line));
    let third = if off_line(along_t.z) >= off_line(along_u.z) { along_t } else { along_u };
    let normal = line.cross(third.z - first.z).normalize_or(u);
    let fourth = farther(normal, &|z: DVec3| (z - first.z).dot(normal).abs());
    [first, second, third, fourth]
}
