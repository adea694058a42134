//! Tests of the readers with files that are written here.

use std::path::Path;

use glam::DVec3;
use granum_geometry::surface::generate::{BoxSurface, Screw};

use super::*;

type Vertex = [f64; 3];

const VERTICES: [Vertex; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.5]];
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

/// Writes a file, reads its surface, and removes it.
fn read_bytes(name: &str, bytes: &[u8]) -> Result<Surface, String> {
    let path = std::env::temp_dir().join(format!("granum_{}_{name}", std::process::id()));
    std::fs::write(&path, bytes).expect("a temporary file");
    let surface = read(&path);
    std::fs::remove_file(&path).expect("the file was just written");
    surface
}

/// Returns a surface as a binary STL file.
fn stl_bytes(mesh: &TriangleMesh) -> Vec<u8> {
    let mut bytes = Vec::new();
    granum_output::stl::write_surface(mesh, &mut bytes).expect("few triangles");
    bytes
}

/// Returns the corners of all faces as coordinates, each face from its least corner.
fn corners(surface: &Surface) -> Vec<Vec<Vertex>> {
    let mut faces: Vec<Vec<Vertex>> = Vec::new();
    for face in &surface.triangles {
        let mut ring: Vec<Vertex> = face.iter().map(|&k| surface.vertices[k as usize].to_array()).collect();
        let first = (0..ring.len()).min_by(|&p, &q| ring[p].partial_cmp(&ring[q]).expect("finite"));
        ring.rotate_left(first.expect("a face has corners"));
        faces.push(ring);
    }
    faces.sort_by(|p, q| p.partial_cmp(q).expect("finite"));
    faces
}

fn is_whole(name: &str, bytes: &[u8]) {
    let vertices = VERTICES.map(DVec3::from_array).to_vec();
    let triangles = FACES.map(|face| face.map(|k| k as u32)).to_vec();
    let exact = Surface { vertices, triangles, is_cloud: false };
    let read = read_bytes(name, bytes).expect(name);
    assert_eq!(read.vertices.len(), 4, "{name}");
    assert_eq!(corners(&read), corners(&exact), "{name}");
}

#[test]
fn stl_as_text_and_binary() {
    let mut text = String::from("solid rock\n");
    let mut bytes = vec![b' '; 80];
    bytes[..5].copy_from_slice(b"solid");
    bytes.extend((FACES.len() as u32).to_le_bytes());
    for face in FACES {
        text += "facet normal 0 0 0\n outer loop\n";
        bytes.extend([0; 12]);
        for vertex in face.map(|k| VERTICES[k]) {
            text += &format!("  vertex {} {:e} {}\n", vertex[0], vertex[1], vertex[2]);
            vertex.iter().for_each(|number| bytes.extend((*number as f32).to_le_bytes()));
        }
        text += " endloop\nendfacet\n";
        bytes.extend([0; 2]);
    }
    is_whole("text.stl", (text.clone() + "endsolid rock\n").as_bytes());
    is_whole("binary.STL", &bytes);
    assert!(read_bytes("short.stl", &bytes[..200]).is_err_and(|reason| reason.contains("4 triangles")));
    let wrong = text.replacen("vertex", "vortex", 1);
    assert!(
        read_bytes("word.stl", wrong.as_bytes()).is_err_and(|reason| reason.contains("line 4: `vortex` is no word"))
    );
    let cut = text.replacen("  vertex 0 0e0 0\n", "", 1);
    assert!(read_bytes("loop.stl", cut.as_bytes()).is_err_and(|reason| reason.contains("line 6: a triangle must")));
}

