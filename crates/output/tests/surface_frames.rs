//! Triangulated surfaces in frames and exports: their geometry is written once, and load and wear
//! are read back.

use std::fs;
use std::path::{Path, PathBuf};

use glam::DVec3;
use granum_engine::{BodySpec, ContactLaw, Drive, Material, Motion, Simulation, Snapshot, SurfaceWear, World};
use granum_geometry::shape::{Sphere, Surface};
use granum_geometry::surface::generate::{Plate, Terrain};
use granum_geometry::{Shape, TriangleMesh};
use granum_output::{Catalogue, ExportFormat, Exporter, FrameOptions, FrameWriter, Recorder, RunFolder, overwrite};

const OPTIONS: FrameOptions = FrameOptions { contacts: true, surfaces: false };

/// Steps between two frames.
const STEPS: u64 = 1000;

fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    path
}

fn hills() -> TriangleMesh {
    Terrain { size: [0.2; 2], cells: [40; 2], hills: 300, height: 0.002, radius: 0.005, seed: 3 }.mesh().unwrap()
}

/// Returns balls that roll on hills below a plate that turns from the first frame on.
fn rolling_balls() -> Simulation {
    let mut world = World::new();
    world.set_gravity(DVec3::new(1.0, 0.0, -9.81)).unwrap();
    world.set_time_step(1e-5).unwrap();
    let glass = world.add_material(Material::new("glass", 2500.0)).unwrap();
    world.set_law(glass, glass, ContactLaw::linear(2000.0, 0.5, 0.4).unwrap()).unwrap();
    let ground = world.add_shape(Surface::new(hills(), false).unwrap()).unwrap();
    let ground = world.add_body(BodySpec::fixed(ground, glass, DVec3::ZERO)).unwrap();
    world.record_wear(ground).unwrap();
    let plate = Plate { size: [0.1, 0.1], cells: [1, 1] }.mesh().unwrap();
    let plate = world.add_shape(Surface::new(plate, true).unwrap()).unwrap();
    let turning = Motion::Driven(Drive::rotation(DVec3::ZERO, 3.0 * DVec3::Z).into());
    let at = DVec3::new(0.0, 0.0, 0.08);
    let plate = world.add_body(BodySpec { motion: turning, ..BodySpec::fixed(plate, glass, at) }).unwrap();
    world.record_wear(plate).unwrap();
    let ball = world.add_shape(Sphere { radius: 0.004 }).unwrap();
    for k in 0..5 {
        let mut body = BodySpec::at(ball, glass, DVec3::new(-0.04, 0.02 * f64::from(k) - 0.04, 0.008));
        body.velocity = DVec3::new(0.2, 0.0, -0.2);
        world.add_body(body).unwrap();
    }
    Simulation::new(world, 1).unwrap()
}

fn writer(dir: &Path) -> FrameWriter {
    FrameWriter::new(dir, vec!["glass".into()], OPTIONS).unwrap()
}

/// Writes frames until there are `count`; returns their snapshots.
fn record(simulation: &mut Simulation, writer: &mut FrameWriter, count: u64) -> Vec<Snapshot> {
    let mut snapshots = Vec::new();
    while writer.count() < count {
        let snapshot = simulation.snapshot();
        writer.record(&snapshot, simulation.world().shapes()).unwrap();
        snapshots.push(snapshot);
        simulation.restart_pressure();
        simulation.run(STEPS);
    }
    snapshots
}

