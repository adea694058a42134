//! Export of frames as glTF 2.0 in one binary file, for Blender and other programs.
//!
//! A frame has one mesh per form and instances of it (`EXT_mesh_gpu_instancing`), or one mesh of all
//! grains with the colours of a quantity. An animation has a node per grain.

mod document;
mod models;

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};
use granum_engine::{BodyId, BodyState};
use granum_geometry::{Kind, Mesh, Pose, Shape};
use granum_output::Frame;
use granum_picture::colour_map::CATEGORIES;
use granum_picture::{ColourMap, Quantity, Subject};
use serde_json::json;

use crate::data::{middle, room};
use document::{Document, Index};
use models::Models;

/// The extension for instances.
const INSTANCING: &str = "EXT_mesh_gpu_instancing";

/// Colour of walls.
const GLASS: [f64; 4] = [0.6, 0.65, 0.7, 0.25];

/// How a frame is written.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Level of detail, 0 to [`granum_geometry::mesh::FINEST_LEVEL`].
    pub level: u32,
    /// True for one mesh of all grains, coloured by a quantity.
    pub baked: bool,
    /// The quantity.
    pub colour: Quantity,
}

/// Returns whether a body is drawn as a solid: a grain or a bounded obstacle.
fn is_solid(body: &BodyState, shapes: &[Shape]) -> bool {
    let shape = &shapes[body.shape.0 as usize];
    body.position.is_finite() && shape.as_convex().drawn_radius().is_finite() && shape.kind() != Kind::Surface
}

fn subject(frame: &Frame) -> Subject<'_> {
    Subject {
        time: frame.time,
        bodies: &frame.bodies,
        contacts: &frame.contacts,
        wear: &frame.wear,
        shapes: &frame.shapes,
        materials: &frame.materials,
    }
}

/// Returns a frame as a file.
pub fn frame(frame: &Frame, style: Style) -> Vec<u8> {
    let origin = middle(&subject(frame));
    let mut document = Document::default();
    if style.baked {
        bake(frame, style, origin, &mut document);
    } else {
        instance(frame, style.level, origin, &mut document);
    }
    add_walls(frame, origin, &mut document);
    document.finish(origin)
}

