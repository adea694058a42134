//! A small scene of the grains that inlets add, to time their contacts before a run.

use glam::DVec3;

use crate::format::{Lattice, Scene};

/// Displacement of the grains from their lattice points, so that they touch in many ways.
const JITTER: f64 = 0.5;

/// Distance of lattice points, relative to the diameter of the largest grain: the default of a
/// lattice, and room for rounding.
const SPACING: f64 = 1.06;

impl Scene {
    /// Returns a scene without walls of about `count` grains of those that inlets add, on a
    /// lattice; `None` if there are no inlets.
    pub fn sample_of_inlets(&self, count: u64) -> Option<Self> {
        let mut sample = self.clone();
        sample.container = None;
        sample.walls.clear();
        sample.surfaces.clear();
        sample.stages.clear();
        sample.outlets.clear();
        sample.flow_planes.clear();
        sample.grains.retain(|grains| grains.inlet.is_some());
        let planar = self.is_planar();
        let count = (count / sample.grains.len().max(1) as u64).max(1);
        let mut from = 0.0;
        for grains in &mut sample.grains {
            let radius = grains.shapes().ok()?.extremes().ok()?[1].as_convex().bounding_radius();
            let along = if planar { (count as f64).sqrt() } else { (count as f64).cbrt() };
            let side = (along.ceil() + 1.0) * 2.0 * SPACING * radius;
            let depth = if planar { 0.0 } else { side };
            let min = DVec3::new(from, 0.0, 0.0);
            let max = DVec3::new(from + side, side, depth);
            grains.lattice = Some(Lattice { min, max, spacing: None, jitter: JITTER });
            (grains.inlet, grains.count, grains.mass) = (None, Some(count), None);
            from += side;
        }
        (!sample.grains.is_empty()).then_some(sample)
    }
}
