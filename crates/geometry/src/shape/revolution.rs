//! Triangulated surfaces of revolution about z, from a profile of straight and circular pieces.

use std::f64::consts::{FRAC_PI_2, TAU};

use glam::{DVec2, DVec3};

use crate::Mesh;
use crate::mesh::FINEST_LEVEL;

/// A piece of the profile: points (distance from the axis, height) with their outward normals, in
/// order from the bottom to the top. Pieces meet in sharp edges.
pub(super) type Piece = Vec<(DVec2, DVec2)>;

/// Sectors around the axis at the coarsest level; each level doubles them.
const SECTORS: u32 = 12;

/// Returns a straight piece.
pub(super) fn straight(from: DVec2, to: DVec2) -> Piece {
    let along = (to - from).normalize_or(DVec2::Y);
    let normal = DVec2::new(along.y, -along.x);
    vec![(from, normal), (to, normal)]
}

/// Returns a quarter of a circle about `(0, height)`: the lower quarter if `sign` is negative, else
/// the upper one.
pub(super) fn quarter(height: f64, radius: f64, sign: f64, level: u32) -> Piece {
    let steps = (SECTORS / 4) << level.min(FINEST_LEVEL);
    let at = |k: u32| {
        let angle = FRAC_PI_2 * f64::from(k) / f64::from(steps);
        let (sin, cos) = angle.sin_cos();
        let normal = match k {
            0 => DVec2::X,
            k if k == steps => DVec2::new(0.0, sign),
            _ => DVec2::new(cos, sign * sin),
        };
        (DVec2::new(0.0, height) + radius * normal, normal)
    };
    if sign < 0.0 { (0..=steps).rev().map(at).collect() } else { (0..=steps).map(at).collect() }
}

/// Returns the arc of a cap of this radius and height, from its edge to its apex. The second
/// component of a point is its height above the edge.
pub(super) fn cap(radius: f64, height: f64, level: u32) -> Piece {
    let circle = (radius * radius + height * height) / (2.0 * height);
    let steps = (SECTORS / 4) << level.min(FINEST_LEVEL);
    let end = (radius / circle).min(1.0).asin();
    let at = |k: u32| {
        let (sin, cos) = (end * f64::from(k) / f64::from(steps)).sin_cos();
        // The edge is that of the next piece to the last bit.
        let point = match k {
            k if k == steps => DVec2::new(radius, 0.0),
            _ => DVec2::new(circle * sin, height - circle * sin * sin / (1.0 + cos)),
        };
        (point, DVec2::new(sin, cos))
    };
    (0..=steps).rev().map(at).collect()
}

/// Returns the surface of revolution of the profile at this level. Its vertices lie on the body.
pub(super) fn surface(profile: &[Piece], level: u32) -> Mesh {
    let sectors = SECTORS << level.min(FINEST_LEVEL);
    let rays: Vec<DVec2> = (0..sectors).map(|k| DVec2::from_angle(TAU * f64::from(k) / f64::from(sectors))).collect();
    let mut mesh = Mesh::default();
    for piece in profile {
        for pair in piece.windows(2) {
            let first = mesh.vertices.len() as u32;
            for (point, normal) in pair {
                mesh.vertices.extend(rays.iter().map(|ray| (point.x * ray).extend(point.y)));
                mesh.normals.extend(rays.iter().map(|ray| DVec3::from((normal.x * ray, normal.y))));
            }
            for k in 0..sectors {
                let next = (k + 1) % sectors;
                let [low, low_next, high, high_next] =
                    [first + k, first + next, first + sectors + k, first + sectors + next];
                // At a pole the ring is one point, and one of the two triangles is degenerate.
                if pair[0].0.x > 0.0 {
                    mesh.triangles.push([low, low_next, high_next]);
                }
                if pair[1].0.x > 0.0 {
                    mesh.triangles.push([low, high_next, high]);
                }
            }
        }
    }
    mesh
}
