//! One frame as the page reads it: poses, and on demand quantities and contacts.

use glam::{DQuat, DVec3};
use granum_engine::{BodyId, BodyState};
use granum_picture::Subject;
use serde_json::Value;

use super::message::Message;
use super::quantities;

/// Largest component of an orientation in a message.
const UNIT: f64 = i16::MAX as f64;

/// What a message contains besides the poses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Names of quantities.
    pub quantities: Vec<String>,
    /// Contacts with their forces.
    pub contacts: bool,
}

/// Returns a frame. Positions are relative to `origin`, so that single precision suffices far from
/// the origin of the scene.
pub fn message(step: u64, subject: &Subject, origin: DVec3, contents: &Contents) -> Message {
    let bodies = subject.bodies;
    let mut message = Message::default();
    message.set("step", step);
    message.set("time", subject.time);
    message.set("count", bodies.len());
    message.set("shapes", subject.shapes.len());
    let fixed = bodies.iter().enumerate().filter(|(_, body)| !body.is_grain());
    message.set("fixed", fixed.map(|(index, _)| Value::from(index)).collect::<Vec<_>>());
    message.array("position", bodies.iter().flat_map(|body| (body.position - origin).as_vec3().to_array()));
    message.array("orientation", bodies.iter().flat_map(|body| rounded(body.orientation)));
    if subject.shapes.len() <= usize::from(u16::MAX) + 1 {
        message.array("shape", bodies.iter().map(|body| body.shape.0 as u16));
    } else {
        message.array("shape", bodies.iter().map(|body| body.shape.0));
    }
    // Most runs remove no body, and ids are then the indices.
    if bodies.iter().enumerate().any(|(index, body)| body.id.0 as usize != index) {
        message.array("id", bodies.iter().map(|body| body.id.0));
    }
    for name in &contents.quantities {
        if let Some(values) = quantities::values(name, subject) {
            message.array(&format!("quantity {name}"), values.into_iter().map(|value| value as f32));
        }
    }
    if contents.contacts {
        add_contacts(&mut message, subject, origin);
    }
    message
}

/// Returns an orientation as x, y, z, w in 16 bits each: an error of 3e-5 rad at most.
fn rounded(orientation: DQuat) -> [i16; 4] {
    orientation.to_array().map(|x| (UNIT * x).round() as i16)
}

/// Adds the contacts as lines: between two grains from centre to centre, at a wall from the centre of
/// the grain to the contact point.
fn add_contacts(message: &mut Message, subject: &Subject, origin: DVec3) {
    let index_of = |id: BodyId| subject.bodies.binary_search_by_key(&id, |body: &BodyState| body.id).ok();
    let lines: Vec<([u32; 2], [DVec3; 2], f64)> = subject
        .contacts
        .iter()
        .filter_map(|contact| {
            let pair = [index_of(contact.a)?, index_of(contact.b)?];
            let end = |index: usize| {
                let body = &subject.bodies[index];
                if body.is_grain() { body.position } else { contact.point }
            };
            Some((pair.map(|index| index as u32), pair.map(end), contact.force.length()))
        })
        .collect();
    message.array("contact_pair", lines.iter().flat_map(|(pair, ..)| *pair));
    let ends = lines.iter().flat_map(|(_, ends, _)| *ends);
    message.array("contact_ends", ends.flat_map(|end| (end - origin).as_vec3().to_array()));
    message.array("contact_force", lines.iter().map(|(.., force)| *force as f32));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_orientations_are_exact_enough() {
        for k in 0..100 {
            let angle = 0.37 * f64::from(k);
            let exact = DQuat::from_axis_angle(DVec3::new(0.3, -0.5, 0.8).normalize(), angle);
            let back = DQuat::from_array(rounded(exact).map(|x| f64::from(x) / UNIT)).normalize();
            assert!(exact.angle_between(back).min(exact.angle_between(-back)) < 6e-5);
        }
    }
}
