"""Stepping, arrays, changes, forces, walls, contacts."""

import gc
import weakref

import numpy as np
import pytest

import granum
from granum import examples

ARRAYS = {
    "positions": (3, np.float64),
    "orientations": (4, np.float64),
    "velocities": (3, np.float64),
    "spins": (3, np.float64),
    "masses": (None, np.float64),
    "shape_ids": (None, np.int64),
}


def test_a_ball_falls_freely(ball):
    ball.run(until=0.05)
    assert ball.steps == 5000 and ball.time == pytest.approx(0.05)
    assert ball.positions[1, 2] == pytest.approx(0.05 - 0.5 * 9.81 * 0.05**2, abs=1e-12)
    assert ball.velocities[1, 2] == pytest.approx(-9.81 * 0.05)
    energy = ball.energy
    assert abs(energy.residual) < 1e-12 * energy.total
    assert energy.kinetic == pytest.approx(0.5 * ball.masses[1] * (9.81 * 0.05) ** 2)
    assert set(energy.as_dict()) >= {"potential", "elastic", "work", "residual"}


def test_arrays_have_their_shapes_and_types(bed):
    count = len(bed)
    for name, (columns, dtype) in ARRAYS.items():
        array = getattr(bed, name)
        assert array.shape == ((count,) if columns is None else (count, columns)), name
        assert array.dtype == dtype and not array.flags.writeable and array.flags.c_contiguous, name
    assert bed.grains.size == 200
    assert np.isfinite(bed.masses[bed.grains]).all() and np.isinf(bed.masses).sum() == count - 200
    assert np.allclose(np.linalg.norm(bed.orientations, axis=1), 1)


def test_arrays_are_read_without_a_copy_or_an_allocation(bed):
    for name in ARRAYS:
        assert getattr(bed, name) is getattr(bed, name), name
    bed.step()
    addresses = set()
    for _ in range(5):
        bed.step()
        addresses.add(bed.positions.ctypes.data)
    assert len(addresses) == 1
    # Masses do not change in a step.
    masses = bed.masses
    bed.step()
    bed.set_velocities([[0.0, 0.0, 1.0]], bed.grains[:1])
    assert bed.masses is masses


def test_an_array_that_is_kept_keeps_its_numbers(bed):
    before = bed.positions
    heights = bed.positions[:, 2]
    numbers = before.copy()
    bed.step(50)
    assert bed.positions is not before
    assert np.array_equal(before, numbers) and np.array_equal(heights, numbers[:, 2])
    assert not np.array_equal(bed.positions, numbers)
    # A view alone also keeps its array.
    heights = bed.positions[:, 2]
    kept = heights.copy()
    bed.step(50)
    bed.positions
    assert np.array_equal(heights, kept)


def test_arrays_outlive_the_simulation():
    simulation = granum.Simulation(examples.settling_bed(20))
    simulation.step(10)
    array, view, contacts = simulation.positions, simulation.velocities[3:, 1], simulation.contacts
    numbers = array.copy(), view.copy()
    gone = weakref.ref(simulation)
    del simulation
    gc.collect()
    assert gone() is None
    assert np.array_equal(array, numbers[0]) and np.array_equal(view, numbers[1])
    assert contacts.dtype.names[:2] == ("a", "b")


def test_changes_of_velocities_and_positions_are_booked_as_work(bed):
    bed.step(200)
    ids = bed.grains[:5]
    velocities = np.arange(15, dtype=float).reshape(5, 3) * 1e-3
    bed.set_velocities(velocities, ids)
    bed.set_spins(velocities * 10, ids)
    assert np.array_equal(bed.velocities[ids], velocities)
    assert np.array_equal(bed.spins[ids], velocities * 10)
    lifted = bed.positions[ids] + [0, 0, 0.5]
    bed.set_positions(lifted, ids)
    assert np.array_equal(bed.positions[ids], lifted)
    turned = np.tile([0.0, 1.0, 0.0, 0.0], (5, 1))
    bed.set_orientations(turned, ids)
    assert np.array_equal(bed.orientations[ids], turned)
    assert np.array_equal(bed.spins[ids], velocities * 10)
    assert abs(bed.energy.residual) < 1e-9 * bed.energy.total
    # All bodies at once; the rows of walls are ignored.
    bed.set_velocities(np.zeros((len(bed), 3)))
    assert not bed.velocities[bed.grains].any()
    bed.set_gravity([0, 0, 0])
    assert bed.gravity == (0, 0, 0)
    bed.step(10)


