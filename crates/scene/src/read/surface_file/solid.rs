//! The convex body of a surface.
//!
//! A grain is the convex hull of its vertices. A surface is accepted without a comment only if it
//! is the boundary of this hull: closed, without other vertices, and convex. Otherwise the grain
//! would have another volume, and therefore another mass, than the body that the file describes.

use glam::DVec3;
use granum_geometry::TriangleMesh;
use granum_geometry::shape::{Convex, Polyhedron};
use granum_geometry::surface::topology::{Edges, Orientation};

use super::Surface;

/// Largest relative difference of the volumes of a surface and its hull, and largest depth of the
/// surface below the hull as a fraction of its size, at which the surface counts as convex. It
/// covers coordinates that were written with four digits.
const TOLERANCE: f64 = 1e-3;

/// The reason why a surface is not the boundary of its convex hull.
#[derive(Clone, Debug, PartialEq)]
enum Fault {
    /// The file has vertices only.
    NoFaces,
    /// Number of vertices that no face uses, and the first of them.
    Unused(usize, DVec3),
    /// Number of edges that belong to one face only.
    Open(usize),
    /// Number of edges that belong to more than two faces.
    Branched(usize),
    /// The surface has one side only, as a Möbius strip.
    OneSided,
    /// Volumes of the surface and of its hull, in the cubed unit of the file.
    NotConvex(f64, f64),
    /// Largest depth of the surface below the hull, as a fraction of the size of the hull.
    Dented(f64),
}

/// The vertices of the convex body of a surface.
pub struct ConvexBody {
    /// Vertices of all faces; those of the file if it has no face.
    pub vertices: Vec<DVec3>,
    /// Note about the difference between the surface and its convex hull, if there is one.
    pub note: Option<String>,
}

/// Returns the convex body of a surface. `scale` is its unit in metres. A surface that is not the
/// boundary of its convex hull is an error, unless `accept_hull` is true.
pub fn convex_body(surface: &Surface, scale: f64, accept_hull: bool) -> Result<ConvexBody, String> {
    let used = used(surface);
    let vertices: Vec<DVec3> = match surface.triangles.is_empty() {
        true => surface.vertices.clone(),
        false => surface.vertices.iter().zip(&used).filter(|(_, used)| **used).map(|(v, _)| *v).collect(),
    };
    let Ok(hull) = Polyhedron::new(vertices.clone()) else {
        // The shape itself reports that the vertices span no volume.
        return Ok(ConvexBody { vertices, note: None });
    };
    let volume = enclosed_volume(surface);
    let fault = fault(surface, &used, &hull, &volume);
    let note = match fault {
        None => None,
        Some(fault) if accept_hull => {
            let cubic = scale * scale * scale;
            let of_hull = cubic * hull.hull().volume();
            let of_mesh = match volume {
                Ok(volume) => {
                    let excess = 100.0 * (of_hull / (cubic * volume) - 1.0);
                    format!(
                        "the surface encloses {:.4e} m3, its hull {of_hull:.4e} m3 ({excess:+.1} %)",
                        cubic * volume
                    )
                }
                Err(_) => format!("the surface encloses no volume, its hull {of_hull:.4e} m3"),
            };
            // The volumes follow in any case.
            let fault = match fault {
                Fault::NotConvex(..) => "is not convex".to_owned(),
                _ => fault.text(scale),
            };
            Some(format!("the convex hull replaces a surface that {fault}; {of_mesh}"))
        }
        Some(fault) => {
            return Err(format!(
                "the surface {}; grains are convex, so give hull = true to use its convex hull, or split it into \
                 convex parts",
                fault.text(scale)
            ));
        }
    };
    Ok(ConvexBody { vertices, note })
}

impl Fault {
    /// Returns the fault as a phrase that follows "the surface".
    fn text(&self, scale: f64) -> String {
        let edges = |count: usize| if count == 1 { "1 edge".to_owned() } else { format!("{count} edges") };
        match *self {
            Self::NoFaces => "has no faces, only vertices".to_owned(),
            Self::Unused(count, DVec3 { x, y, z }) => {
                let vertices = if count == 1 { "a vertex".to_owned() } else { format!("{count} vertices") };
                format!("has {vertices} that no face uses, the first at ({x}, {y}, {z})")
            }
            Self::Open(count) => format!("is open: {} of one face only", edges(count)),
            Self::Branched(count) => format!("is no boundary of a solid: {} of more than two faces", edges(count)),
            Self::OneSided => "is no boundary of a solid: it has one side only".to_owned(),
            Self::NotConvex(volume, hull) => {
                let cubic = scale * scale * scale;
                let [volume, hull] = [cubic * volume, cubic * hull];
                format!("is not convex: it encloses {volume:.4e} m3, and its convex hull {hull:.4e} m3")
            }
            Self::Dented(depth) => {
                format!("is not convex: a part of it lies {:.2} % of the size below its convex hull", 100.0 * depth)
            }
        }
    }
}

