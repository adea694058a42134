//! Settings of the command line, such as `--set materials.glass.density=2600`. They override the
//! files.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::SceneError;
use crate::read::files;
use crate::read::source::Source;

/// Description of the form of a setting, for error messages.
const FORM: &str = "must be KEY=VALUE, as in materials.glass.density=2600 or grains[0].count=10";

/// A setting of the command line.
pub struct Setting {
    /// Keys and list indices that lead to the value.
    path: Vec<String>,
    /// TOML text `v=VALUE`, after the spaces that make its byte numbers those of the source.
    text: String,
    /// Bytes of the setting in the source.
    span: std::ops::Range<usize>,
}

impl Setting {
    /// Reads `KEY=VALUE`. A value that is not valid TOML is a string, so that quotes may be
    /// omitted.
    pub fn new(source: &mut Source, setting: &str) -> Result<Self, SceneError> {
        let shown = format!("--set {setting}");
        let start = source.add_setting(&shown, setting);
        let span = start..start + setting.len();
        let error = |source: &Source| source.error_at(&span, None, FORM);
        let Some((key, value)) = setting.split_once('=') else {
            return Err(error(source));
        };
        // `grains[0].count` and `grains.0.count` are equivalent.
        let key = key.trim().replace('[', ".").replace(']', "");
        let path: Vec<String> = key.split('.').map(|part| part.trim().to_owned()).collect();
        if path.iter().any(String::is_empty) {
            return Err(error(source));
        }
        let value = value.trim();
        let assigned = |value: &str| files::with_leading_spaces(start, &format!("v={value}"));
        let mut text = assigned(value);
        if value.contains('\n') || DeTable::parse(&text).is_err() {
            text = assigned(&toml::Value::String(value.to_owned()).to_string());
        }
        Ok(Self { path, text, span })
    }

    /// Sets the value in the table of the scene. Tables that do not exist are created.
    pub fn apply<'a>(&'a self, source: &Source, root: &mut DeTable<'a>) -> Result<(), SceneError> {
        let mut table = files::parse(source, &self.text)?;
        let Some(value) = table.remove("v") else {
            return Err(source.error_at(&self.span, None, FORM));
        };
        let Some((last, parents)) = self.path.split_last() else { return Ok(()) };
        let key = |name: &'a str| Spanned::new(self.span.clone(), name.into());
        let mut node = Node::Table(root);
        let mut walked = String::new();
        for name in parents {
            node = match node {
                Node::Table(table) => {
                    if !table.contains_key(name.as_str()) {
                        table.insert(key(name), Spanned::new(self.span.clone(), DeValue::Table(DeTable::new())));
                    }
                    let Some(inner) = table.get_mut(name.as_str()) else { return Ok(()) };
                    Node::of(inner)
                }
                Node::Array(array) => {
                    let index = self.index(source, &walked, array.len(), name)?;
                    Node::of(&mut array.as_mut()[index])
                }
                Node::Leaf => return Err(self.no_table(source, &walked)),
            };
            walked = if walked.is_empty() { name.clone() } else { format!("{walked}.{name}") };
        }
        match node {
            Node::Table(table) => {
                table.remove(last.as_str());
                table.insert(key(last), value);
            }
            Node::Array(array) => {
                let index = self.index(source, &walked, array.len(), last)?;
                array.as_mut()[index] = value;
            }
            Node::Leaf => return Err(self.no_table(source, &walked)),
        }
        Ok(())
    }

    /// Returns the index that `name` is in a list of `len` entries.
    fn index(&self, source: &Source, list: &str, len: usize, name: &str) -> Result<usize, SceneError> {
        let reason = match name.parse::<usize>() {
            Ok(index) if index < len => return Ok(index),
            Ok(index) => format!("`{list}` has {len} entries, counted from 0; there is no entry {index}"),
            Err(_) => format!("`{list}` is a list; give the index of the entry, as in {list}.0.{name}"),
        };
        Err(source.error_at(&self.span, None, reason))
    }

    fn no_table(&self, source: &Source, walked: &str) -> SceneError {
        source.error_at(&self.span, None, format!("`{walked}` is a single value and has no keys"))
    }
}

/// A table, list or value of the scene.
enum Node<'b, 'a> {
    Table(&'b mut DeTable<'a>),
    Array(&'b mut toml::de::DeArray<'a>),
    Leaf,
}

impl<'b, 'a> Node<'b, 'a> {
    fn of(value: &'b mut Spanned<DeValue<'a>>) -> Self {
        match value.get_mut() {
            DeValue::Table(table) => Self::Table(table),
            DeValue::Array(array) => Self::Array(array),
            _ => Self::Leaf,
        }
    }
}
