//! Solvers of the convex program: block descent with Newton steps, Uzawa's method, interior point.

mod block6;
pub mod block_descent;
mod block_ldl;
mod conjugate_gradients;
pub(super) mod contact_rows;
mod friction_cone;
mod hessian;
#[cfg(feature = "clarabel")]
pub mod interior_point;
mod jacobians;
mod newton;
mod primal_dual;
mod proximal_response;
pub mod uzawa;