/// Returns for each vertex whether a face uses it.
fn used(surface: &Surface) -> Vec<bool> {
    let mut used = vec![false; surface.vertices.len()];
    surface.triangles.iter().flatten().for_each(|&k| used[k as usize] = true);
    used
}

/// Returns the first fault of a surface.
fn fault(surface: &Surface, used: &[bool], hull: &Polyhedron, volume: &Result<f64, Fault>) -> Option<Fault> {
    if surface.triangles.is_empty() {
        return Some(Fault::NoFaces);
    }
    if let Some(first) = used.iter().position(|used| !used) {
        return Some(Fault::Unused(used.iter().filter(|used| !**used).count(), surface.vertices[first]));
    }
    let (&volume, of_hull) = match volume {
        Ok(volume) => (volume, hull.hull().volume()),
        Err(fault) => return Some(fault.clone()),
    };
    if (volume - of_hull).abs() > TOLERANCE * of_hull {
        return Some(Fault::NotConvex(volume, of_hull));
    }
    // A narrow slit changes the volume little, but the middles of its faces lie deep below the
    // hull.
    let into_body = hull.frame().inverse();
    let depth = |point: DVec3| -hull.inside_outside(into_body.point(point));
    let corners = surface.vertices.iter().copied();
    let middles = surface.triangles.iter().map(|triangle| {
        let sum: DVec3 = triangle.iter().map(|&k| surface.vertices[k as usize]).sum();
        sum / 3.0
    });
    let deepest = corners.chain(middles).map(depth).fold(0.0, f64::max) / hull.bounding_radius();
    (deepest > TOLERANCE).then_some(Fault::Dented(deepest))
}

/// Returns the volume that a closed surface encloses.
///
/// Adjacent faces may run in any directions around their vertices: they are turned so that all are
/// seen from the same side.
fn enclosed_volume(surface: &Surface) -> Result<f64, Fault> {
    let mesh = TriangleMesh::new(surface.vertices.clone(), surface.triangles.clone()).map_err(|_| Fault::NoFaces)?;
    let edges = Edges::new(&mesh);
    let count = |wrong: fn(usize) -> bool| edges.iter().filter(|half_edges| wrong(half_edges.len())).count();
    match (count(|triangles| triangles == 1), count(|triangles| triangles > 2)) {
        (0, 0) => {}
        (0, branched) => return Err(Fault::Branched(branched)),
        (open, _) => return Err(Fault::Open(open)),
    }
    let orientation = Orientation::new(&mesh, &edges.neighbours(&mesh));
    if !orientation.one_sided.is_empty() {
        return Err(Fault::OneSided);
    }
    let bounds = mesh.bounds();
    let middle = bounds.min.midpoint(bounds.max);
    let mut parts = vec![0.0; orientation.part_count()];
    for triangle in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.corners(triangle).map(|corner| corner - middle);
        let sign = if orientation.is_flipped[triangle] { -1.0 } else { 1.0 };
        parts[orientation.parts[triangle] as usize] += sign * a.dot(b.cross(c)) / 6.0;
    }
    // The faces of a cavity are seen from inside, which subtracts its volume. If the file does not
    // give directions on which its faces agree, all parts count as solid.
    let agree = !orientation.is_flipped.contains(&true);
    Ok(if agree { parts.iter().sum::<f64>().abs() } else { parts.iter().map(|part| part.abs()).sum() })
}

#[cfg(test)]
mod tests {
    use super::super::polygon::divide;
    use super::*;

    /// A prism of height 1 over an outline in the plane, with all faces seen from outside.
    fn prism(outline: &[[f64; 2]]) -> Surface {
        let n = outline.len() as u32;
        let at = |z: f64| outline.iter().map(move |&[x, y]| DVec3::new(x, y, z));
        let mut faces: Vec<Vec<u32>> = vec![(0..n).rev().collect(), (n..2 * n).collect()];
        faces.extend((0..n).map(|k| vec![k, (k + 1) % n, n + (k + 1) % n, n + k]));
        of_faces([0.0, 1.0].into_iter().flat_map(at).collect(), &faces)
    }

    fn of_faces(vertices: Vec<DVec3>, faces: &[Vec<u32>]) -> Surface {
        let mut surface = Surface { vertices, ..Surface::default() };
        for face in faces {
            divide(&surface.vertices, face, &mut surface.triangles).expect("few corners");
        }
        surface
    }

