//! The overlap region of two cylinders compared with closed forms, with finer slices, and with
//! numerical derivatives.

mod support;

use glam::{DQuat, DVec3};
use granum_geometry::contact::region::MeasureGradient;
use granum_geometry::contact::region::{
    DEFAULT_SLICES, MAX_SLICES, SliceCount, cylinder_region, cylinder_volume, smooth_overlap,
};
use granum_geometry::shape::Cylinder;
use granum_geometry::{Pair, Pose, Shape};
use support::Rng;

/// Largest relative error of volume and force with the adaptive number of slices.
const ADAPTIVE_ERROR: f64 = 1e-3;

/// Smallest number of slices per interval that is tested.
const FEW: usize = 4;

/// Largest relative error of the volume with [`FEW`] slices per interval, and with the adaptive or
/// the default number of slices.
const FEW_SLICES_ERROR: f64 = 1e-2;
const VOLUME_ERROR: f64 = 1e-3;

/// Least tilt of axes that are not parallel, rad. At smaller tilts, of the order of the rounding of
/// orientations, the error for equal coaxial cylinders is 0.3 %.
const LEAST_ANGLE: f64 = 1e-13;

/// Least thickness of a region, relative to the size. Thinner regions are left out, because the
/// depth itself is not more accurate.
const THIN: f64 = 1e-9;

/// Default number of random pairs. `GRANUM_PAIRS=1000000` sets another one.
const PAIRS: usize = 20_000;

/// Returns two cylinders that overlap by 0.1 % to 50 % of the least size.
fn random_pair(rng: &mut Rng) -> (Shape, Pose, Shape, Pose) {
    pair_of_depth(rng, [1e-3, 0.5])
}

/// Returns two cylinders that overlap by a random depth between two bounds, relative to the least
/// size.
fn pair_of_depth(rng: &mut Rng, [least_depth, most_depth]: [f64; 2]) -> (Shape, Pose, Shape, Pose) {
    let cylinder = |rng: &mut Rng| {
        let aspect = rng.log_range(0.025, 50.0);
        let radius = rng.range(0.3, 1.0) / aspect.max(1.0);
        Shape::from(Cylinder { radius, half_height: radius * aspect })
    };
    let (a, b) = (cylinder(rng), cylinder(rng));
    let (turn_a, turn_b) = (rng.rotation(), rng.rotation());
    let n = rng.direction();
    let support = |shape: &Shape, turn: DQuat, n: DVec3| turn * shape.as_convex().support(turn.inverse() * n);
    let least = [&a, &b].map(|shape| match shape {
        Shape::Cylinder(c) => c.radius.min(c.half_height),
        _ => unreachable!("both shapes are cylinders"),
    });
    let depth = least[0].min(least[1]) * rng.log_range(least_depth, most_depth);
    let position = support(&a, turn_a, n) - support(&b, turn_b, -n) - depth * n;
    let pose = |position: DVec3, orientation: DQuat| Pose { position, orientation };
    (a, pose(DVec3::ZERO, turn_a), b, pose(position, turn_b))
}

#[test]
fn the_adaptive_number_of_slices_suffices_for_a_contact() {
    let mut rng = Rng::new(34);
    let mut errors = Vec::new();
    for _ in 0..5_000 {
        let (a, pose_a, b, pose_b) = random_pair(&mut rng);
        let pair = Pair::new(&a, &pose_a, &b, &pose_b);
        let (Some(few), Some(many)) =
            (cylinder_region(&pair, SliceCount::Adaptive), cylinder_region(&pair, SliceCount::PerInterval(32)))
        else {
            continue;
        };
        let (few, many) = (few.region, many.region);
        let force =
            (few.gradient.translation - many.gradient.translation).length() / many.gradient.translation.length();
        errors.push((few.volume / many.volume - 1.0).abs().max(force));
    }
    errors.sort_by(f64::total_cmp);
    let [median, worst] = [errors.len() / 2, errors.len() - 1].map(|k| errors[k]);
    eprintln!("{} regions with adaptive slices: relative error median {median:e}, worst {worst:e}", errors.len());
    assert!(errors.len() > 4_000 && worst < ADAPTIVE_ERROR, "{worst:e}");
}

