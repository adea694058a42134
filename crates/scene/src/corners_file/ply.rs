//! PLY: a header that tells what follows, as a text or as bytes of either order. The vertices must come first.

use super::{Corner, corner, text};

#[derive(Clone, Copy, PartialEq)]
enum Format {
    Words,
    LittleEndian,
    BigEndian,
}

/// Kinds of numbers: their names, their bytes.
const KINDS: [(&[&str], usize); 6] = [
    (&["char", "int8", "uchar", "uint8"], 1),
    (&["short", "int16", "ushort", "uint16"], 2),
    (&["int", "int32", "uint", "uint32"], 4),
    (&["float", "float32"], 4),
    (&["double", "float64"], 8),
    (&["int64", "uint64"], 8),
];

struct Property {
    name: String,
    kind: String,
    bytes: usize,
}

struct Header {
    format: Format,
    count: usize,
    /// Of each vertex, in their order.
    properties: Vec<Property>,
}

/// The corners.
pub fn corners(bytes: &[u8]) -> Result<Vec<Corner>, String> {
    const END: &[u8] = b"end_header";
    let end = bytes.windows(END.len()).position(|part| part == END).ok_or("it has no header of a PLY file")?;
    let body = bytes[end..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |at| end + at + 1);
    let header = Header::read(text(&bytes[..end])?)?;
    let place = |name: &str| {
        let found = header.properties.iter().position(|property| property.name == name);
        found.ok_or_else(|| format!("its vertices have no `{name}`"))
    };
    let places = [place("x")?, place("y")?, place("z")?];
    if header.format == Format::Words {
        let first = text(&bytes[..body])?.lines().count() + 1;
        let rows = text(&bytes[body..])?.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let corners = rows.take(header.count).map(|(number, line)| {
            let words: Vec<&str> = line.split_whitespace().collect();
            corner(places.iter().filter_map(|&k| words.get(k).copied()), first + number)
        });
        return complete(corners.collect::<Result<_, _>>()?, header.count);
    }
    let stride = header.properties.iter().map(|property| property.bytes).sum();
    let starts = places.map(|k| header.properties[..k].iter().map(|property| property.bytes).sum::<usize>());
    let rows = bytes[body..].chunks_exact(stride).take(header.count);
    let corners = rows.map(|row| {
        let mut corner = [0.0; 3];
        for ((number, &start), &place) in corner.iter_mut().zip(&starts).zip(&places) {
            *number = real(&row[start..], &header.properties[place], header.format)?;
        }
        Ok(corner)
    });
    complete(corners.collect::<Result<_, String>>()?, header.count)
}

fn complete(corners: Vec<Corner>, count: usize) -> Result<Vec<Corner>, String> {
    if corners.len() == count { Ok(corners) } else { Err(format!("it ends before its {count} vertices do")) }
}

/// A coordinate from bytes.
fn real(bytes: &[u8], property: &Property, format: Format) -> Result<f64, String> {
    let in_order = |mut bytes: Vec<u8>| {
        if format == Format::BigEndian {
            bytes.reverse();
        }
        bytes
    };
    match in_order(bytes[..property.bytes].to_vec())[..] {
        [a, b, c, d] if property.kind.starts_with("float") => Ok(f64::from(f32::from_le_bytes([a, b, c, d]))),
        [a, b, c, d, e, f, g, h] if !property.kind.contains("int") => Ok(f64::from_le_bytes([a, b, c, d, e, f, g, h])),
        _ => Err(format!("its `{}` is no real number but `{}`", property.name, property.kind)),
    }
}

impl Header {
    fn read(text: &str) -> Result<Self, String> {
        let mut header = Self { format: Format::Words, count: 0, properties: Vec::new() };
        let mut element = None;
        for (number, line) in text.lines().enumerate() {
            let line_fault = |what: &str| format!("line {}: {what}", number + 1);
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["ply"] | ["comment" | "obj_info", ..] | [] => {}
                ["format", name, _] => {
                    header.format = match name {
                        "ascii" => Format::Words,
                        "binary_little_endian" => Format::LittleEndian,
                        "binary_big_endian" => Format::BigEndian,
                        _ => return Err(line_fault(&format!("unknown format `{name}`"))),
                    };
                }
                ["element", name, count] => {
                    if element.is_none() && name != "vertex" {
                        return Err(line_fault("its vertices must come first"));
                    }
                    if name == "vertex" {
                        header.count = count.parse().map_err(|_| line_fault("no number of vertices"))?;
                    }
                    element = Some(name == "vertex");
                }
                ["property", kind, name] if element == Some(true) => {
                    let bytes = KINDS.iter().find(|(names, _)| names.contains(&kind)).map(|(_, bytes)| *bytes);
                    let bytes = bytes.ok_or_else(|| line_fault(&format!("unknown kind of number `{kind}`")))?;
                    header.properties.push(Property { name: name.to_owned(), kind: kind.to_owned(), bytes });
                }
                ["property", "list", ..] if element == Some(true) => {
                    return Err(line_fault("a vertex with a list cannot be read"));
                }
                ["property", ..] => {}
                _ => return Err(line_fault("this is not a header of a PLY file")),
            }
        }
        Ok(header)
    }
}
