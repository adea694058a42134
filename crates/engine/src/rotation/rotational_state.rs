//! The rotational state of a body, with one path for bodies of all inertia tensors.
//!
//! A body with a spherical inertia tensor stores its spin, which is proportional to its angular
//! momentum and constant in free rotation. Any other body stores its angular momentum, which is
//! constant in free rotation to the last bit, and its spin follows from it and from the
//! orientation. Only this file distinguishes the two.

use glam::{DQuat, DVec3};

use super::free_rotation::FreeRotation;
use super::series::{self, LARGEST_TURN};
use super::{InertiaKind, rotate, spin, turn};

/// Angle of one free flight up to which the splitting of order four stands for the closed form,
/// rad. Its error grows with the fifth power of the angle and is below 1e-14 there, at a tenth of
/// the cost.
const SPLITTING_LIMIT: f64 = 5e-3;

/// Rotational state of one body, borrowed from the vectors in which its parts are stored.
pub(crate) struct RotationalState<'a> {
    /// Symmetry of the inertia tensor.
    pub inertia: InertiaKind,
    /// Rotation from body axes to world axes.
    pub orientation: &'a mut DQuat,
    /// Angular velocity in world axes, rad/s.
    pub spin: &'a mut DVec3,
    /// Angular momentum in world axes, kg m²/s. Not kept up to date for a spherical inertia tensor.
    pub angular_momentum: &'a mut DVec3,
    /// Inverse principal moments about the body axes, 1/(kg m²). Zero for bodies that nothing
    /// turns.
    pub inverse_moments: &'a DVec3,
}

impl RotationalState<'_> {
    /// Changes the angular momentum by an angular impulse in world axes, N m s.
    #[inline(always)]
    pub fn apply_impulse(&mut self, impulse: DVec3) {
        if self.inertia.is_spherical() {
            // The inverse tensor is a multiple of the identity, so it needs no transformation to
            // body axes.
            *self.spin += self.inverse_moments.x * impulse;
        } else {
            *self.angular_momentum += impulse;
            self.update_spin();
        }
    }

    /// Advances the orientation by a time step `dt`, s, with the angular momentum at its middle,
    /// and predicts the spin at its end. The torque is that at the beginning, N m in world axes.
    #[inline(always)]
    pub fn predict(&mut self, torque: DVec3, dt: f64) {
        if self.inertia.is_spherical() {
            let gained = dt * self.inverse_moments.x * torque;
            // The spin at the middle of the step makes the orientation accurate to second order.
            *self.orientation = turn(*self.orientation, dt * (*self.spin + 0.5 * gained));
            *self.spin += gained;
        } else {
            let at_middle = *self.angular_momentum + 0.5 * dt * torque;
            *self.orientation = rotate(*self.orientation, at_middle, *self.inverse_moments, self.inertia, dt);
            *self.angular_momentum += dt * torque;
            self.update_spin();
        }
    }

    /// Rotates freely for the time `t`, s, to rounding.
    #[inline(always)]
    pub fn rotate_freely(&mut self, t: f64) {
        if self.inertia.is_spherical() {
            *self.orientation = turn(*self.orientation, t * *self.spin);
        } else if *self.angular_momentum != DVec3::ZERO {
            let angle = t * self.spin.length();
            // For a symmetric tensor `rotate` is the closed form.
            let is_asymmetric = matches!(self.inertia, InertiaKind::Asymmetric { .. });
            *self.orientation = if angle <= SPLITTING_LIMIT || !is_asymmetric {
                rotate(*self.orientation, *self.angular_momentum, *self.inverse_moments, self.inertia, t)
            } else {
                let spin_in_body = self.orientation.conjugate() * *self.spin;
                let moments = self.inverse_moments.recip();
                // The series costs less than the elliptic functions, but converges for small angles
                // only.
                match angle <= LARGEST_TURN {
                    true => series::turned(*self.orientation, spin_in_body, moments, t),
                    false => FreeRotation::new(moments, spin_in_body, *self.orientation).at(t).1.normalize(),
                }
            };
            self.update_spin();
        }
    }

    /// Rotates the body by a vector, rad in world axes, and keeps its angular momentum.
    pub fn turn_by(&mut self, angle: DVec3) {
        *self.orientation = turn(*self.orientation, angle);
        // A spherical tensor does not depend on the orientation, so the spin stays.
        if !self.inertia.is_spherical() {
            self.update_spin();
        }
    }

    /// Sets the spin, rad/s in world axes.
    pub fn set_spin(&mut self, spin: DVec3) {
        let in_body = self.orientation.conjugate() * spin;
        // A planar body cannot turn about the axes whose inverse moment is zero.
        let component = |spin: f64, inverse: f64| if inverse > 0.0 { spin / inverse } else { 0.0 };
        let inverse = self.inverse_moments;
        let momentum = DVec3::new(
            component(in_body.x, inverse.x),
            component(in_body.y, inverse.y),
            component(in_body.z, inverse.z),
        );
        *self.spin = spin;
        *self.angular_momentum = *self.orientation * momentum;
    }

    /// Multiplies spin and angular momentum by a factor.
    pub fn scale(&mut self, factor: f64) {
        *self.spin *= factor;
        *self.angular_momentum *= factor;
    }

    /// Computes the spin from the angular momentum and the orientation.
    #[inline(always)]
    fn update_spin(&mut self) {
        *self.spin = spin(*self.orientation, *self.angular_momentum, *self.inverse_moments);
    }
}

