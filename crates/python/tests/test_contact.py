"""Contacts of two bodies and of many pairs."""

import json
import subprocess
import sys

import numpy as np
import pytest

import granum

ELLIPSOID = {"type": "ellipsoid", "semi_axes": [1.0, 0.8, 0.6]}


def random_poses(count, seed, spread):
    rng = np.random.default_rng(seed)
    return np.hstack([spread * rng.normal(size=(count, 3)), rng.normal(size=(count, 4))])


def body(shape, pose):
    return {"shape": shape, "position": pose[:3], "orientation": pose[3:]}


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (ELLIPSOID, ELLIPSOID),
        (ELLIPSOID, {"type": "cylinder", "radius": 0.5, "half_height": 1.0}),
        ({"type": "box", "half_sizes": [1.0, 0.5, 0.7]}, {"type": "sphere", "radius": 0.9}),
        ({"type": "truncated_cone", "radii": [1.0, 0.3], "half_height": 1.0}, ELLIPSOID),
    ],
)
def test_many_pairs_have_the_results_of_each(a, b):
    poses = random_poses(40, 1, 1.5), random_poses(40, 2, 1.5)
    many = granum.contact(*(granum.Shape(shape["type"], **{k: v for k, v in shape.items() if k != "type"}) for shape in (a, b)), *poses)
    for row, (pose_a, pose_b) in enumerate(zip(*poses)):
        one = granum.contact(body(a, pose_a), body(b, pose_b))
        assert (one.gap, one.touching) == (many.gap[row], many.touching[row])
        assert np.array_equal(one.normal, many.normal[row])
        assert np.allclose(one.point_a, many.point_a[row], rtol=0, atol=1e-15)
        assert one.iterations == many.iterations[row]


def test_every_method_serves_by_its_name():
    spheres = [granum.Shape("sphere", radius=1.0)] * 2
    discs = [granum.Shape("disc", radius=1.0)] * 2
    near = np.array([[0.0, 0, 0, 1, 0, 0, 0]]), np.array([[1.9, 0, 0, 1, 0, 0, 0]])
    served = 0
    for name in granum.contact_methods():
        for pair in (spheres, discs):
            found = granum.contact(*pair, *near, method=name)
            served += int(found.status[0] != 3)
            if found.status[0] == 0 and np.isfinite(found.gap[0]):
                assert found.gap[0] == pytest.approx(-0.1, abs=1e-6), name
    assert served >= 8
    with pytest.raises(granum.ContactError, match="method must be auto, general") as error:
        granum.contact(*spheres, *near, method="newton")
    assert error.value.field == "method"


def test_results_do_not_depend_on_threads_or_layout():
    shape = granum.Shape("ellipsoid", semi_axes=[1.0, 0.8, 0.6])
    a, b = random_poses(3000, 3, 1.0), random_poses(3000, 4, 1.0)
    first = granum.contact(shape, shape, a, b, threads=1)
    strided = np.zeros((6000, 14))
    strided[::2, ::2] = a
    for found in [
        granum.contact(shape, shape, a, b, threads=5),
        granum.contact(shape, shape, np.asfortranarray(a), b),
        granum.contact(shape, shape, strided[::2, ::2], b),
        granum.contact([shape, shape], [shape], a, b, index_a=np.arange(3000) % 2),
        granum.contact([shape] * 3000, shape, a, b),
    ]:
        for name in ("gap", "normal", "point_a", "point_b", "touching", "status", "iterations"):
            assert np.array_equal(getattr(found, name), getattr(first, name)), name
    assert first.gap.shape == (3000,) and first.normal.shape == (3000, 3)
    assert first.gap.dtype == np.float64 and first.touching.dtype == np.bool_


def test_no_pairs_are_no_contacts():
    shape = granum.Shape("sphere", radius=1.0)
    found = granum.contact(shape, shape, np.zeros((0, 7)), np.zeros((0, 7)))
    assert len(found) == 0 and found.normal.shape == (0, 3)


POSE = [[0.0, 0, 0, 1, 0, 0, 0]]


