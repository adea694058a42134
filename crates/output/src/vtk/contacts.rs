//! Contacts as lines between centres: `contacts_000000.vtp`. Tubes along them show the force
//! chains.

use std::io;
use std::path::Path;

use glam::DVec3;
use granum_engine::{BodyId, BodyState, ContactState};

use super::bodies::ShapeFacts;
use super::poly_data::{PolyData, Section};
use super::read::{Damage, Document};

/// Writes the contacts. A line to a wall ends in the contact point instead of the centre of the
/// wall.
pub(crate) fn write(
    path: &Path,
    step: u64,
    time: f64,
    contacts: &[ContactState],
    bodies: &[BodyState],
    facts: &[ShapeFacts],
) -> io::Result<()> {
    use Section::{CellData, Lines, PointData, Points};
    let end = |id: BodyId, point: DVec3| match find(bodies, id) {
        Some(body) if facts[body.shape.0 as usize].is_bounded() => body.position.as_vec3().to_array(),
        _ => point.as_vec3().to_array(),
    };
    let mut file = PolyData::new(step, time, r#" Scalars="normal_force""#);
    file.array(Points, "ends", contacts.iter().flat_map(|c| [end(c.a, c.point), end(c.b, c.point)]));
    file.array(CellData, "a", contacts.iter().map(|c| [c.a.0]));
    file.array(CellData, "b", contacts.iter().map(|c| [c.b.0]));
    file.array(CellData, "point", contacts.iter().map(|c| c.point.to_array()));
    file.array(CellData, "normal", contacts.iter().map(|c| c.normal.to_array()));
    file.array(CellData, "gap", contacts.iter().map(|c| [c.gap]));
    file.array(CellData, "force", contacts.iter().map(|c| c.force.to_array()));
    file.array(CellData, "couple", contacts.iter().map(|c| c.torque.to_array()));
    file.array(CellData, "normal_force", contacts.iter().map(|c| [normal_force(c) as f32]));
    file.array(CellData, "tangential_force", contacts.iter().map(|c| [tangential_force(c) as f32]));
    // The force is repeated on the points, because the radius of a tube can depend on point data
    // only.
    file.array(PointData, "normal_force", contacts.iter().flat_map(|c| [[normal_force(c) as f32]; 2]));
    file.cells(Lines, contacts.len(), 2, 0..2 * contacts.len() as u32)?;
    file.write(path)
}

/// Reads the contacts back.
pub(crate) fn read(file: &Document) -> Result<Vec<ContactState>, Damage> {
    use Section::CellData;
    let count = file.head.lines;
    let mut b = file.array::<u32, 1>(CellData, "b", count)?;
    let mut point = file.array::<f64, 3>(CellData, "point", count)?;
    let mut normal = file.array::<f64, 3>(CellData, "normal", count)?;
    let mut gap = file.array::<f64, 1>(CellData, "gap", count)?;
    let mut force = file.array::<f64, 3>(CellData, "force", count)?;
    let mut torque = file.array::<f64, 3>(CellData, "couple", count)?;
    let a = file.array::<u32, 1>(CellData, "a", count)?;
    let contacts = a.map_while(|[a]| {
        Some(ContactState {
            a: BodyId(a),
            b: BodyId(b.next()?[0]),
            point: point.next()?.into(),
            normal: normal.next()?.into(),
            gap: gap.next()?[0],
            force: force.next()?.into(),
            torque: torque.next()?.into(),
        })
    });
    Ok(contacts.collect())
}

/// Returns a body by its id. Bodies are sorted by id, usually without gaps.
fn find(bodies: &[BodyState], id: BodyId) -> Option<&BodyState> {
    match bodies.get(id.0 as usize) {
        Some(body) if body.id == id => Some(body),
        _ => bodies.binary_search_by_key(&id, |body| body.id).ok().map(|k| &bodies[k]),
    }
}

/// Returns the normal force, N, positive in compression.
pub(crate) fn normal_force(contact: &ContactState) -> f64 {
    contact.force.dot(contact.normal)
}

/// Returns the magnitude of the tangential force, N.
pub(crate) fn tangential_force(contact: &ContactState) -> f64 {
    (contact.force - normal_force(contact) * contact.normal).length()
}
