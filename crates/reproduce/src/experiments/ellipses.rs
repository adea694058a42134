//! The worked examples of \[Martinez2003\]: 4.1 to 4.17 with drawings, A.1 to A.3, table 2.1.

use glam::{DVec2, DVec3};
use granum_geometry::contact::planar::Profile;
use granum_geometry::shape::{Ellipse, Superellipse};
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, collide};
use granum_reference::drawing::drawing;
use granum_reference::methods::{Oval, Search, brent, curvature, named};
use granum_reference::query::{Body, Choice, Query};
use granum_validation::ellipse_examples::{Example, examples};

use super::Experiment;
use super::statistics::short;
use crate::{Page, Session, Stopped, Table, Verdict};

/// The experiment.
pub const EXAMPLES: Experiment = Experiment {
    name: "martinez-examples",
    about: "worked examples of ellipses with drawings, Brent's method, radius of curvature, table 2.1",
    cost: ["1 second", "1 second"],
    run,
};

/// Difference from a printed number that counts as reproduced, relative to the number or to 1: six
/// digits are printed.
const DIGITS: f64 = 1e-5;

/// Difference of a printed angle, degrees: its last digit and the tolerance of the search.
const ANGLE: f64 = 1.1e-3;

/// Tolerance of the examples of appendix A.
const TOLERANCE: f64 = 1e-5;

/// Examples whose printed result is wrong, and why.
const WRONG: [(&str, &str); 2] = [
    ("4.7", "the second search ended at a local minimum; the global one is -0.987233 at 7.934 degrees"),
    ("4.12.b", "the centres of curvature have passed each other, so their distance is negative"),
];

/// Results of an example that are printed, and the numbers that are compared.
struct Results {
    /// Angles on b and on a, degrees.
    angles: [f64; 2],
    /// Smallest inside-outside functions of a on b and of b on a.
    values: [f64; 2],
    /// Overlap of the osculating circles, m.
    overlap: f64,
}

fn results(example: &Example, search: Search) -> Results {
    let found = curvature(&example.pair(), search).expect("ellipses");
    let (on_b, on_a) = (found.potential.on_b, found.potential.on_a);
    Results {
        angles: [on_b.at, on_a.at].map(f64::to_degrees),
        values: [on_b.value, on_a.value],
        overlap: found.overlap,
    }
}

fn exact_gap(example: &Example) -> f64 {
    let mut manifold = Manifold::default();
    collide(Measure::Depth, &example.pair(), &mut manifold);
    manifold.deepest().map_or(f64::NAN, |point| point.gap)
}

/// Returns the query of an example, for its drawing.
fn query(example: &Example) -> Query {
    let body = |k: usize| Body { shape: example.shapes[k].clone(), pose: example.poses[k], planar: true };
    let method = named("curvature-as-printed").expect("the method has this name");
    Query { a: body(0), b: body(1), method: Choice::Named(method), tolerance: Some(example.tolerance) }
}

fn run(session: &mut Session) -> Result<Page, Stopped> {
    let mut page = Page::new(
        "Worked examples for ellipses",
        "[Martinez2003], examples 4.1-4.17 and A.1-A.3, appendix C, table 2.1",
    );
    page.text(
        "An example has two ellipses a and b. \"Printed\" are the angles and values of the smallest inside-outside \
         function on b and on a by one run of Brent's method on [0, 2 pi], and the overlap h of the osculating circles. \
         The exact overlap is that of the routine of the simulation. Negative overlaps are gaps.",
    );
    let examples = examples();
    let mut table = Table::new([
        "example",
        "angle on b, deg",
        "f of a there",
        "angle on a, deg",
        "f of b there",
        "h, m",
        "exact overlap, m",
    ]);
    for example in &examples {
        let ours = results(example, Search::AsPrinted { tolerance: example.tolerance });
        let cells = [ours.angles[0], ours.values[0], ours.angles[1], ours.values[1], ours.overlap, -exact_gap(example)];
        let [a, b, c, d, e, f] = cells.map(|x| format!("{x:.6}"));
        table.row([example.id.clone(), a, b, c, d, e, f]);
        compare(&mut page, example, &ours);
    }
    page.heading("The published method in granum");
    page.text("Examples with the ending .b have the tolerance 1e-7 rad, the others 1e-5 rad.");
    page.table(table);
    page.heading("Brent's method");
    appendix_a(&mut page);
    page.heading("Radius of curvature of superellipses");
    appendix_c(&mut page);
    page.heading("Table 2.1");
    table_2_1(&mut page);
    page.heading("Drawings");
    page.text(
        "Blue is a, orange b, with the points of the printed method, their normals and osculating circles. Red is the \
         exact contact.",
    );
    for example in &examples {
        let svg = drawing(&query(example)).expect("ellipses can be drawn");
        let name = format!("example_{}", example.id.replace('.', "_"));
        page.picture(&name, svg, &format!("Example {}", example.id));
    }
    session.part("examples", 1.0, || ())?;
    Ok(page)
}

