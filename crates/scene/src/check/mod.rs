//! Checks of a scene that the types of its fields do not cover. Each error names its field.

mod fill;
mod grains;
mod walls;
mod warnings;

use glam::DVec3;
use granum_geometry::shape::Realm;

use crate::error::SceneError;
use crate::format::{FrameInterval, NormalName, Scene, StageTable, TangentialName};
use crate::read::source::Source;
use crate::read::suggest;
use crate::shape::ShapeTable;
use crate::value::short_number;
use grains::check_grains;
use walls::{check_face_materials, check_faces, check_motions, check_wall};

/// Largest number of bodies in a scene. Body ids have 32 bits, and memory is exhausted earlier.
pub const MOST_BODIES: u64 = 200_000_000;

/// Widths and heights that a picture can have, pixels: the range of the renderer.
const PICTURE_SIDES: std::ops::RangeInclusive<usize> = 16..=16_384;

impl Scene {
    /// Runs all checks that need no world.
    pub(crate) fn check(&self) -> Result<(), SceneError> {
        let source = &self.source;
        positive(source, "time.end", self.end_time(), "time")?;
        if let Some(step) = self.time.step {
            positive(source, "time.step", step, "time")?;
        }
        if let Some(output) = self.time.output {
            positive(source, "time.output", output, "time")?;
        }
        if let Some(FrameInterval::Every(interval)) = self.output.frames {
            positive(source, "output.frames", interval, "time")?;
        }
        if let Some(picture) = &self.output.picture {
            positive(source, "output.picture.zoom", picture.zoom, "number")?;
            for (axis, side) in picture.size.into_iter().enumerate() {
                if !PICTURE_SIDES.contains(&side) {
                    let field = format!("output.picture.size[{axis}]");
                    return Err(source.error(&field, format!("must be 16 to 16384 pixels, not {side}")));
                }
            }
            if picture.surface_colour.needs_wear() && !self.surfaces.iter().any(|surface| surface.wear) {
                let reason = "needs a surface with `wear = true`, on which pressures and works are recorded";
                return Err(source.error("output.picture.surface_colour", reason));
            }
        }
        self.check_materials()?;
        self.check_contacts()?;
        self.check_percussion()?;
        if let Some(container) = &self.container {
            self.check_material("container.material", &container.material)?;
            for (face, material) in &container.materials {
                self.check_material(&format!("container.materials.{}", face.key()), material)?;
            }
            check_box(source, "container", container.min, container.max, self.is_planar())?;
            check_faces(source, container, self.faces())?;
            check_face_materials(source, container, self.faces())?;
        }
        for (index, wall) in self.walls.iter().enumerate() {
            let path = format!("walls[{index}]");
            self.check_material(&format!("{path}.material"), &wall.material)?;
            self.check_angle(&path, wall.angle, wall.orientation.is_some())?;
            check_wall(source, &path, wall, self.is_planar())?;
            if let Some(motion) = &wall.motion {
                check_motions(source, &format!("{path}.motion"), motion, self.is_planar())?;
            }
        }
        for (index, surface) in self.surfaces.iter().enumerate() {
            let path = format!("surfaces[{index}]");
            if self.is_planar() {
                let reason = "has no meaning in a planar scene; use [[walls]] with a segment or a polygon";
                return Err(source.error(&path, reason));
            }
            if !surface.wall {
                self.check_bound(&path, surface)?;
                continue;
            }
            if surface.material.is_empty() {
                return Err(source.error(&path, "missing key `material`"));
            }
            self.check_material(&format!("{path}.material"), &surface.material)?;
            if !(1..=2).contains(&surface.sides) {
                let reason = format!("must be 1 or 2, not {}", surface.sides);
                return Err(source.error(&format!("{path}.sides"), reason));
            }
            if let Some(motion) = &surface.motion {
                check_motions(source, &format!("{path}.motion"), motion, false)?;
            }
        }
        for (index, grains) in self.grains.iter().enumerate() {
            let path = format!("grains[{index}]");
            match grains.material.as_str() {
                "" if grains.from.is_some() => {}
                "" => return Err(source.error(&path, "missing key `material`")),
                material => self.check_material(&format!("{path}.material"), material)?,
            }
            self.check_angle(&path, grains.angle, !grains.orientation.is_default())?;
            check_grains(source, &path, grains, self.is_planar())?;
            if let Some(fill) = &grains.fill {
                self.check_fill(&path, grains, fill)?;
            }
            if let Some(inlet) = grains.inlet.as_ref().filter(|inlet| inlet.start >= self.end_time()) {
                let [end, start] = [self.end_time(), inlet.start].map(short_number);
                let reason =
                    format!("must be before the end of the run at {end} s, not {start} s: it would add no grains");
                return Err(source.error(&format!("{path}.inlet.start"), reason));
            }
        }
        for (list, tables) in [("outlets", &self.outlets), ("flow_planes", &self.flow_planes)] {
            for (index, table) in tables.iter().enumerate() {
                let field = |key: &str| format!("{list}[{index}].{key}");
                if !(table.normal.is_finite() && table.normal.length_squared() > f64::MIN_POSITIVE) {
                    return Err(source.error(&field("normal"), "must be a finite vector that is not zero"));
                }
                if let Some(radius) = table.radius {
                    positive(source, &field("radius"), radius, "length")?;
                }
            }
        }
        self.check_guards()?;
        self.check_names()?;
        for (index, stage) in self.stages.iter().enumerate() {
            self.check_stage(&format!("stages[{index}]"), stage)?;
        }
        if self.grains.is_empty() {
            return Err(source.file_error("the scene has no grains; add a [[grains]] table"));
        }
        Ok(())
    }

