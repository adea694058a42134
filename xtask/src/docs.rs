//! `cargo xtask docs`: puts into the guide the scene that the scene crate documents, and tests, and the reference of
//! scene files.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use crate::{links, reference};

/// Where the scene stands.
const SOURCE: &str = "crates/scene/src/lib.rs";

/// The page it goes into, at its end.
const PAGE: &str = "docs/guide/scenes.md";

/// What the copy begins with.
const MARK: &str = "```toml\n";

/// The page that is made from the schema of scene files.
const REFERENCE: &str = "docs/guide/scene_reference.md";

/// Writes the pages, or with `check` says whether they are up to date.
pub fn run(check: bool) -> ExitCode {
    for (path, page) in [(PAGE, scene_page()), (REFERENCE, reference::made())] {
        if let Err(reason) = page.and_then(|page| keep(path, &page, check)) {
            eprintln!("{reason}");
            return ExitCode::FAILURE;
        }
    }
    if let Err(faults) = links::check(Path::new(".")) {
        eprintln!("{faults}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Brings one page up to date, or says that it is not.
fn keep(path: &str, page: &str, check: bool) -> Result<(), String> {
    if fs::read_to_string(path).is_ok_and(|old| old == page) {
        return Ok(());
    }
    if check {
        return Err(format!("{path} is out of date: run cargo xtask docs"));
    }
    fs::write(path, page).map_err(|error| format!("cannot write {path}: {error}"))
}

/// The page with the documented scene, as it should be.
fn scene_page() -> Result<String, String> {
    let text = |path| fs::read_to_string(path).map_err(|error| format!("cannot read {path}: {error}"));
    let (source, old) = (text(SOURCE)?, text(PAGE)?);
    let scene = scene(&source).ok_or(format!("{SOURCE} documents no scene"))?;
    let head = old.split(MARK).next().unwrap_or_default();
    Ok(format!("{head}{MARK}{scene}```\n"))
}

/// The text of the first scene in a crate's documentation.
fn scene(source: &str) -> Option<String> {
    let lines = source.lines().skip_while(|line| !line.ends_with("r#\"")).skip(1);
    let lines = lines.map_while(|line| line.strip_prefix("//!")).take_while(|line| !line.contains("\"#;"));
    let scene: String = lines.map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect();
    (!scene.is_empty()).then_some(scene)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scene_is_taken_out_of_its_comments() {
        let source = "//! Words.\n//! let text = r#\"\n//! a = 1\n//!\n//! [b]\n//! \"#;\n//! more\nmod c;\n";
        assert_eq!(scene(source).as_deref(), Some("a = 1\n\n[b]\n"));
        assert_eq!(scene("mod c;\n"), None);
    }
}
