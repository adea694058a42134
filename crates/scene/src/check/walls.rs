//! Checks of the container, walls and their motions.

use glam::DVec3;

use super::{check_flat, check_shape, positive};
use crate::build::motion::wall_motion;
use crate::error::SceneError;
use crate::format::{Container, Face, FreeTable, MotionTable, Motions, ServoTable, Wall};
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
    Ok(())
}

/// Checks the motion of a wall or surface.
pub(super) fn check_motions(source: &Source, path: &str, motions: &Motions, planar: bool) -> Result<(), SceneError> {
    if motions.0.is_empty() {
        return Err(source.error(path, "must not be an empty list; give at least one motion"));
    }
    let mut guide = None;
    for (field, motion) in motions.with_fields(path) {
        check_motion(source, &field, motion, planar)?;
        if motion.servo.is_none() && motion.free.is_none() {
            continue;
        }
        if let Some(first) = guide.replace(field.clone()) {
            let reason = format!(
                "must not have a second `servo` or `free`: contact forces move a wall along one axis, that of {first}"
            );
            return Err(source.error(&field, reason));
        }
    }
    wall_motion(motions, planar).map(|_| ()).map_err(|wrong| source.error(path, wrong.to_string()))
}

/// Checks that a motion is of one kind, and that its rotation has an axis.
fn check_motion(source: &Source, path: &str, motion: &MotionTable, planar: bool) -> Result<(), SceneError> {
    let error = |reason: &str| Err(source.error(path, reason));
    let field_error = |key: &str, reason: &str| Err(source.error(&format!("{path}.{key}"), reason));
    let oscillates =
        motion.amplitude.is_some() || motion.swing.is_some() || motion.frequency.is_some() || motion.phase.is_some();
    let kinds = [
        motion.velocity.is_some() || motion.spin.is_some(),
        oscillates,
        !motion.ramp.is_empty(),
        motion.table.is_some(),
        motion.servo.is_some(),
        motion.free.is_some(),
    ];
    match kinds.iter().filter(|&&is_given| is_given).count() {
        0 => {
            return error(
                "must not be empty; give `velocity` or `spin`, `amplitude` and `frequency`, `ramp`, `table`, `servo` or `free`",
            );
        }
        1 => {}
        _ => {
            return error(
                "must be steady (`velocity`, `spin`), oscillating (`amplitude`, `swing`, `frequency`, `phase`), a `ramp`, \
                 a `table`, a `servo` or `free`, not several of them; to superpose motions, give a list of tables",
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
    match (&motion.servo, &motion.free) {
        (Some(servo), _) => check_servo(source, &format!("{path}.servo"), servo, planar),
        (_, Some(free)) => check_free(source, &format!("{path}.free"), free),
        _ => Ok(()),
    }
}

fn check_servo(source: &Source, path: &str, servo: &ServoTable, planar: bool) -> Result<(), SceneError> {
    let field = |key: &str| format!("{path}.{key}");
    check_axis(source, &field("axis"), servo.axis)?;
    match (servo.force, servo.pressure) {
        (None, None) => return Err(source.error(path, "needs `force`, or `pressure` with `area`")),
        (Some(_), Some(_)) => return Err(source.error(&field("pressure"), "must not be given together with `force`")),
        (None, Some(_)) if planar => {
            return Err(source.error(&field("pressure"), "has no meaning in a planar scene; give `force`"));
        }
        (None, Some(_)) if servo.area.is_none() => {
            return Err(source.error(path, "needs `area`, on which `pressure` acts"));
        }
        (Some(_), None) if servo.area.is_some() => {
            return Err(source.error(&field("area"), "has no effect without `pressure`"));
        }
        _ => {}
    }
    let values =
        [("force", servo.force, "force"), ("pressure", servo.pressure, "pressure"), ("area", servo.area, "area")];
    let others = [("max_speed", Some(servo.max_speed), "speed"), ("gain", servo.gain, "gain")];
    for (key, value, kind) in values.into_iter().chain(others) {
        if let Some(value) = value {
            positive(source, &field(key), value, kind)?;
        }
    }
    Ok(())
}

fn check_free(source: &Source, path: &str, free: &FreeTable) -> Result<(), SceneError> {
    check_axis(source, &format!("{path}.axis"), free.axis)?;
    positive(source, &format!("{path}.mass"), free.mass, "mass")
}

fn check_axis(source: &Source, field: &str, axis: DVec3) -> Result<(), SceneError> {
    if axis.is_finite() && axis.length_squared() > f64::MIN_POSITIVE {
        return Ok(());
    }
    Err(source.error(field, "must be a finite vector that is not zero"))
}
