//! Triangles, regions and edges near a grain.

use glam::DVec3;

use super::grain::{Fan, Grain};
use crate::shape::Surface;
use crate::surface::features::{Fold, NONE, Plane};

/// Tolerance of the test whether a point lies above a triangle, relative to the square of its size.
const ON_SIDE: f64 = 1e-12;

/// Largest number of regions whose neighbours across concave edges are searched besides those near
/// the grain.
const MOST_HIDDEN: usize = 16;

/// Faces, edges and corners of a surface near a grain.
pub(super) struct Near<'a> {
    pub surface: &'a Surface,
    /// Triangles whose boxes meet that of the grain, in ascending order.
    pub triangles: Vec<u32>,
    /// Regions of these triangles in ascending order, in front of which the grain is.
    pub regions: Vec<NearRegion>,
}

/// A region near the grain, seen from the side on which the grain is.
pub(super) struct NearRegion {
    pub region: u32,
    /// 0 for the front, 1 for the back.
    pub side: u32,
    /// Unit normal to this side.
    pub normal: DVec3,
    /// Height of the centre of the grain above the plane, m.
    pub height: f64,
    /// Gap between the grain and the half-space below the plane, m.
    pub gap: f64,
    /// Its triangles near the grain.
    pub triangles: Vec<u32>,
    /// Least gap of its contacts, m. Its edges have no contact along nearly the same normal that is
    /// not deeper.
    pub contact: Option<f64>,
}

/// An edge at which a region ends, as seen from the region.
pub(super) struct Border {
    pub from: DVec3,
    pub to: DVec3,
    /// Unit vector along the edge.
    pub along: DVec3,
    /// Unit vector in the plane of the region that points out of it.
    pub outward: DVec3,
    /// True if the grain may hang over the edge.
    pub is_limit: bool,
    /// Number of the edge.
    pub edge: u32,
}

impl<'a> Near<'a> {
    pub fn new(surface: &'a Surface, grain: &Grain, margin: f64) -> Self {
        let bounds = grain.bounds(margin);
        let mut triangles = Vec::new();
        let mesh = surface.mesh();
        surface.tree().visit(
            |of_node| of_node.overlaps(&bounds),
            |triangle| {
                if mesh.triangle_bounds(triangle).overlaps(&bounds) {
                    triangles.push(triangle as u32);
                }
            },
        );
        triangles.sort_unstable();
        let mut near = Self { surface, triangles, regions: Vec::new() };
        near.find_regions(grain, margin);
        near.add_hidden_regions(grain, margin);
        near
    }

    fn find_regions(&mut self, grain: &Grain, margin: f64) {
        let features = self.surface.features();
        let of = |triangle: &u32| features.region_of[*triangle as usize];
        let mut by_region: Vec<(u32, u32)> =
            self.triangles.iter().filter(|t| of(t) != NONE).map(|t| (of(t), *t)).collect();
        by_region.sort_unstable();
        for group in by_region.chunk_by(|one, next| one.0 == next.0) {
            let triangles = || group.iter().map(|(_, triangle)| *triangle).collect();
            self.regions.extend(near_region(self.surface, group[0].0, grain, margin, triangles));
        }
    }

    /// Adds the regions across concave edges whose planes are near the grain although their triangles
    /// are not: below the edge the plane goes on inside the solid. Without them, a contact in a hollow
    /// would end as soon as the grain has left the box of the triangle.
    fn add_hidden_regions(&mut self, grain: &Grain, margin: f64) {
        let features = self.surface.features();
        let found = self.regions.len();
        let mut k = 0;
        while k < self.regions.len() && k < found + MOST_HIDDEN {
            let side = self.regions[k].side;
            let concave = if side == 0 { Fold::Concave } else { Fold::Convex };
            for place in 0..self.regions[k].triangles.len() {
                let triangle = self.regions[k].triangles[place];
                for number in features.edges_of[triangle as usize] {
                    if number == NONE || features.edges[number as usize].fold != concave {
                        continue;
                    }
                    let [a, b] = features.edges[number as usize].triangles;
                    let other = if a == triangle { b } else { a };
                    let region = features.region_of[other as usize];
                    if self.regions.iter().any(|known| known.region == region) {
                        continue;
                    }
                    let hidden = near_region(self.surface, region, grain, margin, || vec![other]);
                    self.regions.extend(hidden.filter(|hidden| hidden.side == side));
                }
            }
            k += 1;
        }
        self.regions.sort_by_key(|region| region.region);
    }

