//! Prescribed motions of walls. They are closed forms of time, so that no error accumulates, and
//! their velocities are the exact derivatives, which the contact laws use.
//!
//! A motion displaces a body and rotates it about an axis through a pivot:
//!
//! ```text
//! x(t) = p + d(t) + R(a phi(t)) (x0 - p),   q(t) = R(a phi(t)) q0
//! v(t) = d'(t) + w(t) x (x(t) - p - d(t)),  w(t) = a phi'(t)
//! ```
//!
//! with the displacement d, the pivot p, the axis a and the angle phi. Displacement and angle are
//! functions of time of the same kinds ([`Course`]).

use std::ops::{Add, Mul, Sub};

use glam::{DQuat, DVec3};
use granum_geometry::Pose;
use serde::{Deserialize, Serialize};

use super::WorldError;
use super::bodies::Twist;
use super::body_spec::{is_about_z, is_in_plane};

/// Motion of a driven body, relative to its pose at the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drive {
    /// Displacement of the pivot, m.
    pub displacement: Course<DVec3>,
    /// Rotation, if there is one.
    pub rotation: Option<Turning>,
}

/// Rotation of a driven body about a fixed direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turning {
    /// Direction of the axis. Its length is a factor on the angle.
    pub axis: DVec3,
    /// A point of the axis at the start, m, which the displacement moves. `None` is the centre of
    /// the body.
    pub pivot: Option<DVec3>,
    /// Angle, rad.
    pub angle: Course<f64>,
}

/// A quantity as a function of the time t since the start of the motion, s.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Course<T> {
    /// Constant rate, per s: `rate t`.
    Steady(T),
    /// `amplitude sin(2 pi frequency t + phase)`.
    Oscillation {
        /// Amplitude.
        amplitude: T,
        /// Frequency, Hz.
        frequency: f64,
        /// Phase, rad.
        phase: f64,
    },
    /// Pieces of polynomials of second degree.
    Piecewise(Pieces<T>),
}

/// A continuous function of pieces of polynomials of second degree, made by [`Course::ramp`] or
/// [`Course::table`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pieces<T>(Vec<Piece<T>>);

/// The function from `time` to the time of the next piece.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Piece<T> {
    /// Begin of the piece, s.
    time: f64,
    /// Value there.
    value: T,
    /// Rate there, per s.
    rate: T,
    /// Change of the rate, per s².
    change: T,
}

/// Values that a [`Course`] can have: numbers and vectors.
pub trait Value:
    Copy + Default + PartialEq + Add<Output = Self> + Sub<Output = Self> + Mul<f64, Output = Self>
{
    /// Returns whether all components are finite.
    fn is_finite(self) -> bool;
}

impl Value for f64 {
    fn is_finite(self) -> bool {
        self.is_finite()
    }
}

impl Value for DVec3 {
    fn is_finite(self) -> bool {
        self.is_finite()
    }
}

impl<T: Value> Course<T> {
    /// Returns a function whose rate is linear between points of (time, s; rate, per s) and
    /// constant before the first and after the last of them. Its value is zero at the time zero.
    ///
    /// It is an error if there are no points or if their times do not rise from zero or later.
    ///
    /// ```
    /// use granum_engine::Course;
    ///
    /// // The rate rises from 0 to 2 per second within one second, and stays there.
    /// let angle: Course<f64> = Course::ramp(&[(0.0, 0.0), (1.0, 2.0)])?;
    /// assert_eq!(angle.at(1.0), (1.0, 2.0)); // value and rate
    /// assert_eq!(angle.at(3.0), (5.0, 2.0));
    /// # Ok::<(), granum_engine::WorldError>(())
    /// ```
    pub fn ramp(points: &[(f64, T)]) -> Result<Self, WorldError> {
        check_points(points)?;
        let first = points[0];
        if first.0 < 0.0 {
            return Err(WorldError::Value("the times of a ramp must not be negative".into()));
        }
        let still = T::default();
        let mut pieces = vec![Piece { time: 0.0, value: still, rate: first.1, change: still }];
        for pair in points.windows(2) {
            let [(time, rate), (next, next_rate)] = [pair[0], pair[1]];
            let value = pieces[pieces.len() - 1].at(time).0;
            pieces.push(Piece { time, value, rate, change: (next_rate - rate) * (1.0 / (next - time)) });
        }
        let (time, rate) = points[points.len() - 1];
        let value = pieces[pieces.len() - 1].at(time).0;
        pieces.push(Piece { time, value, rate, change: still });
        Ok(Self::Piecewise(Pieces(pieces)))
    }

