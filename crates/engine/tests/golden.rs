//! Reproducibility: a run gives the same bits for any number of threads, for any times at which the
//! neighbour list is rebuilt, after a restart, in debug and release builds, and in all versions of
//! granum between which the CHANGELOG lists no change of the method.

mod common;

use common::shaken_box;
use granum_engine::{Simulation, Snapshot, World};

const STEPS: u64 = 12_000;

/// Hash of the state of `shaken_box` after `STEPS` steps. Only a change of the method may change
/// it, and such a change is listed in the CHANGELOG.
const GOLDEN: u64 = 8487261187179468044;

/// Returns the FNV-1a hash of all poses, velocities, contact forces and energies.
fn hash(world: &World) -> u64 {
    let snapshot = Snapshot::of(world);
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut add = |value: f64| {
        for byte in value.to_bits().to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for body in &snapshot.bodies {
        for vector in [body.position, body.velocity, body.spin] {
            vector.to_array().into_iter().for_each(&mut add);
        }
        body.orientation.to_array().into_iter().for_each(&mut add);
    }
    for contact in &snapshot.contacts {
        contact.force.to_array().into_iter().for_each(&mut add);
    }
    let energy = snapshot.energy;
    [energy.kinetic_translational, energy.kinetic_rotational, energy.potential, energy.elastic]
        .into_iter()
        .for_each(&mut add);
    [energy.dissipated_damping, energy.dissipated_friction, energy.work].into_iter().for_each(&mut add);
    hash
}

fn run(threads: usize) -> World {
    let mut simulation = Simulation::new(shaken_box(), threads).unwrap();
    simulation.use_all_threads().unwrap();
    simulation.run(STEPS);
    simulation.into_world()
}

#[test]
fn the_golden_hash_holds() {
    assert_eq!(hash(&run(1)), GOLDEN);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let one = hash(&run(1));
    assert_eq!(one, hash(&run(2)));
    assert_eq!(one, hash(&run(8)));
}

#[test]
fn the_neighbour_list_changes_nothing() {
    let mut simulation = Simulation::new(shaken_box(), 1).unwrap();
    let mut left = STEPS;
    for chunk in (1..).map(|k| 1 + k * 37 % 101) {
        let steps = left.min(chunk);
        simulation.run(steps);
        left -= steps;
        if left == 0 {
            break;
        }
        // The next step rebuilds the neighbour list.
        simulation.world_mut();
    }
    assert_eq!(hash(simulation.world()), hash(&run(1)));
}

#[test]
fn a_restart_from_saved_state_changes_nothing() {
    let mut simulation = Simulation::new(shaken_box(), 2).unwrap();
    simulation.run(STEPS / 3);
    let saved = postcard::to_allocvec(simulation.world()).unwrap();
    drop(simulation);
    let mut resumed = Simulation::new(postcard::from_bytes(&saved).unwrap(), 1).unwrap();
    resumed.run(STEPS - STEPS / 3);
    assert_eq!(hash(resumed.world()), hash(&run(1)));
}

#[test]
fn contacts_are_many_and_the_ledger_closes() {
    // The hash is a useful test only if grains touch, slide and roll, and the floor does work.
    let world = run(1);
    let snapshot = Snapshot::of(&world);
    assert!(snapshot.contacts.len() > 200, "{} contacts", snapshot.contacts.len());
    let start = Snapshot::of(Simulation::new(shaken_box(), 1).unwrap().world()).energy;
    let energy = snapshot.energy;
    assert!(energy.work.abs() > 1e-6 && energy.dissipated_friction > 1e-6);
    let residual = energy.residual(&start).abs() / start.total();
    assert!(residual < 1e-4, "residual {residual:e}");
}
