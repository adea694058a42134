"""Small scenes for a start, and for the examples of the documentation."""

from __future__ import annotations

from ._scene import Scene


def bouncing_ball() -> Scene:
    """Return a ball of steel that falls on a floor.

    >>> import granum
    >>> granum.Simulation(granum.examples.bouncing_ball())
    Simulation(1 grains, step 0, t = 0.000000 s)
    """
    scene = Scene(title="a bouncing ball", time={"end": 0.5, "step": 1e-5})
    scene.add_material("steel", density=7800)
    scene.add_contact("steel", "steel", law="linear", stiffness=1e5, restitution=0.9, friction=0.3)
    scene.add_wall("floor", material="steel", position=[0, 0, 0], half_space={"normal": [0, 0, 1]})
    scene.add_grains("ball", material="steel", sphere={"radius": 0.01}, positions=[[0, 0, 0.05]])
    return scene


def settling_bed(count: int = 500) -> Scene:
    """Return ellipsoids that fall into a box.

    >>> import granum
    >>> granum.Simulation(granum.examples.settling_bed(20)).grains.size
    20
    """
    scene = Scene(title="a settling bed", time={"end": 1.0})
    scene.add_material("glass", density=2500)
    scene.add_contact("glass", "glass", law="linear", stiffness=2e3, restitution=0.6, friction=0.4)
    scene.set_container(material="glass", min=[0, 0, 0], max=[0.1, 0.1, 0.4], open=["top"])
    scene.add_grains(
        "grains",
        material="glass",
        count=count,
        orientation="random",
        ellipsoid={"semi_axes": [0.004, 0.003, 0.003]},
        random={"min": [0, 0, 0], "max": [0.1, 0.1, 0.4]},
    )
    return scene
