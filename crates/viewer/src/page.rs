//! The page as one document: the modules of `page/` are joined, so that the same document works from
//! the server and from a file.

/// The modules in the order of their dependencies. A module imports from earlier ones only.
pub const MODULES: &[(&str, &str)] = &[
    ("vectors.js", include_str!("../page/vectors.js")),
    ("message.js", include_str!("../page/message.js")),
    ("source.js", include_str!("../page/source.js")),
    ("forms.js", include_str!("../page/forms.js")),
    ("shaders.js", include_str!("../page/shaders.js")),
    ("graphics.js", include_str!("../page/graphics.js")),
    ("camera.js", include_str!("../page/camera.js")),
    ("colours.js", include_str!("../page/colours.js")),
    ("frame.js", include_str!("../page/frame.js")),
    ("walls.js", include_str!("../page/walls.js")),
    ("lines.js", include_str!("../page/lines.js")),
    ("renderer.js", include_str!("../page/renderer.js")),
    ("plot.js", include_str!("../page/plot.js")),
    ("options.js", include_str!("../page/options.js")),
    ("controls.js", include_str!("../page/controls.js")),
    ("saving.js", include_str!("../page/saving.js")),
    ("main.js", include_str!("../page/main.js")),
];

const FRAME: &str = include_str!("../page/index.html");
const STYLE: &str = include_str!("../page/style.css");

/// Place of the style in the document.
const STYLE_MARK: &str = "/* style.css */";

/// Place of the modules in the document.
const SCRIPT_MARK: &str = "/* modules */";

/// Place of the data of an exported run in the document.
pub const DATA_MARK: &str = "<!-- data -->";

/// Returns the document.
pub fn document() -> String {
    let script: String = MODULES.iter().map(|(_, text)| joined(text)).collect();
    FRAME.replace(STYLE_MARK, STYLE).replace(SCRIPT_MARK, &script)
}

/// Removes the imports of a module, and the word `export`. All modules share one scope then.
fn joined(module: &str) -> String {
    let mut text = String::with_capacity(module.len());
    let mut in_import = false;
    for line in module.lines() {
        in_import |= line.starts_with("import ");
        if !in_import {
            text += line.strip_prefix("export ").unwrap_or(line);
            text.push('\n');
        }
        in_import &= !line.ends_with(';');
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn the_page_is_small_and_complete() {
        let page = document();
        assert!(page.len() < 300_000, "{} bytes", page.len());
        assert!([STYLE_MARK, SCRIPT_MARK].iter().all(|mark| !page.contains(mark)) && page.contains(DATA_MARK));
    }

    #[test]
    fn the_page_names_no_other_host() {
        let page = document();
        for (place, _) in page.match_indices("://") {
            let around = &page[place.saturating_sub(60)..(place + 60).min(page.len())];
            assert!(around.contains("http://www.w3.org/"), "{around}");
        }
    }

    /// Names at the top level must be unique, because the modules are joined.
    #[test]
    fn modules_define_different_names() {
        let mut places: HashMap<&str, &str> = HashMap::new();
        for (file, text) in MODULES {
            for line in text.lines() {
                let line = line.strip_prefix("export ").unwrap_or(line);
                let line = line.strip_prefix("async ").unwrap_or(line);
                let word = ["function* ", "function ", "const ", "let ", "class "];
                let Some(rest) = word.iter().find_map(|word| line.strip_prefix(word)) else { continue };
                let name = rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("");
                assert!(!name.is_empty(), "{file}: {line}");
                if let Some(other) = places.insert(name, file) {
                    panic!("{name} is defined in {other} and {file}");
                }
            }
        }
    }
}
