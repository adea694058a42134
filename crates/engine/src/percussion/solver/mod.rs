//! Solvers of the convex program: block descent with Newton steps, Uzawa, interior point.

mod answer;
pub mod block_descent;
mod blocks;
mod body_matrix;
mod factor;
mod incomplete;
#[cfg(feature = "clarabel")]
pub mod interior_point;
mod newton;
pub(super) mod rows;
pub mod uzawa;
