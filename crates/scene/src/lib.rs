//! Scene files: reading TOML into a checked [`Scene`] in SI units, and building a
//! [`granum_engine::World`] from it.
//!
//! A quantity is a number in SI units or a string with a unit. Keys may be in any order; an unknown
//! key is an error. Errors name the file, the line, the column and the field, and suggest a remedy;
//! [`SceneError::report`] also shows the line. `granum schema` prints the format as a JSON schema.
//!
//! A scene with `dimension = 2` is planar: vectors have two components, a spin is a number, down is
//! -y, a container has the faces left, right, bottom and top, and the shapes are planar (disc,
//! ellipse, superellipse, polygon; for walls also half_space, segment and inside_circle).
//!
//! ```
//! let text = r#"
//! version = 1                   # version of the format; the default
//! ## include = ["materials.toml"] # files to read first; this file overrides them
//! title = "an example"
//! gravity = [0, 0, -9.81]       # m/s2; the default
//!
//! [time]
//! end = "2 s"                   # default: the end of the last stage
//! step = "auto"                 # the default; or a time
//! output = "20 ms"              # default: a hundredth of `end`
//!
//! [output]                      # frames for ParaView and `granum render`
//! frames = "20 ms"              # default: `time.output`; "never" for none
//! contacts = true               # with contact forces; the default
//! surfaces = false              # the default; true adds triangulated surfaces
//! [output.picture]              # a picture of the final state, `picture.png`; default: none
//! colour = "kind"               # default: "speed"
//! view = "auto"                 # the default; or "front", "side", "top", "iso"
//!
//! [materials.glass]
//! density = "2.5 g/cm3"
//! young = "70 GPa"              # `young` and `poisson`: Hertz and Mindlin only
//! poisson = 0.22
//!
//! [[contact]]                   # one for every two materials that can touch
//! between = ["glass", "glass"]
//! law = "linear"                # with `stiffness` or `contact_time`; or "hertz"
//! stiffness = "1 kN/m"
//! restitution = 0.9             # restitution and friction are required, here or
//! friction = 0.3                # (for a material with itself) in the material
//! rolling_friction = 0.01       # default: 0
//! spinning_friction = 0.0       # default: 0
//! ends = "no_tension"           # the default; or "zero_overlap"
//! tangential = "linear"         # default: "mindlin" with law = "hertz"
//! tangential_stiffness = 0.2857 # ratio to the normal stiffness; default: 2/7
//! tangential_damping = 0.1      # damping ratio; the default
//! rolling_damping = 0.3         # damping ratio; the default
//!
//! [container]                   # a box of fixed walls
//! material = "glass"
//! min = [0, 0, 0]
//! max = ["10 cm", "10 cm", "20 cm"]
//! materials = { bottom = "glass" } # materials of single faces; default: none
//! open = ["top"]                # left right (x), front back (y), bottom top (z)
//!
//! [[walls]]                     # a body of any shape that forces do not move
//! name = "plate"                # name in stages and outputs
//! material = "glass"
//! position = [0, 0, "1 cm"]
//! ## or a steady motion = { velocity = [..], spin = [..], pivot = [..] }, a ramp, a table, a servo
//! ## that holds a force, a free wall with a mass, or a list of motions
//! motion = { amplitude = [0, 0, "1 mm"], frequency = "20 Hz" }
//! [walls.half_space]
//! normal = [0, 0, 1]
//!
//! [[flow_planes]]               # counts the grains that pass, in flow.csv
//! name = "half height"
//! centre = [0, 0, "10 cm"]
//! normal = [0, 0, -1]           # the direction of the flow
//! radius = "20 cm"              # of a disc; default: the whole plane
//!
//! [[outlets]]                   # also removes the grains beyond it
//! name = "exit"
//! centre = [0, 0, "-5 cm"]
//! normal = [0, 0, -1]
//!
//! [guards]                      # each "stop" (the default), "warn" or "off"
//! every = 100                   # steps between two checks; the default
//! not_finite = "stop"
//! domain = "stop"               # centres of grains leave the domain
//! domain_min = ["-1 cm", "-1 cm", "-1 cm"] # default: closed faces of the container
//! domain_max = ["11 cm", "11 cm", "1 m"]
//! overlap = "warn"
//! overlap_limit = 0.1           # fraction of the smaller diameter; the default
//! tunnelling = "stop"           # bodies that pass through others; the default
//! ledger = "warn"
//! ledger_limit = 0.05           # fraction of the energy turned over
//!
//! [[grains]]
//! name = "beads"
//! material = "glass"
//! count = 1000                  # or mass = "2 kg"; default: as many as fit
//! seed = 1                      # default: 0
//! velocity = [0, 0, "-1 m/s"]   # default: 0
//! random_velocity = [0.1, 0.1, 0.1] # largest random deviation; default: 0
//! orientation = "random"        # or a quaternion [w, x, y, z]; default: not rotated
//! [grains.sphere]               # the shape; numbers may be distributions:
//! radius = { min = "1 mm", max = "1.5 mm" } # uniform
//! ## radius = { normal = { mean = "1 mm", sd = "0.1 mm" } }
//! ## radius = { lognormal = { median = "1 mm", sigma = 0.2 } }
//! [grains.lattice]              # or positions = [[x, y, z], ...] in [[grains]]
//! min = [0, 0, "2 cm"]
//! max = ["10 cm", "10 cm", "20 cm"]
//! spacing = "4 mm"              # default: 1.05 diameters of the largest grain
//! jitter = 0.5                  # random displacement, fraction of the free distance
//!
//! [[grains]]
//! material = "glass"
//! mass = "10 g"
//! ## diameter of the ball of the same volume; here: fraction of the mass that is smaller
//! size = { sieve = [["1 mm", 0], ["2 mm", 0.6], ["3 mm", 1]] }
//! [grains.sphere]               # scaled to the size
//! radius = 1
//! [grains.random]               # random positions without overlap
//! min = [0, 0, "21 cm"]
//! max = ["10 cm", "10 cm", "25 cm"]
//!
//! [[grains]]
//! material = "glass"
//! sphere = { radius = "1 mm" }
//! [grains.inlet]                # grains are added during the run
//! centre = ["5 cm", "5 cm", "30 cm"] # a disc; or min and max for a box
//! radius = "4 cm"
//! rate = 100                    # grains per second; or mass_rate = "10 g/s"
//! start = "0.1 s"               # default: 0
//! stop = "1 s"                  # default: when `count` or `mass` is reached
//!
//! [[grains]]
//! material = "glass"
//! sphere = { radius = "1 mm" }
//! [grains.table]                # or file = "grains.csv"; SI units
//! ## also wx wy wz (spin), qw qx qy qz (orientation), size
//! columns = ["x", "y", "z", "vx", "vy", "vz"]
//! rows = [[0.05, 0.05, 0.27, 0.0, 0.0, -1.0]]
//!
//! [[stages]]                    # one after the other; default: one until time.end
//! name = "settle"
//! until = { kinetic_energy_below = "1 uJ", check_every = "10 ms", at_most = "1.5 s" }
//! [[stages]]
//! name = "shake, tilt and open"
//! duration = "0.5 s"
//! gravity = [1, 0, -9.7]
//! motion.plate = { amplitude = [0, 0, "2 mm"], frequency = "50 Hz" }
//! halt = ["container.left"]     # walls that stop
//! remove = ["container.right"]  # walls that are removed
//! "#;
//! let scene = granum_scene::Scene::parse(text, "example.toml".as_ref())?;
//! let world = scene.build()?;
//! let beads = world.bodies_named("beads").count();
//! assert_eq!(beads, 1000);
//! # Ok::<(), granum_scene::SceneError>(())
//! ```

mod build;
mod check;
mod error;
pub mod format;
mod program;
mod read;
mod sample;
mod schema;
mod shape;
mod value;

pub use build::motion::wall_motion;
pub use error::SceneError;
pub use format::{GuardTable, Scene};
pub use program::schedule::Schedule;
pub use program::{Program, ProgramState};
pub use read::surface_file;
pub use schema::schema;
pub use shape::ShapeTable;
pub use value::distribution::{Distribution, Number};
pub use value::orientation::Orientation;
pub use value::short_number;

use value::quantity;

/// Returns a time in seconds from a number in seconds or a string with a unit.
pub fn parse_time(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(seconds) if seconds.is_finite() => Ok(seconds),
        Ok(_) => Err("must be a finite time".into()),
        Err(_) => quantity::from_text::<quantity::Time>(text),
    }
}
