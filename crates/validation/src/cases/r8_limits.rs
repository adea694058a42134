//! R8: limits of shapes: a superellipsoid with exponents 1 is an ellipsoid, an ellipsoid with equal
//! axes is a sphere, and a superellipsoid with small exponents approaches a box.

use glam::{DQuat, DVec3};
use granum_geometry::shape::{Ellipsoid, Sphere, Superellipsoid};
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, collide};

use crate::laboratory::Random;
use crate::{Case, Report};

/// Limits of shapes.
pub const R8: Case = Case { name: "R8", tier: 0, about: "shapes in the limits in which they equal other shapes", run };

const PAIRS: usize = 2000;

fn run(report: &mut Report) {
    let limit = 1e-12;
    let mut random = Random::new(8);
    let [mut as_ellipsoid, mut as_sphere] = [[0f64; 2]; 2];
    for _ in 0..PAIRS {
        let [a, b] = [0, 1].map(|_| DVec3::ONE + 0.5 * random.vector());
        let turns = [0, 1].map(|_| DQuat::from_scaled_axis(3.0 * random.vector()));
        let away = random.vector().normalize_or(DVec3::X);
        let (egg, super_egg) = (
            |semi_axes| -> Shape { Ellipsoid { semi_axes }.into() },
            |semi_axes| -> Shape { Superellipsoid { semi_axes, eps: [1.0, 1.0] }.into() },
        );
        // At this distance the bodies overlap by a few hundredths of their size.
        let far = egg_gap(&egg(a), &egg(b), turns, 4.0 * away).map_or(2.0, |gap| 4.0 - gap - 0.02);
        let [one, two] =
            [(egg(a), egg(b)), (super_egg(a), super_egg(b))].map(|(a, b)| contact(&a, &b, turns, far * away));
        worst(&mut as_ellipsoid, one, two);
        let balls = [a.x, b.x].map(|radius| (egg(DVec3::splat(radius)), Shape::from(Sphere { radius })));
        let near = (a.x + b.x - 0.02) * away;
        let one = contact(&balls[0].0, &balls[1].0, turns, near);
        let two = contact(&balls[0].1, &balls[1].1, turns, near);
        worst(&mut as_sphere, one, two);
    }
    report.at_most("superellipsoid with eps = 1 against ellipsoid: gap", as_ellipsoid[0], limit);
    report.at_most("superellipsoid with eps = 1 against ellipsoid: normal", as_ellipsoid[1], limit);
    report.at_most("ellipsoid with equal axes against sphere: gap", as_sphere[0], limit);
    report.at_most("ellipsoid with equal axes against sphere: normal", as_sphere[1], limit);
    let volume = |eps: f64| {
        let shape: Shape = Superellipsoid { semi_axes: DVec3::ONE, eps: [eps, eps] }.into();
        shape.as_convex().mass_properties().volume
    };
    let short = [0.4, 0.2, 0.1].map(|eps| 1.0 - volume(eps) / 8.0);
    report.absolute("eps 0.1: volume over that of the box", 1.0, 1.0 - short[2], 0.02);
    // The missing corners shrink with the square of the exponent.
    report.absolute("missing volume against eps: exponent", 2.0, (short[1] / short[2]).log2(), 0.2);
}

/// Returns gap and normal, if there is a contact.
fn contact(a: &Shape, b: &Shape, turns: [DQuat; 2], offset: DVec3) -> Option<(f64, DVec3)> {
    let pose = |position, orientation| Pose { position, orientation };
    let (pose_a, pose_b) = (pose(DVec3::ZERO, turns[0]), pose(offset, turns[1]));
    let mut pair = Pair::new(a, &pose_a, b, &pose_b);
    pair.margin = f64::INFINITY;
    let mut manifold = Manifold::default();
    collide(Measure::Depth, &pair, &mut manifold);
    manifold.deepest().map(|point| (point.gap, point.normal))
}

fn egg_gap(a: &Shape, b: &Shape, turns: [DQuat; 2], offset: DVec3) -> Option<f64> {
    contact(a, b, turns, offset).map(|(gap, _)| gap)
}

/// Keeps the largest difference of gap and normal. A contact found by one routine only counts as
/// infinite.
fn worst(worst: &mut [f64; 2], one: Option<(f64, DVec3)>, two: Option<(f64, DVec3)>) {
    let (gap, normal) = match (one, two) {
        (Some(one), Some(two)) => ((one.0 - two.0).abs(), (one.1 - two.1).length()),
        _ => (f64::INFINITY, f64::INFINITY),
    };
    *worst = [worst[0].max(gap), worst[1].max(normal)];
}
