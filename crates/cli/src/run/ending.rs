//! End of a run: last checkpoint, summary and messages.

use granum_engine::WorldStatus;
use granum_output::{Status, Summary, state_hash};

use super::recorders::Due;
use super::session::{End, Session, Watch, unwritten};
use crate::Failure;
use crate::quote::quoted;

/// File of the state at which a guard has stopped the run.
const STOPPED_STATE: &str = "guard.granum";

impl Session {
    /// Writes the last files and returns the outcome of the run.
    pub(super) fn conclude(mut self, watch: &mut Watch, end: End) -> Result<(), Failure> {
        let step = self.simulation.world().steps();
        if matches!(end, End::Guard(_)) {
            self.keep_stopped_state(watch)?;
        }
        if matches!(end, End::Completed) {
            // A row that is not at an output time is written after the checkpoint, so that a run
            // that continues beyond this end removes it again.
            self.save_if_sound(watch)?;
            let due = Due { row: self.books.recorded != Some(step), frame: self.books.framed != Some(step) };
            if due.row || due.frame {
                let snapshot = self.record(watch, due)?;
                if let Some(End::Guard(message)) = self.guard(Some(&snapshot.energy))? {
                    return self.conclude(watch, End::Guard(message));
                }
            }
        }
        self.keep_time(watch);
        let status = match end {
            End::Completed => Status::Completed,
            End::Interrupted(_) | End::Stopped => Status::Interrupted,
            End::Guard(_) => Status::Guard,
        };
        let summary = self.summary(status);
        let path = self.dir.join("summary.json");
        let written = summary.write(&path);
        written.map_err(|error| unwritten(&self.dir, "summary.json", &error, watch.saved_step))?;
        let resume = format!("`granum run --resume {}`", quoted(&self.dir));
        match end {
            End::Completed => {
                self.print_summary(&summary);
                if let Some(path) = self.draw_picture()? {
                    self.console.line(&format!("picture    {}", path.display()));
                }
                self.print_next_commands();
                Ok(())
            }
            End::Interrupted(signal) => {
                let saved = watch.saved_step.unwrap_or(0);
                let name = signal.name();
                let message =
                    format!("{name} at step {step}: stopped; {resume} continues from step {saved} with the same bits");
                Err(Failure::Interrupted(signal.exit_code(), message))
            }
            End::Stopped => {
                let saved = watch.saved_step.unwrap_or(0);
                self.console.line(&format!(
                    "stopped    by the viewer at step {step}; {resume} continues from step {saved} with the same bits"
                ));
                Ok(())
            }
            End::Guard(message) => {
                let state = self.dir.join(STOPPED_STATE);
                let mut message = format!("{message}\nthe state of this step is saved in {}", state.display());
                if let Some(saved) = watch.saved_step {
                    message +=
                        &format!("; the last checkpoint is of step {saved}, and {resume} repeats the run from there");
                }
                Err(Failure::Failed(message))
            }
        }
    }

    /// Saves the state at which a guard has stopped the run, and records it as a row and a frame. A
    /// resumed run removes both again, because it continues from a checkpoint before them.
    fn keep_stopped_state(&mut self, watch: &mut Watch) -> Result<(), Failure> {
        let step = self.simulation.world().steps();
        let saved = self.checkpoints.save_as(&self.dir.join(STOPPED_STATE), &self.checkpoint());
        saved.map_err(|error| unwritten(&self.dir, STOPPED_STATE, &error, watch.saved_step))?;
        let due = Due { row: self.books.recorded != Some(step), frame: self.books.framed != Some(step) };
        // Tables and pictures of numbers that are not finite have no use.
        if (due.row || due.frame) && self.simulation.energy().total().is_finite() {
            self.record(watch, due)?;
        }
        Ok(())
    }

    /// Returns the contents of `summary.json`.
    fn summary(&self, status: Status) -> Summary {
        let world = self.simulation.world();
        let bodies = world.body_count();
        let wall_seconds = self.books.wall_seconds;
        Summary {
            bodies,
            steps: world.steps(),
            dt: self.program.schedule.time_step,
            wall_seconds,
            body_steps_per_second: bodies as f64 * world.steps() as f64 / wall_seconds,
            seconds: self.books.seconds.clone(),
            contacts: WorldStatus::of(world).contacts,
            status,
            warnings: self.books.warnings.clone(),
            percussion: world.percussion().map(|percussion| percussion.statistics),
            state_hash: state_hash(world),
        }
    }

    /// Prints the commands with which a user looks at the results of a run.
    fn print_next_commands(&self) {
        let dir = quoted(&self.dir);
        let commands = [
            ("view", "shows the run in the browser", self.program.schedule.has_frames()),
            ("render", "draws pictures of the grains", self.program.schedule.has_frames()),
            ("plot", "draws charts of energies and contacts", true),
            ("info", "summarises the run", true),
        ];
        let mut label = "next";
        for (command, purpose, _) in commands.into_iter().filter(|(.., possible)| *possible) {
            self.console.line(&format!("{label:<10} granum {command} {dir}   {purpose}"));
            label = "";
        }
    }

    /// Prints the results of a completed run.
    fn print_summary(&self, summary: &Summary) {
        let energy = self.simulation.energy();
        let kinetic = energy.kinetic_translational + energy.kinetic_rotational;
        let turned_over = energy.turned_over(&self.start);
        let residual = energy.residual(&self.start);
        let part = if turned_over > 0.0 { residual.abs() / turned_over } else { 0.0 };
        self.console.line(&format!(
            "done       {} steps in {:.1} s: {:.3e} body-steps/s",
            summary.steps, summary.wall_seconds, summary.body_steps_per_second
        ));
        self.console.line(&format!(
            "contacts   {}; kinetic energy {kinetic:.3e} J; dissipated {:.3e} J",
            summary.contacts,
            energy.dissipated()
        ));
        self.console.line(&format!("ledger     residual {residual:.2e} J, {part:.1e} of the energy turned over"));
        for (guard, times) in &summary.warnings {
            self.console.line(&format!("warnings   guards.{guard}: {times} times"));
        }
    }
}
