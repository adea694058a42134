//! `granum render`: pictures of the frames of a run.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use glam::DVec3;
use granum_output::{Frame, FrameEntry, RunFolder};
use granum_picture::film::{Gif, Mp4, write_png};
use granum_picture::render::{cut_from_text, place_from_text};
use granum_picture::{ColourMap, Framing, Image, Lens, Quantity, Subject, SurfaceQuantity, View, Viewpoint, render};

use crate::{Failure, overwriting};

/// Folder of the pictures in the folder of a run.
const PICTURES: &str = "pictures";

/// Draw pictures of the frames of a run.
///
/// Draws the exact shapes with lighting, coloured by a quantity, with a colour bar and the time. It
/// needs no screen and no other program. All pictures of one command have the same view and
/// colours.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  granum render out/first_run                                   the last frame, coloured by speed
  granum render out/first_run --colour force --cut -y=0.04     the part behind y = 4 cm, by contact force
  granum render out/first_run --camera top --orthographic
  granum render out/mixer --surface-colour friction-work          wear of the paddles
  granum render out/first_run --animation pour.gif --size 800x600")]
pub struct Args {
    /// Folder of the run
    dir: PathBuf,
    /// Picture to write; with --frame all, a folder [default: DIR/pictures/frame_NUMBER.png]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Frames to draw: a number, last or all
    #[arg(long, value_name = "N|last|all", default_value = "last")]
    frame: Which,
    /// Animation of all frames: a .gif, or an .mp4 if the program ffmpeg is installed
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "frame"])]
    animation: Option<PathBuf>,
    /// Pictures per second of the animation
    #[arg(long, value_name = "N", default_value_t = 25.0)]
    rate: f64,
    /// Quantity that the colours show: speed, angular-speed, height, size, mass, id, material,
    /// kind, orientation, force, coordination, pressure or none
    #[arg(long, value_name = "QUANTITY", default_value_t = Quantity::Speed)]
    colour: Quantity,
    /// Colour map: viridis, inferno, diverging, grey, heat or earth
    #[arg(long, value_name = "NAME", default_value = "viridis", value_parser = colour_map)]
    colours: ColourMap,
    /// Values of the first and the last colour, in SI units [default: the range in the frames]
    #[arg(long, value_name = "MIN:MAX", allow_hyphen_values = true, value_parser = range)]
    range: Option<[f64; 2]>,
    /// Quantity that the colours of triangulated surfaces show: height, pressure, peak-pressure,
    /// friction-work, impact-work or none. All but height need `wear = true` on a surface of the
    /// scene
    #[arg(long, value_name = "QUANTITY", default_value_t = SurfaceQuantity::None)]
    surface_colour: SurfaceQuantity,
    /// Colour map of triangulated surfaces [default: earth for the height, heat for the others]
    #[arg(long, value_name = "NAME", value_parser = colour_map)]
    surface_colours: Option<ColourMap>,
    /// Values of the first and the last colour of triangulated surfaces, in SI units [default: from
    /// the frames; the largest values on 1 % of the loaded area have the last colour]
    #[arg(long, value_name = "MIN:MAX", allow_hyphen_values = true, value_parser = range)]
    surface_range: Option<[f64; 2]>,
    /// Position of the camera: auto, front, side, top, iso, or a point x,y,z in metres
    #[arg(long, value_name = "POSITION", default_value = "auto", allow_hyphen_values = true)]
    camera: Viewpoint,
    /// Point in the middle of the picture, x,y,z in metres [default: the middle of the scene]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = place_from_text)]
    look_at: Option<DVec3>,
    /// Magnification relative to a picture that contains the whole scene
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    zoom: f64,
    /// Draw without perspective
    #[arg(long)]
    orthographic: bool,
    /// Remove all bodies beyond a plane: x=0.02 removes larger x, -x=0.02 smaller x, in metres
    #[arg(long, value_name = "PLANE", allow_hyphen_values = true, value_parser = cut_from_text)]
    cut: Option<(DVec3, f64)>,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "1600x1200", value_parser = size)]
    size: [usize; 2],
    /// Omit the colour bar and the time
    #[arg(long)]
    no_legend: bool,
    /// Omit the walls
    #[arg(long)]
    no_walls: bool,
    /// Overwrite files that granum has not written
    #[arg(long)]
    force: bool,
    /// Print nothing but errors
    #[arg(long)]
    quiet: bool,
}

