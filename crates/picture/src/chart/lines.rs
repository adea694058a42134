//! Curves over one axis, with a grid, ticks at round numbers, and a legend.

use glam::DVec2;

use super::{Frame, GRID, Paper, TEXT, prefix};
use crate::font;
use crate::image::{Anchor, Colour, INK};
use crate::ticks::Ticks;

/// One curve.
#[derive(Clone, Debug)]
pub struct Line {
    /// Name in the legend.
    pub name: String,
    /// Its values, in the order of the axis.
    pub values: Vec<f64>,
    /// Its colour.
    pub colour: Colour,
}

/// A panel of curves.
#[derive(Clone, Debug)]
pub struct Lines {
    /// Quantity and unit of the horizontal axis.
    pub across: (String, String),
    /// Quantity and unit of the vertical axis. The unit is empty for plain numbers.
    pub up: (String, String),
    /// Values along the horizontal axis.
    pub abscissae: Vec<f64>,
    /// The curves.
    pub lines: Vec<Line>,
}

impl Lines {
    /// Returns the width of the longest name in the legend, points.
    pub(super) fn names(&self) -> f64 {
        self.lines.iter().map(|line| font::width(&line.name, TEXT)).fold(0.0, f64::max)
    }

    /// Draws the panel with the given width for labels.
    pub(super) fn draw(&self, paper: &mut dyn Paper, frame: &Frame, names: f64) {
        let x = Axis::new(&self.across, self.abscissae.iter().copied(), 10, false);
        let values = self.lines.iter().flat_map(|line| line.values.iter().copied());
        let most = ((frame.max.y - frame.min.y) / 42.0) as usize;
        let y = Axis::new(&self.up, values, most.clamp(2, 10), true);
        let inner = Frame {
            min: frame.min + DVec2::new(84.0, 0.6 * TEXT),
            max: frame.max - DVec2::new(names + 64.0, 3.4 * TEXT),
        };
        let column = |value: f64| inner.min.x + x.part(value) * (inner.max.x - inner.min.x);
        let row = |value: f64| inner.max.y - y.part(value) * (inner.max.y - inner.min.y);

        for &tick in &x.ticks.values {
            let at = column(tick * x.factor);
            paper.line(&[DVec2::new(at, inner.min.y), DVec2::new(at, inner.max.y)], 1.0, GRID);
            let place = DVec2::new(at, inner.max.y + 1.25 * TEXT);
            paper.text(place, &x.ticks.label(tick), TEXT, Anchor::Middle, false, INK);
        }
        for &tick in &y.ticks.values {
            let at = row(tick * y.factor);
            let colour = if tick == 0.0 { [150, 152, 158] } else { GRID };
            paper.line(&[DVec2::new(inner.min.x, at), DVec2::new(inner.max.x, at)], 1.0, colour);
            let place = DVec2::new(inner.min.x - 8.0, at + 0.32 * TEXT);
            paper.text(place, &y.ticks.label(tick), TEXT, Anchor::End, false, INK);
        }
        let corner = DVec2::new(inner.min.x, inner.max.y);
        paper.line(&[inner.min, corner, inner.max], 1.2, INK);
        let middle = 0.5 * (inner.min + inner.max);
        paper.text(DVec2::new(middle.x, inner.max.y + 2.7 * TEXT), &x.label, TEXT, Anchor::Middle, false, INK);
        paper.text(DVec2::new(frame.min.x + 1.5 * TEXT, middle.y), &y.label, TEXT, Anchor::Middle, true, INK);

        for (number, line) in self.lines.iter().enumerate() {
            for stretch in finite_stretches(&self.abscissae, &line.values) {
                let points: Vec<DVec2> = stretch.map(|(place, value)| DVec2::new(column(place), row(value))).collect();
                paper.line(&points, 1.9, line.colour);
            }
            let at = DVec2::new(inner.max.x + 16.0, inner.min.y + 0.8 * TEXT + 1.5 * TEXT * number as f64);
            paper.line(&[at, at + DVec2::new(20.0, 0.0)], 2.6, line.colour);
            paper.text(at + DVec2::new(28.0, 0.32 * TEXT), &line.name, TEXT, Anchor::Start, false, INK);
        }
    }
}

/// Returns the continuous parts of a curve. A value that is not a number interrupts it.
fn finite_stretches<'a>(
    abscissae: &'a [f64],
    values: &'a [f64],
) -> impl Iterator<Item = impl Iterator<Item = (f64, f64)> + 'a> {
    let count = abscissae.len().min(values.len());
    let mut next = 0;
    std::iter::from_fn(move || {
        let first = (next..count).find(|&k| values[k].is_finite())?;
        let last = (first..count).find(|&k| !values[k].is_finite()).unwrap_or(count);
        next = last;
        Some((first..last).map(|k| (abscissae[k], values[k])))
    })
}

/// An axis with its range, its ticks and the scale of its labels.
struct Axis {
    min: f64,
    max: f64,
    factor: f64,
    ticks: Ticks,
    label: String,
}

impl Axis {
    /// Creates an axis for given values. A `wide` axis starts and ends at ticks.
    fn new((name, unit): &(String, String), values: impl Iterator<Item = f64>, most: usize, wide: bool) -> Self {
        let finite = values.filter(|value| value.is_finite());
        let (min, max) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));
        let (min, max) = if min <= max { (min, max) } else { (0.0, 1.0) };
        // A `wide` axis includes zero. An axis of equal values gets a nonzero length.
        let (min, max) = if wide { (min.min(0.0), max.max(0.0)) } else { (min, max) };
        let max = if max > min { max } else { min + 1.0 };
        let (factor, letter) = if unit.is_empty() { (1.0, "") } else { prefix(min.abs().max(max.abs())) };
        let label = if unit.is_empty() { name.clone() } else { format!("{name}, {letter}{unit}") };
        let ticks = Ticks::new(min / factor, max / factor, most);
        if !wide {
            return Self { min, max, factor, ticks, label };
        }
        let step = ticks.step;
        let (low, high) = ((min / factor / step).floor() * step, (max / factor / step).ceil() * step);
        Self { min: low * factor, max: high * factor, factor, ticks: Ticks::with_step(low, high, step), label }
    }

    /// Returns the position of a value on the axis, from 0 to 1.
    fn part(&self, value: f64) -> f64 {
        (value - self.min) / (self.max - self.min)
    }
}
