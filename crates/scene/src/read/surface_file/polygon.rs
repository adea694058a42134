//! Division of a face into triangles.

use glam::{DVec2, DVec3};

/// Largest number of corners of a face that is not convex. The time for the division grows with the
/// square of the number, or faster.
const MOST_CORNERS: usize = 1000;

/// Divides a face into triangles with the same direction around it, and appends them.
///
/// A convex face is divided from its first corner; another one by cutting off ears, which are
/// corners whose triangles lie inside and contain no other corner. A face with fewer than three
/// distinct corners has no triangle.
pub fn divide(vertices: &[DVec3], ring: &[u32], triangles: &mut Vec<[u32; 3]>) -> Result<(), String> {
    if let &[a, b, c] = ring {
        triangles.push([a, b, c]);
        return Ok(());
    }
    let mut ring: Vec<u32> = ring.to_vec();
    let at = |index: u32| vertices[index as usize];
    // Equal neighbours would make corners without a direction.
    ring.dedup_by(|a, b| at(*a) == at(*b));
    while ring.len() > 1 && at(ring[0]) == at(ring[ring.len() - 1]) {
        ring.pop();
    }
    if ring.len() < 3 {
        return Ok(());
    }
    let origin = at(ring[0]);
    let newell: DVec3 = ring.windows(2).map(|pair| (at(pair[0]) - origin).cross(at(pair[1]) - origin)).sum();
    // Seen along the axis in which its area is largest, the face keeps its direction.
    let axis = newell.abs().max_position();
    let flat = |index: u32| {
        let point = at(index) - origin;
        let seen = [DVec2::new(point.y, point.z), DVec2::new(point.z, point.x), DVec2::new(point.x, point.y)][axis];
        if newell[axis] < 0.0 { DVec2::new(seen.y, seen.x) } else { seen }
    };
    let mut points: Vec<DVec2> = ring.iter().map(|&index| flat(index)).collect();
    let is_convex = (0..points.len()).all(|k| turn(&points, k) >= 0.0);
    if !is_convex && ring.len() > MOST_CORNERS {
        return Err(format!(
            "a face that is not convex has {} corners; at most {MOST_CORNERS} are possible",
            ring.len()
        ));
    }
    while !is_convex && ring.len() > 3 {
        // A face that crosses itself may have no ear; it is divided from its first corner.
        let Some(ear) = (0..ring.len()).find(|&k| is_ear(&points, k)) else { break };
        triangles.push([ring[(ear + ring.len() - 1) % ring.len()], ring[ear], ring[(ear + 1) % ring.len()]]);
        ring.remove(ear);
        points.remove(ear);
    }
    triangles.extend((2..ring.len()).map(|k| [ring[0], ring[k - 1], ring[k]]));
    Ok(())
}

/// Returns twice the area of the triangle at a corner, positive if the corner is convex.
fn turn(points: &[DVec2], k: usize) -> f64 {
    let count = points.len();
    let (before, here, after) = (points[(k + count - 1) % count], points[k], points[(k + 1) % count]);
    (here - before).perp_dot(after - here)
}

/// Returns whether the triangle at a corner lies inside the face.
fn is_ear(points: &[DVec2], k: usize) -> bool {
    if turn(points, k) <= 0.0 {
        return false;
    }
    let count = points.len();
    let triangle = [points[(k + count - 1) % count], points[k], points[(k + 1) % count]];
    let is_inside = |point: DVec2| {
        !triangle.contains(&point)
            && (0..3).all(|side| (triangle[(side + 1) % 3] - triangle[side]).perp_dot(point - triangle[side]) >= 0.0)
    };
    !points.iter().any(|&point| is_inside(point))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the areas of the triangles of a face in the plane that is spanned by two vectors.
    fn areas(outline: &[[f64; 2]], x: DVec3, y: DVec3) -> Vec<f64> {
        let vertices: Vec<DVec3> = outline.iter().map(|point| point[0] * x + point[1] * y + DVec3::ONE).collect();
        let ring: Vec<u32> = (0..outline.len() as u32).collect();
        let mut triangles = Vec::new();
        divide(&vertices, &ring, &mut triangles).expect("few corners");
        let area = |[a, b, c]: [u32; 3]| {
            let [a, b, c] = [a, b, c].map(|k| vertices[k as usize]);
            0.5 * (b - a).cross(c - a).dot(x.cross(y))
        };
        triangles.into_iter().map(area).collect()
    }

    #[test]
    fn a_concave_face_is_covered_once_in_any_plane_and_direction() {
        let comb = [[0., 0.], [5., 0.], [5., 3.], [4., 3.], [4., 1.], [3., 1.], [3., 3.], [2., 3.], [2., 1.], [0., 1.]];
        for (x, y) in [(DVec3::X, DVec3::Y), (DVec3::Y, DVec3::Z), (DVec3::X, DVec3::Z), (DVec3::Y, DVec3::X)] {
            let areas = areas(&comb, x, y);
            assert_eq!(areas.len(), 8);
            assert!(areas.iter().all(|&area| area > 0.0), "{areas:?}");
            assert!((areas.iter().sum::<f64>() - 9.0).abs() < 1e-12);
        }
    }

    #[test]
    fn faces_without_area_or_with_too_many_corners_are_handled() {
        assert!(areas(&[[0.0, 0.0], [1.0, 0.0]], DVec3::X, DVec3::Y).is_empty());
        assert!(areas(&[[0.0, 0.0]; 5], DVec3::X, DVec3::Y).is_empty());
        let round: Vec<[f64; 2]> =
            (0..5000).map(|k| std::f64::consts::TAU * f64::from(k) / 5000.0).map(|a| [a.cos(), a.sin()]).collect();
        assert_eq!(areas(&round, DVec3::X, DVec3::Y).len(), 4998);
        let vertices: Vec<DVec3> =
            (0..2000).map(f64::from).map(|k| DVec3::new(k.cos() * k, k.sin() * k, 0.0)).collect();
        let ring: Vec<u32> = (0..2000).collect();
        assert!(divide(&vertices, &ring, &mut Vec::new()).is_err_and(|reason| reason.contains("2000 corners")));
    }
}
