//! Stages and inlets: their effect on a world, and its repetition after a restart.

mod common;

use common::{Run, bits, grains, message, scene};
use granum_engine::{Simulation, World};
use granum_scene::{ProgramState, Scene};

/// Returns a scene in which balls are poured into a box, settle, are shaken and tilted, and fall
/// out through the removed floor.
fn poured() -> Scene {
    scene(
        r#"
        time = { output = "10 ms" }
        materials.glass = { density = 2500 }
        contact = [
            { between = ["glass", "glass"], law = "linear", stiffness = 1000, restitution = 0.5, friction = 0.3 },
        ]
        container = { material = "glass", min = [0, 0, 0], max = [0.03, 0.03, 0.2], open = ["bottom", "top"] }
        [[walls]]
        name = "floor"
        material = "glass"
        half_space = { normal = [0, 0, 1] }
        [[grains]]
        name = "balls"
        material = "glass"
        count = 60
        seed = 4
        velocity = [0, 0, -0.5]
        random_velocity = [0.1, 0.1, 0]
        spin = [0, 10, 0]
        size = { normal = { mean = "4 mm", sd = "0.5 mm" } }
        sphere = { radius = 1 }
        [grains.inlet]
        centre = [0.015, 0.015, 0.05]
        radius = "12 mm"
        rate = 2000
        [[stages]]
        name = "settle"
        until = { kinetic_energy_below = "10 uJ", check_every = "5 ms", at_most = "1 s" }
        [[stages]]
        name = "shake"
        duration = "50 ms"
        motion.floor = { amplitude = [0, 0, "0.5 mm"], frequency = 40 }
        [[stages]]
        name = "tilt"
        duration = "50 ms"
        halt = ["floor"]
        gravity = [3, 0, -9]
        [[stages]]
        name = "open"
        duration = "60 ms"
        remove = ["floor"]
        "#,
    )
}

fn saved(run: &Run) -> (World, ProgramState) {
    let bytes = postcard::to_allocvec(&(run.simulation.world(), &run.state)).unwrap();
    postcard::from_bytes(&bytes).unwrap()
}

#[test]
fn stages_follow_each_other_and_the_ledger_closes() {
    let scene = poured();
    let mut run = Run::new(&scene, 1);
    let start = run.simulation.energy();
    run.to(u64::MAX);
    let world = run.simulation.world();
    assert_eq!((grains(world).len(), run.state.poured()), (60, 60));
    assert_eq!(world.bodies_named("balls").count(), 60);
    let messages = run.messages.join("\n");
    for part in [
        "settle begins at 0",
        "settle ends at 0.",
        "shake begins",
        "floor oscillates at 40 Hz",
        "floor stops",
        "gravity [3, 0, -9] m/s2",
        "floor is removed",
    ] {
        assert!(messages.contains(part), "{part} in {messages}");
    }
    // All balls have fallen through the open bottom for 60 ms.
    let lowest = grains(world).iter().map(|grain| grain.0.z).fold(f64::INFINITY, f64::min);
    assert!(lowest < -0.01, "{lowest}");
    let energy = run.simulation.energy();
    let turned_over = energy.dissipated() + energy.kinetic_translational;
    let residual = energy.residual(&start).abs() / turned_over;
    assert!(turned_over > 1e-3 && residual < 2e-3, "{residual:e} of {turned_over:e} J");
}

#[test]
fn any_number_of_threads_and_a_restart_at_any_step_give_the_same_bits() {
    let scene = poured();
    let mut whole = Run::new(&scene, 1);
    whole.to(u64::MAX);
    let last = whole.simulation.world().steps();
    let mut two = Run::new(&scene, 2);
    two.to(u64::MAX);
    assert_eq!(bits(whole.simulation.world()), bits(two.simulation.world()));
    // Restarts during pouring, within a stage, at an event, and one step beside an event.
    let mut run = Run::new(&scene, 2);
    for stop in [123, 250, 1001, last / 2, last - 1500, last - 1] {
        run.to(stop);
        let (world, state) = saved(&run);
        assert_eq!(state, run.state);
        // The program depends on the scene and the initial world only.
        run = Run { state, simulation: Simulation::new(world, 1).unwrap(), ..Run::new(&scene, 1) };
    }
    run.to(u64::MAX);
    assert_eq!(bits(whole.simulation.world()), bits(run.simulation.world()));
    // The resolved scene runs to the same end.
    let mut again = Run::new(&common::scene(&scene.to_toml().unwrap()), 1);
    again.to(u64::MAX);
    assert_eq!(bits(whole.simulation.world()), bits(again.simulation.world()));
}

