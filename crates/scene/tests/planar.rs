//! Planar scenes: all placements and motions stay in the plane, and spatial input is refused.

use std::path::Path;

use glam::DVec3;
use granum_engine::{BodyState, Simulation, World};
use granum_scene::{Program, Scene};

fn read(rest: &str) -> Result<Scene, String> {
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
    // The written scene is read as the same scene.
    let written = scene.to_toml().expect("a scene can be written");
    let again = Scene::parse(&written, Path::new("again.toml")).map_err(|error| error.to_string())?;
    assert_eq!(again.to_toml().expect("a scene can be written"), written);
    Ok(scene)
}

/// Builds a planar scene with this text at its end.
fn planar(rest: &str) -> Result<World, String> {
    read(rest)?.build().map_err(|error| error.to_string())
}

fn is_flat(world: &World) -> bool {
    let is_flat = |body: BodyState| {
        let (turned, velocity, spin) = (body.orientation, body.velocity, body.spin);
        (body.position.z, turned.x, turned.y) == (0.0, 0.0, 0.0) && (velocity.z, spin.x, spin.y) == (0.0, 0.0, 0.0)
    };
    world.bodies().all(is_flat)
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
    assert!(world.is_planar());
    assert_eq!(world.gravity(), DVec3::NEG_Y * 9.81);
    // Three faces of the container, the circle, and a lattice of 23 x 23 grains.
    assert_eq!(world.body_count(), 3 + 1 + 529);
    let turned = world.bodies().filter(|body| body.orientation.z != 0.0).count();
    assert!(turned > 500);
    assert!(is_flat(&world));
}

#[test]
fn spatial_input_is_refused_by_name() {
    let sphere = ELLIPSES.replace("ellipse]\nsemi_axes = [0.02, 0.01]", "sphere]\nradius = 0.01");
    assert!(planar(&sphere).unwrap_err().contains("grains[0].sphere must be a planar shape"));
    let axes = ELLIPSES.replace("[0.02, 0.01]", "[0.02, 0.01, 0.01]");
    assert!(planar(&axes).unwrap_err().contains("must have 2 components, not 3"));
    let tilted = ELLIPSES.replace("\"random\"", "[1, 0.1, 0, 0]");
    assert!(planar(&tilted).unwrap_err().contains("grains[0].orientation must be a rotation about z"));
    let about_z = ELLIPSES.replace("\"random\"", "[1, 0, 0, 0.1]");
    assert!(is_flat(&planar(&about_z).unwrap()));
    let bar = ELLIPSES.replace("ellipse]\nsemi_axes = [0.02, 0.01]", "segment]\nfrom = [0, 0]\nto = [0.01, 0]");
    assert!(planar(&bar).unwrap_err().contains("grains[0].segment must be a bounded shape"));
    let n = ELLIPSES.replace("ellipse]\nsemi_axes = [0.02, 0.01]", "superellipse]\nsemi_axes = [0.02, 0.01]\nn = 21");
    assert!(planar(&n).unwrap_err().contains("grains[0].superellipse.n must lie between 1.2 and 20, not 21"));
    let vector = ELLIPSES.replace("max = [1, 1]", "max = [1, 1, 1]");
    assert!(planar(&vector).unwrap_err().contains("max must have 2 components in a planar scene, not 3"));
    let face = ELLIPSES.replace("\"top\"", "\"front\"");
    assert!(planar(&face).unwrap_err().contains("left, right, bottom and top"));
    let spatial = "[time]\nend = 1\n[materials.m]\ndensity = 1\n[[grains]]\nmaterial = \"m\"\npositions = [[0, 0, 0]]\n\
                   [grains.disc]\nradius = 1\n";
    let scene = Scene::parse(spatial, Path::new("spatial.toml"));
    assert!(
        scene
            .unwrap_err()
            .to_string()
            .contains("grains[0].disc must not be a planar shape; a scene of planar shapes needs")
    );
    let short = spatial.replace("[[0, 0, 0]]", "[[0, 0]]");
    let scene = Scene::parse(&short, Path::new("short.toml"));
    assert!(
        scene.unwrap_err().to_string().contains("must have 3 components, not 2; a planar scene needs dimension = 2")
    );
}

const GRAINS: &str = r#"
[[grains]]
material = "glass"
count = 300
orientation = "random"
random_velocity = [0.1, 0.1]
[grains.ellipse]
semi_axes = [0.02, 0.01]
"#;

#[test]
fn random_positions_lie_in_the_plane() {
    let world = planar(&format!("{GRAINS}[grains.random]\nmin = [0, 0]\nmax = [1, 1]\n")).unwrap();
    assert_eq!(world.body_count(), 300);
    assert!(is_flat(&world));
    let crowded = planar(&format!("{GRAINS}[grains.random]\nmin = [0, 0]\nmax = [0.8, 0.8]\n")).unwrap_err();
    // 300 discs of radius 2 cm have an area of 0.377 m2; the box has 0.64 m2.
    assert!(crowded.contains("need 0.589 of the box volume, and random positions fill at most 0.55"), "{crowded}");
}

