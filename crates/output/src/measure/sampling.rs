//! Packing fraction by sampling: one random point in each cell of a fine lattice, classified as
//! grain, wall or void.
//!
//! Walls do not count as volume, so that the packing fraction of a drum does not depend on the box
//! around it.

use glam::{DMat3, DVec3};
use granum_geometry::random::Random;
use granum_geometry::surface::Inside;
use granum_geometry::surface::topology::Edges;
use granum_geometry::{Aabb, Convex, Pose, Shape};

use super::{grains, is_planar, volume};
use crate::run_folder::Frame;

/// Approximate number of points. The standard error of a packing fraction is then at most 0.001.
const POINTS: f64 = 250_000.0;

/// Widening of a box in the axes of a wall, relative to its size: more than rounding errors.
const SLACK: f64 = 1e-9;

/// Class of a sampled point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Free,
    Grain,
    Wall,
}

/// The sampled points of a box.
pub struct Sampling {
    bounds: Aabb,
    counts: [usize; 3],
    planar: bool,
    places: Vec<Place>,
}

/// The volume of a wall.
enum Solid<'a> {
    Convex(&'a dyn Convex),
    /// The volume behind a closed surface, and whether it is inside the surface or around it.
    Behind(Inside<'a>, bool),
    /// An open surface and a sheet have no volume.
    None,
}

impl<'a> Solid<'a> {
    fn of(shape: &'a Shape) -> Self {
        let Shape::Surface(surface) = shape else { return Self::Convex(shape.as_convex()) };
        let mesh = surface.mesh();
        if surface.is_two_sided() || !Edges::new(mesh).are_closed(mesh) {
            return Self::None;
        }
        Self::Behind(Inside::new(mesh), mesh.signed_volume() > 0.0)
    }

    /// Returns whether a point in the axes of the wall lies in its volume.
    fn contains(&self, point: DVec3) -> bool {
        match self {
            Self::Convex(shape) => shape.inside_outside(point) < 0.0,
            // Normals that point outward count as positive, those of a container as negative.
            Self::Behind(inside, is_inside) => {
                inside.winding_number(point).is_some_and(|turns| if *is_inside { turns > 0 } else { turns >= 0 })
            }
            Self::None => false,
        }
    }
}

/// A wall, and the pose of the world in the axes of the wall.
struct Wall<'a> {
    solid: Solid<'a>,
    world: Pose,
}

impl Wall<'_> {
    fn contains(&self, point: DVec3) -> bool {
        self.solid.contains(self.world.point(point))
    }

    /// Returns false only if all points of a box lie on one side of the surface.
    fn may_enter(&self, block: &Aabb) -> bool {
        match &self.solid {
            Solid::Convex(_) => true,
            Solid::Behind(inside, _) => {
                let centre = self.world.point(0.5 * (block.min + block.max));
                let to_wall = DMat3::from_quat(self.world.orientation);
                let half = 0.5 * (1.0 + SLACK) * (block.max - block.min);
                let half =
                    to_wall.x_axis.abs() * half.x + to_wall.y_axis.abs() * half.y + to_wall.z_axis.abs() * half.z;
                inside.may_enter(&Aabb { min: centre - half, max: centre + half })
            }
            Solid::None => false,
        }
    }
}

/// The packing fraction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packing {
    /// Volume of grains divided by the volume without walls; not a number if that is zero.
    pub fraction: f64,
    /// Upper bound of its standard error: that of independent points. Stratified points have a
    /// smaller one.
    pub error: f64,
    /// Volume without walls, m³.
    pub room: f64,
}

impl Packing {
    /// Computes the fraction from the numbers of points in grains and outside walls. Each point
    /// represents `share` m³.
    fn of(solid: usize, room: usize, share: f64) -> Self {
        let fraction = solid as f64 / room as f64;
        let error = (fraction * (1.0 - fraction) / room as f64).sqrt();
        Self { fraction, error, room: room as f64 * share }
    }
}

