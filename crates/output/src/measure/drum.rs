//! Rotating drums: angle of the free surface over time, and velocity as a function of depth.
//!
//! As seen along the axis, `up` is opposite to gravity, and the wall moves upward on the side away
//! from `across`. Grains flow down a surface with a positive angle towards `across`.

use glam::DVec3;

use super::{Packing, Sampling, grains};
use crate::run_folder::Frame;

/// Packing fraction that defines the free surface: half that of a bed at rest.
const SURFACE_FRACTION: f64 = 0.3;

/// Central fraction of the surface to which a straight line is fitted. The surface is curved near
/// the wall.
const FITTED: f64 = 0.5;

/// Fraction of the radius on both sides of the middle of the surface in which velocities are
/// measured.
const WINDOW: f64 = 0.25;

/// Number of grains of a frame in a column: enough for a smooth packing fraction, few enough to
/// resolve the slope.
const GRAINS_A_COLUMN: f64 = 1.5;

/// A rotating drum in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turning {
    /// Centre, m.
    pub centre: DVec3,
    /// Angular velocity, rad/s.
    pub spin: DVec3,
    up: DVec3,
    across: DVec3,
}

impl Turning {
    /// Returns the first wall that rotates about an axis that is not vertical.
    pub fn find(frame: &Frame, gravity: DVec3) -> Option<Self> {
        let wall = frame.bodies.iter().find(|body| !body.mass.is_finite() && body.spin.length_squared() > 0.0)?;
        let axis = wall.spin.normalize();
        let up = (-gravity).reject_from(axis).try_normalize()?;
        Some(Self { centre: wall.position, spin: wall.spin, up, across: axis.cross(up) })
    }

    /// Returns the direction down a surface with this slope, rad, and its outward normal.
    fn axes_at(&self, angle: f64) -> [DVec3; 2] {
        let (sin, cos) = angle.sin_cos();
        [self.across * cos - self.up * sin, self.across * sin + self.up * cos]
    }
}

/// The free surface of one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrumRow {
    /// Time, s.
    pub time: f64,
    /// Slope of the line fitted to the middle of the surface, degrees.
    pub surface: f64,
    /// Angle between the vertical and the line from the axis to the centre of mass, degrees. It is
    /// the slope of an ideal flat surface, and it fluctuates less if the surface is short.
    pub centre_of_mass: f64,
    /// Distance of the surface from the axis, m; negative below it.
    pub height: f64,
}

/// Velocity at a depth, averaged over frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowRow {
    /// Depth below the surface, m.
    pub depth: f64,
    /// Velocity down the surface, m/s.
    pub velocity: f64,
    /// Velocity of a body that rotates with the drum, m/s.
    pub rigid: f64,
    /// Number of grains, over all frames.
    pub grains: usize,
}

#[derive(Clone, Copy, Default)]
struct Layer {
    velocity: f64,
    rigid: f64,
    grains: usize,
}

/// Accumulates the frames in which the drum rotates.
#[derive(Default)]
pub struct Drum {
    rows: Vec<DrumRow>,
    /// Layers of each frame, so that averages may omit the start.
    layers: Vec<Vec<Layer>>,
    thickness: f64,
}

impl Drum {
    /// Adds the surface and the velocities of a frame.
    pub fn add(&mut self, frame: &Frame, turning: &Turning, sampling: &Sampling) {
        let Turning { centre, spin, up, across } = *turning;
        let Some(size) = mean_diameter(frame) else { return };
        let radius = sampling.room().map(|point| (point - centre).dot(across).abs()).fold(0.0, f64::max);
        let mass: f64 = grains(frame).map(|body| body.mass).sum();
        let middle = grains(frame).map(|body| body.mass * (body.position - centre)).sum::<DVec3>() / mass;
        let centre_of_mass = (-middle.dot(across)).atan2(-middle.dot(up));
        let Line { angle, height } = surface(turning, sampling, centre_of_mass, radius, GRAINS_A_COLUMN * size);
        self.rows.push(DrumRow {
            time: frame.time,
            surface: angle.to_degrees(),
            centre_of_mass: centre_of_mass.to_degrees(),
            height,
        });
        let [down, out] = turning.axes_at(angle);
        // The cell size of the first frame is used for all frames.
        self.thickness = if self.thickness > 0.0 { self.thickness } else { 0.5 * size };
        let mut layers = Vec::new();
        for body in grains(frame) {
            let arm = body.position - centre;
            let depth = height - arm.dot(out);
            if arm.dot(down).abs() > WINDOW * radius || depth.is_nan() || depth < 0.0 {
                continue;
            }
            let number = (depth / self.thickness) as usize;
            if layers.len() <= number {
                layers.resize(number + 1, Layer::default());
            }
            let layer = &mut layers[number];
            layer.velocity += body.velocity.dot(down);
            layer.rigid += spin.cross(arm).dot(down);
            layer.grains += 1;
        }
        self.layers.push(layers);
    }

    /// Returns the surface of each frame.
    pub fn rows(&self) -> &[DrumRow] {
        &self.rows
    }

    /// Returns the rows of the second half of the rotation, when the flow is steady.
    pub fn steady(&self) -> &[DrumRow] {
        &self.rows[self.rows.len() / 2..]
    }

