//! `walls.csv`: force, torque and power of the contacts on every wall and surface, one row for each
//! at every output time.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use glam::DVec3;
use granum_engine::{BodyId, BodyState, Snapshot};
use granum_geometry::Shape;
use serde::{Deserialize, Serialize};

use crate::recorder::Recorder;
use crate::table_file::{self, TableFile};

/// Writes `walls.csv` during the run.
pub struct WallTable {
    file: TableFile,
    /// Names of the walls.
    names: BTreeMap<BodyId, String>,
}

/// A row of the table. Names and order of the columns are a public contract.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the documentation of the first component is that of the vector")]
pub struct WallRow {
    /// Time, s.
    pub time: f64,
    /// Name of the wall in the scene.
    pub wall: String,
    /// Position of the centre of the wall, m; of a half-space the point of its plane that the scene
    /// gives, displaced by its motion; of a surface the origin of the scene, moved with it.
    pub x: f64,
    pub y: f64,
    pub z: f64,
    /// Sum of the contact forces on the wall, N.
    pub force_x: f64,
    pub force_y: f64,
    pub force_z: f64,
    /// Torque of the contacts on the wall about its centre, N m.
    pub torque_x: f64,
    pub torque_y: f64,
    pub torque_z: f64,
    /// Number of contact points that carry a force.
    pub contacts: usize,
    /// Power of the wall on the bodies that touch it, W: minus the product of force and velocity,
    /// and of torque and spin.
    pub power: f64,
}

/// Sum of the contacts of one wall.
#[derive(Clone, Copy, Default)]
struct Load {
    force: DVec3,
    torque: DVec3,
    contacts: usize,
}

impl WallRow {
    /// Reads a whole table. A last row without line end is still being written and is skipped.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Vec<Self>, String> {
        table_file::parse(bytes)
    }
}

impl WallTable {
    /// Opens the file, or creates it if the run had not written it yet. It must be truncated before
    /// it is written to.
    pub fn reopen(path: &Path, names: impl IntoIterator<Item = (BodyId, String)>) -> io::Result<Self> {
        Ok(Self { file: TableFile::reopen(path)?, names: names.into_iter().collect() })
    }
}

impl Recorder for WallTable {
    fn name(&self) -> &'static str {
        "walls.csv"
    }

    fn record(&mut self, snapshot: &Snapshot, _: &[Shape]) -> io::Result<()> {
        let walls = snapshot.bodies.iter().filter(|body| self.names.contains_key(&body.id));
        let walls: BTreeMap<BodyId, &BodyState> = walls.map(|wall| (wall.id, wall)).collect();
        let mut loads: BTreeMap<BodyId, Load> = BTreeMap::new();
        for contact in &snapshot.contacts {
            for (id, sign) in [(contact.a, -1.0), (contact.b, 1.0)] {
                let Some(centre) = walls.get(&id).map(|wall| wall.position) else { continue };
                let load = loads.entry(id).or_default();
                load.force += sign * contact.force;
                load.torque += sign * ((contact.point - centre).cross(contact.force) + contact.torque);
                load.contacts += 1;
            }
        }
        let row = |(id, body): (&BodyId, &&BodyState)| {
            let Load { force, torque, contacts } = loads.get(id).copied().unwrap_or_default();
            let [[x, y, z], [force_x, force_y, force_z], [torque_x, torque_y, torque_z]] =
                [body.position, force, torque].map(|vector| vector.to_array());
            let (time, wall) = (snapshot.time, self.names[id].clone());
            // An unloaded or fixed wall has the power 0, not -0.
            let power = 0.0 - (force.dot(body.velocity) + torque.dot(body.spin));
            WallRow { time, wall, x, y, z, force_x, force_y, force_z, torque_x, torque_y, torque_z, contacts, power }
        };
        self.file.append(walls.iter().map(row))
    }

    fn settle(&mut self) -> io::Result<u64> {
        self.file.settle()
    }

    fn cut_back(&mut self, length: u64) -> io::Result<()> {
        self.file.cut_back(length)
    }
}
