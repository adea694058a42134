//! Sources of triangulated surfaces: a file, or a shape that granum generates.

use std::path::Path;

use glam::{DQuat, DVec3};
use granum_geometry::TriangleMesh;
use granum_geometry::shape::InvalidShape;
use granum_geometry::surface::generate as make;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Motions;
use crate::read::suggest;
use crate::read::surface_file::{self, Unit};
use crate::value::quantity::{self, Angle, Length, Quantity};

/// `[[surfaces]]`: a triangulated surface, from a file or generated. Exactly one of `file` and
/// `shape` must be given. Grains are on the side to which its normals point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SurfaceSource {
    /// Name of the surface in stages and outputs; unique. Default: `surfaces[N]`, with N from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Material of the surface.
    #[serde(default)]
    pub material: String,
    /// If false, the surface is no wall: grains do not meet it, and it only bounds a volume that
    /// `[grains.fill]` fills. It then needs no material. Default: true.
    #[serde(default = "yes")]
    pub wall: bool,
    /// Sides on which grains meet the surface: 1 for the side to which its normals point, 2 for
    /// both, as of a thin sheet. Default: 1.
    #[serde(default = "one_side")]
    pub sides: u8,
    /// Motion, or a list of motions that are superposed. Default: the surface is fixed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motions>,
    /// If true, frames contain load and wear of every triangle: mean and greatest pressure since the
    /// last frame, and the energies that friction and impacts have dissipated since the start.
    /// Each contact then costs a search for its triangle.
    #[serde(default)]
    pub wear: bool,
    /// Surface file, relative to the folder of the scene: `.stl`, `.obj` or `.ply`, a height grid
    /// (`.asc`), or a point cloud (`.xyz`, `.csv`, `.las`), which is triangulated in the plane
    /// z = 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Unit of the coordinates in the file. Default: m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// Shape that granum generates, as in `shape = { plate = { size = [1, 2] } }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<SurfaceShape>,
    /// If true, the normals are reversed.
    #[serde(default)]
    pub flip: bool,
    /// Factor of all lengths; positive. Default: 1. The surface is scaled first, then rotated, then
    /// translated.
    #[serde(default = "one")]
    pub scale: f64,
    /// Rotation about the origin. Default: not rotated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotate: Option<RotationTable>,
    /// Displacement, m.
    #[serde(default, deserialize_with = "quantity::vector::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 3]")]
    pub translate: DVec3,
}

/// A rotation by an angle about an axis, as in `rotate = { axis = [0, 1, 0], angle = "90 deg" }`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RotationTable {
    /// Direction of the axis; of any length but 0.
    #[schemars(with = "[f64; 3]")]
    pub axis: DVec3,
    /// Angle by the right-hand rule, rad.
    #[serde(deserialize_with = "quantity::one::<Angle, _>")]
    #[schemars(with = "Quantity<Angle>")]
    pub angle: f64,
}

/// The reason why a surface cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} {reason}")]
pub struct SurfaceError {
    /// The field of [`SurfaceSource`] that is wrong, such as `shape.hopper.outlet`.
    pub field: String,
    /// The reason, as a phrase that follows the name of the field.
    pub reason: String,
}

fn wrong<T>(field: &str, reason: impl ToString) -> Result<T, SurfaceError> {
    Err(SurfaceError { field: field.to_owned(), reason: reason.to_string() })
}

impl RotationTable {
    /// Returns the rotation.
    pub(crate) fn quaternion(&self) -> Result<DQuat, SurfaceError> {
        match self.axis.try_normalize() {
            Some(axis) if self.angle.is_finite() => {
                // The functions of the crate `libm` give the same bits on every platform.
                let (sin, cos) = libm::sincos(0.5 * self.angle);
                let [x, y, z] = (sin * axis).to_array();
                Ok(DQuat::from_xyzw(x, y, z, cos))
            }
            Some(_) => wrong("rotate.angle", "must be finite"),
            None => wrong("rotate.axis", "must have a direction"),
        }
    }
}

