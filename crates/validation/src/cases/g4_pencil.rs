//! G4: the roots of `det(lambda A + B)` of two ellipsoids, and their limits as a contact test.

use glam::DVec3;
use granum_geometry::shape::Ellipsoid;
use granum_geometry::{Pair, Pose, Shape};
use granum_reference::methods::{Detail, Outcome, named};

use crate::{Case, Report};

pub const G4: Case = Case { name: "G4", tier: 0, about: "roots of the pencil of two ellipsoids", run };

/// Accuracy of a double root: the square root of machine epsilon.
const DOUBLE_ROOT: f64 = 1e-7;

fn run(report: &mut Report) {
    let egg = |x: f64, y: f64, z: f64| -> Shape { Ellipsoid { semi_axes: DVec3::new(x, y, z) }.into() };
    let solve = |a: &Shape, b: &Shape, position: DVec3| -> Outcome {
        let Some(method) = named("algebraic") else { return Outcome::default() };
        (method.solve)(&Pair::new(a, &Pose::IDENTITY, b, &Pose::at(position)))
    };
    let number = |outcome: &Outcome, name: &str| match outcome.details.iter().find(|(key, _)| *key == name) {
        Some((_, Detail::Number(number))) => *number,
        _ => f64::NAN,
    };
    let is = |outcome: &Outcome, relation: &str| {
        let text = outcome.details.iter().find(|(key, _)| *key == "relation");
        f64::from(u8::from(text.is_some_and(|(_, detail)| matches!(detail, Detail::Text(word) if *word == relation))))
    };
    let crossing = solve(&egg(2.0, 1.0, 1.0), &egg(1.0, 2.0, 1.0), DVec3::ZERO);
    for (name, root) in [("root_1", -4.0), ("root_2", -1.0), ("root_3", -1.0), ("root_4", -0.25)] {
        report.absolute(format!("(2,1,1) and (1,2,1), concentric: {name}"), root, number(&crossing, name), DOUBLE_ROOT);
    }
    report.absolute("four negative roots, and yet they cross", 1.0, is(&crossing, "crossing"), 0.0);
    let apart = solve(&egg(1.0, 1.0, 2.0), &egg(1.0, 1.0, 3.0), DVec3::new(0.0, 0.0, 9.0));
    report.absolute("apart: positive roots", 2.0, number(&apart, "positive_roots"), 0.0);
    report.absolute("apart on one axis, with a negative double root: separated", 1.0, is(&apart, "separated"), 0.0);
    let inside = solve(&egg(2.0, 2.0, 2.0), &egg(1.0, 0.5, 0.7), DVec3::new(0.3, 0.0, 0.0));
    report.absolute("inside", 1.0, is(&inside, "b inside a"), 0.0);
}
