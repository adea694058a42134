//! Checks of grains and of their placement.

use glam::DVec3;

use super::{MOST_BODIES, check_box, check_flat, check_shape, positive};
use crate::error::SceneError;
use crate::format::{Grains, InletTable, Lattice};
use crate::program::inlet::{NO_RATE, NO_REGION};
use crate::read::source::Source;
use crate::shape::SIZE_IS_A_LIST;
use crate::value::distribution::Number;
use crate::value::orientation::Orientation;

/// Smallest length of a direction vector, without unit. A shorter one is probably a mistake.
const LEAST_DIRECTION: f64 = 1e-6;

/// Checks a `[[grains]]` table.
pub(super) fn check_grains(source: &Source, path: &str, grains: &Grains, planar: bool) -> Result<(), SceneError> {
    if grains.from.is_some() {
        return check_saved(source, path, grains);
    }
    if grains.allow_overlap && grains.inlet.is_some() {
        let reason = "has no effect on an inlet, whose grains wait for a free position; remove it";
        return Err(source.error(&format!("{path}.allow_overlap"), reason));
    }
    check_shape(source, path, &grains.shape, planar)?;
    let field = |key: &str| format!("{path}.{key}");
    grains.orientation.check().map_err(|reason| source.error(&field("orientation"), reason))?;
    if let Orientation::Fixed(q) = grains.orientation {
        check_flat(source, path, q, planar)?;
    }
    match &grains.size {
        Some(Number::List(_)) => return Err(source.error(&field("size"), SIZE_IS_A_LIST)),
        Some(Number::Fixed(size)) => positive(source, &field("size"), *size, "length")?,
        Some(Number::Drawn(distribution)) => {
            distribution.check().map_err(|reason| source.error(&field("size"), reason))?;
            positive(source, &field("size"), distribution.bounds()[0], "length")?;
        }
        None => {}
    }
    if let Some(mass) = grains.mass {
        positive(source, &field("mass"), mass, "mass")?;
        if grains.count.is_some() {
            return Err(source.error(&field("mass"), "must not be given together with `count`"));
        }
    }
    check_placement(source, path, grains, planar)?;
    match grains.count {
        Some(0) => Err(source.error(&field("count"), "must be at least 1")),
        Some(count) if count > MOST_BODIES => {
            let reason = format!("must be at most {MOST_BODIES}, not {count}");
            Err(source.error(&field("count"), reason))
        }
        _ => Ok(()),
    }
}

