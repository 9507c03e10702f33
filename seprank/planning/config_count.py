"""A model's own count of parameters, from the sizes that its config file states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from seprank.attention.config import ConfigReading

# Matrices of one feed-forward block: two, or three where a gate multiplies the hidden units.
PLAIN = ("bert", "deit", "electra", "gpt2", "gpt_neox", "gptj", "opt", "phi", "roberta", "starcoder2", "vit")
GATED = ("gemma", "llama", "mistral", "mixtral", "phi3", "qwen2", "qwen3")
FEED_FORWARD = ("intermediate_size", "ffn_dim", "n_inner")
EXPERTS = "num_local_experts"
_ABOUT = "weights of attention and feed-forward matrices, from the sizes in the file"


@dataclass(frozen=True)
class OwnCount:
    """`params` weights of attention and feed-forward matrices, or None; `about` says what was counted, or why not."""

    params: int | None
    about: str


def own_count(reading: ConfigReading, content: Mapping[str, Any]) -> OwnCount:
    """The weights in the attention and feed-forward matrices of the layers that `reading` read from `content`.

    Comparable with ``12 L dx^2``: no embeddings, biases or norms. Counted from what the file states (key/value heads,
    head size, feed-forward size, experts) for the families whose layers are known; no default stands in for a size.

    >>> from seprank.attention.config import read_config
    >>> content = {"model_type": "bert", "num_hidden_layers": 12, "hidden_size": 768, "num_attention_heads": 12,
    ...            "intermediate_size": 3072}
    >>> own_count(read_config(content), content).params == 12 * 12 * 768**2
    True
    """
    section = _section(reading, content)
    family = section.get("model_type", content.get("model_type"))
    if family not in PLAIN + GATED:
        return OwnCount(None, f"not computed: the layers of model type {str(family)[:40]!r} are not known here")
    hidden = next((section[key] for key in FEED_FORWARD if _is_size(section.get(key))), None)
    if hidden is None:
        return OwnCount(None, f"not computed: the file states no feed-forward size ({', '.join(FEED_FORWARD)})")
    experts = section.get(EXPERTS, 0) if family == "mixtral" else 1
    if not _is_size(experts):
        return OwnCount(None, f"not computed: the file states no number of experts ({EXPERTS})")
    layer = _attention(reading) + experts * (3 if family in GATED else 2) * reading.architecture.dx * hidden
    if experts == 1:
        return OwnCount(reading.architecture.L * layer, _ABOUT)
    layer += experts * reading.architecture.dx  # the router
    return OwnCount(reading.architecture.L * layer, f"{_ABOUT}; all {experts} experts counted")


def _attention(reading: ConfigReading) -> int:
    """Weights of the query, key, value and output matrices of one layer."""
    arch = reading.architecture
    kv_heads = reading.read["key/value heads"][1] if "key/value heads" in reading.read else arch.H
    return 2 * arch.dx * arch.da * (arch.H + kv_heads)


def _is_size(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _section(reading: ConfigReading, content: Mapping[str, Any]) -> Mapping[str, Any]:
    """The part of the file in which the depth was found."""
    for key in reading.read["L"][0].split(".")[:-1]:
        content = content[key]
    return content
