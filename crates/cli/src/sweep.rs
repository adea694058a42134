//! `granum sweep`: runs a scene for every combination of several values.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use granum_output::{RunFolder, Status, atomic_file, run_folder};
use granum_scene::Scene;
use serde::{Deserialize, Serialize};

use crate::Failure;
use crate::run::signals::{Signal, Signals};

/// File that describes a sweep, so that only the same sweep is continued in a folder.
const PLAN: &str = "sweep.json";

/// Table of all runs.
const TABLE: &str = "sweep.csv";

/// Largest number of runs. More are probably a mistake.
const MOST_RUNS: usize = 100_000;

/// Time between two looks at the running processes.
const LOOK: Duration = Duration::from_millis(20);

/// Run a scene for every combination of several values.
///
/// Each run is a process with its own folder DIR/run_000, run_001, ...; its messages are in
/// DIR/run_000.txt. DIR/sweep.csv has one row for each run with its values and results. The same
/// command continues a sweep that was stopped: completed runs are kept, runs that were stopped are
/// resumed with the same bits. A run that a guard stopped is kept too; remove its folder to repeat
/// it. Exit code: 1 if a run did not complete.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  granum sweep scenes/flap.toml --set contact.0.friction=0.1,0.3,0.5 --out friction
  granum sweep scene.toml --set time.step=1e-6,2e-6 --set grains.0.seed=1,2,3 --jobs 4")]
pub struct Args {
    /// Scene file
    scene: PathBuf,
    /// Values of a key, separated by commas, as in contact.0.friction=0.1,0.3; several keys give
    /// all combinations
    #[arg(long = "set", value_name = "KEY=A,B,C", required = true)]
    settings: Vec<String>,
    /// Number of runs at the same time [default: as many as there are cores for their threads]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,
    /// Number of threads of each run
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    threads: u32,
    /// Folder of the sweep [default: out/SCENE-sweep]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print nothing but warnings and errors
    #[arg(long)]
    quiet: bool,
}

/// The combinations of a sweep, as the file [`PLAN`] stores them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Plan {
    /// Scene file.
    scene: String,
    /// Keys that vary.
    keys: Vec<String>,
    /// Values of the keys in each run.
    runs: Vec<Vec<String>>,
}

/// A running process.
struct Running {
    number: usize,
    child: Child,
}

/// Runs all combinations that are not completed.
pub fn run(args: &Args) -> Result<(), Failure> {
    let plan = Plan::new(args)?;
    // An error in any combination is found before the first run.
    for number in 0..plan.runs.len() {
        Scene::load_with(&args.scene, &plan.settings(number))?;
    }
    let name = args.scene.file_stem().map_or("scene".into(), |stem| stem.to_string_lossy().into_owned());
    let dir = args.out.clone().unwrap_or_else(|| Path::new("out").join(format!("{name}-sweep")));
    plan.open(&dir)?;
    let signals =
        Signals::listen().map_err(|error| Failure::Failed(format!("cannot install the signal handler: {error}")))?;
    let sweep = Sweep { args, plan: &plan, dir: &dir };
    let stopped = sweep.run_all(&signals)?;
    let rows = sweep.write_table()?;
    if !args.quiet {
        write!(io::stdout(), "{}", sweep.text(&rows))?;
        writeln!(io::stdout(), "{}", dir.join(TABLE).display())?;
    }
    if let Some(signal) = stopped {
        let message = format!("{}: stopped; the same command continues the sweep", signal.name());
        return Err(Failure::Interrupted(signal.exit_code(), message));
    }
    let failed: Vec<&str> = rows.iter().filter(|row| row.status != "completed").map(|row| row.run.as_str()).collect();
    match failed.len() {
        0 => Ok(()),
        count => Err(Failure::Failed(format!(
            "{count} of {} runs did not complete: {}; their messages are in {}/RUN.txt",
            rows.len(),
            failed.join(", "),
            dir.display()
        ))),
    }
}

