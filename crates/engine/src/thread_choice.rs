//! Choice between one thread and all threads, by the measured wall time of steps.
//!
//! Fork and join of the stages take some ten microseconds in a step, and a second thread shares
//! caches and memory with the first. Whether it pays depends on the scene, the machine and its
//! load, so it is measured: now and then a few steps run on one thread and a few on all threads,
//! and the next steps run as the faster of the two did. The choice never changes a result.

use crate::execution::Execution;

/// Steps of a trial on one thread and on all threads. Their median ignores the steps that renew the
/// neighbour list, and a first step that starts the threads.
const TRIAL: usize = 9;

/// Wall time of a step on one thread, s, below which no trial on all threads is made: about the
/// time of fork and join of its stages.
const SHORT_STEP: f64 = 4e-5;

/// Ratio of the median times below which all threads are used: they must save a sixth of the time,
/// because they cost more processor time.
const PAYS: f64 = 5.0 / 6.0;

/// Steps between two trials: at first, and at most. The distance doubles while the choice stays the
/// same, so that trials cost less than a thousandth of a long run.
const INTERVAL: (u64, u64) = (256, 8192);

/// Chooses the threads of the next step.
pub struct ThreadChoice {
    /// True if there is a choice: more than one thread, and none is prescribed.
    is_free: bool,
    chosen: Execution,
    phase: Phase,
    /// Steps until the next trial, after the present one.
    interval: u64,
}

enum Phase {
    /// This number of steps remains until the next trial.
    Settled(u64),
    Trial {
        execution: Execution,
        times: [f64; TRIAL],
        count: usize,
        /// Median time on one thread, s, once it is known.
        alone: f64,
    },
}

impl Phase {
    fn trial(execution: Execution, alone: f64) -> Self {
        Self::Trial { execution, times: [0.0; TRIAL], count: 0, alone }
    }
}

impl ThreadChoice {
    /// Creates the choice among this number of threads.
    pub fn new(threads: usize) -> Self {
        Self {
            is_free: threads > 1,
            chosen: Execution::OneThread,
            phase: Phase::trial(Execution::OneThread, f64::INFINITY),
            interval: INTERVAL.0,
        }
    }

    /// Prescribes the threads of all further steps.
    pub fn prescribe(&mut self, execution: Execution) {
        (self.is_free, self.chosen) = (false, execution);
    }

    /// Returns the threads of the next step.
    pub fn next(&self) -> Execution {
        match self.phase {
            Phase::Trial { execution, .. } if self.is_free => execution,
            _ => self.chosen,
        }
    }

    /// Records the wall time of a step, s.
    pub fn record(&mut self, seconds: f64) {
        if !self.is_free {
            return;
        }
        match &mut self.phase {
            Phase::Settled(left) => {
                *left -= 1;
                if *left == 0 {
                    self.phase = Phase::trial(Execution::OneThread, f64::INFINITY);
                }
            }
            Phase::Trial { times, count, .. } => {
                times[*count] = seconds;
                *count += 1;
                if *count == TRIAL {
                    self.end_trial();
                }
            }
        }
    }

    fn end_trial(&mut self) {
        let Phase::Trial { execution, mut times, alone, .. } = self.phase else { return };
        times.sort_unstable_by(f64::total_cmp);
        let median = times[TRIAL / 2];
        match execution {
            Execution::OneThread if median >= SHORT_STEP => {
                self.phase = Phase::trial(Execution::AllThreads, median);
            }
            Execution::OneThread => self.settle(Execution::OneThread),
            Execution::AllThreads if median < PAYS * alone => self.settle(Execution::AllThreads),
            Execution::AllThreads => self.settle(Execution::OneThread),
        }
    }

    fn settle(&mut self, execution: Execution) {
        self.interval = if execution == self.chosen { (2 * self.interval).min(INTERVAL.1) } else { INTERVAL.0 };
        self.chosen = execution;
        self.phase = Phase::Settled(self.interval);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs steps that take these times, s, and returns the fraction of steps on all threads.
    fn share(threads: usize, alone: f64, together: f64) -> f64 {
        let mut choice = ThreadChoice::new(threads);
        let steps = 100_000;
        let mut on_all = 0;
        for step in 0..steps {
            // Every 40th step renews the neighbour list.
            let longer = if step % 40 == 0 { 10.0 } else { 1.0 };
            let execution = choice.next();
            on_all += u64::from(execution == Execution::AllThreads);
            choice.record(longer * if execution == Execution::AllThreads { together } else { alone });
        }
        on_all as f64 / steps as f64
    }

    #[test]
    fn a_second_thread_pays_or_is_not_used() {
        assert!(share(2, 1e-3, 0.6e-3) > 0.99, "it saves time");
        assert!(share(2, 1e-3, 0.95e-3) < 0.01, "it saves too little");
        assert!(share(2, 1e-4, 3e-4) < 0.01, "it costs time");
    }

    #[test]
    fn short_steps_never_leave_one_thread() {
        assert_eq!(share(8, 2e-5, 1e-5), 0.0);
        assert_eq!(share(1, 1.0, 0.1), 0.0);
    }

    #[test]
    fn the_choice_follows_a_change_of_the_work() {
        let mut choice = ThreadChoice::new(2);
        let mut run = |steps: u32, alone: f64, together: f64| {
            for _ in 0..steps {
                choice.record(if choice.next() == Execution::AllThreads { together } else { alone });
            }
            choice.next()
        };
        assert_eq!(run(1000, 1e-5, 1e-5), Execution::OneThread);
        assert_eq!(run(20_000, 1e-2, 0.6e-2), Execution::AllThreads);
        assert_eq!(run(20_000, 1e-5, 5e-5), Execution::OneThread);
    }

    #[test]
    fn prescribed_threads_are_used_in_every_step() {
        let mut choice = ThreadChoice::new(2);
        choice.prescribe(Execution::AllThreads);
        for _ in 0..1000 {
            assert_eq!(choice.next(), Execution::AllThreads);
            choice.record(1e-6);
        }
    }
}
