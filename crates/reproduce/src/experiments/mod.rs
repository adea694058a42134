//! The experiments. Each file has one or a group of related ones.

mod cylinders;
mod ellipses;
mod ellipsoids;
mod paper_measure;
mod random_ellipses;
mod rotation;
mod statistics;
mod superellipsoids;

use crate::{Page, Session, Stopped};

/// One published experiment.
pub struct Experiment {
    /// Name on the command line.
    pub name: &'static str,
    /// Description in one line.
    pub about: &'static str,
    /// Processor time of the full and of the short form, as text.
    pub cost: [&'static str; 2],
    /// Computes the page.
    pub run: fn(&mut Session) -> Result<Page, Stopped>,
}

/// Every experiment, in the order of the publications.
pub const ALL: &[&Experiment] = &[
    &ellipses::EXAMPLES,
    &random_ellipses::FAILURES,
    &superellipsoids::PAIRS,
    &cylinders::QUARTIC,
    &cylinders::REGION,
    &paper_measure::MEASURE,
    &ellipsoids::RELATIONS,
    &rotation::FREE,
];

/// Returns the experiment with this name.
pub fn named(name: &str) -> Option<&'static Experiment> {
    ALL.iter().copied().find(|experiment| experiment.name.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_unique() {
        for (k, experiment) in super::ALL.iter().enumerate() {
            let same = |other: &&&super::Experiment| other.name.eq_ignore_ascii_case(experiment.name);
            assert!(super::ALL[..k].iter().all(|other| !same(&other)), "{}", experiment.name);
        }
    }
}
