//! The cases, one file a case or a group of closely related ones.

mod free_fall;
mod special_rotations;
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
];
