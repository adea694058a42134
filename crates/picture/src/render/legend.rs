//! The colour scale of a picture and its colour bar.

use glam::DVec2;

use super::view::View;
use crate::colour_map::{CATEGORIES, ColourMap};
use crate::font;
use crate::image::{Anchor, Colour, INK, Image};
use crate::quantity::Quantity;
use crate::subject::Subject;
use crate::surface_quantity::SurfaceQuantity;
use crate::ticks::Ticks;

/// The mapping from values to colours.
pub(crate) enum Scale {
    /// Numbers, from the first to the last colour.
    Numbers { map: ColourMap, min: f64, max: f64 },
    /// Categories that occur, by value.
    Names(Vec<(usize, String)>),
}

impl Scale {
    /// Creates the scale for values in `range`.
    pub fn new(subject: &Subject, view: &View, range: [f64; 2]) -> Self {
        if view.colour.is_category() {
            let values = view.colour.values(subject);
            let grains = subject.bodies.iter().zip(values).filter(|(body, _)| Subject::is_grain(body));
            let mut used: Vec<usize> = grains.map(|(_, value)| value as usize).collect();
            used.sort_unstable();
            used.dedup();
            return Self::Names(used.into_iter().map(|value| (value, view.colour.category(value, subject))).collect());
        }
        let [min, max] = range;
        let is_chosen = view.range.is_some();
        let max = if is_chosen { max } else { max.max(view.colour.least_maximum(subject)) };
        // A scale of positive quantities starts at zero unless they hardly differ.
        let from_zero = !is_chosen && min >= 0.0 && (min < 0.3 * max || view.colour.is_magnitude());
        let min = if from_zero { 0.0 } else { min };
        Self::of_numbers(view.map, [min, max])
    }

    /// Creates the scale of triangulated surfaces for values in `range`.
    pub fn of_surfaces(view: &View, range: [f64; 2]) -> Self {
        Self::of_numbers(view.surface_map.unwrap_or_else(|| view.surface_colour.default_map()), range)
    }

    /// If all values are equal, the scale is widened to a nonzero range.
    fn of_numbers(map: ColourMap, [min, max]: [f64; 2]) -> Self {
        let (min, max) = if max > min { (min, max) } else { (min.min(0.0), if max > 0.0 { max } else { 1.0 }) };
        Self::Numbers { map, min, max }
    }

    /// Returns the place of a value between the first and the last colour: 0 to 1 within the scale.
    pub fn part(&self, value: f64) -> f64 {
        match self {
            Self::Numbers { min, max, .. } => (value - min) / (max - min),
            Self::Names(_) => 0.0,
        }
    }

    /// Returns the colours of a number of equal steps from the first to the last one.
    pub fn shades(&self, count: usize) -> Vec<Colour> {
        match self {
            Self::Numbers { map, .. } => (0..count).map(|k| map.colour(k as f64 / (count - 1) as f64)).collect(),
            Self::Names(_) => Vec::new(),
        }
    }

    /// Returns the colour of a value.
    pub fn colour(&self, value: f64) -> Colour {
        match self {
            Self::Numbers { map, min, max } => map.colour((value - min) / (max - min)),
            Self::Names(names) => {
                let place = names.iter().position(|(known, _)| *known == value as usize).unwrap_or(0);
                CATEGORIES[place % CATEGORIES.len()]
            }
        }
    }
}

/// Draws the colour bars and the time.
pub(crate) fn draw(image: &mut Image, subject: &Subject, view: &View, scale: &Scale, of_surfaces: &Scale) {
    if !view.legend {
        return;
    }
    let height = view.size[1] as f64;
    let size = (height / 42.0).clamp(11.0, 64.0);
    let time = format!("t = {} s", short(subject.time));
    image.text(DVec2::new(size, 1.6 * size), &time, size, Anchor::Start, false, INK);
    let mut bars = Vec::new();
    if view.colour != Quantity::None {
        bars.push((view.colour.label(), scale));
    }
    if view.surface_colour != SurfaceQuantity::None {
        bars.push((view.surface_colour.label(), of_surfaces));
    }
    // Two bars stand one above the other.
    let places: &[(f64, f64)] = if bars.len() > 1 { &[(0.12, 0.46), (0.58, 0.92)] } else { &[(0.22, 0.80)] };
    for ((label, scale), (top, bottom)) in bars.into_iter().zip(places) {
        let bar = Bar {
            left: view.size[0] as f64 - view.legend_width() as f64,
            top: top * height,
            bottom: bottom * height,
            size,
        };
        bar.draw(image, view, label, scale);
    }
}

/// A colour bar: its edges and the size of its text, pixels.
struct Bar {
    left: f64,
    top: f64,
    bottom: f64,
    size: f64,
}

impl Bar {
    fn draw(&self, image: &mut Image, view: &View, label: &str, scale: &Scale) {
        let Self { left, top, bottom, size } = *self;
        let width = view.size[0] as f64;
        let bar = 1.1 * size;
        // Returns the largest text size at which a text fits between a column and the right edge.
        let fitting = |text: &str, from: f64| size.min(size * (width - 0.06 * size - from) / font::width(text, size));
        image.text(DVec2::new(left, top - 1.1 * size), label, fitting(label, left), Anchor::Start, false, INK);
        match scale {
            Scale::Numbers { map, min, max } => {
                let row = |value: f64| bottom - (value - min) / (max - min) * (bottom - top);
                for y in top.round() as usize..bottom.round() as usize {
                    let part = (bottom - y as f64 - 0.5) / (bottom - top);
                    let y = y as f64;
                    image.rectangle(DVec2::new(left, y), DVec2::new(left + bar, y + 1.0), map.colour(part));
                }
                let ticks = Ticks::new(*min, *max, 8);
                for &value in &ticks.values {
                    let y = row(value);
                    let ends = [DVec2::new(left + bar, y), DVec2::new(left + 1.35 * bar, y)];
                    image.line(&ends, (0.06 * size).max(1.0), INK);
                    let place = DVec2::new(left + 1.7 * bar, y + 0.3 * size);
                    image.text(place, &ticks.label(value), size, Anchor::Start, false, INK);
                }
            }
            Scale::Names(names) => {
                let start = left + 1.5 * bar;
                let name_size = names.iter().map(|(_, name)| fitting(name, start)).fold(size, f64::min);
                for (number, (value, name)) in names.iter().enumerate() {
                    let y = top + 1.6 * size * number as f64;
                    let corner = DVec2::new(left, y);
                    image.rectangle(corner, corner + bar, scale.colour(*value as f64));
                    image.text(DVec2::new(start, y + 0.85 * size), name, name_size, Anchor::Start, false, INK);
                }
            }
        }
    }
}

/// Formats a time with at most four digits, without trailing zeros.
fn short(time: f64) -> String {
    let decimals = if time == 0.0 { 0 } else { (3.0 - libm::floor(libm::log10(time.abs()))).clamp(0.0, 9.0) as usize };
    let text = format!("{time:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
