//! Pictures of a run: grains as they lie, and charts of its figures. No screen, no other program, no font file.
//!
//! A picture has the same bytes for any number of threads. It sees a [`Subject`], never a world.

pub mod chart;
pub mod colour_map;
pub mod film;
pub mod font;
pub mod image;
pub mod quantity;
pub mod render;
pub mod subject;
pub mod ticks;

pub use chart::Chart;
pub use colour_map::ColourMap;
pub use image::Image;
pub use quantity::Quantity;
pub use render::{Framing, Lens, NoPicture, View, Viewpoint, render};
pub use subject::Subject;
