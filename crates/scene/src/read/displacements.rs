//! Tables of displacements of driven walls, from a file or from the scene.

use crate::error::SceneError;
use crate::format::{DisplacementTable, Motions};
use crate::read::files;
use crate::read::source::Source;
use crate::read::suggest;

/// Columns of a table. The first one is required.
const COLUMNS: [&str; 5] = ["time", "x", "y", "z", "angle"];

/// Reads the tables of the motions of a wall.
pub(super) fn load_displacements(
    source: &Source,
    field: &str,
    motions: &mut Motions,
    planar: bool,
) -> Result<(), SceneError> {
    motions.tables_mut(field).try_for_each(|(field, table)| table.load(source, &field, planar))
}

impl DisplacementTable {
    /// Reads the rows from the file of the table, if it has one, and checks them.
    pub(crate) fn load(&mut self, source: &Source, field: &str, planar: bool) -> Result<(), SceneError> {
        let Some(file) = self.file.take() else {
            return self.check(planar).map_err(|(_, reason)| source.error(field, reason));
        };
        if !self.columns.is_empty() || !self.rows.is_empty() {
            return Err(source.error(field, "give `file`, or `columns` and `rows`, not both"));
        }
        let folder = source.folder_of(field);
        let path = folder.join(&file);
        let text = files::read_text(&path).map_err(|reason| source.error(&format!("{field}.file"), reason))?;
        let lines: Vec<&str> =
            text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#')).collect();
        let own = Source::new(&path, &text);
        let wrong = |line: &str, reason: String| {
            let start = line.as_ptr() as usize - text.as_ptr() as usize;
            own.error_at(&(start..start + line.len()), None, reason)
        };
        let Some((heading, rows)) = lines.split_first() else {
            return Err(own.file_error(
                "the table is empty; its first line must contain the names of the columns, as in time,x,y,z",
            ));
        };
        self.columns = heading.split(',').map(|name| name.trim().trim_start_matches('\u{feff}').to_owned()).collect();
        for line in rows {
            let number = |cell: &str| {
                let reason = || wrong(line, format!("must contain numbers in SI units, not `{}`", cell.trim()));
                cell.trim().parse::<f64>().map_err(|_| reason())
            };
            self.rows.push(line.split(',').map(number).collect::<Result<_, _>>()?);
        }
        self.check(planar).map_err(|(row, reason)| match row {
            Some(row) => wrong(rows[row], reason),
            None => wrong(heading, reason),
        })
    }

    /// Checks columns and rows. An error contains the index of the wrong row, if it is in a row.
    fn check(&self, planar: bool) -> Result<(), (Option<usize>, String)> {
        for (index, name) in self.columns.iter().enumerate() {
            if !COLUMNS.contains(&name.as_str()) {
                return Err((None, format!("unknown column `{name}`; expected one of {}", suggest::list(&COLUMNS))));
            }
            if self.columns[..index].contains(name) {
                return Err((None, format!("the column `{name}` appears twice")));
            }
            if planar && name == "z" {
                return Err((None, "the column `z` has no meaning in a planar scene".into()));
            }
        }
        let Some(time) = self.column("time") else {
            return Err((
                None,
                "missing column `time`; a table has the columns time and any of x, y, z and angle".into(),
            ));
        };
        if self.rows.is_empty() {
            return Err((None, "the table has no rows; give at least one time".into()));
        }
        for (index, row) in self.rows.iter().enumerate() {
            if row.len() != self.columns.len() {
                let reason = format!("must have {} values, one for each column, not {}", self.columns.len(), row.len());
                return Err((Some(index), reason));
            }
            if row.iter().any(|number| !number.is_finite()) {
                return Err((Some(index), "must contain finite numbers only".into()));
            }
            if index > 0 && row[time] <= self.rows[index - 1][time] {
                let reason = format!("must have a later time than the row before, not {} s", row[time]);
                return Err((Some(index), reason));
            }
        }
        Ok(())
    }
}
