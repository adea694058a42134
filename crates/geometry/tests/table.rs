//! Walks the whole dispatch table: what must hold for every pair of kinds, whatever routine serves it.

mod support;

use glam::DVec3;
use granum_geometry::contact::general::general;
use granum_geometry::{ContactPoint, Kind, Manifold, Measure, Pair, PairTable, Pose, Routine, Shape, Status, collide};
use support::Rng;
use support::shapes::{Case, bounded, is_planar, meet, random_shape, rotation, vector};

/// The depth routine of two kinds.
fn routine(a: Kind, b: Kind) -> Routine {
    PairTable::standard().routine(Measure::Depth, a, b)
}

/// Poses for each cell of the table.
const POSES: usize = 500;

/// The same where `general` serves bodies with edges, which takes it long.
const SLOW_POSES: usize = 100;

/// Lengths over the size of the pair, and normals: 1e4 roundings, as `general` promises.
const TOLERANCE: f64 = 1e-12;

/// Depth, m, from which the normal is less certain than the gap: where it nears the curvature radii of the bodies the second
/// derivative of the depth vanishes, and depths that agree to [`TOLERANCE`] say this much of the normal.
const DEEP: f64 = 0.05;
const DEEP_TOLERANCE: f64 = 1e-6;

impl Case {
    /// Apart, near, overlapping, nested or concentric.
    fn random(kinds: [Kind; 2], rng: &mut Rng) -> Self {
        let planar = kinds.into_iter().any(is_planar);
        let [a, b] = kinds.map(|kind| random_shape(kind, planar, rng));
        // In the middle of a container no wall is the nearest.
        let is_hollow = |kind| matches!(kind, Kind::InsideSphere | Kind::InsideEllipsoid | Kind::InsideCylinder);
        let states = if kinds.into_iter().any(is_hollow) { 3 } else { 5 };
        let reach = [4.0, 2.0, 1.0, 0.2, 0.0][rng.index(states)];
        let pose_a = Pose { position: 3.0 * vector(planar, rng), orientation: rotation(planar, rng) };
        let position = pose_a.position + reach * vector(planar, rng).normalize() * rng.range(0.5, 1.0);
        Self { a, b, pose_a, pose_b: Pose { position, orientation: rotation(planar, rng) } }
    }

    fn is_planar(&self) -> bool {
        is_planar(self.a.kind()) || is_planar(self.b.kind())
    }

    fn has_poles(&self) -> bool {
        self.a.kind() == Kind::Superellipsoid || self.b.kind() == Kind::Superellipsoid
    }

    /// How exact an answer with this gap is that comes through the table.
    fn precision(&self, gap: f64) -> Precision {
        let name = routine(self.a.kind(), self.b.kind()).name();
        if name == "general" || name.starts_with("inside") || LEAVES_OVERLAPS.contains(&name) && gap <= 0.0 {
            return self.precision_of_general();
        }
        match (self.has_poles(), is_round_with_rims(self.a.kind()) && is_round_with_rims(self.b.kind())) {
            (true, _) => POLES,
            (_, true) => EXACT_RIMS,
            _ => EXACT,
        }
    }

    /// How exact an answer is that comes from support points alone.
    fn precision_of_general(&self) -> Precision {
        let either = |is: fn(Kind) -> bool| is(self.a.kind()) || is(self.b.kind());
        match (either(is_round_with_rims), either(is_solid)) {
            (true, _) => RIMS,
            (false, true) => FACES,
            (false, false) if self.has_poles() => POLES,
            (false, false) => EXACT,
        }
    }

    /// Concentric balls have no direction of their own: only their gap is compared.
    fn has_direction(&self) -> bool {
        self.pose_a.position != self.pose_b.position || !(bounded(&self.a) && bounded(&self.b))
    }
}

/// Bodies of revolution, with rims or without.
fn is_round_with_rims(kind: Kind) -> bool {
    matches!(kind, Kind::Cylinder | Kind::Capsule | Kind::TruncatedCone)
}

/// Bodies with flat faces and straight edges.
fn is_solid(kind: Kind) -> bool {
    matches!(kind, Kind::Box | Kind::Polyhedron)
}

fn has_edges(kind: Kind) -> bool {
    is_round_with_rims(kind) || is_solid(kind) || kind == Kind::Polygon
}

