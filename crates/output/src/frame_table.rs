//! A frame as CSV tables in SI units: one row per body, one per contact, and one per triangle of a
//! wall that grains have touched. Bodies and contacts have all digits.

use std::io::{self, Write};

use granum_geometry::{Pose, Shape};

use crate::run_folder::Frame;
use crate::vtk::contacts::{normal_force, tangential_force};

/// Columns of the body table. Names and order are a public contract.
#[rustfmt::skip]
const BODY_COLUMNS: [&str; 19] = [
    "id", "shape", "kind", "material", "x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz", "mass",
    "radius",
];

/// Columns of the contact table. Names and order are a public contract.
#[rustfmt::skip]
const CONTACT_COLUMNS: [&str; 17] = [
    "a", "b", "x", "y", "z", "nx", "ny", "nz", "gap", "fx", "fy", "fz", "cx", "cy", "cz", "normal_force",
    "tangential_force",
];

/// Columns of the table of load and wear. Names and order are a public contract.
#[rustfmt::skip]
const WEAR_COLUMNS: [&str; 13] = [
    "wall", "triangle", "x", "y", "z", "nx", "ny", "nz", "area", "pressure", "peak_pressure", "friction_work",
    "impact_work",
];

/// Returns whether a line is the heading of one of the tables.
pub(crate) fn is_heading(line: &[u8]) -> bool {
    [BODY_COLUMNS.join(","), CONTACT_COLUMNS.join(","), WEAR_COLUMNS.join(",")]
        .iter()
        .any(|heading| heading.as_bytes() == line)
}

/// Writes the bodies of a frame: position, orientation (real part first), velocity, spin in world
/// axes, mass and bounding radius. Mass and radius of walls are `inf`.
pub(crate) fn write_bodies(frame: &Frame, file: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::WriterBuilder::new().has_headers(false).from_writer(file);
    table.write_record(BODY_COLUMNS)?;
    for body in &frame.bodies {
        let shape = &frame.shapes[body.shape.0 as usize];
        let [qx, qy, qz, qw] = body.orientation.to_array();
        table.serialize((
            (body.id.0, body.shape.0, shape.kind().name(), &frame.materials[body.material.0 as usize]),
            (body.position.to_array(), [qw, qx, qy, qz], body.velocity.to_array(), body.spin.to_array()),
            (body.mass, shape.as_convex().bounding_radius()),
        ))?;
    }
    table.flush()
}

/// Writes the contacts of a frame: the two ids, point, normal from a to b, gap, force and torque on
/// b.
pub(crate) fn write_contacts(frame: &Frame, file: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::WriterBuilder::new().has_headers(false).from_writer(file);
    table.write_record(CONTACT_COLUMNS)?;
    for contact in &frame.contacts {
        table.serialize((
            (contact.a.0, contact.b.0, contact.point.to_array(), contact.normal.to_array(), contact.gap),
            (contact.force.to_array(), contact.torque.to_array()),
            (normal_force(contact), tangential_force(contact)),
        ))?;
    }
    table.flush()
}

/// Writes load and wear of surfaces: the id of the wall, index, middle, unit normal and area of the
/// triangle, pressures and works. Triangles that no grain has touched are left out.
pub(crate) fn write_wear(frame: &Frame, file: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::WriterBuilder::new().has_headers(false).from_writer(file);
    table.write_record(WEAR_COLUMNS)?;
    for surface in &frame.wear {
        let Some(body) = frame.bodies.iter().find(|body| body.id == surface.body) else { continue };
        let Shape::Surface(shape) = &frame.shapes[body.shape.0 as usize] else { continue };
        let (mesh, pose) = (shape.mesh(), Pose { position: body.position, orientation: body.orientation });
        for wear in &surface.triangles {
            let [a, b, c] = mesh.corners(wear.triangle as usize);
            let area = pose.orientation * mesh.vector_area(wear.triangle as usize);
            table.serialize((
                (surface.body.0, wear.triangle, pose.point((a + b + c) / 3.0).to_array()),
                (area.normalize_or_zero().to_array(), area.length()),
                (wear.pressure, wear.peak_pressure, wear.friction_work, wear.impact_work),
            ))?;
        }
    }
    table.flush()
}
