//! The contact of many pairs of bodies: arrays in, arrays out.

use std::num::NonZero;
use std::thread;

use glam::{DQuat, DVec3};
use granum_geometry::shape::LENGTHS;
use granum_geometry::{Manifold, Measure, Pair, PairTable, Pose, Routine, Status};
use granum_reference::methods::{self, Method, Outcome};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::shape::Shape;
use crate::arrays;
use crate::errors;

/// Pairs between two looks at signals: well below a second of work.
const BLOCK: usize = 1 << 15;

/// Norms of orientations that are accepted and normalised, as in a contact query.
const NORMS: std::ops::RangeInclusive<f64> = 1e-6..=1e6;

/// Numbers of a pose: position and orientation [w, x, y, z].
const POSE: usize = 7;

/// Status of a result.
const CONVERGED: u8 = 0;
const NOT_CONVERGED: u8 = 1;
const NOT_PROVEN: u8 = 2;
/// The method gives no contact for this pair.
const NO_CONTACT: u8 = 3;

/// The bodies on one side of the pairs.
struct Side<'a> {
    shapes: Vec<&'a Shape>,
    /// Index into the shapes, by pair; empty if there is one shape, or one for each pair.
    index: &'a [i64],
    poses: &'a [f64],
}

impl<'a> Side<'a> {
    fn new(shapes: &'a [Py<Shape>], index: &'a [i64], poses: &'a [f64]) -> Self {
        Self { shapes: shapes.iter().map(Py::get).collect(), index, poses }
    }

    /// Returns the argument that does not have one entry for each of `count` pairs, and its length.
    fn wrong_length(&self, name: &str, count: usize) -> Option<(String, usize)> {
        let (shapes, indices) = (self.shapes.len(), self.index.len());
        if indices > 0 {
            return (indices != count || shapes == 0).then(|| (format!("index_{name}"), indices));
        }
        (shapes != 1 && shapes != count).then(|| (name.to_owned(), shapes))
    }

    fn shape(&self, pair: usize) -> &'a Shape {
        match (self.index, self.shapes.len()) {
            ([], 1) => self.shapes[0],
            ([], _) => self.shapes[pair],
            (index, _) => self.shapes[index[pair] as usize],
        }
    }

    /// Returns the pose of the body axes.
    fn pose(&self, pair: usize, shape: &Shape) -> Pose {
        let [x, y, z, w, i, j, k] = self.numbers(pair);
        let quaternion = DQuat::from_xyzw(i, j, k, w);
        // As in a contact query: the same bits.
        let given = Pose { position: DVec3::new(x, y, z), orientation: quaternion / quaternion.length() };
        if shape.frame == Pose::IDENTITY { given } else { shape.frame.moved_by(&given) }
    }

    fn numbers(&self, pair: usize) -> [f64; POSE] {
        let mut numbers = [0.0; POSE];
        numbers.copy_from_slice(&self.poses[POSE * pair..][..POSE]);
        numbers
    }

    /// Returns the first wrong value: its field, and the reason.
    fn fault(&self, name: &str, range: std::ops::Range<usize>) -> Option<(String, String)> {
        let largest = LENGTHS.end();
        for pair in range {
            let [x, y, z, w, i, j, k] = self.numbers(pair);
            // A comparison with a number that is not finite is false.
            if ![x, y, z].iter().all(|coordinate| coordinate.abs() <= *largest) {
                let reason = format!("must have coordinates up to {largest:e} m, not {:?}", [x, y, z]);
                return Some((format!("poses_{name}[{pair}]"), reason));
            }
            let norm = (w * w + i * i + j * j + k * k).sqrt();
            if !NORMS.contains(&norm) {
                let reason = format!("must have a quaternion [w, x, y, z] of norm 1, not {:?}", [w, i, j, k]);
                return Some((format!("poses_{name}[{pair}]"), reason));
            }
            let count = self.shapes.len();
            if let Some(&index) = self.index.get(pair)
                && !usize::try_from(index).is_ok_and(|index| index < count)
            {
                let reason = format!("must be the index of one of {count} shapes, not {index}");
                return Some((format!("index_{name}[{pair}]"), reason));
            }
        }
        None
    }
}

/// Results of consecutive pairs. Points are in world axes, m.
struct Results {
    gap: Vec<f64>,
    normal: Vec<f64>,
    point_a: Vec<f64>,
    point_b: Vec<f64>,
    touching: Vec<bool>,
    status: Vec<u8>,
    iterations: Vec<u32>,
}

