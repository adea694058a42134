//! Pictures of triangulated surfaces: their sides, glass in front of the grains, and colours.

use glam::{DQuat, DVec3};
use granum_engine::{BodyId, BodyState, MaterialId, ShapeId, SurfaceWear, TriangleWear};
use granum_geometry::shape::{Sphere, Surface};
use granum_geometry::surface::generate::{BoxSurface, Terrain};
use granum_geometry::{Shape, TriangleMesh};
use granum_picture::{ColourMap, Framing, Image, Lens, Quantity, Subject, SurfaceQuantity, View, Viewpoint, render};

fn body(id: u32, position: DVec3) -> BodyState {
    BodyState {
        id: BodyId(id),
        shape: ShapeId(id),
        material: MaterialId(0),
        position,
        orientation: DQuat::IDENTITY,
        velocity: DVec3::ZERO,
        spin: DVec3::ZERO,
        mass: if id == 0 { f64::INFINITY } else { 1.0 },
    }
}

/// Returns a view from the front without perspective and legend.
fn plain() -> View {
    View {
        size: [240, 240],
        from: Viewpoint::Front,
        lens: Lens::Orthographic,
        colour: Quantity::None,
        legend: false,
        ..View::default()
    }
}

/// Draws a surface and a ball of radius 1 at a place.
fn take(mesh: TriangleMesh, is_two_sided: bool, ball: DVec3, wear: &[SurfaceWear], view: &View) -> Image {
    let shapes: [Shape; 2] = [Surface::new(mesh, is_two_sided).unwrap().into(), Sphere { radius: 1.0 }.into()];
    let bodies = [body(0, DVec3::ZERO), body(1, ball)];
    let subject = Subject { time: 0.0, bodies: &bodies, contacts: &[], wear, shapes: &shapes, materials: &[] };
    render(&subject, view, &Framing::of(&subject, view)).unwrap()
}

/// A vertical square with the half width 3 in the plane y = 0. Its normal points along y.
fn sheet() -> TriangleMesh {
    let corner = |x: f64, z: f64| DVec3::new(3.0 * x, 0.0, 3.0 * z);
    let vertices = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    TriangleMesh::new(vertices, vec![[0, 2, 1], [0, 3, 2]]).unwrap()
}

/// Returns whether a pixel has the colour of the ball, which is brown, even behind glass.
fn is_brown(pixel: [u8; 3]) -> bool {
    i32::from(pixel[0]) - i32::from(pixel[2]) > 12
}

#[test]
fn a_sheet_hides_a_ball_only_if_its_front_is_seen() {
    // The camera looks along y: towards the back of the sheet.
    let behind = take(sheet(), false, 2.0 * DVec3::Y, &[], &plain());
    assert!(is_brown(behind.at(120, 120)), "the ball is seen through glass: {:?}", behind.at(120, 120));
    assert!(behind.at(60, 60) != [255; 3], "the glass is seen");
    let clear = take(sheet(), false, -2.0 * DVec3::Y, &[], &plain());
    let (through, free) = (behind.at(120, 120), clear.at(120, 120));
    assert!(is_brown(free) && free != through, "glass changes the colour behind it: {free:?} {through:?}");
    // From the front the sheet hides the ball behind it.
    let solid = take(sheet().reversed(), false, 2.0 * DVec3::Y, &[], &plain());
    assert!(!is_brown(solid.at(120, 120)), "{:?}", solid.at(120, 120));
}

#[test]
fn a_sheet_with_two_sides_is_glass_between_the_eye_and_the_grains() {
    for mesh in [sheet(), sheet().reversed()] {
        let glass = take(mesh.clone(), true, 2.0 * DVec3::Y, &[], &plain());
        assert!(is_brown(glass.at(120, 120)) && glass.at(60, 60) != [255; 3]);
        let solid = take(mesh, true, -2.0 * DVec3::Y, &[], &plain());
        // The ball is in front; beside it the sheet is solid, and darker than glass.
        assert!(is_brown(solid.at(120, 120)));
        assert!(solid.at(60, 60)[1] < glass.at(60, 60)[1], "{:?} {:?}", solid.at(60, 60), glass.at(60, 60));
    }
}