impl Plan {
    /// Returns all combinations of the values, the last key varying fastest.
    fn new(args: &Args) -> Result<Self, Failure> {
        let mut keys: Vec<String> = Vec::new();
        let mut runs = vec![Vec::new()];
        for setting in &args.settings {
            let wrong = |reason: &str| Failure::Input(format!("--set {setting}: {reason}"));
            let (key, values) = setting.split_once('=').ok_or_else(|| wrong("must have the form KEY=A,B,C"))?;
            let key = key.trim().to_owned();
            if keys.contains(&key) {
                return Err(wrong("the key appears twice; give all its values at once"));
            }
            let values = split_values(values);
            if values.iter().any(String::is_empty) {
                return Err(wrong("a value is empty"));
            }
            let with = |run: &Vec<String>, value: &String| run.iter().chain([value]).cloned().collect::<Vec<_>>();
            runs = runs.iter().flat_map(|run| values.iter().map(move |value| with(run, value))).collect();
            if runs.len() > MOST_RUNS {
                return Err(wrong(&format!("the sweep has more than {MOST_RUNS} runs")));
            }
            keys.push(key);
        }
        Ok(Self { scene: args.scene.display().to_string(), keys, runs })
    }

    /// Returns the settings of a run.
    fn settings(&self, number: usize) -> Vec<String> {
        self.keys.iter().zip(&self.runs[number]).map(|(key, value)| format!("{key}={value}")).collect()
    }

    /// Creates the folder of the sweep, or checks that it contains the same sweep.
    fn open(&self, dir: &Path) -> Result<(), Failure> {
        let path = dir.join(PLAN);
        match fs::read_to_string(&path) {
            Ok(text) => {
                let found: Option<Self> = serde_json::from_str(&text).ok();
                if found.as_ref() == Some(self) {
                    return Ok(());
                }
                Err(Failure::Input(format!("{} contains another sweep; choose another --out", dir.display())))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(dir).map_err(|error| Failure::unwritable(dir, &error))?;
                let mut entries = fs::read_dir(dir).map_err(|error| Failure::unreadable(dir, &error))?;
                if entries.next().is_some() {
                    return Err(Failure::Input(format!("{} is not empty; choose another --out", dir.display())));
                }
                let text = serde_json::to_string_pretty(self)? + "\n";
                atomic_file::write_text(&path, &text).map_err(|error| Failure::unwritable(&path, &error))
            }
            Err(error) => Err(Failure::unreadable(&path, &error)),
        }
    }
}

/// Splits values at the commas that are not in brackets or quotes.
fn split_values(text: &str) -> Vec<String> {
    let (mut values, mut depth, mut quote) = (vec![String::new()], 0i32, None);
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            (None, ',') if depth == 0 => {
                values.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = values.last_mut() {
            last.push(letter);
        }
    }
    values.into_iter().map(|value| value.trim().to_owned()).collect()
}

/// A row of the table.
struct Row {
    run: String,
    values: Vec<String>,
    status: String,
    /// Names and values of the results; empty if there are none yet.
    results: Vec<(&'static str, String)>,
}

/// Names of the results of a run.
const RESULTS: [&str; 11] = [
    "time",
    "steps",
    "wall_seconds",
    "kinetic",
    "potential",
    "dissipated",
    "work",
    "residual",
    "contacts",
    "max_overlap",
    "state_hash",
];

struct Sweep<'a> {
    args: &'a Args,
    plan: &'a Plan,
    dir: &'a Path,
}

