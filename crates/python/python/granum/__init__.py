"""granum simulates grains that are not spheres.

All quantities are in SI units. A gap is a signed distance, negative where two bodies overlap, and a
contact normal points from body a to body b. Quaternions are [w, x, y, z].
"""

from . import _processor

_processor.check()

from . import examples  # noqa: E402, the processor is checked before native code is loaded
from ._contact import Contact, Contacts, contact, contact_methods
from ._native import (
    BusyError,
    ContactError,
    Energy,
    ForceInput,
    Frame,
    GranumError,
    GranumWarning,
    GuardError,
    InputError,
    Picture,
    ReadError,
    SceneError,
    __version__,
)
from ._results import Frames, Mesh, Run, Table, open, run
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
    "Frame",
    "Frames",
    "GranumError",
    "GranumWarning",
    "GuardError",
    "InputError",
    "Mesh",
    "Picture",
    "ReadError",
    "Run",
    "Scene",
    "SceneError",
    "Shape",
    "Simulation",
    "Table",
    "Wall",
    "__version__",
    "contact",
    "contact_methods",
    "examples",
    "open",
    "run",
]
