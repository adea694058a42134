//! Scene files: TOML in, a checked [`Scene`] in SI units, and from it a [`granum_engine::World`].
//!
//! A quantity is a number in SI units or a text with its unit. Keys may stand in any order; one that is not known is
//! refused. Errors name the file, the line, the column and the field, and say what to do; [`SceneError::report`] shows the
//! line with a mark. `granum schema` prints the format as a JSON schema.
//!
//! With `dimension = 2` a scene lies in the plane: vectors have two components, a spin is a number, down is -y, the faces of a
//! container are left, right, bottom and top, and the shapes are planar (disc, ellipse, superellipse, polygon; as walls also
//! half_space, segment and inside_circle). `orientation = "random"` turns every grain its own way.
//!
//! ```
//! let text = r#"
//! version = 1                         # of the format; this is the default
//! ## include = ["materials.toml"]      # files to read first, relative to this one; what stands here wins, lists of
//! ##                                    tables are joined
//! title = "an example"
//! gravity = [0, 0, -9.81]             # m/s2; this is the default
//!
//! [time]
//! end = "2 s"                         # default: the end of the last stage
//! step = "auto"                       # the default; or a time
//! output = "20 ms"                    # default: a hundredth of `end`
//!
//! [output]                            # frames for ParaView and `granum render`
//! frames = "20 ms"                    # default: as `time.output`; "never" for none
//! contacts = true                     # the default: with contact forces
//! surfaces = false                    # the default; true writes triangulated surfaces as well
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
//! restitution = 0.9                   # these two must be given, here or (for a material with itself) in
//! friction = 0.3                      # [materials.glass]
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
//! name = "plate"                      # by which stages and outputs know it
//! material = "glass"
//! position = [0, 0, "1 cm"]
//! motion = { amplitude = [0, 0, "1 mm"], frequency = "20 Hz" }     # or { velocity = .., spin = .. }
//! [walls.half_space]
//! normal = [0, 0, 1]
//!
//! [guards]                            # what stops a run; each "stop" (the default), "warn" or "off"
//! every = 100                         # steps from one look to the next; the default
//! not_finite = "stop"
//! domain = "stop"                     # centres of grains; bounds default to the closed sides of the container
//! domain_min = ["-1 cm", "-1 cm", "-1 cm"]
//! domain_max = ["11 cm", "11 cm", "1 m"]
//! overlap = "warn"
//! overlap_limit = 0.1                 # of the smaller grain's diameter, and at most half its thickness; the default
//! ledger = "warn"
//! ledger_limit = 0.05                 # of the energy turned over; the default
//!
//! [[grains]]
//! name = "beads"
//! material = "glass"
//! count = 1000                        # or mass = "2 kg"; default: as many as fit
//! seed = 1                            # default 0
//! velocity = [0, 0, "-1 m/s"]         # default 0
//! random_velocity = [0.1, 0.1, 0.1]   # up to this much more or less; default 0
//! orientation = "random"              # or a quaternion [w, x, y, z]; default: not turned
//! [grains.sphere]                     # the shape: any number may be a distribution, drawn anew for every grain:
//! radius = { min = "1 mm", max = "1.5 mm" }    # uniform
//! ## radius = { normal = { mean = "1 mm", sd = "0.1 mm", min = "0.8 mm", max = "1.2 mm" } }   # default bounds: 3 sd
//! ## radius = { lognormal = { median = "1 mm", sigma = 0.2 } }      # sigma of the natural logarithm
//! [grains.lattice]                    # or positions = [[x, y, z], ...] in [[grains]]
//! min = [0, 0, "2 cm"]
//! max = ["10 cm", "10 cm", "20 cm"]
//! spacing = "4 mm"                    # default: 1.05 diameters of the largest grain
//! jitter = 0.5                        # part of the free room in which a grain is moved at random; default 0
//!
//! [[grains]]
//! material = "glass"
//! mass = "10 g"
//! size = { sieve = [["1 mm", 0], ["2 mm", 0.6], ["3 mm", 1]] }     # part of the mass that is smaller; the shape is
//! [grains.sphere]                     # made so large that a ball of its volume has this diameter
//! radius = 1
//! [grains.random]                     # one by one at random places without overlap (of bounding balls)
//! min = [0, 0, "21 cm"]
//! max = ["10 cm", "10 cm", "25 cm"]
//!
//! [[grains]]
//! material = "glass"
//! sphere = { radius = "1 mm" }
//! [grains.inlet]                      # poured over time; a grain waits while it finds no room
//! centre = ["5 cm", "5 cm", "30 cm"]  # a disc, or min and max for a box
//! radius = "4 cm"
//! rate = 100                          # grains a second; or mass_rate = "10 g/s"; or count or mass until the stop
//! start = "0.1 s"                     # default 0
//! stop = "1 s"                        # default: when count or mass is reached
//!
//! [[grains]]
//! material = "glass"
//! sphere = { radius = "1 mm" }
//! [grains.table]                      # or file = "grains.csv", with its columns in the first line; SI units
//! columns = ["x", "y", "z", "vx", "vy", "vz"]  # also wx wy wz (spin), qw qx qy qz (orientation), size
//! rows = [[0.05, 0.05, 0.27, 0.0, 0.0, -1.0]]
//!
//! [[stages]]                          # one after the other; without any, the scene runs to time.end
//! name = "settle"
//! until = { kinetic_energy_below = "1 uJ", check_every = "10 ms", at_most = "1.5 s" }
//! [[stages]]
//! name = "shake, tilt and open"
//! duration = "0.5 s"
//! gravity = [1, 0, -9.7]
//! motion.plate = { amplitude = [0, 0, "2 mm"], frequency = "50 Hz" }   # from where it is
//! halt = ["container.left"]           # walls that come to rest
//! remove = ["container.right"]        # walls that are taken away
//! "#;
//! let scene = granum_scene::Scene::parse(text, "example.toml".as_ref())?;
//! let world = scene.build()?;
//! let beads = world.bodies_named("beads").count();
//! assert_eq!(beads, 1000);
//! # Ok::<(), granum_scene::SceneError>(())
//! ```

mod build;
mod check;
mod corners_file;
mod distribution;
mod error;
mod files;
pub mod force_table;
pub mod format;
mod grain_table;
mod grains;
mod guards;
mod inlet;
mod insertion;
mod law;
mod orientation;
mod overlap;
mod percussion;
mod place;
mod planar;
mod program;
mod quantity;
mod read;
mod room;
mod schedule;
mod schema;
mod settings;
mod shape_fields;
mod shape_table;
mod source;
mod stage;
mod suggest;
mod units;
mod values;

pub use distribution::{Distribution, Number};
pub use error::SceneError;
pub use format::Scene;
pub use guards::GuardTable;
pub use orientation::Orientation;
pub use program::{Program, ProgramState};
pub use schedule::Schedule;
pub use schema::schema;
pub use shape_table::ShapeTable;

/// A time in seconds from a number in seconds or a text with its unit, as on the command line.
pub fn parse_time(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(seconds) if seconds.is_finite() => Ok(seconds),
        Ok(_) => Err("must be finite".into()),
        Err(_) => quantity::from_text::<quantity::Time>(text),
    }
}
