//! A convex polyhedron that is cut by planes, one after the other.
//!
//! Each facet lies on the surface of body a or of body b. The volume and the smooth overlap of what
//! is left have gradients with respect to the motion of a: only the facets of a move then.

use glam::DVec3;

use super::polyhedron_moments::RegionSurface;
use super::{MeasureGradient, SmoothOverlap};
use crate::numeric::math::tangent_frame;

/// Distance between a facet and a plane that count as coincident, relative to the distance from the
/// origin: some rounding errors. The corners of the facet may lie on both sides of the plane then, and
/// a cut would leave an open surface.
const COINCIDENT: f64 = 4e-15;

/// A closed convex surface as a list of facets.
#[derive(Clone, Default)]
pub(in crate::contact) struct CutPolytope {
    corners: Vec<DVec3>,
    facets: Vec<Facet>,
}

#[derive(Clone, Copy)]
struct Facet {
    /// Index after the last corner of the facet. Its first corner follows the last one of the facet
    /// before.
    end: usize,
    /// True if the facet lies on the surface of a, false if it lies on that of b.
    is_of_a: bool,
}

/// Memory that is reused from cut to cut.
#[derive(Default)]
pub(in crate::contact) struct CutScratch {
    below: CutPolytope,
    rim: Vec<(f64, DVec3)>,
}

/// Volume and centroid in the axes of the corners, from their origin, and the gradient of the volume
/// with respect to motions of a; its rotation is about this origin.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct VolumeOfRegion {
    /// Volume, m³.
    pub volume: f64,
    /// Centroid, m.
    pub centroid: DVec3,
    /// Gradient of the volume.
    pub gradient: MeasureGradient,
}

impl CutPolytope {
    /// Removes all facets.
    pub fn clear(&mut self) {
        self.corners.clear();
        self.facets.clear();
    }

    /// Adds a facet with its corners, anticlockwise as seen from outside.
    pub fn push(&mut self, corners: impl IntoIterator<Item = DVec3>, is_of_a: bool) {
        self.corners.extend(corners);
        self.close(is_of_a);
    }

    /// Completes the facet of the corners that were added last.
    fn close(&mut self, is_of_a: bool) {
        self.facets.push(Facet { end: self.corners.len(), is_of_a });
    }

    /// Returns the facets with their corners.
    fn facets(&self) -> impl Iterator<Item = (&[DVec3], bool)> {
        let starts = std::iter::once(0).chain(self.facets.iter().map(|facet| facet.end));
        starts.zip(&self.facets).map(|(start, facet)| (&self.corners[start..facet.end], facet.is_of_a))
    }

    /// Keeps the part below the plane `normal.x = offset`. A new facet in the plane belongs to a or
    /// b. Returns whether anything is left.
    pub fn cut(&mut self, normal: DVec3, offset: f64, is_of_a: bool, scratch: &mut CutScratch) -> bool {
        let (mut low, mut high, mut size) = (f64::INFINITY, f64::NEG_INFINITY, offset.abs());
        for corner in &self.corners {
            let height = normal.dot(*corner) - offset;
            (low, high, size) = (low.min(height), high.max(height), size.max(corner.length_squared().sqrt()));
        }
        // Most planes cut nothing off, because the bodies touch on one side only.
        if high <= COINCIDENT * size {
            return !self.facets.is_empty();
        }
        if low >= -COINCIDENT * size {
            self.clear();
            return false;
        }
        let CutScratch { below, rim } = scratch;
        self.cut_into(normal, offset, is_of_a, below, rim);
        std::mem::swap(self, below);
        // The least solid is a tetrahedron.
        if self.facets.len() < 4 {
            self.clear();
        }
        !self.facets.is_empty()
    }

