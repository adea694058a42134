//! Runs that are stopped by signals, damaged files or a full disk. After resuming, they end with
//! the bits of an undisturbed run.
#![cfg(unix)]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};

use granum_engine::{Simulation, World};
use granum_output::state_hash;
use granum_scene::Scene;
use support::{checkpoints, command, folder, granum, result, start, succeeds, summary, text};

/// Starts a run with frequent checkpoints, and waits until it has done some steps.
fn under_way(dir: &Path) -> Child {
    let child = start(dir, &["run", "shaken.toml", "--out", "stopped", "--checkpoint-every", "5 ms", "--threads", "1"]);
    let start = Instant::now();
    while checkpoints(&dir.join("stopped")).first().is_none_or(|path| path.ends_with("step_000000000000.granum")) {
        assert!(start.elapsed() < Duration::from_secs(60), "the run writes no checkpoint");
        std::thread::sleep(Duration::from_millis(2));
    }
    child
}

/// Sends a signal with the command `kill`; the standard library has no safe function for it.
fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

fn stopped_by(dir: &Path, name: &str) -> Output {
    let child = under_way(dir);
    signal(&child, name);
    child.wait_with_output().unwrap()
}

#[test]
fn ctrl_c_and_sigterm_leave_a_checkpoint_and_the_resumed_run_has_the_same_bits() {
    let dir = folder("resume_signals");
    succeeds(&dir, &["run", "shaken.toml", "--out", "whole", "--threads", "2"]);
    for (name, spoken, code) in [("-INT", "Ctrl-C at step ", 130), ("-TERM", "SIGTERM at step ", 143)] {
        let _ = fs::remove_dir_all(dir.join("stopped"));
        let output = stopped_by(&dir, name);
        let printed = text(&output.stderr);
        assert!(
            printed.starts_with(spoken) && printed.contains("`granum run --resume stopped` continues from step "),
            "{printed}"
        );
        assert_eq!(
            (output.status.code(), &summary(&dir.join("stopped"))["status"]),
            (Some(code), &"interrupted".into())
        );
        let printed = succeeds(&dir, &["run", "--resume", "stopped"]);
        let promise = "the results have the same bits as without interruption";
        assert!(printed.contains("resumed    from step ") && printed.contains(promise), "{printed}");
        assert_eq!(result(&dir.join("stopped")), result(&dir.join("whole")));
    }
}

#[test]
fn a_killed_run_resumes_with_the_scene_named_too_but_not_with_another() {
    let dir = folder("resume_killed");
    succeeds(&dir, &["run", "shaken.toml", "--out", "whole"]);
    let output = stopped_by(&dir, "-KILL");
    assert_eq!(output.status.code(), None);
    fs::write(dir.join("other.toml"), support::SCENE.replace("restitution = 0.5", "restitution = 0.7")).unwrap();
    let refused = granum(&dir, &["run", "other.toml", "--out", "stopped", "--resume"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).starts_with("other.toml differs from scene.toml in stopped"));
    succeeds(&dir, &["run", "shaken.toml", "--out", "stopped", "--resume"]);
    assert_eq!(result(&dir.join("stopped")), result(&dir.join("whole")));
}

