//! Reader of PLY files: a header that describes the data, and the data as text or binary.
//!
//! The vertices must be the first element of the file.

use super::{Vertex, text, vertex};

/// Encoding of the data.
#[derive(Clone, Copy, PartialEq)]
enum Format {
    Text,
    LittleEndian,
    BigEndian,
}

/// Number types: their names, and their sizes in bytes.
const TYPES: [(&[&str], usize); 6] = [
    (&["char", "int8", "uchar", "uint8"], 1),
    (&["short", "int16", "ushort", "uint16"], 2),
    (&["int", "int32", "uint", "uint32"], 4),
    (&["float", "float32"], 4),
    (&["double", "float64"], 8),
    (&["int64", "uint64"], 8),
];

/// A number that each vertex has.
struct Property {
    name: String,
    /// Name of its type.
    kind: String,
    /// Size, bytes.
    bytes: usize,
}

struct Header {
    format: Format,
    /// Number of vertices.
    count: usize,
    /// Properties of a vertex, in the order of the file.
    properties: Vec<Property>,
}

/// Returns the vertices of a file.
pub fn vertices(bytes: &[u8]) -> Result<Vec<Vertex>, String> {
    const END: &[u8] = b"end_header";
    let end = bytes.windows(END.len()).position(|part| part == END).ok_or("the file has no PLY header")?;
    let body = bytes[end..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |at| end + at + 1);
    let header = Header::read(text(&bytes[..end])?)?;
    let index = |name: &str| {
        let found = header.properties.iter().position(|property| property.name == name);
        found.ok_or_else(|| format!("the vertices have no property `{name}`"))
    };
    let columns = [index("x")?, index("y")?, index("z")?];
    if header.format == Format::Text {
        let first = text(&bytes[..body])?.lines().count() + 1;
        let rows = text(&bytes[body..])?.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let vertices = rows.take(header.count).map(|(number, line)| {
            let words: Vec<&str> = line.split_whitespace().collect();
            vertex(columns.iter().filter_map(|&k| words.get(k).copied()), first + number)
        });
        return complete(vertices.collect::<Result<_, _>>()?, header.count);
    }
    let stride = header.properties.iter().map(|property| property.bytes).sum();
    let starts = columns.map(|k| header.properties[..k].iter().map(|property| property.bytes).sum::<usize>());
    let rows = bytes[body..].chunks_exact(stride).take(header.count);
    let vertices = rows.map(|row| {
        let mut vertex = [0.0; 3];
        for ((number, &start), &column) in vertex.iter_mut().zip(&starts).zip(&columns) {
            *number = coordinate(&row[start..], &header.properties[column], header.format)?;
        }
        Ok(vertex)
    });
    complete(vertices.collect::<Result<_, String>>()?, header.count)
}

/// Returns the vertices if their number is that of the header.
fn complete(vertices: Vec<Vertex>, count: usize) -> Result<Vec<Vertex>, String> {
    if vertices.len() == count {
        Ok(vertices)
    } else {
        Err(format!("the file ends before the last of its {count} vertices"))
    }
}

/// Reads a coordinate from the bytes of a property.
fn coordinate(bytes: &[u8], property: &Property, format: Format) -> Result<f64, String> {
    let in_order = |mut bytes: Vec<u8>| {
        if format == Format::BigEndian {
            bytes.reverse();
        }
        bytes
    };
    match in_order(bytes[..property.bytes].to_vec())[..] {
        [a, b, c, d] if property.kind.starts_with("float") => Ok(f64::from(f32::from_le_bytes([a, b, c, d]))),
        [a, b, c, d, e, f, g, h] if !property.kind.contains("int") => Ok(f64::from_le_bytes([a, b, c, d, e, f, g, h])),
        _ => Err(format!("`{}` must be of type float or double, not {}", property.name, property.kind)),
    }
}

impl Header {
    /// Reads the lines before `end_header`.
    fn read(text: &str) -> Result<Self, String> {
        let mut header = Self { format: Format::Text, count: 0, properties: Vec::new() };
        // Whether the current element is the vertex; `None` before the first element.
        let mut element = None;
        for (number, line) in text.lines().enumerate() {
            let line_error = |what: &str| format!("line {}: {what}", number + 1);
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
                    if element.is_none() && name != "vertex" {
                        return Err(line_error("the vertices must be the first element"));
                    }
                    if name == "vertex" {
                        header.count = count.parse().map_err(|_| line_error("the number of vertices is missing"))?;
                    }
                    element = Some(name == "vertex");
                }
                ["property", kind, name] if element == Some(true) => {
                    let bytes = TYPES.iter().find(|(names, _)| names.contains(&kind)).map(|(_, bytes)| *bytes);
                    let bytes = bytes.ok_or_else(|| line_error(&format!("unknown number type `{kind}`")))?;
                    header.properties.push(Property { name: name.to_owned(), kind: kind.to_owned(), bytes });
                }
                ["property", "list", ..] if element == Some(true) => {
                    return Err(line_error("a vertex with a list property is not supported"));
                }
                ["property", ..] => {}
                _ => return Err(line_error("unexpected line in a PLY header")),
            }
        }
        Ok(header)
    }
}
