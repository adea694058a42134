//! Accuracy and time of the routine for each two kinds of shape, as a part of a page of the
//! documentation. `cargo xtask pairs --measure` sets `GRANUM_PAGE` and so writes this part. Without
//! it the test compares the routines of the page with the pair table.

mod support;

use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::time::Instant;

use glam::DVec3;
use granum_geometry::{Kind, Manifold, Measure, Pair, PairTable, Pose, Routine, Shape, Status, collide};
use support::Rng;
use support::oracle::gap_along;
use support::shapes::{bounded, can_meet, is_planar, random_shape, rotation, vector};

/// Returns the routine for the depth of two kinds.
fn routine(a: Kind, b: Kind) -> Routine {
    PairTable::standard().routine(Measure::Depth, a, b)
}

/// Path of the page, relative to this crate.
const PAGE: &str = "../../docs/theory/pairs.md";

/// Numbers of pairs per cell and state, in the test and for the page.
const PAIRS_IN_TEST: usize = 20;
const PAIRS_ON_PAGE: usize = 300;

/// Gaps of separated and of overlapping pairs, m: a hundredth and a thousandth of the size.
const APART: f64 = 1e-2;
const OVERLAPPING: f64 = -1e-3;

/// Largest allowed difference between a gap and the gap along its normal, m. The general routine at
/// a rim is the least exact.
const LARGEST_ERROR: f64 = 1e-9;

/// Largest allowed fraction of the pairs of a cell without a proven result.
const UNPROVEN: f64 = 0.1;

/// Number of timed passes over the pairs of a cell. The fastest counts.
const PASSES: usize = 5;

/// Heading of the measured part of the page, after the part that `cargo xtask pairs` writes.
const HEADING: &str = "## Accuracy and time\n";

const HEAD: &str = "\
## Accuracy and time

This part is written by `cargo xtask pairs --measure`. It contains the routines for the depth of every
two kinds of shape that can occur in one world; two walls have no contact. The shapes are random,
about 1 m large, and either 10 mm apart or 1 mm deep in each other. The error is the difference
between the gap and the gap along the reported normal, from the support points of the bodies; walls
have none. A routine that cannot prove its result reports that: \"unproven\" counts such overlapping
pairs. Times are of one core of a busy machine. Use them for comparison only.

| a | b | routine | error apart, m | overlapping, m | unproven | ns apart | overlapping | warm |
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |
";

struct Case {
    a: Shape,
    b: Shape,
    pose_a: Pose,
    pose_b: Pose,
    normal: DVec3,
}

impl Case {
    /// Creates two bodies with the given gap, m: they approach each other until they touch and then
    /// move along their normal. Returns `None` if they miss each other.
    fn at(kinds: [Kind; 2], gap: f64, rng: &mut Rng) -> Option<Self> {
        const STEPS: usize = 40;
        const TOUCHING: f64 = 1e-7;
        const GRAZING: f64 = 0.05;
        let planar = kinds.into_iter().any(is_planar);
        let [a, b] = kinds.map(|kind| random_shape(kind, planar, rng));
        let is_free = bounded(&a) && bounded(&b);
        let (far, beside) = (vector(planar, rng).normalize(), vector(planar, rng));
        let position = if is_free { 3.0 * far + 0.5 * beside } else { far };
        let pose_a = Pose { position: DVec3::ZERO, orientation: rotation(planar, rng) };
        let pose_b = Pose { position, orientation: rotation(planar, rng) };
        let mut case = Self { a, b, pose_a, pose_b, normal: DVec3::X };
        let mut manifold = Manifold::default();
        for _ in 0..STEPS {
            collide(Measure::Depth, &case.pair(None), &mut manifold);
            let point = *manifold.deepest()?;
            case.normal = point.normal;
            if point.gap.abs() <= TOUCHING {
                case.pose_b.position += (gap - point.gap) * point.normal;
                return Some(case);
            }
            // Walls are approached along their normals.
            let (approach, cosine) = if is_free { (far, far.dot(point.normal)) } else { (point.normal, 1.0) };
            if cosine < GRAZING {
                return None;
            }
            case.pose_b.position -= point.gap / cosine * approach;
        }
        None
    }

