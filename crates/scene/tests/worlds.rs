//! Good scenes: what is built from them.

use std::path::{Path, PathBuf};

use glam::DVec3;
use granum_engine::{Drive, EndRule, Normal, Rolling, Simulation, Stiffness, Tangential, World};
use granum_scene::{Scene, Schedule};

fn scene(text: &str) -> Scene {
    Scene::parse(text, Path::new("x.toml")).unwrap_or_else(|error| panic!("{error}"))
}

/// A scene of polydisperse grains in a box, with more text at its end.
fn poured(seed: u64, more: &str) -> Scene {
    scene(&format!(
        r#"
        [[contact]]
        between = ["glass", "glass"]
        law = "linear"
        stiffness = 1000
        restitution = 0.8
        friction = 0.3
        [container]
        material = "glass"
        min = [0, 0, 0]
        max = ["5 cm", "5 cm", "10 cm"]
        open = ["top"]
        [materials.glass]
        density = "2.5 g/cm3"
        [time]
        end = "10 ms"
        [[grains]]
        seed = {seed}
        material = "glass"
        random_velocity = ["1 cm/s", 0, 0]
        velocity = [0, 0, -1]
        [grains.sphere]
        radius = {{ min = "1 mm", max = "2 mm" }}
        [grains.lattice]
        min = [0, 0, 0]
        max = ["5 cm", "5 cm", "5 cm"]
        jitter = 1
        {more}"#
    ))
}

/// Centre, radius and velocity of every bounded body.
fn balls(world: &World) -> Vec<(DVec3, f64, DVec3)> {
    let bodies = &world.bodies;
    let all = bodies.place.iter().zip(&bodies.twist).map(|(place, twist)| (place.centre, place.radius, twist.velocity));
    all.filter(|(_, radius, _)| radius.is_finite()).collect()
}

#[test]
fn grains_fill_their_lattice_without_touching() {
    let world = poured(7, "spacing = \"4.1 mm\"").build().unwrap();
    let balls = balls(&world);
    assert_eq!((balls.len(), world.bodies.len()), (12 * 12 * 12, 12 * 12 * 12 + 5));
    for (i, (centre, radius, velocity)) in balls.iter().enumerate() {
        assert!((1e-3..=2e-3).contains(radius));
        assert!(centre.min_element() >= *radius && centre.max_element() <= 0.05 - radius, "{centre} {radius}");
        assert!(velocity.x.abs() <= 0.01 && velocity.y == 0.0 && velocity.z == -1.0);
        for (other, other_radius, _) in &balls[..i] {
            assert!(centre.distance(*other) > radius + other_radius);
        }
    }
    let mean = balls.iter().map(|(_, radius, _)| radius).sum::<f64>() / balls.len() as f64;
    assert!((mean - 1.5e-3).abs() < 3e-5, "{mean}");
    assert!(balls.iter().any(|(_, _, velocity)| velocity.x > 5e-3) && balls.iter().any(|(_, _, v)| v.x < -5e-3));
}

#[test]
fn one_seed_is_one_world() {
    let world = |seed: u64| balls(&poured(seed, "").build().unwrap());
    assert_eq!(world(7), world(7));
    assert_ne!(world(7), world(8));
}

#[test]
fn the_resolved_scene_gives_the_same_world() {
    let first = poured(7, "");
    let again = scene(&first.to_toml().unwrap());
    assert_eq!(balls(&first.build().unwrap()), balls(&again.build().unwrap()));
    assert_eq!(first.build().unwrap().time_step, again.build().unwrap().time_step);
    assert_eq!(first.to_toml().unwrap(), again.to_toml().unwrap());
}

#[test]
fn an_automatic_step_divides_the_output_interval() {
    let scene = poured(7, "");
    let world = scene.build().unwrap();
    let schedule = Schedule::new(&scene, &world).unwrap();
    assert!(schedule.reason.contains("steps a contact") && schedule.warning.is_none());
    assert_eq!(world.time_step, schedule.time_step);
    let per_output = 1e-4 / schedule.time_step;
    assert!((per_output - per_output.round()).abs() < 1e-9 && per_output >= 1.0);
    let mut outputs = vec![0];
    while outputs.last() != Some(&schedule.last_step) {
        outputs.push(schedule.next_output(*outputs.last().unwrap()));
    }
    assert_eq!(outputs.len(), 101);
    assert!(outputs.windows(2).all(|pair| pair[1] - pair[0] == per_output.round() as u64));
}

