//! The subject of a picture: bodies and contacts at one instant.

use glam::DVec3;
use granum_engine::{BodyState, ContactState, SurfaceWear};
use granum_geometry::shape::{Realm, Surface};
use granum_geometry::{Aabb, Pose, Shape};

/// The bodies and contacts of one instant.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// Time, s.
    pub time: f64,
    /// The bodies by id, including walls.
    pub bodies: &'a [BodyState],
    /// The contacts by (a, b).
    pub contacts: &'a [ContactState],
    /// Load and wear of surfaces; empty if they are not recorded.
    pub wear: &'a [SurfaceWear],
    /// The shapes by their ids.
    pub shapes: &'a [Shape],
    /// Names of the materials by their ids; may be empty.
    pub materials: &'a [String],
}

impl<'a> Subject<'a> {
    /// Returns the shape of a body.
    pub(crate) fn shape(&self, body: &BodyState) -> &'a Shape {
        &self.shapes[body.shape.0 as usize]
    }

    /// Returns the triangulated surfaces with the indices and the poses of their bodies.
    pub(crate) fn surfaces(&self) -> impl Iterator<Item = (usize, &'a Surface, Pose)> {
        let Self { bodies, shapes, .. } = *self;
        bodies.iter().enumerate().filter_map(|(index, body)| match &shapes[body.shape.0 as usize] {
            Shape::Surface(surface) if body.position.is_finite() && body.orientation.is_finite() => {
                Some((index, surface, Pose { position: body.position, orientation: body.orientation }))
            }
            _ => None,
        })
    }

    /// Returns whether a body is a grain, which forces move, and not a wall or an obstacle.
    pub(crate) fn is_grain(body: &BodyState) -> bool {
        body.mass.is_finite()
    }

    /// Returns the bounding box of all bounded bodies with finite positions.
    pub fn bounds(&self) -> Aabb {
        let mut bounds = Aabb::EMPTY;
        for body in self.bodies.iter().filter(|body| body.position.is_finite() && body.orientation.is_finite()) {
            let convex = self.shape(body).as_convex();
            let radius = convex.drawn_radius();
            if Self::is_grain(body) && radius.is_finite() {
                bounds = bounds.including(body.position, radius);
            } else if radius.is_finite() {
                // An obstacle may lie far from its origin, so that its bounding ball would be too
                // large.
                let own = convex.aabb(&Pose { position: body.position, orientation: body.orientation });
                bounds = Aabb { min: bounds.min.min(own.min), max: bounds.max.max(own.max) };
            }
        }
        bounds
    }

    /// Returns the upward direction: y in a planar scene, z in space.
    pub(crate) fn up(&self) -> DVec3 {
        let planar = self.shapes.iter().any(|shape| shape.as_convex().realm() == Realm::Plane);
        if planar { DVec3::Y } else { DVec3::Z }
    }

    /// Returns the index of the body with this id.
    pub(crate) fn index_of(&self, id: granum_engine::BodyId) -> Option<usize> {
        self.bodies.binary_search_by_key(&id, |body| body.id).ok()
    }
}
