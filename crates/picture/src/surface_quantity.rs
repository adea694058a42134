//! The quantities by which triangulated surfaces can be coloured.

use std::fmt;
use std::str::FromStr;

use granum_engine::TriangleWear;
use granum_geometry::Shape;

use crate::colour_map::ColourMap;
use crate::subject::Subject;

/// Part of the loaded area whose values exceed the last colour: the smallest triangles would
/// otherwise decide about all colours.
const BEYOND_SCALE: f64 = 0.01;

/// A quantity of each point of a triangulated surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SurfaceQuantity {
    /// Height of the point.
    Height,
    /// Mean pressure of the grains.
    Pressure,
    /// Greatest pressure of the grains.
    PeakPressure,
    /// Energy dissipated by friction, per area.
    FrictionWork,
    /// Energy dissipated by impacts, per area.
    ImpactWork,
    /// No quantity: all surfaces have the same colour.
    #[default]
    None,
}

impl SurfaceQuantity {
    /// Every quantity with its name and the label of its colour bar.
    pub const ALL: [(Self, &'static str, &'static str); 6] = [
        (Self::Height, "height", "height, m"),
        (Self::Pressure, "pressure", "pressure, Pa"),
        (Self::PeakPressure, "peak-pressure", "peak pressure, Pa"),
        (Self::FrictionWork, "friction-work", "friction, J/m²"),
        (Self::ImpactWork, "impact-work", "impacts, J/m²"),
        (Self::None, "none", ""),
    ];

    /// Returns the label of the colour bar.
    pub fn label(self) -> &'static str {
        Self::ALL.iter().find(|(quantity, ..)| *quantity == self).map_or("", |(.., label)| label)
    }

    /// Returns whether the quantity needs the recorded wear of the surfaces.
    pub fn needs_wear(self) -> bool {
        !matches!(self, Self::Height | Self::None)
    }

    /// Returns the colour map that suits the quantity.
    pub fn default_map(self) -> ColourMap {
        if self == Self::Height { ColourMap::Earth } else { ColourMap::Heat }
    }

    /// Returns the value of a triangle that grains have touched, in SI units.
    pub(crate) fn of(self, wear: &TriangleWear) -> f64 {
        match self {
            Self::Pressure => wear.pressure,
            Self::PeakPressure => wear.peak_pressure,
            Self::FrictionWork => wear.friction_work,
            Self::ImpactWork => wear.impact_work,
            Self::Height | Self::None => 0.0,
        }
    }

    /// Returns the values of the first and the last colour; infinite if there is nothing to show.
    pub(crate) fn range(self, subject: &Subject) -> [f64; 2] {
        let empty = [f64::INFINITY, f64::NEG_INFINITY];
        match self {
            Self::None => empty,
            Self::Height => {
                let heights = subject.surfaces().flat_map(|(_, surface, pose)| {
                    surface.mesh().vertices().iter().map(move |&vertex| pose.point(vertex).z)
                });
                heights.fold(empty, |[min, max], z| [min.min(z), max.max(z)])
            }
            _ => [0.0, self.greatest(subject)],
        }
    }

    /// Returns the value that a small part of the loaded area exceeds.
    fn greatest(self, subject: &Subject) -> f64 {
        let mut loaded: Vec<(f64, f64)> = Vec::new();
        for wear in subject.wear {
            let Some(body) = subject.index_of(wear.body).map(|index| &subject.bodies[index]) else { continue };
            let Shape::Surface(surface) = subject.shape(body) else { continue };
            let of_triangle =
                |worn: &TriangleWear| (self.of(worn), surface.mesh().vector_area(worn.triangle as usize).length());
            loaded.extend(wear.triangles.iter().map(of_triangle).filter(|(value, _)| *value > 0.0));
        }
        loaded.sort_by(|a, b| b.0.total_cmp(&a.0));
        let beyond = BEYOND_SCALE * loaded.iter().map(|(_, area)| area).sum::<f64>();
        let mut area = 0.0;
        let first = loaded.iter().find(|(_, own)| {
            area += own;
            area > beyond
        });
        first.map_or(0.0, |(value, _)| *value)
    }
}

impl fmt::Display for SurfaceQuantity {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(Self::ALL.iter().find(|(quantity, ..)| quantity == self).map_or("", |(_, name, _)| name))
    }
}

impl FromStr for SurfaceQuantity {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(_, name, _)| *name == text).map(|(quantity, ..)| *quantity);
        found.ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|(_, name, _)| *name).collect();
            format!("no such quantity of surfaces; choose one of {}", names.join(", "))
        })
    }
}
