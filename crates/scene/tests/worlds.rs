//! Worlds that are built from valid scenes.

use std::path::{Path, PathBuf};

use glam::DVec3;
use granum_engine::{
    Course, Drive, EndRule, Guide, GuideKind, Motion, Normal, Rolling, Simulation, Stiffness, Tangential, WallMotion,
    World,
};
use granum_scene::{Scene, Schedule};

fn scene(text: &str) -> Scene {
    Scene::parse(text, Path::new("x.toml")).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns a scene of grains of different sizes in a box, with more text at its end.
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

/// Returns the centre, radius and velocity of every bounded body.
fn balls(world: &World) -> Vec<(DVec3, f64, DVec3)> {
    let all = world.bodies().map(|body| (body.position, world.bounding_radius(body.id), body.velocity));
    all.filter(|(_, radius, _)| radius.is_finite()).collect()
}

#[test]
fn grains_fill_their_lattice_without_touching() {
    let world = poured(7, "spacing = \"4.1 mm\"").build().unwrap();
    let balls = balls(&world);
    assert_eq!((balls.len(), world.body_count()), (12 * 12 * 12, 12 * 12 * 12 + 5));
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
fn one_seed_gives_one_world() {
    let world = |seed: u64| balls(&poured(seed, "").build().unwrap());
    assert_eq!(world(7), world(7));
    assert_ne!(world(7), world(8));
}

#[test]
fn the_resolved_scene_gives_the_same_world() {
    let first = poured(7, "");
    let again = scene(&first.to_toml().unwrap());
    assert_eq!(balls(&first.build().unwrap()), balls(&again.build().unwrap()));
    assert_eq!(first.build().unwrap().time_step(), again.build().unwrap().time_step());
    assert_eq!(first.to_toml().unwrap(), again.to_toml().unwrap());
}

#[test]
fn an_automatic_step_divides_the_output_interval() {
    let scene = poured(7, "");
    let world = scene.build().unwrap();
    let schedule = Schedule::new(&scene, &world).unwrap();
    assert!(schedule.reason.contains("steps a contact") && schedule.warning.is_none());
    assert_eq!(world.time_step(), schedule.time_step);
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
fn a_step_that_an_output_interval_shortens_is_called_that() {
    let mut scene = poured(7, "");
    scene.time.output = Some(1e-9);
    let schedule = Schedule::new(&scene, &scene.build().unwrap()).unwrap();
    assert_eq!(schedule.time_step, 1e-9);
    assert!(schedule.reason.starts_with("an output interval; recommended: "), "{}", schedule.reason);
}

#[test]
fn a_step_that_is_too_long_gives_a_warning() {
    let mut scene = poured(7, "");
    scene.time.step = Some(1e-3);
    scene.time.output = Some(2.5e-3);
    let schedule = Schedule::new(&scene, &scene.build().unwrap()).unwrap();
    assert!(schedule.warning.unwrap().contains("too long"));
    // Output times are rounded to the nearest step; the last output is at the end.
    let schedule = Schedule::new(&scene, &scene.build().unwrap()).unwrap();
    let mut outputs = vec![0];
    while outputs.last() != Some(&schedule.last_step) {
        outputs.push(schedule.next_output(*outputs.last().unwrap()));
    }
    assert_eq!(outputs, [0, 3, 5, 8, 10]);
}

#[test]
fn frames_follow_the_output_or_their_own_interval_or_never_come() {
    let frames_of = |scene: &Scene| {
        let schedule = Schedule::new(scene, &scene.build().unwrap()).unwrap();
        let mut frames = vec![0];
        while let Some(frame) = schedule.next_frame(*frames.last().unwrap()).filter(|_| frames.len() < 200) {
            frames.push(frame);
            if frame == schedule.last_step {
                break;
            }
        }
        (frames, schedule)
    };
    let (frames, schedule) = frames_of(&poured(7, ""));
    assert_eq!((frames.len(), frames[1]), (101, schedule.next_output(0)));
    let text = poured(7, "").to_toml().unwrap();
    let with = |lines: &str| scene(&text.replace("[output]\n", &format!("[output]\n{lines}\n")));
    let (frames, schedule) = frames_of(&with("frames = \"4 ms\""));
    let in_4_ms = (4e-3 / schedule.time_step).round() as u64;
    assert_eq!(frames, [0, in_4_ms, 2 * in_4_ms, schedule.last_step]);
    let never = with("frames = \"never\"");
    assert_eq!(frames_of(&never).0, [0]);
    assert!(never.to_toml().unwrap().contains("frames = \"never\""));
    assert_eq!(frames_of(&scene(&never.to_toml().unwrap())).0, [0], "the written scene has no frames either");
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
        let index = world.materials().iter().position(|material| material.name == name).unwrap();
        granum_engine::MaterialId(index as u16)
    };
    let law = |a: &str, b: &str| *world.law(id(a), id(b)).unwrap();
    let hertz = law("steel", "glass");
    assert!(matches!(hertz.normal, Normal::Hertz { .. }) && hertz.end == EndRule::NoTension);
    assert!(matches!(hertz.tangential, Tangential::Mindlin { friction: 0.2, zeta: 0.1, .. }));
    assert_eq!(hertz.rolling, Rolling::Spring { friction: 0.01, spinning: 0.0, zeta: 0.3 });
    let foam = law("foam", "glass");
    assert!(matches!(foam.normal, Normal::Linear { stiffness: Stiffness::ContactTime(1e-3), .. }));
    assert_eq!((foam.tangential, foam.rolling, foam.end), (Tangential::None, Rolling::None, EndRule::ZeroOverlap));
    assert_eq!(law("glass", "glass").tangential, Tangential::Linear { friction: 0.2, ratio: 0.5, zeta: 0.0 });

    let drive =
        |motion: Motion| if let Motion::Driven(motion) = motion { motion.prescribed.into_iter().next() } else { None };
    let drives: Vec<Drive> = world.walls().filter_map(|wall| world.motion(wall.id)).filter_map(drive).collect();
    let spin = DVec3::new(0.0, 0.0, std::f64::consts::TAU / 2.0);
    assert_eq!(drives[0], Drive::steady(DVec3::ZERO, spin));
    let phase = std::f64::consts::FRAC_PI_2;
    assert_eq!(drives[1], Drive::oscillation(DVec3::X, 2.0, phase));
}

#[test]
fn the_scenes_of_the_repository_are_built_and_run() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            continue;
        }
        let mut scene = Scene::load(&path).unwrap_or_else(|error| panic!("{error}"));
        // A hundredth of the grains is enough here; building all of them takes too long.
        if scene.grains.iter().any(|grains| grains.from.is_some()) {
            // The run from which the scene starts does not exist here. A test of the program runs
            // it.
            continue;
        }
        for grains in &mut scene.grains {
            grains.count = grains.count.map(|count| (count / 100).max(1));
        }
        let world = scene.build().unwrap_or_else(|error| panic!("{error}"));
        let schedule = Schedule::new(&scene, &world).unwrap();
        assert_eq!(schedule.warning, None, "{}", path.display());
        let mut simulation = Simulation::new(world, 1).unwrap();
        simulation.run(10);
        assert!(simulation.energy().total().is_finite(), "{}", path.display());
        seen += 1;
    }
    assert!(seen >= 3);
}

