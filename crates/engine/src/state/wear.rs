//! Load and wear of the triangles of surfaces: what contacts transmit and dissipate there.
//!
//! `wear_log.rs` collects the contributions of the contacts; this file stores their sums. See
//! docs/theory/surfaces.md.

use std::collections::BTreeMap;

use granum_geometry::Shape;
use granum_geometry::shape::Surface;
use serde::{Deserialize, Serialize};

use super::{BodyId, World, WorldError};

/// Load and wear of a triangle of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleWear {
    /// Index of the triangle in the mesh of the surface.
    pub triangle: u32,
    /// Mean pressure since [`World::restart_pressure`], Pa: the impulse of the normal forces over
    /// time and area.
    pub pressure: f64,
    /// Greatest pressure at one step since then, Pa: the sum of the normal forces over the area.
    pub peak_pressure: f64,
    /// Energy dissipated by friction since the start, J/m².
    pub friction_work: f64,
    /// Energy dissipated by normal damping, or by the normal parts of percussions, since the start,
    /// J/m².
    pub impact_work: f64,
}

/// Load and wear of a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceWear {
    /// The surface.
    pub body: BodyId,
    /// The triangles that grains have touched, by their indices.
    pub triangles: Vec<TriangleWear>,
}

/// Sums over the contacts of a triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct TriangleSums {
    /// Impulse of the normal forces since the start of the interval, N s.
    impulse: f64,
    /// Greatest sum of the normal forces at one step since then, N.
    peak: f64,
    /// Energy dissipated by friction since the start, J.
    friction: f64,
    /// Energy dissipated in the normal direction since the start, J.
    impact: f64,
}

/// Sums of all triangles of a surface.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct WearRecord {
    /// The surface.
    pub body: BodyId,
    /// Start of the interval of the mean pressure, s.
    since: f64,
    /// By triangle.
    sums: Vec<TriangleSums>,
}

/// Contribution of a contact to a triangle at one step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WearEntry {
    /// Index of the surface among the wear records.
    pub surface: u32,
    /// Triangle.
    pub triangle: u32,
    /// Id of the grain.
    pub grain: u32,
    /// Feature of the contact.
    pub feature: u32,
    /// Normal force, N.
    pub force: f64,
    /// Impulse of the normal force, N s.
    pub impulse: f64,
    /// Energy dissipated by friction, J.
    pub friction: f64,
    /// Energy dissipated in the normal direction, J.
    pub impact: f64,
}

/// Sorts the contributions, so that their sums have the same bits for any number of threads and any
/// storage order. Values decide between contacts of one feature number.
fn sort(entries: &mut [WearEntry]) {
    entries.sort_unstable_by_key(|entry| {
        let values = [entry.force, entry.impulse, entry.friction, entry.impact].map(f64::to_bits);
        (entry.surface, entry.triangle, entry.grain, entry.feature, values)
    });
}

/// Adds the contributions of one step.
pub(crate) fn add(records: &mut [WearRecord], mut entries: Vec<WearEntry>) {
    sort(&mut entries);
    for of_triangle in entries.chunk_by(|one, next| (one.surface, one.triangle) == (next.surface, next.triangle)) {
        let WearEntry { surface, triangle, .. } = of_triangle[0];
        let sums = &mut records[surface as usize].sums[triangle as usize];
        let mut force = 0.0;
        for entry in of_triangle {
            force += entry.force;
            sums.impulse += entry.impulse;
            sums.friction += entry.friction;
            sums.impact += entry.impact;
        }
        sums.peak = sums.peak.max(force);
    }
}

impl World {
    /// Records load and wear of every triangle of a surface from now on. It costs a search for the
    /// triangle of each contact in every step, and 32 bytes per triangle.
    pub fn record_wear(&mut self, id: BodyId) -> Result<(), WorldError> {
        let index = *self.bodies.index.get(id.0 as usize).ok_or(WorldError::UnknownBody(id))? as usize;
        let tag = &self.bodies.kinetic[index].tag;
        let Shape::Surface(surface) = self.shape(tag.shape) else {
            return Err(WorldError::Value(format!("wear is recorded on triangulated surfaces; body {} is none", id.0)));
        };
        if tag.is_removed() || self.wear.iter().any(|record| record.body == id) {
            return Ok(());
        }
        let sums = vec![TriangleSums::default(); surface.mesh().triangles().len()];
        self.wear.push(WearRecord { body: id, since: self.time(), sums });
        Ok(())
    }

