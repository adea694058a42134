//! Polyhedra in scenes: from vertices, from files and as rocks, and the errors of invalid ones.

mod common;

use std::fs;
use std::path::PathBuf;

use granum_engine::World;
use granum_geometry::Kind;
use granum_scene::{Scene, SceneError};

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
    common::scene(&text(table, more)).build().expect("the scene is valid")
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
fn every_seed_gives_another_rock_of_the_given_size() {
    let grains =
        world("rock = [1, 0.7, 0.5]\ncorners = 14\nseed = { min = 0, max = 1e6 }", "size = \"5 cm\"\nseed = 3");
    let ball = std::f64::consts::PI / 6.0 * 0.05f64.powi(3);
    assert!(volumes(&grains).iter().all(|volume| (volume / ball - 1.0).abs() < 1e-12));
    assert_eq!(
        grains.shapes().iter().filter(|shape| shape.kind() == Kind::Polyhedron).count(),
        50,
        "each grain has its own shape"
    );
    let again = world("rock = [1, 0.7, 0.5]\ncorners = 14\nseed = { min = 0, max = 1e6 }", "size = \"5 cm\"\nseed = 3");
    assert_eq!(grains.shapes(), again.shapes(), "the same scene gives the same rocks");
}

/// Writes surface files and returns a function that reads and builds a scene with them.
fn with_files(dir: &str, files: &[(&str, &str)]) -> impl Fn(&str) -> Result<(World, Scene), SceneError> + use<> {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(dir);
    fs::create_dir_all(&dir).expect("the folder can be created");
    files.iter().for_each(|(name, text)| fs::write(dir.join(name), text).expect("the file can be written"));
    move |table| {
        fs::write(dir.join("scene.toml"), text(table, "")).expect("the file can be written");
        Scene::load(&dir.join("scene.toml")).and_then(|scene| Ok((scene.build()?, scene)))
    }
}

/// A tetrahedron as an OBJ file.
const ROCK: &str = "v 0 0 0\nv 60 0 0\nv 0 60 0\nv 0 0 60\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

#[test]
fn a_surface_file_gives_the_vertices() {
    let load = with_files("polyhedra", &[("rock.obj", ROCK), ("flat.obj", "v 0 0 0\nv 6 0 0\nv 0 6 0\nv 6 6 0\n")]);
    let (grains, scene) = load("file = \"rock.obj\"\nscale = 0.001").expect("the scene is valid");
    assert!((volumes(&grains)[0] / (0.06f64.powi(3) / 6.0) - 1.0).abs() < 1e-13);
    assert!(scene.notes().is_empty());
    // The resolved scene needs no file.
    let again =
        common::scene(&scene.to_toml().expect("the scene can be written")).build().expect("the written scene is valid");
    assert_eq!(grains.shapes(), again.shapes());
    let error = |table: &str| load(table).map(|_| ()).expect_err("the scene is invalid").to_string();
    assert!(error("file = \"none.obj\"").contains("grains[0].polyhedron.file: cannot read"));
    assert!(error("file = \"flat.obj\"").contains("must not be flat"));
    assert!(error("file = \"rock.obj\"\nscale = -1").contains("must be a positive number"));
    assert!(error("file = \"rock.obj\"\nvertices = []").contains("not both"));
    assert!(error("file = \"rock.obj\"\nhull = 1").contains("polyhedron.hull must be true or false"));
    assert!(error("rock = [1, 1, 1]\nhull = true").contains("polyhedron.hull has a meaning only with `file`"));
    assert!(error("file = 3").contains("name of a file"));
}

#[test]
fn a_surface_that_is_not_convex_does_not_silently_become_its_convex_hull() {
    // An L of three cubes of 1 cm.
    let outline = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]];
    let corners: String = (0..2).flat_map(|z| outline.map(|[x, y]| format!("v {x} {y} {z}\n"))).collect();
    let sides: String = (1..7).map(|k| format!("f {k} {0} {1} {2}\n", k % 6 + 1, k % 6 + 7, k + 6)).collect();
    let l_shape = format!("{corners}{sides}f 6 5 4 3 2 1\nf 7 8 9 10 11 12\n");
    let load = with_files(
        "not_convex",
        &[
            ("l.obj", l_shape.as_str()),
            ("open.obj", &ROCK.replace("f 1 3 2\n", "")),
            ("more.obj", &format!("{ROCK}v 99 9 9\n")),
        ],
    );
    let error = |file: &str| {
        let table = format!("file = \"{file}\"\nscale = 0.01");
        load(&table).map(|_| ()).expect_err("not the boundary of its hull").to_string()
    };
    let reason = error("l.obj");
    assert!(reason.contains("it encloses 3.0000e-6 m3, and its convex hull 3.5000e-6 m3"), "{reason}");
    assert!(reason.contains("give hull = true"), "{reason}");
    assert!(error("open.obj").contains("is open: 3 edges of one face only"), "{}", error("open.obj"));
    assert!(error("more.obj").contains("a vertex that no face uses"), "{}", error("more.obj"));
    let (world, scene) = load("file = \"l.obj\"\nscale = 0.01\nhull = true").expect("accepted");
    assert!((volumes(&world)[0] / 3.5e-6 - 1.0).abs() < 1e-12);
    assert!(scene.notes()[0].contains("encloses 3.0000e-6 m3, its hull 3.5000e-6 m3 (+16.7 %)"), "{:?}", scene.notes());
    let (world, _) = load("file = \"more.obj\"\nscale = 0.001\nhull = true").expect("accepted");
    assert!((volumes(&world)[0] / (0.06f64.powi(3) / 6.0) - 1.0).abs() < 1e-12);
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
