//! The part of `granum bench pairs` about the region that two bodies share: time of a contact by each model that goes by it, and time and
//! error of each way to the region.

use std::hint::black_box;

use granum_geometry::contact::region::{RegionMethod, region_methods};
use granum_geometry::contact::routine_by;
use granum_geometry::{Measure, Pair};
use serde::Serialize;

use super::pairs::{fastest, time};
use crate::table::{Align, Table};

/// Pairs whose volumes are compared with the reference: enough for a quantile of 99 %.
const COMPARED: usize = 20_000;

/// A row of the report.
#[derive(Serialize)]
pub(super) struct Region {
    shape: String,
    /// `energy` or `moments` for the whole contact by that model, or the name of a way to the region.
    region: &'static str,
    pairs: usize,
    ns_per_pair: f64,
    /// Error of the volume.
    error: Option<Errors>,
}

/// Relative errors of the volume in sorted pairs. A region that is not told is an error of 1.
#[derive(Serialize)]
struct Errors {
    median: f64,
    nine_in_ten: f64,
    worst: f64,
    /// Pairs whose region this way does not know.
    unknown: usize,
}

/// Measures contacts by the region and all ways to it, where the shape has them.
pub(super) fn measure(shape: &str, pairs: &[Pair], repeat: u32) -> Vec<Region> {
    let Some(kind) = pairs.first().map(|pair| pair.a.kind()) else { return Vec::new() };
    let count = pairs.len() as f64;
    let row = |region: &'static str, ns: f64, error: Option<Errors>| Region {
        shape: shape.to_owned(),
        region,
        pairs: pairs.len(),
        ns_per_pair: ns / count,
        error,
    };
    let contacts = [("energy", Measure::Volume), ("moments", Measure::Moments)];
    let mut rows: Vec<Region> = contacts
        .into_iter()
        .filter(|(_, measure)| measure.has_overlap(kind, kind))
        .map(|(name, measure)| row(name, time(routine_by(measure, kind, kind), || pairs.iter().copied(), repeat), None))
        .collect();
    let [reference, ways @ ..] = region_methods(kind, kind) else { return rows };
    for way in ways {
        let ns = fastest(repeat, || {
            for pair in pairs {
                black_box((way.volume)(black_box(pair)));
            }
        });
        rows.push(row(way.name, ns, errors(way, reference, pairs)));
    }
    rows
}

/// The errors of a way against the reference, in pairs that overlap.
fn errors(way: &RegionMethod, reference: &RegionMethod, pairs: &[Pair]) -> Option<Errors> {
    let mut unknown = 0;
    let mut errors: Vec<f64> = pairs[..pairs.len().min(COMPARED)]
        .iter()
        .filter_map(|pair| {
            let volume = (reference.volume)(pair)?;
            let told = (way.volume)(pair);
            unknown += usize::from(told.is_none());
            Some((told.unwrap_or(0.0) / volume - 1.0).abs())
        })
        .collect();
    errors.sort_by(f64::total_cmp);
    let last = errors.len().checked_sub(1)?;
    let [median, nine_in_ten, worst] = [last / 2, last * 9 / 10, last].map(|k| errors[k]);
    Some(Errors { median, nine_in_ten, worst, unknown })
}

/// The rows as lines of aligned columns.
pub(super) fn table(regions: &[Region]) -> String {
    use Align::{Left, Right};
    let mut rows = Table::new([
        ("shape", Left),
        ("overlapping, by", Left),
        ("ns/pair", Right),
        ("volume: median", Right),
        ("90 %", Right),
        ("worst error", Right),
        ("unknown", Right),
    ]);
    for region in regions {
        let told = |value: fn(&Errors) -> String| region.error.as_ref().map_or("-".into(), value);
        rows.row([
            region.shape.clone(),
            region.region.into(),
            format!("{:.1}", region.ns_per_pair),
            told(|error| format!("{:.1e}", error.median)),
            told(|error| format!("{:.1e}", error.nine_in_ten)),
            told(|error| format!("{:.1e}", error.worst)),
            told(|error| error.unknown.to_string()),
        ]);
    }
    let mut table = rows.text();
    table += "energy, moments: the whole contact by that model; errors relative to the volume by most layers\n";
    table
}
