"""Recognizing the columns of a CSV file by their headings and cells."""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from embed.domain.addresses import is_address
from embed.wallets.csv_format import COLUMNS

# Known headings without spaces and punctuation, surest first: in a file with both, the owner is the
# wallet and the account is the token account.
_WORDS = {
    "address": (
        *("owner", "owneraddress", "holder", "holderaddress", "wallet", "walletaddress"),
        *("address", "account", "accountaddress", "publickey"),
    ),
    "alias": ("alias", "name", "label"),
    "tags": ("tags", "tag", "groups", "group"),
    "hidden": ("hidden",),
    "balance": ("uiamount", "balance", "quantity", "amount"),
}
_NO_PART_OF_WORD = re.compile(r"\s*\(.*\)|[\W_]+")

YES_NO = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False, "": False}
_DATE = re.compile(r"\d{1,4}([-/.])\d{1,2}\1\d")
_RANK = re.compile(r"[0-9]{1,9}")
_LONG_WORD = re.compile(r"\S{41}")  # a signature or a link
_SPACE_IN_NUMBER = re.compile("(?<=[0-9])[ \u00a0\u202f'\u2019](?=[0-9]{3}(?![0-9]))")
# By decimal separator; the other sign may separate thousands.
_NUMBERS = {
    point: re.compile(
        rf"(?:[0-9]+|[1-9][0-9]{{0,2}}(?:\{other}[0-9]{{3}})+)?"
        rf"(?:(?<=[0-9])\{point}[0-9]*|\{point}[0-9]+)?(?:(?<=[0-9.,])[eE][+-]?[0-9]{{1,3}})?"
    )
    for point, other in (".,", ",.")
}


def recognize_columns(headings: Sequence[str], filled: Sequence[Sequence[str]]) -> Sequence[str]:
    """Return what is in each column: each of COLUMNS at most once, or empty.

    `filled` has each column's first non-empty cells.
    """
    places = _name_columns(headings, filled) if headings else _guess_columns(filled)
    roles = {place: role for role, place in places.items()}
    return [roles.get(place, "") for place in range(len(filled))]


def _find_role(heading: str) -> tuple[str, int]:
    """Return what a heading names, and how sure that is: 0 is the surest."""
    word = _NO_PART_OF_WORD.sub("", heading.lower())
    for role, words in _WORDS.items():
        if word in words:
            return role, words.index(word)
    return "", 0


def count_known(cells: Iterable[str]) -> int:
    return sum(_find_role(cell)[0] != "" for cell in cells)


def _name_columns(headings: Sequence[str], filled: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the columns' places, going by headings; for the address, also by its cells."""
    named: dict[str, dict[int, list[int]]] = {role: {} for role in COLUMNS}
    for place, heading in enumerate(headings):
        role, rank = _find_role(heading)
        if role:
            named[role].setdefault(rank, []).append(place)
    holding = [place for place, cells in enumerate(filled) if _are_most(cells, is_address)]
    of_address = {
        rank: kept
        for rank, places in named["address"].items()
        if (kept := [place for place in places if place in holding])
    }
    if of_address or holding:
        named["address"] = of_address or {0: holding}
    surest = {role: ranks[min(ranks)] for role, ranks in named.items() if ranks}
    return {role: places[0] for role, places in surest.items() if len(places) == 1}


def _guess_columns(filled: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the places of columns without headings.

    They follow COLUMNS if all cells fit that order; else only the one column of a kind is found.
    """
    in_order = dict(zip(COLUMNS, range(len(filled)), strict=False))
    if len(filled) <= len(COLUMNS) and all(
        not filled[place] or _FITS[role](filled[place]) for role, place in in_order.items()
    ):
        return {role: place for role, place in in_order.items() if filled[place]}
    found = {}
    for role in ("address", "alias", "balance"):
        places = [place for place, cells in enumerate(filled) if cells and _FITS[role](cells)]
        if len(places) == 1:
            found[role] = places[0]
    return found


def _are_most(cells: Sequence[str], is_so: Callable[[str], object]) -> bool:
    return 2 * sum(bool(is_so(cell)) for cell in cells) > len(cells)


def _is_number(cell: str) -> bool:
    return bool(read_number(cell))


def _are_balances(cells: Sequence[str]) -> bool:
    is_rank = len(cells) > 1 and all(
        _RANK.fullmatch(one) and _RANK.fullmatch(other) and int(other) == int(one) + 1
        for one, other in pairwise(cells)
    )
    return _are_most(cells, _is_number) and not is_rank


def _are_texts(cells: Sequence[str]) -> bool:
    others = (is_address, _is_number, _DATE.match, _LONG_WORD.search)
    return not _are_most(cells, lambda cell: any(is_so(cell) for is_so in others))


_FITS: dict[str, Callable[[Sequence[str]], bool]] = {
    "address": lambda cells: _are_most(cells, is_address),
    "alias": _are_texts,
    "tags": _are_texts,
    "hidden": lambda cells: all(cell.lower() in YES_NO for cell in cells),
    "balance": _are_balances,
}


def read_number(cell: str) -> dict[str, str]:
    """Return the number for parse_amount, by each decimal separator that it may have."""
    number = _SPACE_IN_NUMBER.sub("", cell) if len(cell) <= 100 else ""
    return {
        point: number.replace("," if point == "." else ".", "").replace(point, ".")
        for point, form in _NUMBERS.items()
        if number[:1] and form.fullmatch(number)
    }