/// Returns the angular momentum in world axes, kg m²/s, from the stored one and the spin.
pub(crate) fn angular_momentum(inertia: InertiaKind, spin: DVec3, inverse_moments: DVec3, stored: DVec3) -> DVec3 {
    // A body that nothing turns has zero inverse moments, and stores zero.
    let follows_spin = inertia.is_spherical() && inverse_moments.x > 0.0;
    if follows_spin { spin / inverse_moments } else { stored }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Body {
        orientation: DQuat,
        spin: DVec3,
        angular_momentum: DVec3,
        inverse_moments: DVec3,
    }

    impl Body {
        fn new(inverse_moments: DVec3) -> Self {
            let mut body = Self {
                orientation: DQuat::from_scaled_axis(DVec3::new(0.3, -0.4, 0.9)),
                spin: DVec3::ZERO,
                angular_momentum: DVec3::ZERO,
                inverse_moments,
            };
            body.state().set_spin(DVec3::new(1.0, -2.0, 0.5));
            body
        }

        fn state(&mut self) -> RotationalState<'_> {
            self.state_as(InertiaKind::of(self.inverse_moments))
        }

        /// Returns the state with a given classification of the inertia tensor.
        fn state_as(&mut self, inertia: InertiaKind) -> RotationalState<'_> {
            RotationalState {
                inertia,
                orientation: &mut self.orientation,
                spin: &mut self.spin,
                angular_momentum: &mut self.angular_momentum,
                inverse_moments: &self.inverse_moments,
            }
        }

        fn angular_momentum(&self) -> DVec3 {
            let inertia = InertiaKind::of(self.inverse_moments);
            angular_momentum(inertia, self.spin, self.inverse_moments, self.angular_momentum)
        }
    }

    const INERTIAS: [DVec3; 3] = [DVec3::splat(2.0), DVec3::new(2.0, 2.0, 5.0), DVec3::new(2.0, 3.0, 5.0)];

    #[test]
    fn an_impulse_changes_the_angular_momentum_of_every_body_by_itself() {
        for inverse_moments in INERTIAS {
            let mut body = Body::new(inverse_moments);
            let before = body.angular_momentum();
            let impulse = DVec3::new(0.1, 0.2, -0.3);
            body.state().apply_impulse(impulse);
            assert!((body.angular_momentum() - before - impulse).length() < 1e-15, "{inverse_moments}");
        }
    }

    #[test]
    fn free_rotation_keeps_the_angular_momentum_of_every_body() {
        for inverse_moments in INERTIAS {
            for t in [1e-4, 1e-2, 0.3, 3.0] {
                let mut body = Body::new(inverse_moments);
                let before = body.angular_momentum();
                body.state().rotate_freely(t);
                assert!((body.angular_momentum() - before).length() < 1e-15, "{inverse_moments}");
                let wanted = spin(body.orientation, before, inverse_moments);
                assert!((body.spin - wanted).length() < 1e-14, "{inverse_moments}");
            }
        }
    }

    #[test]
    fn a_turn_keeps_the_angular_momentum_of_every_body() {
        for inverse_moments in INERTIAS {
            let mut body = Body::new(inverse_moments);
            let before = body.angular_momentum();
            body.state().turn_by(DVec3::new(0.2, 0.1, 0.4));
            assert!((body.angular_momentum() - before).length() < 1e-15, "{inverse_moments}");
        }
    }

    #[test]
    fn an_impulse_turns_a_ball_like_the_same_body_with_a_general_inertia_tensor() {
        let general = [InertiaKind::Symmetric(1), InertiaKind::Asymmetric { symmetry: 2, odd: 0 }];
        for inertia in general {
            let (mut ball, mut other) = (Body::new(DVec3::splat(2.0)), Body::new(DVec3::splat(2.0)));
            for k in 0..10 {
                let impulse = DVec3::new(0.1, 0.2 * f64::from(k), -0.3);
                ball.state_as(InertiaKind::Spherical).apply_impulse(impulse);
                other.state_as(inertia).apply_impulse(impulse);
                // The rotation to body axes and back rounds a few times.
                let tolerance = 8.0 * f64::EPSILON * ball.spin.length();
                assert!((ball.spin - other.spin).length() <= tolerance, "{} {}", ball.spin, other.spin);
            }
        }
    }

    #[test]
    fn a_spherical_body_moves_like_the_limit_of_others() {
        let (mut round, mut nearly) = (Body::new(DVec3::splat(2.0)), Body::new(DVec3::new(2.0, 2.0, 2.0 + 1e-9)));
        for body in [&mut round, &mut nearly] {
            for _ in 0..100 {
                body.state().predict(DVec3::new(0.3, -0.1, 0.2), 1e-2);
                body.state().apply_impulse(DVec3::new(0.001, 0.002, 0.0));
            }
        }
        assert!((round.spin - nearly.spin).length() < 1e-8);
        assert!((round.orientation - nearly.orientation).length() < 1e-8);
    }
}
