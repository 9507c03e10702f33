"""What Jupyter shows of architectures, bounds, ranks and ledger records: well-formed, with the right numbers."""

from xml.etree import ElementTree

import pytest

from proofs_check import ledger
from seprank import Architecture, Partition, bounds, separation_rank


def rows(shown):
    """The cells of an HTML table, which must be well formed."""
    table = ElementTree.fromstring(shown._repr_html_())
    return [[field.text or "" for field in line] for line in table.iter("tr")]


def caption(shown):
    return ElementTree.fromstring(shown._repr_html_()).find("caption").text


def test_an_architecture():
    arch = Architecture(L=2, dx=8, H=2)
    assert rows(arch) == [["L", "dx", "H", "da", "residual"], ["2", "8", "2", "4", "false"]]
    assert arch._repr_latex_() == r"$L = 2,\; d_x = 8,\; H = 2,\; d_a = 4$"
    assert "skip connections" in Architecture(L=2, dx=8, residual=True)._repr_latex_()


def test_bounds():
    report = bounds(Architecture(L=2, dx=8))
    assert "exact: 999" in caption(report)
    shown = {line[0]: line[2:4] for line in rows(report)}
    assert shown["gram"] == ["999", "yes"]
    assert set(shown) - {"bound"} == {bound.id for bound in report}
    assert "gram & upper & 999 & yes" in report._repr_latex_()
    deep = bounds(Architecture(L=8, dx=8, H=8))
    assert {line[3] for line in rows(deep)[1:]} <= {"yes", "no", "unknown"}
    assert {line[0]: line[3] for line in rows(deep)}["eq19"] == "no"


@pytest.mark.parametrize(("residual", "columns"), [(False, "block k"), (True, "method")])
def test_a_rank(residual, columns):
    result = separation_rank(Architecture(L=1, dx=2, residual=residual), Partition(2, 2))
    first, *blocks = rows(result)
    assert first[0] == columns
    assert f": {result.rank} (" in caption(result)
    assert sum(int(line[1]) for line in blocks) == result.rank
    assert result._repr_latex_().startswith("\\begin{table}")


def test_a_record_of_the_ledger():
    (record,) = ledger.verify(ids=["NEW.gram-vs-18"])
    shown = dict(rows(record)[1:])
    assert shown["verdict"] == f"HOLDS, {record.cases} cases"
    assert "refuted" in shown.values()
    assert len(shown) == 2 + len(record.roads) + len(record.mutants)
    assert "NEW.gram-vs-18" in caption(record)
    assert "\\caption" in record._repr_latex_()