/// The value of `--frame`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Number(u64),
    Last,
    All,
}

impl std::str::FromStr for Which {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "last" => Ok(Self::Last),
            "all" => Ok(Self::All),
            number => number.parse().map(Self::Number).map_err(|_| "must be a number, last or all".into()),
        }
    }
}

/// Draws the pictures or the animation.
pub fn run(args: &Args) -> Result<(), Failure> {
    if !(args.zoom.is_finite() && args.zoom > 0.0) {
        return Err(Failure::Input(format!("--zoom must be a positive number, not {}", args.zoom)));
    }
    if !(args.rate.is_finite() && args.rate > 0.0) {
        return Err(Failure::Input(format!("--rate must be a positive number, not {}", args.rate)));
    }
    let folder = RunFolder::open(&args.dir).map_err(|error| Failure::Input(error.to_string()))?;
    let drawing = Drawing { args, view: view(args), entries: chosen(args, &folder)?, folder };
    match &args.animation {
        Some(path) => drawing.animation(path),
        None => drawing.pictures(),
    }
}

/// Returns the view that the arguments describe.
fn view(args: &Args) -> View {
    View {
        size: args.size,
        from: args.camera,
        look_at: args.look_at,
        zoom: args.zoom,
        lens: if args.orthographic { Lens::Orthographic } else { Lens::Perspective },
        cut: args.cut,
        colour: args.colour,
        map: args.colours,
        range: args.range,
        surface_colour: args.surface_colour,
        surface_map: args.surface_colours,
        surface_range: args.surface_range,
        legend: !args.no_legend,
        walls: !args.no_walls,
    }
}

/// Returns the chosen frames; an error if the run has none.
fn chosen(args: &Args, folder: &RunFolder) -> Result<Vec<FrameEntry>, Failure> {
    let frames = folder.frames();
    let Some(last) = frames.last() else {
        let reason = folder
            .damaged()
            .first()
            .map_or_else(|| "set `frames` in [output] of the scene".to_owned(), ToString::to_string);
        return Err(Failure::Input(format!("{} has no frames: {reason}", args.dir.display())));
    };
    let which = if args.animation.is_some() { Which::All } else { args.frame };
    match which {
        Which::All => Ok(frames.to_vec()),
        Which::Last => Ok(vec![*last]),
        Which::Number(number) => {
            frames.iter().find(|entry| entry.number == number).map(|entry| vec![*entry]).ok_or_else(|| {
                Failure::Input(format!(
                    "--frame {number}: unknown frame; expected {} to {}",
                    frames[0].number, last.number
                ))
            })
        }
    }
}

/// A run with the frames and the view of its pictures.
struct Drawing<'a> {
    args: &'a Args,
    view: View,
    entries: Vec<FrameEntry>,
    folder: RunFolder,
}

