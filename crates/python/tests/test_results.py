"""Results of runs: tables, frames, measurements, charts and pictures."""

import struct

import numpy as np
import pytest

import granum
from granum import examples


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    scene = examples.settling_bed(60)
    scene["time.end"] = 0.2
    return granum.run(scene, tmp_path_factory.mktemp("results") / "bed")


def test_tables_have_the_columns_of_the_files(run):
    energy = run.energy
    header, *rows = (run.dir / "energy.csv").read_text().splitlines()
    assert list(energy) == header.split(",") and energy.rows == len(rows) > 10
    wanted = np.array([row.split(",") for row in rows], dtype=float)
    for column, name in enumerate(energy):
        assert np.array_equal(energy[name], wanted[:, column]), name
    assert energy["time"].dtype == np.float64 and energy["contacts"].dtype == np.int64
    walls = run.walls
    assert set(walls["wall"]) == {f"container.{face}" for face in ("left", "right", "front", "back", "bottom")}
    assert run.summary["status"] == "completed" and len(run.summary["state_hash"]) == 16


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_tables_become_frames_of_other_libraries(run, library):
    frame_type = pytest.importorskip(library).DataFrame
    for table in (run.energy, run.walls):
        frame = getattr(table, f"to_{library}")()
        assert isinstance(frame, frame_type) and list(frame.columns) == list(table)
        for name in table:
            assert np.array_equal(np.asarray(frame[name]), table[name]), name


def test_frames_are_read_when_they_are_used(run):
    frames = run.frames
    assert len(frames) == len(frames.times) > 10 and frames.times[0] == 0
    frame = frames[-1]
    assert frame.time == frames.times[-1] == pytest.approx(0.2)
    assert len(frames[2:5]) == 3 and frames[2].time == frames.times[2]
    with pytest.raises(IndexError):
        frames[len(frames)]
    count = len(frame)
    assert frame.is_grain.sum() == 60
    for name, columns in [("positions", 3), ("orientations", 4), ("velocities", 3), ("spins", 3)]:
        array = getattr(frame, name)
        assert array.shape == (count, columns) and array.dtype == np.float64 and not array.flags.writeable
    assert frame.masses.shape == frame.ids.shape == frame.shape_ids.shape == (count,)
    assert frame.materials == ["glass"] * count
    assert frame.contacts.dtype.names[0] == "a"


def test_the_last_frame_is_the_state_of_a_simulation(run):
    simulation = granum.Simulation(granum.Scene.from_toml(run.scene_toml))
    simulation.run()
    assert simulation.state_hash == run.summary["state_hash"]
    frame = run.frames[-1]
    assert np.array_equal(frame.positions, simulation.positions[frame.ids])
    assert np.array_equal(frame.contacts, simulation.contacts)


def test_surfaces_are_closed_meshes(run):
    frame = run.frames[-1]
    mesh = frame.surfaces(detail=2)
    assert mesh.triangles.max() < len(mesh.vertices) and len(mesh.bodies) == len(mesh.triangles)
    assert set(mesh.bodies) == set(frame.ids[frame.is_grain])
    # The volume inside is that of the ellipsoids, a little less.
    corners = mesh.vertices[mesh.triangles]
    volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    assert 0.9 < volume / (60 * 4 / 3 * np.pi * 0.004 * 0.003**2) < 1
    assert len(frame.surfaces(detail=1, walls=True).bodies) > 0
    with pytest.raises(granum.InputError):
        frame.surfaces(detail=9)


def test_surfaces_become_meshes_of_pyvista(run):
    # pyvista needs VTK, a download of 140 MB: it is tested where it is installed.
    pyvista = pytest.importorskip("pyvista")
    mesh = run.frames[-1].surfaces(detail=2)
    converted = mesh.to_pyvista()
    assert isinstance(converted, pyvista.PolyData) and converted.n_cells == len(mesh.triangles)
    assert converted.is_manifold and converted.n_open_edges == 0
    assert np.array_equal(converted.points, mesh.vertices) and np.array_equal(converted["body"], mesh.bodies)


def test_measurements_are_those_of_the_program(run, tmp_path):
    tables = run.measure(start=0.1, grid=[1, 1, 4], out=tmp_path / "tables")
    observables = tables["observables"]
    assert (observables["time"] >= 0.1).all() and observables["grains"][-1] == 60
    assert 0 < observables["packing"][-1] < 1
    assert tables["profiles"].rows == 4
    assert (tmp_path / "tables/observables.csv").exists()
    for wrong in [{"region": [0, 1]}, {"grid": [0, 1, 1]}, {"grid": [1000, 1000, 1000]}, {"region": [0, 0, 0, 0, 1, 1]}]:
        with pytest.raises(granum.InputError):
            run.measure(**wrong)
    with pytest.raises(granum.GranumError):
        run.measure(start=7.0)


def png_size(png):
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", png[16:24])


def test_pictures_are_arrays_and_png(run):
    frame = run.frames[-1]
    picture = frame.render(size=(160, 120), colour="kind", camera="top", legend=False)
    assert picture.shape == (120, 160, 3) and picture.dtype == np.uint8
    assert picture.std() > 1
    assert np.array_equal(run.render(size=(160, 120), colour="kind", camera="top", legend=False), picture)
    assert png_size(frame._repr_png_()) == png_size(run._repr_png_()) == (800, 600)
    simulation = granum.Simulation(examples.bouncing_ball())
    assert simulation.render(size=[80, 60], zoom=1.5, look_at=[0, 0, 0.05]).shape == (60, 80, 3)
    assert png_size(simulation._repr_png_()) == (800, 600)
    for wrong in [{"size": (0, 1)}, {"size": (10**6, 1)}, {"colour": "red"}, {"zoom": 0.0}, {"shine": 1}, {"camera": "under"}, {"range": (1, 0)}, {"colours": "hot"}, {"cut": "x"}]:
        with pytest.raises(granum.InputError) as error:
            frame.render(**wrong)
        assert error.value.field == next(iter(wrong))


def test_charts(run):
    for name in ["energies", "contacts", "walls", "stages"]:
        chart = run.plot(name)
        assert chart.svg.startswith("<svg") and chart.array.ndim == 3
    assert png_size(run.plot()._repr_png_())[0] > 100
    with pytest.raises(granum.InputError):
        run.plot("speeds")


def test_folders_that_are_no_runs_are_errors(tmp_path):
    for path in [tmp_path, tmp_path / "none"]:
        with pytest.raises(granum.ReadError):
            granum.open(path)
    (tmp_path / "energy.csv").write_text("time,wrong\n1,2\n")
    with pytest.raises(granum.ReadError):
        granum.open(tmp_path).energy
    with pytest.raises(granum.ReadError):
        granum.open(tmp_path).render()
    with pytest.raises(granum.GranumError):
        granum.run(examples.bouncing_ball(), tmp_path)
