//! Pictures of grains and charts of a run, without a display, other programs or font files.
//!
//! A picture has the same bytes for any number of threads. It is made from a [`Subject`], never
//! from a world.

pub mod chart;
pub mod colour_map;
pub mod film;
pub mod font;
pub mod image;
pub mod quantity;
pub mod render;
pub mod subject;
pub mod surface_quantity;
pub mod ticks;

pub use chart::Chart;
pub use colour_map::ColourMap;
pub use image::Image;
pub use quantity::Quantity;
pub use render::{Framing, Lens, NoPicture, View, Viewpoint, render, render_surface};
pub use subject::Subject;
pub use surface_quantity::SurfaceQuantity;
