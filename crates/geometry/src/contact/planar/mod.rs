//! Contact of planar bodies: the gap as a function of one angle, and its global maximum.
//!
//! Input: two [`Profile`]s and their relative pose. Output: a [`Contact`], or `None` if the gap
//! exceeds a margin. The equations are in `docs/theory/plane.md`.

mod circle_contact;
pub(super) mod disc_disc;
mod frame;
mod global_minimum;
pub(super) mod inside_circle_planar;
mod local_maximum;
pub(crate) mod planar_planar;
pub(super) mod polygon_planar;
pub(super) mod polygon_smooth;
mod problem;
mod profile;
pub(super) mod segment_planar;
mod warm_start;

pub use circle_contact::{Touch, farthest};
pub use frame::Frame;
pub use local_maximum::{Contact, common_normal};
pub use planar_planar::collide as collide_smooth;
pub(crate) use profile::component_range;
pub use profile::{Extreme, MAX_PARTS, Profile, Seam};
