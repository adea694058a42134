//! Picture of a triangulated surface alone.

use glam::DVec3;
use granum_geometry::{Pose, TriangleMesh};
use rayon::prelude::*;

use super::depth_buffer::Faces;
use super::items::{Film, Stock};
use super::light::Light;
use super::patches::divide;
use super::shading::Painter;
use super::view::{AUTOMATIC, View, Viewpoint};
use super::walls::Walls;
use super::{NoPicture, SAMPLES, STRIP, check_size, sun, zenith};
use crate::image::{Colour, Image};

/// Colours of the side to which the normals point, and of the other side.
const COLOURS: [Colour; 2] = [[196, 166, 120], [118, 146, 176]];

/// Length of the mean normal, weighted by area, below which a surface has no front.
const NO_FRONT: f64 = 1e-3;

/// Returns the automatic view direction, turned about z by the number of right angles from which
/// most of the front is seen. From the default direction the whole front of a hillside may be hidden.
fn towards_the_front(mesh: &TriangleMesh) -> DVec3 {
    let areas = || (0..mesh.triangles().len()).map(|triangle| mesh.vector_area(triangle));
    let front: DVec3 = areas().sum();
    if front.length() < NO_FRONT * areas().map(DVec3::length).sum::<f64>() {
        return AUTOMATIC;
    }
    let DVec3 { x, y, z } = AUTOMATIC;
    let turned = [AUTOMATIC, DVec3::new(-y, x, z), DVec3::new(-x, -y, z), DVec3::new(y, -x, z)];
    let seen = |direction: &DVec3| -direction.dot(front);
    turned.into_iter().reduce(|best, next| if seen(&next) > seen(&best) { next } else { best }).unwrap_or(AUTOMATIC)
}

/// Renders a surface. The side to which its normals point is brown, the other side blue, so that
/// flipped triangles are seen at once. The automatic view shows the front of an open surface.
pub fn render_surface(mesh: &TriangleMesh, view: &View) -> Result<Image, NoPicture> {
    let [width, height] = view.size;
    check_size(view)?;
    let bounds = mesh.bounds();
    let middle = bounds.min.midpoint(bounds.max);
    let radius = 0.5 * (bounds.max - bounds.min).length();
    if radius == 0.0 {
        return Err(NoPicture::Empty);
    }
    let all = || (0..mesh.triangles().len() as u32).collect::<Vec<u32>>();
    let side = |faces, colour| divide(mesh, &Pose::IDENTITY, all(), &vec![colour; mesh.triangles().len()], faces, 0);
    let (front, back) = (side(Faces::Front, 0), side(Faces::Back, 1));
    let items = front.iter().chain(&back).map(|patch| (0, patch.item(patch.faces)));
    let stock = Stock::new(&[], &[]).with(items);

    let walls = Walls::new(&[], &[], &bounds);
    let from = if view.from == Viewpoint::Automatic { Viewpoint::Along(towards_the_front(mesh)) } else { view.from };
    let view = &View { from, ..view.clone() };
    let camera = view.camera(&bounds, &stock);
    let film = Film::new(camera.finer(SAMPLES as f64), width * SAMPLES, height * SAMPLES, STRIP * SAMPLES, view.cut);
    let arrangement = stock.arrange(&film);
    let light = Light::new(&stock, (middle, radius), sun(&film), zenith(&film), view);
    let painter = Painter::new(&film, &walls, &light, sun(&film), &COLOURS);
    let strips = (0..height.div_ceil(STRIP)).into_par_iter();
    let pixels = strips.flat_map_iter(|number| painter.paint(stock.draw(&film, &arrangement, number), None)).collect();
    Ok(Image { width, height, pixels })
}
