//! Runs that are stopped by signals, damaged files or a full disk. After resuming, they end with
//! the bits of an undisturbed run.
#![cfg(unix)]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};

use support::{checkpoints, command, folder, granum, result, start, succeeds, summary, text};

/// Starts a run with frequent checkpoints, and waits until it has done some steps.
fn under_way(dir: &Path) -> Child {
    let child = start(dir, &["run", "shaken.toml", "--out", "stopped", "--checkpoint-every", "5 ms", "--threads", "1"]);
    let patience = Instant::now();
    while checkpoints(&dir.join("stopped")).first().is_none_or(|path| path.ends_with("step_000000000000.granum")) {
        assert!(patience.elapsed() < Duration::from_secs(60), "the run writes no checkpoint");
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
fn a_finished_run_says_so_and_goes_on_only_to_a_later_end() {
    let dir = folder("resume_finished");
    succeeds(&dir, &["run", "shaken.toml", "--out", "whole"]);
    // An end between two output times writes a row that the whole run does not have.
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
fn a_run_whose_last_stage_has_ended_goes_on_to_a_later_end() {
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
    assert_eq!(result(&dir.join("stopped")), result(&dir.join("whole")), "nothing is touched");
}

#[test]
fn what_cannot_be_resumed_is_refused() {
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
    assert_eq!(after, before, "the checkpoints are as they were");
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
