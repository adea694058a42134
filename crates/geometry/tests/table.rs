//! Properties that hold for every pair of kinds of the pair table, independent of the routine that
//! serves it.

mod support;

use glam::DVec3;
use granum_geometry::contact::general::general;
use granum_geometry::{ContactPoint, Kind, Manifold, Measure, Pair, PairTable, Pose, Routine, Shape, Status, collide};
use support::Rng;
use support::shapes::{Case, bounded, can_meet, is_planar, random_shape, rotation, vector};

/// Returns the depth routine of two kinds.
fn routine(a: Kind, b: Kind) -> Routine {
    PairTable::standard().routine(Measure::Depth, a, b)
}

/// Number of random poses for each cell of the table.
const POSES: usize = 500;

/// The same for cells in which `general` serves bodies with edges, because it is slow there.
const SLOW_POSES: usize = 100;

/// Tolerance of lengths relative to the size of the pair, and of normals: 1e4 rounding errors, the
/// documented accuracy of `general`.
const TOLERANCE: f64 = 1e-12;

/// Depth, m, from which the normal is less accurate than the gap. Where the depth is close to the
/// radii of curvature, its second derivative vanishes. Depths that agree to [`TOLERANCE`] then
/// determine the normal to [`DEEP_TOLERANCE`] only.
const DEEP: f64 = 0.05;
const DEEP_TOLERANCE: f64 = 1e-6;

impl Case {
    /// Returns bodies that are separated, near, overlapping, nested or concentric.
    fn random(kinds: [Kind; 2], rng: &mut Rng) -> Self {
        let planar = kinds.into_iter().any(is_planar);
        let [a, b] = kinds.map(|kind| random_shape(kind, planar, rng));
        // At the centre of a container all walls are equally near, so that the normal is not
        // unique.
        let is_hollow = |kind| matches!(kind, Kind::InsideSphere | Kind::InsideEllipsoid | Kind::InsideCylinder);
        let states = if kinds.into_iter().any(is_hollow) { 3 } else { 5 };
        let distance = [4.0, 2.0, 1.0, 0.2, 0.0][rng.index(states)];
        let pose_a = Pose { position: 3.0 * vector(planar, rng), orientation: rotation(planar, rng) };
        let position = pose_a.position + distance * vector(planar, rng).normalize() * rng.range(0.5, 1.0);
        Self { a, b, pose_a, pose_b: Pose { position, orientation: rotation(planar, rng) } }
    }

    fn is_planar(&self) -> bool {
        is_planar(self.a.kind()) || is_planar(self.b.kind())
    }

    fn has_poles(&self) -> bool {
        self.a.kind() == Kind::Superellipsoid || self.b.kind() == Kind::Superellipsoid
    }

    /// Returns the tolerance for a result of the pair table with this gap.
    fn precision(&self, gap: f64) -> Precision {
        let name = routine(self.a.kind(), self.b.kind()).name();
        if name == "general" || name.starts_with("inside") || PASSES_OVERLAPS_TO_GENERAL.contains(&name) && gap <= 0.0 {
            return self.precision_of_general();
        }
        match (self.has_poles(), is_round_with_rims(self.a.kind()) && is_round_with_rims(self.b.kind())) {
            (true, _) => POLES,
            (_, true) => EXACT_RIMS,
            _ => EXACT,
        }
    }

    /// Returns the tolerance for a result that was computed from support points alone.
    fn precision_of_general(&self) -> Precision {
        let either = |is: fn(Kind) -> bool| is(self.a.kind()) || is(self.b.kind());
        match (either(is_round_with_rims), either(has_flat_faces)) {
            (true, _) => RIMS,
            (false, true) => FACES,
            (false, false) if self.has_poles() => POLES,
            (false, false) => EXACT,
        }
    }

