"""The examples of the documentation."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

from conftest import ROOT

EXAMPLES = Path(__file__).parents[1] / "examples"


def execute(code, names):
    """Execute a cell as a notebook does, and draw the value of its last expression."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last is not None else None
    draw = getattr(value, "_repr_png_", None)
    return draw() if draw is not None else value


def test_the_notebook_runs_from_top_to_bottom():
    notebook = json.loads((EXAMPLES / "five_minutes.ipynb").read_text())
    codes = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names = {}
    values = [execute(code, names) for code in codes]
    assert values[1] == True  # noqa: E712, a truth value of numpy
    # The floor carries the weight but for the friction of the side walls.
    assert -1.3 < values[4] < -0.4
    assert values[6][:4] == b"\x89PNG"


def test_friction_is_fitted_to_an_angle_of_repose():
    command = [sys.executable, str(EXAMPLES / "angle_of_repose.py"), "12"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    means = [sum(map(float, re.findall(r"\d+\.\d+", line.split("angles")[1]))) for line in text.splitlines()[:-1]]
    # The angle rises with friction.
    assert means[0] < means[2] < means[-1]
    assert 0.1 < float(text.split()[-1]) < 0.8


def test_the_code_of_the_guide_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for page in ["docs/guide/python.md", "crates/python/README.md"]:
        names = {}
        for code in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL):
            execute(code, names)
        assert names["granum"]
