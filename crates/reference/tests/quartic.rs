//! Roots of quartics: quartics with given roots, and the frequency with which the Lin-Bairstow
//! iteration of [Feng2017, Appendix 4] is slow or fails.

use granum_geometry::random::Random as Rng;
use granum_reference::quartic::{circle_and_ellipse, lin_bairstow, real_roots};

/// Number of quartics of each test.
const CASES: usize = 100_000;

fn value(a: [f64; 5], x: f64) -> f64 {
    a.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// Returns the quartic of a random circle and a random ellipse.
fn random_quartic(rng: &mut Rng) -> [f64; 5] {
    let (r, a, b) = (rng.range(0.3, 1.0), rng.range(0.3, 3.0), rng.range(0.3, 1.0));
    circle_and_ellipse(r, [a, b], [rng.range(-1.5, 1.5), rng.range(-1.5, 1.5)])
}

#[test]
fn given_roots_are_found() {
    let mut rng = Rng::new(71);
    for _ in 0..CASES {
        let mut given = [0.0; 4].map(|_: f64| rng.range(-2.0, 2.0));
        given.sort_by(f64::total_cmp);
        if given.windows(2).any(|pair| pair[1] - pair[0] < 0.05) {
            continue;
        }
        let mut a = [1.0, 0.0, 0.0, 0.0, 0.0];
        for root in given {
            // Multiplies the polynomial by (x - root).
            for k in (0..5).rev() {
                a[k] = if k > 0 { a[k - 1] } else { 0.0 } - root * a[k];
            }
        }
        let found = real_roots(a);
        assert_eq!(found.as_slice().len(), 4, "{given:?} {found:?}");
        for (x, y) in given.iter().zip(found.as_slice()) {
            assert!((x - y).abs() < 1e-9, "{given:?} {found:?}");
        }
    }
}

#[test]
fn the_published_iteration_is_slow_and_sometimes_fails() {
    let mut rng = Rng::new(72);
    let (mut failed, mut slow, mut steps, mut missed) = (0, 0, 0u64, 0);
    for _ in 0..CASES {
        let a = random_quartic(&mut rng);
        let bracketed = real_roots(a);
        let size = a.iter().fold(0f64, |size, x| size.max(x.abs()));
        for &x in bracketed.as_slice() {
            let terms = size * (1.0 + x.abs()).powi(4);
            assert!(value(a, x).abs() <= 1e-13 * terms, "{a:?}: the value at the root {x} is {}", value(a, x));
        }
        let Some(published) = lin_bairstow(a) else {
            failed += 1;
            continue;
        };
        slow += usize::from(published.iterations > 4);
        steps += u64::from(published.iterations);
        // Simple roots must agree.
        for &x in published.roots.as_slice() {
            let slope: f64 = (1..5).map(|k| k as f64 * a[k] * x.powi(k as i32 - 1)).sum();
            let is_simple = slope.abs() > 1e-3 * size && x.abs() < 3.0;
            missed += usize::from(is_simple && !bracketed.as_slice().iter().any(|y| (x - y).abs() < 1e-8));
        }
    }
    let part = |count: usize| 100.0 * count as f64 / CASES as f64;
    println!(
        "Lin-Bairstow from (0, -1): more than 4 steps in {:.1} %, {:.1} steps on average, fails in {:.2} %",
        part(slow),
        steps as f64 / (CASES - failed) as f64,
        part(failed)
    );
    assert_eq!(missed, 0);
    assert!(part(failed) < 5.0 && part(slow) > 50.0);
}