    /// Returns a function that is linear between points of (time, s; value), and constant before
    /// the first and after the last of them. At a point the rate is that of the following interval.
    ///
    /// It is an error if there are no points or if their times do not rise.
    pub fn table(points: &[(f64, T)]) -> Result<Self, WorldError> {
        check_points(points)?;
        let still = T::default();
        let mut pieces = vec![Piece { time: f64::NEG_INFINITY, value: points[0].1, rate: still, change: still }];
        for (number, &(time, value)) in points.iter().enumerate() {
            let rate = points.get(number + 1).map_or(still, |&(next, other)| (other - value) * (1.0 / (next - time)));
            pieces.push(Piece { time, value, rate, change: still });
        }
        Ok(Self::Piecewise(Pieces(pieces)))
    }

    /// Returns value and rate at the time `t`, s.
    pub fn at(&self, t: f64) -> (T, T) {
        match self {
            Self::Steady(rate) => (*rate * t, *rate),
            Self::Oscillation { amplitude, frequency, phase } => {
                let rate = std::f64::consts::TAU * frequency;
                let (sin, cos) = libm::sincos(rate * t + phase);
                (*amplitude * sin, *amplitude * (rate * cos))
            }
            Self::Piecewise(Pieces(pieces)) => {
                let next = pieces.partition_point(|piece| piece.time <= t);
                pieces[next.saturating_sub(1)].at(t)
            }
        }
    }

    /// Returns whether all values of the function satisfy a condition that holds for sums and
    /// multiples of values.
    fn all(&self, condition: impl Fn(T) -> bool) -> bool {
        match self {
            Self::Steady(rate) => condition(*rate),
            Self::Oscillation { amplitude, .. } => condition(*amplitude),
            Self::Piecewise(Pieces(pieces)) => {
                pieces.iter().all(|piece| [piece.value, piece.rate, piece.change].into_iter().all(&condition))
            }
        }
    }

    fn is_valid(&self) -> bool {
        let is_timed = match self {
            Self::Steady(_) => true,
            Self::Oscillation { frequency, phase, .. } => frequency.is_finite() && phase.is_finite(),
            Self::Piecewise(Pieces(pieces)) => {
                !pieces.is_empty() && pieces.windows(2).all(|pair| pair[0].time <= pair[1].time)
            }
        };
        is_timed && self.all(T::is_finite)
    }
}

impl<T: Value> Piece<T> {
    fn at(&self, t: f64) -> (T, T) {
        if self.rate == T::default() && self.change == T::default() {
            // The first piece of a table has no begin.
            return (self.value, self.rate);
        }
        let since = t - self.time;
        (self.value + self.rate * since + self.change * (0.5 * since * since), self.rate + self.change * since)
    }
}

/// Checks that points are finite, and that their times rise.
fn check_points<T: Value>(points: &[(f64, T)]) -> Result<(), WorldError> {
    let is_finite = points.iter().all(|(time, value)| time.is_finite() && value.is_finite());
    if points.is_empty() || !is_finite || points.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
        return Err(WorldError::Value("the points of a motion must be finite and their times must rise".into()));
    }
    Ok(())
}

impl Drive {
    /// Returns a motion with a constant velocity of the centre, m/s, and a constant angular
    /// velocity about it, rad/s in world axes.
    pub fn steady(velocity: DVec3, spin: DVec3) -> Self {
        let rotation = (spin != DVec3::ZERO).then_some(Turning { axis: spin, pivot: None, angle: Course::Steady(1.0) });
        Self { displacement: Course::Steady(velocity), rotation }
    }

    /// Returns a rotation with a constant angular velocity, rad/s in world axes, about an axis
    /// through a pivot, m.
    pub fn rotation(pivot: DVec3, spin: DVec3) -> Self {
        let rotation = Turning { axis: spin, pivot: Some(pivot), angle: Course::Steady(1.0) };
        Self { displacement: Course::Steady(DVec3::ZERO), rotation: Some(rotation) }
    }

    /// Returns an oscillation along a line: displacement `amplitude sin(2 pi frequency t + phase)`
    /// from the pose at the start. The amplitude is in m, the frequency in Hz, the phase in rad.
    pub fn oscillation(amplitude: DVec3, frequency: f64, phase: f64) -> Self {
        Self { displacement: Course::Oscillation { amplitude, frequency, phase }, rotation: None }
    }

