"""The head size of a section: stated under one name, in parts, or as a query/key and a value size, or not at all."""

from __future__ import annotations

from dataclasses import dataclass, field

from seprank.attention.config_keys import HEAD_SIZE, QUERY_KEY_SIZE, VALUE_SIZE
from seprank.attention.config_sizes import Section, Size, family_of_stack, stated_size
from seprank.errors import InvalidInput

_PARTS = ("qk_nope_head_dim", "qk_rope_head_dim")


@dataclass
class HeadSize:
    """`size` is None where no key states it; `value` differs from it in `unequal`; `remarks` are whole sentences."""

    size: Size | None
    value: Size | None = None
    unequal: bool = False
    remarks: list[str] = field(default_factory=list)
    ignored: dict[str, str] = field(default_factory=dict)


def head_size(section: Section, stack: str, width: Size, heads: Size) -> HeadSize:
    """The head size that `section` states for `stack` ("" if it has no name), also as query/key and value sizes.

    Where query/key and value sizes differ, the larger one is taken, with a remark.
    """
    common = stated_size(section, family_of_stack(section, HEAD_SIZE, stack), optional=True)
    value = stated_size(section, VALUE_SIZE, optional=True)
    query_key = _query_key_size(section, common)
    result = HeadSize(size=query_key or common, value=value)
    if query_key and common and query_key.value != common.value:
        _check_part(section, common, query_key, value)
        result.ignored[common.key] = "a part of the head size"
    if result.size is None and value is not None:
        result.size = quotient(width, heads)
    if result.size is None:
        return result
    if query_key is not None and value is None:
        result.remarks.append(f"The value head size is not stated: it is taken to be da, as {query_key.key} states.")
    if value is not None and value.value != result.size.value:
        larger = max(result.size, value, key=lambda size: size.value)
        result.remarks.append(
            f"Query/key size {result.size.value} ({result.size.key}) and value size {value.value} ({value.key}) "
            f"differ: da is the larger, {larger.value}."
        )
        result.unequal = True
        result.size = larger
    _compare_with_quotient(result, width, heads)
    return result


def _query_key_size(section: Section, common: Size | None) -> Size | None:
    whole = stated_size(section, QUERY_KEY_SIZE, optional=True)
    words = "a part of the query/key head size"
    plain, rotary = (section.size(key, words, optional=True) for key in _PARTS)
    if plain is None:
        if rotary is not None and whole is None and common is None:
            raise InvalidInput(f"{section.name(_PARTS[0])} must be stated with {rotary.key}, got no such key")
        return whole
    total = plain if rotary is None else Size(f"{plain.key} + {rotary.key}", plain.value + rotary.value)
    if whole is not None and whole.value != total.value:
        raise InvalidInput(
            f"the keys for the query/key head size must agree, "
            f"got {whole.key}={whole.value} and {total.key}={total.value}"
        )
    return total


def _check_part(section: Section, common: Size, query_key: Size, value: Size | None) -> None:
    # Files of latent attention use head_dim for one part of the head: the rotary, the plain or the value part.
    parts = [section.keys.get(key) for key in _PARTS] + [value.value if value else None]
    if common.value not in parts:
        raise InvalidInput(
            f"the keys for the head size must agree, "
            f"got {common.key}={common.value} and {query_key.key}={query_key.value}"
        )


def quotient(width: Size, heads: Size) -> Size:
    """``dx / H``, the head size of a file that states none. Raises `InvalidInput` if `H` does not divide `dx`."""
    if width.value % heads.value:
        raise InvalidInput(
            f"{heads.key} must divide {width.key} when no head size is stated (looked for "
            f"{', '.join(HEAD_SIZE.keys)}), got {width.value} and {heads.value}"
        )
    return Size(f"{width.key} / {heads.key}", width.value // heads.value)


def _compare_with_quotient(result: HeadSize, width: Size, heads: Size) -> None:
    size = result.size
    if size is not None and size.value * heads.value != width.value:
        whole, rest = divmod(width.value, heads.value)
        other = f"{whole}" if not rest else f"{width.value} / {heads.value}, which is not whole"
        result.remarks.append(f"da is {size.value} as {size.key} states, and not dx / H = {other}.")
