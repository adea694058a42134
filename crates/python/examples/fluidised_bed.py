"""Couple a simulation to a model of one's own: air that flows through a bed of grains.

The model of the air is a few lines of numpy. It computes the porosity of layers from the positions
of the grains, the pressure drop of each layer with the equation of Ergun, and the force on each
grain. The grains move by these forces and change the porosity. While the air is slow, the pressure
drop rises with its speed. When it carries the weight of the bed, the grains float, and it rises no
more.

    python fluidised_bed.py
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import granum

#: Half axes of a grain, m.
SEMI_AXES = np.array([1.8e-3, 1.4e-3, 1.4e-3])
#: Side of the square column, m.
SIDE = 0.016
#: Density of the grains, kg/m3.
DENSITY = 2500.0
GRAINS = 150

#: Density, kg/m3, and viscosity, Pa s, of the air.
AIR_DENSITY, AIR_VISCOSITY = 1.2, 1.8e-5
#: Speeds of the air before it enters the bed, m/s.
SPEEDS = [0.6, 1.2, 1.8, 2.2]
#: Time for the bed to adapt to a speed, and time of the mean that follows, s.
ADAPTS, MEAN = 0.06, 0.12

#: Volume of a grain, m3, and diameter of a sphere of the same volume, m.
VOLUME = 4 / 3 * np.pi * SEMI_AXES.prod()
DIAMETER = 2 * SEMI_AXES.prod() ** (1 / 3)
#: Height of a layer of the air, m: enough grains for a mean, few enough for a profile.
LAYER = 3 * DIAMETER


def column() -> granum.Scene:
    """Return grains that fall into a column."""
    scene = granum.Scene(time={"end": 10})
    scene.add_material("glass", density=DENSITY)
    scene.add_contact("glass", "glass", law="linear", stiffness=200, restitution=0.5, friction=0.3)
    scene.set_container(material="glass", min=[0, 0, 0], max=[SIDE, SIDE, 0.2], open=["top"])
    scene.add_grains(
        material="glass",
        count=GRAINS,
        orientation="random",
        ellipsoid={"semi_axes": SEMI_AXES},
        random={"min": [0, 0, 0], "max": [SIDE, SIDE, 0.06]},
    )
    return scene


class Air:
    """Air that rises through the bed. The object is the force function of the simulation."""

    def __init__(self, grains: npt.NDArray[np.int64]) -> None:
        self.grains = grains
        #: Speed before the bed, m/s.
        self.speed = 0.0
        #: Sum and number of the pressure drops since the last `restart`, Pa.
        self.sum, self.calls = 0.0, 0

    def restart(self) -> None:
        self.sum, self.calls = 0.0, 0

    def __call__(self, state: granum.ForceInput) -> npt.NDArray[np.float64]:
        heights, climb = state.positions[self.grains, 2], state.velocities[self.grains, 2]
        layer = np.maximum(heights / LAYER, 0).astype(int)
        solid = np.bincount(layer) * VOLUME / (SIDE**2 * LAYER)
        # The share of a layer between grains; the densest packings have a third.
        porosity = np.clip(1 - solid, 0.3, 1.0)[layer]
        # Speed of the air between the grains relative to each of them.
        slip = self.speed / porosity - climb
        viscous = 150 * AIR_VISCOSITY * (1 - porosity) / (porosity * DIAMETER) ** 2
        inertial = 1.75 * AIR_DENSITY / (porosity * DIAMETER) * np.abs(slip)
        drag = VOLUME * (viscous + inertial) * slip
        self.sum += drag.sum() / SIDE**2
        self.calls += 1
        forces = np.zeros_like(state.positions)
        forces[self.grains, 2] = drag
        return forces


def fluidise() -> tuple[float, list[tuple[float, float, float]]]:
    """Return the weight of the bed per area, Pa, and speed, pressure drop and height for each speed."""
    simulation = granum.Simulation(column())
    simulation.run(until=0.2)
    grains = simulation.grains
    weight = 9.81 * simulation.masses[grains].sum() / SIDE**2
    air = Air(grains)
    simulation.set_force(air)
    rows = []
    for air.speed in SPEEDS:
        simulation.run(until=simulation.time + ADAPTS)
        air.restart()
        simulation.run(until=simulation.time + MEAN)
        # The centre of mass of a uniform bed is at half its height.
        rows.append((air.speed, air.sum / air.calls, 2 * simulation.positions[grains, 2].mean()))
    return weight, rows


def main() -> None:
    weight, rows = fluidise()
    print(f"weight of the bed: {weight:.1f} Pa")
    for speed, drop, height in rows:
        print(f"air {speed:.1f} m/s: pressure drop {drop:6.1f} Pa, height {1e3 * height:5.1f} mm")


if __name__ == "__main__":
    main()
