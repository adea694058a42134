//! Off-screen rendering of grains: true shapes with sun and sky light, coloured by a quantity.
//!
//! The image is divided into strips that are drawn and shaded in parallel. Strips are independent,
//! so that the picture has the same bytes for any number of threads.

mod camera;
mod depth_buffer;
mod items;
mod legend;
mod light;
mod patches;
mod shading;
mod surface;
mod view;
mod walls;

use glam::DVec3;
use granum_geometry::Aabb;
use rayon::prelude::*;

pub use camera::Lens;
pub use surface::render_surface;
pub use view::{View, Viewpoint, cut_from_text, place_from_text};

use crate::image::{Colour, Image};
use crate::quantity::Quantity;
use crate::subject::Subject;
use items::{Film, Stock};
use legend::Scale;
use light::Light;
use patches::{Patches, SHADES, Seen};
use shading::Painter;
use walls::Walls;

/// Number of samples per side of a pixel.
const SAMPLES: usize = 3;

/// Number of pixel rows of a strip.
const STRIP: usize = 16;

/// Colour of obstacles, and of grains without a quantity.
const OBSTACLE_COLOUR: Colour = [176, 180, 188];
const PLAIN_COLOUR: Colour = [196, 166, 120];

/// The reason for which no picture can be rendered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPicture {
    /// There is nothing to draw.
    #[error("there is nothing to draw: no body has a bounded shape and a finite place")]
    Empty,
    /// The size of the picture is invalid.
    #[error("a picture is 16 to 16384 pixels wide and high, not {0}x{1}")]
    Size(usize, usize),
}

/// Bounds and colour range that several pictures of a run share, so that they can be compared and
/// animated.
#[derive(Clone, Copy, Debug)]
pub struct Framing {
    /// Bounds of all bodies shown.
    pub bounds: Aabb,
    /// Values of the first and the last colour.
    pub range: [f64; 2],
    /// The same of triangulated surfaces.
    pub surface_range: [f64; 2],
}

impl Framing {
    /// Returns the framing of one picture.
    pub fn of(subject: &Subject, view: &View) -> Self {
        let range = view.range.unwrap_or_else(|| {
            let values = view.colour.values(subject);
            let grains = subject.bodies.iter().zip(values).filter(|(body, _)| Subject::is_grain(body));
            let finite = grains.map(|(_, value)| value).filter(|value| value.is_finite());
            finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[min, max], value| [min.min(value), max.max(value)])
        });
        let surface_range = view.surface_range.unwrap_or_else(|| view.surface_colour.range(subject));
        Self { bounds: subject.bounds(), range, surface_range }
    }

    /// Returns the common framing of two pictures.
    pub fn and(self, other: Self) -> Self {
        let both = |one: [f64; 2], other: [f64; 2]| [one[0].min(other[0]), one[1].max(other[1])];
        Self {
            bounds: Aabb { min: self.bounds.min.min(other.bounds.min), max: self.bounds.max.max(other.bounds.max) },
            range: both(self.range, other.range),
            surface_range: both(self.surface_range, other.surface_range),
        }
    }
}

/// Renders a picture.
pub fn render(subject: &Subject, view: &View, framing: &Framing) -> Result<Image, NoPicture> {
    let [width, height] = view.size;
    check_size(view)?;
    if !(framing.bounds.min.is_finite() && framing.bounds.max.is_finite()) {
        return Err(NoPicture::Empty);
    }
    let bodies = Stock::new(subject.bodies, subject.shapes);
    let walls = Walls::new(if view.walls { subject.bodies } else { &[] }, subject.shapes, &framing.bounds);
    let camera = view.camera(&walls.room, &bodies);
    let scale = Scale::new(subject, view, framing.range);
    let of_surfaces = Scale::of_surfaces(view, framing.surface_range);
    let seen = Seen { camera: &camera, quantity: view.surface_colour, scale: &of_surfaces };
    let mut patches = if view.walls { Patches::new(subject, &seen) } else { Patches::default() };
    // The colours of bodies are followed by that of plain surfaces and the shades of a quantity.
    let mut colours = owners_colours(subject, &bodies, view, &scale);
    patches.number(colours.len() as u32, colours.len() as u32 + 1);
    colours.push(OBSTACLE_COLOUR);
    colours.extend(of_surfaces.shades(SHADES));
    let stock = bodies.with(patches.solid_items());
    let glass = Stock::new(&[], &[]).with(patches.glass_items());

    let film = Film::new(camera.finer(SAMPLES as f64), width * SAMPLES, height * SAMPLES, STRIP * SAMPLES, view.cut);
    let [arrangement, glass_arrangement] = [&stock, &glass].map(|stock| stock.arrange(&film));
    let light = lights(&stock, &subject.bounds(), &film, view);
    let painter = Painter::new(&film, &walls, &light, sun(&film), &colours).with_surfaces(&seen);
    let strips = (0..height.div_ceil(STRIP)).into_par_iter();
    let paint = |number| {
        let panes = (!glass.items.is_empty()).then(|| glass.draw(&film, &glass_arrangement, number));
        painter.paint(stock.draw(&film, &arrangement, number), panes)
    };
    let pixels = strips.flat_map_iter(paint).collect();

    let mut image = Image { width, height, pixels };
    legend::draw(&mut image, subject, view, &scale, &of_surfaces);
    Ok(image)
}

fn check_size(view: &View) -> Result<(), NoPicture> {
    let [width, height] = view.size;
    let is_possible = [width, height].iter().all(|side| (16..=16_384).contains(side));
    if is_possible { Ok(()) } else { Err(NoPicture::Size(width, height)) }
}

/// Returns the direction of the zenith, tilted towards the eye.
fn zenith(film: &Film) -> DVec3 {
    // Tilting the sky slightly towards the eye illuminates the visible surfaces.
    const LEAN: f64 = 0.35;
    (DVec3::Z - LEAN * film.camera.forward).normalize_or(DVec3::Z)
}

/// Returns the direction of the sun: high, to the left of the eye and behind it.
fn sun(film: &Film) -> DVec3 {
    (DVec3::Z - 0.55 * film.camera.right - 0.75 * film.camera.forward).normalize_or(DVec3::Z)
}

fn lights(stock: &Stock, bounds: &Aabb, film: &Film, view: &View) -> Light {
    let ball = (0.5 * (bounds.min + bounds.max), 0.5 * (bounds.max - bounds.min).length());
    Light::new(stock, ball, sun(film), zenith(film), view)
}

/// Returns the colour of every item.
fn owners_colours(subject: &Subject, stock: &Stock, view: &View, scale: &Scale) -> Vec<Colour> {
    let values = view.colour.values(subject);
    stock
        .owners
        .iter()
        .map(|&index| match (Subject::is_grain(&subject.bodies[index]), view.colour) {
            (false, _) => OBSTACLE_COLOUR,
            (true, Quantity::None) => PLAIN_COLOUR,
            (true, _) => scale.colour(values[index]),
        })
        .collect()
}
