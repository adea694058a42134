//! The camera: projection of points to pixels, and rays through pixels.
//!
//! Camera axes are x to the right, y down, z away from the eye (right-handed). A ray is `origin + z
//! * direction` with `direction.z = 1`, so that the depth of a point is its z for both projections.

use glam::{DMat3, DQuat, DVec2, DVec3};

/// Sine of the angle between the view direction and `up` below which they count as parallel.
const STEEP: f64 = 1e-6;

/// The projection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lens {
    /// Perspective projection.
    #[default]
    Perspective,
    /// Orthographic projection, in which lengths can be measured.
    Orthographic,
}

/// A rectangle of pixels: columns and rows from `min` (included) to `max` (excluded).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub min: [usize; 2],
    pub max: [usize; 2],
}

/// A camera with its image plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Camera {
    pub eye: DVec3,
    pub right: DVec3,
    pub down: DVec3,
    pub forward: DVec3,
    pub lens: Lens,
    /// The pixel on the optical axis.
    pub axis: DVec2,
    /// Pixels per metre (orthographic) or per unit tangent of the angle from the axis
    /// (perspective).
    pub scale: f64,
}

impl Camera {
    /// Returns the axes of a camera that looks along `forward` (any length). `up` points upward in
    /// the picture.
    pub fn axes(forward: DVec3, up: DVec3) -> [DVec3; 3] {
        let forward = forward.normalize_or(DVec3::Y);
        let right = forward.cross(up);
        // If the camera looks along `up`, the y axis points upward instead.
        let right = if right.length() > STEEP { right } else { forward.cross(DVec3::Y) }.normalize();
        [right, forward.cross(right), forward]
    }

    /// Transforms a point to camera axes.
    #[inline]
    pub fn seen(&self, point: DVec3) -> DVec3 {
        self.turned(point - self.eye)
    }

    /// Transforms a direction to camera axes.
    #[inline]
    pub fn turned(&self, direction: DVec3) -> DVec3 {
        DVec3::new(direction.dot(self.right), direction.dot(self.down), direction.dot(self.forward))
    }

    /// Returns the rotation from world axes to camera axes.
    pub fn rotation(&self) -> DQuat {
        DQuat::from_mat3(&DMat3::from_cols(self.right, self.down, self.forward).transpose())
    }

    /// Transforms a direction to world axes.
    #[inline]
    pub fn unturned(&self, direction: DVec3) -> DVec3 {
        direction.x * self.right + direction.y * self.down + direction.z * self.forward
    }

    /// Returns origin and direction of the ray through a point of the image, in camera axes.
    #[inline]
    pub fn ray(&self, pixel: DVec2) -> (DVec3, DVec3) {
        let DVec2 { x, y } = (pixel - self.axis) / self.scale;
        match self.lens {
            Lens::Perspective => (DVec3::ZERO, DVec3::new(x, y, 1.0)),
            Lens::Orthographic => (DVec3::new(x, y, 0.0), DVec3::Z),
        }
    }

    /// Projects a point in camera axes to the image.
    #[inline]
    pub fn project(&self, point: DVec3) -> DVec2 {
        let flat = match self.lens {
            Lens::Perspective => point.truncate() / point.z,
            Lens::Orthographic => point.truncate(),
        };
        self.axis + self.scale * flat
    }

    /// Returns the pixels whose centres a ball may cover, or `None` if it is outside the picture or
    /// not completely in front of the eye.
    pub fn window(&self, centre: DVec3, radius: f64, width: usize, height: usize) -> Option<Window> {
        let span = |across: f64| match self.lens {
            Lens::Orthographic => Some((across - radius, across + radius)),
            Lens::Perspective if centre.z > radius => {
                // The two tangents to the circle of the ball in the plane of this axis and the
                // optical axis.
                let below = centre.z * centre.z - radius * radius;
                let root = radius * (across * across + below).max(0.0).sqrt();
                Some(((across * centre.z - root) / below, (across * centre.z + root) / below))
            }
            Lens::Perspective => None,
        };
        let (x, y) = (span(centre.x)?, span(centre.y)?);
        let clip = |value: f64, limit: usize| value.clamp(0.0, limit as f64) as usize;
        let first = |value: f64, limit| clip((value - 0.5).ceil(), limit);
        let last = |value: f64, limit| clip((value - 0.5).floor() + 1.0, limit);
        let min = [first(self.axis.x + self.scale * x.0, width), first(self.axis.y + self.scale * y.0, height)];
        let max = [last(self.axis.x + self.scale * x.1, width), last(self.axis.y + self.scale * y.1, height)];
        (min[0] < max[0] && min[1] < max[1]).then_some(Window { min, max })
    }

