//! Triangulated surfaces of a frame: `walls_000000.vtp`.
//!
//! The geometry of a surface is written once, to the file of its shape (`mesh.rs`). A frame
//! contains what that file does not show: surfaces that have moved, and those triangles of the others that
//! grains have touched, with their load and wear.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use glam::{DQuat, DVec3};
use granum_engine::{BodyId, BodyState, SurfaceWear, TriangleWear};
use granum_geometry::{Pose, Shape};

use super::poly_data::{PolyData, Section};
use super::read::{Damage, Document, Head};
use crate::catalogue::surface_file;

/// What the collection of ParaView needs to know of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WallFrame {
    /// Shapes that are seen where their own files show them.
    pub at_rest: Vec<u32>,
    /// True if the file has triangles.
    pub has_triangles: bool,
}

impl WallFrame {
    /// Returns the frame that the header of its file describes.
    pub(crate) fn of(head: &Head) -> Self {
        Self { at_rest: head.at_rest.clone(), has_triangles: head.polys > 0 }
    }

    /// Returns the files that show the frame: those of shapes, in the folder `shapes`, and its own.
    pub(crate) fn parts(&self, own: String, shapes: &str) -> Vec<String> {
        let at_rest = self.at_rest.iter().map(|&shape| format!("{shapes}{}", surface_file(shape as usize)));
        at_rest.chain(self.has_triangles.then_some(own)).collect()
    }
}

/// Triangles of all surfaces, in world axes.
#[derive(Default)]
struct Triangles {
    points: Vec<DVec3>,
    corners: Vec<u32>,
    owners: Vec<u32>,
    numbers: Vec<u32>,
    wear: Vec<TriangleWear>,
}

/// Returns the load of a triangle that no grain has touched.
fn untouched(triangle: u32) -> TriangleWear {
    TriangleWear { triangle, pressure: 0.0, peak_pressure: 0.0, friction_work: 0.0, impact_work: 0.0 }
}

/// Writes the surfaces.
pub(crate) fn write(
    path: &Path,
    step: u64,
    time: f64,
    bodies: &[BodyState],
    shapes: &[Shape],
    wear: &[SurfaceWear],
) -> io::Result<WallFrame> {
    use Section::{CellData, PointData, Points, Polys};
    let mut frame = WallFrame::default();
    let mut all = Triangles::default();
    for body in bodies {
        let Shape::Surface(surface) = &shapes[body.shape.0 as usize] else { continue };
        let worn = wear.iter().find(|worn| worn.body == body.id).map_or(&[][..], |worn| &worn.triangles);
        let pose = Pose { position: body.position, orientation: body.orientation };
        let is_at_rest = body.position == DVec3::ZERO && body.orientation == DQuat::IDENTITY;
        if is_at_rest {
            frame.at_rest.push(body.shape.0);
            all.add(body.id, &pose, surface.mesh(), worn.iter().copied());
        } else {
            let mut worn = worn.iter().peekable();
            let count = surface.mesh().triangles().len() as u32;
            let each = |number| worn.next_if(|worn| worn.triangle == number).copied().unwrap_or(untouched(number));
            all.add(body.id, &pose, surface.mesh(), (0..count).map(each));
        }
    }
    let mut file = PolyData::new(step, time, r#" Scalars="height""#);
    file.list("at_rest", &frame.at_rest);
    file.array(Points, "position", all.points.iter().map(|point| point.to_array()));
    file.array(PointData, "height", all.points.iter().map(|point| [point.z as f32]));
    file.array(CellData, "id", all.owners.iter().map(|&id| [id]));
    file.array(CellData, "triangle", all.numbers.iter().map(|&number| [number]));
    if !wear.is_empty() {
        file.array(CellData, "pressure", all.wear.iter().map(|wear| [wear.pressure as f32]));
        file.array(CellData, "peak_pressure", all.wear.iter().map(|wear| [wear.peak_pressure as f32]));
        file.array(CellData, "friction_work", all.wear.iter().map(|wear| [wear.friction_work as f32]));
        file.array(CellData, "impact_work", all.wear.iter().map(|wear| [wear.impact_work as f32]));
    }
    let count = all.owners.len();
    frame.has_triangles = count > 0;
    file.cells(Polys, count, 3, all.corners.into_iter())?;
    file.write(path)?;
    Ok(frame)
}

impl Triangles {
    /// Adds triangles of a surface, with the points that they need.
    fn add(
        &mut self,
        body: BodyId,
        pose: &Pose,
        mesh: &granum_geometry::TriangleMesh,
        triangles: impl Iterator<Item = TriangleWear>,
    ) {
        let mut point_of: BTreeMap<u32, u32> = BTreeMap::new();
        for wear in triangles {
            for vertex in mesh.triangles()[wear.triangle as usize] {
                let point = *point_of.entry(vertex).or_insert_with(|| {
                    self.points.push(pose.point(mesh.vertices()[vertex as usize]));
                    self.points.len() as u32 - 1
                });
                self.corners.push(point);
            }
            self.owners.push(body.0);
            self.numbers.push(wear.triangle);
            self.wear.push(wear);
        }
    }
}

/// Reads load and wear back. Triangles that no grain has touched are left out.
pub(crate) fn read(file: &Document) -> Result<Vec<SurfaceWear>, Damage> {
    use Section::CellData;
    let count = file.head.polys;
    let mut found: Vec<SurfaceWear> = Vec::new();
    if !file.head.has(CellData, "pressure") {
        return Ok(found);
    }
    let ids = file.array::<u32, 1>(CellData, "id", count)?;
    let mut triangles = file.array::<u32, 1>(CellData, "triangle", count)?;
    let mut pressure = file.array::<f32, 1>(CellData, "pressure", count)?;
    let mut peak = file.array::<f32, 1>(CellData, "peak_pressure", count)?;
    let mut friction = file.array::<f32, 1>(CellData, "friction_work", count)?;
    let mut impact = file.array::<f32, 1>(CellData, "impact_work", count)?;
    for [id] in ids {
        let next = |values: &mut dyn Iterator<Item = [f32; 1]>| values.next().map_or(0.0, |[value]| f64::from(value));
        let wear = TriangleWear {
            triangle: triangles.next().map_or(0, |[triangle]| triangle),
            pressure: next(&mut pressure),
            peak_pressure: next(&mut peak),
            friction_work: next(&mut friction),
            impact_work: next(&mut impact),
        };
        if found.last().is_none_or(|surface| surface.body.0 != id) {
            found.push(SurfaceWear { body: BodyId(id), triangles: Vec::new() });
        }
        if wear != untouched(wear.triangle)
            && let Some(surface) = found.last_mut()
        {
            surface.triangles.push(wear);
        }
    }
    Ok(found)
}
