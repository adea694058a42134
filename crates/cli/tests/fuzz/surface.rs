//! Surface files of polyhedra, with and without `hull = true`.

use std::fs;

use granum_scene::Scene;

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
