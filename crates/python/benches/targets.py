"""Measure the costs of the package beside those of the engine.

    python targets.py

Each figure is the smallest of several measurements, which other programs disturb least.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import granum

ROUNDS = 5


def seconds(work, rounds=ROUNDS):
    """Return the shortest processor time of a call, s."""
    times = []
    for _ in range(rounds):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)


def single_steps(calls=100_000):
    """Return the time of `step(1)` and of the engine for one step, s."""
    simulation = granum.Simulation(granum.examples.bouncing_ball(), threads=1)

    def one_by_one():
        step = simulation.step
        for _ in range(calls):
            step(1)

    return seconds(one_by_one) / calls, seconds(lambda: simulation.step(calls)) / calls


def positions(count=100_000):
    """Return the time of reading all positions after a step, and again without a step, s."""
    side = int(np.ceil(count ** (1 / 3)))
    places = np.stack(np.meshgrid(*[np.arange(side) * 3e-3] * 3, indexing="ij"), axis=-1).reshape(-1, 3)[:count]
    rng = np.random.default_rng(1)
    scene = granum.Scene(time={"end": 1, "step": 1e-6})
    scene.add_material("glass", density=2500)
    scene.add_contact("glass", "glass", law="linear", stiffness=1e4, restitution=0.5, friction=0.3)
    scene.add_grains(material="glass", sphere={"radius": 1e-3}, positions=rng.permutation(places))
    simulation = granum.Simulation(scene)
    clock = []
    for _ in range(100):
        simulation.step()
        begun = time.perf_counter()
        simulation.positions
        clock.append(time.perf_counter() - begun)
    return min(clock), seconds(lambda: [simulation.positions for _ in range(1000)]) / 1000


def pairs(count):
    """Return the time of `contact` for ellipsoid pairs, s."""
    a, b = ellipsoid_pairs(count)
    shape = granum.Shape("ellipsoid", semi_axes=[1.0, 0.8, 0.6])
    return seconds(lambda: granum.contact(shape, shape, a, b, threads=1), 3)


def pairs_in_rust(count):
    """Return the time of the same pairs in a loop in Rust, s."""
    example = ["--package", "granum-geometry", "--example", "ellipsoid_pairs"]
    build = ["cargo", "build", "--release", "--quiet", "--message-format", "json", *example]
    found = subprocess.run(build, cwd=Path(__file__).parents[3], stdout=subprocess.PIPE, text=True, check=True)
    messages = [json.loads(line) for line in found.stdout.splitlines()]
    program = next(message["executable"] for message in messages if message.get("executable"))

    def whole(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([program, str(count), str(rounds)], stdout=subprocess.DEVNULL, check=True)
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    # The difference leaves out the start of the program and the poses.
    few, many = (min(whole(rounds) for _ in range(2)) for rounds in (1, 4))
    return (many - few) / 3


def ellipsoid_pairs(count):
    """Return poses of pairs of ellipsoids that nearly touch, as those of the loop in Rust."""
    # A generator that both languages have: multiplicative congruences of 64 bits.
    state = (np.uint64(0x9E3779B97F4A7C15) * np.arange(1, 11 * count + 1, dtype=np.uint64))
    state ^= state >> np.uint64(31)
    state *= np.uint64(0xBF58476D1CE4E5B9)
    state ^= state >> np.uint64(27)
    uniform = (state >> np.uint64(11)).astype(float) * 2.0**-53 * 2 - 1
    numbers = uniform.reshape(count, 11)
    a, b = np.zeros((count, 7)), np.zeros((count, 7))
    a[:, 3:], b[:, 3:] = numbers[:, 0:4], numbers[:, 4:8]
    direction = numbers[:, 8:11]
    b[:, :3] = 1.6 * direction / np.linalg.norm(direction, axis=1, keepdims=True)
    return a, b


def main():
    call, engine = single_steps()
    print(f"step(1): {1e6 * call:.3f} us, the engine {1e6 * engine:.3f} us: {1e6 * (call - engine):.3f} us more")
    first, again = positions()
    print(f"positions of 100,000 grains: {1e6 * first:.1f} us after a step, {1e6 * again:.3f} us again")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    python, rust = pairs(count), pairs_in_rust(count)
    print(f"{count} pairs of ellipsoids: {python:.3f} s, the loop in Rust {rust:.3f} s: ratio {python / rust:.2f}")


if __name__ == "__main__":
    main()
