//! What a scene must satisfy beyond its types. Each fault is named by its field.

use glam::DVec3;
use granum_geometry::shape::Realm;

use crate::distribution::Number;
use crate::error::SceneError;
use crate::format::{
    Container, Face, Grains, InletTable, Lattice, MotionTable, NormalName, Scene, StageTable, TangentialName, Wall,
};
use crate::orientation::{Orientation, check_quaternion};
use crate::shape_table::ShapeTable;
use crate::source::Source;
use crate::suggest;

/// Most bodies in a scene: their numbers take 32 bits, and no machine holds more.
pub const MOST_BODIES: u64 = 200_000_000;

impl Scene {
    /// Checks everything that can be checked without building the world.
    pub(crate) fn check(&self) -> Result<(), SceneError> {
        let source = &self.source;
        positive(source, "time.end", self.time.end, "time")?;
        if let Some(step) = self.time.step {
            positive(source, "time.step", step, "time")?;
        }
        if let Some(output) = self.time.output {
            positive(source, "time.output", output, "time")?;
        }
        if let Some(frames) = self.output.frames.filter(|&frames| frames != f64::INFINITY) {
            positive(source, "output.frames", frames, "time")?;
        }
        self.check_materials()?;
        self.check_contacts()?;
        self.check_percussion()?;
        if let Some(container) = &self.container {
            self.check_material("container.material", &container.material)?;
            check_box(source, "container", container.min, container.max, self.is_planar())?;
            check_faces(source, container, self.faces())?;
        }
        for (index, wall) in self.walls.iter().enumerate() {
            let path = format!("walls[{index}]");
            self.check_material(&format!("{path}.material"), &wall.material)?;
            self.check_angle(&path, wall.angle, wall.orientation.is_some())?;
            check_wall(source, &path, wall, self.is_planar())?;
        }
        for (index, grains) in self.grains.iter().enumerate() {
            let path = format!("grains[{index}]");
            self.check_material(&format!("{path}.material"), &grains.material)?;
            self.check_angle(&path, grains.angle, !grains.orientation.is_default())?;
            check_grains(source, &path, grains, self.is_planar())?;
        }
        self.check_guards()?;
        self.check_names()?;
        for (index, stage) in self.stages.iter().enumerate() {
            self.check_stage(&format!("stages[{index}]"), stage)?;
        }
        if self.grains.is_empty() {
            return Err(source.fault_of_file("there are no grains; add a [[grains]] table"));
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
                return Err(self.source.fault(&field("poisson"), reason));
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
                let reason = format!("`{a}` and `{b}` have their contact already, in contact[{first}]");
                return Err(self.source.fault(&field("between"), reason));
            }
            let hertzian =
                contact.law == Some(NormalName::Hertz) || contact.tangential == Some(TangentialName::Mindlin);
            if self.is_planar() && hertzian && self.response.is_smooth() {
                let reason =
                    "planar bodies touch along a line, for which Hertz and Mindlin do not hold; use \"linear\"";
                return Err(self.source.fault(&field("law"), reason));
            }
            if !(0.0..=1.0).contains(&contact.restitution) {
                let reason = format!("must lie between 0 and 1, not {}", contact.restitution);
                return Err(self.source.fault(&field("restitution"), reason));
            }
            for (key, value) in [
                ("friction", contact.friction),
                ("rolling_friction", contact.rolling_friction),
                ("spinning_friction", contact.spinning_friction),
                ("tangential_damping", contact.tangential_damping),
                ("rolling_damping", contact.rolling_damping),
            ] {
                if !(value.is_finite() && value >= 0.0) {
                    return Err(self.source.fault(&field(key), format!("must not be negative, not {value}")));
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

    /// Names are for one thing each: stages and outputs go by them.
    fn check_names(&self) -> Result<(), SceneError> {
        let walls = self.walls.iter().enumerate().map(|(index, wall)| (format!("walls[{index}].name"), &wall.name));
        let grains = self.grains.iter().enumerate().map(|(index, one)| (format!("grains[{index}].name"), &one.name));
        let mut seen: Vec<&str> = Vec::new();
        for (field, name) in walls.chain(grains) {
            let Some(name) = name else { continue };
            if name.is_empty() || name.starts_with("container.") || name.contains(['[', '\n']) {
                let reason = format!("`{name}` is no name: it must not be empty, hold `[`, or begin with `container.`");
                return Err(self.source.fault(&field, reason));
            }
            if seen.contains(&name.as_str()) {
                return Err(self.source.fault(&field, format!("the name `{name}` is taken")));
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
                let reason = "say how long: duration = \"2 s\", or until = { kinetic_energy_below = .., at_most = .. }";
                return Err(source.fault(path, reason));
            }
            (Some(_), Some(_)) => return Err(source.fault(path, "give a duration or an until, not both")),
        }
        for (name, motion) in &stage.motion {
            self.check_wall_name(&format!("{path}.motion.{name}"), name)?;
            check_motion(source, &format!("{path}.motion.{name}"), motion)?;
        }
        for (key, names) in [("halt", &stage.halt), ("remove", &stage.remove)] {
            for (index, name) in names.iter().enumerate() {
                self.check_wall_name(&format!("{path}.{key}[{index}]"), name)?;
            }
        }
        Ok(())
    }

    fn check_wall_name(&self, field: &str, name: &str) -> Result<(), SceneError> {
        let mut known: Vec<&str> = self.walls.iter().filter_map(|wall| wall.name.as_deref()).collect();
        if let Some(container) = &self.container {
            known.extend(self.faces().iter().filter(|face| !container.open.contains(face)).map(|face| face.name()));
        }
        if known.contains(&name) {
            return Ok(());
        }
        let hint = match suggest::nearest(name, &known) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => "give the wall a name = \"..\"".to_owned(),
            None => format!("known are {}", suggest::list(&known)),
        };
        Err(self.source.fault(field, format!("there is no wall named `{name}`; {hint}")))
    }

    /// An angle is for planar scenes, and says all about how a body is turned.
    fn check_angle(&self, path: &str, angle: Option<f64>, is_turned: bool) -> Result<(), SceneError> {
        let fault = |reason: &str| Err(self.source.fault(&format!("{path}.angle"), reason));
        match angle {
            Some(_) if !self.is_planar() => fault("is for planar scenes; give orientation = [w, x, y, z]"),
            Some(_) if is_turned => fault("does not go with an orientation; give one of them"),
            Some(angle) if !angle.is_finite() => fault("must be a finite angle"),
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
            None if known.is_empty() => "there is no [materials.NAME] table".to_owned(),
            None => format!("known are {}", suggest::list(&known)),
        };
        Err(self.source.fault(field, format!("unknown material `{name}`; {hint}")))
    }
}

fn positive(source: &Source, field: &str, value: f64, kind: &str) -> Result<(), SceneError> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(source.fault(field, format!("must be a positive {kind}, not {value}")))
    }
}

