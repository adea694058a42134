//! Vertices of a surface file: STL, OBJ or PLY.
//!
//! A convex body is the hull of its vertices, so faces, normals and colours are ignored. All
//! coordinates must be finite.

mod obj;
mod ply;
mod stl;

use std::collections::HashSet;
use std::path::Path;

/// A vertex, in the unit of the file.
pub type Vertex = [f64; 3];

/// Returns the distinct vertices of a file in the order of the file, or the reason for which it
/// cannot be read.
pub fn read(path: &Path) -> Result<Vec<Vertex>, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_lowercase();
    let vertices = match extension.as_str() {
        "stl" => stl::vertices(&bytes),
        "obj" => obj::vertices(&bytes),
        "ply" => ply::vertices(&bytes),
        _ => {
            let name = path.display();
            return Err(format!("the format of {name} is unknown; the name must end with .stl, .obj or .ply"));
        }
    };
    let vertices = vertices.map_err(|reason| format!("cannot read {}: {reason}", path.display()))?;
    if let Some(number) = vertices.iter().flatten().find(|number| !number.is_finite()) {
        return Err(format!("cannot read {}: a coordinate is {number}, which is not finite", path.display()));
    }
    let mut seen = HashSet::new();
    // Adding 0 turns -0 into 0, so that both are the same vertex.
    let is_new = |vertex: &Vertex| seen.insert(vertex.map(|number| (number + 0.0).to_bits()));
    Ok(vertices.into_iter().filter(is_new).collect())
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

    /// Writes a file, reads its vertices, and removes it.
    fn read_bytes(name: &str, bytes: &[u8]) -> Result<Vec<Vertex>, String> {
        let path = std::env::temp_dir().join(format!("granum_{}_{name}", std::process::id()));
        std::fs::write(&path, bytes).expect("a temporary file");
        let vertices = read(&path);
        std::fs::remove_file(&path).expect("the file was just written");
        vertices
    }

    fn sorted(mut vertices: Vec<Vertex>) -> Vec<Vertex> {
        vertices.sort_by(|p, q| p.partial_cmp(q).expect("finite"));
        vertices
    }

    fn contains_all(name: &str, bytes: &[u8]) {
        assert_eq!(sorted(read_bytes(name, bytes).expect(name)), sorted(VERTICES.to_vec()), "{name}");
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
        contains_all("text.stl", (text + "endsolid rock\n").as_bytes());
        contains_all("binary.STL", &bytes);
        assert!(read_bytes("short.stl", &bytes[..200]).is_err_and(|reason| reason.contains("4 triangles")));
    }

    #[test]
    fn obj_with_normals_and_faces() {
        let vertices = VERTICES.map(|[x, y, z]| format!("v {x} {y} {z} 1.0\n")).concat();
        contains_all("rock.obj", format!("# a rock\nvn 0 0 1\nvt 9 9\n{vertices}f 1//1 3//1 2//1\n").as_bytes());
        assert!(read_bytes("bad.obj", b"v 1 2\n").is_err_and(|reason| reason.contains("line 1")));
        assert!(read_bytes("none.obj", b"v 1 2 x\n").is_err_and(|reason| reason.contains("`x` is not a number")));
    }

    #[test]
    fn ply_as_text_and_binary_of_both_byte_orders() {
        let header = |format: &str, kind: &str| {
            format!(
                "ply\nformat {format} 1.0\ncomment a rock\nelement vertex 4\nproperty uchar red\n\
                 property {kind} x\nproperty {kind} y\nproperty {kind} z\nelement face 1\n\
                 property list uchar int vertex_indices\nend_header\n"
            )
        };
        let rows = VERTICES.map(|[x, y, z]| format!("7 {x} {y} {z}\n")).concat();
        contains_all("text.ply", (header("ascii", "double") + &rows + "3 0 1 2\n").as_bytes());
        let mut little = header("binary_little_endian", "float").into_bytes();
        let mut big = header("binary_big_endian", "float64").into_bytes();
        for vertex in VERTICES {
            little.push(7);
            big.push(7);
            vertex.iter().for_each(|number| little.extend((*number as f32).to_le_bytes()));
            vertex.iter().for_each(|number| big.extend(number.to_be_bytes()));
        }
        contains_all("little.ply", &little);
        contains_all("big.ply", &big);
        assert!(read_bytes("short.ply", &big[..big.len() - 1]).is_err_and(|reason| reason.contains("ends")));
    }

    #[test]
    fn other_files_are_refused() {
        assert!(read_bytes("rock.gltf", b"").is_err_and(|reason| reason.contains(".stl, .obj or .ply")));
        assert!(read_bytes("rock.ply", b"solid").is_err());
        assert!(read_bytes("nan.obj", b"v nan 1 2\n").is_err_and(|reason| reason.contains("not finite")));
        assert!(read(Path::new("no/such/rock.stl")).is_err_and(|reason| reason.starts_with("cannot read")));
    }
}