/// Returns two cylinders with nearly parallel or, for kind 2, nearly perpendicular axes. Half of
/// the pairs are nearly coaxial. Kind 3 has two equal cylinders.
fn nearly_aligned(rng: &mut Rng, kind: usize) -> (Shape, Pose, Shape, Pose) {
    let (a, pose_a, b, mut pose_b) = random_pair(rng);
    let b = if kind == 3 { a.clone() } else { b };
    let tilt = DQuat::from_scaled_axis(rng.log_range(LEAST_ANGLE, 0.1) * rng.direction());
    let quarter = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let turn = if kind == 2 { pose_a.orientation * quarter } else { pose_a.orientation };
    pose_b.orientation = tilt * turn;
    let least = [&a, &b].map(|shape| shape.as_convex().bounding_radius()).into_iter().fold(f64::INFINITY, f64::min);
    let axis = pose_a.orientation * DVec3::Z;
    // The bodies touch in a direction along or perpendicular to the axis of the first.
    let across = rng.direction().cross(axis).normalize();
    let n = if rng.range(0.0, 1.0) < 0.5 { axis } else { across };
    let support = |shape: &Shape, turn: DQuat, n: DVec3| turn * shape.as_convex().support(turn.inverse() * n);
    let touch = support(&a, pose_a.orientation, n) - support(&b, pose_b.orientation, -n);
    let depth = rng.log_range(1e-4, 0.5) * touch.dot(n).abs();
    let aside = rng.log_range(1e-9, 1.0) * least * rng.direction();
    pose_b.position =
        if kind >= 1 && rng.range(0.0, 1.0) < 0.5 { (touch.dot(n) - depth) * n + aside } else { touch - depth * n };
    (a, pose_a, b, pose_b)
}

#[test]
fn volumes_and_smooth_overlaps_have_the_documented_accuracy() {
    let count = std::env::var("GRANUM_PAIRS").ok().and_then(|count| count.parse().ok()).unwrap_or(PAIRS);
    let mut rng = Rng::new(35);
    let (mut worst, mut regions) = ([0f64; 3], 0);
    let (mut sizes, mut slopes) = (0f64, 0f64);
    for k in 0..count {
        let (a, pose_a, b, pose_b) = match k % 5 {
            0 => random_pair(&mut rng),
            kind => nearly_aligned(&mut rng, kind - 1),
        };
        let pair = Pair::new(&a, &pose_a, &b, &pose_b);
        let Some(exact) = cylinder_region(&pair, SliceCount::PerInterval(MAX_SLICES)) else { continue };
        let size = a.as_convex().bounding_radius().max(b.as_convex().bounding_radius());
        if exact.extent.min_element() < THIN * size {
            continue;
        }
        regions += 1;
        let volume = |slices: SliceCount| cylinder_region(&pair, slices).map_or(0.0, |region| region.region.volume);
        let volumes = [
            cylinder_volume(&pair, SliceCount::PerInterval(FEW)).map_or(0.0, |region| region.volume),
            volume(SliceCount::Adaptive),
            volume(SliceCount::PerInterval(DEFAULT_SLICES)),
        ];
        for (worst, volume) in worst.iter_mut().zip(volumes) {
            *worst = worst.max((volume / exact.region.volume - 1.0).abs());
        }
        let smooth = |slices: SliceCount| smooth_overlap(&pair, slices).expect("a region");
        let (few, many) = (smooth(SliceCount::Adaptive), smooth(SliceCount::PerInterval(MAX_SLICES)));
        sizes = sizes.max((few.length / many.length - 1.0).abs());
        slopes = slopes.max((few.gradient.translation - many.gradient.translation).length());
    }
    eprintln!("largest error of smooth overlaps {sizes:e}, of their derivatives {slopes:e}");
    eprintln!(
        "{regions} regions of {count} pairs, largest error of the volume: {FEW} slices {:e}, adaptive {:e}, default {:e}",
        worst[0], worst[1], worst[2]
    );
    assert!(regions > count / 2, "{regions}");
    assert!(worst[0] < FEW_SLICES_ERROR && worst[1] < VOLUME_ERROR && worst[2] < VOLUME_ERROR, "{worst:?}");
    assert!(sizes < VOLUME_ERROR && slopes < VOLUME_ERROR, "{sizes:e} {slopes:e}");
}