    /// Shifts and scales the image so that these points fill it.
    pub fn fill(&mut self, points: &[DVec2], free: DVec2) {
        let min = points.iter().fold(DVec2::INFINITY, |min, point| min.min(*point));
        let max = points.iter().fold(DVec2::NEG_INFINITY, |max, point| max.max(*point));
        let factor = (free / (max - min)).min_element();
        let middle = self.axis;
        self.axis += factor * (middle - 0.5 * (min + max));
        self.scale *= factor;
    }

    /// Returns the number of pixels of a `length` (m) at a `depth` (m).
    pub fn pixels(&self, length: f64, depth: f64) -> f64 {
        match self.lens {
            Lens::Perspective => self.scale * length / depth,
            Lens::Orthographic => self.scale * length,
        }
    }

    /// Returns the camera with `factor` times as many pixels per side.
    pub fn finer(&self, factor: f64) -> Self {
        Self { axis: self.axis * factor, scale: self.scale * factor, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera(lens: Lens) -> Camera {
        let [right, down, forward] = Camera::axes(DVec3::new(0.3, 1.0, -0.4), DVec3::Z);
        Camera {
            eye: DVec3::new(0.0, -3.0, 1.0),
            right,
            down,
            forward,
            lens,
            axis: DVec2::new(50.0, 40.0),
            scale: 60.0,
        }
    }

    #[test]
    fn a_ray_meets_the_points_its_pixel_shows() {
        for lens in [Lens::Perspective, Lens::Orthographic] {
            let camera = camera(lens);
            let point = camera.seen(DVec3::new(0.2, 0.1, 0.3));
            let (origin, direction) = camera.ray(camera.project(point));
            assert!((origin + point.z * direction - point).length() < 1e-12);
            assert!((camera.unturned(point) + camera.eye - DVec3::new(0.2, 0.1, 0.3)).length() < 1e-12);
        }
    }

    #[test]
    fn axes_are_orthonormal_whichever_way_one_looks() {
        for forward in [DVec3::Y, DVec3::Z, -DVec3::Z, DVec3::new(1.0, 2.0, -3.0)] {
            let [right, down, forward] = Camera::axes(forward, DVec3::Z);
            assert!((right.cross(down) - forward).length() < 1e-12 && (down.length() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_window_holds_the_ball_and_touches_it() {
        for lens in [Lens::Perspective, Lens::Orthographic] {
            let camera = camera(lens);
            let (centre, radius) = (DVec3::new(0.4, -0.3, 3.0), 0.5);
            let window = camera.window(centre, radius, 1000, 1000).expect("the ball is in sight");
            let hits = |x: usize, y: usize| {
                let (origin, direction) = camera.ray(DVec2::new(x as f64 + 0.5, y as f64 + 0.5));
                let (b, a) = (direction.dot(origin - centre), direction.length_squared());
                b * b - a * ((origin - centre).length_squared() - radius * radius) > 0.0
            };
            let columns: Vec<usize> = (0..200).filter(|&x| (0..200).any(|y| hits(x, y))).collect();
            let rows: Vec<usize> = (0..200).filter(|&y| (0..200).any(|x| hits(x, y))).collect();
            let within = |found: &[usize], axis: usize| {
                let (first, last) = (found[0], found[found.len() - 1] + 1);
                window.min[axis] <= first
                    && first <= window.min[axis] + 1
                    && last <= window.max[axis]
                    && window.max[axis] <= last + 1
            };
            assert!(within(&columns, 0) && within(&rows, 1), "{window:?} {columns:?} {rows:?}");
        }
    }
}
