//! `granum view`, its server without a browser, and the exports of the viewer. The page itself is
//! tested by `cargo xtask viewer`.

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use serde_json::Value;
use support::{SMALL, command, folder_with, granum};

/// Number of questions after which a test fails, a second each at most.
const PATIENCE: usize = 120;

/// A viewer of a run, which ends with the test.
struct Viewer {
    process: Child,
    address: String,
}

impl Viewer {
    fn start(dir: &Path, arguments: &[&str]) -> Self {
        let mut process = command(dir, arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
        let line = lines.find(|line| line.contains("http://")).expect("an address");
        let address = line.split("http://").nth(1).unwrap().trim_end_matches('/').to_owned();
        // The rest is read, so that the program never waits for its output.
        std::thread::spawn(move || lines.count());
        Self { process, address }
    }

    /// Returns status and contents of the answer to a request.
    fn ask(&self, head: &str) -> (u16, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|window| window == b"\r\n\r\n").expect("a head");
        let status = String::from_utf8_lossy(&answer[9..12]).parse().unwrap();
        (status, answer[end + 4..].to_vec())
    }

    fn get(&self, path: &str) -> (u16, Vec<u8>) {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address))
    }

    /// Returns the head of a binary message.
    fn head(&self, path: &str) -> Value {
        let (status, bytes) = self.get(path);
        assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&bytes));
        let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        serde_json::from_slice(&bytes[4..4 + length]).unwrap()
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns the folder of a test with a run of a few balls in it.
fn with_run(test: &str) -> PathBuf {
    let dir = folder_with(test, "balls.toml", SMALL);
    let run = granum(&dir, &["run", "balls.toml", "--out", "run", "--quiet"]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    dir
}

#[test]
fn the_viewer_serves_frames_with_what_is_asked_for() {
    let dir = with_run("view_frames");
    let viewer = Viewer::start(&dir, &["view", "run", "--no-open"]);
    let (status, page) = viewer.get("/");
    assert!(status == 200 && page.starts_with(b"<!doctype html>"));
    let run: Value = serde_json::from_slice(&viewer.get("/api/run").1).unwrap();
    assert_eq!(run["frames"].as_array().unwrap().len(), 5);
    assert_eq!(viewer.get("/api/run?known=0").0, 204);
    let frame = viewer.head("/api/frame/2");
    let names = |frame: &Value| frame["arrays"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&frame), ["orientation", "position", "shape"]);
    assert_eq!(frame["arrays"]["position"]["length"], 3 * frame["count"].as_u64().unwrap());
    let more = viewer.head("/api/frame/4?quantity=speed,mass&contacts=1");
    assert!(
        ["quantity speed", "quantity mass", "contact_force"].iter().all(|name| names(&more).contains(&(*name).into()))
    );
    let grain: Value = serde_json::from_slice(&viewer.get("/api/grain/4/10").1).unwrap();
    assert_eq!(grain["id"], 10);
    assert_eq!(viewer.head("/api/track/10?frames=0,1,2,3,4")["arrays"]["number"]["length"], 5);
    assert_eq!(viewer.head("/api/shapes/4")["arrays"]["form"]["length"], frame["shapes"]);
}