#[test]
fn the_force_is_the_derivative_of_the_volume() {
    let mut rng = Rng::new(31);
    let mut errors = Vec::new();
    for _ in 0..500 {
        let (a, pose_a, b, pose_b) = random_pair(&mut rng);
        let at = |shift: DVec3, turn: DVec3| {
            let orientation = DQuat::from_scaled_axis(turn) * pose_b.orientation;
            let moved = Pose { position: pose_b.position + shift, orientation };
            cylinder_region(&Pair::new(&a, &pose_a, &b, &moved), SliceCount::PerInterval(24))
                .map(|region| region.region)
        };
        let Some(middle) = at(DVec3::ZERO, DVec3::ZERO) else { continue };
        let step = 1e-3 * middle.volume / middle.gradient.translation.length();
        let size = a.as_convex().bounding_radius().max(b.as_convex().bounding_radius());
        // The rotation is about the centre of b, so that the moment of the force at the centre of a
        // is changed by the arm between the centres.
        let turn = middle.gradient.rotation - pose_b.position.cross(middle.gradient.translation);
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let slope = |shift: DVec3, turn: DVec3, h: f64| {
                let [ahead, behind] = [1.0, -1.0].map(|sign| at(sign * shift, sign * turn).map_or(0.0, |o| o.volume));
                (ahead - behind) / (2.0 * h)
            };
            let moved = slope(step * axis, DVec3::ZERO, step);
            errors.push((moved + middle.gradient.translation.dot(axis)).abs() / middle.gradient.translation.length());
            let angle = step / size;
            let turned = slope(DVec3::ZERO, angle * axis, angle);
            errors.push((turned + turn.dot(axis)).abs() / (size * middle.gradient.translation.length()));
        }
    }
    errors.sort_by(f64::total_cmp);
    let [median, high, worst] = [errors.len() / 2, errors.len() * 99 / 100, errors.len() - 1].map(|k| errors[k]);
    eprintln!("{} derivatives: error median {median:e}, 99 % {high:e}, worst {worst:e}", errors.len());
    assert!(errors.len() > 2_500);
    // A finite difference over a thousandth of the depth has no better accuracy.
    assert!(median < 1e-6 && high < 1e-3 && worst < 1e-2);
}

