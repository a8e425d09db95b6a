"""The page's wallets: the list, one by one, and many at once."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from flask import request, url_for
from flask.typing import ResponseReturnValue
from wtforms import BooleanField, SelectMultipleField, StringField, SubmitField
from wtforms.validators import InputRequired, Length, Optional
from wtforms.widgets import CheckboxInput, ListWidget

from embed.db.models import Page, Tag
from embed.domain.amounts import format_amount, parse_amount
from embed.errors import InvalidInput, NotFound
from embed.wallets import bulk, search, tags, tracking
from embed.wallets.bulk import BULK_ACTIONS
from embed.wallets.search import SearchResult, WalletFilter
from embed.web.current import runtime
from embed.web.dashboard.blueprint import blueprint
from embed.web.dashboard.current_owner import (
    current_owner,
    get_own_page,
    get_own_tag,
    get_own_wallet,
)
from embed.web.dashboard.responses import Form, add_error, redirect_with_message, render

_HIDDEN = {"yes": True, "no": False}
_DONE = {
    "hide": "hidden",
    "show": "shown",
    "tag": "tagged",
    "untag": "without the tag",
    "remove": "removed",
}


class WalletForm(Form):
    """What an owner may set; the address is asked for only when a wallet is added."""

    address = StringField("Address", [InputRequired("Which wallet?"), Length(max=60)])
    alias = StringField(
        "Name", [Optional(), Length(max=100)], description="Shown instead of the bare address."
    )
    tag_names = SelectMultipleField(
        "Tags",
        [Optional()],
        widget=ListWidget(prefix_label=False),
        option_widget=CheckboxInput(),
    )
    is_hidden = BooleanField("Hidden", description="Off the public list; only you see it.")
    balance = StringField(
        "Balance",
        [Optional()],
        description="In whole tokens. Every page of this token shares it.",
    )
    submit = SubmitField("Save")

    def __init__(self, page: Page, **values: Any) -> None:
        super().__init__(**values)
        names: Any = [tag.name for tag in tags.list_tags(page)]
        self.tag_names.choices = names


@dataclass(frozen=True, slots=True)
class Pager:
    number: int
    last: int
    previous: str | None
    next: str | None


@blueprint.get("/pages/<page_id>/wallets")
def list_wallets(page_id: str) -> ResponseReturnValue:
    page = get_own_page(page_id)
    known = tags.list_tags(page)
    wanted = _read_filter(known)
    number = request.args.get("page", 1, type=int)
    part = search.search_wallets(page, wanted, min(max(number, 1), 1_000_000))
    return render(
        "wallets.html",
        page=page,
        part=part,
        links=_make_pager(part),
        tags=known,
        wanted=wanted,
        search=_list_search(),
    )


def _read_filter(known: list[Tag]) -> WalletFilter:
    """Raises NotFound for a tag that the page has not."""
    tag_id = request.args.get("tag")
    tag = next((one for one in known if one.id == tag_id), None)
    if tag_id and tag is None:
        raise NotFound(tag_id)
    is_hidden = _HIDDEN.get(request.args.get("hidden", ""))
    return WalletFilter(request.args.get("q", "")[:200], tag, is_hidden)


def _list_search() -> dict[str, str]:
    """Return what is looked for, as the list's address says it."""
    return {
        name: request.args[name]
        for name in ("q", "tag", "hidden", "page")
        if request.args.get(name)
    }


def _make_pager(part: SearchResult) -> Pager:
    def link(to: int) -> str | None:
        return f"?{urlencode(_list_search() | {'page': str(to)})}" if 1 <= to <= part.last else None

    return Pager(part.number, part.last, link(part.number - 1), link(part.number + 1))


