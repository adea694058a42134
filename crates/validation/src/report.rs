//! Rows of the validation table.

use serde::Serialize;

use crate::known_misses;

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Name of the case.
    pub case: &'static str,
    /// What is checked.
    pub check: String,
    /// The right answer.
    pub reference: f64,
    /// Ours.
    pub ours: f64,
    /// How far off, as the limit measures it.
    pub error: f64,
    /// Largest error that passes.
    pub limit: f64,
    /// Whether it passes.
    pub pass: bool,
    /// Whether it is on the list of known misses.
    pub known_miss: bool,
    /// The reason, where one is worth saying.
    pub note: Option<String>,
}

impl Row {
    /// Whether the row is as the project knows it: it passes, or its miss is on the list. A known miss that passes
    /// is not: the list is to be mended.
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

    /// `|ours - reference| / |reference|` must not exceed `limit`.
    pub fn relative(&mut self, check: impl Into<String>, reference: f64, ours: f64, limit: f64) {
        self.push(check.into(), reference, ours, (ours - reference).abs() / reference.abs(), limit);
    }

    /// `|ours - reference|` must not exceed `limit`.
    pub fn absolute(&mut self, check: impl Into<String>, reference: f64, ours: f64, limit: f64) {
        self.push(check.into(), reference, ours, (ours - reference).abs(), limit);
    }

    /// `ours`, an error already, must not exceed `limit`.
    pub fn at_most(&mut self, check: impl Into<String>, ours: f64, limit: f64) {
        self.push(check.into(), 0.0, ours, ours.abs(), limit);
    }

    /// `ours` must be at least `least`; the error is what it lacks.
    pub fn at_least(&mut self, check: impl Into<String>, ours: f64, least: f64) {
        // A NaN stays one: it is no pass.
        let lacks = if ours >= least { 0.0 } else { least - ours };
        self.push(check.into(), least, ours, lacks, 0.0);
    }

    /// Explains the last row: which rule is in force, why a limit is missed.
    pub fn note(&mut self, note: impl Into<String>) {
        if let Some(row) = self.rows.last_mut() {
            row.note = Some(note.into());
        }
    }

    fn push(&mut self, check: String, reference: f64, ours: f64, error: f64, limit: f64) {
        // A NaN is no pass.
        let pass = error <= limit;
        let known_miss = known_misses::contains(self.case, &check);
        self.rows.push(Row { case: self.case, check, reference, ours, error, limit, pass, known_miss, note: None });
    }
}
