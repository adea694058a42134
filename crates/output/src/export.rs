//! Export of frames in other formats.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use granum_engine::BodyState;
use granum_geometry::Mesh;

use crate::catalogue::Catalogue;
use crate::frame_surfaces::surfaces;
use crate::run_folder::{Frame, FrameEntry, SHAPES, Series};
use crate::vtk::bodies::ShapeFacts;
use crate::vtk::{bodies, collection, contacts, surfaces as surfaces_file};
use crate::{atomic_file, frame_table, stl};

/// The format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// Tables of bodies and contacts.
    Csv,
    /// Files for ParaView.
    Vtp {
        /// True if triangulated surfaces are written.
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
    /// Frames written so far.
    written: Vec<FrameEntry>,
}

impl Exporter {
    /// Creates the folder if it does not exist.
    pub fn new(folder: &Path, format: ExportFormat, level: u32) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        Ok(Self { folder: folder.to_owned(), format, level, written: Vec::new() })
    }

    /// Returns the paths of all files that a frame needs, with those that all frames share.
    pub fn paths(&self, number: u64) -> Vec<PathBuf> {
        let names: Vec<String> = match self.format {
            ExportFormat::Csv => {
                vec![format!("bodies_{number:06}.csv"), format!("contacts_{number:06}.csv"), SHAPES.to_owned()]
            }
            ExportFormat::Stl => vec![format!("surfaces_{number:06}.stl")],
            ExportFormat::Vtp { surfaces } => {
                let series = &Series::ALL[..if surfaces { 3 } else { 2 }];
                series.iter().flat_map(|series| [series.file(number), series.list().to_owned()]).collect()
            }
        };
        names.into_iter().map(|name| self.folder.join(name)).collect()
    }

    /// Writes a frame and returns the names of its files.
    pub fn record(&mut self, number: u64, frame: &Frame) -> io::Result<Vec<PathBuf>> {
        let Frame { step, time, bodies, contacts, shapes, .. } = frame;
        let (step, time) = (*step, *time);
        match self.format {
            ExportFormat::Csv => {
                let paths = ["bodies", "contacts"].map(|name| self.folder.join(format!("{name}_{number:06}.csv")));
                // The tables name shapes by number.
                Catalogue::write(&self.folder.join(SHAPES), &frame.materials, shapes)?;
                atomic_file::write_buffered(&paths[0], |file| frame_table::write_bodies(frame, file))?;
                atomic_file::write_buffered(&paths[1], |file| frame_table::write_contacts(frame, file))?;
                Ok(paths.into())
            }
            ExportFormat::Stl => {
                let path = self.folder.join(format!("surfaces_{number:06}.stl"));
                let is_bounded =
                    |body: &BodyState| shapes[body.shape.0 as usize].as_convex().bounding_radius().is_finite();
                let meshes = surfaces(bodies, shapes, self.level).filter(|(body, _)| is_bounded(body));
                let meshes: Vec<Mesh> = meshes.map(|(_, mesh)| mesh).collect();
                atomic_file::write_buffered(&path, |file| stl::write(&meshes, file))?;
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
