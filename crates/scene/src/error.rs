//! What is wrong with a scene, in one line or with the line of the file at fault.

use std::fmt::Write as _;
use std::path::PathBuf;

/// What is wrong with a scene. As text it is one line; [`SceneError::report`] shows the place as well.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text(false))]
pub struct SceneError {
    /// The file: the scene, one that it includes, or a setting of the command line.
    pub file: PathBuf,
    /// Line of the fault, from 1, where it has one.
    pub line: Option<usize>,
    /// Column of the fault, in characters from 1, where it has one.
    pub column: Option<usize>,
    /// The field at fault, such as `grains[0].lattice.spacing`.
    pub field: Option<String>,
    /// What is wrong and what to do; one that begins with "must" is to be read after the field's name.
    pub reason: String,
    /// The line at fault.
    pub(crate) snippet: Option<Box<Snippet>>,
}

/// A line of a file, and how many of its characters are at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    pub line: String,
    pub width: usize,
}

impl SceneError {
    /// The message for a person: file, line and column, field, reason; below it the line at fault, with a mark.
    pub fn report(&self) -> String {
        let mut text = self.text(true);
        let (Some(line), Some(column), Some(snippet)) = (self.line, self.column, &self.snippet) else {
            return text;
        };
        // A line of data may be very long: show what stands around the fault.
        const WIDEST: usize = 100;
        let skipped = if column + snippet.width > WIDEST { column.saturating_sub(WIDEST / 2) } else { 0 };
        // A tab is a character and many columns; as a space it keeps the mark in its place.
        let show = |c: char| if c.is_control() { ' ' } else { c };
        let shown: String = snippet.line.chars().skip(skipped).take(WIDEST).map(show).collect();
        let number = line.to_string();
        let margin = " ".repeat(number.len());
        let indent = " ".repeat(column - 1 - skipped.min(column - 1));
        let mark = "^".repeat(snippet.width.min(WIDEST + skipped + 1 - column.min(WIDEST + skipped)).max(1));
        let _ = write!(text, "\n {margin} |\n {number} | {}\n {margin} | {indent}{mark}", shown.trim_end());
        text
    }

    fn text(&self, with_column: bool) -> String {
        let mut text = self.file.display().to_string();
        if let Some(line) = self.line {
            let _ = write!(text, ":{line}");
        }
        if let (Some(column), true) = (self.column, with_column) {
            let _ = write!(text, ":{column}");
        }
        text += ": ";
        if let Some(field) = &self.field {
            text += field;
            text += if self.reason.starts_with("must ") { " " } else { ": " };
        }
        text + &self.reason
    }
}
