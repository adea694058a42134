//! Positions of fields in the files of a scene, so that every error names the file, line and field.
//!
//! A scene may consist of several files (includes) and of settings on the command line. Their texts
//! have consecutive byte ranges, so that one byte number identifies both the file and the position.

use std::cmp::Reverse;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use crate::error::{SceneError, Snippet};
use crate::read::suggest;

/// Number of elements of a list whose positions are recorded. An error of a later one names the
/// list.
const RECORDED: usize = 1000;

/// The position of a key, or of an element of a list.
#[derive(Clone, Debug)]
struct Entry {
    /// Field, such as `grains[0].lattice.spacing`.
    path: String,
    /// Bytes of the key; of an element of a list, the bytes of the element.
    key: Range<usize>,
    /// Bytes of the value.
    value: Range<usize>,
}

/// A file, or a setting of the command line.
#[derive(Clone, Debug)]
struct File {
    name: PathBuf,
    /// Number of the first byte.
    start: usize,
    text: String,
    /// True if errors name a line; false for a setting.
    has_lines: bool,
}

/// The files of a scene and the positions of its fields.
#[derive(Clone, Debug, Default)]
pub struct Source {
    files: Vec<File>,
    entries: Vec<Entry>,
}

impl Source {
    /// Creates the source of one file.
    pub fn new(file: &Path, text: &str) -> Self {
        let mut source = Self::default();
        source.add(file, text);
        source
    }

    /// Adds a file and returns the number of its first byte, from which its spans must be counted.
    pub fn add(&mut self, file: &Path, text: &str) -> usize {
        self.push(file, text, true)
    }

    /// Adds a setting of the command line and returns the number of its first byte.
    pub fn add_setting(&mut self, name: &str, text: &str) -> usize {
        self.push(Path::new(name), text, false)
    }

    fn push(&mut self, name: &Path, text: &str, has_lines: bool) -> usize {
        let start = self.files.last().map_or(0, |file| file.start + file.text.len() + 1);
        self.files.push(File { name: name.to_owned(), start, text: text.to_owned(), has_lines });
        start
    }

    /// Records the positions of all fields of the merged scene.
    pub fn record_fields(&mut self, table: &DeTable) {
        self.entries.clear();
        self.record_table("", table);
    }

    fn record_table(&mut self, path: &str, table: &DeTable) {
        for (key, value) in table {
            let name = key.get_ref();
            let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
            self.entries.push(Entry { path: path.clone(), key: key.span(), value: value.span() });
            self.record_value(&path, value.get_ref());
        }
    }

    fn record_value(&mut self, path: &str, value: &DeValue) {
        match value {
            DeValue::Table(table) => self.record_table(path, table),
            DeValue::Array(array) => {
                for (index, element) in array.iter().enumerate().take(RECORDED) {
                    let path = format!("{path}[{index}]");
                    self.entries.push(Entry { path: path.clone(), key: element.span(), value: element.span() });
                    self.record_value(&path, element.get_ref());
                }
            }
            _ => {}
        }
    }

    /// Returns the error of a field.
    pub fn error(&self, field: &str, reason: impl Into<String>) -> SceneError {
        let Some(entry) = self.entry(field) else {
            return SceneError { field: Some(field.to_owned()), ..self.file_error(reason) };
        };
        // Mark the value if it belongs to this very field and is on the line of its key; else the
        // key.
        let is_own = entry.path == field && !self.text(&entry.value).contains('\n') && !entry.value.is_empty();
        let span = if is_own { &entry.value } else { &entry.key };
        self.error_at(span, Some(field.to_owned()), reason)
    }

    /// Returns an error of the scene as a whole.
    pub fn file_error(&self, reason: impl Into<String>) -> SceneError {
        let file = self.files.first().map(|file| file.name.clone()).unwrap_or_default();
        SceneError { file, line: None, column: None, field: None, reason: reason.into(), snippet: None }
    }

