//! Reader of point clouds in the LAS format, versions 1.0 to 1.4 \[ASPRS2019\].
//!
//! Only the coordinates are read. They are the first three integers of each record in every point
//! format, with scale and offset in the header.

use glam::DVec3;

use super::{Surface, bytes_at};

/// Bytes of the shortest header, that of version 1.0.
const HEADER: usize = 227;

/// Bit of the point format that marks compressed data (LAZ).
const COMPRESSED: u8 = 0x80;

/// Bytes of the three coordinates of a record.
const COORDINATES: usize = 12;

/// Returns the points of a file.
pub fn surface(bytes: &[u8]) -> Result<Surface, String> {
    if !bytes.starts_with(b"LASF") {
        return Err("byte 0: the file does not begin with `LASF`".to_owned());
    }
    if bytes.len() < HEADER {
        return Err(format!("byte {}: the file ends inside its header", bytes.len()));
    }
    let [_, minor] = bytes_at::<2>(bytes, 24)?;
    let start = u32::from_le_bytes(bytes_at(bytes, 96)?) as usize;
    let [format] = bytes_at::<1>(bytes, 104)?;
    if format & COMPRESSED != 0 {
        return Err("byte 104: the points are compressed (LAZ); write them as LAS first".to_owned());
    }
    let record = usize::from(u16::from_le_bytes(bytes_at(bytes, 105)?));
    if record < COORDINATES {
        return Err(format!("byte 105: a point of {record} bytes has no three coordinates"));
    }
    let short = u64::from(u32::from_le_bytes(bytes_at(bytes, 107)?));
    // From version 1.4 on, large files leave the first number 0.
    let count = if minor >= 4 && short == 0 { u64::from_le_bytes(bytes_at(bytes, 247)?) } else { short };
    let there = bytes.len().saturating_sub(start) / record;
    if count > there as u64 {
        let length = bytes.len();
        return Err(format!("byte {length}: the file ends after {there} of {count} points"));
    }
    let numbers = |at: usize| -> Result<DVec3, String> {
        let number = |k: usize| bytes_at(bytes, at + 8 * k).map(f64::from_le_bytes);
        let vector = DVec3::new(number(0)?, number(1)?, number(2)?);
        if vector.is_finite() { Ok(vector) } else { Err(format!("byte {at}: the numbers {vector} are not finite")) }
    };
    let (scale, offset) = (numbers(131)?, numbers(155)?);
    let points = bytes.get(start..).unwrap_or_default().chunks_exact(record).take(count as usize);
    let mut vertices = Vec::with_capacity(count as usize);
    for (k, point) in points.enumerate() {
        let integer =
            |at: usize| f64::from(i32::from_le_bytes([point[at], point[at + 1], point[at + 2], point[at + 3]]));
        let vertex = scale * DVec3::new(integer(0), integer(4), integer(8)) + offset;
        if !vertex.is_finite() {
            return Err(format!("byte {}: the point {vertex} is not finite", start + k * record));
        }
        vertices.push(vertex);
    }
    Ok(Surface { vertices, triangles: Vec::new(), is_cloud: true })
}
