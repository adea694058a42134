//! The data of a run folder, as messages. The folder is only read.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use glam::DVec3;
use granum_engine::BodyId;
use granum_output::run_folder::FRAMES;
use granum_output::{Frame, ReadError, RunFolder};
use granum_picture::Subject;
use serde_json::{Value, json};

use super::frame::{self, Contents};
use super::message::Message;
use super::{forms, grain, quantities, room};

/// Number of frames that are kept, so that quantities of a frame are asked for without reading it
/// again.
const KEPT: usize = 4;

/// Resolution of the times of files, with a margin: some file systems count in steps of 10 ms.
const TICK: Duration = Duration::from_millis(100);

/// The reason for which data are missing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// A file cannot be read.
    #[error(transparent)]
    Damaged(#[from] ReadError),
    /// The run has no such frame or grain.
    #[error("{0}")]
    Absent(String),
}

/// A run folder that is opened again when it has changed.
pub struct Run {
    dir: PathBuf,
    opened: Mutex<Opened>,
    /// The last frames that were read.
    frames: Mutex<Vec<(u64, Arc<Frame>)>>,
    origin: OnceLock<DVec3>,
}

/// The folder as it was listed last.
struct Opened {
    folder: RunFolder,
    /// Time of the last change of the folder of frames.
    changed: Option<SystemTime>,
    /// Counts the lists.
    version: u64,
}

/// Returns what a picture of a frame needs.
fn subject(frame: &Frame) -> Subject<'_> {
    Subject {
        time: frame.time,
        bodies: &frame.bodies,
        contacts: &frame.contacts,
        wear: &frame.wear,
        shapes: &frame.shapes,
        materials: &frame.materials,
    }
}

impl Run {
    /// Opens a folder. The run may be in progress.
    pub fn open(dir: &Path) -> Result<Self, ReadError> {
        let changed = changed(dir);
        let folder = RunFolder::open(dir)?;
        let opened = Mutex::new(Opened { folder, changed, version: 0 });
        Ok(Self { dir: dir.to_owned(), opened, frames: Mutex::default(), origin: OnceLock::new() })
    }

    /// Returns the folder, listed again if its frames have changed, and the number of the list.
    pub fn folder(&self) -> Result<(RunFolder, u64), ReadError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let now = changed(&self.dir);
        if now.is_none() || now != opened.changed {
            let folder = RunFolder::open(&self.dir)?;
            // A list that is the same keeps its number, so that pages do not ask for it again.
            let is_same = folder.frames() == opened.folder.frames() && folder.damaged() == opened.folder.damaged();
            let version = opened.version + u64::from(!is_same);
            *opened = Opened { folder, changed: now, version };
            // A resumed run may have replaced frames.
            self.frames.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
        Ok((opened.folder.clone(), opened.version))
    }

