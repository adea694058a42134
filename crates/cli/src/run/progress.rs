//! Progress of a run: display, speed, and the number of steps between two checks of the clock.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use granum_engine::{World, WorldStatus};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::console::{Console, duration};

/// Wall time between two lines of progress: at least the first value, and at least the second as a
/// fraction of the elapsed time, so that a long run prints few lines.
const LINES: (Duration, f64) = (Duration::from_secs(2), 0.05);

/// Wall time between two updates of the text beside the progress bar.
const BAR: Duration = Duration::from_millis(500);

/// Wall time of a batch of steps. Signals and checkpoints are handled between batches.
const BATCH: Duration = Duration::from_millis(50);

/// Smallest measured duration of a batch, s: about the resolution of the clock.
const CLOCK_RESOLUTION: f64 = 1e-6;

/// Progress of a run, shown by a bar if standard error is a terminal, and by lines otherwise.
pub struct Progress {
    last_step: u64,
    bar: Option<ProgressBar>,
    start: Instant,
    /// Time and step of the last report.
    reported: (Instant, u64),
    /// Wall time of a batch.
    batch: Duration,
    /// Steps per second in the last batch.
    rate: f64,
}

impl Progress {
    /// Creates the progress from `step` to `last_step`. A batch takes at most half of
    /// `checkpoint_every`.
    pub fn new(step: u64, last_step: u64, checkpoint_every: Duration, console: &Console) -> Self {
        let now = Instant::now();
        let bar = (!console.is_quiet() && io::stderr().is_terminal())
            .then(|| new_bar(step, last_step, ProgressDrawTarget::stderr()));
        let batch = BATCH.min(checkpoint_every / 2);
        Self { last_step, bar, start: now, reported: (now, step), batch, rate: 0.0 }
    }

    /// Returns the progress bar, if there is one.
    pub fn bar(&self) -> Option<ProgressBar> {
        self.bar.clone()
    }

    /// Returns the number of steps of the next batch.
    pub fn batch(&self) -> u64 {
        ((self.rate * self.batch.as_secs_f64()) as u64).max(1)
    }

    /// Records a completed batch, and reports the progress if it is due.
    pub fn advance(&mut self, steps: u64, took: Duration, world: &World, console: &Console) {
        // A batch may be shorter than the resolution of the clock. The lower bound keeps the rate
        // finite, and with it the length of the next batch.
        self.rate = steps as f64 / took.as_secs_f64().max(CLOCK_RESOLUTION);
        if let Some(bar) = &self.bar {
            bar.set_position(world.steps());
        }
        let due = match self.bar {
            Some(_) => BAR,
            None => LINES.0.max(self.start.elapsed().mul_f64(LINES.1)),
        };
        if console.is_quiet() || self.reported.0.elapsed() < due || world.steps() >= self.last_step {
            return;
        }
        let text = self.text(&WorldStatus::of(world));
        match &self.bar {
            Some(bar) => bar.set_message(text),
            None => console.line(&format!(
                "t = {:.4e} s  {:>3.0} %  {text}",
                world.time(),
                100.0 * world.steps() as f64 / self.last_step as f64
            )),
        }
    }

    /// Removes the progress bar.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Returns the remaining time, speed, contacts and kinetic energy as text. A narrow terminal
    /// shows its beginning only, therefore the remaining time is first.
    fn text(&mut self, status: &WorldStatus) -> String {
        let now = Instant::now();
        let rate = (status.step - self.reported.1) as f64 / (now - self.reported.0).as_secs_f64();
        self.reported = (now, status.step);
        format!(
            "{} left  {rate:.*} steps/s  {} contacts  {:.3e} J kinetic",
            duration((self.last_step - status.step) as f64 / rate),
            if rate < 10.0 { 1 } else { 0 },
            status.contacts,
            status.kinetic,
        )
    }
}

fn new_bar(step: u64, last_step: u64, target: ProgressDrawTarget) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(last_step), target);
    // `wide_msg` cuts the message at the edge of the terminal: a line that wraps would be printed
    // again and again. With an invalid template the bar would have the default style.
    if let Ok(style) = ProgressStyle::with_template("{percent:>3} % {bar:16} {wide_msg}") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_position(step);
    bar
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use indicatif::TermLike;

    use super::*;

    /// A terminal of 40 columns that records the text written to it.
    #[derive(Clone, Debug, Default)]
    struct Narrow(Arc<Mutex<String>>);

    impl Narrow {
        fn add(&self, text: &str) -> io::Result<()> {
            self.0.lock().expect("no thread has panicked").push_str(text);
            Ok(())
        }
    }

    impl TermLike for Narrow {
        fn width(&self) -> u16 {
            40
        }

        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn write_line(&self, text: &str) -> io::Result<()> {
            self.add(&format!("{text}\n"))
        }

        fn write_str(&self, text: &str) -> io::Result<()> {
            self.add(text)
        }

        fn clear_line(&self) -> io::Result<()> {
            self.add("\n")
        }

        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_progress_line_fits_into_a_narrow_terminal() {
        let terminal = Narrow::default();
        let bar = new_bar(30, 100, ProgressDrawTarget::term_like(Box::new(terminal.clone())));
        bar.set_message("12 min left  123456 steps/s  98765 contacts  1.234e-5 J kinetic");
        bar.tick();
        let written = terminal.0.lock().unwrap().clone();
        assert!(written.contains(" 30 %") && written.contains("12 min left"), "{written:?}");
        assert!(written.lines().all(|line| line.chars().count() <= 40), "{written:?}");
    }
}
