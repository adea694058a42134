//! Export of the page with the frames of a run as one file, which needs no server.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::data::{Contents, Missing, Run, quantities};
use crate::page::{DATA_MARK, document};

/// The reason for which a file could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The run cannot be read.
    #[error("{0}")]
    Missing(#[from] Missing),
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

/// Writes the page and some frames with all their quantities and contacts.
pub fn write(run: &Run, numbers: &[u64], file: &mut dyn Write) -> Result<(), ExportError> {
    let page = document();
    let (before, after) = page.split_once(DATA_MARK).unwrap_or((&page, ""));
    file.write_all(before.as_bytes())?;
    if let Some(mut description) = run.description(None)? {
        if let Some(frames) = description["frames"].as_array_mut() {
            frames.retain(|frame| frame[0].as_u64().is_some_and(|number| numbers.contains(&number)));
        }
        description["live"] = false.into();
        embed(file, "run", description.to_string().as_bytes())?;
    }
    if let Ok(energies) = run.energies() {
        embed(file, "energies", &energies)?;
    }
    let contents = Contents { quantities: quantities::names().map(str::to_owned).collect(), contacts: true };
    let mut last: Option<(usize, u64)> = None;
    for &number in numbers {
        embed(file, &format!("frame/{number}"), &run.frame_message(number, &contents)?)?;
        // The list of shapes grows during a run.
        let count = run.frame(number)?.shapes.len();
        if last.is_none_or(|(known, _)| count > known) {
            last = Some((count, number));
        }
    }
    if let Some((_, number)) = last {
        embed(file, "shapes", &run.shapes(number)?)?;
    }
    file.write_all(after.as_bytes())?;
    Ok(())
}

/// Writes data as compressed text in an element that no browser executes.
fn embed(file: &mut dyn Write, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes)?;
    let text = base64(&packed.finish()?);
    writeln!(file, "<script type=\"application/octet-stream\" data-name=\"{name}\">{text}</script>")
}

/// Encodes bytes as text (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let part = |k: usize| u32::from(chunk.get(k).copied().unwrap_or(0));
        let bits = part(0) << 16 | part(1) << 8 | part(2);
        for k in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * k) & 63) as usize];
            text.push(if k <= chunk.len() { letter.into() } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_the_standard() {
        let pairs = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (bytes, text) in pairs {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