#[test]
fn a_step_that_is_too_long_is_warned_about() {
    let mut scene = poured(7, "");
    scene.time.step = Some(1e-3);
    scene.time.output = Some(2.5e-3);
    let schedule = Schedule::new(&scene, &scene.build().unwrap()).unwrap();
    assert!(schedule.warning.unwrap().contains("too long"));
    // Outputs go to the nearest steps, and the last to the end.
    let schedule = Schedule::new(&scene, &scene.build().unwrap()).unwrap();
    let mut outputs = vec![0];
    while outputs.last() != Some(&schedule.last_step) {
        outputs.push(schedule.next_output(*outputs.last().unwrap()));
    }
    assert_eq!(outputs, [0, 3, 5, 8, 10]);
}

#[test]
fn laws_are_those_of_the_contact_tables() {
    let scene = scene(
        r#"
        time = { end = 1 }
        materials.glass = { density = 2500, young = "70 GPa", poisson = 0.2 }
        materials.steel = { density = 7800, young = "210 GPa", poisson = 0.3 }
        materials.foam = { density = 100 }
        contact = [
            { between = ["glass", "steel"], law = "hertz", restitution = 0.9, friction = 0.2, rolling_friction = 0.01 },
            { between = ["glass", "foam"], law = "linear", contact_time = "1 ms", restitution = 0.9, friction = 0,
              ends = "zero_overlap" },
            { between = ["glass", "glass"], law = "hertz", restitution = 0.9, friction = 0.2, tangential = "linear",
              tangential_stiffness = 0.5, tangential_damping = 0 },
        ]
        grains = [{ material = "glass", sphere = { radius = 1 }, positions = [[0, 0, 2]] }]
        walls = [
            { material = "steel", half_space = { normal = [0, 0, 2] }, motion = { spin = [0, 0, "30 rpm"] } },
            { material = "foam", sphere = { radius = 1 }, position = [4, 0, 0],
              motion = { amplitude = [1, 0, 0], frequency = 2, phase = "90 deg" } },
        ]
        "#,
    );
    let world = scene.build().unwrap();
    let id = |name: &str| {
        let index = world.materials.iter().position(|material| material.name == name).unwrap();
        granum_engine::MaterialId(index as u16)
    };
    let law = |a: &str, b: &str| *world.laws.get(id(a), id(b)).unwrap();
    let hertz = law("steel", "glass");
    assert!(matches!(hertz.normal, Normal::Hertz { .. }) && hertz.end == EndRule::NoTension);
    assert!(matches!(hertz.tangential, Tangential::Mindlin { friction: 0.2, zeta: 0.1, .. }));
    assert_eq!(hertz.rolling, Rolling::Spring { friction: 0.01, spinning: 0.0, zeta: 0.3 });
    let foam = law("foam", "glass");
    assert!(matches!(foam.normal, Normal::Linear { stiffness: Stiffness::ContactTime(1e-3), .. }));
    assert_eq!((foam.tangential, foam.rolling, foam.end), (Tangential::None, Rolling::None, EndRule::ZeroOverlap));
    assert_eq!(law("glass", "glass").tangential, Tangential::Linear { friction: 0.2, ratio: 0.5, zeta: 0.0 });

    let drives: Vec<Drive> = world.driven.iter().map(|driven| driven.drive).collect();
    let spin = DVec3::new(0.0, 0.0, std::f64::consts::TAU / 2.0);
    assert_eq!(drives[0], Drive::Steady { velocity: DVec3::ZERO, spin });
    let phase = std::f64::consts::FRAC_PI_2;
    assert_eq!(drives[1], Drive::Oscillating { amplitude: DVec3::X, frequency: 2.0, phase });
}