/// Asserts that load and wear are those of a snapshot, in single precision.
fn assert_same_wear(read: &[SurfaceWear], wanted: &[SurfaceWear]) {
    let wanted: Vec<&SurfaceWear> = wanted.iter().filter(|wear| !wear.triangles.is_empty()).collect();
    let read: Vec<&SurfaceWear> = read.iter().filter(|wear| !wear.triangles.is_empty()).collect();
    assert_eq!(read.len(), wanted.len());
    for (read, wanted) in read.iter().zip(wanted) {
        assert_eq!(read.body, wanted.body);
        assert_eq!(read.triangles.len(), wanted.triangles.len());
        for (read, wanted) in read.triangles.iter().zip(&wanted.triangles) {
            assert_eq!(read.triangle, wanted.triangle);
            for (read, wanted) in [
                (read.pressure, wanted.pressure),
                (read.peak_pressure, wanted.peak_pressure),
                (read.friction_work, wanted.friction_work),
                (read.impact_work, wanted.impact_work),
            ] {
                assert_eq!(read as f32, wanted as f32);
            }
        }
    }
}

/// Returns an attribute of the header of a file, such as the number of polygons.
fn attribute(path: &Path, name: &str) -> usize {
    let bytes = fs::read(path).unwrap();
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(4000)]).into_owned();
    let rest = head.split_once(&format!("{name}=\"")).unwrap().1;
    rest.split_once('"').unwrap().0.parse().unwrap()
}

#[test]
fn geometry_is_written_once_and_wear_is_read_back() {
    let dir = folder("surfaces_read_back");
    let mut simulation = rolling_balls();
    let snapshots = record(&mut simulation, &mut writer(&dir), 6);
    let run = RunFolder::open(&dir).unwrap();
    for (number, snapshot) in (0..).zip(&snapshots) {
        let frame = run.frame(number).unwrap();
        assert_eq!(frame.shapes, simulation.world().shapes());
        assert_same_wear(&frame.wear, &snapshot.wear);
    }
    assert!(snapshots[5].wear[0].triangles.len() > 5);

    // The text names the files of both surfaces and contains none of their triangles.
    let text = fs::read_to_string(dir.join("shapes.json")).unwrap();
    assert!(text.len() < 1000 && text.contains("shape_0.vtp") && text.contains("shape_1.vtp"), "{text}");
    assert_eq!(attribute(&dir.join("shape_0.vtp"), "NumberOfPolys"), hills().triangles().len());
    for (number, snapshot) in (0..).zip(&snapshots) {
        // The touched triangles of the ground, and the whole plate, which is not where its file is.
        let worn = snapshot.wear[0].triangles.len();
        let path = dir.join(format!("frames/walls_{number:06}.vtp"));
        assert_eq!(attribute(&path, "NumberOfPolys"), worn + 2);
    }
    let list = fs::read_to_string(dir.join("frames/walls.pvd")).unwrap();
    assert_eq!(list.matches("part=\"0\" file=\"../shape_0.vtp\"").count(), 6);
    assert_eq!(list.matches("part=\"1\" file=\"walls_").count(), 6);
    assert_eq!(list.matches("shape_1").count(), 0);
}

#[test]
fn a_run_that_is_cut_back_leaves_the_same_files() {
    let (whole, cut) = (folder("surfaces_whole"), folder("surfaces_cut"));
    record(&mut rolling_balls(), &mut writer(&whole), 5);
    let mut simulation = rolling_balls();
    record(&mut simulation, &mut writer(&cut), 4);
    let mut again = writer(&cut);
    again.cut_back(2).unwrap();
    let mut simulation = rolling_balls();
    for _ in 0..2 {
        simulation.restart_pressure();
        simulation.run(STEPS);
    }
    record(&mut simulation, &mut again, 5);
    again.settle().unwrap();
    let contents = |dir: &Path| {
        let mut files: Vec<_> = [dir.to_owned(), dir.join("frames")]
            .iter()
            .flat_map(|dir| fs::read_dir(dir).unwrap())
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_file())
            .map(|path| (path.file_name().unwrap().to_owned(), fs::read(path).unwrap()))
            .collect();
        files.sort();
        files
    };
    assert_eq!(contents(&whole).len(), 3 * (5 + 1) + 3);
    assert!(contents(&whole) == contents(&cut));
}

