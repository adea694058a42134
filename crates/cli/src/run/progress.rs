//! How far a run has come, how fast it goes, and how many steps to do until the next look at the clock.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use granum_engine::{World, WorldStatus};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::console::{Console, duration};

/// Wall time between two lines of progress, at first; in a long run, this part of the time it has taken so far.
const LINES: (Duration, f64) = (Duration::from_secs(2), 0.05);

/// Wall time between two looks at the world for the bar: often enough for the eye.
const BAR: Duration = Duration::from_millis(500);

/// Wall time after which a stretch of steps is to be over, so that signals and checkpoints do not wait.
const STRETCH: Duration = Duration::from_millis(50);

/// A run's progress, on a bar if standard error is a terminal, in lines otherwise.
pub struct Progress {
    last_step: u64,
    bar: Option<ProgressBar>,
    start: Instant,
    /// The last report: when, and at which step.
    told: (Instant, u64),
    stretch: Duration,
    /// Steps a second, of the last stretch.
    rate: f64,
}

impl Progress {
    /// The progress from `step` to `last_step`; a stretch takes no longer than a part of `checkpoint_every`.
    pub fn new(step: u64, last_step: u64, checkpoint_every: Duration, console: &Console) -> Self {
        let now = Instant::now();
        let bar = (!console.is_quiet() && io::stderr().is_terminal()).then(|| new_bar(step, last_step));
        let stretch = STRETCH.min(checkpoint_every / 2);
        Self { last_step, bar, start: now, told: (now, step), stretch, rate: 0.0 }
    }

    /// The bar, if there is one.
    pub fn bar(&self) -> Option<ProgressBar> {
        self.bar.clone()
    }

    /// Steps to do before the next look at the clock.
    pub fn stretch(&self) -> u64 {
        ((self.rate * self.stretch.as_secs_f64()) as u64).max(1)
    }

    /// Notes a stretch of steps that has been done, and tells of it if it is time to.
    pub fn advance(&mut self, steps: u64, took: Duration, world: &World, console: &Console) {
        // A stretch shorter than the clock's tick would give an endless one next.
        self.rate = steps as f64 / took.as_secs_f64().max(1e-6);
        if let Some(bar) = &self.bar {
            bar.set_position(world.steps());
        }
        let due = match self.bar {
            Some(_) => BAR,
            None => LINES.0.max(self.start.elapsed().mul_f64(LINES.1)),
        };
        if console.is_quiet() || self.told.0.elapsed() < due || world.steps() >= self.last_step {
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

    /// Takes the bar away.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Speed, contacts, kinetic energy and time left.
    fn text(&mut self, glance: &WorldStatus) -> String {
        let now = Instant::now();
        let rate = (glance.step - self.told.1) as f64 / (now - self.told.0).as_secs_f64();
        self.told = (now, glance.step);
        format!(
            "{rate:.*} steps/s  {} contacts  {:.3e} J kinetic  {} left",
            if rate < 10.0 { 1 } else { 0 },
            glance.contacts,
            glance.kinetic,
            duration((self.last_step - glance.step) as f64 / rate),
        )
    }
}

fn new_bar(step: u64, last_step: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(last_step), ProgressDrawTarget::stderr());
    // A template that cannot be read would only cost the looks.
    if let Ok(style) = ProgressStyle::with_template("{bar:24} {percent:>3} %  {msg}") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_position(step);
    bar
}