#[test]
fn regions_with_a_closed_form() {
    let can: Shape = Cylinder { radius: 1.0, half_height: 1.5 }.into();
    let volume = |position: DVec3, orientation: DQuat| {
        let pose = Pose { position, orientation };
        cylinder_region(&Pair::new(&can, &Pose::IDENTITY, &can, &pose), SliceCount::PerInterval(32))
            .map_or(0.0, |region| region.region.volume)
    };
    let pi = std::f64::consts::PI;
    // The region of two stacked cylinders is a disc. The sides coincide, up to rounding, for any
    // rotation about the common axis.
    for turn in [0.0, 0.3, 1.0, 2.0] {
        let stacked = volume(DVec3::Z * 2.9, DQuat::from_rotation_z(turn));
        assert!((stacked / (0.1 * pi) - 1.0).abs() < 1e-9, "{stacked}");
    }
    // The region of two parallel cylinders is a lens of two circles.
    let beside = volume(DVec3::new(1.9, 0.0, 1.0), DQuat::IDENTITY);
    let lens = 2.0 * (0.95f64.acos() - 0.95 * (1.0 - 0.95f64 * 0.95).sqrt());
    assert!((beside / (2.0 * lens) - 1.0).abs() < 1e-7, "{beside}");
    // The region of two cylinders that cross at right angles at the centre is the Steinmetz solid
    // with the volume 16/3 r^3.
    let crossed = volume(DVec3::ZERO, DQuat::from_rotation_x(0.5 * pi));
    assert!((crossed / (16.0 / 3.0) - 1.0).abs() < 1e-7, "{crossed}");
    // The region of two identical cylinders is the cylinder.
    assert!((volume(DVec3::ZERO, DQuat::from_rotation_z(0.7)) / (3.0 * pi) - 1.0).abs() < 1e-9);
}

/// Largest relative error of the smooth overlap and its derivative with the adaptive number of
/// slices.
const SMOOTH_ERROR: f64 = 1e-6;

/// The same for a region with the shape of a lens.
const LENS_ERROR: f64 = 3e-7;

/// Largest difference between the derivative and finite differences, relative to the derivative, in
/// 99 % of the pairs and in all pairs. The features in contact change within the difference in the
/// worst of them.
const SLOPE: f64 = 1e-6;
const SLOPE_AT_WORST: f64 = 1e-5;

/// Step of the finite difference, relative to the overlap.
const DIFFERENCE: f64 = 1e-4;

#[test]
fn smooth_overlaps_with_a_closed_form() {
    let can: Shape = Cylinder { radius: 1.0, half_height: 1.5 }.into();
    let depth = 1e-4;
    let overlap_at = |position: DVec3, orientation: DQuat| {
        let pose = Pose { position, orientation };
        smooth_overlap(&Pair::new(&can, &Pose::IDENTITY, &can, &pose), SliceCount::Adaptive).expect("an overlap")
    };
    let across = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    // The regions are a slab, the lens of two circles, and the lens of two crossed sides. The
    // factor between overlap and depth follows from the distribution of the height over each
    // region.
    let cases = [
        (DVec3::new(0.3, 0.1, 3.0 - depth), DQuat::IDENTITY, DVec3::Z, 2.0),
        (DVec3::new(2.0 - depth, 0.0, 0.4), DQuat::from_rotation_z(0.3), DVec3::X, 2.0 * (24.0f64 / 35.0).sqrt()),
        (DVec3::new(2.0 - depth, 0.0, 0.0), across, DVec3::X, 3f64.sqrt()),
    ];
    for (position, orientation, normal, rate) in cases {
        let overlap = overlap_at(position, orientation);
        // The closed forms are the limits of a flat region, which differs by the depth.
        assert!((overlap.length / (rate * depth) - 1.0).abs() < depth, "{overlap:?}");
        assert!((overlap.gradient.translation - rate * normal).length() < 3.0 * depth, "{overlap:?}");
    }
}

