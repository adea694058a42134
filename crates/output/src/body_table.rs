//! Reading of a body table that `granum export --to csv` has written. Rows may have been removed or
//! changed by other programs.

use std::path::Path;

use glam::DVec3;
use serde::Deserialize;

use crate::run_folder::ReadError;

/// A row of the table. Other columns are ignored.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[allow(missing_docs)] // The columns of `frame_table.rs`.
pub struct BodyRow {
    pub id: u32,
    pub shape: u32,
    pub kind: String,
    pub material: String,
    pub x: f64,
    pub y: f64,
    pub z: f64,
    pub qw: f64,
    pub qx: f64,
    pub qy: f64,
    pub qz: f64,
    pub vx: f64,
    pub vy: f64,
    pub vz: f64,
    pub wx: f64,
    pub wy: f64,
    pub wz: f64,
    /// Mass, kg; infinite for walls.
    pub mass: f64,
}

impl BodyRow {
    /// Returns whether forces move the body.
    pub fn is_grain(&self) -> bool {
        self.mass.is_finite()
    }

    /// Returns the centre, m.
    pub fn position(&self) -> DVec3 {
        DVec3::new(self.x, self.y, self.z)
    }

    /// Returns the velocity of the centre, m/s.
    pub fn velocity(&self) -> DVec3 {
        DVec3::new(self.vx, self.vy, self.vz)
    }

    /// Returns the angular velocity in world axes, rad/s.
    pub fn spin(&self) -> DVec3 {
        DVec3::new(self.wx, self.wy, self.wz)
    }
}

/// Reads a table of bodies.
pub fn read(path: &Path) -> Result<Vec<BodyRow>, ReadError> {
    let fault = |reason: String| ReadError { path: path.to_owned(), reason };
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_path(path)
        .map_err(|error| fault(format!("cannot be read: {error}")))?;
    let columns = reader.headers().map_err(|error| fault(format!("cannot be read: {error}")))?.clone();
    let rows = reader.deserialize::<BodyRow>().map(|row| row.map_err(|error| fault(reason(&error, &columns))));
    rows.collect()
}

/// Returns the deepest overlap in the table of contacts that was exported with a table of bodies,
/// m; 0 if there is none.
pub fn deepest_overlap(bodies: &Path) -> f64 {
    let name = bodies.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let Ok(mut reader) = csv::Reader::from_path(bodies.with_file_name(name.replace("bodies", "contacts"))) else {
        return 0.0;
    };
    let Some(column) = reader.headers().ok().and_then(|names| names.iter().position(|name| name == "gap")) else {
        return 0.0;
    };
    let gap = |row: csv::StringRecord| row.get(column)?.parse::<f64>().ok();
    reader.records().flatten().filter_map(gap).fold(0.0, |deepest, gap| deepest.max(-gap))
}

/// Returns line, column and cause of an error, as a phrase that follows the file name.
fn reason(error: &csv::Error, columns: &csv::StringRecord) -> String {
    let csv::ErrorKind::Deserialize { pos, err } = error.kind() else {
        return format!("cannot be read: {error}");
    };
    let line = pos.as_ref().map_or(String::new(), |pos| format!("line {}: ", pos.line()));
    let column = err.field().and_then(|field| columns.get(field as usize));
    let column = column.map_or(String::new(), |column| format!("column `{column}`: "));
    format!("cannot be read: {line}{column}{}", err.kind())
}
