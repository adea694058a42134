//! The folder of a run: the names of its files, and functions that read them. Everything that
//! evaluates results uses this module (ADR 4).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use granum_engine::{BodyId, BodyState, ContactState, SurfaceWear};
use granum_geometry::Shape;

use crate::catalogue::Catalogue;
use crate::energy_table::EnergyRow;
use crate::flow_table::FlowRow;
use crate::summary::Summary;
use crate::vtk::read::{Damage, Document, Head};
use crate::vtk::{bodies, contacts, walls};
use crate::wall_table::WallRow;

/// File of the resolved scene.
pub const SCENE: &str = "scene.toml";
/// File of the energy ledger.
pub const ENERGY: &str = "energy.csv";
/// File of the forces on walls.
pub const WALLS: &str = "walls.csv";
/// File of the grains that have passed flow planes and outlets.
pub const FLOW: &str = "flow.csv";
/// File of the summary.
pub const SUMMARY: &str = "summary.json";
/// File of the materials and shapes by id.
pub const SHAPES: &str = "shapes.json";
/// The folder of frames.
pub const FRAMES: &str = "frames";
/// The folder of checkpoints.
pub const CHECKPOINT: &str = "checkpoint";

/// The files of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Series {
    Bodies,
    Contacts,
    Surfaces,
    /// Triangulated walls, with their load and wear.
    Walls,
}

impl Series {
    pub(crate) const ALL: [Self; 4] = [Self::Bodies, Self::Contacts, Self::Surfaces, Self::Walls];

    fn prefix(self) -> &'static str {
        match self {
            Self::Bodies => "frame_",
            Self::Contacts => "contacts_",
            Self::Surfaces => "surfaces_",
            Self::Walls => "walls_",
        }
    }

    /// Returns the name of the ParaView collection.
    pub(crate) fn list(self) -> &'static str {
        match self {
            Self::Bodies => "frames.pvd",
            Self::Contacts => "contacts.pvd",
            Self::Surfaces => "surfaces.pvd",
            Self::Walls => "walls.pvd",
        }
    }

    /// Returns the file name of a frame, relative to the folder of frames.
    pub(crate) fn file(self, number: u64) -> String {
        format!("{}{number:06}.vtp", self.prefix())
    }

    /// Returns the file name of a frame, relative to the folder of the run.
    pub(crate) fn path(self, number: u64) -> PathBuf {
        Path::new(FRAMES).join(self.file(number))
    }

    /// Returns the number of a frame from its file name.
    pub(crate) fn number(self, name: &str) -> Option<u64> {
        let digits = name.strip_prefix(self.prefix())?.strip_suffix(".vtp")?;
        let number = digits.parse().ok()?;
        (self.file(number) == name).then_some(number)
    }
}

/// The error for a file of a run that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} {reason}", path.display())]
pub struct ReadError {
    /// The file.
    pub path: PathBuf,
    /// The reason, as a phrase that follows the file name.
    pub reason: String,
}

/// An entry of the list of frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameEntry {
    /// Number of the frame, from 0.
    pub number: u64,
    /// Steps done.
    pub step: u64,
    /// Time, s.
    pub time: f64,
}

/// A frame with the exact values of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Steps done.
    pub step: u64,
    /// Time, s.
    pub time: f64,
    /// Bodies by id.
    pub bodies: Vec<BodyState>,
    /// Contacts that carry a force, sorted by (a, b); empty if the run did not write them.
    pub contacts: Vec<ContactState>,
    /// Load and wear of the surfaces on which the run records them, in single precision.
    pub wear: Vec<SurfaceWear>,
    /// Shapes by id, including those of all bodies.
    pub shapes: Vec<Shape>,
    /// Names of materials by id, including those of all bodies.
    pub materials: Vec<String>,
}

/// A catalogue and the text of its file, if one was read.
type LastCatalogue = Option<(Vec<u8>, Catalogue)>;

/// The folder of a run.
///
/// ```no_run
/// use granum_output::RunFolder;
///
/// let run = RunFolder::open("out/first".as_ref())?;
/// for entry in run.frames() {
///     let frame = run.frame(entry.number)?;
///     let speed = frame.bodies.iter().map(|body| body.velocity.length()).fold(0.0, f64::max);
///     println!("t = {:.3} s: greatest speed {speed:.3} m/s", frame.time);
/// }
/// # Ok::<(), granum_output::ReadError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RunFolder {
    dir: PathBuf,
    frames: Vec<FrameEntry>,
    damaged: Vec<ReadError>,
    /// The catalogue that was read last, with the text of its file: large surfaces take seconds.
    catalogue: Arc<Mutex<LastCatalogue>>,
}

impl RunFolder {
    /// Opens a folder and lists its frames. The run may still be in progress.
    pub fn open(dir: &Path) -> Result<Self, ReadError> {
        let fault = |reason: String| ReadError { path: dir.to_owned(), reason };
        let entries = fs::read_dir(dir).map_err(|error| fault(format!("cannot be read: {error}")))?;
        drop(entries);
        if ![SCENE, ENERGY, SUMMARY, FRAMES].iter().any(|name| dir.join(name).exists()) {
            return Err(fault(format!("is not the folder of a run: it has no {SCENE}, {ENERGY} or {FRAMES}")));
        }
        let mut folder =
            Self { dir: dir.to_owned(), frames: Vec::new(), damaged: Vec::new(), catalogue: Arc::default() };
        for number in folder.frame_numbers() {
            let path = dir.join(Series::Bodies.path(number));
            match Head::read(&path) {
                Ok(Head { step, time, .. }) => folder.frames.push(FrameEntry { number, step, time }),
                Err(Damage(reason)) => folder.damaged.push(ReadError { path, reason }),
            }
        }
        Ok(folder)
    }

