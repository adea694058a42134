//! The clock of a world: number of steps, length of a step, time.

use serde::{Deserialize, Serialize};

/// Steps done and time passed.
///
/// The time is the product of the step length and the number of steps since that length was set,
/// plus the time at which it was set. It does not accumulate rounding errors, it does not jump when
/// the step length changes, and with a constant step length it has the bits of `steps * time_step`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Clock {
    /// Length of a step, s.
    time_step: f64,
    /// Steps done.
    steps: u64,
    /// Time at which the present step length was set, s.
    set_at_time: f64,
    /// Steps that were done at that time.
    set_at_steps: u64,
}

impl Clock {
    /// Length of a step, s.
    #[inline]
    pub fn time_step(&self) -> f64 {
        self.time_step
    }

    /// Steps done.
    #[inline]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Time since the start, s.
    #[inline]
    pub fn time(&self) -> f64 {
        self.set_at_time + (self.steps - self.set_at_steps) as f64 * self.time_step
    }

    /// Counts one more step.
    #[inline]
    pub fn advance(&mut self) {
        self.steps += 1;
    }

    /// Changes the length of the steps to come, s. The time stays as it is.
    pub fn set_time_step(&mut self, time_step: f64) {
        if time_step != self.time_step {
            (self.set_at_time, self.set_at_steps) = (self.time(), self.steps);
            self.time_step = time_step;
        }
    }

    /// Returns whether the numbers can be those of a clock.
    pub fn is_valid(&self) -> bool {
        is_valid_time_step(self.time_step) && self.set_at_time.is_finite() && self.set_at_steps <= self.steps
    }
}

/// Returns whether a step length is positive and finite.
pub(crate) fn is_valid_time_step(time_step: f64) -> bool {
    time_step.is_finite() && time_step > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_step_has_the_bits_of_a_product() {
        let mut clock = Clock::default();
        clock.set_time_step(1.7e-5);
        for steps in 1..1000u64 {
            clock.advance();
            assert_eq!(clock.time(), steps as f64 * 1.7e-5);
        }
    }

    #[test]
    fn a_new_step_length_keeps_the_time() {
        let mut clock = Clock::default();
        clock.set_time_step(0.25);
        (0..6).for_each(|_| clock.advance());
        clock.set_time_step(0.125);
        assert_eq!((clock.time(), clock.steps()), (1.5, 6));
        (0..4).for_each(|_| clock.advance());
        assert_eq!((clock.time(), clock.steps()), (2.0, 10));
    }
}
