"""Find the friction that gives a pile of ellipses a wanted angle of repose.

A column of ellipses in the plane collapses beside a wall. Several frictions and seeds run at the
same time, one simulation in each process. A curve is fitted to the angles, and the friction for the
wanted angle is read from it. The simulations need one thread each: the processes share the cores.

    python angle_of_repose.py 12
"""

from __future__ import annotations

import math
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq, curve_fit

import granum

FRICTIONS = [0.1, 0.2, 0.3, 0.5, 0.8]
SEEDS = [1, 2]

#: Half axes of a grain, m.
LONG, SHORT = 4e-3, 2e-3
#: Width of the column, m.
WIDTH = 0.06


def column(friction: float, seed: int) -> granum.Scene:
    """Return a column of ellipses behind a gate, which is removed after it has settled."""
    scene = granum.Scene(dimension=2, time={})
    scene.add_material("grit", density=2500)
    scene.add_contact("grit", "grit", law="linear", stiffness=1e5, restitution=0.3, friction=friction)
    scene.set_container(material="grit", min=[0, 0], max=[1, 1], open=["right", "top"])
    scene.add_wall("gate", material="grit", position=[WIDTH, 0], half_space={"normal": [-1, 0]})
    scene.add_grains(
        material="grit",
        count=80,
        seed=seed,
        orientation="random",
        ellipse={"semi_axes": [LONG, SHORT]},
        lattice={"min": [0, 0], "max": [WIDTH, 1], "jitter": 0.3},
    )
    scene.add_stage("settle", duration=0.3)
    scene.add_stage("collapse", duration=0.6, remove=["gate"])
    return scene


def angle(job: tuple[float, int]) -> float:
    """Return the angle of the pile at rest, degrees."""
    simulation = granum.Simulation(column(*job), threads=1)
    simulation.run()
    x, y, _ = simulation.positions[simulation.grains].T
    # The centroid of a triangle is at a third of its sides, from the layer of the lowest grains.
    return math.degrees(math.atan2(y.mean() - SHORT, x.mean() - SHORT))


def curve(friction: npt.NDArray[np.float64], level: float, scale: float) -> npt.NDArray[np.float64]:
    """The angle rises with friction and levels off: grains begin to roll instead of sliding."""
    return np.asarray(level * (1 - np.exp(-friction / scale)))


def fit(wanted: float) -> tuple[float, npt.NDArray[np.float64]]:
    """Return the friction of a wanted angle, and the angles of all frictions and seeds."""
    jobs = list(product(FRICTIONS, SEEDS))
    # Processes that are started anew: a copy of this process would lack its threads.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(mp_context=context) as pool:
        angles = np.array(list(pool.map(angle, jobs))).reshape(len(FRICTIONS), len(SEEDS))
    mean = angles.mean(axis=1)
    parameters, _ = curve_fit(curve, np.array(FRICTIONS), mean, p0=[mean[-1], 0.2])

    def excess(friction: float) -> float:
        return float(curve(np.array(friction), *parameters)) - wanted

    if not excess(FRICTIONS[0]) < 0 < excess(FRICTIONS[-1]):
        raise ValueError(f"an angle of {wanted} degrees is outside those of the frictions: {mean.min():.1f} to {mean.max():.1f}")
    return float(brentq(excess, FRICTIONS[0], FRICTIONS[-1])), angles


def main() -> None:
    wanted = float(sys.argv[1]) if len(sys.argv) > 1 else 12.0
    friction, angles = fit(wanted)
    for value, row in zip(FRICTIONS, angles):
        print(f"friction {value:<5} angles {'  '.join(f'{number:5.2f}' for number in row)} degrees")
    print(f"an angle of {wanted} degrees needs a friction of {friction:.3f}")


if __name__ == "__main__":
    main()
