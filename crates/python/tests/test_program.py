"""The same bits as the program, and its checkpoints."""

import json
from pathlib import Path

import pytest

import granum
from conftest import SCENES, program

#: Scenes with stages, inlets, outlets, percussions and surfaces, and the times at which the runs end.
RUNS = [
    ("first_run", 0.02),
    ("shaken_shapes", 0.1),
    ("shaken_balls", 0.005),
    ("hopper", 0.03),
    ("flap", 0.03),
    ("everything", 0.02),
    ("everything_percussion", 0.05),
]


@pytest.mark.parametrize(("name", "until"), RUNS)
def test_a_scene_ends_with_the_bits_of_the_program(tmp_path, name, until):
    path = SCENES / f"{name}.toml"
    program("run", path, "--until", until, "--out", tmp_path / "run", "--quiet")
    summary = json.loads((tmp_path / "run/summary.json").read_text())
    scene = granum.Scene.from_file(path)
    scene["time.end"] = until
    simulation = granum.Simulation(scene)
    # In uneven pieces: the boundaries do not matter.
    for steps in [1, 2, 7, 13]:
        simulation.step(steps)
    simulation.run()
    assert simulation.steps == summary["steps"]
    assert simulation.state_hash == summary["state_hash"]


def test_wear_and_pressures_of_surfaces_have_the_bits_of_the_program(tmp_path):
    scene = granum.Scene(time={"end": 0.09, "output": 0.007})
    scene.add_material("glass", density=2500)
    scene.add_contact("glass", "glass", law="linear", stiffness=1e4, restitution=0.6, friction=0.4)
    vertices = [[-0.1, -0.1, 0], [0.1, -0.1, 0.01], [0.1, 0.1, 0], [-0.1, 0.1, 0.01]]
    plate = {"vertices": vertices, "triangles": [[0, 1, 2], [0, 2, 3]], "file": tmp_path / "plate.obj"}
    scene.add_surface("plate", material="glass", wear=True, sides=2, **plate)
    places = [[0.02 * x - 0.05, 0.02 * y - 0.05, 0.025] for x in range(6) for y in range(6)]
    scene.add_grains(material="glass", sphere={"radius": 0.005}, positions=places)
    run = granum.run(scene, tmp_path / "run")
    simulation = granum.Simulation(scene)
    simulation.step(11)
    simulation.save(tmp_path / "state.granum")
    copy = granum.Simulation.load(tmp_path / "state.granum")
    simulation.run()
    copy.run()
    assert simulation.state_hash == copy.state_hash == run.summary["state_hash"]
    # The grains have hit the plate.
    assert simulation.energy.dissipated > 0


def test_python_continues_a_run_of_the_program(tmp_path):
    path = SCENES / "shaken_shapes.toml"
    program("run", path, "--until", 0.05, "--out", tmp_path / "run", "--quiet")
    simulation = granum.Simulation.load(tmp_path / "run")
    assert simulation.time == pytest.approx(0.05)
    simulation.run(until=0.1)
    assert simulation.state_hash == hash_of_whole_run(path, 0.1, tmp_path / "whole")


def test_the_program_continues_a_state_of_python(tmp_path):
    path = SCENES / "shaken_shapes.toml"
    scene = granum.Scene.from_file(path)
    scene["time.end"] = 0.1
    simulation = granum.Simulation(scene)
    simulation.run(until=0.037)
    simulation.save(tmp_path / "run")
    program("run", "--resume", tmp_path / "run", "--quiet")
    summary = json.loads((tmp_path / "run/summary.json").read_text())
    assert summary["state_hash"] == hash_of_whole_run(path, 0.1, tmp_path / "whole")


def test_a_saved_file_continues_with_the_same_bits(tmp_path, bed):
    bed.step(500)
    bed.save(tmp_path / "state.granum")
    copies = [granum.Simulation.load(tmp_path / "state.granum", threads=threads) for threads in (1, 2)]
    assert {copy.state_hash for copy in copies} == {bed.state_hash}
    for simulation in [bed, *copies]:
        simulation.step(300)
    assert {copy.state_hash for copy in copies} == {bed.state_hash}
    # The contents of two files of one state are equal but for the number of the run.
    bed.save(tmp_path / "one.granum")
    bed.save(tmp_path / "two.granum")
    one, two = ((tmp_path / name).read_bytes() for name in ("one.granum", "two.granum"))
    assert one[48:] == two[48:]


def test_files_that_are_no_states_are_errors(tmp_path, bed):
    with pytest.raises(granum.GranumError):
        granum.Simulation.load(tmp_path / "nothing.granum")
    with pytest.raises(granum.GranumError, match="no checkpoint"):
        (tmp_path / "empty/checkpoint").mkdir(parents=True)
        granum.Simulation.load(tmp_path / "empty")
    bed.save(tmp_path / "state.granum")
    whole = (tmp_path / "state.granum").read_bytes()
    for name, damaged in [("short", whole[:100]), ("flip", whole[:500] + bytes([whole[500] ^ 1]) + whole[501:]), ("text", b"no state")]:
        (tmp_path / f"{name}.granum").write_bytes(damaged)
        with pytest.raises(granum.GranumError):
            granum.Simulation.load(tmp_path / f"{name}.granum")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/file").write_text("")
    with pytest.raises(OSError, match="not empty"):
        bed.save(tmp_path / "other")
    with pytest.raises(OSError):
        bed.save(tmp_path / "none/there/state.granum")


def test_the_program_reports_its_exit_code(tmp_path):
    assert program("--version").stdout.startswith("granum ")
    assert granum.__version__ in program("--version").stdout
    assert program("run", tmp_path / "none.toml", check=False).returncode == 2
    assert program("--what", check=False).returncode == 2


def test_a_sweep_starts_the_program_again(tmp_path):
    scene = tmp_path / "ball.toml"
    scene.write_text(granum.examples.bouncing_ball().to_toml())
    program("sweep", scene, "--set", "time.end=1 ms,2 ms", "--out", tmp_path / "sweep", "--quiet")
    assert len(list(Path(tmp_path / "sweep").glob("*/summary.json"))) == 2


def hash_of_whole_run(path, until, out):
    program("run", path, "--until", until, "--out", out, "--quiet")
    return json.loads((out / "summary.json").read_text())["state_hash"]
