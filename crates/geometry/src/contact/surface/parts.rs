//! Parts of the solid behind a surface: patches that belong to one convex solid, or nearly so.

use glam::DVec3;

use super::patches::{HalfSpaceBelow, Patch};

/// Patches that are connected across convex edges, in the order of their regions.
pub(super) struct Part<'a> {
    pub patches: Vec<&'a Patch>,
    /// Limits of the solid at open edges.
    pub rims: Vec<HalfSpaceBelow>,
}

/// Divides patches into parts. Distances up to `precision` count as zero, m.
pub(super) fn parts(patches: &[Patch], precision: f64) -> Vec<Part<'_>> {
    let mut part_of: Vec<usize> = (0..patches.len()).collect();
    let mut join = |k: usize, other: usize| {
        let [from, to] = [part_of[k].max(part_of[other]), part_of[k].min(part_of[other])];
        part_of.iter_mut().filter(|part| **part == from).for_each(|part| *part = to);
    };
    for (k, patch) in patches.iter().enumerate() {
        for neighbour in &patch.neighbours {
            if let Ok(other) = patches.binary_search_by_key(neighbour, |patch| patch.region) {
                join(k, other);
            }
        }
    }
    let mut parts: Vec<Part> = Vec::new();
    for first in 0..patches.len() {
        let members: Vec<&Patch> = patches.iter().zip(&part_of).filter(|(_, p)| **p == first).map(|(m, _)| m).collect();
        if !members.is_empty() {
            let rims = members.iter().flat_map(|patch| patch.rims.iter().copied()).collect();
            parts.push(Part { patches: members, rims });
        }
    }
    // Where the grain pierces a thin part of the solid, it overlaps no edge.
    let mut k = 0;
    while k < parts.len() {
        let other = (0..parts.len()).find(|&other| other != k && parts[k].is_pierced(&parts[other], precision));
        let Some(other) = other else {
            k += 1;
            continue;
        };
        let Part { patches, rims } = parts.remove(k.max(other));
        let kept = &mut parts[k.min(other)];
        kept.patches.extend(patches);
        kept.patches.sort_by_key(|patch| patch.region);
        kept.rims.extend(rims);
        k = 0;
    }
    for part in &mut parts {
        part.rims.sort_by(|p, q| p.1.total_cmp(&q.1));
        part.rims.dedup();
    }
    parts
}

impl Part<'_> {
    /// Returns whether the centre of the grain, from which all is measured, is in front of a plane.
    pub fn is_in_front(&self) -> bool {
        let planes = self.patches.iter().map(|patch| patch.plane).chain(self.rims.iter().copied());
        planes.into_iter().any(|(_, offset)| offset < 0.0)
    }

    /// Returns whether a patch of another part limits the solid below this part from behind.
    fn is_pierced(&self, other: &Part, precision: f64) -> bool {
        let is_inside = |corner: &DVec3| {
            let planes = self.patches.iter().map(|patch| patch.plane).chain(self.rims.iter().copied());
            planes.into_iter().all(|(normal, offset)| normal.dot(*corner) < offset - precision)
        };
        other.patches.iter().any(|patch| {
            patch.outline.iter().any(is_inside)
                && self.patches.iter().all(|own| own.is_below(patch.plane, precision + patch.flatness))
        })
    }

    /// Returns the planes of the part that do not cut off a part of a patch.
    pub fn planes_above(&self, patch: &Patch, precision: f64) -> Vec<HalfSpaceBelow> {
        let own =
            |other: &&Patch| other.region == patch.region || patch.is_below(other.plane, precision + other.flatness);
        let of_patches = self.patches.iter().copied().filter(own).map(|other| other.plane);
        let rims = self.rims.iter().copied().filter(|rim| patch.is_below(*rim, precision));
        of_patches.chain(rims).collect()
    }
}

/// Returns the patches that are among some, or across a concave edge from one of them, in the order of
/// their regions: below a concave edge the planes of both sides go on inside the solid.
pub(super) fn with_hollows<'a>(some: &[&Patch], patches: &'a [Patch]) -> Vec<&'a Patch> {
    let is_near = |patch: &&Patch| {
        some.iter().any(|own| {
            own.region == patch.region || own.is_across_from(patch.region) || patch.is_across_from(own.region)
        })
    };
    patches.iter().filter(is_near).collect()
}
