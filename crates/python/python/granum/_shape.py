"""Shapes as arguments of the contact."""

from __future__ import annotations

from typing import Any

from . import _native
from ._json import to_json


class Shape:
    """A shape with valid sizes, as an argument of `contact`.

    The keyword arguments are the fields of the shape in a scene, in metres.

    >>> import granum
    >>> ellipsoid = granum.Shape("ellipsoid", semi_axes=[1.0, 2.0, 3.0])
    >>> ellipsoid
    Shape('ellipsoid', volume=25.1327)
    >>> granum.Shape("sphere", radius=-1.0)
    Traceback (most recent call last):
        ...
    granum.ContactError: radius must be a positive length, not -1
    """

    __slots__ = ("_native",)

    def __init__(self, kind: str, /, **fields: Any) -> None:
        self._native = _native.Shape._of_json(to_json({"type": kind, **fields}))

    @property
    def kind(self) -> str:
        """Name of the kind of shape."""
        return self._native.kind

    @property
    def volume(self) -> float:
        """Volume, m³; of a planar shape the area, m². Infinite for unbounded shapes."""
        return self._native.volume

    @property
    def bounding_radius(self) -> float:
        """Radius of the bounding sphere about the centre of mass, m."""
        return self._native.bounding_radius

    @property
    def planar(self) -> bool:
        """Whether the shape lies in the plane z = 0."""
        return self._native.planar

    def __reduce__(self) -> tuple[Any, ...]:
        return _shape_of_json, (self._native._json,)

    def __repr__(self) -> str:
        return repr(self._native)


def _shape_of_json(json: str) -> Shape:
    shape = Shape.__new__(Shape)
    shape._native = _native.Shape._of_json(json)
    return shape
