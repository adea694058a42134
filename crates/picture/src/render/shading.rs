//! Shading: from the surfaces of a strip to its pixels.
//!
//! The samples of a pixel that belong to one item are shaded together: edges are antialiased,
//! although the lights are evaluated only once per item and pixel.

use glam::{DVec2, DVec3};

use super::SAMPLES;
use super::depth_buffer::{Facing, Strip};
use super::items::Film;
use super::light::Light;
use super::patches::{BY_HEIGHT, Seen};
use super::walls::Walls;
use crate::image::Colour;
use crate::surface_quantity::SurfaceQuantity;

/// Owner index of a sample on a wall. No item has this index.
const WALL: u32 = u32::MAX;

/// Colour of walls.
const WALL_COLOUR: Colour = [240, 241, 244];

/// Contrast of light and shadow on walls. It is low, so that walls do not distract from grains.
const WALL_SHADE: f32 = 0.45;

/// Strength of the specular reflection of the sun, which shows the roundness of surfaces.
const GLOSS: f32 = 0.10;

/// Colour of glass: surfaces between the eye and the grains.
const GLASS_COLOUR: Colour = [150, 168, 192];

/// Part of the light that glass adds where it is seen face on; the larger one if its colour shows a
/// quantity.
const GLASS: [f32; 2] = [0.14, 0.36];

/// The same where it is seen edge on, so that its outline is visible.
const GLASS_EDGE: f32 = 0.55;

/// Smallest cosine of the angle between a normal and that of the cut at which a surface belongs to
/// the cut face. It covers rounding errors of the mean normal.
const IN_CUT: f64 = 1.0 - 1e-6;

/// Linear light: red, green, blue. A display gamma of 2 is assumed, so that the inverse is a square
/// root and pictures have the same bytes on every platform.
type Rays = [f32; 3];

fn rays(colour: Colour) -> Rays {
    colour.map(|part| (f32::from(part) / 255.0).powi(2))
}

/// The samples of a pixel that belong to one item.
struct Patch {
    owner: u32,
    samples: usize,
    /// Sums over the samples.
    point: DVec3,
    normal: DVec3,
}

/// Converts strips to pixels.
pub(crate) struct Painter<'a> {
    film: &'a Film,
    walls: &'a Walls<'a>,
    light: &'a Light,
    sun: DVec3,
    colours: Vec<Rays>,
    /// Colours of surfaces.
    surfaces: Option<&'a Seen<'a>>,
}

impl<'a> Painter<'a> {
    pub fn new(film: &'a Film, walls: &'a Walls<'a>, light: &'a Light, sun: DVec3, colours: &[Colour]) -> Self {
        let colours = colours.iter().map(|&colour| rays(colour)).collect();
        Self { film, walls, light, sun, colours, surfaces: None }
    }

    /// Adds the colours of triangulated surfaces.
    pub fn with_surfaces(self, seen: &'a Seen<'a>) -> Self {
        Self { surfaces: Some(seen), ..self }
    }

    /// Returns the pixels of a strip, row by row. `panes` is the glass in front of it.
    pub fn paint(&self, mut strip: Strip<Facing>, panes: Option<Strip<Facing>>) -> Vec<Colour> {
        self.add_walls(&mut strip);
        let (width, rows) = (strip.width / SAMPLES, strip.rows / SAMPLES);
        let mut patches = Vec::with_capacity(SAMPLES * SAMPLES);
        let mut pixels = Vec::with_capacity(width * rows);
        // Glass behind a surface is not seen.
        let panes = panes.map(|mut panes| {
            for (pane, depth) in panes.depth.iter_mut().zip(&strip.depth) {
                *pane = if *pane < *depth { *pane } else { f32::INFINITY };
            }
            panes
        });
        for y in 0..rows {
            for x in 0..width {
                self.gather(&strip, x, y, &mut patches);
                let mut light = self.mean(&patches);
                if let Some(panes) = &panes {
                    self.gather(panes, x, y, &mut patches);
                    self.look_through(&patches, &mut light);
                }
                pixels.push(light.map(|part| (255.0 * part.sqrt()).round() as u8));
            }
        }
        pixels
    }

    fn place(strip: &Strip<Facing>, x: usize, y: usize) -> DVec2 {
        DVec2::new(x as f64 + 0.5, (strip.top + y) as f64 + 0.5)
    }

