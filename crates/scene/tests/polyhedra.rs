//! Polyhedra in scenes: from vertices, from files and as rocks, and the errors of invalid ones.

mod common;

use std::fs;
use std::path::PathBuf;

use granum_engine::World;
use granum_geometry::Kind;
use granum_scene::Scene;

/// Returns a scene with grains of this table on a lattice in a box of 2 m.
fn text(table: &str, more: &str) -> String {
    let head = common::HEAD.replace("max = [0.1, 0.1, 0.1]", "max = [2, 2, 2]");
    format!(
        r#"{head}
[[grains]]
material = "glass"
count = 50
{more}
[grains.lattice]
min = [0, 0, 0]
max = [2, 2, 2]

[grains.polyhedron]
{table}
"#
    )
}

fn world(table: &str, more: &str) -> World {
    common::scene(&text(table, more)).build().expect("a valid scene")
}

fn error(table: &str) -> String {
    common::scene_error(&text(table, ""))
}

/// Returns the volumes of the grains; those of walls are infinite.
fn volumes(world: &World) -> Vec<f64> {
    let volumes = world.bodies().map(|body| world.shape(body.shape).as_convex().mass_properties().volume);
    volumes.filter(|volume| volume.is_finite()).collect()
}

#[test]
fn rocks_of_one_table_may_each_have_their_own_lengths() {
    let grains = world("gabion = [{ min = \"6 cm\", max = \"9 cm\" }, \"5.3 cm\", \"6.5 cm\", \"3.8 cm\"]", "");
    let volumes = volumes(&grains);
    let exact = |a: f64| a * 0.065 * (0.038 + (0.053 - 0.038) / 3.0);
    assert!(volumes.iter().all(|volume| (exact(0.06)..=exact(0.09)).contains(volume)), "{volumes:?}");
    assert!(volumes.windows(2).any(|pair| pair[0] != pair[1]));
}

#[test]
fn every_seed_is_another_rock_of_the_given_size() {
    let grains =
        world("rock = [1, 0.7, 0.5]\ncorners = 14\nseed = { min = 0, max = 1e6 }", "size = \"5 cm\"\nseed = 3");
    let ball = std::f64::consts::PI / 6.0 * 0.05f64.powi(3);
    assert!(volumes(&grains).iter().all(|volume| (volume / ball - 1.0).abs() < 1e-12));
    assert_eq!(grains.shapes().iter().filter(|shape| shape.kind() == Kind::Polyhedron).count(), 50, "each its own");
    let again = world("rock = [1, 0.7, 0.5]\ncorners = 14\nseed = { min = 0, max = 1e6 }", "size = \"5 cm\"\nseed = 3");
    assert_eq!(grains.shapes(), again.shapes(), "the same scene is the same rocks");
}

#[test]
fn a_surface_file_gives_the_vertices() {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("polyhedra");
    fs::create_dir_all(&dir).expect("a folder");
    fs::write(dir.join("rock.obj"), "v 0 0 0\nv 60 0 0\nv 0 60 0\nv 0 0 60\nf 1 2 3\n").expect("a file");
    fs::write(dir.join("flat.obj"), "v 0 0 0\nv 60 0 0\nv 0 60 0\nv 60 60 0\n").expect("a file");
    let load = |table: &str| {
        fs::write(dir.join("scene.toml"), text(table, "")).expect("a file");
        Scene::load(&dir.join("scene.toml")).and_then(|scene| Ok((scene.build()?, scene)))
    };
    let (grains, scene) = load("file = \"rock.obj\"\nscale = 0.001").expect("a valid scene");
    assert!((volumes(&grains)[0] / (0.06f64.powi(3) / 6.0) - 1.0).abs() < 1e-13);
    // The resolved scene needs no file.
    let again = common::scene(&scene.to_toml().expect("plain data")).build().expect("the same scene");
    assert_eq!(grains.shapes(), again.shapes());
    let error = |table: &str| load(table).map(|_| ()).expect_err("an invalid scene").to_string();
    assert!(error("file = \"none.obj\"").contains("grains[0].polyhedron.file: cannot read"));
    assert!(error("file = \"flat.obj\"").contains("must not be flat"));
    assert!(error("file = \"rock.obj\"\nscale = -1").contains("must be a positive number"));
    assert!(error("file = \"rock.obj\"\nvertices = []").contains("not both"));
    assert!(error("file = 3").contains("name of a file"));
}

#[test]
fn invalid_polyhedra_are_refused_at_their_field() {
    let flat = error("vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]");
    assert!(flat.contains("grains[0].polyhedron.vertices must not be flat"), "{flat}");
    let belt = error("gabion = [0.08, 0.03, 0.06, 0.05]");
    assert!(belt.contains("grains[0].polyhedron.gabion must have its belt d lower"), "{belt}");
    let corners = error("rock = [1, 1, 1]\ncorners = 3.5");
    assert!(corners.contains("grains[0].polyhedron.corners must be a whole number"), "{corners}");
    assert!(error("").contains("must be given, or the lengths of a gabion or of a rock"));
    assert!(error("rok = [1, 1, 1]").contains("did you mean `rock`?"));
}

#[test]
fn scenes_of_polytopes_can_be_built() {
    for name in ["blocks_fall", "wall", "everything"] {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenes/{name}.toml"));
        let world = Scene::load(&path).and_then(|scene| scene.build()).unwrap_or_else(|error| panic!("{error}"));
        assert!(world.body_count() > 100, "{name}");
    }
}
