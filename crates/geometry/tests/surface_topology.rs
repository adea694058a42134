//! Faults of triangulated surfaces are found and repaired.

use glam::DVec3;
use granum_geometry::TriangleMesh;
use granum_geometry::random::Random;
use granum_geometry::shape::Surface;
use granum_geometry::surface::repair::{Changes, WELD};
use granum_geometry::surface::topology::{Edges, HalfEdge};
use granum_geometry::surface::{Inside, Location, Report, repair};

/// A cube of edge length `size` about a point, with normals outward.
fn cube(middle: DVec3, size: f64) -> TriangleMesh {
    let corner = |k: usize| DVec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64) - 0.5;
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriangleMesh::new((0..8).map(|k| middle + size * corner(k)).collect(), triangles).expect("a cube")
}

/// The same cube with three vertices for each triangle, as in an STL file.
fn unjoined(mesh: &TriangleMesh) -> TriangleMesh {
    let vertices = (0..mesh.triangles().len()).flat_map(|triangle| mesh.corners(triangle)).collect();
    let triangles = (0..mesh.triangles().len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    TriangleMesh::new(vertices, triangles).expect("the same triangles")
}

fn with_triangles(mesh: &TriangleMesh, change: impl Fn(&mut Vec<[u32; 3]>)) -> TriangleMesh {
    let (vertices, mut triangles) = mesh.clone().into_parts();
    change(&mut triangles);
    TriangleMesh::new(vertices, triangles).expect("valid indices")
}

#[test]
fn a_cube_has_no_fault() {
    let report = Report::of(&cube(DVec3::ONE, 2.0));
    assert_eq!((report.triangles, report.vertices, report.components), (12, 8, 1));
    assert!((report.area - 24.0).abs() < 1e-14 && report.volume.is_some_and(|volume| (volume - 8.0).abs() < 1e-14));
    assert!(report.open_edges.is_empty() && report.non_manifold_edges.is_empty());
    assert!(report.flipped.is_empty() && report.degenerate.is_empty() && report.duplicates.is_empty());
    assert!(report.intersecting.is_empty(), "{:?}", report.intersecting);
}

#[test]
fn neighbours_share_an_edge_in_opposite_directions() {
    let mesh = cube(DVec3::ZERO, 1.0);
    let edges = Edges::new(&mesh);
    assert_eq!(edges.count(), 18);
    let neighbours = edges.neighbours(&mesh);
    for triangle in 0..12 {
        for side in 0..3 {
            let across = neighbours.across(triangle, side).expect("a closed surface");
            let [from, to] = HalfEdge::new(triangle, side).ends(&mesh);
            assert_eq!(across.ends(&mesh), [to, from]);
            assert_eq!(neighbours.across(across.triangle(), across.side()), Some(HalfEdge::new(triangle, side)));
            assert!(!across.ends(&mesh).contains(&across.opposite(&mesh)));
        }
    }
}

#[test]
fn each_fault_is_counted() {
    let whole = cube(DVec3::ZERO, 1.0);
    let open = Report::of(&with_triangles(&whole, |triangles| _ = triangles.pop()));
    assert_eq!((open.open_edges.len(), open.volume), (3, None));

    let flipped = Report::of(&with_triangles(&whole, |triangles| triangles[5].swap(0, 1)));
    assert_eq!((flipped.flipped, flipped.volume), (vec![5], None));

    let doubled = Report::of(&with_triangles(&whole, |triangles| triangles.push([3, 2, 0])));
    assert_eq!((doubled.duplicates, doubled.non_manifold_edges.len()), (vec![12], 3));

    let degenerate = Report::of(&with_triangles(&whole, |triangles| triangles.push([3, 3, 0])));
    assert_eq!(degenerate.degenerate, [12]);

    let apart = Report::of(&whole.clone().with(&cube(DVec3::splat(3.0), 1.0)).expect("two cubes"));
    assert_eq!((apart.components, apart.intersecting.len()), (2, 0));

    // Two cubes overlap in a smaller one: six pairs of faces cross.
    let crossed = Report::of(&whole.with(&cube(DVec3::splat(0.5), 1.0)).expect("two cubes"));
    assert_eq!(crossed.components, 2);
    assert!(crossed.intersecting.len() >= 6, "{:?}", crossed.intersecting);
    assert!(crossed.intersecting.iter().all(|&[a, b]| a < 12 && b >= 12));
}

#[test]
fn a_strip_with_one_side_is_named() {
    let point = |k: u32| {
        let angle = std::f64::consts::PI * f64::from(k) / 5.0;
        let half =
            0.3 * DVec3::new(angle.cos() * (0.5 * angle).cos(), angle.sin() * (0.5 * angle).cos(), (0.5 * angle).sin());
        let middle = DVec3::new(angle.cos(), angle.sin(), 0.0);
        [middle + half, middle - half]
    };
    let vertices = (0..10).flat_map(point).collect();
    let mut triangles: Vec<[u32; 3]> =
        (0..9).flat_map(|k| [[2 * k, 2 * k + 1, 2 * k + 2], [2 * k + 1, 2 * k + 3, 2 * k + 2]]).collect();
    triangles.extend([[18, 19, 1], [19, 0, 1]]);
    let mesh = TriangleMesh::new(vertices, triangles).expect("a strip");
    let report = Report::of(&mesh);
    assert_eq!((report.one_sided, report.flipped.len(), report.components), (1, 0, 1));
    let (_, changes) = repair(&mesh, WELD).expect("a strip");
    assert_eq!(changes, Changes { one_sided: 1, ..Changes::default() });
}

#[test]
fn a_heap_of_loose_triangles_becomes_a_closed_surface() {
    let mut random = Random::new(4);
    let loose = unjoined(&cube(DVec3::ONE, 1.0));
    // Rounding to single precision far from the origin, triangles in any direction, one of them
    // twice, and one without area.
    let vertices: Vec<DVec3> = loose.vertices().iter().map(|vertex| *vertex + 1e-8 * random.in_cube()).collect();
    let mut triangles = loose.triangles().to_vec();
    (0..12).step_by(3).for_each(|k| triangles[k].swap(0, 2));
    triangles.extend([triangles[4], [0, 0, 1]]);
    let (mended, changes) = repair(&TriangleMesh::new(vertices, triangles).expect("valid"), WELD).expect("triangles");
    let expected = Changes { joined_vertices: 28, degenerate: 1, duplicates: 1, reversed: 4, ..Changes::default() };
    assert_eq!(changes, expected);
    let report = Report::of(&mended);
    assert_eq!((report.vertices, report.triangles, report.components), (8, 12, 1));
    assert!(report.volume.is_some_and(|volume| (volume - 1.0).abs() < 1e-6), "{:?}", report.volume);
}

#[test]
fn closed_parts_face_outward_and_cavities_inward() {
    let sizes = [4.0, 3.0, 2.0, 1.0];
    let mut nested = cube(DVec3::ZERO, sizes[0]).reversed();
    for size in &sizes[1..] {
        nested = nested.with(&cube(DVec3::ZERO, *size)).expect("small");
    }
    let (mended, changes) = repair(&nested, WELD).expect("triangles");
    assert_eq!(changes.reversed, 36, "{changes:?}");
    let volume = Report::of(&mended).volume.expect("closed");
    assert!((volume - (64.0 - 27.0 + 8.0 - 1.0)).abs() < 1e-12, "{volume}");
}

#[test]
fn vertices_are_joined_up_to_the_distance_and_not_beyond() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let two = |shift: f64| {
        let vertices = corners
            .iter()
            .chain(&corners)
            .enumerate()
            .map(|(k, &corner)| corner + if k < 4 { DVec3::ZERO } else { DVec3::new(shift, 0.0, 0.0) });
        TriangleMesh::new(vertices.collect(), vec![[0, 1, 2], [4, 6, 7]]).expect("valid")
    };
    let diagonal = 3f64.sqrt();
    let joined = |shift: f64| repair(&two(shift), 1e-3 / diagonal).expect("triangles").1.joined_vertices;
    assert_eq!(joined(0.9e-3), 4);
    assert_eq!(joined(1.1e-3), 0);
}