def test_contacts_are_a_structured_array(bed):
    bed.run(until=0.25)
    contacts = bed.contacts
    assert contacts.dtype.names == ("a", "b", "point", "normal", "gap", "force", "torque")
    assert contacts["point"].shape == (len(contacts), 3) and contacts["a"].dtype == np.int64
    assert len(contacts) > 10 and not contacts.flags.writeable
    assert (contacts["gap"] < 0).all()
    assert np.allclose(np.linalg.norm(contacts["normal"], axis=1), 1)
    # The forces of the contacts are those that move the grains.
    forces, torques = bed.contact_forces
    sums = np.zeros((len(bed), 3))
    np.add.at(sums, contacts["b"], contacts["force"])
    np.add.at(sums, contacts["a"], -contacts["force"])
    scale = np.abs(forces).max()
    assert np.allclose(sums[bed.grains], forces[bed.grains], rtol=0, atol=1e-9 * scale)
    assert torques.shape == forces.shape == (len(bed), 3)
    # Each wall has the sum of its contacts.
    floor = bed.walls["container.bottom"]
    assert np.allclose(floor.force, sums[floor.id], rtol=0, atol=1e-12 * scale)
    assert floor.force[2] < 0


def test_forces_from_an_array(ball):
    weight = 9.81 * ball.masses[1]
    ball.set_force([[0, 0, 0], [0, 0, weight]])
    ball.step(1000)
    assert np.allclose(ball.positions[1], [0, 0, 0.05], atol=1e-12)
    ball.set_force([[0, 0, 0], [0, 0, weight]], torque=[[0, 0, 0], [1e-6, 0, 0]])
    ball.step(1000)
    inertia = 0.4 * ball.masses[1] * 0.01**2
    assert ball.spins[1, 0] == pytest.approx(1e-6 / inertia * 0.01, rel=1e-3)
    assert abs(ball.energy.residual) < 1e-9 * ball.energy.total
    ball.set_force(None)
    ball.step(1000)
    # The first half of the next step still has the old force.
    assert ball.velocities[1, 2] == pytest.approx(-9.81 * (0.01 - 0.5e-5))


def test_forces_from_a_function_move_as_those_of_an_array(ball):
    other = granum.Simulation(examples.bouncing_ball())
    weight = np.array([[0, 0, 0], [0.01, 0, 0.1]])
    seen = []

    def force(state):
        seen.append(state.time)
        assert state.positions.shape == state.velocities.shape == state.spins.shape == (2, 3)
        assert state.orientations.shape == (2, 4)
        return weight

    ball.set_force(force)
    other.set_force(weight)
    ball.step(100)
    other.step(100)
    assert ball.state_hash == other.state_hash
    assert len(seen) == 101 and seen[-1] == pytest.approx(ball.time)
    # Drag by the predicted velocity, with torques.
    ball.set_force(lambda state: (-0.1 * state.velocities, 0 * state.spins))
    ball.step(10)


def test_an_exception_of_a_force_function_is_raised_at_its_step(ball):
    def force(state):
        if state.time > 5.5e-5:
            raise KeyError("deep inside")
        return np.zeros((2, 3))

    ball.set_force(force)
    with pytest.raises(KeyError, match="deep inside"):
        ball.step(100)
    assert ball.steps == 6
    ball.set_force(None)
    ball.step(10)
    assert ball.steps == 16


