//! Distance of separated polytopes whose nearest features are two corners, or a corner and an edge.
//!
//! No axis of a face or of two edges gives this distance. The algorithm `\[Gilbert1988\]` finds the
//! point of the Minkowski difference nearest to the origin from a few of its corners at a time. The
//! supporting plane at that point proves the result. Without this proof, or if faces or two edges
//! meet, the separating axes are used.

use glam::DVec3;

use super::patch::{CORNER_A, CORNER_B, Point};
use super::{PROVEN, Polytope, PolytopePair};

/// Largest number of steps. Corners of two bodies need three or four.
const MAX_STEPS: usize = 24;

/// Cosine of the angle between the normal and that of a face (1.4e-3 rad) from which the face may
/// take part.
const ALONG_FACE: f64 = 1.0 - 1e-6;

/// The result for two polytopes.
pub(super) enum Apart {
    /// The gap along this unit vector exceeds the margin.
    Far(DVec3),
    /// Unit normal from a to b in axes of a, and the contact.
    Corner(DVec3, Point),
    /// No corner is nearest, or the bodies overlap.
    Unknown,
}

/// A corner of the Minkowski difference b - a, and the two corners of the bodies that form it.
#[derive(Clone, Copy, Default)]
struct Difference {
    at: DVec3,
    a: u16,
    b: u16,
}

/// Up to four corners, the newest last. After [`Simplex::reduce`] they span the feature with the
/// nearest point.
#[derive(Default)]
struct Simplex {
    corners: [Difference; 4],
    len: usize,
}

/// Finds the nearest corners. `start` is the initial direction, of any length.
pub(super) fn apart<A: Polytope, B: Polytope>(pair_in_a: &PolytopePair<A, B>, start: DVec3, margin: f64) -> Apart {
    let tolerance = PROVEN * pair_in_a.size();
    let mut simplex = Simplex::default();
    let first = pair_in_a.farthest_back(start);
    simplex.push(first);
    let mut v = first.at;
    for _ in 0..MAX_STEPS {
        let distance = v.length();
        // The direction of such a short vector is lost to rounding.
        if distance <= tolerance {
            return Apart::Unknown;
        }
        let next = pair_in_a.farthest_back(v);
        // The gap lies between this value and the distance.
        let low = v.dot(next.at) / distance;
        if low > margin {
            return Apart::Far(v / distance);
        }
        if distance - low <= tolerance {
            return if distance > margin { Apart::Far(v / distance) } else { pair_in_a.corner(&simplex, v, distance) };
        }
        // The bounds have not met, but no new corner exists: rounding prevents progress.
        if simplex.corners[..simplex.len].iter().any(|old| (old.a, old.b) == (next.a, next.b)) {
            return Apart::Unknown;
        }
        simplex.push(next);
        v = simplex.reduce();
    }
    Apart::Unknown
}

impl<A: Polytope, B: Polytope> PolytopePair<'_, A, B> {
    /// Returns the corner of the difference that lies farthest opposite to a direction.
    #[inline]
    fn farthest_back(&self, direction: DVec3) -> Difference {
        let a = self.a.farthest(direction);
        let b = self.b.farthest(-(self.back * direction));
        Difference { at: self.corner_b(b) - self.a.corner(a), a: a as u16, b: b as u16 }
    }

    /// Returns the contact of a corner with a corner or an edge of the simplex, unless a face takes
    /// part.
    fn corner(&self, simplex: &Simplex, v: DVec3, distance: f64) -> Apart {
        let [p, q] = [simplex.corners[0], simplex.corners[simplex.len - 1]];
        let (one_of_a, one_of_b) = (p.a == q.a, p.b == q.b);
        // Three corners span a face, and two corners that differ in both bodies belong to two
        // edges. The separating axes find these contacts with all their points.
        if simplex.len > 2 || !(one_of_a || one_of_b) {
            return Apart::Unknown;
        }
        let n = v / distance;
        let n_b = self.back * -n;
        // A face nearly perpendicular to the normal may touch with a patch, which this search would
        // miss.
        let along_a = self.a.plane(self.a.face_along(p.a as usize, n)).0.dot(n);
        let along_b = self.b.plane(self.b.face_along(p.b as usize, n_b)).0.dot(n_b);
        if along_a.max(along_b) > ALONG_FACE {
            return Apart::Unknown;
        }
        let (at, feature) = if one_of_a {
            (self.a.corner(p.a as usize) + 0.5 * v, CORNER_A | u32::from(p.a))
        } else {
            (self.corner_b(p.b as usize) - 0.5 * v, CORNER_B | u32::from(p.b))
        };
        Apart::Corner(n, Point { at, gap: distance, feature })
    }
}

