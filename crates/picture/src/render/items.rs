//! The items of a picture: grains and bounded obstacles, and the meshes of those that are not
//! balls.

use std::sync::OnceLock;

use glam::{DQuat, DVec3};
use granum_engine::BodyState;
use granum_geometry::shape::Realm;
use granum_geometry::{Mesh, Pose, Shape};

use super::camera::{Camera, Window};
use super::depth_buffer::{Cut, Faces, Strip, Trace};
use super::patches::Patch;

/// Finest level of the meshes. Its 20,480 triangles suffice for a grain that fills the picture.
const FINEST: usize = 5;

/// Radius of a grain, pixels, from which the next finer mesh is used. The outline of a mesh then
/// deviates from the true one by less than a fifth of a sample.
const RADII: [f64; FINEST] = [2.0, 6.0, 24.0, 96.0, 384.0];

/// Geometry of an item.
#[derive(Clone, Copy)]
pub(crate) enum Form<'a> {
    /// A body of a shape with this id.
    Shape(&'a Shape, usize),
    /// Part of a triangulated surface, and the sides that are drawn.
    Patch(&'a Patch, Faces),
}

/// One item to draw.
pub(crate) struct Item<'a> {
    pub form: Form<'a>,
    pub pose: Pose,
    pub radius: f64,
    pub is_ball: bool,
}

/// All items to draw. Meshes are created on first use.
pub(crate) struct Stock<'a> {
    pub items: Vec<Item<'a>>,
    /// Index of the body of each item.
    pub owners: Vec<usize>,
    meshes: Vec<[OnceLock<Mesh>; FINEST + 1]>,
}

/// The position of an item on the image plane.
struct Placed {
    item: u32,
    centre: DVec3,
    window: Window,
}

impl<'a> Stock<'a> {
    /// Collects the bounded bodies with finite positions, except triangulated surfaces.
    pub fn new(bodies: &[BodyState], shapes: &'a [Shape]) -> Self {
        let (owners, items) = bodies
            .iter()
            .enumerate()
            .filter(|(_, body)| body.position.is_finite() && body.orientation.is_finite())
            .filter_map(|(owner, body)| {
                let shape = &shapes[body.shape.0 as usize];
                let radius = shape.as_convex().drawn_radius();
                let item = Item {
                    form: Form::Shape(shape, body.shape.0 as usize),
                    pose: Pose { position: body.position, orientation: body.orientation },
                    radius,
                    is_ball: shape.as_convex().is_ball() && shape.as_convex().realm() == Realm::Space,
                };
                let is_surface = matches!(shape, Shape::Surface(_));
                (radius.is_finite() && !is_surface).then_some((owner, item))
            })
            .unzip();
        Self { items, owners, meshes: shapes.iter().map(|_| Default::default()).collect() }
    }

    /// Adds items with the indices of their bodies.
    pub fn with(mut self, items: impl Iterator<Item = (usize, Item<'a>)>) -> Self {
        for (owner, item) in items {
            self.owners.push(owner);
            self.items.push(item);
        }
        self
    }

    /// Returns the items in each strip, nearest first, so that hidden items are rejected early.
    pub fn arrange(&self, film: &Film) -> Arrangement {
        let mut placed: Vec<(f64, Placed)> = Vec::with_capacity(self.items.len());
        for (number, item) in self.items.iter().enumerate() {
            let centre = film.camera.seen(item.pose.position);
            let cut_away = film.cut.is_some_and(|cut| cut.normal.dot(centre) - cut.offset > item.radius);
            if cut_away {
                continue;
            }
            if let Some(window) = film.camera.window(centre, item.radius, film.width, film.height) {
                placed.push((centre.z - item.radius, Placed { item: number as u32, centre, window }));
            }
        }
        placed.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut strips = vec![Vec::new(); film.height.div_ceil(film.strip)];
        for (number, (_, placed)) in placed.iter().enumerate() {
            for strip in &mut strips[placed.window.min[1] / film.strip..=(placed.window.max[1] - 1) / film.strip] {
                strip.push(number as u32);
            }
        }
        Arrangement { placed: placed.into_iter().map(|(_, placed)| placed).collect(), strips }
    }

    /// Draws one strip of the image.
    pub fn draw<'f, T: Trace>(&self, film: &'f Film, arrangement: &Arrangement, number: usize) -> Strip<'f, T> {
        let top = number * film.strip;
        let rows = film.strip.min(film.height - top);
        let mut strip = Strip::new(&film.camera, film.width, top, rows);
        for &place in &arrangement.strips[number] {
            let Placed { item: owner, centre, window } = &arrangement.placed[place as usize];
            let item = &self.items[*owner as usize];
            let crosses = |cut: &&Cut| (cut.normal.dot(*centre) - cut.offset).abs() < item.radius;
            let cut = film.cut.as_ref().filter(crosses);
            if item.is_ball {
                strip.ball(*centre, item.radius, window, cut, *owner);
                continue;
            }
            if strip.hides(window, centre.z - item.radius) {
                continue;
            }
            let orientation = film.orientation * item.pose.orientation;
            let pose = Pose { position: *centre, orientation };
            match item.form {
                Form::Patch(patch, faces) => strip.triangles(&patch.mesh, &pose, faces, cut, |k| patch.owners[k]),
                Form::Shape(shape, number) => {
                    let pixels = film.camera.pixels(item.radius, centre.z);
                    strip.mesh(self.mesh(shape, number, item.radius, pixels), &pose, cut, *owner);
                    if let Some(cut) = cut {
                        strip.section(shape.as_convex(), &pose, window, cut, *owner);
                    }
                }
            }
        }
        strip
    }

    /// Returns the triangles of the shape with this id. `radius` is its bounding radius, and `pixels`
    /// its diameter in the picture, which selects the level of detail.
    fn mesh(&self, shape: &Shape, number: usize, radius: f64, pixels: f64) -> &Mesh {
        let level = RADII.iter().filter(|&&radius| pixels > radius).count();
        self.meshes[number][level].get_or_init(|| shape.as_convex().surface(level as u32, radius))
    }
}

