//! Picture of a triangulated surface alone.

use granum_geometry::{Mesh, TriangleMesh};
use rayon::prelude::*;

use super::items::{Film, Stock};
use super::light::Light;
use super::shading::Painter;
use super::view::View;
use super::walls::Walls;
use super::{NoPicture, SAMPLES, STRIP, check_size, sun, zenith};
use crate::image::{Colour, Image};

/// Colours of the side to which the normals point, and of the other side.
const COLOURS: [Colour; 2] = [[196, 166, 120], [118, 146, 176]];

/// Renders a surface. The side to which its normals point is brown, the other side blue, so that
/// flipped triangles are seen at once.
pub fn render_surface(mesh: &TriangleMesh, view: &View) -> Result<Image, NoPicture> {
    let [width, height] = view.size;
    check_size(view)?;
    let bounds = mesh.bounds();
    let middle = bounds.min.midpoint(bounds.max);
    let radius = 0.5 * (bounds.max - bounds.min).length();
    if radius == 0.0 {
        return Err(NoPicture::Empty);
    }
    // Each triangle has its own vertices, so that its edges stay sharp.
    let mut front = Mesh::default();
    for triangle in 0..mesh.triangles().len() {
        let Some(normal) = mesh.normal(triangle) else { continue };
        let first = front.vertices.len() as u32;
        front.vertices.extend(mesh.corners(triangle).map(|corner| corner - middle));
        front.normals.extend([normal; 3]);
        front.triangles.push([first, first + 1, first + 2]);
    }
    let back = front.clone().inside_out();
    let sides = [front, back];
    let stock = Stock::of_surface(&sides, middle, radius);

    let walls = Walls::new(&[], &[], &bounds);
    let camera = view.camera(&bounds, &stock);
    let film = Film::new(camera.finer(SAMPLES as f64), width * SAMPLES, height * SAMPLES, STRIP * SAMPLES, view.cut);
    let arrangement = stock.arrange(&film);
    let light = Light::new(&stock, (middle, radius), sun(&film), zenith(&film), view);
    let painter = Painter::new(&film, &walls, &light, sun(&film), &COLOURS);
    let strips = (0..height.div_ceil(STRIP)).into_par_iter();
    let pixels = strips.flat_map_iter(|number| painter.paint(stock.draw(&film, &arrangement, number))).collect();
    Ok(Image { width, height, pixels })
}
