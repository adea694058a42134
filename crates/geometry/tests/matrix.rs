//! The matrix of pairs as a page of the documentation: which routine serves two kinds of shape, how exact it is and what it
//! costs. `cargo xtask pairs` writes the page; without `GRANUM_PAGE` the test holds the page's routines against the table.

mod support;

use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::time::Instant;

use glam::DVec3;
use granum_geometry::{Kind, Manifold, Measure, Pair, PairTable, Pose, Routine, Shape, Status, collide};
use support::Rng;
use support::oracle::gap_along;
use support::shapes::{bounded, is_planar, meet, random_shape, rotation, vector};

/// The depth routine of two kinds.
fn routine(a: Kind, b: Kind) -> Routine {
    PairTable::standard().routine(Measure::Depth, a, b)
}

/// The page, from this crate.
const PAGE: &str = "../../docs/theory/pairs.md";

/// Pairs for each cell and state, in a test and for the page.
const FEW: usize = 20;
const MANY: usize = 300;

/// Gap of pairs that are apart, and of pairs that overlap, m: a hundredth and a thousandth of the size.
const APART: f64 = 1e-2;
const OVERLAPPING: f64 = -1e-3;

/// Error of a gap along its normal that no cell may exceed, m: `general` at a rim.
const LARGEST_ERROR: f64 = 1e-9;

/// Part of the pairs of a cell of which a routine may be unsure.
const UNSURE: f64 = 0.1;

/// Passes over the pairs of a cell, of which the fastest counts.
const PASSES: usize = 5;

const HEAD: &str = "\
# Every pair

Made by `cargo xtask pairs`. Each kind of shape meets each other one of its realm through the routine named here; walls do
not meet walls. Shapes are random, about 1 m large; pairs are 10 mm apart or 1 mm deep in each other. The error is by how much
the gap told differs from that along the normal told, by the bodies' support points (none for hollow walls). A routine that
cannot prove an answer says so: \"unsure\" is how many of the overlapping pairs. Times are of one core and not of a quiet machine:
they compare, no more.

| a | b | routine | error apart, m | overlapping, m | unsure | ns apart | overlapping | warm |
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
    /// Two bodies that were moved towards each other until they touch, then along their normal to a gap; none if they miss.
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
            let (way, cosine) = if is_free { (far, far.dot(point.normal)) } else { (point.normal, 1.0) };
            if cosine < GRAZING {
                return None;
            }
            case.pose_b.position -= point.gap / cosine * way;
        }
        None
    }

    fn pair(&self, warm: Option<DVec3>) -> Pair<'_> {
        Pair { warm, ..Pair::new(&self.a, &self.pose_a, &self.b, &self.pose_b) }
    }

    /// Error of the gap along its normal, if both bodies have support points; and whether the routine is sure.
    fn error(&self) -> (Option<f64>, bool) {
        let (pair, mut manifold) = (self.pair(None), Manifold::default());
        collide(Measure::Depth, &pair, &mut manifold);
        let deepest = manifold.deepest().filter(|_| bounded(&self.a) && bounded(&self.b));
        let error = deepest.map(|point| (gap_along(&pair, point.normal) - point.gap).abs());
        (error, manifold.status == Status::Converged)
    }
}

/// Nanoseconds a pair.
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

/// Every pair of kinds that meet, each once.
fn cells() -> impl Iterator<Item = [Kind; 2]> {
    let kinds = Kind::ALL.iter().enumerate();
    let pairs = kinds.flat_map(|(k, &a)| Kind::ALL[k..].iter().map(move |&b| [a, b]));
    pairs.filter(|&[a, b]| meet(a, b) && routine(a, b).name() != "wall_wall")
}

fn names([a, b]: [Kind; 2]) -> String {
    format!("| {} | {} | {} |", a.name(), b.name(), routine(a, b).name())
}

/// The row of a cell.
fn row(kinds: [Kind; 2], count: usize, rng: &mut Rng) -> String {
    let mut cell = |gap: f64| -> Vec<Case> { (0..count).filter_map(|_| Case::at(kinds, gap, rng)).collect() };
    let (apart, overlapping) = (cell(APART), cell(OVERLAPPING));
    assert!(2 * apart.len().min(overlapping.len()) > count, "{kinds:?}: {} {}", apart.len(), overlapping.len());
    let worst = |cases: &[Case]| {
        let error = cases.iter().filter_map(|case| case.error().0).reduce(f64::max);
        assert!(error.is_none_or(|error| error <= LARGEST_ERROR), "{kinds:?}: {error:?}");
        error.map_or_else(String::new, |error| format!("{error:.0e}"))
    };
    let unsure = overlapping.iter().filter(|case| !case.error().1).count();
    assert!(unsure as f64 <= UNSURE * count as f64, "{kinds:?}: unsure of {unsure}");
    let errors = format!("{} | {} | {unsure} of {}", worst(&apart), worst(&overlapping), overlapping.len());
    let times = [time(&apart, false), time(&overlapping, false), time(&overlapping, true)];
    format!("{} {errors} | {:.0} | {:.0} | {:.0} |\n", names(kinds), times[0], times[1], times[2])
}

#[test]
fn the_page_of_pairs_tells_the_table() {
    let mut rng = Rng::new(41);
    let path = format!("{}/{PAGE}", env!("CARGO_MANIFEST_DIR"));
    let is_wanted = std::env::var_os("GRANUM_PAGE").is_some();
    let mut page = HEAD.to_string();
    for kinds in cells() {
        let _ = write!(page, "{}", row(kinds, if is_wanted { MANY } else { FEW }, &mut rng));
    }
    if is_wanted {
        fs::write(&path, &page).expect("the page can be written");
    }
    let kept = fs::read_to_string(&path).expect("the page is there");
    assert!(kept.starts_with(HEAD), "the page is out of date: run cargo xtask pairs");
    let rows: Vec<&str> = kept.lines().skip(HEAD.lines().count()).collect();
    assert_eq!(rows.len(), cells().count(), "the page is out of date: run cargo xtask pairs");
    for (kinds, row) in cells().zip(rows) {
        assert!(row.starts_with(&names(kinds)), "the page is out of date: run cargo xtask pairs\n{row}");
    }
}