    const SQUARE: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    const L_SHAPE: [[f64; 2]; 6] = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];

    fn fault_of(surface: &Surface) -> String {
        convex_body(surface, 1.0, false).map(|_| ()).expect_err("not the boundary of its hull")
    }

    fn note_of(surface: &Surface) -> String {
        convex_body(surface, 0.1, true).expect("accepted").note.expect("a difference")
    }

    #[test]
    fn a_convex_surface_needs_no_hull_in_whatever_way_its_faces_run() {
        let mut cube = prism(&SQUARE);
        let body = convex_body(&cube, 1.0, false).unwrap_or_else(|reason| panic!("{reason}"));
        assert_eq!((body.vertices.len(), body.note), (8, None));
        cube.triangles[7].reverse();
        assert!((enclosed_volume(&cube).expect("closed") - 1.0).abs() < 1e-15);
        cube.triangles.iter_mut().for_each(|triangle| triangle.reverse());
        assert!(convex_body(&cube, 1.0, false).is_ok());
    }

    #[test]
    fn an_l_shape_is_not_its_convex_hull() {
        let reason = fault_of(&prism(&L_SHAPE));
        assert!(reason.contains("is not convex: it encloses 3.0000e0 m3, and its convex hull 3.5000e0 m3"), "{reason}");
        let note = note_of(&prism(&L_SHAPE));
        assert!(note.contains("encloses 3.0000e-3 m3, its hull 3.5000e-3 m3 (+16.7 %)"), "{note}");
    }

    #[test]
    fn an_open_funnel_is_no_solid_plug() {
        let mut funnel = prism(&SQUARE);
        // The top has two triangles after the two of the bottom.
        funnel.triangles.drain(2..4);
        assert!(fault_of(&funnel).contains("is open: 4 edges of one face only"), "{}", fault_of(&funnel));
        assert!(note_of(&funnel).contains("encloses no volume, its hull 1.0000e-3 m3"), "{}", note_of(&funnel));
    }

    #[test]
    fn a_vertex_that_no_face_uses_is_no_corner() {
        let mut cube = prism(&SQUARE);
        cube.vertices.push(DVec3::splat(9.0));
        assert!(fault_of(&cube).contains("a vertex that no face uses, the first at (9, 9, 9)"));
        let body = convex_body(&cube, 1.0, true).expect("accepted");
        assert_eq!(body.vertices.len(), 8);
        cube.triangles.clear();
        assert!(fault_of(&cube).contains("has no faces"));
        assert_eq!(convex_body(&cube, 1.0, true).expect("accepted").vertices.len(), 9);
    }

    #[test]
    fn a_narrow_slit_is_not_convex() {
        let slit = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.5001, 1.0], [0.5, 0.1], [0.4999, 1.0], [0.0, 1.0]];
        assert!(fault_of(&prism(&slit)).contains("below its convex hull"), "{}", fault_of(&prism(&slit)));
    }

    #[test]
    fn a_cavity_is_no_part_of_the_volume() {
        let mut hollow = prism(&[[-3.0, -3.0], [3.0, -3.0], [3.0, 3.0], [-3.0, 3.0]]);
        hollow.vertices.iter_mut().for_each(|vertex| vertex.z = 6.0 * vertex.z - 3.0);
        let cavity = prism(&SQUARE);
        hollow.triangles.extend(cavity.triangles.iter().map(|[a, b, c]| [c + 8, b + 8, a + 8]));
        hollow.vertices.extend(cavity.vertices);
        assert!(fault_of(&hollow).contains("encloses 2.1500e2 m3"), "{}", fault_of(&hollow));
    }

    #[test]
    fn surfaces_that_bound_no_solid_are_named() {
        let mut cube = prism(&SQUARE);
        cube.vertices.push(DVec3::splat(0.5));
        cube.triangles.push([0, 1, 8]);
        assert!(fault_of(&cube).contains("is open: 2 edges"), "{}", fault_of(&cube));
        cube.triangles.extend([[1, 2, 8], [2, 3, 8], [3, 0, 8]]);
        assert!(fault_of(&cube).contains("4 edges of more than two faces"), "{}", fault_of(&cube));
        // A projective plane: the halved icosahedron, whose ten faces join six vertices.
        let triangles = (0..5).flat_map(|k| [[5, k, (k + 1) % 5], [k, (k + 1) % 5, (k + 3) % 5]]).collect();
        let vertices =
            (0..6).map(|k| DVec3::new(f64::from(k * k % 7), f64::from(k * k * k % 5), f64::from(k))).collect();
        assert!(fault_of(&Surface { vertices, triangles, is_cloud: false }).contains("one side only"));
    }
}
