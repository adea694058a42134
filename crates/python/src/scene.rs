//! Scenes: read from a file or a text, or built in Python.
//!
//! A scene is kept as a TOML table. It is read and checked by the same code as a scene file, so that
//! the checks, messages and defaults are those of the program.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use granum_scene as format;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use toml::{Table, Value};

use crate::convert;
use crate::errors::{self, GranumError, GranumWarning};

/// Name of a scene without a file in messages. Files that it names are relative to the working
/// folder.
const UNNAMED: &str = "scene";

/// A scene: materials, walls, surfaces, grains and the times of a run.
///
/// The keyword arguments are the tables and keys of a scene file. Quantities are numbers in SI
/// units or texts with a unit. The scene is checked as a whole by `check`, and when a `Simulation`
/// is made from it.
///
/// >>> import granum
/// >>> scene = granum.Scene(time={"end": "0.1 s"})
/// >>> scene.add_material("glass", density=2500)
/// >>> scene.add_contact("glass", "glass", law="linear", stiffness=1e4, restitution=0.8, friction=0.3)
/// >>> scene.set_container(material="glass", min=[0, 0, 0], max=[0.1, 0.1, 0.2])
/// >>> scene.add_grains(material="glass", count=3, sphere={"radius": "5 mm"},
/// ...                  random={"min": [0, 0, 0], "max": [0.1, 0.1, 0.2]})
/// >>> scene.check()
/// >>> granum.Simulation(scene).grains.size
/// 3
#[pyclass(module = "granum", frozen, subclass, weakref)]
pub struct Scene {
    draft: Mutex<Draft>,
}

/// A scene in the making.
struct Draft {
    table: Table,
    /// Its file: the name in messages, and the folder of the files that it names.
    file: PathBuf,
    /// The text of the file, as long as the scene is the same.
    text: Option<String>,
    /// The scene as it was read last, as long as it is the same.
    checked: Option<Arc<format::Scene>>,
}

impl Scene {
    fn of_text(py: Python<'_>, text: String, file: PathBuf) -> PyResult<Self> {
        let scene = py.detach(|| format::Scene::parse(&text, &file));
        let scene = scene.map_err(|error| errors::scene_error(py, &error, true))?;
        // The parser of granum has read the text, so that it is TOML.
        let table = text.parse::<Table>().map_err(|error| GranumError::new_err(error.to_string()))?;
        let draft = Draft { table, file, text: Some(text), checked: Some(Arc::new(scene)) };
        Ok(Self { draft: Mutex::new(draft) })
    }

    fn of_file(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        // A file that cannot be read has the message of the program.
        let unreadable = |_| match format::Scene::load(&path) {
            Err(error) => errors::scene_error(py, &error, true),
            Ok(_) => GranumError::new_err("the scene has changed while it was read"),
        };
        let text = std::fs::read_to_string(&path).map_err(unreadable)?;
        Self::of_text(py, text, path)
    }

    fn draft(&self) -> MutexGuard<'_, Draft> {
        // A draft is changed by single assignments, so that a panic leaves it consistent.
        self.draft.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the checked scene.
    pub fn checked(&self, py: Python<'_>) -> PyResult<Arc<format::Scene>> {
        let (text, file, has_text) = {
            let draft = self.draft();
            if let Some(scene) = &draft.checked {
                return Ok(scene.clone());
            }
            let text = draft.text.clone().map_or_else(|| written(&draft.table), Ok)?;
            (text, draft.file.clone(), draft.text.is_some())
        };
        let scene = py.detach(|| format::Scene::parse(&text, &file));
        let scene = Arc::new(scene.map_err(|error| errors::scene_error(py, &error, has_text))?);
        self.draft().checked = Some(scene.clone());
        Ok(scene)
    }

    /// Changes the table.
    fn change<R>(&self, change: impl FnOnce(&mut Table) -> R) -> R {
        let mut draft = self.draft();
        (draft.text, draft.checked) = (None, None);
        change(&mut draft.table)
    }

    /// Appends a table to a list of tables.
    fn append(&self, list: &str, values: Option<&Bound<'_, PyDict>>, named: Table) -> PyResult<()> {
        let count = self.draft().table.get(list).and_then(Value::as_array).map_or(0, Vec::len);
        let mut table = named;
        if let Some(values) = values {
            table.extend(convert::table(values, &format!("{list}[{count}]"))?);
        }
        self.change(|root| {
            let entry = root.entry(list).or_insert_with(|| Value::Array(Vec::new()));
            match entry.as_array_mut() {
                Some(tables) => tables.push(Value::Table(table)),
                None => *entry = Value::Array(vec![Value::Table(table)]),
            }
        });
        Ok(())
    }
}

fn written(table: &Table) -> PyResult<String> {
    toml::to_string(table).map_err(|error| GranumError::new_err(format!("cannot write the scene: {error}")))
}