#[test]
fn a_closed_box_shows_the_grain_inside() {
    let inward = BoxSurface { size: [4.0, 4.0, 4.0], lid: true }.mesh().unwrap().translated(-2.0 * DVec3::Z).unwrap();
    let image = take(inward.clone(), false, DVec3::ZERO, &[], &plain());
    assert!(is_brown(image.at(120, 120)));
    let outward = take(inward.reversed(), false, DVec3::ZERO, &[], &plain());
    assert!(!is_brown(outward.at(120, 120)), "the inside of a closed body is not visible");
}

#[test]
fn triangles_have_the_colours_of_their_wear_and_points_those_of_their_height() {
    let worn = |triangle, friction_work| TriangleWear {
        triangle,
        pressure: 0.0,
        peak_pressure: 0.0,
        friction_work,
        impact_work: 0.0,
    };
    let wear = [SurfaceWear { body: BodyId(0), triangles: vec![worn(1, 40.0)] }];
    let view = View { surface_colour: SurfaceQuantity::FrictionWork, ..plain() };
    // The reversed sheet has its front to the camera; its second triangle is at the top left.
    let image = take(sheet().reversed(), false, 30.0 * DVec3::Y, &wear, &view);
    let (top, bottom) = (image.at(80, 70), image.at(160, 170));
    assert!(top[0] > top[1] + 40, "worn: dark red, {top:?}");
    assert!(bottom[0].abs_diff(bottom[1]) < 25, "not worn: grey, {bottom:?}");
    // Beyond a chosen range the colour stays the last one; a wide range makes it pale.
    let wide = View { surface_range: Some([0.0, 4000.0]), ..view.clone() };
    let pale = take(sheet().reversed(), false, 30.0 * DVec3::Y, &wear, &wide).at(80, 70);
    assert!(pale[0].abs_diff(pale[1]) < 25, "{pale:?}");

    let heights = View { surface_colour: SurfaceQuantity::Height, surface_map: Some(ColourMap::Grey), ..plain() };
    let image = take(sheet().reversed(), false, 30.0 * DVec3::Y, &[], &heights);
    let column: Vec<i32> = [70, 95, 120, 150].map(|y| i32::from(image.at(120, y)[1])).to_vec();
    assert!(column.windows(2).all(|pair| pair[0] > pair[1] + 5), "lighter at greater heights: {column:?}");
}

#[test]
fn the_legend_has_a_bar_for_grains_and_one_for_surfaces() {
    let view = View {
        size: [800, 600],
        legend: true,
        colour: Quantity::Height,
        surface_colour: SurfaceQuantity::Height,
        ..plain()
    };
    let image = take(sheet(), false, 2.0 * DVec3::Y, &[], &view);
    let column = 800 - 100 + 4;
    for (row, map, part) in
        [(74, ColourMap::Viridis, 1.0), (274, ColourMap::Viridis, 0.0), (350, ColourMap::Earth, 1.0)]
    {
        let wanted = map.colour(part);
        let found = image.at(column, row);
        assert!(found.iter().zip(wanted).all(|(a, b)| a.abs_diff(b) <= 12), "{row}: {found:?} {wanted:?}");
    }
    for (quantity, name, _) in SurfaceQuantity::ALL {
        assert_eq!(name.parse(), Ok(quantity));
    }
    assert!("wear".parse::<SurfaceQuantity>().unwrap_err().contains("friction-work"));
}

#[test]
fn a_surface_has_the_same_bytes_for_any_number_of_threads() {
    let terrain = Terrain { size: [8.0; 2], cells: [60; 2], hills: 200, height: 0.4, radius: 0.5, seed: 2 };
    let mesh = terrain.mesh().unwrap();
    let picture = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let view = View { surface_colour: SurfaceQuantity::Height, from: Viewpoint::Iso, ..plain() };
        pool.install(|| take(mesh.clone(), true, 2.0 * DVec3::Z, &[], &view))
    };
    let one = picture(1);
    let covered = one.pixels.iter().filter(|pixel| **pixel != [255; 3]).count();
    assert!(covered > 5_000, "{covered}");
    assert!(picture(2) == one);
}
