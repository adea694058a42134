//! Random planar pairs compared with a slow oracle.
//!
//! The table of `docs/theory/plane.md` is the output of `GRANUM_PAIRS=1000000 cargo test -p
//! granum-geometry --test plane -- --nocapture`.

mod support;

use std::f64::consts::TAU;

use glam::{DQuat, DVec2, DVec3};
use granum_geometry::shape::{Ellipse, Superellipse};
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, Status, collide};
use support::Rng;
use support::plane_oracle::{Oval, gap};

/// Documented accuracy of a gap, relative to the size of the pair.
const GAP_ERROR: f64 = 1e-12;

/// Error of a warm start that is close to the solution, rad.
const WARM_ERROR: f64 = 5e-3;

/// Default number of pairs per class. `GRANUM_PAIRS` sets the total number.
const PAIRS: usize = 2000;

fn shape(oval: &Oval) -> Shape {
    let semi_axes = DVec2::new(oval.a, oval.b);
    if oval.n == 2.0 { Ellipse { semi_axes }.into() } else { Superellipse { semi_axes, n: oval.n }.into() }
}

/// Relative position of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Class {
    Apart,
    Grazing,
    Shallow,
    Deep,
    Nested,
    Concentric,
    Alike,
}

const CLASSES: [Class; 7] =
    [Class::Apart, Class::Grazing, Class::Shallow, Class::Deep, Class::Nested, Class::Concentric, Class::Alike];

/// Returns two random bodies and the position of the second relative to the first, m.
fn random_pair(rng: &mut Rng, class: Class, aspect: f64, exponents: Option<(f64, f64)>) -> (Oval, Oval, [f64; 2]) {
    let oval = |rng: &mut Rng| {
        let (long, aspect) = (rng.log_range(0.2, 5.0), rng.log_range(1.0, aspect));
        let n = exponents.map_or(2.0, |(low, high)| rng.log_range(low, high));
        let (a, b) = if rng.index(2) == 0 { (long, long / aspect) } else { (long / aspect, long) };
        Oval { a, b, n, angle: rng.range(0.0, TAU) }
    };
    let (a, mut b) = (oval(rng), oval(rng));
    if class == Class::Alike {
        b = Oval { angle: if rng.index(2) == 0 { a.angle } else { b.angle }, ..a };
    }
    if class == Class::Nested {
        let scale = rng.range(0.05, 0.5) * a.a.min(a.b) / b.a.max(b.b);
        b = Oval { a: scale * b.a, b: scale * b.b, ..b };
    }
    let phi = rng.range(0.0, TAU);
    let direction = DVec2::from_angle(phi);
    let touching = {
        let point = |oval: &Oval, n: DVec2| {
            let frame = DVec2::from_angle(oval.angle);
            let local = shape(oval).as_convex().support(frame.conj_rotate(n).extend(0.0)).truncate();
            frame.rotate(local)
        };
        point(&a, direction) - point(&b, -direction)
    };
    let least = a.a.min(a.b).min(b.a).min(b.b);
    let offset = match class {
        Class::Apart => touching + direction * rng.log_range(1e-3, 10.0),
        Class::Grazing => touching + direction * rng.range(-1e-9, 1e-9),
        Class::Shallow => touching - direction * least * rng.log_range(1e-6, 0.1),
        Class::Deep | Class::Alike => touching * rng.range(0.0, 1.0),
        Class::Nested => touching * rng.range(0.0, 0.7),
        Class::Concentric => DVec2::ZERO,
    };
    (a, b, offset.to_array())
}

trait ConjRotate {
    fn conj_rotate(self, v: DVec2) -> DVec2;
}

impl ConjRotate for DVec2 {
    fn conj_rotate(self, v: DVec2) -> DVec2 {
        DVec2::new(self.x, -self.y).rotate(v)
    }
}

#[derive(Default)]
struct Count {
    pairs: usize,
    unconverged: usize,
    misclassified: usize,
    wrong: usize,
    worst: f64,
    iterations: u64,
    most_iterations: u32,
}

