//! The cases, one file a case or a group of closely related ones.

mod impact;
mod p1_linear;
mod p2_hertz;
mod worst;

use crate::Case;

/// Every group of cases, in the order of the table.
pub const ALL: &[&Case] = &[&p1_linear::P1, &p2_hertz::P2, &p2_hertz::P3];
