//! Error messages for mistakes of new users: one line with the file, the line and the field.

use std::path::Path;

use granum_scene::Scene;

/// A valid scene of few lines; tests replace parts of it.
const GOOD: &str = r#"[time]
end = "0.1 s"
step = "auto"

[materials.glass]
density = 2500

[[contact]]
between = ["glass", "glass"]
law = "linear"
stiffness = "1 kN/m"
restitution = 0.8
friction = 0.3

[container]
material = "glass"
min = [0, 0, 0]
max = [0.1, 0.1, 0.1]

[[grains]]
material = "glass"
count = 10

[grains.sphere]
radius = "2 mm"

[grains.lattice]
min = [0, 0, 0]
max = [0.1, 0.1, 0.1]
"#;

/// Returns the error of reading or building a scene.
fn message(text: &str) -> String {
    let result = Scene::parse(text, Path::new("x.toml")).and_then(|scene| scene.build());
    let message = result.expect_err("the scene is invalid").to_string();
    assert_eq!(message.lines().count(), 1, "{message}");
    message
}

/// Returns the error of the valid scene with one part replaced.
fn with(from: &str, to: &str) -> String {
    assert_eq!(GOOD.matches(from).count(), 1, "{from}");
    message(&GOOD.replace(from, to))
}

/// Returns the error of the valid scene with more text at its end.
fn and(more: &str) -> String {
    message(&format!("{GOOD}{more}"))
}

#[test]
fn the_scene_without_mistakes_is_accepted() {
    let scene = Scene::parse(GOOD, Path::new("x.toml")).unwrap();
    assert_eq!(scene.build().unwrap().body_count(), 16);
}

#[test]
fn files_that_are_not_scenes() {
    assert_eq!(message(""), "x.toml: the scene is empty; it needs [time], [materials.NAME] and [[grains]]");
    assert_eq!(message("# nothing\n\n"), message(""));
    let missing = Scene::load(Path::new("no/such.toml")).unwrap_err().to_string();
    assert!(missing.starts_with("no/such.toml: cannot read the scene: "), "{missing}");
    assert!(message("{\"json\": 1}").starts_with("x.toml:1: "), "{}", message("{\"json\": 1}"));
    assert!(with("end = \"0.1 s\"", "end = \"0.1 s").starts_with("x.toml:2: invalid basic string"));
    assert_eq!(message("title = \"x\"\n"), "x.toml: missing key `time`");
}

#[test]
fn misspelt_names_are_corrected() {
    assert_eq!(
        with("friction", "fricton"),
        "x.toml:13: contact[0].fricton: unknown key `fricton`; did you mean `friction`?"
    );
    assert_eq!(with("[time]", "[tine]"), "x.toml:1: tine: unknown key `tine`; did you mean `time`?");
    assert_eq!(
        with("[grains.sphere]", "[grains.spere]"),
        "x.toml:24: grains[0].spere: unknown key `spere`; did you mean `sphere`?"
    );
    assert_eq!(
        with("radius", "radus"),
        "x.toml:25: grains[0].sphere.radus: unknown key `radus`; did you mean `radius`?"
    );
    assert_eq!(
        with("law = \"linear\"", "law = \"linaer\""),
        "x.toml:10: contact[0].law: unknown value `linaer`; did you mean `linear`?"
    );
    assert_eq!(
        with("[[grains]]\nmaterial = \"glass\"", "[[grains]]\nmaterial = \"glas\""),
        "x.toml:21: grains[0].material: unknown material `glas`; did you mean `glass`?"
    );
    let far = with("count = 10", "weather = 10");
    assert!(
        far.starts_with("x.toml:22: grains[0].weather: unknown key `weather`; expected one of `name`, `material`, "),
        "{far}"
    );
}

