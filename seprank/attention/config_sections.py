"""Which section of a file is the language model, and which stacks it has."""

from __future__ import annotations

from collections.abc import Mapping

from seprank.attention.config_keys import (
    BARE_MODEL_NAMES,
    DEPTH,
    HEADS,
    LANGUAGE_WORDS,
    MEDIA_KEYS,
    MEDIA_WORDS,
    STACKS,
    WIDTH,
    Family,
    of_stack,
)
from seprank.attention.config_sizes import Section, Size, stated_size
from seprank.errors import InvalidInput, OutOfScope

_STACK_SECTIONS = (("encoder", "decoder"), ("encoder_config", "decoder_config"), ("text_encoder", "decoder"))


def language_section(section: Section) -> Section | None:
    """The nested section of the language model, such as ``text_config``; None where `section` itself is the model.

    A vision or audio tower is never taken, nor a section of options. A section with too few keys gives way to the
    sizes above it only where those are complete. Raises `InvalidInput` where two sections could be meant.
    """
    found = [section.child(key) for key, value in section.keys.items() if _is_language(key, value)]
    if len(found) > 1:
        found = [child for child in found if child.states(_names(DEPTH))] or found
    if len(found) > 1:
        names = " and ".join(child.path for child in found)
        raise InvalidInput(f"{section.title} must hold one language-model section, got {names}")
    if not found or (_is_complete(section) and not _is_complete(found[0]) and not language_section(found[0])):
        return None
    return found[0]


def stack_sections(section: Section) -> dict[str, Section]:
    """The nested sections of an encoder and a decoder, if the file keeps each stack in a section of its own.

    A vision or audio encoder is left out. Raises `OutOfScope` for several separate networks in one file.
    """
    if _is_model(section.keys.get("question_encoder")) and _is_model(section.keys.get("generator")):
        raise OutOfScope(
            f"{section.title} holds several networks, question_encoder and generator; give one of these sections"
        )
    for names in _STACK_SECTIONS:
        if all(_is_model(section.keys.get(name)) for name in names):
            children = {stack: section.child(name) for stack, name in zip(STACKS, names, strict=True)}
            return {stack: child for stack, child in children.items() if not _is_media(child)}
    return {}


def stack_depths(section: Section) -> dict[str, Size]:
    """The depth of each stack of `section`: "encoder" and "decoder", or one of them, or "" for a stack without name.

    A general name beside ``decoder_layers`` alone states the depth of the encoder. An empty result means that no
    depth is stated. Raises `InvalidInput` where the general name agrees with neither stack.
    """
    general = stated_size(section, DEPTH)
    encoder, decoder = (stated_size(section, of_stack(DEPTH, stack), optional=True) for stack in STACKS)
    named = {stack: size for stack, size in zip(STACKS, (encoder, decoder), strict=True) if size is not None}
    if general is None:
        return named
    if not named:
        return dict.fromkeys(STACKS, general) if section.flag("is_encoder_decoder") else {"": general}
    decoder_alone = section.flag("is_decoder") and not section.flag("is_encoder_decoder")
    if encoder is None and not decoder_alone:
        return {"encoder": general, **named}
    if general.value not in {size.value for size in named.values()}:
        others = " and ".join(f"{size.key}={size.value}" for size in named.values())
        raise InvalidInput(f"the keys for {DEPTH.words} must agree, got {general.key}={general.value} and {others}")
    return named


def size_of_stack(section: Section, family: Family, stack: str, alone: bool) -> Size | None:
    """The size of one stack: under a name that carries the stack's name, else under a general name.

    `alone` says that `section` has no other stack, to which the general name could belong.
    """
    general = stated_size(section, family)
    if not stack:
        return general
    own, other = (
        stated_size(section, _stack_family(section, family, which), optional=True)
        for which in (stack, STACKS[stack == "encoder"])
    )
    if own is None:
        return general
    if (
        general is not None
        and general.value != own.value
        and (alone or (other is not None and general.value != other.value))
    ):
        raise InvalidInput(
            f"the keys for {family.words} must agree, got {general.key}={general.value} and {own.key}={own.value}"
        )
    return own


def check_agreement(outer: Section, read: Mapping[str, Size]) -> None:
    """Raise `InvalidInput` if `outer`, which holds the section that was read, states another depth, width or heads."""
    for field, family in (("L", DEPTH), ("dx", WIDTH), ("H", HEADS)):
        # At the top of files with two towers, embed_dim is the width of their common space.
        keys = tuple(key for key in family.keys if key != "embed_dim")
        size = stated_size(outer, Family(family.words, keys), optional=True)
        if size is not None and size.value != read[field].value:
            raise InvalidInput(
                f"the keys for {family.words} must agree, "
                f"got {size.key}={size.value} and {read[field].key}={read[field].value}"
            )


def media_sections(section: Section) -> list[str]:
    """The paths of the vision and audio towers directly in `section`."""
    return [
        section.name(key)
        for key, value in section.keys.items()
        if isinstance(value, Mapping) and MEDIA_WORDS & set(str(key).split("_"))
    ]


def _stack_family(section: Section, family: Family, stack: str) -> Family:
    named = of_stack(family, stack)
    if family is WIDTH and not section.states(of_stack(DEPTH, stack).keys):
        # In a lone text model, encoder_hidden_size is the width of what enters through cross-attention.
        return Family(named.words, tuple(key for key in named.keys if not key.endswith("_hidden_size")))
    return named


def _names(family: Family) -> list[str]:
    return [*family.keys, *(key for stack in STACKS for key in of_stack(family, stack).keys)]


def _is_complete(section: Section) -> bool:
    return all(section.states(_names(family)) for family in (DEPTH, WIDTH, HEADS))


def _is_model(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    names = [name for family in (DEPTH, WIDTH, HEADS) for name in _names(family)]
    return Section("", value).states(["model_type", *names]) or any(
        _is_language(key, inner) for key, inner in value.items()
    )


def _is_language(key: object, value: object) -> bool:
    words = set(str(key).split("_"))
    if words & MEDIA_WORDS or not isinstance(value, Mapping):
        return False
    if str(key) in BARE_MODEL_NAMES:
        return Section("", value).states(_names(DEPTH))
    return bool(words & LANGUAGE_WORDS) and _is_model(value)


def _is_media(section: Section) -> bool:
    return Section("", section.keys).states(MEDIA_KEYS)
