"""Scenes from files, texts and Python, and their errors."""

import pickle

import numpy as np
import pytest

import granum
from conftest import SCENES, program


def complete():
    scene = granum.Scene(time={"end": "10 ms", "step": 1e-5})
    scene.add_material("glass", density="2.5 g/cm3")
    scene.add_contact("glass", "glass", law="linear", stiffness=1e4, restitution=0.8, friction=0.3)
    scene.add_grains("beads", material="glass", sphere={"radius": 1e-3}, positions=[[0, 0, 0.1]])
    return scene


def test_a_scene_of_python_is_that_of_its_text(tmp_path):
    scene = complete()
    text = """
        [time]
        end = "10 ms"
        step = 1e-5
        [materials.glass]
        density = "2.5 g/cm3"
        [[contact]]
        between = ["glass", "glass"]
        law = "linear"
        stiffness = 1e4
        restitution = 0.8
        friction = 0.3
        [[grains]]
        name = "beads"
        material = "glass"
        sphere = { radius = 1e-3 }
        positions = [[0, 0, 0.1]]
    """
    path = tmp_path / "scene.toml"
    path.write_text(text)
    texts = {scene.to_toml(), granum.Scene.from_toml(text).to_toml(), granum.Scene.from_file(path).to_toml()}
    assert len(texts) == 1
    simulations = [granum.Simulation(scene), granum.Simulation(granum.Scene.from_file(path))]
    for simulation in simulations:
        simulation.step(100)
    assert simulations[0].state_hash == simulations[1].state_hash


def test_errors_name_field_line_and_column(tmp_path):
    path = tmp_path / "wrong.toml"
    path.write_text("[time]\nend = 1\n[materials.m]\ndensity = -1\n")
    with pytest.raises(granum.SceneError) as found:
        granum.Scene.from_file(path)
    error = found.value
    assert (error.field, error.line, error.column) == ("materials.m.density", 4, 11)
    assert error.file == str(path)
    # The message is that of the program.
    assert str(error).strip() == program("check", path, check=False).stderr.strip()


def test_errors_of_scenes_from_python_have_no_line():
    scene = complete()
    scene.add_grains(material="glass", sphere={"radius": -1.0}, positions=[[0, 0, 1]])
    with pytest.raises(granum.SceneError, match=r"grains\[1\]\.sphere\.radius must be a positive length") as found:
        granum.Simulation(scene)
    assert (found.value.field, found.value.line) == ("grains[1].sphere.radius", None)
    scene["grains[1].sphere.radius"] = 1e-3
    scene.check()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda scene: scene.add_material("glass", density=float("nan")), "materials.glass.density"),
        (lambda scene: scene.add_grains(material="glas", sphere={"radius": 1}, positions=[[0, 0, 1]]), "grains[1].material"),
        (lambda scene: scene.add_grains(material="glass", spere={"radius": 1}, positions=[[0, 0, 1]]), "grains[1]"),
        (lambda scene: scene.add_wall("w", material="glass", position=[0, 0, 0]), "walls[0]"),
        (lambda scene: scene.set_container(material="glass", min=[0, 0, 0], max=[0, 0, 0]), "container"),
        (lambda scene: scene.add_grains(material="glass", sphere={"radius": 1}, count=-3), "grains[1].count"),
        (lambda scene: scene.__setitem__("time.end", -1), "time.end"),
        (lambda scene: scene.__setitem__("contact_model", "deep"), "contact_model"),
    ],
)
def test_wrong_values_are_errors_with_their_field(change, field):
    scene = complete()
    change(scene)
    with pytest.raises(granum.SceneError) as found:
        scene.check()
    assert found.value.field is not None and found.value.field.startswith(field), found.value


def test_overlaps_at_the_start_are_found_by_check():
    scene = complete()
    scene.add_grains(material="glass", sphere={"radius": 1e-3}, positions=[[0, 0, 0.1005]])
    with pytest.raises(granum.SceneError, match="overlap"):
        scene.check()


@pytest.mark.parametrize("value", [object(), {1: 2}, 1 << 70, {"a": {"b": {1, 2}}}, b"text", lambda: 0])
def test_values_that_no_scene_has_are_type_errors(value):
    scene = complete()
    with pytest.raises(TypeError):
        scene.add_grains(material="glass", sphere=value)
    # Nothing has been added.
    scene.check()


def test_endless_values_are_type_errors():
    endless = []
    endless.append(endless)
    with pytest.raises(TypeError, match="nested too deeply"):
        complete().add_grains(positions=endless)


def test_numbers_of_numpy_are_numbers():
    scene = complete()
    scene.add_grains(
        material="glass",
        count=np.int32(1),
        sphere={"radius": np.float32(0.5)},
        positions=np.array([[3.0, 0.0, 0.0]]),
    )
    scene["time.end"] = np.float64(0.02)
    assert granum.Simulation(scene).last_step == 2000
    assert scene["grains[1].sphere.radius"] == 0.5
    assert scene["grains[1].positions"] == [[3.0, 0.0, 0.0]]
    with pytest.raises(KeyError):
        scene["grains[7].sphere"]
    with pytest.raises(granum.InputError):
        scene["grains[7].sphere"] = {}


def test_a_scene_of_a_file_can_be_changed():
    path = SCENES / "first_run.toml"
    scene = granum.Scene.from_file(path)
    count = granum.Simulation(scene).grains.size
    material = scene["grains[0].material"]
    scene.add_grains(material=material, sphere={"radius": 1e-4}, positions=[[0.02, 0.02, 50.0]])
    assert granum.Simulation(scene).grains.size == count + 1
    assert "50" not in path.read_text()


def test_scenes_are_pickled():
    for scene in [complete(), granum.Scene.from_file(SCENES / "first_run.toml"), granum.Scene()]:
        copy = pickle.loads(pickle.dumps(scene))
        assert repr(copy) == repr(scene)
    copy = pickle.loads(pickle.dumps(complete()))
    assert copy.to_toml() == complete().to_toml()


def test_surfaces_from_arrays_keep_their_numbers(tmp_path):
    rng = np.random.default_rng(1)
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]) + 1e-3 * rng.random((4, 3))
    triangles = np.array([[0, 1, 2], [1, 3, 2]])
    scene = complete()
    file = tmp_path / "plate.obj"
    scene.add_surface("plate", vertices=vertices, triangles=triangles, file=file, material="glass")
    simulation = granum.Simulation(scene)
    assert simulation.walls["plate"].position.tolist() == [0, 0, 0]
    rows = [line.split()[1:] for line in file.read_text().splitlines() if line.startswith("v ")]
    assert np.array_equal(np.array(rows, dtype=float), vertices)
    with pytest.raises(FileExistsError):
        scene.add_surface(vertices=vertices, triangles=triangles, file=file, material="glass")
    for wrong in [{"triangles": triangles}, {"vertices": vertices[:, :2], "triangles": triangles}, {"vertices": vertices, "triangles": triangles + 2}, {"vertices": vertices * np.nan, "triangles": triangles}]:
        with pytest.raises((TypeError, ValueError)):
            scene.add_surface(file=tmp_path / "wrong.obj", material="glass", **wrong)
    assert not (tmp_path / "wrong.obj").exists()
