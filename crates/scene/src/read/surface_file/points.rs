//! Reader of point clouds as text: one point per line, with numbers separated by spaces, tabs,
//! commas or semicolons.
//!
//! Lines that begin with `#` or `//` and empty lines are skipped. The first other line may name the
//! columns; then those named x, y and z are used, and the first three otherwise.

use glam::DVec3;

use super::{Surface, number, text};

/// Returns the points of a file.
pub fn surface(bytes: &[u8]) -> Result<Surface, String> {
    let mut vertices = Vec::new();
    let mut columns = [0, 1, 2];
    let mut is_first = true;
    for (k, content) in text(bytes)?.lines().enumerate() {
        let line = k + 1;
        let content = content.trim().trim_start_matches('\u{feff}');
        if content.is_empty() || content.starts_with('#') || content.starts_with("//") {
            continue;
        }
        let is_space = |c: char| c.is_whitespace() || c == ',' || c == ';';
        let words = || content.split(is_space).map(|word| word.trim_matches('"')).filter(|word| !word.is_empty());
        if std::mem::take(&mut is_first) && words().all(|word| word.parse::<f64>().is_err()) {
            let column = |name: &str| {
                let found = words().position(|word| word.eq_ignore_ascii_case(name));
                found.ok_or_else(|| format!("line {line}: no column is named `{name}`"))
            };
            columns = [column("x")?, column("y")?, column("z")?];
            continue;
        }
        let mut point = [0.0; 3];
        let mut count = 0;
        for (at, word) in words().enumerate() {
            count += 1;
            if let Some(axis) = columns.iter().position(|&column| column == at) {
                point[axis] = number(word, line)?;
            }
        }
        if columns.iter().any(|&column| column >= count) {
            return Err(format!("line {line}: a point needs x, y and z, but the line has {count} numbers"));
        }
        vertices.push(DVec3::from_array(point));
    }
    Ok(Surface { vertices, triangles: Vec::new(), is_cloud: true })
}