fn check_box(source: &Source, path: &str, min: DVec3, max: DVec3, planar: bool) -> Result<(), SceneError> {
    let axes = if planar { 2 } else { 3 };
    match (0..axes).find(|&axis| min[axis] >= max[axis]) {
        Some(axis) => {
            let reason = format!("must be above min, and {} is not above {}", max[axis], min[axis]);
            Err(source.fault(&format!("{path}.max[{axis}]"), reason))
        }
        None => Ok(()),
    }
}

fn check_faces(source: &Source, container: &Container, known: &[Face]) -> Result<(), SceneError> {
    for (index, face) in container.open.iter().enumerate() {
        if !known.contains(face) {
            let reason = "a planar container has the faces left, right, bottom and top";
            return Err(source.fault(&format!("container.open[{index}]"), reason));
        }
        if container.open[..index].contains(face) {
            return Err(source.fault(&format!("container.open[{index}]"), "this face is open already"));
        }
    }
    Ok(())
}

/// A shape must be possible, and of the scene's own dimension.
fn check_shape(source: &Source, path: &str, shape: &ShapeTable, planar: bool) -> Result<(), SceneError> {
    let [found, _] = shape.extremes().map_err(|fault| fault.of(source, path, shape))?;
    let reason = match found.as_convex().realm() {
        Realm::Space if planar => "this is a shape of space, and the scene is planar: it says dimension = 2",
        Realm::Plane if !planar => "this is a planar shape; a scene of such shapes says dimension = 2",
        _ => return Ok(()),
    };
    Err(source.fault(&format!("{path}.{}", shape.kind), reason))
}