    /// Returns the borders of a region that are near the grain.
    pub fn borders(&self, region: &NearRegion, grain: &Grain) -> Vec<Border> {
        let sides = region.triangles.iter().flat_map(|&triangle| [0, 1, 2].map(|side| (triangle, side)));
        sides.filter_map(|(triangle, side)| self.border(region, triangle, side, grain)).collect()
    }

    /// Returns the borders of a region that end at a vertex.
    pub fn borders_at(&self, region: &NearRegion, vertex: u32, grain: &Grain) -> Vec<Border> {
        let features = self.surface.features();
        let mut borders = Vec::new();
        for &edge in features.star(vertex) {
            for &triangle in features.triangles_of(edge) {
                let side = features.edges_of[triangle as usize].iter().position(|&own| own == edge);
                if features.region_of[triangle as usize] == region.region {
                    borders.extend(side.and_then(|side| self.border(region, triangle, side, grain)));
                }
            }
        }
        borders
    }

    /// Returns the side of a triangle as a border of its region, if it is one.
    fn border(&self, region: &NearRegion, triangle: u32, side: usize, grain: &Grain) -> Option<Border> {
        let (features, mesh) = (self.surface.features(), self.surface.mesh());
        let number = features.edges_of[triangle as usize][side];
        if number == NONE {
            return None;
        }
        let edge = &features.edges[number as usize];
        let other = match edge.triangles {
            [a, b] if a == triangle => b,
            [a, _] => a,
        };
        let is_crowded = features.crowded.contains_key(&number);
        let neighbour = if other == NONE || is_crowded { NONE } else { features.region_of[other as usize] };
        if neighbour == region.region {
            return None;
        }
        let corners = mesh.corners(triangle as usize);
        let (from, to, opposite) = (corners[side], corners[(side + 1) % 3], corners[(side + 2) % 3]);
        let along = (to - from).normalize_or_zero();
        let across = opposite - from;
        let outward = -(across - across.dot(along) * along).normalize_or_zero();
        let fold = match (edge.fold, region.side) {
            (Fold::Convex, 1) => Fold::Concave,
            (Fold::Concave, 1) => Fold::Convex,
            (fold, _) => fold,
        };
        // Beyond a concave edge the plane lies inside the solid, if the grain is in front of the
        // neighbour, too.
        let is_limit = match fold {
            Fold::Convex | Fold::Open => true,
            Fold::Flat => false,
            Fold::Concave => {
                let plane = features.regions[neighbour as usize];
                let height = plane.normal.dot(grain.centre) - plane.height;
                if region.side == 0 { height <= 0.0 } else { height >= 0.0 }
            }
        };
        Some(Border { from, to, along, outward, is_limit, edge: number })
    }

