//! Reader of PLY files: a header that describes the data, and the data as text or binary.
//!
//! Vertices and faces are read; other elements are skipped.

use super::{Surface, Vertex, text};

/// Encoding of the data.
#[derive(Clone, Copy, PartialEq)]
enum Format {
    Text,
    LittleEndian,
    BigEndian,
}

/// Number types: their names, and their sizes in bytes. Names of integers without a sign begin
/// with `u`.
const TYPES: [(&[&str], usize); 6] = [
    (&["char", "int8", "uchar", "uint8"], 1),
    (&["short", "int16", "ushort", "uint16"], 2),
    (&["int", "int32", "uint", "uint32"], 4),
    (&["float", "float32"], 4),
    (&["double", "float64"], 8),
    (&["int64", "uint64"], 8),
];

/// A number type.
#[derive(Clone, Copy, PartialEq)]
struct Type {
    bytes: usize,
    is_float: bool,
    is_signed: bool,
}

/// A value of each instance of an element: a number, or a list of numbers after their count.
struct Property {
    name: String,
    kind: Type,
    /// Type of the count of a list.
    list: Option<Type>,
}

/// A list of equal records, such as the vertices.
struct Element {
    name: String,
    count: usize,
    properties: Vec<Property>,
}

struct Header {
    format: Format,
    /// Elements in the order of the file.
    elements: Vec<Element>,
}

/// Returns the surface of a file.
pub fn surface(bytes: &[u8]) -> Result<Surface, String> {
    const END: &[u8] = b"end_header";
    let end = bytes.windows(END.len()).position(|part| part == END).ok_or("the file has no PLY header")?;
    let body = bytes[end..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |at| end + at + 1);
    let header = Header::read(text(&bytes[..end])?)?;
    let mut data = match header.format {
        Format::Text => Data::Words(text(&bytes[body..])?.split_whitespace()),
        order => Data::Bytes { rest: &bytes[body..], big: order == Format::BigEndian },
    };
    let mut surface = Surface::default();
    let mut has_vertices = false;
    for element in &header.elements {
        let column = |name: &str| element.properties.iter().position(|p| p.name == name && p.list.is_none());
        let missing = |name: &str| format!("the vertices have no property `{name}`");
        let axes = match element.name.as_str() {
            "vertex" => {
                has_vertices = true;
                let axis = |name: &str| column(name).ok_or_else(|| missing(name));
                Some([axis("x")?, axis("y")?, axis("z")?])
            }
            _ => None,
        };
        let is_ring = |p: &Property| p.list.is_some() && matches!(p.name.as_str(), "vertex_indices" | "vertex_index");
        let ring = if element.name == "face" { element.properties.iter().position(is_ring) } else { None };
        for done in 0..element.count {
            let incomplete = || format!("the file ends after {done} of {} records `{}`", element.count, element.name);
            let mut vertex: Vertex = [0.0; 3];
            for (k, property) in element.properties.iter().enumerate() {
                let count = match property.list {
                    None => 1,
                    Some(kind) => data.number(kind)?.ok_or_else(incomplete)? as usize,
                };
                let mut face = Vec::new();
                for _ in 0..count {
                    let number = data.number(property.kind)?.ok_or_else(incomplete)?;
                    if ring == Some(k) {
                        face.push(index(number)?);
                    } else if let Some(axis) = axes.and_then(|axes| axes.iter().position(|&axis| axis == k)) {
                        vertex[axis] = number;
                    }
                }
                if ring == Some(k) {
                    surface.faces.push(face);
                }
            }
            if axes.is_some() {
                surface.vertices.push(vertex);
            }
            // A record without properties has no bytes, so that its count could be any number.
            if element.properties.is_empty() {
                break;
            }
        }
    }
    if has_vertices { Ok(surface) } else { Err("the file has no element `vertex`".to_owned()) }
}

/// Returns a number of a face as the index of a vertex.
fn index(number: f64) -> Result<usize, String> {
    if number >= 0.0 && number.fract() == 0.0 {
        Ok(number as usize)
    } else {
        Err(format!("a face has the vertex {number}, which is no index"))
    }
}

/// The part of the data that has not been read.
enum Data<'a> {
    Words(std::str::SplitWhitespace<'a>),
    Bytes { rest: &'a [u8], big: bool },
}

impl Data<'_> {
    /// Returns the next number, or `None` at the end of the file.
    fn number(&mut self, kind: Type) -> Result<Option<f64>, String> {
        match self {
            Self::Words(words) => match words.next() {
                None => Ok(None),
                Some(word) => word.parse().map(Some).map_err(|_| format!("`{word}` is not a number")),
            },
            Self::Bytes { rest, big } => {
                let Some((bytes, after)) = rest.split_at_checked(kind.bytes) else { return Ok(None) };
                *rest = after;
                // The bytes from the least significant one, extended to 64 bits.
                let mut wide = [0; 8];
                for (k, &byte) in bytes.iter().enumerate() {
                    wide[if *big { kind.bytes - 1 - k } else { k }] = byte;
                }
                let bits = u64::from_le_bytes(wide);
                let unused = 64 - 8 * kind.bytes as u32;
                Ok(Some(match (kind.is_float, kind.is_signed) {
                    (true, _) if kind.bytes == 4 => f64::from(f32::from_bits(bits as u32)),
                    (true, _) => f64::from_bits(bits),
                    (false, true) => ((bits << unused) as i64 >> unused) as f64,
                    (false, false) => bits as f64,
                }))
            }
        }
    }
}

impl Type {
    fn read(name: &str) -> Option<Self> {
        let (_, bytes) = TYPES.iter().find(|(names, _)| names.contains(&name))?;
        let is_float = name.starts_with("float") || name.starts_with("double");
        Some(Self { bytes: *bytes, is_float, is_signed: !name.starts_with('u') })
    }
}

impl Header {
    /// Reads the lines before `end_header`.
    fn read(text: &str) -> Result<Self, String> {
        let mut header = Self { format: Format::Text, elements: Vec::new() };
        for (number, line) in text.lines().enumerate() {
            let line_error = |what: &str| format!("line {}: {what}", number + 1);
            let kind =
                |name: &str| Type::read(name).ok_or_else(|| line_error(&format!("unknown number type `{name}`")));
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["ply"] | ["comment" | "obj_info", ..] | [] => {}
                ["format", name, _] => {
                    header.format = match name {
                        "ascii" => Format::Text,
                        "binary_little_endian" => Format::LittleEndian,
                        "binary_big_endian" => Format::BigEndian,
                        _ => return Err(line_error(&format!("unknown format `{name}`"))),
                    };
                }
                ["element", name, count] => {
                    let count = count.parse().map_err(|_| line_error(&format!("`{count}` is no number of records")))?;
                    header.elements.push(Element { name: name.to_owned(), count, properties: Vec::new() });
                }
                ["property", ..] => {
                    let property = match words[..] {
                        [_, "list", count, item, name] => {
                            Property { name: name.to_owned(), kind: kind(item)?, list: Some(kind(count)?) }
                        }
                        [_, item, name] => Property { name: name.to_owned(), kind: kind(item)?, list: None },
                        _ => return Err(line_error("a property needs a type and a name")),
                    };
                    let element = header.elements.last_mut();
                    element.ok_or_else(|| line_error("a property must follow an element"))?.properties.push(property);
                }
                _ => return Err(line_error("unexpected line in a PLY header")),
            }
        }
        Ok(header)
    }
}
