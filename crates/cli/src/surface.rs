//! `granum surface`: reports, repairs, draws and generates triangulated surfaces.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use glam::DVec3;
use granum_geometry::TriangleMesh;
use granum_geometry::surface::repair::{self, Changes};
use granum_geometry::surface::report::MOST_PAIRS;
use granum_geometry::surface::{HeightGrid, Report};
use granum_output::{asc, stl};
use granum_picture::film::write_png;
use granum_picture::render::place_from_text;
use granum_picture::{View, Viewpoint, render_surface};
use granum_scene::format::{RotationTable, SurfaceError, SurfaceShape, placed};
use granum_scene::surface_file::{self, Unit};
use serde::Serialize;

use crate::render::{create_parent, size};
use crate::{Failure, overwriting};

/// Report, repair, draw or generate a triangulated surface.
///
/// Reads .stl, .obj and .ply, height grids (.asc) and point clouds (.xyz, .csv, .las), and reports
/// numbers of parts and faults. Instead of a file, --generate makes a plate, box, hopper, cylinder,
/// screw, mixer, stairs, perforated_plate or terrain from the same settings as in a scene.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  granum surface hopper.stl --unit mm --picture hopper.png
  granum surface scan.obj --repair clean.stl
  granum surface --generate hopper --set outlet=\"5 cm\" --set inlet=0.3 --set height=0.3 --out hopper.stl
  granum surface --generate terrain --set size=[90,60] --set cells=[45,30] --set height=4 --set radius=6 --out hills.asc")]
pub struct Args {
    /// Surface file
    #[arg(required_unless_present = "generate")]
    file: Option<PathBuf>,
    /// Generate a surface instead of reading one
    #[arg(long, value_name = "SHAPE", conflicts_with_all = ["file", "unit"])]
    generate: Option<String>,
    /// Set a size of the generated surface, as in a scene: outlet=0.05
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "generate")]
    settings: Vec<String>,
    /// Unit of the coordinates in the file: m, cm, mm, in or ft
    #[arg(long, value_name = "UNIT", default_value = "m", value_parser = unit)]
    unit: Unit,
    /// Factor of all lengths
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, allow_hyphen_values = true)]
    scale: f64,
    /// Rotate the surface about the axis x,y,z by an angle in degrees, after scaling
    #[arg(long, value_name = "X,Y,Z,DEGREES", allow_hyphen_values = true, value_parser = rotation)]
    rotate: Option<RotationTable>,
    /// Displace the surface by x,y,z in metres, after rotating
    #[arg(long, value_name = "X,Y,Z", default_value = "0,0,0", allow_hyphen_values = true, value_parser = place_from_text)]
    translate: DVec3,
    /// Reverse the normals
    #[arg(long)]
    flip: bool,
    /// Write the surface in metres: as binary STL (.stl), or a height grid (.asc)
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Join vertices, drop triangles without area, orient normals, and write the result as STL
    #[arg(long, value_name = "FILE")]
    repair: Option<PathBuf>,
    /// Distance up to which a repair joins vertices, relative to the diagonal of the bounds
    #[arg(long, value_name = "FRACTION", default_value_t = repair::WELD, allow_hyphen_values = true, requires = "repair")]
    weld: f64,
    /// Draw a picture (PNG): brown on the side of the normals, blue on the other side. After a
    /// repair it shows the repaired surface
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Position of the camera: auto, front, side, top, iso, or a point x,y,z in metres
    #[arg(long, value_name = "POSITION", default_value = "auto", allow_hyphen_values = true, requires = "picture")]
    camera: Viewpoint,
    /// Width and height of the picture in pixels
    #[arg(long, value_name = "WxH", default_value = "1600x1200", value_parser = size, requires = "picture")]
    size: [usize; 2],
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
    /// Overwrite files that granum has not written
    #[arg(long)]
    force: bool,
}

