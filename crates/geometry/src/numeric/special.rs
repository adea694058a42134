//! Special functions in the closed forms of volumes.

/// Returns Euler's beta function for positive arguments, with an error of a few roundings.
pub fn beta(x: f64, y: f64) -> f64 {
    libm::tgamma(x) * libm::tgamma(y) / libm::tgamma(x + y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beta_has_its_known_values() {
        for (x, y, expected) in [
            (0.5, 0.5, std::f64::consts::PI),
            (1.0, 1.0, 1.0),
            (2.0, 3.0, 1.0 / 12.0),
            (2.5, 1.0, 0.4),
            (1.5, 1.5, std::f64::consts::PI / 8.0),
        ] {
            assert!((beta(x, y) / expected - 1.0).abs() < 4e-15, "B({x}, {y}) = {}", beta(x, y));
        }
    }

    #[test]
    fn beta_obeys_its_recurrence_for_small_arguments() {
        // B(x, y) = B(x + 1, y) (x + y)/x
        for x in [1e-3, 0.05, 0.15, 0.95, 2.9] {
            let y = 0.37;
            assert!((beta(x, y) / (beta(x + 1.0, y) * (x + y) / x) - 1.0).abs() < 1e-14);
        }
    }
}
