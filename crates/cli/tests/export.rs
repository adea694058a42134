//! `granum export` and `granum info` on the folder of a small run.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use granum_output::RunFolder;

use support::{SMALL, folder_with, granum, text};

/// Runs the small scene in the subfolder `r` of a new folder, with a row of energies every 10 ms
/// and frames at the interval `frames`. Returns the new folder.
fn ran(test: &str, frames: &str) -> PathBuf {
    let intervals = format!("output = \"10 ms\"\n[output]\nframes = \"{frames}\"");
    let dir = folder_with(test, "small.toml", &SMALL.replace("output = \"5 ms\"", &intervals));
    let output = granum(&dir, &["run", "small.toml", "--out", "r", "--quiet"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    dir
}

/// Returns a column of a table as numbers.
fn column<'a>(rows: &'a [BTreeMap<String, String>], name: &'a str) -> impl Iterator<Item = f64> + 'a {
    rows.iter().map(move |row| row[name].parse().unwrap())
}

fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_path(path).unwrap().deserialize().map(|row| row.unwrap()).collect()
}

#[test]
fn frames_come_at_their_own_interval() {
    let dir = ran("export_frames", "5 ms");
    let run = RunFolder::open(&dir.join("r")).unwrap();
    let times: Vec<f64> = run.frames().iter().map(|frame| frame.time).collect();
    assert_eq!(times.len(), 5);
    // A frame belongs to the step nearest to its time.
    let half_step = 0.5 * run.summary().unwrap().dt * (1.0 + 1e-9);
    assert!(
        times.iter().zip([0.0, 5e-3, 10e-3, 15e-3, 20e-3]).all(|(time, wanted)| (time - wanted).abs() <= half_step)
    );
    let rows = run.energy().unwrap();
    assert_eq!(rows.iter().map(|row| row.time).collect::<Vec<_>>(), [times[0], times[2], times[4]]);
    let contacts = run.frame(4).unwrap().contacts.len();
    assert_eq!((contacts, run.summary().unwrap().contacts), (rows[2].contacts, contacts));
}

#[test]
fn a_scene_without_frames_writes_none_and_export_reports_it() {
    let dir = ran("export_never", "never");
    assert!(!dir.join("r/frames").exists());
    let output = granum(&dir, &["export", "r", "--to", "csv"]);
    assert_eq!((output.status.code(), text(&output.stderr).lines().count()), (Some(2), 1));
    assert!(text(&output.stderr).starts_with("r has no frames; "));
}

#[test]
fn tables_contain_every_digit_of_the_frame() {
    let dir = ran("export_csv", "5 ms");
    let output = granum(&dir, &["export", "r", "--to", "csv", "--frame", "all", "--out", "tables"]);
    assert_eq!((output.status.code(), text(&output.stdout).lines().count()), (Some(0), 10));
    for entry in RunFolder::open(&dir.join("r")).unwrap().frames() {
        let frame = RunFolder::open(&dir.join("r")).unwrap().frame(entry.number).unwrap();
        let bodies = rows(&dir.join(format!("tables/bodies_{:06}.csv", entry.number)));
        assert!(column(&bodies, "x").eq(frame.bodies.iter().map(|body| body.position.x)));
        assert!(column(&bodies, "qw").eq(frame.bodies.iter().map(|body| body.orientation.w)));
        assert!(column(&bodies, "wz").eq(frame.bodies.iter().map(|body| body.spin.z)));
        assert!(column(&bodies, "mass").eq(frame.bodies.iter().map(|body| body.mass)));
        let counts = |name: &str, value: &str| bodies.iter().filter(|row| row[name] == value).count();
        assert_eq!((counts("material", "glass"), counts("material", "steel")), (30, 5));
        assert_eq!((counts("kind", "sphere"), counts("kind", "half_space")), (30, 5));
        let contacts = rows(&dir.join(format!("tables/contacts_{:06}.csv", entry.number)));
        assert!(column(&contacts, "gap").eq(frame.contacts.iter().map(|contact| contact.gap)));
        assert!(column(&contacts, "fz").eq(frame.contacts.iter().map(|contact| contact.force.z)));
        for row in &contacts {
            let value = |name: &str| row[name].parse::<f64>().unwrap();
            let force = ["fx", "fy", "fz"].iter().map(|name| value(name).powi(2)).sum::<f64>().sqrt();
            let parts = value("normal_force").hypot(value("tangential_force"));
            assert!((force - parts).abs() <= 1e-12 * force);
        }
    }
    let head = fs::read_to_string(dir.join("tables/contacts_000000.csv")).unwrap();
    assert!(head.starts_with("a,b,x,y,z,nx,"), "the table has its head even if no bodies touch: {head}");
}

#[test]
fn exported_frames_are_those_of_the_run() {
    let dir = ran("export_vtp", "5 ms");
    let output = granum(&dir, &["export", "r", "--to", "vtp", "--frame", "3", "--surfaces", "--detail", "1"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    for name in ["frame_000003.vtp", "contacts_000003.vtp"] {
        assert!(
            fs::read(dir.join("r/frames").join(name)).unwrap() == fs::read(dir.join("r/export").join(name)).unwrap()
        );
    }
    let surfaces = fs::read(dir.join("r/export/surfaces_000003.vtp")).unwrap();
    let head = String::from_utf8_lossy(&surfaces[..1000]).into_owned();
    let count = |name: &str| -> usize {
        let rest = head.split_once(&format!("{name}=\"")).unwrap().1;
        rest.split_once('"').unwrap().0.parse().unwrap()
    };
    // 30 grains of 80 triangles, and 5 walls clipped to the container: a rectangle from two
    // triangles each.
    assert!(count("NumberOfPolys") >= 30 * 80 + 5 * 2, "{head}");
    for list in ["frames.pvd", "contacts.pvd", "surfaces.pvd"] {
        let text = fs::read_to_string(dir.join("r/export").join(list)).unwrap();
        assert_eq!(text.matches("<DataSet").count(), 1);
    }
}

#[test]
fn export_and_render_overwrite_only_files_of_granum() {
    let dir = ran("export_foreign", "10 ms");
    fs::create_dir(dir.join("mine")).unwrap();
    for (name, arguments) in [
        ("mine/bodies_000002.csv", &["export", "r", "--to", "csv", "--out", "mine"][..]),
        ("mine/shapes.json", &["export", "r", "--to", "csv", "--out", "mine"]),
        ("mine/contacts.pvd", &["export", "r", "--to", "vtp", "--out", "mine"]),
        ("mine/frame_000002.vtp", &["export", "r", "--to", "vtp", "--out", "mine"]),
        ("mine/surfaces_000002.stl", &["export", "r", "--to", "stl", "--out", "mine"]),
        ("mine/frame.png", &["render", "r", "--out", "mine/frame.png", "--size", "32x32"]),
        ("mine/film.gif", &["render", "r", "--animation", "mine/film.gif", "--size", "32x32"]),
    ] {
        let path = dir.join(name);
        for contents in ["my results, made with granum", "\u{89}PNG", "GIF89a", "id,x,y\n1,2,3"] {
            fs::write(&path, contents).unwrap();
            let output = granum(&dir, arguments);
            let wanted = format!(
                "{name} exists and was not written by granum; choose another --out, or overwrite it with --force\n"
            );
            assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), wanted.as_str()));
            assert_eq!(fs::read_to_string(&path).unwrap(), contents);
        }
        // With --force the file is replaced, and after that it is one of granum.
        let forced = [arguments, &["--force"]].concat();
        for arguments in [&forced[..], arguments] {
            let output = granum(&dir, arguments);
            assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""), "{name}");
        }
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn a_file_where_a_folder_is_needed_is_called_that() {
    let dir = ran("export_into_file", "5 ms");
    fs::write(dir.join("mine.csv"), "a,b").unwrap();
    for command in [&["export", "r", "--to", "csv"][..], &["measure", "r"], &["plot", "r"]] {
        let output = granum(&dir, &[command, &["--out", "mine.csv"]].concat());
        let wanted = "mine.csv is a file; give the name of a folder\n";
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), wanted), "{command:?}");
    }
    assert_eq!(fs::read_to_string(dir.join("mine.csv")).unwrap(), "a,b");
}

