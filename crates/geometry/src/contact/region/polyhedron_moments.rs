//! The smooth overlap D of a polyhedral region, exact from sums over its facets.
//!
//! The region is closed and convex, and each facet lies on the surface of one of the two bodies.
//! Volume, centroid and second moments are sums over the tetrahedra from an inner point to the
//! triangles of the facets. The gradient of D is the integral of the quadratic weight
//! `q = (D^3/96 V) (x' C^-2 x - tr C^-1)` over the facets of one body, a sum over their triangles.
//! See the README of this folder.
//!
//! Regions are often thin: a resting face overlaps by a millionth of its width. The smallest second
//! moment is then 1e-12 of the largest one. All sums are therefore made in axes that are nearly
//! principal axes of the region, so that each moment has its own relative accuracy.

use glam::{DMat3, DVec3};

use super::{MeasureGradient, SmoothOverlap};
use crate::ContactPatch;
use crate::hull::principal_axes;

/// Least determinant of the correlation matrix of the second moments, 1 for principal axes. Below
/// it the axes are replaced by the principal axes: the inverse would lose digits.
const ALIGNED: f64 = 0.05;

/// Largest number of changes of the axes. One is usual; each gains as many digits as a number has.
const MAX_CHANGES: usize = 3;

/// Weights of the sums over a triangle with the corners `p, q, r` and the sum `s = p + q + r`: the
/// mean of `x x'` is `(p p' + q q' + r r' + s s')/12`, and a product of three coordinates has the
/// mean `sum of w_ijk / 60` with `w = 1 + d_ij + d_jk + d_ik + 2 d_ijk`.
const DEGREE_2: f64 = 1.0 / 12.0;
const DEGREE_3: f64 = 1.0 / 60.0;

/// The closed surface of a convex region: facets one after the other.
#[derive(Default)]
pub(in crate::contact) struct RegionSurface {
    corners: Vec<DVec3>,
    facets: Vec<Facet>,
    /// The corners in the axes of the sums.
    local: Vec<DVec3>,
}

#[derive(Clone, Copy)]
struct Facet {
    /// One past its last corner; its first corner follows the facet before.
    end: usize,
    /// True if it lies on the surface of a, false if on that of b.
    is_of_a: bool,
}

/// Volume and moments of a region in the axes of the sums.
struct Moments {
    volume: f64,
    centroid: DVec3,
    /// Second moments about the centroid over the volume, m².
    spread: DMat3,
}

impl RegionSurface {
    /// Removes all facets.
    pub fn clear(&mut self) {
        self.corners.clear();
        self.facets.clear();
    }

    /// Adds a facet with its corners, anticlockwise as seen from outside the region. Facets with
    /// fewer than three corners are ignored.
    pub fn push(&mut self, corners: impl IntoIterator<Item = DVec3>, is_of_a: bool) {
        let start = self.corners.len();
        self.corners.extend(corners);
        if self.corners.len() < start + 3 {
            self.corners.truncate(start);
        } else {
            self.facets.push(Facet { end: self.corners.len(), is_of_a });
        }
    }

    /// Returns whether no facet was added.
    pub fn is_empty(&self) -> bool {
        self.facets.is_empty()
    }

    /// Returns the smooth overlap; `None` if the region has no volume. Vectors are in the axes of
    /// the corners, and positions from their origin, to which the rotation of the gradient refers.
    ///
    /// `thin` is the direction in which the region is probably thinnest, a unit vector. A bad guess
    /// costs time but no accuracy.
    pub fn smooth_overlap(&mut self, thin: DVec3) -> Option<SmoothOverlap> {
        // The mean of the corners is inside a convex region, so that all tetrahedra have positive
        // volumes and nothing cancels.
        let mut axes = self.first_axes(thin);
        let origin = self.corners.iter().sum::<DVec3>() / self.corners.len() as f64;
        let mut changes = 0;
        let (moments, inverse) = loop {
            self.place(origin, &axes);
            let moments = self.moments()?;
            let (inverse, determinant) = scaled_inverse(&moments.spread)?;
            if determinant > ALIGNED || changes == MAX_CHANGES {
                break (moments, inverse);
            }
            // The sums are made again in the better axes. A rotation of the matrix alone would keep
            // its rounding errors.
            axes *= principal_axes(moments.spread).1;
            changes += 1;
        };
        let Moments { volume, centroid, spread } = moments;
        let trace = inverse.x_axis.x + inverse.y_axis.y + inverse.z_axis.z;
        let length = (48.0 / trace).sqrt();
        let scale = length * length * length / (96.0 * volume);
        let form = inverse * inverse;
        let (translation, rotation) = self.weighted_surface_integral(centroid, &form, trace);
        let (translation, rotation) = (scale * translation, scale * rotation);
        // A region as thin as rounding errors can have a NaN or an infinite gradient.
        if !(length > 0.0 && translation.is_finite() && rotation.is_finite()) {
            return None;
        }
        let patch = ContactPatch::of(spread, translation.normalize_or(DVec3::Z));
        let centroid = origin + axes * centroid;
        let translation = axes * translation;
        // The moment refers to the centroid; that about the origin is returned.
        let rotation = axes * rotation + centroid.cross(translation);
        Some(SmoothOverlap {
            length,
            centroid,
            gradient: MeasureGradient { translation, rotation },
            patch: ContactPatch(patch.0.map(|vector| axes * vector)),
            evaluations: 0,
        })
    }

