"""Which functions of seprank a road can reach, read from the compiled code: two roads must not share any.

Names are followed through globals, closures, modules' attributes, imports inside functions, methods of classes and
compiled kernels. What all roads may share: sizes and weights (data classes), prime checks, random draws, errors.
"""

from __future__ import annotations

import dis
import functools
import importlib
import types
from collections.abc import Callable, Iterator
from typing import Any

SHARED = (
    "seprank.attention.architecture",
    "seprank.attention.partition",
    "seprank.attention.weights",
    "seprank.errors",
    "seprank.field.draw",
    "seprank.field.primes",
    "seprank.machine",
    "seprank.separation.assignments",
    "seprank.validate",
)
FOLLOWED = ("seprank.", "proofs_check.")


def reached(road: Callable[..., Any]) -> set[str]:
    """Qualified names of the seprank functions that `road` can call, without those that roads may share."""
    seen: dict[str, None] = {}
    _follow(road, seen)
    return {name for name in seen if name.startswith("seprank.")}


def _follow(thing: Any, seen: dict[str, None]) -> None:
    thing = _unwrapped(thing)
    if isinstance(thing, types.FunctionType):
        name = f"{thing.__module__}.{thing.__qualname__}"
        if name in seen or not _is_followed(name):
            return
        seen[name] = None
        for found in _named_in(thing.__code__, thing.__globals__):
            _follow(found, seen)
        for cell in thing.__closure__ or ():
            try:
                _follow(cell.cell_contents, seen)
            except ValueError:  # a cell that is not filled yet
                continue
        for default in (*(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values()):
            _follow(default, seen)
    elif isinstance(thing, type):
        name = f"{thing.__module__}.{thing.__qualname__}"
        if name in seen or not _is_followed(name):
            return
        seen[name] = None
        for member in vars(thing).values():
            _follow(member, seen)
    elif isinstance(thing, list | tuple | dict):
        for part in thing.values() if isinstance(thing, dict) else thing:
            if callable(part) or isinstance(part, list | tuple | dict):
                _follow(part, seen)


def _is_followed(name: str) -> bool:
    return name.startswith(FOLLOWED) and not name.startswith(SHARED)


def _unwrapped(thing: Any) -> Any:
    """The plain function behind partials, kernels, caches, properties and bound methods."""
    while True:
        if isinstance(thing, functools.partial):
            thing = thing.func
        elif isinstance(thing, property | functools.cached_property):
            thing = thing.fget if isinstance(thing, property) else thing.func
        elif isinstance(thing, classmethod | staticmethod | types.MethodType):
            thing = thing.__func__
        elif hasattr(thing, "py_func"):
            thing = thing.py_func
        elif hasattr(thing, "__wrapped__"):
            thing = thing.__wrapped__
        else:
            return thing


def _named_in(code: types.CodeType, scope: dict[str, Any]) -> Iterator[Any]:
    """Objects that the code names: globals, attributes of modules, and what it imports."""
    modules: list[Any] = []
    attributes: set[str] = set()
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME") and step.argval in scope:
            found = scope[step.argval]
            if isinstance(found, types.ModuleType):
                modules.append(found)
            yield found
        elif step.opname == "IMPORT_NAME" and f"{step.argval}.".startswith(FOLLOWED):
            modules.append(importlib.import_module(step.argval))
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"):
            attributes.add(step.argval)
    for module in modules:  # grows: an attribute may be a module, too
        if not f"{module.__name__}.".startswith(FOLLOWED):
            continue
        for name in sorted(attributes):
            found = getattr(module, name, None)
            if isinstance(found, types.ModuleType) and found not in modules:
                modules.append(found)
            yield found
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _named_in(constant, scope)


def shared_by(roads: dict[str, Callable[..., Any]]) -> dict[tuple[str, str], set[str]]:
    """The seprank functions that two roads both reach, for every pair of roads that shares one."""
    names = sorted(roads)
    found = {name: reached(roads[name]) for name in names}
    pairs = ((a, b) for i, a in enumerate(names) for b in names[i + 1 :])
    return {(a, b): found[a] & found[b] for a, b in pairs if found[a] & found[b]}