#[test]
fn obj_with_normals_and_faces() {
    let vertices = VERTICES.map(|[x, y, z]| format!("v {x} {y} {z} 1.0\n")).concat();
    let faces = "f 1//1 3//1 2//1\nf -4 -3/1 -1\nf 2 3 4 # the slope\nf 3/1/1 1/1/1 4/1/1\n";
    is_whole("rock.obj", format!("# a rock\nvn 0 0 1\nvt 9 9\n{vertices}{faces}").as_bytes());
    let reason = |name: &str, text: &str| read_bytes(name, text.as_bytes()).expect_err("invalid");
    assert!(reason("bad.obj", "v 1 2\n").contains("line 1"));
    assert!(reason("none.obj", "v 1 2 x\n").contains("`x` is not a number"));
    assert!(reason("far.obj", "v 1 2 3\nf 1 2 3\n").contains("line 2: there is no vertex `2`"));
    assert!(reason("zero.obj", "v 1 2 3\nf 0 0 0\n").contains("no vertex `0`"));
}

#[test]
fn ply_as_text_and_binary_of_both_byte_orders() {
    let header = |format: &str, kind: &str| {
        format!(
            "ply\nformat {format} 1.0\ncomment a rock\nelement vertex 4\nproperty uchar red\n\
             property {kind} x\nproperty {kind} y\nproperty {kind} z\nelement face 4\n\
             property list uchar int vertex_indices\nproperty uchar green\nend_header\n"
        )
    };
    let rows = VERTICES.map(|[x, y, z]| format!("7 {x} {y} {z}\n")).concat();
    let faces = FACES.map(|[a, b, c]| format!("3 {a} {b} {c} 9\n")).concat();
    is_whole("text.ply", (header("ascii", "double") + &rows + &faces).as_bytes());
    let mut little = header("binary_little_endian", "float").into_bytes();
    let mut big = header("binary_big_endian", "float64").into_bytes();
    for vertex in VERTICES {
        little.push(7);
        big.push(7);
        vertex.iter().for_each(|number| little.extend((*number as f32).to_le_bytes()));
        vertex.iter().for_each(|number| big.extend(number.to_be_bytes()));
    }
    for face in FACES {
        little.push(3);
        big.push(3);
        face.iter().for_each(|&k| little.extend((k as i32).to_le_bytes()));
        face.iter().for_each(|&k| big.extend((k as i32).to_be_bytes()));
        little.push(9);
        big.push(9);
    }
    is_whole("little.ply", &little);
    is_whole("big.ply", &big);
    assert!(read_bytes("short.ply", &big[..big.len() - 1]).is_err_and(|reason| reason.contains("ends")));
    let endless = header("ascii", "double").replace("face 4", "face 99999999999999999");
    assert!(read_bytes("endless.ply", (endless + &rows).as_bytes()).is_err_and(|reason| reason.contains("ends")));
}

#[test]
fn other_files_are_refused() {
    assert!(read_bytes("rock.gltf", b"").is_err_and(|reason| reason.contains("one of .stl, .obj, .ply")));
    assert!(read_bytes("rock.ply", b"solid").is_err());
    assert!(read_bytes("nan.obj", b"v nan 1 2\n").is_err_and(|reason| reason.contains("not finite")));
    assert!(read(Path::new("no/such/rock.stl")).is_err_and(|reason| reason.starts_with("cannot read")));
}

fn reason(name: &str, bytes: impl AsRef<[u8]>) -> String {
    read_bytes(name, bytes.as_ref()).expect_err("invalid")
}

#[test]
fn a_truncated_file_is_refused_with_its_position() {
    let mesh = BoxSurface { size: [1.0, 2.0, 3.0], lid: true }.mesh().expect("a box");
    let bytes = stl_bytes(&mesh);
    for length in 0..bytes.len() {
        let found = reason("cut.stl", &bytes[..length]);
        assert!(found.contains(": byte ") || found.contains(": line "), "{length}: {found}");
    }
    assert!(
        reason("cut.stl", &bytes[..300]).contains("byte 80: the header announces 12 triangles, which need 684 bytes")
    );
    let mut long = bytes.clone();
    long.push(7);
    assert!(reason("long.stl", &long).contains("but the file has 685"));
    let text = "solid a\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
    assert_eq!(read_bytes("one.stl", text.as_bytes()).expect("whole").triangles.len(), 1);
    assert!(reason("cut2.stl", &text[..text.len() - 12]).contains("line 8: the file ends without `endsolid`"));
    assert!(reason("cut3.stl", "solid a\nfacet\nouter loop\nvertex 0 0\n").contains("line 4: a vertex needs three"));
}

