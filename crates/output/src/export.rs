//! Export of frames in other formats.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use granum_engine::BodyState;
use granum_geometry::{Mesh, Pose, Shape};

use crate::catalogue::{Catalogue, surface_file, surfaces_of};
use crate::frame_surfaces::surfaces;
use crate::run_folder::{Frame, FrameEntry, SHAPES, Series};
use crate::vtk::bodies::ShapeFacts;
use crate::vtk::walls::{self, WallFrame};
use crate::vtk::{bodies, collection, contacts, mesh, surfaces as surfaces_file};
use crate::{atomic_file, frame_table, stl};

/// The format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// Tables of bodies and contacts, and of load and wear of surfaces.
    Csv,
    /// Files for ParaView.
    Vtp {
        /// True if the triangulated surfaces of all bodies are written. Those of walls always are.
        surfaces: bool,
    },
    /// Triangulated surfaces: of all bounded bodies in one file, and of walls in another.
    Stl,
}

/// Writes frames into a folder. File names contain the number of the frame.
pub struct Exporter {
    folder: PathBuf,
    format: ExportFormat,
    /// Level of detail of surfaces, 0 to [`granum_geometry::mesh::FINEST_LEVEL`].
    level: u32,
    /// Frames written so far, with their triangulated walls.
    written: Vec<(FrameEntry, WallFrame)>,
    /// Number of shapes whose files were written.
    shapes: usize,
}

impl Exporter {
    /// Creates the folder if it does not exist.
    pub fn new(folder: &Path, format: ExportFormat, level: u32) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        Ok(Self { folder: folder.to_owned(), format, level, written: Vec::new(), shapes: 0 })
    }

    /// Returns the paths of all files that a frame with these shapes may need, with those that all
    /// frames share.
    pub fn paths(&self, number: u64, shapes: &[Shape]) -> Vec<PathBuf> {
        let of_shapes: Vec<String> = surfaces_of(shapes).map(|(id, _)| surface_file(id)).collect();
        let has_walls = !of_shapes.is_empty();
        let mut names: Vec<String> = match self.format {
            ExportFormat::Csv => {
                vec![format!("bodies_{number:06}.csv"), format!("contacts_{number:06}.csv"), SHAPES.to_owned()]
            }
            ExportFormat::Stl => vec![format!("surfaces_{number:06}.stl")],
            ExportFormat::Vtp { surfaces } => {
                let all = Series::ALL.into_iter().filter(|series| match series {
                    Series::Surfaces => surfaces,
                    Series::Walls => has_walls,
                    _ => true,
                });
                all.flat_map(|series| [series.file(number), series.list().to_owned()]).collect()
            }
        };
        if has_walls && self.format == ExportFormat::Csv {
            names.push(format!("walls_{number:06}.csv"));
        }
        if has_walls && self.format == ExportFormat::Stl {
            names.push(format!("walls_{number:06}.stl"));
        }
        if self.format != ExportFormat::Stl {
            names.extend(of_shapes);
        }
        names.into_iter().map(|name| self.folder.join(name)).collect()
    }

    /// Writes a frame and returns the names of its files.
    pub fn record(&mut self, number: u64, frame: &Frame) -> io::Result<Vec<PathBuf>> {
        let Frame { step, time, bodies, contacts, wear, shapes, .. } = frame;
        let has_walls = surfaces_of(shapes).next().is_some();
        let (step, time) = (*step, *time);
        match self.format {
            ExportFormat::Csv => {
                let paths = ["bodies", "contacts"].map(|name| self.folder.join(format!("{name}_{number:06}.csv")));
                // The tables name shapes by number.
                Catalogue::write(&self.folder.join(SHAPES), &frame.materials, shapes, self.shapes)?;
                self.shapes = shapes.len();
                atomic_file::write_buffered(&paths[0], |file| frame_table::write_bodies(frame, file))?;
                atomic_file::write_buffered(&paths[1], |file| frame_table::write_contacts(frame, file))?;
                let mut paths = Vec::from(paths);
                if !wear.is_empty() {
                    let path = self.folder.join(format!("walls_{number:06}.csv"));
                    atomic_file::write_buffered(&path, |file| frame_table::write_wear(frame, file))?;
                    paths.push(path);
                }
                Ok(paths)
            }
            ExportFormat::Stl => {
                let path = self.folder.join(format!("surfaces_{number:06}.stl"));
                let is_bounded =
                    |body: &BodyState| shapes[body.shape.0 as usize].as_convex().bounding_radius().is_finite();
                let meshes = surfaces(bodies, shapes, self.level).filter(|(body, _)| is_bounded(body));
                let meshes: Vec<Mesh> = meshes.map(|(_, mesh)| mesh).collect();
                atomic_file::write_buffered(&path, |file| stl::write(&meshes, file))?;
                let mut paths = vec![path];
                if has_walls {
                    let path = self.folder.join(format!("walls_{number:06}.stl"));
                    let walls = walls_of(bodies, shapes);
                    atomic_file::write_buffered(&path, |file| stl::write(&walls, file))?;
                    paths.push(path);
                }
                Ok(paths)
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
                let mut walls = WallFrame::default();
                if has_walls {
                    for (id, surface) in surfaces_of(shapes).filter(|(id, _)| *id >= self.shapes) {
                        mesh::write(&self.folder.join(surface_file(id)), surface.mesh())?;
                    }
                    self.shapes = shapes.len();
                    paths.push(path(Series::Walls));
                    walls = walls::write(&path(Series::Walls), step, time, bodies, shapes, wear)?;
                }
                self.written.push((FrameEntry { number, step, time }, walls));
                self.list(surfaces, has_walls)?;
                Ok(paths)
            }
        }
    }

    /// Updates the ParaView collections.
    fn list(&self, surfaces: bool, has_walls: bool) -> io::Result<()> {
        for series in Series::ALL {
            let path = self.folder.join(series.list());
            let frames = self.written.iter().map(|(frame, walls)| (frame.time, series.file(frame.number), walls));
            match series {
                Series::Surfaces if !surfaces => {}
                Series::Walls if !has_walls => {}
                Series::Walls => {
                    let parts = frames.flat_map(|(time, file, walls)| {
                        walls.parts(file, "").into_iter().map(move |file| (time, file))
                    });
                    collection::write(&path, parts)?;
                }
                _ => collection::write(&path, frames.map(|(time, file, _)| (time, file)))?,
            }
        }
        Ok(())
    }
}

/// Returns the triangulated walls in world axes.
fn walls_of(bodies: &[BodyState], shapes: &[Shape]) -> Vec<Mesh> {
    let wall = |body: &BodyState| match &shapes[body.shape.0 as usize] {
        Shape::Surface(surface) => {
            let pose = Pose { position: body.position, orientation: body.orientation };
            Some(Mesh::of_triangles(surface.mesh()).placed(&pose))
        }
        _ => None,
    };
    bodies.iter().filter_map(wall).collect()
}
