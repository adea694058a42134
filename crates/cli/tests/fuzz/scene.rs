//! Scene files. A valid scene can be written and read again.

use std::fs;
use std::path::{Path, PathBuf};

use granum_scene::Scene;

use super::{fuzz, is_readable};

#[test]
fn any_scene_is_read_or_refused() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut corpus = vec![include_bytes!("../../scenes/new.toml").to_vec()];
    let names = ["first_run", "everything", "shaken_balls", "polygons", "net", "drum_small", "ellipses_pour"];
    corpus.extend(names.map(|name| fs::read(folder.join(format!("{name}.toml"))).expect(name)));
    fuzz("scene", &corpus, |input| {
        let Ok(text) = str::from_utf8(input) else { return };
        match Scene::parse(text, Path::new("x.toml")) {
            Err(error) => {
                is_readable(&error.to_string());
                assert!(error.report().lines().count() <= 4);
            }
            Ok(scene) => {
                let written = scene.to_toml().expect("a valid scene can be written");
                let again = Scene::parse(&written, Path::new("y.toml"));
                assert!(again.is_ok(), "{}\n{written}", again.unwrap_err());
            }
        }
    });
}
