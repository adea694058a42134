//! Statistics of the quartic of \[Feng2017\], and the overlap region of two cylinders: volume and
//! normal by edges and by layers.

use glam::{DQuat, DVec3};
use granum_geometry::contact::region::{MAX_SLICES, SliceCount, cylinder_region};
use granum_geometry::random::Random;
use granum_geometry::shape::Cylinder;
use granum_geometry::{Pair, Pose, Shape};
use granum_reference::methods::{Detail, Outcome, named};
use granum_reference::quartic::{circle_and_ellipse, lin_bairstow, real_roots};
use granum_reference::random_pairs::random_cylinders;
use serde::{Deserialize, Serialize};

use super::Experiment;
use super::statistics::{curves, quantiles, short};
use crate::{Page, Session, Stopped, Table, Verdict};

/// The statistics of the quartic.
pub const QUARTIC: Experiment = Experiment {
    name: "feng-quartic",
    about: "iterations of the Lin-Bairstow method for circle and ellipse",
    cost: ["2 seconds", "1 second"],
    run: quartic,
};

/// Volume and normal of the overlap region.
pub const REGION: Experiment = Experiment {
    name: "feng-region",
    about: "overlap region of cylinders: volume and normal by edges and by layers, parallel axes",
    cost: ["2 seconds", "1 second"],
    run: region,
};

/// Iterations that the histogram shows.
const SHOWN: usize = 20;

fn quartic(session: &mut Session) -> Result<Page, Stopped> {
    let cases = session.size(1_000_000, 20_000);
    // Counts by iterations, failures, and quartics of which real roots are missing.
    let (counts, failed, missing): (Vec<usize>, usize, usize) = session.part("quartics", 1.0, || {
        let mut random = Random::new(72);
        let (mut counts, mut failed, mut missing) = (vec![0; SHOWN + 1], 0, 0);
        for _ in 0..cases {
            let (r, a, b) = (random.range(0.3, 1.0), random.range(0.3, 3.0), random.range(0.3, 1.0));
            let quartic = circle_and_ellipse(r, [a, b], [random.range(-1.5, 1.5), random.range(-1.5, 1.5)]);
            match lin_bairstow(quartic) {
                Some(found) => {
                    counts[(found.iterations as usize).min(SHOWN)] += 1;
                    missing += usize::from(found.roots.as_slice().len() < real_roots(quartic).as_slice().len());
                }
                None => failed += 1,
            }
        }
        (counts, failed, missing)
    })?;
    let mut page = Page::new("The quartic of circle and ellipse", "[Feng2017], section 5.1 and appendices 2 and 4");
    page.text(format!(
        "{cases} random circles and ellipses, with the coefficients of appendix 2 as corrected. The iteration starts from \
         u = 0, v = -1 and ends when the remainder is below 1e-14 of the largest coefficient; at most 100 steps are \
         taken. The simulation solves no quartic."
    ));
    let per_cent = |count: usize| 100.0 * count as f64 / cases as f64;
    let slow: usize = counts[5..].iter().sum();
    page.compare(
        "iterations of the Lin-Bairstow method",
        "3 to 4",
        format!("more than 4 in {:.1} %, no convergence in {:.2} %", per_cent(slow), per_cent(failed)),
        "bracketing between the extrema finds every root",
        Verdict::Differs,
        "the publication does not state its circles and ellipses; random ones need more",
    );
    page.compare(
        "coefficients of appendix 2",
        "printed",
        format!("{missing} quartics with missing roots"),
        "",
        Verdict::Corrected,
        "alpha = b^2/a^2 - 1, beta = -2 b^2 x0/a^2, gamma = b^2 x0^2/a^2 + r^2 + y0^2 - b^2, tau = 2 y0, a0 = gamma^2 - r^2 tau^2",
    );
    let mut table = Table::new(["iterations", "quartics, %"]);
    for (k, count) in counts.iter().enumerate() {
        let name = if k == SHOWN { format!("{SHOWN} or more") } else { k.to_string() };
        table.row([name, format!("{:.2}", per_cent(*count))]);
    }
    table.row(["no convergence".into(), format!("{:.2}", per_cent(failed))]);
    page.table(table);
    let caption = "Quartics by iterations of the Lin-Bairstow method";
    let values = vec![("Lin-Bairstow".to_owned(), counts.iter().map(|&count| per_cent(count)).collect())];
    let abscissae = (0..=SHOWN).map(|k| k as f64).collect();
    page.picture("iterations", curves(caption, ["iterations", ""], ["quartics", "%"], abscissae, values), caption);
    Ok(page)
}