#[test]
fn random_points_are_located_as_by_the_formula() {
    let mesh = cube(DVec3::ZERO, 1.0).with(&cube(DVec3::ZERO, 0.5).reversed()).expect("a shell");
    let inside = Inside::new(&mesh);
    let mut random = Random::new(9);
    for _ in 0..20_000 {
        let point = 0.7 * random.in_cube();
        let distance = point.abs().max_element();
        let expected = if (0.25..0.5).contains(&distance) { Location::Inside } else { Location::Outside };
        assert_eq!(inside.locate(point), expected, "{point}");
        assert_eq!(inside.winding_number(point), Some(i64::from(expected == Location::Inside)));
    }
    // Points whose axes hit edges and corners need other rays than these axes.
    assert_eq!(inside.locate(DVec3::new(0.4, 0.0, 0.0)), Location::Inside);
    assert_eq!(inside.locate(DVec3::new(0.5, 0.1, 0.2)), Location::On);
    assert_eq!(inside.locate(DVec3::ZERO), Location::Outside);
}

#[test]
fn points_in_solids_are_found() {
    let surface = |mesh: TriangleMesh, is_two_sided| Surface::new(mesh, is_two_sided).expect("a surface");
    let solid = surface(cube(DVec3::ZERO, 1.0), false);
    let shell = surface(cube(DVec3::ZERO, 1.0).with(&cube(DVec3::ZERO, 0.5).reversed()).expect("a shell"), false);
    let two = surface(cube(DVec3::ZERO, 1.0).with(&cube(DVec3::splat(0.3), 1.0)).expect("crossing cubes"), false);
    let others = [surface(cube(DVec3::ZERO, 1.0), true), surface(cube(DVec3::ZERO, 1.0).reversed(), false)];
    // Points of a coarse grid, whose rays hit edges and corners, and random ones.
    let coarse = (0..11i32.pow(3)).map(|k| DVec3::new((k % 11) as f64, (k / 11 % 11) as f64, (k / 121) as f64));
    let mut random = Random::new(10);
    let points: Vec<DVec3> =
        coarse.map(|k| (k - 5.0) * 0.15).chain((0..2000).map(|_| 0.9 * random.in_cube())).collect();
    for point in points {
        let [at, other] = [DVec3::ZERO, DVec3::splat(0.3)].map(|middle| (point - middle).abs().max_element());
        if [at, other].iter().any(|at| [0.25, 0.5].iter().any(|limit| (at - limit).abs() < 1e-9)) {
            continue;
        }
        assert_eq!(solid.is_in_solid(point), at < 0.5, "{point}");
        assert_eq!(shell.is_in_solid(point), at > 0.25 && at < 0.5, "{point}");
        assert_eq!(two.is_in_solid(point), at < 0.5 || other < 0.5, "{point}");
        assert!(!others.iter().any(|surface| surface.is_in_solid(point)), "{point}");
    }
}
