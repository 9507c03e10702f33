"""Sections of a config file, and the sizes that one section states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from seprank.attention.config_keys import ATTENTION_OPTIONS, Family, of_stack
from seprank.errors import InvalidInput, OutOfScope
from seprank.validate import whole_number


class Size(NamedTuple):
    """A size and the path of the key that states it, such as ``text_config.hidden_size``."""

    key: str
    value: int


@dataclass(frozen=True)
class Section:
    """One JSON object of the file; `path` is empty for the whole file."""

    path: str
    keys: Mapping[str, Any]

    def name(self, key: str) -> str:
        """The path of `key` from the top of the file."""
        return f"{self.path}.{key}" if self.path else key

    @property
    def title(self) -> str:
        """What error messages call the section."""
        return self.path or "config"

    def child(self, key: str) -> Section:
        """The object under `key`, which must be there."""
        return Section(self.name(key), self.keys[key])

    def states(self, keys: Iterable[str]) -> bool:
        """Whether any of `keys` has a value other than null."""
        return any(self.keys.get(key) is not None for key in keys)

    def flag(self, key: str) -> bool:
        """The truth value under `key`; null and a missing key count as false."""
        value = self.keys.get(key)
        if value is not None and not isinstance(value, bool) and value not in (0, 1):
            raise InvalidInput(f"{self.name(key)} must be true or false, got {value!r}")
        return bool(value)

    def size(self, key: str, words: str, optional: bool = False) -> Size | None:
        """The size under `key`: None where it is null or missing (or 0, if it is `optional`)."""
        value = self.keys.get(key)
        if value is None or (optional and type(value) is int and value == 0):
            return None
        name = self.name(key)
        if isinstance(value, list | tuple):
            raise OutOfScope(
                f"{name} is a list of {len(value)} entries: the theory needs {words} to be one number, "
                "the same in every layer (no per-layer heads, no stages)"
            )
        if isinstance(value, str | dict):
            value = _shortened(value)
        return Size(name, whole_number(name, value))


def stated_size(section: Section, family: Family, optional: bool = False) -> Size | None:
    """The size that the keys of `family` agree on in `section` and in its attention options; None where none states it.

    A 0 is an error, unless the size is `optional`: then it counts as absent, as null always does.
    """
    places = [(section, optional)]
    places += [(section.child(key), True) for key in ATTENTION_OPTIONS if isinstance(section.keys.get(key), Mapping)]
    found = [
        size
        for place, zero_is_absent in places
        for key in family.keys
        if (size := place.size(key, family.words, zero_is_absent)) is not None
    ]
    for size in found[1:]:
        if size.value != found[0].value:
            raise InvalidInput(
                f"the keys for {family.words} must agree, "
                f"got {found[0].key}={found[0].value} and {size.key}={size.value}"
            )
    return found[0] if found else None


def family_of_stack(section: Section, family: Family, stack: str) -> Family:
    """The names with the stack's own name in them, if `section` states one of these; else `family`."""
    named = of_stack(family, stack)
    return named if stack and section.states(named.keys) else family


def missing(section: Section, families: Iterable[Family]) -> str:
    """The message for a size that no key states."""
    families = list(families)
    names = ", ".join(key for family in families for key in family.keys)
    return f"{section.title} must state {families[0].words}, got none of the keys {names}"


def _shortened(value: str | dict[str, Any]) -> object:
    if isinstance(value, dict):
        return {}
    return value if len(value) <= 60 else value[:57] + "..."