impl SurfaceSource {
    /// Reads or generates the surface, and scales, rotates and translates it. `folder` is the
    /// folder of the scene.
    pub fn mesh(&self, folder: &Path) -> Result<TriangleMesh, SurfaceError> {
        let mesh = match (&self.file, &self.shape) {
            (Some(file), None) => {
                let surface = surface_file::read(&folder.join(file));
                surface.and_then(|surface| surface.mesh(self.unit.unwrap_or_default())).or_else(|e| wrong("file", e))?
            }
            (None, Some(_)) if self.unit.is_some() => {
                return wrong("unit", "has a meaning only with `file`; remove it");
            }
            (None, Some(shape)) => shape.mesh().map_err(|error| SurfaceError {
                field: format!("shape.{}.{}", shape.name(), error.field),
                reason: error.reason,
            })?,
            (None, None) => return wrong("file", "must be given, or a `shape`"),
            (Some(_), Some(_)) => return wrong("file", "must be given alone: a surface has a `file` or a `shape`"),
        };
        let mesh = placed(mesh, self.scale, self.rotate, self.translate)?;
        Ok(if self.flip { mesh.reversed() } else { mesh })
    }
}

/// Scales a surface, then rotates it about the origin, then translates it.
pub fn placed(
    mesh: TriangleMesh,
    scale: f64,
    rotate: Option<RotationTable>,
    translate: DVec3,
) -> Result<TriangleMesh, SurfaceError> {
    if !(scale > 0.0 && scale.is_finite()) {
        return wrong("scale", format!("must be a positive number, not {scale}"));
    }
    let rotation = rotate.map_or(Ok(DQuat::IDENTITY), |rotate| rotate.quaternion())?;
    let mesh = mesh.scaled(DVec3::splat(scale)).or_else(|error| wrong("scale", error))?;
    let mesh = mesh.rotated(rotation).or_else(|error| wrong("rotate", error))?;
    mesh.translated(translate).or_else(|error| wrong("translate", error))
}

