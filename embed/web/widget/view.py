"""Which wallets of the list an address asks for, in which order, and the addresses of others."""

from collections.abc import Mapping, Sequence, Sized
from typing import NamedTuple
from urllib.parse import urlencode

from flask import request

from embed.domain.folding import MAX_SEARCH_LENGTH
from embed.domain.look import Look, resolve_order
from embed.public_payload import NO_TAG, ORDERS, WALLETS_PER_PART, Payload

MOST_PARTS = 20  # in one answer
ORDER_COOKIE = "embed_order"  # the visitor's choice for this page, as list.js writes it


class View(NamedTuple):
    """The wallets that an address asks for; parts of the list are numbered from 1."""

    order: str
    tag: str | None
    search: str
    first: int
    last: int


def read_view(payload: Payload, look: Look) -> View:
    """Return what the request asks for; what is unknown is ignored.

    `look` has the order that the address names, or else the owner's. What the visitor chose before
    counts more, unless the address is that of a link in the list itself.
    """
    order = resolve_order(look.order, has_balances=bool(payload.standings.highest))
    is_followed = request.headers.get("Sec-Fetch-Site") == "same-origin"
    if not (is_followed and "order" in request.args):
        chosen = request.cookies.get(ORDER_COOKIE)
        order = chosen if chosen in ORDERS else order
    tag = request.args.get("tag")
    first = max(1, request.args.get("page", 1, type=int))
    return View(
        order=order,
        tag=tag if tag == NO_TAG or tag in payload.standings.counts else None,
        search=request.args.get("q", "").strip()[:MAX_SEARCH_LENGTH],
        first=first,
        last=min(max(first, request.args.get("to", 1, type=int)), first + MOST_PARTS - 1),
    )


def choose_places(payload: Payload, view: View) -> tuple[View, Sequence[int]]:
    """Return all wallets that match, in order, and the view with parts that there are."""
    places = payload.choose(view.order, tag=view.tag, search=view.search)
    parts = count_parts(places)
    first = min(view.first, parts)
    return view._replace(first=first, last=max(first, min(view.last, parts))), places


def count_parts(places: Sized) -> int:
    return max(1, -(-len(places) // WALLETS_PER_PART))


class Links:
    """The addresses of other views of the same list, for the same language and look."""

    def __init__(self, arguments: Mapping[str, str], view: View, part_count: int) -> None:
        """`arguments` are those of the list's address."""
        self._arguments = arguments
        self._view = view
        self._part_count = part_count

    def to(self, **changes: str | None) -> str:
        """Return the address of the view with a different order, tag or search."""
        return f"?{urlencode(self._write(**changes))}"

    def to_part(self, number: int) -> str | None:
        """Return the address of a part of this view, if there is one."""
        if not 1 <= number <= self._part_count:
            return None
        return f"?{urlencode(self._write() | {'page': str(number)})}"

    @property
    def of_search(self) -> dict[str, str]:
        """Return the arguments that a search keeps."""
        return self._write(search="")

    def _write(self, **changes: str | None) -> dict[str, str]:
        view = self._view._replace(**changes)  # type: ignore[arg-type]
        given = {"order": view.order, "tag": view.tag, "q": view.search}
        return {**self._arguments, **{name: text for name, text in given.items() if text}}
