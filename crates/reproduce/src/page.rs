//! A page of the book, and its two forms: Markdown with pictures as files, and one self-contained
//! HTML file.

use serde::{Deserialize, Serialize};

/// How a published result compares with ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// The published result is what granum computes by the published method.
    Reproduced,
    /// The publication has an error, and the correct result is given.
    Corrected,
    /// The results differ for a reason that is given.
    Differs,
}

impl Verdict {
    /// Returns the word in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Corrected => "corrected",
            Self::Differs => "differs because",
        }
    }
}

/// A published result beside ours.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Comparison {
    /// The quantity, with its unit.
    pub quantity: String,
    /// The published value.
    pub published: String,
    /// The value by the published method in granum.
    pub ours: String,
    /// The exact value, or that of granum's own method; empty if it is not known.
    pub exact: String,
    /// The result of the comparison.
    pub verdict: Verdict,
    /// The reason; empty for a result that is reproduced.
    pub reason: String,
}

/// A table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Table {
    /// Names of the columns.
    pub head: Vec<String>,
    /// Rows of cells.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates a table without rows.
    pub fn new<const N: usize>(head: [&str; N]) -> Self {
        Self { head: head.map(str::to_owned).into(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        debug_assert_eq!(N, self.head.len());
        self.rows.push(cells.into());
    }

    fn markdown(&self, text: &mut String) {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        text.push_str(&line(&self.head));
        text.push_str(&line(&vec!["---".to_owned(); self.head.len()]));
        self.rows.iter().for_each(|row| text.push_str(&line(row)));
        text.push('\n');
    }

    fn html(&self, text: &mut String) {
        let line = |cells: &[String], tag: &str| {
            let cells: String = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect();
            format!("<tr>{cells}</tr>\n")
        };
        text.push_str("<table>\n");
        text.push_str(&line(&self.head, "th"));
        self.rows.iter().for_each(|row| text.push_str(&line(row, "td")));
        text.push_str("</table>\n");
    }
}

/// A part of a page.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Block {
    /// A heading of the second level.
    Heading(String),
    /// A paragraph of plain text.
    Text(String),
    /// A table.
    Table(Table),
    /// A picture.
    Picture {
        /// Name of its file, without the ending `.svg`.
        name: String,
        /// Text of the SVG file.
        svg: String,
        /// Description below the picture.
        caption: String,
    },
}

/// The page of an experiment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Page {
    /// Title.
    pub title: String,
    /// Key of the publication, and the sections, tables and figures of it.
    pub source: String,
    /// What the page shows, in order.
    pub blocks: Vec<Block>,
    /// The published results beside ours.
    pub comparisons: Vec<Comparison>,
}

impl Page {
    /// Creates a page without content.
    pub fn new(title: &str, source: &str) -> Self {
        Self { title: title.into(), source: source.into(), blocks: Vec::new(), comparisons: Vec::new() }
    }

    /// Adds a heading.
    pub fn heading(&mut self, text: &str) {
        self.blocks.push(Block::Heading(text.into()));
    }