#[test]
fn the_benchmark_scene_has_the_documented_lattice() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes/bench_spheres.toml");
    let world = Scene::load(&path).unwrap().build().unwrap();
    let balls = balls(&world);
    assert_eq!((balls.len(), world.shapes().len()), (100_000, 6));
    let (first, last) = (balls[0].0, balls[99_999].0);
    assert!((first - DVec3::splat(0.00108)).length() < 1e-12);
    assert!((last - DVec3::new(49.5, 49.5, 39.5) * 0.00216).length() < 1e-12);
}

/// Returns the motion of the wall of a scene whose wall has this motion table.
fn drive_of_wall(motion: &str) -> Result<Drive, String> {
    let mut motion = motion_of_wall(motion)?;
    assert!(motion.guide.is_none() && motion.prescribed.len() == 1);
    Ok(motion.prescribed.remove(0))
}

/// Returns the motion of the wall of a scene whose wall has this motion.
fn motion_of_wall(motion: &str) -> Result<WallMotion, String> {
    let text = format!(
        r#"
[time]
end = 1
[materials.glass]
density = 2500
restitution = 0.5
friction = 0.3
[[contact]]
between = ["glass", "glass"]
law = "linear"
stiffness = 1000
[[walls]]
material = "glass"
position = [0, 0, -1]
motion = {motion}
[walls.half_space]
normal = [0, 0, 1]
[[grains]]
material = "glass"
sphere = {{ radius = 0.01 }}
positions = [[0, 0, 1]]
"#
    );
    let scene = Scene::parse(&text, "motion.toml".as_ref()).map_err(|error| error.to_string())?;
    let world = scene.build().map_err(|error| error.to_string())?;
    // The resolved scene has the same motion, also without the file of a table.
    let again = Scene::parse(&scene.to_toml().unwrap(), "again.toml".as_ref()).unwrap().build().unwrap();
    let id = world.walls().next().unwrap().id;
    assert_eq!(world.motion(id), again.motion(id));
    match world.motion(id) {
        Some(Motion::Driven(motion)) => Ok(motion),
        _ => Err("the wall is not driven".into()),
    }
}