    fn check_materials(&self) -> Result<(), SceneError> {
        for (name, material) in &self.materials {
            let field = |key: &str| format!("materials.{name}.{key}");
            positive(&self.source, &field("density"), material.density, "density")?;
            if let Some(young) = material.young {
                positive(&self.source, &field("young"), young, "modulus")?;
            }
            if let Some(poisson) = material.poisson.filter(|&nu| !(nu > -1.0 && nu < 0.5)) {
                let reason = format!("must lie between -1 and 0.5, not {poisson}");
                return Err(self.source.error(&field("poisson"), reason));
            }
        }
        Ok(())
    }

    fn check_contacts(&self) -> Result<(), SceneError> {
        for (index, contact) in self.contact.iter().enumerate() {
            let field = |key: &str| format!("contact[{index}].{key}");
            for (side, name) in contact.between.iter().enumerate() {
                self.check_material(&field(&format!("between[{side}]")), name)?;
            }
            let [a, b] = &contact.between;
            let same = |other: &[String; 2]| (&other[0], &other[1]) == (a, b) || (&other[1], &other[0]) == (a, b);
            if let Some(first) = self.contact[..index].iter().position(|other| same(&other.between)) {
                let reason = format!("must be unique: contact[{first}] is also between `{a}` and `{b}`");
                return Err(self.source.error(&field("between"), reason));
            }
            let hertzian =
                contact.law == Some(NormalName::Hertz) || contact.tangential == Some(TangentialName::Mindlin);
            if self.is_planar() && hertzian && self.response.is_smooth() {
                let reason = "must be \"linear\" in a planar scene: Hertz and Mindlin do not hold for the line contact of planar bodies";
                return Err(self.source.error(&field("law"), reason));
            }
            if let Some(restitution) = contact.restitution.filter(|e| !(0.0..=1.0).contains(e)) {
                let reason = format!("must lie between 0 and 1, not {restitution}");
                return Err(self.source.error(&field("restitution"), reason));
            }
            for (key, value) in [
                ("friction", contact.friction),
                ("rolling_friction", Some(contact.rolling_friction)),
                ("spinning_friction", Some(contact.spinning_friction)),
                ("tangential_damping", Some(contact.tangential_damping)),
                ("rolling_damping", Some(contact.rolling_damping)),
            ] {
                if let Some(value) = value.filter(|value| !(value.is_finite() && *value >= 0.0)) {
                    return Err(self.source.error(&field(key), format!("must be at least 0, not {value}")));
                }
            }
            for (key, value, kind) in [
                ("stiffness", contact.stiffness, "stiffness"),
                ("contact_time", contact.contact_time, "time"),
                ("tangential_stiffness", contact.tangential_stiffness, "ratio"),
            ] {
                if let Some(value) = value {
                    positive(&self.source, &field(key), value, kind)?;
                }
            }
        }
        Ok(())
    }

    /// Checks that names are valid and unique, because stages and outputs refer to them.
    fn check_names(&self) -> Result<(), SceneError> {
        let walls = self.walls.iter().enumerate().map(|(index, wall)| (format!("walls[{index}].name"), &wall.name));
        let surfaces = self.surfaces.iter().enumerate();
        let surfaces = surfaces.map(|(index, surface)| (format!("surfaces[{index}].name"), &surface.name));
        let grains = self.grains.iter().enumerate().map(|(index, one)| (format!("grains[{index}].name"), &one.name));
        let flows = [("outlets", &self.outlets), ("flow_planes", &self.flow_planes)].into_iter();
        let flows = flows.flat_map(|(list, tables)| {
            tables.iter().enumerate().map(move |(index, one)| (format!("{list}[{index}].name"), &one.name))
        });
        let mut seen: Vec<&str> = Vec::new();
        for (field, name) in walls.chain(surfaces).chain(grains).chain(flows) {
            let Some(name) = name else { continue };
            if name.is_empty() || name.starts_with("container.") || name.contains(['[', '\n']) {
                let reason = format!(
                    "must not be empty, contain `[` or a line break, or begin with `container.`, as `{name}` does"
                );
                return Err(self.source.error(&field, reason));
            }
            if seen.contains(&name.as_str()) {
                return Err(self.source.error(&field, format!("must be unique, but `{name}` is used twice")));
            }
            seen.push(name);
        }
        Ok(())
    }

