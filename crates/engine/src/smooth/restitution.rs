//! Conversion between restitution and damping constant, for each end rule.
//!
//! A dashpot that acts until the overlap is zero gives another restitution than one that stops as
//! soon as the contact force would be tensile. The formulas are in docs/theory/laws.md.

use std::f64::consts::PI;

use super::{EndRule, LawError};

/// Smallest restitution under the rule [`EndRule::NoTension`]. Below it the dashpot is so strong
/// (zeta > 2.2) that it, and not the spring, would determine the time step.
pub const LEAST_WITHOUT_TENSION: f64 = 0.04;

/// Distance of zeta from 1 below which `sqrt(1 - zeta²)` counts as zero: the closed forms for
/// zeta < 1 and > 1 are 0/0 there.
const CRITICAL: f64 = 1e-9;
/// Steps in one contact of the numerical solution of the Hertz contact. They leave an error of 1e-6
/// in the restitution.
const STEPS: f64 = 4000.0;
/// Duration of an undamped Hertz contact that starts with unit velocity, in its own unit of time:
/// 3.22, rounded up.
const HERTZ_TIME: f64 = 3.3;
/// Bisections of an interval. They leave 1e-12 of it.
const BISECTIONS: u32 = 40;
/// Upper end of the searched interval of zeta and of alpha: beyond those of restitution 0.04.
const MAX_ZETA: f64 = 4.0;
const MAX_ALPHA: f64 = 12.0;

fn check(e: f64, end: EndRule) -> Result<(), LawError> {
    if !(0.0..=1.0).contains(&e) {
        return Err(LawError(format!("restitution must lie between 0 and 1, not {e}")));
    }
    if end == EndRule::NoTension && e < LEAST_WITHOUT_TENSION {
        return Err(LawError(format!(
            "restitution {e} is not possible if contacts end without tension: use at least \
             {LEAST_WITHOUT_TENSION}, or let contacts end at zero overlap"
        )));
    }
    Ok(())
}

/// Returns the damping ratio zeta of a linear contact with restitution `e`.
pub fn linear_ratio(e: f64, end: EndRule) -> Result<f64, LawError> {
    check(e, end)?;
    match end {
        EndRule::ZeroOverlap if e == 0.0 => Ok(1.0),
        EndRule::ZeroOverlap => {
            // A damped half oscillation reduces the speed by exp(-pi zeta/sqrt(1 - zeta²)).
            let log = libm::log(e);
            Ok(-log / (PI * PI + log * log).sqrt())
        }
        EndRule::NoTension if e == 1.0 => Ok(0.0),
        EndRule::NoTension => Ok(bisect(0.0, MAX_ZETA, |zeta| linear_restitution(zeta, end) - e)),
    }
}

/// Returns the restitution of a linear contact with damping ratio `zeta`.
pub fn linear_restitution(zeta: f64, end: EndRule) -> f64 {
    match end {
        EndRule::ZeroOverlap if zeta >= 1.0 => 0.0,
        _ => libm::exp(-zeta * linear_contact_time(zeta, end)),
    }
}

/// Returns the duration of a linear contact in units of `sqrt(m/k)`; infinite if it never ends.
pub fn linear_contact_time(zeta: f64, end: EndRule) -> f64 {
    let damped = (1.0 - zeta * zeta).abs().sqrt();
    match end {
        // An overdamped spring creeps back to zero overlap.
        EndRule::ZeroOverlap if zeta >= 1.0 => f64::INFINITY,
        EndRule::ZeroOverlap => PI / damped,
        // The force k d + c d' vanishes before the overlap does [Schwager2007].
        EndRule::NoTension if damped < CRITICAL => 2.0,
        EndRule::NoTension if zeta < 1.0 => {
            let angle = libm::atan2(2.0 * zeta * damped, 1.0 - 2.0 * zeta * zeta);
            (PI - angle) / damped
        }
        EndRule::NoTension => libm::log((zeta + damped) / (zeta - damped)) / damped,
    }
}

