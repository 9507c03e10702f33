"""Certificates by derivatives: true claims are confirmed, false ones rejected, whoever computed the digest."""

import copy
import json
import os
from functools import cache
from itertools import combinations_with_replacement
from math import comb, factorial, prod

import flint
import numpy as np
import pytest

from proofs_check.plain.graded import output_forms
from proofs_check.plain.sparse import BITS
from seprank import Architecture, Partition, separation_rank
from seprank.attention.weights import random_weights
from seprank.closed_forms.blocks import block_bounds
from seprank.closed_forms.isotropic import isotropic_blocks
from seprank.closed_forms.staircase import staircase_blocks
from seprank.errors import CheckFailed, InvalidInput, TooLarge
from seprank.field.elimination import pivots
from seprank.separation import derivative_check, derivative_check_forms, derivative_check_plausible
from seprank.separation.certificate import certificate, certificate_text, digest
from seprank.separation.certificate_file import read_certificate, refuse_malformed
from seprank.separation.check import check_certificate, work_of
from seprank.separation.derivative_check_forms import scaled_forms
from seprank.separation.derivative_check_weights import monomials_of, refuse_unfit

CASES = [(1, 1, 1), (1, 3, 1), (2, 1, 1), (2, 2, 1), (2, 3, 1), (2, 4, 2), (2, 4, 4), (2, 3, 3), (3, 2, 1), (3, 2, 2)]
CASES += [(3, 3, 1), (3, 3, 3)]


@cache
def text_of(sizes, prime=4194301, seed=0):
    result = separation_rank(Architecture(*sizes), method="derivative", prime=prime, seed=seed)
    return certificate_text(certificate(result))


def document_of(sizes, **options):
    return json.loads(text_of(sizes, **options))


def signed(document):
    document["digest"] = digest(document)
    return document


def checked(document):
    """What the checker makes of a file with this content."""
    refuse_malformed(document)
    return check_certificate(document)


@pytest.mark.parametrize("prime", [101, 4194301, 2147483647])
@pytest.mark.parametrize("sizes", CASES)
def test_true_claims_are_confirmed_and_agree_with_sampling(sizes, prime):
    document = document_of(sizes, prime=prime, seed=3)
    found = checked(document)
    assert (found.rank, found.upper) == (document["rank"], document["upper"])
    if prime > 101:
        sampled = separation_rank(Architecture(*sizes), method="blocks" if sizes[0] * sizes[1] < 9 else "derivative")
        assert found.rank == found.upper == sampled.rank
        assert [block["rank"] for block in document["blocks"]] == [piece.rank for piece in sampled.pieces]


FILES = [((2, 8, 1), 999, 10_000), ((4, 2, 1), 4538, 6000)]
if os.environ.get("SEPRANK_LONG"):
    FILES += [((3, 4, 1), 31456, 160_000), ((2, 16, 1), 11645, 100_000), ((5, 2, 1), 109024, 13_000)]


@pytest.mark.long
@pytest.mark.parametrize(("sizes", "rank", "most_bytes"), FILES)
def test_files_are_small(sizes, rank, most_bytes):
    assert len(text_of(sizes)) < most_bytes
    assert checked(document_of(sizes)).rank == rank


def test_a_golden_document():
    document = document_of((1, 2, 1))
    assert document.pop("digest") == digest(document)
    assert document["weights"][0]["keys"] == [1, -1]
    del document["weights"][0]["Q"]
    one = [[[[1, 0], [0, 1]]]]
    assert document == {
        "schema": "seprank.certificate.derivative/1",
        "architecture": {"L": 1, "dx": 2, "H": 1, "da": 2, "residual": False},
        "entry": 1,
        "prime": 4194301,
        "rank": 3,
        "upper": 3,
        "weights": [{"name": "torus", "signs": False, "keys": [1, -1], "unseen": None, "K": one, "V": one, "O": one}],
        "blocks": [
            {"k": 0, "rank": 1, "bound": 1, "bound_id": "gram", "source": 0},
            {"k": 1, "rank": 2, "bound": 2, "bound_id": "gram", "source": 1},
        ],
        "minors": [
            {"k": 0, "weights": "torus", "rows": {"except": []}, "columns": {"only": [1]}},
            {"k": 1, "weights": "torus", "rows": {"except": [0]}, "columns": {"except": []}},
        ],
    }


