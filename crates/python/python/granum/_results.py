"""Results of runs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native

Column = npt.NDArray[Any]


class Table(Mapping[str, Column]):
    """Columns of numpy by name, as in the CSV files of a run.

    >>> from granum import Table
    >>> table = Table({"time": [0.0, 0.5], "contacts": [3, 4]})
    >>> table["contacts"].tolist(), len(table), table.rows
    ([3, 4], 2, 2)
    """

    def __init__(self, columns: Mapping[str, npt.ArrayLike]) -> None:
        self._columns = {name: np.asarray(column) for name, column in columns.items()}

    def __getitem__(self, name: str) -> Column:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        """Number of columns."""
        return len(self._columns)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self._columns.values()), ()))

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame`. pandas must be installed."""
        import pandas

        return pandas.DataFrame(self._columns)

    def to_polars(self) -> Any:
        """Return a `polars.DataFrame`. polars must be installed."""
        import polars

        return polars.DataFrame(self._columns)

    def __repr__(self) -> str:
        return f"Table({self.rows} rows: {', '.join(self._columns)})"


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangulated surfaces of bodies."""

    #: Points, m: (n, 3).
    vertices: npt.NDArray[np.float64]
    #: Indices of the vertices of each triangle: (m, 3).
    triangles: npt.NDArray[np.int64]
    #: Id of the body of each triangle: (m,).
    bodies: npt.NDArray[np.int64]

    def to_pyvista(self) -> Any:
        """Return a `pyvista.PolyData` with the ids of the bodies as cell data. pyvista must be
        installed."""
        import pyvista

        faces = np.hstack([np.full((len(self.triangles), 1), 3), self.triangles])
        mesh = pyvista.PolyData(self.vertices, faces.ravel())
        mesh.cell_data["body"] = self.bodies
        return mesh


class Frames(Sequence[_native.Frame]):
    """The frames of a run, which are read from the disk when they are used."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._entries = run._frames()

    @property
    def times(self) -> npt.NDArray[np.float64]:
        """Times of the frames, s."""
        return np.array([time for _, _, time in self._entries])

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        return self._run._frame(self._entries[index][0])

    def __repr__(self) -> str:
        return f"Frames({len(self)})"


class Run(_native.Run):
    """The folder of a run. `granum.open` returns it; the run may still be in progress."""

    @property
    def energy(self) -> Table:
        """The energy ledger: time, energies, residual, contacts, max_overlap."""
        return Table(self._table("energy"))

    @property
    def walls(self) -> Table:
        """Forces and torques on walls and surfaces: one row for each wall and time."""
        return Table(self._table("walls"))

    @property
    def flow(self) -> Table:
        """Grains that have passed flow planes and outlets."""
        return Table(self._table("flow"))

    @property
    def summary(self) -> dict[str, Any]:
        """The summary, which is written at the end of the run."""
        summary: dict[str, Any] = json.loads(self._summary())
        return summary

    @property
    def frames(self) -> Frames:
        """The frames in the order of time. `frames[-1]` is the last one."""
        return Frames(self)

    def measure(
        self,
        *,
        start: float = float("-inf"),
        end: float = float("inf"),
        region: Sequence[float] | None = None,
        grid: Sequence[int] | None = None,
        out: str | PathLike[str] | None = None,
    ) -> dict[str, Table]:
        """Measure packing, coordination, order, stress, heap and drum of the frames between two
        times, as `granum measure` does.

        `region` is the box of the measurement by two opposite corners, and `grid` the number of
        cells of the profiles along each axis. Returns the tables `observables`, `profiles` and for
        drums `drum_surface` and `drum_flow`. With `out` they are also written into that folder.
        """
        with tempfile.TemporaryDirectory() as folder:
            paths = self._measure(fspath(out) if out is not None else folder, (start, end), region, grid)
            return {Path(path).stem: _read_csv(Path(path)) for path in paths}

    def render(self, frame: int = -1, **options: Any) -> npt.NDArray[np.uint8]:
        """Draw a frame and return the pixels: (height, width, 3)."""
        return self._frame_or_error(frame).render(**options)

    def _frame_or_error(self, index: int) -> _native.Frame:
        frames = self.frames
        if not len(frames):
            raise _native.ReadError(f"{self.dir} has no frames; set `frames` in [output] of the scene")
        frame: _native.Frame = frames[index]
        return frame

    def _repr_png_(self) -> bytes | None:
        return self._frame_or_error(-1)._repr_png_() if len(self.frames) else None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (fspath(self.dir),)

    def __repr__(self) -> str:
        return f"Run({str(self.dir)!r}, {len(self.frames)} frames)"


def open(dir: str | PathLike[str]) -> Run:
    """Open the folder of a run, as `granum run` has written it.

    >>> import granum, tempfile
    >>> run = granum.run(granum.examples.bouncing_ball(), tempfile.mkdtemp())
    >>> bool(abs(run.energy["residual"][-1]) < 1e-6)
    True
    >>> run.frames[-1].positions.shape
    (2, 3)
    """
    return Run(fspath(dir))


def run(scene: _native.Scene, out: str | PathLike[str], *, threads: int = 0) -> Run:
    """Run a scene to its end with all outputs of `granum run`, and return the results.

    `out` is a new or empty folder. The run is a process of its own, so that several can run at the
    same time. Ctrl-C stops it and saves its state; `granum run --resume` continues it.
    """
    if threads < 0:
        raise ValueError(f"threads must not be negative, not {threads}")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scene.toml"
        file.write_text(scene.to_toml(), encoding="utf-8")
        _program("run", fspath(file), "--out", fspath(out), "--quiet", "--threads", str(threads))
    return open(out)


def _program(*arguments: str) -> None:
    """Run the program in a process of its own. If it fails, its standard error is the message."""
    command = [sys.executable, "-m", "granum", *arguments]
    # A terminal sends Ctrl-C to all its processes, a notebook to this one alone. The program ends at
    # once at a second signal, so that it gets its only one from here.
    is_posix = os.name == "posix"
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=is_posix) as process:
        try:
            _, message = process.communicate()
        except BaseException:
            process.send_signal(signal.SIGINT if is_posix else signal.SIGTERM)
            process.wait()
            raise
    if process.returncode != 0:
        raise _native.GranumError(message.strip() or f"the program ended with code {process.returncode}")


def _read_csv(path: Path) -> Table:
    with path.open(encoding="utf-8") as file:
        names = file.readline().strip().split(",")
    rows = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
    return Table({name: rows[:, column] for column, name in enumerate(names)} if rows.size else dict.fromkeys(names, ()))