#[test]
fn a_number_that_is_not_finite_is_refused_with_its_position() {
    let mut bytes = stl_bytes(&BoxSurface { size: [1.0; 3], lid: false }.mesh().expect("a box"));
    bytes[84 + 50 + 24..84 + 50 + 28].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(reason("nan.stl", &bytes).contains("byte 158: the vertex"), "{}", reason("nan.stl", &bytes));
    assert!(reason("inf.xyz", "0 0 0\n1 inf 0\n").contains("line 2: a coordinate is inf"));
    assert!(reason("nan.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 nan 0\n").contains("line 8: a coordinate is NaN"));
}

#[test]
fn a_written_stl_is_read_again() {
    let screw = Screw {
        radius: 0.1,
        shaft_radius: 0.03,
        length: 0.5,
        pitch: 0.12,
        thickness: 0.004,
        facets: 24,
        left_handed: false,
    };
    let mesh = screw.mesh().expect("a screw");
    let read = read_bytes("screw.stl", &stl_bytes(&mesh)).expect("an STL file").mesh(Unit::M).expect("a surface");
    assert_eq!((read.vertices().len(), read.triangles().len()), (mesh.vertices().len(), mesh.triangles().len()));
    assert!((read.signed_volume() / mesh.signed_volume() - 1.0).abs() < 1e-5);
}

#[test]
fn units_scale_the_coordinates() {
    for (unit, metres) in [("m", 1.0), ("cm", 1e-2), ("mm", 1e-3), ("in", 25.4e-3), ("ft", 304.8e-3)] {
        let unit = Unit::ALL.into_iter().find(|known| known.name() == unit).expect("a unit");
        let surface = read_bytes("unit.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").expect("a triangle");
        assert_eq!(surface.mesh(unit).expect("a triangle").bounds().max, metres * DVec3::new(1.0, 1.0, 0.0));
    }
}

const GRID: &str = "ncols 3\nnrows 2\nxllcorner 100\nYLLCORNER 200\ncellsize 10\nNODATA_value -9999\n1 2 3\n4 5 6\n";

#[test]
fn a_height_grid_begins_in_the_north_west() {
    let mesh = read_bytes("hill.asc", GRID.as_bytes()).expect("a grid").mesh(Unit::M).expect("a surface");
    assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (6, 4));
    let height = |x: f64, y: f64| {
        let there = mesh.vertices().iter().find(|vertex| (vertex.x, vertex.y) == (x, y));
        there.unwrap_or_else(|| panic!("no vertex at {x}, {y}")).z
    };
    assert_eq!(
        [height(105.0, 215.0), height(125.0, 215.0), height(105.0, 205.0), height(125.0, 205.0)],
        [1.0, 3.0, 4.0, 6.0]
    );
    assert!((0..4).all(|triangle| mesh.vector_area(triangle).z > 0.0));
    let centred = GRID.replace("corner", "center").replace("YLLCORNER", "yllcenter");
    assert_eq!(read_bytes("c.asc", centred.as_bytes()).expect("a grid").vertices[0].x, 100.0);
    let holed = read_bytes("n.asc", GRID.replace("2 3\n", "-9999 3\n").as_bytes()).expect("a grid");
    assert_eq!((holed.vertices.len(), holed.triangles.len()), (5, 2));
}

#[test]
fn a_damaged_height_grid_is_refused_with_its_line() {
    assert!(reason("a.asc", &GRID[..GRID.len() - 2]).contains("line 8: the file ends after 5 of 3 x 2 heights"));
    assert!(reason("b.asc", format!("{GRID}7\n")).contains("line 9: there are more than 3 x 2 heights"));
    assert!(reason("c.asc", GRID.replace("4 5", "4 x")).contains("line 8: `x` is not a number"));
    assert!(reason("d.asc", GRID.replace("ncols 3\n", "")).contains("line 5: the header ends without `ncols`"));
    assert!(reason("e.asc", GRID.replace("ncols 3", "ncols 4000000000")).contains("but the file is too short"));
    assert!(reason("f.asc", GRID.replace("cellsize 10", "cellsize 0")).contains("must be positive"));
    assert!(reason("g.asc", GRID.replace("cellsize", "cellseize")).contains("line 5: `cellseize` is no name"));
}

