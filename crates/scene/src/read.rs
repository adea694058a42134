//! From text to a checked [`Scene`], and back.

use std::path::Path;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer, ValueDeserializer};

use crate::format::Scene;
use crate::planar;
use crate::shape_table::{self, ShapeTable};
use crate::source::{SceneError, Source};

/// Lists of bodies whose tables name their shape.
const SHAPED: [&str; 2] = ["walls", "grains"];

impl Scene {
    /// Reads and checks a scene file.
    pub fn load(path: &Path) -> Result<Self, SceneError> {
        let bytes = std::fs::read(path)
            .map_err(|error| Source::new(path, "").fault_of_file(format!("cannot read the scene: {error}")))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| Source::new(path, "").fault_of_file("a scene is a text, and this is not one (not UTF-8)"))?;
        Self::parse(&text, path)
    }

    /// Reads and checks a scene; `file` is for messages.
    pub fn parse(text: &str, file: &Path) -> Result<Self, SceneError> {
        let mut source = Source::new(file, text);
        let mut root = DeTable::parse(text).map_err(|error| source.fault_of_parser(&error, &[]))?;
        if root.get_ref().is_empty() {
            return Err(source.fault_of_file("the scene is empty; it needs [time], [materials.NAME] and [[grains]]"));
        }
        source.note(root.get_ref());
        if planar::is_planar(&source, root.get_ref())? {
            planar::into_space(&source, root.get_mut())?;
        }
        let shapes = SHAPED.map(|list| take_shapes(&source, root.get_mut(), list));
        let known = shape_table::names();
        let mut scene = Scene::deserialize(Deserializer::from(root)).map_err(|error| {
            let fault = source.fault_of_parser(&error, &[]);
            let shaped = SHAPED.iter().any(|list| fault.field.as_ref().is_some_and(|field| names_body(field, list)));
            if shaped { source.fault_of_parser(&error, &known) } else { fault }
        })?;
        let [walls, grains] = shapes;
        for (wall, shape) in scene.walls.iter_mut().zip(walls) {
            wall.shape = shape?;
        }
        for (grains, shape) in scene.grains.iter_mut().zip(grains) {
            grains.shape = shape?;
        }
        scene.source = source;
        scene.check()?;
        scene.time.output.get_or_insert(scene.time.end / crate::schedule::DEFAULT_OUTPUTS);
        Ok(scene)
    }

    /// The scene as a file: SI units, defaults filled in.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        let mut root = toml::Table::try_from(self)?;
        let walls = self.walls.iter().map(|wall| &wall.shape).collect::<Vec<_>>();
        let grains = self.grains.iter().map(|grains| &grains.shape).collect::<Vec<_>>();
        for (list, shapes) in SHAPED.into_iter().zip([walls, grains]) {
            let tables = root.get_mut(list).and_then(|value| value.as_array_mut());
            for (table, shape) in tables.into_iter().flatten().zip(shapes) {
                if let Some(table) = table.as_table_mut() {
                    table.insert(shape.kind.clone(), shape.to_value()?);
                }
            }
        }
        if self.is_planar() {
            planar::from_space(&mut root);
        }
        toml::to_string(&root)
    }
}

/// Whether a field is a key of a body of this list, as `grains[0].spere` is.
fn names_body(field: &str, list: &str) -> bool {
    field.strip_prefix(list).is_some_and(|rest| rest.starts_with('[') && rest.matches('.').count() == 1)
}

/// Takes the shape tables of a list out of the file, so that serde sees only keys whose names it knows.
fn take_shapes(source: &Source, root: &mut DeTable, list: &str) -> Vec<Result<ShapeTable, SceneError>> {
    let Some(DeValue::Array(bodies)) = root.get_mut(list).map(Spanned::get_mut) else {
        return Vec::new(); // nothing there, or something that serde will refuse
    };
    let known = shape_table::names();
    let take = |(index, body): (usize, &mut Spanned<DeValue>)| {
        let path = format!("{list}[{index}]");
        let DeValue::Table(body) = body.get_mut() else {
            return Err(source.fault(&path, "must be a table"));
        };
        let mut named = known.iter().filter_map(|name| Some((name, body.remove(name.as_str())?)));
        match (named.next(), named.next()) {
            (None, _) => {
                let tables: Vec<String> = known.iter().map(|name| format!("[{list}.{name}]")).collect();
                Err(source.fault(&path, format!("no shape; give one of {}", tables.join(", "))))
            }
            (Some((name, table)), None) => ShapeTable::new(name, ValueDeserializer::from(table))
                .map_err(|error| source.fault_of_parser(&error, &[])),
            (Some((one, _)), Some((other, _))) => {
                Err(source.fault(&path, format!("two shapes, `{one}` and `{other}`; a body has one")))
            }
        }
    };
    bodies.iter_mut().enumerate().map(take).collect()
}
