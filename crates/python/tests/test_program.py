"""The same bits as the program, and its checkpoints."""

import copy
import json
import pickle
import signal
import subprocess
import sys
import time
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


def test_copies_go_on_with_the_same_bits_and_alone(bed):
    bed.step(500)
    copies = [bed.copy(), copy.copy(bed), copy.deepcopy(bed), pickle.loads(pickle.dumps(bed))]
    before = bed.state_hash
    bed.step(100)
    for other in copies:
        assert type(other) is granum.Simulation and other.state_hash == before
        assert other.energy.residual != bed.energy.residual
        other.step(100)
        assert (other.state_hash, other.energy.as_dict()) == (bed.state_hash, bed.energy.as_dict())


def test_a_force_that_is_set_again_continues_with_the_same_bits(bed):
    def drag(state):
        return -1e-4 * state.velocities

    bed.set_force(drag)
    bed.step(300)
    other = bed.copy()
    other.set_force(drag)
    bed.step(50)
    other.step(50)
    assert other.state_hash == bed.state_hash


def test_bytes_that_are_no_states_are_errors(bed):
    kind, (of, state, threads) = bed.__reduce__()
    for damaged in [b"", b"granum", state[:-1], state + b"0", state[:200] + b"xyz" + state[203:]]:
        with pytest.raises(granum.GranumError, match="saved state"):
            kind(of, damaged, threads)


def test_results_are_sent_to_other_processes(bed):
    bed.step(100)
    egg = granum.Shape("ellipsoid", semi_axes=[1.0, 1.0, 1.5])
    energy, shape = pickle.loads(pickle.dumps((bed.energy, egg)))
    assert energy.as_dict() == bed.energy.as_dict() and repr(energy) == repr(bed.energy)
    assert (repr(shape), shape.bounding_radius) == (repr(egg), egg.bounding_radius)
    with pytest.raises(granum.SceneError) as found:
        granum.Scene.from_toml("[time]\nend = -1")
    error = pickle.loads(pickle.dumps(found.value))
    assert (str(error), error.field, error.line) == (str(found.value), found.value.field, found.value.line)


INTERRUPTED = """
import sys
import granum

scene = granum.examples.settling_bed(200)
scene["time"] = {"end": 1e3, "output": 0.01}
print("ready", flush=True)
try:
    granum.run(scene, sys.argv[1])
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
def test_ctrl_c_stops_a_run_and_saves_its_state(tmp_path):
    folder = tmp_path / "run"
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED, str(folder)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    for _ in range(600):
        if (folder / "energy.csv").exists() and (folder / "energy.csv").read_text().count("\n") > 2:
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0] == "stopped\n" and process.returncode == 0
    simulation = granum.Simulation.load(folder)
    # The state is that of the end, not that of the start.
    assert simulation.steps > 0 and simulation.time >= granum.open(folder).energy["time"][-1]