/// Adds one mesh of all grains. Colours of vertices are linear.
fn bake(frame: &Frame, style: Style, origin: DVec3, document: &mut Document) {
    let subject = subject(frame);
    let values = style.colour.values(&subject);
    let shown = frame.bodies.iter().enumerate().filter(|(_, body)| is_solid(body, &frame.shapes));
    let finite = shown.clone().map(|(index, _)| values[index]).filter(|value| value.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    let (mut whole, mut colours) = (Mesh::default(), Vec::new());
    let mut meshes: BTreeMap<u32, Mesh> = BTreeMap::new();
    for (index, body) in shown {
        let shape = &frame.shapes[body.shape.0 as usize];
        let mesh = meshes
            .entry(body.shape.0)
            .or_insert_with(|| shape.as_convex().surface(style.level, shape.as_convex().drawn_radius()))
            .placed(&Pose { position: body.position - origin, orientation: body.orientation });
        let part = if high > low { (values[index] - low) / (high - low) } else { 0.0 };
        let colour = linear(ColourMap::Viridis.colour(part));
        colours.extend(std::iter::repeat_n(colour, mesh.vertices.len()));
        let first = whole.vertices.len() as u32;
        whole.vertices.extend(mesh.vertices);
        whole.normals.extend(mesh.normals);
        whole.triangles.extend(mesh.triangles.iter().map(|triangle| triangle.map(|index| index + first)));
    }
    if !whole.triangles.is_empty() {
        let material = document.material("grains", [1.0; 4]);
        let mesh = document.mesh("grains", &whole, &colours, material);
        document.node(json!({"name": "grains", "mesh": mesh}));
    }
}

/// Adds a node per mesh with the poses of its grains.
fn instance(frame: &Frame, level: u32, origin: DVec3, document: &mut Document) {
    let mut models = Models::new(level);
    let mut materials = Materials::default();
    let mut groups: BTreeMap<Index, Vec<(&BodyState, DVec3)>> = BTreeMap::new();
    for body in frame.bodies.iter().filter(|body| is_solid(body, &frame.shapes)) {
        let shape = &frame.shapes[body.shape.0 as usize];
        let material = materials.of(shape.kind(), document);
        let (mesh, scale) = models.of(body.shape, shape, material, document);
        groups.entry(mesh).or_default().push((body, scale));
    }
    for (mesh, group) in &groups {
        let places: Vec<DVec3> = group.iter().map(|(body, _)| body.position - origin).collect();
        let turns: Vec<DQuat> = group.iter().map(|(body, _)| body.orientation).collect();
        let scales: Vec<DVec3> = group.iter().map(|(_, scale)| *scale).collect();
        let ids: Vec<f64> = group.iter().map(|(body, _)| f64::from(body.id.0)).collect();
        let attributes = json!({
            "TRANSLATION": document.vectors(&places), "ROTATION": document.rotations(&turns),
            "SCALE": document.vectors(&scales), "_ID": document.numbers(&ids),
        });
        document.node(json!({
            "name": format!("grains {mesh}"), "mesh": mesh, "extensions": {INSTANCING: {"attributes": attributes}},
        }));
    }
    if !groups.is_empty() {
        document.require(INSTANCING);
    }
}

/// Returns the frames as an animation with a node per grain. A grain is of size zero in frames without
/// it.
pub fn animation(frames: &[Frame], level: u32) -> Vec<u8> {
    let Some(first) = frames.first() else { return Document::default().finish(DVec3::ZERO) };
    let origin = middle(&subject(first));
    let mut document = Document::default();
    let mut models = Models::new(level);
    let mut materials = Materials::default();
    let times: Vec<f64> = frames.iter().map(|frame| frame.time).collect();
    let times = document.numbers(&times);
    let shapes = &frames[frames.len() - 1].shapes;
    let mut bodies: BTreeMap<BodyId, Vec<Option<&BodyState>>> = BTreeMap::new();
    for (number, frame) in frames.iter().enumerate() {
        for body in frame.bodies.iter().filter(|body| is_solid(body, shapes)) {
            bodies.entry(body.id).or_insert_with(|| vec![None; frames.len()])[number] = Some(body);
        }
    }
    for (id, states) in bodies {
        let Some(known) = states.iter().flatten().next() else { continue };
        let shape = &shapes[known.shape.0 as usize];
        let material = materials.of(shape.kind(), &mut document);
        let (mesh, scale) = models.of(known.shape, shape, material, &mut document);
        let node = document.node(json!({"name": format!("grain {}", id.0), "mesh": mesh, "scale": scale.to_array()}));
        let (mut places, mut turns, mut scales) = (Vec::new(), Vec::new(), Vec::new());
        let mut last: (DVec3, DQuat) = (known.position, known.orientation);
        for state in &states {
            if let Some(body) = state {
                // A rotation and its negative are the same; the nearer one is interpolated shortly.
                let turn = if last.1.dot(body.orientation) < 0.0 { -body.orientation } else { body.orientation };
                last = (body.position, turn);
            }
            places.push(last.0 - origin);
            turns.push(last.1);
            scales.push(if state.is_some() { scale } else { DVec3::ZERO });
        }
        let places = document.vectors(&places);
        document.animate(node, "translation", times, places, "LINEAR");
        let turns = document.rotations(&turns);
        document.animate(node, "rotation", times, turns, "LINEAR");
        if states.contains(&None) {
            let scales = document.vectors(&scales);
            document.animate(node, "scale", times, scales, "STEP");
        }
    }
    add_walls(first, origin, &mut document);
    document.finish(origin)
}

/// Adds walls and surfaces as glass, clipped to the room.
fn add_walls(frame: &Frame, origin: DVec3, document: &mut Document) {
    const LEVEL: u32 = 3;
    let room = room(&frame.bodies, &frame.shapes);
    let reach = (room.max - room.min).length();
    let walls: Vec<Mesh> = frame
        .bodies
        .iter()
        .filter(|body| !is_solid(body, &frame.shapes) && body.position.is_finite() && reach.is_finite())
        .map(|body| {
            let pose = Pose { position: body.position, orientation: body.orientation };
            let distance = reach + (body.position - room.min).length();
            frame.shapes[body.shape.0 as usize].as_convex().surface(LEVEL, distance).placed(&pose).clipped(&room)
        })
        .filter(|mesh| !mesh.triangles.is_empty())
        .collect();
    if walls.is_empty() {
        return;
    }
    let material = document.material("walls", GLASS);
    for (number, mut mesh) in walls.into_iter().enumerate() {
        mesh.vertices.iter_mut().for_each(|vertex| *vertex -= origin);
        let mesh = document.mesh(&format!("wall {number}"), &mesh, &[], material);
        document.node(json!({"name": format!("wall {number}"), "mesh": mesh}));
    }
}

/// A material per kind of shape.
#[derive(Default)]
struct Materials(BTreeMap<u8, Index>);

impl Materials {
    fn of(&mut self, kind: Kind, document: &mut Document) -> Index {
        *self.0.entry(kind as u8).or_insert_with(|| {
            let DVec3 { x, y, z } = linear(CATEGORIES[kind as usize % CATEGORIES.len()]);
            document.material(&kind.name(), [x, y, z, 1.0])
        })
    }
}

/// Converts a colour from sRGB to linear light, approximately.
fn linear(colour: [u8; 3]) -> DVec3 {
    const GAMMA: f64 = 2.2;
    DVec3::from_array(colour.map(|part| (f64::from(part) / 255.0).powf(GAMMA)))
}
