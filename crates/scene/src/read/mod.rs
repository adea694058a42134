//! Reading a text into a checked [`Scene`], and writing it.

mod displacements;
pub mod files;
mod grain_table;
pub mod planar;
pub mod saved_state;
mod settings;
pub mod source;
pub mod suggest;
pub mod surface_file;

use std::path::Path;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer, ValueDeserializer};

use crate::error::SceneError;
use crate::format::{Scene, VERSION};
use crate::read::displacements::load_displacements;
use crate::shape::{self, ShapeTable};
use files::Files;
use saved_state::StateName;
use settings::Setting;
use source::Source;
use surface_file::solid::{self, ConvexBody};

/// Lists of tables that contain a shape table, such as `[grains.sphere]`.
const SHAPED: [&str; 2] = ["walls", "grains"];

/// Tables that occur once.
const SINGLE_TABLES: [&str; 6] = ["time", "output", "percussion", "materials", "container", "guards"];

impl Scene {
    /// Reads and checks a scene file.
    pub fn load(path: &Path) -> Result<Self, SceneError> {
        Self::load_with(path, &[])
    }

    /// Reads and checks a scene file. Settings of the form `KEY=VALUE`, such as
    /// `materials.glass.density=2600`, override it.
    pub fn load_with(path: &Path, settings: &[String]) -> Result<Self, SceneError> {
        let bytes = std::fs::read(path)
            .map_err(|error| Source::new(path, "").file_error(format!("cannot read the scene: {error}")))?;
        let text =
            String::from_utf8(bytes).map_err(|_| Source::new(path, "").file_error("is not a text file in UTF-8"))?;
        Self::parse_with(&text, path, settings)
    }

    /// Reads and checks the text of a scene.
    ///
    /// `file` is the name in error messages. Files that the scene names are relative to its folder.
    pub fn parse(text: &str, file: &Path) -> Result<Self, SceneError> {
        Self::parse_with(text, file, &[])
    }

    /// Reads and checks the text of a scene. Settings override it, as in [`Scene::load_with`].
    pub fn parse_with(text: &str, file: &Path, settings: &[String]) -> Result<Self, SceneError> {
        let mut files = Files::default();
        files.read(file, text)?;
        let settings: Vec<Setting> =
            settings.iter().map(|setting| Setting::new(&mut files.source, setting)).collect::<Result<_, _>>()?;
        let mut root = files.merged()?;
        for setting in &settings {
            setting.apply(&files.source, &mut root)?;
        }
        let mut source = files.source.clone();
        if root.is_empty() {
            return Err(source.file_error("the scene is empty; it needs [time], [materials.NAME] and [[grains]]"));
        }
        source.record_fields(&root);
        check_version(&source, &root)?;
        check_single_tables(&source, &root)?;
        if planar::is_planar(&source, &root)? {
            planar::add_third_components(&source, &mut root)?;
        }
        let shapes = SHAPED.map(|list| take_shapes(&source, &mut root, list));
        let known = shape::names();
        let mut scene = Scene::deserialize(Deserializer::from(Spanned::new(0..0, root))).map_err(|error| {
            let plain = source.parser_error(&error, &[]);
            // In a table of a body, an unknown key may be a misspelt shape.
            let in_body = SHAPED.iter().any(|list| plain.field.as_ref().is_some_and(|field| is_key_of(field, list)));
            if in_body { source.parser_error(&error, &known) } else { plain }
        })?;
        let [walls, grains] = shapes;
        for (wall, shape) in scene.walls.iter_mut().zip(walls) {
            let (shape, note) = shape?;
            wall.shape = shape;
            scene.notes.extend(note);
        }
        for (grains, shape) in scene.grains.iter_mut().zip(grains) {
            let (shape, note) = shape?;
            grains.shape = shape;
            scene.notes.extend(note);
        }
        scene.source = source;
        scene.resolve()?;
        scene.check()?;
        let default_interval = scene.end_time() / crate::program::schedule::DEFAULT_OUTPUTS;
        scene.time.output.get_or_insert(default_interval);
        Ok(scene)
    }

