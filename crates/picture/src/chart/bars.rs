//! Bar charts with names and values.

use glam::DVec2;

use super::{Frame, Paper, TEXT};
use crate::font;
use crate::image::{Anchor, Colour, INK};

/// A panel of bars.
#[derive(Clone, Debug)]
pub struct Bars {
    /// Names, values and labels of the bars.
    pub bars: Vec<(String, f64, String)>,
    /// Their colour.
    pub colour: Colour,
}

impl Bars {
    pub(super) fn draw(&self, paper: &mut dyn Paper, frame: &Frame) {
        let names = self.bars.iter().map(|(name, ..)| font::width(name, TEXT)).fold(0.0, f64::max);
        let notes = self.bars.iter().map(|(.., note)| font::width(note, TEXT)).fold(0.0, f64::max);
        let left = frame.min.x + names + 36.0;
        let right = frame.max.x - notes - 36.0;
        let most = self.bars.iter().map(|(_, value, _)| *value).fold(0.0, f64::max);
        let pitch = (frame.max.y - frame.min.y - TEXT) / self.bars.len().max(1) as f64;
        let thick = (0.62 * pitch).min(3.0 * TEXT);
        for (number, (name, value, note)) in self.bars.iter().enumerate() {
            let middle = frame.min.y + (number as f64 + 0.5) * pitch;
            let part = if most > 0.0 { value.max(0.0) / most } else { 0.0 };
            let end = left + part * (right - left);
            let half = DVec2::new(0.0, 0.5 * thick);
            paper.rectangle(DVec2::new(left, middle) - half, DVec2::new(end, middle) + half, self.colour);
            let baseline = middle + 0.32 * TEXT;
            paper.text(DVec2::new(left - 10.0, baseline), name, TEXT, Anchor::End, false, INK);
            paper.text(DVec2::new(end + 8.0, baseline), note, TEXT, Anchor::Start, false, INK);
        }
        let (top, bottom) = (frame.min.y, frame.max.y - TEXT);
        paper.line(&[DVec2::new(left, top), DVec2::new(left, bottom)], 1.2, INK);
    }
}