@blueprint.route("/pages/<page_id>/wallets/new", methods=["GET", "POST"])
def add_wallet(page_id: str) -> ResponseReturnValue:
    page = get_own_page(page_id)
    form = WalletForm(page)
    if form.validate_on_submit():
        try:
            added = tracking.add_wallet(
                page.id,
                (form.address.data or "").strip(),
                _read_changes(form),
                runtime().clock(),
                actor=current_owner().email,
            )
        except InvalidInput as mistake:
            add_error(form, mistake)
        else:
            return redirect_with_message(
                f"{added.public_alias or added.address} is tracked.", build_list_url(page)
            )
    return render("wallet_form.html", page=page, form=form, status=422 if form.errors else 200)


@blueprint.route("/pages/<page_id>/wallets/<wallet_id>", methods=["GET", "POST"])
def edit_wallet(page_id: str, wallet_id: str) -> ResponseReturnValue:
    page = get_own_page(page_id)
    wallet = tracking.get_tracked(page, get_own_wallet(page, wallet_id).id)
    form = WalletForm(
        page,
        alias=wallet.public_alias,
        tag_names=[tag.name for tag in wallet.tags],
        is_hidden=wallet.is_hidden,
        balance=format_amount(wallet.token_balance),
    )
    del form.address
    if form.validate_on_submit():
        try:
            changes = _read_changes(form, unless=wallet.token_balance)
            tracking.update_wallet(
                wallet.id, changes, runtime().clock(), actor=current_owner().email
            )
        except InvalidInput as mistake:
            add_error(form, mistake)
        else:
            return redirect_with_message("Saved.", build_list_url(page))
    status = 422 if form.errors else 200
    return render("wallet_form.html", page=page, form=form, wallet=wallet, status=status)


def _read_changes(form: WalletForm, unless: Decimal | None = None) -> tracking.WalletChanges:
    """Return what to set; a balance that is as it was is no new observation.

    Raises InvalidInput.
    """
    raw_balance = form.balance.data or ""
    balance = parse_amount(raw_balance) if raw_balance.strip() else None
    return tracking.WalletChanges(
        alias=form.alias.data or "",
        tag_names=form.tag_names.data or (),
        balance=None if balance == unless else balance,
        is_hidden=bool(form.is_hidden.data),
    )


@blueprint.route("/pages/<page_id>/wallets/<wallet_id>/remove", methods=["GET", "POST"])
def remove_wallet(page_id: str, wallet_id: str) -> ResponseReturnValue:
    page = get_own_page(page_id)
    wallet = get_own_wallet(page, wallet_id)
    if request.method == "GET":
        return render("wallets_remove.html", page=page, count=1, wallet=wallet, action=None)
    tracking.remove_wallet(wallet.id, runtime().clock(), actor=current_owner().email)
    return redirect_with_message(
        f"{wallet.public_alias or wallet.address} is removed.", build_list_url(page)
    )


@blueprint.post("/pages/<page_id>/wallets/change")
def change_wallets(page_id: str) -> ResponseReturnValue:
    """Do one thing to all that are ticked; removing asks once more."""
    page = get_own_page(page_id)
    ids = request.form.getlist("wallet")
    action = next((one for one in BULK_ACTIONS if one == request.form.get("change")), None)
    if action is None:
        raise InvalidInput("Choose what to do with the wallets.")
    if not ids:
        raise InvalidInput("Tick the wallets that you mean, and try again.")
    tag = None
    if action in ("tag", "untag"):
        if not request.form.get("tag"):
            raise InvalidInput("Choose a tag.")
        tag = get_own_tag(page, request.form["tag"])
    if action == "remove" and "sure" not in request.form:
        search: dict[str, Any] = {**_list_search()}
        url = url_for("dashboard.change_wallets", page_id=page.id, **search)
        return render("wallets_remove.html", page=page, count=len(ids), ids=ids, action=url)
    count = bulk.change_wallets(
        page.id,
        ids,
        action,
        tag=tag,
        now=runtime().clock(),
        actor=current_owner().email,
    )
    what = "wallet is" if count == 1 else "wallets are"
    return redirect_with_message(
        f"{count} {what} {_DONE[action]}.", build_list_url(page, **_list_search())
    )


def build_list_url(page: Page, /, **search: Any) -> str:
    return url_for("dashboard.list_wallets", page_id=page.id, **search)