    /// Fills in the values that follow from other parts of the scene or from files.
    fn resolve(&mut self) -> Result<(), SceneError> {
        self.resolve_contacts()?;
        if self.time.end.is_none() && self.stages.is_empty() {
            return Err(self.source.error("time", "missing `end`, the time at which the run ends; give end = \"1 s\""));
        }
        self.time.end = Some(self.end_time());
        let planar = self.is_planar();
        for index in 0..self.grains.len() {
            self.resolve_saved_state(index)?;
            if let Some(table) = &mut self.grains[index].table {
                table.load(&self.source, &format!("grains[{index}].table"), planar)?;
            }
        }
        for (index, wall) in self.walls.iter_mut().enumerate() {
            if let Some(motion) = &mut wall.motion {
                load_displacements(&self.source, &format!("walls[{index}].motion"), motion, planar)?;
            }
        }
        for (index, surface) in self.surfaces.iter_mut().enumerate() {
            if let Some(file) = &mut surface.file {
                // The copy of the scene in the folder of the run finds the same file.
                let folder = self.source.folder_of(&format!("surfaces[{index}].file"));
                let path = folder.join(&*file);
                *file = std::path::absolute(&path).unwrap_or(path).to_string_lossy().into_owned();
            }
            if let Some(motion) = &mut surface.motion {
                load_displacements(&self.source, &format!("surfaces[{index}].motion"), motion, planar)?;
            }
        }
        for (index, stage) in self.stages.iter_mut().enumerate() {
            for (name, motion) in &mut stage.motion {
                load_displacements(&self.source, &format!("stages[{index}].motion.{name}"), motion, planar)?;
            }
        }
        Ok(())
    }

    /// Makes the name of a saved state independent of the folder of the scene and of the progress
    /// of the run. A table that `granum export` has written is a saved state too.
    fn resolve_saved_state(&mut self, index: usize) -> Result<(), SceneError> {
        let (source, grains, path) = (&self.source, &mut self.grains[index], format!("grains[{index}]"));
        let folder = |field: &str| source.folder_of(field).to_owned();
        let mut field = format!("{path}.from");
        let file = grains.table.as_ref().and_then(|table| table.file.clone()).filter(|_| grains.from.is_none());
        if let Some(file) = file
            && saved_state::is_exported_table(&folder(&format!("{path}.table.file")).join(&file))
        {
            if !grains.shape.kind.is_empty() {
                let reason = "must not be given: the exported table names the shapes of its grains; remove it";
                return Err(source.error(&format!("{path}.{}", grains.shape.kind), reason));
            }
            field = format!("{path}.table.file");
            grains.from = Some(file);
            grains.table = None;
        }
        let Some(from) = &grains.from else {
            return if grains.shape.kind.is_empty() { Err(missing_shape(source, &path, "grains")) } else { Ok(()) };
        };
        let name = StateName::parse(from, &folder(&field)).map_err(|reason| source.error(&field, reason))?;
        grains.from = Some(name.pinned().to_text());
        Ok(())
    }

    /// Completes contacts of a material with itself by the coefficients of the material.
    ///
    /// Every contact must then have the coefficients that its response needs, and a coefficient of
    /// a material that no contact uses is an error: it would have no effect.
    fn resolve_contacts(&mut self) -> Result<(), SceneError> {
        let mut used: Vec<String> = Vec::new();
        for contact in &mut self.contact {
            let [a, b] = &contact.between;
            let Some(material) = self.materials.get(a).filter(|_| a == b) else { continue };
            for (key, value, default) in [
                ("friction", &mut contact.friction, material.friction),
                ("restitution", &mut contact.restitution, material.restitution),
            ] {
                if value.is_none() && default.is_some() {
                    *value = default;
                    used.push(format!("materials.{a}.{key}"));
                }
            }
        }
        for (index, contact) in self.contact.iter().enumerate() {
            let [restitution, friction] = self.needs_coefficients(contact);
            if friction {
                self.friction(index)?;
            }
            if restitution {
                self.restitution(index)?;
            }
        }
        for (name, material) in &self.materials {
            for (key, value) in [("friction", material.friction), ("restitution", material.restitution)] {
                let field = format!("materials.{name}.{key}");
                if value.is_some() && !used.contains(&field) {
                    let reason = format!(
                        "has no effect: it is the default of a [[contact]] with between = [\"{name}\", \"{name}\"], and \
                         there is none without its own {key}"
                    );
                    return Err(self.source.error(&field, reason));
                }
            }
        }
        Ok(())
    }