#[test]
fn walls_rotate_about_a_pivot_on_ramps_and_by_tables() {
    let about = |drive: &Drive| drive.rotation.clone().unwrap();
    let steady = drive_of_wall(r#"{ spin = [0, 2, 0], pivot = ["50 cm", 0, 0] }"#).unwrap();
    assert_eq!((about(&steady).axis, about(&steady).pivot), (2.0 * DVec3::Y, Some(0.5 * DVec3::X)));

    let swing = drive_of_wall(r#"{ swing = "30 deg", frequency = "2 Hz", axis = [0, 0, 3], amplitude = [0.1, 0, 0] }"#);
    let swing = swing.unwrap();
    let angle = Course::Oscillation { amplitude: std::f64::consts::PI / 6.0, frequency: 2.0, phase: 0.0 };
    assert_eq!((about(&swing).axis, about(&swing).pivot, about(&swing).angle), (DVec3::Z, None, angle));

    let ramp = r#"{ axis = [1, 0, 0], ramp = [{ time = 0 }, { time = "500 ms", velocity = [0, 0, 2], angular_velocity = "30 rpm" }] }"#;
    let ramp = drive_of_wall(ramp).unwrap();
    assert_eq!(ramp.displacement, Course::ramp(&[(0.0, DVec3::ZERO), (0.5, 2.0 * DVec3::Z)]).unwrap());
    let rate = std::f64::consts::TAU * 30.0 / 60.0;
    assert!((about(&ramp).angle.at(0.5).1 - rate).abs() < 1e-15);

    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lift.csv");
    std::fs::write(&file, "# a lift\ntime, z, angle\n0, 0, 0\n0.5, 0.1, 0\n1, 0.1, 1\n").unwrap();
    let table =
        drive_of_wall(&format!("{{ axis = [0, 1, 0], table = {{ file = {:?} }} }}", file.display().to_string()));
    let table = table.unwrap();
    assert_eq!(table.displacement.at(0.25), (0.05 * DVec3::Z, 0.2 * DVec3::Z));
    assert_eq!(about(&table).angle.at(0.75), (0.5, 2.0));
}

#[test]
fn motions_of_walls_are_superposed_with_a_servo_or_a_free_wall() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("shift.csv");
    std::fs::write(&file, "time,x\n0,0\n1,0.5\n").unwrap();
    let motion = motion_of_wall(&format!(
        r#"[{{ velocity = [0, "1 cm/s", 0] }}, {{ table = {{ file = {:?} }} }},
            {{ servo = {{ axis = [0, 0, -2], pressure = "2 kPa", area = "100 cm2", max_speed = "1 cm/s" }} }}]"#,
        file.display().to_string()
    ));
    let motion = motion.unwrap();
    assert_eq!(motion.prescribed[0], Drive::steady(DVec3::new(0.0, 0.01, 0.0), DVec3::ZERO));
    assert_eq!(motion.prescribed[1].displacement.at(0.5).0, DVec3::X * 0.25);
    let kind = GuideKind::Servo { force: 2000.0 * 0.01, max_speed: 0.01, gain: None };
    assert_eq!(motion.guide, Some(Guide { axis: DVec3::Z * -2.0, kind }));

    let free =
        motion_of_wall(r#"{ free = { axis = [0, 0, 1], mass = "2 kg", force = "-3 N", speed = "1 m/s" } }"#).unwrap();
    let kind = GuideKind::Free { mass: 2.0, force: -3.0, speed: 1.0 };
    assert_eq!(free, Guide { axis: DVec3::Z, kind }.into());
    let gain = r#"{ servo = { axis = [0, 0, 1], force = 1, max_speed = 1, gain = "0.1 mm/s/N" } }"#;
    let servo = motion_of_wall(gain).unwrap().guide.unwrap();
    assert!(matches!(servo.kind, GuideKind::Servo { gain: Some(1e-4), .. }), "{servo:?}");
}

#[test]
fn impossible_motions_of_walls_are_refused() {
    for (motion, message) in [
        (r#"{ swing = 1, frequency = 2 }"#, "needs `axis`, the direction of the axis of rotation"),
        (r#"{ swing = 1, frequency = 2, axis = [0, 0, 0] }"#, "must be a finite vector that is not zero"),
        (r#"{ velocity = [0, 0, 1], axis = [0, 0, 1] }"#, "has no effect without `swing`"),
        (r#"{ velocity = [0, 0, 1], pivot = [0, 0, 1] }"#, "pivot has no effect without a rotation"),
        (
            r#"{ ramp = [{ time = 1 }, { time = 1 }] }"#,
            "the points of a motion must be finite and their times must rise",
        ),
        (r#"{ ramp = [{ time = -1 }] }"#, "the times of a ramp must not be negative"),
        (r#"{ ramp = [{ time = 1 }], velocity = [0, 0, 1] }"#, "not several of them"),
        (r#"{ table = { columns = ["t", "x"], rows = [[0, 1]] } }"#, "unknown column `t`"),
        (r#"{ table = { columns = ["x"], rows = [[0]] } }"#, "missing column `time`"),
        (
            r#"{ table = { columns = ["time", "x"], rows = [[0, 1], [0, 2]] } }"#,
            "must have a later time than the row before",
        ),
        (r#"{ table = { columns = ["time", "x"], rows = [[0]] } }"#, "must have 2 values"),
        (r#"{ table = { columns = ["time", "x"] } }"#, "the table has no rows"),
        (r#"{ table = { file = "nowhere.csv" } }"#, "cannot read nowhere.csv"),
        ("[]", "must not be an empty list"),
        ("3", "the table of a motion, or a list of such tables"),
        (r#"[{ velocity = [0, 0, 1] }, {}]"#, "walls[0].motion[1] must not be empty"),
        (r#"[{ velocity = [0, 0, 1] }, { velocty = [0, 0, 1] }]"#, "velocity"),
        (r#"[{ velocity = [0, 0, 1] }, { table = { columns = ["t"] } }]"#, "walls[0].motion[1].table"),
        (
            r#"{ servo = { axis = [0, 0, 1], max_speed = 1 } }"#,
            "walls[0].motion.servo needs `force`, or `pressure` with `area`",
        ),
        (r#"{ servo = { axis = [0, 0, 1], force = 1 } }"#, "max_speed"),
        (
            r#"{ servo = { axis = [0, 0, 0], force = 1, max_speed = 1 } }"#,
            "servo.axis must be a finite vector that is not zero",
        ),
        (r#"{ servo = { axis = [0, 0, 1], force = -1, max_speed = 1 } }"#, "servo.force must be a positive force"),
        (r#"{ servo = { axis = [0, 0, 1], force = "2 kPa", max_speed = 1 } }"#, "`2 kPa` is a pressure, not a force"),
        (
            r#"{ servo = { axis = [0, 0, 1], force = 1, max_speed = 1, gain = 0 } }"#,
            "servo.gain must be a positive gain",
        ),
        (r#"{ servo = { axis = [0, 0, 1], pressure = 1, max_speed = 1 } }"#, "needs `area`, on which `pressure` acts"),
        (
            r#"{ servo = { axis = [0, 0, 1], pressure = 1, force = 2, area = 1, max_speed = 1 } }"#,
            "servo.pressure must not be given together with `force`",
        ),
        (r#"{ servo = { axis = [0, 0, 1], force = 1, max_speed = 1 }, spin = [0, 0, 1] }"#, "give a list of tables"),
        (r#"{ free = { axis = [0, 0, 1], mass = 0 } }"#, "free.mass must be a positive mass"),
        (
            r#"[{ velocity = [0, 0, 1] }, { free = { axis = [0, 0, 1], mass = 1 } }]"#,
            "the prescribed motions of a free wall must not move its centre along its axis",
        ),
        (
            r#"[{ free = { axis = [0, 0, 1], mass = 1 } }, { servo = { axis = [1, 0, 0], force = 1, max_speed = 1 } }]"#,
            "walls[0].motion[1] must not have a second `servo` or `free`",
        ),
    ] {
        let error = motion_of_wall(motion).unwrap_err();
        assert!(error.contains(message), "{motion}: {error}");
    }
}