#[test]
fn quantities() {
    assert_eq!(with("\"2 mm\"", "-1"), "x.toml:25: grains[0].sphere.radius must be a positive length, not -1");
    assert_eq!(
        with("\"2 mm\"", "\"2 ms\""),
        "x.toml:25: grains[0].sphere.radius: `2 ms` is a time, not a length; a length is a number in m or a string such as \"2.5 mm\""
    );
    assert_eq!(
        with("\"2 mm\"", "\"2 inch\""),
        "x.toml:25: grains[0].sphere.radius: `2 inch`: unknown unit `inch`; 1 inch is 25.4 mm"
    );
    assert_eq!(with("\"2 mm\"", "nan"), "x.toml:25: grains[0].sphere.radius must be a positive length, not NaN");
    assert_eq!(
        with("\"2 mm\"", "{ min = 2, max = 1 }"),
        "x.toml:25: grains[0].sphere.radius must have a `min` of at most its `max`, not 2 and 1"
    );
    assert_eq!(with("step = \"auto\"", "step = 0"), "x.toml:3: time.step must be a positive time, not 0");
    assert_eq!(with("end = \"0.1 s\"", "end = -1"), "x.toml:2: time.end must be a positive time, not -1");
    assert_eq!(
        with("end = \"0.1 s\"", "end = \"0.1\""),
        "x.toml:2: time.end: `0.1` has no unit; expected a time: a number in s or a string such as \"10 ms\""
    );
    assert!(
        with("density = 2500", "density = true").starts_with(
            "x.toml:6: materials.glass.density must be a density (a number in kg/m3 or a string such as \"2.5 g/cm3\"), not true"
        )
    );
    assert_eq!(
        with("density = 2500", "density = 0"),
        "x.toml:6: materials.glass.density must be a positive density, not 0"
    );
    assert_eq!(
        with("restitution = 0.8", "restitution = 1.5"),
        "x.toml:12: contact[0].restitution must lie between 0 and 1, not 1.5"
    );
    assert!(
        with("restitution = 0.8", "restitution = 0")
            .starts_with("x.toml:12: contact[0].restitution: restitution 0 is not possible")
    );
    assert_eq!(
        with("friction = 0.3", "friction = -0.3"),
        "x.toml:13: contact[0].friction must be at least 0, not -0.3"
    );
    assert_eq!(with("friction = 0.3", "friction = nan"), "x.toml:13: contact[0].friction must be at least 0, not NaN");
    assert_eq!(
        with("restitution = 0.8", "restitution = nan"),
        "x.toml:12: contact[0].restitution must lie between 0 and 1, not NaN"
    );
    assert_eq!(
        with("\"1 kN/m\"", "\"1 kN\""),
        "x.toml:11: contact[0].stiffness: `1 kN` is a force, not a stiffness; a stiffness is a number in N/m or a string such as \"100 N/m\""
    );
    assert_eq!(
        with(
            "[container]\nmaterial = \"glass\"\nmin = [0, 0, 0]",
            "[container]\nmaterial = \"glass\"\nmin = [0, 0, \"9 s\"]"
        ),
        "x.toml:17: container.min[2]: `9 s` is a time, not a length; a length is a number in m or a string such as \"2.5 mm\""
    );
    assert_eq!(
        with(
            "[container]\nmaterial = \"glass\"\nmin = [0, 0, 0]",
            "[container]\nmaterial = \"glass\"\nmin = [0, 0, 1]"
        ),
        "x.toml:18: container.max[2] must be above min, but 0.1 is not above 1"
    );
    assert!(
        with("step = \"auto\"", "output = \"1 ns\"\nstep = \"1 us\"")
            .starts_with("x.toml:3: time.output must be at least one time step")
    );
    assert_eq!(
        with("[materials.glass]", "[output]\nframes = -1\n[materials.glass]"),
        "x.toml:6: output.frames must be a positive time, not -1"
    );
    assert!(
        with("[materials.glass]", "[output]\nframes = \"often\"\n[materials.glass]")
            .starts_with("x.toml:6: output.frames: ")
    );
    assert!(
        with("[materials.glass]", "[output]\nframes = \"1 ns\"\n[materials.glass]")
            .starts_with("x.toml:6: output.frames must be at least one time step")
    );
    assert!(with("end = \"0.1 s\"", "end = 1e20\noutput = 1").starts_with("x.toml:2: time.end takes "));
}

#[test]
fn missing_parts() {
    assert_eq!(
        with("friction = 0.3\n", ""),
        "x.toml:8: contact[0]: missing `friction`, the coefficient of sliding friction; give 0 for none"
    );
    assert!(with("restitution = 0.8\n", "").starts_with("x.toml:8: contact[0]: missing `restitution`, the ratio"));
    assert_eq!(
        with("end = \"0.1 s\"\n", ""),
        "x.toml:1: time: missing `end`, the time at which the run ends; give end = \"1 s\""
    );
    assert_eq!(with("density = 2500", ""), "x.toml:5: materials.glass: missing key `density`");
    assert_eq!(with("radius = \"2 mm\"", ""), "x.toml:24: grains[0].sphere: missing key `radius`");
    let no_shape = with("[grains.sphere]\nradius = \"2 mm\"\n", "");
    assert!(
        no_shape.starts_with("x.toml:20: grains[0]: missing shape; give one of [grains.half_space], "),
        "{no_shape}"
    );
    assert!(no_shape.contains("[grains.sphere]"), "{no_shape}");
    assert_eq!(
        with("stiffness = \"1 kN/m\"", ""),
        "x.toml:10: contact[0].law: a linear law needs `stiffness` or `contact_time`"
    );
    assert_eq!(
        with("law = \"linear\"\nstiffness = \"1 kN/m\"", "law = \"hertz\""),
        "x.toml:5: materials.glass: missing `young`, which contact[0] needs for its Hertz or Mindlin law"
    );
    assert_eq!(
        with("[grains.lattice]\nmin = [0, 0, 0]\nmax = [0.1, 0.1, 0.1]\n", ""),
        "x.toml:20: grains[0]: missing placement; give [grains.lattice], [grains.random], [grains.fill], \
         [grains.inlet], [grains.table], or positions = [[x, y, z], ...]"
    );
    let no_law =
        and("[materials.steel]\ndensity = 7800\n[[walls]]\nmaterial = \"steel\"\n[walls.sphere]\nradius = 0.01\n");
    assert_eq!(
        no_law,
        "x.toml: missing [[contact]] of `glass` and `steel`, whose bodies can touch; add one with between = [\"glass\", \"steel\"]"
    );
}

