"""The slow check: true claims are confirmed, false ones rejected, whoever computed the digest."""

import itertools
import json

import flint
import pytest

from seprank import Architecture, Partition, separation_rank
from seprank.attention.weights import random_weights
from seprank.errors import CheckFailed, TooLarge
from seprank.separation import check
from seprank.separation.assignments import draw_assignments
from seprank.separation.blocks import block_matrices
from seprank.separation.certificate import certificate, digest
from seprank.separation.check import check_certificate, work_of
from seprank.separation.full import full_matrix
from seprank.separation.network import network_function

CASES = {
    "blocks": (Architecture(2, 3), None, "blocks"),
    "deeper blocks": (Architecture(3, 2, 2), Partition(2, 1), "blocks"),
    "one block less": (Architecture(2, 3), Partition(1, 4), "blocks"),
    "odd head size": (Architecture(2, 3, H=2, da=1), Partition(2, 3), "blocks"),
    "full": (Architecture(2, 2, 2), Partition(3, 2), "full"),
    "skip connections": (Architecture(2, 2, residual=True), None, "full"),
    "grid": (Architecture(2, 2), Partition(2, 1), "grid"),
    "grid with skip connections": (Architecture(2, 2, residual=True), Partition(1, 2), "grid"),
}


def document_of(name, **options):
    arch, partition, method = CASES[name]
    return certificate(separation_rank(arch, partition, method=method, **options))


def signed(document, **fields):
    """A copy with other fields and a digest that fits them."""
    copy = json.loads(json.dumps({**document, **fields}))
    copy["digest"] = digest(copy)
    return copy


def with_piece(document, number, **fields):
    """A signed copy with other fields in one piece, and the total that fits."""
    pieces = json.loads(json.dumps(document["pieces"]))
    pieces[number] |= fields
    return signed(document, pieces=pieces, rank=sum(piece["rank"] for piece in pieces))


@pytest.mark.parametrize("prime", [101, 4194301, 2147483647])
@pytest.mark.parametrize("name", CASES)
def test_true_claims_are_confirmed_entry_by_entry(name, prime):
    document = document_of(name, prime=prime, seed=3)
    checked = check_certificate(document)
    assert checked.rank == document["rank"]
    assert checked.entries == sum(piece["rank"] ** 2 for piece in document["pieces"])
    nodes = document["method"] == "blocks" and (3 ** document["architecture"]["L"] + 1) // 2
    assert checked.evaluations == checked.entries * (nodes or 1)
    assert checked.seconds > 0


def test_progress_reaches_the_number_of_evaluations():
    calls = []
    checked = check_certificate(document_of("blocks"), lambda done, total: calls.append((done, total)))
    assert calls[-1] == (checked.evaluations, checked.evaluations)
    assert [done for done, _ in calls] == sorted({done for done, _ in calls})


def test_a_rank_of_zero_is_a_claim_too():
    document = document_of("blocks")
    nothing = signed(document, pieces=[{"k": 0, "rank": 0, "rows": [], "columns": []}], rank=0)
    assert check_certificate(nothing).rank == 0
    assert check_certificate(signed(document, pieces=[], rank=0)).rank == 0


@pytest.mark.parametrize("name", ["blocks", "full", "grid"])
def test_any_change_without_the_digest_is_rejected(name):
    document = document_of(name)
    changes = {"entry": 1, "prime": 4194287, "rank": document["rank"] - 1, "digest": "0" * 64, "pieces": []}
    changes |= {"partition": {"NA": 3, "NB": 3}, "draw": {**document["draw"], "seed": 1}}
    for field, value in changes.items():
        if document[field] != value:
            with pytest.raises(CheckFailed, match="the digest does not match the content"):
                check_certificate({**document, field: value})


@pytest.mark.parametrize("name", CASES)
def test_one_pivot_more_than_the_rank_is_rejected(name):
    # With enough assignments the rank of each matrix is reached, so one more row and column cannot be independent.
    document = document_of(name)
    for number, piece in enumerate(document["pieces"]):
        more = {side: [*piece[side], max(piece[side]) + 1] for side in ("rows", "columns")}
        if document["method"] == "grid":
            more = {side: [*piece[side], min(set(range(1000)) - set(piece[side]))] for side in ("rows", "columns")}
        with pytest.raises(CheckFailed, match=f"have rank {piece['rank']} modulo 4194301, not {piece['rank'] + 1}"):
            check_certificate(with_piece(document, number, rank=piece["rank"] + 1, **more))


