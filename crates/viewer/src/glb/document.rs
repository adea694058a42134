//! A glTF 2.0 document in one binary file: a JSON part and a part with all arrays.

use glam::{DQuat, DVec3};
use serde_json::{Value, json};

/// Number formats of glTF.
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;

/// Identification of the file and of its two parts.
const MAGIC: u32 = 0x4654_6C67;
const JSON_PART: u32 = 0x4E4F_534A;
const BINARY_PART: u32 = 0x004E_4942;

/// Version of the format, and origin of the file.
const ASSET: &str = r#"{"asset":{"version":"2.0","generator":"written by granum"},"#;

/// Rotation from z upward to y upward, as glTF demands.
const UPRIGHT: [f64; 4] = [-std::f64::consts::FRAC_1_SQRT_2, 0.0, 0.0, std::f64::consts::FRAC_1_SQRT_2];

/// A document under construction.
#[derive(Default)]
pub struct Document {
    binary: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    nodes: Vec<Value>,
    animation: Option<(Vec<Value>, Vec<Value>)>,
    extensions: Vec<&'static str>,
}

/// Index of an accessor, a mesh, a material or a node.
pub type Index = usize;

impl Document {
    fn accessor(
        &mut self,
        bytes: &[u8],
        kind: &str,
        number: u32,
        count: usize,
        range: Option<(Value, Value)>,
    ) -> Index {
        self.views.push(json!({"buffer": 0, "byteOffset": self.binary.len(), "byteLength": bytes.len()}));
        self.binary.extend_from_slice(bytes);
        let mut accessor =
            json!({"bufferView": self.views.len() - 1, "componentType": number, "count": count, "type": kind});
        if let Some((low, high)) = range {
            accessor["min"] = low;
            accessor["max"] = high;
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Adds vectors.
    pub fn vectors(&mut self, vectors: &[DVec3]) -> Index {
        let bytes: Vec<u8> =
            vectors.iter().flat_map(|vector| vector.as_vec3().to_array()).flat_map(f32::to_le_bytes).collect();
        let all = || vectors.iter().map(|vector| vector.as_vec3());
        let range = all().reduce(glam::Vec3::min).zip(all().reduce(glam::Vec3::max));
        let range = range.map(|(low, high)| (json!(low.to_array()), json!(high.to_array())));
        self.accessor(&bytes, "VEC3", FLOAT, vectors.len(), range)
    }

    /// Adds rotations.
    pub fn rotations(&mut self, rotations: &[DQuat]) -> Index {
        let numbers = rotations.iter().flat_map(|rotation| rotation.normalize().as_quat().to_array());
        let bytes: Vec<u8> = numbers.flat_map(f32::to_le_bytes).collect();
        self.accessor(&bytes, "VEC4", FLOAT, rotations.len(), None)
    }

    /// Adds numbers.
    pub fn numbers(&mut self, numbers: &[f64]) -> Index {
        let bytes: Vec<u8> = numbers.iter().flat_map(|&number| (number as f32).to_le_bytes()).collect();
        let single = || numbers.iter().map(|&number| f64::from(number as f32));
        let (low, high) = (single().fold(f64::INFINITY, f64::min), single().fold(f64::NEG_INFINITY, f64::max));
        self.accessor(&bytes, "SCALAR", FLOAT, numbers.len(), Some((json!([low]), json!([high]))))
    }

    /// Adds the indices of triangles.
    pub fn triangles(&mut self, triangles: &[[u32; 3]]) -> Index {
        let bytes: Vec<u8> = triangles.iter().flatten().flat_map(|index| index.to_le_bytes()).collect();
        self.accessor(&bytes, "SCALAR", UNSIGNED_INT, 3 * triangles.len(), None)
    }

    /// Adds a material. One that is not opaque is seen from both sides.
    pub fn material(&mut self, name: &str, colour: [f64; 4]) -> Index {
        let is_opaque = colour[3] >= 1.0;
        self.materials.push(json!({
            "name": name,
            "pbrMetallicRoughness": {"baseColorFactor": colour, "metallicFactor": 0.0, "roughnessFactor": 0.8},
            "alphaMode": if is_opaque { "OPAQUE" } else { "BLEND" },
            "doubleSided": !is_opaque,
        }));
        self.materials.len() - 1
    }

    /// Adds a mesh of triangles, with a colour per vertex if there are some.
    pub fn mesh(&mut self, name: &str, mesh: &granum_geometry::Mesh, colours: &[DVec3], material: Index) -> Index {
        let mut attributes = json!({"POSITION": self.vectors(&mesh.vertices), "NORMAL": self.vectors(&mesh.normals)});
        if !colours.is_empty() {
            attributes["COLOR_0"] = self.vectors(colours).into();
        }
        let indices = self.triangles(&mesh.triangles);
        self.meshes.push(json!({
            "name": name,
            "primitives": [{"attributes": attributes, "indices": indices, "material": material}],
        }));
        self.meshes.len() - 1
    }

    /// Adds a node.
    pub fn node(&mut self, node: Value) -> Index {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Adds an animation of a property of a node.
    pub fn animate(&mut self, node: Index, path: &str, times: Index, values: Index, interpolation: &str) {
        let (channels, samplers) = self.animation.get_or_insert_with(Default::default);
        samplers.push(json!({"input": times, "output": values, "interpolation": interpolation}));
        channels.push(json!({"sampler": samplers.len() - 1, "target": {"node": node, "path": path}}));
    }

    /// Names an extension that a reader needs.
    pub fn require(&mut self, extension: &'static str) {
        self.extensions.push(extension);
    }

    /// Returns the file. All nodes are children of one that has its origin at `origin` and turns z
    /// upward to y upward.
    pub fn finish(self, origin: DVec3) -> Vec<u8> {
        let mut nodes = self.nodes;
        let children: Vec<Index> = (0..nodes.len()).collect();
        // The rotation applies to the translation of the children, not to its own.
        let place = [origin.x, origin.z, -origin.y];
        nodes.push(json!({"name": "granum", "rotation": UPRIGHT, "translation": place, "children": children}));
        let mut json = json!({
            "scene": 0,
            "scenes": [{"nodes": [nodes.len() - 1]}],
            "nodes": nodes,
            "buffers": [{"byteLength": self.binary.len()}],
            "bufferViews": self.views,
            "accessors": self.accessors,
        });
        // Empty lists are not allowed.
        for (name, list) in [("meshes", self.meshes), ("materials", self.materials)] {
            if !list.is_empty() {
                json[name] = list.into();
            }
        }
        if let Some((channels, samplers)) = self.animation {
            json["animations"] = json!([{"name": "run", "channels": channels, "samplers": samplers}]);
        }
        if !self.extensions.is_empty() {
            json["extensionsUsed"] = json!(self.extensions);
            json["extensionsRequired"] = json!(self.extensions);
        }
        // First, so that granum recognises its own file by the beginning.
        let mut text = format!("{ASSET}{}", &json.to_string()[1..]).into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut binary = self.binary;
        binary.resize(binary.len().next_multiple_of(4), 0);
        let length = 12 + 8 + text.len() + 8 + binary.len();
        let mut file = Vec::with_capacity(length);
        let word = |file: &mut Vec<u8>, number: u32| file.extend_from_slice(&number.to_le_bytes());
        for number in [MAGIC, 2, length as u32, text.len() as u32, JSON_PART] {
            word(&mut file, number);
        }
        file.extend_from_slice(&text);
        word(&mut file, binary.len() as u32);
        word(&mut file, BINARY_PART);
        file.extend_from_slice(&binary);
        file
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_parts_that_its_head_announces() {
        let mut document = Document::default();
        let material = document.material("stone", [0.5, 0.5, 0.5, 1.0]);
        let triangle = granum_geometry::Mesh {
            vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
            normals: vec![DVec3::Z; 3],
            triangles: vec![[0, 1, 2]],
        };
        let mesh = document.mesh("triangle", &triangle, &[], material);
        document.node(json!({"mesh": mesh}));
        let file = document.finish(DVec3::new(1.0, 2.0, 3.0));
        let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().expect("four bytes")) as usize;
        assert_eq!((word(0), word(8)), (MAGIC as usize, file.len()));
        let text: Value = serde_json::from_slice(&file[20..20 + word(12)]).expect("JSON");
        let binary = 20 + word(12);
        assert_eq!(word(binary + 4), BINARY_PART as usize);
        assert_eq!(file.len(), binary + 8 + word(binary));
        // Upright, z becomes y: the point (1, 2, 3) is at (1, 3, -2).
        assert_eq!(text["nodes"][1]["translation"], json!([1.0, 3.0, -2.0]));
        assert_eq!(text["accessors"][0]["max"], json!([1.0, 1.0, 0.0]));
        for view in text["bufferViews"].as_array().expect("a list") {
            let end = view["byteOffset"].as_u64().expect("a number") + view["byteLength"].as_u64().expect("a number");
            assert!(end as usize <= word(binary) && view["byteOffset"].as_u64().expect("a number") % 4 == 0);
        }
    }
}