#[test]
fn the_viewer_refuses_what_is_not_its_own() {
    let dir = with_run("view_refuses");
    let viewer = Viewer::start(&dir, &["view", "run", "--no-open"]);
    for host in ["example.com", "127.0.0.1.example.com", "", "192.168.0.1"] {
        assert_eq!(viewer.ask(&format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n")).0, 421, "{host}");
    }
    assert_eq!(viewer.ask("GET / HTTP/1.1\r\nHost: localhost\r\nHost: example.com\r\n\r\n").0, 421);
    for path in ["/scene.toml", "/../balls.toml", "/api/frame/../scene.toml", "/api/frame/9", "/api/frame/x", "/api"] {
        assert_eq!(viewer.get(path).0, 404, "{path}");
    }
    assert_eq!(viewer.ask("POST /api/order/stop HTTP/1.1\r\nHost: localhost\r\n\r\n").0, 403);
    assert_eq!(viewer.ask("GET /\r\n\r\n").0, 400);
}

#[test]
fn a_damaged_frame_is_named() {
    let dir = with_run("view_damaged");
    let path = dir.join("run/frames/frame_000002.vtp");
    fs::write(&path, &fs::read(&path).unwrap()[..4000]).unwrap();
    let viewer = Viewer::start(&dir, &["view", "run", "--no-open"]);
    let (status, message) = viewer.get("/api/frame/2");
    assert_eq!(status, 422);
    assert!(String::from_utf8_lossy(&message).starts_with("frames/frame_000002.vtp "));
    assert_eq!(viewer.get("/api/frame/3").0, 200);
}

#[test]
fn new_frames_of_a_run_appear() {
    let dir = with_run("view_grows");
    let last = dir.join("run/frames/frame_000004.vtp");
    let bytes = fs::read(&last).unwrap();
    fs::remove_file(&last).unwrap();
    let viewer = Viewer::start(&dir, &["view", "run", "--no-open"]);
    assert_eq!(viewer.get("/api/frame/4").0, 404);
    fs::write(&last, bytes).unwrap();
    let run: Value = serde_json::from_slice(&viewer.get("/api/run?known=0").1).unwrap();
    assert_eq!(run["frames"].as_array().unwrap().len(), 5);
    assert_eq!(viewer.get("/api/frame/4").0, 200);
}

#[test]
fn a_run_with_a_viewer_can_be_paused_stepped_and_stopped() {
    let dir = folder_with("view_live", "balls.toml", support::SCENE);
    let mut viewer = Viewer::start(&dir, &["run", "balls.toml", "--out", "run", "--view", "--no-open"]);
    let order = |name: &str| {
        let head = format!("POST /api/order/{name} HTTP/1.1\r\nHost: localhost\r\nX-Granum: 1\r\n\r\n");
        viewer.ask(&head).0
    };
    assert_eq!((order("pause"), order("dance")), (204, 404));
    // The state of the pause is the one after which no other follows.
    let mut step = viewer.head("/api/live")["step"].as_u64().unwrap();
    loop {
        let next = viewer.head(&format!("/api/live?after={step}"));
        if next["unchanged"] == true {
            break;
        }
        step = next["step"].as_u64().unwrap();
    }
    assert_eq!(order("step"), 204);
    // An answer does not wait longer than a second, and the machine may be busy.
    let later = (0..PATIENCE).map(|_| viewer.head(&format!("/api/live?after={step}&contacts=1")));
    let next = later.into_iter().find(|head| head["unchanged"] != true).expect("a step is done");
    assert_eq!(next["step"], step + 1);
    assert_eq!(order("stop"), 204);
    assert!((0..PATIENCE).any(|_| viewer.head(&format!("/api/live?after={}", step + 1))["over"] == true));
    let summary = dir.join("run/summary.json");
    while !summary.exists() {
        std::thread::yield_now();
    }
    viewer.process.kill().unwrap();
    let resumed = granum(&dir, &["run", "--resume", "run", "--until", "1 ms", "--quiet"]);
    assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
}

#[test]
fn exports_of_the_viewer_overwrite_their_own_files_only() {
    let dir = with_run("view_exports");
    for (format, name, frame) in
        [("html", "view.html", "all"), ("glb", "frame_000004.glb", "last"), ("glb", "animation.glb", "all")]
    {
        let export = || granum(&dir, &["export", "run", "--to", format, "--frame", frame, "--out", "files"]);
        let path = dir.join("files").join(name);
        for _ in 0..2 {
            let done = export();
            assert!(done.status.success(), "{name}: {}", String::from_utf8_lossy(&done.stderr));
        }
        assert!(fs::metadata(&path).unwrap().len() > 1000);
        fs::write(&path, "mine").unwrap();
        assert_eq!(export().status.code(), Some(2), "{name}");
    }
    let refused = granum(&dir, &["export", "run", "--to", "glb", "--frame", "all", "--bake"]);
    assert_eq!(refused.status.code(), Some(2));
}