/// Checks that a table of saved grains has no key that would change them.
fn check_saved(source: &Source, path: &str, grains: &Grains) -> Result<(), SceneError> {
    let given = [
        (grains.shape.kind.as_str(), !grains.shape.kind.is_empty()),
        ("count", grains.count.is_some()),
        ("mass", grains.mass.is_some()),
        ("size", grains.size.is_some()),
        ("orientation", !grains.orientation.is_default()),
        ("angle", grains.angle.is_some()),
        ("velocity", grains.velocity != DVec3::ZERO),
        ("random_velocity", grains.random_velocity != DVec3::ZERO),
        ("spin", grains.spin != DVec3::ZERO),
        ("lattice", grains.lattice.is_some()),
        ("positions", grains.positions.is_some()),
        ("random", grains.random.is_some()),
        ("fill", grains.fill.is_some()),
        ("inlet", grains.inlet.is_some()),
        ("table", grains.table.is_some()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((key, _)) => {
            let reason = "must not be given together with `from`, which determines shapes, poses and motions";
            Err(source.error(&format!("{path}.{key}"), reason))
        }
        None => Ok(()),
    }
}

/// Checks that exactly one kind of placement is given, and that it is valid.
fn check_placement(source: &Source, path: &str, grains: &Grains, planar: bool) -> Result<(), SceneError> {
    let field = |key: &str| format!("{path}.{key}");
    let given = [
        ("lattice", grains.lattice.is_some()),
        ("positions", grains.positions.is_some()),
        ("random", grains.random.is_some()),
        ("fill", grains.fill.is_some()),
        ("inlet", grains.inlet.is_some()),
        ("table", grains.table.is_some()),
    ];
    let mut placements = given.iter().filter(|(_, given)| *given).map(|(name, _)| *name);
    if let (Some(one), Some(other)) = (placements.next(), placements.next()) {
        return Err(source.error(path, format!("must have one kind of placement, not both `{one}` and `{other}`")));
    }
    if let Some(lattice) = &grains.lattice {
        return check_lattice(source, &field("lattice"), lattice, planar);
    }
    if let Some(region) = &grains.random {
        check_box(source, &field("random"), region.min, region.max, planar)?;
        if grains.count.is_none() && grains.mass.is_none() {
            return Err(source.error(path, "missing number of grains; give count = 1000 or mass = \"2 kg\""));
        }
        return Ok(());
    }
    if grains.fill.is_some() {
        return Ok(()); // It is checked together with the surfaces.
    }
    if let Some(inlet) = &grains.inlet {
        return check_inlet(source, path, grains, inlet, planar);
    }
    let rows = match (&grains.positions, &grains.table) {
        (Some(positions), _) => positions.len(),
        (_, Some(table)) => table.rows.len(),
        _ => {
            let reason = "missing placement; give [grains.lattice], [grains.random], [grains.fill], [grains.inlet], \
                          [grains.table], or positions = [[x, y, z], ...]";
            return Err(source.error(path, reason));
        }
    };
    if grains.mass.is_some() {
        return Err(
            source.error(&field("mass"), "has no effect: the positions determine the number of grains; remove it")
        );
    }
    match grains.count.filter(|count| *count != rows as u64) {
        Some(count) => {
            let what = if grains.table.is_some() { "rows" } else { "positions" };
            Err(source.error(
                &field("count"),
                format!("must be {rows}, the number of {what}, not {count}; it can be omitted"),
            ))
        }
        None => Ok(()),
    }
}

/// Checks a `[grains.inlet]` table.
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
        _ => return Err(source.error(&whole, NO_REGION)),
    }
    if planar && inlet.normal.is_some() {
        return Err(source
            .error(&field("normal"), "has no meaning in a planar scene, where the disc lies in the plane; remove it"));
    }
    if inlet.normal.is_some_and(|normal| !(normal.is_finite() && normal.length() > LEAST_DIRECTION)) {
        return Err(source.error(&field("normal"), "must be a direction, not a zero vector"));
    }
    for (key, rate) in [("rate", inlet.rate), ("mass_rate", inlet.mass_rate)] {
        if let Some(rate) = rate {
            positive(source, &field(key), rate, "rate")?;
        }
    }
    if inlet.start < 0.0 {
        return Err(source.error(&field("start"), format!("must be at least 0, not {}", inlet.start)));
    }
    if let Some(stop) = inlet.stop.filter(|stop| *stop <= inlet.start) {
        return Err(source.error(&field("stop"), format!("must be after the start at {} s, not {stop} s", inlet.start)));
    }
    let amount = grains.count.is_some() || grains.mass.is_some();
    match (inlet.rate.is_some(), inlet.mass_rate.is_some()) {
        (true, true) => Err(source.error(&field("mass_rate"), "must not be given together with `rate`")),
        (false, false) if !(amount && inlet.stop.is_some()) => Err(source.error(&whole, NO_RATE)),
        _ => Ok(()),
    }
}

/// Checks a `[grains.lattice]` table.
fn check_lattice(source: &Source, path: &str, lattice: &Lattice, planar: bool) -> Result<(), SceneError> {
    check_box(source, path, lattice.min, lattice.max, planar)?;
    if let Some(spacing) = lattice.spacing {
        positive(source, &format!("{path}.spacing"), spacing, "length")?;
    }
    if !(0.0..=1.0).contains(&lattice.jitter) {
        let reason = format!("must lie between 0 and 1, not {}", lattice.jitter);
        return Err(source.error(&format!("{path}.jitter"), reason));
    }
    Ok(())
}