    fn check_stage(&self, path: &str, stage: &StageTable) -> Result<(), SceneError> {
        let source = &self.source;
        let field = |key: &str| format!("{path}.{key}");
        match (stage.duration, &stage.until) {
            (Some(duration), None) => positive(source, &field("duration"), duration, "time")?,
            (None, Some(until)) => {
                positive(source, &field("until.kinetic_energy_below"), until.kinetic_energy_below, "energy")?;
                positive(source, &field("until.at_most"), until.at_most, "time")?;
                positive(source, &field("until.check_every"), until.interval(), "time")?;
            }
            (None, None) => {
                let reason =
                    "missing end; give duration = \"2 s\", or until = { kinetic_energy_below = .., at_most = .. }";
                return Err(source.error(path, reason));
            }
            (Some(_), Some(_)) => return Err(source.error(path, "give `duration` or `until`, not both")),
        }
        for (name, motion) in &stage.motion {
            self.check_wall_name(&format!("{path}.motion.{name}"), name)?;
            check_motions(source, &format!("{path}.motion.{name}"), motion, self.is_planar())?;
        }
        for (key, names) in [("halt", &stage.halt), ("remove", &stage.remove)] {
            for (index, name) in names.iter().enumerate() {
                self.check_wall_name(&format!("{path}.{key}[{index}]"), name)?;
            }
        }
        Ok(())
    }

    /// Checks that a stage refers to an existing wall.
    fn check_wall_name(&self, field: &str, name: &str) -> Result<(), SceneError> {
        let mut known: Vec<&str> = self.walls.iter().filter_map(|wall| wall.name.as_deref()).collect();
        known.extend(self.surfaces.iter().filter(|surface| surface.wall).filter_map(|surface| surface.name.as_deref()));
        if let Some(container) = &self.container {
            known.extend(self.faces().iter().filter(|face| !container.open.contains(face)).map(|face| face.name()));
        }
        if known.contains(&name) {
            return Ok(());
        }
        let hint = match suggest::nearest(name, &known) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => "no wall has a name; give it name = \"..\"".to_owned(),
            None => format!("expected one of {}", suggest::list(&known)),
        };
        Err(self.source.error(field, format!("unknown wall `{name}`; {hint}")))
    }

    /// Checks that an angle is given in planar scenes only, and without an orientation.
    fn check_angle(&self, path: &str, angle: Option<f64>, has_orientation: bool) -> Result<(), SceneError> {
        let error = |reason: &str| Err(self.source.error(&format!("{path}.angle"), reason));
        match angle {
            Some(_) if !self.is_planar() => error("has no meaning in a spatial scene; give orientation = [w, x, y, z]"),
            Some(_) if has_orientation => error("must not be given together with `orientation`"),
            Some(angle) if !angle.is_finite() => error("must be a finite angle"),
            _ => Ok(()),
        }
    }

    fn check_material(&self, field: &str, name: &str) -> Result<(), SceneError> {
        if self.materials.contains_key(name) {
            return Ok(());
        }
        let known: Vec<&str> = self.materials.keys().map(String::as_str).collect();
        let hint = match suggest::nearest(name, &known) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => "add a [materials.NAME] table".to_owned(),
            None => format!("expected one of {}", suggest::list(&known)),
        };
        Err(self.source.error(field, format!("unknown material `{name}`; {hint}")))
    }
}

/// Checks that a quantity is finite and positive.
fn positive(source: &Source, field: &str, value: f64, kind: &str) -> Result<(), SceneError> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(source.error(field, format!("must be a positive {kind}, not {value}")))
    }
}

/// Checks that the corners of a box are in order along each axis.
fn check_box(source: &Source, path: &str, min: DVec3, max: DVec3, planar: bool) -> Result<(), SceneError> {
    let axes = if planar { 2 } else { 3 };
    match (0..axes).find(|&axis| min[axis] >= max[axis]) {
        Some(axis) => {
            let reason = format!("must be above min, but {} is not above {}", max[axis], min[axis]);
            Err(source.error(&format!("{path}.max[{axis}]"), reason))
        }
        None => Ok(()),
    }
}

/// Checks that a shape is valid and of the dimension of the scene.
fn check_shape(source: &Source, path: &str, shape: &ShapeTable, planar: bool) -> Result<(), SceneError> {
    let [found, _] = shape.extremes().map_err(|error| error.at(source, path, shape))?;
    let reason = match found.as_convex().realm() {
        Realm::Space if planar => "must be a planar shape, because the scene has dimension = 2",
        Realm::Plane if !planar => "must not be a planar shape; a scene of planar shapes needs dimension = 2",
        _ => return Ok(()),
    };
    Err(source.error(&format!("{path}.{}", shape.kind), reason))
}

/// Checks that a body of a planar scene is rotated about z only.
fn check_flat(source: &Source, path: &str, [_, x, y, _]: [f64; 4], planar: bool) -> Result<(), SceneError> {
    if planar && (x, y) != (0.0, 0.0) {
        let reason = "must be a rotation about z in a planar scene; give angle = \"30 deg\" instead";
        return Err(source.error(&format!("{path}.orientation"), reason));
    }
    Ok(())
}