/// The contents of `granum surface --json`. The names are a public contract.
#[derive(Serialize)]
struct Json {
    /// The file, or the shape that was generated.
    source: String,
    #[serde(flatten)]
    figures: Figures,
    repair: Option<Repair>,
}

/// Figures of a surface, in SI units.
#[derive(Serialize)]
struct Figures {
    triangles: usize,
    vertices: usize,
    components: usize,
    area: f64,
    bounds: [DVec3; 2],
    /// Volume inside, negative if the normals point inward; null if the surface is open or its
    /// normals disagree.
    volume: Option<f64>,
    open_edges: usize,
    non_manifold_edges: usize,
    flipped_triangles: usize,
    one_sided_parts: usize,
    degenerate_triangles: usize,
    duplicate_triangles: usize,
    /// At most 100,000; more are not counted.
    intersecting_pairs: usize,
}

/// Numbers of changes that a repair has made, and the report on the result.
#[derive(Serialize)]
struct Repair {
    joined_vertices: usize,
    unused_vertices: usize,
    dropped_degenerate: usize,
    dropped_duplicates: usize,
    reversed_triangles: usize,
    after: Figures,
}

/// Reports the surface and writes the files.
pub fn run(args: &Args) -> Result<(), Failure> {
    if !(args.weld >= 0.0 && args.weld < 1.0) {
        return Err(Failure::Input(format!("--weld must be a fraction of at least 0 and below 1, not {}", args.weld)));
    }
    for path in [&args.out, &args.repair].into_iter().flatten() {
        check_ending(path)?;
    }
    let outputs: Vec<PathBuf> = [&args.out, &args.repair, &args.picture].into_iter().flatten().cloned().collect();
    let (source, mesh) = surface(args)?;
    overwriting::check(&outputs, args.force)?;

    let report = Report::of(&mesh);
    let mut text = String::new();
    let mut json = Json { source, figures: figures(&report), repair: None };
    text += &format!("{:<20} {}\n", "surface", json.source);
    text += &lines(&report, &mesh);
    let mut shown = mesh;
    if let Some(path) = &args.out {
        write_surface(&shown, path)?;
        text += &format!("{:<20} {}\n{}", "written", path.display(), rounding(&shown, path));
    }
    if let Some(path) = &args.repair {
        let (repaired, changes) =
            repair::repair(&shown, args.weld).map_err(|error| Failure::Input(format!("nothing is left: {error}")))?;
        let after = Report::of(&repaired);
        write_surface(&repaired, path)?;
        text += &format!("\n{:<20} {}\n{}{}", "repaired", path.display(), rounding(&repaired, path), changed(&changes));
        text += &lines(&after, &repaired);
        json.repair = Some(Repair {
            joined_vertices: changes.joined_vertices,
            unused_vertices: changes.unused_vertices,
            dropped_degenerate: changes.degenerate,
            dropped_duplicates: changes.duplicates,
            reversed_triangles: changes.reversed,
            after: figures(&after),
        });
        shown = repaired;
    }
    if let Some(path) = &args.picture {
        draw(&shown, args, path)?;
        text += &format!("{:<20} {}\n", "picture", path.display());
    }
    let mut out = io::stdout().lock();
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string_pretty(&json)?)?,
        false => write!(out, "{text}")?,
    }
    Ok(())
}

