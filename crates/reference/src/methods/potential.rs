//! Minimum of the inside-outside function of one planar grain along the boundary of the other
//! [Martinez2003, eqs. 3.1-3.5].
//!
//! The minimum is computed for both orders of the bodies. Its sign decides between outside,
//! touching and inside. Its size is not a length. \[Martinez2003\] uses one run of Brent's method
//! on [0, 2 pi], which may end at a local minimum; the method `potential` uses the global minimum.

use std::f64::consts::TAU;

use glam::DVec2;

use super::harmonic::Harmonic;
use super::{Detail, Method, Minimum, Outcome, Oval, brent};
use granum_geometry::Pair;
use granum_geometry::contact::planar::Frame;

/// The method, with the global minimum.
pub const METHOD: Method = planar_method(
    "potential",
    "minimum of the inside-outside function along the boundary of the other grain, both orders",
    |pair| solve(pair, Search::Global),
);

/// The method as printed in \[Martinez2003\].
pub const AS_PRINTED: Method = planar_method(
    "potential-as-printed",
    "the same by Brent's method on [0, 2 pi], which may end in a local minimum",
    |pair| solve(pair, Search::PRINTED),
);

/// Band of f in which \[Martinez2003\] calls a point touching. It has no justification, since f is
/// not a length.
const PRINTED_BAND: f64 = 0.1;

/// Absolute value of f below which a point is touching: a hundred roundings of a function of size
/// 1.
const BAND: f64 = 1e-13;

/// Number of arcs that are searched for a minimum if one of the bodies is a superellipse.
const ARCS: usize = 1024;

/// The search for the minimum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Search {
    /// The smallest of all minima.
    Global,
    /// One run of Brent's method on [0, 2 pi].
    AsPrinted {
        /// Tolerance of the parameter, rad.
        tolerance: f64,
    },
}

impl Search {
    /// The search of most examples of \[Martinez2003\], with the tolerance printed there.
    pub const PRINTED: Self = Self::AsPrinted { tolerance: 1e-5 };
}

/// Creates a method for all pairs of [`Grains`].
pub(super) const fn planar_method(name: &'static str, about: &'static str, solve: fn(&Pair) -> Outcome) -> Method {
    let serves = |pair: &Pair| Grains::of(pair).is_some();
    Method { name, about, pairs: "discs, ellipses and superellipses", serves, solve }
}

/// The minima for both orders of the bodies.
#[derive(Clone, Copy, Debug)]
pub struct Potential {
    /// Along the boundary of b: parameter, rad, and value of the function of a.
    pub on_b: Minimum,
    /// Along the boundary of a: parameter, rad, and value of the function of b.
    pub on_a: Minimum,
}

/// Two placed planar grains.
#[derive(Clone, Copy, Debug)]
pub struct Grains {
    /// The two curves.
    pub ovals: [Oval; 2],
    /// Their body axes.
    pub frames: [Frame; 2],
    /// Their centres relative to the centre of a, m.
    pub centres: [DVec2; 2],
}

impl Grains {
    /// Returns the two grains of a pair; `None` if a shape is not an oval.
    pub fn of(pair: &Pair) -> Option<Self> {
        Some(Self {
            ovals: [Oval::of(pair.a)?, Oval::of(pair.b)?],
            frames: [Frame::of(pair.orientation_a), Frame::of(pair.orientation_b)],
            centres: [DVec2::ZERO, pair.offset.truncate()],
        })
    }

    /// Returns the boundary point of body `k` with the parameter `theta`, m: world axes, relative
    /// to the centre of a.
    pub fn point(&self, k: usize, theta: f64) -> DVec2 {
        self.centres[k] + self.frames[k].to_world(self.ovals[k].point(theta))
    }

    /// Returns the inside-outside function of body `k` at a point relative to the centre of a.
    pub fn inside_outside(&self, k: usize, point: DVec2) -> f64 {
        self.ovals[k].inside_outside(self.frames[k].to_body(point - self.centres[k]))
    }

