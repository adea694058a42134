//! Relations of two ellipsoids and the roots of det(lambda A + B) \[Trabelsi2009, Wang2001\], and
//! internal contact.

use glam::DVec3;
use granum_geometry::random::Random;
use granum_geometry::shape::{Ellipsoid, InsideEllipsoid};
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, collide};
use granum_reference::methods::{ALL, Detail, Outcome};
use serde::{Deserialize, Serialize};

use super::Experiment;
use super::statistics::{quantiles, short};
use crate::{Page, Session, Stopped, Table, Verdict};

/// The experiment.
pub const RELATIONS: Experiment = Experiment {
    name: "trabelsi-relations",
    about: "relations and roots of two ellipsoids, internal contact, counterexamples to the theorems",
    cost: ["40 seconds", "1 second"],
    run,
};

/// Semi-axes of both ellipsoids, the distance of their centres along x, and what the case shows.
const CASES: [([f64; 3], [f64; 3], f64, &str); 9] = [
    ([4.0, 3.0, 2.0], [1.0, 0.5, 0.5], 0.0, "inclusion (figure 1a)"),
    ([4.0, 3.0, 2.0], [1.0, 0.5, 0.5], 3.0, "internal tangency (figure 1b)"),
    ([4.0, 3.0, 2.0], [1.0, 0.5, 0.5], 4.0, "overlap (figure 1c)"),
    ([4.0, 3.0, 2.0], [1.0, 0.5, 0.5], 5.0, "external tangency"),
    ([4.0, 3.0, 2.0], [1.0, 0.5, 0.5], 6.0, "separation"),
    ([3.0, 3.0, 3.0], [1.0, 1.0, 1.0], 2.0, "two spheres, internal tangency: two double roots"),
    ([4.0, 3.0, 2.0], [4.0, 3.0, 2.0], 0.0, "identical: one root four times"),
    ([2.0, 1.0, 1.0], [1.0, 2.0, 1.0], 0.0, "against theorem 2.8: four negative roots, crossing"),
    ([2.0, 1.0, 1.0], [3.0, 1.0, 1.0], 10.0, "against lemma 2.4: a negative double root, separated"),
];

fn solve(name: &str, pair: &Pair) -> Outcome {
    let method = ALL.iter().find(|method| method.name == name && (method.serves)(pair));
    (method.expect("the method serves ellipsoids").solve)(pair)
}

fn number(outcome: &Outcome, name: &str) -> f64 {
    outcome
        .details
        .iter()
        .find_map(|(key, detail)| match detail {
            Detail::Number(number) if *key == name => Some(*number),
            _ => None,
        })
        .unwrap_or(f64::NAN)
}

fn relation(outcome: &Outcome) -> &'static str {
    outcome
        .details
        .iter()
        .find_map(|(key, detail)| match detail {
            Detail::Text(text) if *key == "relation" => Some(*text),
            _ => None,
        })
        .unwrap_or("none")
}

fn ellipsoid(semi_axes: [f64; 3]) -> Shape {
    Ellipsoid { semi_axes: DVec3::from(semi_axes) }.into()
}

/// Counts for random pairs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Counts {
    pairs: usize,
    separated: usize,
    included: usize,
    crossing: usize,
    /// Pairs against "separated if and only if there are two positive roots".
    against_wang: usize,
    /// Included pairs without four negative roots.
    against_inclusion: usize,
    /// Crossing pairs with four negative roots, against theorem 2.8.
    against_converse: usize,
    /// Median, 99th percentile and largest angle from the exact normal for shallow contacts, degrees:
    /// of the line C-C', and of the gradients in its middle.
    line: [f64; 3],
    gradients: [f64; 3],
}

/// Depth of a shallow contact, m.
const SHALLOW: f64 = 0.02;

fn random_pairs(pairs: usize) -> Counts {
    let mut random = Random::new(61);
    let mut counts = Counts { pairs, ..Counts::default() };
    let (mut lines, mut gradients) = (Vec::new(), Vec::new());
    for _ in 0..pairs {
        let mut body = || ellipsoid([random.range(0.5, 3.0), random.range(0.5, 3.0), random.range(0.5, 3.0)]);
        let (a, b) = (body(), body());
        let pose_a = Pose { position: DVec3::ZERO, orientation: random.rotation() };
        let pose_b = Pose { position: random.range(0.0, 5.0) * random.in_ball(), orientation: random.rotation() };
        let pair = Pair::new(&a, &pose_a, &b, &pose_b);
        let (found, exact) = (solve("algebraic", &pair), solve("support", &pair));
        let gap = exact.gap.unwrap_or(f64::NAN);
        let [positive, negative] = ["positive_roots", "negative_roots"].map(|name| number(&found, name));
        counts.against_wang += usize::from((positive == 2.0) != (gap > 0.0));
        let is_inside = relation(&found).contains("inside");
        counts.included += usize::from(is_inside);
        counts.against_inclusion += usize::from(is_inside && negative != 4.0);
        counts.separated += usize::from(gap > 0.0);
        if gap < 0.0 && !is_inside {
            counts.crossing += 1;
            counts.against_converse += usize::from(negative == 4.0);
        }
        if gap < 0.0 && -gap < SHALLOW {
            let potential = solve("potential", &pair);
            if let (Some(normal), Some(exact), Some([c, other])) = (potential.normal, exact.normal, potential.points) {
                gradients.push(normal.angle_between(exact).to_degrees());
                let line = (other - c).normalize_or_zero();
                lines.push(line.dot(exact).abs().min(1.0).acos().to_degrees());
            }
        }
    }
    counts.line = quantiles(lines);
    counts.gradients = quantiles(gradients);
    counts
}

