//! `granum render`, `granum plot`, `granum completions` and `granum man`: the program on a
//! small run.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use support::{SMALL, command, folder_with, text};

fn granum(dir: &Path, arguments: &[&str]) -> Output {
    // With an empty path, ffmpeg is not found on any machine.
    command(dir, arguments).env("PATH", "").output().unwrap()
}

/// Returns a folder with a completed run in `run`.
fn run(test: &str) -> PathBuf {
    let dir = folder_with(test, "small.toml", SMALL);
    let output = granum(&dir, &["run", "small.toml", "--out", "run", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    dir
}

/// Returns the width and height of a PNG file.
fn png_size(path: &Path) -> [u32; 2] {
    let bytes = fs::read(path).unwrap();
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n", "{}", path.display());
    [16, 20].map(|at| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()))
}

#[test]
fn render_writes_pictures_of_frames() {
    let dir = run("render");
    let output = granum(&dir, &["render", "run", "--size", "160x120"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    assert_eq!(text(&output.stdout), "run/pictures/frame_000004.png  t = 0.020000 s\n");
    assert_eq!(png_size(&dir.join("run/pictures/frame_000004.png")), [160, 120]);

    let options =
        ["--frame", "all", "--out", "all", "--size", "64x48", "--colour", "force", "--cut", "-y=0.01", "--quiet"];
    let output = granum(&dir, &[&["render", "run"], &options[..]].concat());
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), ""));
    let names: Vec<PathBuf> = (0..5).map(|k| dir.join(format!("all/frame_{k:06}.png"))).collect();
    assert!(names.iter().all(|name| png_size(name) == [64, 48]));
    assert_ne!(fs::read(&names[0]).unwrap(), fs::read(&names[4]).unwrap());
}

#[test]
fn a_run_ends_with_a_picture_if_the_scene_requests_one() {
    let scene = format!("{SMALL}\n[output.picture]\ncolour = \"kind\"\nview = \"iso\"\nsize = [80, 60]\n");
    let dir = folder_with("final_picture", "small.toml", &scene);
    let output = granum(&dir, &["run", "small.toml", "--out", "run"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    assert!(printed.lines().any(|line| line == "picture    run/picture.png"), "{printed}");
    assert_eq!(png_size(&dir.join("run/picture.png")), [80, 60]);

    let scene = scene.replace("[80, 60]", "[80, 6]");
    fs::write(dir.join("small.toml"), scene).unwrap();
    let output = granum(&dir, &["run", "small.toml", "--out", "refused"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("output.picture.size[1]"), "{}", text(&output.stderr));
}

#[test]
fn render_writes_a_film_of_all_frames() {
    let dir = run("film");
    let output = granum(&dir, &["render", "run", "--animation", "fall.gif", "--size", "64x48", "--rate", "10"]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), "fall.gif  5 pictures\n"));
    let gif = fs::read(dir.join("fall.gif")).unwrap();
    assert!(gif.starts_with(b"GIF89a"));
    let control = [0x21, 0xf9, 0x04];
    assert_eq!(
        gif.windows(3).filter(|bytes| *bytes == control).count(),
        5,
        "the film has one control block per picture"
    );
    let output = granum(&dir, &["render", "run", "--animation", "fall.mp4", "--size", "64x48"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("needs the program ffmpeg"), "{}", text(&output.stderr));
}

#[test]
fn plot_writes_charts_as_pictures_and_drawings() {
    let dir = run("plot");
    let output = granum(&dir, &["plot", "run"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    for name in ["energies", "contacts", "walls", "stages"] {
        assert!(text(&output.stdout).contains(&format!("run/charts/{name}.png\nrun/charts/{name}.svg\n")));
        assert_eq!(png_size(&dir.join(format!("run/charts/{name}.png")))[0], 1920);
    }
    let svg = fs::read_to_string(dir.join("run/charts/energies.svg")).unwrap();
    for part in ["<svg", ">time, ms<", ">dissipated<", ">potential change<", "residual, ", "</svg>"] {
        assert!(svg.contains(part), "{part}");
    }
    // A run that is still running has no summary.
    fs::remove_file(dir.join("run/summary.json")).unwrap();
    let output = granum(&dir, &["plot", "run", "--out", "early"]);
    assert_eq!((output.status.code(), text(&output.stdout).lines().count()), (Some(0), 6));
}

#[test]
fn bad_input_is_refused_with_one_message() {
    let dir = run("picture_bad");
    let refused = |arguments: &[&str], message: &str| {
        let output = granum(&dir, arguments);
        let stderr = text(&output.stderr);
        assert!(stderr.contains(message), "{arguments:?}: {stderr}");
        assert_eq!(output.status.code(), Some(2), "{stderr}");
    };
    refused(&["render", "nowhere"], "nowhere cannot be read: ");
    refused(&["render", "."], ". is not the folder of a run");
    refused(&["plot", "."], ". is not the folder of a run");
    refused(&["render", "run", "--frame", "9"], "--frame 9: unknown frame; expected 0 to 4");
    refused(&["render", "run", "--frame", "first"], "must be a number, last or all");
    refused(&["render", "run", "--colour", "spede"], "choose one of speed, angular-speed");
    refused(&["render", "run", "--camera", "behind"], "must be auto, front, side, top, iso or a place");
    refused(&["render", "run", "--cut", "w=1"], "must name an axis and a place");
    refused(&["render", "run", "--range", "2:1"], "must be two numbers, the smaller first");
    refused(&["render", "run", "--size", "huge"], "must be a width and a height in pixels");
    refused(&["render", "run", "--size", "4x4"], "a picture is 16 to 16384 pixels wide and high, not 4x4");
    refused(&["render", "run", "--zoom", "0"], "--zoom must be a positive number, not 0");
    refused(&["render", "run", "--animation", "film.avi"], "must end with .gif or .mp4");
    fs::remove_dir_all(dir.join("run/frames")).unwrap();
    refused(&["render", "run"], "run has no frames: set `frames` in [output]");
}

#[test]
fn completions_and_manual_pages_contain_every_command() {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let output = granum(&dir, &["completions", shell]);
        assert_eq!(output.status.code(), Some(0));
        assert!(["render", "plot", "validate", "orthographic"].iter().all(|word| text(&output.stdout).contains(word)));
    }
    assert!(text(&granum(&dir, &["man"]).stdout).contains(".TH granum 1"));
    let output = granum(&dir, &["man", "--out", "man1"]);
    assert_eq!(output.status.code(), Some(0));
    for page in ["granum.1", "granum-run.1", "granum-render.1", "granum-bench-steps.1"] {
        assert!(fs::read_to_string(dir.join("man1").join(page)).unwrap().contains(".SH SYNOPSIS"), "{page}");
    }
}
