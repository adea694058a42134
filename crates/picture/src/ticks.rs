//! Axis ticks at round numbers (steps of 1, 2 or 5 times a power of ten) and their labels.

/// Rounding error of a value or step, relative to the step. Values beyond the end of an axis by
/// this error are still on the axis.
const ROUNDING: f64 = 1e-9;

/// Range of the largest label that is printed as a decimal number. Scientific notation is easier to
/// read outside this range.
const PLAIN: std::ops::Range<f64> = 1e-4..1e6;

/// The labelled values of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticks {
    /// The values in ascending order.
    pub values: Vec<f64>,
    /// The step between two values.
    pub step: f64,
}

impl Ticks {
    /// Returns about `most` ticks inside `min..=max`.
    pub fn new(min: f64, max: f64, most: usize) -> Self {
        Self::with_step(min, max, round_step((max - min) / most.max(1) as f64))
    }

    /// Returns the ticks inside `min..=max` at integer multiples of a step.
    pub fn with_step(min: f64, max: f64, step: f64) -> Self {
        let slack = ROUNDING * step;
        let (first, last) = (((min - slack) / step).ceil() as i64, ((max + slack) / step).floor() as i64);
        Self { values: (first..=last).map(|k| k as f64 * step).collect(), step }
    }

    /// Returns the label of a value with as many decimals as the step needs.
    pub fn label(&self, value: f64) -> String {
        let largest = self.values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        if value.abs() < 0.5 * self.step {
            return "0".into();
        }
        if !PLAIN.contains(&largest) {
            let text = format!("{value:.2e}");
            let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            return format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.'));
        }
        let decimals = (-libm::floor(libm::log10(self.step) + ROUNDING)).max(0.0) as usize;
        format!("{value:.decimals$}")
    }
}

/// Returns the smallest of 1, 2 or 5 times a power of ten that is at least `least`, or 1 if none
/// exists.
pub(crate) fn round_step(least: f64) -> f64 {
    if !(least.is_finite() && least > 0.0) {
        return 1.0;
    }
    let power = libm::exp10(libm::floor(libm::log10(least)));
    let found = [1.0, 2.0, 5.0].into_iter().map(|digit| digit * power).find(|step| *step >= least * (1.0 - ROUNDING));
    found.unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let ticks = Ticks::new(0.0, 0.35, 8);
        assert_eq!(ticks.step, 0.05);
        assert_eq!(ticks.values.len(), 8);
        assert_eq!(ticks.label(ticks.values[3]), "0.15");
        let ticks = Ticks::new(-3.2, 7.9, 6);
        assert_eq!(ticks.values, [-2.0, 0.0, 2.0, 4.0, 6.0]);
        assert_eq!(ticks.label(-2.0), "-2");
    }

    #[test]
    fn very_large_and_very_small_values_are_written_as_powers() {
        assert_eq!(Ticks::new(0.0, 4e-7, 4).label(2e-7), "2e-7");
        assert_eq!(Ticks::new(0.0, 2.5e7, 5).label(1.5e7), "1.5e7");
        assert_eq!(Ticks::new(0.0, 4e-7, 4).label(0.0), "0");
    }

    #[test]
    fn an_axis_without_length_has_ticks_all_the_same() {
        assert_eq!(Ticks::new(2.0, 2.0, 5).values, [2.0]);
        assert!(Ticks::new(f64::NAN, f64::NAN, 5).values.len() <= 1);
    }
}
