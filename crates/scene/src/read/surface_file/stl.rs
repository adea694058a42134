//! Reader of STL files: a list of triangles, as text or binary.

use glam::DVec3;

use super::{Surface, bytes_at, text, vertex};

/// Bytes of the header of a binary file.
const HEADER: usize = 80;
/// Bytes of the number of triangles, which follows the header.
const COUNT: usize = 4;
/// Bytes of a triangle: a normal, three vertices, and two bytes of attributes.
const TRIANGLE: usize = 50;
/// Bytes of a coordinate.
const NUMBER: usize = 4;
/// Bytes of a vector: of the normal, and of each vertex.
const VECTOR: usize = 3 * NUMBER;

/// Returns the surface of a file, with three vertices for each triangle.
///
/// A binary file may begin with `solid` as a text does, so the length decides which of them it is.
pub fn surface(bytes: &[u8]) -> Result<Surface, String> {
    let count = bytes_at::<COUNT>(bytes, HEADER).map(|count| u64::from(u32::from_le_bytes(count)));
    let vertices = match count {
        Ok(count) if (HEADER + COUNT) as u64 + count * TRIANGLE as u64 == bytes.len() as u64 => from_binary(bytes)?,
        Ok(count) if !bytes.starts_with(b"solid") || bytes.contains(&0) => {
            let expected = (HEADER + COUNT) as u64 + count * TRIANGLE as u64;
            let length = bytes.len();
            return Err(format!(
                "byte {HEADER}: the header announces {count} triangles, which need {expected} bytes, but the file has {length}"
            ));
        }
        _ => from_text(text(bytes)?)?,
    };
    let triangles = (0..vertices.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    Ok(Surface { vertices, triangles, is_cloud: false })
}

fn from_binary(bytes: &[u8]) -> Result<Vec<DVec3>, String> {
    let triangles = &bytes[HEADER + COUNT..];
    let mut vertices = Vec::with_capacity(3 * (triangles.len() / TRIANGLE));
    for (k, triangle) in triangles.chunks_exact(TRIANGLE).enumerate() {
        // The normal comes first and is skipped.
        for (v, vector) in triangle[VECTOR..4 * VECTOR].chunks_exact(VECTOR).enumerate() {
            let number =
                |at: usize| f64::from(f32::from_le_bytes([vector[at], vector[at + 1], vector[at + 2], vector[at + 3]]));
            let vertex = DVec3::new(number(0), number(NUMBER), number(2 * NUMBER));
            if !vertex.is_finite() {
                let byte = HEADER + COUNT + k * TRIANGLE + (v + 1) * VECTOR;
                return Err(format!("byte {byte}: the vertex {vertex} is not finite"));
            }
            vertices.push(vertex);
        }
    }
    Ok(vertices)
}

/// Returns the vertices of all triangles. Each triangle is a loop of three vertices.
fn from_text(text: &str) -> Result<Vec<DVec3>, String> {
    let mut vertices = Vec::new();
    let mut last = 1;
    let mut is_open = true;
    for (number, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        let line = number + 1;
        last = line;
        match words.next() {
            Some("vertex") => vertices.push(vertex(words, line)?),
            Some("outer" | "endloop" | "endsolid") if vertices.len() % 3 != 0 => {
                return Err(format!("line {line}: a triangle must have three vertices"));
            }
            Some("solid") => is_open = true,
            Some("endsolid") => is_open = false,
            Some("facet" | "outer" | "endloop" | "endfacet") | None => {}
            Some(word) => return Err(format!("line {line}: `{word}` is no word of an STL file")),
        }
    }
    if is_open {
        return Err(format!("line {last}: the file ends without `endsolid`"));
    }
    Ok(vertices)
}
