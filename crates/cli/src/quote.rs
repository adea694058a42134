//! Paths in hints, such that a user can copy a whole command into a shell.

use std::path::Path;

/// Characters besides letters and digits that no shell interprets.
const PLAIN: &str = "/\\._-+:@%,=";

/// Returns a path as one word of a shell: in quotes if it contains a space or a special character.
pub fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || PLAIN.contains(c);
    match (text.chars().all(is_plain) && !text.is_empty(), cfg!(windows)) {
        (true, _) => text,
        (false, true) => format!("\"{text}\""),
        (false, false) => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn folders_with_spaces_are_quoted_in_hints() {
        let quoted = |text: &str| quoted(Path::new(text));
        assert_eq!(quoted("out/first_run-20260315-141500"), "out/first_run-20260315-141500");
        assert_eq!(quoted("my run"), "'my run'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("Körner"), "Körner");
        assert_eq!(quoted("$HOME"), "'$HOME'");
        assert_eq!(quoted(""), "''");
    }
}
