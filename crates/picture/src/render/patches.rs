//! Triangulated surfaces in patches: parts that are compact in space, so that a strip of the image
//! draws only those that it shows.
//!
//! A triangle between the eye and the grains is glass. One with a single side is glass if it is
//! seen from behind, because its grains are in front of it. A sheet with two sides is glass where its
//! plane separates the eye from the middle of the grains.

use glam::DVec3;
use granum_engine::BodyState;
use granum_geometry::{Aabb, Mesh, Pose, TriangleMesh};
use rayon::prelude::*;

use super::camera::{Camera, Lens};
use super::depth_buffer::Faces;
use super::items::{Form, Item};
use super::legend::Scale;
use crate::subject::Subject;
use crate::surface_quantity::SurfaceQuantity;

/// Triangles of a patch. Patches of a terrain of a million triangles then span about a strip of the
/// picture.
const TRIANGLES: usize = 512;

/// Number of colours of a quantity of triangles.
pub(crate) const SHADES: usize = 256;

/// Owner of a triangle that is coloured by its height.
pub(crate) const BY_HEIGHT: u32 = u32::MAX - 1;

/// Owner of a triangle of the colour of obstacles, before the number of items is known.
const PLAIN: u32 = u32::MAX - 2;

/// A part of a surface.
pub(crate) struct Patch {
    /// Triangles relative to the middle, in world axes.
    pub mesh: Mesh,
    /// Owner of each triangle: the index of its colour.
    pub owners: Vec<u32>,
    /// Sides that are drawn.
    pub faces: Faces,
    middle: DVec3,
    radius: f64,
    /// Index of the body.
    body: usize,
}

/// The surfaces of a picture.
#[derive(Default)]
pub(crate) struct Patches {
    /// Opaque parts.
    pub solid: Vec<Patch>,
    /// Parts of sheets with two sides that are glass. Solid parts are glass from behind.
    pub sheets: Vec<Patch>,
}

/// What decides about the owner and the side of a triangle.
pub(crate) struct Seen<'a> {
    pub camera: &'a Camera,
    pub quantity: SurfaceQuantity,
    pub scale: &'a Scale,
}

impl Patches {
    /// Divides all surfaces of a picture.
    pub fn new(subject: &Subject, seen: &Seen) -> Self {
        let mut patches = Self::default();
        let grains: Vec<DVec3> = subject
            .bodies
            .iter()
            .filter(|body| Subject::is_grain(body) && body.position.is_finite())
            .map(|body| body.position)
            .collect();
        let middle = grains.iter().sum::<DVec3>() / grains.len().max(1) as f64;
        for (index, surface, pose) in subject.surfaces() {
            let mesh = surface.mesh();
            let owners = owners(subject, &subject.bodies[index], mesh.triangles().len(), seen);
            let all = (0..mesh.triangles().len() as u32)
                .filter(|&triangle| mesh.vector_area(triangle as usize) != DVec3::ZERO);
            if !surface.is_two_sided() {
                let solid = divide(mesh, &pose, all.collect(), &owners, Faces::Front, index);
                patches.solid.extend(solid);
                continue;
            }
            let separates = |triangle: u32| {
                let normal = pose.orientation * mesh.vector_area(triangle as usize);
                let from = pose.point(mesh.corners(triangle as usize)[0]);
                let to_eye = match seen.camera.lens {
                    Lens::Perspective => seen.camera.eye - from,
                    Lens::Orthographic => -seen.camera.forward,
                };
                !grains.is_empty() && normal.dot(to_eye) * normal.dot(middle - from) < 0.0
            };
            let (glass, solid): (Vec<u32>, Vec<u32>) = all.partition(|&triangle| separates(triangle));
            patches.solid.extend(divide(mesh, &pose, solid, &owners, Faces::Both, index));
            patches.sheets.extend(divide(mesh, &pose, glass, &owners, Faces::Both, index));
        }
        patches
    }

    /// Returns the opaque items, with the indices of their bodies.
    pub fn solid_items(&self) -> impl Iterator<Item = (usize, Item<'_>)> {
        self.solid.iter().map(|patch| (patch.body, patch.item(patch.faces)))
    }

