//! Colour maps with uniformly increasing lightness, so that equal steps of a quantity look equal.
//!
//! Each map interpolates linearly between control points, which are so close that the change of
//! slope at a control point is not visible.

use crate::image::Colour;

/// A colour map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourMap {
    /// Dark blue over green to yellow.
    #[default]
    Viridis,
    /// Black over purple and orange to pale yellow.
    Inferno,
    /// Blue over white to red, for quantities with a neutral middle.
    Diverging,
    /// Dark to light grey.
    Grey,
    /// Pale grey over yellow and orange to dark red, for loads: unloaded parts look neutral.
    Heat,
    /// Dark green over brown to nearly white, for heights.
    Earth,
}

/// Colours of categories, one for each kind of grain in space. Most colour-blind readers can
/// distinguish them.
pub const CATEGORIES: [Colour; 9] = [
    [68, 119, 170],
    [238, 119, 51],
    [34, 136, 51],
    [204, 51, 102],
    [232, 190, 62],
    [102, 204, 238],
    [146, 74, 158],
    [142, 118, 100],
    [247, 168, 184],
];

impl ColourMap {
    /// All maps, for messages.
    pub const ALL: [Self; 6] = [Self::Viridis, Self::Inferno, Self::Diverging, Self::Grey, Self::Heat, Self::Earth];

    /// Returns the name of the map.
    pub fn name(self) -> &'static str {
        match self {
            Self::Viridis => "viridis",
            Self::Inferno => "inferno",
            Self::Diverging => "diverging",
            Self::Grey => "grey",
            Self::Heat => "heat",
            Self::Earth => "earth",
        }
    }

    /// Returns the colour at the fraction `part` between the lowest and the highest value. Values
    /// outside get the colour of the end.
    pub fn colour(self, part: f64) -> Colour {
        let points = self.points();
        let place = part.clamp(0.0, 1.0) * (points.len() - 1) as f64;
        // A value that is not a number gets the lowest colour.
        let index = (place as usize).min(points.len() - 2);
        let rest = if place.is_finite() { place - index as f64 } else { 0.0 };
        let mix = |a: u8, b: u8| (f64::from(a) + rest * (f64::from(b) - f64::from(a))).round() as u8;
        std::array::from_fn(|k| mix(points[index][k], points[index + 1][k]))
    }

    fn points(self) -> &'static [Colour] {
        match self {
            Self::Viridis => &[
                [68, 1, 84],
                [71, 44, 122],
                [59, 81, 139],
                [44, 113, 142],
                [33, 144, 141],
                [39, 173, 129],
                [92, 200, 99],
                [170, 220, 50],
                [253, 231, 37],
            ],
            Self::Inferno => &[
                [15, 9, 45],
                [58, 9, 99],
                [106, 23, 110],
                [152, 45, 98],
                [198, 68, 70],
                [231, 105, 38],
                [248, 153, 20],
                [247, 205, 80],
                [250, 246, 185],
            ],
            Self::Diverging => &[
                [40, 70, 150],
                [92, 140, 200],
                [168, 198, 225],
                [238, 238, 236],
                [235, 180, 155],
                [205, 105, 85],
                [150, 30, 45],
            ],
            Self::Grey => &[[40, 40, 40], [235, 235, 235]],
            Self::Heat => &[
                [214, 217, 222],
                [240, 216, 150],
                [246, 182, 92],
                [236, 134, 60],
                [214, 82, 45],
                [170, 36, 38],
                [104, 10, 32],
            ],
            Self::Earth => &[
                [42, 78, 52],
                [82, 112, 62],
                [128, 138, 80],
                [168, 152, 102],
                [188, 166, 134],
                [210, 198, 180],
                [240, 238, 234],
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lightness(colour: Colour) -> f64 {
        0.2126 * f64::from(colour[0]) + 0.7152 * f64::from(colour[1]) + 0.0722 * f64::from(colour[2])
    }

    #[test]
    fn a_map_without_a_middle_grows_lighter_all_the_way() {
        for map in [ColourMap::Viridis, ColourMap::Inferno, ColourMap::Grey, ColourMap::Earth] {
            let steps: Vec<f64> = (0..=64).map(|k| lightness(map.colour(f64::from(k) / 64.0))).collect();
            assert!(steps.windows(2).all(|pair| pair[1] > pair[0] - 0.5), "{map:?} {steps:?}");
            assert!(steps[64] - steps[0] > 150.0);
        }
    }

    #[test]
    fn values_beyond_the_ends_get_their_colours() {
        for map in ColourMap::ALL {
            assert_eq!(map.colour(-1.0), map.colour(0.0));
            assert_eq!(map.colour(7.0), map.colour(1.0));
            assert_eq!(map.colour(f64::NAN), map.colour(0.0));
        }
    }
}