/// Errors of one method for random pairs.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Errors {
    /// Median, 99th percentile and largest error of the volume, relative.
    volume: [f64; 3],
    /// The same of the angle between the normal and the gradient of the volume, degrees.
    normal: [f64; 3],
    /// Pairs in which the first form of [Feng2017, eq. 23], corrected, points from b to a, and number
    /// of pairs.
    reversed: [usize; 2],
}

const METHODS: [&str; 2] = ["layers", "edges"];

fn number(outcome: &Outcome, name: &str) -> Option<f64> {
    outcome.details.iter().find_map(|(key, detail)| match detail {
        Detail::Number(number) if *key == name => Some(*number),
        _ => None,
    })
}

/// Returns the contact normal at `p` from the first form of [Feng2017, eq. 23] with its first part
/// corrected, and the sign as printed.
fn printed_normal(pair: &Pair, p: DVec3) -> DVec3 {
    let [n1, n2] = [pair.orientation_a, pair.orientation_b].map(|turn| turn * DVec3::Z);
    let across = n2.cross(pair.offset - p);
    p - p.dot(across) / n1.dot(across) * n1
}

fn errors(method: &str, pairs: usize) -> Errors {
    let method = named(method).expect("the method has this name");
    let mut random = Random::new(33);
    let (mut volumes, mut normals, mut reversed) = (Vec::new(), Vec::new(), 0);
    for _ in 0..pairs {
        let (a, pose_a, b, pose_b) = random_cylinders(&mut random);
        let pair = Pair::new(&a, &pose_a, &b, &pose_b);
        let Some(exact) = cylinder_region(&pair, SliceCount::PerInterval(MAX_SLICES)) else { continue };
        let outcome = (method.solve)(&pair);
        let (Some(volume), Some(normal)) = (number(&outcome, "volume"), outcome.normal) else { continue };
        let gradient = exact.region.gradient.normal();
        volumes.push((volume / exact.region.volume - 1.0).abs());
        normals.push(normal.angle_between(gradient).to_degrees());
        reversed += usize::from(printed_normal(&pair, exact.region.centroid).dot(gradient) < 0.0);
    }
    let count = normals.len();
    Errors { volume: quantiles(volumes), normal: quantiles(normals), reversed: [reversed, count] }
}

/// Angles of nearly parallel axes, rad.
const TILTS: [f64; 8] = [0.0, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3, 1e-2, 1e-1];

/// Returns the largest angle between the normal of a method and the gradient of the volume, degrees,
/// the number of pairs in which it is above one degree, and that in which the first form of eq. 23
/// points from b to a, for axes with the angle `tilt`.
fn parallel(method: &str, tilt: f64, pairs: usize) -> [f64; 3] {
    let method = named(method).expect("the method has this name");
    let mut random = Random::new(34);
    let mut worst = [0.0; 3];
    for _ in 0..pairs {
        let mut body = || Cylinder { radius: random.range(0.3, 1.0), half_height: random.range(0.3, 1.0) };
        let (a, b) = (body(), body());
        let reach = DVec3::new(a.radius + b.radius, 0.0, a.half_height + b.half_height);
        let offset = reach * DVec3::new(random.range(0.8, 0.999), 0.0, 0.999 * random.signed());
        let (turn, tilted) = (random.rotation(), DQuat::from_axis_angle(random.direction(), tilt));
        let (a, b) = (Shape::from(a), Shape::from(b));
        let pose_a = Pose { position: DVec3::ZERO, orientation: turn };
        let pose_b = Pose { position: turn * offset, orientation: turn * tilted };
        let pair = Pair::new(&a, &pose_a, &b, &pose_b);
        let Some(exact) = cylinder_region(&pair, SliceCount::PerInterval(MAX_SLICES)) else { continue };
        let Some(normal) = (method.solve)(&pair).normal else { continue };
        let gradient = exact.region.gradient.normal();
        let angle = normal.angle_between(gradient).to_degrees();
        let is_reversed = printed_normal(&pair, exact.region.centroid).dot(gradient) < 0.0;
        worst[0] = f64::max(worst[0], angle);
        worst[1] += f64::from(u8::from(angle > 1.0));
        worst[2] += f64::from(u8::from(is_reversed));
    }
    worst
}

