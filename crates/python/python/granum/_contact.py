"""The contact of two bodies, and of many pairs of bodies."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from . import _native
from ._json import to_json
from ._shape import Shape

Floats = npt.NDArray[np.float64]

#: Names of the numbers in `Contacts.status`.
STATUS = ("converged", "not converged", "least depth not proven", "no contact")


@dataclass(frozen=True, eq=False)
class Contact:
    """The contact of two bodies. Lengths are in metres, points in world axes.

    A number that the method does not determine is None.
    """

    #: True if the bodies touch or overlap.
    touching: bool
    #: Signed distance, negative if the bodies overlap.
    gap: float | None
    #: Unit normal from a to b.
    normal: Floats | None
    #: Point on the surface of a.
    point_a: Floats | None
    #: Point on the surface of b.
    point_b: Floats | None
    #: All contact points, each with point, normal, gap and overlap.
    contacts: list[dict[str, Any]]
    #: Name of the method, or of the pair routine for the method `auto`.
    method: str
    #: Number of iterations; 0 for a closed form.
    iterations: int
    #: `converged`, `not converged` or `least depth not proven`.
    status: str
    #: Deviation in metres if the status is not `converged`.
    residual: float | None = None
    #: Overlap region with volume and centroid, if there is a routine for it.
    overlap: dict[str, Any] | None = None
    #: Results of this method alone.
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Contacts:
    """The contacts of n pairs of bodies as arrays, in the order of the pairs."""

    #: Signed distances, m: (n,).
    gap: Floats
    #: Unit normals from a to b: (n, 3).
    normal: Floats
    #: Points on the surfaces of a, m: (n, 3).
    point_a: Floats
    #: Points on the surfaces of b, m: (n, 3).
    point_b: Floats
    #: Whether the bodies touch or overlap: (n,).
    touching: npt.NDArray[np.bool_]
    #: Index into `STATUS`: (n,).
    status: npt.NDArray[np.uint8]
    #: Numbers of iterations: (n,).
    iterations: npt.NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.gap)


def contact_methods() -> dict[str, str]:
    """Return the names of all contact methods with a description.

    >>> import granum
    >>> "general" in granum.contact_methods()
    True
    """
    return dict(_native.contact_methods())


@overload
def contact(a: Mapping[str, Any], b: Mapping[str, Any], *, method: str = ...) -> Contact: ...


@overload
def contact(
    a: Shape | Sequence[Shape],
    b: Shape | Sequence[Shape],
    poses_a: npt.ArrayLike,
    poses_b: npt.ArrayLike,
    *,
    index_a: npt.ArrayLike | None = ...,
    index_b: npt.ArrayLike | None = ...,
    method: str = ...,
    threads: int = ...,
) -> Contacts: ...


def contact(
    a: Any,
    b: Any,
    poses_a: npt.ArrayLike | None = None,
    poses_b: npt.ArrayLike | None = None,
    *,
    index_a: npt.ArrayLike | None = None,
    index_b: npt.ArrayLike | None = None,
    method: str = "auto",
    threads: int = 0,
) -> Contact | Contacts:
    """Compute the contact of two bodies, or of many pairs.

    **Two bodies** are dictionaries as in `granum contact`: a shape, a position, and an orientation
    [w, x, y, z] or, in the plane, `angle_deg`.

    >>> import granum
    >>> ball = {"type": "sphere", "radius": 1.0}
    >>> found = granum.contact({"shape": ball, "position": [0, 0, 0]},
    ...                        {"shape": ball, "position": [0, 0, 1.9]})
    >>> round(found.gap, 12), found.normal.tolist()
    (-0.1, [0.0, 0.0, 1.0])

    **Many pairs** are shapes and poses. A pose is a row of x, y, z and a quaternion w, x, y, z.
    There is one shape for all pairs, one for each pair, or with `index_a` and `index_b` a list of
    shapes and an index into it for each pair. `threads` is the number of threads, 0 for one per
    core; it does not change the results.

    >>> import numpy as np
    >>> egg = granum.Shape("ellipsoid", semi_axes=[1.0, 1.0, 1.5])
    >>> a = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (3, 1))
    >>> b = a.copy()
    >>> b[:, 2] = [2.5, 3.5, 4.0]
    >>> granum.contact(egg, egg, a, b).gap.round(12).tolist()
    [-0.5, 0.5, 1.0]

    `method` is a name of `contact_methods()`. Wrong input raises `ContactError`, whose `field` names
    the value.
    """
    if poses_a is None and poses_b is None:
        if not (isinstance(a, Mapping) and isinstance(b, Mapping)):
            raise TypeError("contact: a and b must be dictionaries, or shapes with poses_a and poses_b")
        if index_a is not None or index_b is not None:
            raise TypeError("contact: index_a and index_b belong to shapes with poses")
        return _of_two(a, b, method)
    if poses_a is None or poses_b is None:
        raise TypeError("contact: give both poses_a and poses_b")
    if threads < 0:
        raise ValueError(f"contact: threads must not be negative, not {threads}")
    return Contacts(
        **_native.contact_pairs(
            _shapes(a, "a"),
            _shapes(b, "b"),
            _poses(poses_a, "poses_a"),
            _poses(poses_b, "poses_b"),
            _index(index_a, "index_a"),
            _index(index_b, "index_b"),
            method,
            threads,
        )
    )


def _of_two(a: Mapping[str, Any], b: Mapping[str, Any], method: str) -> Contact:
    query = to_json({"a": _body(a), "b": _body(b), "method": method})
    answer = json.loads(_native.answer(query))
    known = {name: answer.pop(name, None) for name in Contact.__dataclass_fields__ if name != "details"}
    for name in ("normal", "point_a", "point_b"):
        if known[name] is not None:
            known[name] = np.array(known[name])
    return Contact(**known, details=answer)


def _body(body: Mapping[str, Any]) -> dict[str, Any]:
    shape = body.get("shape")
    return {**body, "shape": json.loads(shape._native._json)} if isinstance(shape, Shape) else dict(body)


def _shapes(shapes: Any, name: str) -> list[_native.Shape]:
    listed = [shapes] if isinstance(shapes, Shape) else list(shapes)
    for shape in listed:
        if not isinstance(shape, Shape):
            raise TypeError(f"{name} must be a Shape or a list of shapes, not {type(shape).__name__}")
    return [shape._native for shape in listed]


def _poses(poses: npt.ArrayLike, name: str) -> Floats:
    array = np.asarray(poses)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name} must be an array of real numbers, not of {array.dtype}")
    if array.ndim != 2:
        raise ValueError(f"{name} must have the shape (n, 7), not {array.shape}")
    return np.ascontiguousarray(array, dtype=np.float64)


def _index(index: npt.ArrayLike | None, name: str) -> npt.NDArray[np.int64]:
    array = np.asarray(() if index is None else index)
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be an array of whole numbers, not of {array.dtype}")
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {array.ndim}")
    return np.ascontiguousarray(array, dtype=np.int64)