/// A part of the results, which one thread fills.
struct Part<'a> {
    gap: &'a mut [f64],
    normal: &'a mut [f64],
    point_a: &'a mut [f64],
    point_b: &'a mut [f64],
    touching: &'a mut [bool],
    status: &'a mut [u8],
    iterations: &'a mut [u32],
}

impl Results {
    fn new(count: usize) -> Self {
        Self {
            gap: vec![0.0; count],
            normal: vec![0.0; 3 * count],
            point_a: vec![0.0; 3 * count],
            point_b: vec![0.0; 3 * count],
            touching: vec![false; count],
            status: vec![0; count],
            iterations: vec![0; count],
        }
    }

    fn part(&mut self, range: std::ops::Range<usize>) -> Part<'_> {
        let vectors = 3 * range.start..3 * range.end;
        Part {
            gap: &mut self.gap[range.clone()],
            normal: &mut self.normal[vectors.clone()],
            point_a: &mut self.point_a[vectors.clone()],
            point_b: &mut self.point_b[vectors],
            touching: &mut self.touching[range.clone()],
            status: &mut self.status[range.clone()],
            iterations: &mut self.iterations[range],
        }
    }
}

impl<'a> Part<'a> {
    fn split_at(self, middle: usize) -> (Part<'a>, Part<'a>) {
        let (gap, gap_2) = self.gap.split_at_mut(middle);
        let (normal, normal_2) = self.normal.split_at_mut(3 * middle);
        let (point_a, point_a_2) = self.point_a.split_at_mut(3 * middle);
        let (point_b, point_b_2) = self.point_b.split_at_mut(3 * middle);
        let (touching, touching_2) = self.touching.split_at_mut(middle);
        let (status, status_2) = self.status.split_at_mut(middle);
        let (iterations, iterations_2) = self.iterations.split_at_mut(middle);
        (
            Part { gap, normal, point_a, point_b, touching, status, iterations },
            Part {
                gap: gap_2,
                normal: normal_2,
                point_a: point_a_2,
                point_b: point_b_2,
                touching: touching_2,
                status: status_2,
                iterations: iterations_2,
            },
        )
    }

    fn set(&mut self, row: usize, gap: f64, normal: DVec3, [a, b]: [DVec3; 2], touching: bool) {
        self.gap[row] = gap;
        self.normal[3 * row..][..3].copy_from_slice(&normal.to_array());
        self.point_a[3 * row..][..3].copy_from_slice(&a.to_array());
        self.point_b[3 * row..][..3].copy_from_slice(&b.to_array());
        self.touching[row] = touching;
    }

    fn set_status(&mut self, row: usize, status: Status, iterations: u32) {
        self.status[row] = match status {
            Status::Converged => CONVERGED,
            Status::NotConverged { .. } => NOT_CONVERGED,
            Status::NotProven { .. } => NOT_PROVEN,
        };
        self.iterations[row] = iterations;
    }

    fn set_missing(&mut self, row: usize) {
        let nan = DVec3::NAN;
        self.set(row, f64::NAN, nan, [nan; 2], false);
        self.status[row] = NO_CONTACT;
    }
}

/// The pairs and the method.
struct Job<'a> {
    a: Side<'a>,
    b: Side<'a>,
    /// A method by name, or the routines of the pair table.
    method: Option<&'static Method>,
}

