//! Parameters of a picture: view point, projection, size, colours.

use std::str::FromStr;

use glam::{DVec2, DVec3};
use granum_geometry::Aabb;

use super::camera::{Camera, Lens};
use super::items::{Form, Item, Stock};
use crate::colour_map::ColourMap;
use crate::quantity::Quantity;
use crate::surface_quantity::SurfaceQuantity;

/// Tangent of half the angle of view along the longer side. A small angle distorts little.
const TANGENT: f64 = 0.28;

/// Automatic view direction: from the front, slightly from the right and from above.
pub(crate) const AUTOMATIC: DVec3 = DVec3::new(-0.45, 1.0, -0.42);

/// Margin around the scene, as a fraction of the side of the picture.
const BORDER: f64 = 0.04;

/// The view direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Viewpoint {
    /// From the front, slightly from the right and from above. A planar scene is seen from above.
    #[default]
    Automatic,
    /// From the front, along y.
    Front,
    /// From the right, along -x.
    Side,
    /// From above, along -z.
    Top,
    /// Isometric: from the front, the right and above, with equal angles to all axes.
    Iso,
    /// From this point, m.
    At(DVec3),
    /// Along this direction, of any length but 0, from as far away as the scene needs.
    Along(DVec3),
}

/// Parameters of a picture.
#[derive(Clone, Debug)]
pub struct View {
    /// Width and height, pixels.
    pub size: [usize; 2],
    /// View direction.
    pub from: Viewpoint,
    /// The point in the centre of the picture, m; by default the centre of the scene.
    pub look_at: Option<DVec3>,
    /// Magnification relative to a picture that fits the scene.
    pub zoom: f64,
    /// Perspective or orthographic projection.
    pub lens: Lens,
    /// Clipping plane (normal and offset). Everything beyond it is cut away.
    pub cut: Option<(DVec3, f64)>,
    /// The quantity shown by colours.
    pub colour: Quantity,
    /// The colour map.
    pub map: ColourMap,
    /// Values of the first and the last colour; by default the range of the data.
    pub range: Option<[f64; 2]>,
    /// The quantity shown by the colours of triangulated surfaces.
    pub surface_colour: SurfaceQuantity,
    /// The colour map of surfaces; by default one that suits the quantity.
    pub surface_map: Option<ColourMap>,
    /// Values of the first and the last colour of surfaces; by default the range of the data.
    pub surface_range: Option<[f64; 2]>,
    /// True if the picture shows a colour bar and the time.
    pub legend: bool,
    /// True if walls are drawn.
    pub walls: bool,
}

impl Default for View {
    fn default() -> Self {
        Self {
            size: [1600, 1200],
            from: Viewpoint::Automatic,
            look_at: None,
            zoom: 1.0,
            lens: Lens::Perspective,
            cut: None,
            colour: Quantity::default(),
            map: ColourMap::default(),
            range: None,
            surface_colour: SurfaceQuantity::default(),
            surface_map: None,
            surface_range: None,
            legend: true,
            walls: true,
        }
    }
}

impl View {
    /// Returns the width of the legend on the right, pixels.
    pub(crate) fn legend_width(&self) -> usize {
        let has_bar = self.colour != Quantity::None || self.surface_colour != SurfaceQuantity::None;
        if self.legend && has_bar { (self.size[1] / 6).min(self.size[0] / 4) } else { 0 }
    }

