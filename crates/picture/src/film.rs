//! Image files: PNG, animated GIF, and MP4 if ffmpeg is installed.

use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use granum_output::overwrite::MARK;

use crate::image::Image;

/// Writes a PNG.
pub fn write_png(image: &Image, to: impl Write) -> io::Result<()> {
    let mut encoder = png::Encoder::new(to, image.width as u32, image.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.add_text_chunk("Comment".to_owned(), MARK.to_owned()).map_err(io::Error::other)?;
    let mut writer = encoder.write_header().map_err(io::Error::other)?;
    writer.write_image_data(image.pixels.as_flattened()).map_err(io::Error::other)?;
    writer.finish().map_err(io::Error::other)
}

/// Writes an animated GIF that repeats forever, frame by frame.
pub struct Gif<W: Write> {
    encoder: gif::Encoder<W>,
    /// Duration of a frame, in hundredths of a second.
    delay: u16,
}

impl<W: Write> Gif<W> {
    /// Starts a GIF of frames of equal size.
    pub fn new(to: W, width: usize, height: usize, pictures_per_second: f64) -> io::Result<Self> {
        let mut encoder = gif::Encoder::new(to, width as u16, height as u16, &[]).map_err(io::Error::other)?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(io::Error::other)?;
        let comment = gif::Extension::Comment.into();
        encoder.write_raw_extension(comment, &[MARK.as_bytes()]).map_err(io::Error::other)?;
        // Many viewers show frames shorter than a fiftieth of a second more slowly.
        let delay = (100.0 / pictures_per_second).round().clamp(2.0, 6000.0) as u16;
        Ok(Self { encoder, delay })
    }

    /// Adds a picture.
    pub fn add(&mut self, image: &Image) -> io::Result<()> {
        // Speed of the colour quantiser, from 1 (best colours) to 30 (fastest). Lower values than
        // this make no visible difference.
        const SPEED: i32 = 10;
        let (width, height) = (image.width as u16, image.height as u16);
        let mut frame = gif::Frame::from_rgb_speed(width, height, image.pixels.as_flattened(), SPEED);
        frame.delay = self.delay;
        self.encoder.write_frame(&frame).map_err(io::Error::other)
    }
}

/// Writes an MP4 through ffmpeg, which must be installed.
pub struct Mp4 {
    ffmpeg: Child,
}

impl Mp4 {
    /// Starts a film of frames of equal size. Width and height must be even, because the format
    /// halves the colour resolution.
    pub fn new(path: &Path, width: usize, height: usize, pictures_per_second: f64) -> io::Result<Self> {
        let (size, rate) = (format!("{width}x{height}"), pictures_per_second.to_string());
        let ffmpeg = Command::new("ffmpeg")
            .args(["-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", &size, "-r", &rate])
            .args(["-i", "-", "-pix_fmt", "yuv420p", "-crf", "18", "-movflags", "+faststart"])
            .args(["-metadata", &format!("comment={MARK}")])
            .arg(path)
            .stdin(Stdio::piped())
            .spawn()
            .map_err(|error| match error.kind() {
                ErrorKind::NotFound => io::Error::other(
                    "a film in MP4 needs the program ffmpeg, which was not found: install it, or name a .gif",
                ),
                _ => error,
            })?;
        Ok(Self { ffmpeg })
    }

    /// Adds a picture.
    pub fn add(&mut self, image: &Image) -> io::Result<()> {
        match &mut self.ffmpeg.stdin {
            Some(pipe) => pipe.write_all(image.pixels.as_flattened()),
            None => Err(io::Error::other("ffmpeg takes no pictures")),
        }
    }

    /// Finishes the film and waits until it is written.
    pub fn finish(mut self) -> io::Result<()> {
        drop(self.ffmpeg.stdin.take());
        let status = self.ffmpeg.wait()?;
        if status.success() { Ok(()) } else { Err(io::Error::other(format!("ffmpeg failed: {status}"))) }
    }
}