@pytest.mark.parametrize(
    ("poses", "arguments", "error", "words"),
    [
        ([[0.0, 0, 0, 1, 0, 0]], {}, granum.InputError, "7 columns"),
        ([0.0, 0, 0, 1, 0, 0, 0], {}, ValueError, r"\(n, 7\)"),
        ([[float("nan"), 0, 0, 1, 0, 0, 0]], {}, granum.ContactError, r"poses_b\[0\] must have coordinates"),
        ([[0.0, 0, float("inf"), 1, 0, 0, 0]], {}, granum.ContactError, r"poses_b\[0\] must have coordinates"),
        ([[0.0, 0, 0, 0, 0, 0, 0]], {}, granum.ContactError, r"poses_b\[0\] must have a quaternion"),
        ([[0.0, 0, 0, float("nan"), 0, 0, 0]], {}, granum.ContactError, "quaternion"),
        (POSE * 2, {}, granum.ContactError, "1 rows"),
        ([["a"] * 7], {}, TypeError, "real numbers"),
        ([[1j] * 7], {}, TypeError, "real numbers"),
        ([[None] * 7], {}, TypeError, "real numbers"),
        (POSE, {"index_b": [1]}, granum.ContactError, r"index_b\[0\] must be the index of one of 1 shapes"),
        (POSE, {"index_b": [-1]}, granum.ContactError, "index_b"),
        (POSE, {"index_b": [0, 0]}, granum.ContactError, "entries"),
        (POSE, {"index_b": [0.5]}, TypeError, "whole numbers"),
        (POSE, {"index_b": [[0]]}, ValueError, "one dimension"),
        (POSE, {"threads": -1}, ValueError, "threads"),
        (None, {}, TypeError, "poses"),
    ],
)
def test_wrong_arrays_are_errors(poses, arguments, error, words):
    shape = granum.Shape("sphere", radius=1.0)
    with pytest.raises(error, match=words):
        granum.contact(shape, shape, POSE, poses, **arguments)


def test_wrong_bodies_are_errors_with_their_field():
    good = {"shape": {"type": "sphere", "radius": 1.0}, "position": [0, 0, 0]}
    for change, field in [
        ({"shape": {"type": "sphere", "radius": -1.0}}, "a.shape.radius"),
        ({"shape": {"type": "spere", "radius": 1.0}}, "a.shape"),
        ({"position": [0, 0, 1e300]}, "a.position"),
        ({"orientation": [0, 0, 0, 0]}, "a.orientation"),
        ({"position": [0, 0]}, "a.shape"),
    ]:
        with pytest.raises(granum.ContactError) as found:
            granum.contact({**good, **change}, good)
        assert found.value.field is not None and found.value.field.startswith(field)
    for wrong in [{"position": object()}, {"shape": {1, 2}}]:
        with pytest.raises(TypeError):
            granum.contact({**good, **wrong}, good)
    with pytest.raises(TypeError):
        granum.contact([1], [2])
    with pytest.raises(TypeError):
        granum.contact(granum.Shape("sphere", radius=1.0), [3], POSE, POSE)


def test_two_bodies_have_the_answer_of_the_program():
    query = {
        "a": body(ELLIPSOID, random_poses(1, 5, 0.5)[0].tolist()),
        "b": body(ELLIPSOID, random_poses(1, 6, 0.5)[0].tolist()),
        "method": "perram-wertheim",
    }
    command = [sys.executable, "-m", "granum", "contact", "-"]
    text = subprocess.run(command, input=json.dumps(query), capture_output=True, text=True, check=True).stdout
    expected = json.loads(text)
    found = granum.contact(query["a"], query["b"], method=query["method"])
    assert found.method == expected["method"] == "perram-wertheim"
    assert found.iterations == expected["iterations"]
    details = {name: value for name, value in expected.items() if name in found.details}
    assert details == found.details and details


def test_shapes_have_their_sizes():
    cylinder = granum.Shape("cylinder", radius=1.0, half_height=0.5)
    assert cylinder.kind == "cylinder" and not cylinder.planar
    assert cylinder.volume == pytest.approx(np.pi)
    assert granum.Shape("disc", radius=2.0).planar
    assert granum.Shape("half_space", normal=[0, 0, 1]).volume == float("inf")
    for wrong in [{"radius": 0}, {"radius": float("nan")}, {"radius": "1"}, {}, {"radius": 1, "height": 2}]:
        with pytest.raises(granum.ContactError):
            granum.Shape("sphere", **wrong)
