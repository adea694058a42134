//! Export of frames in other formats.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use granum_engine::BodyState;
use granum_geometry::Mesh;

use crate::frame_surfaces::surfaces;
use crate::run_folder::{Frame, FrameEntry, Series};
use crate::vtk::bodies::ShapeFacts;
use crate::vtk::{bodies, collection, contacts, surfaces as surfaces_file};
use crate::{frame_table, stl, whole_file};

/// The format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// Tables of bodies and contacts.
    Csv,
    /// Files for ParaView.
    Vtp {
        /// Whether triangulated surfaces are written.
        surfaces: bool,
    },
    /// Triangulated surfaces of all bounded bodies.
    Stl,
}

/// Writes frames into a folder. File names contain the number of the frame.
pub struct Exporter {
    folder: PathBuf,
    format: ExportFormat,
    /// Level of detail of surfaces, 0 to [`granum_geometry::mesh::FINEST_LEVEL`].
    level: u32,
    /// Number of frames written so far.
    written: Vec<FrameEntry>,
}

impl Exporter {
    /// Creates the folder if it does not exist.
    pub fn new(folder: &Path, format: ExportFormat, level: u32) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        Ok(Self { folder: folder.to_owned(), format, level, written: Vec::new() })
    }

    /// Writes a frame and returns the names of its files.
    pub fn record(&mut self, number: u64, frame: &Frame) -> io::Result<Vec<PathBuf>> {
        let Frame { step, time, bodies, contacts, shapes, .. } = frame;
        let (step, time) = (*step, *time);
        match self.format {
            ExportFormat::Csv => {
                let paths = ["bodies", "contacts"].map(|name| self.folder.join(format!("{name}_{number:06}.csv")));
                whole_file::write(&paths[0], |file| frame_table::write_bodies(frame, file))?;
                whole_file::write(&paths[1], |file| frame_table::write_contacts(frame, file))?;
                Ok(paths.into())
            }
            ExportFormat::Stl => {
                let path = self.folder.join(format!("surfaces_{number:06}.stl"));
                let is_bounded =
                    |body: &BodyState| shapes[body.shape.0 as usize].as_convex().bounding_radius().is_finite();
                let meshes = surfaces(bodies, shapes, self.level).filter(|(body, _)| is_bounded(body));
                let meshes: Vec<Mesh> = meshes.map(|(_, mesh)| mesh).collect();
                whole_file::write(&path, |file| stl::write(&meshes, file))?;
                Ok(vec![path])
            }
            ExportFormat::Vtp { surfaces } => {
                let facts: Vec<ShapeFacts> = shapes.iter().map(ShapeFacts::of).collect();
                let path = |series: Series| self.folder.join(series.file(number));
                let mut paths = vec![path(Series::Bodies), path(Series::Contacts)];
                bodies::write(&paths[0], step, time, bodies, &facts)?;
                contacts::write(&paths[1], step, time, contacts, bodies, &facts)?;
                if surfaces {
                    paths.push(path(Series::Surfaces));
                    surfaces_file::write(&paths[2], step, time, bodies, shapes, self.level)?;
                }
                self.written.push(FrameEntry { number, step, time });
                self.list(surfaces)?;
                Ok(paths)
            }
        }
    }

    /// Updates the ParaView collections.
    fn list(&self, surfaces: bool) -> io::Result<()> {
        let count = if surfaces { 3 } else { 2 };
        for series in &Series::ALL[..count] {
            let frames = self.written.iter().map(|frame| (frame.time, series.file(frame.number)));
            collection::write(&self.folder.join(series.list()), frames)?;
        }
        Ok(())
    }
}
