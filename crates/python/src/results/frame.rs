//! A frame of a run: bodies, contacts and surfaces at one time.

use granum_output::Frame as OutputFrame;
use granum_output::surfaces;
use granum_picture::Subject;
use numpy::{Element, PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use super::picture::{self, Picture};
use crate::arrays;
use crate::errors;
use crate::simulation::contacts;

/// Finest triangulation of a body.
const FINEST: u32 = granum_geometry::mesh::FINEST_LEVEL;

/// Vertices (n, 3), triangles (m, 3), and the body of each triangle (m,).
pub type MeshArrays<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<i64>>, Bound<'py, PyArray1<i64>>);

/// A frame of a run. The arrays have a row for each body that was not removed; `ids` has their ids.
#[pyclass(module = "granum", frozen)]
pub struct Frame {
    pub frame: OutputFrame,
}

impl Frame {
    fn column<'py, T: Element>(
        &self,
        py: Python<'py>,
        value: impl Fn(&granum_engine::BodyState) -> T,
    ) -> Bound<'py, PyArray1<T>> {
        arrays::read_only(py, self.frame.bodies.iter().map(value).collect())
    }

    fn rows<'py, const N: usize>(
        &self,
        py: Python<'py>,
        value: impl Fn(&granum_engine::BodyState) -> [f64; N],
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let array = PyArray1::from_vec(py, self.frame.bodies.iter().flat_map(value).collect());
        let array = array.reshape([self.frame.bodies.len(), N])?;
        array.readwrite().make_nonwriteable();
        Ok(array)
    }

    fn mesh<'py>(&self, py: Python<'py>, detail: u32, walls: bool) -> PyResult<MeshArrays<'py>> {
        if detail > FINEST {
            return Err(errors::input_error(py, "detail", &format!("must be from 0 to {FINEST}, not {detail}")));
        }
        let (mut vertices, mut triangles, mut bodies) = (Vec::new(), Vec::new(), Vec::new());
        py.detach(|| {
            for (body, mesh) in surfaces(&self.frame.bodies, &self.frame.shapes, detail) {
                if body.is_grain() || walls {
                    let first = (vertices.len() / 3) as i64;
                    vertices.extend(mesh.vertices.iter().flat_map(|vertex| vertex.to_array()));
                    triangles.extend(mesh.triangles.iter().flatten().map(|&index| first + i64::from(index)));
                    bodies.extend(mesh.triangles.iter().map(|_| i64::from(body.id.0)));
                }
            }
        });
        let (points, count) = (vertices.len() / 3, bodies.len());
        Ok((
            PyArray1::from_vec(py, vertices).reshape([points, 3])?,
            PyArray1::from_vec(py, triangles).reshape([count, 3])?,
            PyArray1::from_vec(py, bodies),
        ))
    }

    fn subject(&self) -> Subject<'_> {
        let frame = &self.frame;
        Subject {
            time: frame.time,
            bodies: &frame.bodies,
            contacts: &frame.contacts,
            wear: &frame.wear,
            shapes: &frame.shapes,
            materials: &frame.materials,
        }
    }
}

#[pymethods]
impl Frame {
    /// Time, s.
    #[getter]
    fn time(&self) -> f64 {
        self.frame.time
    }

    /// Number of steps done.
    #[getter]
    fn step(&self) -> u64 {
        self.frame.step
    }

    /// Ids of the bodies of the rows: (n,).
    #[getter]
    fn ids<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.column(py, |body| i64::from(body.id.0))
    }

    /// Whether the bodies of the rows are grains: (n,).
    #[getter]
    fn is_grain<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.column(py, |body| body.is_grain())
    }

    /// Centres, m: (n, 3).
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.rows(py, |body| body.position.to_array())
    }

    /// Rotations from body axes to world axes as quaternions [w, x, y, z]: (n, 4).
    #[getter]
    fn orientations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.rows(py, |body| {
            let q = body.orientation;
            [q.w, q.x, q.y, q.z]
        })
    }

    /// Velocities of the centres, m/s: (n, 3).
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.rows(py, |body| body.velocity.to_array())
    }

    /// Angular velocities in world axes, rad/s: (n, 3).
    #[getter]
    fn spins<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.rows(py, |body| body.spin.to_array())
    }

    /// Masses, kg: (n,). Infinite for walls.
    #[getter]
    fn masses<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.column(py, |body| body.mass)
    }

    /// Numbers of the shapes: (n,).
    #[getter]
    fn shape_ids<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.column(py, |body| i64::from(body.shape.0))
    }

    /// Names of the materials: (n,).
    #[getter]
    fn materials(&self) -> Vec<&str> {
        let name = |body: &granum_engine::BodyState| self.frame.materials[body.material.0 as usize].as_str();
        self.frame.bodies.iter().map(name).collect()
    }

    /// Contacts that carry a force, as those of a simulation. Empty if the run did not write them.
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        contacts::array(py, &self.frame.contacts)
    }

    /// Return the triangulated surfaces of the grains, and with `walls` of all bodies, as a `Mesh`.
    /// `detail` is the fineness from 0 to 6.
    #[pyo3(signature = (detail = 2, walls = false))]
    fn surfaces<'py>(&self, py: Python<'py>, detail: u32, walls: bool) -> PyResult<Bound<'py, PyAny>> {
        py.import("granum._results")?.getattr("Mesh")?.call1(self.mesh(py, detail, walls)?)
    }

    /// Draw a picture and return its pixels: (height, width, 3) of `uint8`. The options are those of
    /// `granum render`: size, camera, look_at, zoom, orthographic, cut, colour, colours, range,
    /// surface_colour, surface_colours, surface_range, legend, walls.
    #[pyo3(signature = (**options))]
    fn render<'py>(&self, py: Python<'py>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Bound<'py, PyArray3<u8>>> {
        self.picture(py, options)?.array(py)
    }

    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        picture::inline(py, &self.subject())?.png(py)
    }

    /// Draw a picture.
    #[pyo3(signature = (**options))]
    fn picture(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Picture> {
        picture::draw(py, &self.subject(), options)
    }

    fn __len__(&self) -> usize {
        self.frame.bodies.len()
    }

    fn __repr__(&self) -> String {
        format!("Frame({} bodies, step {}, t = {:.6} s)", self.frame.bodies.len(), self.frame.step, self.frame.time)
    }
}
