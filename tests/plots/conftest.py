"""Records made in memory, as a store would give them."""

import math

import pytest

from seprank.study.record import Record


@pytest.fixture
def record():
    """Makes a record: sizes, a rank or None, and the best bounds, by default the rank itself."""

    def make(L, dx, rank=None, H=1, upper=None, lower=None, sides=None, **more):
        NA, NB = sides or (dx, dx)
        upper = rank if upper is None else upper
        fields = {
            "key": f"{L}-{dx}-{H}-{NA}-{NB}-{more.get('seed', 0)}-{more.get('residual', False)}",
            "status": "done",
            "what": "bounds" if rank is None else "rank",
            "da": dx // H,
            "residual": False,
            "variant": "plain",
            "asked_method": None,
            "prime": 4194301,
            "seed": 0,
            "engine": "seprank.engine/1",
            "rank": rank,
            "certified_exact": None if rank is None else rank == upper,
            "best_upper": None if upper is None else "gram",
            "best_upper_value": upper,
            "best_upper_log3": None if upper is None else math.log(upper, 3),
            "best_lower": None if lower is None else "multiset",
            "best_lower_value": lower,
            "best_lower_log3": None if lower is None else math.log(lower, 3),
            "gram_bound": upper,
        }
        return Record(L=L, dx=dx, H=H, NA=NA, NB=NB, **fields | more)

    return make


@pytest.fixture
def blocks():
    """Blocks of a record from their ranks and bounds."""
    return lambda ranks, bounds: tuple(
        {"k": k, "rank": rank, "bound": bound, "bound_id": "gram"}
        for k, (rank, bound) in enumerate(zip(ranks, bounds, strict=True))
    )


@pytest.fixture
def grid(record, blocks):
    """Certified ranks of one head at long input, with one lower bound and one case of bounds only among them."""
    ranks = {(1, 2): 3, (1, 3): 4, (1, 4): 5, (2, 2): 18, (2, 3): 49, (2, 4): 110, (3, 2): 232, (3, 3): 3102}
    found = [record(L, dx, rank, lower=max(1, rank // 2)) for (L, dx), rank in ranks.items()]
    found.append(record(3, 4, 31456, upper=31460, lower=31456))
    found.append(record(4, 4, None, upper=94_600_000, lower=679581))
    return found
