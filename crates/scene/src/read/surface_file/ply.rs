//! Reader of PLY files: a header that describes the data, and the data as text or binary.
//!
//! Vertices and faces are read; other elements are skipped. A file without faces is a point cloud.

use glam::DVec3;

use super::polygon::divide;
use super::{Surface, text};

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
    let end = bytes.windows(END.len()).position(|part| part == END).ok_or("line 1: the file has no PLY header")?;
    let body = bytes[end..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |at| end + at + 1);
    let header = Header::read(text(&bytes[..end])?)?;
    let mut data = match header.format {
        Format::Text => {
            let line = bytes[..body].iter().filter(|&&byte| byte == b'\n').count();
            Data::Text { words: "".split_whitespace(), lines: text(&bytes[body..])?.lines(), line }
        }
        order => Data::Binary { bytes, at: body, big: order == Format::BigEndian },
    };
    let vertex_count = header.elements.iter().find(|element| element.name == "vertex").map(|element| element.count);
    let vertex_count = vertex_count.ok_or("line 1: the file has no element `vertex`")?;
    let mut vertices = Vec::new();
    // The corners of all faces, and the end of each face with its position in the file. They are
    // divided last, because faces may come before the vertices.
    let mut corners: Vec<u32> = Vec::new();
    let mut faces: Vec<(usize, usize)> = Vec::new();
    for element in &header.elements {
        let roles = element.roles()?;
        for done in 0..element.count {
            let mut vertex = DVec3::ZERO;
            for (property, role) in element.properties.iter().zip(&roles) {
                let count = match property.list {
                    None => 1,
                    Some(kind) => data.next(kind, element, done)? as u64,
                };
                for _ in 0..count {
                    let number = data.next(property.kind, element, done)?;
                    match *role {
                        Role::Skipped => {}
                        Role::Axis(axis) if number.is_finite() => vertex[axis] = number,
                        Role::Axis(_) => {
                            return Err(format!("{}: a coordinate is {number}, which is not finite", data.place()));
                        }
                        Role::Ring if number >= 0.0 && number.fract() == 0.0 && number < vertex_count as f64 => {
                            corners.push(number as u32);
                        }
                        Role::Ring => {
                            let place = data.place();
                            return Err(format!("{place}: a face has the vertex {number} of {vertex_count} vertices"));
                        }
                    }
                }
                if *role == Role::Ring {
                    faces.push((corners.len(), data.position()));
                }
            }
            if element.name == "vertex" {
                vertices.push(vertex);
            }
            // A record without properties has no bytes, so that its count could be any number.
            if element.properties.is_empty() {
                break;
            }
        }
    }
    let mut triangles = Vec::new();
    let mut start = 0;
    let unit = if header.format == Format::Text { "line" } else { "byte" };
    for (end, position) in faces {
        divide(&vertices, &corners[start..end], &mut triangles)
            .map_err(|reason| format!("{unit} {position}: {reason}"))?;
        start = end;
    }
    let is_cloud = triangles.is_empty();
    Ok(Surface { vertices, triangles, is_cloud })
}

/// Use of the numbers of a property.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Skipped,
    /// A coordinate of a vertex.
    Axis(usize),
    /// The corners of a face.
    Ring,
}

impl Element {
    /// Returns the role of each property.
    fn roles(&self) -> Result<Vec<Role>, String> {
        let mut roles = vec![Role::Skipped; self.properties.len()];
        let find = |name: &str, is_list: bool| {
            self.properties.iter().position(|property| property.name == name && property.list.is_some() == is_list)
        };
        match self.name.as_str() {
            "vertex" => {
                for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
                    let column = find(name, false);
                    let column = column.ok_or_else(|| format!("line 1: the vertices have no property `{name}`"))?;
                    roles[column] = Role::Axis(axis);
                }
            }
            "face" => {
                if let Some(column) = find("vertex_indices", true).or_else(|| find("vertex_index", true)) {
                    roles[column] = Role::Ring;
                }
            }
            _ => {}
        }
        Ok(roles)
    }
}

/// The part of the data that has not been read.
enum Data<'a> {
    Text {
        words: std::str::SplitWhitespace<'a>,
        lines: std::str::Lines<'a>,
        /// Number of the line of the words, from 1.
        line: usize,
    },
    Binary {
        bytes: &'a [u8],
        at: usize,
        big: bool,
    },
}

impl Data<'_> {
    /// Returns the next number of a record of an element.
    fn next(&mut self, kind: Type, element: &Element, done: usize) -> Result<f64, String> {
        let number = match self {
            Self::Text { words, lines, line } => loop {
                if let Some(word) = words.next() {
                    break Some(word.parse().map_err(|_| format!("line {line}: `{word}` is not a number"))?);
                }
                match lines.next() {
                    None => break None,
                    Some(next) => (*words, *line) = (next.split_whitespace(), *line + 1),
                }
            },
            Self::Binary { bytes, at, big } => match bytes[*at..].split_at_checked(kind.bytes) {
                None => None,
                Some((number, _)) => {
                    *at += kind.bytes;
                    Some(kind.number(number, *big))
                }
            },
        };
        number.ok_or_else(|| {
            let Element { count, name, .. } = element;
            format!("{}: the file ends after {done} of {count} records `{name}`", self.place())
        })
    }

    /// Returns the number of the line or of the byte.
    fn position(&self) -> usize {
        match self {
            Self::Text { line, .. } => *line,
            Self::Binary { at, .. } => *at,
        }
    }

    /// Returns the position for a message.
    fn place(&self) -> String {
        let unit = if matches!(self, Self::Text { .. }) { "line" } else { "byte" };
        format!("{unit} {}", self.position())
    }
}

impl Type {
    fn read(name: &str) -> Option<Self> {
        let (_, bytes) = TYPES.iter().find(|(names, _)| names.contains(&name))?;
        let is_float = name.starts_with("float") || name.starts_with("double");
        Some(Self { bytes: *bytes, is_float, is_signed: !name.starts_with('u') })
    }

    /// Returns the number of these bytes.
    fn number(self, bytes: &[u8], is_big_endian: bool) -> f64 {
        // The bytes from the least significant one, extended to 64 bits.
        let mut wide = [0; 8];
        for (k, &byte) in bytes.iter().enumerate() {
            wide[if is_big_endian { self.bytes - 1 - k } else { k }] = byte;
        }
        let bits = u64::from_le_bytes(wide);
        let unused = 64 - 8 * self.bytes as u32;
        match (self.is_float, self.is_signed) {
            (true, _) if self.bytes == 4 => f64::from(f32::from_bits(bits as u32)),
            (true, _) => f64::from_bits(bits),
            (false, true) => ((bits << unused) as i64 >> unused) as f64,
            (false, false) => bits as f64,
        }
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
