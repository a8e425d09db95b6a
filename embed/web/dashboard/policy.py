"""The page's rules: its policy, which refuses, approves or lets wait, and its deny list."""

import math
from functools import partial
from typing import Any

from flask import redirect, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import BooleanField, FloatField, IntegerField, SelectField, StringField
from wtforms.validators import InputRequired

from embed import pages
from embed.db.models import Page
from embed.domain import amounts
from embed.domain.policy import Policy
from embed.errors import InvalidInput, NotFound
from embed.submissions import deny_list, policy_simulation, queries
from embed.wallets import search
from embed.web.current import runtime
from embed.web.dashboard.access import current_client, current_person, open_page
from embed.web.dashboard.blueprint import blueprint
from embed.web.dashboard.deny_list import BlockForm, is_own, make_block_form, read_lists
from embed.web.dashboard.deny_list import add_block as add_from_form
from embed.web.dashboard.filters import UNITS, split_span
from embed.web.dashboard.responses import Form, advise_on_mint, redirect_to, render, show_mistakes
from embed.web.languages import gettext, lazy_gettext

# Labels by value; the type stubs of WTForms do not support this form.
_WATCHES: Any = {
    "leave": lazy_gettext("Leave them on the list"),
    "flag": lazy_gettext("Flag them for me"),
    "hide": lazy_gettext("Hide them until they hold it again"),
}
_UNITS: Any = {
    "days": lazy_gettext("days"),
    "hours": lazy_gettext("hours"),
    "minutes": lazy_gettext("minutes"),
    "seconds": lazy_gettext("seconds"),
}

LIST = "deny-list"  # the part of the page


class PolicyForm(Form):
    auto_approve = BooleanField(
        lazy_gettext("Approve everything at once"),
        description=lazy_gettext("Wallets appear on the page without waiting for you."),
    )
    min_balance = StringField(
        lazy_gettext("Minimum balance"),
        [InputRequired()],
        description=lazy_gettext(
            "How many whole tokens a wallet must hold to be submitted. 0: no minimum."
        ),
    )
    queue_capacity = IntegerField(
        lazy_gettext("Places in the queue"),
        [InputRequired()],
        description=lazy_gettext(
            "How many submissions can wait for you at a time. More are turned away."
        ),
    )
    cooldown = FloatField(
        lazy_gettext("Cooldown"),
        [InputRequired()],
        description=lazy_gettext(
            "How long a wallet that you rejected cannot be submitted again. 0: no wait."
        ),
    )
    cooldown_unit = SelectField(lazy_gettext("Unit of the cooldown"), choices=_UNITS)
    trust_after = IntegerField(
        lazy_gettext("Approvals that earn trust"),
        [InputRequired()],
        description=lazy_gettext(
            "After you have approved this many submissions of a wallet or visitor, and rejected"
            " none since, their next ones are approved at once. 0: everybody waits."
        ),
    )
    holding_watch = SelectField(
        lazy_gettext("Visitors' wallets that fall below the minimum"),
        choices=_WATCHES,
        description=lazy_gettext(
            "Takes effect after two readings in a row, and never for wallets that you added"
            " yourself. No wallet is ever removed."
        ),
    )


@blueprint.route("/pages/<page_id>/settings/rules", methods=["GET", "POST"])
def edit_policy(page_id: str) -> ResponseReturnValue:
    """Save another policy, or preview what it would have decided."""
    page = open_page(page_id)
    form = _fill_form(page)
    if not form.validate_on_submit():
        return _render(page, form)
    with show_mistakes(form, cooldown_s="cooldown"):
        fields = _read(form)
        if "preview" in request.form:
            return _preview(page, form, pages.read_policy(Page(**pages.parse_fields(fields))))
        pages.update_page(page.id, fields, runtime().clock(), actor=current_person().email)
        return redirect_to("edit_policy", gettext("Saved."), page)
    return _render(page, form)


