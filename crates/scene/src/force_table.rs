//! `[[forces]]`: forces on all grains that depend on where they are.

use glam::DVec3;
use granum_engine::percussion::Field;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::quantity::{self, Length, Quantity, Stiffness};

/// One of `[[forces]]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ForceTable {
    /// Springs to the ground, after Winkler: they press with the modulus times the depth of a grain's surface below a plane.
    Bed {
        /// Normal of the ground, upwards; of any length.
        #[schemars(with = "[f64; 3]")]
        normal: DVec3,
        /// Distance of the ground from the origin along the normal, m; 0 if not given.
        #[serde(default, deserialize_with = "quantity::one::<Length, _>")]
        #[schemars(with = "Quantity<Length>")]
        offset: f64,
        /// Pressure per depth, N/m³.
        modulus: f64,
    },
    /// One spring a grain, after Winkler and Westergaard: it presses with the stiffness times the depth of the grain's deepest point
    /// below a plane.
    Backing {
        /// Normal of the backing's surface, outwards; of any length.
        #[schemars(with = "[f64; 3]")]
        normal: DVec3,
        /// Distance of the surface from the origin along the normal, m; 0 if not given.
        #[serde(default, deserialize_with = "quantity::one::<Length, _>")]
        #[schemars(with = "Quantity<Length>")]
        offset: f64,
        /// Force per depth, N/m.
        #[serde(deserialize_with = "quantity::one::<Stiffness, _>")]
        #[schemars(with = "Quantity<Stiffness>")]
        stiffness: f64,
    },
    /// A net about a box, which pulls a grain back in proportion to its volume beyond each face.
    Net {
        /// Lower corner, m.
        #[serde(deserialize_with = "quantity::vector::<Length, _>")]
        #[schemars(with = "[Quantity<Length>; 3]")]
        min: DVec3,
        /// Upper corner, m.
        #[serde(deserialize_with = "quantity::vector::<Length, _>")]
        #[schemars(with = "[Quantity<Length>; 3]")]
        max: DVec3,
        /// Force per volume outside, N/m³.
        modulus: f64,
    },
    /// A spring from the centre of each grain to a point.
    Spring {
        /// The point, m.
        #[serde(deserialize_with = "quantity::vector::<Length, _>")]
        #[schemars(with = "[Quantity<Length>; 3]")]
        to: DVec3,
        /// N/m.
        #[serde(deserialize_with = "quantity::one::<Stiffness, _>")]
        #[schemars(with = "Quantity<Stiffness>")]
        stiffness: f64,
    },
    /// The same force on every grain.
    Constant {
        /// N.
        #[schemars(with = "[f64; 3]")]
        force: DVec3,
    },
}

impl ForceTable {
    /// The engine's field, or what is wrong: a key and the reason.
    pub(crate) fn field(&self) -> Result<Field, (&'static str, &'static str)> {
        let not_negative = |key, value: f64| match value.is_finite() && value >= 0.0 {
            true => Ok(value),
            false => Err((key, "must be a number that is not negative")),
        };
        let finite = |key, value: DVec3| match value.is_finite() {
            true => Ok(value),
            false => Err((key, "must be finite")),
        };
        Ok(match *self {
            Self::Bed { normal, offset, modulus } => Field::Bed {
                normal: normal.try_normalize().ok_or(("bed.normal", "must have a length"))?,
                offset,
                modulus: not_negative("bed.modulus", modulus)?,
            },
            Self::Backing { normal, offset, stiffness } => Field::Backing {
                normal: normal.try_normalize().ok_or(("backing.normal", "must have a length"))?,
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
