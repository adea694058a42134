"""The examples of the documentation."""

import base64
import re
import subprocess
import sys
from pathlib import Path

import nbclient
import nbformat
from conftest import ROOT

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_the_notebook_runs_from_top_to_bottom():
    notebook = nbformat.read(EXAMPLES / "five_minutes.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=300).execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    values = [cell.outputs[-1]["data"] if cell.outputs else {} for cell in cells]
    assert values[1]["text/plain"] == "np.True_"
    # The floor carries the weight but for the friction of the side walls.
    ratio = float(re.search(r"-[\d.]+", values[4]["text/plain"]).group())
    assert -1.3 < ratio < -0.4
    # A simulation is a picture.
    for cell in (0, 6):
        assert base64.b64decode(values[cell]["image/png"])[:4] == b"\x89PNG"


def test_friction_is_fitted_to_an_angle_of_repose():
    command = [sys.executable, str(EXAMPLES / "angle_of_repose.py"), "12"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    means = [sum(map(float, re.findall(r"\d+\.\d+", line.split("angles")[1]))) for line in text.splitlines()[:-1]]
    # The angle rises with friction.
    assert means[0] < means[2] < means[-1]
    assert 0.1 < float(text.split()[-1]) < 0.8


def test_air_carries_the_bed_at_last():
    text = subprocess.run([sys.executable, EXAMPLES / "fluidised_bed.py"], capture_output=True, text=True, check=True).stdout
    weight, *rows = ([float(number) for number in re.findall(r"[\d.]+", line)] for line in text.splitlines())
    drops, heights = [row[1] / weight[0] for row in rows], [row[2] for row in rows]
    # Slow air passes a bed at rest; fast air lifts it, and its pressure drop is the weight.
    assert drops[0] < 0.4 and drops[0] < drops[1] < 1
    assert 0.9 < drops[-1] < 1.1
    assert abs(heights[0] / heights[1] - 1) < 0.05 and heights[-1] > 1.2 * heights[0]


def test_the_code_of_the_guide_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for page in ["docs/guide/python.md", "crates/python/README.md"]:
        names = {}
        for code in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL):
            exec(compile(code, page, "exec"), names)
        assert names["granum"]