    /// Returns the edges of the triangles near the grain that are not flat, in ascending order.
    pub fn edges(&self) -> Vec<u32> {
        let features = self.surface.features();
        let of_triangles = self.triangles.iter().flat_map(|&triangle| features.edges_of[triangle as usize]);
        let mut edges: Vec<u32> =
            of_triangles.filter(|&edge| edge != NONE && features.edges[edge as usize].fold != Fold::Flat).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Returns the vertices of the triangles near the grain at which an edge ends that is not flat,
    /// in ascending order.
    pub fn corners(&self) -> Vec<u32> {
        let features = self.surface.features();
        let mut corners: Vec<u32> =
            self.edges().into_iter().flat_map(|edge| features.edges[edge as usize].ends).collect();
        corners.sort_unstable();
        corners.dedup();
        corners
    }

    /// Returns whether a point of the plane of a region lies on one of its triangles near the
    /// grain.
    pub fn covers(&self, region: &NearRegion, point: DVec3) -> bool {
        region.triangles.iter().any(|&triangle| {
            let corners = self.surface.mesh().corners(triangle as usize);
            let [a, b, c] = corners;
            let area = (b - a).cross(c - a);
            let up = if area.dot(region.normal) < 0.0 { -region.normal } else { region.normal };
            let tolerance = ON_SIDE * (b - a).length_squared().max((c - a).length_squared());
            [(a, b), (b, c), (c, a)].into_iter().all(|(from, to)| (to - from).cross(point - from).dot(up) >= -tolerance)
        })
    }

    /// Returns the fan of normals of an edge: the unit vectors perpendicular to it with `n.d <= 0`
    /// for the direction d of each of its triangles. `None` if there is no such vector, or if the
    /// grain is not on a side on which the surface acts.
    pub fn fan(&self, number: u32) -> Option<Fan> {
        use std::f64::consts::{FRAC_PI_2, PI};
        let (features, mesh) = (self.surface.features(), self.surface.mesh());
        let edge = &features.edges[number as usize];
        let is_two_sided = self.surface.is_two_sided();
        if edge.fold == Fold::Flat || (edge.fold == Fold::Concave && !is_two_sided) {
            return None;
        }
        let from = mesh.vertices()[edge.ends[0] as usize];
        let along = (mesh.vertices()[edge.ends[1] as usize] - from).try_normalize()?;
        let into = |triangle: u32| {
            let corners = mesh.triangles()[triangle as usize];
            let opposite = corners.into_iter().find(|corner| !edge.ends.contains(corner))?;
            let across = mesh.vertices()[opposite as usize] - from;
            (across - across.dot(along) * along).try_normalize()
        };
        let triangles = features.triangles_of(number);
        let first = *triangles.first()?;
        let normal = features.regions[features.region_of[first as usize] as usize].normal;
        // The normal of a region may differ from that of its triangle by rounding of the file.
        let u = (normal - normal.dot(along) * along).try_normalize()?;
        let w = -into(first)?;
        let w = (w - w.dot(u) * u).try_normalize()?;
        let mut fan = Fan { u, w, low: 0.0, high: if is_two_sided { PI } else { FRAC_PI_2 } };
        if edge.fold == Fold::Convex || edge.fold == Fold::Concave {
            fan.high = PI;
        }
        for &other in &triangles[1..] {
            let d = into(other)?;
            // cos(t - angle of d) <= 0
            let angle = libm::atan2(d.dot(w), d.dot(u));
            if angle > FRAC_PI_2 {
                fan.high = fan.high.min(angle - FRAC_PI_2);
            } else if angle >= -FRAC_PI_2 {
                fan.low = fan.low.max(angle + FRAC_PI_2);
            } else {
                fan.high = fan.high.min(angle + 3.0 * FRAC_PI_2);
            }
        }
        (fan.low < fan.high).then_some(fan)
    }
}

/// Returns a region if the grain is on a side of it that acts, and its plane is near.
fn near_region(
    surface: &Surface,
    region: u32,
    grain: &Grain,
    margin: f64,
    triangles: impl FnOnce() -> Vec<u32>,
) -> Option<NearRegion> {
    let (side, Plane { normal, height }) = seen_from(surface, region, grain.centre)?;
    let height = normal.dot(grain.centre) - height;
    // A ball of the bounding radius is quick to test.
    if height - grain.radius > margin {
        return None;
    }
    let gap = height - grain.extent(-normal);
    (gap <= margin).then(|| NearRegion { region, side, normal, height, gap, triangles: triangles(), contact: None })
}

/// Returns the side of a region on which a point is, and its plane with the normal to this side;
/// `None` if the surface does not act on this side.
pub(super) fn seen_from(surface: &Surface, region: u32, point: DVec3) -> Option<(u32, Plane)> {
    let plane = surface.features().regions[region as usize];
    let height = plane.normal.dot(point) - plane.height;
    if height > 0.0 {
        Some((0, plane))
    } else if surface.is_two_sided() {
        Some((1, Plane { normal: -plane.normal, height: -plane.height }))
    } else {
        None
    }
}