impl Simplex {
    fn push(&mut self, corner: Difference) {
        self.corners[self.len] = corner;
        self.len += 1;
    }

    /// Returns the point of the simplex nearest to the origin and keeps the corners that span its
    /// feature.
    fn reduce(&mut self) -> DVec3 {
        let [p, q, r, s] = self.corners;
        match self.len {
            2 => self.keep(segment(p, q)),
            3 => self.keep(triangle(p, q, r)),
            // The origin does not lie beyond the face opposite to the newest corner.
            _ => {
                let sides = [triangle(p, q, s), triangle(q, r, s), triangle(p, r, s)];
                let nearest = |x: &Kept, y: &Kept| x.at.length_squared().total_cmp(&y.at.length_squared());
                let best = sides.into_iter().min_by(nearest).unwrap_or_else(|| segment(p, s));
                self.keep(best)
            }
        }
    }

    fn keep(&mut self, kept: Kept) -> DVec3 {
        self.corners[..3].copy_from_slice(&kept.corners);
        self.len = kept.len;
        kept.at
    }
}

/// The nearest point of a feature of a simplex, and the corners that span it.
struct Kept {
    at: DVec3,
    corners: [Difference; 3],
    len: usize,
}

fn one(p: Difference) -> Kept {
    Kept { at: p.at, corners: [p; 3], len: 1 }
}

/// Returns the point at the fraction `part` between two corners.
fn two(p: Difference, q: Difference, part: f64) -> Kept {
    Kept { at: p.at + part * (q.at - p.at), corners: [p, q, q], len: 2 }
}

fn segment(p: Difference, q: Difference) -> Kept {
    let along = q.at - p.at;
    let (foot, length) = (-p.at.dot(along), along.length_squared());
    if foot <= 0.0 {
        one(p)
    } else if foot >= length {
        one(q)
    } else {
        two(p, q, foot / length)
    }
}

/// Returns the nearest point of a triangle, by the Voronoi regions of its corners and sides.
fn triangle(p: Difference, q: Difference, r: Difference) -> Kept {
    let (u, v) = (q.at - p.at, r.at - p.at);
    let [up, uq, ur] = [p, q, r].map(|corner| -u.dot(corner.at));
    let [vp, vq, vr] = [p, q, r].map(|corner| -v.dot(corner.at));
    // Voronoi regions of the corners: the origin lies beyond both sides of a corner.
    if up <= 0.0 && vp <= 0.0 {
        return one(p);
    }
    if uq >= 0.0 && vq <= uq {
        return one(q);
    }
    if vr >= 0.0 && ur <= vr {
        return one(r);
    }
    // Voronoi regions of the sides: the signed area of the triangle of the origin with a side is
    // not positive, and the projection lies between the ends.
    if up * vq - uq * vp <= 0.0 && up >= 0.0 && uq <= 0.0 {
        return two(p, q, up / (up - uq));
    }
    if ur * vp - up * vr <= 0.0 && vp >= 0.0 && vr <= 0.0 {
        return two(p, r, vp / (vp - vr));
    }
    if uq * vr - ur * vq <= 0.0 && vq >= uq && ur >= vr {
        return two(q, r, (vq - uq) / ((vq - uq) + (ur - vr)));
    }
    let normal = u.cross(v);
    Kept { at: normal * (normal.dot(p.at) / normal.length_squared()), corners: [p, q, r], len: 3 }
}
