//! What a run does when a guard has something to say.

use granum_engine::guard::Rule;
use granum_engine::{Energy, Violation};
use granum_output::GuardReport;

use super::session::{End, Session};
use crate::Failure;

impl Session {
    /// Asks the guards; that of the ledger too, where there is one. The first that stops the run is the run's end.
    pub(super) fn guard(&mut self, ledger: Option<&Energy>) -> Result<Option<End>, Failure> {
        let mut violations = self.guards.look(self.simulation.world());
        violations.extend(ledger.and_then(|now| self.guards.look_at_ledger(now, &self.start)));
        if let Some(violation) = violations.iter().find(|found| found.rule == Rule::Stop) {
            let message = format!("{}\n{}", self.sentence(violation), self.report(violation)?);
            return Ok(Some(End::Guard(message)));
        }
        for violation in &violations {
            let name = violation.guard.name();
            if !self.books.warnings.contains_key(name) {
                let (sentence, report) = (self.sentence(violation), self.report(violation)?);
                self.console.warn(&format!("{sentence}\n{report}; from now on such warnings are only counted"));
            }
            *self.books.warnings.entry(name.to_owned()).or_default() += 1;
        }
        Ok(None)
    }

    fn sentence(&self, violation: &Violation) -> String {
        let world = self.simulation.world();
        let name = violation.guard.name();
        format!("guards.{name} at step {}, t = {:.6e} s: {}", world.steps(), world.time(), violation.message)
    }

    /// Writes what a guard saw; says where.
    fn report(&self, violation: &Violation) -> Result<String, Failure> {
        let report = GuardReport::new(violation, self.simulation.world());
        let bodies = self.dir.join("guard.json");
        report.write(&self.dir).map_err(|error| Failure::unwritable(&bodies, &error))?;
        let pairs = self.dir.join("guard_pairs.jsonl");
        Ok(match report.pairs() {
            0 => format!("what it saw is in {}", bodies.display()),
            _ => format!("what it saw is in {}; `granum contact {}` replays it", bodies.display(), pairs.display()),
        })
    }
}
