//! Scenes that start from the saved state of a run: `[[grains]] from`.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use granum_engine::World;
use granum_scene::Scene;
use support::{checkpoints, folder_with, granum, succeeds, summary, text};

/// Grains of two shapes and two materials that settle in a box.
const SETTLE: &str = r#"
[time]
end = "0.3 s"
output = "50 ms"
[materials.glass]
density = 2500
[materials.steel]
density = 7800
[[contact]]
between = ["glass", "glass"]
law = "linear"
stiffness = "2 kN/m"
restitution = 0.3
friction = 0.5
[[contact]]
between = ["glass", "steel"]
law = "linear"
stiffness = "2 kN/m"
restitution = 0.3
friction = 0.5
[[contact]]
between = ["steel", "steel"]
law = "linear"
stiffness = "2 kN/m"
restitution = 0.3
friction = 0.5
[container]
material = "steel"
min = [0, 0, 0]
max = ["3 cm", "3 cm", "8 cm"]
open = ["top"]
"#;

/// The grains of [`SETTLE`].
const GRAINS: &str = r#"
[[grains]]
material = "glass"
count = 25
[grains.sphere]
radius = { min = "2 mm", max = "3 mm" }
[grains.lattice]
min = [0, 0, 0]
max = ["3 cm", "3 cm", "2 cm"]
[[grains]]
material = "steel"
count = 8
[grains.box]
half_sizes = ["2 mm", "3 mm", "2 mm"]
[grains.lattice]
min = [0, 0, "2 cm"]
max = ["3 cm", "3 cm", "4 cm"]
"#;

/// Returns a folder that contains the run `settled`.
fn settled(test: &str) -> PathBuf {
    let dir = folder_with(test, "settle.toml", &(SETTLE.to_owned() + GRAINS));
    succeeds(&dir, &["run", "settle.toml", "--out", "settled", "--quiet", "--threads", "1"]);
    dir
}

/// Returns the scene of [`settled`] with other grains.
fn scene_with(grains: &str) -> String {
    SETTLE.to_owned() + grains
}

fn build(dir: &Path, scene: &str) -> Result<(World, Vec<String>), String> {
    let scene = Scene::parse(scene, &dir.join("next.toml")).map_err(|error| error.to_string())?;
    scene.build_with_origins().map_err(|error| error.to_string())
}

/// Returns position, orientation and velocity of all grains.
fn grains(world: &World) -> Vec<[f64; 10]> {
    let state = |body: granum_engine::BodyState| {
        let mut numbers = [0.0; 10];
        numbers[..3].copy_from_slice(&body.position.to_array());
        numbers[3..7].copy_from_slice(&body.orientation.to_array());
        numbers[7..].copy_from_slice(&body.velocity.to_array());
        numbers
    };
    world.grains().map(state).collect()
}

#[test]
fn a_scene_starts_from_the_last_state_of_a_run_with_its_contact_history() {
    let dir = settled("saved_last");
    let (world, origins) = build(&dir, &scene_with("[[grains]]\nfrom = \"settled\"")).unwrap();
    assert_eq!(world.grain_count(), 33);
    assert!(origins[0].contains("33 grains of ") && origins[0].contains("settled@0.3; "), "{origins:?}");
    let contacts = summary(&dir.join("settled"))["contacts"].as_u64().unwrap();
    let wanted = format!("{contacts} of {contacts} contacts keep their history");
    assert!(contacts > 50 && origins[0].ends_with(&wanted), "{origins:?}");
    // The packing moves on as in the run itself, because friction holds it from the first step on.
    fs::write(dir.join("next.toml"), scene_with("[[grains]]\nfrom = \"settled\"")).unwrap();
    let printed = succeeds(&dir, &["run", "next.toml", "--out", "next", "--until", "20 ms", "--threads", "1"]);
    assert!(printed.contains("from       grains[0]: 33 grains of "), "{printed}");
    succeeds(&dir, &["run", "--resume", "settled", "--out", "trunk", "--until", "320 ms", "--quiet"]);
    let end = |run: &str| grains(&build(&dir, &scene_with(&format!("[[grains]]\nfrom = \"{run}\""))).unwrap().0);
    let (next, trunk) = (end("next"), end("trunk"));
    for (one, other) in next.iter().flatten().zip(trunk.iter().flatten()) {
        assert!((one - other).abs() < 1e-6, "{one} {other}");
    }
    // The resolved scene names the state by an absolute path and its time.
    let resolved = fs::read_to_string(dir.join("next/scene.toml")).unwrap();
    let wanted = format!("from = \"{}@0.3\"", dir.join("settled").canonicalize().unwrap().display());
    assert!(resolved.contains(&wanted), "{resolved}");
    succeeds(&dir, &["run", "next/scene.toml", "--out", "again", "--until", "20 ms", "--threads", "2"]);
    assert_eq!(summary(&dir.join("again"))["state_hash"], summary(&dir.join("next"))["state_hash"]);
    // A run continues even if the state from which it started is gone.
    fs::remove_dir_all(dir.join("settled")).unwrap();
    succeeds(&dir, &["run", "--resume", "next", "--until", "25 ms"]);
}

