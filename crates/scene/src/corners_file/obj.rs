//! OBJ: a text; corners stand on lines that begin with `v`.

use super::{Corner, corner, text};

/// The corners.
pub fn corners(bytes: &[u8]) -> Result<Vec<Corner>, String> {
    let mut corners = Vec::new();
    for (number, line) in text(bytes)?.lines().enumerate() {
        let mut words = line.split_whitespace();
        if words.next() == Some("v") {
            corners.push(corner(words, number + 1)?);
        }
    }
    Ok(corners)
}
