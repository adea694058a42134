//! Frames written and read back, whole and damaged.

use std::fs;
use std::path::{Path, PathBuf};

use glam::{DQuat, DVec3};
use granum_engine::{
    BodySpec, ContactLaw, Damping, EndRule, Material, Normal, Rolling, Simulation, Snapshot, Stiffness, Tangential,
    World,
};
use granum_geometry::shape::{HalfSpace, Sphere};
use granum_geometry::{Pose, Shape};
use granum_output::{Frame, FrameOptions, FrameWriter, Recorder, RunFolder};
use proptest::prelude::*;

const ALL: FrameOptions = FrameOptions { contacts: true, surfaces: true };

/// Returns the path of a folder for one test, which does not exist yet.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    path
}

/// Returns a simulation of spinning balls of three sizes that fall onto each other and onto a
/// floor.
fn falling_balls() -> Simulation {
    let mut world = World::new();
    world.set_gravity(DVec3::new(0.0, 0.0, -9.81)).unwrap();
    world.set_time_step(1e-5).unwrap();
    let end = EndRule::NoTension;
    let mut add =
        |name: &str, density| world.add_material(Material::new(name, density).with_elasticity(1e7, 0.2)).unwrap();
    let (glass, steel) = (add("glass", 2500.0), add("steel", 7800.0));
    let law = ContactLaw {
        normal: Normal::linear(Stiffness::Constant(1000.0), Damping::Restitution(0.8), end).unwrap(),
        tangential: Tangential::None,
        rolling: Rolling::None,
        end,
    };
    for (a, b) in [(glass, glass), (glass, steel), (steel, steel)] {
        world.set_law(a, b, law).unwrap();
    }
    let floor = world.add_shape(HalfSpace::new(DVec3::new(0.1, 0.2, 3.0))).unwrap();
    world.add_body(BodySpec::fixed(floor, steel, DVec3::ZERO)).unwrap();
    for k in 0..9 {
        let radius = 1e-3 * (1.0 + 0.1 * f64::from(k % 3));
        let shape = world.add_shape(Sphere { radius }).unwrap();
        let position = DVec3::new(0.0, 1e-5 * f64::from(k), 1.4e-3 + 2.45e-3 * f64::from(k));
        let pose = Pose { position, orientation: DQuat::from_xyzw(0.1, 0.2, 0.3 * f64::from(k), 1.0).normalize() };
        let velocity = DVec3::new(0.0, 0.0, -0.5 - 0.01 * f64::from(k));
        let spin = DVec3::new(1.0, -2.0, f64::from(k));
        world.add_body(BodySpec { pose, velocity, spin, ..BodySpec::at(shape, glass, position) }).unwrap();
    }
    Simulation::new(world, 1).unwrap()
}

fn writer(dir: &Path) -> FrameWriter {
    FrameWriter::new(dir, vec!["glass".into(), "steel".into()], ALL).unwrap()
}

/// Writes `count` frames of a run; returns the recorded snapshots and the shapes.
fn run(dir: &Path, count: usize) -> (Vec<Snapshot>, Vec<Shape>) {
    let (mut simulation, mut writer) = (falling_balls(), writer(dir));
    let snapshots = (0..count).map(|_| {
        let snapshot = simulation.snapshot();
        writer.record(&snapshot, simulation.world().shapes()).unwrap();
        simulation.run(77);
        snapshot
    });
    let snapshots = snapshots.collect();
    (snapshots, simulation.world().shapes().to_vec())
}

fn assert_same(frame: &Frame, snapshot: &Snapshot, shapes: &[Shape]) {
    assert_eq!((frame.step, frame.time.to_bits()), (snapshot.step, snapshot.time.to_bits()));
    // The printed digits are compared, because the operator `==` does not distinguish 0 from -0.
    assert_eq!(format!("{:?}", frame.bodies), format!("{:?}", snapshot.bodies));
    assert_eq!(format!("{:?}", frame.contacts), format!("{:?}", snapshot.contacts));
    assert_eq!(frame.shapes, shapes);
    assert_eq!(frame.materials, ["glass", "steel"]);
}

#[test]
fn frames_are_read_back_to_the_last_bit() {
    let dir = folder("frames_read_back");
    let (snapshots, shapes) = run(&dir, 12);
    assert!(snapshots.iter().any(|snapshot| snapshot.contacts.len() > 1));
    let run = RunFolder::open(&dir).unwrap();
    assert_eq!(run.frames().len(), 12);
    assert!(run.damaged().is_empty());
    for (entry, snapshot) in run.frames().iter().zip(&snapshots) {
        assert_eq!((entry.step, entry.time), (snapshot.step, snapshot.time));
        assert_same(&run.frame(entry.number).unwrap(), snapshot, &shapes);
    }
    assert_eq!(run.frame(12).unwrap_err().path, dir.join("frames/frame_000012.vtp"));
}

#[test]
fn numbers_that_are_not_finite_are_read_back_too() {
    let dir = folder("frames_not_finite");
    let simulation = falling_balls();
    let mut snapshot = simulation.snapshot();
    snapshot.bodies[2].velocity = DVec3::new(f64::NAN, f64::INFINITY, -0.0);
    snapshot.bodies[3].position = DVec3::NAN;
    writer(&dir).record(&snapshot, simulation.world().shapes()).unwrap();
    assert_same(&RunFolder::open(&dir).unwrap().frame(0).unwrap(), &snapshot, simulation.world().shapes());
}