/// Errors of the geometric potential for grains in a hollow ellipsoid.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Internal {
    grains: usize,
    touching: usize,
    /// Grains whose contact is not seen, or seen without one.
    wrong: usize,
    /// Median, 99th percentile and largest angle of the normal for depths below 0.02 m, degrees.
    normal: [f64; 3],
    /// The same of the gap, m.
    gap: [f64; 3],
}

fn internal(grains: usize) -> Internal {
    let mut random = Random::new(62);
    let semi_axes = DVec3::new(4.0, 3.0, 2.0);
    let bowl: Shape = InsideEllipsoid { semi_axes }.into();
    let mut found = Internal { grains, ..Internal::default() };
    let (mut normals, mut gaps) = (Vec::new(), Vec::new());
    let mut manifold = Manifold::default();
    for _ in 0..grains {
        let grain = ellipsoid([random.range(0.2, 0.6), random.range(0.2, 0.6), random.range(0.2, 0.6)]);
        let pose = Pose { position: semi_axes * random.in_ball(), orientation: random.rotation() };
        let pair = Pair::new(&bowl, &Pose::IDENTITY, &grain, &pose);
        collide(Measure::Depth, &pair, &mut manifold);
        let Some(exact) = manifold.deepest() else { continue };
        let ours = solve("potential", &pair);
        found.touching += usize::from(exact.gap < 0.0);
        found.wrong += usize::from(ours.touching != (exact.gap < 0.0));
        if let (Some(normal), Some(gap), true) = (ours.normal, ours.gap, exact.gap.abs() < SHALLOW) {
            normals.push(normal.angle_between(exact.normal).to_degrees());
            gaps.push((gap - exact.gap).abs());
        }
    }
    found.normal = quantiles(normals);
    found.gap = quantiles(gaps);
    found
}

fn run(session: &mut Session) -> Result<Page, Stopped> {
    let (pairs, grains) = (session.size(300_000, 3_000), session.size(100_000, 2_000));
    let counts = session.part("pairs", 0.7, || random_pairs(pairs))?;
    let hollow = session.part("hollow", 0.3, || internal(grains))?;
    let mut page = Page::new("Relations of two ellipsoids", "[Trabelsi2009], sections 2 and 3; [Wang2001]");
    page.text(
        "The relation is decided without roots, by the deepest and the farthest point. The roots are those of \
         det(lambda A + B); multiple roots are counted as often as they occur.",
    );
    let mut table = Table::new(["semi-axes", "distance, m", "relation", "roots", "shows"]);
    for (a, b, x, shows) in CASES {
        let pair_of = [ellipsoid(a), ellipsoid(b)];
        let at = Pose { position: DVec3::new(x, 0.0, 0.0), ..Pose::IDENTITY };
        let found = solve("algebraic", &Pair::new(&pair_of[0], &Pose::IDENTITY, &pair_of[1], &at));
        let roots = ["root_1", "root_2", "root_3", "root_4"].map(|name| short(number(&found, name))).join(", ");
        let counted = format!(
            "{roots} ({} negative, {} positive)",
            number(&found, "negative_roots"),
            number(&found, "positive_roots")
        );
        let axes = |axes: [f64; 3]| axes.map(|x| x.to_string()).join(", ");
        table.row([
            format!("({}) and ({})", axes(a), axes(b)),
            x.to_string(),
            relation(&found).into(),
            counted,
            shows.into(),
        ]);
    }
    page.table(table);
    page.text("A pair of roots that is not real is given by its real part.");
    compare_theorems(&mut page, &counts);
    page.compare(
        "bisection for the touching point",
        "from e = 0",
        format!("{} of {} grains in a hollow ellipsoid with a wrong contact", hollow.wrong, hollow.grains),
        format!("{} touch the wall", hollow.touching),
        Verdict::Corrected,
        "the printed interval has two equal ends and does not move; between -1 and a level outside, inclusion is monotone",
    );
    page.heading("Internal contact");
    page.text(format!(
        "{} grains with semi-axes of 0.2 to 0.6 m in a hollow ellipsoid of 4, 3 and 2 m. For contacts within 0.02 m the \
         normal by the gradients is off by {} degrees (median, 99 %, worst), the gap by {} m.",
        hollow.grains,
        hollow.normal.map(short).join(", "),
        hollow.gap.map(short).join(", ")
    ));
    Ok(page)
}

fn compare_theorems(page: &mut Page, counts: &Counts) {
    let pairs = counts.pairs;
    page.reproduced(
        "two positive roots if and only if separated [Wang2001]",
        "true",
        format!("{} errors in {pairs} random pairs, {} of them separated", counts.against_wang, counts.separated),
    );
    page.reproduced(
        "one inside the other: four negative roots",
        "true",
        format!("{} errors in {} included pairs", counts.against_inclusion, counts.included),
    );
    page.compare(
        "theorem 2.8: four negative roots mean inclusion",
        "true",
        format!("{} of {} crossing pairs have four negative roots", counts.against_converse, counts.crossing),
        "",
        Verdict::Corrected,
        "concentric (2,1,1) and (1,2,1) have the roots -4, -1, -1, -1/4 and cross",
    );
    page.compare(
        "lemma 2.4: a negative double root means internal tangency",
        "true",
        "-1 twice, and separated (last row of the table)",
        "",
        Verdict::Corrected,
        "(2,1,1) and (3,1,1) at distance 10 have one and are separated",
    );
    page.compare(
        "line between the two deepest points as the normal",
        "the normal",
        format!("off by {} degrees (median, 99 %, worst)", counts.line.map(short).join(", ")),
        format!("gradients in the middle: {} degrees", counts.gradients.map(short).join(", ")),
        Verdict::Corrected,
        "depths below 0.02 m; the line is not the common normal at any depth",
    );
}
