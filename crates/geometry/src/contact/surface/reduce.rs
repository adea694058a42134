//! Fewer contact points: no point twice, at most a few with the same normal, and a limit in all.

use glam::DVec3;

use crate::ContactPoint;

/// Distance of two points that count as one, relative to the bounding radius of the grain.
const SAME_POINT: f64 = 1e-7;

/// Cosine above which two normals count as equal.
const SAME_NORMAL: f64 = 1.0 - 1e-12;

/// Largest number of points with the same normal, as many as a face of a box has corners.
const MOST_PER_NORMAL: usize = 4;

/// Drops points at the same place, and all but the outermost of those with the same normal.
/// `radius` is the bounding radius of the grain, m.
pub(super) fn without_superfluous(mut points: Vec<ContactPoint>, radius: f64) -> Vec<ContactPoint> {
    drop_doubles(&mut points, SAME_POINT * radius);
    let mut kept = Vec::with_capacity(points.len());
    while !points.is_empty() {
        let first = points.remove(0);
        let is_same = |point: &ContactPoint| point.normal.dot(first.normal) > SAME_NORMAL;
        let (mut same, others): (Vec<_>, Vec<_>) = points.into_iter().partition(is_same);
        same.insert(0, first);
        kept.extend(outermost(same));
        points = others;
    }
    kept
}

/// Returns at most `most` points, the deepest ones, in the order of their features.
pub(super) fn deepest(mut points: Vec<ContactPoint>, most: usize) -> Vec<ContactPoint> {
    if points.len() > most {
        points.sort_by(|p, q| p.gap.total_cmp(&q.gap).then(p.feature.cmp(&q.feature)));
        points.truncate(most);
    }
    points
}

/// Drops a point at the same place as another with the same normal: the corner of two clipped
/// pieces, or the common end of two edges.
fn drop_doubles(points: &mut Vec<ContactPoint>, distance: f64) {
    let mut k = 1;
    while k < points.len() {
        let is_double = |other: &ContactPoint| {
            (other.arm - points[k].arm).length_squared() <= distance * distance
                && other.normal.dot(points[k].normal) > SAME_NORMAL
        };
        if points[..k].iter().any(is_double) {
            points.remove(k);
        } else {
            k += 1;
        }
    }
}

/// Returns the deepest of several points with the same normal, the one farthest from it, and the
/// farthest on either side of the line between them.
fn outermost(points: Vec<ContactPoint>) -> Vec<ContactPoint> {
    if points.len() <= MOST_PER_NORMAL {
        return points;
    }
    let best = |value: &dyn Fn(&ContactPoint) -> f64| {
        let ordered =
            |p: &&ContactPoint, q: &&ContactPoint| value(p).total_cmp(&value(q)).then(q.feature.cmp(&p.feature));
        *points.iter().max_by(ordered).expect("there are several points")
    };
    let deepest = best(&|point| -point.gap);
    let far = best(&|point| (point.arm - deepest.arm).length_squared());
    let across: DVec3 = deepest.normal.cross(far.arm - deepest.arm);
    let left = best(&|point| across.dot(point.arm - deepest.arm));
    let right = best(&|point| -across.dot(point.arm - deepest.arm));
    let mut kept = vec![deepest];
    for point in [far, left, right] {
        if kept.iter().all(|other| other.feature != point.feature || other.arm != point.arm) {
            kept.push(point);
        }
    }
    kept
}
