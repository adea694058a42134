//! The arguments of `granum run`.

use std::path::PathBuf;
use std::time::Duration;

use granum_scene::parse_time;

use crate::Failure;
use crate::view::Opening;

/// Run a scene.
///
/// Writes to DIR: energy.csv (the energy ledger at each output time), frames/ (for ParaView and
/// `granum render`), summary.json (steps, speed, time by stage, a hash of the last state),
/// scene.toml (the scene in SI units with all defaults, and the time step) and checkpoint/ (the
/// last two checkpoints).
///
/// A run that was killed, or stopped with Ctrl-C, is continued with --resume and ends with the same
/// bits as a run without interruption. With --set or --out a new run branches off instead: it
/// starts from the last state of DIR, writes to its own folder, and leaves DIR as it is. Exit code:
/// 1 if a guard of the scene or a full disk stopped the run, 130 after Ctrl-C, 143 after SIGTERM.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  granum run scenes/first_run.toml
  granum run scenes/first_run.toml --out pour --checkpoint-every \"10 min\"
  granum run scenes/first_run.toml --view
  granum run --resume pour
  granum run --resume pour --set contact.0.friction=0.3 --out rougher")]
pub struct Args {
    /// Scene file; optional with --resume
    pub scene: Option<PathBuf>,
    /// Folder for the results; it must be new or empty [default: out/NAME-TIME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Continue the run in DIR, or in that of --out, from its last checkpoint. For a branch, DIR
    /// may also be a saved state, such as guard.granum of a run that a guard has stopped
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    pub resume: Option<Option<PathBuf>>,
    /// Largest number of threads; 0 for one per core. The results do not depend on it, and fewer
    /// are used where more save no time
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Time at which the run ends, instead of that of the scene, in seconds or with a unit ("50
    /// ms")
    #[arg(long, value_name = "T", value_parser = parse_time, allow_hyphen_values = true)]
    pub until: Option<f64>,
    /// Override a value of the scene, as in materials.glass.density=2600 or grains.0.count=10
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Wall time between two checkpoints, in seconds or with a unit
    #[arg(long, value_name = "T", value_parser = parse_time, default_value = "5 min", allow_hyphen_values = true)]
    pub checkpoint_every: f64,
    /// Show the run in the browser while it proceeds, with pause, step and stop. The results do not
    /// depend on it. After the end the viewer stays open until Ctrl-C
    #[arg(long)]
    view: bool,
    /// Port of the viewer [default: a free one]
    #[arg(long, value_name = "N", requires = "view", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Do not open the browser
    #[arg(long, requires = "view")]
    no_open: bool,
    /// Print nothing but warnings and errors
    #[arg(long)]
    pub quiet: bool,
}

/// The task that the arguments describe.
pub enum Task {
    /// Start a scene, with an optional folder for the results.
    Begin(PathBuf, Option<PathBuf>),
    /// Continue the run in a folder. An optional scene must be that of the run.
    Resume(PathBuf, Option<PathBuf>),
    /// Start a new run from the state of a run or a saved state, with an optional folder for the
    /// results.
    Branch(PathBuf, Option<PathBuf>),
}

impl Args {
    /// Returns the task, or an error if the arguments contradict each other.
    pub fn task(&self) -> Result<Task, Failure> {
        let refuse = |reason: &str| Err(Failure::Input(reason.to_owned()));
        if let Some(until) = self.until.filter(|&until| until <= 0.0) {
            return Err(Failure::Input(format!("--until must be a positive time, not {until}")));
        }
        if self.checkpoint_every <= 0.0 {
            return Err(Failure::Input(format!("--checkpoint-every must be positive, not {}", self.checkpoint_every)));
        }
        if let (Some(Some(from)), None) = (&self.resume, &self.scene) {
            let is_saved_state = from.extension().is_some_and(|extension| extension == "granum");
            let is_changed = !self.settings.is_empty() || self.out.is_some();
            if is_saved_state || from.is_dir() && is_changed {
                return Ok(Task::Branch(from.clone(), self.out.clone()));
            }
            if self.out.is_none() && !self.settings.is_empty() {
                return Err(Failure::Input(format!("{}: the folder does not exist", from.display())));
            }
        }
        if self.resume == Some(None) && self.scene.is_none() && !self.settings.is_empty() {
            return refuse(
                "to branch off a run with --set, give its folder with --resume DIR, and a new one with --out",
            );
        }
        match (&self.resume, &self.scene, &self.out) {
            (None, Some(scene), out) => Ok(Task::Begin(scene.clone(), out.clone())),
            (None, None, _) => refuse("give a scene to run, or --resume DIR to continue a run"),
            (Some(None), scene, Some(out)) => Ok(Task::Resume(out.clone(), scene.clone())),
            (Some(None), _, None) => {
                refuse("--resume needs the folder of the run: --resume DIR, or --resume with --out DIR")
            }
            (Some(Some(dir)), scene, None) => Ok(Task::Resume(dir.clone(), scene.clone())),
            // In `--resume SCENE --out DIR` clap takes the scene for the folder.
            (Some(Some(scene)), None, Some(out)) => Ok(Task::Resume(out.clone(), Some(scene.clone()))),
            (Some(Some(_)), Some(_), Some(_)) => refuse("give one folder, with --resume or with --out, not both"),
        }
    }

    /// Returns how the run is shown in the browser, if it is.
    pub fn view(&self) -> Option<Opening> {
        self.view.then_some(Opening { port: self.port, browser: !self.no_open })
    }

    /// Returns the wall time between two checkpoints.
    pub fn checkpoint_interval(&self) -> Duration {
        // A time that is too long for a `Duration` means never.
        Duration::try_from_secs_f64(self.checkpoint_every).unwrap_or(Duration::MAX)
    }
}
