//! The cases, one file a case or a group of closely related ones.

use crate::Case;

/// Every group of cases, in the order of the table.
pub const ALL: &[&Case] = &[];