    /// Returns the scene as TOML, in SI units and with all defaults filled in.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        let mut root = toml::Table::try_from(self)?;
        let walls = self.walls.iter().map(|wall| &wall.shape).collect::<Vec<_>>();
        let grains = self.grains.iter().map(|grains| &grains.shape).collect::<Vec<_>>();
        for (list, shapes) in SHAPED.into_iter().zip([walls, grains]) {
            let tables = root.get_mut(list).and_then(|value| value.as_array_mut());
            for (table, shape) in tables.into_iter().flatten().zip(shapes) {
                if let Some(table) = table.as_table_mut().filter(|_| !shape.kind.is_empty()) {
                    table.insert(shape.kind.clone(), shape.to_value()?);
                }
            }
        }
        if self.is_planar() {
            planar::remove_third_components(&mut root);
        }
        toml::to_string(&root)
    }
}

/// Checks the version before any other key: another version may have other keys.
fn check_version(source: &Source, root: &DeTable) -> Result<(), SceneError> {
    let Some(version) = root.get("version") else { return Ok(()) };
    match version.get_ref().as_integer().map(|number| u32::from_str_radix(number.as_str(), number.radix())) {
        Some(Ok(VERSION)) => Ok(()),
        Some(Ok(other)) => {
            let reason = format!("must be {VERSION}, the version of the format that this granum reads, not {other}");
            Err(source.error("version", reason))
        }
        _ => Err(source.error("version", format!("must be an integer; this granum reads version {VERSION}"))),
    }
}

/// Checks that tables that occur once are not written with double brackets. Serde would read such a
/// list as the fields of the table in their order.
fn check_single_tables(source: &Source, root: &DeTable) -> Result<(), SceneError> {
    let is_list = |name: &str| matches!(root.get(name).map(Spanned::get_ref), Some(DeValue::Array(_)));
    match SINGLE_TABLES.into_iter().find(|name| is_list(name)) {
        None => Ok(()),
        Some("materials") => {
            let reason = "must be tables with names: write [materials.NAME] instead of [[materials]]";
            Err(source.error("materials", reason))
        }
        Some(name) => Err(source.error(name, format!("must be one table: write [{name}] instead of [[{name}]]"))),
    }
}

/// Returns whether a field is a key of a table of this list, as `grains[0].count` is.
fn is_key_of(field: &str, list: &str) -> bool {
    field.strip_prefix(list).is_some_and(|rest| rest.starts_with('[') && rest.matches('.').count() == 1)
}

/// Returns the error that the table of a body has no shape.
fn missing_shape(source: &Source, path: &str, list: &str) -> SceneError {
    let tables: Vec<String> = shape::names().iter().map(|name| format!("[{list}.{name}]")).collect();
    source.error(path, format!("missing shape; give one of {}", tables.join(", ")))
}

/// A shape table, and the note for the user about its surface file.
type TakenShape = (ShapeTable, Option<String>);

