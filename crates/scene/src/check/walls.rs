//! The container, walls and their motions.

use super::{check_flat, check_shape};
use crate::error::SceneError;
use crate::format::{Container, Face, MotionTable, Wall};
use crate::orientation::check_quaternion;
use crate::source::Source;

pub(super) fn check_faces(source: &Source, container: &Container, known: &[Face]) -> Result<(), SceneError> {
    for (index, face) in container.open.iter().enumerate() {
        if !known.contains(face) {
            let reason = "a planar container has the faces left, right, bottom and top";
            return Err(source.fault(&format!("container.open[{index}]"), reason));
        }
        if container.open[..index].contains(face) {
            return Err(source.fault(&format!("container.open[{index}]"), "this face is open already"));
        }
    }
    Ok(())
}

pub(super) fn check_wall(source: &Source, path: &str, wall: &Wall, planar: bool) -> Result<(), SceneError> {
    check_shape(source, path, &wall.shape, planar)?;
    if !wall.shape.is_fixed() {
        let reason = "a wall is one body and has one size, not a range";
        return Err(source.fault(&format!("{path}.{}", wall.shape.kind), reason));
    }
    if let Some(q) = wall.orientation {
        check_quaternion(q).map_err(|reason| source.fault(&format!("{path}.orientation"), reason))?;
        check_flat(source, path, q, planar)?;
    }
    match &wall.motion {
        Some(motion) => check_motion(source, &format!("{path}.motion"), motion),
        None => Ok(()),
    }
}

pub(super) fn check_motion(source: &Source, path: &str, motion: &MotionTable) -> Result<(), SceneError> {
    let steady = motion.velocity.is_some() || motion.spin.is_some();
    let swings = motion.amplitude.is_some() || motion.frequency.is_some() || motion.phase.is_some();
    let whole = motion.amplitude.is_some() && motion.frequency.is_some();
    match (steady, swings) {
        (true, true) => Err(source.fault(path, "velocity and spin do not go with amplitude, frequency and phase")),
        (false, true) if !whole => Err(source.fault(path, "an oscillation needs both amplitude and frequency")),
        (false, false) => Err(source.fault(path, "give velocity and spin, or amplitude and frequency")),
        _ => Ok(()),
    }
}
