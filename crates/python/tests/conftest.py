"""Scenes and helpers of the tests."""

import subprocess
import sys
from pathlib import Path

import pytest

import granum

ROOT = Path(__file__).parents[3]
SCENES = ROOT / "scenes"


@pytest.fixture
def ball():
    """A ball above a floor: body 0 is the floor, body 1 the ball."""
    return granum.Simulation(granum.examples.bouncing_ball())


@pytest.fixture
def bed():
    """Two hundred ellipsoids that fall into a box."""
    return granum.Simulation(granum.examples.settling_bed(200))


def program(*arguments, check=True):
    """Run the program of the package in a process of its own."""
    command = [sys.executable, "-m", "granum", *map(str, arguments)]
    return subprocess.run(command, check=check, capture_output=True, text=True)
