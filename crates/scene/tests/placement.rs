//! Positions, number and sizes of grains.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{grains, message, scene, with};
use glam::DVec3;
use granum_scene::Scene;

const BALLS: &str = "[[grains]]\nmaterial = \"glass\"\nsphere = { radius = 0.002 }\n";

#[test]
fn random_grains_lie_in_their_box_and_touch_nothing() {
    let scene = with(
        "[[walls]]\nmaterial = \"glass\"\nposition = [0.05, 0.05, 0.05]\nsphere = { radius = 0.02 }\n\
         [[grains]]\nmaterial = \"glass\"\ncount = 400\nseed = 3\norientation = \"random\"\n\
         sphere = { radius = { min = 0.0005, max = 0.004 } }\nrandom = { min = [0, 0, 0], max = [0.1, 0.1, 0.08] }\n\
         [[grains]]\nmaterial = \"glass\"\ncount = 100\nsphere = { radius = 0.002 }\n\
         random = { min = [0, 0, 0], max = [0.1, 0.1, 0.08] }\n",
    );
    let world = scene.build().unwrap();
    let balls = grains(&world);
    assert_eq!(balls.len(), 500);
    for (i, &(centre, radius, _)) in balls.iter().enumerate() {
        assert!((centre - radius).min_element() >= 0.0, "{centre}");
        assert!((centre + radius - DVec3::new(0.1, 0.1, 0.08)).max_element() <= 0.0, "{centre}");
        assert!(centre.distance(DVec3::splat(0.05)) > radius + 0.02);
        assert!(balls[..i].iter().all(|other| centre.distance(other.0) > radius + other.1));
    }
    // Each grain has its own random orientation.
    let turned: Vec<_> = world.bodies().map(|body| body.orientation).collect();
    let grain = world.body_count() - balls.len();
    assert!(turned[grain].angle_between(turned[grain + 1]) > 1e-3);
    assert_eq!(turned[world.body_count() - 1], glam::DQuat::IDENTITY);
    // The resolved scene gives the same world.
    let again = common::scene(&scene.to_toml().unwrap());
    assert_eq!(grains(&again.build().unwrap()), balls);
}

#[test]
fn grains_that_do_not_fit_are_refused_by_volume_then_by_tries() {
    let random = "random = { min = [0, 0, 0], max = [0.1, 0.1, 0.1] }\n";
    let start = std::time::Instant::now();
    assert_eq!(
        message(&format!("{BALLS}count = 1_000_000\n{random}")),
        "x.toml:11: grains[0].random: 1000000 grains do not fit: their bounding balls need 33.510 of the box volume, \
         and random positions fill at most 0.38, about 11462 grains; enlarge the box, or pour the grains with [grains.inlet]"
    );
    assert!(start.elapsed().as_secs_f64() < 1.0);
    // A wide range of sizes may fill more, so that insertion is tried.
    let wide = "[[grains]]\nmaterial = \"glass\"\nsphere = { radius = { min = 0.004, max = 0.008 } }\n";
    let tried = message(&format!("{wide}count = 550\n{random}"));
    assert!(
        tried.contains(" of 550 grains fit: ")
            && tried.contains("20000 random positions for the next grain were all taken"),
        "{tried}"
    );
    let large = message(&format!("{BALLS}count = 1\nrandom = {{ min = [0, 0, 0], max = [0.1, 0.1, 0.003] }}\n"));
    assert!(
        large.ends_with("smaller than the largest grain, whose bounding ball has the diameter 4.0000e-3 m"),
        "{large}"
    );
    assert!(
        message(&format!("{BALLS}{random}"))
            .ends_with("missing number of grains; give count = 1000 or mass = \"2 kg\"")
    );
}

