//! Reader of OBJ files: text, with a vertex on each line that begins with `v`.

use super::{Vertex, text, vertex};

/// Returns the vertices of a file.
pub fn vertices(bytes: &[u8]) -> Result<Vec<Vertex>, String> {
    let mut vertices = Vec::new();
    for (number, line) in text(bytes)?.lines().enumerate() {
        let mut words = line.split_whitespace();
        if words.next() == Some("v") {
            vertices.push(vertex(words, number + 1)?);
        }
    }
    Ok(vertices)
}
