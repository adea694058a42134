//! The picture of a run's final state, as the scene describes it in `[output.picture]`.

use std::path::PathBuf;

use granum_picture::film::write_png;
use granum_picture::{Framing, Quantity, Subject, SurfaceQuantity, View, Viewpoint, render};
use granum_scene::format::{ColourName, PictureTable, SurfaceColourName, ViewName};

use super::session::Session;
use crate::Failure;

/// Name of the picture in the folder of the run.
const PICTURE: &str = "picture.png";

impl Session {
    /// Draws the present state and returns the path of the picture; `None` if the scene requests no
    /// picture.
    pub(super) fn draw_picture(&self) -> Result<Option<PathBuf>, Failure> {
        let Some(table) = &self.picture else { return Ok(None) };
        let snapshot = self.simulation.snapshot();
        let world = self.simulation.world();
        let materials: Vec<String> = world.materials().iter().map(|material| material.name.clone()).collect();
        let subject = Subject {
            time: snapshot.time,
            bodies: &snapshot.bodies,
            contacts: &snapshot.contacts,
            wear: &snapshot.wear,
            shapes: world.shapes(),
            materials: &materials,
        };
        let view = view(table);
        let image = match render(&subject, &view, &Framing::of(&subject, &view)) {
            Ok(image) => image,
            // The run itself has succeeded: a scene with nothing to draw only gets a warning.
            Err(error) => {
                self.console.warn(&format!("no picture: {error}"));
                return Ok(None);
            }
        };
        let path = self.dir.join(PICTURE);
        let written = granum_output::atomic_file::write_durable(&path, |file| write_png(&image, file));
        written.map_err(|error| Failure::unwritable(&path, &error))?;
        Ok(Some(path))
    }
}

/// Translates the scene's description into a view of the renderer.
fn view(table: &PictureTable) -> View {
    let from = match table.view {
        ViewName::Auto => Viewpoint::Automatic,
        ViewName::Front => Viewpoint::Front,
        ViewName::Side => Viewpoint::Side,
        ViewName::Top => Viewpoint::Top,
        ViewName::Iso => Viewpoint::Iso,
    };
    View {
        size: table.size,
        from,
        zoom: table.zoom,
        colour: quantity(table.colour),
        surface_colour: surface_quantity(table.surface_colour),
        ..View::default()
    }
}

/// Returns the quantity of the renderer for a name in a scene.
fn quantity(name: ColourName) -> Quantity {
    match name {
        ColourName::Speed => Quantity::Speed,
        ColourName::AngularSpeed => Quantity::AngularSpeed,
        ColourName::Height => Quantity::Height,
        ColourName::Size => Quantity::Size,
        ColourName::Mass => Quantity::Mass,
        ColourName::Id => Quantity::Id,
        ColourName::Material => Quantity::Material,
        ColourName::Kind => Quantity::Kind,
        ColourName::Orientation => Quantity::Orientation,
        ColourName::Force => Quantity::Force,
        ColourName::Coordination => Quantity::Coordination,
        ColourName::Pressure => Quantity::Pressure,
        ColourName::None => Quantity::None,
    }
}

/// Returns the quantity of surfaces of the renderer for a name in a scene.
fn surface_quantity(name: SurfaceColourName) -> SurfaceQuantity {
    match name {
        SurfaceColourName::Height => SurfaceQuantity::Height,
        SurfaceColourName::Pressure => SurfaceQuantity::Pressure,
        SurfaceColourName::PeakPressure => SurfaceQuantity::PeakPressure,
        SurfaceColourName::FrictionWork => SurfaceQuantity::FrictionWork,
        SurfaceColourName::ImpactWork => SurfaceQuantity::ImpactWork,
        SurfaceColourName::None => SurfaceQuantity::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_and_the_renderer_have_the_same_names_of_quantities() {
        for (expected, name, _) in Quantity::ALL {
            let in_scene: ColourName = serde_json::from_value(name.into()).expect("scenes have this name");
            assert_eq!(quantity(in_scene), expected);
        }
        for (expected, name, _) in SurfaceQuantity::ALL {
            let in_scene: SurfaceColourName = serde_json::from_value(name.into()).expect("scenes have this name");
            assert_eq!(surface_quantity(in_scene), expected);
        }
    }
}
