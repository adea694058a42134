//! Charts of measured quantities over time and over the cells of a grid, and charts of a drum.

use glam::DVec2;
use granum_output::measure::{Drum, MeasureRow, ProfileRow};

use super::{Chart, Line, Lines, Panel};
use crate::colour_map::CATEGORIES;

/// Width and height of a chart, points.
const SIZE: DVec2 = DVec2::new(960.0, 800.0);

/// Returns the chart of packing fraction, coordination number, order and pressure over time.
pub fn observables(rows: &[MeasureRow]) -> Chart {
    let times: Vec<f64> = rows.iter().map(|row| row.time).collect();
    let panel = |up, lines| (1.0, panel(("time", "s"), up, &times, lines));
    let of = |value: &dyn Fn(&MeasureRow) -> f64| rows.iter().map(value).collect::<Vec<f64>>();
    Chart {
        title: "Observables".into(),
        panels: vec![
            panel(("packing fraction", ""), vec![("packing", of(&|row| row.packing.fraction))]),
            panel(
                ("coordination", ""),
                vec![
                    ("all grains", of(&|row| row.coordination.mean)),
                    ("that carry", of(&|row| row.coordination.carrying)),
                ],
            ),
            panel(("order", ""), vec![("nematic order", of(&|row| row.order.order))]),
            panel(("pressure", "Pa"), vec![("pressure", of(&|row| row.stress.pressure()))]),
        ],
        size: SIZE,
    }
}

/// Returns the chart of packing fraction, velocity, granular temperature and stress along an axis
/// of the grid (0, 1, 2).
pub fn profile(rows: &[ProfileRow], axis: usize) -> Chart {
    const NAMES: [&str; 3] = ["x", "y", "z"];
    let centres: Vec<f64> = rows.iter().map(|row| row.centre[axis]).collect();
    let panel = |up, lines| (1.0, panel((NAMES[axis], "m"), up, &centres, lines));
    let of = |value: &dyn Fn(&ProfileRow) -> f64| rows.iter().map(value).collect::<Vec<f64>>();
    Chart {
        title: format!("Profiles along {}, means over the frames", NAMES[axis]),
        panels: vec![
            panel(("packing fraction", ""), vec![("packing", of(&|row| row.fraction))]),
            panel(
                ("velocity", "m/s"),
                vec![
                    ("along x", of(&|row| row.velocity.x)),
                    ("along y", of(&|row| row.velocity.y)),
                    ("along z", of(&|row| row.velocity.z)),
                ],
            ),
            panel(("temperature", ""), vec![("in m²/s²", of(&|row| row.temperature))]),
            panel(
                ("stress", "Pa"),
                vec![
                    ("xx", of(&|row| row.stress.x_axis.x)),
                    ("yy", of(&|row| row.stress.y_axis.y)),
                    ("zz", of(&|row| row.stress.z_axis.z)),
                ],
            ),
        ],
        size: SIZE,
    }
}

/// Returns the chart of the free surface of a drum over time and of velocity as a function of
/// depth.
pub fn drum(drum: &Drum) -> Chart {
    let times: Vec<f64> = drum.rows().iter().map(|row| row.time).collect();
    let angles = vec![
        ("surface", drum.rows().iter().map(|row| row.surface).collect()),
        ("centre of mass", drum.rows().iter().map(|row| row.centre_of_mass).collect()),
    ];
    let flow = drum.flow();
    let depths: Vec<f64> = flow.iter().map(|row| row.depth).collect();
    let velocities = vec![
        ("grains", flow.iter().map(|row| row.velocity).collect()),
        ("turning with the drum", flow.iter().map(|row| row.rigid).collect()),
    ];
    Chart {
        title: "Drum: angle of the surface, and velocity down it in the second half of the turning".into(),
        panels: vec![
            (1.0, panel(("time", "s"), ("angle, degrees", ""), &times, angles)),
            (1.0, panel(("depth", "m"), ("velocity", "m/s"), &depths, velocities)),
        ],
        size: SIZE,
    }
}

fn panel(across: (&str, &str), up: (&str, &str), abscissae: &[f64], lines: Vec<(&str, Vec<f64>)>) -> Panel {
    let lines = lines.into_iter().zip(CATEGORIES);
    let lines = lines.map(|((name, values), colour)| Line { name: name.into(), values, colour }).collect();
    let owned = |(name, unit): (&str, &str)| (name.to_owned(), unit.to_owned());
    Panel::Lines(Lines { across: owned(across), up: owned(up), abscissae: abscissae.to_vec(), lines })
}
