//! Writes the frames of a run while it proceeds.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use granum_engine::Snapshot;
use granum_geometry::Shape;

use crate::atomic_file;
use crate::catalogue::{self, Catalogue};
use crate::recorder::Recorder;
use crate::run_folder::{FRAMES, SHAPES, Series};
use crate::vtk::bodies::ShapeFacts;
use crate::vtk::read::Head;
use crate::vtk::walls::{self, WallFrame};
use crate::vtk::{bodies, collection, contacts, surfaces};

/// Level of detail of surfaces in frames: 320 triangles per grain.
pub const SURFACE_LEVEL: u32 = 2;

/// Optional contents of a frame besides its bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameOptions {
    /// Contacts with their forces.
    pub contacts: bool,
    /// Triangulated surfaces.
    pub surfaces: bool,
}

/// Writes `frames/` and `shapes.json` into the folder of a run. Every file is either complete or
/// absent, and the ParaView collections are valid at any time.
pub struct FrameWriter {
    dir: PathBuf,
    materials: Vec<String>,
    options: FrameOptions,
    /// Sizes of the shapes that `shapes.json` contains.
    facts: Vec<ShapeFacts>,
    /// The times of the frames written so far, s.
    times: Vec<f64>,
    /// The triangulated walls of these frames. Empty if the world has none.
    walls: Vec<WallFrame>,
    /// Files that are not yet synchronised to the disk.
    unsettled: Vec<PathBuf>,
}

impl FrameWriter {
    /// Creates a writer into the run folder `dir`. `materials` are the names of the materials, by
    /// id.
    pub fn new(dir: &Path, materials: Vec<String>, options: FrameOptions) -> io::Result<Self> {
        fs::create_dir_all(dir.join(FRAMES))?;
        Ok(Self {
            dir: dir.to_owned(),
            materials,
            options,
            facts: Vec::new(),
            times: Vec::new(),
            walls: Vec::new(),
            unsettled: Vec::new(),
        })
    }

    /// Returns the number of frames written so far.
    pub fn count(&self) -> u64 {
        self.times.len() as u64
    }

    /// Updates the ParaView collections.
    fn list(&self) -> io::Result<()> {
        for series in self.series() {
            let path = self.dir.join(FRAMES).join(series.list());
            let files = (0..).map(|number| series.file(number));
            let frames = self.times.iter().copied().zip(files);
            if series == Series::Walls {
                let parts = frames.zip(&self.walls).flat_map(|((time, file), walls)| {
                    walls.parts(file, "../").into_iter().map(move |file| (time, file))
                });
                collection::write(&path, parts)?;
            } else {
                collection::write(&path, frames)?;
            }
        }
        Ok(())
    }

    /// Returns the files of a frame.
    fn series(&self) -> impl DoubleEndedIterator<Item = Series> + use<> {
        let FrameOptions { contacts, surfaces } = self.options;
        let has_walls = !self.walls.is_empty();
        Series::ALL.into_iter().filter(move |series| match series {
            Series::Bodies => true,
            Series::Contacts => contacts,
            Series::Surfaces => surfaces,
            Series::Walls => has_walls,
        })
    }
}

impl Recorder for FrameWriter {
    fn name(&self) -> &'static str {
        FRAMES
    }

    fn record(&mut self, snapshot: &Snapshot, shapes: &[Shape]) -> io::Result<()> {
        if self.facts.len() != shapes.len() || self.times.is_empty() {
            let path = self.dir.join(SHAPES);
            let known = if self.times.is_empty() { 0 } else { self.facts.len() };
            self.unsettled.extend(Catalogue::write(&path, &self.materials, shapes, known)?);
            self.facts = shapes.iter().map(ShapeFacts::of).collect();
        }
        let Snapshot { step, time, bodies, contacts, wear, .. } = snapshot;
        let (step, time, number) = (*step, *time, self.count());
        if catalogue::surfaces_of(shapes).next().is_some() {
            // A surface may be the first of the run; earlier frames have none.
            self.walls.resize(self.times.len(), WallFrame::default());
            let path = self.dir.join(Series::Walls.path(number));
            self.walls.push(walls::write(&path, step, time, bodies, shapes, wear)?);
            self.unsettled.push(path);
        }
        // The bodies are written last, so that a reader who sees them finds the whole frame.
        for series in self.series().rev() {
            let path = self.dir.join(series.path(number));
            match series {
                Series::Bodies => bodies::write(&path, step, time, bodies, &self.facts)?,
                Series::Contacts => contacts::write(&path, step, time, contacts, bodies, &self.facts)?,
                Series::Surfaces => surfaces::write(&path, step, time, bodies, shapes, SURFACE_LEVEL)?,
                // Written above.
                Series::Walls => continue,
            }
            self.unsettled.push(path);
        }
        self.times.push(time);
        self.list()
    }

    fn settle(&mut self) -> io::Result<u64> {
        let lists = self.series().map(|series| self.dir.join(FRAMES).join(series.list()));
        for path in self.unsettled.iter().cloned().chain(lists).filter(|path| path.exists()) {
            OpenOptions::new().write(true).open(path)?.sync_all()?;
        }
        // The files were renamed, which changes the folder.
        atomic_file::sync_folder(&self.dir.join(FRAMES))?;
        self.unsettled.clear();
        Ok(self.count())
    }

    fn cut_back(&mut self, count: u64) -> io::Result<()> {
        let time_of = |number| {
            let path = self.dir.join(Series::Bodies.path(number));
            let head = Head::read(&path);
            head.map(|head| head.time).map_err(|damage| io::Error::other(format!("{} {}", path.display(), damage.0)))
        };
        let times = (0..count).map(time_of).collect::<io::Result<Vec<f64>>>()?;
        let walls_of = |number| {
            let head = Head::read(&self.dir.join(Series::Walls.path(number)));
            head.map_or_else(|_| WallFrame::default(), |head| WallFrame::of(&head))
        };
        let walls: Vec<WallFrame> = (0..count).map(walls_of).collect();
        for entry in fs::read_dir(self.dir.join(FRAMES))? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
            let frame = Series::ALL.iter().find_map(|series| series.number(name.strip_suffix(".part").unwrap_or(name)));
            if frame.is_some_and(|number| number >= count) {
                fs::remove_file(path)?;
            }
        }
        self.times = times;
        // A world without surfaces has no list of them.
        self.walls = if walls.iter().any(|walls| *walls != WallFrame::default()) { walls } else { Vec::new() };
        self.unsettled.clear();
        self.list()
    }
}
