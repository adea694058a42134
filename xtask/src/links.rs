//! Checks of the documentation's cross references: relative links in Markdown files, and citation
//! keys.
//!
//! Input: all Markdown and Rust files of the repository. Output: one line per link whose target
//! does not exist and per citation whose key is not in the list of references.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The page that lists the citation keys.
const REFERENCES: &str = "docs/theory/references.md";

/// Folders that are not part of the repository's own text.
const SKIPPED_FOLDERS: &[&str] = &["target", ".git", "book", "out"];

/// Digits of the year that ends a citation key.
const YEAR_DIGITS: usize = 4;

/// Checks all links and citations below the root of the repository.
pub fn check(root: &Path) -> Result<(), String> {
    let text =
        |path: &Path| fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()));
    let references = text(&root.join(REFERENCES))?;
    let keys = listed_keys(&references);
    let mut faults = Vec::new();
    for path in files(root)? {
        let content = text(&path)?;
        if path.extension().is_some_and(|extension| extension == "md") {
            let folder = path.parent().unwrap_or(Path::new("."));
            let missing = relative_links(&content).into_iter().filter(|link| !folder.join(link).exists());
            faults.extend(missing.map(|link| format!("{}: no such file: {link}", path.display())));
        }
        let unknown = cited_keys(&content).into_iter().filter(|key| !keys.contains(key));
        faults.extend(unknown.map(|key| format!("{}: {key} is not in {REFERENCES}", path.display())));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// All Markdown and Rust files below a folder, in the order of their names.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let unreadable = |error: std::io::Error| format!("cannot read {}: {error}", folder.display());
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut paths =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            if !SKIPPED_FOLDERS.contains(&name) {
                found.extend(files(&path)?);
            }
        } else if name.ends_with(".md") || name.ends_with(".rs") {
            found.push(path);
        }
    }
    Ok(found)
}

/// Targets of the inline links of a Markdown text that are files, without their anchors. Code
/// blocks are skipped.
fn relative_links(text: &str) -> Vec<&str> {
    let mut is_code = false;
    let mut links = Vec::new();
    for line in text.lines() {
        is_code ^= line.trim_start().starts_with("```");
        if is_code {
            continue;
        }
        for rest in line.split("](").skip(1) {
            let Some((target, _)) = rest.split_once(')') else { continue };
            let file = target.split('#').next().unwrap_or_default();
            if !file.is_empty() && !file.contains(':') {
                links.push(file);
            }
        }
    }
    links
}

/// The keys in the first column of the tables of references.
fn listed_keys(text: &str) -> BTreeSet<&str> {
    let cells = text.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" |"));
    cells.map(|(key, _)| key).filter(|key| is_key(key)).collect()
}

/// The keys of citations such as `[Feng2017, eq. 21]` and of lists such as `[Love1927, Weber1966]`.
fn cited_keys(text: &str) -> Vec<&str> {
    let brackets = text.split('[').skip(1).filter_map(|rest| rest.split_once(']'));
    // An escaped bracket, as doc comments need it, leaves its backslash behind.
    let words = brackets.flat_map(|(inside, _)| inside.split(',')).map(|word| word.trim().trim_end_matches('\\'));
    words.filter(|word| is_key(word)).collect()
}

/// Returns whether a word has the form of a citation key: a capitalised name and a year.
fn is_key(word: &str) -> bool {
    let Some(split) = word.len().checked_sub(YEAR_DIGITS).filter(|&split| word.is_char_boundary(split)) else {
        return false;
    };
    let (name, year) = word.split_at(split);
    let is_name = name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.chars().skip(1).any(|letter| letter.is_ascii_lowercase())
        && name.chars().all(char::is_alphabetic);
    is_name
        && (year.starts_with("18") || year.starts_with("19") || year.starts_with("20"))
        && year.bytes().all(|digit| digit.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_link_and_citation_of_the_repository_resolves() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of the workspace");
        assert_eq!(check(root), Ok(()));
    }

    #[test]
    fn links_to_files_are_found_outside_of_code() {
        let text = "[a](x.md#part) ![b](y.png) [c](https://d.e) [f](#g)\n```\n[h](i.md)\n```\n";
        assert_eq!(relative_links(text), ["x.md", "y.png"]);
    }

    #[test]
    fn citations_are_found_by_their_form() {
        assert_eq!(
            cited_keys("[Feng2017, eq. 21] [Love1927, Weber1966] \\[Ai2011\\] [i] [Vec] [2017]"),
            ["Feng2017", "Love1927", "Weber1966", "Ai2011"]
        );
    }

    #[test]
    fn keys_are_listed_by_the_tables_of_references() {
        let text = "| key | publication |\n| --- | --- |\n| Feng2017 | Y. T. Feng |\n";
        assert_eq!(listed_keys(text).into_iter().collect::<Vec<_>>(), ["Feng2017"]);
    }
}
