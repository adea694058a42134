//! Settings of the command line: `--set materials.glass.density=2600` over what the files say.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::SceneError;
use crate::files;
use crate::source::Source;

/// How a setting is written, for messages.
const FORM: &str = "must be KEY=VALUE, as in materials.glass.density=2600 or grains[0].count=10";

/// A setting: where, and the text of a table with its value.
pub struct Setting {
    path: Vec<String>,
    /// `key = value` behind its blanks.
    text: String,
    span: std::ops::Range<usize>,
}

impl Setting {
    /// Reads `KEY=VALUE`. A value that is no TOML is taken as a text, so that quotes may be left out.
    pub fn new(source: &mut Source, setting: &str) -> Result<Self, SceneError> {
        let shown = format!("--set {setting}");
        let start = source.add_setting(&shown, setting);
        let span = start..start + setting.len();
        let fault = |source: &Source| source.fault_at(&span, None, FORM);
        let Some((key, value)) = setting.split_once('=') else {
            return Err(fault(source));
        };
        // `grains[0].count` and `grains.0.count` are the same.
        let key = key.trim().replace('[', ".").replace(']', "");
        let path: Vec<String> = key.split('.').map(|part| part.trim().to_owned()).collect();
        if path.iter().any(String::is_empty) {
            return Err(fault(source));
        }
        let value = value.trim();
        let assigned = |value: &str| files::behind_blanks(start, &format!("v={value}"));
        let mut text = assigned(value);
        if value.contains('\n') || DeTable::parse(&text).is_err() {
            text = assigned(&toml::Value::String(value.to_owned()).to_string());
        }
        Ok(Self { path, text, span })
    }

    /// Puts the value in its place.
    pub fn apply<'a>(&'a self, source: &Source, root: &mut DeTable<'a>) -> Result<(), SceneError> {
        let mut table = files::parse(source, &self.text)?;
        let Some(value) = table.remove("v") else {
            return Err(source.fault_at(&self.span, None, FORM));
        };
        let Some((last, parents)) = self.path.split_last() else { return Ok(()) };
        let key = |name: &'a str| Spanned::new(self.span.clone(), name.into());
        let mut here = Here::Table(root);
        let mut walked = String::new();
        for name in parents {
            here = match here {
                Here::Table(table) => {
                    if !table.contains_key(name.as_str()) {
                        table.insert(key(name), Spanned::new(self.span.clone(), DeValue::Table(DeTable::new())));
                    }
                    let Some(inner) = table.get_mut(name.as_str()) else { return Ok(()) };
                    Here::of(inner)
                }
                Here::Array(array) => {
                    let index = self.index(source, &walked, array.len(), name)?;
                    Here::of(&mut array.as_mut()[index])
                }
                Here::Leaf => return Err(self.no_table(source, &walked)),
            };
            walked = if walked.is_empty() { name.clone() } else { format!("{walked}.{name}") };
        }
        match here {
            Here::Table(table) => {
                table.remove(last.as_str());
                table.insert(key(last), value);
            }
            Here::Array(array) => {
                let index = self.index(source, &walked, array.len(), last)?;
                array.as_mut()[index] = value;
            }
            Here::Leaf => return Err(self.no_table(source, &walked)),
        }
        Ok(())
    }

    fn index(&self, source: &Source, list: &str, len: usize, name: &str) -> Result<usize, SceneError> {
        let reason = match name.parse::<usize>() {
            Ok(index) if index < len => return Ok(index),
            Ok(index) => format!("`{list}` has {len} entries, counted from 0: there is no {index}"),
            Err(_) => format!("`{list}` is a list: say which entry by its number, as in {list}.0.{name}"),
        };
        Err(source.fault_at(&self.span, None, reason))
    }

    fn no_table(&self, source: &Source, walked: &str) -> SceneError {
        source.fault_at(&self.span, None, format!("`{walked}` is a value, and has no keys of its own"))
    }
}

/// A place in a table.
enum Here<'b, 'a> {
    Table(&'b mut DeTable<'a>),
    Array(&'b mut toml::de::DeArray<'a>),
    Leaf,
}

impl<'b, 'a> Here<'b, 'a> {
    fn of(value: &'b mut Spanned<DeValue<'a>>) -> Self {
        match value.get_mut() {
            DeValue::Table(table) => Self::Table(table),
            DeValue::Array(array) => Self::Array(array),
            _ => Self::Leaf,
        }
    }
}
