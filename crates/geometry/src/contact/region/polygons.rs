//! Overlap region of two polygons: one is clipped by the edges of the other. Area, and the
//! derivatives of the area with respect to the poses.

use glam::{DVec2, DVec3};

use super::{MeasureGradient, OverlapRegion};
use crate::Pair;
use crate::contact::planar::Frame;
use crate::shape::Polygon;

/// A corner of the region. The flag is true if the edge that begins there lies on a, false if it
/// lies on b.
type Corner = (DVec2, bool);

/// Returns the overlap region of two polygons, per metre of thickness; `None` if it has no area.
pub(crate) fn region(a: &Polygon, b: &Polygon, pair: &Pair) -> Option<OverlapRegion> {
    let frame_a = Frame::of(pair.orientation_a);
    let frame = Frame::of(pair.orientation_b).relative_to(frame_a);
    let offset = frame_a.to_body(pair.offset.truncate());
    let mut region: Vec<Corner> = a.corners().iter().map(|&corner| (corner, true)).collect();
    let mut below = Vec::with_capacity(region.len() + b.corners().len());
    for (&corner, &normal) in b.corners().iter().zip(b.normals()) {
        let normal = frame.to_world(normal);
        cut(&region, normal, normal.dot(offset + frame.to_world(corner)), &mut below);
        std::mem::swap(&mut region, &mut below);
    }
    if region.len() < 3 {
        return None;
    }
    // Triangles from the first corner avoid cancellation in a small region.
    let first = region[0].0;
    let (mut area, mut moment) = (0.0, DVec2::ZERO);
    // The centroid of a triangle with a corner at the origin is a third of the sum of the others.
    for pair in region[1..].windows(2) {
        let (p, q) = (pair[0].0 - first, pair[1].0 - first);
        let triangle = 0.5 * p.perp_dot(q);
        area += triangle;
        moment += triangle / 3.0 * (p + q);
    }
    if area <= 0.0 {
        return None;
    }
    let (mut push, mut turn) = (DVec2::ZERO, 0.0);
    let edges = region.iter().zip(region.iter().cycle().skip(1));
    for (&(from, _), &(to, _)) in edges.filter(|((_, is_of_a), _)| *is_of_a) {
        // Outward normal times the length of the edge.
        let edge = -(to - from).perp();
        push += edge;
        turn += (0.5 * (from + to)).perp_dot(edge);
    }
    let to_world = |v: DVec2| frame_a.to_world(v).extend(0.0);
    Some(OverlapRegion {
        volume: area,
        centroid: to_world(first + moment / area),
        gradient: MeasureGradient { translation: to_world(push), rotation: turn * DVec3::Z },
    })
}

/// Writes the part below the line `normal.x = height` into `kept`. The line is an edge of b.
fn cut(region: &[Corner], normal: DVec2, height: f64, kept: &mut Vec<Corner>) {
    kept.clear();
    for (k, &(from, is_of_a)) in region.iter().enumerate() {
        let (to, _) = region[(k + 1) % region.len()];
        let [above, next_above] = [from, to].map(|point| normal.dot(point) - height);
        // The edge that begins where the outline leaves the half-plane lies on the line, and
        // therefore on b.
        let crossing = || from + above / (above - next_above) * (to - from);
        match (above > 0.0, next_above > 0.0) {
            (false, false) => kept.push((from, is_of_a)),
            (false, true) => kept.extend([(from, is_of_a), (crossing(), false)]),
            (true, false) => kept.push((crossing(), is_of_a)),
            (true, true) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use crate::{Pose, Shape, overlap_region};

    fn shape(vertices: &[[f64; 2]]) -> Shape {
        Polygon::new(vertices.iter().map(|&vertex| vertex.into()).collect()).expect("a polygon").into()
    }

    fn area(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose) -> Option<OverlapRegion> {
        overlap_region(&Pair::new(a, &pose_a, b, &pose_b))
    }

    fn pose(x: f64, y: f64, angle: f64) -> Pose {
        Pose { position: DVec3::new(x, y, 0.0), orientation: DQuat::from_rotation_z(angle) }
    }

    #[test]
    fn two_squares_share_a_rectangle() {
        let square = shape(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
        let shared = area(&square, pose(3.0, 1.0, 0.0), &square, pose(3.7, 1.9, 0.0)).expect("they overlap");
        assert!((shared.volume - 0.3 * 0.1).abs() < 1e-15);
        assert!((shared.centroid - DVec3::new(0.35, 0.45, 0.0)).length() < 1e-14);
        assert!((shared.gradient.translation - DVec3::new(0.1, 0.3, 0.0)).length() < 1e-14);
        assert!(area(&square, pose(0.0, 0.0, 0.0), &square, pose(0.0, 1.1, 0.0)).is_none());
    }

    #[test]
    fn push_and_turn_are_the_derivatives_of_the_area() {
        const STEP: f64 = 1e-6;
        let kite = shape(&[[0.0, 0.0], [1.3, 0.4], [0.2, 1.9], [-0.6, 0.5]]);
        let wedge = shape(&[[0.0, 0.0], [1.0, 0.1], [0.1, 0.8]]);
        for k in 0..40 {
            let turn = 0.3 * f64::from(k);
            let (at_a, at_b) = (pose(0.2, -0.1, turn), pose(0.5 * turn.cos(), 0.4 * turn.sin(), 2.1 * turn));
            let shared = area(&kite, at_a, &wedge, at_b).expect("they overlap");
            let moved = |dx: f64, dy: f64, angle: f64| {
                let moved = Pose {
                    position: at_a.position + DVec3::new(dx, dy, 0.0),
                    orientation: DQuat::from_rotation_z(angle) * at_a.orientation,
                };
                area(&kite, moved, &wedge, at_b).expect("they overlap").volume
            };
            let by = |[dx, dy, turn]: [f64; 3]| {
                let [dx, dy, turn] = [dx, dy, turn].map(|part| STEP * part);
                (moved(dx, dy, turn) - moved(-dx, -dy, -turn)) / (2.0 * STEP)
            };
            assert!((by([1.0, 0.0, 0.0]) - shared.gradient.translation.x).abs() < 1e-6, "{turn}");
            assert!((by([0.0, 1.0, 0.0]) - shared.gradient.translation.y).abs() < 1e-6, "{turn}");
            assert!((by([0.0, 0.0, 1.0]) - shared.gradient.rotation.z).abs() < 1e-6, "{turn}");
        }
    }
}