impl Sweep<'_> {
    fn name(&self, number: usize) -> String {
        let digits = (self.plan.runs.len().saturating_sub(1)).to_string().len().max(3);
        format!("run_{number:0digits$}")
    }

    fn folder(&self, number: usize) -> PathBuf {
        self.dir.join(self.name(number))
    }

    /// Returns whether a run needs no process any more.
    fn is_finished(&self, number: usize) -> bool {
        let status = summary_status(&self.folder(number));
        matches!(status, Some(Status::Completed | Status::Guard))
    }

    /// Starts the runs that are not finished. Returns the signal that stopped the sweep, if any.
    fn run_all(&self, signals: &Signals) -> Result<Option<Signal>, Failure> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = self.args.jobs.map_or((cores / self.args.threads as usize).max(1), |jobs| jobs as usize);
        let mut waiting: Vec<usize> = (0..self.plan.runs.len()).rev().filter(|&k| !self.is_finished(k)).collect();
        let mut running: Vec<Running> = Vec::new();
        let mut stopped = None;
        loop {
            if stopped.is_none()
                && let Some(signal) = signals.pending()
            {
                stopped = Some(signal);
                waiting.clear();
                // Ctrl-C reaches the runs itself; a signal to this process alone does not.
                running.iter().for_each(|run| terminate(&run.child));
            }
            while running.len() < jobs
                && let Some(number) = waiting.pop()
            {
                running.push(self.start(number)?);
            }
            if running.is_empty() {
                return Ok(stopped);
            }
            let mut still = Vec::new();
            for mut run in running {
                match run.child.try_wait() {
                    Ok(None) => still.push(run),
                    Ok(Some(_)) => self.report(run.number)?,
                    Err(error) => return Err(Failure::Failed(format!("cannot wait for a run: {error}"))),
                }
            }
            running = still;
            std::thread::sleep(LOOK);
        }
    }

    /// Starts the process of a run, or continues the run.
    fn start(&self, number: usize) -> Result<Running, Failure> {
        let (program, first) =
            crate::own_command().map_err(|error| Failure::Failed(format!("cannot start runs: {error}")))?;
        let messages = self.dir.join(format!("{}.txt", self.name(number)));
        let output = fs::File::create(&messages).map_err(|error| Failure::unwritable(&messages, &error))?;
        let mut command = Command::new(program);
        command.args(first).arg("run").arg(&self.args.scene).arg("--resume").arg("--out").arg(self.folder(number));
        command.args(["--quiet", "--threads", &self.args.threads.to_string()]);
        for setting in self.plan.settings(number) {
            command.arg("--set").arg(setting);
        }
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(output).spawn();
        let child = child.map_err(|error| Failure::Failed(format!("cannot start a run: {error}")))?;
        Ok(Running { number, child })
    }

    /// Prints the result of a run and updates the table.
    fn report(&self, number: usize) -> Result<(), Failure> {
        let row = self.row(number);
        if !self.args.quiet {
            writeln!(io::stdout(), "{}  {}  {}", row.run, self.plan.settings(number).join(" "), row.status)?;
        }
        self.write_table().map(drop)
    }

    fn row(&self, number: usize) -> Row {
        let (folder, run) = (self.folder(number), self.name(number));
        let values = self.plan.runs[number].clone();
        let opened = RunFolder::open(&folder).ok();
        let status = match summary_status(&folder) {
            Some(Status::Completed) => "completed",
            Some(Status::Guard) => "guard",
            Some(Status::Interrupted) => "interrupted",
            None if opened.is_some() => "incomplete",
            None => "not started",
        };
        let results = opened.as_ref().map_or_else(Vec::new, results);
        Row { run, values, status: status.to_owned(), results }
    }

    /// Writes the table of all runs and returns its rows.
    fn write_table(&self) -> Result<Vec<Row>, Failure> {
        let rows: Vec<Row> = (0..self.plan.runs.len()).map(|number| self.row(number)).collect();
        let quoted = |cell: &str| match cell.contains(['"', ',', '\n']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.to_owned(),
        };
        let heading = ["run"].into_iter().chain(self.plan.keys.iter().map(String::as_str)).chain(["status"]);
        let mut text = heading.chain(RESULTS).map(quoted).collect::<Vec<_>>().join(",") + "\n";
        for row in &rows {
            let results: BTreeMap<&str, &String> = row.results.iter().map(|(name, value)| (*name, value)).collect();
            let cells = [&row.run].into_iter().chain(&row.values).chain([&row.status]).map(|cell| quoted(cell));
            let cells = cells.chain(RESULTS.map(|name| results.get(name).map_or(String::new(), |value| quoted(value))));
            text += &(cells.collect::<Vec<_>>().join(",") + "\n");
        }
        let path = self.dir.join(TABLE);
        atomic_file::write_text(&path, &text).map_err(|error| Failure::unwritable(&path, &error))?;
        Ok(rows)
    }

    /// Returns the most important columns as a text table.
    fn text(&self, rows: &[Row]) -> String {
        const SHOWN: [&str; 4] = ["time", "wall_seconds", "kinetic", "max_overlap"];
        let heading = ["run"].into_iter().chain(self.plan.keys.iter().map(String::as_str)).chain(["status"]);
        let mut lines = vec![heading.chain(SHOWN).map(str::to_owned).collect::<Vec<_>>()];
        for row in rows {
            let result = |name: &str| row.results.iter().find(|(found, _)| *found == name).map(|(_, value)| value);
            let short = |value: &String| value.parse::<f64>().map_or(value.clone(), |number| format!("{number:.4e}"));
            let cells = [&row.run].into_iter().chain(&row.values).chain([&row.status]).cloned();
            lines.push(cells.chain(SHOWN.map(|name| result(name).map_or(String::new(), short))).collect());
        }
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
        let line = |cells: &Vec<String>| {
            let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
        };
        lines.iter().map(line).collect()
    }
}

