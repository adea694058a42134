//! The grains, and the ways to place them.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::distribution::Number;
use crate::orientation::Orientation;
use crate::quantity::{self, Angle, Frequency, Length, Mass, MassRate, Quantity, Spin, Time, Velocity};
use crate::shape_table::ShapeTable;

/// `[[grains]]`: many bodies of one shape and material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grains {
    /// Their name, by which outputs know them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Their material.
    pub material: String,
    /// How many; as many as there is room for if neither this nor the mass is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Their mass together, kg: instead of the count.
    #[serde(default, deserialize_with = "quantity::optional::<Mass, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Mass>>")]
    pub mass: Option<f64>,
    /// Diameter of the ball of a grain's volume, in the plane of the disc of its area, m: the shape is made larger or
    /// smaller to this size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Number>,
    /// How they are turned: a quaternion [w, x, y, z], or `"random"`.
    #[serde(default, skip_serializing_if = "Orientation::is_default")]
    pub orientation: Orientation,
    /// How they are turned in a planar scene, rad, counterclockwise.
    #[serde(default, deserialize_with = "quantity::optional::<Angle, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Angle>>")]
    pub angle: Option<f64>,
    /// Every seed draws other sizes, places and velocities.
    #[serde(default)]
    pub seed: u64,
    /// Velocity of every grain, m/s.
    #[serde(default, deserialize_with = "quantity::vector::<Velocity, _>")]
    #[schemars(with = "[Quantity<Velocity>; 3]")]
    pub velocity: DVec3,
    /// Each grain's velocity is up to this much away from `velocity`, along each axis and to both sides, m/s.
    #[serde(default, deserialize_with = "quantity::vector::<Velocity, _>")]
    #[schemars(with = "[Quantity<Velocity>; 3]")]
    pub random_velocity: DVec3,
    /// Angular velocity of every grain, rad/s.
    #[serde(default, deserialize_with = "quantity::vector::<Spin, _>")]
    #[schemars(with = "[Quantity<Spin>; 3]")]
    pub spin: DVec3,
    /// Puts them on a cubic lattice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lattice: Option<Lattice>,
    /// Puts them at these points, m.
    #[serde(default, deserialize_with = "quantity::vectors::<Length, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<[Quantity<Length>; 3]>>")]
    pub positions: Option<Vec<DVec3>>,
    /// Puts them at random places, without overlap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random: Option<RandomBox>,
    /// Pours them over time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inlet: Option<InletTable>,
    /// Puts them where a table says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<GrainTable>,
    /// Their shape.
    #[serde(skip)]
    pub shape: ShapeTable,
}

/// `[grains.lattice]`: a cubic lattice in the middle of a box, filled from the bottom, x fastest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lattice {
    /// Lowest corner of the box, m. Grains lie in it as a whole.
    #[serde(deserialize_with = "quantity::vector::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 3]")]
    pub min: DVec3,
    /// Highest corner of the box, m.
    #[serde(deserialize_with = "quantity::vector::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 3]")]
    pub max: DVec3,
    /// From one grain's centre to the next, m; 1.05 diameters of the largest grain if not given.
    #[serde(default, deserialize_with = "quantity::optional::<Length, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Length>>")]
    pub spacing: Option<f64>,
    /// Moves each grain at random within this part (0 to 1) of the room it has before it could touch another.
    #[serde(default)]
    pub jitter: f64,
}

/// `[grains.random]`: a box in which grains are put one by one where there is room, the largest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomBox {
    /// Lowest corner of the box, m. Grains lie in it as a whole.
    #[serde(deserialize_with = "quantity::vector::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 3]")]
    pub min: DVec3,
    /// Highest corner of the box, m.
    #[serde(deserialize_with = "quantity::vector::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 3]")]
    pub max: DVec3,
}

/// `[grains.inlet]`: a box or a disc from which grains come, each as soon as it is due and has room.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InletTable {
    /// Lowest corner of a box, m. Grains come in it as a whole.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Length, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<[Quantity<Length>; 3]>")]
    pub min: Option<DVec3>,
    /// Highest corner of a box, m.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Length, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<[Quantity<Length>; 3]>")]
    pub max: Option<DVec3>,
    /// Centre of a disc, m: instead of a box.
    #[serde(
        default,
        deserialize_with = "quantity::optional_vector::<Length, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<[Quantity<Length>; 3]>")]
    pub centre: Option<DVec3>,
    /// Radius of the disc, m.
    #[serde(default, deserialize_with = "quantity::optional::<Length, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Length>>")]
    pub radius: Option<f64>,
    /// Normal of the disc; [0, 0, 1] if not given. Not in a planar scene, where the disc lies in the plane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[f64; 3]>")]
    pub normal: Option<DVec3>,
    /// Grains a second.
    #[serde(default, deserialize_with = "quantity::optional::<Frequency, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Frequency>>")]
    pub rate: Option<f64>,
    /// Mass a second, kg/s: instead of the rate.
    #[serde(default, deserialize_with = "quantity::optional::<MassRate, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<MassRate>>")]
    pub mass_rate: Option<f64>,
    /// When it opens, s; 0 if not given.
    #[serde(default, deserialize_with = "quantity::one::<Time, _>")]
    #[schemars(with = "Quantity<Time>")]
    pub start: f64,
    /// When it closes, s; when all have come, or at the end of the run, if not given. Without a rate the grains come
    /// evenly until then.
    #[serde(default, deserialize_with = "quantity::optional::<Time, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Quantity<Time>>")]
    pub stop: Option<f64>,
}

/// `[grains.table]`: a file of comma-separated values with a header, or the same written here.
///
/// Columns: x, y, z; and if they are there vx, vy, vz (velocity), wx, wy, wz (spin), qw, qx, qy, qz (orientation),
/// size (diameter of the ball of the grain's volume), or instead of the size sx, sy, sz (how many times the shape's lengths along
/// its own axes). In the plane: x, y, vx, vy, wz, angle and size. SI units.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrainTable {
    /// The file, relative to the scene's.
    #[serde(default, skip_serializing)]
    pub file: Option<String>,
    /// Names of the columns, where there is no file.
    #[serde(default)]
    pub columns: Vec<String>,
    /// The rows, where there is no file.
    #[serde(default)]
    pub rows: Vec<Vec<f64>>,
}
