//! Least penetration of two overlapping bodies: a polytope inside `Z` grows where it is nearest to the origin.
//!
//! The nearest face bounds the depth from below and every support value `h(n)` from above, over all directions at
//! once: the answer is the global minimum. Smooth surfaces would need endless growth, so a good direction is polished
//! with Newton's method and the growth then only proves that nothing is deeper elsewhere. Distances are signed: an
//! origin that lies outside by rounding does no harm.

use std::cell::RefCell;

use glam::DVec3;

use super::Contact;
use super::difference::{Difference, Vertex};
use super::polish::{Polished, polish};
use super::polytope::{Face, Polytope};
use super::ridge::ridge;
use super::simplex::foot;

/// Most growths. Polytopes and shallow smooth contacts take 5 to 40; a small grain near the centre of a large round
/// one has no direction that stands out and takes them all.
const MAX_GROWTHS: u32 = 200;

/// Difference of the two bounds at which a face is one of `Z`'s own, units: a few roundings.
const FACE_IS_FINAL: f64 = 4e-15;

/// Distance from a face's plane within which a vertex counts as in it, units: the rounding of a small face's normal
/// over the width of the whole.
const COPLANAR: f64 = 1e-13;

/// Difference of the two bounds at which a polished minimum counts as the deepest, units.
///
/// Another minimum can hide below it only if the two depths differ by less, and if no direction tried fell into it.
const PROVEN: f64 = 1e-10;

/// Depth by which a direction must beat a minimum to show that it is not the least one, units: where all directions
/// are nearly equal, as for concentric balls, rounding decides below that.
const LESS_DEEP: f64 = 1e-13;

/// Part of `h` the bounds may differ by when a direction is first polished: near enough to fall into its minimum.
const WORTH_POLISHING: f64 = 0.01;

/// Failed polishings after which the bodies count as angular and growth alone goes on.
const ROUGH_LIMIT: u32 = 6;

/// Directions polished when the growths have run out before the proof.
const LAST_SEEDS: usize = 8;

/// Least distance of two such directions, rad.
const SEED_SPACING: f64 = 0.05;

/// Distance from a minimum beyond which a face that lies below it belongs to another one, rad.
const TIE_SPACING: f64 = 0.01;

thread_local! {
    static SCRATCH: RefCell<Polytope> = RefCell::default();
}

/// The least penetration; `start` is the first direction looked at.
pub(super) fn depth(difference: &Difference, start: DVec3, iterations: &mut u32) -> Contact {
    SCRATCH.with_borrow_mut(|polytope| Search::new(difference, polytope, iterations).run(start))
}

struct Search<'a, 'b> {
    difference: &'a Difference<'b>,
    polytope: &'a mut Polytope,
    iterations: &'a mut u32,
    /// The best minimum that Newton's method found.
    found: Option<Contact>,
    /// The best direction that growth looked at, with its support value and its face.
    angular: Option<(f64, Face)>,
    rough: u32,
}

impl<'a, 'b> Search<'a, 'b> {
    fn new(difference: &'a Difference<'b>, polytope: &'a mut Polytope, iterations: &'a mut u32) -> Self {
        Self { difference, polytope, iterations, found: None, angular: None, rough: 0 }
    }

    fn run(mut self, start: DVec3) -> Contact {
        // A direction that may be far from the answer: worth a try on smooth bodies, which is cheap.
        if let Polished::Minimum(contact) = polish(self.difference, start, f64::NEG_INFINITY, self.iterations) {
            self.take(contact);
        }
        let first = tetrahedron(self.difference, self.found.map_or(start, |contact| contact.normal));
        if !self.polytope.reset(first) {
            // No body of the table is flat; a flat difference has its least depth across the plane.
            return self.found.unwrap_or_else(|| Contact::of_mean(self.difference, start, first[0]));
        }
        let mut proven = false;
        for _ in 0..MAX_GROWTHS {
            let Some((index, face)) = self.polytope.pop() else { break };
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
            return self.answer();
        }
        self.polish_last();
        let bound = self.polytope.pop().map_or(f64::NEG_INFINITY, |(_, face)| face.distance);
        let contact = self.answer();
        Contact { slack: (contact.depth - bound).max(0.0), ..contact }
    }

    /// The depth of the best minimum found.
    fn best(&self) -> f64 {
        self.found.map_or(f64::INFINITY, |contact| contact.depth)
    }

    /// The faces left below the best minimum either surround it or belong to another one of nearly its depth.
    fn settle_ties(&mut self, face: Face) {
        // Bodies that are symmetric about nearly one point have nearly the same depth on the other side.
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
            if h < self.best() || tried.iter().all(|n| n.distance(face.normal) > TIE_SPACING) {
                tried.push(face.normal);
                self.try_polish(face.normal);
            }
            next = self.polytope.pop().map(|(_, face)| face);
        }
    }

    /// Looks for the minimum near `n`, on smooth surfaces or else on angular ones.
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

    /// Without a proof, the directions that could still hide a deeper minimum are polished, the most promising first.
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

    /// The least depth. A direction of growth that is less deep than every minimum found is the answer even if its
    /// surface points do not meet: the status then says so.
    fn answer(mut self) -> Contact {
        let Some((h, face)) = self.angular else {
            return self.found.expect("without a face looked at, a minimum has been proven");
        };
        let mut contact = self.on_face(&face);
        // A face of a polytope is exact. On curved bodies it is a chord, whose points lie a little inside.
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

    /// The contact on a face: the foot of the perpendicular from the origin. Where several triangles share a plane it
    /// lies in one of them, not always in this one.
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

/// Weights brought back into the triangle.
fn clamped(weights: [f64; 3]) -> [f64; 3] {
    let positive = weights.map(|weight| weight.max(0.0));
    let sum: f64 = positive.iter().sum();
    positive.map(|weight| weight / sum)
}

/// Four support points that span a volume: along `n`, against it, and farthest from their line and plane.
fn tetrahedron(difference: &Difference, n: DVec3) -> [Vertex; 4] {
    let farther = |axis: DVec3, from: &dyn Fn(DVec3) -> f64| {
        let (ahead, behind) = (difference.support(axis), difference.support(-axis));
        if from(ahead.z) >= from(behind.z) { ahead } else { behind }
    };
    let (first, second) = (difference.support(n), difference.support(-n));
    let line = (second.z - first.z).normalize_or(-n);
    let (t, u) = crate::numeric::math::tangent_frame(line);
    let off_line = |z: DVec3| (z - first.z).cross(line).length_squared();
    let (along_t, along_u) = (farther(t, &off_line), farther(u, &off_line));
    let third = if off_line(along_t.z) >= off_line(along_u.z) { along_t } else { along_u };
    let normal = line.cross(third.z - first.z).normalize_or(u);
    let fourth = farther(normal, &|z: DVec3| (z - first.z).dot(normal).abs());
    [first, second, third, fourth]
}
