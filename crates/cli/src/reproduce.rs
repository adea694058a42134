//! `granum reproduce`: published experiments beside the results of granum.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use granum_reproduce::{Experiment, Observer, Stopped, book, experiments};
use indicatif::{ProgressBar, ProgressStyle};

use crate::Failure;
use crate::run::signals::Signals;
use crate::table::{Align, Table};

/// Reproduce published experiments.
///
/// Without a name, lists the experiments and their processor time. With one, computes it and writes
/// a page with the published numbers, those of the published method, and the exact or default ones:
/// page.md with pictures, and page.html, which needs no other file. With --all, writes a page of
/// each and a book with a summary. Ctrl-C stops after the present part; the same command continues.
#[derive(clap::Args)]
#[command(after_help = "Example: granum reproduce martinez-examples")]
pub struct Args {
    /// Name of the experiment
    #[arg(conflicts_with = "all")]
    name: Option<String>,
    /// Compute all experiments and write a book
    #[arg(long)]
    all: bool,
    /// Compute the short form, with fewer samples
    #[arg(long)]
    small: bool,
    /// Folder for the pages
    #[arg(long, value_name = "DIR", default_value = "out/reproduce")]
    out: PathBuf,
    /// Print nothing but errors
    #[arg(long)]
    quiet: bool,
}

/// Shows the progress of one experiment, and stops it after a signal.
struct Watch<'a> {
    signals: &'a Signals,
    bar: ProgressBar,
    begin: Cell<Instant>,
}

/// Parts of the progress bar.
const TICKS: u64 = 1000;

impl<'a> Watch<'a> {
    fn new(signals: &'a Signals, is_quiet: bool) -> Self {
        let bar = if !is_quiet && io::stderr().is_terminal() { ProgressBar::new(TICKS) } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{percent:>3} % {bar:16} {wide_msg}") {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { signals, bar, begin: Cell::new(Instant::now()) }
    }

    /// Begins another experiment.
    fn start(&self, experiment: &Experiment) {
        self.begin.set(Instant::now());
        self.bar.set_position(0);
        self.bar.set_prefix(experiment.name);
        self.bar.set_message(experiment.name);
    }
}

impl Observer for Watch<'_> {
    fn is_stopped(&self) -> bool {
        self.signals.pending().is_some()
    }

    fn progress(&self, fraction: f64) {
        self.bar.set_position((fraction * TICKS as f64) as u64);
        let left = self.begin.get().elapsed().mul_f64((1.0 - fraction) / fraction.max(f64::EPSILON));
        self.bar.set_message(format!("{}  {} s left", self.bar.prefix(), left.max(Duration::ZERO).as_secs()));
    }
}

/// Lists the experiments, or computes them.
pub fn run(args: &Args) -> Result<(), Failure> {
    if args.all {
        return all(args);
    }
    let Some(name) = &args.name else { return list() };
    let Some(experiment) = experiments::named(name) else {
        let names: Vec<&str> = experiments::ALL.iter().map(|experiment| experiment.name).collect();
        return Err(Failure::Input(format!("{name}: unknown experiment; expected one of {}", names.join(", "))));
    };
    let signals = listen()?;
    let watch = Watch::new(&signals, args.quiet);
    watch.start(experiment);
    let page =
        book::write_one(experiment, &args.out, args.small, &watch).map_err(|stopped| failure(stopped, &signals))?;
    watch.bar.finish_and_clear();
    if !args.quiet {
        let folder = args.out.join(experiment.name);
        let [reproduced, corrected, differs] = page.verdicts();
        let mut output = io::stdout().lock();
        writeln!(output, "{}: {reproduced} reproduced, {corrected} corrected, {differs} differ", experiment.name)?;
        writeln!(output, "{}\n{}", folder.join("page.md").display(), folder.join("page.html").display())?;
    }
    Ok(())
}

fn all(args: &Args) -> Result<(), Failure> {
    let signals = listen()?;
    let watch = Watch::new(&signals, args.quiet);
    let begin = |experiment: &Experiment| watch.start(experiment);
    book::write_all(experiments::ALL, &args.out, args.small, &watch, begin)
        .map_err(|stopped| failure(stopped, &signals))?;
    watch.bar.finish_and_clear();
    if !args.quiet {
        writeln!(io::stdout(), "{}\n{}", args.out.join("book.md").display(), args.out.join("book.html").display())?;
    }
    Ok(())
}

fn list() -> Result<(), Failure> {
    let mut table = Table::new([
        ("experiment", Align::Left),
        ("time", Align::Right),
        ("--small", Align::Right),
        ("about", Align::Left),
    ]);
    for experiment in experiments::ALL {
        let [full, small] = experiment.cost;
        table.row([experiment.name.into(), full.into(), small.into(), experiment.about.into()]);
    }
    io::stdout().write_all(table.text().as_bytes())?;
    Ok(())
}

fn listen() -> Result<Signals, Failure> {
    Signals::listen().map_err(|error| Failure::Failed(format!("cannot install the signal handler: {error}")))
}

fn failure(stopped: Stopped, signals: &Signals) -> Failure {
    match (&stopped, signals.pending()) {
        (Stopped::Interrupted, Some(signal)) => Failure::Interrupted(
            signal.exit_code(),
            format!("stopped by {}; the same command continues", signal.name()),
        ),
        _ => Failure::Failed(stopped.to_string()),
    }
}
