//! Pictures of a few balls, compared with their known silhouettes and colours.

use glam::{DQuat, DVec3};
use granum_engine::{BodyId, BodyState, ContactState, MaterialId, ShapeId};
use granum_geometry::Shape;
use granum_geometry::shape::{HalfSpace, Sphere};
use granum_picture::{ColourMap, Framing, Image, Lens, NoPicture, Quantity, Subject, View, Viewpoint, render};

const BALL: ShapeId = ShapeId(0);
const FLOOR: ShapeId = ShapeId(1);

fn shapes() -> Vec<Shape> {
    vec![Sphere { radius: 1.0 }.into(), HalfSpace::new(DVec3::Z).into()]
}

fn body(id: u32, shape: ShapeId, position: DVec3, speed: f64) -> BodyState {
    BodyState {
        id: BodyId(id),
        shape,
        material: MaterialId(0),
        position,
        orientation: DQuat::IDENTITY,
        velocity: speed * DVec3::X,
        spin: DVec3::ZERO,
        mass: if shape == FLOOR { f64::INFINITY } else { 1.0 },
    }
}

/// Returns a view from the front without perspective, walls and legend.
fn plain() -> View {
    View {
        size: [300, 300],
        from: Viewpoint::Front,
        lens: Lens::Orthographic,
        legend: false,
        walls: false,
        ..View::default()
    }
}

fn take(bodies: &[BodyState], view: &View) -> Image {
    let shapes = shapes();
    let subject = Subject { time: 0.25, bodies, contacts: &[], wear: &[], shapes: &shapes, materials: &[] };
    render(&subject, view, &Framing::of(&subject, view)).unwrap()
}

/// Returns the number of pixels that are not background.
fn covered(image: &Image) -> f64 {
    image.pixels.iter().filter(|pixel| **pixel != [255; 3]).count() as f64
}

/// Returns true if a pixel is nearer to yellow (the last colour of the map) than to violet (the
/// first).
fn is_fast(pixel: [u8; 3]) -> bool {
    pixel[1] > pixel[2]
}

#[test]
fn the_silhouette_of_a_ball_is_a_circle_of_its_size() {
    let view = View { size: [400, 300], ..plain() };
    let image = take(&[body(0, BALL, DVec3::ZERO, 1.0)], &view);
    // The drawn volume has a margin of 0.08 diagonals of the bounding box on each side, and the
    // border takes 4 % of the picture.
    let room = 2.0 + 2.0 * 0.08 * 12f64.sqrt();
    let radius = 0.92 * 300.0 / room;
    let area = std::f64::consts::PI * radius * radius;
    let outline = std::f64::consts::TAU * radius;
    assert!((covered(&image) - area).abs() < outline, "{} {area}", covered(&image));
    // Pixels just inside and just outside the circle, on the middle row and column.
    let r = radius as usize;
    for (x, y, inside) in
        [(200 - r + 2, 150, true), (200 - r - 2, 150, false), (200, 150 + r - 2, true), (200, 150 + r + 2, false)]
    {
        assert_eq!(image.at(x, y) != [255; 3], inside, "{x} {y}");
    }
}

#[test]
fn the_nearer_ball_hides_the_farther_one() {
    let middle = |slow: f64, fast: f64| {
        let bodies = [body(0, BALL, slow * DVec3::Y, 0.0), body(1, BALL, fast * DVec3::Y, 1.0)];
        let view = View { range: Some([0.0, 1.0]), ..plain() };
        is_fast(take(&bodies, &view).at(150, 150))
    };
    assert!(!middle(0.0, 4.0), "the slow ball is nearer");
    assert!(middle(4.0, 0.0), "the fast ball is nearer");
}

