//! Reads `.vtp` files written by granum. Files of other programs and damaged files are rejected
//! with a reason.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

use super::number::Number;
use super::poly_data::Section;

/// Largest length of a header, bytes. Headers of granum have a few thousand bytes.
const MOST_HEAD: usize = 1 << 16;

/// Text before the first array.
const DATA_MARK: &[u8] = b"<AppendedData encoding=\"raw\">\n_";

/// The reason why a file is rejected, as a phrase that follows its name.
#[derive(Debug)]
pub(crate) struct Damage(pub(crate) String);

impl From<io::Error> for Damage {
    fn from(error: io::Error) -> Self {
        Self(format!("cannot be read: {error}"))
    }
}

fn damage<T>(reason: impl Into<String>) -> Result<T, Damage> {
    Err(Damage(reason.into()))
}

/// The header of a file: names and sizes.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) step: u64,
    pub(crate) time: f64,
    pub(crate) points: usize,
    pub(crate) lines: usize,
    pub(crate) polys: usize,
    /// The list `at_rest` of a file of walls.
    pub(crate) at_rest: Vec<u32>,
    arrays: Vec<Entry>,
    /// Position of the arrays in the file, bytes.
    data: usize,
}

/// The description of an array in the header.
#[derive(Debug)]
struct Entry {
    section: Section,
    name: String,
    number: String,
    components: usize,
    offset: usize,
}

impl Head {
    /// Reads only the header of a file, which suffices to list frames.
    pub(crate) fn read(path: &Path) -> Result<Self, Damage> {
        let mut bytes = Vec::new();
        File::open(path)?.take(MOST_HEAD as u64).read_to_end(&mut bytes)?;
        Self::parse(&bytes)
    }

    /// Returns whether the file has an array of this name.
    pub(crate) fn has(&self, section: Section, name: &str) -> bool {
        self.arrays.iter().any(|entry| entry.section == section && entry.name == name)
    }

    fn parse(bytes: &[u8]) -> Result<Self, Damage> {
        let searched = &bytes[..bytes.len().min(MOST_HEAD)];
        let Some(mark) = searched.windows(DATA_MARK.len()).position(|window| window == DATA_MARK) else {
            return damage("is not a frame that granum has written: no appended arrays");
        };
        let Ok(text) = str::from_utf8(&searched[..mark]) else {
            return damage("is damaged: its head is not a text");
        };
        let mut head = Self {
            step: 0,
            time: 0.0,
            points: 0,
            lines: 0,
            polys: 0,
            at_rest: Vec::new(),
            arrays: Vec::new(),
            data: mark + DATA_MARK.len(),
        };
        let (mut section, mut has_time, mut has_step, mut has_piece) = (None, false, false, false);
        for part in text.split('<').skip(1) {
            let Some((tag, inner)) = part.split_once('>') else {
                return damage("is damaged: a tag does not end");
            };
            let name = tag.split_ascii_whitespace().next().unwrap_or("");
            match name {
                "VTKFile" if attribute(tag, "header_type")? != "UInt64" => {
                    return damage("has headers of another size");
                }
                "Piece" => {
                    has_piece = true;
                    head.points = number(attribute(tag, "NumberOfPoints")?)?;
                    head.lines = number(attribute(tag, "NumberOfLines")?)?;
                    head.polys = number(attribute(tag, "NumberOfPolys")?)?;
                }
                "DataArray" if attribute(tag, "format")? == "ascii" => match attribute(tag, "Name")? {
                    "TimeValue" => (head.time, has_time) = (number(inner)?, true),
                    "step" => (head.step, has_step) = (number(inner)?, true),
                    "at_rest" => head.at_rest = inner.split_ascii_whitespace().map(number).collect::<Result<_, _>>()?,
                    _ => {}
                },
                "DataArray" => {
                    let Some(section) = section else { return damage("is damaged: an array belongs nowhere") };
                    head.arrays.push(Entry {
                        section,
                        name: attribute(tag, "Name")?.to_owned(),
                        number: attribute(tag, "type")?.to_owned(),
                        components: number(attribute(tag, "NumberOfComponents")?)?,
                        offset: number(attribute(tag, "offset")?)?,
                    });
                }
                _ => section = Section::ALL.into_iter().find(|section| section.name() == name).or(section),
            }
        }
        if !(has_time && has_step && has_piece) {
            return damage("is damaged: its time, its step or its size is missing");
        }
        Ok(head)
    }
}

/// A file with its arrays.
pub(crate) struct Document {
    pub(crate) head: Head,
    bytes: Vec<u8>,
}

impl Document {
    pub(crate) fn open(path: &Path) -> Result<Self, Damage> {
        Self::parse(std::fs::read(path)?)
    }

    pub(crate) fn parse(bytes: Vec<u8>) -> Result<Self, Damage> {
        Ok(Self { head: Head::parse(&bytes)?, bytes })
    }

    /// Returns an array with `count` groups of numbers, if the file contains it.
    pub(crate) fn array<T: Number, const N: usize>(
        &self,
        section: Section,
        name: &str,
        count: usize,
    ) -> Result<impl Iterator<Item = [T; N]>, Damage> {
        let entry = self.head.arrays.iter().find(|entry| entry.section == section && entry.name == name);
        let Some(entry) = entry else { return damage(format!("has no array `{name}`")) };
        if (entry.number.as_str(), entry.components) != (T::NAME, N) {
            return damage(format!("has an array `{name}` of {} x {}", entry.components, entry.number));
        }
        let Some(range) = self.range(entry) else { return damage(format!("is cut off in its array `{name}`")) };
        let size = N * T::SIZE;
        if count.checked_mul(size) != Some(range.len()) {
            return damage(format!("has {} bytes in its array `{name}` for {count} entries", range.len()));
        }
        let groups = self.bytes[range].chunks_exact(size);
        Ok(groups.map(|group| {
            std::array::from_fn(|k| {
                T::get(&group[k * T::SIZE..(k + 1) * T::SIZE]).expect("a group holds N numbers of this size")
            })
        }))
    }

    /// Returns the position of an array in the file, if it is complete.
    fn range(&self, entry: &Entry) -> Option<Range<usize>> {
        const LENGTH: usize = size_of::<u64>();
        let start = self.head.data.checked_add(entry.offset)?;
        let first = start.checked_add(LENGTH)?;
        let length = u64::from_le_bytes(self.bytes.get(start..first)?.try_into().ok()?);
        let last = first.checked_add(usize::try_from(length).ok()?)?;
        (last <= self.bytes.len()).then_some(first..last)
    }
}

/// Returns the value of an attribute of a tag.
fn attribute<'a>(tag: &'a str, name: &str) -> Result<&'a str, Damage> {
    let value = tag.match_indices(name).find_map(|(at, _)| {
        let quoted = tag[at + name.len()..].strip_prefix("=\"")?;
        let begins = tag[..at].ends_with(|c: char| c.is_ascii_whitespace());
        if begins { quoted.split_once('"').map(|(value, _)| value) } else { None }
    });
    value.map_or_else(|| damage(format!("is damaged: a tag has no {name}")), Ok)
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, Damage> {
    text.trim().parse().or_else(|_| damage(format!("is damaged: `{}` is not a number", text.escape_debug())))
}