    /// Returns velocity as a function of depth in the second half of the rotation.
    pub fn flow(&self) -> Vec<FlowRow> {
        let steady = &self.layers[self.layers.len() / 2..];
        let deepest = steady.iter().map(Vec::len).max().unwrap_or(0);
        let row = |number: usize| {
            let layers = steady.iter().filter_map(|layers| layers.get(number));
            let sum = layers.fold(Layer::default(), |sum, layer| Layer {
                velocity: sum.velocity + layer.velocity,
                rigid: sum.rigid + layer.rigid,
                grains: sum.grains + layer.grains,
            });
            FlowRow {
                depth: (number as f64 + 0.5) * self.thickness,
                velocity: sum.velocity / sum.grains as f64,
                rigid: sum.rigid / sum.grains as f64,
                grains: sum.grains,
            }
        };
        (0..deepest).map(row).filter(|row| row.grains > 0).collect()
    }

    /// Returns the depth of zero velocity between the flowing layer and the grains carried upward,
    /// m.
    pub fn reversal(&self) -> Option<f64> {
        let flow = self.flow();
        flow.windows(2).find(|pair| pair[0].velocity > 0.0 && pair[1].velocity <= 0.0).map(|pair| {
            let part = pair[0].velocity / (pair[0].velocity - pair[1].velocity);
            pair[0].depth + part * (pair[1].depth - pair[0].depth)
        })
    }
}

/// Returns mean and standard deviation.
pub fn spread(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    (mean, (values.map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt())
}

/// Returns the diameter of a ball with the mean volume of a grain, m.
fn mean_diameter(frame: &Frame) -> Option<f64> {
    let volumes: Vec<f64> = frame.shapes.iter().map(|shape| shape.as_convex().mass_properties().volume).collect();
    let (sum, count) = grains(frame).fold((0.0, 0), |(sum, n), body| (sum + volumes[body.shape.0 as usize], n + 1));
    (count > 0).then(|| (6.0 / std::f64::consts::PI * sum / f64::from(count)).cbrt())
}

/// A straight surface: its slope, rad, and its distance from the axis, m.
#[derive(Clone, Copy)]
struct Line {
    angle: f64,
    height: f64,
}

/// Fits a line to the free surface. `near` is an estimate of its slope, rad.
///
/// The first fit, in the middle of the drum, gives the distance of the surface from the axis. This
/// determines the length of the surface, and the second fit uses its straight part.
fn surface(turning: &Turning, sampling: &Sampling, near: f64, radius: f64, width: f64) -> Line {
    let Line { height, .. } = fit(turning, sampling, near, radius, [WINDOW * radius, width]);
    let half_length = (radius * radius - height * height).max(0.0).sqrt();
    // A drum that is nearly full has almost no surface, so the line is fitted near its middle.
    let fitted = if half_length > 0.0 { FITTED * half_length } else { WINDOW * radius };
    fit(turning, sampling, near, radius, [fitted, width])
}

/// Fits a straight line to the surface in columns of this width that are perpendicular to a slope
/// of `near`, up to `half` on both sides of the axis.
fn fit(turning: &Turning, sampling: &Sampling, near: f64, radius: f64, [half, width]: [f64; 2]) -> Line {
    let [down, out] = turning.axes_at(near);
    let columns = ((2.0 * half / width) as usize).max(2);
    // Cells along a column are smaller, because the surface is interpolated between two of them.
    let cells = ((4.0 * radius / width) as usize).max(4);
    let (wide, high) = (2.0 * half / columns as f64, 2.0 * radius / cells as f64);
    let part = |point: DVec3| {
        let arm = point - turning.centre;
        let (x, z) = ((arm.dot(down) + half) / wide, (arm.dot(out) + radius) / high);
        let inside = x >= 0.0 && (x as usize) < columns && z >= 0.0;
        if inside { x as usize * cells + (z as usize).min(cells - 1) } else { usize::MAX }
    };
    let packing = sampling.packing_in(part, columns * cells);
    let tops = packing.chunks(cells).enumerate().filter_map(|(column, cells)| {
        let top = top(cells)?;
        Some(((column as f64 + 0.5) * wide - half, (top + 0.5) * high - radius))
    });
    let (slope, height) = line(&tops.collect::<Vec<_>>());
    let turned = -slope.atan();
    Line { angle: near + turned, height: height * turned.cos() }
}

/// Returns the position, in cells from above, at which the packing fraction of a column exceeds
/// [`SURFACE_FRACTION`]. It returns `None` if the column is full.
fn top(cells: &[Packing]) -> Option<f64> {
    let rooms: Vec<(usize, f64)> =
        cells.iter().enumerate().filter(|(_, cell)| cell.room > 0.0).map(|(k, cell)| (k, cell.fraction)).collect();
    let is_free = rooms.last()?.1 < SURFACE_FRACTION;
    let pair = rooms.windows(2).rev().find(|pair| pair[0].1 >= SURFACE_FRACTION)?;
    let ((low, below), (_, above)) = (pair[0], pair[1]);
    is_free.then(|| low as f64 + (below - SURFACE_FRACTION) / (below - above))
}

/// Returns slope and intercept of a least-squares line through points.
fn line(points: &[(f64, f64)]) -> (f64, f64) {
    let count = points.len() as f64;
    let sum = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (sum(&|point| point.0), sum(&|point| point.1));
    let slope = sum(&|point| (point.0 - x) * (point.1 - y)) / sum(&|point| (point.0 - x).powi(2));
    (slope, y - slope * x)
}
