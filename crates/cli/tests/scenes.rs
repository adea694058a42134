//! Copies of scenes in crates: a published crate contains only its own files, so a crate that needs
//! a scene has a copy in its own folder `scenes`.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the files and folders in a folder.
fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path())
}

#[test]
fn scenes_of_all_crates_equal_those_of_the_repository() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let originals = crates.join("../scenes");
    if !originals.is_dir() {
        // A published crate is outside the repository.
        return;
    }
    let copies = entries(&crates).map(|folder| folder.join("scenes")).filter(|folder| folder.is_dir());
    let copies: Vec<PathBuf> = copies.flat_map(|folder| entries(&folder).collect::<Vec<_>>()).collect();
    assert!(copies.len() > 1);
    for copy in copies {
        let original = originals.join(copy.file_name().unwrap());
        assert_eq!(fs::read(&copy).unwrap(), fs::read(&original).unwrap(), "{}", copy.display());
    }
}
