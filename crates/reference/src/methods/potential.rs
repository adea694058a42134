//! The thesis's first formulation: how far the boundary of one body goes into the other (3.1-3.5).
//!
//! The least value of the inside-outside function `f` of one body along the boundary of the other, both ways round. Its
//! sign is a verdict, its size is not a length.

use std::f64::consts::TAU;

use glam::DVec2;

use super::harmonic::Harmonic;
use super::{Detail, Method, Minimum, Outcome, Oval, brent};
use granum_geometry::Pair;
use granum_geometry::contact::planar::Frame;

/// The method, with the global minimum.
pub const METHOD: Method = Method {
    name: "potential",
    about: "least inside-outside function along the other's boundary, both ways",
    pairs: "discs, ellipses and superellipses",
    serves,
    solve: |pair| solve(pair, Search::Global),
};

/// The method as the thesis prints it.
pub const AS_PRINTED: Method = Method {
    name: "potential-as-printed",
    about: "the same by Brent's method on [0, 2 pi], which may end in a local minimum",
    pairs: "discs, ellipses and superellipses",
    serves,
    solve: |pair| solve(pair, Search::AsPrinted { tolerance: PRINTED_TOLERANCE }),
};

/// Tolerance of Brent's method in most examples of the thesis, rad.
const PRINTED_TOLERANCE: f64 = 1e-5;

/// The thesis takes a point for touching if its `f` is within this; the number has no unit and no basis.
const PRINTED_BAND: f64 = 0.1;

/// An `f` this close to zero is touching: a hundred roundings.
const BAND: f64 = 1e-13;

/// Arcs in which a minimum is looked for where a superellipse is among the bodies.
const LOOKS: usize = 1024;

/// How the minimum is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Search {
    /// All minima, of which the least counts.
    Global,
    /// Brent's method on [0, 2 pi].
    AsPrinted {
        /// rad.
        tolerance: f64,
    },
}

/// The two minima.
#[derive(Clone, Copy, Debug)]
pub struct Potential {
    /// Along the boundary of b: parameter (rad) and value of a's function.
    pub on_b: Minimum,
    /// Along the boundary of a: parameter (rad) and value of b's function.
    pub on_a: Minimum,
}

/// Two planar grains in the axes of each other.
#[derive(Clone, Copy, Debug)]
pub struct Grains {
    /// The two curves.
    pub ovals: [Oval; 2],
    /// Their axes.
    pub frames: [Frame; 2],
    /// Their centres, from the centre of a, m.
    pub centres: [DVec2; 2],
}

impl Grains {
    /// The two grains of a pair; none if it has other shapes.
    pub fn of(pair: &Pair) -> Option<Self> {
        Some(Self {
            ovals: [Oval::of(pair.a)?, Oval::of(pair.b)?],
            frames: [Frame::of(pair.orientation_a), Frame::of(pair.orientation_b)],
            centres: [DVec2::ZERO, pair.offset.truncate()],
        })
    }

    /// The boundary point of body `k` for a parameter, world axes, from the centre of a.
    pub fn point(&self, k: usize, theta: f64) -> DVec2 {
        self.centres[k] + self.frames[k].to_world(self.ovals[k].point(theta))
    }

    /// The function of body `k` at a point of the world.
    pub fn inside_outside(&self, k: usize, point: DVec2) -> f64 {
        self.ovals[k].inside_outside(self.frames[k].to_body(point - self.centres[k]))
    }

    /// The function of the other body at the boundary point of body `k`.
    pub fn along(&self, k: usize, theta: f64) -> f64 {
        self.inside_outside(1 - k, self.point(k, theta))
    }
}

fn serves(pair: &Pair) -> bool {
    Grains::of(pair).is_some()
}

/// The two minima of a pair of planar grains; none for other shapes.
pub fn potential(pair: &Pair, search: Search) -> Option<Potential> {
    let grains = Grains::of(pair)?;
    let minimum = |k: usize| {
        let f = |theta: f64| grains.along(k, theta);
        match search {
            Search::Global => match Harmonic::along(&grains, k) {
                Some(harmonic) => least_extreme(f, &harmonic),
                None => global_minimum(f),
            },
            Search::AsPrinted { tolerance } => brent(f, 0.0, TAU, tolerance),
        }
    };
    Some(Potential { on_b: minimum(1), on_a: minimum(0) })
}

/// The least value at the extremes of a trigonometric polynomial; one without extremes is constant.
fn least_extreme(f: impl Fn(f64) -> f64, harmonic: &Harmonic) -> Minimum {
    let (extremes, evaluations) = harmonic.extremes();
    let values = extremes.into_iter().map(|at| Minimum { at, value: f(at), evaluations });
    let least = values.min_by(|p, q| p.value.total_cmp(&q.value));
    least.unwrap_or_else(|| Minimum { at: 0.0, value: f(0.0), evaluations })
}

/// The least of all minima of a function with period 2 pi.
fn global_minimum(f: impl Fn(f64) -> f64) -> Minimum {
    // As exact as arguments of values can be told apart.
    const TOLERANCE: f64 = 1e-9;
    let angle = |k: usize| TAU * k as f64 / LOOKS as f64;
    let values: Vec<f64> = (0..LOOKS).map(|k| f(angle(k))).collect();
    let mut evaluations = LOOKS as u32;
    let mut least: Option<Minimum> = None;
    for k in 0..LOOKS {
        if values[k] > values[(k + LOOKS - 1) % LOOKS] || values[k] > values[(k + 1) % LOOKS] {
            continue;
        }
        let found = brent(&f, angle(k) - angle(1), angle(k) + angle(1), TOLERANCE);
        evaluations += found.evaluations;
        if least.is_none_or(|least| found.value < least.value) {
            least = Some(Minimum { at: found.at.rem_euclid(TAU), ..found });
        }
    }
    let start = Minimum { at: 0.0, value: values[0], evaluations };
    Minimum { evaluations, ..least.unwrap_or(start) }
}

fn solve(pair: &Pair, search: Search) -> Outcome {
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
