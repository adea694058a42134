//! From files to one table: a scene and what it includes.
//!
//! Included files come first and what stands in the including file wins: tables are merged key by key, lists of tables
//! are joined (a contact of the same two materials takes the place of the included one), all else is replaced.

use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::SceneError;
use crate::source::Source;

/// Files read, each before those that include it.
#[derive(Default)]
pub struct Files {
    /// Where everything stands.
    pub source: Source,
    /// The texts, each behind as many blanks as come before it in `source`.
    texts: Vec<String>,
    /// The files that are being read, the outermost first.
    open: Vec<PathBuf>,
    /// Files that have been read: one that is included twice counts once.
    done: Vec<PathBuf>,
}

impl Files {
    /// Reads a text and the files that it includes.
    pub fn read(&mut self, file: &Path, text: &str) -> Result<(), SceneError> {
        self.open.push(identity(file));
        let start = self.source.add(file, text);
        let text = behind_blanks(start, text);
        let table = parse(&self.source, &text)?;
        if let Some(list) = table.get("include") {
            self.include(file, list)?;
        }
        self.texts.push(text);
        self.done.extend(self.open.pop());
        Ok(())
    }

    /// All files as one table.
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
        let fault = |source: &Source, span, reason: &str| source.fault_at(&span, Some("include".into()), reason);
        const WANTED: &str = "must be a list of files, as in include = [\"materials.toml\"]";
        let DeValue::Array(names) = list.get_ref() else {
            return Err(fault(&self.source, list.span(), WANTED));
        };
        for name in names.iter() {
            let DeValue::String(text) = name.get_ref() else {
                return Err(fault(&self.source, name.span(), WANTED));
            };
            let path = from.parent().unwrap_or(Path::new("")).join(text.as_ref());
            let known = identity(&path);
            if self.open.contains(&known) {
                let reason = format!("`{text}` is being read already: files must not include each other in a circle");
                return Err(fault(&self.source, name.span(), &reason));
            }
            if self.done.contains(&known) {
                continue;
            }
            let text = read_text(&path).map_err(|reason| fault(&self.source, name.span(), &reason))?;
            self.read(&path, &text)?;
        }
        Ok(())
    }
}

/// The text of a file, or why there is none.
pub fn read_text(path: &Path) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    String::from_utf8(bytes).map_err(|_| format!("{} is not a text (not UTF-8)", path.display()))
}

/// A text whose places are counted from `start`: blanks before it move them all.
pub fn behind_blanks(start: usize, text: &str) -> String {
    " ".repeat(start) + text
}

/// A text behind its blanks as a table.
pub fn parse<'a>(source: &Source, text: &'a str) -> Result<DeTable<'a>, SceneError> {
    DeTable::parse(text).map(Spanned::into_inner).map_err(|error| source.fault_of_parser(&error, &[]))
}

/// The same file by whatever name.
fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

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

/// The two materials of a contact, in the order of the alphabet.
fn pair<'a>(contact: &'a Spanned<DeValue>) -> Option<[&'a str; 2]> {
    let between = contact.get_ref().get("between")?.get_ref().as_array()?;
    let mut names = [between.first()?.get_ref().as_str()?, between.get(1)?.get_ref().as_str()?];
    names.sort_unstable();
    Some(names)
}
