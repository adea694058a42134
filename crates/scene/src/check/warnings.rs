//! Warnings about values that are possible but probably mistakes, such as a density in g/cm3.

use granum_geometry::Shape;

use crate::format::Scene;
use crate::value::short_number;

/// Densities of solid grains, kg/m³: from light foam to the heaviest metals.
const USUAL_DENSITIES: std::ops::RangeInclusive<f64> = 50.0..=25_000.0;

/// Exponents of a superellipsoid below which an outline is called square, and above which it is
/// called round. They enclose the values in use for both.
const SQUARE: f64 = 0.8;
const ROUND: f64 = 0.9;

impl Scene {
    /// Returns warnings about superellipsoids with the exponents of a round tablet in the wrong
    /// order.
    fn square_tablets(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        for (index, grains) in self.grains.iter().enumerate() {
            let Ok([Shape::Superellipsoid(shape), _]) = grains.shape.extremes() else { continue };
            let ([across, along], axes) = (shape.eps, shape.semi_axes);
            if axes.x == axes.y && axes.z != axes.x && across < SQUARE && along >= ROUND {
                warnings.push(format!(
                    "grains[{index}].superellipsoid.eps = [{across}, {along}] is square seen along z; a round body with a \
                     flattened profile is eps = [{along}, {across}], or the shape `tablet`"
                ));
            }
        }
        warnings
    }

    /// Returns the warnings about files and unusual values.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.notes().to_vec();
        warnings.extend(self.square_tablets());
        warnings.extend(self.unused_surfaces());
        let (up, axis) = if self.is_planar() { (self.gravity.y, 'y') } else { (self.gravity.z, 'z') };
        if up > 0.0 {
            warnings.push(format!(
                "gravity points upwards ({} m/s2 along {axis}); gravity that pulls grains down is negative there",
                short_number(up)
            ));
        }
        for (name, material) in &self.materials {
            let density = material.density;
            if !USUAL_DENSITIES.contains(&density) {
                let [low, high] = [*USUAL_DENSITIES.start(), *USUAL_DENSITIES.end()];
                let hint = if density < low && USUAL_DENSITIES.contains(&(1000.0 * density)) {
                    format!("; {0} g/cm3 is written density = \"{0} g/cm3\"", short_number(density))
                } else {
                    String::new()
                };
                warnings.push(format!(
                    "materials.{name}.density is {} kg/m3; solid grains have {low} to {high} kg/m3{hint}",
                    short_number(density)
                ));
            }
        }
        let end = self.end_time();
        for (index, grains) in self.grains.iter().enumerate() {
            if let Some(inlet) = grains.inlet.as_ref().filter(|inlet| inlet.start >= end) {
                let [start, end] = [inlet.start, end].map(short_number);
                warnings.push(format!(
                    "grains[{index}].inlet opens at {start} s, but the run ends at {end} s: it adds no grains"
                ));
            }
        }
        warnings
    }
}
