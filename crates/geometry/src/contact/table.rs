//! The pair table: the routine that computes the contact of two kinds of shape by a measure.
//!
//! This is the only registry of pair routines. A cell is keyed by (measure, kind, kind). For the
//! depth every cell is filled with [`general`](mod@super::general), which serves any two convex
//! bodies; special pairs replace their cells (`contact/built_in.rs`). Other measures have cells for
//! some pairs only, and the depth is used for the rest. The table is a value: another crate adds
//! its measure or pair routine with [`PairTable::register`].

use std::sync::{Arc, LazyLock};

use super::built_in;
use super::general::general;
use super::region::OverlapRegion;
use super::{Measure, Pair};
use crate::{Kind, Manifold};

/// A pair routine: writes the contacts with a gap of at most `pair.margin` into a cleared manifold.
pub type CollideFn = fn(&Pair, &mut Manifold);

/// Computes the overlap region of a pair; `None` if the bodies do not overlap.
pub type RegionFn = fn(&Pair) -> Option<OverlapRegion>;

/// Number of kinds of shape.
const KINDS: usize = Kind::ALL.len();

/// One value per ordered pair of kinds.
type Matrix<T> = Box<[[T; KINDS]; KINDS]>;

/// A cell of the table: a pair routine with its name.
#[derive(Clone, Copy, Debug)]
pub struct Routine {
    name: &'static str,
    measure: Measure,
    collide: CollideFn,
    /// True if the routine was registered for (b, a), so that the bodies are exchanged for the
    /// call.
    is_mirrored: bool,
}

impl Routine {
    /// Returns the name, as `granum contact` prints it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the measure of the overlap. It is the depth if the requested measure has no routine
    /// for the pair.
    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// Writes the contacts of a pair into a cleared manifold.
    ///
    /// It may leave the gap of a point with a generalised overlap out, because contact laws do not
    /// need it ([`ContactPoint::gap`](crate::ContactPoint::gap)); [`PairTable::collide`] computes
    /// it.
    #[inline]
    pub fn evaluate(&self, pair: &Pair, manifold: &mut Manifold) {
        if self.is_mirrored {
            (self.collide)(&pair.swapped(), manifold);
            manifold.swap(-pair.offset);
        } else {
            (self.collide)(pair, manifold);
        }
    }
}

/// A method to compute the volume of the overlap region, with its name. `granum bench pairs`
/// compares the methods.
#[derive(Clone, Copy, Debug)]
pub struct RegionMethod {
    /// Its name.
    pub name: &'static str,
    /// Computes the volume, m³; `None` if the bodies do not overlap, or if the method does not
    /// serve the pair.
    pub volume: fn(&Pair) -> Option<f64>,
}

/// The pair routines by (measure, kind, kind), and the routines for overlap regions by (kind,
/// kind).
#[derive(Clone, Debug)]
pub struct PairTable {
    depth: Matrix<Routine>,
    others: Vec<(Measure, Matrix<Option<Routine>>)>,
    regions: Matrix<Option<RegionFn>>,
    region_methods: Vec<([Kind; 2], RegionMethod)>,
}

impl PairTable {
    /// Returns a table with all built-in pairs, to which other routines can be added.
    pub fn new() -> Self {
        let general = Routine { name: "general", measure: Measure::Depth, collide: general, is_mirrored: false };
        let mut table = Self {
            depth: Box::new([[general; KINDS]; KINDS]),
            others: Vec::new(),
            regions: Box::new([[None; KINDS]; KINDS]),
            region_methods: Vec::new(),
        };
        built_in::register(&mut table);
        table
    }

