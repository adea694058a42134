//! The scenes in this crate's folder are copies, because a published crate contains only its own files.

use std::fs;
use std::path::Path;

#[test]
fn scenes_of_the_crate_equal_those_of_the_repository() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let originals = crate_folder.join("../../scenes");
    if !originals.is_dir() {
        return; // a published crate
    }
    for entry in fs::read_dir(crate_folder.join("scenes")).unwrap() {
        let copy = entry.unwrap().path();
        let original = originals.join(copy.file_name().unwrap());
        assert_eq!(fs::read(&copy).unwrap(), fs::read(&original).unwrap(), "{}", copy.display());
    }
}