/// Returns the damping constant alpha of a Hertz contact with restitution `e`; in closed form under
/// [`EndRule::ZeroOverlap`] \[Antypov2011\].
pub fn hertz_alpha(e: f64, end: EndRule) -> Result<f64, LawError> {
    check(e, end)?;
    match end {
        EndRule::ZeroOverlap if e == 0.0 => Ok(5f64.sqrt()),
        EndRule::ZeroOverlap => {
            let log = libm::log(e);
            Ok(-(5f64.sqrt()) * log / (log * log + PI * PI).sqrt())
        }
        EndRule::NoTension if e == 1.0 => Ok(0.0),
        EndRule::NoTension => Ok(bisect(0.0, MAX_ALPHA, |alpha| hertz_restitution_without_tension(alpha) - e)),
    }
}

/// Returns the restitution of `x'' = -x^(3/2) - alpha x^(1/4) x'` from x = 0, x' = 1 until the
/// force vanishes. The equation has no other parameter: mass, stiffness and speed are scaled out.
pub fn hertz_restitution_without_tension(alpha: f64) -> f64 {
    // Fourth-order Runge-Kutta.
    const STEP: f64 = HERTZ_TIME / STEPS;
    let acceleration = |x: f64, v: f64| {
        // A trial point of the scheme may lie beyond the end of the contact.
        let x = x.max(0.0);
        -x * x.sqrt() - alpha * x.sqrt().sqrt() * v
    };
    let (mut x, mut v) = (0.0, 1.0);
    loop {
        let (k1x, k1v) = (v, acceleration(x, v));
        let (k2x, k2v) = (v + 0.5 * STEP * k1v, acceleration(x + 0.5 * STEP * k1x, v + 0.5 * STEP * k1v));
        let (k3x, k3v) = (v + 0.5 * STEP * k2v, acceleration(x + 0.5 * STEP * k2x, v + 0.5 * STEP * k2v));
        let (k4x, k4v) = (v + STEP * k3v, acceleration(x + STEP * k3x, v + STEP * k3v));
        x += STEP / 6.0 * (k1x + 2.0 * k2x + 2.0 * k3x + k4x);
        v += STEP / 6.0 * (k1v + 2.0 * k2v + 2.0 * k3v + k4v);
        // The force is tensile from here on: the body separates with its present speed.
        if v < 0.0 && acceleration(x, v) >= 0.0 {
            return -v;
        }
    }
}

/// Returns the root of a decreasing function by bisection.
fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        if f(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_restitution_matches_the_closed_forms() {
        // Validation case P1: zeta, restitution with tension and without.
        for (zeta, tension, without) in [
            (0.05, 0.854468, 0.858758),
            (0.1, 0.729248, 0.744079),
            (0.3, 0.372326, 0.450975),
            (0.69, 0.050044, 0.213737),
            (0.9, 0.001524, 0.155283),
            (1.2, 0.0, 0.105210),
            (2.0, 0.0, 0.047769),
        ] {
            assert!((linear_restitution(zeta, EndRule::ZeroOverlap) - tension).abs() < 1e-6);
            assert!((linear_restitution(zeta, EndRule::NoTension) - without).abs() < 1e-6);
        }
        let near_critical = linear_restitution(1.0 - 1e-13, EndRule::NoTension);
        assert!((near_critical - linear_restitution(1.0 - 1e-6, EndRule::NoTension)).abs() < 1e-5);
    }

    #[test]
    fn ratios_invert_restitutions_under_both_rules() {
        for e in [0.05, 0.3, 0.5, 0.9, 0.99, 1.0] {
            for end in [EndRule::ZeroOverlap, EndRule::NoTension] {
                let zeta = linear_ratio(e, end).unwrap();
                assert!((linear_restitution(zeta, end) - e).abs() < 1e-10, "{e} {end:?}");
            }
        }
    }

    #[test]
    fn hertz_without_tension_returns_more_than_tsujis_target() {
        // Validation case P3: alpha for a target e under ZeroOverlap, contact ended at zero force.
        for (target, got) in [(0.9, 0.90203), (0.7, 0.71820), (0.5, 0.55028), (0.3, 0.39714), (0.1, 0.25273)] {
            let alpha = hertz_alpha(target, EndRule::ZeroOverlap).unwrap();
            assert!((hertz_restitution_without_tension(alpha) - got).abs() < 1e-5, "{target}");
        }
    }

    #[test]
    fn impossible_restitutions_are_rejected() {
        assert!(linear_ratio(1.1, EndRule::ZeroOverlap).is_err());
        assert!(linear_ratio(f64::NAN, EndRule::ZeroOverlap).is_err());
        assert!(hertz_alpha(0.0, EndRule::NoTension).is_err());
    }
}
