//! The random pairs of [Wellmann2008, tables I and II, figures 5 and 6].

use granum_geometry::random::Random;
use granum_geometry::{Pair, Status};
use granum_reference::methods::{ALL, Detail, Outcome};
use granum_reference::random_pairs::{INTERVALS, LARGEST_DEPTH, LARGEST_GAP, RandomPair};
use serde::{Deserialize, Serialize};

use super::Experiment;
use super::statistics::{curves, short};
use crate::{Page, Session, Stopped, Table, Verdict};

/// The experiment.
pub const PAIRS: Experiment = Experiment {
    name: "wellmann-pairs",
    about: "both series of random superellipsoid pairs, by the published method and by the default",
    cost: ["4 minutes", "2 seconds"],
    run,
};

/// Pairs of one part, and parts of one series.
const PAIRS_OF_A_PART: [usize; 2] = [50_000, 1_000];
const PARTS: [usize; 2] = [20, 1];

/// Iterations that are counted one by one; more are counted together.
const COUNTED: usize = 50;

/// Iterations that the charts show.
const SHOWN: usize = 20;

/// The two methods, the published one first.
const METHODS: [&str; 2] = ["common-normal", "support"];

/// Relative difference from the constructed depth above which a pair has another, smaller depth.
const SAME_DEPTH: f64 = 1e-2;

/// Names of the intervals of the exponents.
const NAMES: [&str; 3] = ["eps 1", "eps 0.7 to 1.3", "eps 0.3 to 1.7"];

/// Published results of an interval.
struct Published {
    /// Excluded after 0 iterations, after 5 or more, per cent; not within 50, in a million.
    excluded: [f64; 3],
    /// 20 iterations or more, per cent; not resolved by the first search, in a million.
    resolved: [f64; 2],
    /// Mean errors: depth, relative; points, m; angle, degrees.
    errors: [f64; 3],
}

const PUBLISHED: [Published; 3] = [
    Published { excluded: [88.1, 1.1, 28.0], resolved: [0.4, 193.0], errors: [2.34e-6, 4.34e-8, 4.21e-3] },
    Published { excluded: [85.2, 1.1, 24.0], resolved: [0.4, 198.0], errors: [2.40e-6, 4.40e-8, 5.05e-3] },
    Published { excluded: [78.2, 3.7, 456.0], resolved: [4.5, 9219.0], errors: [3.21e-5, 3.72e-7, 1.82e-2] },
];

/// Counts of one series by one method.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Counts {
    pairs: usize,
    /// Pairs by the number of iterations of the first search.
    iterations: Vec<usize>,
    /// Pairs that the first search did not solve.
    restarted: usize,
    most_restarts: u32,
    /// Pairs without a solution.
    lost: usize,
    /// Pairs with a smaller depth than the constructed one.
    other: usize,
    /// Sums of the errors: depth, relative; points, m; angle, degrees.
    errors: [f64; 3],
}

impl Counts {
    fn see(&mut self, outcome: &Outcome) {
        let detail = |name: &str| match outcome.details.iter().find(|(key, _)| *key == name) {
            Some((_, Detail::Number(number))) => Some(*number),
            _ => None,
        };
        let iterations = detail("iterations_of_first_search").map_or(outcome.iterations, |number| number as u32);
        let restarts = detail("restarts").unwrap_or(0.0) as u32;
        self.iterations.resize(COUNTED + 1, 0);
        self.iterations[(iterations as usize).min(COUNTED)] += 1;
        self.pairs += 1;
        self.restarted += usize::from(restarts > 0);
        self.most_restarts = self.most_restarts.max(restarts);
        self.lost += usize::from(outcome.status != Status::Converged);
    }

    fn add(&mut self, other: &Self) {
        self.pairs += other.pairs;
        self.iterations.resize(COUNTED + 1, 0);
        self.iterations.iter_mut().zip(&other.iterations).for_each(|(sum, count)| *sum += count);
        self.restarted += other.restarted;
        self.most_restarts = self.most_restarts.max(other.most_restarts);
        self.lost += other.lost;
        self.other += other.other;
        self.errors.iter_mut().zip(other.errors).for_each(|(sum, error)| *sum += error);
    }

    fn per_cent(&self, iterations: impl Fn(usize) -> bool) -> f64 {
        let count: usize = self.iterations.iter().enumerate().filter(|(k, _)| iterations(*k)).map(|(_, n)| n).sum();
        100.0 * count as f64 / self.pairs as f64
    }

    fn per_million(&self, count: usize) -> f64 {
        1e6 * count as f64 / self.pairs as f64
    }

    fn mean_errors(&self) -> [f64; 3] {
        self.errors.map(|sum| sum / (self.pairs - self.lost - self.other) as f64)
    }

    /// Returns the fractions of the pairs by iterations.
    fn histogram(&self) -> Vec<f64> {
        self.iterations[..=SHOWN].iter().map(|&count| count as f64 / self.pairs as f64).collect()
    }
}