    /// Returns a frame.
    pub fn frame(&self, number: u64) -> Result<Arc<Frame>, Missing> {
        let (folder, _) = self.folder()?;
        let kept = || self.frames.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, frame)) = kept().iter().find(|(known, _)| *known == number) {
            return Ok(Arc::clone(frame));
        }
        let is_listed = folder.frames().iter().any(|entry| entry.number == number);
        if !is_listed {
            let damaged = folder.damaged().iter().find(|error| number_of(error) == Some(number));
            return Err(damaged.map_or_else(
                || Missing::Absent(format!("the run has no frame {number}")),
                |error| Missing::Damaged(error.clone()),
            ));
        }
        let frame = Arc::new(folder.frame(number)?);
        let mut frames = kept();
        if frames.len() >= KEPT {
            frames.remove(0);
        }
        frames.push((number, Arc::clone(&frame)));
        Ok(frame)
    }

    /// Returns the origin of all positions in messages: the middle of the first frame.
    pub(crate) fn origin(&self) -> DVec3 {
        *self.origin.get_or_init(|| {
            let first = self.folder().ok().and_then(|(folder, _)| folder.frames().first().map(|entry| entry.number));
            first.and_then(|number| self.frame(number).ok()).map_or(DVec3::ZERO, |frame| middle(&subject(&frame)))
        })
    }

    /// Sets the origin of all positions, which a running simulation shares.
    pub(crate) fn set_origin(&self, origin: DVec3) {
        let _ = self.origin.set(origin);
    }

    /// Describes the run, or returns `None` if the list of frames is still that with number `known`.
    pub fn description(&self, known: Option<u64>) -> Result<Option<Value>, Missing> {
        let (folder, version) = self.folder()?;
        if known == Some(version) {
            return Ok(None);
        }
        let frames: Vec<Value> =
            folder.frames().iter().map(|entry| json!([entry.number, entry.step, entry.time])).collect();
        let damaged: Vec<Value> = folder
            .damaged()
            .iter()
            .map(|error| json!({"number": number_of(error), "message": self.relative(error)}))
            .collect();
        let mut value = json!({
            "version": version,
            "name": self.dir.file_name().map(|name| name.to_string_lossy()),
            "frames": frames,
            "damaged": damaged,
            "origin": self.origin().to_array(),
        });
        if let (Value::Object(value), Value::Object(more)) = (&mut value, quantities::description()) {
            value.extend(more);
        }
        let ends = [folder.frames().first(), folder.frames().last()];
        let rooms = ends.into_iter().flatten().filter_map(|entry| self.frame(entry.number).ok());
        let rooms = rooms.map(|frame| room(&frame.bodies, &frame.shapes));
        if let Some(room) = rooms.reduce(|a, b| granum_geometry::Aabb { min: a.min.min(b.min), max: a.max.max(b.max) })
        {
            value["room"] = json!([room.min.to_array(), room.max.to_array()]);
        }
        if let Some(frame) = ends[1].and_then(|entry| self.frame(entry.number).ok()) {
            value["materials"] = json!(frame.materials);
            value["planar"] = json!(forms::is_planar(&frame.shapes));
        }
        Ok(Some(value))
    }

    /// Returns the message of an error with a path relative to the run, which is the same on every
    /// machine.
    pub fn relative(&self, error: &ReadError) -> String {
        let path = error.path.strip_prefix(&self.dir).unwrap_or(&error.path);
        format!("{} {}", path.display(), error.reason)
    }

    /// Returns the shapes of a frame.
    pub fn shapes(&self, number: u64) -> Result<Vec<u8>, Missing> {
        Ok(forms::message(&self.frame(number)?.shapes))
    }

    /// Returns a frame as a message.
    pub fn frame_message(&self, number: u64, contents: &Contents) -> Result<Vec<u8>, Missing> {
        let origin = self.origin();
        let frame = self.frame(number)?;
        Ok(frame::message(frame.step, &subject(&frame), origin, contents).finish())
    }

    /// Returns all data of one body.
    pub fn grain(&self, number: u64, id: u32) -> Result<Value, Missing> {
        let frame = self.frame(number)?;
        grain(&subject(&frame), BodyId(id)).ok_or_else(|| Missing::Absent(format!("frame {number} has no body {id}")))
    }

    /// Returns the places of a body in some frames. It is left out of frames without it.
    pub fn track(&self, id: u32, numbers: &[u64]) -> Result<Vec<u8>, Missing> {
        let origin = self.origin();
        let mut places = Vec::with_capacity(numbers.len());
        for &number in numbers {
            let Ok(frame) = self.frame(number) else { continue };
            if let Ok(index) = frame.bodies.binary_search_by_key(&BodyId(id), |body| body.id) {
                places.push((number, frame.bodies[index].position - origin));
            }
        }
        let mut message = Message::default();
        message.array("number", places.iter().map(|(number, _)| *number as u32));
        message.array("position", places.iter().flat_map(|(_, place)| place.as_vec3().to_array()));
        Ok(message.finish())
    }

    /// Returns the energies and the number of contacts over time.
    pub fn energies(&self) -> Result<Vec<u8>, Missing> {
        let rows = self.folder()?.0.energy()?;
        let mut message = Message::default();
        message.array("time", rows.iter().map(|row| row.time));
        let kinetic = rows.iter().map(|row| row.kinetic_translational + row.kinetic_rotational);
        message.array("kinetic", kinetic.map(|value| value as f32));
        message.array("potential", rows.iter().map(|row| row.potential as f32));
        message.array("elastic", rows.iter().map(|row| row.elastic as f32));
        message.array("dissipated", rows.iter().map(|row| row.dissipated as f32));
        message.array("work", rows.iter().map(|row| row.work as f32));
        message.array("contacts", rows.iter().map(|row| row.contacts as f32));
        Ok(message.finish())
    }
}

/// Returns the middle of the bounded bodies.
pub(crate) fn middle(subject: &Subject) -> DVec3 {
    let bounds = subject.bounds();
    let middle = 0.5 * (bounds.min + bounds.max);
    if middle.is_finite() { middle } else { DVec3::ZERO }
}

/// Returns the time at which the list of frames has changed, or `None` if this is so short ago that
/// another change may have the same time.
fn changed(dir: &Path) -> Option<SystemTime> {
    let time = std::fs::metadata(dir.join(FRAMES)).and_then(|data| data.modified()).ok()?;
    time.elapsed().is_ok_and(|age| age > TICK).then_some(time)
}

/// Returns the number in the name of a damaged frame.
fn number_of(error: &ReadError) -> Option<u64> {
    error.path.file_stem()?.to_str()?.strip_prefix("frame_")?.parse().ok()
}
