//! Tables of grains: one row for each grain, with named columns.

use std::path::Path;

use glam::{DQuat, DVec3};

use crate::error::SceneError;
use crate::format::GrainTable;
use crate::read::files;
use crate::read::source::Source;
use crate::read::suggest;
use crate::value::orientation;

/// Columns of a table.
const COLUMNS: [&str; 17] =
    ["x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz", "qw", "qx", "qy", "qz", "size", "sx", "sy", "sz"];

/// Columns of a table in a planar scene.
const PLANAR_COLUMNS: [&str; 7] = ["x", "y", "vx", "vy", "wz", "angle", "size"];

/// [`SETS`] of a planar scene.
const PLANAR_SETS: [(&[&str], bool); 2] = [(&["x", "y"], true), (&["vx", "vy"], false)];

/// Columns that must be given together; the flag is true if they are required.
const SETS: [(&[&str], bool); 5] = [
    (&["x", "y", "z"], true),
    (&["vx", "vy", "vz"], false),
    (&["wx", "wy", "wz"], false),
    (&["qw", "qx", "qy", "qz"], false),
    (&["sx", "sy", "sz"], false),
];

/// The values of one grain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Position, m.
    pub position: DVec3,
    /// Velocity, m/s.
    pub velocity: Option<DVec3>,
    /// Angular velocity, rad/s.
    pub spin: Option<DVec3>,
    /// Rotation of the shape.
    pub orientation: Option<DQuat>,
    /// Diameter of the ball of the same volume, m.
    pub size: Option<f64>,
    /// Factors of the lengths of the shape along its own axes.
    pub stretch: Option<DVec3>,
}

impl GrainTable {
    /// Reads the rows from the file of the table, if it has one, and checks them.
    pub(crate) fn load(&mut self, source: &Source, field: &str, planar: bool) -> Result<(), SceneError> {
        let Some(file) = self.file.take() else {
            return self.check(source, field, planar);
        };
        if !self.columns.is_empty() || !self.rows.is_empty() {
            return Err(source.error(field, "give `file`, or `columns` and `rows`, not both"));
        }
        let folder = source.folder_of(field);
        let path = folder.join(&file);
        let text = files::read_text(&path).map_err(|reason| source.error(&format!("{field}.file"), reason))?;
        self.read(&path, &text, planar)
    }

    /// Reads comma-separated values. Empty lines and lines that begin with `#` are ignored.
    fn read(&mut self, path: &Path, text: &str, planar: bool) -> Result<(), SceneError> {
        let source = Source::new(path, text);
        let span_of = |part: &str| {
            let start = part.as_ptr() as usize - text.as_ptr() as usize;
            start..start + part.len()
        };
        let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
        for line in lines {
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            if self.columns.is_empty() {
                self.columns = cells.iter().map(|cell| cell.trim_start_matches('\u{feff}').to_owned()).collect();
                if let Err((column, reason)) = check_columns(&self.columns, planar) {
                    let span = column.map_or_else(|| span_of(line), |column| span_of(cells[column]));
                    return Err(source.error_at(&span, None, reason));
                }
                continue;
            }
            if cells.len() != self.columns.len() {
                let reason =
                    format!("must have {} values, one for each column, not {}", self.columns.len(), cells.len());
                return Err(source.error_at(&span_of(line), Some("row".into()), reason));
            }
            let mut row = Vec::with_capacity(cells.len());
            for (cell, column) in cells.iter().zip(&self.columns) {
                let number = cell.parse::<f64>().ok().filter(|number| number.is_finite());
                let wrong =
                    |reason: String| source.error_at(&span_of(cell), Some(format!("column `{column}`")), reason);
                let number =
                    number.ok_or_else(|| wrong(format!("must be a finite number in SI units, not `{cell}`")))?;
                if column == "size" && number <= 0.0 {
                    return Err(wrong(format!("must be a positive length, not {number}")));
                }
                row.push(number);
            }
            if let Err(reason) = self.check_rotation(&row) {
                return Err(source.error_at(&span_of(line), Some("qw, qx, qy, qz".into()), reason));
            }
            self.rows.push(row);
        }
        if self.columns.is_empty() {
            return Err(source
                .file_error("the table is empty; its first line must contain the names of the columns, as in x,y,z"));
        }
        Ok(())
    }

