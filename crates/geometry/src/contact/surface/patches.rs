//! The parts of a surface inside a box or polyhedron.
//!
//! All vectors are in the axes of the surface, from the centre of the grain.

use glam::{DMat3, DVec3};

use super::grain::Grain;
use super::near::{Group, Near};
use crate::Shape;
use crate::contact::polytope::{Cuboid, Polytope};
use crate::contact::region::cut_polytope::{CutPolytope, clip};
use crate::surface::features::{Fold, NONE};

/// A plane: outward unit normal of the solid below it, and `normal.x` on it, m.
pub(super) type HalfSpaceBelow = (DVec3, f64);

/// A box or polyhedron in the axes of the surface, from its own centre.
pub(super) struct FlatGrain {
    pub solid: CutPolytope,
    planes: Vec<HalfSpaceBelow>,
}

impl FlatGrain {
    /// Returns whether a grain is a box or polyhedron.
    pub fn exists(grain: &Grain) -> bool {
        matches!(grain.shape, Shape::Box(_) | Shape::Polyhedron(_))
    }

    fn new(grain: &Grain) -> Option<Self> {
        let axes = DMat3::from_quat(grain.orientation);
        match grain.shape {
            Shape::Box(body) => Some(Self::of(&Cuboid(body.half_sizes), &axes)),
            Shape::Polyhedron(body) => Some(Self::of(body.hull(), &axes)),
            _ => None,
        }
    }

    fn of(body: &impl Polytope, axes: &DMat3) -> Self {
        let mut solid = CutPolytope::default();
        let mut planes = Vec::with_capacity(body.face_count());
        let corners: Vec<DVec3> = (0..body.corner_count()).map(|corner| *axes * body.corner(corner)).collect();
        for face in 0..body.face_count() {
            solid.push(body.ring(face).iter().map(|&corner| corners[corner as usize]), false);
            planes.push((body.normal_in(face, axes), body.plane(face).1));
        }
        Self { solid, planes }
    }

    /// Returns the part of a polygon inside the grain.
    fn inside(&self, polygon: &[DVec3]) -> Vec<DVec3> {
        let (mut polygon, mut below) = (polygon.to_vec(), Vec::new());
        for &(normal, offset) in &self.planes {
            if polygon.iter().any(|corner| normal.dot(*corner) > offset) {
                clip(&polygon, &mut below, normal, offset);
                std::mem::swap(&mut polygon, &mut below);
            }
        }
        polygon
    }

    /// Returns whether a part of a straight line lies inside the grain.
    fn contains_part_of(&self, from: DVec3, to: DVec3) -> bool {
        let (mut low, mut high) = (0f64, 1f64);
        for &(normal, offset) in &self.planes {
            let (start, end) = (normal.dot(from) - offset, normal.dot(to) - offset);
            if start > 0.0 && end > 0.0 {
                return false;
            }
            if start > 0.0 {
                low = low.max(start / (start - end));
            } else if end > 0.0 {
                high = high.min(start / (start - end));
            }
        }
        low < high
    }
}

/// The part of the solid that belongs to a triangle: the points below it. At convex edges it ends in
/// the plane that bisects the angle to the neighbour, so that prisms of neighbours do not overlap, and
/// at others in the plane across the triangle, so that it does not leave the solid.
pub(super) struct Prism {
    pub top: HalfSpaceBelow,
    pub sides: [HalfSpaceBelow; 3],
    /// Regions beyond the sides, or [`NONE`].
    pub beyond: [u32; 3],
}

/// The part of a region inside the grain.
pub(super) struct Patch {
    pub region: u32,
    pub plane: HalfSpaceBelow,
    /// Gap between the grain and the half-space below the plane, m.
    pub gap: f64,
    /// Prisms below the triangles of the region that the grain overlaps.
    pub prisms: Vec<Prism>,
    /// Corners of the parts of these triangles inside the grain.
    pub outline: Vec<DVec3>,
    /// Largest distance of these corners from the plane, m: rounding of the file.
    pub flatness: f64,
    /// Regions beyond convex edges that the grain overlaps.
    pub neighbours: Vec<u32>,
    /// Regions beyond concave edges.
    pub hollows: Vec<u32>,
    /// Limits of the solid at open edges that the grain overlaps: planes across the region.
    pub rims: Vec<HalfSpaceBelow>,
}