fn solve(method: &str, pair: &Pair) -> Outcome {
    let method = ALL.iter().find(|other| other.name == method && (other.serves)(pair));
    (method.expect("the methods serve superellipsoids").solve)(pair)
}

/// Excludes pairs that are apart. The default routine stops as the published method does, once it
/// has a separating plane: its margin is zero.
fn exclude(eps: [f64; 2], pairs: usize, stream: u64) -> [Counts; 2] {
    let mut random = Random::stream(1, stream);
    let mut counts = [(); 2].map(|()| Counts::default());
    for _ in 0..pairs {
        let gap = random.range(0.0, LARGEST_GAP);
        let built = RandomPair::new(&mut random, eps, gap);
        for (method, counts) in METHODS.iter().zip(&mut counts) {
            counts.see(&solve(method, &built.pair(0.0)));
        }
    }
    counts
}

/// Resolves pairs that overlap.
fn resolve(eps: [f64; 2], pairs: usize, stream: u64) -> [Counts; 2] {
    let mut random = Random::stream(2, stream);
    let mut counts = [(); 2].map(|()| Counts::default());
    for _ in 0..pairs {
        let depth = random.range(0.0, LARGEST_DEPTH);
        let built = RandomPair::new(&mut random, eps, -depth);
        for (method, counts) in METHODS.iter().zip(&mut counts) {
            let outcome = solve(method, &built.pair(0.0));
            counts.see(&outcome);
            let (Some(gap), Some(normal), Some(points), Status::Converged) =
                (outcome.gap, outcome.normal, outcome.points, outcome.status)
            else {
                continue;
            };
            if (gap + depth).abs() > SAME_DEPTH * depth {
                counts.other += 1;
                continue;
            }
            counts.errors[0] += (gap + depth).abs() / depth;
            counts.errors[1] += (points[0] - built.on_a).length();
            counts.errors[2] += normal.cross(built.normal).length().to_degrees();
        }
    }
    counts
}

type Series = [[Counts; 2]; 3];

fn series(
    session: &mut Session,
    name: &str,
    compute: fn([f64; 2], usize, u64) -> [Counts; 2],
) -> Result<Series, Stopped> {
    let form = usize::from(session.is_small());
    let mut sums = Series::default();
    for (k, eps) in INTERVALS.into_iter().enumerate() {
        for part in 0..PARTS[form] {
            let counts = session.part(&format!("{name}_{k}_{part}"), 1.0 / (6 * PARTS[form]) as f64, || {
                compute(eps, PAIRS_OF_A_PART[form], part as u64)
            })?;
            sums[k].iter_mut().zip(&counts).for_each(|(sum, counts)| sum.add(counts));
        }
    }
    Ok(sums)
}

fn run(session: &mut Session) -> Result<Page, Stopped> {
    let apart = series(session, "apart", exclude)?;
    let overlapping = series(session, "overlapping", resolve)?;
    let mut page = Page::new("Random pairs of superellipsoids", "[Wellmann2008], tables I and II, figures 5 and 6");
    page.text(format!(
        "Each series has {} pairs an interval; the publication has 1,000,000. Semi-axes are 0.5 to 3 m, the distance of \
         the separated pairs is 0 to 0.25 m, the depth of the others 0 to 1.75 mm. The third column is the method \
         `common-normal`, which is the published one with the corrected Hessian; the fourth is `support`, the default \
         of granum. The random numbers are not those of the publication.",
        apart[0][0].pairs
    ));
    for (k, published) in PUBLISHED.iter().enumerate() {
        compare_exclusion(&mut page, NAMES[k], published, &apart[k]);
        compare_resolution(&mut page, NAMES[k], published, &overlapping[k]);
    }
    page.heading("Iterations");
    chart(
        &mut page,
        &apart,
        "exclusion",
        "Probability that a separated pair is excluded within a number of iterations (figure 5)",
    );
    chart(
        &mut page,
        &overlapping,
        "resolution",
        "Probability that an overlapping pair is resolved within a number of iterations (figure 6)",
    );
    page.heading("Searches that start again");
    page.table(restarts(&apart, &overlapping));
    page.text(
        "A pair that no restart solves has the status \"not converged\". Pairs with a smaller depth than constructed \
         have another common normal, which is the right answer.",
    );
    Ok(page)
}

/// Reasons for results that are better than published.
const FEWER: &str = "fewer: the published shift, line search and test of a minimum have constants that are not stated";
const SMALLER: &str = "smaller: with the exact Hessian the last step ends far below the tolerance";

/// Ratio of two results up to which they count as equal: different random pairs and constants.
const SIMILAR: f64 = 2.0;

/// Number of standard deviations of a count up to which it agrees with the published one.
const DEVIATIONS: f64 = 3.0;