def test_only_decided_blocks_have_minors_and_the_bounds_met_are_named():
    document = document_of((3, 3, 1))
    assert [minor["k"] for minor in document["minors"]] == sorted({block["source"] for block in document["blocks"]})
    assert {block["bound_id"] for block in document_of((2, 4, 2))["blocks"]} == {"gram", "staircase"}
    assert document["minors"][0]["rows"] == {"except": []}


def test_a_lower_bound_has_a_certificate_too():
    result = separation_rank(Architecture(2, 3), method="derivative", prime=5)
    found = checked(certificate(result))
    assert found.rank == result.rank <= found.upper == 49


def test_blocks_that_were_not_measured_claim_nothing():
    document = document_of((2, 3, 1))
    for block in document["blocks"]:
        block |= {"rank": 0, "source": block["k"]}
    nothing = signed(document | {"weights": [], "minors": [], "rank": 0})
    assert (checked(nothing).rank, checked(nothing).entries) == (0, 0)


def test_progress_reaches_its_total():
    calls = []
    found = check_certificate(document_of((3, 3, 1)), lambda done, total: calls.append((done, total)))
    assert calls[-1][0] == calls[-1][1] == work_of(document_of((3, 3, 1))).terms + found.entries
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)
    assert found.coefficients > 0


def numbered(s, degree):
    """Exponents of all monomials in the order of the documentation."""

    def number(e):
        sums = np.cumsum(e)
        return sum(comb(v + int(sums[v]), v + 1) for v in range(s - 1))

    every = {tuple(c.count(v) for v in range(s)) for c in combinations_with_replacement(range(s), degree)}
    return sorted(every, key=number)


