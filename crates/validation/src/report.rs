//! Rows of the validation table.

use serde::Serialize;

use crate::known_misses;

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Name of the case.
    pub case: &'static str,
    /// The quantity that is checked.
    pub check: String,
    /// Reference value.
    pub reference: f64,
    /// Computed value.
    pub ours: f64,
    /// Error, in the measure of the limit.
    pub error: f64,
    /// Largest admissible error.
    pub limit: f64,
    /// True if the error is within the limit.
    pub pass: bool,
    /// True if the row is on the list of known misses.
    pub known_miss: bool,
    /// Explanation, or empty.
    pub note: Option<String>,
}

impl Row {
    /// Returns whether the result is as expected: the row passes, or it is a known miss. A known
    /// miss that passes is unexpected, because the list must then be corrected.
    pub fn as_known(&self) -> bool {
        self.pass != self.known_miss
    }
}

/// Collects the rows of one case.
#[derive(Debug)]
pub struct Report {
    case: &'static str,
    rows: Vec<Row>,
}

impl Report {
    pub(crate) fn new(case: &'static str) -> Self {
        Self { case, rows: Vec::new() }
    }

    pub(crate) fn into_rows(self) -> Vec<Row> {
        self.rows
    }

    /// Adds a row: `|ours - reference| / |reference|` must not exceed `limit`.
    pub fn relative(&mut self, check: impl Into<String>, reference: f64, ours: f64, limit: f64) {
        self.push(check.into(), reference, ours, (ours - reference).abs() / reference.abs(), limit);
    }

    /// Adds a row: `|ours - reference|` must not exceed `limit`.
    pub fn absolute(&mut self, check: impl Into<String>, reference: f64, ours: f64, limit: f64) {
        self.push(check.into(), reference, ours, (ours - reference).abs(), limit);
    }

    /// Adds a row: the error `ours` must not exceed `limit`.
    pub fn at_most(&mut self, check: impl Into<String>, ours: f64, limit: f64) {
        self.push(check.into(), 0.0, ours, ours.abs(), limit);
    }

    /// Adds a row: `ours` must be at least `least`. The error is the difference.
    pub fn at_least(&mut self, check: impl Into<String>, ours: f64, least: f64) {
        // A NaN stays a NaN, so that the row fails.
        let lacks = if ours >= least { 0.0 } else { least - ours };
        self.push(check.into(), least, ours, lacks, 0.0);
    }

    /// Adds an explanation to the last row.
    pub fn note(&mut self, note: impl Into<String>) {
        if let Some(row) = self.rows.last_mut() {
            row.note = Some(note.into());
        }
    }

    fn push(&mut self, check: String, reference: f64, ours: f64, error: f64, limit: f64) {
        // A NaN fails.
        let pass = error <= limit;
        let known_miss = known_misses::contains(self.case, &check);
        self.rows.push(Row { case: self.case, check, reference, ours, error, limit, pass, known_miss, note: None });
    }
}