    /// Returns the camera that shows the box `room` completely.
    pub(crate) fn camera(&self, room: &Aabb, stock: &Stock) -> Camera {
        let middle = 0.5 * (room.min + room.max);
        let target = self.look_at.unwrap_or(middle);
        let looks = match self.from {
            Viewpoint::Automatic if is_flat(stock) => -DVec3::Z,
            Viewpoint::Automatic => AUTOMATIC,
            Viewpoint::Front => DVec3::Y,
            Viewpoint::Side => -DVec3::X,
            Viewpoint::Top => -DVec3::Z,
            Viewpoint::Iso => DVec3::new(-1.0, 1.0, -1.0),
            Viewpoint::At(eye) => target - eye,
            Viewpoint::Along(direction) => direction,
        };
        let lens = if self.from == Viewpoint::Automatic && is_flat(stock) { Lens::Orthographic } else { self.lens };
        let [right, down, forward] = Camera::axes(looks, DVec3::Z);
        let [width, height] = [(self.size[0] - self.legend_width()) as f64, self.size[1] as f64];
        let free = (1.0 - 2.0 * BORDER) * DVec2::new(width, height);
        let axis = 0.5 * DVec2::new(width, height);
        let mut camera = Camera { eye: target, right, down, forward, lens, axis, scale: 1.0 };
        let corners = corners(room).map(|corner| camera.seen(corner));
        match (lens, self.from) {
            (Lens::Perspective, Viewpoint::At(eye)) => {
                camera.eye = eye;
                camera.scale = free.max_element() / (2.0 * TANGENT);
            }
            (Lens::Perspective, _) => {
                camera.scale = free.max_element() / (2.0 * TANGENT);
                let tangent = 0.5 * free / camera.scale;
                // Move the eye back until all corners are in the picture.
                let back = corners.iter().map(|corner| (corner.truncate().abs() / tangent).max_element() - corner.z);
                camera.eye = target - back.fold(0.0, f64::max) * forward;
            }
            (Lens::Orthographic, _) => {
                let reach = corners.iter().fold(DVec2::ZERO, |reach, corner| reach.max(corner.truncate().abs()));
                camera.scale = (0.5 * free / reach).min_element();
                camera.eye = target - (room.max - room.min).length() * forward - (target - middle).length() * forward;
            }
        }
        if self.look_at.is_none() && !matches!(self.from, Viewpoint::At(_)) {
            camera.fill(&corners.map(|corner| camera.project(corner + camera.turned(target - camera.eye))), free);
        }
        camera.scale *= self.zoom;
        camera
    }
}

fn corners(room: &Aabb) -> [DVec3; 8] {
    std::array::from_fn(|k| {
        let pick = |axis: usize| if k >> axis & 1 == 0 { room.min[axis] } else { room.max[axis] };
        DVec3::new(pick(0), pick(1), pick(2))
    })
}

/// Returns whether the centres of all bodies lie in the plane z = 0, as in a planar scene.
fn is_flat(stock: &Stock) -> bool {
    let is_in_plane = |item: &Item| item.pose.position.z == 0.0 && matches!(item.form, Form::Shape(..));
    stock.items.len() > 1 && stock.items.iter().all(is_in_plane)
}

impl FromStr for Viewpoint {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Automatic),
            "front" => Ok(Self::Front),
            "side" => Ok(Self::Side),
            "top" => Ok(Self::Top),
            "iso" => Ok(Self::Iso),
            place => place_from_text(place)
                .map(Self::At)
                .map_err(|_| "must be auto, front, side, top, iso or a place in metres such as 0.5,-1,0.8".to_owned()),
        }
    }
}

/// Parses a point `x,y,z`, m.
pub fn place_from_text(text: &str) -> Result<DVec3, String> {
    let numbers: Vec<f64> = text.split(',').filter_map(|part| part.trim().parse().ok()).collect();
    match numbers[..] {
        [x, y, z] if text.split(',').count() == 3 && (x + y + z).is_finite() => Ok(DVec3::new(x, y, z)),
        _ => Err("must be three numbers in metres such as 0.1,0,0.05".into()),
    }
}

/// Parses a clipping plane: `x=0.02` removes everything at larger x, `-x=0.02` everything at
/// smaller x.
pub fn cut_from_text(text: &str) -> Result<(DVec3, f64), String> {
    let message = || {
        "must name an axis and a place in metres: x=0.02 cuts away what lies beyond, -x=0.02 what lies \
                      before"
            .to_owned()
    };
    let (name, place) = text.split_once('=').ok_or_else(message)?;
    let place: f64 = place.trim().parse().map_err(|_| message())?;
    let (name, sign) = name.trim().strip_prefix('-').map_or((name.trim(), 1.0), |name| (name, -1.0));
    let axis = match name {
        "x" => DVec3::X,
        "y" => DVec3::Y,
        "z" => DVec3::Z,
        _ => return Err(message()),
    };
    if place.is_finite() { Ok((sign * axis, sign * place)) } else { Err(message()) }
}
