//! Grains that fill the volume inside or between surfaces, and the messages for mistakes.

mod common;

use common::{grains, scene, scene_error};
use granum_engine::World;
use granum_geometry::contact::general::are_apart;
use granum_geometry::{Pair, Pose};

/// Time, material and contact, a floor of hills, a flat ceiling that is no wall, and a closed box.
const HEAD: &str = r#"
time = { end = "10 ms" }
materials.rock = { density = 2600 }
contact = [{ between = ["rock", "rock"], law = "linear", stiffness = 1e6, restitution = 0.5, friction = 0.3 }]

[[surfaces]]
name = "ground"
material = "rock"
shape = { terrain = { size = [20, 20], cells = [20, 20], hills = 10, height = 1, radius = 2, seed = 3 } }

[[surfaces]]
name = "former"
wall = false
shape = { plate = { size = [20, 20] } }
translate = [0, 0, 6]

[[surfaces]]
name = "bin"
material = "rock"
shape = { box = { size = [4, 4, 2], lid = true } }
translate = [0, 0, 20]
"#;

const BLOCKS: &str = "[[grains]]\nmaterial = \"rock\"\nbox = { half_sizes = [0.5, 0.4, 0.3] }\n";

fn filled(grains: &str) -> World {
    scene(&format!("{HEAD}\n{grains}")).build().unwrap_or_else(|error| panic!("{error}"))
}

fn message(grains: &str) -> String {
    scene_error(&format!("{HEAD}\n{grains}"))
}

#[test]
fn a_lattice_of_blocks_fills_a_box_to_the_last_cell() {
    let world = filled(&format!("{BLOCKS}fill = {{ inside = \"bin\" }}"));
    let blocks = grains(&world);
    // 4 x 4 x 2 m holds 4 x 5 x 3 blocks of 1 x 0.8 x 0.6 m.
    assert_eq!(blocks.len(), 4 * 5 * 3);
    assert!(blocks.windows(2).all(|pair| pair[0].0.z <= pair[1].0.z));
    let apart = filled(&format!("{BLOCKS}fill = {{ inside = \"bin\", gap = \"4 cm\" }}"));
    assert_eq!(grains(&apart).len(), 3 * 4 * 3);
    let first = filled(&format!("{BLOCKS}count = 7\nfill = {{ inside = \"bin\" }}"));
    assert_eq!(grains(&first), blocks[..7]);
    let heavy = filled(&format!("{BLOCKS}mass = 12480\nfill = {{ inside = \"bin\" }}"));
    assert_eq!(grains(&heavy), blocks[..10]);
}

#[test]
fn blocks_of_a_rotated_lattice_lie_between_hills_and_a_surface_that_is_no_wall() {
    let fill = "fill = { between = [\"ground\", \"former\"], rotate = { axis = [0, 1, 0], angle = \"20 deg\" } }";
    let text = format!("{HEAD}\n{BLOCKS}{fill}");
    let world = scene(&text).build().unwrap_or_else(|error| panic!("{error}"));
    // Two walls only: the upper surface is none.
    assert_eq!(world.walls().count(), 2);
    let blocks = grains(&world);
    assert!(blocks.len() > 2000, "{}", blocks.len());
    for grain in world.grains() {
        let pose = Pose { position: grain.position, orientation: grain.orientation };
        let bounds = world.shape(grain.shape).as_convex().aabb(&pose);
        assert!(bounds.max.z <= 6.0 + 1e-9 && bounds.min.z > 0.0, "{bounds:?}");
        assert!(
            bounds.min.truncate().min_element() > -10.0 - 1e-9 && bounds.max.truncate().max_element() < 10.0 + 1e-9
        );
        assert!((grain.orientation.to_axis_angle().1.abs() - 20f64.to_radians()).abs() < 1e-12);
    }
    // The resolved scene gives the same world.
    let again = scene(&scene(&text).to_toml().expect("TOML"));
    assert_eq!(grains(&again.build().expect("a world")), blocks);
    let limited =
        filled(&format!("{BLOCKS}fill = {{ between = [\"ground\", \"former\"], min = [-2, -2, 2], max = [2, 2, 5] }}"));
    assert_eq!(grains(&limited).len(), 4 * 5 * 5);
}

#[test]
fn random_grains_of_every_kind_fill_a_volume_without_overlap() {
    let rocks = "[[grains]]\nmaterial = \"rock\"\norientation = \"random\"\nseed = 5\n\
                 size = { min = 0.5, max = 1 }\npolyhedron = { rock = [1, 0.8, 0.5], corners = 12, seed = { min = 0, max = 99 } }\n";
    let eggs = "[[grains]]\nmaterial = \"rock\"\norientation = \"random\"\nseed = 6\nellipsoid = { semi_axes = [0.2, 0.3, 0.5] }\n";
    let text = format!(
        "{rocks}count = 150\nfill = {{ between = [\"ground\", \"former\"], arrangement = \"random\" }}\n\
         {eggs}fill = {{ between = [\"ground\", \"former\"], arrangement = \"random\", fraction = 0.05 }}\n\
         {eggs}fill = {{ inside = \"bin\", arrangement = \"random\", fraction = 0.2 }}"
    );
    let world = filled(&text);
    let bodies: Vec<_> = world.grains().collect();
    let pose = |k: usize| Pose { position: bodies[k].position, orientation: bodies[k].orientation };
    for a in 0..bodies.len() {
        for b in 0..a {
            let [one, other] = [a, b].map(|k| world.shape(bodies[k].shape));
            assert!(are_apart(&Pair::new(one, &pose(a), other, &pose(b))), "{a} {b}");
        }
    }
    let solid =
        |name: &str| world.bodies_named(name).map(|id| world.body(id).expect("a body").mass / 2600.0).sum::<f64>();
    assert_eq!(world.bodies_named("grains[0]").count(), 150);
    // A grain of 0.126 m3 is the rounding of the numbers of grains.
    assert!((solid("grains[2]") - 0.2 * 32.0).abs() < 0.07, "{}", solid("grains[2]"));
    let between = solid("grains[1]") / 0.05;
    // The hills take a part of 20 x 20 x 6 m.
    assert!(between > 1500.0 && between < 2400.0, "{between}");
    assert_eq!(grains(&filled(&text)), grains(&world));
}

