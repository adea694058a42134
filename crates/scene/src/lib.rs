//! Scene files: TOML in, a checked [`Scene`] in SI units, and from it a [`granum_engine::World`].
//!
//! A quantity is a number in SI units or a text with its unit. Keys may stand in any order; one that is not known is
//! refused. Errors name the file, the line and the field.
//!
//! With `dimension = 2` a scene lies in the plane: vectors have two components, a spin is a number, down is -y, the faces of a
//! container are left, right, bottom and top, and the shapes are planar (disc, ellipse, superellipse; as walls also
//! half_space, segment and inside_circle). `orientation = "random"` turns every grain its own way.
//!
//! ```
//! let text = r#"
//! gravity = [0, 0, -9.81]             # m/s2; this is the default
//!
//! [time]
//! end = "2 s"
//! step = "auto"                       # the default; or a time
//! output = "20 ms"                    # default: a hundredth of `end`
//!
//! [materials.glass]
//! density = "2.5 g/cm3"
//! young = "70 GPa"                    # `young` and `poisson` for Hertz and Mindlin laws only
//! poisson = 0.22
//!
//! [[contact]]                         # one for every two materials that can meet
//! between = ["glass", "glass"]
//! law = "linear"                      # with `stiffness` or `contact_time`; or "hertz"
//! stiffness = "1 kN/m"
//! restitution = 0.9
//! friction = 0.3
//! rolling_friction = 0.01             # default 0
//! spinning_friction = 0.0             # default 0
//! ends = "no_tension"                 # the default; or "zero_overlap"
//! tangential = "linear"               # default: "linear" with "linear", "mindlin" with "hertz"
//! tangential_stiffness = 0.2857       # over the normal one, default 2/7; linear only
//! tangential_damping = 0.1            # ratio; the default
//! rolling_damping = 0.3               # ratio; the default
//!
//! [container]                         # a box of fixed walls
//! material = "glass"
//! min = [0, 0, 0]
//! max = ["10 cm", "10 cm", "20 cm"]
//! open = ["top"]                      # left right (x), front back (y), bottom top (z)
//!
//! [[walls]]                           # any shape that no force moves
//! material = "glass"
//! position = [0, 0, "1 cm"]
//! motion = { amplitude = [0, 0, "1 mm"], frequency = "20 Hz" }     # or { velocity = .., spin = .. }
//! [walls.half_space]
//! normal = [0, 0, 1]
//!
//! [[grains]]
//! material = "glass"
//! count = 1000                        # default: as many as fit
//! seed = 1                            # default 0
//! velocity = [0, 0, "-1 m/s"]         # default 0
//! random_velocity = [0.1, 0.1, 0.1]   # up to this much more or less; default 0
//! [grains.sphere]                     # the shape: any number may be a range, drawn anew for every grain
//! radius = { min = "1 mm", max = "1.5 mm" }
//! [grains.lattice]                    # or positions = [[x, y, z], ...] in [[grains]]
//! min = [0, 0, "2 cm"]
//! max = ["10 cm", "10 cm", "20 cm"]
//! spacing = "4 mm"                    # default: 1.05 diameters of the largest grain
//! jitter = 0.5                        # part of the free room in which a grain is moved at random; default 0
//! "#;
//! let scene = granum_scene::Scene::parse(text, "example.toml".as_ref())?;
//! let world = scene.build()?;
//! assert_eq!(world.bodies.len(), 1000 + 1 + 5);
//! # Ok::<(), granum_scene::SceneError>(())
//! ```

mod build;
mod check;
pub mod format;
mod law;
mod overlap;
mod place;
mod planar;
mod program;
mod quantity;
mod random;
mod read;
mod schedule;
mod shape_table;
mod source;
mod suggest;
mod units;

pub use format::Scene;
pub use program::{Program, ProgramState};
pub use schedule::Schedule;
pub use shape_table::ShapeTable;
pub use source::SceneError;

/// A time in seconds from a number in seconds or a text with its unit, as on the command line.
pub fn parse_time(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(seconds) if seconds.is_finite() => Ok(seconds),
        Ok(_) => Err("must be finite".into()),
        Err(_) => quantity::from_text::<quantity::Time>(text),
    }
}
