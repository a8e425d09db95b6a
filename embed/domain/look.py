"""How a page's widget looks: what its owner has chosen, and what a URL asks for.

docs/embedding.md, Look.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, get_args

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import asdict, replace

from embed.domain.colors import DEFAULT_ACCENT
from embed.domain.texts import check_choice
from embed.errors import InvalidInput

_ACCENT = "[0-9a-f]{6}"
HideablePart = Literal["heading", "tools", "changes", "add", "joined"]


class Look(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a page's widget looks; fields that have their defaults are left out.

    Stored fields of older versions, such as `names`, are ignored.
    """

    accent: Annotated[str, Meta(pattern=rf"^{_ACCENT}(?![\s\S])")] = DEFAULT_ACCENT
    neutral: Literal["slate", "gray", "sand", "sage"] = "slate"
    radius: Literal[0, 1, 2, 3] = 2
    density: Literal["compact", "normal", "roomy"] = "normal"
    font: Literal["sans", "serif", "mono", "rounded"] = "sans"
    size: Literal[14, 16, 18] = 16
    theme: Literal["site", "light", "dark", "auto"] = "site"
    order: Literal["auto", "balance", "newest", "name", "listed"] = "auto"
    explorer: Literal["none", "solana", "solscan", "orb"] = "none"
    hide: Annotated[tuple[HideablePart, ...], Meta(max_length=5)] = ()

    def write_texts(self) -> dict[str, str]:
        """Return all fields as texts, which `change` and `override` read."""
        return {
            name: ",".join(value) if isinstance(value, tuple) else str(value)
            for name, value in asdict(self).items()
        }

    def change(self, texts: Mapping[str, str]) -> Self:
        """Return the look with other values. Raises InvalidInput."""
        return replace(self, **{name: _parse(name, text) for name, text in texts.items()})

    def override(self, texts: Mapping[str, str]) -> Self:
        """Return the look with other values; invalid ones are ignored."""
        values = {}
        for name, text in texts.items():
            known = [part for part in text.split(",") if name == "hide" and part in _PARTS]
            try:
                values[name] = _parse(name, ",".join(known) or text)
            except InvalidInput:
                continue
        return replace(self, **values)


DEFAULT_LOOK = Look()

_PARTS = get_args(HideablePart)
_TYPES: Mapping[str, Any] = {field.name: field.type for field in msgspec.structs.fields(Look)}
FIELDS = tuple(_TYPES)


def resolve_order(order: str, *, has_balances: bool) -> str:
    """Return what ``auto`` is for a list; `has_balances`: one of its wallets holds something."""
    if order != "auto":
        return order
    return "balance" if has_balances else "listed"


def list_choices(name: str) -> list[str]:
    """Return the values that a field other than `accent` takes; `hide` takes several at once."""
    return [str(word) for word in (_PARTS if name == "hide" else get_args(_TYPES[name]))]


def _parse(name: str, text: str) -> Any:
    """Return a field's value. Raises InvalidInput."""
    if name not in _TYPES:
        raise InvalidInput(
            "A look has no %(name)s, only %(fields)s.", name=name, fields=", ".join(FIELDS)
        )
    if name == "accent":
        accent = text.strip().removeprefix("#").lower()
        if not re.fullmatch(_ACCENT, accent):
            raise InvalidInput("The accent must be six hex digits, such as 7c4ddb.", field=name)
        return accent
    choices = list_choices(name)
    if name != "hide":
        check_choice(text, choices, name)
        return msgspec.convert(text, _TYPES[name], strict=False)
    named = set(text.split(",")) if text else set()
    if not named.issubset(choices):
        raise InvalidInput(
            "What to hide must be some of %(choices)s, with commas between them.",
            field=name,
            choices=", ".join(choices),
        )
    return tuple(part for part in choices if part in named)
