//! Checks of the container, walls and their motions.

use super::{check_flat, check_shape};
use crate::build::motion::drive;
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

/// Checks that the faces of `container.materials` have walls.
pub(super) fn check_face_materials(source: &Source, container: &Container, known: &[Face]) -> Result<(), SceneError> {
    for face in container.materials.keys() {
        let field = format!("container.materials.{}", face.key());
        if !known.contains(face) {
            let reason = "must be one of left, right, bottom and top, the faces of a planar container";
            return Err(source.error(&field, reason));
        }
        if container.open.contains(face) {
            return Err(source.error(&field, "has no effect: this face is open"));
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
        Some(motion) => check_motion(source, &format!("{path}.motion"), motion, planar),
        None => Ok(()),
    }
}

/// Checks that a motion is of one kind, and that its rotation has an axis.
pub(super) fn check_motion(source: &Source, path: &str, motion: &MotionTable, planar: bool) -> Result<(), SceneError> {
    let error = |reason: &str| Err(source.error(path, reason));
    let field_error = |key: &str, reason: &str| Err(source.error(&format!("{path}.{key}"), reason));
    let oscillates =
        motion.amplitude.is_some() || motion.swing.is_some() || motion.frequency.is_some() || motion.phase.is_some();
    let kinds = [
        motion.velocity.is_some() || motion.spin.is_some(),
        oscillates,
        !motion.ramp.is_empty(),
        motion.table.is_some(),
    ];
    match kinds.iter().filter(|&&is_given| is_given).count() {
        0 => {
            return error(
                "must not be empty; give `velocity` or `spin`, `amplitude` and `frequency`, `ramp` or `table`",
            );
        }
        1 => {}
        _ => {
            return error(
                "must be steady (`velocity`, `spin`), oscillating (`amplitude`, `swing`, `frequency`, `phase`), a `ramp` \
                 or a `table`, not several of them",
            );
        }
    }
    if oscillates && (motion.frequency.is_none() || motion.amplitude.is_none() && motion.swing.is_none()) {
        return error("needs both `amplitude` (or `swing`) and `frequency` for an oscillation");
    }
    let has_angle = motion.swing.is_some()
        || motion.ramp.iter().any(|point| point.angular_velocity.is_some())
        || motion.table.as_ref().is_some_and(|table| table.column("angle").is_some());
    match motion.axis {
        Some(_) if planar => {
            return field_error("axis", "has no meaning in a planar scene, where walls rotate about z");
        }
        Some(_) if !has_angle => {
            let reason =
                "has no effect without `swing`, an `angular_velocity` in `ramp` or a column `angle` in `table`";
            return field_error("axis", reason);
        }
        Some(axis) if !(axis.is_finite() && axis.length_squared() > f64::MIN_POSITIVE) => {
            return field_error("axis", "must be a finite vector that is not zero");
        }
        None if has_angle && !planar => return error("needs `axis`, the direction of the axis of rotation"),
        _ => {}
    }
    if motion.pivot.is_some() && motion.spin.is_none() && !has_angle {
        return field_error("pivot", "has no effect without a rotation");
    }
    drive(motion, planar).map(|_| ()).map_err(|wrong| source.error(path, wrong.to_string()))
}