/// Returns volume and overlap [Feng2017, eq. 21] of two equal cylinders side by side, the second one
/// tilted about an axis at 45 degrees to the line of centres.
fn tilted_pair(tilt: f64) -> [f64; 2] {
    let body = Shape::from(Cylinder { radius: 1.0, half_height: 1.0 });
    let axis = DVec3::new(1.0, 1.0, 0.0).normalize();
    let pose = Pose { position: DVec3::new(1.99, 0.0, 0.0), orientation: DQuat::from_axis_angle(axis, tilt) };
    let outcome = (named("layers").expect("a method").solve)(&Pair::new(&body, &Pose::IDENTITY, &body, &pose));
    ["volume", "overlap_21"].map(|name| number(&outcome, name).unwrap_or(f64::NAN))
}

fn region(session: &mut Session) -> Result<Page, Stopped> {
    let (pairs, few) = (session.size(50_000, 1_000), session.size(2_000, 100));
    let mut found = Vec::new();
    for method in METHODS {
        found.push(session.part(&format!("random_{method}"), 0.35, || errors(method, pairs))?);
    }
    let mut worst = Vec::new();
    for method in METHODS {
        let of_method =
            session.part(&format!("parallel_{method}"), 0.15, || TILTS.map(|tilt| parallel(method, tilt, few)))?;
        worst.push(of_method);
    }
    let mut page = Page::new("The overlap region of two cylinders", "[Feng2017], sections 3.3 to 4.2");
    page.text(format!(
        "{pairs} random pairs with height to diameter of 0.025 to 50. `layers` are slices across the common perpendicular \
         of the axes, eight between two breakpoints; `edges` are four points on every edge of the region. The reference \
         has {MAX_SLICES} slices; the gradient of its volume is the direction in which an elastic force conserves energy."
    ));
    let mut table = Table::new([
        "method",
        "error of the volume: median, 99 %, worst",
        "normal from the gradient, degrees: median, 99 %, worst",
        "sign of equation 23 wrong",
    ]);
    for (errors, method) in found.iter().zip(METHODS) {
        table.row([
            method.to_owned(),
            errors.volume.map(short).join(", "),
            errors.normal.map(short).join(", "),
            format!("{} of {}", errors.reversed[0], errors.reversed[1]),
        ]);
    }
    page.table(table);
    page.heading("Nearly parallel axes");
    page.text(format!(
        "{few} pairs of similar size for each angle, which overlap on a side, on a base, or on both. The contact normal \
         theorem does not determine the normal if the axes and the contact point are coplanar; granum then uses the \
         gradient of the volume. At larger angles the theorem itself differs from the gradient."
    ));
    let mut table = Table::new([
        "angle, rad",
        "layers: worst angle, degrees; above 1 degree",
        "edges: the same",
        "sign of equation 23 wrong",
    ]);
    for (k, tilt) in TILTS.into_iter().enumerate() {
        let cell = |method: usize| format!("{:.4}; {} of {few}", worst[method][k][0], worst[method][k][1]);
        table.row([format!("{tilt:e}"), cell(0), cell(1), format!("{} of {few}", worst[0][k][2])]);
    }
    page.table(table);
    page.compare(
        "normal of parallel axes",
        "not determined by theorem 1",
        format!("within {:.1e} degrees of the gradient of the volume", worst[0][0][0].max(worst[1][0][0])),
        "the gradient of the volume",
        Verdict::Corrected,
        "the theorem needs a second condition, which the volume gives",
    );
    page.compare(
        "normal by the first form of equation 23",
        "with n_p1",
        format!(
            "with n_p2 it points from b to a in {} of {} random pairs, and in {} of {few} with axes at 0.1 rad",
            found[0].reversed[0],
            found[0].reversed[1],
            worst[0][TILTS.len() - 1][2]
        ),
        "the sign of the gradient of the volume",
        Verdict::Corrected,
        "(p - c1).n_p1 is always zero, so that the printed form is p - c1, whatever the second axis",
    );
    let [straight, tilted] = [0.0, 1e-8].map(tilted_pair);
    page.compare(
        "overlap by equation 21 of two cylinders of radius 1 m at distance 1.99 m",
        "a measure of the overlap",
        format!("{:.4} m for parallel axes, {:.4} m after a tilt of 1e-8", straight[1], tilted[1]),
        format!("the volume is {:.6} and {:.6} m3", straight[0], tilted[0]),
        Verdict::Corrected,
        "the bounding dimensions jump with the frame, so that a force by them derives from no energy",
    );
    Ok(page)
}