    fn add_walls(&self, strip: &mut Strip<Facing>) {
        if self.walls.is_empty() {
            return;
        }
        let camera = &self.film.camera;
        for y in 0..strip.rows {
            for x in 0..strip.width {
                let (origin, direction) = camera.ray(Self::place(strip, x, y));
                let (origin, direction) = (camera.eye + camera.unturned(origin), camera.unturned(direction));
                let index = y * strip.width + x;
                if let Some((depth, normal)) = self.walls.hit(origin, direction, f64::from(strip.depth[index])) {
                    strip.put(index, depth, || camera.turned(normal), WALL);
                }
            }
        }
    }

    /// Returns the items of a pixel with their samples.
    fn gather(&self, strip: &Strip<Facing>, x: usize, y: usize, patches: &mut Vec<Patch>) {
        patches.clear();
        for (j, i) in (0..SAMPLES).flat_map(|j| (0..SAMPLES).map(move |i| (j, i))) {
            let (x, y) = (x * SAMPLES + i, y * SAMPLES + j);
            let index = y * strip.width + x;
            let depth = strip.depth[index];
            if depth == f32::INFINITY {
                continue;
            }
            let Facing { normal, owner } = strip.trace[index];
            let (origin, direction) = self.film.camera.ray(Self::place(strip, x, y));
            let (point, normal) = (origin + f64::from(depth) * direction, normal.as_dvec3());
            match patches.iter_mut().find(|patch| patch.owner == owner) {
                Some(patch) => {
                    patch.samples += 1;
                    patch.point += point;
                    patch.normal += normal;
                }
                None => patches.push(Patch { owner, samples: 1, point, normal }),
            }
        }
    }

    /// Returns the mean light of the samples of a pixel; the background is white.
    fn mean(&self, patches: &[Patch]) -> Rays {
        const ALL: f32 = (SAMPLES * SAMPLES) as f32;
        let empty = SAMPLES * SAMPLES - patches.iter().map(|patch| patch.samples).sum::<usize>();
        let mut sum = [empty as f32; 3];
        for patch in patches {
            let rays = self.shade(patch);
            sum = std::array::from_fn(|k| sum[k] + patch.samples as f32 * rays[k].min(1.0));
        }
        sum.map(|sum| sum / ALL)
    }

    /// Adds glass to the light of a pixel behind it.
    fn look_through(&self, panes: &[Patch], light: &mut Rays) {
        const ALL: f32 = (SAMPLES * SAMPLES) as f32;
        let is_plain = self.surfaces.is_none_or(|seen| seen.quantity == SurfaceQuantity::None);
        for pane in panes {
            let camera = &self.film.camera;
            let seen = pane.normal.normalize_or(-DVec3::Z);
            let from_eye = pane.point / pane.samples as f64;
            let facing = seen.dot(from_eye.normalize_or(DVec3::Z)).abs() as f32;
            let face_on = GLASS[usize::from(!is_plain)];
            let opacity = face_on + (GLASS_EDGE - face_on) * (1.0 - facing).powi(3);
            let lit = self.light.on(camera.eye + camera.unturned(from_eye), camera.unturned(seen)).min(1.0);
            let lit = 1.0 - WALL_SHADE * (1.0 - lit);
            let colour = if is_plain { rays(GLASS_COLOUR) } else { self.colour(pane) };
            let part = opacity * pane.samples as f32 / ALL;
            *light = std::array::from_fn(|k| light[k] + part * (lit * colour[k] - light[k]));
        }
    }

    /// Returns the colour of the item of a patch.
    fn colour(&self, patch: &Patch) -> Rays {
        match self.surfaces {
            Some(seen) if patch.owner == BY_HEIGHT => {
                let camera = &self.film.camera;
                let point = camera.eye + camera.unturned(patch.point / patch.samples as f64);
                rays(seen.scale.colour(point.z))
            }
            _ => self.colours[patch.owner as usize],
        }
    }

    /// Returns the light from the samples of one item.
    fn shade(&self, patch: &Patch) -> Rays {
        let camera = &self.film.camera;
        let from_eye = camera.unturned(patch.point / patch.samples as f64);
        let seen = patch.normal.normalize_or(-DVec3::Z);
        let normal = camera.unturned(seen);
        let light = self.light.on(camera.eye + from_eye, normal);
        if patch.owner == WALL {
            let light = 1.0 - WALL_SHADE * (1.0 - light.min(1.0));
            return rays(WALL_COLOUR).map(|part| part * light);
        }
        // A flat cut face would reflect the sun on its whole area.
        let is_section = self.film.cut.is_some_and(|cut| cut.normal.dot(seen) > IN_CUT);
        let half = (self.sun - from_eye.normalize_or(camera.forward)).normalize_or(self.sun);
        let mirrored = if is_section { 0.0 } else { normal.dot(half).max(0.0) as f32 };
        self.colour(patch).map(|part| light * (part + GLOSS * mirrored.powi(24)))
    }
}
