//! Checkpoints: a saved state is read back bit for bit, and any other file is refused.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use glam::DVec3;
use granum_engine::record::{Contact, StoredPercussion};
use granum_engine::{
    BodySpec, ContactLaw, Damping, EndRule, Material, Normal, Rolling, Simulation, Stiffness, Tangential, World,
};
use granum_geometry::shape::{HalfSpace, Sphere};
use granum_output::checkpoint::file::{self, HEAD, Refusal};
use granum_output::checkpoint::{NoCheckpoint, list};
use granum_output::{Books, Checkpoint, Checkpoints, state_hash};
use proptest::prelude::*;

/// State of the program of stages, as a simple type for these tests.
type Stage = (u32, String);

/// Creates an empty folder for one test.
fn folder(test: &str) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

/// Returns a world in which four balls have fallen onto a floor and onto each other for `steps`
/// steps.
fn falling_balls(steps: u64) -> World {
    let mut world = World::new();
    world.set_gravity(DVec3::new(0.1, 0.0, -9.81)).unwrap();
    world.set_time_step(1e-5).unwrap();
    let glass = Material::new("glass", 2500.0).with_elasticity(1e7, 0.2);
    let glass = world.add_material(glass).unwrap();
    let end = EndRule::NoTension;
    let normal = Normal::linear(Stiffness::Constant(1000.0), Damping::Restitution(0.8), end).unwrap();
    let tangential = Tangential::Linear { friction: 0.3, ratio: 2.0 / 7.0, zeta: 0.1 };
    world.set_law(glass, glass, ContactLaw { normal, tangential, rolling: Rolling::None, end }).unwrap();
    let ball = world.add_shape(Sphere { radius: 1e-3 }).unwrap();
    let floor = world.add_shape(HalfSpace::new(DVec3::Z)).unwrap();
    for k in 0..4 {
        let at = DVec3::new(1e-4 * f64::from(k), 0.0, 1.05e-3 + 2.05e-3 * f64::from(k));
        world.add_body(BodySpec { spin: DVec3::Y, ..BodySpec::at(ball, glass, at) }).unwrap();
    }
    world.add_body(BodySpec::fixed(floor, glass, DVec3::ZERO)).unwrap();
    let mut simulation = Simulation::new(world, 1).unwrap();
    simulation.run(steps);
    simulation.into_world()
}

fn checkpoint(steps: u64) -> Checkpoint<'static, Stage> {
    let world = falling_balls(steps);
    Checkpoint {
        scene: Cow::Borrowed("[time]\nend = 1\n"),
        program: Cow::Owned((7, "settle".to_owned())),
        start: falling_balls(0).energy(),
        books: Books {
            lengths: BTreeMap::from([("energy.csv".to_owned(), 123)]),
            recorded: Some(steps),
            wall_seconds: 0.1,
            ..Books::default()
        },
        world: Cow::Owned(world),
    }
}

/// Returns the contents of the file of a checkpoint.
fn bytes_of(test: &str, checkpoint: &Checkpoint<Stage>) -> Vec<u8> {
    let path = folder(test).join("bytes");
    let mut file = fs::File::create(&path).unwrap();
    file::write(&mut file, 7, checkpoint).unwrap();
    fs::read(path).unwrap()
}

#[test]
fn a_checkpoint_in_memory_has_the_bytes_of_its_file() {
    let checkpoint = checkpoint(100);
    assert_eq!(file::encode(7, &checkpoint).unwrap(), bytes_of("in_memory", &checkpoint));
}

fn refusal(bytes: &[u8]) -> Refusal {
    file::parse::<Checkpoint<Stage>>(bytes).map(|_| ()).expect_err("the reader refuses a damaged file")
}

#[test]
fn a_checkpoint_is_read_back_bit_for_bit() {
    let checkpoints = Checkpoints::open(folder("comes_back")).unwrap();
    let saved = checkpoint(2000);
    assert!(saved.world.contacts().count() > 0, "the saved state has contacts");
    checkpoints.save(&saved).unwrap();
    let found = checkpoints.load::<Stage>().unwrap();
    assert_eq!(found.version, env!("CARGO_PKG_VERSION"));
    assert_eq!(found.refused, [""; 0]);
    let read = found.checkpoint;
    assert_eq!((read.scene, read.program, read.books), (saved.scene, saved.program, saved.books));
    assert_eq!(read.start, saved.start);
    assert_eq!(state_hash(&read.world), state_hash(&saved.world));
    let continued = |world: World| {
        let mut simulation = Simulation::new(world, 2).unwrap();
        simulation.run(1000);
        state_hash(simulation.world())
    };
    assert_eq!(continued(read.world.into_owned()), state_hash(&falling_balls(3000)));
}

