//! A run folder: this program writes one for a scene, and reads the results back.
//!
//! `granum run` writes the same files. To read its results, open its folder instead.

use std::{env, fs, process};

use granum::{EnergyTable, FrameOptions, FrameWriter, Recorder, RunFolder, Scene, Simulation};

const SCENE: &str = r#"
time.end = "0.5 s"
materials.rubber.density = "1100 kg/m3"

[[contact]]
between = ["rubber", "rubber"]
law = "linear"
stiffness = "2 kN/m"
restitution = 0.8
friction = 0.5

[[walls]]
material = "rubber"
half_space = { normal = [0, 0, 1] }

[[grains]]
material = "rubber"
capsule = { radius = "1 cm", half_height = "1 cm" }
positions = [[0, 0, "10 cm"]]
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = env::temp_dir().join(format!("granum-example-{}", process::id()));
    fs::create_dir_all(&dir)?;

    let world = Scene::parse(SCENE, "falling_capsule.toml".as_ref())?.build()?;
    let materials = world.materials().iter().map(|material| material.name.clone()).collect();
    let mut energy_table = EnergyTable::create(&dir.join("energy.csv"))?;
    let mut frames = FrameWriter::new(&dir, materials, FrameOptions { contacts: true, surfaces: false })?;
    let mut simulation = Simulation::new(world, 1)?;
    let interval = (0.05 / simulation.world().time_step()) as u64; // steps in 50 ms
    for _ in 0..10 {
        energy_table.record(&simulation.snapshot(), simulation.world().shapes())?;
        frames.record(&simulation.snapshot(), simulation.world().shapes())?;
        simulation.run(interval);
    }

    let folder = RunFolder::open(&dir)?;
    let rows = folder.energy()?;
    for (entry, row) in folder.frames().iter().zip(&rows) {
        let frame = folder.frame(entry.number)?;
        let capsule = frame.bodies.iter().find(|body| body.is_grain()).expect("one grain");
        println!("t = {:.3} s: height {:.2} cm, lost {:.2e} J", frame.time, 100.0 * capsule.position.z, row.dissipated);
    }
    assert_eq!(folder.frames().len(), 10);
    let (first, last) = (&rows[0], &rows[9]);
    assert!(last.dissipated > 0.0 && last.residual.abs() < 0.01 * first.potential);
    fs::remove_dir_all(&dir)?;
    Ok(())
}
