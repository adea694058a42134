//! Bodies as points: `frame_000000.vtp`.

use std::io;
use std::path::Path;

use glam::{DQuat, DVec3};
use granum_engine::{BodyId, BodyState, MaterialId, ShapeId};
use granum_geometry::Shape;

use super::poly_data::{PolyData, Section};
use super::read::{Damage, Document};

/// Sizes of a shape for glyphs. They are zero for an unbounded shape, so that a wall hides nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShapeFacts {
    kind: u8,
    /// Radius of the bounding ball, m.
    radius: f64,
    /// Half the size along each body axis, m.
    semi_axes: DVec3,
}

impl ShapeFacts {
    pub(crate) fn of(shape: &Shape) -> Self {
        let (kind, convex) = (shape.kind() as u8, shape.as_convex());
        let radius = convex.bounding_radius();
        if !radius.is_finite() {
            return Self { kind, radius: 0.0, semi_axes: DVec3::ZERO };
        }
        let half = |axis: DVec3| 0.5 * (convex.support(axis) - convex.support(-axis)).dot(axis);
        Self { kind, radius, semi_axes: DVec3::new(half(DVec3::X), half(DVec3::Y), half(DVec3::Z)) }
    }

    pub(crate) fn is_bounded(&self) -> bool {
        self.radius > 0.0
    }
}

/// Writes the bodies. Values that granum reads back are in double precision, values for display in
/// single precision.
pub(crate) fn write(path: &Path, step: u64, time: f64, bodies: &[BodyState], facts: &[ShapeFacts]) -> io::Result<()> {
    use Section::{PointData, Points, Verts};
    let fact = |body: &BodyState| &facts[body.shape.0 as usize];
    let active = r#" Scalars="speed" Vectors="velocity" Tensors="tensor""#;
    let mut file = PolyData::new(step, time, active);
    file.array(Points, "position", bodies.iter().map(|body| body.position.to_array()));
    file.array(PointData, "id", bodies.iter().map(|body| [body.id.0]));
    file.array(PointData, "shape", bodies.iter().map(|body| [body.shape.0]));
    file.array(PointData, "kind", bodies.iter().map(|body| [fact(body).kind]));
    file.array(PointData, "material", bodies.iter().map(|body| [body.material.0]));
    file.array(PointData, "velocity", bodies.iter().map(|body| body.velocity.to_array()));
    file.array(PointData, "spin", bodies.iter().map(|body| body.spin.to_array()));
    file.array(PointData, "orientation", bodies.iter().map(|body| quaternion(body.orientation)));
    file.array(PointData, "mass", bodies.iter().map(|body| [shown_mass(body.mass)]));
    file.array(PointData, "speed", bodies.iter().map(|body| [body.velocity.length() as f32]));
    file.array(PointData, "radius", bodies.iter().map(|body| [fact(body).radius as f32]));
    file.array(PointData, "semi_axes", bodies.iter().map(|body| fact(body).semi_axes.as_vec3().to_array()));
    file.array(PointData, "tensor", bodies.iter().map(|body| tensor(body.orientation, fact(body).semi_axes)));
    file.cells(Verts, bodies.len(), 1, 0..bodies.len() as u32)?;
    file.write(path)
}

/// Reads the bodies back.
pub(crate) fn read(file: &Document) -> Result<Vec<BodyState>, Damage> {
    use Section::{PointData, Points};
    let count = file.head.points;
    let mut position = file.array::<f64, 3>(Points, "position", count)?;
    let mut shape = file.array::<u32, 1>(PointData, "shape", count)?;
    let mut material = file.array::<u16, 1>(PointData, "material", count)?;
    let mut velocity = file.array::<f64, 3>(PointData, "velocity", count)?;
    let mut spin = file.array::<f64, 3>(PointData, "spin", count)?;
    let mut orientation = file.array::<f64, 4>(PointData, "orientation", count)?;
    let mut mass = file.array::<f64, 1>(PointData, "mass", count)?;
    let ids = file.array::<u32, 1>(PointData, "id", count)?;
    let bodies = ids.map_while(|[id]| {
        let [w, x, y, z] = orientation.next()?;
        Some(BodyState {
            id: BodyId(id),
            shape: ShapeId(shape.next()?[0]),
            material: MaterialId(material.next()?[0]),
            position: position.next()?.into(),
            orientation: DQuat::from_xyzw(x, y, z, w),
            velocity: velocity.next()?.into(),
            spin: spin.next()?.into(),
            mass: true_mass(mass.next()?[0]),
        })
    });
    Ok(bodies.collect())
}

/// Returns the components with the real part first, as in all files of granum.
fn quaternion(q: DQuat) -> [f64; 4] {
    [q.w, q.x, q.y, q.z]
}

/// Returns the mass, or 0 for a wall, because an infinite value would extend every colour scale.
fn shown_mass(mass: f64) -> f64 {
    if mass == f64::INFINITY { 0.0 } else { mass }
}

fn true_mass(shown: f64) -> f64 {
    if shown == 0.0 { f64::INFINITY } else { shown }
}

/// Returns the three semi-axis vectors, which the tensor glyph of VTK uses as the columns of its
/// matrix.
fn tensor(orientation: DQuat, semi_axes: DVec3) -> [f32; 9] {
    let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| (orientation * (semi_axes * axis)).as_vec3());
    [x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tensor_is_the_semi_axes_one_after_the_other() {
        // A quarter turn about z rotates the longest axis from x to y.
        let quarter = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
        let wanted = [0.0, 3.0, 0.0, -2.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        let tensor = tensor(quarter, DVec3::new(3.0, 2.0, 1.0));
        assert!(tensor.iter().zip(wanted).all(|(ours, wanted)| (ours - wanted).abs() < 1e-6), "{tensor:?}");
    }
}
