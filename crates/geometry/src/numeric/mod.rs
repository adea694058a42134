//! Numerical tools without geometry of their own: frames, quadrature, special functions, norms.

pub mod math;
pub(crate) mod norm;
pub(crate) mod power;
pub mod special;
pub(crate) mod two_vectors;