fn sweep(name: &str, aspect: f64, exponents: Option<(f64, f64)>, samples: usize, share: usize) {
    let total = std::env::var("GRANUM_PAIRS").ok().and_then(|text| text.parse::<usize>().ok());
    let pairs = total.map_or(PAIRS, |total| total / CLASSES.len() + 1) / share;
    let mut faults = 0;
    println!("\n{name}, aspect up to {aspect}");
    println!("| class | pairs | unconverged | misclassified | wrong | worst error | mean iterations | most |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for class in CLASSES {
        let mut rng = Rng::new(11 + class as u64);
        let mut count = Count { pairs, ..Count::default() };
        for _ in 0..pairs {
            let (a, b, offset) = random_pair(&mut rng, class, aspect, exponents);
            let (shape_a, shape_b) = (shape(&a), shape(&b));
            let anywhere = DVec2::from_angle(rng.range(0.0, TAU)).extend(0.0);
            let aside = DQuat::from_rotation_z(rng.range(-WARM_ERROR, WARM_ERROR));
            let mut pair = Pair {
                a: &shape_a,
                b: &shape_b,
                offset: DVec3::new(offset[0], offset[1], 0.0),
                orientation_a: DQuat::from_rotation_z(a.angle),
                orientation_b: DQuat::from_rotation_z(b.angle),
                margin: f64::INFINITY,
                warm: None,
            };
            let mut manifold = Manifold::default();
            // A third each has no warm start, an arbitrary one, and one close to the solution.
            let start = rng.index(3);
            if start == 1 {
                pair.warm = Some(anywhere);
            }
            collide(Measure::Depth, &pair, &mut manifold);
            if start == 2 {
                pair.warm = Some(aside * manifold.points()[0].normal);
                collide(Measure::Depth, &pair, &mut manifold);
            }
            let ours = manifold.points()[0].gap;
            let (exact, _) = gap(&a, &b, offset, samples);
            let size = a.a.max(a.b).max(b.a).max(b.b);
            let error = (ours - exact).abs() / size;
            count.unconverged += usize::from(manifold.status != Status::Converged);
            count.misclassified += usize::from((ours > 0.0) != (exact > 0.0) && exact.abs() > GAP_ERROR * size);
            if (error > GAP_ERROR || manifold.status != Status::Converged) && count.wrong + count.unconverged < 3 {
                println!("{class:?} {a:?} {b:?} {offset:?}: gap {ours}, oracle {exact}, {:?}", manifold.status);
            }
            count.wrong += usize::from(error.is_nan() || error > GAP_ERROR);
            count.worst = count.worst.max(error);
            count.iterations += u64::from(manifold.iterations);
            count.most_iterations = count.most_iterations.max(manifold.iterations);
        }
        println!(
            "| {class:?} | {} | {} | {} | {} | {:.0e} | {:.1} | {} |",
            count.pairs,
            count.unconverged,
            count.misclassified,
            count.wrong,
            count.worst,
            count.iterations as f64 / count.pairs as f64,
            count.most_iterations
        );
        faults += count.unconverged + count.misclassified + count.wrong;
    }
    assert_eq!(faults, 0, "{name}");
}

#[test]
fn ellipses_agree_with_the_oracle() {
    sweep("ellipses", 50.0, None, 200, 1);
}

#[test]
fn superellipses_agree_with_the_oracle() {
    sweep("superellipses, n 1.2 to 20", 10.0, Some((1.2, 20.0)), 400, 4);
}

#[test]
fn a_warm_start_finds_the_same_contact() {
    let mut rng = Rng::new(3);
    let mut worst = [0f64; 2];
    let mut quick = 0;
    for k in 0..4000 {
        let exponents = (k % 2 == 0).then_some((1.2, 20.0));
        let (a, b, offset) = random_pair(&mut rng, Class::Shallow, 10.0, exponents);
        let (shape_a, shape_b) = (shape(&a), shape(&b));
        let at = |x: [f64; 2], angle| Pose {
            position: DVec3::new(x[0], x[1], 0.0),
            orientation: DQuat::from_rotation_z(angle),
        };
        let pair = Pair::new(&shape_a, &at([0.0; 2], a.angle), &shape_b, &at(offset, b.angle));
        let (mut cold, mut warm) = (Manifold::default(), Manifold::default());
        collide(Measure::Depth, &pair, &mut cold);
        let cold = cold.points()[0];
        let aside = DQuat::from_rotation_z(rng.range(-1e-4, 1e-4));
        collide(Measure::Depth, &Pair { warm: Some(aside * cold.normal), ..pair }, &mut warm);
        quick += usize::from(warm.iterations <= 2);
        let warm = warm.points()[0];
        worst[0] = worst[0].max((warm.normal - cold.normal).length());
        // The error of a point is that of the normal times the radius of curvature.
        worst[1] = worst[1].max((warm.arm - cold.arm).length() * cold.curvature.min(1.0));
    }
    assert!(worst[0] < 1e-9 && worst[1] < 1e-9, "{worst:?}");
    assert!(quick > 3000, "{quick} of 4000 needed at most two directions");
}

#[test]
fn an_ascent_does_not_step_over_its_own_maximum() {
    let a = Oval { a: 2.1924774754717617, b: 1.0752589700085866, n: 2.0, angle: 3.6040973252534276 };
    let b = Oval { a: 0.02702656674057477, b: 1.2301118022064017, n: 2.0, angle: 0.5267166172686899 };
    let (shape_a, shape_b) = (shape(&a), shape(&b));
    let at = |angle: f64| Pose { position: DVec3::ZERO, orientation: DQuat::from_rotation_z(angle) };
    let mut manifold = Manifold::default();
    for k in 0..100 {
        let warm = Some(DVec2::from_angle(0.0628 * f64::from(k)).extend(0.0));
        collide(
            Measure::Depth,
            &Pair { warm, ..Pair::new(&shape_a, &at(a.angle), &shape_b, &at(b.angle)) },
            &mut manifold,
        );
        assert_eq!(manifold.status, Status::Converged);
        assert!((manifold.points()[0].gap - gap(&a, &b, [0.0; 2], 400).0).abs() < GAP_ERROR);
    }
}