    /// Returns pose and velocities at the time `t` after the start, s.
    pub fn at(&self, t: f64, start: &Pose) -> (Pose, Twist) {
        let (displacement, velocity) = self.displacement.at(t);
        let Some(Turning { axis, pivot, angle }) = &self.rotation else {
            let pose = Pose { position: start.position + displacement, ..*start };
            return (pose, Twist { velocity, spin: DVec3::ZERO });
        };
        let (angle, rate) = angle.at(t);
        let (turn, spin) = (rotation(*axis * angle), *axis * rate);
        let orientation = (turn * start.orientation).normalize();
        match pivot {
            None => (Pose { position: start.position + displacement, orientation }, Twist { velocity, spin }),
            Some(pivot) => {
                let arm = turn * (start.position - pivot);
                let pose = Pose { position: pivot + displacement + arm, orientation };
                (pose, Twist { velocity: velocity + spin.cross(arm), spin })
            }
        }
    }

    /// Returns the pose at the start of a motion that is at `pose` at the time zero: the inverse of
    /// [`Drive::at`]. An oscillation that does not start in the middle swings about another point.
    pub(super) fn start_of(&self, pose: &Pose) -> Pose {
        let displacement = self.displacement.at(0.0).0;
        let Some(Turning { axis, pivot, angle }) = &self.rotation else {
            return Pose { position: pose.position - displacement, ..*pose };
        };
        let back = rotation(*axis * -angle.at(0.0).0);
        let moved_back = pose.position - displacement;
        Pose {
            position: pivot.map_or(moved_back, |pivot| pivot + back * (moved_back - pivot)),
            orientation: (back * pose.orientation).normalize(),
        }
    }

    /// Returns the direction about which the body rotates at some time, or `None` if it never does.
    pub fn axis(&self) -> Option<DVec3> {
        let turning = self.rotation.as_ref()?;
        let is_still = turning.axis == DVec3::ZERO || turning.angle.all(|value| value == 0.0);
        (!is_still).then_some(turning.axis)
    }

    /// Returns the rotation at the time `t`, s, and whether it moves the centre of the body: if it
    /// is about a pivot.
    pub(super) fn turn(&self, t: f64) -> (DQuat, bool) {
        let turn = |turning: &Turning| (rotation(turning.axis * turning.angle.at(t).0), turning.pivot.is_some());
        self.rotation.as_ref().map_or((DQuat::IDENTITY, false), turn)
    }

    /// Returns whether the motion never moves the centre of a body along a unit vector. `rounding`
    /// is the cosine that counts as zero.
    pub(super) fn keeps_centre_across(&self, axis: DVec3, rounding: f64) -> bool {
        let is_across = |v: DVec3| v.dot(axis).abs() <= rounding * v.length();
        let turns_across = |turning: &Turning| {
            turning.pivot.is_none() || turning.axis.cross(axis).length() <= rounding * turning.axis.length()
        };
        self.displacement.all(is_across) && self.rotation.as_ref().is_none_or(turns_across)
    }

    /// Multiplies the position of the pivot by a factor.
    pub(super) fn scale_positions(&mut self, factor: f64) {
        if let Some(Turning { pivot: Some(pivot), .. }) = &mut self.rotation {
            *pivot *= factor;
        }
    }

    /// Returns whether all numbers are finite and the times of all points rise.
    pub(super) fn is_valid(&self) -> bool {
        let is_rotation_valid = self.rotation.as_ref().is_none_or(|turning| {
            turning.axis.is_finite() && turning.pivot.is_none_or(DVec3::is_finite) && turning.angle.is_valid()
        });
        self.displacement.is_valid() && is_rotation_valid
    }

    /// Returns whether the motion stays in the plane z = 0.
    pub(super) fn lies_in_plane(&self) -> bool {
        let is_axis_normal = self
            .rotation
            .as_ref()
            .is_none_or(|turning| is_about_z(turning.axis) && turning.pivot.is_none_or(is_in_plane));
        self.displacement.all(is_in_plane) && is_axis_normal
    }
}