/// A camera, its image plane and a clipping plane.
pub(crate) struct Film {
    pub camera: Camera,
    pub width: usize,
    pub height: usize,
    /// Number of rows of a strip.
    pub strip: usize,
    /// Clipping plane in camera axes.
    pub cut: Option<Cut>,
    /// Rotation from world axes to camera axes.
    orientation: DQuat,
}

impl Film {
    /// Creates an image plane. `cut` is a clipping plane in world axes: normal and offset.
    pub fn new(camera: Camera, width: usize, height: usize, strip: usize, cut: Option<(DVec3, f64)>) -> Self {
        let cut =
            cut.map(|(normal, offset)| Cut { normal: camera.turned(normal), offset: offset - normal.dot(camera.eye) });
        Self { camera, width, height, strip, cut, orientation: camera.rotation() }
    }
}

/// The items of each strip.
pub(crate) struct Arrangement {
    placed: Vec<Placed>,
    strips: Vec<Vec<u32>>,
}

#[cfg(test)]
mod tests {
    use glam::DVec2;
    use granum_geometry::shape::Sphere;

    use super::super::camera::Lens;
    use super::super::depth_buffer::Facing;
    use super::*;

    /// Depths and normals of a ball by rays and by its mesh must agree except at the edges of the
    /// mesh.
    #[test]
    fn a_mesh_of_a_ball_has_the_depths_and_normals_of_the_ball() {
        for lens in [Lens::Perspective, Lens::Orthographic] {
            for cut in [None, Some((DVec3::new(1.0, -1.0, 0.5).normalize(), 0.3))] {
                let shapes = [Shape::from(Sphere { radius: 1.0 })];
                let [right, down, forward] = Camera::axes(DVec3::new(-0.2, 1.0, -0.3), DVec3::Z);
                let scale = if lens == Lens::Perspective { 500.0 } else { 80.0 };
                let axis = DVec2::new(110.0, 90.0);
                let camera = Camera { eye: -6.0 * forward, right, down, forward, lens, axis, scale };
                let film = Film::new(camera, 200, 200, 200, cut);
                let strip = |is_ball: bool| {
                    let pose = Pose { position: DVec3::new(0.1, 0.0, -0.1), orientation: DQuat::from_rotation_x(0.3) };
                    let item = Item { form: Form::Shape(&shapes[0], 0), pose, radius: 1.0, is_ball };
                    let stock = Stock { items: vec![item], owners: vec![0], meshes: vec![Default::default()] };
                    stock.draw::<Facing>(&film, &stock.arrange(&film), 0)
                };
                let (ball, mesh) = (strip(true), strip(false));
                let seen = |depth: &[f32]| depth.iter().filter(|depth| depth.is_finite()).count();
                let (seen_ball, seen_mesh) = (seen(&ball.depth), seen(&mesh.depth));
                assert!(seen_ball > 15_000 && seen_ball.abs_diff(seen_mesh) < 250, "{seen_ball} {seen_mesh}");
                let both = ball.depth.iter().zip(&mesh.depth).enumerate();
                let both = both.filter(|(_, (a, b))| a.is_finite() && b.is_finite());
                let (mut worst, mut turned) = (0f32, 0);
                for (index, (a, b)) in both {
                    worst = worst.max((a - b).abs());
                    turned += usize::from(ball.trace[index].normal.dot(mesh.trace[index].normal) < 0.99);
                }
                assert!(worst < 0.15 && turned < 300, "{worst} {turned}");
            }
        }
    }
}
