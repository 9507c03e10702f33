"""From a section to the sizes of the stack that is asked for, with the remarks that go with them."""

from __future__ import annotations

from dataclasses import dataclass, field

from seprank.attention.architecture import Architecture
from seprank.attention.config_heads import head_size, quotient
from seprank.attention.config_keys import DEPTH, HEADS, STACKS, WIDTH, Family, of_stack
from seprank.attention.config_scope import key_value_heads, refuse_out_of_scope, ties
from seprank.attention.config_sections import (
    check_agreement,
    language_section,
    media_sections,
    size_of_stack,
    stack_depths,
    stack_sections,
)
from seprank.attention.config_sizes import Section, Size, missing
from seprank.errors import InvalidInput, OutOfScope

_CROSS = "Cross-attention layers stand beside the self-attention layers of the decoder."


@dataclass
class Draft:
    """The sizes of one stack, while they are collected.

    `sections` are those from the one that states the sizes out to the whole file, `ties` the sentences about weights
    that are tied or removed, `reasons` why certain keys were ignored.
    """

    read: dict[str, Size]
    sections: list[Section]
    stack: str = ""
    remarks: list[str] = field(default_factory=list)
    ties: list[str] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)

    @property
    def architecture(self) -> Architecture:
        L, dx, H, da = (self.read[name].value for name in ("L", "dx", "H", "da"))
        return Architecture(L=L, dx=dx, H=H, da=da)


def read_section(section: Section, stack: str | None) -> Draft:
    """The sizes of `stack` in `section` or in the section of its language model.

    Where `section` has one stack only, that one is returned, whatever `stack` says. Raises `InvalidInput` if the two
    stacks differ and `stack` is None, if sizes are missing or disagree, and `OutOfScope` with the reason.
    """
    refuse_out_of_scope(section)
    if stacks := stack_sections(section):
        return _of_stack_sections(section, stacks, stack)
    inner = language_section(section)
    if inner is not None:
        draft = read_section(inner, stack)
        check_agreement(section, draft.read)
        draft.sections.append(section)
        return draft
    depths = stack_depths(section)
    if not depths:
        raise _nothing_stated(section)
    drafts = {name: _of_stack(section, name, depths) for name in depths}
    if len(drafts) == 2 and len({size.key for size in depths.values()}) == 1:
        for draft in drafts.values():
            draft.remarks.append(f"{depths['encoder'].key} is the one depth that the file states for both stacks.")
    return _chosen(drafts, stack)


def _of_stack_sections(section: Section, stacks: dict[str, Section], stack: str | None) -> Draft:
    asked = [stack] if stack in stacks else list(stacks)
    drafts = {name: read_section(stacks[name], name) for name in asked if name is not None}
    for name, draft in drafts.items():
        draft.stack = name
        draft.sections.append(section)
    if "decoder" in drafts:
        _add_cross_attention(drafts["decoder"])
        if "encoder" not in stacks:
            drafts["decoder"].remarks.append("The encoder is a vision or audio tower, which is never read.")
    return _chosen(drafts, stack)


def _chosen(drafts: dict[str, Draft], stack: str | None) -> Draft:
    """The draft of `stack`, or the only one there is; of two equal ones the decoder's, which has all the remarks."""
    if stack in drafts:
        return drafts[str(stack)]
    if len(drafts) == 1:
        return next(iter(drafts.values()))
    first, second = (drafts[name].architecture for name in STACKS)
    if first != second:
        raise InvalidInput(
            f"config has an encoder (L={first.L}, dx={first.dx}, H={first.H}, da={first.da}) that differs from its "
            f"decoder (L={second.L}, dx={second.dx}, H={second.H}, da={second.da}): "
            "choose with --stack encoder or --stack decoder, got no --stack"
        )
    draft = drafts["decoder"]
    draft.remarks.insert(0, "Encoder and decoder have the same sizes; the remarks are those of the decoder.")
    return draft


def _of_stack(section: Section, stack: str, depths: dict[str, Size]) -> Draft:
    alone = len(depths) == 1
    width = size_of_stack(section, WIDTH, stack, alone)
    if width is None:
        raise InvalidInput(missing(section, _families(WIDTH, stack)))
    heads = size_of_stack(section, HEADS, stack, alone)
    if heads is None:
        text = missing(section, _families(HEADS, stack))
        raise OutOfScope(f"{text}; networks without self-attention heads are not covered")
    draft = Draft({"L": depths[stack], "dx": width, "H": heads}, [section], stack)
    _add_head_size(draft, section)
    kv_heads = key_value_heads(section, stack)
    if kv_heads is not None:
        draft.read["key/value heads"] = kv_heads
    draft.ties += ties(section, depths[stack].value, heads.value, kv_heads)
    _add_embedding(draft, section)
    if stack == "decoder" and not alone:
        _add_cross_attention(draft)
    return draft


def _add_head_size(draft: Draft, section: Section) -> None:
    width, heads = draft.read["dx"], draft.read["H"]
    stated = head_size(section, draft.stack, width, heads)
    draft.read["da"] = stated.size or quotient(width, heads)
    if stated.value is not None:
        draft.read["value head size"] = stated.value
    draft.remarks += stated.remarks
    draft.reasons |= stated.ignored
    if stated.unequal:
        draft.ties.append("Query/key and value sizes below da: weights are fewer than those of heads of size da.")


def _add_embedding(draft: Draft, section: Section) -> None:
    for key in ("embedding_size", "word_embed_proj_dim"):
        size = section.size(key, "the embedding size", optional=True)
        if size is not None and size.value != draft.read["dx"].value:
            draft.remarks.append(
                f"{size.key} {size.value} differs from dx {draft.read['dx'].value}: tokens enter through a projection, "
                "and the bounds are those of the layers behind it, for all inputs of width dx."
            )
            draft.reasons[size.key] = "projection of the embeddings"


def _add_cross_attention(draft: Draft) -> None:
    if not any("cross-attention" in tie.lower() for tie in draft.ties):
        draft.ties.append(_CROSS)


def _families(family: Family, stack: str) -> list[Family]:
    return [family, of_stack(family, stack)] if stack else [family]


def _nothing_stated(section: Section) -> InvalidInput | OutOfScope:
    media = media_sections(section)
    if media and not section.states((*WIDTH.keys, *HEADS.keys)):
        return OutOfScope(
            f"{section.title} has no language-model section such as text_config, only {', '.join(media)}: "
            "a vision or audio tower is never read"
        )
    return InvalidInput(missing(section, [DEPTH, *(of_stack(DEPTH, stack) for stack in STACKS)]))