#[test]
fn only_the_last_two_checkpoints_are_kept() {
    let dir = folder("last_two");
    let checkpoints = Checkpoints::open(dir.clone()).unwrap();
    for steps in [0, 5, 10, 1000] {
        checkpoints.save(&checkpoint(steps)).unwrap();
    }
    let names: Vec<String> =
        list(&dir).unwrap().iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(names, ["step_000000001000.granum", "step_000000000010.granum"]);
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 4, "two checkpoints, the lock file and the identifier");
}

#[test]
fn a_damaged_checkpoint_is_refused_with_its_reason_and_the_one_before_is_used() {
    let dir = folder("damaged");
    let checkpoints = Checkpoints::open(dir.clone()).unwrap();
    checkpoints.save(&checkpoint(10)).unwrap();
    let newest = checkpoints.save(&checkpoint(20)).unwrap();
    let mut bytes = fs::read(&newest).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    fs::write(&newest, bytes).unwrap();
    let found = checkpoints.load::<Stage>().unwrap();
    assert_eq!(found.checkpoint.world.steps(), 10);
    assert!(found.refused[0].contains("step_000000000020.granum is damaged: its checksum is "), "{:?}", found.refused);
    // The damaged file is renamed, so that a checkpoint of step 15 becomes the newest.
    assert!(dir.join("step_000000000020.granum.damaged").exists());
    checkpoints.save(&checkpoint(15)).unwrap();
    assert_eq!(checkpoints.load::<Stage>().unwrap().checkpoint.world.steps(), 15);
}

#[test]
fn without_a_valid_checkpoint_every_reason_is_given_and_no_file_is_changed() {
    let dir = folder("none");
    let checkpoints = Checkpoints::open(dir.clone()).unwrap();
    assert!(matches!(checkpoints.load::<Stage>(), Err(NoCheckpoint::None(_))));
    fs::write(dir.join("step_000000000020.granum"), "").unwrap();
    fs::write(dir.join("step_000000000010.granum"), "something else, and longer than the head of a checkpoint")
        .unwrap();
    let Err(error) = checkpoints.load::<Stage>() else { panic!("both checkpoints are damaged") };
    let text = error.to_string();
    assert!(text.contains("20.granum is damaged: it has 0 bytes where 48 were written"), "{text}");
    assert!(text.contains("10.granum is not a checkpoint of granum"), "{text}");
    assert_eq!(list(&dir).unwrap().len(), 2);
}

#[test]
fn every_kind_of_damage_has_its_message() {
    let bytes = bytes_of("kinds_of_damage", &checkpoint(2000));
    assert!(file::parse::<Checkpoint<Stage>>(&bytes).is_ok());
    for length in [0, 5, HEAD - 1, HEAD, bytes.len() - 1] {
        assert!(matches!(refusal(&bytes[..length]), Refusal::Length { .. }), "{length}");
    }
    assert!(matches!(refusal(&[&bytes[..], b"x"].concat()), Refusal::Length { .. }));
    let changed = |at: usize| {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        refusal(&changed)
    };
    assert!(matches!(changed(0), Refusal::Foreign));
    let (other, ours) = (file::FORMAT ^ 1, file::FORMAT);
    let wanted = format!("was written by granum 0.1.0 in format {other}; this granum reads format {ours}");
    assert_eq!(changed(8).to_string(), wanted);
    // A fuzzed version contained a line end, and the message had two lines.
    let mut lines = bytes.clone();
    lines[8] = 0;
    lines[24..28].copy_from_slice(b"\n\x1b\xff1");
    assert_eq!(refusal(&lines).to_string().lines().count(), 1);
    assert!(matches!(changed(12), Refusal::Checksum { .. }));
    assert!(matches!(changed(16), Refusal::Length { .. }));
    assert!(matches!(changed(HEAD), Refusal::Checksum { .. }));
    // The head is zero if the program was killed before it wrote the head.
    let mut unfinished = bytes.clone();
    unfinished[..HEAD].fill(0);
    assert!(matches!(refusal(&unfinished), Refusal::Foreign));
}

#[test]
fn every_byte_of_a_checkpoint_is_covered_by_its_checksum() {
    // The version of granum in the header was not.
    let bytes = bytes_of("every_byte", &checkpoint(100));
    for at in (0..HEAD).chain((HEAD..bytes.len()).step_by(97)) {
        let mut changed = bytes.clone();
        changed[at] ^= 4;
        assert!(file::parse::<Checkpoint<Stage>>(&changed).is_err(), "byte {at}");
    }
}

