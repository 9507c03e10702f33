"""The authors' table as counts over 100 (97 - 3k) positions.   Source: sanford2024log, Figure 2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proofs_check.plain.hops import fast_hops, word
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.hop-denominators",
    title="The 425 published errors are counts over 100 (97 - 3k) positions (9800 for k = 0)",
    statement=r"100 strings of 98 letters without equal neighbours over 4 symbols have $100(97-3k)$ positions with a "
    r"$k$-th hop ($k\ge1$), and 9800 for $k=0$; all 425 fractions of the authors' file are whole numbers over these.",
    source="sanford2024log, Figure 2, file local/errors.json of the authors' repository; "
    "docs/parallel.md, the authors' table",
    scope="425 entries: 25 models for each k = 0..16; denominators against 100 strings drawn from the distribution",
    expected=Verdict.HOLDS,
    paper="PC",
    note="Fractions times denominators are whole to within 4e-4. A binomial error is about 0.5 points at 50 %, and the "
    "25 models of one k share the strings.",
)


def cases(level: str) -> Iterable[int]:
    """Hops."""
    return range(17)


def by_table(k: int) -> Result:
    """Denominators in the package data, and the number of entries."""
    from seprank.parallel.measured import authors_errors

    rows = [row for row in authors_errors() if row.k == k]
    return len(rows), tuple({row.scored for row in rows}), all(0 <= row.wrong <= row.scored for row in rows)


def by_strings(k: int) -> Result:
    """Positions with a k-th hop in 100 strings; five depths times five training sets."""
    defined = sum(answer >= 0 for seed in range(100) for answer in fast_hops(word("no repeats", 98, 4, seed), k))
    return 5 * 5, (defined,), True


def roads() -> Mapping[str, Road]:
    """Entries and denominators, twice."""
    return {"table": by_table, "strings": by_strings}


def holds(k: int, result: Result) -> bool:
    """The formula."""
    return bool(result[1] == (100 * (97 - 3 * k) if k else 9800,))


def mutants() -> Mapping[str, Claim]:
    """Other denominators."""
    return {
        "100 (98 - 3k)": lambda k, result: result[1] == (100 * (98 - 3 * k),),
        "9900 for every k": lambda k, result: result[1] == (9900,),
    }