/// Returns the rotation by a vector (axis times angle, rad), with the same bits on every platform.
fn rotation(axis_times_angle: DVec3) -> DQuat {
    let angle = axis_times_angle.length();
    if angle == 0.0 {
        return DQuat::IDENTITY;
    }
    let (sin, cos) = libm::sincos(0.5 * angle);
    let axis = axis_times_angle * (sin / angle);
    DQuat::from_xyzw(axis.x, axis.y, axis.z, cos)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    /// Returns motions of all kinds, whose angle is about an axis that is not through the centre.
    fn drives() -> Vec<Drive> {
        let axis = DVec3::new(1.0, -2.0, 0.5).normalize();
        let pivot = Some(DVec3::new(0.3, 0.1, -0.4));
        let points = [(0.1, DVec3::X), (0.4, DVec3::new(-1.0, 2.0, 0.0)), (1.1, DVec3::Z)];
        let angles = points.map(|(time, vector)| (time, vector.x + vector.y));
        let oscillation = |amplitude| Course::Oscillation { amplitude, frequency: 1.7, phase: 0.3 };
        let courses = [
            (Course::Steady(DVec3::Y), Course::Steady(2.0)),
            (oscillation(DVec3::X), Course::Oscillation { amplitude: 0.5, frequency: 0.9, phase: -1.0 }),
            (Course::ramp(&points).unwrap(), Course::ramp(&angles).unwrap()),
            (Course::table(&points).unwrap(), Course::table(&angles).unwrap()),
            (Course::Steady(DVec3::ZERO), Course::ramp(&angles).unwrap()),
        ];
        let with = |(displacement, angle): (Course<DVec3>, Course<f64>)| {
            let free = Drive { displacement: displacement.clone(), rotation: None };
            let about_centre = Turning { axis, pivot: None, angle };
            let about_pivot = Turning { pivot, ..about_centre.clone() };
            let turning = [about_centre, about_pivot].map(Some);
            let [centre, pivot] = turning.map(|rotation| Drive { displacement: displacement.clone(), rotation });
            [free, centre, pivot]
        };
        courses.into_iter().flat_map(with).collect()
    }

    fn start() -> Pose {
        Pose { position: DVec3::new(0.2, -0.3, 0.9), orientation: DQuat::from_xyzw(0.1, 0.2, -0.3, 0.9).normalize() }
    }

    #[test]
    fn velocities_are_the_derivatives_of_the_pose() {
        let h = 1e-5;
        for drive in drives() {
            // No time is within h of a point of a ramp or table.
            for t in [0.0171, 0.2543, 0.3377, 0.4711, 0.9223, 1.5011] {
                let [before, after] = [t - h, t + h].map(|t| drive.at(t, &start()).0);
                let (pose, twist) = drive.at(t, &start());
                let velocity = (after.position - before.position) / (2.0 * h);
                let turn = after.orientation * before.orientation.inverse();
                let spin = 2.0 * turn.xyz() * turn.w.signum() / (2.0 * h);
                assert!((velocity - twist.velocity).length() < 1e-7, "{drive:?} at {t}: {velocity} {}", twist.velocity);
                assert!((spin - twist.spin).length() < 1e-7, "{drive:?} at {t}: {spin} {}", twist.spin);
                assert!((pose.orientation.length() - 1.0).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn a_motion_that_begins_at_a_pose_is_there_at_the_start() {
        for drive in drives() {
            let (pose, _) = drive.at(0.0, &drive.start_of(&start()));
            assert!((pose.position - start().position).length() < 1e-15, "{drive:?}");
            assert!(pose.orientation.dot(start().orientation).abs() > 1.0 - 1e-15, "{drive:?}");
        }
    }

    #[test]
    fn a_ramp_is_the_integral_of_its_rate_and_a_table_has_its_values() {
        let points = [(0.5, 0.0), (1.5, 4.0), (2.0, 1.0)];
        let ramp = Course::ramp(&points).unwrap();
        // The areas under the rate: a triangle of 2, and a trapezoid of 1.25.
        for (t, value, rate) in [(0.2, 0.0, 0.0), (1.0, 0.5, 2.0), (1.5, 2.0, 4.0), (2.0, 3.25, 1.0), (3.0, 4.25, 1.0)]
        {
            let (found, slope) = ramp.at(t);
            assert!((found - value).abs() < 1e-15 && (slope - rate).abs() < 1e-15, "{t}: {found} {slope}");
        }
        let table = Course::table(&points).unwrap();
        for (t, value, rate) in [(0.0, 0.0, 0.0), (1.0, 2.0, 4.0), (1.75, 2.5, -6.0), (2.0, 1.0, 0.0), (9.0, 1.0, 0.0)]
        {
            assert_eq!(table.at(t), (value, rate));
        }
        for bad in [&[][..], &[(1.0, 0.0), (1.0, 1.0)], &[(0.0, f64::NAN)]] {
            assert!(Course::ramp(bad).is_err() && Course::table(bad).is_err());
        }
        assert!(Course::ramp(&[(-1.0, 0.0)]).is_err());
    }

    #[test]
    fn a_flap_turns_about_its_hinge() {
        let drive = Drive::rotation(DVec3::X, DVec3::Z * PI);
        let (pose, twist) = drive.at(0.5, &Pose::at(DVec3::new(3.0, 0.0, 0.0)));
        assert!((pose.position - DVec3::new(1.0, 2.0, 0.0)).length() < 1e-15, "{}", pose.position);
        assert!((twist.velocity - DVec3::X * -2.0 * PI).length() < 1e-14, "{}", twist.velocity);
    }
}