    /// Returns volume, centroid and second moments over the volume, in the axes of the corners;
    /// `None` if the region has no volume.
    #[cfg(test)]
    fn properties(&mut self) -> Option<(f64, DVec3, DMat3)> {
        let origin = self.corners.iter().sum::<DVec3>() / self.corners.len() as f64;
        self.place(origin, &DMat3::IDENTITY);
        self.moments().map(|Moments { volume, centroid, spread }| (volume, origin + centroid, spread))
    }

    /// Returns each facet with its corners in the axes of the sums.
    fn facets(&self) -> impl Iterator<Item = (&[DVec3], bool)> {
        let starts = std::iter::once(0).chain(self.facets.iter().map(|facet| facet.end));
        starts.zip(&self.facets).map(|(start, facet)| (&self.local[start..facet.end], facet.is_of_a))
    }

    /// Returns axes with z along the thin direction and x towards the farthest corner: for a plate
    /// and for a needle that lies across `thin` they are nearly principal axes.
    fn first_axes(&self, thin: DVec3) -> DMat3 {
        let across = |corner: &DVec3| {
            let run = *corner - self.corners[0];
            run - run.dot(thin) * thin
        };
        let longest = self.corners.iter().map(across).fold(DVec3::ZERO, |longest, run| {
            if run.length_squared() > longest.length_squared() { run } else { longest }
        });
        let x = longest.try_normalize().unwrap_or_else(|| thin.any_orthonormal_vector());
        DMat3::from_cols(x, thin.cross(x), thin)
    }

    /// Computes the corners in the axes of the sums.
    fn place(&mut self, origin: DVec3, axes: &DMat3) {
        let back = axes.transpose();
        self.local.clear();
        self.local.extend(self.corners.iter().map(|&corner| back * (corner - origin)));
    }

    /// Sums over the tetrahedra from the origin, which lies inside, to all triangles.
    fn moments(&self) -> Option<Moments> {
        let (mut six_fold, mut first) = (0.0, DVec3::ZERO);
        let (mut diagonal, mut mixed) = (DVec3::ZERO, DVec3::ZERO);
        for (corners, _) in self.facets() {
            for [p, q, r] in fan(corners) {
                // Six times the volume of the tetrahedron. Its centroid is s/4, and the mean of
                // x x' over it is (p p' + q q' + r r' + s s')/20.
                let w = p.dot((q - p).cross(r - p));
                let s = p + q + r;
                six_fold += w;
                first += w * s;
                diagonal += w * (p * p + q * q + r * r + s * s);
                // yz, zx and xy.
                let turned = |v: DVec3| DVec3::new(v.y * v.z, v.z * v.x, v.x * v.y);
                mixed += w * (turned(p) + turned(q) + turned(r) + turned(s));
            }
        }
        if six_fold <= 0.0 {
            return None;
        }
        let centroid = first / (4.0 * six_fold);
        let diagonal = diagonal / (20.0 * six_fold) - centroid * centroid;
        let mixed = mixed / (20.0 * six_fold)
            - DVec3::new(centroid.y * centroid.z, centroid.z * centroid.x, centroid.x * centroid.y);
        let spread = DMat3::from_cols(
            DVec3::new(diagonal.x, mixed.z, mixed.y),
            DVec3::new(mixed.z, diagonal.y, mixed.x),
            DVec3::new(mixed.y, mixed.x, diagonal.z),
        );
        Some(Moments { volume: six_fold / 6.0, centroid, spread })
    }

