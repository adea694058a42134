//! Triangles, regions and edges near a grain.

use std::cell::RefCell;

use glam::DVec3;

use super::grain::Grain;
use crate::shape::Surface;
use crate::surface::features::{Fold, NONE, Plane};

/// Tolerance of the test whether a point lies above a triangle, relative to the square of its size.
const ON_SIDE: f64 = 1e-12;

/// Gap up to which the plane of a region beyond the margin has contacts, relative to the bounding radius
/// of the grain. The grain cannot reach the region, but it may overlap the plane inside the solid, or
/// have just left it.
const HIDDEN: f64 = 2e-3;

/// Largest number of regions whose neighbours across concave edges are searched besides those near
/// the grain.
const MOST_HIDDEN: usize = 16;

/// Faces, edges and corners of a surface near a grain.
pub(super) struct Near<'a> {
    pub surface: &'a Surface,
    lists: Lists,
}

/// Regions, edges and corners near a grain. The vectors are reused for all pairs, which avoids allocations.
#[derive(Default)]
struct Lists {
    /// Triangles whose boxes meet that of the grain, in ascending order: the region in the upper half of
    /// a number, the triangle in the lower one.
    found: Vec<u64>,
    /// The same triangles, and after them those of hidden regions.
    triangles: Vec<u32>,
    /// The regions of the triangles found, in ascending order.
    groups: Vec<Group>,
    /// Regions in ascending order, in front of which the grain is, and whose planes it reaches.
    regions: Vec<NearRegion>,
    /// Edges and vertices that can have contacts, in ascending order.
    edges: Vec<u32>,
    corners: Vec<u32>,
    /// Edges or vertices of triangles that the grain does not reach.
    beyond: Vec<u32>,
}

thread_local! {
    static SPARE: RefCell<Lists> = RefCell::default();
}

impl Drop for Near<'_> {
    fn drop(&mut self) {
        // At the end of a thread there is nothing to keep.
        let _ = SPARE.try_with(|kept| kept.replace(std::mem::take(&mut self.lists)));
    }
}

/// Triangles of one region whose boxes meet that of the grain.
#[derive(Clone, Copy)]
pub(super) struct Group {
    /// Number of the region, or [`NONE`] for degenerate triangles.
    pub region: u32,
    /// Places in the list of triangles.
    start: u32,
    end: u32,
    /// False if the grain is in front of the plane and does not reach it.
    pub is_reached: bool,
    /// Gap between the grain and the half-space below the plane, m; `None` if the surface does not act
    /// on the side on which the grain is.
    pub gap: Option<f64>,
}

/// A region near the grain, seen from the side on which the grain is.
#[derive(Clone, Copy)]
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
    /// Places of its triangles in the list.
    start: u32,
    end: u32,
    /// Least gap of its contacts, m. Its edges have no contact along nearly the same normal that is
    /// not deeper.
    pub contact: Option<f64>,
}

impl Lists {
    fn clear(&mut self) {
        self.found.clear();
        self.triangles.clear();
        self.groups.clear();
        self.regions.clear();
        self.edges.clear();
        self.corners.clear();
    }
}

impl<'a> Near<'a> {
    pub fn new(surface: &'a Surface, grain: &Grain, margin: f64) -> Self {
        let bounds = grain.bounds(margin);
        let (mesh, features) = (surface.mesh(), surface.features());
        let mut lists = SPARE.take();
        lists.clear();
        let found = &mut lists.found;
        surface.tree().visit_in(&bounds, |triangle| {
            if mesh.triangle_bounds(triangle).overlaps(&bounds) {
                found.push(u64::from(features.region_of[triangle]) << u32::BITS | triangle as u64);
            }
        });
        found.sort_unstable();
        lists.triangles.extend(found.iter().map(|number| *number as u32));
        let mut near = Self { surface, lists };
        near.find_regions(grain, margin);
        near
    }

    /// Finds the regions of the triangles, and whether the grain reaches their planes.
    ///
    /// A grain that is in front of a plane of the surface is as far from every edge and corner in this
    /// plane, or farther.
    fn find_regions(&mut self, grain: &Grain, margin: f64) {
        // The vertices of a region may be above its plane by the rounding of a file.
        let reach = margin + self.surface.features().thickness;
        let Lists { found, groups, regions, .. } = &mut self.lists;
        let mut start = 0;
        for same in found.chunk_by(|one, next| one >> u32::BITS == next >> u32::BITS) {
            let (region, end) = ((same[0] >> u32::BITS) as u32, start + same.len() as u32);
            let gap = if region == NONE { Gap::Behind } else { gap_of_region(self.surface, region, grain, reach) };
            let mut group = Group { region, start, end, is_reached: !matches!(gap, Gap::OutOfReach), gap: None };
            if let Gap::Found(found) = gap {
                group.gap = Some(found.gap);
                if found.gap <= margin {
                    regions.push(NearRegion { start, end, ..found });
                }
            }
            groups.push(group);
            start = end;
        }
    }

    /// Returns whether the grain reaches no triangle.
    pub fn is_out_of_reach(&self) -> bool {
        !self.lists.groups.iter().any(|group| group.is_reached)
    }

    /// Finds hidden regions, and the edges and corners that can have contacts.
    pub fn find_features(&mut self, grain: &Grain, margin: f64) {
        self.add_hidden_regions(grain, margin);
        let (features, mesh) = (self.surface.features(), self.surface.mesh());
        let edges_of = |triangle: u32, edges: &mut Vec<u32>| edges.extend(features.acting_edges(triangle));
        let corners_of = |triangle: u32, corners: &mut Vec<u32>| {
            corners.extend(features.acting_corners(triangle, mesh.triangles()[triangle as usize]));
        };
        let Lists { triangles, groups, edges, corners, beyond, .. } = &mut self.lists;
        find_in_reach(groups, triangles, edges_of, edges, beyond);
        find_in_reach(groups, triangles, corners_of, corners, beyond);
    }