/// In the plane bodies turn about z alone.
fn check_flat(source: &Source, path: &str, [_, x, y, _]: [f64; 4], planar: bool) -> Result<(), SceneError> {
    if planar && (x, y) != (0.0, 0.0) {
        let reason = "must be a rotation about z in a planar scene; give angle = \"30 deg\" instead";
        return Err(source.fault(&format!("{path}.orientation"), reason));
    }
    Ok(())
}

fn check_wall(source: &Source, path: &str, wall: &Wall, planar: bool) -> Result<(), SceneError> {
    check_shape(source, path, &wall.shape, planar)?;
    if !wall.shape.is_fixed() {
        let reason = "a wall is one body and has one size, not a range";
        return Err(source.fault(&format!("{path}.{}", wall.shape.kind), reason));
    }
    if let Some(q) = wall.orientation {
        check_quaternion(q).map_err(|reason| source.fault(&format!("{path}.orientation"), reason))?;
        check_flat(source, path, q, planar)?;
    }
    match &wall.motion {
        Some(motion) => check_motion(source, &format!("{path}.motion"), motion),
        None => Ok(()),
    }
}

fn check_motion(source: &Source, path: &str, motion: &MotionTable) -> Result<(), SceneError> {
    let steady = motion.velocity.is_some() || motion.spin.is_some();
    let swings = motion.amplitude.is_some() || motion.frequency.is_some() || motion.phase.is_some();
    let whole = motion.amplitude.is_some() && motion.frequency.is_some();
    match (steady, swings) {
        (true, true) => Err(source.fault(path, "velocity and spin do not go with amplitude, frequency and phase")),
        (false, true) if !whole => Err(source.fault(path, "an oscillation needs both amplitude and frequency")),
        (false, false) => Err(source.fault(path, "give velocity and spin, or amplitude and frequency")),
        _ => Ok(()),
    }
}

fn check_grains(source: &Source, path: &str, grains: &Grains, planar: bool) -> Result<(), SceneError> {
    check_shape(source, path, &grains.shape, planar)?;
    let field = |key: &str| format!("{path}.{key}");
    grains.orientation.check().map_err(|reason| source.fault(&field("orientation"), reason))?;
    if let Orientation::Fixed(q) = grains.orientation {
        check_flat(source, path, q, planar)?;
    }
    match &grains.size {
        Some(Number::List(_)) => return Err(source.fault(&field("size"), "must be one number or one distribution")),
        Some(Number::Fixed(size)) => positive(source, &field("size"), *size, "length")?,
        Some(Number::Drawn(distribution)) => {
            distribution.check().map_err(|reason| source.fault(&field("size"), reason))?;
            positive(source, &field("size"), distribution.bounds()[0], "length")?;
        }
        None => {}
    }
    if let Some(mass) = grains.mass {
        positive(source, &field("mass"), mass, "mass")?;
        if grains.count.is_some() {
            return Err(source.fault(&field("mass"), "give a count or a mass, not both"));
        }
    }
    check_placing(source, path, grains, planar)?;
    match grains.count {
        Some(0) => Err(source.fault(&field("count"), "must be at least 1")),
        Some(count) if count > MOST_BODIES => {
            let reason = format!("{count} grains are more than granum can hold, {MOST_BODIES}");
            Err(source.fault(&field("count"), reason))
        }
        _ => Ok(()),
    }
}

