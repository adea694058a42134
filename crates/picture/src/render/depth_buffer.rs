//! A strip of the image: a depth buffer with the nearest surface of each sample.
//!
//! Balls are intersected with rays exactly, other shapes by their triangles. Of two surfaces at
//! equal depth the first one is kept, so that the picture does not depend on the number of threads.

use glam::{DVec2, DVec3, Vec3};
use granum_geometry::{Convex, Mesh, Pose};

use super::camera::{Camera, Lens, Window};

/// Data of a surface that a strip stores besides its depth.
pub(crate) trait Trace: Copy + Default + Send + Sync {
    /// Creates the data of a surface with this normal (camera axes) that belongs to the item
    /// `owner`.
    fn new(normal: impl FnOnce() -> DVec3, owner: u32) -> Self;
}

/// No data, because a shadow map needs the depth only.
impl Trace for () {
    fn new(_: impl FnOnce() -> DVec3, _: u32) -> Self {}
}

/// Data for shading.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Facing {
    /// Unit normal in camera axes.
    pub normal: Vec3,
    /// Index of the item.
    pub owner: u32,
}

impl Trace for Facing {
    fn new(normal: impl FnOnce() -> DVec3, owner: u32) -> Self {
        Self { normal: normal().normalize_or(-DVec3::Z).as_vec3(), owner }
    }
}

/// A clipping plane in camera axes. Everything on the side of its normal is cut away.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    pub normal: DVec3,
    pub offset: f64,
}

impl Cut {
    fn removes(&self, point: DVec3) -> bool {
        self.normal.dot(point) > self.offset
    }

    /// Returns the depth at which a ray intersects the plane.
    fn depth(&self, origin: DVec3, direction: DVec3) -> f64 {
        (self.offset - self.normal.dot(origin)) / self.normal.dot(direction)
    }
}

/// The sides of triangles that are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Faces {
    /// Those whose normals point to the eye.
    Front,
    /// Those whose normals point away from the eye. Their normals are reversed.
    Back,
    /// Both. Normals point to the eye.
    Both,
}

/// Rows `top..top + rows` of the image.
pub(crate) struct Strip<'a, T> {
    pub camera: &'a Camera,
    pub width: usize,
    pub top: usize,
    pub rows: usize,
    pub depth: Vec<f32>,
    pub trace: Vec<T>,
}

impl<'a, T: Trace> Strip<'a, T> {
    pub fn new(camera: &'a Camera, width: usize, top: usize, rows: usize) -> Self {
        let samples = width * rows;
        Self { camera, width, top, rows, depth: vec![f32::INFINITY; samples], trace: vec![T::default(); samples] }
    }

    fn index(&self, x: usize, y: usize) -> usize {
        (y - self.top) * self.width + x
    }

    /// Returns the part of a window in this strip.
    fn rows_of(&self, window: &Window) -> std::ops::Range<usize> {
        window.min[1].max(self.top)..window.max[1].min(self.top + self.rows)
    }

    /// Returns whether all samples in the window are nearer than `depth`.
    pub fn hides(&self, window: &Window, depth: f64) -> bool {
        self.rows_of(window).all(|y| {
            let row = &self.depth[self.index(window.min[0], y)..self.index(window.max[0] - 1, y) + 1];
            row.iter().all(|&seen| f64::from(seen) <= depth)
        })
    }

    /// Stores a surface at a sample if it is the nearest one so far.
    #[inline]
    pub fn put(&mut self, index: usize, depth: f64, normal: impl FnOnce() -> DVec3, owner: u32) {
        if (depth as f32) < self.depth[index] {
            self.depth[index] = depth as f32;
            self.trace[index] = T::new(normal, owner);
        }
    }

    /// Draws a ball by exact ray intersections.
    pub fn ball(&mut self, centre: DVec3, radius: f64, window: &Window, cut: Option<&Cut>, owner: u32) {
        let nearest = (centre.z - radius) as f32;
        for y in self.rows_of(window) {
            for x in window.min[0]..window.max[0] {
                let index = self.index(x, y);
                if self.depth[index] <= nearest {
                    continue;
                }
                let (origin, direction) = self.camera.ray(DVec2::new(x as f64 + 0.5, y as f64 + 0.5));
                let from_centre = origin - centre;
                let (a, b) = (direction.length_squared(), direction.dot(from_centre));
                let root = b * b - a * (from_centre.length_squared() - radius * radius);
                if root < 0.0 {
                    continue;
                }
                let root = root.sqrt();
                let depth = (-b - root) / a;
                match cut {
                    Some(cut) if cut.removes(origin + depth * direction) => {
                        let inside = cut.depth(origin, direction);
                        if depth < inside && inside * a < -b + root {
                            self.put(index, inside, || cut.normal, owner);
                        }
                    }
                    _ => self.put(index, depth, || from_centre + depth * direction, owner),
                }
            }
        }
    }

