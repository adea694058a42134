//! The overlap of a box or polyhedron with a part of the solid behind a surface.

use glam::DVec3;

use super::patches::{HalfSpaceBelow, Patch, Prism};
use crate::contact::region::cut_polytope::{CutPolytope, CutScratch, VolumeOfRegion};
use crate::contact::region::{MeasureGradient, SmoothOverlap};
use crate::surface::features::NONE;

/// Share of a patch in its part below which it is left out: its overlap is a part of rounding.
const LEAST_SHARE: f64 = 1e-14;

/// The overlap of the grain with a convex solid, from the centre of the grain.
pub(super) struct Overlap {
    pub smooth: SmoothOverlap,
    pub region: CutPolytope,
}

impl Overlap {
    /// Returns the overlap of a grain with the solid below some planes; `None` if it is smaller than
    /// `least`, m. `thin` is the direction in which it is probably thinnest.
    pub fn below(
        grain: &CutPolytope,
        planes: &[HalfSpaceBelow],
        thin: DVec3,
        least: f64,
        scratch: &mut CutScratch,
    ) -> Option<Self> {
        let mut region = grain.clone();
        for &(normal, offset) in planes {
            if !region.cut(normal, offset, true, scratch) {
                return None;
            }
        }
        let smooth = region.smooth_overlap(thin)?;
        (smooth.length > least).then_some(Self { smooth, region })
    }

    /// Returns the share of some patches in the overlap with all of them; `None` if it is nothing.
    ///
    /// The prisms below all triangles divide the overlap region. With the share w of the prisms of the
    /// own patches, their overlap is `sqrt(w) D`, so that the energy of a linear law is divided, too.
    pub fn share_of(self, own: &[&Patch], all: &[Patch], scratch: &mut CutScratch) -> Option<Self> {
        let (mut of_own, mut of_all) = (Volume::ZERO, Volume::ZERO);
        for patch in all {
            let is_own = own.iter().any(|known| known.region == patch.region);
            for prism in &patch.prisms {
                let volume = volume_below(prism, NONE, &self.region, scratch);
                of_all.add(&volume);
                if is_own {
                    of_own.add(&volume);
                }
            }
        }
        self.multiplied(&of_own, &of_all)
    }

    /// Returns the share of the overlap with the half-space below a region that lies below patches
    /// across its concave edges; `None` if it is nothing.
    pub fn hidden_share(self, region: u32, own: &[&Patch], scratch: &mut CutScratch) -> Option<Self> {
        let of_all = self.region.volume().map(Volume::from)?;
        let mut of_own = Volume::ZERO;
        for prism in own.iter().flat_map(|patch| &patch.prisms) {
            of_own.add(&volume_below(prism, region, &self.region, scratch));
        }
        self.multiplied(&of_own, &of_all)
    }

    /// Multiplies the overlap by the root of a share of volumes.
    fn multiplied(self, own: &Volume, all: &Volume) -> Option<Self> {
        let share = own.value / all.value;
        if share.is_nan() || share <= LEAST_SHARE {
            return None;
        }
        let root = share.sqrt();
        let SmoothOverlap { length, gradient, .. } = self.smooth;
        let of_share = 0.5 * length / (root * all.value);
        let combined = |of_d: DVec3, of_own: DVec3, of_all: DVec3| root * of_d + of_share * (of_own - share * of_all);
        let gradient = MeasureGradient {
            translation: combined(gradient.translation, own.gradient.translation, all.gradient.translation),
            rotation: combined(gradient.rotation, own.gradient.rotation, all.gradient.rotation),
        };
        Some(Self { smooth: SmoothOverlap { length: root * length, gradient, ..self.smooth }, ..self })
    }
}

/// A volume, m³, and its gradient with respect to motions of the surface.
struct Volume {
    value: f64,
    gradient: MeasureGradient,
}

impl Volume {
    const ZERO: Self =
        Self { value: 0.0, gradient: MeasureGradient { translation: DVec3::ZERO, rotation: DVec3::ZERO } };

    fn add(&mut self, other: &Self) {
        self.value += other.value;
        self.gradient.translation += other.gradient.translation;
        self.gradient.rotation += other.gradient.rotation;
    }
}

impl From<VolumeOfRegion> for Volume {
    fn from(found: VolumeOfRegion) -> Self {
        Self { value: found.volume, gradient: found.gradient }
    }
}

/// Returns the volume of the part of a region in the prism below a triangle. The prism has no side
/// towards the region `open`.
fn volume_below(prism: &Prism, open: u32, region: &CutPolytope, scratch: &mut CutScratch) -> Volume {
    let closed = |beyond: &u32| open == NONE || *beyond != open;
    let sides = || prism.sides.into_iter().zip(&prism.beyond).filter(move |(_, beyond)| closed(beyond));
    let planes = || sides().map(|(plane, _)| plane).chain([prism.top]);
    // Most prisms are beside the region.
    if planes().any(|(normal, offset)| region.lowest(normal) >= offset) {
        return Volume::ZERO;
    }
    let mut below = region.clone();
    for (normal, offset) in planes() {
        if !below.cut(normal, offset, true, scratch) {
            return Volume::ZERO;
        }
    }
    below.volume().map_or(Volume::ZERO, Volume::from)
}
