//! STL: triangles, as a text or as bytes.

use super::{Corner, corner, text};

/// Bytes of the header, of the number of triangles behind it, and of a triangle: normal, three corners, two bytes for
/// anything.
const HEADER: usize = 80;
const COUNT: usize = 4;
const TRIANGLE: usize = 50;

/// Bytes of a number, and of the normal before the corners.
const NUMBER: usize = 4;
const NORMAL: usize = 3 * NUMBER;

/// The corners of all triangles.
///
/// Files in bytes may begin with `solid` as those in words do, so it is the length that tells them.
pub fn corners(bytes: &[u8]) -> Result<Vec<Corner>, String> {
    let count = bytes.get(HEADER..HEADER + COUNT).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
    let triangles = bytes.get(HEADER + COUNT..).unwrap_or_default();
    match count {
        Some(count) if count.checked_mul(TRIANGLE) == Some(triangles.len()) => Ok(in_bytes(triangles)),
        Some(count) if text(bytes).is_err() || !bytes.starts_with(b"solid") || bytes.contains(&0) => {
            Err(format!("it is said to hold {count} triangles, and is not as long as that"))
        }
        _ => in_words(text(bytes)?),
    }
}

fn in_bytes(triangles: &[u8]) -> Vec<Corner> {
    let number = |b: &[u8]| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let corners = triangles.chunks_exact(TRIANGLE).flat_map(|t| t[NORMAL..4 * NORMAL].chunks_exact(NORMAL));
    corners.map(|b| [0, 1, 2].map(|k| number(&b[k * NUMBER..]))).collect()
}

fn in_words(text: &str) -> Result<Vec<Corner>, String> {
    let mut corners = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        if words.next() == Some("vertex") {
            corners.push(corner(words, number + 1)?);
        }
    }
    Ok(corners)
}
