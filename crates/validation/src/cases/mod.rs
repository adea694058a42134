//! The cases, one file a case or a group of closely related ones.

mod impact;
mod p1_linear;
mod p2_hertz;
mod p4_chung_ooi;
mod p4_oblique;
mod p5_mfix;
mod p6_chrono;
mod p7_slope;
mod worst;

use crate::Case;

/// Every group of cases, in the order of the table.
pub const ALL: &[&Case] =
    &[&p1_linear::P1, &p2_hertz::P2, &p2_hertz::P3, &p4_chung_ooi::P4, &p5_mfix::P5, &p6_chrono::P6, &p7_slope::P7];
