//! Grains, and how they are placed.

use super::{MOST_BODIES, check_box, check_flat, check_shape, positive};
use crate::distribution::Number;
use crate::error::SceneError;
use crate::format::{Grains, InletTable, Lattice};
use crate::orientation::Orientation;
use crate::shape_table::SIZE_IS_A_LIST;
use crate::source::Source;

pub(super) fn check_grains(source: &Source, path: &str, grains: &Grains, planar: bool) -> Result<(), SceneError> {
    check_shape(source, path, &grains.shape, planar)?;
    let field = |key: &str| format!("{path}.{key}");
    grains.orientation.check().map_err(|reason| source.fault(&field("orientation"), reason))?;
    if let Orientation::Fixed(q) = grains.orientation {
        check_flat(source, path, q, planar)?;
    }
    match &grains.size {
        Some(Number::List(_)) => return Err(source.fault(&field("size"), SIZE_IS_A_LIST)),
        Some(Number::Fixed(size)) => positive(source, &field("size"), *size, "length")?,
        Some(Number::Drawn(distribution)) => {
            distribution.check().map_err(|reason| source.fault(&field("size"), reason))?;
            positive(source, &field("size"), distribution.bounds()[0], "length")?;
        }
        None => {}
    }
    if let Some(mass) = grains.mass {
        positive(source, &field("mass"), mass, "mass")?;
        if grains.count.is_some() {
            return Err(source.fault(&field("mass"), "give a count or a mass, not both"));
        }
    }
    check_placing(source, path, grains, planar)?;
    match grains.count {
        Some(0) => Err(source.fault(&field("count"), "must be at least 1")),
        Some(count) if count > MOST_BODIES => {
            let reason = format!("{count} grains are more than granum can hold, {MOST_BODIES}");
            Err(source.fault(&field("count"), reason))
        }
        _ => Ok(()),
    }
}

/// Grains are placed in one way.
fn check_placing(source: &Source, path: &str, grains: &Grains, planar: bool) -> Result<(), SceneError> {
    let field = |key: &str| format!("{path}.{key}");
    let given = [
        ("lattice", grains.lattice.is_some()),
        ("positions", grains.positions.is_some()),
        ("random", grains.random.is_some()),
        ("inlet", grains.inlet.is_some()),
        ("table", grains.table.is_some()),
    ];
    let mut ways = given.iter().filter(|(_, given)| *given).map(|(name, _)| *name);
    if let (Some(one), Some(other)) = (ways.next(), ways.next()) {
        return Err(source.fault(path, format!("give `{one}` or `{other}`, not both: grains are placed in one way")));
    }
    if let Some(lattice) = &grains.lattice {
        return check_lattice(source, &field("lattice"), lattice, planar);
    }
    if let Some(region) = &grains.random {
        check_box(source, &field("random"), region.min, region.max, planar)?;
        if grains.count.is_none() && grains.mass.is_none() {
            return Err(source.fault(path, "say how many: count = 1000, or mass = \"2 kg\""));
        }
        return Ok(());
    }
    if let Some(inlet) = &grains.inlet {
        return check_inlet(source, path, grains, inlet, planar);
    }
    let rows = match (&grains.positions, &grains.table) {
        (Some(positions), _) => positions.len(),
        (_, Some(table)) => table.rows.len(),
        _ => {
            let reason = "say where they are: with [grains.lattice], [grains.random], [grains.inlet], [grains.table], \
                          or positions = [[x, y, z], ...]";
            return Err(source.fault(path, reason));
        }
    };
    if grains.mass.is_some() {
        return Err(source.fault(&field("mass"), "the places say how many grains there are; drop the mass"));
    }
    match grains.count.filter(|count| *count != rows as u64) {
        Some(count) => {
            let what = if grains.table.is_some() { "rows" } else { "positions" };
            Err(source.fault(&field("count"), format!("there are {rows} {what} for {count} grains; drop the count")))
        }
        None => Ok(()),
    }
}

fn check_inlet(
    source: &Source,
    path: &str,
    grains: &Grains,
    inlet: &InletTable,
    planar: bool,
) -> Result<(), SceneError> {
    let field = |key: &str| format!("{path}.inlet.{key}");
    let whole = format!("{path}.inlet");
    match (inlet.min, inlet.max, inlet.centre, inlet.radius) {
        (Some(min), Some(max), None, None) => check_box(source, &whole, min, max, planar)?,
        (None, None, Some(_), Some(radius)) => positive(source, &field("radius"), radius, "length")?,
        _ => return Err(source.fault(&whole, "give min and max for a box, or centre and radius for a disc")),
    }
    if planar && inlet.normal.is_some() {
        return Err(source.fault(&field("normal"), "the disc of a planar scene lies in the plane; drop the normal"));
    }
    if inlet.normal.is_some_and(|normal| !(normal.is_finite() && normal.length() > 1e-6)) {
        return Err(source.fault(&field("normal"), "must be a direction that is not zero"));
    }
    for (key, rate) in [("rate", inlet.rate), ("mass_rate", inlet.mass_rate)] {
        if let Some(rate) = rate {
            positive(source, &field(key), rate, "rate")?;
        }
    }
    if inlet.start < 0.0 {
        return Err(source.fault(&field("start"), format!("must not be negative, not {}", inlet.start)));
    }
    if let Some(stop) = inlet.stop.filter(|stop| *stop <= inlet.start) {
        return Err(source.fault(&field("stop"), format!("must be after the start, {} s, not {stop}", inlet.start)));
    }
    let amount = grains.count.is_some() || grains.mass.is_some();
    match (inlet.rate.is_some(), inlet.mass_rate.is_some()) {
        (true, true) => Err(source.fault(&field("mass_rate"), "give a rate or a mass_rate, not both")),
        (false, false) if !(amount && inlet.stop.is_some()) => {
            let reason = "say how fast: rate (grains a second) or mass_rate (\"1 kg/s\"); or a count or mass of the \
                          grains and the time of the stop";
            Err(source.fault(&whole, reason))
        }
        _ => Ok(()),
    }
}

fn check_lattice(source: &Source, path: &str, lattice: &Lattice, planar: bool) -> Result<(), SceneError> {
    check_box(source, path, lattice.min, lattice.max, planar)?;
    if let Some(spacing) = lattice.spacing {
        positive(source, &format!("{path}.spacing"), spacing, "length")?;
    }
    if !(0.0..=1.0).contains(&lattice.jitter) {
        let reason = format!("must lie between 0 and 1, not {}", lattice.jitter);
        return Err(source.fault(&format!("{path}.jitter"), reason));
    }
    Ok(())
}
