//! Reaction of a run to violated guards.

use granum_engine::guard::Rule;
use granum_engine::{Energy, Violation};
use granum_output::GuardReport;

use super::session::{End, Session};
use crate::Failure;
use crate::quote::quoted;

impl Session {
    /// Checks the guards, and with `ledger` also that of the energy ledger.
    ///
    /// Returns the end of the run if a guard stops it. Other violations are reported as warnings,
    /// the first of each guard with a message.
    pub(super) fn guard(&mut self, ledger: Option<&Energy>) -> Result<Option<End>, Failure> {
        let (passages, step) = (self.simulation.take_passages(), self.simulation.world().time_step());
        // First, because its message names the time step that is needed.
        let mut violations: Vec<Violation> = self.guards.judge_passages(&passages, step).into_iter().collect();
        violations.extend(self.guards.look(self.simulation.world()));
        violations.extend(ledger.and_then(|now| self.guards.look_at_ledger(now, &self.start, self.simulation.world())));
        if let Some(violation) = violations.iter().find(|found| found.rule == Rule::Stop) {
            let message = format!("{}\n{}", self.message(violation), self.report(violation)?);
            return Ok(Some(End::Guard(message)));
        }
        for violation in &violations {
            let name = violation.guard.name();
            if !self.books.warnings.contains_key(name) {
                let (message, report) = (self.message(violation), self.report(violation)?);
                self.console.warn(&format!("{message}\n{report}; further warnings of this guard are only counted"));
            }
            *self.books.warnings.entry(name.to_owned()).or_default() += 1;
        }
        Ok(None)
    }

    /// Returns the message of a violation.
    fn message(&self, violation: &Violation) -> String {
        let world = self.simulation.world();
        let name = violation.guard.name();
        format!("guards.{name} at step {}, t = {:.6e} s: {}", world.steps(), world.time(), violation.message)
    }

    /// Writes the report of a violation, and returns a sentence with the names of its files.
    fn report(&self, violation: &Violation) -> Result<String, Failure> {
        let report = GuardReport::new(violation, self.simulation.world());
        let bodies = self.dir.join("guard.json");
        report.write(&self.dir).map_err(|error| Failure::unwritable(&bodies, &error))?;
        let pairs = self.dir.join("guard_pairs.jsonl");
        Ok(match report.pairs() {
            0 => format!("details are in {}", bodies.display()),
            _ => format!(
                "details are in {}; `granum contact {}` computes its contacts",
                bodies.display(),
                quoted(&pairs)
            ),
        })
    }
}