/// Declares the shapes: the variant, its name in scenes, and its table.
macro_rules! shapes {
    ($($(#[$about:meta])* $variant:ident, $name:literal, $table:ident;)+) => {
        /// A surface that granum generates. Its normals point to the side where the grains usually
        /// are.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        pub enum SurfaceShape {
            $($(#[$about])* #[serde(rename = $name)] $variant($table),)+
        }

        impl SurfaceShape {
            /// Names of all shapes.
            pub const NAMES: &[&str] = &[$($name),+];

            /// Returns the name in scenes.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)+ }
            }

            /// Returns the surface, or the field of its table that is wrong.
            pub fn mesh(&self) -> Result<TriangleMesh, InvalidShape> {
                match self { $(Self::$variant(table) => table.generator().mesh(),)+ }
            }
        }
    };
}

shapes! {
    /// A rectangle in the plane z = 0 about the origin, with its normal up.
    Plate, "plate", PlateTable;
    /// A box that stands on the plane z = 0 about the z axis, with its normals inward.
    Box, "box", BoxTable;
    /// A funnel about the z axis with its outlet at z = 0, and a vertical bin above it; a cone if
    /// the outlet is 0. The normals point inward.
    Hopper, "hopper", HopperTable;
    /// A cylinder about the origin with its axis along z and its normals inward.
    Cylinder, "cylinder", CylinderTable;
    /// A shaft along z with a helical blade, from z = 0 on, with its normals outward.
    Screw, "screw", ScrewTable;
    /// A shaft along z with rows of paddles, from z = 0 on, with its normals outward.
    Mixer, "mixer", MixerTable;
    /// Stairs from the origin on that climb along x, with their normals up and against x.
    Stairs, "stairs", StairsTable;
    /// A plate with holes about the origin. As a sheet it has its normals up; with a thickness it is
    /// a body below the plane z = 0 with its normals outward.
    PerforatedPlate, "perforated_plate", PerforatedPlateTable;
    /// Random hills over a rectangle about the origin, with their normals up.
    Terrain, "terrain", TerrainTable;
}

impl SurfaceShape {
    /// Returns the shape of this name from settings `KEY=VALUE`, as on the command line. A value
    /// that is not valid TOML is a string, so that quotes may be omitted.
    pub fn from_settings(name: &str, settings: &[String]) -> Result<Self, String> {
        if !Self::NAMES.contains(&name) {
            return Err(format!("`{name}` is no shape of a surface; expected one of {}", Self::NAMES.join(", ")));
        }
        let mut fields = toml::Table::new();
        for setting in settings {
            let (key, value) = setting
                .split_once('=')
                .ok_or_else(|| format!("--set {setting}: must be KEY=VALUE, as in outlet=0.05 or outlet=\"5 cm\""))?;
            let value = value.trim();
            let parsed = toml::from_str::<toml::Table>(&format!("v = {value}")).ok();
            let parsed = parsed.filter(|table| table.len() == 1).and_then(|mut table| table.remove("v"));
            let parsed = parsed.unwrap_or_else(|| toml::Value::String(value.to_owned()));
            fields.insert(key.trim().to_owned(), parsed);
        }
        let table: toml::Table = [(name.to_owned(), toml::Value::Table(fields))].into_iter().collect();
        let explained = |error: toml::de::Error| format!("{name}: {}", suggest::explain(error.message().trim(), &[]));
        Self::deserialize(toml::Value::Table(table)).map_err(explained)
    }
}

/// A rectangle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlateTable {
    /// Lengths along x and y, m.
    #[serde(deserialize_with = "quantity::pair::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 2]")]
    pub size: [f64; 2],
    /// Numbers of cells along x and y, each of two triangles. Default: [1, 1].
    #[serde(default = "one_cell")]
    pub cells: [u32; 2],
}

impl PlateTable {
    fn generator(&self) -> make::Plate {
        make::Plate { size: self.size, cells: self.cells }
    }
}

/// A box around grains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxTable {
    /// Lengths along x, y and z, m.
    #[serde(deserialize_with = "quantity::vector::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 3]")]
    pub size: DVec3,
    /// If true, the box is closed at the top. Default: false.
    #[serde(default)]
    pub lid: bool,
}

impl BoxTable {
    fn generator(&self) -> make::BoxSurface {
        make::BoxSurface { size: self.size.to_array(), lid: self.lid }
    }
}

/// A funnel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HopperTable {
    /// Width of the outlet, m: its diameter, or the side of a square; 0 for a closed tip.
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    #[schemars(with = "Quantity<Length>")]
    pub outlet: f64,
    /// Width at the top of the funnel, m; larger than the outlet.
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    #[schemars(with = "Quantity<Length>")]
    pub inlet: f64,
    /// Height of the funnel, m.
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    #[schemars(with = "Quantity<Length>")]
    pub height: f64,
    /// Height of the vertical bin above the funnel, m. Default: 0, no bin.
    #[serde(default, deserialize_with = "quantity::one::<Length, _>")]
    #[schemars(with = "Quantity<Length>")]
    pub bin_height: f64,
    /// If true, the cross-sections are squares with sides along x and y. Default: false.
    #[serde(default)]
    pub square: bool,
    /// Number of facets around a round hopper; their edges lie on the circle. Default: 48.
    #[serde(default = "facets")]
    pub facets: u32,
}

impl HopperTable {
    fn generator(&self) -> make::Hopper {
        let Self { outlet, inlet, height, bin_height, square, facets } = *self;
        make::Hopper { outlet, inlet, height, bin_height, square, facets }
    }
}