#[test]
fn points_are_triangulated_in_the_plane() {
    let area = |name: &str, text: &str| {
        let surface = read_bytes(name, text.as_bytes()).unwrap_or_else(|reason| panic!("{reason}"));
        let mesh = surface.mesh(Unit::M).expect("a surface");
        assert!((0..mesh.triangles().len()).all(|triangle| mesh.vector_area(triangle).z > 0.0));
        (mesh.triangles().len(), mesh.area())
    };
    assert_eq!(area("a.xyz", "# points\n0 0 1\n2 0 1\n2 3 1\n0 3 1\n"), (2, 6.0));
    assert_eq!(area("b.csv", "id,Z,X,Y\n7,1,0,0\n8,1,2,0\n9,1,2,3\n10,1,0,3\n"), (2, 6.0));
    assert_eq!(area("c.csv", "0;0;1;red\n2;0;1;red\n2;3;1;red\n0;3;1;red\n"), (2, 6.0));
    // Two points above each other, and points on a line.
    assert_eq!(area("d.xyz", "0 0 1\n2 0 1\n2 3 1\n0 3 1\n0 3 1\n"), (2, 6.0));
    let line = read_bytes("e.xyz", b"0 0 0\n1 1 0\n2 2 5\n").expect("points").mesh(Unit::M);
    assert!(line.is_err_and(|reason| reason.contains("they lie on one line")));
    assert!(reason("f.csv", "a,b,c\n1,2,3\n").contains("line 1: no column is named `x`"));
    assert!(reason("g.xyz", "1 2 3\n1 2\n").contains("line 2: a point needs x, y and z"));
    assert!(reason("h.xyz", "1 2 3\n1 2 z\n").contains("line 2: `z` is not a number"));
}

/// Files of the same four points, written by the crate `las` 0.11: version 1.2 with point format 0,
/// and version 1.4 with point format 6.
const LAS: [&[u8]; 2] =
    [include_bytes!("../../../tests/data/points_1_2.las"), include_bytes!("../../../tests/data/points_1_4.las")];

#[test]
fn las_files_of_another_program_are_read() {
    for (k, bytes) in LAS.into_iter().enumerate() {
        let surface = read_bytes(&format!("{k}.las"), bytes).expect("points");
        let expected = [[1000.0, 0.0, 1.5], [1002.0, 0.0, 2.5], [1000.0, 3.0, -0.125], [1002.0, 3.0, 4.0]];
        assert!(surface.is_cloud && surface.vertices.len() == 4);
        for (vertex, expected) in surface.vertices.iter().zip(expected) {
            assert!((vertex - DVec3::from_array(expected)).length() < 1e-12, "{vertex}");
        }
        assert_eq!(surface.mesh(Unit::M).expect("a surface").triangles().len(), 2);
        for length in 0..bytes.len() {
            assert!(reason("cut.las", &bytes[..length]).contains(": byte "));
        }
    }
    let mut packed = LAS[0].to_vec();
    packed[104] |= 0x80;
    assert!(reason("p.las", packed).contains("are compressed (LAZ)"));
}

#[test]
fn a_file_without_faces_is_a_cloud_or_no_surface() {
    let ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n1 0 0\n0 1 0\n";
    assert_eq!(
        read_bytes("c.ply", ply.as_bytes()).expect("points").mesh(Unit::M).expect("a cloud").triangles().len(),
        1
    );
    let obj = read_bytes("c.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\n").expect("vertices");
    assert!(obj.mesh(Unit::M).is_err_and(|reason| reason.contains("no triangle")));
}
