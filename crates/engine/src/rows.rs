//! Quantities of all bodies as rows of numbers, for programs that keep arrays.

use rayon::prelude::*;

use crate::simulation::Simulation;
use crate::state::{BodyId, World};

/// Rows that a thread writes at once.
const BLOCK: usize = 4096;

/// Fewer rows are written on one thread: that takes less time than to wake the others.
const MANY: usize = 20_000;

impl Simulation {
    /// Writes a quantity of each body into its row, in the order of ids. There are at most as many
    /// rows as bodies.
    ///
    /// Large worlds use all threads of the simulation if its last step has done so.
    ///
    /// ```
    /// use glam::DVec3;
    /// use granum_engine::{BodySpec, Material, Simulation, World, WorldError};
    /// use granum_geometry::shape::Sphere;
    ///
    /// let mut world = World::new();
    /// world.set_time_step(1e-3)?;
    /// let steel = world.add_material(Material::new("steel", 7800.0))?;
    /// let ball = world.add_shape(Sphere { radius: 0.01 })?;
    /// world.add_body(BodySpec::at(ball, steel, DVec3::X))?;
    /// let simulation = Simulation::new(world, 1)?;
    /// let mut positions = [[0.0; 3]];
    /// simulation.write_rows(&mut positions, |world, id| world.position(id).to_array());
    /// assert_eq!(positions, [[1.0, 0.0, 0.0]]);
    /// # Ok::<(), WorldError>(())
    /// ```
    pub fn write_rows<const N: usize>(
        &self,
        rows: &mut [[f64; N]],
        quantity: impl Fn(&World, BodyId) -> [f64; N] + Sync,
    ) {
        let world = self.world();
        let write = |first: usize, rows: &mut [[f64; N]]| {
            for (k, row) in rows.iter_mut().enumerate() {
                *row = quantity(world, BodyId((first + k) as u32));
            }
        };
        match self.pool_in_use() {
            Some(pool) if rows.len() >= MANY => pool.install(|| {
                rows.par_chunks_mut(BLOCK).enumerate().for_each(|(block, rows)| write(block * BLOCK, rows));
            }),
            _ => write(0, rows),
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use granum_geometry::shape::Sphere;

    use super::*;
    use crate::state::{BodySpec, Material};

    #[test]
    fn threads_write_the_rows_of_one_thread() {
        let mut world = World::new();
        world.set_time_step(1e-3).unwrap();
        let steel = world.add_material(Material::new("steel", 7800.0)).unwrap();
        let ball = world.add_shape(Sphere { radius: 0.1 }).unwrap();
        for k in 0..MANY + 1 {
            let [x, y] = [k % 149, k / 149].map(|n| n as f64);
            world.add_body(BodySpec::fixed(ball, steel, DVec3::new(x, y, 0.0))).unwrap();
        }
        let mut simulation = Simulation::new(world, 3).unwrap();
        simulation.use_all_threads().unwrap();
        simulation.run(1);
        assert!(simulation.pool_in_use().is_some());
        let mut rows = vec![[0.0; 3]; MANY + 1];
        simulation.write_rows(&mut rows, |world, id| world.position(id).to_array());
        let expected: Vec<[f64; 3]> = simulation.world().positions().map(|position| position.to_array()).collect();
        assert_eq!(rows, expected);
    }
}
