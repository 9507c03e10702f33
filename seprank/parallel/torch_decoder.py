"""A construction as a torch module with the same weights, and its file."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import torch

from seprank.errors import InvalidInput
from seprank.parallel.construction import Construction
from seprank.parallel.constructions import hop_construction
from seprank.parallel.decoder import Rows, attend

SCHEMA = "seprank.hop.decoder/1"


class HopDecoder(torch.nn.Module):
    """The layers of a construction as a plain causal decoder; its matrices are parameters of the module.

    ``forward`` takes whole-number symbols ``(..., N)`` and gives hop_k as int64 of the same shape, -1 where it is
    undefined. The row-wise steps are functions, not weights.
    """

    def __init__(self, construction: Construction) -> None:
        super().__init__()
        self.construction = construction
        self.dtype = getattr(torch, construction.dtype)
        self.layers = torch.nn.ModuleList(
            torch.nn.ModuleList(
                torch.nn.ParameterDict(
                    {
                        name: torch.nn.Parameter(torch.tensor(getattr(head, name), dtype=self.dtype), False)
                        for name in ("W_Q", "W_K", "W_V")
                    }
                )
                for head in layer.heads
            )
            for layer in construction.layers
        )

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        """hop_k of `X`, by attention in torch."""
        symbols = self.construction.checked(X.numpy())
        Z, rows = torch.tensor(self.construction.embed(symbols), dtype=self.dtype), Rows(torch)
        for number, layer in enumerate(self.construction.layers):
            heads: Any = self.layers[number]
            outputs = [attend(Z, head["W_Q"], head["W_K"], head["W_V"], torch)[0] for head in heads]
            Z = layer.step(Z, outputs, rows)
        answer: torch.Tensor = self.construction.read(Z, rows).to(torch.int64)
        return answer


def decoder_document(construction: Construction, digits: int | None = None) -> dict[str, Any]:
    """What the file of a decoder holds: the schema, the sizes, and the module's state; all of it plain data."""
    return {
        "schema": SCHEMA,
        "construction": construction.name,
        "k": construction.k,
        "N": construction.N,
        "alphabet": construction.alphabet,
        "dtype": construction.dtype,
        "digits": digits,
        "state": HopDecoder(construction).state_dict(),
    }


def load_decoder(path: str | PathLike[str]) -> HopDecoder:
    """The decoder that a file holds; nothing in it is executed.

    Raises `InvalidInput` for a file that is none, is torn, or whose weights do not fit its sizes.
    """
    name = str(path)
    try:
        document = torch.load(Path(path), weights_only=True)
    except OSError as error:
        raise InvalidInput(f"path must be a decoder's file, got {name!r}: {error.strerror}") from None
    except Exception:
        raise InvalidInput(f"path must be a decoder's file, got {name!r}: it is torn or of another kind") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise InvalidInput(f"path must be a file of schema {SCHEMA}, got {name!r} without it")
    try:
        sizes = (document[field] for field in ("construction", "k", "N", "alphabet", "dtype", "digits"))
        module = HopDecoder(hop_construction(*sizes))
        module.load_state_dict(document["state"])
    except (KeyError, RuntimeError, TypeError, AttributeError):
        raise InvalidInput(f"path must hold weights that fit its sizes, got {name!r} where they do not") from None
    return module
