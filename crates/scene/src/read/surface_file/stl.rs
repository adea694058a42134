//! Reader of STL files: a list of triangles, as text or binary.

use super::{Surface, Vertex, text, vertex};

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
    let count = bytes.get(HEADER..HEADER + COUNT).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
    let triangles = bytes.get(HEADER + COUNT..).unwrap_or_default();
    let vertices = match count {
        Some(count) if count.checked_mul(TRIANGLE) == Some(triangles.len()) => from_binary(triangles),
        Some(count) if text(bytes).is_err() || !bytes.starts_with(b"solid") || bytes.contains(&0) => {
            return Err(format!("the header announces {count} triangles, but the file has another length"));
        }
        _ => from_text(text(bytes)?)?,
    };
    let faces = (0..vertices.len() / 3).map(|t| vec![3 * t, 3 * t + 1, 3 * t + 2]).collect();
    Ok(Surface { vertices, faces })
}

fn from_binary(triangles: &[u8]) -> Vec<Vertex> {
    let number = |b: &[u8]| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    // The normal comes first and is skipped.
    let vertices = triangles.chunks_exact(TRIANGLE).flat_map(|t| t[VECTOR..4 * VECTOR].chunks_exact(VECTOR));
    vertices.map(|b| [0, 1, 2].map(|k| number(&b[k * NUMBER..]))).collect()
}

/// Returns the vertices of all triangles. Each triangle is a loop of three vertices.
fn from_text(text: &str) -> Result<Vec<Vertex>, String> {
    let mut vertices = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("vertex") => vertices.push(vertex(words, number + 1)?),
            Some("outer" | "endloop") if vertices.len() % 3 != 0 => {
                return Err(format!("line {}: a triangle must have three vertices", number + 1));
            }
            _ => {}
        }
    }
    if vertices.len() % 3 != 0 {
        return Err("the file ends before the third vertex of a triangle".to_owned());
    }
    Ok(vertices)
}
