//! Contact of a ball with a cylinder, a capsule, a truncated cone or a tablet, from the distance of
//! a point to the profile of the body in closed form.
//!
//! In the plane through the axis and the centre of the ball the body is a convex polygon, or a
//! segment with a radius. The centre is nearest to a base, to the side or to a rim. If it lies
//! inside, the nearest of them gives the normal.

use glam::{DVec2, DVec3};

use crate::shape::Tablet;
use crate::{ContactPoint, Manifold, Pair, Shape};

/// Outward normal at the nearest point of a profile, and signed distance, m.
struct Nearest {
    normal: DVec2,
    distance: f64,
}

/// Returns the nearest point of the profile of a capsule.
fn to_capsule(p: DVec2, radius: f64, half_height: f64) -> Nearest {
    let from = p - DVec2::Y * p.y.clamp(-half_height, half_height);
    let normal = from.try_normalize().unwrap_or(DVec2::X);
    Nearest { normal, distance: from.dot(normal) - radius }
}

/// Returns the nearest point of the profile of a truncated cone with bases at the heights `z` and
/// radii `r`.
fn to_frustum(p: DVec2, r: [f64; 2], z: [f64; 2]) -> Nearest {
    let (low, high) = (DVec2::new(r[0], z[0]), DVec2::new(r[1], z[1]));
    let along = (high - low).normalize();
    let side = DVec2::new(along.y, -along.x);
    let planes = [(-DVec2::Y, low), (side, low), (DVec2::Y, high)];
    // Inside, and outside above a face, the plane with the largest signed distance is the nearest.
    let (normal, distance) = planes
        .map(|(normal, point)| (normal, normal.dot(p - point)))
        .into_iter()
        .reduce(|best, other| if other.1 > best.1 { other } else { best })
        .unwrap_or((DVec2::X, 0.0));
    if distance <= 0.0 {
        return Nearest { normal, distance };
    }
    // Outside: find the nearest point of the outline.
    let position = (p - low).dot(along).clamp(0.0, (high - low).length());
    let feet = [DVec2::new(p.x.min(r[0]), z[0]), low + position * along, DVec2::new(p.x.min(r[1]), z[1])];
    let foot = feet
        .into_iter()
        .reduce(|best, other| if p.distance_squared(other) < p.distance_squared(best) { other } else { best })
        .unwrap_or(low);
    let from = p - foot;
    match from.try_normalize() {
        Some(normal) => Nearest { normal, distance: from.length() },
        None => Nearest { normal, distance },
    }
}

/// Returns the nearest point of the profile of a tablet.
fn to_tablet(p: DVec2, tablet: &Tablet) -> Nearest {
    let side = 1f64.copysign(p.y);
    let (radius, circle) = (tablet.radius, tablet.cap_radius());
    // The upper or the lower cap, as the point lies: its sphere, and the cone from the centre of
    // the sphere through the edge.
    let centre = tablet.half_height + tablet.cap_height - circle;
    let from = DVec2::new(p.x, p.y.abs() - centre);
    let below_cap = circle - tablet.cap_height;
    let is_under_cap = from.y > 0.0 && from.x * below_cap <= from.y * radius;
    let of_cap = is_under_cap.then(|| {
        let distance = from.length() - circle;
        Nearest { normal: (from * DVec2::new(1.0, side)).try_normalize().unwrap_or(side * DVec2::Y), distance }
    });
    let of_band = Nearest { normal: DVec2::X, distance: p.x - radius };
    let is_beside_band = p.y.abs() <= tablet.half_height;
    match of_cap {
        // Inside the body the surface with the largest signed distance is the nearest.
        Some(cap) if !is_beside_band || cap.distance >= of_band.distance => cap,
        _ if is_beside_band => of_band,
        _ => {
            let from = p - DVec2::new(radius, side * tablet.half_height);
            Nearest { normal: from.try_normalize().unwrap_or(DVec2::X), distance: from.length() }
        }
    }
}

/// Finds the contact. Body `a` is the ball.
pub(in crate::contact) fn collide(pair: &Pair, manifold: &mut Manifold) {
    let Shape::Sphere(ball) = pair.a else { unreachable!("the pair table puts the ball first") };
    let axis = pair.orientation_b * DVec3::Z;
    let z = -pair.offset.dot(axis);
    let across = -pair.offset - z * axis;
    let p = DVec2::new(across.length(), z);
    let nearest = match pair.b {
        Shape::Cylinder(body) => to_frustum(p, [body.radius; 2], [-body.half_height, body.half_height]),
        Shape::Capsule(body) => to_capsule(p, body.radius, body.half_height),
        Shape::TruncatedCone(body) => to_frustum(p, body.radii, body.heights()),
        Shape::Tablet(body) => to_tablet(p, body),
        _ => unreachable!("the pair table pairs the ball with a body of revolution"),
    };
    let gap = nearest.distance - ball.radius;
    if gap > pair.margin {
        return;
    }
    let out = across.try_normalize().unwrap_or(pair.orientation_b * DVec3::X);
    let normal = -(nearest.normal.x * out + nearest.normal.y * axis).normalize();
    let curvature = 1.0 / ball.radius + pair.b.as_convex().curvature(pair.orientation_b.inverse() * -normal);
    manifold.push(ContactPoint {
        arm: (ball.radius + 0.5 * gap) * normal,
        normal,
        gap,
        curvature,
        feature: 0,
        overlap: None,
    });
}