    /// Adds the regions across concave edges whose planes are near the grain although their triangles
    /// are not: below the edge the plane goes on inside the solid. Without them, a contact in a hollow
    /// would end as soon as the grain has left the box of the triangle.
    fn add_hidden_regions(&mut self, grain: &Grain, margin: f64) {
        let features = self.surface.features();
        let limit = margin.min(HIDDEN * grain.radius);
        let Lists { triangles, groups, regions, .. } = &mut self.lists;
        let found = regions.len();
        let mut k = 0;
        while k < regions.len() && k < found + MOST_HIDDEN {
            let NearRegion { side, start, end, .. } = regions[k];
            let concave = if side == 0 { Fold::Concave } else { Fold::Convex };
            for place in start..end {
                let triangle = triangles[place as usize];
                for number in features.edges_of[triangle as usize] {
                    if number == NONE || features.edges[number as usize].fold != concave {
                        continue;
                    }
                    let [a, b] = features.edges[number as usize].triangles;
                    let other = if a == triangle { b } else { a };
                    let region = features.region_of[other as usize];
                    let is_known = regions.iter().any(|known| known.region == region)
                        || groups.binary_search_by_key(&region, |group| group.region).is_ok();
                    if is_known {
                        continue;
                    }
                    if let Gap::Found(hidden) = gap_of_region(self.surface, region, grain, limit)
                        && hidden.side == side
                        && hidden.gap <= limit
                    {
                        let start = triangles.len() as u32;
                        triangles.push(other);
                        regions.push(NearRegion { start, end: start + 1, ..hidden });
                    }
                }
            }
            k += 1;
        }
        if regions.len() > found {
            regions.sort_by_key(|region| region.region);
        }
    }

    /// Returns the regions in ascending order, in front of which the grain is, and whose planes it
    /// reaches.
    pub fn regions(&self) -> &[NearRegion] {
        &self.lists.regions
    }

    /// Sets the least gap of the contacts of a region, given by its place, m.
    pub fn set_contact(&mut self, place: usize, contact: Option<f64>) {
        self.lists.regions[place].contact = contact;
    }

    /// Returns the edges near the grain that can have contacts, in ascending order.
    pub fn edges(&self) -> &[u32] {
        &self.lists.edges
    }

    /// Returns the vertices near the grain that can have contacts, in ascending order.
    pub fn corners(&self) -> &[u32] {
        &self.lists.corners
    }

    /// Returns the triangles of a region that are near the grain.
    pub fn triangles_of(&self, region: &NearRegion) -> &[u32] {
        &self.lists.triangles[region.start as usize..region.end as usize]
    }

    /// Returns the regions in ascending order whose triangles' boxes meet that of the grain, with these
    /// triangles.
    pub fn groups(&self) -> impl Iterator<Item = (&Group, &[u32])> {
        let Lists { triangles, groups, .. } = &self.lists;
        groups.iter().map(|group| (group, &triangles[group.start as usize..group.end as usize]))
    }

    /// Returns whether an edge has a property that can have contacts by its fold, but belongs to a triangle
    /// whose plane the grain does not reach.
    pub fn has_edge_out_of_reach(&self, is_wanted: impl Fn(u32) -> bool) -> bool {
        let features = self.surface.features();
        let mut out_of_reach = self.groups().filter(|(group, _)| !group.is_reached);
        out_of_reach
            .any(|(_, triangles)| triangles.iter().any(|&triangle| features.acting_edges(triangle).any(&is_wanted)))
    }

    /// Returns whether a point of the plane of a region lies on one of its triangles near the
    /// grain.
    pub fn covers(&self, region: &NearRegion, point: DVec3) -> bool {
        self.triangles_of(region).iter().any(|&triangle| {
            let corners = self.surface.mesh().corners(triangle as usize);
            let [a, b, c] = corners;
            let area = (b - a).cross(c - a);
            let up = if area.dot(region.normal) < 0.0 { -region.normal } else { region.normal };
            let tolerance = ON_SIDE * (b - a).length_squared().max((c - a).length_squared());
            [(a, b), (b, c), (c, a)].into_iter().all(|(from, to)| (to - from).cross(point - from).dot(up) >= -tolerance)
        })
    }
}

/// Finds the numbers that belong to triangles within reach, and to none out of reach, in ascending
/// order.
fn find_in_reach(
    groups: &[Group],
    triangles: &[u32],
    numbers_of: impl Fn(u32, &mut Vec<u32>),
    numbers: &mut Vec<u32>,
    beyond: &mut Vec<u32>,
) {
    let add = |is_reached: bool, numbers: &mut Vec<u32>| {
        for group in groups.iter().filter(|group| group.is_reached == is_reached) {
            let of_group = &triangles[group.start as usize..group.end as usize];
            of_group.iter().for_each(|&triangle| numbers_of(triangle, numbers));
        }
        numbers.sort_unstable();
    };
    add(true, numbers);
    if numbers.is_empty() {
        return;
    }
    numbers.dedup();
    beyond.clear();
    add(false, beyond);
    numbers.retain(|number| beyond.binary_search(number).is_err());
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
    // A ball of the bounding radius and a box are quick to test.
    if height - grain.radius > limit || height - grain.greatest_extent(-normal) > limit {
        return Gap::OutOfReach;
    }
    match height - grain.extent(-normal) {
        gap if gap > limit => Gap::OutOfReach,
        gap => Gap::Found(NearRegion { region, side, normal, height, gap, start: 0, end: 0, contact: None }),
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