    /// Adds a paragraph.
    pub fn text(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Text(text.into()));
    }

    /// Adds a table.
    pub fn table(&mut self, table: Table) {
        self.blocks.push(Block::Table(table));
    }

    /// Adds a picture.
    pub fn picture(&mut self, name: &str, svg: String, caption: &str) {
        self.blocks.push(Block::Picture { name: name.into(), svg, caption: caption.into() });
    }

    /// Adds a published result that granum reproduces.
    pub fn reproduced(&mut self, quantity: impl Into<String>, published: impl Into<String>, ours: impl Into<String>) {
        self.compare(quantity, published, ours, "", Verdict::Reproduced, "");
    }

    /// Adds a published result beside ours.
    pub fn compare(
        &mut self,
        quantity: impl Into<String>,
        published: impl Into<String>,
        ours: impl Into<String>,
        exact: impl Into<String>,
        verdict: Verdict,
        reason: impl Into<String>,
    ) {
        self.comparisons.push(Comparison {
            quantity: quantity.into(),
            published: published.into(),
            ours: ours.into(),
            exact: exact.into(),
            verdict,
            reason: reason.into(),
        });
    }

    /// Returns the number of comparisons with a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.comparisons.iter().filter(|comparison| comparison.verdict == verdict).count()
    }

    /// Returns how many results are reproduced, corrected, and different.
    pub fn verdicts(&self) -> [usize; 3] {
        [Verdict::Reproduced, Verdict::Corrected, Verdict::Differs].map(|verdict| self.count(verdict))
    }

    /// Returns the comparisons as a table.
    fn comparison_table(&self) -> Table {
        let mut table =
            Table::new(["quantity", "published", "published method in granum", "exact or default", "verdict"]);
        for row in &self.comparisons {
            let verdict = match row.reason.is_empty() {
                true => row.verdict.name().to_owned(),
                false => format!("{}: {}", row.verdict.name(), row.reason),
            };
            table.row([row.quantity.clone(), row.published.clone(), row.ours.clone(), row.exact.clone(), verdict]);
        }
        table
    }

    /// Returns the page as Markdown. `folder` is the path of the pictures from the page.
    pub fn markdown(&self, folder: &str) -> String {
        let mut text = format!("# {}\n\nSource: {}\n\n", self.title, self.source);
        self.comparison_table().markdown(&mut text);
        for block in &self.blocks {
            match block {
                Block::Heading(heading) => text.push_str(&format!("## {heading}\n\n")),
                Block::Text(paragraph) => text.push_str(&format!("{paragraph}\n\n")),
                Block::Table(table) => table.markdown(&mut text),
                Block::Picture { name, caption, .. } => {
                    text.push_str(&format!("![{caption}]({folder}{name}.svg)\n\n{caption}\n\n"));
                }
            }
        }
        text
    }

    /// Returns the body of the page as HTML, with its pictures.
    pub fn html_body(&self) -> String {
        let mut text = format!("<h1>{}</h1>\n<p>Source: {}</p>\n", escaped(&self.title), escaped(&self.source));
        self.comparison_table().html(&mut text);
        for block in &self.blocks {
            match block {
                Block::Heading(heading) => text.push_str(&format!("<h2>{}</h2>\n", escaped(heading))),
                Block::Text(paragraph) => text.push_str(&format!("<p>{}</p>\n", with_code(paragraph))),
                Block::Table(table) => table.html(&mut text),
                Block::Picture { svg, caption, .. } => {
                    let caption = escaped(caption);
                    text.push_str(&format!("<figure>\n{svg}<figcaption>{caption}</figcaption></figure>\n"));
                }
            }
        }
        text
    }

    /// Returns the page as one HTML file.
    pub fn html(&self) -> String {
        document(&self.title, &self.html_body())
    }
}

/// Returns a table as Markdown, and as HTML.
pub(crate) fn forms(table: &Table) -> [String; 2] {
    let mut forms = [String::new(), String::new()];
    table.markdown(&mut forms[0]);
    table.html(&mut forms[1]);
    forms
}

/// Returns an HTML file that needs no other files.
pub(crate) fn document(title: &str, body: &str) -> String {
    const STYLE: &str = "body{font-family:sans-serif;max-width:60em;margin:2em auto;padding:0 1em;line-height:1.4}\
        table{border-collapse:collapse;margin:1em 0;font-size:90%}td,th{border:1px solid #bbb;padding:.2em .6em;\
        text-align:left;vertical-align:top}th{background:#eee}figure{margin:1em 0}svg{max-width:100%;height:auto}";
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{title}</title>\
         <style>{STYLE}</style></head>\n<body>\n{body}</body>\n</html>\n"
    )
}

/// Returns text as HTML, in which backquotes enclose code.
pub(crate) fn with_code(text: &str) -> String {
    let parts = escaped(text).split('`').map(str::to_owned).collect::<Vec<_>>();
    let part = |(k, part): (usize, &String)| if k % 2 == 1 { format!("<code>{part}</code>") } else { part.clone() };
    parts.iter().enumerate().map(part).collect()
}

/// Returns text with the characters that HTML reserves replaced.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_hold_the_comparison_and_reserved_characters() {
        let mut page = Page::new("A & b", "[Feng2017]");
        page.compare("|f| < 1", "2", "3", "3", Verdict::Corrected, "a sign");
        page.text("From `a < b` it follows.");
        page.picture("curve", "<svg></svg>\n".into(), "A curve");
        let (markdown, html) = (page.markdown("pictures/"), page.html());
        assert!(markdown.contains("| \\|f\\| < 1 | 2 | 3 | 3 | corrected: a sign |"), "{markdown}");
        assert!(markdown.contains("![A curve](pictures/curve.svg)"));
        assert!(html.contains("<td>|f| &lt; 1</td>") && html.contains("<svg></svg>") && html.contains("A &amp; b"));
        assert!(html.contains("<p>From <code>a &lt; b</code> it follows.</p>"), "{html}");
        assert_eq!([page.count(Verdict::Corrected), page.count(Verdict::Reproduced)], [1, 0]);
    }
}
