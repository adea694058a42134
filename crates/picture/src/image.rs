//! A raster image with functions to draw lines, areas and text.

use glam::DVec2;

use crate::font;

/// An sRGB colour: red, green, blue.
pub type Colour = [u8; 3];

/// Soft black for text and axes.
pub const INK: Colour = [38, 40, 46];

/// A raster image. Rows start at the top left corner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Width, pixels.
    pub width: usize,
    /// Height, pixels.
    pub height: usize,
    /// The pixels, row by row.
    pub pixels: Vec<Colour>,
}

/// Horizontal alignment of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Left-aligned.
    Start,
    /// Centred.
    Middle,
    /// Right-aligned.
    End,
}

impl Image {
    /// Creates an image of one colour.
    pub fn filled(width: usize, height: usize, colour: Colour) -> Self {
        Self { width, height, pixels: vec![colour; width * height] }
    }

    /// Returns the pixel in column `x` of row `y`.
    pub fn at(&self, x: usize, y: usize) -> Colour {
        self.pixels[y * self.width + x]
    }

    /// Fills the rectangle from `min` to `max`, rounded to whole pixels.
    pub fn rectangle(&mut self, min: DVec2, max: DVec2, colour: Colour) {
        let clip = |value: f64, limit: usize| (value.round().max(0.0) as usize).min(limit);
        let (left, right) = (clip(min.x, self.width), clip(max.x, self.width));
        for y in clip(min.y, self.height)..clip(max.y, self.height) {
            self.pixels[y * self.width + left..y * self.width + right.max(left)].fill(colour);
        }
    }

    /// Draws a line through `points` with round ends.
    pub fn line(&mut self, points: &[DVec2], width: f64, colour: Colour) {
        if let [point] = points {
            self.segment(*point, *point, width, colour);
        }
        for pair in points.windows(2) {
            self.segment(pair[0], pair[1], width, colour);
        }
    }

    /// Draws a text with its baseline at `place` and a line height of `size` pixels. `up` rotates
    /// it by 90 degrees.
    pub fn text(&mut self, place: DVec2, text: &str, size: f64, anchor: Anchor, up: bool, colour: Colour) {
        let scale = font::scale(size);
        let shift = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => 0.5 * font::width(text, size),
            Anchor::End => font::width(text, size),
        };
        for stroke in font::strokes(text) {
            let points: Vec<DVec2> = stroke
                .iter()
                .map(|point| {
                    let (along, above) = (point.x * scale - shift, point.y * scale);
                    place + if up { DVec2::new(-above, -along) } else { DVec2::new(along, -above) }
                })
                .collect();
            self.stroke(&points, font::pen(size), colour);
        }
    }

    /// Draws strokes like a line, but paints no pixel twice where segments meet.
    fn stroke(&mut self, points: &[DVec2], width: f64, colour: Colour) {
        let (mut min, mut max) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        for point in points {
            (min, max) = (min.min(*point), max.max(*point));
        }
        self.cover(min, max, width, colour, |pixel| {
            let pairs = points.windows(2).map(|pair| distance(pixel, pair[0], pair[1]));
            pairs.fold(f64::INFINITY, f64::min)
        });
    }

    fn segment(&mut self, from: DVec2, to: DVec2, width: f64, colour: Colour) {
        self.cover(from.min(to), from.max(to), width, colour, |pixel| distance(pixel, from, to));
    }

    /// Blends every pixel between `min` and `max` by the fraction of it that lies within half a
    /// `width` of a curve.
    fn cover(&mut self, min: DVec2, max: DVec2, width: f64, colour: Colour, distance: impl Fn(DVec2) -> f64) {
        let reach = 0.5 * width + 1.0;
        let first = |value: f64| (value - reach).floor().max(0.0) as usize;
        let last = |value: f64, limit: usize| ((value + reach).ceil().max(0.0) as usize).min(limit);
        for y in first(min.y)..last(max.y, self.height) {
            for x in first(min.x)..last(max.x, self.width) {
                let away = distance(DVec2::new(x as f64 + 0.5, y as f64 + 0.5));
                let cover = (0.5 * width + 0.5 - away).clamp(0.0, 1.0) * width.min(1.0);
                if cover > 0.0 {
                    self.blend(x, y, colour, cover);
                }
            }
        }
    }

    fn blend(&mut self, x: usize, y: usize, colour: Colour, cover: f64) {
        let pixel = &mut self.pixels[y * self.width + x];
        for (old, new) in pixel.iter_mut().zip(colour) {
            let mixed = f64::from(*old) + cover * (f64::from(new) - f64::from(*old));
            *old = mixed.round() as u8;
        }
    }
}

/// Returns the distance of a point from a segment.
fn distance(point: DVec2, from: DVec2, to: DVec2) -> f64 {
    let along = to - from;
    let length = along.length_squared();
    let part = if length > 0.0 { ((point - from).dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
    point.distance(from + part * along)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the amount of ink, in pixels.
    fn ink(image: &Image) -> f64 {
        image.pixels.iter().map(|pixel| 1.0 - f64::from(pixel[0]) / 255.0).sum()
    }

    #[test]
    fn a_line_leaves_ink_of_its_length_times_its_width() {
        for to in [DVec2::new(90.0, 10.0), DVec2::new(90.0, 70.0)] {
            let mut image = Image::filled(100, 100, [255; 3]);
            image.line(&[DVec2::new(10.0, 10.0), to], 3.0, [0; 3]);
            let wanted = 3.0 * to.distance(DVec2::splat(10.0)) + std::f64::consts::PI * 1.5 * 1.5;
            assert!((ink(&image) - wanted).abs() < 0.02 * wanted, "{} {wanted}", ink(&image));
        }
    }

    #[test]
    fn what_lies_outside_is_left_out() {
        let mut image = Image::filled(20, 10, [255; 3]);
        image.line(&[DVec2::new(-50.0, 5.0), DVec2::new(80.0, 5.0)], 2.0, [0; 3]);
        image.rectangle(DVec2::new(15.0, -9.0), DVec2::new(99.0, 3.0), [0; 3]);
        image.text(DVec2::new(18.0, 12.0), "far out", 16.0, Anchor::Middle, true, [0; 3]);
        assert_eq!((image.at(0, 5), image.at(19, 0), image.at(5, 9)), ([0; 3], [0; 3], [255; 3]));
    }

    #[test]
    fn a_text_stands_where_its_anchor_says() {
        let columns = |anchor| {
            let mut image = Image::filled(200, 40, [255; 3]);
            image.text(DVec2::new(100.0, 30.0), "0.25 m/s", 20.0, anchor, false, [0; 3]);
            let inked = |x: &usize| (0..40).any(|y| image.at(*x, y) != [255; 3]);
            ((0..200).find(inked).unwrap(), (0..200).rev().find(inked).unwrap())
        };
        assert!(columns(Anchor::Start).0 >= 99 && columns(Anchor::End).1 <= 101);
        let (first, last) = columns(Anchor::Middle);
        assert!((100 - first).abs_diff(last - 100) <= 3);
    }
}
