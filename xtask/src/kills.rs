//! `cargo xtask kills`: kills runs at random times, resumes them, and compares their results with
//! those of an undisturbed run.
//!
//! The signal is SIGKILL, so that a run cannot save its state. The times cover the whole duration
//! of a run, including its start and its last files. Checkpoints are so frequent that many kills
//! interrupt the writing of one. A resumed run may be killed again.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use granum_geometry::random::Random;

/// Wall times between checkpoints, from which one is drawn. With the first, a run mostly writes.
const INTERVALS: [&str; 3] = ["1 ms", "5 ms", "20 ms"];

/// Number of runs at the same time.
const WORKERS: u64 = 4;

/// Number of runs of a worker between two lines of progress.
const REPORT_EVERY: u64 = 50;

/// Largest number of kills of one run.
const MOST_KILLS: u64 = 3;

/// Wall time after which a run is considered to hang.
const PATIENCE: Duration = Duration::from_secs(300);

/// Result of a campaign.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Number of runs that were killed at least once, resumed, and completed.
    pub runs: u64,
    /// Number of these with the same last state, energies and frames as the undisturbed run.
    pub identical: u64,
    /// Total number of kills.
    pub kills: u64,
    /// Number of kills during the writing of a checkpoint.
    pub amid_checkpoint: u64,
    /// Number of kills before the first checkpoint was complete.
    pub before_checkpoint: u64,
}

/// Results of a run: the hash of its last state, its energies and its frames.
#[derive(PartialEq)]
struct Ending {
    state_hash: String,
    energy: String,
    /// Names and contents of the files.
    frames: Vec<(OsString, Vec<u8>)>,
}

/// A campaign: the program, the scene, and the expected results.
struct Campaign<'a> {
    program: &'a Path,
    scene: &'a Path,
    until: &'a str,
    /// Wall time of an undisturbed run.
    length: Duration,
    expected: Ending,
}

/// Runs `scene` to the time `until` in `folder`, `count` times, each killed at least once.
pub fn kill_runs(program: &Path, scene: &Path, until: &str, folder: &Path, count: u64) -> Result<Outcome, String> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    let (whole, start) = (folder.join("whole"), Instant::now());
    let expected = Ending { state_hash: String::new(), energy: String::new(), frames: Vec::new() };
    let mut campaign = Campaign { program, scene, until, length: Duration::ZERO, expected };
    let status = campaign.run(&whole, &["--checkpoint-every", INTERVALS[1]]).status();
    let status = status.map_err(|error| format!("cannot start {}: {error}", program.display()))?;
    if !status.success() {
        return Err(format!("the undisturbed run failed: {status}"));
    }
    campaign.length = start.elapsed();
    campaign.expected = ending(&whole)?;
    // Runs mostly wait for the disk, so that several run at the same time.
    let campaign = &campaign;
    let worker = |number: u64| {
        let share = count / WORKERS + u64::from(number < count % WORKERS);
        campaign.work(&folder.join(format!("killed_{number}")), share, Random::new(number))
    };
    let outcomes: Vec<Result<Outcome, String>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|number| scope.spawn(move || worker(number))).collect();
        let join = |worker: thread::ScopedJoinHandle<_>| worker.join().unwrap_or(Err("a worker failed".into()));
        workers.into_iter().map(join).collect()
    });
    let mut sum = Outcome::default();
    for outcome in outcomes {
        let outcome = outcome?;
        sum.runs += outcome.runs;
        sum.identical += outcome.identical;
        sum.kills += outcome.kills;
        sum.amid_checkpoint += outcome.amid_checkpoint;
        sum.before_checkpoint += outcome.before_checkpoint;
    }
    Ok(sum)
}

impl Campaign<'_> {
    fn run(&self, out: &Path, more: &[&str]) -> Command {
        let mut command = Command::new(self.program);
        command.arg("run").arg(self.scene).arg("--out").arg(out).args(["--until", self.until, "--quiet"]).args(more);
        command.stdout(Stdio::null());
        command
    }

    /// Kills and resumes `count` runs, one after the other.
    fn work(&self, out: &Path, count: u64, mut random: Random) -> Result<Outcome, String> {
        let mut outcome = Outcome::default();
        while outcome.runs < count {
            let _ = fs::remove_dir_all(out);
            let kills = self.kill_one(out, &mut random, &mut outcome)?;
            outcome.kills += kills;
            // A run that was completed before it was killed does not count.
            if kills > 0 {
                outcome.runs += 1;
                outcome.identical += u64::from(ending(out)? == self.expected);
                if outcome.runs.is_multiple_of(REPORT_EVERY) {
                    println!("{} of {} identical after {} kills", outcome.identical, outcome.runs, outcome.kills);
                }
            }
        }
        Ok(outcome)
    }

    /// Runs a scene to its end, with kills, and returns their number.
    fn kill_one(&self, out: &Path, random: &mut Random, outcome: &mut Outcome) -> Result<u64, String> {
        let mut kills = 0;
        loop {
            let threads = (1 + random.index(2)).to_string();
            let interval = INTERVALS[random.index(INTERVALS.len())];
            let options = ["--resume", "--threads", &threads, "--checkpoint-every", interval];
            // Without a checkpoint, `--resume` starts the run.
            let mut child = self.run(out, &options).spawn().map_err(|error| format!("cannot start: {error}"))?;
            if kills < MOST_KILLS && (kills == 0 || random.index(2) == 0) {
                thread::sleep(self.length.mul_f64(random.unit()));
                child.kill().map_err(|error| format!("cannot kill: {error}"))?;
            }
            let status = wait(&mut child)?;
            if status.success() {
                return Ok(kills);
            }
            if status.code().is_some() {
                return Err(format!("a run failed after {} runs and {kills} kills: {status}", outcome.runs));
            }
            kills += 1;
            let (whole, halves) = checkpoints(out);
            outcome.amid_checkpoint += u64::from(halves > 0);
            outcome.before_checkpoint += u64::from(whole == 0);
        }
    }
}

/// Waits for the end of a run; an error if it hangs.
fn wait(child: &mut Child) -> Result<ExitStatus, String> {
    let begun = Instant::now();
    loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => return Ok(status),
            None if begun.elapsed() > PATIENCE => return Err("a run hangs".into()),
            None => thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// Reads the results of a run.
fn ending(run: &Path) -> Result<Ending, String> {
    let read = |name: &str| {
        fs::read_to_string(run.join(name)).map_err(|error| format!("cannot read {name} of {}: {error}", run.display()))
    };
    let summary = read("summary.json")?;
    let hash = summary.split_once("\"state_hash\": \"").and_then(|(_, rest)| rest.split_once('"'));
    let (state_hash, _) = hash.ok_or("summary.json has no state_hash")?;
    let frames = frames(&run.join("frames"))?;
    Ok(Ending { state_hash: state_hash.to_owned(), energy: read("energy.csv")?, frames })
}

/// Reads all files of frames, sorted by name.
fn frames(folder: &Path) -> Result<Vec<(OsString, Vec<u8>)>, String> {
    let unreadable = |error| format!("cannot read {}: {error}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        files.push((entry.file_name(), fs::read(entry.path()).map_err(unreadable)?));
    }
    files.sort();
    Ok(files)
}

/// Returns the numbers of complete and of incomplete checkpoints of a run.
fn checkpoints(run: &Path) -> (usize, usize) {
    let entries = fs::read_dir(run.join("checkpoint")).into_iter().flatten().flatten();
    let names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let count = |ending: &str| names.iter().filter(|name| name.ends_with(ending)).count();
    (count(".granum"), count(".part"))
}
