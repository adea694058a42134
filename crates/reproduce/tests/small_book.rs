//! The short forms of all experiments: a book that is interrupted and continued.

use std::cell::Cell;
use std::fs;

use granum_reproduce::{Observer, Stopped, book, experiments};

/// Stops after a number of parts.
struct Parts(Cell<usize>);

impl Observer for Parts {
    fn is_stopped(&self) -> bool {
        self.0.get() == 0
    }

    fn progress(&self, fraction: f64) {
        assert!((0.0..=1.0).contains(&fraction));
        self.0.set(self.0.get().saturating_sub(1));
    }
}

#[test]
fn an_interrupted_book_continues_and_holds_every_experiment() {
    let out = std::env::temp_dir().join(format!("granum_reproduce_{}", std::process::id()));
    let write = |parts: usize| book::write_all(experiments::ALL, &out, true, &Parts(Cell::new(parts)), |_| ());
    // Less than the parts of two experiments.
    assert!(matches!(write(5), Err(Stopped::Interrupted)));
    assert!(out.join("martinez-examples/small.json").exists(), "a completed page is kept");
    write(usize::MAX).unwrap();

    let html = fs::read_to_string(out.join("book.html")).unwrap();
    let markdown = fs::read_to_string(out.join("book.md")).unwrap();
    assert!(!html.contains("src=\"") && !html.contains("href=\"http"), "the book needs no other files");
    for experiment in experiments::ALL {
        let folder = out.join(experiment.name);
        assert!(markdown.contains(&format!("{}/page.md", experiment.name)));
        assert!(!folder.join("small.json").exists() && !folder.join("parts_small").exists(), "{}", experiment.name);
        let page = fs::read_to_string(folder.join("page.md")).unwrap();
        assert!(!page.contains("NaN"), "{}", experiment.name);
        for line in page.lines().filter(|line| line.starts_with("![")) {
            let picture = line.split_once("](").unwrap().1.trim_end_matches(')');
            assert!(folder.join(picture).exists(), "{}: {picture}", experiment.name);
            assert!(fs::metadata(folder.join(picture)).unwrap().len() < 300_000, "{picture} is large");
        }
    }
    fs::remove_dir_all(out).unwrap();
}