    /// Checks that the quaternion of a row, if it has one, is a rotation.
    fn check_rotation(&self, row: &[f64]) -> Result<(), String> {
        match ["qw", "qx", "qy", "qz"].map(|name| self.column(name)) {
            [Some(w), Some(x), Some(y), Some(z)] => {
                orientation::check_quaternion([w, x, y, z].map(|column| row[column]))
            }
            _ => Ok(()),
        }
    }

    /// Checks the columns and rows that are written in the scene.
    fn check(&self, source: &Source, field: &str, planar: bool) -> Result<(), SceneError> {
        check_columns(&self.columns, planar)
            .map_err(|(_, reason)| source.error(&format!("{field}.columns"), reason))?;
        let size = self.column("size");
        for (index, row) in self.rows.iter().enumerate() {
            let path = || format!("{field}.rows[{index}]");
            if row.len() != self.columns.len() {
                let reason = format!("must have {} values, one for each column, not {}", self.columns.len(), row.len());
                return Err(source.error(&path(), reason));
            }
            if row.iter().any(|number| !number.is_finite()) {
                return Err(source.error(&path(), "must contain finite numbers only"));
            }
            if size.is_some_and(|size| row[size] <= 0.0) {
                return Err(source.error(&path(), "must have a positive size"));
            }
            self.check_rotation(row).map_err(|reason| source.error(&path(), reason))?;
        }
        Ok(())
    }

    /// Returns whether each row has its own size or stretch.
    pub fn has_sizes(&self) -> bool {
        self.column("size").is_some() || self.column("sx").is_some()
    }

    /// Returns the index of a column.
    fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// Returns the rows. The columns must have been checked.
    pub fn iter(&self) -> impl Iterator<Item = Row> + '_ {
        let vector = |names: [&str; 3]| {
            let columns = names.map(|name| self.column(name));
            // A planar table has no columns for components that are zero.
            let is_given = columns.iter().any(Option::is_some);
            move |row: &[f64]| {
                let [x, y, z] = columns.map(|column| column.map_or(0.0, |column| row[column]));
                is_given.then_some(DVec3::new(x, y, z))
            }
        };
        let (position, velocity, spin) =
            (vector(["x", "y", "z"]), vector(["vx", "vy", "vz"]), vector(["wx", "wy", "wz"]));
        let stretch = vector(["sx", "sy", "sz"]);
        let (w, q, angle) = (self.column("qw"), vector(["qx", "qy", "qz"]), self.column("angle"));
        let size = self.column("size");
        self.rows.iter().map(move |row| Row {
            position: position(row).unwrap_or_default(),
            velocity: velocity(row),
            spin: spin(row),
            orientation: w
                .and_then(|w| q(row).map(|q| orientation::quaternion([row[w], q.x, q.y, q.z])))
                .or(angle.map(|angle| orientation::about_z(row[angle]))),
            size: size.map(|size| row[size]),
            stretch: stretch(row),
        })
    }
}

/// Checks the names of columns. An error contains the index of the wrong column, if it is a single
/// one.
fn check_columns(columns: &[String], planar: bool) -> Result<(), (Option<usize>, String)> {
    let known: &[&str] = if planar { &PLANAR_COLUMNS } else { &COLUMNS };
    let sets: &[(&[&str], bool)] = if planar { &PLANAR_SETS } else { &SETS };
    for (index, name) in columns.iter().enumerate() {
        if !known.contains(&name.as_str()) {
            let hint = match suggest::nearest(name, known).filter(|_| name.len() > 2) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("expected one of {}", suggest::list(known)),
            };
            return Err((Some(index), format!("unknown column `{name}`; {hint}")));
        }
        if columns[..index].contains(name) {
            return Err((Some(index), format!("the column `{name}` appears twice")));
        }
    }
    for &(set, needed) in sets {
        let missing = set.iter().find(|name| !columns.iter().any(|column| column == *name));
        let any = set.iter().any(|name| columns.iter().any(|column| column == name));
        if let (Some(missing), true) = (missing, any || needed) {
            return Err((None, format!("missing column `{missing}`; {} must be given together", suggest::list(set))));
        }
    }
    Ok(())
}
