"""The list of a page's wallets, searched and sorted; the address holds what was chosen."""

from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from flask import Response, request
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm

from embed.balances.due import list_read_at
from embed.balances.history import read_balance_changes
from embed.balances.tokens import find_problem
from embed.db.models import Page, Tag
from embed.errors import NotFound
from embed.public_payload import get_payload
from embed.wallets import search, tags
from embed.wallets.search import Column, Order, WalletFilter
from embed.web import figures
from embed.web.current import runtime
from embed.web.dashboard.responses import render
from embed.web.dashboard.routes import page_route
from embed.web.drawings import draw_lines

_HIDDEN = {"yes": True, "no": False}
_DESCENDS_FIRST: dict[Column, bool] = {"name": False, "balance": True}
# By the argument "sort", where a minus sign means descending.
_ORDERS = {
    "-" * descends + column: Order(column, descends)
    for column in _DESCENDS_FIRST
    for descends in (False, True)
}
_SORT_BY_ORDER = {order: sort for sort, order in _ORDERS.items()}


@page_route("/wallets", needs="viewer", help="owners#wallets")
def list_wallets(page: Page) -> ResponseReturnValue:
    return render_wallets(page)


def render_wallets(
    page: Page, template: str = "wallets.html", *, form: FlaskForm | None = None, **values: Any
) -> Response:
    """Render the list, or a panel beside it with a template of its own and the `form`."""
    page_tags = tags.list_tags(page)
    wanted = read_filter(page_tags)
    order = _ORDERS.get(request.args.get("sort", ""), Order())
    number = min(max(request.args.get("page", 1, type=int), 1), 1_000_000)
    balances = runtime().balances
    result = search.search_wallets(
        page, wanted, order, number, balances=balances, page_tags=page_tags
    )
    addresses, now = [wallet.address for wallet in result.wallets], runtime().clock()
    changes = read_balance_changes(page, addresses, now) if balances.uses_chain else {}
    public = get_payload(page.id, page.version, balances)
    is_narrowed = wanted != search.EVERYTHING
    highest = max((one.token_balance for one in result.wallets), default=Decimal(0))
    return render(
        template,
        page=page,
        form=form,
        **values,
        result=result,
        total=search.count_wallets(page) if is_narrowed else result.total,
        figures=figures.Column.of(max(highest, public.standings.highest)),
        changes=changes,
        lines=draw_lines(changes, now),
        supply=public.details["supply"],
        sums=public.details["sums"],
        listed_count=public.wallet_count,
        headings=_make_headings(order),
        previous=_link_slice(result.number - 1, result.last),
        next=_link_slice(result.number + 1, result.last),
        tags=page_tags,
        wanted=wanted,
        is_narrowed=is_narrowed,
        search=list_search(),
        problem=find_problem(page.token_mint) if balances.uses_chain else None,
        read_at=list_read_at(Page.id == page.id).get(page.id) if balances.uses_chain else None,
    )


def list_search(**changed: str | None) -> dict[str, str]:
    """Return the address's arguments that filter and sort wallets, without empty ones."""
    given = {name: request.args.get(name) for name in ("q", "tag", "hidden", "sort", "page")}
    return {name: value for name, value in (given | changed).items() if value}


def read_filter(page_tags: list[Tag]) -> WalletFilter:
    """Return the address's filter. Raises NotFound for a tag that the page doesn't have."""
    tag_id = request.args.get("tag")
    tag = next((one for one in page_tags if one.id == tag_id), None)
    if tag_id and tag is None:
        raise NotFound(tag_id)
    wanted = request.args.get("hidden", "")
    return WalletFilter(
        request.args.get("q", "")[:200], tag, _HIDDEN.get(wanted), is_flagged=wanted == "flagged"
    )


def _make_headings(current: Order) -> dict[Column, dict[str, str | None]]:
    """Return, for each column that sorts the list, how it's sorted now and a link that sorts it."""
    headings: dict[Column, dict[str, str | None]] = {}
    for column, descends_first in _DESCENDS_FIRST.items():
        is_current = column == current.column
        descends = not current.is_descending if is_current else descends_first
        sort = _SORT_BY_ORDER[Order(column, descends)]
        href = f"?{urlencode(list_search(sort=sort, page=None))}"
        direction = "descending" if current.is_descending else "ascending"
        headings[column] = {"href": href, "sorted": direction if is_current else None}
    return headings


def _link_slice(number: int, last: int) -> str | None:
    return f"?{urlencode(list_search(page=str(number)))}" if 1 <= number <= last else None
