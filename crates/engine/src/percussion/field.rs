//! Forces that depend on where bodies are. They are atomised: each acts as one percussion at the instant of the collisions, in
//! their programs.
//!
//! A bed of springs (Winkler's ground) presses with its modulus times the depth; all of it together is the modulus times the volume
//! of a grain below the ground, at the centroid of that volume. A net about a box is six such grounds. A backing (Winkler and
//! Westergaard's solid as Fremond's school takes it) has one spring a grain instead. Volumes are those of a shape's
//! triangulated surface: exact for boxes and polyhedra.

use glam::DVec3;
use granum_geometry::{Mesh, Shape};
use serde::{Deserialize, Serialize};

use crate::state::{World, Wrench};
use crate::user_force::{self, UserForce};

/// Level of the surfaces of which volumes are taken: 1,280 triangles for a smooth grain, whose volume is then right to 1 %.
const LEVEL: u32 = 3;

/// A force on every grain.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Field {
    /// Springs to the ground, after Winkler: the ground is where `normal . x <= offset`.
    Bed {
        /// Unit normal of the ground, upwards.
        normal: DVec3,
        /// Its distance from the origin along the normal, m.
        offset: f64,
        /// Pressure per depth, N/m³.
        modulus: f64,
    },
    /// One spring a grain, after Winkler and Westergaard: stiffness times the depth of its deepest point where
    /// `normal . x <= offset`, at the centroid of what lies there.
    Backing {
        /// Unit normal of the backing's surface, outwards.
        normal: DVec3,
        /// Its distance from the origin along the normal, m.
        offset: f64,
        /// Force per depth, N/m.
        stiffness: f64,
    },
    /// A net about a box: at each of its faces a force inwards, in proportion to the volume of the grain beyond the face.
    Net {
        /// Lower corner, m.
        min: DVec3,
        /// Upper corner, m.
        max: DVec3,
        /// Force per volume outside, N/m³.
        modulus: f64,
    },
    /// A spring from each centre to a point.
    Spring {
        /// The point, m.
        to: DVec3,
        /// N/m.
        stiffness: f64,
    },
    /// The same force on every grain, at its centre.
    Force {
        /// N.
        force: DVec3,
    },
}

/// The loads of all fields on each body, by storage index; `surfaces` keeps those of the shapes from step to step. Empty where
/// nothing acts.
pub fn loads(
    world: &World,
    fields: &[Field],
    own: Option<&UserForce>,
    surfaces: &mut Vec<Option<Mesh>>,
) -> Vec<Wrench> {
    if fields.is_empty() && own.is_none() {
        return Vec::new();
    }
    surfaces.resize(world.shapes.len(), None);
    let of = |k: usize| {
        if !world.bodies.kinetic[k].tag.is_dynamic() {
            return Wrench::default();
        }
        let mut load = own.map_or(Wrench::default(), |own| user_force::on_body(own, world, k));
        for field in fields {
            field.add(world, k, surfaces, &mut load);
        }
        load
    };
    (0..world.bodies.len()).map(of).collect()
}

impl Field {
    fn add(&self, world: &World, k: usize, surfaces: &mut [Option<Mesh>], load: &mut Wrench) {
        match *self {
            Self::Force { force } => load.force += force,
            Self::Spring { to, stiffness } => load.force += stiffness * (to - world.bodies.place[k].centre),
            Self::Bed { normal, offset, modulus } => {
                push_back(world, k, (-normal, -offset), Resistance::ByVolume(modulus), surfaces, load);
            }
            Self::Backing { normal, offset, stiffness } => {
                push_back(world, k, (-normal, -offset), Resistance::ByDepth(stiffness), surfaces, load);
            }
            Self::Net { min, max, modulus } => {
                let resistance = Resistance::ByVolume(modulus);
                for axis in 0..3 {
                    let outwards = DVec3::AXES[axis];
                    push_back(world, k, (outwards, max[axis]), resistance, surfaces, load);
                    push_back(world, k, (-outwards, -min[axis]), resistance, surfaces, load);
                }
            }
        }
    }
}

