//! What a run tells: lines on standard output, warnings on standard error, and a bar where somebody watches.

use std::io::{self, Write};

use indicatif::ProgressBar;

/// Where a run tells what. A run goes on if nobody reads it.
#[derive(Clone)]
pub struct Console {
    quiet: bool,
    /// The bar below the lines, if there is one.
    bar: Option<ProgressBar>,
}

impl Console {
    /// A console without a bar.
    pub fn new(quiet: bool) -> Self {
        Self { quiet, bar: None }
    }

    /// Whether only warnings are told.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Keeps lines above a bar from now on.
    pub fn set_bar(&mut self, bar: Option<ProgressBar>) {
        self.bar = bar;
    }

    /// A line for people.
    pub fn line(&self, text: &str) {
        if !self.quiet {
            self.above_the_bar(|| drop(writeln!(io::stdout(), "{text}")));
        }
    }

    /// A warning.
    pub fn warn(&self, text: &str) {
        self.above_the_bar(|| drop(writeln!(io::stderr(), "warning: {text}")));
    }

    fn above_the_bar(&self, print: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }
}

/// Seconds for people: `45 s`, `12 min`, `3.2 h`.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}
