//! Beds of grains for the cases W1, W2, W4 and W5.
//!
//! Grains have the volume of a ball of diameter 1 m and the density 1 kg/m³; gravity is 1 m/s² along
//! -z. Lengths are therefore in grains, and times in `sqrt(d/g)`.

use std::f64::consts::PI;

use glam::DVec3;
use granum_engine::{BodyId, BodySpec, ContactLaw, Material, MaterialId, ShapeId, Simulation, World};
use granum_geometry::random::Random;
use granum_geometry::shape::{Ellipsoid, HalfSpace, Surface};
use granum_geometry::surface::HeightGrid;
use granum_geometry::{Pose, Shape, TriangleMesh};

/// Mass of a grain, kg.
pub(super) const MASS: f64 = PI / 6.0;
/// Packing fraction of a settled bed, from which numbers of grains are computed.
pub(super) const FRACTION: f64 = 0.6;
/// Distance of the points of a rough floor, grains, and range of their random heights. Grains come
/// to rest in the hollows, as on a layer of glued grains.
const FLOOR_STEP: f64 = 0.75;
const FLOOR_BUMPS: f64 = 0.6;
/// Coefficient of restitution. Dense flows hardly depend on it.
const RESTITUTION: f64 = 0.5;
/// Steps in a contact of two grains. The ends of an elongated grain move as if they had a third of
/// its mass, so that their contacts last at least half as long.
const STEPS_PER_CONTACT: f64 = 25.0;
/// Distance of neighbouring places at the start, relative to the largest size of the grains.
const SPACING: f64 = 1.05;
/// Largest component of velocities (m/s) and spins (rad/s) at the start.
const SPEED: f64 = 1.0;
/// Kinetic energy per mass of a bed at rest, J/kg. The grains move at 1 % of `sqrt(g d)`.
const REST: f64 = 5e-5;
/// Time between two looks at the kinetic energy, s.
const LOOK: f64 = 1.0;

/// A world of grains and three materials of walls.
pub(super) struct Bulk {
    pub world: World,
    /// Material of the grains.
    pub grain: MaterialId,
    /// Material of walls with friction.
    pub wall: MaterialId,
    /// Material of walls without friction.
    pub smooth: MaterialId,
    random: Random,
}

impl Bulk {
    /// Creates an empty world. The stiffness is in N/m; the friction coefficients are those of
    /// grains with each other and with walls.
    pub fn new(stiffness: f64, friction: f64, wall_friction: f64, seed: u64) -> Self {
        let mut world = World::new();
        let [grain, wall, smooth] = ["grain", "wall", "smooth wall"]
            .map(|name| world.add_material(Material::new(name, 1.0)).expect("a valid material"));
        for (other, friction) in [(grain, friction), (wall, wall_friction), (smooth, 0.0)] {
            world.set_law(grain, other, law(stiffness, friction)).expect("a known material");
        }
        world.set_gravity(DVec3::NEG_Z).expect("a finite gravity");
        let contact_time = PI * (0.5 * MASS / stiffness).sqrt();
        world.set_time_step(contact_time / STEPS_PER_CONTACT).expect("a positive step");
        Self { world, grain, wall, smooth, random: Random::new(seed) }
    }

    /// Adds a fixed surface that grains touch on the side of its normals.
    pub fn surface(&mut self, mesh: TriangleMesh, at: DVec3) -> BodyId {
        let shape = Surface::new(mesh, false).expect("a surface without faults");
        let shape = self.world.add_shape(shape).expect("a valid shape");
        self.world.add_body(BodySpec::fixed(shape, self.wall, at)).expect("a valid wall")
    }

    /// Adds a plane without friction, solid on the side away from `normal`.
    pub fn smooth_plane(&mut self, normal: DVec3, at: DVec3) -> BodyId {
        let shape = self.world.add_shape(HalfSpace::new(normal)).expect("a unit normal");
        self.world.add_body(BodySpec::fixed(shape, self.smooth, at)).expect("a valid wall")
    }

