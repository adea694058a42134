//! Motions of walls, from their tables in a scene.

use glam::DVec3;
use granum_engine::{Course, Drive, Guide, GuideKind, Turning, WallMotion, WorldError};

use crate::format::{DisplacementTable, MotionTable, Motions, RampPoint, ServoTable};

/// Returns the motion of a wall; an error if its numbers are impossible.
pub fn wall_motion(motions: &Motions, planar: bool) -> Result<WallMotion, WorldError> {
    let mut motion = WallMotion::default();
    for table in &motions.0 {
        match guide(table) {
            Some(guide) => motion.guide = Some(guide),
            None => motion.prescribed.push(drive(table, planar)?),
        }
    }
    motion.check()?;
    Ok(motion)
}

/// Returns the motion along an axis of a table with `servo` or `free`.
fn guide(motion: &MotionTable) -> Option<Guide> {
    if let Some(servo) = &motion.servo {
        let kind = GuideKind::Servo { force: servo.target(), max_speed: servo.max_speed, gain: servo.gain };
        return Some(Guide { axis: servo.axis, kind });
    }
    let free = motion.free?;
    let (force, speed) = (free.force.unwrap_or(0.0), free.speed.unwrap_or(0.0));
    Some(Guide { axis: free.axis, kind: GuideKind::Free { mass: free.mass, force, speed } })
}

impl ServoTable {
    /// Returns the force that the servo holds, N.
    fn target(&self) -> f64 {
        self.force.unwrap_or_else(|| self.pressure.unwrap_or(0.0) * self.area.unwrap_or(0.0))
    }
}

/// Returns the prescribed motion of a table; an error if its numbers are impossible.
fn drive(motion: &MotionTable, planar: bool) -> Result<Drive, WorldError> {
    let axis = if planar { DVec3::Z } else { motion.axis.unwrap_or(DVec3::ZERO).normalize_or_zero() };
    let about_axis = |angle: Course<f64>| Turning { axis, pivot: motion.pivot, angle };
    if let Some(frequency) = motion.frequency {
        let phase = motion.phase.unwrap_or(0.0);
        let amplitude = motion.amplitude.unwrap_or(DVec3::ZERO);
        let rotation = motion.swing.map(|amplitude| about_axis(Course::Oscillation { amplitude, frequency, phase }));
        return Ok(Drive { displacement: Course::Oscillation { amplitude, frequency, phase }, rotation });
    }
    if !motion.ramp.is_empty() {
        let velocity = |point: &RampPoint| (point.time, point.velocity.unwrap_or(DVec3::ZERO));
        let angular = |point: &RampPoint| (point.time, point.angular_velocity.unwrap_or(0.0));
        let rotates = motion.ramp.iter().any(|point| point.angular_velocity.is_some());
        let angle = Course::ramp(&motion.ramp.iter().map(angular).collect::<Vec<_>>())?;
        let displacement = Course::ramp(&motion.ramp.iter().map(velocity).collect::<Vec<_>>())?;
        return Ok(Drive { displacement, rotation: rotates.then(|| about_axis(angle)) });
    }
    if let Some(table) = &motion.table {
        let column = |name: &str| table.column(name);
        let of = |row: &[f64], name: &str| column(name).map_or(0.0, |column| row[column]);
        let displacement = |row: &Vec<f64>| (of(row, "time"), DVec3::new(of(row, "x"), of(row, "y"), of(row, "z")));
        let angle =
            Course::table(&table.rows.iter().map(|row| (of(row, "time"), of(row, "angle"))).collect::<Vec<_>>())?;
        let displacement = Course::table(&table.rows.iter().map(displacement).collect::<Vec<_>>())?;
        return Ok(Drive { displacement, rotation: column("angle").map(|_| about_axis(angle)) });
    }
    let (velocity, spin) = (motion.velocity.unwrap_or(DVec3::ZERO), motion.spin.unwrap_or(DVec3::ZERO));
    let mut drive = Drive::steady(velocity, spin);
    if let Some(rotation) = &mut drive.rotation {
        rotation.pivot = motion.pivot;
    }
    Ok(drive)
}

impl DisplacementTable {
    /// Returns the index of a column.
    pub(crate) fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }
}
