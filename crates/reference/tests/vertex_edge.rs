//! The method `vertex-edge` on boxes and polyhedra, compared with the pair routines of the table.

#[path = "../../geometry/tests/support/polytopes.rs"]
mod polytopes;

use glam::DVec3;
use granum_geometry::random::Random as Rng;
use granum_geometry::shape::Box;
use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, collide};
use granum_reference::methods::{Detail, Outcome, named};
use polytopes::{random_box, random_poses, rock_of_any_size};

/// Absolute value of the gap below which rounding decides the sign, m. Sizes are about 1 m.
const TOLERANCE: f64 = 1e-10;

fn vertex_edge(pair: &Pair) -> Outcome {
    (named("vertex-edge").expect("the method is in the list").solve)(pair)
}

#[test]
fn the_method_finds_every_contact_of_polytopes() {
    const PAIRS: usize = 4000;
    let mut rng = Rng::new(17);
    let (mut touching, mut by_edges_alone) = (0, 0);
    for k in 0..PAIRS {
        let shape = if k % 2 == 0 { random_box } else { rock_of_any_size };
        let (a, b) = (shape(&mut rng), shape(&mut rng));
        let [pose_a, pose_b] = random_poses(&mut rng, &a, &b);
        let pair = Pair::new(&a, &pose_a, &b, &pose_b);
        let mut manifold = Manifold::default();
        collide(Measure::Depth, &pair, &mut manifold);
        let gap = manifold.deepest().expect("an infinite margin reports every pair").gap;
        let outcome = vertex_edge(&pair);
        assert!(outcome.touching == (gap <= 0.0) || gap.abs() <= TOLERANCE, "pair {k}: gap {gap}, {outcome:?}");
        touching += usize::from(outcome.touching);
        let found = |name: &str| {
            let detail = outcome.details.iter().find(|(key, _)| *key == name).map(|(_, detail)| detail);
            matches!(detail, Some(Detail::Number(count)) if *count > 0.0)
        };
        by_edges_alone += usize::from(outcome.touching && !found("corners_b_in_a") && !found("corners_a_in_b"));
    }
    assert!(
        touching > PAIRS / 4 && by_edges_alone > PAIRS / 100,
        "{touching} pairs touch, {by_edges_alone} by edges alone"
    );
}

#[test]
fn a_rod_through_a_plate_is_found_in_both_orders() {
    let plate: Shape = Box { half_sizes: DVec3::new(1.0, 1.0, 0.1) }.into();
    let rod: Shape = Box { half_sizes: DVec3::new(0.1, 0.1, 2.0) }.into();
    for (a, b, finds) in [(&plate, &rod, "edges_b_in_a"), (&rod, &plate, "edges_a_in_b")] {
        let outcome = vertex_edge(&Pair::new(a, &Pose::IDENTITY, b, &Pose::IDENTITY));
        assert!(outcome.touching);
        // Only the four long edges of the rod pass through the plate. A test of the edges of the
        // plate alone would miss them.
        for (name, detail) in &outcome.details {
            let expected = if *name == finds { 4.0 } else { 0.0 };
            assert_eq!(*detail, Detail::Number(expected), "{name}");
        }
    }
}