/// Returns the results of a run so far, by name.
fn results(folder: &RunFolder) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    if let Some(last) = folder.energy().ok().and_then(|rows| rows.last().copied()) {
        found.extend([
            ("time", last.time.to_string()),
            ("kinetic", (last.kinetic_translational + last.kinetic_rotational).to_string()),
            ("potential", last.potential.to_string()),
            ("dissipated", last.dissipated.to_string()),
            ("work", last.work.to_string()),
            ("residual", last.residual.to_string()),
            ("contacts", last.contacts.to_string()),
        ]);
    }
    if let Ok(rows) = folder.energy() {
        found.push(("max_overlap", rows.iter().map(|row| row.max_overlap).fold(0.0, f64::max).to_string()));
    }
    if let Ok(summary) = folder.summary() {
        found.push(("steps", summary.steps.to_string()));
        found.push(("wall_seconds", summary.wall_seconds.to_string()));
        found.push(("state_hash", summary.state_hash));
    }
    found
}

/// Returns the status in the summary of a run, if it has one.
fn summary_status(folder: &Path) -> Option<Status> {
    let text = fs::read_to_string(folder.join(run_folder::SUMMARY)).ok()?;
    serde_json::from_str::<granum_output::Summary>(&text).ok().map(|summary| summary.status)
}

/// Asks a run to stop with a checkpoint. Elsewhere than on Unix the run is only waited for.
fn terminate(child: &Child) {
    if cfg!(unix) {
        // The standard library has no safe function for it. A run that has just ended needs none.
        let _ = Command::new("kill").args(["-TERM", &child.id().to_string()]).stderr(Stdio::null()).status();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_split_at_commas_outside_brackets_and_quotes() {
        assert_eq!(split_values("0.1, 0.3,\"a, b\""), ["0.1", "0.3", "\"a, b\""]);
        assert_eq!(split_values("[0, 0, -9.81],[1,0,0]"), ["[0, 0, -9.81]", "[1,0,0]"]);
        assert_eq!(split_values("{ min = 1, max = 2 }"), ["{ min = 1, max = 2 }"]);
        assert_eq!(split_values("1,"), ["1", ""]);
    }
}
