"""The page's wallets: add one or the largest holders, edit, remove, and bulk actions."""

from decimal import Decimal
from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue
from limits import parse
from wtforms import BooleanField, StringField
from wtforms.validators import InputRequired, Length, Optional

from embed.balances.known import find_chain_balance
from embed.balances.token_accounts import NOBODY_TO_ASK
from embed.db.models import Page
from embed.domain.amounts import format_amount, parse_amount
from embed.errors import InvalidInput
from embed.wallets import bulk, search, suggestions, tags, tracking
from embed.wallets.bulk import BULK_ACTIONS, BulkAction
from embed.wallets.suggestions import Suggestion
from embed.web import figures, rate_limits
from embed.web.current import runtime
from embed.web.dashboard.access import current_change, current_person, get_own_tag, get_own_wallet
from embed.web.dashboard.responses import (
    AddressField,
    Checkboxes,
    Form,
    redirect_to,
    render,
    show_mistakes,
    write_mistake,
)
from embed.web.dashboard.routes import FORM, page_route
from embed.web.dashboard.wallet_list import list_search, read_filter
from embed.web.languages import format_number, gettext, lazy_gettext, ngettext

HELP = "owners#wallets"
LOOK_UPS_PER_PERSON = parse("10/minute")


class WalletForm(Form):
    """The fields that an owner may set; the address only when adding a wallet."""

    address = AddressField(
        lazy_gettext("Address"), [InputRequired(lazy_gettext("Enter the wallet's address."))]
    )
    alias = StringField(
        lazy_gettext("Name"),
        [Optional(), Length(max=100)],
        description=lazy_gettext("Shown next to the address."),
    )
    tag_names = Checkboxes(
        lazy_gettext("Tags"),
        [Optional()],
    )
    is_hidden = BooleanField(
        lazy_gettext("Hidden"),
        description=lazy_gettext("Not on the public list; visitors don't see it."),
    )
    balance = StringField(
        lazy_gettext("Balance"),
        [Optional()],
        description=lazy_gettext("In whole tokens. All your pages for this token share it."),
    )

    def __init__(self, page: Page, **values: Any) -> None:
        super().__init__(**values)
        names: Any = [tag.name for tag in tags.list_tags(page)]
        self.tag_names.choices = names
        if runtime().balances.uses_chain:
            self.balance.description = gettext(
                "In whole tokens. Used until the balance is first read from the chain."
            )


@page_route("/wallets/new", methods=FORM, needs="editor", help=HELP, keeps_text=True)
def add_wallet(page: Page) -> ResponseReturnValue:
    form = WalletForm(page)
    if form.validate_on_submit():
        with show_mistakes(form):
            added = tracking.add_wallet(
                page.id, form.address.data or "", _read_changes(form), current_change()
            )
            return redirect_to(
                "list_wallets",
                gettext("%(name)s has been added.", name=added.public_alias or added.address),
                page,
            )
    return render("wallet_form.html", page=page, form=form)


@page_route("/wallets/<wallet_id>", methods=FORM, needs="editor", help=HELP, keeps_text=True)
def edit_wallet(page: Page, wallet_id: str) -> ResponseReturnValue:
    own = get_own_wallet(page, wallet_id)
    balances = runtime().balances
    wallet = tracking.get_tracked(own.id, balances)
    form = WalletForm(
        page,
        alias=wallet.public_alias,
        tag_names=[tag.name for tag in wallet.tags],
        is_hidden=wallet.is_hidden,
        balance="" if wallet.known_balance is None else format_amount(wallet.known_balance),
    )
    del form.address
    observed = balances.uses_chain and find_chain_balance(page.token_mint, own.address)
    if observed:
        del form.balance
    if form.validate_on_submit():
        with show_mistakes(form):
            changes = _read_changes(form, shown_balance=wallet.known_balance)
            tracking.update_wallet(wallet.id, changes, current_change())
            return redirect_to("list_wallets", gettext("Saved."), page)
    return render("wallet_form.html", page=page, form=form, wallet=wallet, observed=observed)


def _read_changes(form: WalletForm, shown_balance: Decimal | None = None) -> tracking.WalletFields:
    """Return what to set; a balance equal to `shown_balance` isn't a new observation.

    Raises InvalidInput.
    """
    raw_balance = (form.balance and form.balance.data) or ""
    balance = parse_amount(raw_balance) if raw_balance.strip() else None
    return tracking.WalletFields(
        alias=form.alias.data or "",
        tag_names=form.tag_names.data or (),
        balance=None if balance == shown_balance else balance,
        is_hidden=bool(form.is_hidden.data),
    )


