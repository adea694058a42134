//! Charts: panels of lines or bars, one above the other, drawn on any [`Paper`].

mod bars;
mod lines;
mod measure;
mod paper;
mod run;

use glam::DVec2;

pub use bars::Bars;
pub use lines::{Line, Lines};
pub use measure::{drum, observables, profile};
pub use paper::{Paper, Raster, Svg};
pub use run::{contacts, energies, flow, stages, walls};

use crate::image::{Anchor, Colour, INK, Image};

/// Size of the text, points.
const TEXT: f64 = 14.0;

/// Size of the titles, points.
const TITLE: f64 = 17.0;

/// Colour of the grid lines.
const GRID: Colour = [225, 227, 231];

/// Pixels per point in raster images, sharp on screens and in print.
const PIXELS: f64 = 2.0;

/// One panel of a chart.
#[derive(Clone, Debug)]
pub enum Panel {
    /// Curves over one axis.
    Lines(Lines),
    /// Bars with names.
    Bars(Bars),
}

/// A chart.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Title.
    pub title: String,
    /// Panels from top to bottom, each with its fraction of the height.
    pub panels: Vec<(f64, Panel)>,
    /// Width and height, points.
    pub size: DVec2,
}

impl Chart {
    /// Returns the chart as a raster image.
    pub fn image(&self) -> Image {
        let mut raster = Raster::new(self.size, PIXELS);
        self.draw(&mut raster);
        raster.image
    }

    /// Returns the chart as the text of an SVG file.
    pub fn svg(&self) -> String {
        let mut svg = Svg::new(self.size);
        self.draw(&mut svg);
        svg.finish()
    }

    /// Draws the chart.
    pub fn draw(&self, paper: &mut dyn Paper) {
        const LEFT: f64 = 20.0;
        let top = 2.0 * TITLE;
        paper.text(DVec2::new(LEFT, 0.5 * top + 0.4 * TITLE), &self.title, TITLE, Anchor::Start, false, INK);
        let shares: f64 = self.panels.iter().map(|(share, _)| share).sum();
        // All panels share the horizontal axis, therefore they get the same label width.
        let names = self.panels.iter().map(|(_, panel)| match panel {
            Panel::Lines(lines) => lines.names(),
            Panel::Bars(_) => 0.0,
        });
        let names = names.fold(0.0, f64::max);
        let mut y = top;
        for (share, panel) in &self.panels {
            let height = (self.size.y - top) * share / shares;
            let frame = Frame { min: DVec2::new(0.0, y), max: DVec2::new(self.size.x, y + height) };
            match panel {
                Panel::Lines(lines) => lines.draw(paper, &frame, names),
                Panel::Bars(bars) => bars.draw(paper, &frame),
            }
            y += height;
        }
    }
}

/// A rectangle of the surface.
#[derive(Clone, Copy, Debug)]
struct Frame {
    min: DVec2,
    max: DVec2,
}

/// Returns the power of a thousand that scales a number to 1 to 1000, and its SI prefix.
fn prefix(largest: f64) -> (f64, &'static str) {
    const PREFIXES: [(f64, &str); 8] =
        [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p")];
    if largest == 0.0 {
        return (1.0, "");
    }
    PREFIXES.into_iter().find(|(size, _)| largest >= *size).unwrap_or((1e-12, "p"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_bring_numbers_between_one_and_a_thousand() {
        for (number, wanted) in
            [(2.5e-4, "µ"), (0.02, "m"), (1.0, ""), (999.0, ""), (4e4, "k"), (0.0, ""), (1e-15, "p")]
        {
            let (size, letter) = prefix(number);
            assert_eq!(letter, wanted, "{number}");
            assert!(number < 1e-12 || (1.0..1000.0).contains(&(number / size)));
        }
    }
}