/// Reads or generates the surface, and returns it with the name of its source.
fn surface(args: &Args) -> Result<(String, TriangleMesh), Failure> {
    let (name, mesh) = match (&args.generate, &args.file) {
        (Some(shape), _) => {
            let shape = SurfaceShape::from_settings(shape, &args.settings).map_err(Failure::Input)?;
            let name = shape.name();
            let mesh =
                shape.mesh().map_err(|error| Failure::Input(format!("{name}: {} {}", error.field, error.reason)))?;
            (format!("generated {name}"), mesh)
        }
        (None, Some(file)) => {
            let surface = surface_file::read(file).map_err(Failure::Input)?;
            let mesh = surface.mesh(args.unit);
            let mesh = mesh.map_err(|reason| Failure::Input(format!("cannot use {}: {reason}", file.display())))?;
            (file.display().to_string(), mesh)
        }
        (None, None) => return Err(Failure::Input("give a file or --generate SHAPE".into())),
    };
    let wrong =
        |error: SurfaceError| Failure::Input(format!("--{} {}", error.field.replace('.', ": its "), error.reason));
    let mesh = placed(mesh, args.scale, args.rotate, args.translate).map_err(wrong)?;
    Ok((name, if args.flip { mesh.reversed() } else { mesh }))
}

fn figures(report: &Report) -> Figures {
    Figures {
        triangles: report.triangles,
        vertices: report.vertices,
        components: report.components,
        area: report.area,
        bounds: [report.bounds.min, report.bounds.max],
        volume: report.volume,
        open_edges: report.open_edges.len(),
        non_manifold_edges: report.non_manifold_edges.len(),
        flipped_triangles: report.flipped.len(),
        one_sided_parts: report.one_sided,
        degenerate_triangles: report.degenerate.len(),
        duplicate_triangles: report.duplicates.len(),
        intersecting_pairs: report.intersecting.len(),
    }
}

/// Returns the lines of a report. Each fault is shown with the place of its first instance.
fn lines(report: &Report, mesh: &TriangleMesh) -> String {
    let point = |point: DVec3| format!("({:.6}, {:.6}, {:.6})", point.x, point.y, point.z);
    let vertex = |index: u32| mesh.vertices()[index as usize];
    let edge = |edges: &[[u32; 2]]| edges.first().map(|&[from, to]| vertex(from).midpoint(vertex(to)));
    let triangle = |triangles: &[u32]| {
        triangles.first().map(|&triangle| mesh.corners(triangle as usize).iter().sum::<DVec3>() / 3.0)
    };
    let pairs: Vec<u32> = report.intersecting.iter().map(|pair| pair[0]).collect();
    let volume = match report.volume {
        Some(volume) if volume < 0.0 => format!("{:.6e} m3, normals inward", -volume),
        Some(volume) => format!("{volume:.6e} m3, normals outward"),
        None if report.open_edges.is_empty() => "none: the normals disagree".to_owned(),
        None => "none: the surface is open".to_owned(),
    };
    let mut text = String::new();
    let mut line = |name: &str, value: String| text += &format!("{name:<20} {value}\n");
    line("triangles", format!("{}, with {} vertices", report.triangles, report.vertices));
    line("components", report.components.to_string());
    line("area", format!("{:.6e} m2", report.area));
    line("bounds", format!("{} to {} m", point(report.bounds.min), point(report.bounds.max)));
    line("volume", volume);
    let mut fault = |name: &str, count: usize, first: Option<DVec3>| {
        let more = if name == "intersecting pairs" && count >= MOST_PAIRS { " or more" } else { "" };
        let place = first.map(|first| format!(", the first at {}", point(first))).unwrap_or_default();
        line(name, format!("{count}{more}{place}"));
    };
    fault("open edges", report.open_edges.len(), edge(&report.open_edges));
    fault("non-manifold edges", report.non_manifold_edges.len(), edge(&report.non_manifold_edges));
    fault("flipped triangles", report.flipped.len(), triangle(&report.flipped));
    fault("degenerate triangles", report.degenerate.len(), triangle(&report.degenerate));
    fault("duplicate triangles", report.duplicates.len(), triangle(&report.duplicates));
    fault("intersecting pairs", pairs.len(), triangle(&pairs));
    if report.one_sided > 0 {
        fault("one-sided parts", report.one_sided, None);
    }
    text
}

