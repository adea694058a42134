//! Charts of a run: energies, contacts, walls, flow and computing time by stage.

use glam::{DVec2, DVec3};
use granum_output::{EnergyRow, FlowRow, Summary, WallRow};

use super::{Bars, Chart, Line, Lines, Panel};
use crate::colour_map::CATEGORIES;

/// Width and height of a chart, points.
const SIZE: DVec2 = DVec2::new(960.0, 640.0);

/// Grams in a kilogram. An axis may put a prefix before its unit, and kg has one already.
const GRAMS: f64 = 1000.0;

/// A column of the ledger: its name, and its value in a row.
type Column<'a> = (&'a str, &'a dyn Fn(&EnergyRow) -> f64);

/// Returns the chart of the energy ledger over time, with the residual below.
pub fn energies(rows: &[EnergyRow]) -> Chart {
    let first = rows.first().map_or(0.0, |row| row.potential);
    let columns: [Column; 6] = [
        ("translation", &|row| row.kinetic_translational),
        ("rotation", &|row| row.kinetic_rotational),
        ("potential change", &|row| row.potential - first),
        ("elastic", &|row| row.elastic),
        ("dissipated", &|row| row.dissipated),
        ("work", &|row| row.work),
    ];
    let ledger = columns.into_iter().zip(CATEGORIES).map(|((name, value), colour)| line(name, rows, value, colour));
    let residual = line("residual", rows, |row| row.residual, CATEGORIES[6]);
    Chart {
        title: "Energies".into(),
        panels: vec![
            (2.0, over_time(rows, ("energy", "J"), ledger.collect())),
            (1.0, over_time(rows, ("residual", "J"), vec![residual])),
        ],
        size: SIZE,
    }
}

/// Returns the chart of the number of contacts and the largest overlap over time.
pub fn contacts(rows: &[EnergyRow]) -> Chart {
    let count = line("contacts", rows, |row| row.contacts as f64, CATEGORIES[0]);
    let overlap = line("deepest", rows, |row| row.max_overlap, CATEGORIES[1]);
    Chart {
        title: "Contacts and the deepest overlap".into(),
        panels: vec![
            (1.0, over_time(rows, ("contacts", ""), vec![count])),
            (1.0, over_time(rows, ("overlap", "m"), vec![overlap])),
        ],
        size: SIZE,
    }
}

/// Returns the chart of the forces on walls and of their power over time. Of many walls it shows
/// those with the greatest forces.
pub fn walls(rows: &[WallRow]) -> Chart {
    let force = |row: &WallRow| DVec3::new(row.force_x, row.force_y, row.force_z).length();
    let named = Named::new(rows, |row| row.time, |row| &row.wall, force);
    Chart {
        title: "Forces on walls and power of walls".into(),
        panels: vec![(1.0, named.panel(("force", "N"), force)), (1.0, named.panel(("power", "W"), |row| row.power))],
        size: SIZE,
    }
}

/// Returns the chart of the mass that has passed flow planes and outlets, and of the mass flow, over
/// time. Of many planes it shows those that most mass has passed.
pub fn flow(rows: &[FlowRow]) -> Chart {
    let named = Named::new(rows, |row| row.time, |row| &row.plane, |row| row.mass.abs());
    Chart {
        title: "Mass through flow planes and outlets".into(),
        panels: vec![
            (1.0, named.panel(("mass", "g"), |row| GRAMS * row.mass)),
            (1.0, named.panel(("mass flow", "g/s"), |row| GRAMS * row.mass_flow)),
        ],
        size: SIZE,
    }
}

/// Rows of several walls or planes: one row for each of them at each time.
struct Named<'a, R> {
    rows: &'a [R],
    time: fn(&R) -> f64,
    name: fn(&R) -> &str,
    times: Vec<f64>,
    /// The names that are shown.
    names: Vec<&'a str>,
}

impl<'a, R> Named<'a, R> {
    /// Groups the rows by name. Of more names than there are colours, those with the greatest values
    /// are kept.
    fn new(rows: &'a [R], time: fn(&R) -> f64, name: fn(&R) -> &str, value: impl Fn(&R) -> f64) -> Self {
        let mut times: Vec<f64> = rows.iter().map(time).collect();
        times.dedup();
        let mut names: Vec<(&str, f64)> = Vec::new();
        for row in rows {
            match names.iter_mut().find(|(known, _)| *known == name(row)) {
                Some((_, greatest)) => *greatest = greatest.max(value(row)),
                None => names.push((name(row), value(row))),
            }
        }
        if names.len() > CATEGORIES.len() {
            names.sort_by(|a, b| b.1.total_cmp(&a.1));
            names.truncate(CATEGORIES.len());
        }
        let names = names.into_iter().map(|(name, _)| name).collect();
        Self { rows, time, name, times, names }
    }

    /// Returns the panel of a value over time, one line for each name.
    fn panel(&self, (quantity, unit): (&str, &str), value: impl Fn(&R) -> f64) -> Panel {
        let line = |(&name, colour): (&&str, [u8; 3])| {
            let mut own = self.rows.iter().filter(|row| (self.name)(row) == name).peekable();
            // A wall that a stage has removed has no more rows.
            let at = |time: &f64| own.next_if(|row| (self.time)(row) == *time).map_or(f64::NAN, &value);
            Line { name: name.to_owned(), values: self.times.iter().map(at).collect(), colour }
        };
        let lines = self.names.iter().zip(CATEGORIES).map(line).collect();
        let across = ("time".into(), "s".into());
        Panel::Lines(Lines { across, up: (quantity.into(), unit.into()), abscissae: self.times.clone(), lines })
    }
}

/// Returns the chart of wall time by stage, the longest first.
pub fn stages(summary: &Summary) -> Chart {
    let mut stages: Vec<(&String, f64)> = summary.seconds.iter().map(|(name, &seconds)| (name, seconds)).collect();
    stages.sort_by(|a, b| b.1.total_cmp(&a.1));
    let whole = summary.wall_seconds;
    let bars = stages.into_iter().map(|(name, seconds)| {
        let note = format!("{seconds:.3} s, {:.1} %", 100.0 * seconds / whole);
        (name.replace('_', " "), seconds, note)
    });
    Chart {
        title: format!(
            "Wall time by stage: {} bodies, {} steps, {whole:.1} s, {:.2e} body-steps/s",
            summary.bodies, summary.steps, summary.body_steps_per_second
        ),
        panels: vec![(1.0, Panel::Bars(Bars { bars: bars.collect(), colour: CATEGORIES[0] }))],
        size: DVec2::new(SIZE.x, 0.55 * SIZE.y),
    }
}

fn line(name: &str, rows: &[EnergyRow], value: impl Fn(&EnergyRow) -> f64, colour: [u8; 3]) -> Line {
    Line { name: name.into(), values: rows.iter().map(value).collect(), colour }
}

fn over_time(rows: &[EnergyRow], (name, unit): (&str, &str), lines: Vec<Line>) -> Panel {
    let abscissae = rows.iter().map(|row| row.time).collect();
    Panel::Lines(Lines { across: ("time".into(), "s".into()), up: (name.into(), unit.into()), abscissae, lines })
}