@pytest.mark.parametrize("side", ["rows", "columns"])
def test_repeated_missing_and_extra_pivots_are_rejected(side):
    document = document_of("blocks")
    piece = document["pieces"][2]
    for pivots in ([*piece[side][:-1], piece[side][0]], piece[side][:-1], [*piece[side], 99]):
        with pytest.raises(CheckFailed, match=f"the {side} of a piece of rank 21 are not as many distinct numbers"):
            check_certificate(with_piece(document, 2, **{side: pivots}))


def test_the_total_must_be_the_sum():
    document = document_of("blocks")
    with pytest.raises(CheckFailed, match="the ranks of the pieces add up to 49, not to the claimed rank 50"):
        check_certificate(signed(document, rank=50))


def test_blocks_under_another_number_are_rejected():
    document = document_of("blocks")
    swapped = {1: 3, 3: 1, 2: 4, 4: 2}
    for number, k in swapped.items():
        if document["pieces"][number]["rank"] > document["pieces"][k]["rank"]:
            alone = {**document["pieces"][number], "k": k}
            with pytest.raises(CheckFailed, match=f"the pivots of block {k} have rank {document['pieces'][k]['rank']}"):
                check_certificate(signed(document, pieces=[alone], rank=alone["rank"]))
    with pytest.raises(CheckFailed, match="the blocks are not distinct numbers from 0 to C"):
        check_certificate(with_piece(document, 2, k=1))
    with pytest.raises(CheckFailed, match="the blocks are not distinct numbers from 0 to C"):
        check_certificate(with_piece(document, 2, k=5))


@pytest.mark.parametrize("prime", [4194303, 4294967311, 6, 2**61 - 1])
def test_a_modulus_that_is_no_allowed_prime_is_rejected(prime):
    with pytest.raises(CheckFailed, match="the modulus is not a prime at most 2147483647"):
        check_certificate(signed(document_of("full"), prime=prime))


def test_blocks_need_a_large_prime_and_no_skip_connections():
    document = document_of("blocks")
    with pytest.raises(CheckFailed, match=r"the prime does not exceed 3\*\*L"):
        check_certificate(signed(document, prime=7))
    for L in (14, 20, 10**9):
        with pytest.raises(CheckFailed, match=r"the prime does not exceed 3\*\*L"):
            check_certificate(signed(document, architecture={**document["architecture"], "L": L}))
    with pytest.raises(CheckFailed, match="a residual network has no separate blocks"):
        check_certificate(signed(document, architecture={**document["architecture"], "residual": True}))


@pytest.mark.parametrize("name", ["full", "grid"])
def test_the_whole_matrix_is_one_piece(name):
    document = document_of(name)
    for pieces in ([], document["pieces"] * 2):
        with pytest.raises(CheckFailed, match=f"the method {name} has one piece, not {len(pieces)}"):
            check_certificate(signed(document, pieces=pieces, rank=len(pieces) * document["rank"]))


def test_grid_rows_beyond_the_templates_are_rejected():
    document = document_of("grid")
    M, piece = document["templates"], document["pieces"][0]
    with pytest.raises(CheckFailed, match=f"the columns name assignments beyond {M} templates on 1 positions"):
        check_certificate(with_piece(document, 0, columns=[*piece["columns"][:-1], M]))
    with pytest.raises(CheckFailed, match="the rows name assignments beyond 1 templates"):
        check_certificate(signed(document, templates=1))


def test_another_method_is_another_claim():
    document = document_of("full")
    with pytest.raises(CheckFailed, match="beyond 2 templates"):
        check_certificate(signed(document, method="grid", templates=2))