@pytest.mark.parametrize(
    "result",
    [None, 1.0, np.zeros((3, 3)), np.zeros(3), [[0, 0, float("nan")]] * 2, "text", (np.zeros((2, 3)), np.zeros((2, 2))), (1, 2, 3)],
)
def test_wrong_forces_are_errors(ball, result):
    with pytest.raises((granum.InputError, TypeError, ValueError)):
        ball.set_force(lambda state: result)
        ball.step()
    with pytest.raises((granum.InputError, TypeError, ValueError)):
        ball.set_force(result if result is not None else np.zeros((2, 3), dtype=complex))


def test_a_force_function_that_refers_to_its_simulation_is_collected():
    simulation = granum.Simulation(examples.bouncing_ball())
    simulation.set_force(lambda state: np.zeros((2, 3)) if simulation is not None else None)
    simulation.step(3)
    gone = weakref.ref(simulation)
    del simulation
    gc.collect()
    assert gone() is None


def test_walls_are_driven_and_read():
    scene = examples.bouncing_ball()
    simulation = granum.Simulation(scene)
    floor = simulation.walls["floor"]
    floor.move(velocity=[0, 0, "10 cm/s"])
    assert floor.velocity.tolist() == [0, 0, 0.1]
    simulation.run(until=0.1)
    assert floor.position[2] == pytest.approx(0.01)
    assert simulation.energy.work != 0 or simulation.contacts.size == 0
    floor.stop()
    simulation.step(10)
    assert floor.velocity.tolist() == [0, 0, 0] and floor.position[2] == pytest.approx(0.01)
    floor.move(amplitude=[0, 0, 1e-3], frequency="20 Hz")
    simulation.step(100)
    with pytest.raises(granum.SceneError) as error:
        floor.move(amplitude=[0, 0, 1e-3], frequency=float("nan"))
    assert error.value.field == "motion.frequency"
    with pytest.raises(granum.SceneError):
        floor.move(speed=1)
    floor.remove()
    assert simulation.walls == {} and np.isnan(simulation.positions[0]).all()
    assert simulation.shape_ids[0] == -1 and np.isnan(simulation.masses[0])
    with pytest.raises(granum.InputError):
        floor.force
    simulation.step(10)


def test_grains_can_be_removed(bed):
    removed = bed.grains[:3].tolist()
    bed.remove_grains(removed)
    assert bed.grains.size == 197 and np.isnan(bed.velocities[removed]).all()
    with pytest.raises(granum.InputError):
        bed.set_velocities(np.zeros((1, 3)), removed[:1])
    bed.set_velocities(np.zeros((len(bed), 3)))
    bed.step(10)


def test_guards_stop_with_an_exception():
    scene = examples.bouncing_ball()
    scene["guards.domain_min"] = [-1, -1, 0.03]
    scene["guards.domain_max"] = [1, 1, 1]
    simulation = granum.Simulation(scene)
    with pytest.raises(granum.GuardError, match="guards.domain at step") as found:
        simulation.run()
    assert found.value.guard == "domain" and found.value.step == simulation.steps
    scene["guards.domain"] = "warn"
    simulation = granum.Simulation(scene)
    with pytest.warns(granum.GranumWarning, match="guards.domain"):
        simulation.run(until=0.1)


def test_a_run_ends_and_goes_on(ball):
    ball.run()
    assert ball.is_over and ball.steps == ball.last_step == 50_000
    ball.step(5)
    ball.run(until=0.51)
    assert ball.time == pytest.approx(0.51)
    steps = ball.steps
    ball.run(until=0.1)
    assert ball.steps == steps


def test_progress_is_a_line(bed, capsys):
    bed.run(until=0.3, progress=True)
    shown = capsys.readouterr().err
    assert shown == "" or "step" in shown


def test_stages_act_and_report():
    scene = examples.bouncing_ball()
    scene["time"] = {"step": 1e-5}
    scene.add_stage("fall", duration=0.01)
    scene.add_stage("rise", duration=0.01, gravity=[0, 0, 5])
    simulation = granum.Simulation(scene)
    simulation.run()
    assert simulation.gravity == (0, 0, 5)
    assert any("rise begins" in message for message in simulation.messages)
