//! Reading a scene file and its includes into one table.
//!
//! Included files are read first, and the including file overrides them: tables are merged key by
//! key, lists of tables are joined (a contact replaces an included one of the same two materials),
//! and all other values are replaced.

use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::SceneError;
use crate::read::source::Source;

/// The files of a scene, each after those that it includes.
#[derive(Default)]
pub struct Files {
    /// The files, for error messages.
    pub source: Source,
    /// Texts of the files, each after as many spaces as bytes precede it in `source`.
    texts: Vec<String>,
    /// Files that are being read, the outermost first, to detect circular includes.
    open: Vec<PathBuf>,
    /// Files that have been read. A file that is included twice is read once.
    done: Vec<PathBuf>,
}

impl Files {
    /// Reads the text of a file and the files that it includes.
    pub fn read(&mut self, file: &Path, text: &str) -> Result<(), SceneError> {
        self.open.push(identity(file));
        let start = self.source.add(file, text);
        let text = with_leading_spaces(start, text);
        let table = parse(&self.source, &text)?;
        if let Some(list) = table.get("include") {
            self.include(file, list)?;
        }
        self.texts.push(text);
        self.done.extend(self.open.pop());
        Ok(())
    }

    /// Returns all files merged into one table.
    pub fn merged(&self) -> Result<DeTable<'_>, SceneError> {
        let mut all = DeTable::new();
        for text in &self.texts {
            let mut table = parse(&self.source, text)?;
            table.remove("include");
            all = merged(all, table);
        }
        Ok(all)
    }

    fn include(&mut self, from: &Path, list: &Spanned<DeValue>) -> Result<(), SceneError> {
        let error = |source: &Source, span, reason: &str| source.error_at(&span, Some("include".into()), reason);
        const NOT_A_LIST: &str = "must be a list of file names, as in include = [\"materials.toml\"]";
        let DeValue::Array(names) = list.get_ref() else {
            return Err(error(&self.source, list.span(), NOT_A_LIST));
        };
        for name in names.iter() {
            let DeValue::String(text) = name.get_ref() else {
                return Err(error(&self.source, name.span(), NOT_A_LIST));
            };
            let path = from.parent().unwrap_or(Path::new("")).join(text.as_ref());
            let canonical = identity(&path);
            if self.open.contains(&canonical) {
                let reason =
                    format!("`{text}` includes this file, directly or indirectly; remove the circular include");
                return Err(error(&self.source, name.span(), &reason));
            }
            if self.done.contains(&canonical) {
                continue;
            }
            let text = read_text(&path).map_err(|reason| error(&self.source, name.span(), &reason))?;
            self.read(&path, &text)?;
        }
        Ok(())
    }
}

/// Returns the text of a file, or the reason for which it cannot be read.
pub fn read_text(path: &Path) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    String::from_utf8(bytes).map_err(|_| format!("{} is not a text file in UTF-8", path.display()))
}

/// Returns a text with `start` spaces before it, so that the parser counts its bytes from `start`.
pub fn with_leading_spaces(start: usize, text: &str) -> String {
    " ".repeat(start) + text
}

/// Parses a text whose bytes are counted as in `source`.
pub fn parse<'a>(source: &Source, text: &'a str) -> Result<DeTable<'a>, SceneError> {
    DeTable::parse(text).map(Spanned::into_inner).map_err(|error| source.parser_error(&error, &[]))
}

/// Returns a path that is the same for all names of a file.
fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Merges `over` into a table and returns it.
fn merged<'a>(mut into: DeTable<'a>, over: DeTable<'a>) -> DeTable<'a> {
    for (key, value) in over {
        let name = key.get_ref().clone();
        let value = match into.remove(name.as_ref()) {
            None => value,
            Some(before) => merged_value(&name, before, value),
        };
        into.insert(key, value);
    }
    into
}

fn merged_value<'a>(name: &str, before: Spanned<DeValue<'a>>, after: Spanned<DeValue<'a>>) -> Spanned<DeValue<'a>> {
    let span = after.span();
    match (before.into_inner(), after.into_inner()) {
        (DeValue::Table(before), DeValue::Table(after)) => Spanned::new(span, DeValue::Table(merged(before, after))),
        (DeValue::Array(before), DeValue::Array(after)) if is_of_tables(&before) && is_of_tables(&after) => {
            let replaced = |one: &Spanned<DeValue>| {
                name == "contact" && after.iter().any(|other| pair(other).is_some() && pair(other) == pair(one))
            };
            let kept: Vec<_> = before.into_iter().filter(|one| !replaced(one)).collect();
            Spanned::new(span, DeValue::Array(kept.into_iter().chain(after).collect()))
        }
        (_, after) => Spanned::new(span, after),
    }
}

fn is_of_tables(array: &toml::de::DeArray) -> bool {
    array.iter().all(|element| element.get_ref().is_table())
}

/// Returns the two materials of a contact in alphabetical order.
fn pair<'a>(contact: &'a Spanned<DeValue>) -> Option<[&'a str; 2]> {
    let between = contact.get_ref().get("between")?.get_ref().as_array()?;
    let mut names = [between.first()?.get_ref().as_str()?, between.get(1)?.get_ref().as_str()?];
    names.sort_unstable();
    Some(names)
}