#[test]
fn a_checkpoint_copied_from_another_run_is_refused() {
    let (dir, other) = (folder("own"), folder("other"));
    let checkpoints = Checkpoints::open(dir.clone()).unwrap();
    checkpoints.save(&checkpoint(10)).unwrap();
    let foreign = Checkpoints::open(other).unwrap().save(&checkpoint(20)).unwrap();
    let copy = dir.join(foreign.file_name().unwrap());
    fs::copy(foreign, &copy).unwrap();
    let Err(NoCheckpoint::Foreign(path)) = checkpoints.load::<Stage>() else { panic!("the copy is accepted") };
    assert_eq!(path, copy);
    fs::remove_file(copy).unwrap();
    // The folder keeps its identifier when it is opened again.
    drop(checkpoints);
    assert_eq!(Checkpoints::open(dir).unwrap().load::<Stage>().unwrap().checkpoint.world.steps(), 10);
}

#[test]
fn a_second_run_in_the_folder_is_refused() {
    let dir = folder("locked");
    let first = Checkpoints::open(dir.clone()).unwrap();
    let second = Checkpoints::open(dir.clone());
    assert_eq!(second.err().unwrap().to_string(), "another granum is running in this folder");
    drop(first);
    assert!(Checkpoints::open(dir).is_ok());
}

#[test]
fn an_incomplete_checkpoint_of_a_killed_run_is_removed() {
    let dir = folder("half_written");
    fs::write(dir.join("step_000000000005.granum.part"), "half of it").unwrap();
    fs::write(dir.join("notes.txt"), "mine").unwrap();
    let checkpoints = Checkpoints::open(dir.clone()).unwrap();
    assert!(matches!(checkpoints.load::<Stage>(), Err(NoCheckpoint::None(_))));
    assert!(!dir.join("step_000000000005.granum.part").exists() && dir.join("notes.txt").exists());
}

/// Format number of checkpoints, and the sizes, in bytes, of a contact with its last percussion and
/// of a world with a single body in this format.
const FORM: (u32, usize, usize) = (16, 296, 401);

#[test]
fn a_change_of_the_saved_state_needs_a_new_format_number() {
    let world = falling_balls(2000);
    let (contact, losses, rolling) = world.ordered_contact_records()[0];
    let contact = Contact { a: 0, b: 1, ..contact };
    let contact = postcard::to_allocvec(&(contact, losses, rolling, StoredPercussion::default())).unwrap();
    let mut single = World::new();
    let glass = single.add_material(world.materials()[0].clone()).unwrap();
    let ball = single.add_shape(Sphere { radius: 1e-3 }).unwrap();
    single.add_body(BodySpec::at(ball, glass, DVec3::ZERO)).unwrap();
    let single = postcard::to_allocvec(&single).unwrap();
    let form = (file::FORMAT, contact.len(), single.len());
    assert_eq!(
        form, FORM,
        "the format of checkpoints has changed: raise FORMAT in checkpoint/file.rs, and adapt FORM here"
    );
}

/// Sets the length and checksum in the head to those of the contents, as if the state had been
/// damaged before it was written.
fn set_checksum(bytes: &mut [u8]) {
    let length = bytes.len() as u64 - HEAD as u64;
    bytes[16..24].copy_from_slice(&length.to_le_bytes());
    let covered = [&bytes[HEAD..], &bytes[..12], &[0; 4], &bytes[16..HEAD]].concat();
    bytes[12..16].copy_from_slice(&crc32fast::hash(&covered).to_le_bytes());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The reader returns a checkpoint or a reason for any bytes, even with a valid checksum.
    #[test]
    fn no_bytes_make_the_reader_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
        has_valid_checksum in any::<bool>(),
    ) {
        static GOOD: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
        let good = GOOD.get_or_init(|| bytes_of("mutations", &checkpoint(2000)));
        let mut bytes = good.clone();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if is_cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if has_valid_checksum && bytes.len() >= HEAD {
            set_checksum(&mut bytes);
        }
        let unchanged = &bytes == good;
        match file::parse::<Checkpoint<Stage>>(&bytes) {
            // A state that can be read is checked before it is used; the check must not panic
            // either.
            Ok((checkpoint, _)) => prop_assert!(unchanged || has_valid_checksum || checkpoint.world.check().is_ok()),
            Err(reason) => prop_assert!(!unchanged && !reason.to_string().is_empty()),
        }
    }
}
