//! `granum contact --all`: a table of all methods for one query.

use std::hint::black_box;
use std::time::Instant;

use granum_reference::query::{Answer, Choice, Fact, Query, QueryError, Vector, answer, serving};

use crate::table::{Align, Table};

/// Number of timed runs of a method; the fastest counts, because other programs only slow it down.
const RUNS: u32 = 20;

/// Returns the table of one query.
pub fn compare(query: &Query) -> Result<String, QueryError> {
    use Align::{Left, Right};
    let mut table = Table::new([
        ("method", Left),
        ("touching", Left),
        ("gap", Right),
        ("normal", Left),
        ("iterations", Right),
        ("time ns", Right),
        ("status", Left),
        ("details", Left),
    ]);
    let choices = std::iter::once(Choice::Auto).chain(serving(query).map(Choice::Named));
    for method in choices {
        let name = method.name();
        let query = Query { method, ..query.clone() };
        let found = answer(&query)?;
        let label = if name == found.method { name.to_owned() } else { format!("{name} ({})", found.method) };
        table.row([
            label,
            if found.touching { "yes" } else { "no" }.into(),
            found.gap.map_or("-".into(), |gap| format!("{gap:.9}")),
            found.normal.as_ref().map_or("-".into(), vector),
            found.iterations.to_string(),
            format!("{:.0}", nanoseconds(&query)),
            found.status.into(),
            details(&found),
        ]);
    }
    Ok(table.text())
}

/// Returns the time of one evaluation, ns.
fn nanoseconds(query: &Query) -> f64 {
    let pair = query.pair();
    let run = || {
        let start = Instant::now();
        match query.method {
            Choice::Named(method) => drop(black_box((method.solve)(black_box(&pair)))),
            Choice::Auto => {
                let mut manifold = granum_geometry::Manifold::default();
                granum_geometry::collide(granum_geometry::Measure::Depth, black_box(&pair), &mut manifold);
                black_box(&manifold);
            }
        }
        start.elapsed().as_secs_f64() * 1e9
    };
    (0..RUNS).map(|_| run()).fold(f64::INFINITY, f64::min)
}

/// Returns the results that only this method has.
fn details(result: &Answer) -> String {
    let facts = result.details.iter().map(|(name, fact)| match fact {
        Fact::Number(number) => format!("{name} {number:.6}"),
        Fact::Text(text) => format!("{name}: {text}"),
        Fact::Points(points) => points.iter().map(vector).collect::<Vec<_>>().join(" "),
    });
    facts.collect::<Vec<_>>().join("; ")
}

fn vector(vector: &Vector) -> String {
    match vector {
        Vector::Space(v) => format!("[{:.6}, {:.6}, {:.6}]", v.x, v.y, v.z),
        Vector::Plane(v) => format!("[{:.6}, {:.6}]", v.x, v.y),
    }
}