/// How exact an answer is.
#[derive(Clone, Copy)]
struct Precision {
    /// m.
    gap: f64,
    /// Of normals, and of points, m.
    direction: f64,
    /// The same for overlaps beyond [`DEEP`], where it is known at all.
    deep: Option<f64>,
}

const EXACT: Precision = Precision { gap: TOLERANCE, direction: TOLERANCE, deep: Some(DEEP_TOLERANCE) };

/// Superellipsoids: near their poles the curvature changes within the rounding of a direction, and two starts end up to 2e-11 apart.
const POLES: Precision = Precision { gap: TOLERANCE, direction: 1e-10, deep: Some(DEEP_TOLERANCE) };

/// Where `general` meets a body with flat faces: it is off by up to 2e-12 at edges, and the gap changes with the square of the
/// normal.
const FACES: Precision = Precision { gap: 1e-11, direction: 1e-6, deep: Some(DEEP_TOLERANCE) };

/// Two rims: where their tangents are parallel the gap is flat along them, and rounding tells the direction from no other.
const EXACT_RIMS: Precision = Precision { gap: TOLERANCE, direction: 1e-10, deep: Some(DEEP_TOLERANCE) };

/// Where it meets a rim: it finds a ridge, on which the support point jumps, by the gap, which says less of the direction.
/// Deep in each other such bodies have many directions of nearly the same depth.
const RIMS: Precision = Precision { gap: 1e-9, direction: 1e-5, deep: None };

/// Part of the cases of a cell in which `general` may be unsure of bodies with edges: most are deep in each other.
const UNSURE: f64 = 0.25;

/// Routines that leave some overlaps to `general`: those that they cannot prove, and deep ones.
const LEAVES_OVERLAPS: [&str; 3] = ["polytope_round", "smooth_revolution", "capsule_revolution"];

/// The same where a special routine leaves to it what it cannot prove.
const SELDOM_UNSURE: f64 = 0.08;

/// The answer through the table. Only for bodies with edges may a routine be unsure, and must say so; then there is nothing to
/// compare.
fn answer_or_none(pair: &Pair) -> Option<Manifold> {
    let mut manifold = Manifold::default();
    collide(Measure::Depth, pair, &mut manifold);
    let is_sure = manifold.status == Status::Converged;
    assert!(is_sure || has_edges(pair.a.kind()) || has_edges(pair.b.kind()));
    is_sure.then_some(manifold)
}

fn answer(pair: &Pair) -> Manifold {
    answer_or_none(pair).unwrap_or_default()
}

/// Every pair of kinds with a seeded run of cases, the same whatever other kinds there are.
fn for_each_case(mut check: impl FnMut(&Case, &mut Rng)) {
    for &a in Kind::ALL {
        for &b in Kind::ALL.iter().filter(|&&b| meet(a, b)) {
            let mut rng = Rng::new(((a as u64) << 8) + b as u64);
            let by_general = (has_edges(a) || has_edges(b)) && routine(a, b).name() == "general";
            let may_be_unsure = by_general || LEAVES_OVERLAPS.contains(&routine(a, b).name());
            let (poses, most) = if by_general { (SLOW_POSES, UNSURE) } else { (POSES, SELDOM_UNSURE) };
            let mut unsure = 0;
            for _ in 0..poses {
                let case = Case::random([a, b], &mut rng);
                if may_be_unsure && answer_or_none(&case.pair()).is_none() {
                    unsure += 1;
                } else {
                    check(&case, &mut rng);
                }
            }
            assert!(unsure as f64 <= most * poses as f64, "{a:?} and {b:?}: {unsure} of {poses} not sure");
        }
    }
}

fn assert_same(p: &ContactPoint, q: &ContactPoint, precision: Precision, compare_direction: bool, what: &str) {
    assert!((p.gap - q.gap).abs() <= precision.gap, "{what}: gaps {} and {}", p.gap, q.gap);
    let known = if p.gap < -DEEP { precision.deep } else { Some(precision.direction) };
    if let Some(tolerance) = known.filter(|_| compare_direction) {
        assert!(
            (p.normal - q.normal).length() <= tolerance,
            "{what}: normals {} and {}, gap {:e}",
            p.normal,
            q.normal,
            p.gap
        );
        assert!((p.on_a() - q.on_a()).length() <= tolerance, "{what}: {p:?} and {q:?}");
        assert!((p.on_b() - q.on_b()).length() <= tolerance, "{what}: {p:?} and {q:?}");
    }
}