#[test]
fn views_look_in_the_direction_of_their_name() {
    // Returns the mean pixel of a fast ball relative to the centre, for a slow ball at the origin
    // and the fast ball at four times `direction`.
    let fast_is = |from: Viewpoint, direction: DVec3| {
        let bodies = [body(0, BALL, DVec3::ZERO, 0.0), body(1, BALL, 4.0 * direction, 1.0)];
        let image = take(&bodies, &View { from, range: Some([0.0, 1.0]), ..plain() });
        let drawn = |(k, pixel): (usize, &[u8; 3])| {
            (*pixel != [255; 3] && is_fast(*pixel)).then_some([(k % 300) as f64, (k / 300) as f64])
        };
        let pixels: Vec<[f64; 2]> = image.pixels.iter().enumerate().filter_map(drawn).collect();
        let mean = |axis: usize| pixels.iter().map(|pixel| pixel[axis]).sum::<f64>() / pixels.len() as f64 - 149.5;
        [mean(0), mean(1)]
    };
    assert!(fast_is(Viewpoint::Front, DVec3::X)[0] > 40.0, "x points to the right");
    assert!(fast_is(Viewpoint::Front, DVec3::Z)[1] < -40.0, "z points up");
    assert!(fast_is(Viewpoint::Side, DVec3::Y)[0] > 40.0, "y points to the right");
    assert!(fast_is(Viewpoint::Top, DVec3::X)[0] > 40.0 && fast_is(Viewpoint::Top, DVec3::Y)[1] < -40.0);
    assert!(fast_is(Viewpoint::Iso, DVec3::Z)[1] < -40.0);
}

#[test]
fn a_cut_opens_a_flat_face_in_the_colour_of_the_grain() {
    let whole = take(&[body(0, BALL, DVec3::ZERO, 1.0)], &plain());
    let half = take(&[body(0, BALL, DVec3::ZERO, 1.0)], &View { cut: Some((-DVec3::Y, 0.0)), ..plain() });
    let side = take(&[body(0, BALL, DVec3::ZERO, 1.0)], &View { cut: Some((DVec3::X, 0.0)), ..plain() });
    assert!(
        (covered(&half) - covered(&whole)).abs() < 0.02 * covered(&whole),
        "the cut does not change the outline from the front"
    );
    let row: Vec<[u8; 3]> = (100..200).map(|x| half.at(x, 150)).collect();
    assert!(row.iter().all(|pixel| *pixel == row[0]), "the face is flat");
    assert!(
        (covered(&side) - 0.5 * covered(&whole)).abs() < 0.02 * covered(&whole),
        "the cut removes half of the ball"
    );
}

#[test]
fn a_floor_is_seen_from_above_and_not_from_below() {
    let bodies = [body(0, BALL, DVec3::Z, 1.0), body(1, FLOOR, DVec3::ZERO, 0.0)];
    let look_at = Some(DVec3::Z);
    let view = |from| View { walls: true, from, look_at, lens: Lens::Perspective, ..plain() };
    let bare = covered(&take(&bodies[..1], &view(Viewpoint::Top)));
    assert!(covered(&take(&bodies, &view(Viewpoint::Top))) > 1.2 * bare);
    let below = Viewpoint::At(DVec3::new(0.0, 0.1, -8.0));
    assert_eq!(covered(&take(&bodies, &view(below))), covered(&take(&bodies[..1], &view(below))));
}

#[test]
fn a_ball_casts_a_shadow_on_the_floor() {
    let view = View { walls: true, from: Viewpoint::Top, ..plain() };
    let image = take(&[body(0, BALL, 1.5 * DVec3::Z, 1.0), body(1, FLOOR, DVec3::ZERO, 0.0)], &view);
    let greys: Vec<u8> = image.pixels.iter().filter(|pixel| pixel[0].abs_diff(pixel[2]) < 8).map(|p| p[0]).collect();
    let lit = greys.iter().filter(|grey| **grey != 255).max().unwrap();
    let shaded = greys.iter().min().unwrap();
    assert!(lit - shaded > 15, "{lit} {shaded}");
}

#[test]
fn the_bar_shows_the_colours_of_its_values() {
    let bodies = [body(0, BALL, DVec3::ZERO, 0.0), body(1, BALL, 3.0 * DVec3::X, 2.0)];
    let view = View { size: [800, 600], legend: true, ..plain() };
    let image = take(&bodies, &view);
    let column = 800 - 100 + 4;
    // The bar extends from 22 % to 80 % of the height of the picture.
    for (part, row) in [(0.0, 479), (0.25, 393), (0.5, 306), (1.0, 132)] {
        let wanted = ColourMap::Viridis.colour(part);
        assert!(image.at(column, row).iter().zip(wanted).all(|(a, b)| a.abs_diff(b) <= 2), "{part}");
    }
    let dark = |x: std::ops::Range<usize>, y: std::ops::Range<usize>| {
        y.flat_map(|y| x.clone().map(move |x| (x, y))).filter(|&(x, y)| image.at(x, y)[0] < 100).count()
    };
    assert!(dark(0..150, 0..40) > 40, "the time is written");
    assert!(dark(725..800, 130..490) > 100, "the values are written");
}