    /// Returns whether the normal is unique. It is not for concentric bodies, of which only the gap
    /// is compared.
    fn has_direction(&self) -> bool {
        self.pose_a.position != self.pose_b.position || !(bounded(&self.a) && bounded(&self.b))
    }
}

/// Returns whether a kind is a body of revolution with a straight side.
fn is_round_with_rims(kind: Kind) -> bool {
    matches!(kind, Kind::Cylinder | Kind::Capsule | Kind::TruncatedCone | Kind::Tablet)
}

/// Returns whether a kind has flat faces and straight edges.
fn has_flat_faces(kind: Kind) -> bool {
    matches!(kind, Kind::Box | Kind::Polyhedron)
}

fn has_edges(kind: Kind) -> bool {
    is_round_with_rims(kind) || has_flat_faces(kind) || kind == Kind::Polygon
}

/// Tolerances of a contact.
#[derive(Clone, Copy)]
struct Precision {
    /// Tolerance of the gap, m.
    gap: f64,
    /// Tolerance of the normal, rad, and of the surface points, m.
    direction: f64,
    /// The same for overlaps deeper than [`DEEP`]; `None` if the normal is not compared there.
    deep: Option<f64>,
}

const EXACT: Precision = Precision { gap: TOLERANCE, direction: TOLERANCE, deep: Some(DEEP_TOLERANCE) };

/// Superellipsoids: near their poles the curvature changes within the rounding error of a
/// direction, and two searches from different starts differ by up to 2e-11.
const POLES: Precision = Precision { gap: TOLERANCE, direction: 1e-10, deep: Some(DEEP_TOLERANCE) };

/// Results of `general` for bodies with flat faces. Its gap has errors up to 2e-12 at edges, and
/// the error of the normal is the square root of the error of the gap.
const FACES: Precision = Precision { gap: 1e-11, direction: 1e-6, deep: Some(DEEP_TOLERANCE) };

/// Two rims: where their tangents are parallel, the gap is constant along them to first order, so
/// that rounding determines the direction.
const EXACT_RIMS: Precision = Precision { gap: TOLERANCE, direction: 1e-10, deep: Some(DEEP_TOLERANCE) };

/// Results of `general` for rims. It finds the ridge, at which the support point jumps, by
/// comparing gaps, which determines the direction less accurately. Deep overlaps have many
/// directions of nearly the same depth.
const RIMS: Precision = Precision { gap: 1e-9, direction: 1e-5, deep: None };

/// Largest fraction of the cases of a cell in which `general` may fail to prove its result for
/// bodies with edges. Most of these are deep overlaps.
const UNPROVEN: f64 = 0.25;

/// Routines that pass deep overlaps, and overlaps without a proof, to `general`.
const PASSES_OVERLAPS_TO_GENERAL: [&str; 3] = ["polytope_round", "smooth_revolution", "capsule_revolution"];

/// The same for a special routine that passes only its unproven results to `general`.
const SELDOM_UNPROVEN: f64 = 0.08;

/// Returns the contacts from the pair table; `None` if the status is not `Converged`. Only bodies
/// with edges may have such a status.
fn converged_contacts(pair: &Pair) -> Option<Manifold> {
    let mut manifold = Manifold::default();
    collide(Measure::Depth, pair, &mut manifold);
    let is_proven = manifold.status == Status::Converged;
    assert!(is_proven || has_edges(pair.a.kind()) || has_edges(pair.b.kind()));
    is_proven.then_some(manifold)
}

fn contacts(pair: &Pair) -> Manifold {
    converged_contacts(pair).unwrap_or_default()
}