#[test]
fn contradictions() {
    assert_eq!(
        with("friction = 0.3", "friction = 0.3\ncontact_time = \"1 ms\""),
        "x.toml:14: contact[0].contact_time: give `stiffness` or `contact_time`, not both: each determines the other"
    );
    assert_eq!(
        and("[[contact]]\nbetween = [\"glass\", \"glass\"]\nlaw = \"hertz\"\nrestitution = 0.5\nfriction = 0\n"),
        "x.toml:31: contact[1].between must be unique: contact[0] is also between `glass` and `glass`"
    );
    assert_eq!(
        and("[grains.half_space]\nnormal = [0, 0, 1]\n"),
        "x.toml:20: grains[0] must have one shape, not both `half_space` and `sphere`"
    );
    assert_eq!(
        with("[grains.sphere]\nradius = \"2 mm\"", "[grains.half_space]\nnormal = [0, 0, 1]"),
        "x.toml:24: grains[0].half_space must be a bounded shape; this one is for walls only"
    );
    let wall = |motion: &str| {
        and(&format!("[[walls]]\nmaterial = \"glass\"\nmotion = {motion}\n[walls.half_space]\nnormal = [0, 0, 1]\n"))
    };
    assert_eq!(
        wall("{}"),
        "x.toml:32: walls[0].motion must not be empty; give `velocity` or `spin`, `amplitude` and `frequency`, `ramp`, `table`, `servo` or `free`"
    );
    assert_eq!(
        wall("{ frequency = 1 }"),
        "x.toml:32: walls[0].motion needs both `amplitude` (or `swing`) and `frequency` for an oscillation"
    );
    assert_eq!(
        wall("{ velocity = [0, 0, 0], phase = 1 }"),
        "x.toml:32: walls[0].motion must be steady (`velocity`, `spin`), oscillating (`amplitude`, `swing`, `frequency`, `phase`), a `ramp`, a `table`, a `servo` or `free`, not several of them; to superpose motions, give a list of tables"
    );
    assert_eq!(
        wall("{ amplitude = [0, 0, 0], frequency = \"30 rpm\" }"),
        "x.toml:32: walls[0].motion.frequency: `30 rpm` is an angular velocity, not a frequency; a frequency is a number in Hz or a string such as \"50 Hz\""
    );
}

#[cfg(not(feature = "clarabel"))]
#[test]
fn a_solver_that_the_build_lacks_is_refused_by_its_feature() {
    assert_eq!(
        message(&format!("response = \"percussion\"\n{GOOD}[percussion]\nsolver = \"interior-point\"\n")),
        "x.toml:32: percussion.solver must not be \"interior-point\" in this build: it was compiled without the feature \
         \"clarabel\""
    );
}

#[test]
fn grains_that_do_not_fit() {
    assert_eq!(
        with("count = 10", "count = 1_000_000"),
        "x.toml:22: grains[0].count: 1000000 grains do not fit: the lattice has 23 x 23 x 23 = 12167 cells of 4.2000e-3 m; \
         enlarge the box or reduce the spacing"
    );
    assert_eq!(
        with("\"2 mm\"", "\"2 m\""),
        "x.toml:27: grains[0].lattice: the box of 0.1 x 0.1 x 0.1 m is smaller than one cell of the lattice, 4.2000e0 m"
    );
    assert_eq!(
        and("spacing = \"3 mm\"\n"),
        "x.toml:30: grains[0].lattice.spacing must be at least the diameter of the largest grain's bounding ball, \
         4.0000e-3 m, not 3.0000e-3 m"
    );
    let more = "[[grains]]\nmaterial = \"glass\"\npositions = [[0.05, 0.05, 0.05], [0.05, 0.05, 0.052]]\n[grains.sphere]\nradius = 0.003\n";
    assert_eq!(
        and(more),
        "x.toml:30: grains[1]: body 0 at [5.0000e-2, 5.0000e-2, 5.0000e-2] overlaps a body of grains[1] by 4.000e-3 m at the \
         start; bodies must start apart, unless their [[grains]] table has allow_overlap = true"
    );
    let outside =
        and("[[grains]]\nmaterial = \"glass\"\npositions = [[0.1, 0.05, 0.05]]\n[grains.sphere]\nradius = 0.003\n");
    assert!(outside.contains("extends beyond the container (right face) by 3.000e-3 m at the start"), "{outside}");
}
