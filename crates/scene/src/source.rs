//! Where things stand in the files of a scene, so that every message names the file, the line and the field.
//!
//! A scene may be made of several files (includes) and of settings on the command line. Each is given a range of bytes
//! of its own, one after the other, so that one number says both the file and the place in it.

use std::cmp::Reverse;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use crate::error::{SceneError, Snippet};
use crate::suggest;

/// Elements of a list whose places are noted; beyond, a message names the list.
const NOTED: usize = 1000;

/// A key or an element of a file.
#[derive(Clone, Debug)]
struct Entry {
    path: String,
    /// Bytes of the key; of the element itself where it has none.
    key: Range<usize>,
    value: Range<usize>,
}

/// A file, or a setting of the command line.
#[derive(Clone, Debug)]
struct File {
    name: PathBuf,
    /// Number of its first byte.
    start: usize,
    text: String,
    has_lines: bool,
}

/// The files of a scene and the places of its fields.
#[derive(Clone, Debug, Default)]
pub struct Source {
    files: Vec<File>,
    entries: Vec<Entry>,
}

impl Source {
    /// One file.
    pub fn new(file: &Path, text: &str) -> Self {
        let mut source = Self::default();
        source.add(file, text);
        source
    }

    /// Adds a file. Returns the number of its first byte: its spans are to be counted from there.
    pub fn add(&mut self, file: &Path, text: &str) -> usize {
        self.push(file, text, true)
    }

    /// Adds a setting of the command line.
    pub fn add_setting(&mut self, name: &str, text: &str) -> usize {
        self.push(Path::new(name), text, false)
    }

    fn push(&mut self, name: &Path, text: &str, has_lines: bool) -> usize {
        let start = self.files.last().map_or(0, |file| file.start + file.text.len() + 1);
        self.files.push(File { name: name.to_owned(), start, text: text.to_owned(), has_lines });
        start
    }

    /// Notes where every field stands.
    pub fn note(&mut self, table: &DeTable) {
        self.entries.clear();
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
                for (index, element) in array.iter().enumerate().take(NOTED) {
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
        let Some(entry) = self.entry(field) else {
            return SceneError { field: Some(field.to_owned()), ..self.fault_of_file(reason) };
        };
        // Point at the value where it is the field's own and stands beside its key.
        let is_own = entry.path == field && !self.text(&entry.value).contains('\n') && !entry.value.is_empty();
        let span = if is_own { &entry.value } else { &entry.key };
        self.fault_at(span, Some(field.to_owned()), reason)
    }

    /// A fault of the scene as a whole.
    pub fn fault_of_file(&self, reason: impl Into<String>) -> SceneError {
        let file = self.files.first().map(|file| file.name.clone()).unwrap_or_default();
        SceneError { file, line: None, column: None, field: None, reason: reason.into(), snippet: None }
    }

    /// A fault at these bytes.
    pub fn fault_at(&self, span: &Range<usize>, field: Option<String>, reason: impl Into<String>) -> SceneError {
        let Some(file) = self.file(span.start) else {
            return SceneError { field, ..self.fault_of_file(reason) };
        };
        let at = floor(&file.text, span.start - file.start);
        let line_start = file.text[..at].rfind('\n').map_or(0, |at| at + 1);
        let line = file.text[line_start..].lines().next().unwrap_or_default();
        let number = file.text[..at].matches('\n').count() + 1;
        let column = file.text[line_start..at].chars().count() + 1;
        let end = floor(&file.text, (span.end - file.start).min(line_start + line.len()).max(at));
        let width = file.text[at..end].chars().count().max(1);
        let snippet = Box::new(Snippet { line: line.to_owned(), width });
        let place = file.has_lines.then_some((number, column, snippet));
        SceneError {
            file: file.name.clone(),
            line: place.as_ref().map(|place| place.0),
            column: place.as_ref().map(|place| place.1),
            field,
            reason: reason.into(),
            snippet: place.map(|place| place.2),
        }
    }

    /// A fault that the parser or serde found; `more` are names that would have been right, beyond those serde lists.
    pub fn fault_of_parser(&self, error: &toml::de::Error, more: &[String]) -> SceneError {
        let reason = suggest::explain(&error.message().trim().replace('\n', ", "), more);
        // What is missing from a file that was parsed as a whole has the empty span at its start.
        match error.span().filter(|span| *span != (0..0) || self.entries.is_empty()) {
            Some(span) => self.fault_at(&span, self.at(&span).map(|entry| entry.path.clone()), reason),
            None => self.fault_of_file(reason),
        }
    }

    /// The file in which a field stands, and so the folder from which its paths count.
    pub fn file_of(&self, field: &str) -> Option<&Path> {
        let at = self.entry(field)?.key.start;
        self.file(at).map(|file| file.name.as_path())
    }

    /// Whether a field is given.
    pub fn has(&self, field: &str) -> bool {
        self.entries.iter().any(|entry| entry.path == field)
    }

    fn file(&self, byte: usize) -> Option<&File> {
        let after = self.files.partition_point(|file| file.start <= byte);
        self.files.get(after.checked_sub(1)?)
    }

    fn text(&self, span: &Range<usize>) -> &str {
        let text = self.file(span.start).and_then(|file| file.text.get(span.start - file.start..span.end - file.start));
        text.unwrap_or_default()
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
}

/// The start of the character that holds this byte.
fn floor(text: &str, mut byte: usize) -> usize {
    byte = byte.min(text.len());
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    byte
}