/// A cylinder around grains, such as a drum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CylinderTable {
    /// Radius of the circle on which the edges between the facets lie, m.
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    #[schemars(with = "Quantity<Length>")]
    pub radius: f64,
    /// Length along z, m.
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    #[schemars(with = "Quantity<Length>")]
    pub length: f64,
    /// Number of facets. Default: 48.
    #[serde(default = "facets")]
    pub facets: u32,
    /// Number of divisions along the axis. Default: 1.
    #[serde(default = "single")]
    pub divisions: u32,
    /// If true, both ends are closed. Default: false.
    #[serde(default)]
    pub ends: bool,
}

impl CylinderTable {
    fn generator(&self) -> make::CylinderSurface {
        let Self { radius, length, facets, divisions, ends } = *self;
        make::CylinderSurface { radius, length, facets, divisions, ends }
    }
}

/// A screw conveyor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScrewTable {
    /// Radius of the blade, m; larger than that of the shaft.
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    #[schemars(with = "Quantity<Length>")]
    pub radius: f64,
    /// Radius of the shaft, m.
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    #[schemars(with = "Quantity<Length>")]
    pub shaft_radius: f64,
    /// Length of the shaft, m. The blade ends a little before both ends.
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    #[schemars(with = "Quantity<Length>")]
    pub length: f64,
    /// Length of one turn of the blade, m.
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    #[schemars(with = "Quantity<Length>")]
    pub pitch: f64,
    /// Thickness of the blade along the axis, m; less than the pitch.
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    #[schemars(with = "Quantity<Length>")]
    pub thickness: f64,
    /// Number of facets in a turn. Default: 48.
    #[serde(default = "facets")]
    pub facets: u32,
    /// If true, the screw conveys along z when it turns by the right-hand rule about z; otherwise
    /// against z. Default: false.
    #[serde(default)]
    pub left_handed: bool,
}

impl ScrewTable {
    fn generator(&self) -> make::Screw {
        let Self { radius, shaft_radius, length, pitch, thickness, facets, left_handed } = *self;
        make::Screw { radius, shaft_radius, length, pitch, thickness, facets, left_handed }
    }
}

/// The rotor of a mixer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MixerTable {
    /// Distance of the outer ends of the paddles from the axis, m.
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    #[schemars(with = "Quantity<Length>")]
    pub radius: f64,
    /// Radius of the shaft, m. The paddles begin inside the shaft.
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    #[schemars(with = "Quantity<Length>")]
    pub shaft_radius: f64,
    /// Length of the shaft, m. Rows are evenly distributed along it.
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    #[schemars(with = "Quantity<Length>")]
    pub length: f64,
    /// Number of rows of paddles. Each is turned by half the angle between paddles against the row
    /// below. Default: 1.
    #[serde(default = "single")]
    pub rows: u32,
    /// Number of paddles in a row. Default: 4.
    #[serde(default = "four")]
    pub paddles: u32,
    /// Width of a paddle, m.
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    #[schemars(with = "Quantity<Length>")]
    pub width: f64,
    /// Thickness of a paddle, m.
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    #[schemars(with = "Quantity<Length>")]
    pub thickness: f64,
    /// Angle between the plane of a paddle and the axis, rad. Default: 0. With a positive angle the
    /// paddles also push grains along z when they turn by the right-hand rule about z.
    #[serde(default, deserialize_with = "quantity::one::<Angle, _>")]
    #[schemars(with = "Quantity<Angle>")]
    pub angle: f64,
    /// Number of facets of the shaft. Default: 48.
    #[serde(default = "facets")]
    pub facets: u32,
}

impl MixerTable {
    fn generator(&self) -> make::Mixer {
        let Self { radius, shaft_radius, length, rows, paddles, width, thickness, angle, facets } = *self;
        make::Mixer { radius, shaft_radius, length, rows, paddles, width, thickness, angle, facets }
    }
}

/// Stairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StairsTable {
    /// Number of steps.
    pub steps: u32,
    /// Height of a step, m.
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    #[schemars(with = "Quantity<Length>")]
    pub rise: f64,
    /// Depth of a step along x, m.
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    #[schemars(with = "Quantity<Length>")]
    pub run: f64,
    /// Width along y, m, evenly on both sides of y = 0.
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    #[schemars(with = "Quantity<Length>")]
    pub width: f64,
}

