//! G1: volume and inertia of superellipsoids against the closed form's printed values and against
//! quadrature.

use glam::DVec3;
use granum_geometry::shape::Superellipsoid;
use granum_geometry::{Convex, MassProperties};

use super::worst::Worst;
use crate::{Case, Report};

pub const G1: Case = Case { name: "G1", tier: 0, about: "volume and inertia of superellipsoids", run };

/// Semi-axes, exponents, volume and moments of inertia for density 1. The moments are printed with
/// five decimals.
type Printed = ([f64; 3], [f64; 2], f64, [f64; 3]);

const TABLE: [Printed; 5] = [
    ([1.0, 1.0, 1.0], [1.0, 1.0], 4.188790, [1.67552, 1.67552, 1.67552]),
    ([1.0, 2.0, 3.0], [1.0, 1.0], 25.132741, [65.34513, 50.26548, 25.13274]),
    ([1.0, 1.5, 2.0], [0.3, 0.3], 22.011296, [41.94634, 33.55707, 21.81210]),
    ([1.0, 1.5, 2.0], [1.7, 0.5], 12.142755, [18.03631, 15.41426, 6.81733]),
    ([1.0, 1.5, 2.0], [0.7, 1.3], 11.528631, [12.85601, 9.89462, 7.69961]),
];

/// Half a unit of the last printed digit.
const VOLUME_DIGITS: f64 = 5e-7;
const MOMENT_DIGITS: f64 = 5e-6;

/// Limit of the comparison with numerical quadrature.
const QUADRATURE: f64 = 1e-3;

/// Number of Gauss points from pole to pole.
const ORDER: usize = 128;

fn run(report: &mut Report) {
    let (mut volumes, mut moments, mut numeric) = (Worst::absolute(), Worst::absolute(), Worst::relative());
    for (axes, eps, volume, table) in TABLE {
        let body = Superellipsoid { semi_axes: DVec3::from_array(axes), eps };
        let place = format!("{axes:?} {eps:?}");
        let exact = body.mass_properties();
        let ours = exact.principal_moments().unwrap_or(DVec3::NAN);
        volumes.see(place.clone(), volume, exact.volume);
        for (k, printed) in table.into_iter().enumerate() {
            moments.see(place.clone(), printed, ours[k]);
        }
        let by_quadrature = MassProperties::by_quadrature(&body, ORDER);
        numeric.see(place.clone(), by_quadrature.volume, exact.volume);
        let by_quadrature = by_quadrature.principal_moments().unwrap_or(DVec3::NAN);
        for k in 0..3 {
            numeric.see(place.clone(), by_quadrature[k], ours[k]);
        }
    }
    volumes.row(report, "volume, closed form, m3", VOLUME_DIGITS, "");
    moments.row(report, "moments of inertia, closed form, m5", MOMENT_DIGITS, "");
    numeric.row(report, "the same by quadrature", QUADRATURE, "");
}
