"""All bounds for one architecture and partition, each judged, with the best of both kinds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.closed_forms.case import Case
from seprank.closed_forms.magnitude import Magnitude, Real, context, log3
from seprank.closed_forms.rule import Rule
from seprank.closed_forms.rules import RULES
from seprank.errors import InvalidInput, TooLarge
from seprank.tabular import Row, to_html, to_latex

MOST_DEPTH = 100_000  # 3**L has 47,712 digits there


@dataclass(frozen=True)
class Bound:
    """One bound on the separation rank, evaluated.

    `kind` is "lower" (for almost all weights) or "upper" (for all weights). `log3` is its logarithm to base 3
    with at least 30 right digits, `value` the integer it implies (rounded up for a lower, down for an upper
    bound) where that has at most 60 digits, else None. `valid` is True when it is proved for this case, False
    when it is refuted by a proved bound, None when neither is known.
    """

    id: str
    kind: Literal["lower", "upper"]
    valid: bool | None
    stated_scope: str
    remark: str
    source: str
    magnitude: Magnitude

    @property
    def scope(self) -> str:
        """The scope of the bound, with a remark on the case at hand in brackets where there is one."""
        return f"{self.stated_scope} ({self.remark})" if self.remark else self.stated_scope

    @property
    def log3(self) -> Real:
        return self.magnitude.log3

    @property
    def value(self) -> int | None:
        return self.magnitude.whole(self.kind)


@dataclass(frozen=True)
class Exact:
    """The generic separation rank where the best lower and the best upper bound meet, and why."""

    magnitude: Magnitude
    evidence: str

    @property
    def log3(self) -> Real:
        return self.magnitude.log3

    @property
    def value(self) -> int | None:
        return self.magnitude.whole("upper")


@dataclass(frozen=True)
class BoundReport:
    """Every applicable bound of one case. Iterates over `bounds`; ``report["gram"]`` is the bound of that id."""

    architecture: Architecture
    partition: Partition | None
    bounds: tuple[Bound, ...]

    def __iter__(self) -> Iterator[Bound]:
        return iter(self.bounds)

    def __len__(self) -> int:
        return len(self.bounds)

    def __getitem__(self, id: str) -> Bound:
        for bound in self.bounds:
            if bound.id == id:
                return bound
        raise KeyError(id)

    @property
    def regime(self) -> str:
        """`depth-efficient` for L < log3 dx, `depth-inefficient` for L > log3 dx, `boundary` between."""
        degree, dx = self.architecture.degree, self.architecture.dx
        return "depth-efficient" if degree < dx else "boundary" if degree == dx else "depth-inefficient"

    @property
    def threshold(self) -> Real:
        """log3 dx, the depth at which the paper's two theorems meet."""
        return log3(context(self.architecture.dx), self.architecture.dx)

    @property
    def best_lower(self) -> Bound | None:
        """The largest valid lower bound."""
        return _best(self.bounds, "lower", better=1)

    @property
    def best_upper(self) -> Bound | None:
        """The least valid upper bound."""
        return _best(self.bounds, "upper", better=-1)

    @property
    def exact(self) -> Exact | None:
        """The value, where a proved lower and a proved upper bound are the same number."""
        lower, upper = self.best_lower, self.best_upper
        if lower is None or upper is None or lower.magnitude.compare(upper.magnitude) != 0:
            return None
        reason = lower.remark or lower.stated_scope
        return Exact(upper.magnitude, f"{lower.id} meets {upper.id}: {reason}")

    def _repr_html_(self) -> str:
        return to_html([*self._rows()], self._caption())

    def _repr_latex_(self) -> str:
        return to_latex([*self._rows()], self._caption())

    def _caption(self) -> str:
        sides = "long input" if self.partition is None else f"NA = {self.partition.NA}, NB = {self.partition.NB}"
        found = "" if self.exact is None else f"; exact: {show(self.exact.log3, self.exact.value)}"
        return f"Bounds for {self.architecture}, {sides}; {self.regime}{found}"

    def _rows(self) -> Iterator[Row]:
        for bound in self.bounds:
            yield {
                "bound": bound.id,
                "kind": bound.kind,
                "value": show(bound.log3, bound.value),
                "valid": {True: "yes", False: "no", None: "unknown"}[bound.valid],
                "scope": bound.scope,
            }


def bounds(arch: Architecture, partition: Partition | None = None) -> BoundReport:
    """Every known bound on the separation rank of `arch`, with its scope and whether it is valid.

    `partition` gives the tokens on both sides; None stands for long input (NA, NB >= dx). Lower bounds hold
    for almost all weights, upper bounds for all. Nothing here is an estimate. Raises `TooLarge` for L above
    100000.

    >>> from seprank import Architecture
    >>> report = bounds(Architecture(L=2, dx=8))
    >>> report.best_upper.id, report.best_upper.value, report.exact.value
    ('gram', 999, 999)
    """
    if not isinstance(arch, Architecture):
        raise InvalidInput(f"arch must be an Architecture, got {arch!r}")
    if partition is not None and not isinstance(partition, Partition):
        raise InvalidInput(f"partition must be a Partition or None, got {partition!r}")
    if arch.L > MOST_DEPTH:
        raise TooLarge(
            f"L must be at most {MOST_DEPTH} for closed forms, got {arch.L}: 3**L would have "
            f"{int(arch.L * 0.4772)} digits"
        )
    case = Case(arch, partition)
    values = [(rule, rule.value(case)) for rule in RULES]
    applicable = [(rule, value) for rule, value in values if value is not None]
    proved = [(rule, value) for rule, value in applicable if rule.proved(case)]
    return BoundReport(
        arch,
        partition,
        tuple(_judged(rule, value, case, proved) for rule, value in applicable),
    )


def show(logarithm: Real, value: int | None) -> str:
    """A bound for people: its digits while they are few, else the power of 3."""
    return str(value) if value is not None and value < 10**15 else f"3^{float(logarithm):.6g}"


def _judged(rule: Rule, value: Magnitude, case: Case, proved: list[tuple[Rule, Magnitude]]) -> Bound:
    valid = True if rule.proved(case) else _implied(rule.kind, value, proved)
    return Bound(rule.id, rule.kind, valid, rule.scope, rule.remark(case), rule.source, value)


def _implied(kind: str, value: Magnitude, proved: list[tuple[Rule, Magnitude]]) -> bool | None:
    """True when a proved bound of the same kind is at least as tight, False when one of the other forbids it."""
    sign = 1 if kind == "upper" else -1
    for rule, other in proved:
        order = value.compare(other)
        if rule.kind == kind and order in (0, sign):
            return True
        if rule.kind != kind and order == -sign:
            return False
    return None


def _best(found: tuple[Bound, ...], kind: str, better: int) -> Bound | None:
    best: Bound | None = None
    for bound in found:
        if bound.kind != kind or not bound.valid:
            continue
        if best is None or bound.magnitude.compare(best.magnitude) == better:
            best = bound
    return best