fn assert_same_all(p: &Manifold, q: &Manifold, case: &Case, what: &str) {
    let what = &format!("{what}: {:?} and {:?}", case.a.kind(), case.b.kind());
    let deepest = |manifold: &Manifold| *manifold.deepest().expect("no margin");
    if !case.has_direction() {
        // Either side of a common centre is as good, and has its own patch: only the gap is known.
        return assert_same(&deepest(p), &deepest(q), case.precision(deepest(p).gap), false, what);
    }
    // A round body has its patch on a solid only where its gap is proven, which may depend on rounding.
    if routine(case.a.kind(), case.b.kind()).name() == "polytope_round" && p.points().len() != q.points().len() {
        return assert_same(&deepest(p), &deepest(q), case.precision(deepest(p).gap), true, what);
    }
    assert_eq!(p.points().len(), q.points().len(), "{what}");
    for point in p.points() {
        // Points of a patch are in no order.
        let distance = |other: &ContactPoint| (other.arm - point.arm).length() + (other.gap - point.gap).abs();
        let other = q.points().iter().min_by(|s, t| distance(s).total_cmp(&distance(t))).expect("as many");
        assert_same(point, other, case.precision(deepest(p).gap), true, what);
    }
}

#[test]
fn exchanging_the_bodies_turns_the_contact_round() {
    for_each_case(|case, _| {
        let pair = case.pair();
        let (Some(there), Some(mut swapped)) = (answer_or_none(&pair), answer_or_none(&pair.swapped())) else { return };
        swapped.swap(-pair.offset);
        assert_same_all(&there, &swapped, case, routine(case.a.kind(), case.b.kind()).name());
    });
}

#[test]
fn moving_both_bodies_moves_the_contact() {
    for_each_case(|case, rng| {
        let planar = case.is_planar();
        let motion = Pose { position: vector(planar, rng), orientation: rotation(planar, rng) };
        let (pose_a, pose_b) = (case.pose_a.moved_by(&motion), case.pose_b.moved_by(&motion));
        let back = motion.orientation.inverse();
        let there = answer_or_none(&Pair::new(&case.a, &pose_a, &case.b, &pose_b));
        let (Some(here), Some(there)) = (answer_or_none(&case.pair()), there) else { return };
        let mut moved = Manifold::default();
        let turned = |p: &ContactPoint| ContactPoint { arm: back * p.arm, normal: back * p.normal, ..*p };
        there.points().iter().for_each(|p| moved.push(turned(p)));
        there.deepest().into_iter().for_each(|p| moved.set_nearest(turned(p)));
        assert_same_all(&here, &moved, case, "moved");
    });
}

#[test]
fn points_lie_on_the_surfaces_and_the_gap_apart() {
    for_each_case(|case, _| {
        let pair = case.pair();
        let found = answer(&pair);
        let deepest = found.deepest().map_or(f64::INFINITY, |p| p.gap);
        let tolerance = case.precision(deepest).gap;
        for p in found.points() {
            let n = p.normal;
            assert!((n.length() - 1.0).abs() <= TOLERANCE);
            assert!((p.on_b() - p.on_a() - p.gap * n).length() <= TOLERANCE);
            // The other points of a patch between edges lie on features that need not be level.
            if found.deepest() != Some(p) && (has_edges(case.a.kind()) || has_edges(case.b.kind())) {
                continue;
            }
            let sides = [
                (&case.a, pair.orientation_a, p.on_a(), n, "a"),
                (&case.b, pair.orientation_b, p.on_b() - pair.offset, -n, "b"),
            ];
            for (shape, orientation, point, outward, side) in sides.into_iter().filter(|(shape, ..)| bounded(shape)) {
                let (convex, back) = (shape.as_convex(), orientation.inverse());
                let reach = outward.dot(orientation * convex.support(back * outward));
                // The deepest point is as far out as any. Others of a manifold need only lie on the surface: a part of
                // it may touch at its edge, where the normal is that of the other body.
                if p.gap == deepest {
                    assert!((outward.dot(point) - reach).abs() <= tolerance, "{shape:?}, side {side}: {p:?}");
                } else {
                    let at = |scale: f64| convex.inside_outside(scale * (back * point));
                    assert!(at(1.0 - TOLERANCE) < 0.0 && at(1.0 + TOLERANCE) > 0.0, "{shape:?}, side {side}: {p:?}");
                }
            }
        }
    });
}

