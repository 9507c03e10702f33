"""The options of `seprank rank --variant`, which of them belong to which variant, and the network they describe."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from seprank.cli.options import Decorator, WholeNumber, add_options, architecture_from, partition_from
from seprank.errors import InvalidInput
from seprank.validate import whole_number

if TYPE_CHECKING:
    from seprank.variants.variant import Variant

Given = Mapping[str, Any]


class WholeNumbers(click.ParamType):
    """Whole numbers separated by commas, such as ``1,2,4``, each at least 1; raises `InvalidInput` for others."""

    name = "whole numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """`value` as a tuple of ints."""
        if isinstance(value, str) and not re.fullmatch(r"\s*[0-9]{1,18}\s*(,\s*[0-9]{1,18}\s*)*", value):
            raise InvalidInput(f"per-layer must be whole numbers separated by commas, got {value!r}")
        numbers = value.split(",") if isinstance(value, str) else value
        return tuple(whole_number("per-layer", int(number)) for number in numbers)


@dataclass(frozen=True)
class Kind:
    """The options that a variant needs, and those that it may have, by the names of the command's parameters."""

    needed: tuple[str, ...]
    allowed: tuple[str, ...]


_SIZES = ("H", "da", "N", "NA", "NB")
KINDS = {
    "residual": Kind(("L", "dx"), _SIZES),
    "causal": Kind(("L", "dx", "order"), ("H", "da")),
    "embedding": Kind(("L", "dx", "rank"), _SIZES),
    "feedforward": Kind(("L", "dx"), ("power", "hidden", *_SIZES)),
    "heads": Kind(("dx", "per_layer"), ("L", "N", "NA", "NB")),
    "gqa": Kind(("L", "dx", "groups"), _SIZES),
    "conv": Kind(("dx", "width", "order"), ()),
    "recurrent": Kind(("dx", "width", "order"), ("L",)),
}
_OWN = ("rank", "power", "hidden", "per_layer", "groups", "width", "order")


def variant_options() -> Decorator:
    """Add ``--variant`` and the options that only variants have; `variant_from` takes what they are given."""
    options = (
        click.option("--variant", type=click.Choice(list(KINDS)), help="Another kind of network: docs/variants.md."),
        click.option("--rank", type=WholeNumber(), metavar="R", help="embedding: entries of a token before it."),
        click.option("--power", type=WholeNumber(), metavar="Q", help="feedforward: the activation x^Q.  [default: 2]"),
        click.option("--hidden", type=WholeNumber(), metavar="M", help="feedforward: hidden entries.  [default: dx]"),
        click.option("--per-layer", type=WholeNumbers(), metavar="H,H,...", help="heads: their number in every layer."),
        click.option(
            "--groups", type=WholeNumber(), metavar="G", help="gqa: groups of heads that share key and value."
        ),
        click.option("--width", type=WholeNumber(), metavar="W", help="conv, recurrent: channels."),
        click.option("--order", metavar="WORD", help="causal, conv, recurrent: the side of every position, as AABB."),
    )

    return add_options(*options)


def refuse_variant_options(given: Given) -> None:
    """Raise `InvalidInput` where an option that only variants have is given without ``--variant``."""
    for name in _OWN:
        if given[name] is not None:
            raise InvalidInput(f"{_dashed(name)} must be left out without --variant, got {_shown(given[name])}")


def variant_from(name: str, given: Given) -> Variant:
    """The variant `name` with the options `given`, by the names of the command's parameters; None is not given.

    Raises `InvalidInput` for an option that it does not have, one that it needs and lacks, and sizes that break a rule.
    """
    kind = KINDS[name]
    known = kind.needed + kind.allowed
    for option, value in given.items():
        if option not in known and value is not None and value is not False:
            takes = " ".join(f"--{_dashed(option)}" for option in known)
            raise InvalidInput(
                f"{_dashed(option)} must be left out for the variant {name}, which takes {takes}; got {_shown(value)}"
            )
    for option in kind.needed:
        if given[option] is None:
            dashed = _dashed(option)
            raise InvalidInput(f"{dashed} must be given with --{dashed} for the variant {name}, got no such option")
    return _BUILDERS[name](given)


def _residual(given: Given) -> Variant:
    from seprank.variants.residual import residual

    return residual(_architecture(given), _partition(given))


def _causal(given: Given) -> Variant:
    from seprank.variants.causal import causal

    return causal(_architecture(given), given["order"])


def _embedding(given: Given) -> Variant:
    from seprank.variants.embedding import embedding

    return embedding(_architecture(given), given["rank"], _partition(given))


def _feedforward(given: Given) -> Variant:
    from seprank.variants.feedforward import feedforward

    power = 2 if given["power"] is None else given["power"]
    return feedforward(_architecture(given), power, given["hidden"], _partition(given))


def _heads(given: Given) -> Variant:
    from seprank.variants.per_layer import per_layer

    heads = given["per_layer"]
    if given["L"] is not None and given["L"] != len(heads):
        raise InvalidInput(f"per-layer must have one number for each of L = {given['L']} layers, got {_shown(heads)}")
    return per_layer(given["dx"], heads, _partition(given))


def _gqa(given: Given) -> Variant:
    from seprank.variants.grouped import grouped

    return grouped(_architecture(given), given["groups"], _partition(given))


def _conv(given: Given) -> Variant:
    from seprank.variants.conv import conv

    return conv(given["dx"], given["width"], given["order"])


def _recurrent(given: Given) -> Variant:
    from seprank.variants.recurrent import recurrent

    return recurrent(given["dx"], given["width"], given["order"], 1 if given["L"] is None else given["L"])


_BUILDERS: dict[str, Callable[[Given], Variant]] = {
    "residual": _residual,
    "causal": _causal,
    "embedding": _embedding,
    "feedforward": _feedforward,
    "heads": _heads,
    "gqa": _gqa,
    "conv": _conv,
    "recurrent": _recurrent,
}


def _architecture(given: Given) -> Any:
    return architecture_from(given["L"], given["dx"], given["H"], given["da"])


def _partition(given: Given) -> Any:
    return partition_from(given["N"], given["NA"], given["NB"])


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _shown(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