impl Sampling {
    /// Classifies the points of a frame. Their positions depend on the box alone.
    pub fn of(frame: &Frame, bounds: Aabb) -> Self {
        let planar = is_planar(frame);
        let size = bounds.max - bounds.min;
        let pitch = if planar { (size.x * size.y / POINTS).sqrt() } else { (volume(&bounds) / POINTS).cbrt() };
        let count = |length: f64| ((length / pitch).ceil() as usize).clamp(1, POINTS as usize);
        let counts = [count(size.x), count(size.y), if planar { 1 } else { count(size.z) }];
        let places = vec![Place::Free; counts.iter().product()];
        let mut sampling = Self { bounds, counts, planar, places };
        sampling.find_grains(frame);
        sampling.find_walls(frame);
        sampling
    }

    fn find_grains(&mut self, frame: &Frame) {
        for body in grains(frame) {
            let shape = frame.shapes[body.shape.0 as usize].as_convex();
            let to_body = body.orientation.conjugate();
            let around = shape.aabb(&Pose { position: body.position, orientation: body.orientation });
            let [first, last] = [around.min, around.max].map(|corner| self.cell_of(corner));
            for z in first[2]..=last[2] {
                for y in first[1]..=last[1] {
                    for x in first[0]..=last[0] {
                        let index = self.index([x, y, z]);
                        let point = self.point([x, y, z]);
                        if shape.inside_outside(to_body * (point - body.position)) < 0.0 {
                            self.places[index] = Place::Grain;
                        }
                    }
                }
            }
        }
    }

    /// Marks the points inside walls. The part of a grain that overlaps a wall then counts as wall.
    fn find_walls(&mut self, frame: &Frame) {
        for wall in frame.bodies.iter().filter(|body| !body.mass.is_finite()) {
            let solid = Solid::of(&frame.shapes[wall.shape.0 as usize]);
            let pose = Pose { position: wall.position, orientation: wall.orientation };
            self.mark(&Wall { solid, world: pose.inverse() }, [0; 3], self.counts);
        }
    }

    /// Marks the points of a wall in the cells from `first` to those before `end`.
    ///
    /// The points of a block that no triangle enters lie all on one side of the surface. Other
    /// blocks are halved.
    fn mark(&mut self, wall: &Wall, first: [usize; 3], end: [usize; 3]) {
        let sizes: [usize; 3] = std::array::from_fn(|axis| end[axis] - first[axis]);
        let longest = (0..3).max_by_key(|&axis| sizes[axis]).unwrap_or(0);
        if sizes[longest] > 1 && wall.may_enter(&self.block(first, end)) {
            let middle = first[longest] + sizes[longest] / 2;
            let (mut left, mut right) = (end, first);
            (left[longest], right[longest]) = (middle, middle);
            self.mark(wall, first, left);
            self.mark(wall, right, end);
        } else if wall.contains(self.point(first)) {
            for z in first[2]..end[2] {
                for y in first[1]..end[1] {
                    let row = self.index([first[0], y, z]);
                    self.places[row..row + sizes[0]].fill(Place::Wall);
                }
            }
        }
    }

    /// Returns the box of the points of a block of cells.
    fn block(&self, first: [usize; 3], end: [usize; 3]) -> Aabb {
        let corner = |cell: [usize; 3]| {
            let corner = self.bounds.min + DVec3::from_array(cell.map(|number| number as f64)) * self.pitch();
            if self.planar { corner.with_z(0.0) } else { corner }
        };
        Aabb { min: corner(first), max: corner(end) }
    }

    /// Returns the packing fraction of the whole box.
    pub fn packing(&self) -> Packing {
        self.packing_in(|_| 0, 1)[0]
    }

    /// Returns the packing fractions of `count` parts of the box. `part` returns the part of a
    /// point; a value of `count` or more means no part.
    pub fn packing_in(&self, part: impl Fn(DVec3) -> usize, count: usize) -> Vec<Packing> {
        let mut numbers = vec![(0, 0); count];
        for (index, &place) in self.places.iter().enumerate() {
            if place == Place::Wall {
                continue;
            }
            if let Some((solid, room)) = numbers.get_mut(part(self.point(self.cell(index)))) {
                *room += 1;
                *solid += usize::from(place == Place::Grain);
            }
        }
        let share = volume(&self.bounds) / self.places.len() as f64;
        numbers.into_iter().map(|(solid, room)| Packing::of(solid, room, share)).collect()
    }

