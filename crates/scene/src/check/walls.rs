//! Checks of the container, walls and their motions.

use super::{check_flat, check_shape};
use crate::error::SceneError;
use crate::format::{Container, Face, MotionTable, Wall};
use crate::read::source::Source;
use crate::value::orientation::check_quaternion;

/// Checks the open faces of the container.
pub(super) fn check_faces(source: &Source, container: &Container, known: &[Face]) -> Result<(), SceneError> {
    for (index, face) in container.open.iter().enumerate() {
        if !known.contains(face) {
            let reason = "must be one of left, right, bottom and top, the faces of a planar container";
            return Err(source.error(&format!("container.open[{index}]"), reason));
        }
        if container.open[..index].contains(face) {
            return Err(source.error(&format!("container.open[{index}]"), "must not repeat a face"));
        }
    }
    Ok(())
}

/// Checks a `[[walls]]` table.
pub(super) fn check_wall(source: &Source, path: &str, wall: &Wall, planar: bool) -> Result<(), SceneError> {
    check_shape(source, path, &wall.shape, planar)?;
    if !wall.shape.is_fixed() {
        let reason = "must have fixed sizes: a wall is a single body, so that distributions have no meaning";
        return Err(source.error(&format!("{path}.{}", wall.shape.kind), reason));
    }
    if let Some(q) = wall.orientation {
        check_quaternion(q).map_err(|reason| source.error(&format!("{path}.orientation"), reason))?;
        check_flat(source, path, q, planar)?;
    }
    match &wall.motion {
        Some(motion) => check_motion(source, &format!("{path}.motion"), motion),
        None => Ok(()),
    }
}

/// Checks that a motion is either steady or an oscillation.
pub(super) fn check_motion(source: &Source, path: &str, motion: &MotionTable) -> Result<(), SceneError> {
    let steady = motion.velocity.is_some() || motion.spin.is_some();
    let oscillates = motion.amplitude.is_some() || motion.frequency.is_some() || motion.phase.is_some();
    let whole = motion.amplitude.is_some() && motion.frequency.is_some();
    match (steady, oscillates) {
        (true, true) => Err(source.error(
            path,
            "must be steady (`velocity`, `spin`) or oscillating (`amplitude`, `frequency`, `phase`), not both",
        )),
        (false, true) if !whole => Err(source.error(path, "needs both `amplitude` and `frequency` for an oscillation")),
        (false, false) => {
            Err(source.error(path, "must not be empty; give `velocity` or `spin`, or `amplitude` and `frequency`"))
        }
        _ => Ok(()),
    }
}
