//! Prescribed motions of walls, from their tables in a scene.

use glam::DVec3;
use granum_engine::{Course, Drive, Turning, WorldError};

use crate::format::{DisplacementTable, MotionTable, RampPoint};

/// Returns the prescribed motion of a `motion` table; an error if its numbers are impossible.
pub fn drive(motion: &MotionTable, planar: bool) -> Result<Drive, WorldError> {
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
