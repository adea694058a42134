//! `granum validate`: cases with exact or published results, run by the same engine as scenes.

use std::io::{self, Write};

use granum_validation::{Row, cases, run as run_cases, selected};
use serde::Serialize;

use crate::Failure;
use crate::table::{Align, Table};

/// Compare granum with exact and published results.
///
/// Prints a row for each check: the reference, the value of granum, the error and its limit. The
/// exit code is 1 if a check fails, 2 if the case does not exist.
#[derive(clap::Args)]
#[command(after_help = "Example: granum validate --tier 1")]
pub struct Args {
    /// Run the cases up to this tier: 0 takes a second, 1 seconds, 2 minutes, 3 an hour or more
    #[arg(long, value_name = "0..3", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=3))]
    tier: u8,
    /// Run this case only, of any tier
    #[arg(long, value_name = "NAME")]
    case: Option<String>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Accept the known misses of the project: fail only for other misses, and for known misses
    /// that pass
    #[arg(long)]
    known: bool,
}

/// The output of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    passed: usize,
    failed: usize,
    known_misses: usize,
    rows: &'a [Row],
}

/// Runs the cases and prints the table.
pub fn run(args: &Args) -> Result<(), Failure> {
    let only = args.case.as_deref();
    if let Some(name) = only
        && selected(args.tier, only).next().is_none()
    {
        let names: Vec<&str> = cases::ALL.iter().map(|case| case.name).collect();
        return Err(Failure::Input(format!("--case {name}: unknown case; expected one of {}", names.join(", "))));
    }
    let rows = run_cases(args.tier, only);
    let passed = rows.iter().filter(|row| row.pass).count();
    let failed = rows.len() - passed;
    let known_misses = rows.iter().filter(|row| !row.pass && row.known_miss).count();
    let mut output = io::stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut output, &Report { passed, failed, known_misses, rows: &rows })?;
        writeln!(output)?;
    } else {
        output.write_all(table(&rows).as_bytes())?;
        writeln!(output, "\n{passed} of {} checks passed, {known_misses} known misses", rows.len())?;
    }
    output.flush()?;
    let unexpected = rows.iter().filter(|row| if args.known { !row.as_known() } else { !row.pass });
    let names: Vec<String> = unexpected.map(|row| format!("{} {}", row.case, row.check)).collect();
    if names.is_empty() {
        return Ok(());
    }
    let (count, what) = (names.len(), if args.known { "differ from the known result" } else { "failed" });
    Err(Failure::Failed(format!("{count} of {} checks {what}:\n  {}", rows.len(), names.join("\n  "))))
}

/// Returns the rows as a text table.
fn table(rows: &[Row]) -> String {
    use Align::{Left, Right};
    let mut table = Table::new([
        ("case", Left),
        ("check", Left),
        ("reference", Right),
        ("ours", Right),
        ("error", Right),
        ("limit", Right),
        ("pass", Left),
    ]);
    for row in rows {
        let cells = [
            row.case.to_owned(),
            row.check.clone(),
            significant(row.reference),
            significant(row.ours),
            format!("{:.1e}", row.error),
            format!("{:.1e}", row.limit),
            match (row.pass, row.known_miss) {
                (true, _) => "yes",
                (false, true) => "NO (known)",
                (false, false) => "NO",
            }
            .to_owned(),
        ];
        table.row_with_note(cells, row.note.clone());
    }
    table.text()
}

/// Returns a number with seven significant digits, with an exponent if it is very small or large.
fn significant(value: f64) -> String {
    const DIGITS: i32 = 7;
    let exponent = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
    if !value.is_finite() || value == 0.0 {
        format!("{value}")
    } else if (-4..DIGITS).contains(&exponent) {
        let decimals = (DIGITS - 1 - exponent).max(0) as usize;
        let plain = format!("{value:.decimals$}");
        if plain.contains('.') { plain.trim_end_matches('0').trim_end_matches('.').to_owned() } else { plain }
    } else {
        format!("{value:.*e}", DIGITS as usize - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_seven_digits() {
        for (value, text) in [
            (0.0, "0"),
            (0.05, "0.05"),
            (0.854467937, "0.8544679"),
            (-123.456, "-123.456"),
            (9999999.6, "9999999.6"),
            (1234567.0, "1234567"),
            (1.5e-9, "1.500000e-9"),
            (2.5e12, "2.500000e12"),
            (f64::NAN, "NaN"),
        ] {
            let got = significant(value);
            let same = got == text || (got.parse::<f64>().unwrap() - value).abs() < 1e-6 * value.abs();
            assert!(same, "{value}: {got}");
            assert!(got.len() <= 13, "{got}");
        }
    }

    #[test]
    fn a_failing_row_shows_its_reason_below() {
        let row = |pass: bool, note: Option<&str>| Row {
            case: "P1",
            check: "restitution".into(),
            reference: 0.9,
            ours: 0.9001,
            error: 1e-4,
            limit: if pass { 1e-3 } else { 1e-6 },
            pass,
            known_miss: false,
            note: note.map(str::to_owned),
        };
        assert_eq!(
            table(&[row(true, None), row(false, Some("the step is too long"))]),
            "case  check        reference    ours   error   limit  pass\n\
             P1    restitution        0.9  0.9001  1.0e-4  1.0e-3  yes\n\
             P1    restitution        0.9  0.9001  1.0e-4  1.0e-6  NO\n    \
             the step is too long\n"
        );
    }
}
