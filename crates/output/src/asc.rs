//! Height grids in the ESRI ASCII format: a header, then the heights row by row, beginning with the
//! largest y, m. Numbers have all their digits, so that reading gives the same surface.

use std::io::{self, Write};

use granum_geometry::surface::HeightGrid;

/// The value that marks a point without a height.
const NO_DATA: &str = "-9999";

/// Writes a height grid.
pub fn write(grid: &HeightGrid, file: &mut dyn Write) -> io::Result<()> {
    let columns = grid.columns as usize;
    writeln!(file, "ncols {columns}")?;
    writeln!(file, "nrows {}", grid.heights.len() / columns)?;
    writeln!(file, "xllcenter {}", grid.first[0])?;
    writeln!(file, "yllcenter {}", grid.first[1])?;
    match grid.step {
        [dx, dy] if dx == dy => writeln!(file, "cellsize {dx}")?,
        [dx, dy] => writeln!(file, "dx {dx}\ndy {dy}")?,
    }
    writeln!(file, "NODATA_value {NO_DATA}")?;
    for row in grid.heights.rchunks_exact(columns) {
        let words: Vec<String> =
            row.iter().map(|height| if height.is_finite() { height.to_string() } else { NO_DATA.to_owned() }).collect();
        writeln!(file, "{}", words.join(" "))?;
    }
    Ok(())
}