#[test]
fn a_size_is_that_of_the_disc_of_the_same_area() {
    let world = planar(&GRAINS.replace("count = 300", "size = 0.03\npositions = [[0, 0]]")).unwrap();
    let area = world.mass(granum_engine::BodyId(0)) / 2500.0;
    assert!((area - std::f64::consts::PI * 0.015 * 0.015).abs() < 1e-12, "{area}");
}

#[test]
fn inlets_and_stages_stay_in_the_plane() {
    let scene = read(&format!(
        "[container]\nmaterial = \"glass\"\nmin = [0, 0]\nmax = [1, 2]\nopen = [\"top\"]\n\
         [[walls]]\nname = \"bar\"\nmaterial = \"glass\"\nposition = [0.5, 0.2]\nangle = \"90 deg\"\n\
         [walls.segment]\nfrom = [-0.1, 0]\nto = [0.1, 0]\n\
         [guards]\ndomain_min = [-1, -1]\ndomain_max = [2, 3]\n{GRAINS}\
         [grains.inlet]\ncentre = [0.5, 1]\nradius = 0.3\nrate = 500\n\
         [[stages]]\nduration = 0.1\n\
         [[stages]]\nduration = 0.1\ngravity = [1, -9]\nmotion.bar = {{ velocity = [0.1, 0], spin = \"2 rad/s\" }}\n"
    ))
    .unwrap();
    let world = scene.build().unwrap();
    let upright = world.orientation(world.bodies_named("bar").next().unwrap()) * DVec3::X;
    assert!((upright - DVec3::Y).length() < 1e-15);
    assert!(scene.guards().bounds.0.z.is_infinite());
    let mut simulation = Simulation::new(world, 1).unwrap();
    let program = Program::new(&scene, simulation.world()).unwrap();
    let mut state = program.start();
    let end = (0.2 / simulation.world().time_step()).round() as u64;
    program.act(&mut state, &mut simulation);
    while simulation.world().steps() < end {
        let next = program.next_event(&state, simulation.world().steps()).min(end);
        simulation.run(next - simulation.world().steps());
        program.act(&mut state, &mut simulation);
    }
    let world = simulation.world();
    assert!(world.body_count() > 60, "the inlet has added grains");
    assert!(is_flat(world));
    assert_eq!(world.gravity(), DVec3::new(1.0, -9.0, 0.0));
    let disc = format!("{GRAINS}[grains.inlet]\ncentre = [0, 0]\nradius = 1\nrate = 1\nnormal = [0, 1]\n");
    assert!(read(&disc).unwrap_err().contains("lies in the plane"));
}

#[test]
fn a_planar_table_has_planar_columns() {
    let table = |columns: &str, row: &str| {
        planar(&GRAINS.replace("count = 300\norientation = \"random\"\n", "").replace(
            "[grains.ellipse]",
            &format!("[grains.table]\ncolumns = {columns}\nrows = [{row}]\n[grains.ellipse]"),
        ))
    };
    let world = table(r#"["x", "y", "wz", "angle"]"#, "[1, 2, 3, 0.5]").unwrap();
    let id = granum_engine::BodyId(0);
    assert_eq!(world.position(id), DVec3::new(1.0, 2.0, 0.0));
    assert!((world.twist(id).spin - 3.0 * DVec3::Z).length() < 1e-14);
    assert!((world.orientation(id).to_scaled_axis() - 0.5 * DVec3::Z).length() < 1e-14);
    assert!(table(r#"["x", "y", "z"]"#, "[1, 2, 0]").unwrap_err().contains("unknown column `z`"));
}

#[test]
fn angles_and_spins_are_numbers_of_the_plane() {
    let with = |more: &str| planar(&GRAINS.replace("count = 300", &format!("positions = [[0, 0]]\n{more}")));
    assert!(with("spin = [0, 0, 1]").unwrap_err().contains("must be a number in a planar scene"));
    assert!(with("angle = 1").unwrap_err().contains("must not be given together with `orientation`"));
    let hertz = read(&format!(
        "{GRAINS}[grains.random]\nmin = [0, 0]\nmax = [1, 1]\n[[contact]]\nbetween = [\"m\", \"m\"]\n\
         law = \"hertz\"\nrestitution = 1\nfriction = 0\n[materials.m]\ndensity = 1\nyoung = 1e9\npoisson = 0.3\n"
    ));
    assert!(hertz.unwrap_err().contains("Hertz and Mindlin do not hold"));
}
