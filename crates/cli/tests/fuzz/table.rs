//! Tables of grains as files of comma-separated values. A table that is read makes a world, or an
//! error of its values.

use std::fs;

use granum_scene::Scene;

use super::{SCENE, folder, fuzz, is_readable};

const ROWS: &[&str] = &[
    "x,y,z\n0,0,0\n1,0,0\n",
    "x,y,z,vx,vy,vz,wx,wy,wz\n0,0,0,1,2,3,4,5,6\n0,0,1,0,0,0,0,0,0\n",
    "# grains\nx, y, z, qw, qx, qy, qz, size\n0, 0, 0, 1, 0, 0, 0, 0.01\n\n1e-1,0,0,0.5,0.5,0.5,0.5,2e-3\n",
    "x,y,z,sx,sy,sz\n0,0,0,1,1,1\n0,0,1,0.5,2,1\n",
    "x,y,z,qw,qx,qy,qz\n0,0,0,1e308,0,0,0\n",
];

#[test]
fn any_table_is_read_or_refused() {
    let dir = folder("table");
    let scene = format!("{SCENE}ellipsoid = {{ semi_axes = [0.002, 0.003, 0.001] }}\ntable = {{ file = \"x.csv\" }}\n");
    let corpus: Vec<Vec<u8>> = ROWS.iter().map(|rows| rows.as_bytes().to_vec()).collect();
    fuzz("table", &corpus, |input| {
        fs::write(dir.join("x.csv"), input).expect("the file can be written");
        match Scene::parse(&scene, &dir.join("x.toml")).and_then(|scene| scene.build()) {
            Err(error) => is_readable(&error.to_string()),
            Ok(world) => {
                let is_sound = |body: granum_engine::BodyState| {
                    body.position.is_finite() && (body.orientation.length() - 1.0).abs() < 1e-9 && body.mass > 0.0
                };
                assert!(world.grains().all(is_sound));
            }
        }
    });
}