def truth(document):
    """Whether the minors of a certificate (blocks or full) are invertible, by the fast road and python-flint."""
    arch, partition = Architecture(**document["architecture"]), Partition(**document["partition"])
    prime, seed = document["prime"], document["draw"]["seed"]
    count = 1 + max(itertools.chain.from_iterable(p["rows"] + p["columns"] for p in document["pieces"]))
    tokens = draw_assignments(partition, arch.dx, prime, seed, count)
    network = network_function(random_weights(arch, prime, seed), prime)
    if document["method"] == "full":
        matrices = {None: full_matrix(network, *tokens, prime)}
    else:
        matrices = dict(block_matrices(network, *tokens, [count] * (arch.C + 1), prime))
    for piece in document["pieces"]:
        minor = matrices[piece["k"]][piece["rows"]][:, piece["columns"]]
        rank = piece["rank"]
        if flint.nmod_mat(rank, rank, minor.ravel().tolist(), prime).rank() != rank:
            return False
    return True


CHANGES = [
    *({"architecture": {"L": 2, "dx": 3, "H": 1, "da": da, "residual": False}} for da in (1, 2, 4)),
    *({"architecture": {"L": 2, "dx": dx, "H": 1, "da": 3, "residual": False}} for dx in (1, 2, 4)),
    *({"architecture": {"L": 2, "dx": 3, "H": H, "da": 3, "residual": False}} for H in (2, 3)),
    *({"architecture": {"L": L, "dx": 3, "H": 1, "da": 3, "residual": False}} for L in (1, 3)),
    *({"partition": {"NA": NA, "NB": NB}} for NA, NB in [(1, 1), (1, 3), (3, 1), (2, 2), (3, 4), (9, 9)]),
    *({"draw": {"generator": "seprank.draw/1", "seed": seed}} for seed in (1, 2, 2**64 - 1)),
    *({"prime": prime} for prime in (11, 13, 101, 4194287, 2147483647)),
]


@pytest.mark.parametrize("method", ["blocks", "full"])
@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_a_signed_change_is_accepted_exactly_when_the_claim_is_true(method, change):
    document = certificate(separation_rank(Architecture(2, 3), method=method))
    changed = signed(document, **change)
    if change.get("architecture", {}).get("L") == 1 and method == "blocks":
        with pytest.raises(CheckFailed, match="the blocks are not distinct numbers from 0 to C"):
            check_certificate(changed)
    elif truth(changed):
        assert check_certificate(changed).rank == 49
    else:
        with pytest.raises(CheckFailed, match=r"the pivots of .* have rank"):
            check_certificate(changed)


def test_both_outcomes_of_a_signed_change_occur():
    document = certificate(separation_rank(Architecture(2, 3), method="full"))
    assert {truth(signed(document, **change)) for change in CHANGES} == {True, False}


def test_a_single_wrong_entry_changes_the_verdict(monkeypatch):
    # A minor that is singular by the slow road alone is enough to reject: no entry is taken on trust.
    document = document_of("full")
    entry = check._Cells.entry
    first, second = document["pieces"][0]["rows"][:2]
    monkeypatch.setattr(
        check._Cells, "entry", lambda self, row, column: entry(self, first if row == second else row, column)
    )
    with pytest.raises(CheckFailed, match="the pivots of the matrix have rank 16 modulo 4194301, not 17 as claimed"):
        check_certificate(document)


def test_work_is_estimated_from_the_sizes():
    small, large = work_of(document_of("blocks")), work_of(document_of("deeper blocks"))
    assert small.entries == sum(piece["rank"] ** 2 for piece in document_of("blocks")["pieces"])
    assert 0 < small.seconds < large.seconds < 60
    assert small.memory < 10**6
    longer = signed(document_of("full"), partition={"NA": 1000, "NB": 1000})
    assert work_of(longer).seconds > 100 * work_of(document_of("full")).seconds


@pytest.mark.parametrize(
    "change",
    [
        {"partition": {"NA": 10**15, "NB": 1}},
        {"architecture": {"L": 1, "dx": 10**9, "H": 1, "da": 1, "residual": False}},
        {"architecture": {"L": 10**12, "dx": 2, "H": 2, "da": 1, "residual": False}},
        {"architecture": {"L": 2, "dx": 2, "H": 10**200, "da": 1, "residual": False}},
    ],
)
def test_a_check_that_cannot_fit_is_refused_at_once(change):
    with pytest.raises(TooLarge, match=r"the check needs about .* of memory, and .* may be used"):
        check_certificate(signed(document_of("full"), **change))