    fn pair(&self, warm: Option<DVec3>) -> Pair<'_> {
        Pair { warm, ..Pair::new(&self.a, &self.pose_a, &self.b, &self.pose_b) }
    }

    /// Returns the error of the gap along its normal, m, if both bodies have support points, and
    /// whether the result is proven.
    fn error(&self) -> (Option<f64>, bool) {
        let (pair, mut manifold) = (self.pair(None), Manifold::default());
        collide(Measure::Depth, &pair, &mut manifold);
        let deepest = manifold.deepest().filter(|_| bounded(&self.a) && bounded(&self.b));
        let error = deepest.map(|point| (gap_along(&pair, point.normal) - point.gap).abs());
        (error, manifold.status == Status::Converged)
    }
}

/// Returns the time per pair, ns.
fn time(cases: &[Case], is_warm: bool) -> f64 {
    let mut manifold = Manifold::default();
    let mut pass = || {
        let start = Instant::now();
        for case in cases {
            collide(Measure::Depth, black_box(&case.pair(is_warm.then_some(case.normal))), &mut manifold);
            black_box(&manifold);
        }
        start.elapsed().as_secs_f64() * 1e9 / cases.len() as f64
    };
    (0..PASSES).map(|_| pass()).fold(f64::INFINITY, f64::min)
}

/// Returns every pair of kinds that can occur in one world, each once. A triangulated surface is not
/// convex and has a test of its own, `surface.rs`.
fn cells() -> impl Iterator<Item = [Kind; 2]> {
    let kinds: Vec<Kind> = Kind::BUILT_IN.iter().copied().filter(|&kind| kind != Kind::Surface).collect();
    let pairs = (0..kinds.len()).flat_map(move |k| {
        let (a, others) = (kinds[k], kinds[k..].to_vec());
        others.into_iter().map(move |b| [a, b])
    });
    pairs.filter(|&[a, b]| can_meet(a, b) && routine(a, b).name() != "wall_wall")
}

fn names([a, b]: [Kind; 2]) -> String {
    format!("| {} | {} | {} |", a.name(), b.name(), routine(a, b).name())
}

/// Returns the row of the page for two kinds.
fn row(kinds: [Kind; 2], count: usize, rng: &mut Rng) -> String {
    let mut cell = |gap: f64| -> Vec<Case> { (0..count).filter_map(|_| Case::at(kinds, gap, rng)).collect() };
    let (apart, overlapping) = (cell(APART), cell(OVERLAPPING));
    assert!(2 * apart.len().min(overlapping.len()) > count, "{kinds:?}: {} {}", apart.len(), overlapping.len());
    let worst = |cases: &[Case]| {
        let error = cases.iter().filter_map(|case| case.error().0).reduce(f64::max);
        assert!(error.is_none_or(|error| error <= LARGEST_ERROR), "{kinds:?}: {error:?}");
        error.map_or_else(String::new, |error| format!("{error:.0e}"))
    };
    let unproven = overlapping.iter().filter(|case| !case.error().1).count();
    assert!(unproven as f64 <= UNPROVEN * count as f64, "{kinds:?}: {unproven} results are unproven");
    let errors = format!("{} | {} | {unproven} of {}", worst(&apart), worst(&overlapping), overlapping.len());
    let times = [time(&apart, false), time(&overlapping, false), time(&overlapping, true)];
    format!("{} {errors} | {:.0} | {:.0} | {:.0} |\n", names(kinds), times[0], times[1], times[2])
}

#[test]
fn the_page_of_pairs_agrees_with_the_table() {
    let mut rng = Rng::new(41);
    let path = format!("{}/{PAGE}", env!("CARGO_MANIFEST_DIR"));
    let writes_page = std::env::var_os("GRANUM_PAGE").is_some();
    let mut stored = fs::read_to_string(&path).expect("the page exists");
    let begin = stored.find(HEADING).expect("the page has a measured part");
    let mut measured = HEAD.to_string();
    for kinds in cells() {
        let _ = write!(measured, "{}", row(kinds, if writes_page { PAIRS_ON_PAGE } else { PAIRS_IN_TEST }, &mut rng));
    }
    if writes_page {
        stored.replace_range(begin.., &measured);
        fs::write(&path, &stored).expect("the page can be written");
    }
    let stored = &stored[begin..];
    assert!(stored.starts_with(HEAD), "the page is out of date: run cargo xtask pairs --measure");
    let rows: Vec<&str> = stored.lines().skip(HEAD.lines().count()).collect();
    assert_eq!(rows.len(), cells().count(), "the page is out of date: run cargo xtask pairs --measure");
    for (kinds, row) in cells().zip(rows) {
        assert!(row.starts_with(&names(kinds)), "the page is out of date: run cargo xtask pairs --measure\n{row}");
    }
}