    /// Returns the items that are glass, with the indices of their bodies.
    pub fn glass_items(&self) -> impl Iterator<Item = (usize, Item<'_>)> {
        let seen_from_behind = self.solid.iter().filter(|patch| patch.faces == Faces::Front);
        let backs = seen_from_behind.map(|patch| (patch.body, patch.item(Faces::Back)));
        backs.chain(self.sheets.iter().map(|patch| (patch.body, patch.item(patch.faces))))
    }

    /// Replaces the owners of plain triangles by the index of their colour, and moves those of a
    /// quantity behind the colours of the items.
    pub fn number(&mut self, plain: u32, first_shade: u32) {
        for owner in self.solid.iter_mut().chain(&mut self.sheets).flat_map(|patch| &mut patch.owners) {
            *owner = match *owner {
                BY_HEIGHT => BY_HEIGHT,
                PLAIN => plain,
                shade => first_shade + shade,
            };
        }
    }
}

impl Patch {
    pub fn item(&self, faces: Faces) -> Item<'_> {
        Item { form: Form::Patch(self, faces), pose: Pose::at(self.middle), radius: self.radius, is_ball: false }
    }
}

/// Returns the owner of each triangle of a body, with the shades counted from zero.
fn owners(subject: &Subject, body: &BodyState, count: usize, seen: &Seen) -> Vec<u32> {
    match seen.quantity {
        SurfaceQuantity::None => vec![PLAIN; count],
        SurfaceQuantity::Height => vec![BY_HEIGHT; count],
        quantity => {
            let shade = |value: f64| (seen.scale.part(value).clamp(0.0, 1.0) * (SHADES - 1) as f64).round() as u32;
            let mut owners = vec![shade(0.0); count];
            let worn = subject.wear.iter().filter(|wear| wear.body == body.id).flat_map(|wear| &wear.triangles);
            for wear in worn {
                owners[wear.triangle as usize] = shade(quantity.of(wear));
            }
            owners
        }
    }
}

/// Divides the triangles of a surface of one body into patches.
pub(crate) fn divide(
    mesh: &TriangleMesh,
    pose: &Pose,
    mut triangles: Vec<u32>,
    owners: &[u32],
    faces: Faces,
    body: usize,
) -> Vec<Patch> {
    let bounds = mesh.bounds();
    let size = (bounds.max - bounds.min).max_element();
    let place = |triangle: u32| {
        let middle = mesh.corners(triangle as usize).iter().sum::<DVec3>() / 3.0;
        morton((middle - bounds.min) / size)
    };
    triangles.par_sort_by_cached_key(|&triangle| (place(triangle), triangle));
    triangles.par_chunks(TRIANGLES).map(|part| patch(mesh, pose, part, owners, faces, body)).collect()
}

fn patch(mesh: &TriangleMesh, pose: &Pose, part: &[u32], owners: &[u32], faces: Faces, body: usize) -> Patch {
    let mut patch = Patch { mesh: Mesh::default(), owners: Vec::new(), faces, middle: DVec3::ZERO, radius: 0.0, body };
    let mut bounds = Aabb::EMPTY;
    // Each triangle has its own vertices, so that its edges stay sharp.
    for &triangle in part {
        let Some(normal) = mesh.normal(triangle as usize) else { continue };
        let first = patch.mesh.vertices.len() as u32;
        for corner in mesh.corners(triangle as usize) {
            let point = pose.point(corner);
            bounds = bounds.including(point, 0.0);
            patch.mesh.vertices.push(point);
        }
        patch.mesh.normals.extend([pose.orientation * normal; 3]);
        patch.mesh.triangles.push([first, first + 1, first + 2]);
        patch.owners.push(owners[triangle as usize]);
    }
    patch.middle = bounds.min.midpoint(bounds.max);
    patch.radius = 0.5 * (bounds.max - bounds.min).length();
    patch.mesh.vertices.iter_mut().for_each(|vertex| *vertex -= patch.middle);
    patch
}

/// Returns the position of a point of the unit cube on a curve that visits neighbouring cells one
/// after the other (Morton order).
fn morton(point: DVec3) -> u64 {
    const CELLS: f64 = 1024.0;
    let spread = |value: f64| {
        let cell = (value * CELLS).clamp(0.0, CELLS - 1.0) as u64;
        (0..10).fold(0, |code, bit| code | (cell >> bit & 1) << (3 * bit))
    };
    spread(point.x) | spread(point.y) << 1 | spread(point.z) << 2
}
