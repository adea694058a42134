//! `cargo xtask docs`: puts the scene that the scene crate documents, and tests, into the guide.

use std::fs;
use std::process::ExitCode;

/// Where the scene stands.
const SOURCE: &str = "crates/scene/src/lib.rs";

/// The page it goes into, at its end.
const PAGE: &str = "docs/guide/scenes.md";

/// What the copy begins with.
const MARK: &str = "```toml\n";

/// Writes the page, or with `check` says whether it is up to date.
pub fn run(check: bool) -> ExitCode {
    let page = match read() {
        Ok((old, new)) if old == new => return ExitCode::SUCCESS,
        Ok((_, new)) => new,
        Err(reason) => {
            eprintln!("{reason}");
            return ExitCode::FAILURE;
        }
    };
    if check {
        eprintln!("{PAGE} is out of date: run cargo xtask docs");
        return ExitCode::FAILURE;
    }
    match fs::write(PAGE, page) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cannot write {PAGE}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The page as it is and as it should be.
fn read() -> Result<(String, String), String> {
    let text = |path| fs::read_to_string(path).map_err(|error| format!("cannot read {path}: {error}"));
    let (source, old) = (text(SOURCE)?, text(PAGE)?);
    let scene = scene(&source).ok_or(format!("{SOURCE} documents no scene"))?;
    let head = old.split(MARK).next().unwrap_or_default();
    let new = format!("{head}{MARK}{scene}```\n");
    Ok((old, new))
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