/// Calls `check` for random cases of every pair of kinds. The seed depends on the two kinds only,
/// so that a new kind does not change the cases of the others.
fn for_each_case(mut check: impl FnMut(&Case, &mut Rng)) {
    // Surfaces have tests of their own.
    let number = |kind: Kind| kind as u64 - u64::from(kind > Kind::Surface);
    for &a in Kind::BUILT_IN {
        for &b in Kind::BUILT_IN.iter().filter(|&&b| can_meet(a, b)) {
            let mut rng = Rng::new((number(a) << 8) + number(b));
            let by_general = (has_edges(a) || has_edges(b)) && routine(a, b).name() == "general";
            let may_be_unproven = by_general || PASSES_OVERLAPS_TO_GENERAL.contains(&routine(a, b).name());
            let (poses, most) = if by_general { (SLOW_POSES, UNPROVEN) } else { (POSES, SELDOM_UNPROVEN) };
            let mut unproven = 0;
            for _ in 0..poses {
                let case = Case::random([a, b], &mut rng);
                if may_be_unproven && converged_contacts(&case.pair()).is_none() {
                    unproven += 1;
                } else {
                    check(&case, &mut rng);
                }
            }
            assert!(unproven as f64 <= most * poses as f64, "{a:?} and {b:?}: {unproven} of {poses} unproven");
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
        // Both sides of a common centre are equally good, and each has its own patch. Only the gap
        // is compared.
        return assert_same(&deepest(p), &deepest(q), case.precision(deepest(p).gap), false, what);
    }
    // A round body has a patch on a polytope only if its gap is proven, which may depend on
    // rounding.
    if routine(case.a.kind(), case.b.kind()).name() == "polytope_round" && p.points().len() != q.points().len() {
        return assert_same(&deepest(p), &deepest(q), case.precision(deepest(p).gap), true, what);
    }
    assert_eq!(p.points().len(), q.points().len(), "{what}");
    for point in p.points() {
        // The points of a patch have no fixed order.
        let distance = |other: &ContactPoint| (other.arm - point.arm).length() + (other.gap - point.gap).abs();
        let other = q.points().iter().min_by(|s, t| distance(s).total_cmp(&distance(t))).expect("as many");
        assert_same(point, other, case.precision(deepest(p).gap), true, what);
    }
}

#[test]
fn exchanging_the_bodies_reverses_the_contact() {
    for_each_case(|case, _| {
        let pair = case.pair();
        let (Some(there), Some(mut swapped)) = (converged_contacts(&pair), converged_contacts(&pair.swapped())) else {
            return;
        };
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
        let there = converged_contacts(&Pair::new(&case.a, &pose_a, &case.b, &pose_b));
        let (Some(here), Some(there)) = (converged_contacts(&case.pair()), there) else { return };
        let mut moved = Manifold::default();
        let turned = |p: &ContactPoint| ContactPoint { arm: back * p.arm, normal: back * p.normal, ..*p };
        there.points().iter().for_each(|p| moved.push(turned(p)));
        there.deepest().into_iter().for_each(|p| moved.set_nearest(turned(p)));
        assert_same_all(&here, &moved, case, "moved");
    });
}

#[test]
fn points_lie_on_the_surfaces_at_the_distance_of_the_gap() {
    for_each_case(|case, _| {
        let pair = case.pair();
        let found = contacts(&pair);
        let deepest = found.deepest().map_or(f64::INFINITY, |p| p.gap);
        let tolerance = case.precision(deepest).gap;
        for p in found.points() {
            let n = p.normal;
            assert!((n.length() - 1.0).abs() <= TOLERANCE);
            assert!((p.on_b() - p.on_a() - p.gap * n).length() <= TOLERANCE);
            // The other points of a patch between edges lie on features that need not be parallel
            // to the contact plane.
            if found.deepest() != Some(p) && (has_edges(case.a.kind()) || has_edges(case.b.kind())) {
                continue;
            }
            let sides = [
                (&case.a, pair.orientation_a, p.on_a(), n, "a"),
                (&case.b, pair.orientation_b, p.on_b() - pair.offset, -n, "b"),
            ];
            for (shape, orientation, point, outward, side) in sides.into_iter().filter(|(shape, ..)| bounded(shape)) {
                let (convex, back) = (shape.as_convex(), orientation.inverse());
                let support_value = outward.dot(orientation * convex.support(back * outward));
                // The deepest point is a support point. Other points of a manifold need only lie on
                // the surface: they may lie on an edge, and the normal is that of the other body
                // there.
                if p.gap == deepest {
                    assert!((outward.dot(point) - support_value).abs() <= tolerance, "{shape:?}, side {side}: {p:?}");
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
        // `general` treats planar bodies as plates without thickness, which are separated across
        // the plane.
        if !(bounded(&case.a) && bounded(&case.b)) || case.is_planar() {
            return;
        }
        let pair = case.pair();
        let Some(special) = converged_contacts(&pair) else { return };
        let mut by_general = Manifold::default();
        general(&pair, &mut by_general);
        let edges = has_edges(case.a.kind()) || has_edges(case.b.kind());
        let is_proven = match by_general.status {
            Status::Converged => true,
            Status::NotConverged { .. } => false,
            // The status contains the amount by which another direction may be less deep.
            Status::NotProven { .. } => !edges,
        };
        if !is_proven {
            without += 1;
            return;
        }
        compared += 1;
        // A special routine may return a patch. Its deepest point has the gap of `general`.
        let (p, q) = (special.deepest().expect("no margin"), by_general.points()[0]);
        let name = routine(case.a.kind(), case.b.kind()).name();
        let rims = is_round_with_rims(case.a.kind()) || is_round_with_rims(case.b.kind());
        let compare_direction = case.has_direction() && special.points().len() == 1 && !rims;
        assert_same(p, &q, case.precision_of_general(), compare_direction, name);
    });
    // Near a common centre `general` sometimes does not converge, and its status reports that.
    assert!(without * 20 <= compared, "the oracle failed {without} times of {compared}");
}

#[test]
fn half_space_finds_the_lowest_support_point() {
    let mut rng = Rng::new(11);
    for &kind in Kind::BUILT_IN.iter().filter(|&&kind| bounded(&random_shape(kind, false, &mut Rng::new(1)))) {
        for _ in 0..POSES {
            let case = Case::random([Kind::HalfSpace, kind], &mut rng);
            let Shape::HalfSpace(wall) = &case.a else { panic!("the case has no half-space") };
            let n = case.pose_a.orientation * wall.normal();
            let low = case.pose_b.point(case.b.as_convex().support(case.pose_b.orientation.inverse() * -n));
            let gap = n.dot(low - case.pose_a.position);
            let manifold = contacts(&case.pair());
            let point = manifold.deepest().expect("no margin");
            assert!((point.gap - gap).abs() <= TOLERANCE && (point.normal - n).length() <= TOLERANCE);
        }
    }
}

#[test]
fn the_margin_is_respected() {
    for_each_case(|case, rng| {
        let free = contacts(&case.pair());
        let Some(gap) = free.deepest().map(|point| point.gap) else { return };
        let offset = rng.log_range(1e-6, 1.0);
        let Some(within) = converged_contacts(&Pair { margin: gap + offset, ..case.pair() }) else { return };
        assert!(within.deepest().is_some_and(|point| (point.gap - gap).abs() <= TOLERANCE));
        assert!(within.points().iter().all(|point| point.gap <= gap + offset));
        assert!(contacts(&Pair { margin: gap - offset, ..case.pair() }).points().is_empty());
    });
}

#[test]
fn a_warm_start_does_not_change_the_contact() {
    for_each_case(|case, rng| {
        let warm = converged_contacts(&Pair { warm: Some(vector(case.is_planar(), rng).normalize()), ..case.pair() });
        let (Some(cold), Some(warm)) = (converged_contacts(&case.pair()), warm) else { return };
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
        let manifold = converged_contacts(&Pair::new(&case.a, &case.pose_a, &case.b, &pose_b));
        let Some(manifold) = manifold else { return };
        assert!(manifold.deepest().expect("no margin").gap.abs() <= TOLERANCE);
    });
}
