//! Triangles, regions and edges near a grain.

use std::cell::RefCell;

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
    /// Triangles whose boxes meet that of the grain, in ascending order, without those whose plane
    /// the grain does not reach.
    pub triangles: Vec<u32>,
    /// Regions of these triangles in ascending order, in front of which the grain is.
    pub regions: Vec<NearRegion>,
    /// Triangles whose boxes meet that of the grain, which does not reach their plane, by region.
    out_of_reach: Vec<(u32, u32)>,
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

/// Room for triangles near a grain, kept from one pair to the next.
#[derive(Default)]
struct Spare {
    /// Triangles by region and number.
    found: Vec<(u32, u32)>,
    triangles: Vec<u32>,
}

thread_local! {
    static SPARE: RefCell<Spare> = const { RefCell::new(Spare { found: Vec::new(), triangles: Vec::new() }) };
}

impl Drop for Near<'_> {
    fn drop(&mut self) {
        let spare =
            Spare { found: std::mem::take(&mut self.out_of_reach), triangles: std::mem::take(&mut self.triangles) };
        // At the end of a thread there is nothing to keep.
        let _ = SPARE.try_with(|kept| kept.replace(spare));
    }
}

impl<'a> Near<'a> {
    pub fn new(surface: &'a Surface, grain: &Grain, margin: f64) -> Self {
        let bounds = grain.bounds(margin);
        let (mesh, features) = (surface.mesh(), surface.features());
        let Spare { mut found, mut triangles } = SPARE.take();
        found.clear();
        triangles.clear();
        surface.tree().visit(
            |of_node| of_node.overlaps(&bounds),
            |triangle| {
                if mesh.triangle_bounds(triangle).overlaps(&bounds) {
                    found.push((features.region_of[triangle], triangle as u32));
                }
            },
        );
        let mut near = Self { surface, triangles, regions: Vec::new(), out_of_reach: Vec::new() };
        found.sort_unstable();
        near.sort_by_reach(found, grain, margin);
        near.add_hidden_regions(grain, margin);
        near
    }

    /// Finds the regions of some triangles, and keeps the triangles whose planes the grain reaches.
    ///
    /// A grain that is in front of a plane of the surface is as far from every edge and corner in this
    /// plane, or farther.
    fn sort_by_reach(&mut self, mut found: Vec<(u32, u32)>, grain: &Grain, margin: f64) {
        let features = self.surface.features();
        // The vertices of a region may be above its plane by the rounding of a file.
        let reach = margin + features.thickness;
        let mut kept = 0;
        let mut k = 0;
        while k < found.len() {
            let region = found[k].0;
            let count = found[k..].iter().take_while(|other| other.0 == region).count();
            let group = k..k + count;
            k += count;
            let gap = if region == NONE { Gap::Behind } else { gap_of_region(self.surface, region, grain, reach) };
            if let Gap::OutOfReach = gap {
                found.copy_within(group, kept);
                kept += count;
                continue;
            }
            let triangles = || found[group.clone()].iter().map(|(_, triangle)| *triangle);
            self.triangles.extend(triangles());
            if let Gap::Found(found) = gap
                && found.gap <= margin
            {
                self.regions.push(NearRegion { triangles: triangles().collect(), ..found });
            }
        }
        self.triangles.sort_unstable();
        found.truncate(kept);
        self.out_of_reach = found;
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
                    let is_known = self.regions.iter().any(|known| known.region == region)
                        || self.out_of_reach.binary_search_by_key(&region, |known| known.0).is_ok();
                    if is_known {
                        continue;
                    }
                    if let Gap::Found(hidden) = gap_of_region(self.surface, region, grain, margin)
                        && hidden.side == side
                        && hidden.gap <= margin
                    {
                        self.regions.push(NearRegion { triangles: vec![other], ..hidden });
                    }
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
        // An edge of one triangle, or of more than two, has no neighbour.
        let neighbour = if edge.triangles[1] == NONE { NONE } else { features.region_of[other as usize] };
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

    /// Returns all triangles whose boxes meet that of the grain.
    pub fn all_triangles(&self) -> impl Iterator<Item = &u32> {
        self.triangles.iter().chain(self.out_of_reach.iter().map(|(_, triangle)| triangle))
    }

    /// Returns the edges near the grain that can have contacts, in ascending order.
    pub fn edges(&self) -> Vec<u32> {
        let features = self.surface.features();
        self.in_reach(|triangle, edges| edges.extend(features.acting_edges(triangle)))
    }

    /// Returns the vertices near the grain that can have contacts, in ascending order.
    pub fn corners(&self) -> Vec<u32> {
        let (features, mesh) = (self.surface.features(), self.surface.mesh());
        self.in_reach(|triangle, corners| {
            corners.extend(features.acting_corners(triangle, mesh.triangles()[triangle as usize]));
        })
    }

    /// Returns the edges of the triangles near the grain that are not among [`Near::edges`] because
    /// the grain does not reach them, in ascending order.
    pub fn edges_out_of_reach(&self) -> Vec<u32> {
        let features = self.surface.features();
        let out_of_reach = self.out_of_reach.iter().map(|(_, triangle)| *triangle);
        let mut edges: Vec<u32> = out_of_reach.flat_map(|triangle| features.acting_edges(triangle)).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Returns the numbers that belong to triangles within reach, and to none out of reach.
    fn in_reach(&self, numbers_of: impl Fn(u32, &mut Vec<u32>)) -> Vec<u32> {
        let mut numbers = Vec::new();
        self.triangles.iter().for_each(|&triangle| numbers_of(triangle, &mut numbers));
        if numbers.is_empty() {
            return numbers;
        }
        numbers.sort_unstable();
        numbers.dedup();
        let mut beyond = Vec::new();
        self.out_of_reach.iter().for_each(|&(_, triangle)| numbers_of(triangle, &mut beyond));
        beyond.sort_unstable();
        numbers.retain(|number| beyond.binary_search(number).is_err());
        numbers
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
}

/// Returns the fan of normals of an edge: the unit vectors perpendicular to it with `n.d <= 0`
/// for the direction d of each of its triangles. `None` if there is no such vector, or if the
/// grain is not on a side on which the surface acts.
pub(super) fn fan(surface: &Surface, number: u32) -> Option<Fan> {
    use std::f64::consts::{FRAC_PI_2, PI};
    let (features, mesh) = (surface.features(), surface.mesh());
    let edge = &features.edges[number as usize];
    let is_two_sided = surface.is_two_sided();
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

/// Gap between a grain and the half-space below the plane of a region.
enum Gap {
    /// It is larger than a limit.
    OutOfReach,
    /// The surface does not act on the side on which the grain is.
    Behind,
    /// The region, without its triangles.
    Found(NearRegion),
}

fn gap_of_region(surface: &Surface, region: u32, grain: &Grain, limit: f64) -> Gap {
    let Some((side, Plane { normal, height })) = seen_from(surface, region, grain.centre) else {
        return Gap::Behind;
    };
    let height = normal.dot(grain.centre) - height;
    // A ball of the bounding radius is quick to test.
    if height - grain.radius > limit {
        return Gap::OutOfReach;
    }
    match height - grain.extent(-normal) {
        gap if gap > limit => Gap::OutOfReach,
        gap => Gap::Found(NearRegion { region, side, normal, height, gap, triangles: Vec::new(), contact: None }),
    }
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