/// Grains are placed in one way.
fn check_placing(source: &Source, path: &str, grains: &Grains, planar: bool) -> Result<(), SceneError> {
    let field = |key: &str| format!("{path}.{key}");
    let given = [
        ("lattice", grains.lattice.is_some()),
        ("positions", grains.positions.is_some()),
        ("random", grains.random.is_some()),
        ("inlet", grains.inlet.is_some()),
        ("table", grains.table.is_some()),
    ];
    let mut ways = given.iter().filter(|(_, given)| *given).map(|(name, _)| *name);
    if let (Some(one), Some(other)) = (ways.next(), ways.next()) {
        return Err(source.fault(path, format!("give `{one}` or `{other}`, not both: grains are placed in one way")));
    }
    if let Some(lattice) = &grains.lattice {
        return check_lattice(source, &field("lattice"), lattice, planar);
    }
    if let Some(region) = &grains.random {
        check_box(source, &field("random"), region.min, region.max, planar)?;
        if grains.count.is_none() && grains.mass.is_none() {
            return Err(source.fault(path, "say how many: count = 1000, or mass = \"2 kg\""));
        }
        return Ok(());
    }
    if let Some(inlet) = &grains.inlet {
        return check_inlet(source, path, grains, inlet, planar);
    }
    let rows = match (&grains.positions, &grains.table) {
        (Some(positions), _) => positions.len(),
        (_, Some(table)) => table.rows.len(),
        _ => {
            let reason = "say where they are: with [grains.lattice], [grains.random], [grains.inlet], [grains.table], \
                          or positions = [[x, y, z], ...]";
            return Err(source.fault(path, reason));
        }
    };
    if grains.mass.is_some() {
        return Err(source.fault(&field("mass"), "the places say how many grains there are; drop the mass"));
    }
    match grains.count.filter(|count| *count != rows as u64) {
        Some(count) => {
            let what = if grains.table.is_some() { "rows" } else { "positions" };
            Err(source.fault(&field("count"), format!("there are {rows} {what} for {count} grains; drop the count")))
        }
        None => Ok(()),
    }
}

fn check_inlet(
    source: &Source,
    path: &str,
    grains: &Grains,
    inlet: &InletTable,
    planar: bool,
) -> Result<(), SceneError> {
    let field = |key: &str| format!("{path}.inlet.{key}");
    let whole = format!("{path}.inlet");
    match (inlet.min, inlet.max, inlet.centre, inlet.radius) {
        (Some(min), Some(max), None, None) => check_box(source, &whole, min, max, planar)?,
        (None, None, Some(_), Some(radius)) => positive(source, &field("radius"), radius, "length")?,
        _ => return Err(source.fault(&whole, "give min and max for a box, or centre and radius for a disc")),
    }
    if planar && inlet.normal.is_some() {
        return Err(source.fault(&field("normal"), "the disc of a planar scene lies in the plane; drop the normal"));
    }
    if inlet.normal.is_some_and(|normal| !(normal.is_finite() && normal.length() > 1e-6)) {
        return Err(source.fault(&field("normal"), "must be a direction that is not zero"));
    }
    for (key, rate) in [("rate", inlet.rate), ("mass_rate", inlet.mass_rate)] {
        if let Some(rate) = rate {
            positive(source, &field(key), rate, "rate")?;
        }
    }
    if inlet.start < 0.0 {
        return Err(source.fault(&field("start"), format!("must not be negative, not {}", inlet.start)));
    }
    if let Some(stop) = inlet.stop.filter(|stop| *stop <= inlet.start) {
        return Err(source.fault(&field("stop"), format!("must be after the start, {} s, not {stop}", inlet.start)));
    }
    let amount = grains.count.is_some() || grains.mass.is_some();
    match (inlet.rate.is_some(), inlet.mass_rate.is_some()) {
        (true, true) => Err(source.fault(&field("mass_rate"), "give a rate or a mass_rate, not both")),
        (false, false) if !(amount && inlet.stop.is_some()) => {
            let reason = "say how fast: rate (grains a second) or mass_rate (\"1 kg/s\"); or a count or mass of the \
                          grains and the time of the stop";
            Err(source.fault(&whole, reason))
        }
        _ => Ok(()),
    }
}

fn check_lattice(source: &Source, path: &str, lattice: &Lattice, planar: bool) -> Result<(), SceneError> {
    check_box(source, path, lattice.min, lattice.max, planar)?;
    if let Some(spacing) = lattice.spacing {
        positive(source, &format!("{path}.spacing"), spacing, "length")?;
    }
    if !(0.0..=1.0).contains(&lattice.jitter) {
        let reason = format!("must lie between 0 and 1, not {}", lattice.jitter);
        return Err(source.fault(&format!("{path}.jitter"), reason));
    }
    Ok(())
}
