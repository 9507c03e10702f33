"""Every bound of this project points at a heading that docs/theory.md has."""

import re
from pathlib import Path

import pytest

from seprank.closed_forms.rules import RULES

ROOT = Path(__file__).resolve().parents[2]
THEORY = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")
HEADINGS = {line.lstrip("#").strip() for line in THEORY.splitlines() if re.match("#+ ", line)}
OWN = "derived for this project: docs/theory.md, "


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_source_of_the_rule(rule):
    if rule.source.startswith(OWN):
        assert rule.source.removeprefix(OWN) in HEADINGS
    else:
        assert re.fullmatch(r"levine2020depth, \S.*", rule.source)


def test_every_own_heading_is_used_by_some_rule():
    """The other way round: the sections on bounds are those that rules cite."""
    cited = {rule.source.removeprefix(OWN) for rule in RULES if rule.source.startswith(OWN)}
    assert cited == {
        "Exact values",
        "Quadric",
        "Diagonal networks",
        "Product networks",
        "Saturated growth",
        "One constant is enough",
        "Gram bound",
        "Gram bound, corollaries",
        "Staircase bound",
        "Isotropic directions",
        "Where eq. 19 holds",
        "General head size",
    }


@pytest.mark.parametrize("file", sorted((ROOT / "seprank" / "closed_forms").glob("*.py")), ids=lambda path: path.name)
def test_sections_named_in_docstrings_exist(file):
    named = re.findall(r"docs/theory\.md, ([a-z][a-z ]+)[).]", file.read_text(encoding="utf-8"))
    assert {name.lower() for name in named} <= {heading.lower() for heading in HEADINGS}


def test_formulas_are_closed():
    """An odd number of dollar signs in a line would swallow the text that follows on GitHub."""
    for number, line in enumerate(THEORY.splitlines(), 1):
        assert line.replace("$$", "").count("$") % 2 == 0, number
    assert THEORY.count("$$") % 2 == 0