fn with_name(name: Option<String>) -> Table {
    name.map(|name| ("name".to_owned(), Value::String(name))).into_iter().collect()
}

#[pymethods]
impl Scene {
    /// The hidden arguments are a file to read, or the file of a text or of tables.
    #[new]
    #[pyo3(signature = (*, _text = None, _file = None, **tables))]
    fn new(
        py: Python<'_>,
        _text: Option<String>,
        _file: Option<PathBuf>,
        tables: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        match (_text, _file) {
            (Some(text), file) => Self::of_text(py, text, file.unwrap_or_else(|| UNNAMED.into())),
            (None, Some(path)) if tables.is_none() => Self::of_file(py, path),
            (None, file) => {
                let table = tables.map_or_else(|| Ok(Table::new()), |tables| convert::table(tables, ""))?;
                let file = file.unwrap_or_else(|| UNNAMED.into());
                Ok(Self { draft: Mutex::new(Draft { table, file, text: None, checked: None }) })
            }
        }
    }

    /// The scene as it was given: its text if it was read and not changed, its tables, and its file.
    #[getter]
    fn _source<'py>(&self, py: Python<'py>) -> PyResult<(Option<String>, Bound<'py, PyAny>, PathBuf)> {
        let draft = self.draft();
        let tables = convert::object(py, &Value::Table(draft.table.clone()))?;
        Ok((draft.text.clone(), tables, draft.file.clone()))
    }

    /// Check the scene as `granum check` does. A wrong scene raises `SceneError`.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        let scene = self.checked(py)?;
        for note in scene.notes() {
            PyErr::warn(py, &py.get_type::<GranumWarning>(), &c_text(note), 1)?;
        }
        py.detach(|| scene.build()).map(drop).map_err(|error| self.error(py, &error))
    }

    /// Return the checked scene as TOML, in SI units and with all defaults.
    fn to_toml(&self, py: Python<'_>) -> PyResult<String> {
        let text = self.checked(py)?.to_toml();
        text.map_err(|error| GranumError::new_err(format!("cannot write the scene: {error}")))
    }

    /// Add a material: `density`, and `young`, `poisson`, `friction`, `restitution` as needed.
    #[pyo3(signature = (name, **values))]
    fn add_material(&self, name: &str, values: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let path = format!("materials.{name}");
        let table = values.map_or_else(|| Ok(Table::new()), |values| convert::table(values, &path))?;
        self.change(|root| {
            let materials = root.entry("materials").or_insert_with(|| Value::Table(Table::new()));
            if let Some(materials) = materials.as_table_mut() {
                materials.insert(name.to_owned(), Value::Table(table));
            }
        });
        Ok(())
    }

    /// Add the contact law of two materials: `stiffness`, `restitution`, `friction` and others.
    #[pyo3(signature = (a, b, **values))]
    fn add_contact(&self, a: &str, b: &str, values: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let between = Value::Array([a, b].map(|name| Value::String(name.to_owned())).to_vec());
        self.append("contact", values, Table::from_iter([("between".to_owned(), between)]))
    }

    /// Set the box of plane walls: `material`, `min`, `max`, `open`.
    #[pyo3(signature = (**values))]
    fn set_container(&self, values: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let table = values.map_or_else(|| Ok(Table::new()), |values| convert::table(values, "container"))?;
        self.change(|root| root.insert("container".to_owned(), Value::Table(table)));
        Ok(())
    }

    /// Add a wall: `material`, `position`, a shape such as `box={"half_sizes": [1, 1, 0.1]}`,
    /// `motion`.
    #[pyo3(signature = (name = None, **values))]
    fn add_wall(&self, name: Option<String>, values: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        self.append("walls", values, with_name(name))
    }

    /// Add a triangulated surface from a file or a generated shape. `Scene.add_surface` of the
    /// package also accepts arrays.
    #[pyo3(signature = (name = None, **values))]
    fn _add_surface(&self, name: Option<String>, values: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        self.append("surfaces", values, with_name(name))
    }

    /// Add a group of grains: `material`, a shape such as `sphere={"radius": 0.01}`, `count`, and a
    /// placement such as `random={"min": [0, 0, 0], "max": [1, 1, 1]}` or `positions=array`.
    #[pyo3(signature = (name = None, **values))]
    fn add_grains(&self, name: Option<String>, values: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        self.append("grains", values, with_name(name))
    }

    /// Add a stage of the run: `duration` or `until`, and the changes at its start.
    #[pyo3(signature = (name = None, **values))]
    fn add_stage(&self, name: Option<String>, values: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        self.append("stages", values, with_name(name))
    }

    /// Add a plane that removes and counts grains: `centre`, `normal`, `radius`.
    #[pyo3(signature = (name = None, **values))]
    fn add_outlet(&self, name: Option<String>, values: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        self.append("outlets", values, with_name(name))
    }

    /// Add a plane that counts grains: `centre`, `normal`, `radius`.
    #[pyo3(signature = (name = None, **values))]
    fn add_flow_plane(&self, name: Option<String>, values: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        self.append("flow_planes", values, with_name(name))
    }

    /// Return a value of the scene as it was given: `scene["time.end"]`, `scene["grains[0].count"]`.
    fn __getitem__<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        let draft = self.draft();
        let mut value = None;
        for part in parts(py, key)? {
            let within = value.map_or_else(|| Some(Inside::Table(&draft.table)), Inside::of);
            value = Some(within.and_then(|within| within.get(&part)).ok_or_else(|| unknown(key))?);
        }
        value.map_or_else(|| Err(unknown(key)), |value| convert::object(py, value))
    }

    /// Set a value of the scene: `scene["time.end"] = "2 s"`, `scene["grains[0].count"] = 10`.
    fn __setitem__(&self, py: Python<'_>, key: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let (parts, value) = (parts(py, key)?, convert::value(value, key)?);
        self.change(|root| set(root, &parts, value)).map_err(|reason| errors::input_error(py, key, &reason))
    }

    fn __repr__(&self) -> String {
        let draft = self.draft();
        let count = |list: &str| draft.table.get(list).and_then(Value::as_array).map_or(0, Vec::len);
        format!(
            "Scene('{}', {} groups of grains, {} walls, {} surfaces)",
            draft.file.display(),
            count("grains"),
            count("walls"),
            count("surfaces")
        )
    }
}