#[test]
fn a_time_selects_a_frame_and_a_wrong_one_names_the_nearest() {
    let dir = settled("saved_time");
    let (world, origins) = build(&dir, &scene_with("[[grains]]\nfrom = \"settled@50 ms\"")).unwrap();
    assert!(origins[0].ends_with("without contact history, which only a checkpoint has"), "{origins:?}");
    let folder = granum_output::RunFolder::open(&dir.join("settled")).unwrap();
    let frame = folder.frame(1).unwrap();
    let positions: Vec<_> = frame.bodies.iter().filter(|body| body.is_grain()).map(|body| body.position).collect();
    assert_eq!(world.grains().map(|body| body.position).collect::<Vec<_>>(), positions);
    let refused = |from: &str, message: &str| {
        let error = build(&dir, &scene_with(&format!("[[grains]]\nfrom = \"{from}\""))).unwrap_err();
        assert!(error.contains("next.toml:") && error.contains("grains[0].from: "), "{error}");
        assert!(error.contains(message) && error.lines().count() == 1, "{error}");
    };
    refused("settled@70 ms", "settled has no state at 0.07 s; the nearest are at 0.05 s and 0.1 s");
    refused("settled@soon", "the time after `@` ");
    refused("nowhere", "nowhere does not exist; a path is relative to the folder of the scene");
    refused("settle.toml", "settle.toml is neither the folder of a run, nor a state (.granum), nor a table");
    let newest = checkpoints(&dir.join("settled"))[0].clone();
    let name = newest.strip_prefix(&dir).unwrap().display().to_string();
    assert_eq!(build(&dir, &scene_with(&format!("[[grains]]\nfrom = \"{name}\""))).unwrap().0.grain_count(), 33);
    fs::write(newest, "torn").unwrap();
    refused(&name, "is not a checkpoint of granum");
    // The last frame replaces a checkpoint that cannot be used, and the reason is given.
    let (_, origins) = build(&dir, &scene_with("[[grains]]\nfrom = \"settled@0.3 s\"")).unwrap();
    let reason = format!("{name} is not a checkpoint of granum");
    assert!(origins[0].contains("; without contact history: ") && origins[0].ends_with(&reason), "{origins:?}");
}

#[test]
fn a_state_starts_in_another_container_with_other_laws_and_more_grains() {
    let dir = settled("saved_other");
    let saved = "[[grains]]\nfrom = \"settled\"\n";
    // Wider walls, and a heap that collapses: contacts among the grains and with the floor persist.
    let wide =
        scene_with(saved).replace("max = [\"3 cm\", \"3 cm\", \"8 cm\"]", "max = [\"9 cm\", \"3 cm\", \"8 cm\"]");
    let (_, origins) = build(&dir, &wide).unwrap();
    let [kept, all] = numbers(&origins[0]);
    assert!(kept < all && kept + 12.0 > all, "{origins:?}");
    // Another law: nothing of the history has a meaning.
    let (_, origins) = build(&dir, &scene_with(saved).replace("restitution = 0.3", "restitution = 0.8")).unwrap();
    assert_eq!(numbers(&origins[0])[0], 0.0);
    // Percussions, and an additional grain.
    let ball = "[[grains]]\nmaterial = \"steel\"\nsphere = { radius = \"3 mm\" }\npositions = [[0.015, 0.015, 0.07]]\n";
    let percussion = format!("response = \"percussion\"\n{}", scene_with(&(saved.to_owned() + ball)));
    fs::write(dir.join("percussion.toml"), percussion).unwrap();
    succeeds(&dir, &["run", "percussion.toml", "--out", "p", "--set", "time.step=\"0.5 ms\"", "--quiet"]);
    assert_eq!(summary(&dir.join("p"))["bodies"], 33 + 1 + 5);
    // One material for all grains, and a missing one.
    let one = scene_with("[[grains]]\nfrom = \"settled\"\nmaterial = \"glass\"\n");
    let (world, _) = build(&dir, &one).unwrap();
    assert!(world.grains().all(|body| world.material(body.material).name == "glass"));
    let renamed = scene_with(saved).replace("glass", "clay");
    let error = build(&dir, &renamed).unwrap_err();
    assert!(
        error.contains("grains[0].from needs the material `glass` of its grains; add [materials.glass]"),
        "{error}"
    );
    // A narrower container cuts through grains.
    let narrow =
        scene_with(saved).replace("max = [\"3 cm\", \"3 cm\", \"8 cm\"]", "max = [\"2 cm\", \"3 cm\", \"8 cm\"]");
    let error = build(&dir, &narrow).unwrap_err();
    assert!(error.contains("grains[0]: body ") && error.contains(" the container (right face) "), "{error}");
}

