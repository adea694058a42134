//! The corners in a file of a surface: STL, OBJ or PLY.
//!
//! A convex body is the hull of its corners, so faces, normals and colours are passed over. Numbers are finite or refused.

mod obj;
mod ply;
mod stl;

use std::collections::HashSet;
use std::path::Path;

/// A corner, in the units of the file.
pub type Corner = [f64; 3];

/// The corners in a file, each once, in the order in which they come; or why there are none.
pub fn read(path: &Path) -> Result<Vec<Corner>, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
    let corners = match ending.as_str() {
        "stl" => stl::corners(&bytes),
        "obj" => obj::corners(&bytes),
        "ply" => ply::corners(&bytes),
        _ => return Err(format!("{} is of no known kind; known are .stl, .obj and .ply", path.display())),
    };
    let corners = corners.map_err(|reason| format!("{} cannot be read: {reason}", path.display()))?;
    if let Some(corner) = corners.iter().flatten().find(|number| !number.is_finite()) {
        return Err(format!("{} holds a coordinate that is no number, {corner}", path.display()));
    }
    let mut seen = HashSet::new();
    // Zero is zero, with whatever sign.
    let is_new = |corner: &Corner| seen.insert(corner.map(|number| (number + 0.0).to_bits()));
    Ok(corners.into_iter().filter(is_new).collect())
}

/// The text of a file.
fn text(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|_| "it is not a text".to_owned())
}

/// Three numbers from words of a line.
fn corner<'a>(words: impl Iterator<Item = &'a str>, line: usize) -> Result<Corner, String> {
    let mut corner = [0.0; 3];
    let mut count = 0;
    for (place, word) in corner.iter_mut().zip(words) {
        *place = word.parse().map_err(|_| format!("line {line}: `{word}` is not a number"))?;
        count += 1;
    }
    if count == 3 { Ok(corner) } else { Err(format!("line {line}: a corner has three numbers, not {count}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [Corner; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.5]];
    const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

    /// What a file of this name and these bytes holds.
    fn read_bytes(name: &str, bytes: &[u8]) -> Result<Vec<Corner>, String> {
        let path = std::env::temp_dir().join(format!("granum_{}_{name}", std::process::id()));
        std::fs::write(&path, bytes).expect("a file for a moment");
        let corners = read(&path);
        std::fs::remove_file(&path).expect("it is ours");
        corners
    }

    fn sorted(mut corners: Vec<Corner>) -> Vec<Corner> {
        corners.sort_by(|p, q| p.partial_cmp(q).expect("finite"));
        corners
    }

    fn holds_all(name: &str, bytes: &[u8]) {
        assert_eq!(sorted(read_bytes(name, bytes).expect(name)), sorted(CORNERS.to_vec()), "{name}");
    }

    #[test]
    fn stl_in_words_and_in_bytes() {
        let mut words = String::from("solid stone\n");
        let mut bytes = vec![b' '; 80];
        bytes[..5].copy_from_slice(b"solid");
        bytes.extend((FACES.len() as u32).to_le_bytes());
        for face in FACES {
            words += "facet normal 0 0 0\n outer loop\n";
            bytes.extend([0; 12]);
            for corner in face.map(|k| CORNERS[k]) {
                words += &format!("  vertex {} {:e} {}\n", corner[0], corner[1], corner[2]);
                corner.iter().for_each(|number| bytes.extend((*number as f32).to_le_bytes()));
            }
            words += " endloop\nendfacet\n";
            bytes.extend([0; 2]);
        }
        holds_all("words.stl", (words + "endsolid stone\n").as_bytes());
        holds_all("bytes.STL", &bytes);
        assert!(read_bytes("short.stl", &bytes[..200]).is_err_and(|reason| reason.contains("4 triangles")));
    }

    #[test]
    fn obj_with_normals_and_faces() {
        let corners = CORNERS.map(|[x, y, z]| format!("v {x} {y} {z} 1.0\n")).concat();
        holds_all("stone.obj", format!("# a stone\nvn 0 0 1\nvt 9 9\n{corners}f 1//1 3//1 2//1\n").as_bytes());
        assert!(read_bytes("bad.obj", b"v 1 2\n").is_err_and(|reason| reason.contains("line 1")));
        assert!(read_bytes("none.obj", b"v 1 2 x\n").is_err_and(|reason| reason.contains("`x` is not a number")));
    }

    #[test]
    fn ply_in_words_and_in_bytes_of_both_orders() {
        let header = |format: &str, kind: &str| {
            format!(
                "ply\nformat {format} 1.0\ncomment a stone\nelement vertex 4\nproperty uchar red\n\
                 property {kind} x\nproperty {kind} y\nproperty {kind} z\nelement face 1\n\
                 property list uchar int vertex_indices\nend_header\n"
            )
        };
        let rows = CORNERS.map(|[x, y, z]| format!("7 {x} {y} {z}\n")).concat();
        holds_all("words.ply", (header("ascii", "double") + &rows + "3 0 1 2\n").as_bytes());
        let mut little = header("binary_little_endian", "float").into_bytes();
        let mut big = header("binary_big_endian", "float64").into_bytes();
        for corner in CORNERS {
            little.push(7);
            big.push(7);
            corner.iter().for_each(|number| little.extend((*number as f32).to_le_bytes()));
            corner.iter().for_each(|number| big.extend(number.to_be_bytes()));
        }
        holds_all("little.ply", &little);
        holds_all("big.ply", &big);
        assert!(read_bytes("short.ply", &big[..big.len() - 1]).is_err_and(|reason| reason.contains("ends")));
    }

    #[test]
    fn other_files_are_refused() {
        assert!(read_bytes("stone.gltf", b"").is_err_and(|reason| reason.contains(".stl, .obj and .ply")));
        assert!(read_bytes("stone.ply", b"solid").is_err());
        assert!(read_bytes("nan.obj", b"v nan 1 2\n").is_err_and(|reason| reason.contains("no number")));
        assert!(read(Path::new("no/such/stone.stl")).is_err_and(|reason| reason.starts_with("cannot read")));
    }
}
