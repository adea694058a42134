"""Input that must not crash: wrong types and sizes, threads, signals; and leaks."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import granum
from granum import examples

SETTERS = {"set_positions": 3, "set_orientations": 4, "set_velocities": 3, "set_spins": 3}


@pytest.mark.parametrize(("setter", "columns"), SETTERS.items())
@pytest.mark.parametrize(
    "wrong",
    [
        lambda n, c: np.zeros((n, c + 1)),
        lambda n, c: np.zeros((n + 1, c)),
        lambda n, c: np.zeros((0, c)),
        lambda n, c: np.zeros(n * c),
        lambda n, c: np.zeros((n, c, 1)),
        lambda n, c: np.zeros((n, c), dtype=complex),
        lambda n, c: np.zeros((n, c), dtype=bool),
        lambda n, c: np.zeros((n, c), dtype="datetime64[s]"),
        lambda n, c: np.full((n, c), "1"),
        lambda n, c: np.full((n, c), None),
        lambda n, c: np.full((n, c), np.nan),
        lambda n, c: np.full((n, c), np.inf),
        lambda n, c: None,
        lambda n, c: "text",
        lambda n, c: [[1.0] * c, [1.0]],
        lambda n, c: object(),
    ],
)
def test_wrong_arrays_change_nothing(ball, setter, columns, wrong):
    before = ball.state_hash
    with pytest.raises((granum.InputError, TypeError, ValueError)):
        getattr(ball, setter)(wrong(len(ball), columns))
    assert ball.state_hash == before


@pytest.mark.parametrize("ids", [[0], [7], [-1], [1 << 40], [1, 1], [0.5], ["a"], [[1]], None, object(), [1, 0]])
def test_wrong_ids_change_nothing(ball, ids):
    before = ball.state_hash
    rows = np.ones((np.size(ids) if ids is not None else 1, 3))
    with pytest.raises((granum.InputError, TypeError, ValueError)):
        ball.set_velocities(rows, ids)
    assert ball.state_hash == before


@pytest.mark.parametrize("layout", ["fortran", "strided", "reversed", "float32", "int", "big-endian", "list"])
def test_arrays_of_any_layout_are_accepted(bed, layout):
    wanted = np.arange(3 * len(bed)).reshape(-1, 3)
    array = {
        "fortran": np.asfortranarray(wanted, dtype=float),
        "strided": np.repeat(np.repeat(wanted, 2, 0), 3, 1)[::2, ::3].astype(float),
        "reversed": wanted[::-1].astype(float)[::-1],
        "float32": wanted.astype(np.float32),
        "int": wanted,
        "big-endian": wanted.astype(">f8"),
        "list": wanted.tolist(),
    }[layout]
    bed.set_velocities(array)
    assert np.array_equal(bed.velocities[bed.grains], wanted[bed.grains])


@pytest.mark.parametrize("steps", [-1, -(1 << 70), 1 << 70, 1.5, "3", None, float("nan")])
def test_wrong_numbers_of_steps_are_errors(ball, steps):
    with pytest.raises((granum.InputError, TypeError, OverflowError)):
        ball.step(steps)
    assert ball.steps == 0


@pytest.mark.parametrize("until", [float("nan"), float("inf"), -1.0, "1 s", 1e300])
def test_wrong_times_are_errors(ball, until):
    with pytest.raises((granum.InputError, TypeError, OverflowError)):
        ball.run(until=until)
    assert ball.steps == 0


def test_wrong_arguments_of_a_simulation_are_errors():
    for arguments in [(), (None,), ("scene.toml",), (granum.Scene(),), (examples.bouncing_ball(), -1)]:
        with pytest.raises((granum.GranumError, TypeError, OverflowError)):
            granum.Simulation(*arguments)


def test_a_written_array_does_not_change_the_simulation(ball):
    array = ball.positions
    with pytest.raises(ValueError, match="read-only"):
        array[1] = 0
    with pytest.raises(ValueError, match="read-only"):
        ball.contacts["gap"] = 0
    before = ball.state_hash
    array.setflags(write=True)
    array[:] = np.nan
    assert ball.state_hash == before
    ball.step()
    assert np.isfinite(ball.positions).all()


def test_other_threads_get_an_error_while_one_steps(bed):
    busy, done = [], threading.Event()

    def look():
        while not done.is_set():
            for read in (lambda: bed.positions, lambda: bed.step(), lambda: bed.energy, lambda: bed.contacts):
                try:
                    read()
                except granum.BusyError as error:
                    busy.append(error)

    threads = [threading.Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        try:
            bed.step(50)
        except granum.BusyError as error:
            busy.append(error)
    done.set()
    for thread in threads:
        thread.join()
    # The interpreter lock was released while a thread was stepping.
    assert busy
    assert np.isfinite(bed.positions[bed.grains]).all()
    assert abs(bed.energy.residual) < 1e-2 * abs(bed.energy.total)


def test_other_threads_run_while_one_steps(bed):
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    bed.step(2000)
    done.set()
    thread.join()
    assert counted[0] > 100


def test_two_simulations_step_in_two_threads():
    simulations = [granum.Simulation(examples.settling_bed(50)) for _ in range(2)]
    threads = [threading.Thread(target=simulation.step, args=(500,)) for simulation in simulations]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert simulations[0].state_hash == simulations[1].state_hash and simulations[0].steps == 500


def test_a_force_function_cannot_use_its_simulation(ball):
    with pytest.raises(granum.BusyError):
        ball.set_force(lambda state: ball.positions)
    ball.step()
    ball.set_force(lambda state: ball.positions)
    with pytest.raises(granum.BusyError):
        ball.step()


INTERRUPTED = """
import granum
simulation = granum.Simulation(granum.examples.settling_bed(200))
print("ready", flush=True)
try:
    simulation.run(until=1e6)
except KeyboardInterrupt:
    steps = simulation.steps
    simulation.step(3)
    assert simulation.steps == steps + 3
    print("stopped between steps", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
def test_ctrl_c_stops_between_steps():
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0] == "stopped between steps\n"
    assert process.returncode == 0


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_ten_thousand_steps_leak_nothing(bed):
    force = np.zeros((len(bed), 3))

    def use(steps):
        for number in range(steps):
            bed.step()
            bed.positions, bed.velocities, bed.orientations, bed.spins, bed.contacts, bed.energy
            if number % 10 == 0:
                bed.set_force(lambda state: force * state.time)
                bed.walls["container.bottom"].force
                with pytest.raises(granum.InputError):
                    bed.set_velocities(np.full((len(bed), 3), np.nan))

    use(500)
    before = resident()
    use(10_000)
    # A copy of one array per step would be 48 MB.
    assert resident() - before < 8e6


def test_an_old_processor_is_refused_before_native_code_is_loaded(monkeypatch):
    from granum import _processor

    assert _processor.in_features("flags : fpu avx avx2 bmi2") is True
    assert _processor.in_features("flags : fpu avx") is False
    assert _processor.in_features("") is None
    _processor.check()
    monkeypatch.setattr(_processor.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(_processor, "has_avx2", lambda: False)
    with pytest.raises(ImportError, match="AVX2"):
        _processor.check()
    monkeypatch.setenv("GRANUM_ANY_PROCESSOR", "1")
    _processor.check()
