//! Distance of two separated bodies: Gilbert, Johnson and Keerthi's descent on `Z`.
//!
//! Each step takes the direction to the nearest point `v` of a simplex in `Z`. `|v|` bounds the distance from above
//! and `-h(n)` from below; they meet at the answer, so the difference is a certificate.

use glam::DVec3;

use super::Contact;
use super::difference::Difference;
use super::epa;
use super::polish::{Polished, polish};
use super::ridge::ridge;
use super::simplex::Simplex;

/// Most steps. Smooth bodies end in 5 to 30; polytopes in as many steps as vertices they pass.
const MAX_STEPS: u32 = 200;

/// Distance below which nothing is left of the direction of `v`, units: a thousand roundings.
const TOUCHING: f64 = 1e-13;

/// Difference of the two bounds at which the distance is found, units: a few roundings of a sum of size 1.
const BOUNDS_MEET: f64 = 2e-15;

/// Distance below which the direction of `v`, known to 1e-16 over it, may be improved upon, units.
const SHORT: f64 = 1e-5;

/// What the descent found.
pub(super) enum Distance {
    /// The gap is larger than the margin; the direction proves that there is one.
    Beyond(DVec3),
    /// The bodies are apart.
    Apart(Contact),
    /// They touch or overlap. The direction is the best found so far.
    Overlap(DVec3),
}

/// Runs the descent from direction `start`; `margin` in units.
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
        // In exact arithmetic the point always comes nearer: where it does not, the last simplex was the best.
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
        // The distance is convex once a separating plane is known: smooth bodies end here, in a few Newton steps.
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
            None => return Distance::Overlap(lower_n),
        }
    }
    if lower > TOUCHING {
        Distance::Apart(apart(difference, &upper_simplex, iterations))
    } else {
        Distance::Overlap(lower_n)
    }
}

/// The answer of the last simplex; better, if the surfaces are smooth there, by Newton's method.
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
    // The direction of a short `v` is uncertain; the polytope's faces, which are large, know it better.
    if -found.depth < SHORT && !smooth || !found.is_exact() {
        found = epa::depth(difference, n, iterations).or(found);
    }
    found
}
