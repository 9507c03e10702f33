"""Every notebook runs from top to bottom in a kernel of its own, shows what it says, and is kept without outputs."""

import ast
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "notebooks").glob("*.ipynb"))
WITHOUT_PICTURES = {"02_exact_ranks_and_certificates"}
SECONDS = 300  # a notebook takes well under two minutes on an idle machine


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_kept_clean(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None
            kinds = {type(node) for node in ast.walk(ast.parse(cell.source))}
            assert not kinds & {ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef}, "a module should own this"


@pytest.mark.filterwarnings("ignore")  # those of the notebook machinery itself; the kernel's are shown in outputs
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    ).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    errors = [output.text for output in outputs if output.get("name") == "stderr"]
    assert errors == []
    assert outputs
    pictures = sum("image/png" in output.get("data", {}) for output in outputs)
    assert pictures or path.stem in WITHOUT_PICTURES