fn compare(page: &mut Page, example: &Example, ours: &Results) {
    let printed = |key: &str| example.number("printed", key);
    let angle = |a: f64, b: f64| ((a - b + 180.0).rem_euclid(360.0) - 180.0).abs();
    let mut deviations = Vec::new();
    for (key, ours) in [("thetaB_deg", ours.angles[0]), ("thetaA_deg", ours.angles[1])] {
        deviations.extend(printed(key).map(|printed| angle(ours, printed) / ANGLE));
    }
    for (key, ours) in [("fA_at_B", ours.values[0]), ("fB_at_A", ours.values[1]), ("h", ours.overlap)] {
        deviations.extend(printed(key).map(|printed| (ours - printed).abs() / printed.abs().max(1.0) / DIGITS));
    }
    let list = |numbers: [Option<f64>; 5]| {
        let words: Vec<String> = ["angles", "", "f", "", "h"]
            .iter()
            .zip(numbers)
            .filter_map(|(name, x)| {
                x.map(|x| {
                    format!("{name} {}", if x.abs() < DIGITS { "0".into() } else { format!("{x:.6}") })
                        .trim()
                        .to_owned()
                })
            })
            .collect();
        words.join(", ")
    };
    let published =
        list([printed("thetaB_deg"), printed("thetaA_deg"), printed("fA_at_B"), printed("fB_at_A"), printed("h")]);
    let computed = list([
        Some(ours.angles[0]),
        Some(ours.angles[1]),
        Some(ours.values[0]),
        Some(ours.values[1]),
        printed("h").map(|_| ours.overlap),
    ]);
    let exact = format!("overlap {:.6}", -exact_gap(example));
    let is_reproduced = deviations.iter().all(|deviation| *deviation <= 1.0);
    let (verdict, reason) = match WRONG.iter().find(|(id, _)| *id == example.id) {
        Some((_, reason)) if is_reproduced => (Verdict::Corrected, (*reason).to_owned()),
        _ if is_reproduced => (Verdict::Reproduced, String::new()),
        _ => {
            let most = deviations.iter().fold(0f64, |most, x| most.max(*x));
            (Verdict::Differs, format!("{most:.1} times the printed digits"))
        }
    };
    page.compare(format!("example {}", example.id), published, computed, exact, verdict, reason);
}

fn appendix_a(page: &mut Page) {
    let cubic = |x: f64| x.powi(3) - 2.0 * x - 5.0;
    let quartic = |x: f64| x.powi(4) + x.powi(3) - x * x + 5.0;
    let sine = |x: f64| x.sin();
    // Name, function, interval, and the printed argument as text.
    type Row<'a> = (&'a str, &'a dyn Fn(f64) -> f64, [f64; 2], &'a str);
    let rows: [Row; 9] = [
        ("A.1, x^3 - 2x - 5", &cubic, [-1.7, 0.816497], "0.81649"),
        ("A.1", &cubic, [0.0, 1.0], "0.816497"),
        ("A.1", &cubic, [-15.0, 15.0], "-15"),
        ("A.2, sin x", &sine, [1.0, 5.0], "4.71239"),
        ("A.2", &sine, [-5.0, 5.0], "-1.5708"),
        ("A.3, x^4 + x^3 - x^2 + 5", &quartic, [-2.0, -0.75], "-1.17539"),
        ("A.3", &quartic, [0.1, 1.0], "0.425391"),
        ("A.3", &quartic, [-10.0, 10.0], "-1.17539"),
        ("A.3", &quartic, [-20.0, 20.0], "-0.72136"),
    ];
    for (name, f, [low, high], printed) in rows {
        let found = brent(f, low, high, TOLERANCE);
        let quantity = format!("example {name} on [{low}, {high}]: argument");
        let ours = format!("{:.6}, f {:.5}", found.at, found.value);
        let argument: f64 = printed.parse().expect("a number");
        if (found.at - argument).abs() <= 2.0 * TOLERANCE {
            page.reproduced(quantity, printed, ours);
        } else {
            let reason = "the printed argument is no minimum: the derivative there is 1.5";
            page.compare(quantity, printed, ours, "-1.175391, f 3.90327", Verdict::Corrected, reason);
        }
    }
    page.text(
        "In equation A.3 the second term of the denominator is (b - c)[f(b) - f(a)]; printed is (b - a). A search on an \
         interval with several minima ends at one of them, or at an end of the interval.",
    );
}

