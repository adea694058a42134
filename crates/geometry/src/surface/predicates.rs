//! Exact tests whether segments and triangles share a point.
//!
//! All of them use only the exact sign of [`crate::hull::side`], so that they have no tolerance:
//! the answer is that for the coordinates as they are. Triangles must not be degenerate.

use glam::DVec3;

use crate::hull::side;

type Triangle = [DVec3; 3];

/// Position of a segment relative to a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Crossing {
    /// It shares no point with the triangle.
    None,
    /// Its ends lie strictly on different sides, and it passes the interior of the triangle.
    Proper {
        /// True if it runs against the normal of the triangle.
        is_inward: bool,
    },
    /// It has an end in the plane of the triangle, or it passes an edge or a corner.
    Touching,
}

/// Returns how the segment from p to q passes a triangle. A segment in the plane of the triangle is
/// `Touching`, whether it shares a point with the triangle or not.
pub(super) fn crossing(p: DVec3, q: DVec3, triangle: &Triangle) -> Crossing {
    let [a, b, c] = *triangle;
    let (from, to) = (side(a, b, c, p), side(a, b, c, q));
    if !differ(from, to) {
        return Crossing::None;
    }
    let turns = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    let (is_left, is_right) = (turns.iter().any(|&turn| turn > 0.0), turns.iter().any(|&turn| turn < 0.0));
    if is_left && is_right {
        return Crossing::None;
    }
    if from == 0.0 || to == 0.0 || turns.contains(&0.0) {
        return Crossing::Touching;
    }
    Crossing::Proper { is_inward: from > 0.0 }
}

/// Returns whether a segment and a triangle share a point.
pub(super) fn segment_meets_triangle(p: DVec3, q: DVec3, triangle: &Triangle) -> bool {
    let [a, b, c] = *triangle;
    if side(a, b, c, p) == 0.0 && side(a, b, c, q) == 0.0 {
        return in_plane(p, q, triangle);
    }
    crossing(p, q, triangle) != Crossing::None
}

/// Returns the same for a segment in the plane of the triangle.
fn in_plane(p: DVec3, q: DVec3, triangle: &Triangle) -> bool {
    let apex = beside(triangle);
    let turn = |x: DVec3, y: DVec3, z: DVec3| side(x, y, apex, z);
    let contains = |point: DVec3| {
        let turns = [0, 1, 2].map(|k| turn(triangle[k], triangle[(k + 1) % 3], point));
        turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0)
    };
    let crosses = |a: DVec3, b: DVec3| {
        let (to_a, to_b, to_p, to_q) = (turn(p, q, a), turn(p, q, b), turn(a, b, p), turn(a, b, q));
        if to_a == 0.0 && to_b == 0.0 {
            // All four points lie on one line: the segments meet if their boxes do.
            return p.min(q).cmple(a.max(b)).all() && a.min(b).cmple(p.max(q)).all();
        }
        differ(to_a, to_b) && differ(to_p, to_q)
    };
    contains(p) || contains(q) || (0..3).any(|k| crosses(triangle[k], triangle[(k + 1) % 3]))
}

/// Returns whether two signs are not both positive and not both negative.
fn differ(a: f64, b: f64) -> bool {
    !(a > 0.0 && b > 0.0 || a < 0.0 && b < 0.0)
}

/// Returns a point that does not lie in the plane of a triangle. With it, the side of a line in
/// this plane is the side of a plane in space.
fn beside(triangle: &Triangle) -> DVec3 {
    let [a, b, c] = *triangle;
    let size = (b - a).abs().max_element().max((c - a).abs().max_element());
    let normal = ((b - a) / size).cross((c - a) / size);
    let mut apex = a;
    // At least the size of the coordinate, so that the sum differs from it.
    let axis = normal.abs().max_position();
    apex[axis] += size.max(a[axis].abs());
    apex
}

/// Returns whether two triangles without a common vertex share a point.
pub(super) fn triangles_meet(t: &Triangle, u: &Triangle) -> bool {
    let is_apart = |from: &Triangle, other: &Triangle| {
        let sides = other.map(|point| side(from[0], from[1], from[2], point));
        sides.iter().all(|&side| side > 0.0) || sides.iter().all(|&side| side < 0.0)
    };
    if is_apart(t, u) || is_apart(u, t) {
        return false;
    }
    let meets = |edges: &Triangle, other: &Triangle| {
        (0..3).any(|k| segment_meets_triangle(edges[k], edges[(k + 1) % 3], other))
    };
    meets(t, u) || meets(u, t)
}

/// Returns whether two triangles share a point other than their common first corner.
///
/// If they share more than the corner, they share a segment that begins there, and its other end
/// lies on the opposite side of one of them.
pub(super) fn meet_beyond_corner(t: &Triangle, u: &Triangle) -> bool {
    segment_meets_triangle(t[1], t[2], u) || segment_meets_triangle(u[1], u[2], t)
}

