"""A user's ``module:function``: import it, call it, check what it returns."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any

from seprank.errors import InvalidInput


def load(target: str) -> tuple[Any, ...]:
    """What the function of ``module:function`` returns: (model, inputs) or (model, inputs, loss).

    What it prints goes to stderr. Raises `InvalidInput` with the step that failed and the user's own error.
    """
    name, colon, attribute = target.partition(":")
    if not (name and colon and attribute):
        raise InvalidInput(f"target must be module:function, got {target!r}")
    function = _function(_module(name), attribute, target)
    returned = users(f"function {target!r} fails", function)
    if not isinstance(returned, tuple | list) or len(returned) not in (2, 3):
        got = f"{len(returned)} values" if isinstance(returned, tuple | list) else type(returned).__name__
        raise InvalidInput(f"function {target!r} must return model and inputs, and optionally a loss, got {got}")
    _check_model(returned[0], target)
    return tuple(returned)


def users(what: str, work: Callable[[], Any]) -> Any:
    """Run code of the user: its errors, and its attempts to exit, become one line; its prints go to stderr."""
    try:
        with redirect_stdout(sys.stderr):
            return work()
    except (InvalidInput, KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:
        raise InvalidInput(f"{what}: {type(error).__name__}: {error}") from error


@contextmanager
def current_folder() -> Iterator[None]:
    """Modules are looked for in the current folder first."""
    path, sys.path = sys.path, [os.getcwd(), *sys.path]
    try:
        yield
    finally:
        sys.path = path


def _module(name: str) -> Any:
    return users(f"module {name!r} cannot be imported", lambda: importlib.import_module(name))


def _function(module: Any, attribute: str, target: str) -> Callable[[], Any]:
    found = module
    for part in attribute.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise InvalidInput(f"module {target.partition(':')[0]!r} has no {attribute!r}") from None
    if not callable(found):
        raise InvalidInput(f"{target!r} must be a function that returns model and inputs, got {type(found).__name__}")
    function: Callable[[], Any] = found
    return function


def _check_model(model: Any, target: str) -> None:
    from torch import nn

    if not isinstance(model, nn.Module):
        raise InvalidInput(f"function {target!r} must return a torch.nn.Module first, got {type(model).__name__}")