    /// Returns the inside-outside function of the other body at the boundary point of body `k`.
    pub fn along(&self, k: usize, theta: f64) -> f64 {
        self.inside_outside(1 - k, self.point(k, theta))
    }
}

/// Returns the two minima of a pair of planar grains; `None` for other shapes.
pub fn potential(pair: &Pair, search: Search) -> Option<Potential> {
    let grains = Grains::of(pair)?;
    let minimum = |k: usize| {
        let f = |theta: f64| grains.along(k, theta);
        match search {
            Search::Global => match Harmonic::along(&grains, k) {
                Some(harmonic) => smallest_extremum(f, &harmonic),
                None => global_minimum(f),
            },
            Search::AsPrinted { tolerance } => brent(f, 0.0, TAU, tolerance),
        }
    };
    Some(Potential { on_b: minimum(1), on_a: minimum(0) })
}

/// Returns the smallest value of a trigonometric polynomial at its extrema. One without extrema is
/// constant.
fn smallest_extremum(f: impl Fn(f64) -> f64, harmonic: &Harmonic) -> Minimum {
    let (extrema, evaluations) = harmonic.extrema();
    let values = extrema.into_iter().map(|at| Minimum { at, value: f(at), evaluations });
    let smallest = values.min_by(|p, q| p.value.total_cmp(&q.value));
    smallest.unwrap_or_else(|| Minimum { at: 0.0, value: f(0.0), evaluations })
}

/// Returns the smallest of all minima of a function with period 2 pi.
fn global_minimum(f: impl Fn(f64) -> f64) -> Minimum {
    // Tolerance of the parameter, rad: below the square root of rounding, so Brent's own limit
    // applies.
    const TOLERANCE: f64 = 1e-9;
    let angle = |k: usize| TAU * k as f64 / ARCS as f64;
    let values: Vec<f64> = (0..ARCS).map(|k| f(angle(k))).collect();
    let mut evaluations = ARCS as u32;
    let mut smallest: Option<Minimum> = None;
    for k in 0..ARCS {
        if values[k] > values[(k + ARCS - 1) % ARCS] || values[k] > values[(k + 1) % ARCS] {
            continue;
        }
        let found = brent(&f, angle(k) - angle(1), angle(k) + angle(1), TOLERANCE);
        evaluations += found.evaluations;
        if smallest.is_none_or(|smallest| found.value < smallest.value) {
            smallest = Some(Minimum { at: found.at.rem_euclid(TAU), ..found });
        }
    }
    let start = Minimum { at: 0.0, value: values[0], evaluations };
    Minimum { evaluations, ..smallest.unwrap_or(start) }
}

pub(super) fn solve(pair: &Pair, search: Search) -> Outcome {
    let (Some(potential), Some(grains)) = (potential(pair, search), Grains::of(pair)) else {
        return Outcome::default();
    };
    let band = if search == Search::Global { BAND } else { PRINTED_BAND };
    let verdict = |f: f64| match f {
        f if f >= band => "outside",
        f if f > -band => "touching",
        _ => "inside",
    };
    let Potential { on_b, on_a } = potential;
    Outcome {
        touching: on_b.value < band || on_a.value < band,
        points: Some([grains.point(0, on_a.at).extend(0.0), grains.point(1, on_b.at).extend(0.0)]),
        details: vec![
            ("theta_b_deg", Detail::Number(on_b.at.to_degrees())),
            ("f_a_at_b", Detail::Number(on_b.value)),
            ("b_to_a", Detail::Text(verdict(on_b.value))),
            ("theta_a_deg", Detail::Number(on_a.at.to_degrees())),
            ("f_b_at_a", Detail::Number(on_a.value)),
            ("a_to_b", Detail::Text(verdict(on_a.value))),
        ],
        iterations: on_b.evaluations + on_a.evaluations,
        ..Outcome::default()
    }
}
