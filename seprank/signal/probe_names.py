"""Attention layers that the user names: a pattern for those found by themselves, or patterns for projections."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from itertools import takewhile

from torch import nn

from seprank.errors import InvalidInput
from seprank.signal.probe_layouts import grouped, stacked
from seprank.signal.probe_sites import Projection, Site, attention_sites, linear, split, with_heads
from seprank.validate import whole_number

SEPARATE, FUSED = {"query", "key", "value"}, {"qkv"}
Named = tuple[str, Projection]


def chosen_sites(model: nn.Module, attention: str | Mapping[str, object] | None = None) -> list[Site]:
    """The attention layers of `model`: all that can be told (None), those of them whose name matches a pattern such as
    ``"*.self_attn"``, or those that a mapping names: ``{"query": "*.Q", "key": "*.K", "value": "*.V"}``, or
    ``{"qkv": "*.mix"}`` for fused projections (queries, keys, values in this order; with ``"heads": H`` head by head).

    Patterns are those of the shell and match whole names of modules or parameters. Raises `InvalidInput` with what
    there is, where nothing matches.
    """
    if attention is None:
        return _some(list(attention_sites(model)), model)
    if isinstance(attention, str):
        return _matching(list(attention_sites(model)), attention)
    if isinstance(attention, Mapping) and set(attention) - {"heads"} == SEPARATE and "heads" not in attention:
        return _separate(model, attention)
    if isinstance(attention, Mapping) and set(attention) - {"heads"} == FUSED:
        return _fused(model, attention)
    raise InvalidInput(
        "attention must be a pattern of names or a mapping with query, key and value, or qkv (and heads), "
        f"got {attention!r}"
    )


def _some(sites: list[Site], model: nn.Module) -> list[Site]:
    if not sites:
        raise InvalidInput(
            "model must hold attention layers with known names of projections (nn.MultiheadAttention, q_proj, query, "
            f"c_attn, qkv and the like), found none in {type(model).__name__}; attention= names them"
        )
    return sites


def _matching(sites: list[Site], pattern: str) -> list[Site]:
    found = [site for site in sites if fnmatchcase(site.name, pattern)]
    if not found:
        names = ", ".join(repr(site.name) for site in sites[:3]) or "none"
        more = f" and {len(sites) - 3} more" if len(sites) > 3 else ""
        raise InvalidInput(f"attention must match an attention layer, got {pattern!r}; those found are {names}{more}")
    return found


def _separate(model: nn.Module, attention: Mapping[str, object]) -> list[Site]:
    found = [_projections(model, kind, attention[kind]) for kind in ("query", "key", "value")]
    if len(set(map(len, found))) > 1:
        numbers = ", ".join(str(len(part)) for part in found)
        raise InvalidInput(f"attention must match as many queries as keys and values, got {numbers}")
    sites = []
    for query, key, value in zip(*found, strict=True):
        name = _common_parent(query[0], key[0], value[0])
        sites.append(with_heads(name, model.get_submodule(name), (query[1], key[1], value[1])))
    return sites


def _fused(model: nn.Module, attention: Mapping[str, object]) -> list[Site]:
    heads = None if "heads" not in attention else whole_number("heads", attention["heads"])
    sites = []
    for path, whole in _projections(model, "qkv", attention["qkv"]):
        if whole.module is None:
            raise InvalidInput(f"attention must name modules for qkv, got the parameter {path!r}")
        out = (whole.weight.mT if whole.columns else whole.weight).shape[0]
        parts = split(whole, stacked(out) if heads is None else grouped(out, heads))
        name = path.rpartition(".")[0]
        site = with_heads(name, model.get_submodule(name), parts)
        sites.append(site if heads is None else Site(site.name, site.module, *parts, heads=heads, groups=heads))
    return sites


def _projections(model: nn.Module, kind: str, pattern: object) -> list[Named]:
    if not isinstance(pattern, str):
        raise InvalidInput(f"attention must give a pattern of names for {kind}, got {pattern!r}")
    modules = [(name, linear(module)) for name, module in model.named_modules() if fnmatchcase(name, pattern)]
    found = [(name, projection) for name, projection in modules if projection is not None]
    if not found:
        parameters = [(name, weight) for name, weight in model.named_parameters() if fnmatchcase(name, pattern)]
        found = [(name, Projection(weight)) for name, weight in parameters if weight.ndim >= 2]
    if not found:
        raise InvalidInput(f"attention must match modules with a weight matrix, or parameters, got {kind}={pattern!r}")
    return found


def _common_parent(*paths: str) -> str:
    levels = zip(*(path.split(".")[:-1] for path in paths), strict=False)
    return ".".join(level[0] for level in takewhile(lambda level: len(set(level)) == 1, levels))