#[test]
fn a_state_with_impacts_on_a_wall_is_accepted() {
    // When a ball leaves the floor, its contact ends without tension before the overlap does.
    let ball = "[[grains]]\nmaterial = \"glass\"\nsphere = { radius = \"3 mm\" }\nvelocity = [0, 0, -0.5]\n\
                positions = [[0.015, 0.015, 0.00301]]\n";
    let dir = folder_with("saved_impact", "impact.toml", &scene_with(ball));
    let scene = ["run", "impact.toml", "--out", "impact", "--quiet"];
    succeeds(&dir, &[&scene[..], &["--set", "time.end=2e-3", "--set", "time.output=2e-5"]].concat());
    let mut leaving = 0;
    for k in 0..=100 {
        let saved = format!("[[grains]]\nfrom = \"impact@{:.5}\"\n", 2e-5 * f64::from(k));
        let (world, _) = build(&dir, &scene_with(&saved)).unwrap();
        let [_, _, height, _, _, _, _, _, _, speed] = grains(&world)[0];
        leaving += usize::from(height < 0.003 && speed > 0.0);
    }
    assert!(leaving > 3, "{leaving}");
}

/// Returns the two numbers of "KEPT of ALL contacts keep their history".
fn numbers(origin: &str) -> [f64; 2] {
    let history = origin.rsplit_once("; ").unwrap().1;
    let words: Vec<&str> = history.split(' ').collect();
    [words[0].parse().unwrap(), words[2].parse().unwrap()]
}

#[test]
fn an_exported_table_is_read_back_with_its_shapes() {
    let dir = settled("saved_table");
    succeeds(&dir, &["export", "settled", "--to", "csv", "--out", "tables"]);
    for grains_table in [
        "[[grains]]\nfrom = \"tables/bodies_000006.csv\"\n",
        "[[grains]]\n[grains.table]\nfile = \"tables/bodies_000006.csv\"\n",
    ] {
        let (world, _) = build(&dir, &scene_with(grains_table)).unwrap();
        let (whole, _) = build(&dir, &scene_with("[[grains]]\nfrom = \"settled\"")).unwrap();
        // Orientations of a table are normalised, which may change their last digit.
        for (read, saved) in grains(&world).iter().flatten().zip(grains(&whole).iter().flatten()) {
            assert!((read - saved).abs() < 4.0 * f64::EPSILON, "{read:e} {saved:e}");
        }
        let shapes = |world: &World| world.grains().map(|body| world.shape(body.shape).clone()).collect::<Vec<_>>();
        assert_eq!(shapes(&world), shapes(&whole));
    }
    // A program may drop columns that are not needed, and rows.
    let table = fs::read_to_string(dir.join("tables/bodies_000006.csv")).unwrap();
    let (rows, walls): (Vec<&str>, Vec<&str>) = table.lines().partition(|line| !line.contains("half_space"));
    assert_eq!((rows.len(), walls.len()), (34, 5));
    fs::write(dir.join("tables/few.csv"), rows[..11].join("\n")).unwrap();
    assert_eq!(
        build(&dir, &scene_with("[[grains]]\nfrom = \"tables/few.csv\"\nallow_overlap = true\n"))
            .unwrap()
            .0
            .grain_count(),
        10
    );
    fs::write(dir.join("tables/bad.csv"), rows.join("\n").replacen("sphere", "ball", 1)).unwrap();
    let error = build(&dir, &scene_with("[[grains]]\nfrom = \"tables/bad.csv\"\n")).unwrap_err();
    assert!(error.contains("bad.csv, body 5: shape 5 is a sphere, not a ball"), "{error}");
    fs::remove_file(dir.join("tables/shapes.json")).unwrap();
    let error = build(&dir, &scene_with("[[grains]]\nfrom = \"tables/few.csv\"\n")).unwrap_err();
    assert!(error.contains("few.csv are missing: there is no ") && error.contains("tables/shapes.json"), "{error}");
}

