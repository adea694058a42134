//! A stroke font that needs no font file and scales to any size.
//!
//! A glyph is defined on a grid: x from 0, y from -3 to 9, baseline at 0, height 6 for small
//! letters and 9 for capitals. In the table a point is two characters, x and y + 3 in base 13. A
//! blank starts a new stroke.

use glam::DVec2;

/// Line height in grid units, which corresponds to the text size in pixels.
const LINE: f64 = 15.0;

/// Grid units between two glyphs.
const SPACING: f64 = 2.6;

/// Grid units of a blank.
const BLANK: f64 = 4.0;

/// Replacement for a glyph that is not in the table.
const UNKNOWN: &str = "030c5c5303";

/// The glyphs.
const GLYPHS: &[(char, &str)] = &[
    ('0', "1b2c4c5b6a6554432314050a1b"),
    ('1', "1a3c33"),
    ('2', "0a1b2c4c5b6a69580363"),
    ('3', "0b1c4c5b6a69584828 4857666554431304"),
    ('4', "535c0666"),
    ('5', "5c0c08194958676554431304"),
    ('6', "5b4c2c1b0a051423435465675849291807"),
    ('7', "0c6c23"),
    ('8', "28191b2c4c5b5948281706051423435465665748"),
    ('9', "14234354656a5b4c2c1b0a081726465768"),
    ('A', "033c63 1656"),
    ('B', "030c4c5b594808 48576665544303"),
    ('C', "6a5b4c2c1b0a051423435465"),
    ('D', "030c3c5b6a65543303"),
    ('E', "6c0c0363 0848"),
    ('F', "6c0c03 0848"),
    ('G', "6a5b4c2c1b0a0514234354656737"),
    ('H', "030c 636c 0868"),
    ('I', "030c"),
    ('J', "4c4534231304"),
    ('K', "030c 6c07 2963"),
    ('L', "0c0363"),
    ('M', "030c478c83"),
    ('N', "030c636c"),
    ('O', "2c5c6b7a7564532314050a1b2c"),
    ('P', "030c4c5b6a69584707"),
    ('Q', "2c5c6b7a7564532314050a1b2c 4672"),
    ('R', "030c4c5b6a69584707 3763"),
    ('S', "6a5b4c2c1b0a09185766655443231405"),
    ('T', "0c6c 3c33"),
    ('U', "0c0514234354656c"),
    ('V', "0c336c"),
    ('W', "0c234a638c"),
    ('X', "036c 0c63"),
    ('Y', "0c386c 3833"),
    ('Z', "0c6c0363"),
    ('a', "5953 574939291807051423334455"),
    ('b', "0c03 071829394857554433231405"),
    ('c', "584839291807051423334354"),
    ('d', "5c53 574939291807051423334455"),
    ('e', "0656574839291807051423334354"),
    ('f', "4c3c2b23 0939"),
    ('g', "5951402011 574939291807051423334455"),
    ('h', "0c03 07182939485753"),
    ('i', "0903 0b0b"),
    ('j', "29211000 2b2b"),
    ('k', "0c03 4905 1643"),
    ('l', "0c03"),
    ('m', "0903 071829384743 475869788783"),
    ('n', "0903 07182939485753"),
    ('o', "18293948575544332314050718"),
    ('p', "0900 071829394857554433231405"),
    ('q', "5950 574939291807051423334455"),
    ('r', "0903 07182939"),
    ('s', "483919080716364544331304"),
    ('t', "2c243343 0949"),
    ('u', "09051423334455 5953"),
    ('v', "092349"),
    ('w', "0923486389"),
    ('x', "0349 0943"),
    ('y', "0923 491000"),
    ('z', "09490343"),
    ('.', "1313"),
    (',', "1301"),
    (':', "0303 0808"),
    ('-', "0747"),
    ('+', "0757 2a24"),
    ('=', "0858 0555"),
    ('/', "024c"),
    ('(', "2c1a08051321"),
    (')', "0c1a28251301"),
    ('[', "2c0c0121"),
    (']', "0c2c2101"),
    ('%', "036c 1c2b2a190a0b1c 56656453444556"),
    ('*', "0648 0846 2925"),
    ('|', "0c01"),
    ('_', "0252"),
    ('<', "480644"),
    ('>', "084604"),
    ('!', "0c06 0303"),
    ('?', "0b1c3c4b4a2826 2323"),
    ('°', "0b1c2b1a0b"),
    ('²', "0b1c2b2a0828"),
    ('³', "0c2c1a292808"),
    ('·', "0707"),
    ('×', "0549 0945"),
    ('µ', "0900 09051423334455 5953"),
    ('Δ', "033c6303"),
    ('~', "06173647"),
];

/// Returns the number of pixels per grid unit.
pub(crate) fn scale(size: f64) -> f64 {
    size / LINE
}

/// Returns the stroke width, pixels. It is at least about one pixel.
pub(crate) fn pen(size: f64) -> f64 {
    (0.085 * size).max(1.15)
}

/// Returns the width of a text, pixels.
pub fn width(text: &str, size: f64) -> f64 {
    let units: f64 = text.chars().map(|letter| advance(letter) + SPACING).sum();
    (units - SPACING).max(0.0) * scale(size)
}

/// Returns the strokes of a text, in grid units relative to the left end of its baseline.
pub(crate) fn strokes(text: &str) -> Vec<Vec<DVec2>> {
    let mut strokes = Vec::new();
    let mut left = 0.0;
    for letter in text.chars() {
        strokes.extend(glyph(letter).into_iter().map(|mut stroke| {
            stroke.iter_mut().for_each(|point| point.x += left);
            stroke
        }));
        left += advance(letter) + SPACING;
    }
    strokes
}

fn advance(letter: char) -> f64 {
    if letter == ' ' {
        return BLANK - SPACING;
    }
    glyph(letter).iter().flatten().map(|point| point.x).fold(0.0, f64::max)
}

fn glyph(letter: char) -> Vec<Vec<DVec2>> {
    if letter == ' ' {
        return Vec::new();
    }
    let drawn = GLYPHS.iter().find(|(known, _)| *known == letter).map_or(UNKNOWN, |(_, drawn)| drawn);
    drawn.split(' ').map(stroke).collect()
}

fn stroke(points: &str) -> Vec<DVec2> {
    let digit = |byte: u8| f64::from(char::from(byte).to_digit(13).unwrap_or(0));
    points.as_bytes().chunks_exact(2).map(|pair| DVec2::new(digit(pair[0]), digit(pair[1]) - 3.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_glyph_is_made_of_whole_points_on_the_grid() {
        for (letter, drawn) in GLYPHS {
            for part in drawn.split(' ') {
                let points = part.as_bytes();
                assert!(points.len() >= 4 && points.len().is_multiple_of(2), "{letter}: {part}");
                assert!(points.iter().all(|byte| char::from(*byte).is_digit(13)), "{letter}: {part}");
            }
        }
    }

    #[test]
    fn a_glyph_is_in_the_table_once() {
        for (index, (letter, _)) in GLYPHS.iter().enumerate() {
            assert!(GLYPHS[..index].iter().all(|(other, _)| other != letter), "{letter}");
        }
    }

    #[test]
    fn a_longer_text_is_wider_and_a_text_scales() {
        assert!(width("10.5", 16.0) > width("10", 16.0));
        assert!((width("speed, m/s", 32.0) - 2.0 * width("speed, m/s", 16.0)).abs() < 1e-12);
        assert_eq!(width("", 16.0), 0.0);
    }
}
