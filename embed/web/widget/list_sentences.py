"""What the share link and its pictures say of a list, in the reader's language."""

from decimal import Decimal
from typing import Any

from embed.db.models import Page
from embed.domain.amounts import find_share
from embed.domain.texts import drop_dollar_signs, isolate
from embed.public_payload import Payload
from embed.web.figures import format_in_full, format_share, format_short
from embed.web.languages import current_locale, format_number, gettext, ngettext


def write_symbol(details: dict[str, Any]) -> str:
    return f"${drop_dollar_signs(details['tokenSymbol'])}"


def count_wallets(count: int) -> str:
    return ngettext("%(count)s wallet", "%(count)s wallets", count, count=format_number(count))


def write_sentence(payload: Payload) -> str:
    """Say how many wallets hold how much, as the list's heading does."""
    count, sums = payload.wallet_count, payload.details["sums"]
    symbol = _isolate(write_symbol(payload.details))
    shown = {"count": format_number(count), "symbol": symbol}
    if sums and (share := find_list_share(payload)) is not None:
        return ngettext(
            "%(count)s wallet holds %(share)s of %(symbol)s",
            "%(count)s wallets hold %(share)s of %(symbol)s",
            count,
            share=_isolate(format_share(share, 1)),
            **shown,
        )
    if sums:
        return ngettext(
            "%(count)s wallet holds %(amount)s %(symbol)s",
            "%(count)s wallets hold %(amount)s %(symbol)s",
            count,
            amount=_isolate(format_short(sums.balance)),
            **shown,
        )
    return f"{count_wallets(count)} · {symbol}" if count else symbol


def write_figures(payload: Payload) -> str:
    """Return the sentence's figures alone, in a line, and the symbol in another."""
    share, sums = find_list_share(payload), payload.details["sums"]
    figures = [format_number(payload.wallet_count)]
    if share is not None:
        figures.append(format_share(share, 1))
    elif sums:
        figures.append(format_number(int(sums.balance)))  # the short form may have words
    return f"{' · '.join(figures)}\n{write_symbol(payload.details)}"


def _isolate(figure: str) -> str:
    """Keep a figure's direction in a sentence from right to left."""
    return isolate(figure) if current_locale().text_direction == "rtl" else figure


def find_list_share(payload: Payload) -> Decimal | None:
    """Return which part of the supply the list's wallets hold; None if it isn't known."""
    sums = payload.details["sums"]
    return find_share(sums.balance, payload.details["supply"]) if sums else None


def write_signed(count: int) -> str:
    if not count:
        return ""
    return ngettext("%(count)s signed", "%(count)s signed", count, count=format_number(count))


def write_joined(count: int) -> str:
    if not count:
        return ""
    return ngettext(
        "%(count)s new this week", "%(count)s new this week", count, count=format_number(count)
    )


def describe_list(page: Page, payload: Payload) -> str:
    """Say what the list has, and what visitors may do."""
    if not payload.wallet_count:
        return " · ".join(filter(None, (write_symbol(payload.details), write_offer(page))))
    said = (write_sentence(payload), write_signed(payload.proved_count), write_offer(page))
    return " · ".join(filter(None, said))


def write_offer(page: Page) -> str:
    """Say what visitors may do; empty if the owner doesn't offer it."""
    if "add" in page.look.hide:
        return ""
    if not page.min_balance:
        return gettext("Add yours")
    return gettext("Hold %(amount)s and add yours", amount=format_in_full(page.min_balance))


def write_place(rank: int, count: int) -> str:
    """Name a holder's place on the list; `rank` is 0 if no balance is known."""
    total = format_number(count)
    if not rank:
        return gettext("One of %(total)s holders, signed", total=total)
    return gettext("Holder #%(rank)s of %(total)s, signed", rank=format_number(rank), total=total)