#[test]
fn stl_encloses_the_volume_of_the_grains() {
    let dir = ran("export_stl", "5 ms");
    assert_eq!(granum(&dir, &["export", "r", "--to", "stl", "--detail", "4"]).status.code(), Some(0));
    let bytes = fs::read(dir.join("r/export/surfaces_000004.stl")).unwrap();
    let count = u32::from_le_bytes(bytes[80..84].try_into().unwrap()) as usize;
    assert_eq!((count, bytes.len()), (30 * 5120, 84 + 50 * count));
    let numbers = |triangle: &[u8]| -> Vec<f64> {
        triangle[..48].chunks(4).map(|number| f64::from(f32::from_le_bytes(number.try_into().unwrap()))).collect()
    };
    let volume: f64 = bytes[84..]
        .chunks(50)
        .map(numbers)
        .map(|n| {
            let (a, b, c) = ([n[3], n[4], n[5]], [n[6], n[7], n[8]], [n[9], n[10], n[11]]);
            let cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
            (a[0] * cross[0] + a[1] * cross[1] + a[2] * cross[2]) / 6.0
        })
        .sum();
    let frame = RunFolder::open(&dir.join("r")).unwrap().frame(4).unwrap();
    let mass: f64 = frame.bodies.iter().map(|body| body.mass).filter(|mass| mass.is_finite()).sum();
    assert!((volume / (mass / 2500.0) - 1.0).abs() < 3e-3, "{volume} m3 for {mass} kg");
}