/// What the force on a body beyond a plane is in proportion to.
#[derive(Clone, Copy)]
enum Resistance {
    /// Its volume there, N/m³.
    ByVolume(f64),
    /// The depth of its deepest point, N/m.
    ByDepth(f64),
}

/// Pushes a body back from where `outwards . x > limit`, at the centroid of what lies there.
fn push_back(
    world: &World,
    k: usize,
    (outwards, limit): (DVec3, f64),
    resistance: Resistance,
    surfaces: &mut [Option<Mesh>],
    load: &mut Wrench,
) {
    let place = &world.bodies.place[k];
    let beyond = outwards.dot(place.centre) - limit;
    if beyond <= -place.radius {
        return;
    }
    let shape = world.bodies.kinetic[k].tag.shape.0 as usize;
    let surface = surfaces[shape].get_or_insert_with(|| surface(&world.shapes[shape]));
    let orientation = world.bodies.orientation[k];
    let own = orientation.conjugate() * outwards;
    let part = Part::of(surface, own, -beyond);
    if part.volume <= 0.0 {
        return;
    }
    let per_volume = match resistance {
        Resistance::ByVolume(modulus) => modulus,
        Resistance::ByDepth(stiffness) => {
            let reach = own.dot(world.shapes[shape].as_convex().support(own));
            stiffness * (beyond + reach) / part.volume
        }
    };
    load.force -= per_volume * part.volume * outwards;
    load.torque -= orientation * part.moment.cross(per_volume * own);
}

fn surface(shape: &Shape) -> Mesh {
    shape.as_convex().surface(LEVEL, 0.0)
}

/// The part of a body beyond a plane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Part {
    /// m³.
    pub volume: f64,
    /// Volume times the centroid, body axes, m⁴.
    pub moment: DVec3,
}

impl Part {
    /// The part of a closed surface where the height `h = normal . x - limit` is positive. By the divergence of `h n` and `x h n`, which
    /// vanish on the plane, from the surface alone.
    pub fn of(surface: &Mesh, normal: DVec3, limit: f64) -> Self {
        let mut part = Self::default();
        let mut heights = 0.0;
        for triangle in &surface.triangles {
            let corners = surface.corners(triangle);
            let height = corners.map(|corner| normal.dot(corner) - limit);
            if height.iter().all(|h| *h <= 0.0) {
                continue;
            }
            let (above, count) = cut(&corners, &height);
            for k in 2..count {
                let [a, b, c] = [above[0], above[k - 1], above[k]];
                let area = 0.5 * (b.0 - a.0).cross(c.0 - a.0).dot(normal);
                let (sum, all) = (a.1 + b.1 + c.1, a.0 + b.0 + c.0);
                part.volume += area * sum / 3.0;
                part.moment += area / 12.0 * (a.1 * a.0 + b.1 * b.0 + c.1 * c.0 + sum * all);
                heights += area / 24.0 * (a.1 * a.1 + b.1 * b.1 + c.1 * c.1 + sum * sum);
            }
        }
        part.moment -= heights * normal;
        part
    }
}

/// The part of a triangle with positive heights: its corners with their heights, and how many.
fn cut(corners: &[DVec3; 3], height: &[f64; 3]) -> ([(DVec3, f64); 4], usize) {
    let mut above = [(DVec3::ZERO, 0.0); 4];
    let mut count = 0;
    let mut add = |point: DVec3, h: f64| {
        above[count] = (point, h);
        count += 1;
    };
    for k in 0..3 {
        let next = (k + 1) % 3;
        if height[k] > 0.0 {
            add(corners[k], height[k]);
        }
        if (height[k] > 0.0) != (height[next] > 0.0) {
            let share = height[k] / (height[k] - height[next]);
            add(corners[k] + share * (corners[next] - corners[k]), 0.0);
        }
    }
    (above, count)
}