    /// Returns the integral of `(x' form x - constant) n` over the surface of a, and that of the
    /// moment `x × n` with the same weight, with x from `centroid`. Over the whole surface both are
    /// zero, so that the body with fewer corners is integrated.
    fn weighted_surface_integral(&self, centroid: DVec3, form: &DMat3, constant: f64) -> (DVec3, DVec3) {
        let of_a: usize = self.facets().filter(|(_, is_of_a)| *is_of_a).map(|(corners, _)| corners.len()).sum();
        if 2 * of_a <= self.local.len() {
            return self.sum_over(true, centroid, form, constant);
        }
        let (force, moment) = self.sum_over(false, centroid, form, constant);
        (-force, -moment)
    }

    /// Returns the same integrals over the facets of a or of b, with the outward normal of the
    /// region.
    fn sum_over(&self, over_a: bool, centroid: DVec3, form: &DMat3, constant: f64) -> (DVec3, DVec3) {
        let (mut force, mut moment) = (DVec3::ZERO, DVec3::ZERO);
        for (corners, _) in self.facets().filter(|(_, is_of_a)| *is_of_a == over_a) {
            for triangle in fan(corners) {
                let [p, q, r] = triangle.map(|corner| corner - centroid);
                let area = 0.5 * (q - p).cross(r - p);
                let s = p + q + r;
                let of_s = *form * s;
                let [own_p, own_q, own_r] = [p, q, r].map(|v| v.dot(*form * v));
                // 12 times the mean of x' form x over the triangle.
                let both = s.dot(of_s) + own_p + own_q + own_r;
                force += (DEGREE_2 * both - constant) * area;
                // 60 times the mean of (x' form x) x.
                let cubic = both * s
                    + 2.0 * ((p.dot(of_s) + own_p) * p + (q.dot(of_s) + own_q) * q + (r.dot(of_s) + own_r) * r);
                moment += (DEGREE_3 * cubic - constant / 3.0 * s).cross(area);
            }
        }
        (force, moment)
    }
}

/// Returns the triangles of a convex polygon.
fn fan(corners: &[DVec3]) -> impl Iterator<Item = [DVec3; 3]> {
    corners.windows(2).skip(1).map(|edge| [corners[0], edge[0], edge[1]])
}

