//! Values of keys: quantities with units, distributions and orientations.

pub mod distribution;
pub mod orientation;
pub mod quantity;
pub mod units;

/// Significant digits of a number in a message. The rounding errors of sums are beyond them.
const DIGITS: usize = 12;

/// Returns a number as text without the rounding error of its last digits: 0.05 + 0.3 is `0.35`,
/// not `0.35000000000000003`.
pub fn short_number(value: f64) -> String {
    let rounded = format!("{value:.*e}", DIGITS - 1).parse::<f64>();
    rounded.unwrap_or(value).to_string()
}
