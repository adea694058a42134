//! Forces that depend on the positions of the bodies. Each acts as one external percussion at the
//! instant of the collisions and enters their programs.
//!
//! A bed of springs \[Winkler1867\] presses with its modulus times the depth. Its resultant is the
//! modulus times the volume of a grain below the ground, at the centroid of that volume. A net
//! around a box is six such beds. A backing has one spring per grain instead, after
//! \[Westergaard1938\] as used by \[Leon2016\]. Volumes are those of the triangulated surface of a
//! shape; they are exact for boxes and polyhedra.

use glam::DVec3;
use granum_geometry::{Mesh, Shape};
use serde::{Deserialize, Serialize};

use crate::state::{World, Wrench};
use crate::user_force::ForceFunction;

/// Refinement level of the triangulated surfaces: 1,280 triangles for a smooth grain, whose volume
/// is then accurate to 1 %.
const SURFACE_LEVEL: u32 = 3;

/// A position-dependent force on every grain.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Field {
    /// Bed of springs on the ground `normal . x <= offset` \[Winkler1867\].
    Bed {
        /// Unit normal of the ground, upwards.
        normal: DVec3,
        /// Distance of the ground from the origin along the normal, m.
        offset: f64,
        /// Pressure per depth, N/m³.
        modulus: f64,
    },
    /// One spring per grain: stiffness times the depth of the deepest point in `normal . x <=
    /// offset`, at the centroid of the volume there.
    Backing {
        /// Unit normal of the surface of the backing, outwards.
        normal: DVec3,
        /// Distance of the surface from the origin along the normal, m.
        offset: f64,
        /// Force per depth, N/m.
        stiffness: f64,
    },
    /// Net around a box: at each face an inward force proportional to the volume of the grain
    /// outside.
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
        /// Stiffness, N/m.
        stiffness: f64,
    },
    /// A constant force on every grain, at its centre.
    Force {
        /// Force, N.
        force: DVec3,
    },
}

/// Returns the sum of all fields on each body, by storage index. Empty if there are none.
/// `surfaces` caches the triangulated surfaces of the shapes.
pub fn wrenches(
    world: &World,
    fields: &[Field],
    user_force: Option<&ForceFunction>,
    surfaces: &mut Vec<Option<Mesh>>,
) -> Vec<Wrench> {
    if fields.is_empty() && user_force.is_none() {
        return Vec::new();
    }
    surfaces.resize(world.shapes.len(), None);
    let user_force = user_force.map(|force| force.now(world));
    let of = |k: usize| {
        if !world.bodies.kinetic[k].tag.is_dynamic() {
            return Wrench::default();
        }
        let mut wrench = user_force.as_ref().map_or(Wrench::default(), |force| force.on_body(world, k));
        for field in fields {
            field.add(world, k, surfaces, &mut wrench);
        }
        wrench
    };
    (0..world.bodies.len()).map(of).collect()
}

impl Field {
    /// Returns whether all numbers are finite, except for absent faces of a net, and no normal is
    /// zero.
    pub(crate) fn is_valid(&self) -> bool {
        match *self {
            Self::Force { force } => force.is_finite(),
            Self::Spring { to, stiffness } => to.is_finite() && stiffness.is_finite(),
            Self::Bed { normal, offset, modulus: factor } | Self::Backing { normal, offset, stiffness: factor } => {
                normal.is_normalized() && offset.is_finite() && factor.is_finite()
            }
            Self::Net { min, max, modulus } => !min.is_nan() && !max.is_nan() && modulus.is_finite(),
        }
    }

