//! Building a world: shapes, materials, laws and bodies.

use glam::DVec3;
use granum_geometry::{Measure, Pose, Shape};

use super::bodies::{Account, BoundingSphere, Kinetic, MotionKind, Tag, Twist, Wrench};
use super::material::MaterialUse;
use super::{BodyId, BodySpec, DrivenBody, Evaluation, Material, MaterialId, Motion, ShapeId, World, WorldError};
use crate::percussion::{Percussion, PercussionLaw};
use crate::rotation::InertiaKind;
use crate::smooth::ContactLaw;

impl World {
    /// Adds a shape. Returns an error if its sizes are impossible, or if it is planar and the world
    /// is not, or the reverse.
    pub fn add_shape(&mut self, shape: impl Into<Shape>) -> Result<ShapeId, WorldError> {
        let shape = shape.into().checked()?;
        if !shape.as_convex().realm().admits(self.planar) {
            return Err(WorldError::Realm { kind: shape.kind(), planar: self.planar });
        }
        self.shapes.push(shape);
        Ok(ShapeId(self.shapes.len() as u32 - 1))
    }

    /// Adds a material. Returns an error if its constants are impossible.
    pub fn add_material(&mut self, material: Material) -> Result<MaterialId, WorldError> {
        material.validate()?;
        let Ok(number) = u16::try_from(self.materials.len()) else {
            return Err(WorldError::Value("a world has at most 65,536 materials".into()));
        };
        self.materials.push(material);
        self.laws.resize(self.materials.len());
        if let Some(percussion) = &mut self.percussion {
            percussion.laws.resize(self.materials.len());
        }
        Ok(MaterialId(number))
    }

    /// Sets the smooth contact law of two materials. Their order does not matter. Returns an error
    /// if a constant of the law is impossible.
    pub fn set_law(&mut self, a: MaterialId, b: MaterialId, law: ContactLaw) -> Result<(), WorldError> {
        self.check_material(a)?;
        self.check_material(b)?;
        law.check().map_err(|error| WorldError::Value(error.to_string()))?;
        // A stiffer law changes the energy that present contacts store.
        self.change(|world| world.laws.set(a, b, law));
        Ok(())
    }

    /// Selects the percussion response instead of the smooth one. Every pair of materials that can
    /// meet then needs a [`PercussionLaw`].
    pub fn set_percussion(&mut self, mut percussion: Percussion) -> Result<(), WorldError> {
        if self.has_begun() {
            return Err(WorldError::HasBegun("the percussion response"));
        }
        percussion.check_settings()?;
        percussion.laws.resize(self.materials.len());
        self.percussion = Some(percussion);
        Ok(())
    }

    /// Sets the percussion law of two materials. Their order does not matter. Returns an error if a
    /// constant of the law is impossible.
    pub fn set_percussion_law(&mut self, a: MaterialId, b: MaterialId, law: PercussionLaw) -> Result<(), WorldError> {
        self.check_material(a)?;
        self.check_material(b)?;
        law.check()?;
        let Some(percussion) = &mut self.percussion else {
            return Err(WorldError::Value("a percussion law needs the percussion response: set it first".into()));
        };
        percussion.laws.set(a, b, law);
        Ok(())
    }

    /// Sets the measure of overlaps. It cannot change during a run: the springs of present contacts
    /// belong to the measure with which they began.
    pub fn set_measure(&mut self, measure: Measure) -> Result<(), WorldError> {
        if self.has_begun() && measure != self.measure {
            return Err(WorldError::HasBegun("the measure of overlaps"));
        }
        self.measure = measure;
        Ok(())
    }