/// Returns the inverse of a positive definite matrix whose diagonal may span many orders of
/// magnitude, and the determinant of the matrix scaled to a diagonal of ones.
fn scaled_inverse(matrix: &DMat3) -> Option<(DMat3, f64)> {
    let diagonal = DVec3::new(matrix.x_axis.x, matrix.y_axis.y, matrix.z_axis.z);
    if diagonal.min_element() <= 0.0 {
        return None;
    }
    // Scaled to a diagonal of ones, the matrix is well conditioned even if the region is thin.
    let scale = DVec3::from_array(diagonal.to_array().map(|value| 1.0 / value.sqrt()));
    let (z, y, x) =
        (matrix.x_axis.y * scale.x * scale.y, matrix.x_axis.z * scale.x * scale.z, matrix.y_axis.z * scale.y * scale.z);
    let determinant = 1.0 + 2.0 * x * y * z - x * x - y * y - z * z;
    if determinant <= 0.0 {
        return None;
    }
    let inverse = DMat3::from_cols(
        DVec3::new(1.0 - x * x, x * y - z, x * z - y),
        DVec3::new(x * y - z, 1.0 - y * y, y * z - x),
        DVec3::new(x * z - y, y * z - x, 1.0 - z * z),
    ) * (1.0 / determinant);
    let scales = DMat3::from_diagonal(scale);
    Some((scales * inverse * scales, determinant))
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use crate::contact::polytope::{Cuboid, Polytope};
    use crate::shape::{Polyhedron, rock};

    /// The surface of a polytope in other axes; `is_of_a` returns the owner of each face.
    fn surface(body: &impl Polytope, place: impl Fn(DVec3) -> DVec3, is_of_a: impl Fn(usize) -> bool) -> RegionSurface {
        let mut surface = RegionSurface::default();
        for face in 0..body.face_count() {
            surface.push(body.ring(face).iter().map(|&k| place(body.corner(k as usize))), is_of_a(face));
        }
        surface
    }

    fn turn(k: usize) -> DQuat {
        let part = |rate: f64| (k as f64 * rate).fract() - 0.5;
        DQuat::from_scaled_axis(6.0 * DVec3::new(part(0.618), part(0.324), part(0.755)))
    }

    #[test]
    fn moments_of_rocks_are_those_of_their_hulls() {
        for seed in 0..50 {
            let stone = Polyhedron::new(rock([1.0, 0.8, 0.6], 20.0, f64::from(seed)).unwrap()).unwrap();
            let (axes, at) = (turn(seed as usize), DVec3::new(2.0, -1.0, 3.0));
            let (volume, centroid, spread) =
                surface(stone.hull(), |p| at + axes * p, |_| true).properties().expect("a volume");
            let hull = stone.hull();
            assert!((volume / hull.volume() - 1.0).abs() < 1e-13);
            assert!((centroid - at).length() < 1e-13);
            // The hull is in its principal axes: the moment of inertia about x is that of y² + z².
            let back = DMat3::from_quat(axes.inverse());
            let own = back * spread * back.transpose() * volume;
            let [x, y, z] = [own.x_axis.x, own.y_axis.y, own.z_axis.z];
            assert!((DVec3::new(y + z, z + x, x + y) - hull.moments()).length() < 1e-12);
            assert!(own.x_axis.y.abs() + own.y_axis.z.abs() + own.z_axis.x.abs() < 1e-12);
        }
    }

    #[test]
    fn bricks_of_any_thickness_have_their_closed_form_in_any_axes() {
        for k in 0..60 {
            let thickness = 10f64.powi(-(k % 7));
            // A plate or a needle, with the thin axis given, unknown or wrong.
            let half = if k % 2 == 0 { DVec3::new(0.5, 0.4, thickness) } else { DVec3::new(0.5, thickness, thickness) };
            let axes = turn(k as usize);
            let thin = [axes * DVec3::Z, DVec3::Z, axes * DVec3::X][k as usize % 3];
            let found = surface(&Cuboid(half), |p| DVec3::ONE + axes * p, |face| face == 4).smooth_overlap(thin);
            let found = found.expect("a volume");
            let exact = 4.0 / half.to_array().map(|h| 1.0 / (h * h)).iter().sum::<f64>().sqrt();
            assert!((found.length / exact - 1.0).abs() < 1e-15 / thickness * 100.0, "{half} {} {exact}", found.length);
            assert!((found.centroid - DVec3::ONE).length() < 1e-15 / thickness * 100.0);
            // Only the edge along z changes as its upper face moves: dD/dc = D^3/4c^3.
            let rate = (exact / (2.0 * half.z)).powi(3) / 4.0;
            assert!((found.gradient.translation - rate * (axes * DVec3::Z)).length() < 1e-12 / thickness);
            // The moment is about the origin of the corners.
            let moment = DVec3::ONE.cross(found.gradient.translation);
            assert!((found.gradient.rotation - moment).length() < 1e-12 / thickness);
        }
    }

    #[test]
    fn the_gradients_over_both_bodies_are_opposite() {
        for seed in 0..50u32 {
            let stone = Polyhedron::new(rock([1.0, 0.5, 0.6], 16.0, f64::from(seed)).unwrap()).unwrap();
            let is_of_a = |face: usize| (face as u32 * 7 + seed).is_multiple_of(3);
            let (axes, thin) = (turn(seed as usize), DVec3::X);
            let place = |p: DVec3| axes * p + DVec3::Y;
            let [one, other] = [true, false].map(|own| {
                let mut region = surface(stone.hull(), place, |face| is_of_a(face) == own);
                region.smooth_overlap(thin).expect("a volume").gradient
            });
            assert!((one.translation + other.translation).length() < 1e-13);
            assert!((one.rotation + other.rotation).length() < 1e-13);
            // Each of the two, summed over its own facets.
            let mut region = surface(stone.hull(), place, is_of_a);
            let mut swapped = surface(stone.hull(), place, |face| !is_of_a(face));
            for region in [&mut region, &mut swapped] {
                region.place(DVec3::ZERO, &DMat3::IDENTITY);
            }
            let Moments { centroid, spread, .. } = region.moments().expect("a volume");
            let inverse = spread.inverse();
            let trace = inverse.x_axis.x + inverse.y_axis.y + inverse.z_axis.z;
            let sums = [&region, &swapped].map(|region| region.sum_over(true, centroid, &(inverse * inverse), trace));
            let size = sums[0].0.length() + sums[0].1.length();
            assert!((sums[0].0 + sums[1].0).length() < 1e-12 * size, "{sums:?}");
            assert!((sums[0].1 + sums[1].1).length() < 1e-12 * size, "{sums:?}");
        }
    }

    #[test]
    fn a_region_without_volume_has_no_overlap() {
        assert!(surface(&Cuboid(DVec3::new(1.0, 1.0, 0.0)), |p| p, |_| true).smooth_overlap(DVec3::Z).is_none());
        let mut empty = RegionSurface::default();
        empty.push([DVec3::ZERO, DVec3::X], true);
        assert!(empty.is_empty());
    }
}
