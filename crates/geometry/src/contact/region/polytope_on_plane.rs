//! The part of a box or polyhedron below a plane, and the section of the plane.

use std::cell::RefCell;

use glam::{DMat3, DVec3};

use super::cut_by_plane::{SectionMoments, VolumeMoments};
use crate::contact::polytope::Polytope;

thread_local! {
    static CORNERS: RefCell<Vec<DVec3>> = RefCell::default();
}

/// Returns the integrals over the part of a polytope below the plane z = 0 and over its section.
/// `axes` are the axes of the polytope and `centre` its centre, in a frame with z along the normal
/// of the plane. The origin of the integrals is the foot of the lowest corner, the third result.
pub(super) fn below_plane(
    polytope: &impl Polytope,
    axes: &DMat3,
    centre: DVec3,
) -> (VolumeMoments, SectionMoments, DVec3) {
    CORNERS.with_borrow_mut(|corners| {
        corners.clear();
        corners.extend((0..polytope.corner_count()).map(|corner| *axes * polytope.corner(corner) + centre));
        let lowest = corners.iter().fold(DVec3::INFINITY, |low, &corner| if corner.z < low.z { corner } else { low });
        let foot = lowest.with_z(0.0);
        // Near the region, products of coordinates lose no digits.
        corners.iter_mut().for_each(|corner| *corner -= foot);
        let (mut volume, mut section) = (VolumeMoments::ZERO, SectionMoments::default());
        for face in 0..polytope.face_count() {
            add_face(corners, polytope.ring(face), &mut volume, &mut section);
        }
        (volume, section, foot)
    })
}

/// Adds the pyramid from the origin to the part of a face below the plane, and the edge of the
/// section in this face.
fn add_face(corners: &[DVec3], ring: &[u16], volume: &mut VolumeMoments, section: &mut SectionMoments) {
    let Some(&last) = ring.last() else { return };
    let mut here = corners[last as usize];
    // First corner and previous corner of the part below the plane.
    let mut fan: Option<[DVec3; 2]> = None;
    let mut add = |point: DVec3| match &mut fan {
        None => fan = Some([point, point]),
        Some([first, previous]) => {
            volume.add_tetrahedron([*first, *previous, point]);
            *previous = point;
        }
    };
    let (mut entry, mut exit) = (None, None);
    for &corner in ring {
        let next = corners[corner as usize];
        if (here.z < 0.0) != (next.z < 0.0) {
            let crossing = (here + (next - here) * (here.z / (here.z - next.z))).with_z(0.0);
            add(crossing);
            *(if next.z < 0.0 { &mut entry } else { &mut exit }) = Some(crossing);
        }
        if next.z < 0.0 {
            add(next);
        }
        here = next;
    }
    // Below the plane the boundary of the face runs from the entry to the exit. The edge of the
    // section has the same direction: seen from above, the section is on its left.
    if let (Some(entry), Some(exit)) = (entry, exit) {
        section.add_edge(entry.truncate(), exit.truncate());
    }
}
