//! The validation suite: cases with exact or published results, computed by the same engine as any
//! scene.
//!
//! A case is one function in one file under `cases/` and one line in [`cases::ALL`]. It writes rows
//! into a [`Report`]: the checked quantity, the reference, the value of granum, the error and its
//! limit. The limits are those of the source of the reference. A row that misses its limit fails; a
//! note states the reason if it is known.

pub mod cases;
pub mod ellipse_examples;
mod ground;
mod jacobi;
mod known_misses;
mod laboratory;
mod mixed_shapes;
mod report;

pub use cases::{Spinner, angle};
pub use report::{Report, Row};

/// One validation case.
#[derive(Clone, Copy)]
pub struct Case {
    /// Short name, as on the command line: `P1`.
    pub name: &'static str,
    /// Duration: 0 less than a second, 1 seconds, 2 minutes, 3 an hour or more.
    pub tier: u8,
    /// Description in one line.
    pub about: &'static str,
    /// Function that runs the case.
    pub run: fn(&mut Report),
}

/// Runs the cases up to `tier`, or only the case named `only`, in the order of the list.
pub fn run(tier: u8, only: Option<&str>) -> Vec<Row> {
    let mut rows = Vec::new();
    for case in selected(tier, only) {
        let mut report = Report::new(case.name);
        (case.run)(&mut report);
        rows.extend(report.into_rows());
    }
    rows
}

/// Returns the cases that [`run`] would run.
pub fn selected(tier: u8, only: Option<&str>) -> impl Iterator<Item = &'static Case> {
    cases::ALL.iter().copied().filter(move |case| match only {
        Some(name) => case.name.eq_ignore_ascii_case(name),
        None => case.tier <= tier,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fast_case_is_as_known() {
        let unknown: Vec<Row> = run(0, None).into_iter().filter(|row| !row.as_known()).collect();
        assert!(unknown.is_empty(), "{unknown:#?}");
    }

    #[test]
    fn names_are_unique() {
        for (k, case) in cases::ALL.iter().enumerate() {
            assert!(cases::ALL[..k].iter().all(|other| !other.name.eq_ignore_ascii_case(case.name)), "{}", case.name);
        }
    }
}
