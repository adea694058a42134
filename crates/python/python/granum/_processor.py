"""The processor that a wheel needs.

On 64-bit x86 granum is compiled for processors with AVX2. On others the native code would end the
process with "illegal instruction", so that the import is refused before it is loaded.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

#: Set for a package that was compiled for any processor.
ANY = "GRANUM_ANY_PROCESSOR"

#: Number of AVX2 in the features of Windows.
WINDOWS_AVX2 = 40


def check() -> None:
    """Raise ImportError on a processor without AVX2. If this cannot be found out, it is accepted."""
    is_x86 = platform.machine().lower() in ("x86_64", "amd64")
    if is_x86 and ANY not in os.environ and has_avx2() is False:
        raise ImportError(
            "this build of granum needs a processor with AVX2. Compile it for any processor: "
            'RUSTFLAGS="-C target-cpu=x86-64" pip install --no-binary granum granum, and set '
            f"{ANY}=1 for Python"
        )


def has_avx2() -> bool | None:
    """Return whether the processor has AVX2, or None if that is unknown."""
    try:
        if sys.platform == "win32":
            import ctypes

            return bool(ctypes.windll.kernel32.IsProcessorFeaturePresent(WINDOWS_AVX2))
        if sys.platform == "darwin":
            command = ["sysctl", "-n", "machdep.cpu.leaf7_features"]
            return in_features(subprocess.run(command, capture_output=True, text=True).stdout)
        return in_features(Path("/proc/cpuinfo").read_text())
    except OSError:
        return None


def in_features(text: str) -> bool | None:
    """Return whether a list of features names AVX2, or None for an empty list."""
    words = text.lower().split()
    return "avx2" in words if words else None