    /// Adds a body and returns its id, which is the number of bodies added before.
    ///
    /// A body that is added during a run must not overlap another one, because the energy of the
    /// overlap would have no source. Its kinetic and potential energy are booked as work.
    pub fn add_body(&mut self, spec: BodySpec) -> Result<BodyId, WorldError> {
        let shape = self.shapes.get(spec.shape.0 as usize).ok_or(WorldError::UnknownShape(spec.shape))?;
        self.check_material(spec.material)?;
        spec.check(self.planar)?;
        let (mass, moments) = spec.mass_properties(shape, self.materials[spec.material.0 as usize].density);
        let is_grain = spec.motion == Motion::Dynamic;
        if is_grain && !(mass.is_finite() && mass > 0.0 && moments.cmpgt(DVec3::ZERO).all()) {
            return Err(WorldError::Value(format!("a body moved by forces needs a finite mass, not {mass} kg")));
        }
        if self.has_begun() {
            // Simulation::new checks the laws of all bodies that are there at the start.
            self.check_laws_of_new_body(spec.material, is_grain)?;
        }
        let orientation = spec.pose.orientation.normalize();
        // In a planar world only the moment about z is finite, so that nothing turns out of the
        // plane.
        let free = if self.planar { DVec3::Z } else { DVec3::ONE };
        let (motion, inverse_mass, inverse_moments) = match &spec.motion {
            Motion::Dynamic => (MotionKind::Dynamic, 1.0 / mass, free / moments),
            Motion::Fixed => (MotionKind::Fixed, 0.0, DVec3::ZERO),
            Motion::Driven(motion) if motion.is_guided() => (MotionKind::Guided, 0.0, DVec3::ZERO),
            Motion::Driven(_) => (MotionKind::Driven, 0.0, DVec3::ZERO),
        };
        let id = BodyId(self.bodies.len() as u32);
        let start = Pose { position: spec.pose.position, orientation };
        let angular = match spec.motion {
            Motion::Dynamic => orientation * (moments * (orientation.inverse() * spec.spin)),
            _ => DVec3::ZERO,
        };
        let (pose, twist) = match spec.motion {
            Motion::Dynamic => (start, Twist { velocity: spec.velocity, spin: spec.spin }),
            Motion::Fixed => (start, Twist::default()),
            Motion::Driven(motion) => {
                let (pose, twist) = motion.prescribed_at(self.time(), &start);
                self.add_driven(DrivenBody::new(id, motion, (start, 0.0), twist), pose)
            }
        };
        let convex = self.shapes[spec.shape.0 as usize].as_convex();
        let bodies = &mut self.bodies;
        bodies.sphere.push(BoundingSphere { centre: pose.position, radius: convex.bounding_radius() });
        bodies.remainder.push(DVec3::ZERO);
        bodies.orientation.push(pose.orientation);
        bodies.wrench.push(Wrench::default());
        bodies.angular_momentum.push(angular);
        bodies.inverse_moments.push(inverse_moments);
        let tag = Tag {
            shape: spec.shape,
            material: spec.material,
            kind: self.shapes[spec.shape.0 as usize].kind(),
            motion,
            inertia: InertiaKind::of(inverse_moments),
            is_ball: convex.is_ball(),
        };
        bodies.kinetic.push(Kinetic { twist, inverse_mass, tag });
        bodies.account.push(Account::default());
        bodies.id.push(id.0);
        bodies.index.push(id.0);
        if let Some(of_material) = self.material_use.get_mut(spec.material.0 as usize) {
            of_material.count(is_grain);
        }
        self.add_to_flow_meters(id);
        self.after_adding(id);
        Ok(id)
    }

    /// Books the energy of a new body, and discards forces that were computed without it.
    fn after_adding(&mut self, id: BodyId) {
        if !self.has_begun() {
            return;
        }
        if self.is_grain(id) {
            let (mass, twist) = (self.mass(id), self.twist(id));
            let kinetic =
                0.5 * mass * twist.velocity.length_squared() + 0.5 * twist.spin.dot(self.angular_momentum(id));
            self.booked_work += kinetic - mass * self.gravity.dot(self.position(id));
        }
        // Before the first step a new body may touch others: their forces are evaluated with it.
        if self.steps() == 0 {
            self.evaluation = Evaluation::Incomplete;
        }
    }

    /// Returns whether a simulation has started to move this world.
    pub(crate) fn has_begun(&self) -> bool {
        self.evaluation != Evaluation::NotBegun
    }

    fn check_material(&self, id: MaterialId) -> Result<(), WorldError> {
        if (id.0 as usize) < self.materials.len() { Ok(()) } else { Err(WorldError::UnknownMaterial(id)) }
    }

    /// Checks that a new body of a material has a law with every body that it can meet.
    fn check_laws_of_new_body(&mut self, material: MaterialId, is_grain: bool) -> Result<(), WorldError> {
        if self.material_use.len() != self.materials.len() {
            self.material_use = self.count_material_use();
        }
        for (number, of_material) in self.material_use.iter().enumerate() {
            let other = MaterialId(number as u16);
            let can_meet = if is_grain { of_material.bodies > 0 } else { of_material.grains > 0 };
            if can_meet && !self.has_law(material, other) {
                return Err(self.missing_law(material, other));
            }
        }
        Ok(())
    }

    pub(super) fn count_material_use(&self) -> Vec<MaterialUse> {
        let mut counts = vec![MaterialUse::default(); self.materials.len()];
        for Kinetic { tag, .. } in &self.bodies.kinetic {
            counts[tag.material.0 as usize].count(tag.is_dynamic());
        }
        counts
    }

    /// Returns whether two materials have a law of the response in use.
    pub(super) fn has_law(&self, a: MaterialId, b: MaterialId) -> bool {
        match &self.percussion {
            Some(percussion) => percussion.laws.get(a, b).is_some(),
            None => self.laws.get(a, b).is_some(),
        }
    }

    pub(super) fn missing_law(&self, a: MaterialId, b: MaterialId) -> WorldError {
        let name = |id: MaterialId| self.materials[id.0 as usize].name.clone();
        WorldError::NoLaw(name(a), name(b))
    }
}