    /// Places upright grains in layers above `low`, with random velocities and spins, so that they
    /// meet before they settle. The shapes take turns. A place within `bounds` (least and greatest x
    /// and y) is used if `is_free` accepts it with the horizontal radius of the grain.
    pub fn fill(
        &mut self,
        shapes: &[Shape],
        count: usize,
        low: f64,
        bounds: [[f64; 2]; 2],
        is_free: impl Fn(DVec3, f64) -> bool,
    ) {
        let upright = Pose::at(DVec3::ZERO);
        let half = shapes.iter().map(|shape| shape.as_convex().aabb(&upright).max).fold(DVec3::ZERO, DVec3::max);
        let ids: Vec<ShapeId> =
            shapes.iter().map(|shape| self.world.add_shape(shape.clone()).expect("a valid shape")).collect();
        let radius = SPACING * half.x.max(half.y);
        let counts = bounds.map(|[from, to]| ((to - from) / (2.0 * radius)) as usize);
        let mut placed = 0;
        for k in 0.. {
            if placed == count {
                break;
            }
            let cell = [k % counts[0], k / counts[0] % counts[1], k / (counts[0] * counts[1])];
            let [x, y] = [0, 1].map(|axis| {
                let [from, to] = bounds[axis];
                from + (to - from) * (cell[axis] as f64 + 0.5) / counts[axis] as f64
            });
            let at = DVec3::new(x, y, low + 2.0 * SPACING * half.z * (cell[2] as f64 + 0.5));
            if is_free(at, radius) {
                let mut body = BodySpec::at(ids[placed % ids.len()], self.grain, at);
                body.velocity = SPEED * self.random.in_cube();
                body.spin = SPEED * self.random.in_cube();
                self.world.add_body(body).expect("a valid grain");
                placed += 1;
            }
        }
    }

    /// Starts the simulation on one thread.
    pub fn start(self) -> Simulation {
        Simulation::new(self.world, 1).expect("a complete world")
    }
}

/// Returns a rough floor with the mean height 0, from the point `first` to `last` or beyond.
pub(super) fn rough_floor(first: [f64; 2], last: [f64; 2], seed: u64) -> TriangleMesh {
    let counts = [0, 1].map(|axis| ((last[axis] - first[axis]) / FLOOR_STEP).ceil() as u32 + 1);
    let mut random = Random::new(seed);
    let heights = (0..counts[0] * counts[1]).map(|_| 0.5 * FLOOR_BUMPS * random.signed()).collect();
    let grid = HeightGrid { columns: counts[0], first, step: [FLOOR_STEP; 2], heights };
    grid.mesh().expect("a grid of finite heights")
}

/// Returns the law of two grains, or of a grain and a wall.
pub(super) fn law(stiffness: f64, friction: f64) -> ContactLaw {
    ContactLaw::linear(stiffness, RESTITUTION, friction).expect("a valid law")
}

/// Returns a spheroid with the volume of a grain. The aspect ratio is that of its own axis to the
/// other two.
pub(super) fn spheroid(aspect: f64) -> Shape {
    let across = 0.5 * aspect.cbrt().recip();
    Ellipsoid { semi_axes: DVec3::new(across, across, aspect * across) }.into()
}

/// Returns spheres whose diameters vary evenly by `spread` about 1 m, which prevents order.
pub(super) fn spheres(spread: f64) -> Vec<Shape> {
    const SIZES: u32 = 16;
    let size = |k: u32| 1.0 + spread * (2.0 * f64::from(k) / f64::from(SIZES - 1) - 1.0);
    // A step that has no common factor with the number of sizes mixes them.
    (0..SIZES).map(|k| granum_geometry::shape::Sphere { radius: 0.5 * size(7 * k % SIZES) }.into()).collect()
}

/// Runs for a time, s.
pub(super) fn run_for(simulation: &mut Simulation, time: f64) {
    simulation.run((time / simulation.world().time_step()).round() as u64);
}

/// Runs until the grains are at rest, or for at most `longest` (s).
pub(super) fn settle(simulation: &mut Simulation, longest: f64) {
    let until = simulation.world().time() + longest;
    loop {
        run_for(simulation, LOOK);
        let energy = simulation.energy();
        let mass: f64 = simulation.world().grains().map(|grain| grain.mass).sum();
        let is_at_rest = energy.kinetic_translational + energy.kinetic_rotational < REST * mass;
        if is_at_rest || simulation.world().time() > until {
            break;
        }
    }
}

/// Returns slope and intercept of the line with the least squares of its errors.
pub(super) fn line(points: &[(f64, f64)]) -> (f64, f64) {
    let n = points.len() as f64;
    let (mean_x, mean_y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / n, y + point.1 / n));
    let xy: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let xx: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    (xy / xx, mean_y - xy / xx * mean_x)
}

/// Returns exponent and factor of the power law with the least squares of the logarithms.
pub(super) fn power_law(points: &[(f64, f64)]) -> (f64, f64) {
    let logarithms: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let (exponent, intercept) = line(&logarithms);
    (exponent, intercept.exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_law_is_found() {
        let points: Vec<(f64, f64)> = [0.5, 1.0, 3.0].iter().map(|&x: &f64| (x, 1.7 * x.powf(0.4))).collect();
        let (exponent, factor) = power_law(&points);
        assert!((exponent - 0.4).abs() < 1e-12 && (factor - 1.7).abs() < 1e-12, "{exponent} {factor}");
    }

    #[test]
    fn all_grains_have_the_same_volume() {
        for aspect in [0.5, 1.0, 2.2] {
            let volume = spheroid(aspect).as_convex().mass_properties().volume;
            assert!((volume / MASS - 1.0).abs() < 1e-12, "{aspect}: {volume}");
        }
    }
}
