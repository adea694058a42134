//! `[output.picture]`: a picture of the final state.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[output.picture]`: a picture of the final state, `picture.png` in the folder of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PictureTable {
    /// Quantity that the colours of the grains show. Default: their speed.
    #[serde(default)]
    pub colour: ColourName,
    /// Direction from which the scene is seen. Default: from the front, the right and above; a planar
    /// scene from above.
    #[serde(default)]
    pub view: ViewName,
    /// Magnification, relative to a picture into which the scene just fits. Default: 1.
    #[serde(default = "one")]
    pub zoom: f64,
    /// Width and height, pixels. Default: 1600 and 1200.
    #[serde(default = "size")]
    pub size: [usize; 2],
}

impl Default for PictureTable {
    fn default() -> Self {
        Self { colour: ColourName::default(), view: ViewName::default(), zoom: one(), size: size() }
    }
}

/// Quantities that colours can show, by name; `granum render --colour` has the same names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ColourName {
    /// Magnitude of the velocity.
    #[default]
    Speed,
    /// Magnitude of the angular velocity.
    AngularSpeed,
    /// Height of the centre.
    Height,
    /// Diameter of the bounding sphere.
    Size,
    /// Mass.
    Mass,
    /// Number of the grain.
    Id,
    /// Material.
    Material,
    /// Kind of shape.
    Kind,
    /// Angle between the grain's own axis and the vertical.
    Orientation,
    /// Sum of the magnitudes of the contact forces.
    Force,
    /// Number of bodies in contact with the grain.
    Coordination,
    /// Mean pressure in the grain.
    Pressure,
    /// One colour for all grains.
    None,
}

/// Directions of view by name; `granum render --camera` has the same names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ViewName {
    /// From the front, the right and above; a planar scene from above.
    #[default]
    Auto,
    /// From the front: along +y.
    Front,
    /// From the right: along -x.
    Side,
    /// From above: along -z.
    Top,
    /// From the front, the right and above, at equal angles to the three axes.
    Iso,
}

impl ColourName {
    /// All names, in the order of the documentation.
    pub const ALL: [Self; 13] = [
        Self::Speed,
        Self::AngularSpeed,
        Self::Height,
        Self::Size,
        Self::Mass,
        Self::Id,
        Self::Material,
        Self::Kind,
        Self::Orientation,
        Self::Force,
        Self::Coordination,
        Self::Pressure,
        Self::None,
    ];

    /// Returns the name as it stands in a scene.
    pub fn name(self) -> &'static str {
        match self {
            Self::Speed => "speed",
            Self::AngularSpeed => "angular-speed",
            Self::Height => "height",
            Self::Size => "size",
            Self::Mass => "mass",
            Self::Id => "id",
            Self::Material => "material",
            Self::Kind => "kind",
            Self::Orientation => "orientation",
            Self::Force => "force",
            Self::Coordination => "coordination",
            Self::Pressure => "pressure",
            Self::None => "none",
        }
    }
}

fn one() -> f64 {
    1.0
}

fn size() -> [usize; 2] {
    [1600, 1200]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_file_format() {
        for colour in ColourName::ALL {
            assert_eq!(serde_json::to_value(colour).unwrap(), colour.name());
        }
    }
}