#[test]
fn a_blocked_inlet_waits_and_a_closed_one_is_reported() {
    // The inlet fills the upper half of a small box.
    let blocked = |more: &str| {
        scene(&format!(
            "{}\n[[grains]]\nmaterial = \"glass\"\ncount = 200\nsphere = {{ radius = 0.01 }}\n\
             inlet = {{ min = [0, 0, 0.03], max = [0.05, 0.05, 0.06], rate = 10000 {more} }}\n",
            common::HEAD.replace("max = [0.1, 0.1, 0.1]", "max = [0.05, 0.05, 0.06]")
        ))
    };
    let mut run = Run::new(&blocked(", stop = \"0.15 s\""), 1);
    run.to(u64::MAX);
    let added = run.state.poured();
    assert!((4..30).contains(&added), "{added}");
    assert_eq!(run.messages[0], "grains[0]: the inlet is blocked; its grains wait for a free position");
    assert_eq!(
        run.messages[1],
        format!("grains[0]: the inlet has closed while grains were waiting; {added} were added")
    );
    assert!(run.simulation.snapshot().max_overlap() < 1e-3);
}

#[test]
fn an_inlet_pours_at_its_rate() {
    let poured = |inlet: &str, amount: &str| {
        let mut run = Run::new(
            &common::with(&format!(
                "[[grains]]\nmaterial = \"glass\"\n{amount}\nvelocity = [0, 0, -1]\nsphere = {{ radius = 0.001 }}\n\
                 inlet = {{ min = [0, 0, 0.05], max = [0.1, 0.1, 0.1], {inlet} }}\n"
            )),
            1,
        );
        run.to(u64::MAX);
        run.state.poured()
    };
    assert_eq!(poured("rate = 500, start = 0.1, stop = 0.151", ""), 26);
    assert_eq!(poured("stop = 0.1", "count = 40"), 40);
    assert_eq!(poured("rate = 1000", "count = 40"), 40);
    let one = 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-9;
    assert_eq!(poured("mass_rate = \"1 g/s\"", "mass = \"0.1 g\""), (1e-4 / one).round() as u64);
}

#[test]
fn bad_stages_and_inlets_are_explained() {
    let balls = "[[grains]]\nmaterial = \"glass\"\nsphere = { radius = 0.002 }\n";
    let inlet = |inlet: &str| message(&format!("{balls}inlet = {{ {inlet} }}\n"));
    assert!(inlet("rate = 1").ends_with("give `min` and `max` for a box, or `centre` and `radius` for a disc"));
    assert!(
        inlet("centre = [0, 0, 0], radius = 0.001, rate = 1")
            .ends_with("must be larger than the largest grain, whose bounding ball has the diameter 4.0000e-3 m")
    );
    assert!(inlet("min = [0, 0, 0], max = [0.1, 0.1, 0.1]").contains("give `rate` (grains per second) or `mass_rate`"));
    assert!(inlet("min = [0, 0, 0], max = [0.1, 0.1, 0.1], rate = 1, start = 2, stop = 1").contains("must be after"));
    let stage = |stage: &str| message(&format!("{balls}positions = [[0.05, 0.05, 0.05]]\n[[stages]]\n{stage}\n"));
    assert!(stage("name = \"x\"").contains("stages[0]: missing end; give duration"));
    assert_eq!(
        stage("duration = 1\nremove = [\"container.botom\"]"),
        "x.toml:13: stages[0].remove[0]: unknown wall `container.botom`; did you mean `container.bottom`?"
    );
    assert!(stage("duration = 0").contains("stages[0].duration must be a positive time, not 0"));
    assert!(stage("until = { kinetic_energy_below = \"1 W\", at_most = 1 }").contains("unknown unit `W`"));
}