@page_route("/wallets/<wallet_id>/remove", methods=FORM, needs="editor", help=HELP)
def remove_wallet(page: Page, wallet_id: str) -> ResponseReturnValue:
    wallet = get_own_wallet(page, wallet_id)
    if request.method != "POST":
        return render("wallets_confirm.html", page=page, change="remove", wallet=wallet)
    tracking.remove_wallet(wallet.id, current_change())
    return redirect_to(
        "list_wallets",
        gettext("%(name)s has been removed.", name=wallet.public_alias or wallet.address),
        page,
    )


@page_route("/wallets/change", methods=["POST"], needs="editor", help=HELP)
def change_wallets(page: Page) -> ResponseReturnValue:
    """Apply an action to the selected wallets, or to all that match the address's filter.

    The latter asks for confirmation, and so does removing.
    """
    ids = request.form.getlist("wallet")
    matching = read_filter(tags.list_tags(page)) if "matching" in request.form else None
    action = next((one for one in BULK_ACTIONS if one == request.form.get("change")), None)
    if action is None:
        raise InvalidInput("Choose what to do with the wallets.")
    if matching is None and not ids:
        raise InvalidInput("Select at least one wallet first.")
    tag = None
    if action in ("tag", "untag"):
        if not request.form.get("tag"):
            raise InvalidInput("Choose a tag.")
        tag = get_own_tag(page, request.form["tag"])
    if (action == "remove" or matching is not None) and "sure" not in request.form:
        count = len(ids) if matching is None else search.count_wallets(page, matching)
        return render(
            "wallets_confirm.html",
            page=page,
            change=action,
            count=count,
            tag=tag,
            ids=ids if matching is None else (),
            matching=matching,
            is_narrowed=matching != search.EVERYTHING,
            search=list_search(),
        )
    count = bulk.change_wallets(
        page.id, ids if matching is None else matching, action, current_change(), tag=tag
    )
    return redirect_to("list_wallets", _tell(action, count), page, **list_search())


def _tell(action: BulkAction, count: int) -> str:
    sentences = {
        "hide": ngettext(
            "%(count)s wallet has been hidden.", "%(count)s wallets have been hidden.", count
        ),
        "show": ngettext(
            "%(count)s wallet is visible again.", "%(count)s wallets are visible again.", count
        ),
        "tag": ngettext(
            "%(count)s wallet has been tagged.", "%(count)s wallets have been tagged.", count
        ),
        "untag": ngettext(
            "The tag has been removed from %(count)s wallet.",
            "The tag has been removed from %(count)s wallets.",
            count,
        ),
        "remove": ngettext(
            "%(count)s wallet has been removed.", "%(count)s wallets have been removed.", count
        ),
    }
    return sentences[action] % {"count": format_number(count)}


@page_route("/wallets/suggestions", needs="editor", help="owners#largest-holders")
def show_suggestions(page: Page) -> ResponseReturnValue:
    """Show the page without a lookup: links and reloads must not use up the RPC server's rate."""
    return _render_suggestions(
        page, problem=gettext(NOBODY_TO_ASK) if runtime().chain is None else None
    )


@page_route("/wallets/suggestions", methods=["POST"], needs="editor", help="owners#largest-holders")
def look_up_suggestions(page: Page) -> ResponseReturnValue:
    if rate_limits.find_wait("look_up", LOOK_UPS_PER_PERSON, current_person().id):
        return _render_suggestions(page, problem=gettext("Please wait a minute."), status=429)
    try:
        found = suggestions.suggest_wallets(page, runtime())
    except InvalidInput as mistake:
        return _render_suggestions(page, problem=write_mistake(mistake), status=422)
    return _render_suggestions(page, found)


@page_route(
    "/wallets/suggestions/add", methods=["POST"], needs="editor", help="owners#largest-holders"
)
def add_suggestions(page: Page) -> ResponseReturnValue:
    """Add the ticked addresses; nothing else in the form counts."""
    ticked = request.form.getlist("address")
    if not ticked:
        raise InvalidInput("Select at least one wallet first.")
    added = suggestions.add_suggested(page.id, ticked, current_change())
    sentence = ngettext(
        "%(count)s wallet has been added.", "%(count)s wallets have been added.", added
    )
    return redirect_to("list_wallets", sentence % {"count": format_number(added)}, page)


def _render_suggestions(
    page: Page,
    found: list[Suggestion] | None = None,
    *,
    problem: str | None = None,
    status: int = 200,
) -> Response:
    """Render the page; `found` is None before the lookup."""
    highest = max((one.balance for one in found or ()), default=Decimal(0))
    return render(
        "wallets_suggested.html",
        page=page,
        found=found,
        figures=figures.Column.of(highest),
        problem=problem,
        status=status,
    )