impl Scene {
    /// Returns the exception of an error that building the scene has found.
    pub fn error(&self, py: Python<'_>, error: &format::SceneError) -> PyErr {
        errors::scene_error(py, error, self.draft().text.is_some())
    }

    /// Returns the file of the scene.
    pub fn file(&self) -> PathBuf {
        let file = self.draft().file.clone();
        if file.as_path() == Path::new("") { UNNAMED.into() } else { file }
    }
}

/// A part of the name of a value.
#[derive(Debug)]
enum Part {
    Key(String),
    Index(usize),
}

/// A value that contains others.
enum Inside<'a> {
    Table(&'a Table),
    List(&'a [Value]),
}

impl<'a> Inside<'a> {
    fn of(value: &'a Value) -> Option<Self> {
        match value {
            Value::Table(table) => Some(Self::Table(table)),
            Value::Array(list) => Some(Self::List(list)),
            _ => None,
        }
    }

    fn get(&self, part: &Part) -> Option<&'a Value> {
        match (self, part) {
            (Self::Table(table), Part::Key(key)) => table.get(key),
            (Self::List(list), Part::Index(index)) => list.get(*index),
            _ => None,
        }
    }
}

fn unknown(key: &str) -> PyErr {
    pyo3::exceptions::PyKeyError::new_err(key.to_owned())
}

/// Splits a name such as `grains[0].sphere.radius`.
fn parts(py: Python<'_>, key: &str) -> PyResult<Vec<Part>> {
    let wrong = || errors::input_error(py, key, "must be a name such as grains[0].sphere.radius");
    let mut parts = Vec::new();
    for part in key.split('.') {
        let (name, indices) = part.split_once('[').map_or((part, ""), |(name, rest)| (name, rest));
        if name.is_empty() {
            return Err(wrong());
        }
        parts.push(Part::Key(name.to_owned()));
        for index in indices.split_terminator('[') {
            let index = index.strip_suffix(']').and_then(|index| index.parse().ok()).ok_or_else(wrong)?;
            parts.push(Part::Index(index));
        }
    }
    Ok(parts)
}

/// Sets a value in a table. Tables that are missing are created, entries of lists are not.
fn set(root: &mut Table, parts: &[Part], value: Value) -> Result<(), String> {
    let [Part::Key(first), rest @ ..] = parts else { return Err("must begin with a key".into()) };
    if rest.is_empty() {
        root.insert(first.clone(), value);
        return Ok(());
    }
    let mut place = root.entry(first).or_insert_with(|| Value::Table(Table::new()));
    for part in rest {
        place = match (place, part) {
            (Value::Table(table), Part::Key(key)) => table.entry(key).or_insert_with(|| Value::Table(Table::new())),
            (Value::Array(list), Part::Index(index)) => {
                let count = list.len();
                list.get_mut(*index).ok_or_else(|| format!("names entry {index} of a list with {count}"))?
            }
            _ => return Err("names a value that is not of this kind in the scene".into()),
        };
    }
    *place = value;
    Ok(())
}

/// Returns a text for a warning of Python, without zero bytes.
pub fn c_text(text: &str) -> std::ffi::CString {
    std::ffi::CString::new(text.replace('\0', " ")).unwrap_or_default()
}
