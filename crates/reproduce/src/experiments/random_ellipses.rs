//! Statistics of the method of \[Martinez2003\] for random ellipses, by aspect ratio: searches that end at
//! a local minimum, and contacts that are missed.

use std::f64::consts::TAU;

use glam::{DQuat, DVec2, DVec3};
use granum_geometry::random::Random;
use granum_geometry::shape::Ellipse;
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, collide};
use granum_reference::methods::{Search, curvature};
use serde::{Deserialize, Serialize};

use super::Experiment;
use super::statistics::{curves, quantiles, short};
use crate::{Page, Session, Stopped, Table, Verdict};

/// The experiment.
pub const FAILURES: Experiment = Experiment {
    name: "martinez-failures",
    about: "false minima of Brent's method and missed contacts of ellipses, by aspect ratio",
    cost: ["2 seconds", "1 second"],
    run,
};

/// Largest aspect ratios of the random ellipses.
const ASPECTS: [f64; 7] = [1.2, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0];

/// Difference of two minima above which they are not the same.
const SAME: f64 = 1e-6;

/// Counts for one aspect ratio.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Counts {
    pairs: usize,
    /// Pairs whose search along b, along a, or along either ends at a false minimum.
    false_minima: [usize; 3],
    contacts: usize,
    /// Contacts that the test on b, the test on a, both tests, and the printed curvature method miss.
    missed: [usize; 4],
    /// Median and 99th percentile of the relative error of the corrected curvature method, for
    /// shallow contacts.
    errors: [f64; 2],
}

/// Depth of a shallow contact, relative to the largest semi-axis.
const SHALLOW: f64 = 0.02;

fn count(aspect: f64, pairs: usize) -> Counts {
    let mut random = Random::new(41);
    let mut counts = Counts::default();
    let mut errors = Vec::new();
    let mut manifold = Manifold::default();
    while counts.pairs < pairs {
        let mut ellipse = || {
            let long = random.range(0.5, 1.0);
            let semi_axes = DVec2::new(long, long / random.range(1.0, aspect));
            (semi_axes, Shape::from(Ellipse { semi_axes }), random.range(0.0, TAU))
        };
        let ((axes_a, a, angle_a), (axes_b, b, angle_b)) = (ellipse(), ellipse());
        let distance = random.range(0.0, axes_a.x + axes_b.x);
        let direction = DVec2::from_angle(random.range(0.0, TAU));
        let pose = |position: DVec2, angle: f64| Pose {
            position: position.extend(0.0),
            orientation: DQuat::from_axis_angle(DVec3::Z, angle),
        };
        let (pose_a, pose_b) = (pose(DVec2::ZERO, angle_a), pose(distance * direction, angle_b));
        let pair = Pair::new(&a, &pose_a, &b, &pose_b);
        collide(Measure::Depth, &pair, &mut manifold);
        let Some(gap) = manifold.deepest().map(|point| point.gap) else { continue };
        counts.pairs += 1;
        let [printed, global] =
            [Search::PRINTED, Search::Global].map(|search| curvature(&pair, search).expect("ellipses"));
        let on_b = printed.potential.on_b.value > global.potential.on_b.value + SAME;
        let on_a = printed.potential.on_a.value > global.potential.on_a.value + SAME;
        for (count, is_false) in counts.false_minima.iter_mut().zip([on_b, on_a, on_a || on_b]) {
            *count += usize::from(is_false);
        }
        if gap < 0.0 {
            counts.contacts += 1;
            let unseen = [printed.potential.on_b.value > 0.0, printed.potential.on_a.value > 0.0];
            let missed = [unseen[0], unseen[1], unseen[0] && unseen[1], printed.overlap < 0.0];
            for (count, is_missed) in counts.missed.iter_mut().zip(missed) {
                *count += usize::from(is_missed);
            }
            if -gap < SHALLOW * axes_a.x.max(axes_b.x) {
                errors.push((global.overlap / -gap - 1.0).abs());
            }
        }
    }
    if !errors.is_empty() {
        let [median, most, _] = quantiles(errors);
        counts.errors = [median, most];
    }
    counts
}

fn run(session: &mut Session) -> Result<Page, Stopped> {
    let pairs = session.size(15_000, 400);
    let mut all = Vec::new();
    for aspect in ASPECTS {
        let share = 1.0 / ASPECTS.len() as f64;
        all.push(session.part(&format!("aspect_{aspect}"), share, || count(aspect, pairs))?);
    }
    let mut page = Page::new("False minima of Brent's method", "[Martinez2003], sections 3.1 and 4.1.4");
    page.text(format!(
        "{pairs} random pairs for each largest aspect ratio; the longer semi-axis is 0.5 to 1 m, the distance of the \
         centres up to the sum of both. A search fails if its minimum is above the global one. A contact is missed by one \
         test if the smallest function on that boundary is positive; the thesis takes either test. The last column is \
         the error of the overlap by osculating circles with the global minimum and the signed distance, for depths below \
         2 % of the size."
    ));
    let per_cent = |count: usize, of: usize| 100.0 * count as f64 / of.max(1) as f64;
    let mut table = Table::new([
        "aspect up to",
        "search on b fails, %",
        "search on a fails, %",
        "either fails, %",
        "missed by the worse test, %",
        "missed by both tests",
        "missed by the printed curvature method, %",
        "error of h, median and 99 %",
    ]);
    for (counts, aspect) in all.iter().zip(ASPECTS) {
        let failures = counts.false_minima.map(|count| format!("{:.1}", per_cent(count, counts.pairs)));
        let [on_b, on_a, either] = failures;
        table.row([
            aspect.to_string(),
            on_b,
            on_a,
            either,
            format!("{:.1}", per_cent(counts.missed[0].max(counts.missed[1]), counts.contacts)),
            format!("{} of {}", counts.missed[2], counts.contacts),
            format!("{:.2}", per_cent(counts.missed[3], counts.contacts)),
            format!("{}, {}", short(counts.errors[0]), short(counts.errors[1])),
        ]);
    }
    page.table(table);
    let rates = |f: &dyn Fn(&Counts) -> f64| all.iter().map(f).collect::<Vec<f64>>();
    let values = vec![
        ("a search fails".to_owned(), rates(&|c| per_cent(c.false_minima[2], c.pairs))),
        ("missed by one test".to_owned(), rates(&|c| per_cent(c.missed[0].max(c.missed[1]), c.contacts))),
        ("missed by curvature".to_owned(), rates(&|c| per_cent(c.missed[3], c.contacts))),
    ];
    let caption = "Failures of one run of Brent's method on [0, 2 pi] against the largest aspect ratio";
    page.picture(
        "failures",
        curves(caption, ["aspect ratio", ""], ["pairs or contacts", "%"], ASPECTS.into(), values),
        caption,
    );
    let last = all.last().expect("aspect ratios");
    page.compare(
        "\"a local minimum is not a problem\" (section 3.1), aspect up to 10",
        "true",
        format!("a search fails in {:.1} % of the pairs", per_cent(last.false_minima[2], last.pairs)),
        "",
        Verdict::Corrected,
        format!(
            "one test alone misses {:.1} % of the contacts, both together {} of {}, the curvature method {:.2} %",
            per_cent(last.missed[0].max(last.missed[1]), last.contacts),
            last.missed[2],
            last.contacts,
            per_cent(last.missed[3], last.contacts)
        ),
    );
    Ok(page)
}
