"""Simulations and their walls."""

from __future__ import annotations

import sys
import time
from os import PathLike, fspath
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native

Floats = npt.NDArray[np.float64]


class Wall:
    """A wall or surface of a simulation: it is read and moved between steps."""

    __slots__ = ("_simulation", "id", "name")

    def __init__(self, simulation: Simulation, name: str, id: int) -> None:
        self._simulation, self.name, self.id = simulation, name, id

    @property
    def force(self) -> Floats:
        """Sum of the contact forces on the wall, N."""
        return self._simulation._load(self.id)[0]

    @property
    def torque(self) -> Floats:
        """Torque of the contacts on the wall about its centre, N m."""
        return self._simulation._load(self.id)[1]

    @property
    def position(self) -> Floats:
        """Centre of the wall, m; of a surface the origin of the scene, moved with it."""
        return self._simulation._body(self.id)["position"]

    @property
    def orientation(self) -> Floats:
        """Quaternion [w, x, y, z] from body axes to world axes."""
        return self._simulation._body(self.id)["orientation"]

    @property
    def velocity(self) -> Floats:
        """Velocity of the centre, m/s."""
        return self._simulation._body(self.id)["velocity"]

    @property
    def spin(self) -> Floats:
        """Angular velocity in world axes, rad/s."""
        return self._simulation._body(self.id)["spin"]

    def move(self, **motion: Any) -> None:
        """Give the wall another motion from now on, with the keys of `motion` in a scene.

        Examples: `move(velocity=[0, 0, -0.1])`, `move(spin=[0, 0, 6.28], pivot=[0, 0, 0])`,
        `move(amplitude=[0, 0, "1 mm"], frequency="20 Hz")`,
        `move(servo={"axis": [0, 0, -1], "force": 10, "max_speed": 0.1})`.
        """
        self._simulation._set_motion(self.id, motion)

    def stop(self) -> None:
        """Hold the wall at its present place."""
        self._simulation._set_motion(self.id, None)

    def remove(self) -> None:
        """Remove the wall: nothing touches it any more."""
        self._simulation._remove_wall(self.id)

    def __repr__(self) -> str:
        return f"Wall({self.name!r}, id={self.id})"


class Simulation(_native.Simulation):
    __doc__ = _native.Simulation.__doc__

    @classmethod
    def load(cls, path: str | PathLike[str], threads: int = 0) -> Simulation:
        """Continue from a saved state with the same bits: a file of `save`, or the newest checkpoint
        of a run folder, also of `granum run`.

        A force is not part of the state: set it again.
        """
        return cls(threads=threads, _saved=fspath(path))

    def copy(self) -> Simulation:
        """Return an independent simulation in the same state. A force is not copied.

        >>> import granum
        >>> simulation = granum.Simulation(granum.examples.bouncing_ball())
        >>> branch = simulation.copy()
        >>> branch.step(10)
        >>> simulation.steps, branch.steps
        (0, 10)
        """
        return type(self)(threads=self.threads, _saved=self._state())

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Simulation:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        # States are sent to other processes.
        return _restored, (type(self), self._state(), self.threads)

    @property
    def walls(self) -> dict[str, Wall]:
        """The walls and surfaces by name. If a name has several walls, `name[1]` is the second."""
        walls: dict[str, Wall] = {}
        masses = self.masses
        for name in self.groups:
            ids = [int(id) for id in self.ids(name) if np.isinf(masses[id])]
            for number, id in enumerate(ids):
                walls[name if number == 0 else f"{name}[{number}]"] = Wall(self, name, id)
        return walls

    def run(self, until: float | None = None, *, progress: bool = False) -> None:
        """Run to the time `until` in seconds, or to the end of the scene.

        `progress` prints a line to standard error while it runs. Ctrl-C stops between two steps;
        the simulation can go on afterwards.

        >>> import granum
        >>> simulation = granum.Simulation(granum.examples.bouncing_ball())
        >>> simulation.run(until=0.01)
        >>> round(simulation.time, 6)
        0.01
        """
        report = _Progress(until, self.time_step) if progress else None
        try:
            self._run(until, report)
        finally:
            if report is not None:
                report.end()

    def render(self, **options: Any) -> npt.NDArray[np.uint8]:
        """Draw the present state and return the pixels: (height, width, 3). The options are those of
        `Frame.render`."""
        return self.picture(**options).array

    def _repr_png_(self) -> bytes:
        return self.picture(size=(800, 600)).png


class _Progress:
    """A line on standard error, at most ten times a second."""

    INTERVAL = 0.1

    def __init__(self, until: float | None, time_step: float) -> None:
        self._until, self._time_step = until, time_step
        self._begun = self._shown = time.monotonic()
        self._first: float | None = None
        self._written = False

    def __call__(self, step: int, last_step: int, now: float) -> None:
        clock = time.monotonic()
        if self._first is None:
            self._first = now
        if clock - self._shown < self.INTERVAL:
            return
        self._shown = clock
        end = last_step * self._time_step if self._until is None else self._until
        done = (now - self._first) / (end - self._first) if end > self._first else 1.0
        left = (clock - self._begun) * (1 / done - 1) if done > 0 else float("inf")
        line = f"step {step}  t = {now:.6g} s of {end:.6g} s  {100 * done:5.1f} %  {left:.0f} s left"
        print(f"\r{line:<70}", end="", file=sys.stderr, flush=True)
        self._written = True

    def end(self) -> None:
        if self._written:
            print(file=sys.stderr)


def _restored(kind: type[Simulation], state: bytes, threads: int) -> Simulation:
    return kind(threads=threads, _saved=state)
