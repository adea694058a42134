//! Where things stand in a scene file, so that every message names the file, the line and the field.

use std::cmp::Reverse;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use crate::suggest;

/// What is wrong with a scene, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.line_of_text())]
pub struct SceneError {
    /// The scene file.
    pub file: PathBuf,
    /// Line of the fault, from 1, where it has one.
    pub line: Option<usize>,
    /// The field at fault, such as `grains[0].lattice.spacing`.
    pub field: Option<String>,
    /// What is wrong; one that begins with "must" is to be read after the field's name.
    pub reason: String,
}

impl SceneError {
    fn line_of_text(&self) -> String {
        let mut text = self.file.display().to_string();
        if let Some(line) = self.line {
            text += &format!(":{line}");
        }
        text += ": ";
        if let Some(field) = &self.field {
            text += field;
            text += if self.reason.starts_with("must ") { " " } else { ": " };
        }
        text + &self.reason
    }
}

/// A key or an element of the file.
#[derive(Clone, Debug)]
struct Entry {
    path: String,
    /// Bytes of the key; of the element itself where it has none.
    key: Range<usize>,
    value: Range<usize>,
}

/// A scene file's name and the places of its fields.
#[derive(Clone, Debug, Default)]
pub struct Source {
    file: PathBuf,
    entries: Vec<Entry>,
    /// First byte of every line.
    lines: Vec<usize>,
}

impl Source {
    /// A file whose text is not parsed yet.
    pub fn new(file: &Path, text: &str) -> Self {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { file: file.to_owned(), entries: Vec::new(), lines }
    }

    /// Notes where every field stands.
    pub fn note(&mut self, table: &DeTable) {
        self.note_table("", table);
    }

    fn note_table(&mut self, path: &str, table: &DeTable) {
        for (key, value) in table {
            let name = key.get_ref();
            let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
            self.entries.push(Entry { path: path.clone(), key: key.span(), value: value.span() });
            self.note_value(&path, value.get_ref());
        }
    }

    fn note_value(&mut self, path: &str, value: &DeValue) {
        match value {
            DeValue::Table(table) => self.note_table(path, table),
            DeValue::Array(array) => {
                for (index, element) in array.iter().enumerate() {
                    let path = format!("{path}[{index}]");
                    self.entries.push(Entry { path: path.clone(), key: element.span(), value: element.span() });
                    self.note_value(&path, element.get_ref());
                }
            }
            _ => {}
        }
    }

    /// A fault of a field.
    pub fn fault(&self, field: &str, reason: impl Into<String>) -> SceneError {
        let line = self.entry(field).map(|entry| self.line(entry.key.start));
        SceneError { file: self.file.clone(), line, field: Some(field.to_owned()), reason: reason.into() }
    }

    /// A fault of the file as a whole.
    pub fn fault_of_file(&self, reason: impl Into<String>) -> SceneError {
        SceneError { file: self.file.clone(), line: None, field: None, reason: reason.into() }
    }

    /// A fault that the parser or serde found; `more` are names that would have been right, beyond those serde lists.
    pub fn fault_of_parser(&self, error: &toml::de::Error, more: &[String]) -> SceneError {
        // What is missing from a file that was parsed as a whole has the empty span at its start.
        let span = error.span().filter(|span| *span != (0..0) || self.entries.is_empty());
        let line = span.as_ref().map(|span| self.line(span.start));
        let field = span.and_then(|span| self.at(&span)).map(|entry| entry.path.clone());
        let reason = suggest::explain(&error.message().trim().replace('\n', ", "), more);
        SceneError { file: self.file.clone(), line, field, reason }
    }

    /// The entry of a field, or of the nearest one around it that stands in the file.
    fn entry(&self, field: &str) -> Option<&Entry> {
        let mut path = field;
        loop {
            if let Some(entry) = self.entries.iter().find(|entry| entry.path == path) {
                return Some(entry);
            }
            path = &path[..path.rfind(['.', '['])?];
        }
    }

    /// The smallest entry that holds these bytes; of equal ones the innermost.
    fn at(&self, span: &Range<usize>) -> Option<&Entry> {
        let holds = |range: &Range<usize>| range.start <= span.start && span.end <= range.end;
        let size = |entry: &Entry| {
            [&entry.key, &entry.value].into_iter().filter(|range| holds(range)).map(|range| range.len()).min()
        };
        let holding = self.entries.iter().filter_map(|entry| Some((size(entry)?, entry)));
        holding.min_by_key(|(size, entry)| (*size, Reverse(entry.path.len()))).map(|(_, entry)| entry)
    }

    fn line(&self, byte: usize) -> usize {
        self.lines.partition_point(|&start| start <= byte).max(1)
    }
}