#[test]
fn most_lenses_need_four_slices() {
    let mut rng = Rng::new(38);
    let (mut slices, mut worst) = ([0; 3], [0f64; 3]);
    for _ in 0..20_000 {
        let radii = [1.0, rng.log_range(0.1, 10.0)];
        let rods = radii.map(|radius| Shape::from(Cylinder { radius, half_height: 1000.0 }));
        let depth = rng.log_range(1e-4, 1.9) * radii[0].min(radii[1]);
        let position = DVec3::new(radii[0] + radii[1] - depth, rng.range(-9.0, 9.0), rng.range(-9.0, 9.0));
        let orientation = DQuat::from_rotation_x(rng.range(0.1, 3.0));
        let turn = rng.rotation();
        let poses = [
            Pose { position: DVec3::ZERO, orientation: turn },
            Pose { position: turn * position, orientation: turn * orientation },
        ];
        let overlap = |slices: SliceCount| {
            smooth_overlap(&Pair::new(&rods[0], &poses[0], &rods[1], &poses[1]), slices).expect("an overlap")
        };
        let (few, many) = (overlap(SliceCount::Adaptive), overlap(SliceCount::PerInterval(MAX_SLICES)));
        let (slope, exact) = (few.gradient, many.gradient);
        let arm = position.length();
        let off = [
            few.length / many.length - 1.0,
            (slope.translation - exact.translation).length(),
            (slope.rotation - exact.rotation).length() / arm,
        ];
        let off = off.map(f64::abs);
        let off = off.into_iter().fold(0.0, f64::max);
        let kind = [4, 8].iter().position(|&count| few.evaluations == count).unwrap_or(2);
        slices[kind] += 1;
        worst[kind] = worst[kind].max(off);
    }
    eprintln!("lenses with 4, 8 and more slices: {slices:?}; largest errors of overlap and derivative {worst:?}");
    assert!(slices[0] > 10_000 && slices[1] > 1_000 && worst[0].max(worst[1]) < LENS_ERROR, "{slices:?} {worst:?}");
}

#[test]
fn the_gradient_of_the_smooth_overlap_is_its_derivative() {
    let mut rng = Rng::new(35);
    let (mut few, mut slopes, mut moments) = (0f64, Vec::new(), 0f64);
    let mut stiffness = (f64::INFINITY, 0f64);
    for _ in 0..20_000 {
        let (a, pose_a, b, pose_b) = random_pair(&mut rng);
        let at = |pose_a: Pose, slices: SliceCount| smooth_overlap(&Pair::new(&a, &pose_a, &b, &pose_b), slices);
        let most = SliceCount::PerInterval(MAX_SLICES);
        let (Some(adaptive), Some(exact)) = (at(pose_a, SliceCount::Adaptive), at(pose_a, most)) else { continue };
        let (push, turn) = (exact.gradient.translation, exact.gradient.rotation);
        let rate = push.length();
        stiffness = (stiffness.0.min(rate), stiffness.1.max(rate));
        few = few
            .max((adaptive.length / exact.length - 1.0).abs())
            .max((adaptive.gradient.translation - push).length() / rate);
        let step = DIFFERENCE * exact.length;
        let mut worst = 0f64;
        for (k, axis) in DVec3::AXES.into_iter().enumerate() {
            let turned = |angle: f64| DQuat::from_scaled_axis(angle * axis) * pose_a.orientation;
            let moved = [1.0, -1.0].map(|sign| Pose { position: pose_a.position + sign * step * axis, ..pose_a });
            let turned = [1.0, -1.0].map(|sign| Pose { orientation: turned(sign * step), ..pose_a });
            for (poses, slope) in [(moved, push[k]), (turned, turn[k])] {
                let [Some(p), Some(q)] = poses.map(|pose| at(pose, most)) else { continue };
                worst = worst.max(((p.length - q.length) / (2.0 * step) - slope).abs() / rate);
            }
        }
        slopes.push(worst);
        // A rotation about the own axis does not change the overlap, so that this moment vanishes.
        // The integral over the other body satisfies this only if it is exact.
        let about_second = turn - pose_b.position.cross(push);
        for (turn, pose) in [(turn, pose_a), (about_second, pose_b)] {
            moments = moments.max(turn.dot(pose.orientation * DVec3::Z).abs() / rate);
        }
    }
    slopes.sort_by(f64::total_cmp);
    let [nearly_all, worst] = [slopes.len() * 99 / 100, slopes.len() - 1].map(|k| slopes[k]);
    eprintln!(
        "{} smooth overlaps: adaptive slices to {few:.1e}, derivatives to {nearly_all:.1e} (99 %), {worst:.1e} (worst), moments about the \
         axes {moments:.1e}, rates {stiffness:.2?}",
        slopes.len()
    );
    assert!(
        slopes.len() > 19_000
            && few < SMOOTH_ERROR
            && nearly_all < SLOPE
            && worst < SLOPE_AT_WORST
            && moments < SMOOTH_ERROR
    );
    // The stiffness is proportional to the square of this rate. It varies by a factor of about six
    // over all pairs.
    assert!(stiffness.0 > 0.8 && stiffness.1 < 2.1, "{stiffness:?}");
}

