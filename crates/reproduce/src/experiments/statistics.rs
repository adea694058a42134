//! Helpers of several experiments: quantiles, numbers as text, charts.

use glam::DVec2;
use granum_picture::Chart;
use granum_picture::chart::{Line, Lines, Panel};

/// Colours of curves, in the order in which they are used.
const COLOURS: [[u8; 3]; 6] = [[31, 119, 180], [217, 95, 2], [44, 140, 60], [148, 60, 160], [90, 90, 90], [192, 0, 0]];

/// Size of a chart, points.
const SIZE: DVec2 = DVec2::new(860.0, 420.0);

/// Returns median, 99th percentile and largest of some numbers.
pub fn quantiles(mut numbers: Vec<f64>) -> [f64; 3] {
    numbers.sort_by(f64::total_cmp);
    let last = numbers.len() - 1;
    [last / 2, last * 99 / 100, last].map(|k| numbers[k])
}

/// Returns a number with four significant digits, with an exponent if it is small or large.
pub fn short(x: f64) -> String {
    if x == 0.0 {
        return "0".into();
    }
    let exponent = x.abs().log10().floor() as i32;
    match exponent {
        -3..4 => format!("{x:.*}", (3 - exponent).max(0) as usize),
        _ => format!("{x:.3e}"),
    }
}

/// Returns a chart of curves over one axis as SVG.
pub fn curves(
    title: &str,
    across: [&str; 2],
    up: [&str; 2],
    abscissae: Vec<f64>,
    values: Vec<(String, Vec<f64>)>,
) -> String {
    let lines = values
        .into_iter()
        .zip(COLOURS.into_iter().cycle())
        .map(|((name, values), colour)| Line { name, values, colour })
        .collect();
    let pair = |text: [&str; 2]| (text[0].to_owned(), text[1].to_owned());
    let panel = Panel::Lines(Lines { across: pair(across), up: pair(up), abscissae, lines });
    Chart { title: title.into(), panels: vec![(1.0, panel)], size: SIZE }.svg()
}
