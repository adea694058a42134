//! Grains at other poses, between two steps: for programs that move grains by themselves.

use glam::{DQuat, DVec3};
use granum_geometry::Pose;

use super::body_spec::{is_about_z, is_in_plane};
use super::{BodyId, Evaluation, World, WorldError};

/// Largest deviation of the norm of an orientation from 1 that is rounding. The orientation is
/// normalised.
const ROUNDING: f64 = 1e-6;

impl World {
    /// Places grains at other poses. The contact forces are outdated then, and the caller books the
    /// energy after it has evaluated them.
    pub(crate) fn place(&mut self, poses: &[(BodyId, Pose)]) -> Result<(), WorldError> {
        let mut is_placed = vec![false; self.bodies.len()];
        for (id, pose) in poses {
            let k = self.checked_index(*id)?;
            self.check_placement(*id, k, pose)?;
            is_placed[k] = true;
        }
        // The springs and losses of the present contacts belong to the present poses.
        self.release(&is_placed);
        for (id, pose) in poses {
            let k = self.checked_index(*id)?;
            let spin = self.bodies.kinetic[k].twist.spin;
            self.bodies.sphere[k].centre = pose.position;
            self.bodies.remainder[k] = DVec3::ZERO;
            if self.bodies.orientation[k] != pose.orientation {
                self.bodies.orientation[k] = pose.orientation.normalize();
                // The angular momentum follows from the spin and the new axes.
                self.bodies.rotation_mut(k).set_spin(spin);
            }
        }
        self.reset_flow_meters();
        if self.evaluation != Evaluation::NotBegun {
            self.evaluation = Evaluation::Outdated;
        }
        Ok(())
    }

    fn check_placement(&self, id: BodyId, k: usize, pose: &Pose) -> Result<(), WorldError> {
        if !self.bodies.kinetic[k].tag.is_dynamic() {
            return Err(WorldError::Value(format!("body {} is not a grain: its motion gives its pose", id.0)));
        }
        if !pose.position.is_finite() {
            return Err(WorldError::Value(format!("the position of body {} must be finite", id.0)));
        }
        let norm = pose.orientation.length();
        if !((1.0 - ROUNDING)..=(1.0 + ROUNDING)).contains(&norm) {
            let reason = format!("the orientation of body {} must be a quaternion of norm 1, not {norm}", id.0);
            return Err(WorldError::Value(reason));
        }
        if self.planar && !(is_in_plane(pose.position) && is_rotation_in_plane(pose.orientation)) {
            return Err(WorldError::Value("in a planar world a body lies and turns in the plane z = 0".into()));
        }
        Ok(())
    }
}

fn is_rotation_in_plane(orientation: DQuat) -> bool {
    is_about_z(DVec3::new(orientation.x, orientation.y, orientation.z))
}