#[test]
fn a_finished_run_is_reported_and_continues_only_to_a_later_end() {
    let dir = folder("resume_finished");
    succeeds(&dir, &["run", "shaken.toml", "--out", "whole"]);
    // An end between two output times adds a row that the complete run does not have.
    succeeds(&dir, &["run", "shaken.toml", "--out", "part", "--until", "24.6 ms"]);
    let before = result(&dir.join("part"));
    let printed = succeeds(&dir, &["run", "--resume", "part"]);
    assert!(
        printed.starts_with("part: the run is completed at step 12300, t = 0.024600 s; continue it with --until T"),
        "{printed}"
    );
    assert_eq!(result(&dir.join("part")), before);
    succeeds(&dir, &["run", "--resume", "part", "--until", "80 ms"]);
    assert_eq!(result(&dir.join("part")), result(&dir.join("whole")));
    let again = granum(&dir, &["run", "shaken.toml", "--out", "part"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(
        text(&again.stderr).starts_with("part contains a run, which is never overwritten; continue it with --resume")
    );
}

#[test]
fn a_run_whose_last_stage_has_ended_continues_to_a_later_end() {
    let dir = folder("resume_stages");
    let staged = format!("{}\n[[stages]]\nname = \"all\"\nduration = \"10 ms\"\n", support::SCENE);
    fs::write(dir.join("staged.toml"), staged.replace("end = \"80 ms\"", "")).unwrap();
    succeeds(&dir, &["run", "staged.toml", "--out", "part"]);
    let printed = succeeds(&dir, &["run", "--resume", "part", "--until", "15 ms"]);
    assert!(printed.contains("done       7500 steps"), "{printed}");
    assert!(succeeds(&dir, &["run", "--resume", "part"]).contains("completed at step 7500"));
}

#[test]
fn a_damaged_checkpoint_is_named_and_the_one_before_it_used() {
    let dir = folder("resume_damaged");
    succeeds(&dir, &["run", "shaken.toml", "--out", "whole"]);
    stopped_by(&dir, "-TERM");
    let found = checkpoints(&dir.join("stopped"));
    assert_eq!(found.len(), 2);
    let bytes = fs::read(&found[0]).unwrap();
    fs::write(&found[0], &bytes[..bytes.len() / 2]).unwrap();
    let output = granum(&dir, &["run", "--resume", "stopped"]);
    let printed = text(&output.stderr);
    assert!(
        printed.starts_with("warning: stopped/checkpoint/step_") && printed.contains(" is damaged: it has "),
        "{printed}"
    );
    assert!(printed.trim_end().ends_with("the checkpoint is renamed, and the one before it is used"), "{printed}");
    assert_eq!((output.status.code(), result(&dir.join("stopped"))), (Some(0), result(&dir.join("whole"))));

    for path in checkpoints(&dir.join("stopped")) {
        fs::write(path, "nothing").unwrap();
    }
    let output = granum(&dir, &["run", "--resume", "stopped"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).starts_with("cannot resume stopped: no checkpoint can be used:\n"));
    assert_eq!(result(&dir.join("stopped")), result(&dir.join("whole")), "no result of the run has changed");
}

#[test]
fn an_end_before_the_present_time_is_refused_and_nothing_is_changed() {
    let dir = folder("resume_past");
    succeeds(&dir, &["run", "shaken.toml", "--out", "part", "--until", "10 ms"]);
    let before = (result(&dir.join("part")), fs::read(dir.join("part/scene.toml")).unwrap());
    let output = granum(&dir, &["run", "--resume", "part", "--until", "4 ms"]);
    let printed = text(&output.stderr);
    assert_eq!((output.status.code(), printed.lines().count()), (Some(2), 1), "{printed}");
    assert_eq!(printed, "--until 0.004 s is before the present time of part, 0.01 s; give a later time\n");
    assert_eq!((result(&dir.join("part")), fs::read(dir.join("part/scene.toml")).unwrap()), before);
    // The present time itself is the end of the run.
    assert!(succeeds(&dir, &["run", "--resume", "part", "--until", "10 ms"]).contains("the run is completed"));
}

#[test]
fn a_checkpoint_of_another_run_is_refused() {
    let dir = folder("resume_foreign");
    succeeds(&dir, &["run", "shaken.toml", "--out", "own", "--until", "2 ms"]);
    succeeds(&dir, &["run", "shaken.toml", "--out", "other", "--until", "4 ms"]);
    let newest = checkpoints(&dir.join("other"))[0].clone();
    let copy = dir.join("own/checkpoint").join(newest.file_name().unwrap());
    fs::copy(newest, &copy).unwrap();
    let output = granum(&dir, &["run", "--resume", "own"]);
    let printed = text(&output.stderr);
    assert_eq!((output.status.code(), printed.lines().count()), (Some(2), 1), "{printed}");
    let name = "own/checkpoint/step_000000002000.granum";
    assert!(printed.starts_with(&format!("{name}: the checkpoint belongs to another run; remove it")), "{printed}");
    fs::remove_file(copy).unwrap();
    assert!(succeeds(&dir, &["run", "--resume", "own"]).contains("completed at step 1000"));
}

#[test]
fn a_run_branches_off_with_changed_parameters_into_its_own_folder() {
    let dir = folder("resume_branch");
    succeeds(&dir, &["run", "shaken.toml", "--out", "trunk", "--until", "20 ms"]);
    let before = (result(&dir.join("trunk")), fs::read(dir.join("trunk/scene.toml")).unwrap());
    let branch = |out: &str, settings: &[&str]| {
        let mut arguments = vec!["run", "--resume", "trunk", "--out", out, "--until", "30 ms"];
        settings.iter().for_each(|setting| arguments.extend(["--set", setting]));
        succeeds(&dir, &arguments)
    };
    let printed = branch("rough", &["contact.0.friction=0.9", "contact.0.stiffness=\"5 kN/m\"", "gravity=[0, 0, -20]"]);
    let line = "branch     of trunk from step 10000, t = 0.020000 s, with contact[0].friction = 0.9, contact[0].stiffness \
                = 5000.0, gravity = [0.0, 0.0, -20.0], time.end = 0.03";
    assert!(printed.contains(line), "{printed}");
    branch("same", &[]);
    assert_eq!((result(&dir.join("trunk")), fs::read(dir.join("trunk/scene.toml")).unwrap()), before);
    // Without changes the branch has the bits of the run itself. Its table begins at the branch.
    succeeds(&dir, &["run", "--resume", "trunk", "--until", "30 ms"]);
    let [trunk, same, rough] = ["trunk", "same", "rough"].map(|run| result(&dir.join(run)));
    assert_eq!((&same.1, &same.2), (&trunk.1, &trunk.2));
    assert!(rough.1 != trunk.1 && rough.2 == trunk.2);
    assert_eq!(same.0.lines().count(), 7, "the heading and six rows");
    assert!(trunk.0.ends_with(same.0.split_once('\n').unwrap().1));
    // The energy that the new parameters add is booked as work, so that the ledger closes.
    let last = rough.0.lines().last().unwrap();
    let row: Vec<f64> = last.split(',').map(|cell| cell.parse().unwrap()).collect();
    let (work, residual) = (row[6], row[7]);
    assert!(residual.abs() < 0.01 * work.abs(), "{last}");
    // A branch is a run: it is resumed like one.
    succeeds(&dir, &["run", "--resume", "rough", "--until", "32 ms"]);
    let scene = fs::read_to_string(dir.join("rough/scene.toml")).unwrap();
    assert!(scene.starts_with("# Branch of trunk from step 10000, ") && scene.contains("friction = 0.9"), "{scene}");
}

#[test]
fn a_branch_with_another_body_or_time_step_is_refused() {
    let dir = folder("resume_branch_refused");
    succeeds(&dir, &["run", "shaken.toml", "--out", "trunk", "--until", "2 ms"]);
    for (setting, message) in [
        (
            "grains.0.count=70",
            "--set grains.0.count=70: grains[0].count must not change during a run; start a new scene",
        ),
        ("time.step=\"1 us\"", "--set time.step=\"1 us\": time.step must not change during a run"),
        ("materials.glass.density=1", "--set materials.glass.density=1: materials.glass.density must not change"),
        ("time.end=\"1 ms\"", "time.end 0.001 s is before the present time of trunk, 0.002 s"),
        ("contact.0.fricton=1", "--set contact.0.fricton=1: contact[0].fricton: unknown key `fricton`"),
    ] {
        let output = granum(&dir, &["run", "--resume", "trunk", "--set", setting, "--out", "new"]);
        let printed = text(&output.stderr);
        assert_eq!((output.status.code(), printed.lines().count()), (Some(2), 1), "{printed}");
        assert!(printed.starts_with(message), "{printed}");
        assert!(!dir.join("new").exists());
    }
}

#[test]
fn a_run_that_cannot_be_resumed_is_refused() {
    let dir = folder("resume_refused");
    let refused = |arguments: &[&str], message: &str| {
        let output = granum(&dir, arguments);
        assert!(text(&output.stderr).starts_with(message), "{}", text(&output.stderr));
        assert_eq!(output.status.code(), Some(2));
    };
    refused(&["run"], "give a scene to run, or --resume DIR");
    refused(&["run", "shaken.toml", "--resume"], "--resume needs the folder of the run");
    refused(&["run", "--resume", "nowhere"], "nowhere: the folder does not exist");
    refused(&["run", "--resume", "."], ".: the folder contains no run");
    refused(&["run", "shaken.toml", "--checkpoint-every", "0"], "--checkpoint-every must be positive");
    fs::create_dir(dir.join("empty")).unwrap();
    refused(&["run", "--resume", "empty"], "empty: the run was stopped before it began");
    // A run that was killed before its first checkpoint starts again.
    let printed = succeeds(&dir, &["run", "shaken.toml", "--out", "empty", "--resume", "--until", "1 ms"]);
    assert!(printed.contains("resumed    from the start"), "{printed}");
}

#[test]
fn a_file_that_may_not_grow_stops_the_run_and_loses_nothing() {
    // The shell's limit on file sizes simulates a full disk. The clock determines whether a frame
    // or a checkpoint exceeds it first.
    let dir = folder("resume_full");
    succeeds(&dir, &["run", "shaken.toml", "--out", "whole"]);
    let whole = fs::metadata(&checkpoints(&dir.join("whole"))[0]).unwrap().len();
    let output = stopped_by(&dir, "-TERM");
    assert_eq!(output.status.code(), Some(143));
    let kept = checkpoints(&dir.join("stopped"));
    let before: Vec<_> = kept.iter().map(|path| fs::read(path).unwrap()).collect();
    let blocks = (whole / 2 / 1024).to_string();
    let program = env!("CARGO_BIN_EXE_granum");
    let script =
        format!("trap '' XFSZ; ulimit -f {blocks}; exec {program} run --resume stopped --checkpoint-every 5ms");
    let output = Command::new("bash").current_dir(&dir).args(["-c", &script]).output().unwrap();
    let printed = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(printed.starts_with("cannot write stopped/"), "{printed}");
    assert!(printed.contains("the run has stopped; its last checkpoint, of step "), "{printed}");
    let after: Vec<_> = checkpoints(&dir.join("stopped")).iter().map(|path| fs::read(path).unwrap()).collect();
    assert_eq!(after, before, "the checkpoints have not changed");
    succeeds(&dir, &["run", "--resume", "stopped"]);
    assert_eq!(result(&dir.join("stopped")), result(&dir.join("whole")));
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_a_step_is_done() {
    let dir = folder("resume_unwritable");
    let locked = dir.join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    // The superuser can write to any folder, so that there is nothing to test.
    if fs::write(locked.join("probe"), "").is_ok() {
        return;
    }
    let output = granum(&dir, &["run", "shaken.toml", "--out", "locked/r"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("cannot create locked/r: Permission denied"));
}

#[test]
fn two_runs_do_not_share_a_folder() {
    let dir = folder("resume_shared");
    let mut child = under_way(&dir);
    let output = granum(&dir, &["run", "--resume", "stopped"]);
    assert_eq!(output.status.code(), Some(1));
    let printed = text(&output.stderr);
    assert_eq!(printed, "cannot open stopped/checkpoint: another granum is running in this folder\n");
    child.kill().unwrap();
    child.wait().unwrap();
    let mut again = command(&dir, &["run", "--resume", "stopped", "--quiet"]).spawn().unwrap();
    assert!(again.wait().unwrap().success());
}

/// Returns the hash of the state after some more steps, which begin with a new neighbour list.
fn hash_after(world: World, steps: u64) -> String {
    let mut simulation = Simulation::new(world, 1).unwrap();
    simulation.run(steps);
    state_hash(simulation.world())
}

#[test]
fn a_contact_that_lost_its_first_point_has_the_same_hash_after_a_restart() {
    // A record that moved behind another of its pair kept the number of points of the pair, until a
    // new neighbour list set it to 1.
    let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/shaken_shapes.toml");
    let mut world = Scene::load(&scene).unwrap().build().unwrap();
    let mut whole = Simulation::new(world.clone(), 1).unwrap();
    for _ in 0..30 {
        whole.run(20);
        let hash = state_hash(whole.world());
        assert_eq!(hash_after(world, 20), hash, "restarted 20 steps before step {}", whole.world().steps());
        world = whole.world().clone();
    }
}
