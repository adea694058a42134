//! Surface files of polyhedra, with and without `hull = true`, and of walls.

use std::fs;

use granum_geometry::surface::{Report, repair};
use granum_scene::Scene;
use granum_scene::surface_file::{self, Unit};

use super::{SCENE, folder, fuzz, is_readable};

const OBJ: &str =
    "# a tetrahedron\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1//1 2//2 4//3\nf -3 -2 -1\nf 1 4 3\n";

const STL: &str = "solid x\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet\n\
facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\nendfacet\n\
facet normal 0 0 0\nouter loop\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\n\
facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 0\nendloop\nendfacet\nendsolid x\n";

const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
element face 4\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n";

const CORNERS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

/// Returns the tetrahedron as a binary STL file.
fn binary_stl() -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend(4u32.to_le_bytes());
    for face in FACES {
        bytes.extend([0; 12]);
        face.iter().flat_map(|&k| CORNERS[k]).for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

/// Returns the tetrahedron as a binary PLY file.
fn binary_ply() -> Vec<u8> {
    let end = PLY.find("0 0 0").expect("the data");
    let mut bytes = PLY[..end].replace("ascii", "binary_little_endian").into_bytes();
    CORNERS.iter().flatten().for_each(|number| bytes.extend(number.to_le_bytes()));
    for face in FACES {
        bytes.push(3);
        face.iter().for_each(|&k| bytes.extend((k as i32).to_le_bytes()));
    }
    bytes
}

#[test]
fn any_surface_file_is_read_or_refused() {
    let dir = folder("surface");
    let text = |text: &str| text.as_bytes().to_vec();
    // The first byte chooses the format and whether the hull is accepted.
    let files = [(0, text(OBJ)), (1, text(STL)), (1, binary_stl()), (2, text(PLY)), (2, binary_ply())];
    let corpus: Vec<Vec<u8>> = (0..2u8)
        .flat_map(|hull| files.iter().map(move |(format, file)| [&[format + 3 * hull], &file[..]].concat()))
        .collect();
    fuzz("surface", &corpus, |input| {
        let Some((&first, bytes)) = input.split_first() else { return };
        let name = ["x.obj", "x.stl", "x.ply"][usize::from(first % 3)];
        fs::write(dir.join(name), bytes).expect("the file can be written");
        let hull = first / 3 % 2 == 1;
        let shape = format!("polyhedron = {{ file = \"{name}\", hull = {hull}, scale = 0.01 }}");
        let scene = format!("{SCENE}{shape}\npositions = [[0, 0, 0]]\n");
        match Scene::parse(&scene, &dir.join("x.toml")).and_then(|scene| scene.build()) {
            Err(error) => is_readable(&error.to_string()),
            Ok(world) => assert!(world.grains().all(|body| body.mass > 0.0 && body.mass.is_finite())),
        }
    });
}

const ASC: &str = "ncols 3\nnrows 3\nxllcorner 10\nyllcorner 20\ncellsize 5\nNODATA_value -9999\n\
                   1 2 3\n4 -9999 6\n7 8 9.5\n";
const XYZ: &str = "# points\n0 0 1\n2 0 1.5\n2 3 0\n0 3 2\n1 1 1e-3\n";
const CSV: &str = "id,x,y,z\n1,0,0,1\n2,2,0,1\n3;2;3;1\n4,0,3,\"1\"\n";
const LAS: [&[u8]; 2] = [
    include_bytes!("../../../scene/tests/data/points_1_2.las"),
    include_bytes!("../../../scene/tests/data/points_1_4.las"),
];

/// Reads a file as a wall, reports it and repairs it.
#[test]
fn any_surface_of_a_wall_is_read_or_refused() {
    let dir = folder("wall_surface");
    let text = |text: &str| text.as_bytes().to_vec();
    let concave = "v 0 0 0\nv 4 0 0\nv 4 3 0\nv 2 1 0\nv 0 3 0\nv 2 1 5\nf 1 2 3 4 5\nf 1 2 6\n";
    // The first byte chooses the format.
    let files = [
        (0, text(OBJ)),
        (0, text(concave)),
        (1, text(STL)),
        (1, binary_stl()),
        (2, text(PLY)),
        (2, binary_ply()),
        (3, text(ASC)),
        (4, text(XYZ)),
        (5, text(CSV)),
        (6, LAS[0].to_vec()),
        (6, LAS[1].to_vec()),
    ];
    let corpus: Vec<Vec<u8>> = files.iter().map(|(format, file)| [&[*format], &file[..]].concat()).collect();
    fuzz("wall_surface", &corpus, |input| {
        let Some((&first, bytes)) = input.split_first() else { return };
        let name = ["x.obj", "x.stl", "x.ply", "x.asc", "x.xyz", "x.csv", "x.las"][usize::from(first % 7)];
        let path = dir.join(name);
        fs::write(&path, bytes).expect("the file can be written");
        match surface_file::read(&path).and_then(|surface| surface.mesh(Unit::Mm)) {
            Err(reason) => is_readable(&reason),
            Ok(mesh) => {
                let report = Report::of(&mesh);
                assert!(report.triangles > 0 && report.area >= 0.0, "{report:?}");
                // A repair fails only if every triangle is degenerate.
                match repair(&mesh, 1e-6) {
                    Err(error) => is_readable(&error.to_string()),
                    Ok((mended, _)) => {
                        let after = Report::of(&mended);
                        assert!(after.degenerate.is_empty() && after.duplicates.is_empty());
                        assert!(after.flipped.is_empty(), "{after:?}");
                    }
                }
            }
        }
    });
}
