//! Checkpoints: the file with its header, and the contents, which the checksum of a damaged file
//! keeps from being read.

use std::path::Path;

use granum_engine::{Simulation, World};
use granum_output::checkpoint::file;
use granum_scene::Scene;

use super::{SCENE, fuzz, is_readable};

/// Returns the world of some grains in contact, as a checkpoint stores it.
fn contents(shape: &str) -> Vec<u8> {
    let walls = "[container]\nmaterial = \"glass\"\nmin = [0, 0, 0]\nmax = [0.03, 0.03, 0.03]\n";
    let positions = "positions = [[0.01, 0.01, 0.0019], [0.02, 0.01, 0.0019], [0.02, 0.02, 0.0019]]\n";
    let text =
        SCENE.replace("[[grains]]", &format!("{walls}[[grains]]")) + "velocity = [0, 0, -1]\n" + shape + positions;
    let world = Scene::parse(&text, Path::new("x.toml")).and_then(|scene| scene.build());
    let mut simulation = Simulation::new(world.unwrap_or_else(|error| panic!("{error}")), 1).expect("a simulation");
    simulation.run(40);
    postcard::to_allocvec(simulation.world()).expect("a world can be written")
}

#[test]
fn any_checkpoint_is_read_or_refused() {
    let worlds =
        [contents("sphere = { radius = 0.0018 }\n"), contents("box = { half_sizes = [0.001, 0.0018, 0.0015] }\n")];
    for world in &worlds {
        let (world, rest) = postcard::take_from_bytes::<World>(world).expect("it was just written");
        assert!(rest.is_empty() && world.check().is_ok());
    }
    let mut header = file::MAGIC.to_vec();
    header.extend(file::FORMAT.to_le_bytes());
    header.resize(file::HEAD, 0);
    // The first byte selects the kind of the rest: a file, or the contents of one.
    let mut corpus: Vec<Vec<u8>> = worlds.iter().map(|world| [&[0], &world[..]].concat()).collect();
    corpus.push([&[1], &header[..], &worlds[0][..]].concat());
    fuzz("checkpoint", &corpus, |input| match input.split_first() {
        None => {}
        Some((0, contents)) => {
            if let Ok((world, _)) = postcard::take_from_bytes::<World>(contents)
                && let Err(error) = world.check()
            {
                is_readable(&error.to_string());
            }
        }
        Some((_, bytes)) => {
            if let Err(refusal) = file::parse::<World>(bytes) {
                is_readable(&refusal.to_string());
            }
        }
    });
}
