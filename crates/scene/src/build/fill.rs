//! Placement of grains in a volume that surfaces bound.

use glam::{DQuat, DVec3};
use granum_geometry::contact::general::are_apart;
use granum_geometry::surface::fill::{Lattice, Region};
use granum_geometry::surface::topology::Edges;
use granum_geometry::{Aabb, Pair, Pose, Shape, TriangleMesh};

use super::Builder;
use super::grains::{DrawnShapes, Group, PlacedGrain, Streams, body_axes};
use super::insertion::{ALL_TRIES, BallGrid, DENSEST, TRIES};
use super::wall_clearance::Walls;
use crate::error::SceneError;
use crate::format::{Arrangement, FillTable};
use crate::value::orientation::Orientation;

/// Largest number of cells of a lattice that are tested, about a minute of work.
const MOST_CELLS: u64 = 50_000_000;

/// The surfaces around a volume.
enum Bounds {
    Inside(TriangleMesh),
    Between(TriangleMesh, TriangleMesh),
}

/// A grain that has its place.
struct Neighbour<'a> {
    shape: &'a Shape,
    pose: Pose,
}

impl Builder<'_> {
    /// Fills a volume with the grains of a table.
    pub(super) fn fill_volume(
        &self,
        group: &Group,
        fill: &FillTable,
        streams: &mut Streams,
    ) -> Result<(DrawnShapes, Vec<PlacedGrain>), SceneError> {
        let bounds = self.bounds(group, fill)?;
        let up = fill.up.unwrap_or(DVec3::Z).normalize();
        let mut region = match &bounds {
            Bounds::Inside(mesh) => Region::inside(mesh),
            Bounds::Between(lower, upper) => Region::between(lower, upper, up),
        };
        if let (Some(min), Some(max)) = (fill.min, fill.max) {
            region = region.within(&Aabb { min, max });
        }
        match fill.arrangement {
            Arrangement::Lattice => self.fill_lattice(group, fill, &region, streams),
            Arrangement::Random => self.fill_randomly(group, fill, &region, streams),
        }
    }

    /// Returns the surfaces of a volume.
    fn bounds(&self, group: &Group, fill: &FillTable) -> Result<Bounds, SceneError> {
        let mesh = |name: &str| {
            let surfaces = self.scene.surfaces.iter().enumerate();
            let mut named = surfaces.filter(|(_, surface)| surface.name.as_deref() == Some(name));
            let (index, surface) = named.next().expect("the scene was checked to have this surface");
            self.mesh(&format!("surfaces[{index}]"), surface)
        };
        if let Some([lower, upper]) = &fill.between {
            return Ok(Bounds::Between(mesh(lower)?, mesh(upper)?));
        }
        let name = fill.inside.as_deref().unwrap_or_default();
        let mesh = mesh(name)?;
        let edges = Edges::new(&mesh);
        let mut open = edges.iter().filter(|half_edges| half_edges.len() % 2 == 1);
        if let Some(first) = open.next() {
            let [from, to] = first[0].ends(&mesh).map(|vertex| mesh.vertices()[vertex as usize]);
            let [x, y, z] = from.midpoint(to).to_array();
            let reason = format!(
                "must be a closed surface, but `{name}` has {} open edges, the first at [{x:.4e}, {y:.4e}, {z:.4e}]; close \
                 it, or give `between`",
                1 + open.count()
            );
            return Err(self.source().error(&format!("{}.fill.inside", group.path), reason));
        }
        Ok(Bounds::Inside(mesh))
    }

    /// Fills all cells of a lattice whose grains lie in the volume, or the first ones.
    fn fill_lattice(
        &self,
        group: &Group,
        fill: &FillTable,
        region: &Region,
        streams: &mut Streams,
    ) -> Result<(DrawnShapes, Vec<PlacedGrain>), SceneError> {
        let Group { path, grains, .. } = group;
        let key = |key: &str| format!("{path}.{key}");
        let DrawnShapes::Shared(shape, wanted) = self.draw(group, grains.count, grains.mass, &mut streams.sizes)?
        else {
            return Err(self.source().error(&key("fill"), "needs grains of one shape and size for a lattice"));
        };
        let turn = fill.rotate.map_or(Ok(DQuat::IDENTITY), |rotate| rotate.quaternion());
        let turn = turn.map_err(|error| self.source().error(&key(&format!("fill.{}", error.field)), error.reason))?;
        let body = shape.as_convex();
        // The box around a grain, whose middle need not be the centre of mass. A grain with a random
        // orientation needs the box of its ball.
        let around = if grains.orientation == Orientation::Random {
            let radius = body.bounding_radius();
            Aabb { min: DVec3::splat(-radius), max: DVec3::splat(radius) }
        } else {
            let upright = grains.draw_orientation(&mut streams.orientations, false);
            body.aabb(&Pose { position: DVec3::ZERO, orientation: body_axes(upright, &shape) })
        };
        let lattice = Lattice::over(region, turn, around.max - around.min + fill.gap.unwrap_or(0.0));
        if lattice.count() > MOST_CELLS {
            let reason = format!(
                "has {:.1e} cells in the bounds of the volume, and at most {MOST_CELLS:.1e} are possible; use larger grains, \
                 or limit the volume by `min` and `max`",
                lattice.count() as f64
            );
            return Err(self.source().error(&key("fill"), reason));
        }
        let is_limited = grains.count.is_some() || grains.mass.is_some();
        let limit = if is_limited { wanted } else { u64::MAX };
        let middle = around.min.midpoint(around.max);
        let mut placed = Vec::new();
        for cell in lattice.centres() {
            if placed.len() as u64 >= limit {
                break;
            }
            let orientation = turn * grains.draw_orientation(&mut streams.orientations, false);
            let pose = Pose { position: cell - turn * middle, orientation: body_axes(orientation, &shape) };
            if region.contains_body(body, &pose) {
                placed.push(PlacedGrain::at(pose.position, pose.orientation));
            }
        }
        let found = placed.len() as u64;
        if found == 0 {
            return Err(self.source().error(&key("fill"), no_room(fill)));
        }
        if is_limited && found < limit {
            let given = if grains.mass.is_some() { "mass" } else { "count" };
            let reason = format!("{limit} grains do not fit: the volume has room for {found} on this lattice");
            return Err(self.source().error(&key(given), reason));
        }
        self.check_memory(group, found as f64)?;
        Ok((DrawnShapes::Shared(shape, found), placed))
    }

    /// Draws the grains and inserts them one by one at random positions of the volume, the largest
    /// first. Unlike grains of a box they are compared by their shapes, not by their bounding balls.
    fn fill_randomly(
        &self,
        group: &Group,
        fill: &FillTable,
        region: &Region,
        streams: &mut Streams,
    ) -> Result<(DrawnShapes, Vec<PlacedGrain>), SceneError> {
        let Group { path, grains, .. } = group;
        let given = [("fill.fraction", fill.fraction.is_some()), ("mass", grains.mass.is_some())];
        let given = given.iter().find(|(_, given)| *given).map_or("count", |(key, _)| key);
        let error = |reason: String| self.source().error(&format!("{path}.{given}"), reason);
        let volume = region.volume();
        if volume <= 0.0 {
            return Err(self.source().error(&format!("{path}.fill"), no_room(fill)));
        }
        let of_volume = |part: f64| part * volume * self.world.material(group.material).density;
        if let (Some(mass), None) = (grains.mass, grains.count)
            && mass > of_volume(DENSEST[0])
        {
            return Err(error(too_many(mass / of_volume(1.0))));
        }
        if let Some(count) = grains.count {
            // This check comes first: drawing a count that cannot fit may take very long.
            let extremes = group.shapes.extremes().map_err(|error| self.shape_error(path, &grains.shape, error))?;
            let least = extremes.iter().map(solid_volume).fold(f64::INFINITY, f64::min);
            if count as f64 * least > DENSEST[0] * volume {
                return Err(error(too_many(count as f64 * least / volume)));
            }
        }
        let mass = fill.fraction.map(of_volume).or(grains.mass);
        let shapes = self.draw(group, grains.count, mass, &mut streams.sizes)?;
        let orientations: Vec<DQuat> = (0..shapes.len())
            .map(|k| body_axes(grains.draw_orientation(&mut streams.orientations, false), shapes.get(k)))
            .collect();
        let radius = |k: usize| shapes.get(k).as_convex().bounding_radius();
        let mut order: Vec<usize> = (0..shapes.len()).collect();
        order.sort_by(|&i, &j| radius(j).total_cmp(&radius(i)));

        let walls = Walls::of(&self.world);
        let mut neighbours: Vec<Neighbour> = (self.world.grains())
            .map(|grain| Neighbour {
                shape: self.world.shape(grain.shape),
                pose: Pose { position: grain.position, orientation: grain.orientation },
            })
            .collect();
        let largest = (neighbours.iter().map(|one| one.shape.as_convex().bounding_radius()))
            .chain((0..shapes.len()).map(radius))
            .fold(0.0, f64::max);
        let mut grid = BallGrid::new(largest, neighbours.len() + shapes.len());
        for one in &neighbours {
            grid.add(one.pose.position, one.shape.as_convex().bounding_radius());
        }
        let mut centres = vec![DVec3::ZERO; shapes.len()];
        let mut tries_left = ALL_TRIES.0 + ALL_TRIES.1 * shapes.len() as u64;
        for (done, &k) in order.iter().enumerate() {
            let (shape, orientation) = (shapes.get(k), orientations[k]);
            let tries = tries_left.min(TRIES);
            let found = (0..tries).find_map(|_| {
                tries_left -= 1;
                let pose = Pose { position: region.random_point(&mut streams.positions)?, orientation };
                let overlaps = |index: usize| neighbours[index].meets(shape, &pose);
                let is_free = grid.is_free(pose.position, radius(k), overlaps)
                    && region.contains_body(shape.as_convex(), &pose)
                    && walls.are_clear_of(shape, &pose);
                is_free.then_some(pose)
            });
            let Some(pose) = found else {
                let solid: f64 = order[..done].iter().map(|&k| solid_volume(shapes.get(k))).sum();
                return Err(error(format!(
                    "only {done} of {} grains fit: they fill {:.3} of the volume, and {tries} random positions for the next \
                     grain were all taken; use fewer grains, or arrangement = \"lattice\"",
                    shapes.len(),
                    solid / volume
                )));
            };
            grid.add(pose.position, radius(k));
            neighbours.push(Neighbour { shape, pose });
            centres[k] = pose.position;
        }
        let placed = centres.into_iter().zip(&orientations);
        let placed = placed.map(|(centre, &orientation)| PlacedGrain::at(centre, orientation)).collect();
        Ok((shapes, placed))
    }
}

impl Neighbour<'_> {
    /// Returns whether another grain overlaps this one.
    fn meets(&self, shape: &Shape, pose: &Pose) -> bool {
        !are_apart(&Pair::new(self.shape, &self.pose, shape, pose))
    }
}

/// Returns the volume of a grain, m³.
fn solid_volume(shape: &Shape) -> f64 {
    shape.as_convex().mass_properties().volume
}

fn too_many(fraction: f64) -> String {
    format!("the grains need {fraction:.3} of the volume, and random positions fill at most {:.2}", DENSEST[0])
}

/// Returns the reason for which a volume has no room for any grain.
fn no_room(fill: &FillTable) -> String {
    let hint = match &fill.between {
        Some([lower, upper]) => format!("is `{lower}` below `{upper}`, and is the distance between them large enough?"),
        None => "use smaller grains".to_owned(),
    };
    format!("has no room for a grain; {hint}")
}
