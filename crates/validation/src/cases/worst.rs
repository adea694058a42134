//! The largest error of many comparisons, so that a parameter sweep gives one row.

use crate::Report;

/// Keeps the comparison with the largest error.
pub struct Worst {
    relative: bool,
    reference: f64,
    ours: f64,
    error: f64,
    place: String,
}

impl Worst {
    /// Creates a comparison with relative errors.
    pub fn relative() -> Self {
        Self { relative: true, reference: 0.0, ours: 0.0, error: -1.0, place: String::new() }
    }

    /// Creates a comparison with absolute errors.
    pub fn absolute() -> Self {
        Self { relative: false, ..Self::relative() }
    }

    /// Compares one value. `place` describes its parameters in the sweep.
    pub fn see(&mut self, place: impl Into<String>, reference: f64, ours: f64) {
        let scale = if self.relative { reference.abs() } else { 1.0 };
        let error = (ours - reference).abs() / scale;
        // A NaN counts as the largest error.
        if error > self.error || error.is_nan() {
            *self = Self { relative: self.relative, reference, ours, error, place: place.into() };
        }
    }

    /// Adds the worst comparison as a row. The note names its position, and `reason` if it misses
    /// the limit.
    pub fn row(self, report: &mut Report, check: impl Into<String>, limit: f64, reason: &str) {
        if self.relative {
            report.relative(check, self.reference, self.ours, limit);
        } else {
            report.absolute(check, self.reference, self.ours, limit);
        }
        let missed = if self.error <= limit || reason.is_empty() { String::new() } else { format!("; {reason}") };
        report.note(format!("worst at {}{missed}", self.place));
    }
}

/// Largest deficit of an observed order of convergence. Three step lengths determine it only
/// roughly.
const SHORT_OF_ORDER: f64 = 0.25;

/// Root mean square errors at the steps dt, dt/2 and dt/4 over a sweep, and their order of
/// convergence.
#[derive(Default)]
pub struct Order {
    squares: [f64; 3],
}

impl Order {
    /// Number of steps in the nominal contact time at each level.
    pub const STEPS: [f64; 3] = [50.0, 100.0, 200.0];

    /// Adds one error at a level.
    pub fn see(&mut self, level: usize, error: f64) {
        self.squares[level] += error * error;
    }

    /// Adds a row with the deviation from second order. Faster convergence passes.
    pub fn row(&self, report: &mut Report, check: impl Into<String>, reason: &str) {
        let [coarse, middle, fine] = self.squares.map(f64::sqrt);
        let order = 0.5 * (coarse / fine).log2();
        let short = (2.0 - order).max(0.0);
        report.at_most(check, short, SHORT_OF_ORDER);
        let missed = if short <= SHORT_OF_ORDER || reason.is_empty() { String::new() } else { format!("; {reason}") };
        report.note(format!(
            "observed order {order:.2}: {:.2} from t_c/50 to t_c/100, {:.2} to t_c/200{missed}",
            (coarse / middle).log2(),
            (middle / fine).log2()
        ));
    }
}