/// Removes the shape tables from the tables of a list and returns them.
///
/// The remaining keys are those of the structs of the format.
fn take_shapes(source: &Source, root: &mut DeTable, list: &str) -> Vec<Result<TakenShape, SceneError>> {
    let Some(DeValue::Array(bodies)) = root.get_mut(list).map(Spanned::get_mut) else {
        return Vec::new(); // The list is absent, or of a type that serde will refuse.
    };
    let known = shape::names();
    let take = |(index, body): (usize, &mut Spanned<DeValue>)| {
        let path = format!("{list}[{index}]");
        let DeValue::Table(body) = body.get_mut() else {
            return Err(source.error(&path, "must be a table"));
        };
        let mut named = known.iter().filter_map(|name| Some((name, body.remove(name.as_str())?)));
        match (named.next(), named.next()) {
            // Saved grains bring their shapes.
            (None, _) if ["from", "table"].iter().any(|key| body.contains_key(*key)) => {
                Ok((ShapeTable::default(), None))
            }
            (None, _) => Err(missing_shape(source, &path, list)),
            (Some((name, mut table)), None) => {
                let body = take_surface(source, &format!("{path}.{name}"), name, table.get_mut())?;
                let mut shape = ShapeTable::new(name, ValueDeserializer::from(table))
                    .map_err(|error| source.parser_error(&error, &[]))?;
                let mut note = None;
                if let Some(body) = body {
                    shape.set_vertices(body.vertices);
                    note = body.note.map(|note| format!("{path}.{name}: {note}"));
                }
                Ok((shape, note))
            }
            (Some((one, _)), Some((other, _))) => {
                Err(source.error(&path, format!("must have one shape, not both `{one}` and `{other}`")))
            }
        }
    };
    bodies.iter_mut().enumerate().map(take).collect()
}

/// Removes the keys `file`, `scale` and `hull` from the table of a polyhedron, and returns the
/// convex body of the file, m.
///
/// `file` is relative to the folder of the scene; `scale` is the unit of the file in metres.
fn take_surface(
    source: &Source,
    path: &str,
    shape: &str,
    table: &mut DeValue,
) -> Result<Option<ConvexBody>, SceneError> {
    let DeValue::Table(table) = table else { return Ok(None) };
    if shape != shape::OF_A_FILE {
        return Ok(None); // Serde reports the unknown key.
    }
    let Some(file) = table.remove("file") else {
        return match ["scale", "hull"].into_iter().find(|key| table.contains_key(*key)) {
            Some(key) => Err(source.error(&format!("{path}.{key}"), "has a meaning only with `file`; remove it")),
            None => Ok(None),
        };
    };
    let scale = match table.remove("scale").map(Spanned::into_inner) {
        None => 1.0,
        Some(value) => number(&value).filter(|scale| *scale > 0.0 && scale.is_finite()).ok_or_else(|| {
            source.error(&format!("{path}.scale"), "must be a positive number, such as 0.001 for a file in millimetres")
        })?,
    };
    let accept_hull = match table.remove("hull").map(Spanned::into_inner) {
        None => false,
        Some(DeValue::Boolean(value)) => value,
        Some(_) => return Err(source.error(&format!("{path}.hull"), "must be true or false")),
    };
    let field = format!("{path}.file");
    let DeValue::String(name) = file.get_ref() else {
        return Err(source.error(&field, "must be the name of a file, as in file = \"rock.stl\""));
    };
    if table.contains_key(shape::VERTICES) {
        return Err(source.error(&field, format!("give `file` or `{}`, not both", shape::VERTICES)));
    }
    let folder = source.folder_of(&field);
    let wrong = |reason: String| source.error(&field, reason);
    let surface = surface_file::read(&folder.join(name.as_ref())).map_err(wrong)?;
    let mut body = solid::convex_body(&surface, scale, accept_hull).map_err(wrong)?;
    body.vertices.iter_mut().for_each(|vertex| *vertex *= scale);
    Ok(Some(body))
}

/// Returns a TOML integer or float as a number.
fn number(value: &DeValue) -> Option<f64> {
    match value {
        DeValue::Float(number) => number.as_str().parse().ok(),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok().map(|n| n as f64),
        _ => None,
    }
}
