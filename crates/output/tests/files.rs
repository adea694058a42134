//! The energy table, the summary and the run folder are written and read back.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use glam::DVec3;
use granum_engine::{
    BodySpec, ContactLaw, Damping, EndRule, Material, Normal, Rolling, Simulation, Stiffness, Tangential, World,
};
use granum_geometry::shape::{HalfSpace, Sphere};
use granum_output::{EnergyTable, Recorder, RunFolder, Status, Summary, state_hash};

/// Returns the path of a file for one test, which does not exist yet.
fn path(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    path
}

/// Returns a simulation of a ball that falls onto a floor.
fn falling_ball() -> Simulation {
    let mut world = World::new();
    world.set_gravity(DVec3::new(0.0, 0.0, -9.81)).unwrap();
    world.set_time_step(1e-5).unwrap();
    let glass = Material::new("glass", 2500.0).with_elasticity(1e7, 0.2);
    let glass = world.add_material(glass).unwrap();
    let end = EndRule::NoTension;
    let normal = Normal::linear(Stiffness::Constant(1000.0), Damping::Restitution(0.8), end).unwrap();
    world
        .set_law(glass, glass, ContactLaw { normal, tangential: Tangential::None, rolling: Rolling::None, end })
        .unwrap();
    let ball = world.add_shape(Sphere { radius: 1e-3 }).unwrap();
    let floor = world.add_shape(HalfSpace::new(DVec3::Z)).unwrap();
    world.add_body(BodySpec::at(ball, glass, DVec3::new(0.0, 0.0, 1.1e-3))).unwrap();
    world.add_body(BodySpec::fixed(floor, glass, DVec3::ZERO)).unwrap();
    Simulation::new(world, 1).unwrap()
}

#[test]
fn energy_table_has_the_columns_of_the_contract_and_every_digit() {
    let path = path("energy.csv");
    let mut simulation = falling_ball();
    let mut table = EnergyTable::create(&path).unwrap();
    let mut snapshots = vec![simulation.snapshot()];
    table.record(&snapshots[0], &[]).unwrap();
    for _ in 0..20 {
        simulation.run(40);
        snapshots.push(simulation.snapshot());
        table.record(snapshots.last().unwrap(), &[]).unwrap();
    }
    // Each row is written to the disk at once, although the table is still open.
    let mut reader = csv::Reader::from_path(&path).unwrap();
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    assert_eq!(
        header.join(","),
        "time,kinetic_translational,kinetic_rotational,potential,elastic,dissipated,work,residual,contacts,max_overlap"
    );
    let rows: Vec<BTreeMap<String, f64>> = reader.deserialize().map(|row| row.unwrap()).collect();
    assert_eq!(rows.len(), 21);
    for (row, snapshot) in rows.iter().zip(&snapshots) {
        assert_eq!(row["time"], snapshot.time);
        assert_eq!(row["kinetic_translational"], snapshot.energy.kinetic_translational);
        assert_eq!(row["dissipated"], snapshot.energy.dissipated());
        assert_eq!(row["contacts"], snapshot.contacts.len() as f64);
        assert_eq!(row["max_overlap"], snapshot.max_overlap());
        assert!(row["residual"].abs() < 1e-3 * rows[0]["potential"]);
    }
    assert!(rows.iter().any(|row| row["contacts"] == 1.0 && row["max_overlap"] > 0.0));
}

#[test]
fn a_table_that_exists_is_not_overwritten() {
    let path = path("existing.csv");
    fs::write(&path, "existing").unwrap();
    assert!(EnergyTable::create(&path).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "existing");
}

#[test]
fn summary_is_read_back_as_it_was_written() {
    let path = path("summary.json");
    let mut simulation = falling_ball();
    simulation.run(100);
    let summary = Summary {
        bodies: 2,
        steps: 100,
        dt: 1e-5,
        wall_seconds: 0.1,
        body_steps_per_second: 2000.0,
        seconds: Summary::seconds_of(&simulation.stage_seconds(), 0.01),
        contacts: 0,
        status: Status::Completed,
        warnings: BTreeMap::from([("overlap".to_owned(), 3)]),
        percussion: None,
        state_hash: state_hash(simulation.world()),
    };
    summary.write(&path).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(serde_json::from_str::<Summary>(&text).unwrap(), summary);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["status"], "completed");
    let stages: Vec<&String> = value["seconds"].as_object().unwrap().keys().collect();
    assert_eq!(stages, ["broad_phase", "correct", "narrow_phase", "output", "predict", "response"]);
}

#[test]
fn a_run_folder_reads_the_tables_and_leaves_out_an_incomplete_row() {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("tables_back");
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    let path = dir.join("energy.csv");
    let mut simulation = falling_ball();
    let mut table = EnergyTable::create(&path).unwrap();
    table.record(&simulation.snapshot(), &[]).unwrap();
    simulation.run(100);
    let snapshot = simulation.snapshot();
    table.record(&snapshot, &[]).unwrap();
    let folder = RunFolder::open(&dir).unwrap();
    let rows = folder.energy().unwrap();
    assert_eq!((rows.len(), rows[1].time, rows[1].potential), (2, snapshot.time, snapshot.energy.potential));
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 5]).unwrap();
    assert_eq!(folder.energy().unwrap(), rows[..1]);
    fs::write(&path, "time,work\nsoon,0\n").unwrap();
    assert!(folder.energy().unwrap_err().reason.starts_with("is damaged: "));
    assert!(folder.summary().unwrap_err().reason.starts_with("cannot be read: "));
    assert!(folder.frames().is_empty());
}
