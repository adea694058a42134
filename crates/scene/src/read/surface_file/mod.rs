//! Surface files: STL, OBJ and PLY. A reader returns the vertices and the faces of a file;
//! normals, colours and materials are ignored. All coordinates must be finite.

mod obj;
mod ply;
pub mod solid;
mod stl;

use std::collections::HashMap;
use std::path::Path;

/// A vertex, in the unit of the file.
pub type Vertex = [f64; 3];

/// The vertices and faces of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// The distinct vertices, in the order of the file.
    pub vertices: Vec<Vertex>,
    /// The vertices of each face, in the order around it. Each face has at least three.
    pub faces: Vec<Vec<usize>>,
}

/// Returns the surface of a file, or the reason for which the file cannot be read.
pub fn read(path: &Path) -> Result<Surface, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_lowercase();
    let surface = match extension.as_str() {
        "stl" => stl::surface(&bytes),
        "obj" => obj::surface(&bytes),
        "ply" => ply::surface(&bytes),
        _ => {
            let name = path.display();
            return Err(format!("the format of {name} is unknown; the name must end with .stl, .obj or .ply"));
        }
    };
    let surface = surface.and_then(Surface::joined);
    surface.map_err(|reason| format!("cannot read {}: {reason}", path.display()))
}

impl Surface {
    /// Joins vertices with equal coordinates, and drops faces that have fewer than three distinct
    /// vertices. STL files repeat a vertex in each of its faces, so their faces are not connected
    /// before.
    fn joined(self) -> Result<Self, String> {
        if let Some(number) = self.vertices.iter().flatten().find(|number| !number.is_finite()) {
            return Err(format!("a coordinate is {number}, which is not finite"));
        }
        let mut known = HashMap::new();
        let mut vertices = Vec::new();
        let mut joined = Vec::with_capacity(self.vertices.len());
        for vertex in self.vertices {
            // Adding 0 turns -0 into 0, so that both are the same vertex.
            let vertex = vertex.map(|number| number + 0.0);
            joined.push(*known.entry(vertex.map(f64::to_bits)).or_insert_with(|| {
                vertices.push(vertex);
                vertices.len() - 1
            }));
        }
        let mut faces = Vec::with_capacity(self.faces.len());
        for face in self.faces {
            let last = joined.len();
            let mut ring = Vec::with_capacity(face.len());
            for k in face {
                let &vertex = joined.get(k).ok_or(format!("a face has the vertex {k} of {last} vertices"))?;
                if ring.last() != Some(&vertex) {
                    ring.push(vertex);
                }
            }
            if ring.len() > 1 && ring.first() == ring.last() {
                ring.pop();
            }
            if ring.len() > 2 {
                faces.push(ring);
            }
        }
        Ok(Self { vertices, faces })
    }
}

/// Returns the bytes of a file as text.
fn text(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|_| "the file is not a text in UTF-8".to_owned())
}

/// Reads a vertex from the first three words of a line.
fn vertex<'a>(words: impl Iterator<Item = &'a str>, line: usize) -> Result<Vertex, String> {
    let mut vertex = [0.0; 3];
    let mut count = 0;
    for (coordinate, word) in vertex.iter_mut().zip(words) {
        *coordinate = word.parse().map_err(|_| format!("line {line}: `{word}` is not a number"))?;
        count += 1;
    }
    if count == 3 { Ok(vertex) } else { Err(format!("line {line}: a vertex needs three coordinates, not {count}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// Returns the corners of all faces as coordinates, each face from its least corner.
    fn corners(surface: &Surface) -> Vec<Vec<Vertex>> {
        let mut faces: Vec<Vec<Vertex>> = Vec::new();
        for face in &surface.faces {
            let mut ring: Vec<Vertex> = face.iter().map(|&k| surface.vertices[k]).collect();
            let first = (0..ring.len()).min_by(|&p, &q| ring[p].partial_cmp(&ring[q]).expect("finite"));
            ring.rotate_left(first.expect("a face has corners"));
            faces.push(ring);
        }
        faces.sort_by(|p, q| p.partial_cmp(q).expect("finite"));
        faces
    }

    fn is_whole(name: &str, bytes: &[u8]) {
        let exact = Surface { vertices: VERTICES.to_vec(), faces: FACES.map(|face| face.to_vec()).to_vec() };
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
        let cut = text.replacen("vertex", "vortex", 1);
        assert!(read_bytes("loop.stl", cut.as_bytes()).is_err_and(|reason| reason.contains("line 7: a triangle must")));
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
        assert!(read_bytes("rock.gltf", b"").is_err_and(|reason| reason.contains(".stl, .obj or .ply")));
        assert!(read_bytes("rock.ply", b"solid").is_err());
        assert!(read_bytes("nan.obj", b"v nan 1 2\n").is_err_and(|reason| reason.contains("not finite")));
        assert!(read(Path::new("no/such/rock.stl")).is_err_and(|reason| reason.starts_with("cannot read")));
    }
}
