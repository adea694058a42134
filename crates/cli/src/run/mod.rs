//! `granum run`: runs a scene, or continues a run.

mod args;
mod begin;
mod branch;
mod console;
mod ending;
mod folder;
mod guarding;
mod picture;
mod progress;
mod recorders;
mod resume;
mod session;
pub mod signals;
mod viewing;

pub use args::Args;

use args::Task;
use console::Console;
use resume::Resumed;

use crate::Failure;

/// Runs a scene, or continues a run.
pub fn run(args: &Args) -> Result<(), Failure> {
    let view = args.view();
    match args.task()? {
        Task::Begin(scene, out) => begin::begin(&scene, out, args)?.finish(false, view),
        Task::Branch(from, out) => branch::branch(&from, out, args)?.finish(false, view),
        Task::Resume(dir, scene) => match resume::resume(dir, scene.as_deref(), args)? {
            Resumed::Session(session, is_saved) => session.finish(is_saved, view),
            Resumed::Finished(message) => {
                Console::new(args.quiet).line(&message);
                Ok(())
            }
        },
    }
}