    /// Returns load and wear of the surfaces on which they are recorded.
    pub fn surface_wear(&self) -> Vec<SurfaceWear> {
        // Contacts book half a step in advance, which the energy balance subtracts, too.
        let mut ahead: BTreeMap<(u32, u32), (f64, f64)> = BTreeMap::new();
        for entry in self.booked_ahead() {
            let (impulse, friction) = ahead.entry((entry.surface, entry.triangle)).or_default();
            *impulse += entry.impulse;
            *friction += entry.friction;
        }
        let of_record = |(number, record): (usize, &WearRecord)| {
            let mesh = self.worn_surface(record)?.mesh();
            let duration = self.time() - record.since;
            let touched = record.sums.iter().enumerate().filter(|(_, sums)| **sums != TriangleSums::default());
            let triangles = touched.map(|(triangle, sums)| {
                let (impulse, friction) = ahead.get(&(number as u32, triangle as u32)).copied().unwrap_or_default();
                let area = mesh.vector_area(triangle).length();
                TriangleWear {
                    triangle: triangle as u32,
                    pressure: if duration > 0.0 { (sums.impulse - impulse) / (duration * area) } else { 0.0 },
                    peak_pressure: sums.peak / area,
                    friction_work: (sums.friction - friction) / area,
                    impact_work: sums.impact / area,
                }
            });
            Some(SurfaceWear { body: record.body, triangles: triangles.collect() })
        };
        self.wear.iter().enumerate().filter_map(of_record).collect()
    }

    /// Begins a new interval of the mean and greatest pressures.
    pub fn restart_pressure(&mut self) {
        if self.wear.is_empty() {
            return;
        }
        let entries = self.booked_ahead();
        let now = self.time();
        for record in &mut self.wear {
            record.since = now;
            record.sums.iter_mut().for_each(|sums| (sums.impulse, sums.peak) = (0.0, 0.0));
        }
        let only_load = |entry: WearEntry| WearEntry { friction: 0.0, impact: 0.0, ..entry };
        add(&mut self.wear, entries.into_iter().map(only_load).collect());
    }

    /// Returns what contacts have booked in advance for the next half step, sorted.
    fn booked_ahead(&self) -> Vec<WearEntry> {
        let mut entries = crate::wear_log::booked_ahead(self);
        sort(&mut entries);
        entries
    }

    /// Returns the surface of a wear record.
    fn worn_surface(&self, record: &WearRecord) -> Option<&Surface> {
        let index = *self.bodies.index.get(record.body.0 as usize)? as usize;
        match self.shapes.get(self.bodies.kinetic[index].tag.shape.0 as usize)? {
            Shape::Surface(surface) => Some(surface),
            _ => None,
        }
    }

    /// Drops the wear of surfaces that were removed.
    pub(super) fn drop_wear_of_removed(&mut self) {
        let bodies = &self.bodies;
        let is_removed = |id: BodyId| bodies.kinetic[bodies.index[id.0 as usize] as usize].tag.is_removed();
        self.wear.retain(|record| !is_removed(record.body));
    }

    /// Returns whether each wear record belongs to the triangles of a surface.
    pub(super) fn has_valid_wear(&self) -> bool {
        let matches = |record: &WearRecord| {
            self.worn_surface(record).is_some_and(|surface| surface.mesh().triangles().len() == record.sums.len())
        };
        self.wear.iter().all(matches)
    }

    /// Returns the stored sums of all wear records, in a fixed order: for checksums of the state.
    pub fn stored_wear(&self) -> impl Iterator<Item = f64> + '_ {
        self.wear.iter().flat_map(|record| {
            let sums = |of: &TriangleSums| [of.impulse, of.peak, of.friction, of.impact];
            std::iter::once(record.since).chain(record.sums.iter().flat_map(sums))
        })
    }
}