#[test]
fn the_scenes_of_the_repository_are_built_and_run() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let mut scene = Scene::load(&path).unwrap_or_else(|error| panic!("{error}"));
        // The whole of a large scene takes long to build in a test; a hundredth shows as much.
        for grains in &mut scene.grains {
            grains.count = grains.count.map(|count| (count / 100).max(1));
        }
        let world = scene.build().unwrap_or_else(|error| panic!("{error}"));
        let schedule = Schedule::new(&scene, &world).unwrap();
        assert_eq!(schedule.warning, None, "{}", path.display());
        let mut simulation = Simulation::new(world, 1).unwrap();
        simulation.run(10);
        assert!(simulation.energy().total().is_finite());
        seen += 1;
    }
    assert!(seen >= 3);
}

#[test]
fn the_benchmark_scene_is_the_lattice_it_says() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes/bench_spheres.toml");
    let world = Scene::load(&path).unwrap().build().unwrap();
    let balls = balls(&world);
    assert_eq!((balls.len(), world.shapes.len()), (100_000, 6));
    let (first, last) = (balls[0].0, balls[99_999].0);
    assert!((first - DVec3::splat(0.00108)).length() < 1e-12);
    assert!((last - DVec3::new(49.5, 49.5, 39.5) * 0.00216).length() < 1e-12);
}

/// A planar scene with this text at its end.
fn planar(rest: &str) -> Result<granum_engine::World, String> {
    let text = format!(
        r#"
dimension = 2
[time]
end = 1
[materials.glass]
density = 2500
[[contact]]
between = ["glass", "glass"]
law = "linear"
stiffness = 1e5
restitution = 0.5
friction = 0.3
{rest}"#
    );
    let scene = Scene::parse(&text, Path::new("planar.toml")).map_err(|error| error.to_string())?;
    // What is written is read again as the same scene.
    let again = scene.to_toml().expect("a scene can be written");
    let again = Scene::parse(&again, Path::new("again.toml")).map_err(|error| error.to_string())?;
    assert_eq!((again.gravity, again.grains.len()), (scene.gravity, scene.grains.len()));
    scene.build().map_err(|error| error.to_string())
}

const ELLIPSES: &str = r#"
[container]
material = "glass"
min = [0, 0]
max = [1, 2]
open = ["top"]
[[walls]]
material = "glass"
motion = { spin = 2 }
[walls.inside_circle]
radius = 5
[[grains]]
material = "glass"
orientation = "random"
[grains.ellipse]
semi_axes = [0.02, 0.01]
[grains.lattice]
min = [0, 0]
max = [1, 1]
"#;

#[test]
fn a_planar_scene_makes_a_planar_world() {
    let world = planar(ELLIPSES).unwrap();
    assert!(world.planar);
    assert_eq!(world.gravity, glam::DVec3::NEG_Y * 9.81);
    // Left, right and bottom, the drum, and a lattice of 23 x 23.
    assert_eq!(world.bodies.len(), 3 + 1 + 529);
    let turned = world.bodies.orientation.iter().filter(|q| q.z != 0.0).count();
    assert!(turned > 500);
    assert!(world.bodies.place.iter().all(|place| place.centre.z == 0.0));
}

#[test]
fn what_is_not_planar_is_refused_by_name() {
    let sphere = ELLIPSES.replace("ellipse]\nsemi_axes = [0.02, 0.01]", "sphere]\nradius = 0.01");
    assert!(planar(&sphere).unwrap_err().contains("grains[0]: Sphere is not a planar shape"));
    let vector = ELLIPSES.replace("max = [1, 1]", "max = [1, 1, 1]");
    assert!(planar(&vector).unwrap_err().contains("max must have two components in a planar scene, not 3"));
    let face = ELLIPSES.replace("\"top\"", "\"front\"");
    assert!(planar(&face).unwrap_err().contains("left, right, bottom and top"));
    let spatial = "[time]\nend = 1\n[materials.m]\ndensity = 1\n[[grains]]\nmaterial = \"m\"\npositions = [[0, 0, 0]]\n\
                   [grains.disc]\nradius = 1\n";
    let world = Scene::parse(spatial, Path::new("spatial.toml")).unwrap().build();
    assert!(world.unwrap_err().to_string().contains("is a planar shape, and this world is not planar"));
}