impl Patch {
    /// Returns whether a concave edge lies between this patch and a region.
    pub fn is_across_from(&self, region: u32) -> bool {
        self.hollows.contains(&region)
    }

    /// Returns whether the patch lies below a plane that is known to a precision, m.
    pub fn is_below(&self, (normal, offset): HalfSpaceBelow, precision: f64) -> bool {
        self.outline.iter().all(|corner| normal.dot(*corner) - offset <= precision + self.flatness)
    }
}

/// Returns the patches in the order of their regions, and the grain; `None` if the grain overlaps an
/// edge at which the surface has no inside.
pub(super) fn patches(near: &Near, grain: &Grain) -> Option<(Vec<Patch>, FlatGrain)> {
    let features = near.surface.features();
    let mut body = FlatGrain { solid: CutPolytope::default(), planes: Vec::new() };
    let mut patches = Vec::new();
    for (&Group { region, gap, .. }, triangles) in
        near.groups().filter(|(group, _)| group.is_reached && group.region != NONE)
    {
        let plane = features.regions[region as usize];
        let offset = plane.height - plane.normal.dot(grain.centre);
        let gap = gap.unwrap_or_else(|| -offset - grain.extent(-plane.normal));
        // The plane does not cut the grain.
        if gap >= 0.0 || (offset >= 0.0 && offset >= grain.extent(plane.normal)) {
            continue;
        }
        if body.planes.is_empty() {
            body = FlatGrain::new(grain)?;
        }
        let mut patch = Patch {
            region,
            plane: (plane.normal, offset),
            gap,
            prisms: Vec::new(),
            outline: Vec::new(),
            flatness: 0.0,
            neighbours: Vec::new(),
            hollows: Vec::new(),
            rims: Vec::new(),
        };
        for &triangle in triangles {
            add_triangle(&mut patch, triangle, near, grain, &body)?;
        }
        if !patch.outline.is_empty() {
            patches.push(patch);
        }
    }
    Some((patches, body))
}

/// Adds the part of a triangle inside the grain, and what lies beyond its edges.
fn add_triangle(patch: &mut Patch, triangle: u32, near: &Near, grain: &Grain, body: &FlatGrain) -> Option<()> {
    let (features, mesh) = (near.surface.features(), near.surface.mesh());
    let corners = mesh.corners(triangle as usize).map(|corner| corner - grain.centre);
    let inside = body.inside(&corners);
    if inside.len() < 3 {
        return Some(());
    }
    let (normal, offset) = patch.plane;
    let distance = |corner: &DVec3| (normal.dot(*corner) - offset).abs();
    patch.flatness = inside.iter().map(distance).fold(patch.flatness, f64::max);
    patch.outline.extend(inside);
    let (mut sides, mut regions_beyond) = ([patch.plane; 3], [NONE; 3]);
    for side in 0..3 {
        let number = features.edges_of[triangle as usize][side];
        if number == NONE {
            return None;
        }
        let edge = &features.edges[number as usize];
        let [from, to, opposite] = [0, 1, 2].map(|k| corners[(side + k) % 3]);
        let is_crowded = features.crowded.contains_key(&number);
        let along = (to - from).try_normalize()?;
        let across = opposite - from;
        let outward = -(across - across.dot(along) * along).try_normalize()?;
        let beyond = match edge.triangles {
            [a, b] if edge.fold != Fold::Open => features.region_of[if a == triangle { b } else { a } as usize],
            _ => NONE,
        };
        regions_beyond[side] = beyond;
        let across = match edge.fold {
            // Between leaves that are folded back onto each other there is no bisector.
            Fold::Convex => along.cross(normal + features.regions[beyond as usize].normal).try_normalize(),
            _ => None,
        };
        let across = across.unwrap_or(outward);
        sides[side] = (across, across.dot(from));
        if edge.fold == Fold::Concave {
            patch.hollows.push(beyond);
            continue;
        }
        if !body.contains_part_of(from, to) {
            continue;
        }
        if is_crowded {
            return None;
        }
        if beyond == NONE {
            patch.rims.push((outward, outward.dot(from)));
        } else if beyond != patch.region {
            patch.neighbours.push(beyond);
        }
    }
    patch.prisms.push(Prism { top: patch.plane, sides, beyond: regions_beyond });
    Some(())
}
