//! Distance of two separated bodies: Gilbert, Johnson and Keerthi's descent on `Z`.
//!
//! Each step takes the direction to the nearest point `v` of a simplex in `Z`. `|v|` bounds the distance from above
//! and `-h(n)` from below; they meet at the answer, so the difference is a certificate.

use glam::DVec3;

use super::Contact;
use super::difference::Difference;
use super::polish::{Polished, polish};
use super::simplex::Simplex;

/// Most steps. Smooth bodies end in 5 to 30; polytopes in as many steps as vertices they pass.
const MAX_STEPS: u32 = 200;

/// Distance below which the direction of `v` is lost to rounding and [`super::epa`] decides, units.
///
/// At this distance the direction of `v`, known to 1e-16 over it, is still right to 1e-7.
pub(super) const TOUCHING: f64 = 1e-9;

/// Difference of the two bounds at which the distance is found, units: a few roundings of a sum of size 1.
const BOUNDS_MEET: f64 = 1e-15;

/// What the descent found.
pub(super) enum Distance {
    /// The gap is larger than the margin.
    Beyond,
    /// The bodies are apart.
    Apart(Contact),
    /// They touch or overlap. The direction is the best found so far.
    Overlap(DVec3),
}

/// Runs the descent from direction `start`; `margin` in units.
pub(super) fn distance(difference: &Difference, start: DVec3, margin: f64, iterations: &mut u32) -> Distance {
    let mut n = start;
    let mut simplex = Simplex::point(difference.support(n));
    let mut best_n = n;
    let mut lower = f64::NEG_INFINITY;
    let mut polished = false;
    let mut upper = f64::INFINITY;
    for _ in 0..MAX_STEPS {
        *iterations += 1;
        let v = simplex.nearest();
        let length = v.z.length();
        if length <= TOUCHING {
            return Distance::Overlap(best_n);
        }
        let stalled = length >= upper;
        upper = length.min(upper);
        n = -v.z / length;
        let vertex = difference.support(n);
        let gap = -n.dot(vertex.z);
        if gap > lower {
            (lower, best_n) = (gap, n);
        }
        if lower > margin {
            return Distance::Beyond;
        }
        // The distance is convex once a separating plane is known: smooth bodies end here, in a few Newton steps.
        if lower > TOUCHING && !polished {
            polished = true;
            match polish(difference, best_n, -margin, iterations) {
                Polished::Below => return Distance::Beyond,
                Polished::Minimum(contact) => return Distance::Apart(contact),
                Polished::Rough => {}
            }
        }
        let met = length - gap <= BOUNDS_MEET * length.max(1.0);
        if met || stalled || simplex.contains(vertex.z) {
            return Distance::Apart(apart(difference, &simplex, iterations));
        }
        match simplex.with(vertex) {
            Some(next) => simplex = next,
            None => return Distance::Overlap(best_n),
        }
    }
    Distance::Apart(apart(difference, &simplex, iterations))
}

/// The answer of the last simplex; better, if the surfaces are smooth there, by Newton's method.
fn apart(difference: &Difference, simplex: &Simplex, iterations: &mut u32) -> Contact {
    let nearest = simplex.nearest();
    let n = -nearest.z.normalize();
    let found = Contact::of_mean(difference, n, nearest);
    match polish(difference, n, f64::NEG_INFINITY, iterations) {
        Polished::Minimum(contact) if contact.depth <= found.depth + BOUNDS_MEET => contact,
        _ => found,
    }
}
