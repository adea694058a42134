//! `cargo xtask pairs`: prints the pair table as one matrix per measure, and writes it to the page
//! docs/theory/pairs.md.
//!
//! The second part of the page contains measured errors and times. `cargo xtask pairs --measure`
//! renews it; the table alone determines the first part.

use std::fmt::Write as _;
use std::fs;

use granum_geometry::{Kind, Measure, PairTable};

/// Path of the page.
pub const PAGE: &str = "docs/theory/pairs.md";

/// Heading of the part that is measured.
const MEASURED: &str = "## Accuracy and time\n";

const HEAD: &str = "\
# The pair table

This page is written by `cargo xtask pairs`. The table holds the routine for every measure and every
two kinds of shape.

## Routines by measure

A number in the matrices refers to the list of routines below them. A dot means that the measure has
no routine for the pair, so that the contact is computed by the depth; a dash means that no world
contains both kinds. The measure `paper` is registered by the crate `reference`, and routines
for `user_defined` shapes can be registered by a program.
";

/// The kinds of planar shapes.
const PLANAR: [Kind; 6] =
    [Kind::InsideCircle, Kind::Segment, Kind::Disc, Kind::Ellipse, Kind::Superellipse, Kind::Polygon];

/// Returns whether a world can contain both kinds. Half-spaces occur in space and in the plane.
fn meet(a: Kind, b: Kind) -> bool {
    let is_spatial = |kind| !PLANAR.contains(&kind) && kind != Kind::HalfSpace;
    !(PLANAR.contains(&a) && is_spatial(b) || is_spatial(a) && PLANAR.contains(&b))
}

/// Returns the matrices of all measures and the list of routines, as text.
pub fn matrices(table: &PairTable) -> String {
    let mut routines: Vec<&str> = Vec::new();
    let mut text = String::new();
    for measure in table.measures() {
        let _ = writeln!(text, "{}", measure.name());
        let _ = write!(text, "{:>21}", "");
        for number in 1..=Kind::ALL.len() {
            let _ = write!(text, "{number:>3}");
        }
        text.push('\n');
        for (number, &a) in (1..).zip(Kind::ALL) {
            let _ = write!(text, "{number:>3} {:<17}", a.name());
            for &b in Kind::ALL {
                let _ = write!(text, "{:>3}", cell(table, measure, [a, b], &mut routines));
            }
            text.push('\n');
        }
        text.push('\n');
    }
    text.push_str("routines\n");
    for (number, name) in (1..).zip(routines) {
        let _ = writeln!(text, "{number:>3} {name}");
    }
    text
}

/// Returns a cell of a matrix, and adds its routine to the list if it is new.
fn cell(table: &PairTable, measure: Measure, [a, b]: [Kind; 2], routines: &mut Vec<&'static str>) -> String {
    let routine = table.routine(measure, a, b);
    if !meet(a, b) {
        return "-".into();
    }
    if routine.measure() != measure {
        return ".".into();
    }
    let known = routines.iter().position(|&name| name == routine.name());
    let number = known.unwrap_or_else(|| {
        routines.push(routine.name());
        routines.len() - 1
    });
    (number + 1).to_string()
}

/// Returns the page with the present table, and with the stored measurements.
pub fn page() -> Result<String, String> {
    let stored = fs::read_to_string(PAGE).map_err(|error| format!("cannot read {PAGE}: {error}"))?;
    let measured = stored.find(MEASURED).ok_or_else(|| format!("{PAGE} has no section `{}`", MEASURED.trim()))?;
    let matrices = matrices(granum_reference::pair_table());
    Ok(format!("{HEAD}\n```text\n{matrices}```\n\n{}", &stored[measured..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measure_has_a_full_matrix() {
        let table = granum_reference::pair_table();
        let text = matrices(table);
        for measure in table.measures() {
            let rows = text.lines().skip_while(|line| *line != measure.name()).skip(2).take(Kind::ALL.len());
            for (row, kind) in rows.zip(Kind::ALL) {
                let words: Vec<&str> = row.split_whitespace().collect();
                assert_eq!((words.len(), words[1]), (2 + Kind::ALL.len(), kind.name().as_str()), "{row}");
            }
        }
        assert!(text.contains("general\n") && text.contains("moments_cylinders\n") && text.contains("published\n"));
    }
}
