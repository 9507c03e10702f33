"""docs/variants.md: every line of its tables is measured again, its code blocks are run."""

import io
import json
import os
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from seprank.cli.main import run

PAGE = Path(__file__).parents[2] / "docs" / "variants.md"
TEXT = PAGE.read_text(encoding="utf-8")
LONG = bool(os.environ.get("SEPRANK_LONG"))
LARGEST = 700  # rank up to which the default run measures


def tables():
    """Rows of cells of every table of ranks, with its headings."""
    for block in re.findall(r"(?:^\|.*\n)+", TEXT, re.MULTILINE):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()]
        if rows[0][0] == "options":
            yield rows[0], rows[2:]


def cells():
    """Options, rank, whether it is exact, and the text of the bound or None."""
    for heads, rows in tables():
        for options, *values in rows:
            line = options.strip("`")
            if heads[1] == "rank":
                yield line, int(values[0]), values[2] == "exact", values[1]
                continue
            for word, value in zip(heads[1:], values, strict=True):
                if value != "-":
                    yield f"{line} --order {word}", int(value.strip("*")), value.startswith("**"), None


CELLS = list(cells())
DEFAULT = [cell for cell in CELLS if LONG or cell[1] <= LARGEST]


def test_all_variants_have_tables():
    names = {line.split()[1] for line, *_ in CELLS}
    assert names == {"residual", "causal", "embedding", "feedforward", "heads", "gqa", "conv", "recurrent"}
    assert len(CELLS) > 150


@pytest.mark.long
@pytest.mark.parametrize(("line", "rank", "exact", "bound"), DEFAULT, ids=[cell[0] for cell in DEFAULT])
def test_a_line_of_a_table(line, rank, exact, bound):
    out = io.StringIO()
    with redirect_stdout(out):
        assert run(["rank", *line.split(), "--format", "json"]) == 0
    found = json.loads(out.getvalue())
    assert (found["rank"], found["certified_exact"]) == (rank, exact)
    if bound is not None:
        assert f"{found['best_upper']['value']} ({found['best_upper']['id']})" == bound


def test_the_code_blocks_print_what_the_page_says():
    blocks = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", TEXT, re.DOTALL)
    assert len(blocks) == 2
    space = {}
    for code, expected in blocks:
        out = io.StringIO()
        with redirect_stdout(out):
            exec(code, space)
        assert out.getvalue() == expected
