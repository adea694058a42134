//! Free rotation of a rigid body by a small angle: the Magnus series of order four.
//!
//! In body axes the angular momentum obeys `l' = l x J l`, with J the inverse moments. Its Taylor
//! coefficients follow by recursion, and `w = J l` from them. The rotation vector obeys
//! `r' = w + r x w/2 + r x (r x w)/12 + ...` \[Iserles2000\], which gives with `w_n = w^(n)/n!`
//!
//! `r = t w_0 + t²/2 w_1 + t³/3 w_2 + t⁴/4 w_3 + t³/12 w_0 x (w_1 + t w_2) + O(t⁵)`.
//!
//! The double products cancel to this order.

use glam::DVec3;

/// Returns the rotation vector in body axes, rad, after the time `t`, s, of a body with the angular
/// momentum `l` in body axes, kg m²/s, and these inverse principal moments.
#[inline(always)]
pub fn rotation_vector(l: DVec3, inverse_moments: DVec3, t: f64) -> DVec3 {
    // Each coefficient contains its power of t.
    let j = t * inverse_moments;
    let difference = DVec3::new(j.z - j.y, j.x - j.z, j.y - j.x);
    let product = |a: DVec3, b: DVec3| DVec3::new(a.y * b.z, a.z * b.x, a.x * b.y);
    let l1 = difference * product(l, l);
    let l2 = 0.5 * difference * (product(l, l1) + product(l1, l));
    let l3 = 1.0 / 3.0 * difference * (product(l, l2) + product(l1, l1) + product(l2, l));
    let straight = j * (l + 0.5 * l1 + 1.0 / 3.0 * l2 + 0.25 * l3);
    straight + 1.0 / 12.0 * (j * l).cross(j * (l1 + l2))
}

#[cfg(test)]
mod tests {
    use glam::DQuat;
    use granum_geometry::random::Random;

    use super::*;
    use crate::rotation::free_rotation::FreeRotation;
    use crate::rotation::series;
    use crate::rotation::{InertiaKind, SMALL_TURN, rotate};

    /// Calls `check` with moments, spin in body axes and attitude of random bodies. The spin is
    /// about 1 rad/s.
    fn for_random_bodies(count: u32, mut check: impl FnMut(DVec3, DVec3, DQuat)) {
        let mut source = Random::new(11);
        let mut random = || source.unit();
        for _ in 0..count {
            // Moments of a cloud of points: none is larger than the others together.
            let [a, b, c] = [0; 3].map(|_| 1e-3 + random());
            let moments = DVec3::new(b + c, c + a, a + b);
            let spin = DVec3::new(random() - 0.5, random() - 0.5, random() - 0.5).normalize();
            let attitude = DQuat::from_xyzw(random(), random() - 0.5, random(), random()).normalize();
            check(moments, spin, attitude);
        }
    }

    #[test]
    fn a_small_turn_is_exact_to_rounding() {
        for_random_bodies(20_000, |moments, spin, attitude| {
            let (l, inverse, t) = (attitude * (moments * spin), moments.recip(), 0.999 * SMALL_TURN);
            let found = rotate(attitude, l, inverse, InertiaKind::of(inverse), t);
            let wanted = series::turned(attitude, spin, moments, t);
            // Both results contain about three rounding errors of a unit quaternion.
            let off = 2.0 * (found * wanted.conjugate()).xyz().length();
            assert!(off < 1.5e-15, "{off:e} rad");
        });
    }

    #[test]
    fn the_error_of_a_turn_is_of_order_five() {
        let mut greatest = 0.0f64;
        for_random_bodies(20_000, |moments, spin, _| {
            let error = |angle: f64| {
                let found = DQuat::from_scaled_axis(rotation_vector(moments * spin, moments.recip(), angle));
                2.0 * (found - series::turned(DQuat::IDENTITY, spin, moments, angle)).length()
            };
            greatest = greatest.max(error(0.04) / 0.04f64.powi(5));
            let [coarse, fine] = [0.04, 0.02].map(error);
            assert!(fine < coarse / 24.0 + 1e-15, "{coarse:e} {fine:e} for moments {moments}, spin {spin}");
        });
        assert!(greatest < 5e-2, "error {greatest:e} times the fifth power of the angle");
    }

    /// The splitting is symplectic and has no drift. That of the series must stay below rounding.
    #[test]
    fn a_million_small_turns_keep_the_energy() {
        let (moments, spin) = (DVec3::new(1.0, 1.7, 2.4), DVec3::new(0.3, 0.9, -0.4).normalize());
        let inverse = moments.recip();
        let kind = InertiaKind::of(inverse);
        let l = moments * spin;
        let (mut q, steps) = (DQuat::IDENTITY, 1_000_000);
        // The spin remains below 1.5 rad/s.
        let t = SMALL_TURN / 1.5;
        for _ in 0..steps {
            q = rotate(q, l, inverse, kind, t);
        }
        let energy = |q: DQuat| {
            let in_body = q.conjugate() * l;
            0.5 * in_body.dot(inverse * in_body)
        };
        let drift = energy(q) / energy(DQuat::IDENTITY) - 1.0;
        assert!(drift.abs() < 1e-12, "drift {drift:e}");
        let wanted = FreeRotation::new(moments, spin, DQuat::IDENTITY).at(t * f64::from(steps)).1;
        let off = (q.conjugate() * wanted).xyz().length();
        assert!(off < 1e-10, "attitude {off:e} rad");
    }
}
