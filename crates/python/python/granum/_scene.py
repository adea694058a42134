"""Scenes."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native


class Scene(_native.Scene):
    __doc__ = _native.Scene.__doc__

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> Scene:
        """Read and check a scene file. Changes of the scene do not change the file."""
        return cls(_file=fspath(path))

    @classmethod
    def from_toml(cls, text: str, folder: str | PathLike[str] = "") -> Scene:
        """Read and check the text of a scene file. Files that it names are relative to `folder`.

        >>> import granum
        >>> granum.Scene.from_toml("[time]\\nend = -1")
        Traceback (most recent call last):
            ...
        granum.SceneError: scene: missing key `materials`
        """
        return cls(_text=text, _file=Path(folder) / "scene")

    def __reduce__(self) -> tuple[Any, ...]:
        # Scenes are sent to other processes in parameter studies.
        return _unpickled, (type(self), *self._source)

    def add_surface(
        self,
        name: str | None = None,
        *,
        vertices: npt.ArrayLike | None = None,
        triangles: npt.ArrayLike | None = None,
        file: str | PathLike[str] | None = None,
        **values: Any,
    ) -> None:
        """Add a triangulated surface.

        It is read from `file`, is one of the generated shapes of a scene, or is given by `vertices`
        (n, 3) in metres and `triangles` (m, 3). The arrays are written to `file`, a new OBJ file
        with the exact numbers, because a saved run needs its surfaces again.
        """
        if vertices is not None or triangles is not None:
            if vertices is None or triangles is None:
                raise TypeError("add_surface: give both vertices and triangles")
            if file is None:
                raise TypeError("add_surface: file: give the name of an .obj file for the arrays")
            _write_obj(Path(file), np.asarray(vertices, dtype=np.float64), np.asarray(triangles))
        if file is not None:
            values["file"] = fspath(file)
        self._add_surface(name, **values)


def _unpickled(kind: type[Scene], text: str | None, tables: dict[str, Any], file: str) -> Scene:
    if text is not None:
        return kind(_text=text, _file=file)
    return kind(_file=file, **tables) if tables else kind()


def _write_obj(path: Path, vertices: npt.NDArray[np.float64], triangles: npt.NDArray[Any]) -> None:
    if vertices.ndim != 2 or vertices.shape[1] != 3:
        raise ValueError(f"vertices must have the shape (n, 3), not {vertices.shape}")
    if not np.isfinite(vertices).all():
        raise ValueError("vertices must be finite")
    if triangles.ndim != 2 or triangles.shape[1] != 3 or triangles.dtype.kind not in "iu":
        raise ValueError(f"triangles must be whole numbers of the shape (n, 3), not {triangles.shape} of {triangles.dtype}")
    if triangles.size and not (0 <= triangles.min() and triangles.max() < len(vertices)):
        raise ValueError(f"triangles must be indices of the {len(vertices)} vertices")
    if path.suffix != ".obj":
        raise ValueError(f"file must end with .obj, not {path.name}")
    with path.open("x", encoding="ascii") as file:
        # repr has all digits.
        file.writelines(f"v {x!r} {y!r} {z!r}\n" for x, y, z in vertices.tolist())
        file.writelines(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in triangles.tolist())