    /// Writes the part below the plane `normal.x = offset` into `below`, closed by a new facet in
    /// the plane.
    fn cut_into(
        &self,
        normal: DVec3,
        offset: f64,
        is_new_of_a: bool,
        below: &mut CutPolytope,
        rim: &mut Vec<(f64, DVec3)>,
    ) {
        below.clear();
        rim.clear();
        let height = |point: DVec3| normal.dot(point) - offset;
        for (facet, is_of_a) in self.facets() {
            let start = below.corners.len();
            let Some(&last) = facet.last() else { continue };
            let (mut here, mut h) = (last, height(last));
            for &next in facet {
                let next_h = height(next);
                if (h <= 0.0) != (next_h <= 0.0) {
                    let crossing = here + (next - here) * (h / (h - next_h));
                    below.corners.push(crossing);
                    rim.push((0.0, crossing));
                }
                if next_h <= 0.0 {
                    below.corners.push(next);
                }
                (here, h) = (next, next_h);
            }
            if below.corners.len() >= start + 3 {
                below.close(is_of_a);
            } else {
                below.corners.truncate(start);
            }
        }
        if rim.len() >= 3 {
            // Each intersection is in the rim twice, once for each facet at its edge. The second
            // one adds no area.
            let middle = rim.iter().map(|(_, point)| *point).sum::<DVec3>() / rim.len() as f64;
            let (t, u) = tangent_frame(normal);
            for (turn, point) in rim.iter_mut() {
                *turn = quarter_turns(t.dot(*point - middle), u.dot(*point - middle));
            }
            rim.sort_by(|p, q| p.0.total_cmp(&q.0));
            below.corners.extend(rim.iter().map(|(_, point)| *point));
            below.close(is_new_of_a);
        }
    }

    /// Returns volume, centroid, and the gradient of the volume; `None` if there is no volume.
    pub fn volume(&self) -> Option<VolumeOfRegion> {
        // Differences from a corner keep their digits if the region is small and far from the
        // origin.
        let inside = *self.corners.first()?;
        let (mut volume, mut first) = (0.0, DVec3::ZERO);
        let (mut push, mut turn) = (DVec3::ZERO, DVec3::ZERO);
        for (facet, is_of_a) in self.facets() {
            for k in 2..facet.len() {
                let [p, q, r] = [facet[0], facet[k - 1], facet[k]];
                let area = 0.5 * (q - p).cross(r - p);
                let third = (p - inside).dot(area);
                volume += third / 3.0;
                first += third / 12.0 * (p + q + r - 3.0 * inside);
                // Only a's surface moves with a.
                if is_of_a {
                    push += area;
                    turn += (p + q + r).cross(area) / 3.0;
                }
            }
        }
        (volume > 0.0).then(|| VolumeOfRegion {
            volume,
            centroid: inside + first / volume,
            gradient: MeasureGradient { translation: push, rotation: turn },
        })
    }

    /// Returns the smooth overlap D; `None` if there is no volume. `thin` is the direction in which
    /// the region is probably thinnest.
    pub fn smooth_overlap(&self, thin: DVec3) -> Option<SmoothOverlap> {
        let mut closed = RegionSurface::default();
        for (corners, is_of_a) in self.facets() {
            closed.push(corners.iter().copied(), is_of_a);
        }
        if closed.is_empty() { None } else { closed.smooth_overlap(thin) }
    }

    /// Returns the least `direction.x` over the polyhedron, m.
    pub fn lowest(&self, direction: DVec3) -> f64 {
        self.corners.iter().map(|corner| direction.dot(*corner)).fold(f64::INFINITY, f64::min)
    }

    /// Returns the extent along a direction, m.
    pub fn width(&self, direction: DVec3) -> f64 {
        -self.lowest(-direction) - self.lowest(direction)
    }
}

/// Computes the part of a convex polygon below a plane.
pub(in crate::contact) fn clip(polygon: &[DVec3], below: &mut Vec<DVec3>, normal: DVec3, offset: f64) {
    below.clear();
    let Some(&last) = polygon.last() else { return };
    let (mut here, mut height) = (last, normal.dot(last) - offset);
    for &next in polygon {
        let next_height = normal.dot(next) - offset;
        // The heights have different signs, so that their difference is not zero.
        if (height <= 0.0) != (next_height <= 0.0) {
            below.push(here + (next - here) * (height / (height - next_height)));
        }
        if next_height <= 0.0 {
            below.push(next);
        }
        (here, height) = (next, next_height);
    }
}

/// Returns a monotonic function of the angle of a vector, 0 to 4. It serves to sort points around a
/// centre, and needs no sine.
fn quarter_turns(x: f64, y: f64) -> f64 {
    let part = x / (x.abs() + y.abs()).max(f64::MIN_POSITIVE);
    if y >= 0.0 { 1.0 - part } else { 3.0 + part }
}