fn appendix_c(page: &mut Page) {
    let body = Superellipse { semi_axes: DVec2::new(3.0, 2.0), n: 4.0 };
    let oval = Oval::of(&Shape::from(body)).expect("a superellipse");
    let mut worst = 0f64;
    for k in 1..90 {
        let theta = f64::from(k).to_radians();
        let p = oval.point(theta).abs();
        // Radius of curvature of |x/a|^n + |y/b|^n = 1 from the derivatives of the function.
        let (n, a, b) = (body.n, body.semi_axes.x, body.semi_axes.y);
        let first = DVec2::new((p.x / a).powf(n - 1.0) / a, (p.y / b).powf(n - 1.0) / b) * n;
        let second = DVec2::new((p.x / a).powf(n - 2.0) / (a * a), (p.y / b).powf(n - 2.0) / (b * b)) * (n * (n - 1.0));
        let curvature = (second.x * first.y * first.y + second.y * first.x * first.x) / first.length().powi(3);
        worst = worst.max((oval.radius(theta) * curvature - 1.0).abs());
    }
    page.compare(
        "equation C.3: radius of curvature of a superellipse, n = 4",
        "formula",
        format!("largest relative difference {worst:.1e} at 89 points"),
        "",
        Verdict::Corrected,
        "it needs |x| and |y|, and is 0/0 on the axes, where granum uses the normal",
    );
    page.text(format!(
        "On the axes the radius is finite only for n = 2: for the ellipse with the semi-axes 3 and 2 m granum gives {} and {} m.",
        short(Ellipse { semi_axes: body.semi_axes }.extreme(DVec2::X).radius),
        short(Ellipse { semi_axes: body.semi_axes }.extreme(DVec2::Y).radius)
    ));
}

/// The rows of table 2.1: condition, printed statement, counterexample or empty.
const TABLE_2_1: [[&str; 3]; 6] = [
    ["d > a_i + a_j", "no intersection", ""],
    ["d = a_i + a_j", "none or one point", ""],
    ["d < a_i + a_j", "none, one, or more points", ""],
    ["d > b_i + b_j", "none, one, or more points", ""],
    [
        "d = b_i + b_j",
        "one or more points",
        "(100, 1) and a disc of 0.5 at d = 1.5 along the long axis: the disc lies inside, no point",
    ],
    ["d < b_i + b_j", "more than one point", "(100, 1) and a disc of 0.5 at d = 0.4: the disc lies inside, no point"],
];

fn table_2_1(page: &mut Page) {
    let mut table = Table::new(["distance of the centres", "printed", "holds"]);
    let ellipse = Shape::from(Ellipse { semi_axes: DVec2::new(100.0, 1.0) });
    let disc = Shape::from(Ellipse { semi_axes: DVec2::splat(0.5) });
    let points = |d: f64| {
        let at = Pose { position: DVec3::new(d, 0.0, 0.0), ..Pose::IDENTITY };
        let method = named("intersection").expect("the method has this name");
        let outcome = (method.solve)(&Pair::new(&ellipse, &Pose::IDENTITY, &disc, &at));
        outcome.details.iter().find_map(|(_, detail)| match detail {
            granum_reference::methods::Detail::Points(points) => Some(points.len()),
            _ => None,
        })
    };
    for [condition, printed, counterexample] in TABLE_2_1 {
        let holds = if counterexample.is_empty() { "yes".to_owned() } else { format!("no: {counterexample}") };
        table.row([condition.into(), printed.into(), holds]);
    }
    page.table(table);
    for (row, d) in [(4, 1.5), (5, 0.4)] {
        let [condition, printed, counterexample] = TABLE_2_1[row];
        page.compare(
            format!("table 2.1, row {condition}"),
            printed,
            format!("{} points at d = {d}", points(d).unwrap_or(0)),
            "0 points",
            Verdict::Corrected,
            counterexample,
        );
    }
}