#[test]
fn overlapping_grains_are_refused_unless_their_table_allows_it() {
    let dir = folder_with("saved_overlap", "none.toml", "");
    // An overlap of 1e-10 m.
    let balls = "[[grains]]\nmaterial = \"glass\"\nsphere = { radius = \"1 mm\" }\n\
                 positions = [[0.01, 0.01, 0.01], [0.01, 0.01, 0.0119999999]]\n";
    let error = build(&dir, &scene_with(balls)).unwrap_err();
    assert!(error.contains("overlaps a body of grains[0] by 1.000e-10 m at the start"), "{error}");
    assert!(error.contains("unless their [[grains]] table has allow_overlap = true"), "{error}");
    fs::write(dir.join("allowed.toml"), scene_with(&format!("{balls}allow_overlap = true\n"))).unwrap();
    succeeds(&dir, &["run", "allowed.toml", "--out", "r", "--until", "50 ms", "--quiet"]);
    let inlet = "[[grains]]\nmaterial = \"glass\"\nallow_overlap = true\nsphere = { radius = \"1 mm\" }\n\
                 inlet = { centre = [0.01, 0.01, 0.05], radius = 0.005, rate = 10 }\n";
    let error = build(&dir, &scene_with(inlet)).unwrap_err();
    assert!(error.contains("grains[0].allow_overlap has no effect on an inlet"), "{error}");
}

#[test]
fn keys_that_a_saved_state_determines_are_refused() {
    let dir = folder_with("saved_keys", "next.toml", "");
    for key in ["count = 3", "velocity = [0, 0, 1]", "sphere = { radius = 1 }", "positions = [[0, 0, 0]]"] {
        let scene = scene_with(&format!("[[grains]]\nfrom = \"settled\"\n{key}\n"));
        fs::write(dir.join("next.toml"), scene).unwrap();
        let output = granum(&dir, &["check", "next.toml"]);
        let printed = text(&output.stderr);
        let name = key.split(' ').next().unwrap();
        let message = format!("grains[0].{name} must not be given together with `from`");
        assert!(output.status.code() == Some(2) && printed.contains(&message), "{printed}");
    }
    let error = build(&dir, &scene_with("[[grains]]\nmaterial = \"glass\"\n")).unwrap_err();
    assert!(error.contains("grains[0]: missing shape; give one of "), "{error}");
    let error = build(&dir, &scene_with("[[grains]]\nsphere = { radius = 1 }\npositions = [[0, 0, 0]]\n")).unwrap_err();
    assert!(error.contains("grains[0]: missing key `material`"), "{error}");
}

#[test]
fn the_scenes_of_a_column_and_its_collapse_fit_together() {
    let dir = folder_with("saved_scenes", "none.toml", "");
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    fs::create_dir(dir.join("scenes")).unwrap();
    for name in ["column.toml", "column_collapse.toml"] {
        fs::copy(scenes.join(name), dir.join("scenes").join(name)).unwrap();
    }
    let short = ["--quiet", "--until", "20 ms", "--set", "time.output=\"10 ms\""];
    succeeds(&dir, &[&["run", "scenes/column.toml", "--out", "out/column"], &short[..]].concat());
    let collapse = ["run", "scenes/column_collapse.toml", "--set", "grains.0.from=out/column"];
    succeeds(&dir, &[&collapse[..], &["--out", "out/collapse"], &short[..]].concat());
    let percussion = ["--out", "out/percussion", "--set", "response=percussion", "--set", "time.step=\"0.5 ms\""];
    succeeds(&dir, &[&collapse[..], &percussion[..], &short[..]].concat());
    // As the scene says, the path is relative to its folder.
    let wanted = "out/column has no state at 0.8 s; the nearest are at 0.01 s and 0.02 s";
    let output = granum(&dir, &["check", "scenes/column_collapse.toml"]);
    assert!(output.status.code() == Some(2) && text(&output.stderr).contains(wanted), "{}", text(&output.stderr));
}
