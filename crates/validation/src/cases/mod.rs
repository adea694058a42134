//! The validation cases. Each file has one case or a group of related ones.

mod acd2_reference;
mod b8_cylinders;
mod billiard;
mod block;
mod bulk;
mod chains;
mod collision;
mod convergence;
mod cylinders;
mod free_fall;
mod g1_mass;
mod g2_ellipses;
mod g3_pairs;
mod g4_pencil;
mod g6_blocks;
mod impact;
mod invariance;
mod ledger;
mod million_steps;
mod missed_contacts;
mod n1_impact;
mod n3_rocking;
mod n4_billiard;
mod n8_equilibria;
mod p1_linear;
mod p2_hertz;
mod p4_chung_ooi;
mod p4_oblique;
mod p5_mfix;
mod p6_chrono;
mod p7_slope;
mod packing;
mod packings;
mod percussion_hills;
mod percussion_programs;
mod percussion_worlds;
mod planar_impact;
mod r8_limits;
mod rocking;
mod same_bits;
mod special_rotations;
mod stacks;
mod statics;
mod torque_free;
mod w1_janssen;
mod w2_beverloo;
mod w3_slot;
mod w4_collapse;
mod w5_repose;
mod w6_drum;
mod worst;

pub use torque_free::{Spinner, angle};

use crate::Case;

/// Every case, in the order of the table.
pub const ALL: &[&Case] = &[
    &g1_mass::G1,
    &g3_pairs::G3,
    &g3_pairs::G3_FULL,
    &g4_pencil::G4,
    &cylinders::G5,
    &g6_blocks::G6,
    &free_fall::F1,
    &torque_free::F2,
    &special_rotations::F3,
    &special_rotations::F4,
    &special_rotations::F5,
    &special_rotations::F6,
    &g2_ellipses::G2,
    &p1_linear::P1,
    &p2_hertz::P2,
    &p2_hertz::P3,
    &p4_chung_ooi::P4,
    &p5_mfix::P5,
    &p6_chrono::P6,
    &p7_slope::P7,
    &p7_slope::P7_TRIANGLES,
    &cylinders::P7,
    &cylinders::P7_TRIANGLES,
    &block::P8,
    &block::P8_TRIANGLES,
    &block::P9,
    &planar_impact::N1,
    &planar_impact::N2,
    &rocking::N3,
    &billiard::N4,
    &n1_impact::N1,
    &n1_impact::N1_TRIANGLES,
    &cylinders::N1,
    &cylinders::N1_TRIANGLES,
    &n3_rocking::N3,
    &n3_rocking::N3_TRIANGLES,
    &n4_billiard::N4,
    &n4_billiard::N4_TRIANGLES,
    &block::N5,
    &block::N5_TRIANGLES,
    &statics::N6,
    &chains::N7,
    &n8_equilibria::N8,
    &cylinders::N8,
    &stacks::N10,
    &stacks::N10_FULL,
    &convergence::R1,
    &same_bits::R2,
    &invariance::R3,
    &invariance::R4,
    &ledger::R5,
    &million_steps::R5,
    &missed_contacts::R6,
    &r8_limits::R8,
    &same_bits::R9,
    &percussion_programs::A,
    &acd2_reference::A_REFERENCE,
    &percussion_worlds::A_WORLDS,
    &percussion_worlds::A_TRIANGLES,
    &percussion_hills::A_HILLS,
    &packings::B1,
    &packings::B2,
    &packings::B3,
    &packings::B5,
    &packings::B7,
    &b8_cylinders::B8,
    &b8_cylinders::B9,
    &w1_janssen::W1,
    &w2_beverloo::W2,
    &w3_slot::W3,
    &w4_collapse::W4,
    &w5_repose::W5,
    &w6_drum::W6,
    &w6_drum::W6_HALF,
];