#[test]
fn a_bed_at_rest_has_the_colour_of_rest() {
    let at_rest = [body(0, BALL, DVec3::ZERO, 1e-9), body(1, BALL, 3.0 * DVec3::X, 3e-9)];
    let still = [body(0, BALL, DVec3::ZERO, 0.0), body(1, BALL, 3.0 * DVec3::X, 0.0)];
    let view = View { legend: true, ..plain() };
    assert_eq!(take(&at_rest, &view).pixels, take(&still, &view).pixels, "vibrations are coloured");
    // Nearly equal speeds: the bar starts at zero all the same.
    let flowing = [body(0, BALL, DVec3::ZERO, 1.9), body(1, BALL, 3.0 * DVec3::X, 2.0)];
    let image = take(&flowing, &plain());
    assert!(is_fast(image.at(75, 150)) && is_fast(image.at(225, 150)), "the slower ball has the colour of rest");
}

#[test]
fn a_picture_has_the_same_bytes_for_any_number_of_threads() {
    let bodies: Vec<BodyState> = (0..200)
        .map(|k| {
            body(k, BALL, DVec3::new(f64::from(k % 6), f64::from(k / 6 % 6), f64::from(k / 36)) * 1.9, f64::from(k))
        })
        .chain([body(200, FLOOR, -DVec3::Z, 0.0)])
        .collect();
    let picture = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| take(&bodies, &View { size: [200, 150], ..View::default() }))
    };
    let one = picture(1);
    assert!(covered(&one) > 5000.0);
    assert!([2, 3].iter().all(|&threads| picture(threads) == one));
}

#[test]
fn quantities_have_the_values_of_their_definitions() {
    let shapes = shapes();
    let bodies = [body(0, BALL, DVec3::ZERO, 3.0), body(1, BALL, 1.9 * DVec3::X, 0.0), body(2, FLOOR, -DVec3::Z, 0.0)];
    let contact = |a, b, point, force| ContactState {
        a: BodyId(a),
        b: BodyId(b),
        point,
        normal: DVec3::X,
        gap: -0.1,
        force,
        torque: DVec3::ZERO,
    };
    let contacts = [
        contact(0, 1, 0.95 * DVec3::X, 4.0 * DVec3::X),
        contact(2, 0, -DVec3::Z, 3.0 * DVec3::Z),
        contact(2, 1, 1.9 * DVec3::X - DVec3::Z, 5.0 * DVec3::Z),
    ];
    let subject =
        Subject { time: 0.0, bodies: &bodies, contacts: &contacts, wear: &[], shapes: &shapes, materials: &[] };
    let values = |quantity: Quantity| quantity.values(&subject)[..2].to_vec();
    assert_eq!(values(Quantity::Speed), [3.0, 0.0]);
    assert_eq!(values(Quantity::Size), [2.0, 2.0]);
    assert_eq!(values(Quantity::Force), [7.0, 9.0]);
    assert_eq!(values(Quantity::Coordination), [2.0, 2.0]);
    assert_eq!(values(Quantity::Orientation), [0.0, 0.0]);
    let volume = 4.0 / 3.0 * std::f64::consts::PI;
    let wanted = (4.0 * 0.95 + 3.0) / (3.0 * volume);
    assert!((values(Quantity::Pressure)[0] - wanted).abs() < 1e-12);
    for (quantity, name, _) in Quantity::ALL {
        assert_eq!(name.parse(), Ok(quantity));
    }
    assert!("spede".parse::<Quantity>().unwrap_err().contains("angular-speed"));
}

#[test]
fn a_picture_without_bodies_or_with_a_bad_size_is_an_error() {
    let shapes = shapes();
    let bodies = [body(0, FLOOR, DVec3::ZERO, 0.0)];
    let subject = Subject { time: 0.0, bodies: &bodies, contacts: &[], wear: &[], shapes: &shapes, materials: &[] };
    let view = plain();
    assert_eq!(render(&subject, &view, &Framing::of(&subject, &view)), Err(NoPicture::Empty));
    let view = View { size: [8, 100], ..plain() };
    assert_eq!(render(&subject, &view, &Framing::of(&subject, &view)), Err(NoPicture::Size(8, 100)));
}

#[test]
fn bodies_at_positions_that_are_not_finite_are_left_out() {
    let bodies = [body(0, BALL, DVec3::ZERO, 1.0), body(1, BALL, DVec3::NAN, 1.0)];
    assert_eq!(take(&bodies, &plain()), take(&bodies[..1], &plain()));
}
