//! Errors of scene files, as one line or with the line of the file that causes them.

use std::fmt::Write as _;
use std::path::PathBuf;

use granum_geometry::message::cut;

/// Widest part of a line of the file that a report shows, in characters.
const WIDEST: usize = 100;

/// Beginnings of reasons that form a sentence with the name of the field.
const PREDICATES: [&str; 4] = ["must ", "has ", "needs ", "takes "];

/// An error in a scene. `Display` prints one line; [`SceneError::report`] also shows the line of
/// the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text(false))]
pub struct SceneError {
    /// The file: the scene, a file that it includes, or a setting of the command line.
    pub file: PathBuf,
    /// Line of the error, from 1, if it has one.
    pub line: Option<usize>,
    /// Column of the error, in characters from 1, if it has one.
    pub column: Option<usize>,
    /// The field that is wrong, such as `grains[0].lattice.spacing`.
    pub field: Option<String>,
    /// The reason and the remedy. A reason that begins with a verb continues the name of the field.
    pub reason: String,
    /// The line of the file.
    pub(crate) snippet: Option<Box<Snippet>>,
}

/// A line of a file, and the number of its characters that are wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    pub line: String,
    pub width: usize,
}

impl SceneError {
    /// Returns the message for the user: file, line, column, field and reason, and below them the
    /// line of the file with the wrong part underlined.
    pub fn report(&self) -> String {
        let mut text = self.text(true);
        let (Some(line), Some(column), Some(snippet)) = (self.line, self.column, &self.snippet) else {
            return text;
        };
        // A line of data may be very long: only the part around the error is shown.
        let skipped = if column + snippet.width > WIDEST { column.saturating_sub(WIDEST / 2) } else { 0 };
        // A tab would shift the mark below it; a space does not.
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
            text += &cut(field);
            let is_predicate = PREDICATES.iter().any(|start| self.reason.starts_with(start));
            text += if is_predicate { " " } else { ": " };
        }
        text + &cut(&self.reason)
    }
}
