//! Memory of a large surface, and time of its contacts with grains.
//!
//! Prints the memory per triangle of a terrain of a million triangles, and the memory at the peak of
//! its construction that the mesh does not take, and nanoseconds per pair for grains that touch the terrain,
//! that are just above it, and that touch the inside of a drum of 20,000 triangles. An argument is
//! the number of cells of the terrain along each axis; the default is 708.

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use glam::{DQuat, DVec3};
use granum_geometry::random::Random;
use granum_geometry::shape::{Box, Cylinder, Ellipsoid, Polyhedron, Sphere, Surface, rock};
use granum_geometry::surface::generate::{CylinderSurface, Terrain};
use granum_geometry::{Manifold, Measure, Pair, Shape, collide};

/// Number of grains of each shape.
const GRAINS: usize = 500;

/// Overlap of touching grains, relative to their bounding radius.
const OVERLAP: f64 = 1e-3;

/// Height of separate grains, relative to their bounding radius.
const HEIGHT: f64 = 0.05;

/// Number of measurements; the fastest counts.
const REPEAT: usize = 5;

fn main() -> Result<(), Failure> {
    let cells = std::env::args().nth(1).map_or(Ok(708), |text| text.parse())?;
    let size = f64::from(cells);
    let hills = (0.002 * size * size).ceil() as u32;
    let terrain = Terrain { size: [size; 2], cells: [cells; 2], hills, height: 2.0, radius: 10.0, seed: 4 };
    let mesh = terrain.mesh()?;
    let triangles = mesh.triangles().len() as f64;
    let before = memory("VmRSS:");
    let start = Instant::now();
    let surface = Surface::new(mesh, false)?;
    println!("{triangles} triangles: surface made in {:.2} s", start.elapsed().as_secs_f64());
    println!("bytes per triangle: {:.1}", surface.memory() as f64 / triangles);
    if let (Some(before), Some(peak)) = (before, memory("VmHWM:")) {
        println!("resident bytes per triangle at the peak, beside the mesh: {:.1}", (peak - before) / triangles);
    }
    let reach = 0.4 * size;
    let on_terrain = |random: &mut Random| {
        let [x, y] = [reach * random.signed(), reach * random.signed()];
        (DVec3::new(x, y, 60.0), DVec3::NEG_Z)
    };
    measure("terrain", &surface.into(), 1.0, on_terrain);
    let drum = CylinderSurface { radius: 0.03, length: 0.032, facets: 400, divisions: 24, ends: true };
    let in_drum = |random: &mut Random| {
        let angle = random.range(0.0, 7.0);
        (DVec3::new(0.0, 0.0, 0.01 * random.signed()), DVec3::new(angle.cos(), angle.sin(), 0.0))
    };
    measure("drum", &Surface::new(drum.mesh()?, false)?.into(), 0.003, in_drum);
    Ok(())
}

/// Any failure.
type Failure = std::boxed::Box<dyn Error>;

/// Grains of about this radius, m.
fn grains(radius: f64) -> Vec<(&'static str, Vec<Shape>)> {
    let axes = radius * DVec3::new(1.0, 0.7, 0.7);
    let rocks = (0..20).map(|seed| {
        let corners = rock([2.0 * radius, 1.6 * radius, 1.2 * radius], 16.0, f64::from(seed)).expect("valid");
        Polyhedron::new(corners).expect("a rock").into()
    });
    vec![
        ("sphere", vec![Sphere { radius }.into()]),
        ("ellipsoid", vec![Ellipsoid { semi_axes: axes }.into()]),
        ("cylinder", vec![Cylinder { radius: 0.7 * radius, half_height: 0.7 * radius }.into()]),
        ("box", vec![Box { half_sizes: 0.8 * axes }.into()]),
        ("rock", rocks.collect()),
    ]
}

/// A grain at a place relative to the surface.
struct Placed<'a> {
    shape: &'a Shape,
    offset: DVec3,
    orientation: DQuat,
}

fn measure(name: &str, surface: &Shape, radius: f64, path: impl Fn(&mut Random) -> (DVec3, DVec3)) {
    println!("\n{name:10} {:>12} {:>9} {:>12}", "ns touching", "contacts", "ns separate");
    let mut random = Random::new(1);
    for (kind, shapes) in grains(radius) {
        let placed: Vec<Placed> = (0..GRAINS)
            .map(|k| {
                let mut grain =
                    Placed { shape: &shapes[k % shapes.len()], offset: DVec3::ZERO, orientation: random.rotation() };
                let (start, direction) = path(&mut random);
                grain.offset = start;
                grain.approach(surface, direction);
                grain
            })
            .collect();
        let (touching, contacts) = time(surface, &placed, 0.0);
        let separate: Vec<Placed> = placed.into_iter().map(|grain| grain.lifted(surface)).collect();
        let (apart, _) = time(surface, &separate, 0.0);
        println!("{kind:10} {touching:12.0} {contacts:9.2} {apart:12.0}");
    }
}

impl Placed<'_> {
    fn pair<'a>(&'a self, surface: &'a Shape, margin: f64) -> Pair<'a> {
        Pair {
            a: surface,
            b: self.shape,
            offset: self.offset,
            orientation_a: DQuat::IDENTITY,
            orientation_b: self.orientation,
            margin,
            warm: None,
        }
    }

    fn contacts(&self, surface: &Shape) -> Manifold {
        let mut found = Manifold::default();
        collide(Measure::Depth, &self.pair(surface, f64::INFINITY), &mut found);
        found
    }

    /// Moves the grain along a direction until it overlaps the surface by [`OVERLAP`].
    fn approach(&mut self, surface: &Shape, direction: DVec3) {
        let radius = self.shape.as_convex().bounding_radius();
        let wanted = -OVERLAP * radius;
        // Far away the distance of the centre is enough, and quicker.
        for _ in 0..200 {
            let free = surface.as_convex().clearance(self.offset, radius);
            self.offset += free.max(0.0) * direction;
            if free < HEIGHT * radius {
                break;
            }
        }
        // Each step is at most the distance, so that the grain does not pass the surface.
        for _ in 0..200 {
            let found = self.contacts(surface);
            let gap = found.points().iter().map(|point| point.gap).fold(f64::INFINITY, f64::min);
            if gap <= 0.5 * wanted {
                break;
            }
            self.offset += (gap - wanted) * direction;
        }
    }

    /// Returns the grain above the surface.
    fn lifted(self, surface: &Shape) -> Self {
        let radius = self.shape.as_convex().bounding_radius();
        let found = self.contacts(surface);
        let normal = found.points().first().map_or(DVec3::ZERO, |point| point.normal);
        Self { offset: self.offset + HEIGHT * radius * normal, ..self }
    }
}

/// Returns nanoseconds and contacts per pair.
fn time(surface: &Shape, placed: &[Placed], margin: f64) -> (f64, f64) {
    let mut best = f64::INFINITY;
    let mut contacts = 0;
    let mut manifold = Manifold::default();
    for _ in 0..REPEAT {
        contacts = 0;
        let start = Instant::now();
        for grain in placed {
            manifold.clear();
            collide(Measure::Depth, &black_box(grain).pair(surface, margin), &mut manifold);
            contacts += manifold.points().len();
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    black_box(&manifold);
    let count = placed.len() as f64;
    (1e9 * best / count, contacts as f64 / count)
}

/// Returns a size of this process, bytes, on Linux.
fn memory(name: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024.0 * kibibytes)
}