#[test]
fn mistakes_in_a_filled_volume_name_their_field() {
    let fill = |keys: &str| format!("{BLOCKS}fill = {{ {keys} }}");
    let mut wrong = Vec::new();
    for (text, expected) in [
        (fill("inside = \"grund\""), "grains[0].fill.inside: unknown surface `grund`; did you mean `ground`?"),
        (fill("inside = \"ground\""), "grains[0].fill.inside must be a closed surface, but `ground` has 80 open edges"),
        (fill("between = [\"ground\"]"), "2"),
        (fill("between = [\"ground\", \"ground\"]"), "grains[0].fill.between[1] must be another surface"),
        (
            fill("between = [\"ground\", \"formerly\"]"),
            "between[1]: unknown surface `formerly`; did you mean `former`?",
        ),
        (fill("between = [\"former\", \"ground\"]"), "has no room for a grain; is `former` below `ground`"),
        (fill("inside = \"bin\", between = [\"ground\", \"former\"]"), "must not be given together with `inside`"),
        (fill("gap = 1"), "grains[0].fill needs inside = \"SURFACE\""),
        (fill("inside = \"bin\", up = [0, 0, 1]"), "grains[0].fill.up has no effect with `inside`"),
        (fill("between = [\"ground\", \"former\"], up = [0, 0, 0]"), "grains[0].fill.up must be a finite vector"),
        (fill("inside = \"bin\", gap = -1"), "grains[0].fill.gap must be at least 0, not -1"),
        (fill("inside = \"bin\", min = [0, 0, 0]"), "grains[0].fill needs both `min` and `max`"),
        (fill("inside = \"bin\", rotate = { axis = [0, 0, 0], angle = 1 }"), "grains[0].fill.rotate.axis must have"),
        (fill("inside = \"bin\", fraction = 0.2"), "grains[0].fill.fraction needs arrangement = \"random\""),
        (fill("inside = \"bin\", arrangement = \"random\""), "missing number of grains"),
        (fill("inside = \"bin\", arrangement = \"random\", gap = 1"), "grains[0].fill.gap has no effect"),
        (fill("inside = \"bin\", arrangement = \"random\", fraction = 1.5"), "fill.fraction must be below 1"),
        (fill("inside = \"bin\", arrangement = \"random\", fraction = -1"), "fill.fraction must be a positive"),
        (fill("inside = \"bin\", arangement = \"random\""), "did you mean `arrangement`?"),
        (fill("inside = \"bin\", gap = 3"), "grains[0].fill has no room for a grain; use smaller grains"),
        (format!("{}count = 61", fill("inside = \"bin\"") + "\n"), "61 grains do not fit: the volume has room for 60"),
        (
            format!("{}count = 60", fill("inside = \"bin\", arrangement = \"random\"") + "\n"),
            "grains[0].count: the grains need 0.900 of the volume, and random positions fill at most 0.70",
        ),
        (
            format!("{}count = 40", fill("inside = \"bin\", arrangement = \"random\"") + "\n"),
            " of 40 grains fit: they fill 0.",
        ),
        (
            fill("inside = \"bin\"").replace("[0.5, 0.4, 0.3]", "[{ min = 0.1, max = 0.2 }, 0.1, 0.1]"),
            "must be \"random\" for grains of several sizes",
        ),
        (
            format!("{}\nlattice = {{ min = [0, 0, 0], max = [1, 1, 1] }}", fill("inside = \"bin\"")),
            "not both `lattice` and `fill`",
        ),
    ] {
        let found = message(&text);
        if !found.contains(expected) {
            wrong.push(format!("{text}\n{found}\nshould contain {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let unused = scene(&format!("{HEAD}\n{}", fill("inside = \"bin\"")));
    assert!(unused.warnings().iter().any(|warning| warning.starts_with("surfaces[1] has no effect")));
    let with_material = HEAD.replace("wall = false", "wall = false\nmaterial = \"rock\"");
    let found = scene_error(&format!("{with_material}\n{}", fill("between = [\"ground\", \"former\"]")));
    assert!(found.contains("surfaces[1].material has no effect with wall = false"), "{found}");
    let staged = format!(
        "{HEAD}\n{}\n[[stages]]\nduration = 1\nremove = [\"former\"]",
        fill("between = [\"ground\", \"former\"]")
    );
    assert!(scene_error(&staged).contains("unknown wall `former`"), "{}", scene_error(&staged));
}