#[test]
fn special_pairs_agree_with_general() {
    let (mut compared, mut without) = (0, 0);
    for_each_case(|case, _| {
        // `general` sees planar bodies as plates without thickness, which part across the plane.
        if !(bounded(&case.a) && bounded(&case.b)) || case.is_planar() {
            return;
        }
        let pair = case.pair();
        let Some(special) = answer_or_none(&pair) else { return };
        let mut by_general = Manifold::default();
        general(&pair, &mut by_general);
        let edges = has_edges(case.a.kind()) || has_edges(case.b.kind());
        let is_sure = match by_general.status {
            Status::Converged => true,
            Status::NotConverged { .. } => false,
            // It says by how much less deep another direction may be.
            Status::NotProven { .. } => !edges,
        };
        if !is_sure {
            without += 1;
            return;
        }
        compared += 1;
        // A special pair may give a whole patch; its deepest point has the gap that `general` finds.
        let (p, q) = (special.deepest().expect("no margin"), by_general.points()[0]);
        let name = routine(case.a.kind(), case.b.kind()).name();
        let rims = is_round_with_rims(case.a.kind()) || is_round_with_rims(case.b.kind());
        let compare_direction = case.has_direction() && special.points().len() == 1 && !rims;
        assert_same(p, &q, case.precision_of_general(), compare_direction, name);
    });
    // Near a common centre `general` gives up now and then, and says so.
    assert!(without * 20 <= compared, "the oracle failed {without} times of {compared}");
}

#[test]
fn half_space_finds_the_lowest_support_point() {
    let mut rng = Rng::new(11);
    for &kind in Kind::ALL.iter().filter(|&&kind| bounded(&random_shape(kind, false, &mut Rng::new(1)))) {
        for _ in 0..POSES {
            let case = Case::random([Kind::HalfSpace, kind], &mut rng);
            let Shape::HalfSpace(wall) = &case.a else { panic!("asked for a half-space") };
            let n = case.pose_a.orientation * wall.normal();
            let low = case.pose_b.point(case.b.as_convex().support(case.pose_b.orientation.inverse() * -n));
            let gap = n.dot(low - case.pose_a.position);
            let manifold = answer(&case.pair());
            let point = manifold.deepest().expect("no margin");
            assert!((point.gap - gap).abs() <= TOLERANCE && (point.normal - n).length() <= TOLERANCE);
        }
    }
}

#[test]
fn the_margin_is_respected() {
    for_each_case(|case, rng| {
        let free = answer(&case.pair());
        let Some(gap) = free.deepest().map(|point| point.gap) else { return };
        let offset = rng.log_range(1e-6, 1.0);
        let Some(within) = answer_or_none(&Pair { margin: gap + offset, ..case.pair() }) else { return };
        assert!(within.deepest().is_some_and(|point| (point.gap - gap).abs() <= TOLERANCE));
        assert!(within.points().iter().all(|point| point.gap <= gap + offset));
        assert!(answer(&Pair { margin: gap - offset, ..case.pair() }).points().is_empty());
    });
}

#[test]
fn a_warm_start_does_not_change_the_answer() {
    for_each_case(|case, rng| {
        let warm = answer_or_none(&Pair { warm: Some(vector(case.is_planar(), rng).normalize()), ..case.pair() });
        let (Some(cold), Some(warm)) = (answer_or_none(&case.pair()), warm) else { return };
        assert_same_all(&cold, &warm, case, "warm");
    });
}

#[test]
fn touching_bodies_have_no_gap() {
    for_each_case(|case, rng| {
        if !(bounded(&case.a) && bounded(&case.b)) {
            return;
        }
        let n: DVec3 = vector(case.is_planar(), rng).normalize();
        let on_a = case.pose_a.orientation * case.a.as_convex().support(case.pose_a.orientation.inverse() * n);
        let on_b = case.pose_b.orientation * case.b.as_convex().support(case.pose_b.orientation.inverse() * -n);
        let pose_b = Pose { position: case.pose_a.position + on_a - on_b, ..case.pose_b };
        let manifold = answer_or_none(&Pair::new(&case.a, &case.pose_a, &case.b, &pose_b));
        let Some(manifold) = manifold else { return };
        assert!(manifold.deepest().expect("no margin").gap.abs() <= TOLERANCE);
    });
}
