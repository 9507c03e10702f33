"""The architecture that a Hugging Face style ``config.json`` states, with what was read and what was ignored.

Reading is reading JSON: no network, no code, and no default of any library stands in for a missing size. The head
size of a file that states none is ``dx / H``, and the reading says so; `residual` stays False, since these files do
not state it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from seprank.attention.architecture import Architecture
from seprank.attention.config_file import config_object
from seprank.attention.config_ignored import ignored_keys
from seprank.attention.config_keys import STACKS
from seprank.attention.config_sizes import Section
from seprank.attention.config_stacks import read_section
from seprank.errors import InvalidInput

_WHAT_HOLDS = "Upper bounds hold; lower bounds are proved for free weights, which these are not."


@dataclass(frozen=True)
class ConfigReading:
    """What a config file says about its self-attention layers.

    `read` maps each size to the path of its key and its value, `ignored` lists other keys with the reason in a few
    words, `remarks` are whole sentences. `lower_bounds_proved_for_free_weights` is False where weights are tied or
    removed (grouped keys and values, shared layers, low-rank projections, cross-attention, unequal head sizes): upper
    bounds then still hold, while lower bounds were proved for networks whose weights are free. `stack` is the stack
    that was read, "" in a model with one.
    """

    architecture: Architecture
    read: Mapping[str, tuple[str, int]]
    ignored: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...]
    name: str
    lower_bounds_proved_for_free_weights: bool
    stack: str = ""


def read_config(source: str | PathLike[str] | Mapping[str, Any], stack: str | None = None) -> ConfigReading:
    """Read a ``config.json`` (a path, or its parsed content).

    Each size is looked for under every name of its family and in a nested language-model section, never in a vision
    or audio tower. `stack` is ``"encoder"`` or ``"decoder"``; it is needed where the two have different sizes, and
    refused where the file states no such stack, as in a model with one stack that carries neither name.

    Raises `InvalidInput` for a file that cannot be read or that contradicts itself, where a size is missing, or
    where `stack` must be given; and `OutOfScope` for networks that are no stack of equal self-attention layers.

    >>> reading = read_config({"n_layer": 12, "n_embd": 768, "n_head": 12, "n_inner": None})
    >>> reading.architecture
    Architecture(L=12, dx=768, H=12, da=64, residual=False)
    >>> reading.read["dx"]
    ('n_embd', 768)
    >>> reading.ignored
    (('n_inner', 'feed-forward'),)
    """
    if stack is not None and stack not in STACKS:
        raise InvalidInput(f"stack must be 'encoder' or 'decoder', got {stack!r}")
    content, stem = config_object(source)
    top = Section("", content)
    draft = read_section(top, stack)
    if stack is not None and draft.stack != stack:
        raise InvalidInput(f"config must hold the stack that --stack names, got {stack!r} for a model without it")
    kind = content.get("model_type")
    return ConfigReading(
        architecture=draft.architecture,
        read={name: (size.key, size.value) for name, size in draft.read.items()},
        ignored=ignored_keys(draft),
        remarks=(*draft.remarks, *draft.ties, *([_WHAT_HOLDS] if draft.ties else [])),
        name=kind if isinstance(kind, str) and kind else stem,
        lower_bounds_proved_for_free_weights=not draft.ties,
        stack=draft.stack,
    )