#[test]
fn damaged_surfaces_are_refused_with_a_reason() {
    let dir = folder("surfaces_damaged");
    record(&mut rolling_balls(), &mut writer(&dir), 1);
    let shapes = dir.join("shapes.json");
    let text = fs::read_to_string(&shapes).unwrap();
    let refused = |reason: &str| {
        let error = Catalogue::read(&shapes).unwrap_err().reason;
        assert!(error.contains(reason), "{error}");
    };
    fs::write(&shapes, text.replace("\"shape_0.vtp\"", "\"../shape_0.vtp\"")).unwrap();
    refused("shape 0: `../shape_0.vtp` is not the name of a file");
    fs::write(&shapes, text.replace("\"shape_0.vtp\"", "\"shape_7.vtp\"")).unwrap();
    refused("shape 0: shape_7.vtp cannot be read");
    fs::write(&shapes, &text).unwrap();
    let bytes = fs::read(dir.join("shape_0.vtp")).unwrap();
    fs::write(dir.join("shape_0.vtp"), &bytes[..bytes.len() / 2]).unwrap();
    refused("shape 0: shape_0.vtp is cut off in its array");
    // Every corner becomes a vertex that does not exist.
    let mut wrong = bytes.clone();
    let end = wrong.len() - 60;
    let start = end - 4 * hills().triangles().len() - 8;
    wrong[start - 400..start].fill(0x7f);
    fs::write(dir.join("shape_0.vtp"), wrong).unwrap();
    refused("shape 0: shape_0.vtp is damaged: triangle");
}

#[test]
fn exports_contain_surfaces_and_their_wear() {
    let dir = folder("surfaces_export");
    let mut simulation = rolling_balls();
    record(&mut simulation, &mut writer(&dir), 4);
    let frame = RunFolder::open(&dir).unwrap().frame(3).unwrap();
    for (name, format) in
        [("csv", ExportFormat::Csv), ("vtp", ExportFormat::Vtp { surfaces: false }), ("stl", ExportFormat::Stl)]
    {
        let out = dir.join(name);
        let mut exporter = Exporter::new(&out, format, 1).unwrap();
        let expected = exporter.paths(3, &frame.shapes);
        exporter.record(3, &frame).unwrap();
        for entry in fs::read_dir(&out).unwrap() {
            let path = entry.unwrap().path();
            assert!(expected.contains(&path), "{} is announced", path.display());
            assert!(overwrite::may_be_overwritten(&path).unwrap(), "{} is known", path.display());
        }
    }
    let mut table = csv::Reader::from_path(dir.join("csv/walls_000003.csv")).unwrap();
    let rows: Vec<Vec<f64>> =
        table.records().map(|row| row.unwrap().iter().map(|number| number.parse().unwrap()).collect()).collect();
    let worn: usize = frame.wear.iter().map(|wear| wear.triangles.len()).sum();
    assert_eq!(rows.len(), worn);
    let mesh = hills();
    for row in &rows {
        let middle = mesh.corners(row[1] as usize).iter().sum::<DVec3>() / 3.0;
        assert!((middle - DVec3::new(row[2], row[3], row[4])).length() < 1e-12);
        assert!((mesh.vector_area(row[1] as usize).length() - row[8]).abs() < 1e-12);
    }
    assert_eq!(fs::read(dir.join("vtp/shape_0.vtp")).unwrap(), fs::read(dir.join("shape_0.vtp")).unwrap());
    assert_eq!(
        fs::read(dir.join("vtp/walls_000003.vtp")).unwrap(),
        fs::read(dir.join("frames/walls_000003.vtp")).unwrap()
    );
    assert!(fs::read_to_string(dir.join("vtp/walls.pvd")).unwrap().contains("file=\"shape_0.vtp\""));
    let stl = fs::read(dir.join("stl/walls_000003.stl")).unwrap();
    assert_eq!(stl.len(), 84 + 50 * (mesh.triangles().len() + 2));
    // Exported shapes are read back with all bits.
    let shapes: Vec<Shape> = Catalogue::read(&dir.join("csv/shapes.json")).unwrap().shapes;
    assert_eq!(shapes, frame.shapes);
}
