//! Reader of height grids in the ESRI ASCII format: a header of names and numbers, then the heights
//! row by row, beginning with the largest y.

use granum_geometry::surface::HeightGrid;

use super::{Surface, number, text};

/// The value that marks a point without a height, if the header gives no other.
const NO_DATA: f64 = -9999.0;

/// Names of the numbers of the header.
const NAMES: [&str; 10] =
    ["ncols", "nrows", "xllcorner", "yllcorner", "xllcenter", "yllcenter", "cellsize", "dx", "dy", "nodata_value"];

/// Returns the surface of a file. Points without a height leave holes.
pub fn surface(bytes: &[u8]) -> Result<Surface, String> {
    let text = text(bytes)?;
    let mut lines = text.lines().enumerate().map(|(k, line)| (k + 1, line)).peekable();
    let mut header = [None; NAMES.len()];
    let mut last = 0;
    while let Some(&(line, content)) = lines.peek() {
        let mut words = content.split_whitespace();
        let Some(name) = words.next() else {
            lines.next();
            continue;
        };
        if name.parse::<f64>().is_ok() {
            break;
        }
        let known = NAMES.iter().position(|known| known.eq_ignore_ascii_case(name));
        let known = known.ok_or_else(|| format!("line {line}: `{name}` is no name of a height grid"))?;
        let value = words.next().ok_or_else(|| format!("line {line}: `{name}` needs a number"))?;
        // The missing value is often written as nan.
        let value = if known == 9 && value.eq_ignore_ascii_case("nan") { f64::NAN } else { number(value, line)? };
        header[known] = Some(value);
        last = line;
        lines.next();
    }
    let [columns, rows, x_corner, y_corner, x_centre, y_centre, cell, dx, dy, no_data] = header;
    let missing = |name: &str| format!("line {last}: the header ends without `{name}`");
    let count = |value: Option<f64>, name: &str| match value {
        None => Err(missing(name)),
        Some(count) if count >= 2.0 && count.fract() == 0.0 && count <= f64::from(u32::MAX) => Ok(count as u64),
        Some(count) => Err(format!("line {last}: `{name}` must be an integer of at least 2, not {count}")),
    };
    let (columns, rows) = (count(columns, "ncols")?, count(rows, "nrows")?);
    // Each height has at least one digit and, but for the last, a space.
    if columns * rows > bytes.len() as u64 / 2 + 1 {
        return Err(format!("line {last}: the header announces {columns} x {rows} heights, but the file is too short"));
    }
    let step = [dx.or(cell), dy.or(cell)].map(|step| step.ok_or_else(|| missing("cellsize")));
    let [dx, dy] = step;
    let step = [dx?, dy?];
    if step.iter().any(|&step| step <= 0.0) {
        return Err(format!("line {last}: `cellsize` must be positive, not {}", step[0].min(step[1])));
    }
    let start = |corner: Option<f64>, centre: Option<f64>, step: f64, name: &str| match (corner, centre) {
        (_, Some(centre)) => Ok(centre),
        (Some(corner), None) => Ok(corner + 0.5 * step),
        (None, None) => Err(missing(name)),
    };
    let first = [start(x_corner, x_centre, step[0], "xllcorner")?, start(y_corner, y_centre, step[1], "yllcorner")?];

    let no_data = no_data.unwrap_or(NO_DATA);
    let count = (columns * rows) as usize;
    let mut heights = Vec::with_capacity(count);
    for (line, content) in lines {
        last = line;
        for word in content.split_whitespace() {
            if heights.len() == count {
                return Err(format!("line {line}: there are more than {columns} x {rows} heights"));
            }
            let is_missing = word.eq_ignore_ascii_case("nan");
            let height = if is_missing { f64::NAN } else { number(word, line)? };
            heights.push(if height == no_data { f64::NAN } else { height });
        }
    }
    if heights.len() < count {
        return Err(format!("line {last}: the file ends after {} of {columns} x {rows} heights", heights.len()));
    }
    // Rows in the order of increasing y.
    let heights = heights.rchunks_exact(columns as usize).flatten().copied().collect();
    let mesh = HeightGrid { columns: columns as u32, first, step, heights }.mesh();
    let (vertices, triangles) = mesh.map_err(|error| format!("line {last}: {error}"))?.into_parts();
    Ok(Surface { vertices, triangles, is_cloud: false })
}
