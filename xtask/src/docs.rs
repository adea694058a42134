//! `cargo xtask docs`: generates the parts of the guide that follow from the source.
//!
//! These are the example scene, which is a tested doc example of the scene crate, the reference of
//! scene files, and the matrices of the pair table. The command also checks the links and citations
//! of the documentation.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use crate::{links, pairs, reference};

/// File whose documentation contains the example scene.
const SOURCE: &str = "crates/scene/src/lib.rs";

/// Page that ends with the example scene.
const PAGE: &str = "docs/guide/scenes.md";

/// Beginning of the copy of the scene on the page.
const MARK: &str = "```toml\n";

/// Page that is generated from the schema of scene files.
const REFERENCE: &str = "docs/guide/scene_reference.md";

/// Writes the pages, or with `check` reports whether they are up to date.
pub fn run(check: bool) -> ExitCode {
    for (path, page) in [(PAGE, scene_page()), (REFERENCE, reference::page_of_program()), (pairs::PAGE, pairs::page())]
    {
        if let Err(reason) = page.and_then(|page| update(path, &page, check)) {
            eprintln!("{reason}");
            return ExitCode::FAILURE;
        }
    }
    if let Err(reasons) = links::check(Path::new(".")) {
        eprintln!("{reasons}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Writes a page if it has changed; with `check` returns an error instead.
pub fn update(path: &str, page: &str, check: bool) -> Result<(), String> {
    if fs::read_to_string(path).is_ok_and(|old| old == page) {
        return Ok(());
    }
    if check {
        return Err(format!("{path} is out of date; run `cargo xtask docs`"));
    }
    fs::write(path, page).map_err(|error| format!("cannot write {path}: {error}"))
}

/// Returns the page with the current example scene.
fn scene_page() -> Result<String, String> {
    let text = |path| fs::read_to_string(path).map_err(|error| format!("cannot read {path}: {error}"));
    let (source, old) = (text(SOURCE)?, text(PAGE)?);
    let scene = scene(&source).ok_or(format!("{SOURCE} contains no example scene"))?;
    let (head, rest) = old.split_once(MARK).unwrap_or((&old, ""));
    // The page goes on after the example.
    let tail = rest.split_once("\n```\n").map_or("", |(_, tail)| tail);
    Ok(format!("{head}{MARK}{scene}```\n{tail}"))
}

/// Returns the first scene in the documentation of a crate.
///
/// Rustdoc hides lines that begin with `#`, so a comment of the scene begins with `##` there.
fn scene(source: &str) -> Option<String> {
    let lines = source.lines().skip_while(|line| !line.ends_with("r#\"")).skip(1);
    let lines = lines.map_while(|line| line.strip_prefix("//!")).take_while(|line| !line.contains("\"#;"));
    let lines = lines.map(|line| line.strip_prefix(' ').unwrap_or(line));
    let scene: String = lines
        .map(|line| format!("{}\n", line.strip_prefix('#').filter(|_| line.starts_with("##")).unwrap_or(line)))
        .collect();
    (!scene.is_empty()).then_some(scene)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scene_is_extracted_from_its_comments() {
        let source = "//! Words.\n//! let text = r#\"\n//! a = 1\n//!\n//! ## b\n//! [b]\n//! \"#;\n//! more\nmod c;\n";
        assert_eq!(scene(source).as_deref(), Some("a = 1\n\n# b\n[b]\n"));
        assert_eq!(scene("mod c;\n"), None);
    }
}