impl Drawing<'_> {
    fn frame(&self, entry: &FrameEntry) -> Result<Frame, Failure> {
        self.folder.frame(entry.number).map_err(|error| Failure::Input(error.to_string()))
    }

    /// Returns the framing that all pictures share.
    fn framing(&self) -> Result<Framing, Failure> {
        let mut framing: Option<Framing> = None;
        for entry in &self.entries {
            let frame = self.frame(entry)?;
            if self.view.surface_colour.needs_wear() && frame.wear.is_empty() {
                return Err(Failure::Input(format!(
                    "--surface-colour {}: {} has no load and wear of surfaces; set `wear = true` in [[surfaces]] of \
                     the scene",
                    self.view.surface_colour,
                    self.args.dir.display()
                )));
            }
            let own = Framing::of(&subject(&frame), &self.view);
            framing = Some(framing.map_or(own, |others| others.and(own)));
        }
        framing.ok_or_else(|| Failure::Input("no frames to draw".into()))
    }

    /// Draws one frame.
    fn picture(&self, entry: &FrameEntry, framing: &Framing) -> Result<Image, Failure> {
        render(&subject(&self.frame(entry)?), &self.view, framing).map_err(|error| Failure::Input(error.to_string()))
    }

    /// Writes a picture of each frame.
    fn pictures(&self) -> Result<(), Failure> {
        let path = |entry: &FrameEntry| {
            let name = format!("frame_{:06}.png", entry.number);
            match (&self.args.out, self.args.frame) {
                (Some(folder), Which::All) => folder.join(name),
                (Some(file), _) => file.clone(),
                (None, _) => self.args.dir.join(PICTURES).join(name),
            }
        };
        let paths: Vec<PathBuf> = self.entries.iter().map(path).collect();
        overwriting::check(&paths, self.args.force)?;
        let framing = self.framing()?;
        for (entry, path) in self.entries.iter().zip(paths) {
            create_parent(&path)?;
            let image = self.picture(entry, &framing)?;
            let write = || -> io::Result<()> {
                let mut to = BufWriter::new(File::create(&path)?);
                write_png(&image, &mut to)?;
                to.flush()
            };
            write().map_err(|error| Failure::unwritable(&path, &error))?;
            self.print(&format!("{}  t = {:.6} s", path.display(), entry.time));
        }
        Ok(())
    }

    /// Writes an animation of all frames.
    fn animation(&self, path: &Path) -> Result<(), Failure> {
        let [width, height] = self.view.size;
        let unwritable = |error: io::Error| Failure::unwritable(path, &error);
        overwriting::check(&[path.to_owned()], self.args.force)?;
        create_parent(path)?;
        let framing = self.framing()?;
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("gif") => {
                let to = BufWriter::new(File::create(path).map_err(unwritable)?);
                let mut gif = Gif::new(to, width, height, self.args.rate).map_err(unwritable)?;
                for entry in &self.entries {
                    gif.add(&self.picture(entry, &framing)?).map_err(unwritable)?;
                }
            }
            Some("mp4") if width % 2 == 1 || height % 2 == 1 => {
                return Err(Failure::Input(format!(
                    "--size {width}x{height}: width and height of an mp4 must be even"
                )));
            }
            Some("mp4") => {
                let mut film = Mp4::new(path, width, height, self.args.rate).map_err(unwritable)?;
                for entry in &self.entries {
                    film.add(&self.picture(entry, &framing)?).map_err(unwritable)?;
                }
                film.finish().map_err(unwritable)?;
            }
            _ => {
                return Err(Failure::Input(format!(
                    "--animation {}: the name must end with .gif or .mp4",
                    path.display()
                )));
            }
        }
        self.print(&format!("{}  {} pictures", path.display(), self.entries.len()));
        Ok(())
    }

    /// Prints a line, unless `--quiet` is given. Errors of writing are ignored.
    fn print(&self, text: &str) {
        if !self.args.quiet {
            let _ = writeln!(io::stdout(), "{text}");
        }
    }
}

fn subject(frame: &Frame) -> Subject<'_> {
    Subject {
        time: frame.time,
        bodies: &frame.bodies,
        contacts: &frame.contacts,
        wear: &frame.wear,
        shapes: &frame.shapes,
        materials: &frame.materials,
    }
}

/// Creates the folder of a file.
pub fn create_parent(path: &Path) -> Result<(), Failure> {
    match path.parent() {
        Some(parent) => fs::create_dir_all(parent).map_err(|error| Failure::unwritable(parent, &error)),
        None => Ok(()),
    }
}

fn colour_map(text: &str) -> Result<ColourMap, String> {
    ColourMap::ALL.into_iter().find(|map| map.name() == text).ok_or_else(|| {
        let names: Vec<&str> = ColourMap::ALL.iter().map(|map| map.name()).collect();
        format!("must be one of {}", names.join(", "))
    })
}

fn range(text: &str) -> Result<[f64; 2], String> {
    let message = || "must be two numbers, the smaller first, such as 0:1.5".to_owned();
    let (min, max) = text.split_once(':').ok_or_else(message)?;
    let number = |part: &str| part.trim().parse::<f64>().map_err(|_| message());
    let (min, max) = (number(min)?, number(max)?);
    if min.is_finite() && max.is_finite() && min < max { Ok([min, max]) } else { Err(message()) }
}

/// Parses the size of a picture.
pub fn size(text: &str) -> Result<[usize; 2], String> {
    let message = || "must be a width and a height in pixels, such as 1600x1200".to_owned();
    let (width, height) = text.split_once('x').ok_or_else(message)?;
    match (width.trim().parse(), height.trim().parse()) {
        (Ok(width), Ok(height)) => Ok([width, height]),
        _ => Err(message()),
    }
}
