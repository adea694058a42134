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
    /// Quantity that the colours of triangulated surfaces show. Pressures and works need
    /// `wear = true` in `[[surfaces]]`. Default: none.
    #[serde(default)]
    pub surface_colour: SurfaceColourName,
    /// Direction from which the scene is seen. Default: from the front, the right and above; a
    /// planar scene from above.
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
        let (colour, surface_colour) = (ColourName::default(), SurfaceColourName::default());
        Self { colour, surface_colour, view: ViewName::default(), zoom: one(), size: size() }
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
    /// Diameter of the bounding ball.
    Size,
    /// Mass.
    Mass,
    /// Id of the grain.
    Id,
    /// Material.
    Material,
    /// Kind of shape.
    Kind,
    /// Angle between the vertical and the longest axis, or the axis of a flat grain such as a coin.
    Orientation,
    /// Sum of the magnitudes of the contact forces.
    Force,
    /// Number of bodies in contact with the grain.
    Coordination,
    /// Mean pressure in the grain, from its contact forces.
    Pressure,
    /// One colour for all grains.
    None,
}

/// Quantities that the colours of surfaces can show, by name; `granum render --surface-colour` has
/// the same names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SurfaceColourName {
    /// Height.
    Height,
    /// Mean pressure of the grains since the last frame.
    Pressure,
    /// Greatest pressure of the grains since the last frame.
    PeakPressure,
    /// Energy dissipated by friction since the start, per area.
    FrictionWork,
    /// Energy dissipated by impacts since the start, per area.
    ImpactWork,
    /// One colour for all surfaces.
    #[default]
    None,
}

impl SurfaceColourName {
    /// Returns whether the quantity needs the recorded wear of a surface.
    pub fn needs_wear(self) -> bool {
        !matches!(self, Self::Height | Self::None)
    }
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

fn one() -> f64 {
    1.0
}

fn size() -> [usize; 2] {
    [1600, 1200]
}