    /// Returns the shared table of the built-in pairs.
    pub fn standard() -> &'static Arc<Self> {
        static STANDARD: LazyLock<Arc<PairTable>> = LazyLock::new(|| Arc::new(PairTable::new()));
        &STANDARD
    }

    /// Adds the routine for bodies of kinds a and b, in this order, by a measure.
    ///
    /// The cell (b, a) gets the same routine with the bodies exchanged. A later registration
    /// replaces an earlier one.
    pub fn register(&mut self, measure: Measure, a: Kind, b: Kind, name: &'static str, collide: CollideFn) {
        let routine = Routine { name, measure, collide, is_mirrored: false };
        // For a == b the second assignment replaces the first.
        self.set(b, a, Routine { is_mirrored: true, ..routine });
        self.set(a, b, routine);
    }

    fn set(&mut self, a: Kind, b: Kind, routine: Routine) {
        let (a, b) = (a as usize, b as usize);
        if routine.measure == Measure::Depth {
            self.depth[a][b] = routine;
            return;
        }
        let known = self.others.iter().position(|(measure, _)| *measure == routine.measure);
        let number = known.unwrap_or_else(|| {
            self.others.push((routine.measure, Box::new([[None; KINDS]; KINDS])));
            self.others.len() - 1
        });
        self.others[number].1[a][b] = Some(routine);
    }

    /// Returns the routine for two kinds by a measure, or by the depth if that measure has none for
    /// the pair.
    ///
    /// [`Routine::measure`] of the result shows which of the two it is.
    ///
    /// ```
    /// use granum_geometry::{Kind, Measure, PairTable};
    ///
    /// let table = PairTable::standard();
    /// assert_eq!(table.routine(Measure::Depth, Kind::Box, Kind::Box).name(), "box_box");
    /// // Two spheres have no routine for the moments of the overlap region.
    /// assert_eq!(table.routine(Measure::Moments, Kind::Sphere, Kind::Sphere).measure(), Measure::Depth);
    /// ```
    pub fn routine(&self, measure: Measure, a: Kind, b: Kind) -> Routine {
        let (a, b) = (a as usize, b as usize);
        let own = self.others.iter().find(|(other, _)| *other == measure).and_then(|(_, cells)| cells[a][b]);
        own.unwrap_or(self.depth[a][b])
    }

    /// Returns whether a measure has a routine for at least one pair.
    pub fn has(&self, measure: Measure) -> bool {
        self.measures().any(|known| known == measure)
    }

    /// Returns the measures in the order of their registration, the depth first.
    pub fn measures(&self) -> impl Iterator<Item = Measure> + '_ {
        std::iter::once(Measure::Depth).chain(self.others.iter().map(|&(measure, _)| measure))
    }

    /// Computes the contacts of a pair by a measure. Every gap is the signed distance of the
    /// surfaces, whatever the measure.
    pub fn collide(&self, measure: Measure, pair: &Pair, manifold: &mut Manifold) {
        manifold.clear();
        let (a, b) = (pair.a.kind(), pair.b.kind());
        self.routine(measure, a, b).evaluate(pair, manifold);
        if manifold.points().iter().any(|point| point.gap.is_nan()) {
            let mut by_depth = Manifold::default();
            let pair = Pair { margin: f64::INFINITY, warm: None, ..*pair };
            self.routine(Measure::Depth, a, b).evaluate(&pair, &mut by_depth);
            manifold.set_missing_gaps(&by_depth);
        }
    }

    /// Adds the routine for the overlap region of bodies of kinds a and b, in this order only.
    pub fn register_region(&mut self, a: Kind, b: Kind, region: RegionFn) {
        self.regions[a as usize][b as usize] = Some(region);
    }

    /// Returns the overlap region of a pair; `None` if the bodies do not overlap, or if the pair
    /// has no routine for it.
    pub fn region(&self, pair: &Pair) -> Option<OverlapRegion> {
        self.regions[pair.a.kind() as usize][pair.b.kind() as usize].and_then(|region| region(pair))
    }

    /// Adds a method to compute the volume of the overlap region of two kinds, for comparison with
    /// the others.
    pub fn register_region_method(&mut self, a: Kind, b: Kind, method: RegionMethod) {
        self.region_methods.push(([a, b], method));
    }

    /// Returns the methods for the overlap region of two kinds. The first is the reference of the
    /// others.
    pub fn region_methods(&self, a: Kind, b: Kind) -> impl Iterator<Item = &RegionMethod> + '_ {
        self.region_methods.iter().filter(move |(kinds, _)| *kinds == [a, b]).map(|(_, method)| method)
    }
}

impl Default for PairTable {
    fn default() -> Self {
        Self::new()
    }
}

/// Computes the contacts of a pair by a measure, with the [standard table](PairTable::standard).
///
/// ```
/// use glam::DVec3;
/// use granum_geometry::shape::{Ellipsoid, Sphere};
/// use granum_geometry::{Manifold, Measure, Pair, Pose, Shape, collide};
///
/// let ball = Shape::from(Sphere { radius: 1.0 });
/// let egg = Shape::from(Ellipsoid { semi_axes: DVec3::new(1.0, 1.0, 2.0) });
/// let above = Pose::at(DVec3::new(0.0, 0.0, 2.75));
/// let mut manifold = Manifold::default();
/// collide(Measure::Depth, &Pair::new(&ball, &Pose::IDENTITY, &egg, &above), &mut manifold);
///
/// let point = manifold.deepest().expect("a pair without a margin has a contact point");
/// assert!((point.gap + 0.25).abs() < 1e-12); // negative: the bodies overlap
/// assert!((point.normal - DVec3::Z).length() < 1e-6); // from the first body to the second
/// ```
pub fn collide(measure: Measure, pair: &Pair, manifold: &mut Manifold) {
    PairTable::standard().collide(measure, pair, manifold);
}

/// Returns the overlap region of a pair from the [standard table](PairTable::standard); `None` if
/// the bodies do not overlap, or if the pair has no routine for it.
pub fn overlap_region(pair: &Pair) -> Option<OverlapRegion> {
    PairTable::standard().region(pair)
}