impl StairsTable {
    fn generator(&self) -> make::Stairs {
        let Self { steps, rise, run, width } = *self;
        make::Stairs { steps, rise, run, width }
    }
}

/// A plate with holes in a square pattern, such as the screen of a sieve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PerforatedPlateTable {
    /// Numbers of holes along x and y.
    pub holes: [u32; 2],
    /// Distance between the centres of neighbouring holes, m.
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    #[schemars(with = "Quantity<Length>")]
    pub spacing: f64,
    /// Width of a hole, m: its diameter, or the side of a square; less than the spacing.
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    #[schemars(with = "Quantity<Length>")]
    pub hole: f64,
    /// If true, the holes are squares with sides along x and y. Default: false.
    #[serde(default)]
    pub square: bool,
    /// Thickness, m. Default: 0, a sheet.
    #[serde(default, deserialize_with = "quantity::one::<Length, _>")]
    #[schemars(with = "Quantity<Length>")]
    pub thickness: f64,
    /// Number of sides of a round hole, a multiple of 4. Default: 16.
    #[serde(default = "sixteen")]
    pub facets: u32,
}

impl PerforatedPlateTable {
    fn generator(&self) -> make::PerforatedPlate {
        let Self { holes, spacing, hole, square, thickness, facets } = *self;
        make::PerforatedPlate { holes, spacing, hole, square, thickness, facets }
    }
}

/// Random hills.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TerrainTable {
    /// Lengths along x and y, m.
    #[serde(deserialize_with = "quantity::pair::<Length, _>")]
    #[schemars(with = "[Quantity<Length>; 2]")]
    pub size: [f64; 2],
    /// Numbers of cells along x and y, each of two triangles.
    pub cells: [u32; 2],
    /// Number of hills. Default: 16.
    #[serde(default = "sixteen")]
    pub hills: u32,
    /// Height of the highest single hill, m; the lowest has 0.3 of it. Hills that overlap add up.
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    #[schemars(with = "Quantity<Length>")]
    pub height: f64,
    /// Mean standard deviation of the bell shape of a hill, m.
    #[serde(deserialize_with = "quantity::one::<Length, _>")]
    #[schemars(with = "Quantity<Length>")]
    pub radius: f64,
    /// Seed of the hills. Default: 0.
    #[serde(default)]
    pub seed: u64,
}

impl TerrainTable {
    fn generator(&self) -> make::Terrain {
        let Self { size, cells, hills, height, radius, seed } = *self;
        make::Terrain { size, cells, hills, height, radius, seed }
    }
}

fn one() -> f64 {
    1.0
}

fn yes() -> bool {
    true
}

fn one_side() -> u8 {
    1
}

fn one_cell() -> [u32; 2] {
    [1, 1]
}

fn single() -> u32 {
    1
}

fn four() -> u32 {
    4
}

fn sixteen() -> u32 {
    16
}

