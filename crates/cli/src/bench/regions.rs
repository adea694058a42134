//! Overlap regions in `granum bench pairs`: time of a contact by each measure of the region, and
//! time and error of each method that computes the region.

use std::hint::black_box;

use granum_geometry::contact::RegionMethod;
use granum_geometry::{Measure, Pair};
use granum_reference::pair_table;
use serde::Serialize;

use super::pairs::{fastest, time};
use crate::table::{Align, Table};

/// Number of pairs whose volumes are compared with the reference: enough for a 99 % quantile.
const COMPARED: usize = 20_000;

/// A row of the report.
#[derive(Serialize)]
pub(super) struct Region {
    shape: String,
    /// `volume` or `moments` for the whole contact by that measure, or the name of a region method.
    region: &'static str,
    pairs: usize,
    ns_per_pair: f64,
    /// Error of the volume.
    error: Option<Errors>,
}

/// Quantiles of the relative error of the volume. A missing region is an error of 1.
#[derive(Serialize)]
struct Errors {
    median: f64,
    nine_in_ten: f64,
    worst: f64,
    /// Number of pairs whose region the method does not compute.
    unknown: usize,
}

/// Measures contacts by the region and all methods that compute it, if the shape has them.
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
    let table = pair_table();
    let contacts = [("volume", Measure::Volume), ("moments", Measure::Moments)]
        .map(|(name, measure)| (name, table.routine(measure, kind, kind)));
    let mut rows: Vec<Region> = contacts
        .into_iter()
        .filter(|(_, routine)| routine.measure() != Measure::Depth)
        .map(|(name, routine)| row(name, time(routine, || pairs.iter().copied(), repeat), None))
        .collect();
    let methods: Vec<&RegionMethod> = table.region_methods(kind, kind).collect();
    let [reference, methods @ ..] = &methods[..] else { return rows };
    for method in methods {
        let ns = fastest(repeat, || {
            for pair in pairs {
                black_box((method.volume)(black_box(pair)));
            }
        });
        rows.push(row(method.name, ns, errors(method, reference, pairs)));
    }
    rows
}

/// Returns the errors of a method relative to the reference, in overlapping pairs.
fn errors(method: &RegionMethod, reference: &RegionMethod, pairs: &[Pair]) -> Option<Errors> {
    let mut unknown = 0;
    let mut errors: Vec<f64> = pairs[..pairs.len().min(COMPARED)]
        .iter()
        .filter_map(|pair| {
            let volume = (reference.volume)(pair)?;
            let computed = (method.volume)(pair);
            unknown += usize::from(computed.is_none());
            Some((computed.unwrap_or(0.0) / volume - 1.0).abs())
        })
        .collect();
    errors.sort_by(f64::total_cmp);
    let last = errors.len().checked_sub(1)?;
    let [median, nine_in_ten, worst] = [last / 2, last * 9 / 10, last].map(|k| errors[k]);
    Some(Errors { median, nine_in_ten, worst, unknown })
}

/// Returns the rows as a text table.
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
        let cell = |value: fn(&Errors) -> String| region.error.as_ref().map_or("-".into(), value);
        rows.row([
            region.shape.clone(),
            region.region.into(),
            format!("{:.1}", region.ns_per_pair),
            cell(|error| format!("{:.1e}", error.median)),
            cell(|error| format!("{:.1e}", error.nine_in_ten)),
            cell(|error| format!("{:.1e}", error.worst)),
            cell(|error| error.unknown.to_string()),
        ]);
    }
    let mut table = rows.text();
    table += "volume, moments: the whole contact by that measure; errors relative to the volume by the most slices\n";
    table
}