    /// Returns the points outside walls.
    pub fn room(&self) -> impl Iterator<Item = DVec3> {
        let free = self.places.iter().enumerate().filter(|(_, place)| **place != Place::Wall);
        free.map(|(index, _)| self.point(self.cell(index)))
    }

    fn pitch(&self) -> DVec3 {
        (self.bounds.max - self.bounds.min) / DVec3::from_array(self.counts.map(|count| count as f64))
    }

    /// Returns the cell of a point, or the nearest cell if it lies outside.
    fn cell_of(&self, point: DVec3) -> [usize; 3] {
        let place = (point - self.bounds.min) / self.pitch();
        std::array::from_fn(|axis| (place[axis].max(0.0) as usize).min(self.counts[axis] - 1))
    }

    fn index(&self, cell: [usize; 3]) -> usize {
        (cell[2] * self.counts[1] + cell[1]) * self.counts[0] + cell[0]
    }

    fn cell(&self, index: usize) -> [usize; 3] {
        let [x, y, _] = self.counts;
        [index % x, index / x % y, index / (x * y)]
    }

    /// Returns the point of a cell, m. Its position depends on the cell alone.
    fn point(&self, cell: [usize; 3]) -> DVec3 {
        let mut random = Random::skipping(3 * self.index(cell) as u64);
        let within = DVec3::new(random.unit(), random.unit(), random.unit());
        let cell = DVec3::from_array(cell.map(|number| number as f64));
        let point = self.bounds.min + (cell + within) * self.pitch();
        if self.planar { DVec3::new(point.x, point.y, 0.0) } else { point }
    }
}

#[cfg(test)]
mod tests {
    use granum_engine::{BodyId, BodyState, MaterialId, ShapeId};
    use granum_geometry::shape::{Ellipsoid, Surface};
    use granum_geometry::surface::generate::CylinderSurface;

    use super::*;

    #[test]
    fn blocks_of_points_are_classified_as_each_point_alone() {
        let drum = CylinderSurface { radius: 0.4, length: 0.7, facets: 30, divisions: 5, ends: true };
        let drum = drum.mesh().expect("a valid cylinder");
        let sheet = CylinderSurface { radius: 0.2, length: 0.3, facets: 8, divisions: 2, ends: false };
        let shapes: Vec<Shape> = vec![
            Surface::new(drum.clone(), false).expect("a surface").into(),
            Surface::new(drum.reversed(), false).expect("a surface").into(),
            Surface::new(sheet.mesh().expect("a valid cylinder"), false).expect("a surface").into(),
            Ellipsoid { semi_axes: DVec3::new(0.2, 0.3, 0.1) }.into(),
        ];
        let mut random = Random::new(3);
        let bounds = Aabb { min: DVec3::splat(-0.5), max: DVec3::splat(0.6) };
        for shape in &shapes {
            let wall = BodyState {
                id: BodyId(0),
                shape: ShapeId(0),
                material: MaterialId(0),
                position: 0.1 * random.in_cube(),
                orientation: random.rotation(),
                velocity: DVec3::ZERO,
                spin: DVec3::ZERO,
                mass: f64::INFINITY,
            };
            let (shapes, bodies) = (vec![shape.clone()], vec![wall]);
            let (contacts, wear, materials) = (Vec::new(), Vec::new(), Vec::new());
            let frame = Frame { step: 0, time: 0.0, bodies, contacts, wear, shapes, materials };
            let sampling = Sampling::of(&frame, bounds);
            let solid = Solid::of(shape);
            let mut walls = 0;
            for index in (0..sampling.places.len()).step_by(7) {
                let point = sampling.point(sampling.cell(index));
                let is_wall = solid.contains(wall.orientation.conjugate() * (point - wall.position));
                assert_eq!(sampling.places[index] == Place::Wall, is_wall, "{point}");
                walls += usize::from(is_wall);
            }
            assert_eq!(walls == 0, matches!(solid, Solid::None));
        }
    }
}
