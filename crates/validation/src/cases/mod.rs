//! The cases, one file a case or a group of closely related ones.

mod chains;
mod convergence;
mod free_fall;
mod invariance;
mod ledger;
mod missed_contacts;
mod same_bits;
mod special_rotations;
mod statics;
mod torque_free;

use crate::Case;

/// Every group of cases, in the order of the table.
pub const ALL: &[&Case] = &[
    &free_fall::F1,
    &torque_free::F2,
    &special_rotations::F3,
    &special_rotations::F4,
    &special_rotations::F5,
    &special_rotations::F6,
    &statics::N6,
    &chains::N7,
    &convergence::R1,
    &same_bits::R2,
    &invariance::R3,
    &invariance::R4,
    &ledger::R5,
    &missed_contacts::R6,
    &same_bits::R9,
];
