//! Lighting: a soft sun and a bright sky, both as directional lights with shadow maps.
//!
//! The many lights of the sky produce ambient occlusion: gaps between grains receive light from a
//! small part of the sky only and are dark.

use glam::{DMat3, DVec2, DVec3, Mat3, Vec3};
use rayon::prelude::*;

use super::camera::{Camera, Lens};
use super::items::{Film, Stock};
use super::view::View;

/// Bounds of the number of samples per side of a shadow map, which is otherwise that of the
/// picture. With the largest number a grain among a hundred thousand spans twenty samples.
const MAP: std::ops::RangeInclusive<usize> = 256..=1024;

/// Number of lights of the sun and tangent of the half angle of its disc, which softens shadow
/// edges.
const SUN: (usize, f64) = (12, 0.09);

/// Number of lights of the sky.
const SKY: usize = 36;

/// Intensities of the sun, of the whole sky and of the ambient light. Their sum is about 1, so that
/// a lit grain has the colour of the colour bar.
const SUNLIGHT: f64 = 0.68;
const SKYLIGHT: f64 = 0.62;
const EVERYWHERE: f32 = 0.08;

/// A directional light and its shadow map. Single precision relative to the centre suffices,
/// because a map has about a thousand samples per side.
struct Lamp {
    /// Unit vector to the light, world axes.
    to_light: Vec3,
    /// Intensity on a surface that faces it.
    power: f32,
    /// Transform from a point to the map: column, row and depth.
    to_map: Mat3,
    /// Depth of the first surface in each sample of the map, infinite without a surface.
    depth: Vec<f32>,
}

/// All lights.
pub(crate) struct Light {
    lamps: Vec<Lamp>,
    centre: DVec3,
    /// Number of samples per side of the maps.
    map: usize,
    /// Length of a sample of the maps, m.
    sample: f64,
}

impl Light {
    /// Creates the lights for items inside a ball. `sun` and `zenith` are the directions to the sun
    /// and to the centre of the sky.
    pub fn new(stock: &Stock, ball: (DVec3, f64), sun: DVec3, zenith: DVec3, view: &View) -> Self {
        let (centre, radius) = ball;
        let map = view.size[0].max(view.size[1]).clamp(*MAP.start(), *MAP.end());
        let lamps: Vec<(DVec3, f64)> = sun_directions(sun)
            .map(|to_light| (to_light, SUNLIGHT / SUN.0 as f64))
            .chain(sky_directions(zenith).map(|to_light| (to_light, 2.0 * SKYLIGHT / SKY as f64)))
            .collect();
        let scale = 0.5 * map as f64 / radius;
        let lamps = lamps
            .into_par_iter()
            .map(|(to_light, power)| {
                let [right, down, forward] = Camera::axes(-to_light, DVec3::Z);
                let axis = DVec2::splat(0.5 * map as f64);
                let camera = Camera { eye: centre, right, down, forward, lens: Lens::Orthographic, axis, scale };
                let film = Film::new(camera, map, map, map, view.cut);
                let depth = stock.draw::<()>(&film, &stock.arrange(&film), 0).depth;
                let to_map = DMat3::from_cols(scale * right, scale * down, forward).transpose().as_mat3();
                Lamp { to_light: to_light.as_vec3(), power: power as f32, to_map, depth }
            })
            .collect();
        Self { lamps, centre, map, sample: 1.0 / scale }
    }

    /// Returns the light intensity on a surface at `point`.
    pub fn on(&self, point: DVec3, normal: DVec3) -> f32 {
        // Offset of the point from the surface, in samples of a map, which prevents self-shadowing.
        const LIFT: f64 = 1.6;
        let lifted = (point - self.centre + LIFT * self.sample * normal).as_vec3();
        let (normal, slack) = (normal.as_vec3(), self.sample as f32);
        let light = self.lamps.iter().map(|lamp| {
            let facing = normal.dot(lamp.to_light);
            if facing > 0.0 && !lamp.is_hidden(lifted, slack, self.map) { facing * lamp.power } else { 0.0 }
        });
        EVERYWHERE + light.sum::<f32>()
    }
}

impl Lamp {
    fn is_hidden(&self, point: Vec3, slack: f32, map: usize) -> bool {
        let place = self.to_map * point;
        let side = map as f32;
        let (x, y) = (place.x + 0.5 * side, place.y + 0.5 * side);
        let inside = x >= 0.0 && y >= 0.0 && x < side && y < side;
        inside && self.depth[y as usize * map + x as usize] < place.z - slack
    }
}

/// Returns directions to a disc around the sun, evenly spaced on a spiral.
fn sun_directions(sun: DVec3) -> impl Iterator<Item = DVec3> {
    let (count, reach) = SUN;
    let (t, u) = granum_geometry::numeric::math::tangent_frame(sun);
    (0..count).map(move |k| {
        let (sin, cos) = libm::sincos(GOLDEN_ANGLE * k as f64);
        let away = reach * ((k as f64 + 0.5) / count as f64).sqrt();
        (sun + away * (cos * t + sin * u)).normalize()
    })
}

/// Returns evenly spaced directions on the hemisphere around the zenith.
fn sky_directions(zenith: DVec3) -> impl Iterator<Item = DVec3> {
    let (t, u) = granum_geometry::numeric::math::tangent_frame(zenith);
    (0..SKY).map(move |k| {
        let (sin, cos) = libm::sincos(GOLDEN_ANGLE * k as f64);
        let height = 1.0 - (k as f64 + 0.5) / SKY as f64;
        let across = (1.0 - height * height).sqrt();
        height * zenith + across * (cos * t + sin * u)
    })
}

/// The golden angle, rad, which spaces points on a spiral evenly.
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