#[test]
fn info_summarises_the_run() {
    let dir = ran("info", "5 ms");
    let output = granum(&dir, &["info", "r"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    let printed = text(&output.stdout);
    for part in [
        "run        r: a few balls",
        "status     completed",
        "grains     30: 30 sphere of glass",
        "walls      5: 5 half_space of steel",
        "of 0.02 s",
        "body-steps/s",
        "contacts   ",
        "ledger     residual",
        "dissipated",
        "frames     5, 0 s to 0.02 s, ",
        "disk       ",
    ] {
        assert!(printed.contains(part), "{part} in {printed}");
    }
    // A run that was killed has no summary, and its last frame may be damaged.
    fs::remove_file(dir.join("r/summary.json")).unwrap();
    fs::write(dir.join("r/frames/frame_000004.vtp"), "torn").unwrap();
    let output = granum(&dir, &["info", "r"]);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0));
    assert!(printed.contains("still running, or killed") && printed.contains("frames     4, "), "{printed}");
    assert!(
        printed.contains("damaged    r/frames/frame_000004.vtp is not a frame that granum has written"),
        "{printed}"
    );
}

#[test]
fn bad_requests_are_refused_with_one_line() {
    let dir = ran("export_bad", "5 ms");
    for (arguments, message) in [
        (&["export", "nothing", "--to", "csv"][..], "nothing cannot be read: "),
        (&["info", "small.toml"], "small.toml cannot be read: "),
        (&["info", "."], ". is not the folder of a run: "),
        (&["export", "r", "--to", "csv", "--frame", "9"], "--frame 9: unknown frame; the last is 4"),
        (&["export", "r", "--to", "csv", "--surfaces"], "--surfaces has no effect with --to csv"),
        (&["export", "r", "--to", "vtp", "--out", "r/frames"], "--out r/frames: the files of the run"),
    ] {
        let output = granum(&dir, arguments);
        let printed = text(&output.stderr);
        assert!(printed.starts_with(message), "{printed}");
        assert_eq!((output.status.code(), printed.lines().count()), (Some(2), 1), "{printed}");
    }
    assert_eq!(granum(&dir, &["export", "r", "--to", "csv", "--frame", "first"]).status.code(), Some(2));
}
