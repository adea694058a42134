//! The picture of a run's final state, as the scene describes it in `[output.picture]`.

use std::path::PathBuf;

use granum_picture::film::write_png;
use granum_picture::{Framing, Subject, View, Viewpoint, render};
use granum_scene::format::{PictureTable, ViewName};

use super::session::Session;
use crate::Failure;

/// Name of the picture in the folder of the run.
const PICTURE: &str = "picture.png";

impl Session {
    /// Draws the present state and returns the path of the picture; none if the scene requests none.
    pub(super) fn draw_picture(&self) -> Result<Option<PathBuf>, Failure> {
        let Some(table) = &self.picture else { return Ok(None) };
        let snapshot = self.simulation.snapshot();
        let world = self.simulation.world();
        let materials: Vec<String> = world.materials().iter().map(|material| material.name.clone()).collect();
        let subject = Subject {
            time: snapshot.time,
            bodies: &snapshot.bodies,
            contacts: &snapshot.contacts,
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
        let written = granum_output::durable::write(&path, |file| write_png(&image, file));
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
    // The scene format and the renderer share the names of quantities; a test compares the two lists.
    let colour = table.colour.name().parse().unwrap_or_default();
    View { size: table.size, from, zoom: table.zoom, colour, ..View::default() }
}

#[cfg(test)]
mod tests {
    use granum_picture::Quantity;
    use granum_scene::format::ColourName;

    #[test]
    fn scenes_and_the_renderer_have_the_same_names_of_quantities() {
        let names = Quantity::ALL.map(|(_, name, _)| name);
        assert_eq!(ColourName::ALL.map(ColourName::name), names);
    }
}
