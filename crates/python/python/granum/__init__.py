"""granum simulates grains that are not spheres.

All quantities are in SI units. A gap is a signed distance, negative where two bodies overlap, and a
contact normal points from body a to body b. Quaternions are [w, x, y, z].
"""

from . import examples
from ._contact import Contact, Contacts, contact, contact_methods
from ._native import (
    BusyError,
    ContactError,
    Energy,
    ForceInput,
    GranumError,
    GranumWarning,
    GuardError,
    InputError,
    ReadError,
    SceneError,
    __version__,
)
from ._scene import Scene
from ._shape import Shape
from ._simulation import Simulation, Wall

__all__ = [
    "BusyError",
    "Contact",
    "ContactError",
    "Contacts",
    "Energy",
    "ForceInput",
    "GranumError",
    "GranumWarning",
    "GuardError",
    "InputError",
    "ReadError",
    "Scene",
    "SceneError",
    "Shape",
    "Simulation",
    "Wall",
    "__version__",
    "contact",
    "contact_methods",
    "examples",
]