/// Returns the verdict on a rate of `ours` beside a `published` one. `deviation` is the standard
/// deviation of ours.
fn verdict(published: f64, ours: f64, deviation: f64, if_less: &'static str) -> (Verdict, &'static str) {
    let is_similar = ours <= SIMILAR * published && ours >= published / SIMILAR;
    if is_similar || (ours - published).abs() <= DEVIATIONS * deviation {
        (Verdict::Reproduced, "")
    } else if ours < published {
        (Verdict::Differs, if_less)
    } else {
        (Verdict::Differs, "more: the random pairs are others")
    }
}

/// Adds a row for a rate per `unit` pairs.
fn compare_rate(page: &mut Page, quantity: String, published: f64, unit: f64, ours: [f64; 2], pairs: usize) {
    // A published rate of pairs out of a million has a deviation itself; that of ours dominates.
    let deviation = (published.max(ours[0]) * unit / pairs as f64).sqrt();
    let (verdict, reason) = verdict(published, ours[0], deviation, FEWER);
    let [ours, default] = ours.map(|rate| if unit > 1e3 { format!("{rate:.0}") } else { format!("{rate:.2}") });
    page.compare(quantity, published.to_string(), ours, default, verdict, reason);
}

fn compare_exclusion(page: &mut Page, name: &str, published: &Published, [ours, default]: &[Counts; 2]) {
    let [at_once, late, missed] = published.excluded;
    page.compare(
        format!("{name}, apart: excluded after 0 iterations, %"),
        at_once.to_string(),
        format!("{:.1}; after at most 1: {:.1}", ours.per_cent(|k| k == 0), ours.per_cent(|k| k <= 1)),
        format!("{:.1}", default.per_cent(|k| k == 0)),
        Verdict::Differs,
        "the published figure agrees with that of at most one iteration",
    );
    let late_of = |counts: &Counts| counts.per_cent(|k| k >= 5);
    let quantity = format!("{name}, apart: 5 iterations or more, %");
    compare_rate(page, quantity, late, 100.0, [late_of(ours), late_of(default)], ours.pairs);
    let quantity = format!("{name}, apart: not excluded by the first search, per million");
    let missed_by = |counts: &Counts| counts.per_million(counts.restarted.max(counts.lost));
    compare_rate(page, quantity, missed, 1e6, [missed_by(ours), missed_by(default)], ours.pairs);
}

fn compare_resolution(page: &mut Page, name: &str, published: &Published, [ours, default]: &[Counts; 2]) {
    let [late, missed] = published.resolved;
    let late_of = |counts: &Counts| counts.per_cent(|k| k >= 20);
    let quantity = format!("{name}, overlapping: 20 iterations or more, %");
    compare_rate(page, quantity, late, 100.0, [late_of(ours), late_of(default)], ours.pairs);
    let quantity = format!("{name}, overlapping: not resolved by the first search, per million");
    let missed_by = |counts: &Counts| counts.per_million(counts.restarted.max(counts.lost));
    compare_rate(page, quantity, missed, 1e6, [missed_by(ours), missed_by(default)], ours.pairs);
    let quantities = ["depth, relative", "points, m", "angle of the normal, degrees"];
    for (k, quantity) in quantities.into_iter().enumerate() {
        let (published, [ours, default]) = (published.errors[k], [ours, default].map(|counts| counts.mean_errors()[k]));
        let (verdict, reason) = verdict(published, ours, 0.0, SMALLER);
        page.compare(
            format!("{name}: mean error of the {quantity}"),
            format!("{published:.2e}"),
            format!("{ours:.2e}"),
            format!("{default:.2e}"),
            verdict,
            reason,
        );
    }
}

fn chart(page: &mut Page, series: &Series, name: &str, caption: &str) {
    let mut values = Vec::new();
    for (method, label) in ["published method", "default"].into_iter().enumerate() {
        for (counts, interval) in series.iter().zip(NAMES) {
            values.push((format!("{label}, {interval}"), counts[method].histogram()));
        }
    }
    let abscissae = (0..=SHOWN).map(|k| k as f64).collect();
    let svg = curves(caption, ["iterations", ""], ["fraction of the pairs", ""], abscissae, values);
    page.picture(name, svg, caption);
}

fn restarts(apart: &Series, overlapping: &Series) -> Table {
    let mut table = Table::new([
        "series",
        "method",
        "searches that start again, per million",
        "most restarts",
        "not converged",
        "smaller depth",
    ]);
    for (what, series) in [("apart", apart), ("overlapping", overlapping)] {
        for (counts, interval) in series.iter().zip(NAMES) {
            for (counts, method) in counts.iter().zip(METHODS) {
                table.row([
                    format!("{what}, {interval}"),
                    method.to_owned(),
                    short(counts.per_million(counts.restarted)),
                    counts.most_restarts.to_string(),
                    counts.lost.to_string(),
                    counts.other.to_string(),
                ]);
            }
        }
    }
    table
}