/// The same for thin regions, and the step of their finite difference, relative to the overlap.
const THIN_SLOPE: f64 = 1e-5;
const THIN_SLOPE_AT_WORST: f64 = 1e-3;
const THIN_DIFFERENCE: f64 = 1e-2;

#[test]
fn the_gradient_of_a_thin_smooth_overlap_is_its_derivative() {
    let mut rng = Rng::new(37);
    let mut slopes = Vec::new();
    for _ in 0..5_000 {
        let (a, pose_a, b, pose_b) = pair_of_depth(&mut rng, [1e-6, 1e-4]);
        let at = |offset: DVec3| {
            let pose_b = Pose { position: pose_b.position + offset, ..pose_b };
            smooth_overlap(&Pair::new(&a, &pose_a, &b, &pose_b), SliceCount::Adaptive)
        };
        let Some(here) = at(DVec3::ZERO) else { continue };
        let step = THIN_DIFFERENCE * here.length * here.gradient.normal();
        let (Some(p), Some(q)) = (at(step), at(-step)) else { continue };
        slopes.push(((q.length - p.length) / (2.0 * step.length()) / here.gradient.translation.length() - 1.0).abs());
    }
    slopes.sort_by(f64::total_cmp);
    let [nearly_all, worst] = [slopes.len() * 99 / 100, slopes.len() - 1].map(|k| slopes[k]);
    eprintln!("{} thin smooth overlaps: derivatives to {nearly_all:.1e} (99 %), {worst:.1e} (worst)", slopes.len());
    assert!(slopes.len() > 4_500 && nearly_all < THIN_SLOPE && worst < THIN_SLOPE_AT_WORST);
}

#[test]
fn smooth_overlaps_of_thin_regions_are_finite() {
    let mut rng = Rng::new(36);
    let (mut thin, mut finite) = (0, 0);
    for k in 0..PAIRS {
        let (a, pose_a, b, mut pose_b) =
            if k % 2 == 0 { random_pair(&mut rng) } else { nearly_aligned(&mut rng, k % 8 / 2) };
        // The bodies are separated step by step until little or nothing is left of the overlap.
        let pair = |pose_b: &Pose| smooth_overlap(&Pair::new(&a, &pose_a, &b, pose_b), SliceCount::Adaptive);
        for _ in 0..6 {
            let Some(overlap) = pair(&pose_b) else { break };
            let MeasureGradient { translation: push, rotation: turn } = overlap.gradient;
            let [p, q] = overlap.patch.0;
            let vectors = [push, turn, overlap.centroid, p, q];
            let size = a.as_convex().bounding_radius().max(b.as_convex().bounding_radius());
            assert!(push.length() <= 4.0, "{k}: {overlap:?} {a:?} {b:?}");
            assert!(
                vectors.iter().all(|vector| vector.length() < 10.0 * size.max(1.0)),
                "{k}: {overlap:?} {a:?} {b:?}"
            );
            finite += 1;
            thin += usize::from(overlap.length < 1e-8 * size);
            let rest = rng.log_range(1e-6, 0.5);
            pose_b.position += (1.0 - rest) * overlap.length / push.length().max(0.1) * overlap.gradient.normal();
        }
    }
    eprintln!("{finite} smooth overlaps are finite, {thin} of them thinner than 1e-8 of the size");
    assert!(thin > finite / 20, "{thin} of {finite}");
}