    fn frame_numbers(&self) -> Vec<u64> {
        let entries = fs::read_dir(self.dir.join(FRAMES)).into_iter().flatten().flatten();
        let mut numbers: Vec<u64> =
            entries.filter_map(|entry| Series::Bodies.number(entry.file_name().to_str()?)).collect();
        numbers.sort_unstable();
        numbers
    }

    /// Returns the path of the folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the list of frames in the order of time.
    pub fn frames(&self) -> &[FrameEntry] {
        &self.frames
    }

    /// Returns the errors of damaged frames, which [`RunFolder::frames`] omits.
    pub fn damaged(&self) -> &[ReadError] {
        &self.damaged
    }

    /// Reads a frame by its number.
    pub fn frame(&self, number: u64) -> Result<Frame, ReadError> {
        let path = self.dir.join(Series::Bodies.path(number));
        let fault = |Damage(reason)| ReadError { path: path.clone(), reason };
        let file = Document::open(&path).map_err(fault)?;
        let bodies = bodies::read(&file).map_err(fault)?;
        let Catalogue { materials, shapes } = self.catalogue()?;
        if let Some(body) = bodies.iter().find(|body| body.shape.0 as usize >= shapes.len()) {
            return Err(fault(Damage(format!("names shape {}, and {SHAPES} has {}", body.shape.0, shapes.len()))));
        }
        if let Some(body) = bodies.iter().find(|body| body.material.0 as usize >= materials.len()) {
            return Err(fault(Damage(format!(
                "names material {}, and there are {}",
                body.material.0,
                materials.len()
            ))));
        }
        let (step, time) = (file.head.step, file.head.time);
        let wear = self.wear(number, &bodies, &shapes)?;
        Ok(Frame { step, time, bodies, contacts: self.contacts(number)?, wear, shapes, materials })
    }

    fn contacts(&self, number: u64) -> Result<Vec<ContactState>, ReadError> {
        let path = self.dir.join(Series::Contacts.path(number));
        if !path.exists() {
            return Ok(Vec::new());
        }
        let read = Document::open(&path).and_then(|file| contacts::read(&file));
        read.map_err(|Damage(reason)| ReadError { path, reason })
    }

    fn wear(&self, number: u64, bodies: &[BodyState], shapes: &[Shape]) -> Result<Vec<SurfaceWear>, ReadError> {
        let path = self.dir.join(Series::Walls.path(number));
        if !path.exists() {
            return Ok(Vec::new());
        }
        let triangles_of = |id: BodyId| {
            let body = bodies.iter().find(|body| body.id == id)?;
            match &shapes[body.shape.0 as usize] {
                Shape::Surface(surface) => Some(surface.mesh().triangles().len()),
                _ => None,
            }
        };
        let read = Document::open(&path).and_then(|file| walls::read(&file)).and_then(|wear| {
            for SurfaceWear { body, triangles } in &wear {
                let count = triangles_of(*body).unwrap_or(0);
                if triangles.iter().any(|wear| wear.triangle as usize >= count) {
                    return Err(Damage(format!("is damaged: body {} has no such triangle", body.0)));
                }
            }
            Ok(wear)
        });
        read.map_err(|Damage(reason)| ReadError { path, reason })
    }

    /// Reads the materials and shapes of the run.
    pub fn catalogue(&self) -> Result<Catalogue, ReadError> {
        self.read(SHAPES, |bytes| {
            let mut last = self.catalogue.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((text, catalogue)) = &*last
                && *text == bytes
            {
                return Ok(catalogue.clone());
            }
            let catalogue = Catalogue::parse(&bytes, &self.dir)?;
            *last = Some((bytes, catalogue.clone()));
            Ok(catalogue)
        })
    }

    /// Reads the rows of the energy ledger.
    pub fn energy(&self) -> Result<Vec<EnergyRow>, ReadError> {
        self.read(ENERGY, |bytes| EnergyRow::parse(&bytes))
    }

    /// Reads the forces on walls. A run without walls has none.
    pub fn walls(&self) -> Result<Vec<WallRow>, ReadError> {
        self.read(WALLS, |bytes| WallRow::parse(&bytes))
    }

    /// Reads the counts of flow planes and outlets. A run without them has none.
    pub fn flow(&self) -> Result<Vec<FlowRow>, ReadError> {
        self.read(FLOW, |bytes| FlowRow::parse(&bytes))
    }

    /// Reads the summary, which is written at the end of the run.
    pub fn summary(&self) -> Result<Summary, ReadError> {
        self.read(SUMMARY, |bytes| serde_json::from_slice(&bytes).map_err(|error| format!("is damaged: {error}")))
    }

    /// Reads the resolved scene as text.
    pub fn scene(&self) -> Result<String, ReadError> {
        self.read(SCENE, |bytes| String::from_utf8(bytes).map_err(|_| "is not a text".to_owned()))
    }

    fn read<T>(&self, name: &str, parse: impl FnOnce(Vec<u8>) -> Result<T, String>) -> Result<T, ReadError> {
        let path = self.dir.join(name);
        let bytes = fs::read(&path).map_err(|error| format!("cannot be read: {error}"));
        bytes.and_then(parse).map_err(|reason| ReadError { path, reason })
    }
}
