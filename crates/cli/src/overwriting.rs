//! Protection of files that granum has not written, for commands with an option for their output.

use std::path::PathBuf;

use granum_output::overwrite::may_be_overwritten;

use crate::Failure;

/// Checks that no file of another origin would be overwritten, unless `force` is set.
pub fn check(paths: &[PathBuf], force: bool) -> Result<(), Failure> {
    for path in paths.iter().filter(|_| !force) {
        if !may_be_overwritten(path).map_err(|error| Failure::unreadable(path, &error))? {
            return Err(Failure::Input(format!(
                "{} exists and was not written by granum; choose another --out, or overwrite it with --force",
                path.display()
            )));
        }
    }
    Ok(())
}
