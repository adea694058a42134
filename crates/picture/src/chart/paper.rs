//! The drawing surfaces of charts: a raster image or an SVG drawing.

use std::fmt::Write;

use glam::DVec2;

use crate::image::{Anchor, Colour, Image};

/// A surface for lines, areas and texts. Lengths are in points, and y points downward.
pub trait Paper {
    /// Draws a line through points.
    fn line(&mut self, points: &[DVec2], width: f64, colour: Colour);
    /// Draws a filled rectangle.
    fn rectangle(&mut self, min: DVec2, max: DVec2, colour: Colour);
    /// Draws a text with its baseline at `place`. `up` rotates it by 90 degrees.
    fn text(&mut self, place: DVec2, text: &str, size: f64, anchor: Anchor, up: bool, colour: Colour);
}

/// A raster image with a given number of pixels per point.
pub struct Raster {
    /// The picture.
    pub image: Image,
    factor: f64,
}

impl Raster {
    /// Creates a white surface of the given size, points.
    pub fn new(size: DVec2, factor: f64) -> Self {
        let [width, height] = (size * factor).to_array().map(|side| side.round() as usize);
        Self { image: Image::filled(width, height, [255; 3]), factor }
    }
}

impl Paper for Raster {
    fn line(&mut self, points: &[DVec2], width: f64, colour: Colour) {
        let points: Vec<DVec2> = points.iter().map(|point| *point * self.factor).collect();
        self.image.line(&points, width * self.factor, colour);
    }

    fn rectangle(&mut self, min: DVec2, max: DVec2, colour: Colour) {
        self.image.rectangle(min * self.factor, max * self.factor, colour);
    }

    fn text(&mut self, place: DVec2, text: &str, size: f64, anchor: Anchor, up: bool, colour: Colour) {
        self.image.text(place * self.factor, text, size * self.factor, anchor, up, colour);
    }
}

/// An SVG drawing. Its texts can be searched and use the font of the reader.
pub struct Svg {
    size: DVec2,
    body: String,
}

impl Svg {
    /// Creates a white surface of the given size, points.
    pub fn new(size: DVec2) -> Self {
        Self { size, body: String::new() }
    }

    /// Returns the text of the file.
    pub fn finish(self) -> String {
        let DVec2 { x, y } = self.size;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{x}\" height=\"{y}\" viewBox=\"0 0 {x} {y}\" \
             font-family=\"Helvetica, Arial, sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{}\
             </svg>\n",
            self.body
        )
    }
}

fn hex([r, g, b]: Colour) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// The results of `write!` are ignored, because writing to a string cannot fail.
impl Paper for Svg {
    fn line(&mut self, points: &[DVec2], width: f64, colour: Colour) {
        let points: Vec<String> = points.iter().map(|point| format!("{:.2},{:.2}", point.x, point.y)).collect();
        let _ = writeln!(
            self.body,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\" \
             stroke-linecap=\"round\"/>",
            points.join(" "),
            hex(colour)
        );
    }

    fn rectangle(&mut self, min: DVec2, max: DVec2, colour: Colour) {
        let DVec2 { x, y } = max - min;
        let _ = writeln!(
            self.body,
            "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{x:.2}\" height=\"{y:.2}\" fill=\"{}\"/>",
            min.x,
            min.y,
            hex(colour)
        );
    }

    fn text(&mut self, place: DVec2, text: &str, size: f64, anchor: Anchor, up: bool, colour: Colour) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let DVec2 { x, y } = place;
        let turn = if up { format!(" transform=\"rotate(-90 {x:.2} {y:.2})\"") } else { String::new() };
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let _ = writeln!(
            self.body,
            "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{:.1}\" text-anchor=\"{anchor}\"{turn} fill=\"{}\">{text}</text>",
            0.86 * size,
            hex(colour)
        );
    }
}