/// Returns the lines of what a repair has changed.
fn changed(changes: &Changes) -> String {
    let counts = [
        ("joined vertices", changes.joined_vertices),
        ("unused vertices", changes.unused_vertices),
        ("dropped degenerate", changes.degenerate),
        ("dropped duplicates", changes.duplicates),
        ("reversed triangles", changes.reversed),
    ];
    counts.map(|(name, count)| format!("{name:<20} {count}\n")).concat()
}

/// Rounding of an STL file that is worth a warning, relative to the diagonal of the bounds. Vertices
/// that are closer to each other than this are joined when the file is read.
const MUCH_ROUNDING: f64 = 1e-6;

/// Returns a warning if STL, whose numbers have 24 bits, moves the vertices of a surface far from
/// the origin noticeably.
fn rounding(mesh: &TriangleMesh, path: &Path) -> String {
    let bounds = mesh.bounds();
    let moved = |vertex: &DVec3| (vertex.as_vec3().as_dvec3() - *vertex).length();
    let most = mesh.vertices().iter().map(moved).fold(0.0, f64::max);
    if is_grid(path) || most <= MUCH_ROUNDING * (bounds.max - bounds.min).length() {
        return String::new();
    }
    let [x, y, z] = (-bounds.min.midpoint(bounds.max)).round().to_array();
    format!(
        "{:<20} STL stores 24 bits of a coordinate, which moves vertices by up to {most:.1e} m; \
         --translate={x},{y},{z} would bring the surface to the origin first\n",
        "warning"
    )
}

/// Returns whether a file is a height grid, by its ending.
fn is_grid(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("asc"))
}

/// Checks that a surface can be written in the format of the ending of a file.
fn check_ending(path: &Path) -> Result<(), Failure> {
    if is_grid(path) || path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("stl")) {
        return Ok(());
    }
    Err(Failure::Input(format!("cannot write {}: the ending must be .stl or .asc", path.display())))
}

fn write_surface(mesh: &TriangleMesh, path: &Path) -> Result<(), Failure> {
    let grid = is_grid(path).then(|| HeightGrid::of(mesh)).transpose().map_err(|reason| {
        Failure::Input(format!("cannot write {}: the surface is no height grid, since {reason}", path.display()))
    })?;
    create_parent(path)?;
    let write = || -> io::Result<()> {
        let mut to = BufWriter::new(File::create(path)?);
        match &grid {
            Some(grid) => asc::write(grid, &mut to)?,
            None => stl::write_surface(mesh, &mut to)?,
        }
        to.flush()
    };
    write().map_err(|error| Failure::unwritable(path, &error))
}

fn draw(mesh: &TriangleMesh, args: &Args, path: &Path) -> Result<(), Failure> {
    let view = View { size: args.size, from: args.camera, ..View::default() };
    let image = render_surface(mesh, &view).map_err(|error| Failure::Input(error.to_string()))?;
    create_parent(path)?;
    let write = || -> io::Result<()> {
        let mut to = BufWriter::new(File::create(path)?);
        write_png(&image, &mut to)?;
        to.flush()
    };
    write().map_err(|error| Failure::unwritable(path, &error))
}

fn unit(text: &str) -> Result<Unit, String> {
    Unit::ALL.into_iter().find(|unit| unit.name() == text).ok_or_else(|| {
        let names: Vec<&str> = Unit::ALL.iter().map(|unit| unit.name()).collect();
        format!("must be one of {}", names.join(", "))
    })
}

/// Parses `x,y,z,degrees`.
fn rotation(text: &str) -> Result<RotationTable, String> {
    let wrong = || "must be an axis and an angle in degrees, such as 0,0,1,90".to_owned();
    let (axis, degrees) = text.rsplit_once(',').ok_or_else(wrong)?;
    let degrees: f64 = degrees.trim().parse().map_err(|_| wrong())?;
    Ok(RotationTable { axis: place_from_text(axis).map_err(|_| wrong())?, angle: degrees.to_radians() })
}