impl Job<'_> {
    /// Computes the pairs from `first` on.
    fn solve(&self, first: usize, mut part: Part<'_>) {
        let table = PairTable::standard();
        let mut known: Option<(_, Routine)> = None;
        let mut manifold = Manifold::default();
        for row in 0..part.gap.len() {
            let (a, b) = (self.a.shape(first + row), self.b.shape(first + row));
            let (pose_a, pose_b) = (self.a.pose(first + row, a), self.b.pose(first + row, b));
            let pair = Pair::new(&a.shape, &pose_a, &b.shape, &pose_b);
            let centre = pose_a.position;
            if let Some(method) = self.method {
                let outcome = if (method.serves)(&pair) { (method.solve)(&pair) } else { Outcome::default() };
                self.store(&mut part, row, centre, &outcome);
                continue;
            }
            let kinds = (a.shape.kind(), b.shape.kind());
            let routine = match &known {
                Some((of, routine)) if *of == kinds => routine,
                _ => &known.insert((kinds, table.routine(Measure::Depth, kinds.0, kinds.1))).1,
            };
            manifold.clear();
            routine.evaluate(&pair, &mut manifold);
            match manifold.deepest() {
                Some(point) => {
                    let points = [centre + point.on_a(), centre + point.on_b()];
                    part.set(row, point.gap, point.normal, points, point.gap <= 0.0);
                    part.set_status(row, manifold.status, manifold.iterations);
                }
                None => part.set_missing(row),
            }
        }
    }

    fn store(&self, part: &mut Part<'_>, row: usize, centre: DVec3, outcome: &Outcome) {
        let nan = DVec3::NAN;
        if outcome.gap.is_none() && outcome.normal.is_none() && outcome.contacts.is_empty() && !outcome.touching {
            return part.set_missing(row);
        }
        let points = outcome.points.map_or([nan; 2], |points| points.map(|point| centre + point));
        part.set(row, outcome.gap.unwrap_or(f64::NAN), outcome.normal.unwrap_or(nan), points, outcome.touching);
        part.set_status(row, outcome.status, outcome.iterations);
    }

    /// Computes a block of pairs on several threads.
    fn solve_on(&self, threads: usize, first: usize, part: Part<'_>) {
        let count = part.gap.len();
        let each = count.div_ceil(threads).max(1);
        if threads == 1 || count <= each {
            return self.solve(first, part);
        }
        thread::scope(|scope| {
            let (mut rest, mut start) = (part, first);
            while rest.gap.len() > each {
                let (part, others) = rest.split_at(each);
                scope.spawn(move || self.solve(start, part));
                (rest, start) = (others, start + each);
            }
            self.solve(start, rest);
        });
    }
}

/// Compute the contacts of pairs of bodies. Returns arrays by name.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the keyword arguments of the Python function")]
pub fn contact_pairs<'py>(
    py: Python<'py>,
    a: Vec<Py<Shape>>,
    b: Vec<Py<Shape>>,
    poses_a: PyReadonlyArray2<'py, f64>,
    poses_b: PyReadonlyArray2<'py, f64>,
    index_a: PyReadonlyArray1<'py, i64>,
    index_b: PyReadonlyArray1<'py, i64>,
    method: &str,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let count = arrays::rows(py, &poses_a, POSE, "poses_a")?;
    let fault =
        |field: &str, reason: String| errors::contact_error(py, format!("{field} {reason}"), Some(field), &reason);
    if arrays::rows(py, &poses_b, POSE, "poses_b")? != count {
        return Err(fault("poses_b", format!("must have {count} rows, as poses_a")));
    }
    let method = match (method, methods::named(method)) {
        (_, Some(method)) => Some(method),
        ("auto", None) => None,
        _ => {
            let names: Vec<&str> = methods::ALL.iter().map(|method| method.name).collect();
            return Err(fault("method", format!("must be auto, {}, not {method:?}", names.join(", "))));
        }
    };
    let job = Job {
        a: Side::new(&a, index_a.as_slice()?, poses_a.as_slice()?),
        b: Side::new(&b, index_b.as_slice()?, poses_b.as_slice()?),
        method,
    };
    for (name, side) in [("a", &job.a), ("b", &job.b)] {
        if let Some((field, found)) = side.wrong_length(name, count) {
            return Err(fault(&field, format!("must have 1 or {count} entries, one for each pair, not {found}")));
        }
    }
    let mut results = Results::new(count);
    let threads = if threads == 0 { thread::available_parallelism().map_or(1, NonZero::get) } else { threads };
    for first in (0..count).step_by(BLOCK * threads) {
        let range = first..(first + BLOCK * threads).min(count);
        let wrong = py.detach(|| {
            let fault = job.a.fault("a", range.clone()).or_else(|| job.b.fault("b", range.clone()));
            if fault.is_none() {
                job.solve_on(threads, first, results.part(range));
            }
            fault
        });
        if let Some((field, reason)) = wrong {
            return Err(fault(&field, reason));
        }
        py.check_signals()?;
    }
    let found = PyDict::new(py);
    let vectors = |values: Vec<f64>| PyArray1::from_vec(py, values).reshape([count, 3]);
    found.set_item("gap", PyArray1::from_vec(py, results.gap))?;
    found.set_item("normal", vectors(results.normal)?)?;
    found.set_item("point_a", vectors(results.point_a)?)?;
    found.set_item("point_b", vectors(results.point_b)?)?;
    found.set_item("touching", PyArray1::from_vec(py, results.touching))?;
    found.set_item("status", PyArray1::from_vec(py, results.status))?;
    found.set_item("iterations", PyArray1::from_vec(py, results.iterations))?;
    Ok(found)
}