    /// Draws a convex body by the triangles of its surface. `pose` transforms its axes to camera
    /// axes.
    pub fn mesh(&mut self, mesh: &Mesh, pose: &Pose, cut: Option<&Cut>, owner: u32) {
        self.triangles(mesh, pose, Faces::Front, cut, |_| owner);
    }

    /// Draws triangles; `owner` returns the owner of each.
    pub fn triangles(
        &mut self,
        mesh: &Mesh,
        pose: &Pose,
        faces: Faces,
        cut: Option<&Cut>,
        owner: impl Fn(usize) -> u32,
    ) {
        let corners: Vec<Corner> = mesh
            .vertices
            .iter()
            .map(|&vertex| {
                let point = pose.point(vertex);
                let weight = if self.camera.lens == Lens::Perspective { 1.0 / point.z } else { 1.0 };
                Corner { point, film: self.camera.project(point), weight }
            })
            .collect();
        for (number, triangle) in mesh.triangles.iter().enumerate() {
            let [a, b, c] = triangle.map(|index| &corners[index as usize]);
            // Rows point downward, so that a triangle that faces the eye is clockwise on the image
            // and its area is negative.
            let area = (b.film - a.film).perp_dot(c.film - a.film);
            let is_drawn = match faces {
                Faces::Front => area < 0.0,
                Faces::Back => area > 0.0,
                Faces::Both => area != 0.0,
            };
            if !is_drawn {
                continue;
            }
            let sign = if area < 0.0 { 1.0 } else { -1.0 };
            let normals = triangle.map(|index| sign * mesh.normals[index as usize]);
            self.triangle([a, b, c], 1.0 / area, pose, normals, cut, owner(number));
        }
    }

    fn triangle(
        &mut self,
        [a, b, c]: [&Corner; 3],
        per_area: f64,
        pose: &Pose,
        normals: [DVec3; 3],
        cut: Option<&Cut>,
        owner: u32,
    ) {
        let min = a.film.min(b.film).min(c.film);
        let max = a.film.max(b.film).max(c.film);
        let column = |value: f64| value.clamp(0.0, self.width as f64) as usize;
        let row = |value: f64| value.clamp(self.top as f64, (self.top + self.rows) as f64) as usize;
        let (left, right) = (column((min.x - 0.5).ceil()), column((max.x - 0.5).floor() + 1.0));
        for y in row((min.y - 0.5).ceil())..row((max.y - 0.5).floor() + 1.0) {
            for x in left..right {
                let pixel = DVec2::new(x as f64 + 0.5, y as f64 + 0.5);
                let wa = (c.film - b.film).perp_dot(pixel - b.film) * per_area;
                let wb = (a.film - c.film).perp_dot(pixel - c.film) * per_area;
                let wc = 1.0 - wa - wb;
                if wa < 0.0 || wb < 0.0 || wc < 0.0 {
                    continue;
                }
                // Perspective correction: barycentric coordinates on the image are not those on the
                // triangle.
                let (wa, wb, wc) = (wa * a.weight, wb * b.weight, wc * c.weight);
                let per_sum = 1.0 / (wa + wb + wc);
                let depth = (wa * a.point.z + wb * b.point.z + wc * c.point.z) * per_sum;
                let point = || (wa * a.point + wb * b.point + wc * c.point) * per_sum;
                if cut.is_some_and(|cut| cut.removes(point())) {
                    continue;
                }
                let index = self.index(x, y);
                self.put(
                    index,
                    depth,
                    || pose.orientation * (wa * normals[0] + wb * normals[1] + wc * normals[2]),
                    owner,
                );
            }
        }
    }

    /// Draws the cut face of a convex body.
    pub fn section(&mut self, body: &dyn Convex, pose: &Pose, window: &Window, cut: &Cut, owner: u32) {
        let to_body = pose.orientation.inverse();
        for y in self.rows_of(window) {
            for x in window.min[0]..window.max[0] {
                let (origin, direction) = self.camera.ray(DVec2::new(x as f64 + 0.5, y as f64 + 0.5));
                // The face is visible only from the side that is cut away.
                if cut.normal.dot(direction) >= 0.0 {
                    continue;
                }
                let depth = cut.depth(origin, direction);
                let inside = body.inside_outside(to_body * (origin + depth * direction - pose.position)) < 0.0;
                if depth > 0.0 && inside {
                    let index = self.index(x, y);
                    self.put(index, depth, || cut.normal, owner);
                }
            }
        }
    }
}

/// A vertex of a triangle: in camera axes, on the image, and its perspective weight.
struct Corner {
    point: DVec3,
    film: DVec2,
    weight: f64,
}
