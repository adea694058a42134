//! Grains from a table: one row a grain, columns known by their names.

use std::path::Path;

use glam::{DQuat, DVec3};

use crate::error::SceneError;
use crate::files;
use crate::format::GrainTable;
use crate::orientation;
use crate::source::Source;
use crate::suggest;

/// The columns that a table may have.
const COLUMNS: [&str; 17] =
    ["x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz", "qw", "qx", "qy", "qz", "size", "sx", "sy", "sz"];

/// The columns of a planar scene's table.
const PLANAR_COLUMNS: [&str; 7] = ["x", "y", "vx", "vy", "wz", "angle", "size"];

/// Those of them that go together.
const PLANAR_SETS: [(&[&str], bool); 2] = [(&["x", "y"], true), (&["vx", "vy"], false)];

/// Columns that are given together or not at all, and whether they must be there.
const SETS: [(&[&str], bool); 5] = [
    (&["x", "y", "z"], true),
    (&["vx", "vy", "vz"], false),
    (&["wx", "wy", "wz"], false),
    (&["qw", "qx", "qy", "qz"], false),
    (&["sx", "sy", "sz"], false),
];

/// One row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// m.
    pub position: DVec3,
    /// m/s.
    pub velocity: Option<DVec3>,
    /// rad/s.
    pub spin: Option<DVec3>,
    /// Body axes to world axes.
    pub orientation: Option<DQuat>,
    /// Diameter of the ball of the grain's volume, m.
    pub size: Option<f64>,
    /// How many times the shape's lengths along its own axes.
    pub stretch: Option<DVec3>,
}

impl GrainTable {
    /// Reads the file, if the table names one, so that the scene holds the rows.
    pub(crate) fn load(&mut self, source: &Source, field: &str, planar: bool) -> Result<(), SceneError> {
        let Some(file) = self.file.take() else {
            return self.check(source, field, planar);
        };
        if !self.columns.is_empty() || !self.rows.is_empty() {
            return Err(source.fault(field, "give a file, or columns and rows, not both"));
        }
        let folder = source.file_of(field).and_then(Path::parent).unwrap_or(Path::new(""));
        let path = folder.join(&file);
        let text = files::read_text(&path).map_err(|reason| source.fault(&format!("{field}.file"), reason))?;
        self.read(&path, &text, planar)
    }

    /// Reads comma-separated values; empty lines and lines that begin with `#` are passed over.
    fn read(&mut self, path: &Path, text: &str, planar: bool) -> Result<(), SceneError> {
        let source = Source::new(path, text);
        let place = |part: &str| {
            let start = part.as_ptr() as usize - text.as_ptr() as usize;
            start..start + part.len()
        };
        let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
        for line in lines {
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            if self.columns.is_empty() {
                self.columns = cells.iter().map(|cell| cell.trim_start_matches('\u{feff}').to_owned()).collect();
                if let Err((column, reason)) = check_columns(&self.columns, planar) {
                    let span = column.map_or_else(|| place(line), |column| place(cells[column]));
                    return Err(source.fault_at(&span, None, reason));
                }
                continue;
            }
            if cells.len() != self.columns.len() {
                let reason = format!("{} values for {} columns", cells.len(), self.columns.len());
                return Err(source.fault_at(&place(line), None, reason));
            }
            let mut row = Vec::with_capacity(cells.len());
            for (cell, column) in cells.iter().zip(&self.columns) {
                let number = cell.parse::<f64>().ok().filter(|number| number.is_finite());
                let wrong = |reason: String| source.fault_at(&place(cell), Some(format!("column `{column}`")), reason);
                let number = number.ok_or_else(|| wrong(format!("`{cell}` is not a number; units are SI")))?;
                if column == "size" && number <= 0.0 {
                    return Err(wrong(format!("must be a positive length, not {number}")));
                }
                row.push(number);
            }
            self.rows.push(row);
        }
        if self.columns.is_empty() {
            return Err(source.fault_of_file("the table is empty; its first line names its columns, as in x,y,z"));
        }
        self.check_rotations(&source)
    }

    fn check_rotations(&self, source: &Source) -> Result<(), SceneError> {
        let bad = self.iter().position(|row| row.orientation.is_some_and(|q| !q.is_finite()));
        match bad {
            Some(row) => Err(source.fault_of_file(format!("grain {row}: qw, qx, qy, qz must not all be zero"))),
            None => Ok(()),
        }
    }

    fn check(&self, source: &Source, field: &str, planar: bool) -> Result<(), SceneError> {
        check_columns(&self.columns, planar)
            .map_err(|(_, reason)| source.fault(&format!("{field}.columns"), reason))?;
        let size = self.column("size");
        for (index, row) in self.rows.iter().enumerate() {
            let path = || format!("{field}.rows[{index}]");
            if row.len() != self.columns.len() {
                let reason = format!("{} values for {} columns", row.len(), self.columns.len());
                return Err(source.fault(&path(), reason));
            }
            if row.iter().any(|number| !number.is_finite()) {
                return Err(source.fault(&path(), "must hold finite numbers"));
            }
            if size.is_some_and(|size| row[size] <= 0.0) {
                return Err(source.fault(&path(), "must have a positive size"));
            }
        }
        self.check_rotations(source)
    }

    /// Whether every row has its own size or stretch.
    pub fn has_sizes(&self) -> bool {
        self.column("size").is_some() || self.column("sx").is_some()
    }

    fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// The rows; columns were checked on reading.
    pub fn iter(&self) -> impl Iterator<Item = Row> + '_ {
        let vector = |names: [&str; 3]| {
            let columns = names.map(|name| self.column(name));
            // In the plane a component that has no column is zero.
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

/// Says which column is wrong, if it is one, and why.
fn check_columns(columns: &[String], planar: bool) -> Result<(), (Option<usize>, String)> {
    let known: &[&str] = if planar { &PLANAR_COLUMNS } else { &COLUMNS };
    let sets: &[(&[&str], bool)] = if planar { &PLANAR_SETS } else { &SETS };
    for (index, name) in columns.iter().enumerate() {
        if !known.contains(&name.as_str()) {
            let hint = match suggest::nearest(name, known).filter(|_| name.len() > 2) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known are {}", suggest::list(known)),
            };
            return Err((Some(index), format!("unknown column `{name}`; {hint}")));
        }
        if columns[..index].contains(name) {
            return Err((Some(index), format!("the column `{name}` is there twice")));
        }
    }
    for &(set, needed) in sets {
        let missing = set.iter().find(|name| !columns.iter().any(|column| column == *name));
        let any = set.iter().any(|name| columns.iter().any(|column| column == name));
        if let (Some(missing), true) = (missing, any || needed) {
            return Err((None, format!("the column `{missing}` is missing; {} go together", suggest::list(set))));
        }
    }
    Ok(())
}