#[test]
fn a_run_that_is_cut_back_and_continued_leaves_the_same_files() {
    let (whole, cut) = (folder("frames_whole"), folder("frames_cut"));
    run(&whole, 8);
    let (snapshots, shapes) = run(&cut, 6);
    fs::write(cut.join("frames/frame_000006.vtp.part"), "half a fra").unwrap();
    let mut again = writer(&cut);
    again.cut_back(4).unwrap();
    assert_eq!((again.count(), RunFolder::open(&cut).unwrap().frames().len()), (4, 4));
    for snapshot in &snapshots[4..] {
        again.record(snapshot, &shapes).unwrap();
    }
    let mut simulation = falling_balls();
    simulation.run(6 * 77);
    for _ in 6..8 {
        again.record(&simulation.snapshot(), &shapes).unwrap();
        simulation.run(77);
    }
    let contents = |dir: &Path| {
        let mut files: Vec<_> = fs::read_dir(dir.join("frames"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| (path.file_name().unwrap().to_owned(), fs::read(path).unwrap()))
            .collect();
        files.sort();
        files
    };
    assert_eq!(again.settle().unwrap(), 8);
    assert_eq!(contents(&whole).len(), 3 * (8 + 1));
    assert!(contents(&whole) == contents(&cut));
    assert!(writer(&cut).cut_back(9).unwrap_err().to_string().contains("frame_000008.vtp"));
}

#[test]
fn lists_name_every_frame_with_its_time() {
    let dir = folder("frames_lists");
    let (snapshots, _) = run(&dir, 3);
    for (list, file) in [("frames", "frame"), ("contacts", "contacts"), ("surfaces", "surfaces")] {
        let text = fs::read_to_string(dir.join(format!("frames/{list}.pvd"))).unwrap();
        let sets: Vec<&str> = text.lines().filter(|line| line.contains("<DataSet")).map(str::trim).collect();
        assert_eq!(sets.len(), 3);
        for (number, (set, snapshot)) in sets.iter().zip(&snapshots).enumerate() {
            let wanted = format!(r#"timestep="{:?}" part="0" file="{file}_{number:06}.vtp""#, snapshot.time);
            assert!(set.contains(&wanted), "{set}");
        }
    }
}

#[test]
fn folders_without_a_run_and_damaged_files_are_refused_with_a_reason() {
    let dir = folder("frames_refused");
    assert!(RunFolder::open(&dir).unwrap_err().reason.starts_with("cannot be read: "));
    fs::create_dir_all(&dir).unwrap();
    assert!(RunFolder::open(&dir).unwrap_err().reason.starts_with("is not the folder of a run"));
    run(&dir, 3);
    fs::write(dir.join("frames/frame_000001.vtp"), "<VTKFile>").unwrap();
    let folder = RunFolder::open(&dir).unwrap();
    assert_eq!(folder.frames().iter().map(|frame| frame.number).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(folder.damaged()[0].path, dir.join("frames/frame_000001.vtp"));
    let bytes = fs::read(dir.join("frames/frame_000002.vtp")).unwrap();
    fs::write(dir.join("frames/frame_000002.vtp"), &bytes[..bytes.len() - 200]).unwrap();
    fs::write(dir.join("shapes.json"), r#"{"materials": ["glass", "steel"], "shapes": []}"#).unwrap();
    assert!(folder.frame(0).unwrap_err().reason.starts_with("names shape 0, and shapes.json has 0"));
    fs::write(dir.join("shapes.json"), r#"{"materials": [], "shapes": [{"sphere": {"radius": -1}}]}"#).unwrap();
    assert!(folder.frame(0).unwrap_err().reason.contains("shape 0: `radius` must be a positive length"));
}

#[test]
fn a_truncated_frame_is_never_read_as_a_complete_one() {
    let dir = folder("frames_cut_off");
    run(&dir, 1);
    let folder = RunFolder::open(&dir).unwrap();
    let path = dir.join("frames/frame_000000.vtp");
    let bytes = fs::read(&path).unwrap();
    // The last 1000 bytes are not needed: end tags without data, and arrays for other programs.
    let needed = bytes.len() - 1000;
    for length in (0..needed).step_by(97) {
        fs::write(&path, &bytes[..length]).unwrap();
        assert!(folder.frame(0).is_err(), "truncated to {length} of {} bytes", bytes.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any change gives a frame or a reason. The reader neither panics nor allocates more memory
    /// than the length of the file.
    #[test]
    fn a_damaged_frame_never_panics(
        contacts in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        head in any::<bool>(),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        static BYTES: std::sync::OnceLock<(PathBuf, [String; 2], [Vec<u8>; 2])> = std::sync::OnceLock::new();
        let (dir, names, files) = BYTES.get_or_init(|| {
            let dir = folder("frames_mutated");
            let (snapshots, _) = run(&dir, 12);
            let number = (0..12).max_by_key(|&number| snapshots[number].contacts.len()).unwrap();
            let names = [format!("frame_{number:06}.vtp"), format!("contacts_{number:06}.vtp")];
            let files = names.each_ref().map(|name| fs::read(dir.join("frames").join(name)).unwrap());
            (dir, names, files)
        });
        let which = usize::from(contacts);
        let mut bytes = files[which].clone();
        // Half of the cases change only the head, because it contains the lengths of the arrays.
        let end = if head { 2000 } else { bytes.len() };
        for (at, byte) in changes {
            let at = at.index(end);
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        fs::write(dir.join("frames").join(&names[which]), &bytes).unwrap();
        if let Ok(folder) = RunFolder::open(dir) {
            for entry in folder.frames() {
                let _ = folder.frame(entry.number);
            }
        }
    }
}