/// Returns whether two triangles with the common edge from a to b, and with the third corners c and
/// d, lie on each other.
pub(super) fn are_folded(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> bool {
    if side(a, b, c, d) != 0.0 {
        return false;
    }
    let apex = beside(&[a, b, c]);
    !differ(side(a, b, apex, c), side(a, b, apex, d))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn flat(points: [[f64; 2]; 3]) -> Triangle {
        points.map(|[x, y]| DVec3::new(x, y, 0.0))
    }

    const RIGHT: [[f64; 2]; 3] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];

    #[test]
    fn triangles_in_a_plane_meet_where_they_touch_or_contain_each_other() {
        let t = flat(RIGHT);
        let moved = |by: DVec3| t.map(|corner| corner + by);
        assert!(triangles_meet(&t, &t.map(|corner| 0.1 * corner + DVec3::new(0.2, 0.2, 0.0))), "one inside");
        assert!(triangles_meet(&t, &moved(DVec3::new(0.3, 0.3, 0.0))), "sides cross");
        assert!(triangles_meet(&t, &moved(DVec3::X)), "a corner in common");
        assert!(triangles_meet(&t, &moved(DVec3::new(0.5, 0.0, 0.0))), "on one line");
        assert!(!triangles_meet(&t, &moved(DVec3::new(1.0 + 1e-15, 0.0, 0.0))));
        assert!(!triangles_meet(&t, &moved(DVec3::new(0.0, 0.0, 1e-300))));
        assert!(!triangles_meet(&t, &moved(DVec3::new(0.6, 0.6, 0.0))));
    }

    #[test]
    fn random_triangles_meet_where_a_fine_sample_of_them_says_so() {
        let mut random = Random::new(11);
        let mut met = 0;
        for _ in 0..2000 {
            let mut triangle = || [0, 1, 2].map(|_| random.in_cube());
            let (t, u) = (triangle(), triangle());
            // The line in which both planes meet, and the intervals of it inside t and u.
            let (n, m) = ((t[1] - t[0]).cross(t[2] - t[0]), (u[1] - u[0]).cross(u[2] - u[0]));
            let along = n.cross(m);
            let interval = |of: &Triangle, normal: DVec3, origin: DVec3| {
                let mut ends = Vec::new();
                for k in 0..3 {
                    let (p, q) = (of[k], of[(k + 1) % 3]);
                    let (from, to) = (normal.dot(p - origin), normal.dot(q - origin));
                    if (from > 0.0) != (to > 0.0) {
                        ends.push(along.dot(p.lerp(q, from / (from - to))));
                    }
                }
                (ends.len() == 2).then(|| (ends[0].min(ends[1]), ends[0].max(ends[1])))
            };
            let (of_t, of_u) = (interval(&t, m, u[0]), interval(&u, n, t[0]));
            let expected = matches!((of_t, of_u), (Some(a), Some(b)) if a.0 <= b.1 && b.0 <= a.1);
            assert_eq!(triangles_meet(&t, &u), expected);
            met += usize::from(expected);
        }
        assert!((100..1900).contains(&met), "{met}");
    }

    #[test]
    fn neighbours_meet_only_beyond_what_they_share() {
        let t = flat(RIGHT);
        let fan = flat([[0.0, 0.0], [-1.0, 0.0], [0.0, -1.0]]);
        assert!(!meet_beyond_corner(&t, &fan));
        assert!(meet_beyond_corner(&t, &flat([[0.0, 0.0], [1.0, 0.5], [0.5, 1.0]])));
        let through = [DVec3::ZERO, DVec3::new(0.2, 0.2, 1.0), DVec3::new(0.2, 0.2, -1.0)];
        assert!(meet_beyond_corner(&t, &through));
        let [a, b, c] = t;
        assert!(are_folded(a, b, c, DVec3::new(0.3, 0.7, 0.0)));
        assert!(!are_folded(a, b, c, DVec3::new(0.3, -0.7, 0.0)));
        assert!(!are_folded(a, b, c, DVec3::new(0.3, 0.7, 1e-300)));
    }

    #[test]
    fn a_crossing_has_a_direction() {
        let t = flat(RIGHT);
        let at = |x: f64, z: f64| DVec3::new(x, 0.25, z);
        assert_eq!(crossing(at(0.25, 1.0), at(0.25, -1.0), &t), Crossing::Proper { is_inward: true });
        assert_eq!(crossing(at(0.25, -1.0), at(0.25, 1.0), &t), Crossing::Proper { is_inward: false });
        assert_eq!(crossing(at(0.0, 1.0), at(0.0, -1.0), &t), Crossing::Touching);
        assert_eq!(crossing(at(0.25, 1.0), at(0.25, 0.0), &t), Crossing::Touching);
        assert_eq!(crossing(at(0.9, 1.0), at(0.9, -1.0), &t), Crossing::None);
    }
}
