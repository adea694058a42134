//! Output of a run: lines on standard output, warnings on standard error, and a progress bar on a
//! terminal.

use std::io::{self, Write};

use indicatif::ProgressBar;

/// The output of a run. Errors of writing are ignored: a run continues with a closed output.
#[derive(Clone)]
pub struct Console {
    quiet: bool,
    /// Progress bar below the lines.
    bar: Option<ProgressBar>,
}

impl Console {
    /// Creates a console without a progress bar.
    pub fn new(quiet: bool) -> Self {
        Self { quiet, bar: None }
    }

    /// Returns whether only warnings are printed.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Sets the progress bar. Lines are then printed above it.
    pub fn set_bar(&mut self, bar: Option<ProgressBar>) {
        self.bar = bar;
    }

    /// Prints a line, unless the console is quiet.
    pub fn line(&self, text: &str) {
        if !self.quiet {
            self.above_the_bar(|| drop(writeln!(io::stdout(), "{text}")));
        }
    }

    /// Prints a warning.
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

/// Returns a duration as text: `45 s`, `12 min`, `3.2 h`.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}