    /// Returns the error at these bytes.
    pub fn error_at(&self, span: &Range<usize>, field: Option<String>, reason: impl Into<String>) -> SceneError {
        let Some(file) = self.file(span.start) else {
            return SceneError { field, ..self.file_error(reason) };
        };
        let at = floor(&file.text, span.start - file.start);
        let line_start = file.text[..at].rfind('\n').map_or(0, |at| at + 1);
        let line = file.text[line_start..].lines().next().unwrap_or_default();
        let number = file.text[..at].matches('\n').count() + 1;
        let column = file.text[line_start..at].chars().count() + 1;
        let end = floor(&file.text, (span.end - file.start).min(line_start + line.len()).max(at));
        let width = file.text[at..end].chars().count().max(1);
        let snippet = Box::new(Snippet { line: line.to_owned(), width });
        let at_line = file.has_lines;
        SceneError {
            file: file.name.clone(),
            line: at_line.then_some(number),
            column: at_line.then_some(column),
            field,
            reason: reason.into(),
            snippet: at_line.then_some(snippet),
        }
    }

    /// Returns the error that the parser or serde has found.
    ///
    /// `more` are valid names beyond those that the message of serde contains.
    pub fn parser_error(&self, error: &toml::de::Error, more: &[String]) -> SceneError {
        let reason = suggest::explain(&error.message().trim().replace('\n', ", "), more);
        // A key that is missing at the top level has the empty span 0..0.
        match error.span().filter(|span| *span != (0..0) || self.entries.is_empty()) {
            Some(span) => {
                let field = self.at(&span).map(|entry| entry.path.clone());
                let reason = brackets(field.as_deref(), &reason).unwrap_or(reason);
                self.error_at(&span, field, reason)
            }
            None => self.file_error(reason),
        }
    }

    /// Returns the folder to which a path in a field is relative: that of the file, or the current
    /// folder for a setting of the command line.
    pub fn folder_of(&self, field: &str) -> &Path {
        let file = self.entry(field).and_then(|entry| self.file(entry.key.start)).filter(|file| file.has_lines);
        file.and_then(|file| file.name.parent()).unwrap_or(Path::new(""))
    }

    /// Returns whether the scene contains a field.
    pub fn has(&self, field: &str) -> bool {
        self.entries.iter().any(|entry| entry.path == field)
    }

    /// Returns the file that contains a byte.
    fn file(&self, byte: usize) -> Option<&File> {
        let after = self.files.partition_point(|file| file.start <= byte);
        self.files.get(after.checked_sub(1)?)
    }

    fn text(&self, span: &Range<usize>) -> &str {
        let text = self.file(span.start).and_then(|file| file.text.get(span.start - file.start..span.end - file.start));
        text.unwrap_or_default()
    }

    /// Returns the entry of a field, or of the innermost table around it that is in the file.
    fn entry(&self, field: &str) -> Option<&Entry> {
        let mut path = field;
        loop {
            if let Some(entry) = self.entries.iter().find(|entry| entry.path == path) {
                return Some(entry);
            }
            path = &path[..path.rfind(['.', '['])?];
        }
    }

    /// Returns the smallest entry that contains these bytes; of equal ones the innermost.
    fn at(&self, span: &Range<usize>) -> Option<&Entry> {
        let holds = |range: &Range<usize>| range.start <= span.start && span.end <= range.end;
        let size = |entry: &Entry| {
            [&entry.key, &entry.value].into_iter().filter(|range| holds(range)).map(|range| range.len()).min()
        };
        let holding = self.entries.iter().filter_map(|entry| Some((size(entry)?, entry)));
        holding.min_by_key(|(size, entry)| (*size, Reverse(entry.path.len()))).map(|(_, entry)| entry)
    }
}

/// Returns the reason for a table at the top level that was written with single brackets where a
/// list of tables is expected.
fn brackets(field: Option<&str>, reason: &str) -> Option<String> {
    let name = field.filter(|field| !field.contains(['.', '[']))?;
    let is_single = reason == "must be a list, not a table";
    is_single.then(|| format!("must be a list of tables: write [[{name}]] instead of [{name}]"))
}

/// Returns the first byte of the character that contains this byte.
fn floor(text: &str, mut byte: usize) -> usize {
    byte = byte.min(text.len());
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    byte
}