#[test]
fn a_hundred_thousand_random_grains_are_placed_quickly() {
    let scene = scene(&format!(
        "{}\n{BALLS}count = 100_000\nrandom = {{ min = [0, 0, 0], max = [0.24, 0.24, 0.24] }}\n",
        common::HEAD.replace("max = [0.1, 0.1, 0.1]", "max = [1, 1, 1]")
    ));
    let start = std::time::Instant::now();
    assert_eq!(grains(&scene.build().unwrap()).len(), 100_000);
    // The expected time is 0.25 s; a search with quadratic cost would take minutes.
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn grains_by_mass() {
    let world = with(&format!("{BALLS}mass = \"20 g\"\nlattice = {{ min = [0, 0, 0], max = [0.1, 0.1, 0.1] }}\n"));
    let one = 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.002f64.powi(3);
    assert_eq!(grains(&world.build().unwrap()).len(), (0.02 / one).round() as usize);
    let sized = with(
        "[[grains]]\nmaterial = \"glass\"\nmass = \"20 g\"\nseed = 5\nsphere = { radius = 1 }\n\
         size = { lognormal = { median = \"3 mm\", sigma = 0.3 } }\n\
         random = { min = [0, 0, 0], max = [0.1, 0.1, 0.1] }\n",
    );
    let all: Vec<f64> = grains(&sized.build().unwrap()).iter().map(|grain| grain.2).collect();
    let largest = all.iter().copied().fold(0.0, f64::max);
    assert!((all.iter().sum::<f64>() - 0.02).abs() <= 0.5 * largest);
    assert!(
        message(&format!("{BALLS}mass = 1\ncount = 1\npositions = [[0.05, 0.05, 0.05]]\n"))
            .contains("must not be given together with `count`")
    );
    assert!(
        message(&format!("{BALLS}mass = \"1 t\"\nlattice = {{ min = [0, 0, 0], max = [0.1, 0.1, 0.1] }}\n"))
            .contains("do not fit: the lattice has 23 x 23 x 23")
    );
}

#[test]
fn a_size_is_that_of_the_ball_of_the_same_volume() {
    let world = with(
        "[[grains]]\nmaterial = \"glass\"\nsphere = { radius = 7 }\nsize = \"3 mm\"\npositions = [[0.05, 0.05, 0.05]]\n",
    );
    let (_, radius, _) = grains(&world.build().unwrap())[0];
    assert!((radius - 0.0015).abs() < 1e-15);
    assert!(
        message(
            "[[grains]]\nmaterial = \"glass\"\nsphere = { radius = { sieve = [[1, 0], [2, 1]] } }\n\
        positions = [[0.05, 0.05, 0.05]]\n"
        )
        .ends_with("must not be a sieve curve, which describes whole grains; give size = { sieve = .. } in [[grains]]")
    );
}

fn folder(name: &str) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

#[test]
fn a_table_gives_the_positions_of_grains() {
    let dir = folder("scene_table");
    fs::write(
        dir.join("balls.csv"),
        "# made by hand\nx, y, z, vx, vy, vz, size\n0.05,0.05,0.05,1,0,0,0.004\n\n0.02,0.05,0.05,0,0,-1,0.006\n",
    )
    .unwrap();
    let text = format!("{}\n{BALLS}table = {{ file = \"balls.csv\" }}\n", common::HEAD);
    let scene = Scene::parse(&text, &dir.join("x.toml")).unwrap();
    let world = scene.build().unwrap();
    let found = grains(&world);
    assert_eq!(found.iter().map(|grain| grain.0.x).collect::<Vec<_>>(), [0.05, 0.02]);
    assert!((found[0].1 - 0.002).abs() < 1e-15 && (found[1].1 - 0.003).abs() < 1e-15);
    assert_eq!(world.bodies().last().unwrap().velocity, DVec3::NEG_Z);
    // The resolved scene contains the rows and needs no file.
    let again = Scene::parse(&scene.to_toml().unwrap(), Path::new("elsewhere.toml")).unwrap();
    assert_eq!(grains(&again.build().unwrap()), found);

    let error = |table: &str| {
        fs::write(dir.join("balls.csv"), table).unwrap();
        Scene::parse(&text, &dir.join("x.toml")).unwrap_err().to_string().replace(dir.to_str().unwrap(), "DIR")
    };
    assert_eq!(
        error("x,y,z\n1,2,three\n"),
        "DIR/balls.csv:2: column `z` must be a finite number in SI units, not `three`"
    );
    assert_eq!(error("x,y,z\n1,2\n"), "DIR/balls.csv:2: row must have 3 values, one for each column, not 2");
    assert_eq!(error("x,y,z,sise\n"), "DIR/balls.csv:1: unknown column `sise`; did you mean `size`?");
    assert_eq!(error("x,y\n"), "DIR/balls.csv:1: missing column `z`; `x`, `y`, `z` must be given together");
    assert_eq!(error("x,y,z,size\n1,2,3,-4\n"), "DIR/balls.csv:2: column `size` must be a positive length, not -4");
    assert!(
        error("").ends_with("the table is empty; its first line must contain the names of the columns, as in x,y,z")
    );
    fs::remove_file(dir.join("balls.csv")).unwrap();
    let missing = Scene::parse(&text, &dir.join("x.toml")).unwrap_err();
    assert!(missing.to_string().contains("grains[0].table.file: cannot read "), "{missing}");
    assert_eq!((missing.line, missing.column), (missing.line, Some(18)));
}

/// Returns the error of a scene with an unlimited box and these grains.
fn in_a_huge_box(grains: &str) -> String {
    let head = common::HEAD.replace("max = [0.1, 0.1, 0.1]", "max = [1e3, 1e3, 1e3]");
    common::scene_error(&format!("{head}\n{grains}"))
}

#[test]
fn a_mass_of_billions_of_grains_of_many_sizes_is_refused_before_they_are_drawn() {
    let text = |radius: &str, mass: &str| {
        format!(
            "[[grains]]\nmaterial = \"glass\"\nmass = \"{mass} kg\"\nsphere = {{ radius = {radius} }}\n\
             random = {{ min = [0, 0, 0], max = [1e3, 1e3, 1e3] }}"
        )
    };
    let fixed = in_a_huge_box(&text("1e-5", "1e6"));
    let drawn = in_a_huge_box(&text("{ min = 1e-5, max = 2e-5 }", "1e6"));
    assert!(fixed.contains("grains[0].mass needs more than 200000000 grains"), "{fixed}");
    assert_eq!(fixed, drawn);
}

#[test]
#[cfg(target_os = "linux")]
fn a_lattice_larger_than_the_memory_is_refused_before_it_is_filled() {
    // 1.9e8 cells: fewer than a scene may have, more than this machine can hold.
    let lattice = "lattice = { min = [0, 0, 0], max = [575, 575, 575], spacing = 1 }";
    for radius in ["0.1", "{ min = 0.1, max = 0.2 }"] {
        let grains = format!("[[grains]]\nmaterial = \"glass\"\nsphere = {{ radius = {radius} }}\n{lattice}");
        let reason = in_a_huge_box(&grains);
        assert!(reason.contains("grains[0].lattice needs about") && reason.contains("GB are available"), "{reason}");
    }
}

#[test]
fn a_quaternion_of_huge_norm_in_a_table_is_refused() {
    let rows = |w: &str| {
        format!(
            "[[grains]]\nmaterial = \"glass\"\nsphere = {{ radius = 0.001 }}\n[grains.table]\n\
             columns = [\"x\", \"y\", \"z\", \"qw\", \"qx\", \"qy\", \"qz\"]\nrows = [[0.05, 0.05, 0.05, {w}, 0, 0, 0]]"
        )
    };
    common::with(&rows("1e5")).build().expect("normalised");
    for w in ["1e308", "0", "-1e-200"] {
        let reason = common::message(&rows(w));
        assert!(reason.contains("grains[0].table.rows[0] must be a quaternion"), "{reason}");
    }
}

#[test]
fn exponents_of_a_round_tablet_in_the_wrong_order_are_pointed_out() {
    let notes = |eps: &str| {
        let shape = format!("superellipsoid = {{ semi_axes = [0.004, 0.004, 0.002], eps = {eps} }}");
        with(&format!("[[grains]]\nmaterial = \"glass\"\n{shape}\npositions = [[0.05, 0.05, 0.05]]")).warnings()
    };
    assert!(
        notes("[0.5, 1]")[0]
            .contains("is square seen along z; a round body with a flattened profile is eps = [1, 0.5]")
    );
    assert!(notes("[1, 0.5]").is_empty() && notes("[0.5, 0.5]").is_empty());
}
