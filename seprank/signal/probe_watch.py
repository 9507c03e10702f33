"""Watch one forward pass: the tokens that enter attention layers, and the logits that their softmax sees."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from types import TracebackType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

from seprank.signal.probe_logits import Seen, of_projections, of_scaled_products, of_softmax
from seprank.signal.probe_multihead import of_multihead
from seprank.signal.probe_sites import Site
from seprank.signal.probe_statistics import TokenStatistics, token_statistics


class NotFinite(Exception):
    """Activations, logits or gradients hold NaN or infinity; the text says where."""


@dataclass(eq=False)
class Record:
    """What one site showed, call by call."""

    site: Site
    tokens: list[TokenStatistics] = field(default_factory=list)
    logits: list[Seen | None] = field(default_factory=list)


@dataclass
class _Pending:
    """The tokens that went into queries last, while their softmax has not been seen."""

    record: Record
    tokens: Tensor


Progress = Callable[[int, int], None]


class Watch(TorchFunctionMode):
    """A context for one forward pass; `records` lists the sites in the order of their first call.

    Hooks are removed on exit, whatever happens. Raises `NotFinite` from inside the forward pass.
    """

    def __init__(self, sites: Sequence[Site], progress: Progress | None = None) -> None:
        super().__init__()
        self.records: list[Record] = []
        self._sites, self._progress = sites, progress
        self._by_site = {id(site): Record(site) for site in sites}
        self._keys: dict[int, Tensor] = {}
        self._pending: _Pending | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Watch:
        super().__enter__()
        with ExitStack() as stack:
            for site in self._sites:
                for handle in self._hooks(site):
                    stack.callback(handle.remove)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
        super().__exit__(kind, value, trace)
        if kind is None:
            self._settle()
        self._pending = None
        self._keys.clear()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run every function of PyTorch as it is, and look at the operands of softmax and of fused attention."""
        kwargs = kwargs or {}
        if self._pending is not None and func in _LOOKED_AT:
            with torch.no_grad():
                self._look(*_LOOKED_AT[func], args, kwargs)
        return func(*args, **kwargs)

    def _hooks(self, site: Site) -> list[Any]:
        if isinstance(site.module, nn.MultiheadAttention):
            return [site.module.register_forward_pre_hook(partial(self._multihead, site), with_kwargs=True)]
        query, key = site.query.module or site.module, site.key.module or site.module
        hooks = [query.register_forward_pre_hook(partial(self._query, site), with_kwargs=True)]
        if key is not query:
            hooks.append(key.register_forward_pre_hook(partial(self._key, site), with_kwargs=True))
        return hooks

    def _multihead(self, site: Site, module: nn.Module, args: Any, kwargs: Any) -> None:
        with torch._C.DisableTorchFunction(), torch.no_grad():
            self._settle()
            call = _MULTIHEAD.bind(module, *args, **kwargs).arguments
            query = call["query"]
            tokens = query if site.module.batch_first or query.ndim == 2 else query.transpose(0, 1)
            self._store(self._enter(site, tokens), tokens, of_multihead(site, call))

    def _query(self, site: Site, module: nn.Module, args: Any, kwargs: Any) -> None:
        with torch._C.DisableTorchFunction(), torch.no_grad():
            self._settle()
            tokens = _first_tensor(args, kwargs)
            if tokens is not None and tokens.ndim >= 2:
                self._pending = _Pending(self._enter(site, tokens), tokens)

    def _key(self, site: Site, module: nn.Module, args: Any, kwargs: Any) -> None:
        tokens = _first_tensor(args, kwargs)
        if tokens is not None:
            self._keys[id(site)] = tokens

    def _enter(self, site: Site, tokens: Tensor) -> Record:
        """The record of a site whose tokens arrive, which have to be finite."""
        record = self._by_site[id(site)]
        if record not in self.records:
            self.records.append(record)
            if self._progress is not None:
                self._progress(len(self.records), len(self._sites))
        check_finite(tokens, f"the tokens of attention layer {self._label(record)}")
        return record

    def _look(self, names: inspect.Signature, read: Callable[..., Seen | None], args: Any, kwargs: Any) -> None:
        """Take the logits of the pending site from a call, unless its shape is that of something else.

        Tokens of three axes may have the sequence first: the softmax tells.
        """
        pending = self._pending
        assert pending is not None
        try:
            call = names.bind(*args, **kwargs).arguments
        except TypeError:
            return
        site, tokens = pending.record.site, pending.tokens
        keys = self._keys.get(id(site), None if site.key.module is None else tokens)
        for axis in (-2, 0) if tokens.ndim == 3 else (-2,):
            seen = read(call, tokens.shape[axis], None if keys is None else keys.shape[axis])
            if seen is not None:
                self._pending = None
                self._store(pending.record, tokens if axis == -2 else tokens.transpose(0, 1), seen)
                return

    def _settle(self) -> None:
        """Work out the logits of a site whose softmax was not seen, from its tokens and projections."""
        pending, self._pending = self._pending, None
        if pending is not None:
            site = pending.record.site
            with torch.no_grad():
                seen = of_projections(site, pending.tokens, self._keys.get(id(site)))
                self._store(pending.record, pending.tokens, seen)

    def _store(self, record: Record, tokens: Tensor, seen: Seen | None) -> None:
        if seen is not None and not seen.statistics.finite:
            raise NotFinite(f"NaN or infinity in the logits of attention layer {self._label(record)}")
        record.tokens.append(token_statistics(tokens))
        record.logits.append(seen)

    def _label(self, record: Record) -> str:
        return f"{self.records.index(record) + 1} ({record.site.name or type(record.site.module).__name__})"


def check_finite(tensor: Tensor, what: str) -> None:
    """Raise `NotFinite` with `what` where `tensor` holds NaN or infinity."""
    if not bool(tensor.isfinite().all()):
        raise NotFinite(f"{'NaN' if bool(tensor.isnan().any()) else 'infinity'} in {what}")


def _first_tensor(args: Any, kwargs: Any) -> Tensor | None:
    found = (value for value in (*args, *kwargs.values()) if isinstance(value, Tensor) and value.is_floating_point())
    return next(found, None)


def _parameters(**defaults: Any) -> inspect.Signature:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    empty = inspect.Parameter.empty
    return inspect.Signature(
        [inspect.Parameter(name, kind, default=empty if value is ... else value) for name, value in defaults.items()]
    )


_MULTIHEAD = inspect.signature(nn.MultiheadAttention.forward)
_FUSED = _parameters(
    query=..., key=..., value=..., attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
)
_LOOKED_AT: dict[Any, tuple[inspect.Signature, Callable[..., Seen | None]]] = {
    F.scaled_dot_product_attention: (_FUSED, of_scaled_products),
    F.softmax: (_parameters(input=..., dim=None, _stacklevel=3, dtype=None), of_softmax),
    torch.softmax: (_parameters(input=..., dim=None, dtype=None), of_softmax),
    Tensor.softmax: (_parameters(input=..., dim=None, dtype=None), of_softmax),
}
