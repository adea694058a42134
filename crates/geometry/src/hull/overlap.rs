//! The part that two polyhedra share: its volume and its centroid, by cutting one with the planes of the other.

use glam::DVec3;

use super::Hull;
use crate::Pose;
use crate::math::tangent_frame;

/// What two bodies share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// Volume, m³.
    pub volume: f64,
    /// Centroid, m, in the axes of the poses.
    pub centroid: DVec3,
}

/// The overlap of two placed polyhedra; none if they share no volume.
pub fn overlap(a: &Hull, pose_a: &Pose, b: &Hull, pose_b: &Pose) -> Option<Overlap> {
    // In the axes of a, so that nothing is lost far from the origin.
    let relative = pose_b.moved_by(&pose_a.inverse());
    let mut faces: Vec<Vec<DVec3>> = (0..a.faces().len())
        .map(|face| a.ring(face).iter().map(|&corner| a.corners()[corner as usize]).collect())
        .collect();
    for face in b.faces() {
        let normal = relative.orientation * face.normal;
        faces = cut(&faces, normal, face.offset + normal.dot(relative.position));
        if faces.len() < 4 {
            return None;
        }
    }
    let inside = faces[0][0];
    let (mut volume, mut first) = (0.0, DVec3::ZERO);
    for face in &faces {
        for k in 2..face.len() {
            let [p, q, r] = [face[0], face[k - 1], face[k]].map(|corner| corner - inside);
            let six_fold = p.dot(q.cross(r));
            volume += six_fold / 6.0;
            first += six_fold / 24.0 * (p + q + r);
        }
    }
    (volume > 0.0).then(|| Overlap { volume, centroid: pose_a.point(inside + first / volume) })
}

/// The part of a closed convex surface below the plane `normal.x = offset`, closed again by a lid in the plane.
fn cut(faces: &[Vec<DVec3>], normal: DVec3, offset: f64) -> Vec<Vec<DVec3>> {
    let height = |point: DVec3| normal.dot(point) - offset;
    if faces.iter().flatten().all(|&corner| height(corner) <= 0.0) {
        return faces.to_vec();
    }
    let mut below = Vec::with_capacity(faces.len() + 1);
    let mut rim = Vec::new();
    for face in faces {
        let mut kept = Vec::with_capacity(face.len() + 1);
        for (k, &here) in face.iter().enumerate() {
            let next = face[(k + 1) % face.len()];
            let (h, next_h) = (height(here), height(next));
            if h <= 0.0 {
                kept.push(here);
            }
            if (h <= 0.0) != (next_h <= 0.0) {
                let crossing = here + (next - here) * (h / (h - next_h));
                kept.push(crossing);
                rim.push(crossing);
            }
        }
        if kept.len() >= 3 {
            below.push(kept);
        }
    }
    if rim.len() >= 3 {
        below.push(lid(rim, normal));
    }
    below
}

/// Points of a convex rim in their order about the normal.
fn lid(mut rim: Vec<DVec3>, normal: DVec3) -> Vec<DVec3> {
    let middle = rim.iter().sum::<DVec3>() / rim.len() as f64;
    let (t, u) = tangent_frame(normal);
    let angle = |point: &DVec3| libm::atan2(u.dot(*point - middle), t.dot(*point - middle));
    rim.sort_by(|p, q| angle(p).total_cmp(&angle(q)));
    rim
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;

    fn brick(half: DVec3) -> Hull {
        let sign = |bits: u32, k: u32| if bits >> k & 1 == 1 { 1.0 } else { -1.0 };
        let corners: Vec<DVec3> = (0..8).map(|k| half * DVec3::new(sign(k, 0), sign(k, 1), sign(k, 2))).collect();
        Hull::new(&corners).expect("a brick")
    }

    #[test]
    fn shifted_bricks_share_a_brick() {
        let (a, b) = (brick(DVec3::ONE), brick(DVec3::new(0.5, 2.0, 1.0)));
        let shift = DVec3::new(1.0, 0.5, 0.0);
        let shared = overlap(&a, &Pose::IDENTITY, &b, &Pose::at(shift)).expect("they overlap");
        assert!((shared.volume - 0.5 * 2.0 * 2.0).abs() < 1e-14, "{shared:?}");
        assert!((shared.centroid - DVec3::new(0.75, 0.0, 0.0)).length() < 1e-14);
        assert_eq!(overlap(&a, &Pose::IDENTITY, &b, &Pose::at(DVec3::X * 1.6)), None);
    }

    #[test]
    fn turned_slabs_share_an_octagonal_prism() {
        let slab = brick(DVec3::new(1.0, 1.0, 0.5));
        let turn = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4);
        let pose = Pose { position: DVec3::Z * 0.75, orientation: turn };
        let shared = overlap(&slab, &Pose::IDENTITY, &slab, &pose).expect("they overlap");
        let octagon = 8.0 * (std::f64::consts::PI / 8.0).tan();
        assert!((shared.volume - 0.25 * octagon).abs() < 1e-13);
        assert!((shared.centroid - DVec3::Z * 0.375).length() < 1e-13);
    }

    #[test]
    fn exchanging_and_moving_both_changes_nothing() {
        let (a, b) = (brick(DVec3::new(0.7, 0.4, 1.0)), brick(DVec3::new(0.3, 0.9, 0.5)));
        let pose_a = Pose { position: DVec3::new(3.0, -1.0, 2.0), orientation: DQuat::from_rotation_x(0.3) };
        let pose_b = Pose { position: DVec3::new(3.2, -0.9, 2.5), orientation: DQuat::from_rotation_y(0.8) };
        let there = overlap(&a, &pose_a, &b, &pose_b).expect("they overlap");
        let back = overlap(&b, &pose_b, &a, &pose_a).expect("they overlap");
        assert!((there.volume - back.volume).abs() < 1e-14 && (there.centroid - back.centroid).length() < 1e-14);
        assert!(there.volume > 0.05 && there.volume < a.volume().min(b.volume()));
    }

    #[test]
    fn a_body_shares_all_of_itself() {
        let a = brick(DVec3::new(0.7, 0.4, 1.0));
        let pose = Pose { position: DVec3::new(3.0, -1.0, 2.0), orientation: DQuat::from_rotation_x(0.3) };
        let shared = overlap(&a, &pose, &a, &pose).expect("they overlap");
        assert!((shared.volume - a.volume()).abs() < 1e-13 && (shared.centroid - pose.position).length() < 1e-13);
    }
}
