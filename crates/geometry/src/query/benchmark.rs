//! Pairs of planar grains that nearly touch, with their normals and gaps by construction.

use std::f64::consts::TAU;

use glam::{DQuat, DVec2, DVec3};

use crate::contact::planar::Frame;
use crate::shape::{Convex, Ellipse};
use crate::{Pair, Shape};

/// Two placed shapes and their contact.
pub struct KnownPair {
    shapes: [Shape; 2],
    orientations: [DQuat; 2],
    offset: DVec3,
    /// Unit normal from a to b.
    pub normal: DVec3,
    /// Signed distance, m.
    pub gap: f64,
}

impl KnownPair {
    /// The question to a routine, with no limit on the gap; `warm` is a direction to start from.
    pub fn pair(&self, warm: Option<DVec3>) -> Pair<'_> {
        Pair {
            a: &self.shapes[0],
            b: &self.shapes[1],
            offset: self.offset,
            orientation_a: self.orientations[0],
            orientation_b: self.orientations[1],
            margin: f64::INFINITY,
            warm,
        }
    }
}

/// `count` pairs of ellipses with a longer semi-axis of 1 m and the shorter down to `1/aspect`, `gap` apart.
pub fn planar_pairs(count: usize, aspect: f64, gap: f64) -> Vec<KnownPair> {
    // Additive sequences of irrational numbers fill the cube evenly, and need no generator.
    let part = |k: usize, rate: f64| (k as f64 * rate).fract();
    let make = |k: usize| {
        let [short_a, short_b] = [0.754_877_666, 0.569_840_291].map(|rate| libm::pow(aspect, -part(k, rate)));
        let angles = [0.819_172_513, 0.671_043_607, 0.549_700_478].map(|rate| TAU * part(k, rate));
        let ellipses = [short_a, short_b].map(|short| Ellipse { semi_axes: DVec2::new(1.0, short) });
        let orientations = [angles[0], angles[1]].map(DQuat::from_rotation_z);
        let normal = DVec2::from_angle(angles[2]);
        let reach = [0, 1].map(|i| {
            let frame = Frame::of(orientations[i]);
            frame.to_world(ellipses[i].support(frame.to_body(normal).extend(0.0)).truncate())
        });
        KnownPair {
            shapes: ellipses.map(Shape::from),
            orientations,
            offset: (reach[0] + reach[1] + gap * normal).extend(0.0),
            normal: normal.extend(0.0),
            gap,
        }
    };
    (1..=count).map(make).collect()
}
