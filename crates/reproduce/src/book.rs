//! Running experiments and writing their pages.
//!
//! The folder of an experiment holds `page.md`, `page.html` and its pictures. While a book is not
//! complete, `page.json` keeps the pages that are; the last page of a book removes these files.

use std::fs;
use std::path::Path;

use granum_output::atomic_file::write_text;

use crate::page::{document, forms, with_code};
use crate::{Block, Experiment, Observer, Page, Session, Stopped, Table, Verdict};

/// Runs one experiment and writes its page into the folder `out`/name.
pub fn write_one(
    experiment: &Experiment,
    out: &Path,
    is_small: bool,
    observer: &dyn Observer,
) -> Result<Page, Stopped> {
    let folder = out.join(experiment.name);
    let mut session = Session::new(&folder, is_small, observer);
    let page = (experiment.run)(&mut session)?;
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        write_text(&path, text).map_err(|error| Stopped::Unwritable { path, error })
    };
    fs::create_dir_all(&folder).map_err(|error| Stopped::Unwritable { path: folder.clone(), error })?;
    for block in &page.blocks {
        if let Block::Picture { name, svg, .. } = block {
            write(&format!("{name}.svg"), svg)?;
        }
    }
    write("page.md", &page.markdown(""))?;
    write("page.html", &page.html())?;
    session.finish();
    Ok(page)
}

/// Runs the experiments that have no page yet, and writes the book of all pages into `out`.
/// `begin` is called before each experiment.
pub fn write_all(
    experiments: &[&Experiment],
    out: &Path,
    is_small: bool,
    observer: &dyn Observer,
    begin: impl Fn(&Experiment),
) -> Result<(), Stopped> {
    let stored =
        |experiment: &Experiment| out.join(experiment.name).join(if is_small { "small.json" } else { "page.json" });
    let mut pages = Vec::new();
    for experiment in experiments {
        let path = stored(experiment);
        let known = fs::read_to_string(&path).ok().and_then(|text| serde_json::from_str(&text).ok());
        let page = match known {
            Some(page) => page,
            None => {
                begin(experiment);
                let page = write_one(experiment, out, is_small, observer)?;
                let text = serde_json::to_string(&page).expect("pages are plain data");
                write_text(&path, &text).map_err(|error| Stopped::Unwritable { path, error })?;
                page
            }
        };
        pages.push((experiment.name, page));
    }
    let [summary_markdown, summary_html] = forms(&summary(&pages));
    let intro = "Published results beside those of granum, by `granum reproduce --all`.";
    let mut markdown = format!("# Published results and granum\n\n{intro}\n\n{summary_markdown}");
    let mut body = format!("<h1>Published results and granum</h1>\n<p>{}</p>\n{summary_html}", with_code(intro));
    for (name, page) in &pages {
        markdown.push_str(&format!("- [{}]({name}/page.md)\n", page.title));
        body.push_str(&page.html_body());
    }
    let write = |name: &str, text: &str| {
        let path = out.join(name);
        write_text(&path, text).map_err(|error| Stopped::Unwritable { path, error })
    };
    write("book.md", &markdown)?;
    write("book.html", &document("Published results and granum", &body))?;
    for experiment in experiments {
        // A page that stays behind would only be used again by an interrupted book.
        let _ = fs::remove_file(stored(experiment));
    }
    Ok(())
}

/// Returns the summary: how many results of each experiment are reproduced, corrected, or differ.
fn summary(pages: &[(&str, Page)]) -> Table {
    let mut table = Table::new(["experiment", "source", "reproduced", "corrected", "differs because"]);
    for (name, page) in pages {
        let count = |verdict| page.count(verdict).to_string();
        let reasons: Vec<&str> = page
            .comparisons
            .iter()
            .filter(|comparison| comparison.verdict == Verdict::Differs)
            .map(|comparison| comparison.reason.as_str())
            .collect();
        let count_of_reasons = reasons.len();
        let mut different: Vec<&str> = Vec::new();
        for reason in reasons {
            if !different.contains(&reason) {
                different.push(reason);
            }
        }
        let differs = match count_of_reasons {
            0 => "0".to_owned(),
            count => format!("{count}: {}", different.join("; ")),
        };
        table.row([
            (*name).to_owned(),
            page.source.clone(),
            count(Verdict::Reproduced),
            count(Verdict::Corrected),
            differs,
        ]);
    }
    table
}
