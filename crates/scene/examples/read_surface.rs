//! Writes a binary STL file of a million triangles, reads it, and prints the time for reading.

use std::fs::File;
use std::io::BufWriter;
use std::time::Instant;

use granum_geometry::surface::generate::Terrain;
use granum_output::stl;
use granum_scene::surface_file::{self, Unit};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let hills = Terrain { size: [1000.0, 500.0], cells: [1000, 500], hills: 40, height: 60.0, radius: 80.0, seed: 1 };
    let path = std::env::temp_dir().join(format!("granum_{}.stl", std::process::id()));
    stl::write_surface(&hills.mesh()?, &mut BufWriter::new(File::create(&path)?))?;
    let start = Instant::now();
    let mesh = surface_file::read(&path)?.mesh(Unit::M)?;
    let seconds = start.elapsed().as_secs_f64();
    std::fs::remove_file(&path)?;
    println!("{} triangles, {} vertices, read in {seconds:.2} s", mesh.triangles().len(), mesh.vertices().len());
    Ok(())
}