    fn add(&self, world: &World, k: usize, surfaces: &mut [Option<Mesh>], wrench: &mut Wrench) {
        match *self {
            Self::Force { force } => wrench.force += force,
            Self::Spring { to, stiffness } => wrench.force += stiffness * (to - world.bodies.sphere[k].centre),
            Self::Bed { normal, offset, modulus } => {
                add_resistance(world, k, (-normal, -offset), Resistance::ByVolume(modulus), surfaces, wrench);
            }
            Self::Backing { normal, offset, stiffness } => {
                add_resistance(world, k, (-normal, -offset), Resistance::ByDepth(stiffness), surfaces, wrench);
            }
            Self::Net { min, max, modulus } => {
                let resistance = Resistance::ByVolume(modulus);
                for axis in 0..3 {
                    let outwards = DVec3::AXES[axis];
                    add_resistance(world, k, (outwards, max[axis]), resistance, surfaces, wrench);
                    add_resistance(world, k, (-outwards, -min[axis]), resistance, surfaces, wrench);
                }
            }
        }
    }
}

/// The quantity to which the force on a body beyond a plane is proportional.
#[derive(Clone, Copy)]
enum Resistance {
    /// Volume beyond the plane; force per volume, N/m³.
    ByVolume(f64),
    /// Depth of the deepest point; force per depth, N/m.
    ByDepth(f64),
}

/// Adds the force on the part of a body with `outwards . x > limit`, at the centroid of that part.
fn add_resistance(
    world: &World,
    k: usize,
    (outwards, limit): (DVec3, f64),
    resistance: Resistance,
    surfaces: &mut [Option<Mesh>],
    wrench: &mut Wrench,
) {
    let sphere = &world.bodies.sphere[k];
    // Most grains are far from the plane, which their bounding sphere shows.
    let beyond = outwards.dot(sphere.centre) - limit;
    if beyond <= -sphere.radius {
        return;
    }
    let shape = world.bodies.kinetic[k].tag.shape.0 as usize;
    // The surface of a shape is triangulated once for all bodies that have it.
    let surface = surfaces[shape].get_or_insert_with(|| surface(&world.shapes[shape]));
    let orientation = world.bodies.orientation[k];
    let direction = orientation.conjugate() * outwards;
    let part = CutVolume::of(surface, direction, -beyond);
    if part.volume <= 0.0 {
        return;
    }
    let per_volume = match resistance {
        Resistance::ByVolume(modulus) => modulus,
        Resistance::ByDepth(stiffness) => {
            // Divided by the volume, because the force below is multiplied by it.
            let support_value = direction.dot(world.shapes[shape].as_convex().support(direction));
            stiffness * (beyond + support_value) / part.volume
        }
    };
    // The moment is the volume times the centroid, so that no division by the volume is needed.
    wrench.force -= per_volume * part.volume * outwards;
    wrench.torque -= orientation * part.moment.cross(per_volume * direction);
}

fn surface(shape: &Shape) -> Mesh {
    shape.as_convex().surface(SURFACE_LEVEL, 0.0)
}

/// Volume and first moment of the part of a body beyond a plane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CutVolume {
    /// Volume, m³.
    pub volume: f64,
    /// Volume times the centroid, body axes, m⁴.
    pub moment: DVec3,
}

impl CutVolume {
    /// Returns the part of a closed surface at which the height `h = normal . x - limit` is
    /// positive.
    ///
    /// The divergence theorem for `h n` and `x h n`, which vanish on the plane, gives both
    /// integrals from the surface alone: the cut face needs no triangles.
    pub fn of(surface: &Mesh, normal: DVec3, limit: f64) -> Self {
        let mut part = Self::default();
        // Integral of h over the part: `div(x h n) = x + h n`, and `div(h² n/2) = h`.
        let mut heights = 0.0;
        for triangle in &surface.triangles {
            let corners = surface.corners(triangle);
            let height = corners.map(|corner| normal.dot(corner) - limit);
            if height.iter().all(|h| *h <= 0.0) {
                continue;
            }
            let (above, count) = clip(&corners, &height);
            for k in 2..count {
                let [a, b, c] = [above[0], above[k - 1], above[k]];
                let area = 0.5 * (b.0 - a.0).cross(c.0 - a.0).dot(normal);
                // Exact integrals of h, x h and h² over a triangle on which h is linear.
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

/// Clips a triangle at height zero. Returns the corners of its positive part with their heights,
/// and their number.
fn clip(corners: &[DVec3; 3], height: &[f64; 3]) -> ([(DVec3, f64); 4], usize) {
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
