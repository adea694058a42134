//! Reader of OBJ files: text, with a vertex on each line that begins with `v` and a face on each
//! line that begins with `f`.

use super::polygon::divide;
use super::{Surface, text, vertex};

/// Returns the surface of a file.
pub fn surface(bytes: &[u8]) -> Result<Surface, String> {
    let mut surface = Surface::default();
    let mut ring = Vec::new();
    for (number, line) in text(bytes)?.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => surface.vertices.push(vertex(words, number + 1)?),
            Some("f") => {
                let count = surface.vertices.len();
                let corner =
                    |word| index(word, count).ok_or(format!("line {}: there is no vertex `{word}`", number + 1));
                ring.clear();
                for word in words {
                    ring.push(corner(word)?);
                }
                divide(&surface.vertices, &ring, &mut surface.triangles)
                    .map_err(|reason| format!("line {}: {reason}", number + 1))?;
            }
            _ => {}
        }
    }
    Ok(surface)
}

/// Returns the index of the vertex of a corner such as `3`, `3/1/2` or `-1`, which is the last of
/// the `count` vertices before it.
fn index(word: &str, count: usize) -> Option<u32> {
    let number: i64 = word.split('/').next()?.parse().ok()?;
    let index = if number > 0 {
        number - 1
    } else if number < 0 {
        count as i64 + number
    } else {
        return None;
    };
    u32::try_from(index).ok().filter(|&index| (index as usize) < count)
}
