//! Distance of two separated bodies by the algorithm of Gilbert, Johnson and Keerthi
//! `\[Gilbert1988\]`.
//!
//! Each step takes the direction `n` from the nearest point `v` of a simplex in `Z` to the origin.
//! `|v|` is an upper bound of the distance and `-h(n)` a lower bound. The bounds meet at the
//! solution, so that their difference is a certificate.

use glam::DVec3;

use super::Contact;
use super::difference::Difference;
use super::epa;
use super::polish::{Polished, polish};
use super::ridge::ridge;
use super::simplex::Simplex;

/// Largest number of steps. Smooth bodies need 5 to 30; polytopes need one step per vertex on the
/// path.
const MAX_STEPS: u32 = 200;

/// Distance below which the direction of `v` is lost to rounding, in units: a thousand rounding
/// errors.
const TOUCHING: f64 = 1e-13;

/// Difference of the two bounds at which the search ends, in units: a few rounding errors of a sum
/// of order 1.
const BOUNDS_MEET: f64 = 2e-15;

/// Distance, in units, below which the direction of `v` may be improved. Its error is 1e-16 divided
/// by the distance.
const SHORT: f64 = 1e-5;

/// The result of the search.
pub(super) enum Distance {
    /// The gap exceeds the margin. The direction separates the bodies.
    Beyond(DVec3),
    /// The bodies are separated.
    Apart(Contact),
    /// The bodies touch or overlap. The direction is the best one found so far.
    Overlap(DVec3),
}

/// Searches from the direction `start`. `margin` is in units.
pub(super) fn distance(difference: &Difference, start: DVec3, margin: f64, iterations: &mut u32) -> Distance {
    let mut simplex = Simplex::point(difference.support(start));
    let (mut upper, mut upper_simplex) = (f64::INFINITY, simplex);
    let (mut lower, mut lower_n) = (f64::NEG_INFINITY, start);
    let mut polished = false;
    for _ in 0..MAX_STEPS {
        *iterations += 1;
        let v = simplex.nearest().z;
        let length = v.length();
        if length <= TOUCHING {
            return Distance::Overlap(lower_n);
        }
        // In exact arithmetic the distance decreases in every step. If it does not, rounding
        // dominates and the last simplex was the best.
        if length >= upper {
            break;
        }
        (upper, upper_simplex) = (length, simplex);
        let n = -v / length;
        let vertex = difference.support(n);
        let gap = -n.dot(vertex.z);
        if gap > lower {
            (lower, lower_n) = (gap, n);
        }
        if lower > margin {
            return Distance::Beyond(lower_n);
        }
        if upper - lower <= BOUNDS_MEET * upper.max(1.0) || simplex.contains(vertex.z) {
            break;
        }
        // The distance is convex where the bodies are separated, so that a few Newton steps finish
        // smooth bodies.
        if lower > TOUCHING && !polished {
            polished = true;
            match polish(difference, lower_n, -margin, iterations) {
                Polished::Below => return Distance::Beyond(lower_n),
                Polished::Minimum(contact) => return Distance::Apart(contact),
                Polished::Rough | Polished::Corner => {}
            }
        }
        match simplex.with(vertex) {
            Some(next) => simplex = next,
            // The origin is inside, or the tetrahedron is so flat that rounding decides. A positive
            // lower bound proves that the bodies are separated.
            None => break,
        }
    }
    if lower > TOUCHING {
        Distance::Apart(apart(difference, &upper_simplex, iterations))
    } else {
        Distance::Overlap(lower_n)
    }
}

/// Returns the contact of the last simplex, refined by Newton's method where the surfaces are
/// smooth.
fn apart(difference: &Difference, simplex: &Simplex, iterations: &mut u32) -> Contact {
    let nearest = simplex.nearest();
    let n = -nearest.z.normalize();
    let mut found = Contact::of_mean(difference, n, nearest);
    let mut smooth = false;
    if let Polished::Minimum(contact) = polish(difference, n, f64::NEG_INFINITY, iterations) {
        found = contact.or(found);
        smooth = true;
    }
    if !found.is_exact()
        && let Some(contact) = ridge(difference, n, iterations)
    {
        found = found.or(contact);
    }
    // The direction of a short `v` is inaccurate; the faces of the expanding polytope are large and
    // give a better one.
    if -found.depth < SHORT && !smooth || !found.is_exact() {
        found = epa::depth(difference, n, iterations).or(found);
    }
    found
}
