//! Published contact methods, kept for comparison, and the JSON query of `granum contact`.
//!
//! The simulation does not need this crate. It contains the code that exists only to compare granum
//! with publications: contact [`methods`] by name, the [`published`] overlap measure of cylinders,
//! their region by its edges ([`region_edges`]), the theorems for [`axisymmetric`] bodies, the
//! roots of a [`quartic`], and the [`query`] that runs a method on one pair of bodies. The README
//! lists the methods, their sources, and the errors of the publications.
//!
//! [`register`] adds the measure and the region method to a pair table, as any other crate can:
//!
//! ```
//! use granum_geometry::{Kind, PairTable};
//!
//! let mut table = PairTable::new();
//! granum_reference::register(&mut table);
//! let measure = granum_reference::published::MEASURE;
//! let routine = table.routine(measure, Kind::Cylinder, Kind::Cylinder);
//! assert_eq!(routine.name(), "published");
//! ```

pub mod axisymmetric;
pub mod benchmark;
pub mod drawing;
pub mod methods;
pub mod published;
pub mod quartic;
pub mod query;
pub mod random_pairs;
pub mod region_edges;

use std::sync::{Arc, LazyLock};

use granum_geometry::contact::RegionMethod;
use granum_geometry::{Kind, PairTable};

/// Adds the published overlap measure of two cylinders, and their region by its edges.
pub fn register(table: &mut PairTable) {
    table.register(published::MEASURE, Kind::Cylinder, Kind::Cylinder, published::NAME, published::two_cylinders);
    let volume = |pair: &granum_geometry::Pair| region_edges::region_by_edges(pair).map(|region| region.volume);
    table.register_region_method(Kind::Cylinder, Kind::Cylinder, RegionMethod { name: "edges", volume });
}

/// Returns the shared table of the built-in pairs and of this crate's.
pub fn pair_table() -> &'static Arc<PairTable> {
    static TABLE: LazyLock<Arc<PairTable>> = LazyLock::new(|| {
        let mut table = PairTable::new();
        register(&mut table);
        Arc::new(table)
    });
    &TABLE
}
