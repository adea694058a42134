//! Text tables with aligned columns.

use std::fmt::Write as _;

/// Alignment of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Left, for words.
    Left,
    /// Right, for numbers.
    Right,
}

/// A table with a heading. A column is as wide as its widest cell.
pub struct Table<const N: usize> {
    columns: [(&'static str, Align); N],
    /// Rows, each with an optional note below it.
    rows: Vec<([String; N], Option<String>)>,
}

impl<const N: usize> Table<N> {
    /// Creates a table without rows.
    pub fn new(columns: [(&'static str, Align); N]) -> Self {
        Self { columns, rows: Vec::new() }
    }

    /// Returns whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a row.
    pub fn row(&mut self, cells: [String; N]) {
        self.rows.push((cells, None));
    }

    /// Adds a row with a note below it.
    pub fn row_with_note(&mut self, cells: [String; N], note: Option<String>) {
        self.rows.push((cells, note));
    }

    /// Returns the table as lines of text.
    pub fn text(&self) -> String {
        let heading = self.columns.map(|(name, _)| name.to_owned());
        let rows = || std::iter::once((&heading, &None)).chain(self.rows.iter().map(|(cells, note)| (cells, note)));
        let widths: [usize; N] =
            std::array::from_fn(|k| rows().map(|(cells, _)| cells[k].chars().count()).max().unwrap_or(0));
        let mut text = String::new();
        for (cells, note) in rows() {
            let mut line = String::new();
            for ((cell, width), (_, align)) in cells.iter().zip(widths).zip(self.columns) {
                let gap = if line.is_empty() { "" } else { "  " };
                let _ = match align {
                    Align::Left => write!(line, "{gap}{cell:<width$}"),
                    Align::Right => write!(line, "{gap}{cell:>width$}"),
                };
            }
            text += line.trim_end();
            text.push('\n');
            if let Some(note) = note {
                let _ = writeln!(text, "    {note}");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_left_numbers_right_and_notes_below() {
        let mut table = Table::new([("name", Align::Left), ("ns", Align::Right)]);
        table.row(["a".into(), "10.5".into()]);
        table.row_with_note(["longer".into(), "1".into()], Some("why".into()));
        assert_eq!(table.text(), "name      ns\na       10.5\nlonger     1\n    why\n");
    }
}
