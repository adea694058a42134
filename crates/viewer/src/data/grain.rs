//! All data of one body, with all digits.

use granum_engine::{BodyId, BodyState};
use granum_picture::Subject;
use serde_json::{Value, json};

/// Returns the body with this id and its contacts, or `None` if the frame has no such body.
pub(crate) fn grain(subject: &Subject, id: BodyId) -> Option<Value> {
    let index = subject.bodies.binary_search_by_key(&id, |body: &BodyState| body.id).ok()?;
    let body = &subject.bodies[index];
    let shape = &subject.shapes[body.shape.0 as usize];
    let [x, y, z, w] = body.orientation.to_array();
    let contacts = subject.contacts.iter().filter(|contact| contact.a == id || contact.b == id).map(|contact| {
        let (partner, sign) = if contact.a == id { (contact.b, -1.0) } else { (contact.a, 1.0) };
        json!({
            "with": partner.0, "point": contact.point.to_array(), "normal": (sign * contact.normal).to_array(),
            "force": (sign * contact.force).to_array(), "gap": finite(contact.gap),
        })
    });
    Some(json!({
        "id": id.0,
        "kind": shape.kind().name(),
        "shape": shape_text(shape),
        "material": subject.materials.get(body.material.0 as usize),
        "position": body.position.to_array(),
        "orientation": [w, x, y, z],
        "velocity": body.velocity.to_array(),
        "spin": body.spin.to_array(),
        "mass": finite(body.mass),
        "contacts": contacts.collect::<Vec<_>>(),
    }))
}

/// Returns the sizes of a shape. The triangles of a surface would be too long.
fn shape_text(shape: &granum_geometry::Shape) -> Value {
    match shape {
        granum_geometry::Shape::Surface(surface) => json!({"triangles": surface.mesh().triangles().len()}),
        shape => serde_json::to_value(shape).unwrap_or_default(),
    }
}

/// JSON has no infinite numbers.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