def _preview(page: Page, form: PolicyForm, rules: Policy) -> ResponseReturnValue:
    uses_chain = runtime().settings.uses_chain
    return _render(page, form, policy_simulation.simulate(page, rules, uses_chain=uses_chain))


def _fill_form(page: Page, **options: Any) -> PolicyForm:
    number, unit = split_span(page.cooldown_s)
    form = PolicyForm(
        auto_approve=page.auto_approve,
        min_balance=amounts.format_amount(page.min_balance),
        queue_capacity=page.queue_capacity,
        cooldown=number,
        cooldown_unit=unit,
        trust_after=page.trust_after,
        holding_watch=page.holding_watch,
        **options,
    )
    if not runtime().settings.uses_chain:
        advice = gettext(
            "Balances are not read from the chain here (SOLANA_RPC_URL is not set): only what you"
            " have entered counts, and wallets for which you have entered nothing are turned away."
        )
        form.min_balance.description = f"{form.min_balance.description} {advice}"
    return form


def _read(form: PolicyForm) -> dict[str, Any]:
    """Return the fields by the names in pages.py. Raises InvalidInput."""
    cooldown_s = (form.cooldown.data or 0.0) * UNITS[form.cooldown_unit.data]
    if not math.isfinite(cooldown_s):
        raise InvalidInput("The cooldown must be a number.", field="cooldown")
    return {
        "auto_approve": form.auto_approve.data,
        "min_balance": form.min_balance.data,
        "queue_capacity": form.queue_capacity.data,
        "cooldown_s": round(cooldown_s),
        "trust_after": form.trust_after.data,
        "holding_watch": form.holding_watch.data,
    }


def _render(
    page: Page,
    form: PolicyForm,
    outcomes: list[policy_simulation.SimulatedDecision] | None = None,
    block_form: BlockForm | None = None,
) -> ResponseReturnValue:
    """Render the tab; `block_form` is one that was sent with mistakes."""
    return render(
        "settings_rules.html",
        page=page,
        form=form,
        rules=pages.read_policy(page),
        waiting=queries.count_waiting(page),
        count_flagged=partial(search.count_wallets, page, search.WalletFilter(is_flagged=True)),
        outcomes=outcomes,
        mint_advice=advise_on_mint(page.token_mint),
        differing=[one for one in outcomes or [] if one.differs],
        block_form=block_form or make_block_form(page, formdata=None),
        status=422 if form.errors or block_form else 200,
        **read_lists(page),
    )


@blueprint.get("/pages/<page_id>/deny-list")
def list_blocks(page_id: str) -> ResponseReturnValue:
    """Lead to the list from where it was; the role for this route is who may read it."""
    return redirect(url_for("dashboard.edit_policy", page_id=open_page(page_id).id, _anchor=LIST))


@blueprint.post("/pages/<page_id>/settings/rules/deny-list")
def add_block(page_id: str) -> ResponseReturnValue:
    page = open_page(page_id)
    form = make_block_form(page)
    if form.validate():
        with show_mistakes(form):
            block = add_from_form(page, form)
            said = gettext("%(pattern)s is blocked.", pattern=block.pattern)
            return redirect_to("edit_policy", said, page, _anchor=LIST)
    return _render(page, _fill_form(page, formdata=None), block_form=form)


@blueprint.post("/pages/<page_id>/settings/rules/deny-list/<block_id>/remove")
def remove_block(page_id: str, block_id: str) -> ResponseReturnValue:
    page, person = open_page(page_id), current_person()
    block = deny_list.get_block(block_id)
    if block.page_id != page.id and not (is_own(page) and block.person_id == person.id):
        raise NotFound(block.id)
    deny_list.remove_block(block.id, runtime().clock(), actor=person.email, client=current_client())
    said = gettext("%(pattern)s is no longer blocked.", pattern=block.pattern)
    return redirect_to("edit_policy", said, page, _anchor=LIST)
