//! Kills runs at random times and compares what they end with, after being resumed, with an undisturbed run.
//!
//! A kill is SIGKILL: the run has no chance to save anything. Times are drawn from the whole length of a run, its
//! start and its last files included, and checkpoints follow each other so closely that many kills meet one half
//! written. A run may be killed again after it was resumed.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use granum_geometry::random::Random;

/// Wall times between checkpoints that are drawn from: with the first, a run does little but save.
const INTERVALS: [&str; 3] = ["1 ms", "5 ms", "20 ms"];

/// Runs at a time.
const WORKERS: u64 = 4;

/// Runs of a worker from one line of progress to the next.
const REPORT_EVERY: u64 = 50;

/// Most kills in one run.
const MOST_KILLS: u64 = 3;

/// Wall time after which a run is taken to hang.
const PATIENCE: Duration = Duration::from_secs(300);

/// What came of it.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Runs that were killed at least once, resumed, and came to their end.
    pub runs: u64,
    /// Those that ended with every bit of the undisturbed run: last state, ledger and frames.
    pub identical: u64,
    /// Kills in all.
    pub kills: u64,
    /// Kills that left a half-written checkpoint behind.
    pub amid_checkpoint: u64,
    /// Kills before the first checkpoint was whole.
    pub before_checkpoint: u64,
}

/// A run's last state, by its hash, its ledger and its frames.
#[derive(PartialEq)]
struct Ending {
    state_hash: String,
    energy: String,
    /// Names and contents.
    frames: Vec<(OsString, Vec<u8>)>,
}

/// A campaign: what is run, where, and what it must end with.
struct Campaign<'a> {
    program: &'a Path,
    scene: &'a Path,
    until: &'a str,
    /// Wall time of an undisturbed run.
    length: Duration,
    wanted: Ending,
}

/// Runs `scene` to the time `until` in `folder`, `count` times, each killed at least once.
pub fn kill_runs(program: &Path, scene: &Path, until: &str, folder: &Path, count: u64) -> Result<Outcome, String> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let (whole, start) = (folder.join("whole"), Instant::now());
    let wanted = Ending { state_hash: String::new(), energy: String::new(), frames: Vec::new() };
    let mut campaign = Campaign { program, scene, until, length: Duration::ZERO, wanted };
    let status = campaign.run(&whole, &["--checkpoint-every", INTERVALS[1]]).status();
    let status = status.map_err(|error| format!("cannot start {}: {error}", program.display()))?;
    if !status.success() {
        return Err(format!("the undisturbed run failed: {status}"));
    }
    campaign.length = start.elapsed();
    campaign.wanted = ending(&whole)?;
    // Runs wait for the disk most of their time, so several go on at once.
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

    /// Kills `count` runs, one after the other.
    fn work(&self, out: &Path, count: u64, mut random: Random) -> Result<Outcome, String> {
        let mut outcome = Outcome::default();
        while outcome.runs < count {
            let _ = fs::remove_dir_all(out);
            let kills = self.kill_one(out, &mut random, &mut outcome)?;
            outcome.kills += kills;
            // A run that was done before its kill came proves nothing.
            if kills > 0 {
                outcome.runs += 1;
                outcome.identical += u64::from(ending(out)? == self.wanted);
                if outcome.runs.is_multiple_of(REPORT_EVERY) {
                    println!("{} of {} identical after {} kills", outcome.identical, outcome.runs, outcome.kills);
                }
            }
        }
        Ok(outcome)
    }

    /// Runs until the end is reached, with kills on the way; says how many.
    fn kill_one(&self, out: &Path, random: &mut Random, outcome: &mut Outcome) -> Result<u64, String> {
        let mut kills = 0;
        loop {
            let threads = (1 + random.index(2)).to_string();
            let interval = INTERVALS[random.index(INTERVALS.len())];
            let options = ["--resume", "--threads", &threads, "--checkpoint-every", interval];
            // The first time there is nothing to resume, and the run starts.
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

/// Waits for a run's end, but not for ever.
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

/// All files of frames, by name.
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

/// Checkpoints in a run's folder, whole and half written.
fn checkpoints(run: &Path) -> (usize, usize) {
    let entries = fs::read_dir(run.join("checkpoint")).into_iter().flatten().flatten();
    let names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let count = |ending: &str| names.iter().filter(|name| name.ends_with(ending)).count();
    (count(".granum"), count(".part"))
}
