//! What a picture is of: the bodies and contacts of one instant.

use granum_engine::{BodyState, ContactState};
use granum_geometry::{Aabb, Shape};

/// The bodies and contacts of one instant.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// Time, s.
    pub time: f64,
    /// The bodies by id, walls included.
    pub bodies: &'a [BodyState],
    /// The contacts by (a, b).
    pub contacts: &'a [ContactState],
    /// The shapes by their ids.
    pub shapes: &'a [Shape],
    /// Names of the materials by their ids; may be empty.
    pub materials: &'a [String],
}

impl<'a> Subject<'a> {
    /// The shape of a body.
    pub(crate) fn shape(&self, body: &BodyState) -> &'a Shape {
        &self.shapes[body.shape.0 as usize]
    }

    /// Whether forces move a body: it is a grain, not a wall or an obstacle.
    pub(crate) fn is_grain(body: &BodyState) -> bool {
        body.mass.is_finite()
    }

    /// The smallest box around all bounded bodies that have a place.
    pub fn bounds(&self) -> Aabb {
        let bounded = self.bodies.iter().map(|body| (body.position, self.shape(body).as_convex().bounding_radius()));
        bounded
            .filter(|(centre, radius)| radius.is_finite() && centre.is_finite())
            .fold(Aabb::EMPTY, |bounds, (centre, radius)| bounds.including(centre, radius))
    }

    /// Where a body of this id stands in the list.
    pub(crate) fn index_of(&self, id: granum_engine::BodyId) -> Option<usize> {
        self.bodies.binary_search_by_key(&id, |body| body.id).ok()
    }
}
