//! `[[forces]]`: forces on all grains that depend on their positions.

use glam::DVec3;
use granum_engine::percussion::Field;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::value::quantity::{self, Length, Quantity, Stiffness};

/// `[[forces]]`: a force on all grains, as a table with one key.
///
/// Forces need `response = "percussion"`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ForceTable {
    /// Bed of springs \[Winkler1867\]: a pressure of `modulus` times the depth of a grain's surface
    /// below a plane.
    Bed {
        /// Upward normal of the plane; of any length but 0.
        #[schemars(with = "[f64; 3]")]
        normal: DVec3,
        /// Distance of the plane from the origin along the normal, m.
        #[serde(default, deserialize_with = "quantity::one::<Length, _>")]
        #[schemars(with = "Quantity<Length>")]
        offset: f64,
        /// Pressure per depth, N/m³; at least 0.
        modulus: f64,
    },
    /// Backing of one spring per grain \[Winkler1867\], \[Westergaard1938\]: a force of `stiffness`
    /// times the depth of the grain's deepest point below a plane.
    Backing {
        /// Outward normal of the plane; of any length but 0.
        #[schemars(with = "[f64; 3]")]
        normal: DVec3,
        /// Distance of the plane from the origin along the normal, m.
        #[serde(default, deserialize_with = "quantity::one::<Length, _>")]
        #[schemars(with = "Quantity<Length>")]
        offset: f64,
        /// Force per depth, N/m; at least 0.
        #[serde(deserialize_with = "quantity::one::<Stiffness, _>")]
        #[schemars(with = "Quantity<Stiffness>")]
        stiffness: f64,
    },
    /// Elastic net around a box: a force towards the box in proportion to the grain's volume beyond
    /// each face.
    Net {
        /// Lowest corner of the box, m.
        #[serde(deserialize_with = "quantity::vector::<Length, _>")]
        #[schemars(with = "[Quantity<Length>; 3]")]
        min: DVec3,
        /// Highest corner of the box, m.
        #[serde(deserialize_with = "quantity::vector::<Length, _>")]
        #[schemars(with = "[Quantity<Length>; 3]")]
        max: DVec3,
        /// Force per volume outside the box, N/m³; at least 0.
        modulus: f64,
    },
    /// Spring from the centre of each grain to a point.
    Spring {
        /// The point, m.
        #[serde(deserialize_with = "quantity::vector::<Length, _>")]
        #[schemars(with = "[Quantity<Length>; 3]")]
        to: DVec3,
        /// Stiffness, N/m; at least 0.
        #[serde(deserialize_with = "quantity::one::<Stiffness, _>")]
        #[schemars(with = "Quantity<Stiffness>")]
        stiffness: f64,
    },
    /// The same force on every grain.
    Constant {
        /// Force, N.
        #[schemars(with = "[f64; 3]")]
        force: DVec3,
    },
}

impl ForceTable {
    /// Returns the force field of the engine, or the wrong key and the reason.
    pub(crate) fn field(&self) -> Result<Field, (&'static str, &'static str)> {
        let not_negative = |key, value: f64| match value.is_finite() && value >= 0.0 {
            true => Ok(value),
            false => Err((key, "must be a finite number of at least 0")),
        };
        let finite = |key, value: DVec3| match value.is_finite() {
            true => Ok(value),
            false => Err((key, "must be finite")),
        };
        Ok(match *self {
            Self::Bed { normal, offset, modulus } => Field::Bed {
                normal: normal.try_normalize().ok_or(("bed.normal", "must not be zero"))?,
                offset,
                modulus: not_negative("bed.modulus", modulus)?,
            },
            Self::Backing { normal, offset, stiffness } => Field::Backing {
                normal: normal.try_normalize().ok_or(("backing.normal", "must not be zero"))?,
                offset,
                stiffness: not_negative("backing.stiffness", stiffness)?,
            },
            Self::Net { min, max, modulus } => {
                if !min.cmplt(max).all() {
                    return Err(("net.max", "must be above `min` in every direction"));
                }
                Field::Net { min, max, modulus: not_negative("net.modulus", modulus)? }
            }
            Self::Spring { to, stiffness } => {
                Field::Spring { to: finite("spring.to", to)?, stiffness: not_negative("spring.stiffness", stiffness)? }
            }
            Self::Constant { force } => Field::Force { force: finite("constant.force", force)? },
        })
    }
}
