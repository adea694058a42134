//! What a scene must satisfy beyond its types. Each fault is named by its field.

use glam::DVec3;

use crate::format::{Container, Face, Grains, Lattice, MotionTable, NormalName, Scene, Wall};
use crate::shape_table::ShapeTable;
use crate::source::{SceneError, Source};
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
        self.check_materials()?;
        self.check_contacts()?;
        if let Some(container) = &self.container {
            self.check_material("container.material", &container.material)?;
            check_box(source, "container", container.min, container.max, self.is_planar())?;
            check_faces(source, container, self.is_planar())?;
        }
        for (index, wall) in self.walls.iter().enumerate() {
            let path = format!("walls[{index}]");
            self.check_material(&format!("{path}.material"), &wall.material)?;
            check_wall(source, &path, wall)?;
        }
        for (index, grains) in self.grains.iter().enumerate() {
            let path = format!("grains[{index}]");
            self.check_material(&format!("{path}.material"), &grains.material)?;
            check_grains(source, &path, grains, self.is_planar())?;
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
            if self.is_planar() && contact.law == NormalName::Hertz {
                let reason = "planar bodies touch along a line, for which Hertz's law does not hold; use \"linear\"";
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

fn check_faces(source: &Source, container: &Container, planar: bool) -> Result<(), SceneError> {
    for (index, face) in container.open.iter().enumerate() {
        if planar && matches!(face, Face::Front | Face::Back) {
            let reason = "a planar container has the faces left, right, bottom and top";
            return Err(source.fault(&format!("container.open[{index}]"), reason));
        }
        if container.open[..index].contains(face) {
            return Err(source.fault(&format!("container.open[{index}]"), "this face is open already"));
        }
    }
    Ok(())
}

fn check_shape(source: &Source, path: &str, shape: &ShapeTable) -> Result<(), SceneError> {
    shape.extremes().map(|_| ()).map_err(|fault| fault.of(source, path, shape))
}

fn check_wall(source: &Source, path: &str, wall: &Wall) -> Result<(), SceneError> {
    check_shape(source, path, &wall.shape)?;
    if !wall.shape.is_fixed() {
        let reason = "a wall is one body and has one size, not a range";
        return Err(source.fault(&format!("{path}.{}", wall.shape.kind), reason));
    }
    if let Some(q) = wall.orientation {
        let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        // A norm beyond these was meant to be zero, or was never a quaternion.
        if !(1e-6..=1e6).contains(&norm) {
            let reason = format!("must be a quaternion [w, x, y, z] that is not zero, not {q:?}");
            return Err(source.fault(&format!("{path}.orientation"), reason));
        }
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
    check_shape(source, path, &grains.shape)?;
    if grains.orientation.is_some() && !planar {
        return Err(source.fault(&format!("{path}.orientation"), "random orientations are for planar scenes"));
    }
    match (&grains.lattice, &grains.positions) {
        (Some(lattice), None) => check_lattice(source, &format!("{path}.lattice"), lattice, planar)?,
        (None, Some(_)) => {}
        (None, None) => {
            let reason = "say where they are: with [grains.lattice], or positions = [[x, y, z], ...]";
            return Err(source.fault(path, reason));
        }
        (Some(_), Some(_)) => return Err(source.fault(path, "give a lattice or positions, not both")),
    }
    match grains.count {
        Some(0) => Err(source.fault(&format!("{path}.count"), "must be at least 1")),
        Some(count) if count > MOST_BODIES => {
            let reason = format!("{count} grains are more than granum can hold, {MOST_BODIES}");
            Err(source.fault(&format!("{path}.count"), reason))
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