fn facets() -> u32 {
    48
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Result<TriangleMesh, String> {
        let source: SurfaceSource = toml::from_str(text).map_err(|error| error.message().to_owned())?;
        source.mesh(Path::new("no/such/folder")).map_err(|error| error.to_string())
    }

    #[test]
    fn every_shape_can_be_written_in_a_scene() {
        let shapes = [
            "plate = { size = [1, \"20 cm\"] }",
            "box = { size = [1, 2, \"30 cm\"], lid = true }",
            "hopper = { outlet = \"5 cm\", inlet = 0.3, height = 0.3 }",
            "cylinder = { radius = 1, length = 2, divisions = 3 }",
            "screw = { radius = 0.1, shaft_radius = 0.03, length = 0.5, pitch = 0.12, thickness = \"4 mm\" }",
            "mixer = { radius = 0.1, shaft_radius = 0.02, length = 0.3, width = 0.03, thickness = 0.003, angle = \"45 deg\" }",
            "stairs = { steps = 4, rise = 0.2, run = 0.3, width = 1 }",
            "perforated_plate = { holes = [3, 4], spacing = 0.02, hole = 0.01 }",
            "terrain = { size = [10, 10], cells = [9, 9], height = 1, radius = 2 }",
        ];
        for (text, name) in shapes.iter().zip(SurfaceShape::NAMES) {
            assert!(text.starts_with(name));
            source(&format!("shape = {{ {text} }}")).unwrap_or_else(|reason| panic!("{text}: {reason}"));
        }
        assert_eq!(shapes.len(), SurfaceShape::NAMES.len());
    }

    #[test]
    fn a_surface_is_scaled_then_rotated_then_translated() {
        let mesh = source(
            "shape = { plate = { size = [2, 4] } }\nscale = 0.5\nrotate = { axis = [0, 2, 0], angle = \"90 deg\" }\n\
             translate = [\"5 m\", 0, 0]",
        )
        .expect("a plate");
        let bounds = mesh.bounds();
        assert!((bounds.min - DVec3::new(5.0, -1.0, -0.5)).length() < 1e-15);
        assert!((bounds.max - DVec3::new(5.0, 1.0, 0.5)).length() < 1e-15);
        assert!((mesh.normal(0).expect("a normal") - DVec3::X).length() < 1e-15);
        let flipped = source("shape = { plate = { size = [2, 4] } }\nflip = true").expect("a plate");
        assert_eq!(flipped.normal(0), Some(DVec3::NEG_Z));
    }

    #[test]
    fn wrong_sources_name_their_field() {
        let reason = |text: &str| source(text).expect_err("wrong");
        assert!(reason("").starts_with("file must be given, or a `shape`"));
        assert!(
            reason("file = \"a.stl\"\nshape = { plate = { size = [1, 1] } }").starts_with("file must be given alone")
        );
        assert!(reason("unit = \"mm\"\nshape = { plate = { size = [1, 1] } }").starts_with("unit has a meaning only"));
        assert!(reason("file = \"none.stl\"").starts_with("file cannot read"));
        assert!(reason("shape = { plate = { size = [1, -1] } }").starts_with("shape.plate.size must be"));
        assert!(reason("shape = { plate = { size = [1, 1] } }\nscale = 0").starts_with("scale must be a positive"));
        assert!(reason("shape = { plate = { size = [1, 1], cell = 2 } }").contains("unknown field `cell`"));
        let rotate = "rotate = { axis = [0, 0, 0], angle = 1 }";
        assert!(reason(&format!("shape = {{ plate = {{ size = [1, 1] }} }}\n{rotate}")).starts_with("rotate.axis"));
    }

    #[test]
    fn settings_need_no_quotes() {
        let shape = |settings: &[&str]| {
            let settings: Vec<String> = settings.iter().map(|text| (*text).to_owned()).collect();
            SurfaceShape::from_settings("hopper", &settings)
        };
        let expected =
            HopperTable { outlet: 0.05, inlet: 0.3, height: 0.25, bin_height: 0.0, square: true, facets: 48 };
        let found = shape(&["outlet=5 cm", "inlet = 0.3", "height=\"25 cm\"", "square=true"]);
        assert_eq!(found, Ok(SurfaceShape::Hopper(expected)));
        assert!(shape(&["outlet"]).is_err_and(|reason| reason.contains("must be KEY=VALUE")));
        assert!(shape(&["outlet=1"]).is_err_and(|reason| reason.contains("missing key `inlet`")));
        assert!(shape(&["outlet=[1]"]).is_err_and(|reason| !reason.contains("invalid type")));
        assert!(shape(&["outlet=1 kg"]).is_err_and(|reason| reason.contains("is a mass")));
        assert!(
            SurfaceShape::from_settings("funnel", &[]).is_err_and(|reason| reason.contains("expected one of plate"))
        );
    }
}
