//! The words after `granum run`, and what they mean together.

use std::path::PathBuf;
use std::time::Duration;

use granum_scene::parse_time;

use crate::Failure;

/// Run a scene.
///
/// Writes into DIR: energy.csv (the energy ledger at each output time), summary.json (steps, speed, time by stage, a
/// hash of the last state), scene.toml (the scene in SI units with every default filled in, and the time step that was
/// used) and checkpoint/ (the last two checkpoints).
///
/// A run that was killed, or stopped with Ctrl-C, goes on with --resume and ends with the same bits as one that was
/// never stopped. Exit code: 1 if a guard of the scene or a full disk stopped the run, 130 after Ctrl-C, 143 after
/// SIGTERM.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  granum run scenes/first_pour.toml
  granum run scenes/first_pour.toml --out pour --checkpoint-every \"10 min\"
  granum run --resume pour")]
pub struct Args {
    /// Scene file; may be left out with --resume
    pub scene: Option<PathBuf>,
    /// Folder for the results, new or empty [default: out/SCENE-TIME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Go on with the run in DIR, or in that of --out, from its last checkpoint
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    pub resume: Option<Option<PathBuf>>,
    /// Threads; 0 for one a core. The results do not depend on it
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// End at this time instead of the scene's, in seconds or with a unit ("50 ms")
    #[arg(long, value_name = "T", value_parser = parse_time)]
    pub until: Option<f64>,
    /// Set a value of the scene: KEY=VALUE, as in materials.glass.density=2600 or grains.0.count=10
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Wall time from one checkpoint to the next, in seconds or with a unit
    #[arg(long, value_name = "T", value_parser = parse_time, default_value = "5 min")]
    pub checkpoint_every: f64,
    /// Print nothing but warnings and errors
    #[arg(long)]
    pub quiet: bool,
}

/// What is to be run.
pub enum Task {
    /// A scene from its start, into a folder if one was named.
    Begin(PathBuf, Option<PathBuf>),
    /// The run in a folder; the scene, if one was named, must be the run's.
    Resume(PathBuf, Option<PathBuf>),
}

impl Args {
    /// What is to be run, if the words make sense together.
    pub fn task(&self) -> Result<Task, Failure> {
        let refuse = |reason: &str| Err(Failure::Input(reason.to_owned()));
        if let Some(until) = self.until.filter(|&until| until <= 0.0) {
            return Err(Failure::Input(format!("--until must be a positive time, not {until}")));
        }
        if self.checkpoint_every <= 0.0 {
            return Err(Failure::Input(format!("--checkpoint-every must be positive, not {}", self.checkpoint_every)));
        }
        if self.resume.is_some() && self.scene.is_none() && !self.settings.is_empty() {
            return refuse("a run goes on with the scene it was begun with: --set cannot change it");
        }
        match (&self.resume, &self.scene, &self.out) {
            (None, Some(scene), out) => Ok(Task::Begin(scene.clone(), out.clone())),
            (None, None, _) => refuse("give a scene to run, or --resume DIR to go on with a run"),
            (Some(None), scene, Some(out)) => Ok(Task::Resume(out.clone(), scene.clone())),
            (Some(None), _, None) => refuse("say which run to resume: --resume DIR, or --resume with --out DIR"),
            (Some(Some(dir)), scene, None) => Ok(Task::Resume(dir.clone(), scene.clone())),
            // `--resume SCENE --out DIR` reads as if the scene were the folder.
            (Some(Some(scene)), None, Some(out)) => Ok(Task::Resume(out.clone(), Some(scene.clone()))),
            (Some(Some(_)), Some(_), Some(_)) => refuse("two folders: give one with --resume or one with --out"),
        }
    }

    /// Wall time from one checkpoint to the next.
    pub fn checkpoint_interval(&self) -> Duration {
        // A time too long for a duration means never.
        Duration::try_from_secs_f64(self.checkpoint_every).unwrap_or(Duration::MAX)
    }
}