def truth(document):
    """Whether the claim holds, by the plain road of the ledger and the closed forms; keys are not looked at."""
    arch = Architecture(**document["architecture"])
    prime, s, C = document["prime"], arch.s, arch.C
    gram = [min(len(numbered(s, k)), arch.dx * len(numbered(s, C - k))) for k in range(C + 1)]
    finer = ("isotropic", isotropic_blocks) if arch.H == 1 else ("staircase", staircase_blocks)
    bounds = {"gram": gram, finer[0]: finer[1](arch)}
    for block in document["blocks"]:
        if bounds[block["bound_id"]][block["k"]] != block["bound"] or block["rank"] > block["bound"]:
            return False
    by_name = {weights["name"]: weights for weights in document["weights"]}
    for minor in document["minors"]:
        weights = by_name[minor["weights"]]
        forms = output_forms([np.array(weights[kind], object) for kind in "QKVO"], prime)
        k = minor["k"]
        operators, left = numbered(s, k), numbered(s, C - k)
        rows = chosen(minor["rows"], len(operators))
        columns = chosen(minor["columns"], arch.dx * len(left))
        pairs = [(operators[r], forms[c // len(left)].terms, left[c % len(left)]) for r in rows for c in columns]
        values = [entry(tuple(map(int.__add__, e, m)), terms) for e, terms, m in pairs]
        if flint.nmod_mat(len(rows), len(columns), values, prime).rank() != document["blocks"][k]["rank"]:
            return False
    return True


def entry(exponents, terms):
    packed = sum(e << (BITS * v) for v, e in enumerate(exponents))
    return prod(map(factorial, exponents)) * terms.get(packed, 0)


def chosen(lines, count):
    return lines["only"] if "only" in lines else [n for n in range(count) if n not in set(lines["except"])]


def leaves(value, place=()):
    """The place of every number, word and truth value of a document."""
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(part, (*place, key))
    else:
        yield place


def changed(document, place, value):
    found = copy.deepcopy(document)
    target = found
    for key in place[:-1]:
        target = target[key]
    target[place[-1]] = value
    return found


def others(value):
    """Other values of the same type; entries that are not seen where there are none."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, str):
        return [value + "x", *({"gram", "staircase", "isotropic"} - {value})]
    return [[0], [1]] if value is None else [value + 1, value - 1, 0]


SMALL = [(1, 2, 1), (2, 2, 1), (2, 2, 2)]


@pytest.mark.parametrize("sizes", SMALL)
def test_any_change_without_the_digest_is_rejected(sizes):
    document = document_of(sizes)
    for place in leaves(document):
        original = document
        for key in place:
            original = original[key]
        for value in others(original):
            if value != original:
                with pytest.raises(
                    (CheckFailed, InvalidInput), match=r"digest does not match|certificate (field|must)"
                ):
                    checked(changed(document, place, value))


@pytest.mark.parametrize("sizes", SMALL)
def test_a_signed_change_is_accepted_only_if_the_claim_is_true(sizes):
    document, outcomes = document_of(sizes), set()
    for place in leaves(document):
        original = document
        for key in place:
            original = original[key]
        if place == ("digest",):
            continue
        for value in others(original):
            if value == original:
                continue
            other = signed(changed(document, place, value))
            try:
                found = checked(other)
            except (InvalidInput, TooLarge):
                outcomes.add("malformed")
            except CheckFailed as error:
                if "has rank" in str(error):
                    assert not truth(other)
                outcomes.add("rejected")
            else:
                assert truth(other)
                assert found.rank == document["rank"]
                outcomes.add("accepted")
    assert outcomes == {"malformed", "rejected", "accepted"}


def with_block(document, number, fields):
    """A signed copy with other fields of one block, and the totals that fit."""
    document["blocks"][number] |= fields
    for name, total in (("rank", "rank"), ("bound", "upper")):
        document[total] = sum(block[name] for block in document["blocks"])
    return signed(document)


@pytest.mark.parametrize(
    ("k", "fields", "message"),
    [
        (2, {"rank": 22}, "the rank 22 of block 2 exceeds its bound 21"),
        (2, {"rank": 20}, "block 0 does not follow from block 2: they do not both have all rows"),
        (4, {"rank": 2}, "block 4 does not follow from block 3: they do not both have all columns"),
        (1, {"rank": 5}, "block 1 does not follow from block 2: they do not both have all rows"),
        (2, {"bound": 22}, "the gram bound on block 2 is not 22"),
        (2, {"bound_id": "staircase"}, "the staircase bound on block 2 is not 21"),
        (1, {"source": 4}, "block 1 does not follow from block 4"),
        (1, {"source": 3}, "block 1 does not follow from block 3: they do not both have all rows"),
        (4, {"source": 2}, "block 4 does not follow from block 2: they do not both have all columns"),
        (1, {"source": 10**9}, "block 1 does not follow from block 1000000000"),
        (1, {"source": 1}, "the minors are not those of the blocks that follow from no other, in order"),
        (2, {"source": 3}, "block 0 does not follow from block 2"),
        (1, {"k": 2}, r"the blocks are not those from 0 to C\(L\) = 4, in order"),
    ],
)
def test_false_blocks_are_rejected(k, fields, message):
    with pytest.raises(CheckFailed, match=message):
        checked(with_block(document_of((2, 3, 1)), k, fields))


def test_the_totals_must_be_the_sums():
    for name in ("rank", "upper"):
        with pytest.raises(CheckFailed, match="s of the blocks add up to 49, not to the claimed 50"):
            checked(signed(document_of((2, 3, 1)) | {name: 50}))


@pytest.mark.parametrize("sizes", [(2, 3, 1), (2, 3, 3), (3, 3, 1)])
def test_one_more_than_the_rank_is_rejected(sizes):
    # A minor of a block that is full cannot grow; one with another column is singular or not of equal classes.
    document = document_of(sizes)
    for n, minor in enumerate(document["minors"]):
        for side in ("rows", "columns"):
            if "only" in minor[side]:
                other = document_of(sizes)
                numbers = other["minors"][n][side]["only"]
                numbers.append(min(set(range(len(numbers) + 1)) - set(numbers)))
                with pytest.raises(CheckFailed, match=rf"minor of block {minor['k']} has \d+ {side}, not"):
                    checked(signed(other))


def test_a_line_in_place_of_another_is_accepted_exactly_when_the_minor_is_not_zero():
    verdicts = set()
    for sizes in ((2, 3, 1), (2, 4, 1), (3, 2, 2)):
        minors = document_of(sizes)["minors"]
        at, side = next((n, side) for n, m in enumerate(minors) for side in ("columns", "rows") if "only" in m[side])
        numbers = minors[at][side]["only"]
        spare = sorted(set(range(max(numbers) + 1)) - set(numbers))
        for n in range(0, len(numbers), max(1, len(numbers) // 12)):
            other = document_of(sizes)
            other["minors"][at][side]["only"][n] = spare[n % len(spare)]
            signed(other)
            holds = truth(other)
            verdicts.add(holds)
            if holds:
                assert checked(other).rank == other["rank"]
            else:
                with pytest.raises(CheckFailed, match="a class of the minor of block"):
                    checked(other)
    assert verdicts == {True, False}


@pytest.mark.parametrize("side", ["rows", "columns"])
def test_repeated_and_far_lines_are_rejected(side):
    for kind, wrong in (("only", [0, 0]), ("except", [10**9])):
        document = document_of((2, 3, 1))
        document["minors"][0][side] = {kind: wrong}
        with pytest.raises(CheckFailed, match=f"the {side} of block 2 are not distinct numbers below "):
            checked(signed(document))


def test_keys_that_the_weights_do_not_have_are_rejected():
    document = document_of((2, 3, 1))
    document["weights"][0]["Q"][1][0][0][0] = 1
    with pytest.raises(CheckFailed, match="the weights torus are not left as they are by their keys"):
        checked(signed(document))


def test_weights_that_no_minor_uses_are_rejected():
    document = document_of((2, 3, 1))
    document["weights"].append(document["weights"][0] | {"name": "more"})
    with pytest.raises(CheckFailed, match="the weights are not those of the minors, each once, in order"):
        checked(signed(document))


@pytest.mark.parametrize("prime", [4194303, 4294967311, 6, 2**61 - 1])
def test_a_modulus_that_is_no_allowed_prime_is_rejected(prime):
    document = document_of((2, 2, 1)) | {"weights": [], "prime": prime}
    with pytest.raises(CheckFailed, match="the modulus is not a prime at most 2147483647"):
        checked(signed(document))


def test_primes_up_to_C_and_other_networks_are_rejected():
    nothing = document_of((2, 3, 1)) | {"weights": []}
    with pytest.raises(CheckFailed, match="the prime does not exceed C"):
        checked(signed(nothing | {"prime": 3}))
    for change in ({"residual": True}, {"da": 2}):
        with pytest.raises(CheckFailed, match="derivatives need a network without skip connections, and H"):
            checked(signed(nothing | {"architecture": nothing["architecture"] | change}))


@pytest.mark.parametrize("change", [{"L": 9}, {"L": 10**12}, {"dx": 10**200, "da": 10**200}])
def test_sizes_beyond_the_stated_ones_are_refused(change):
    nothing = document_of((2, 3, 1)) | {"weights": []}
    with pytest.raises(TooLarge, match="the check takes L up to 8 and"):
        checked(signed(nothing | {"architecture": nothing["architecture"] | change}))


def test_a_check_that_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr(derivative_check_plausible, "MOST_LINES", 20)
    with pytest.raises(TooLarge, match="the check takes minors of up to 20 rows, and that of block 2 has 21"):
        checked(document_of((2, 3, 1)))
    monkeypatch.undo()
    monkeypatch.setattr(derivative_check, "room", lambda: 10**4)
    with pytest.raises(TooLarge, match=r"the check needs about .* for the largest class of a minor"):
        checked(document_of((3, 3, 1)))
    monkeypatch.undo()
    monkeypatch.setattr(derivative_check_forms, "room", lambda: 10**4)
    with pytest.raises(TooLarge, match=r"the check needs more than .* for the coefficients"):
        checked(document_of((3, 3, 1)))


def test_a_fault_of_the_coefficients_is_noticed(monkeypatch):
    times = derivative_check_forms._Road._times_gram
    monkeypatch.setattr(
        derivative_check_forms._Road,
        "_times_gram",
        lambda self, row, table: [dict.fromkeys(f, 1) for f in times(self, row, table)],
    )
    with pytest.raises(ArithmeticError, match=r"the coefficients differ from eq. 3 at a random input"):
        checked(document_of((2, 3, 1)))


def test_work_is_estimated_from_the_sizes():
    small, large = work_of(document_of((2, 3, 1))), work_of(document_of((3, 3, 1)))
    assert small.entries < large.entries == checked(document_of((3, 3, 1))).entries
    assert 0 < small.seconds < large.seconds < 10
    assert small.memory < large.memory


def test_it_reads_back_from_a_file(tmp_path):
    path = tmp_path / "out.json"
    path.write_text(text_of((2, 3, 3)))
    assert read_certificate(path) == document_of((2, 3, 3))
    lines = path.read_text().splitlines()
    assert lines[1] == '  "schema": "seprank.certificate.derivative/1",'
    assert len(lines) == 7 + 3 * 2 + 1 + 5 + len(document_of((2, 3, 3))["minors"]) + 2


def test_longer_input_has_the_same_certificate():
    result = separation_rank(Architecture(2, 3), Partition(3, 7), method="derivative")
    assert certificate(result) == document_of((2, 3, 1))


@pytest.mark.parametrize("place", [(), ("architecture",), ("weights", 0), ("blocks", 0), ("minors", 0)])
def test_missing_and_other_fields_are_named(place):
    document = document_of((2, 2, 1))
    target = document
    for key in place:
        target = target[key]
    for name in list(target):
        kept = target.pop(name)
        if name != "schema":
            with pytest.raises(InvalidInput, match=rf"certificate field .*{name} must be"):
                checked(document)
        target[name] = kept
    target["x"] = 1
    with pytest.raises(InvalidInput, match=r"certificate must have no other fields, got '.*x'"):
        checked(document)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("weights", 0, "Q", 1, 0, 1), [1], r"weights\[0\].Q must be a list of 2 numbers"),
        (("weights", 0, "Q", 1), [], r"weights\[0\].Q must be nested lists, 1 long at this depth"),
        (("weights", 0, "O"), 7, r"weights\[0\].O must be nested lists"),
        (("weights", 0, "keys"), [1], r"weights\[0\].keys must be a list of 2 numbers"),
        (("weights", 0, "Q", 0, 0, 0, 0), 4194301, r"weights\[0\].Q must be a whole number from 0 to 4194300"),
        (("blocks", 1, "bound_id"), "eq18", r"blocks\[1\].bound_id must be gram, staircase, isotropic"),
        (("minors", 0, "rows"), {"all": []}, r"minors\[0\].rows must be an object with only or except, got 'all'"),
        (("minors", 0, "rows"), {}, r"minors\[0\].rows must be an object with only or except"),
        (("minors", 0, "columns"), {"only": [-1]}, r"minors\[0\].columns must be a whole number from 0"),
        (("minors",), 5, "minors must be a list"),
    ],
)
def test_values_of_other_types_and_sizes_are_named(place, value, message):
    with pytest.raises(InvalidInput, match=f"certificate field {message}"):
        checked(changed(document_of((2, 2, 1)), place, value))


def with_unseen_entries(sizes):
    """A certificate for H = dx heads that read single entries of G, with a minor for every block."""
    arch = Architecture(*sizes)
    arrays = {kind: array.copy() for kind, array in zip("QKVO", random_weights(arch, 4194301, 2), strict=True)}
    one = np.eye(arch.dx, dtype=np.int64)
    arrays["V"][0], arrays["K"][0] = one[:, None], np.roll(one, 1, axis=1)[:, None]
    read = {tuple(sorted((h, (h + 1) % arch.dx))) for h in range(arch.dx)}
    unseen = [v for v, pair in enumerate(combinations_with_replacement(range(arch.dx), 2)) if pair not in read]
    weights = {"name": "some", "signs": False, "keys": [0] * arch.dx, "unseen": unseen}
    weights |= {kind: array.tolist() for kind, array in arrays.items()}
    of = monomials_of(weights, arch.C)
    forms = scaled_forms(weights, of, 4194301)
    blocks, minors = [], []
    for bound in block_bounds(arch):
        rows, left = (
            [of.numbered(n, c)[0] for n in range(comb(arch.s + c - 1, c))] for c in (bound.k, arch.C - bound.k)
        )
        found = pivots([[form.get(b + m, 0) for form in forms for m in left] for b in rows], 4194301)
        blocks.append({"k": bound.k, "rank": found.rank, "bound": bound.value, "bound_id": bound.id, "source": bound.k})
        lines = {"rows": {"only": list(found.rows)}, "columns": {"only": list(found.columns)}}
        minors.append({"k": bound.k, "weights": "some", **lines})
    document = document_of(sizes) | {"weights": [weights], "blocks": blocks, "minors": minors}
    return signed(document | {"rank": sum(block["rank"] for block in blocks)})


@pytest.mark.parametrize(("sizes", "rank"), [((2, 3, 3), 43), ((2, 4, 4), 85), ((3, 3, 3), 2441)])
def test_entries_that_layer_1_does_not_see_split_the_minors(sizes, rank):
    found = checked(with_unseen_entries(sizes))
    assert found.rank == found.upper == rank


def test_entries_that_layer_1_does_see_are_rejected():
    for unseen, message in (
        ([0, 1, 3], "layer 1 of the weights some sees an entry that is said to be unseen"),
        ([0, 0, 3], "the unseen entries of the weights some are not distinct, or there are keys beside them"),
    ):
        document = with_unseen_entries((2, 3, 3))
        document["weights"][0]["unseen"] = unseen
        with pytest.raises(CheckFailed, match="a class of the minor"):
            checked(signed(document))
        with pytest.raises(CheckFailed, match=message):
            refuse_unfit(document["weights"][0], 4194301)
