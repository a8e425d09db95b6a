"""The page's policy: which submissions are refused, pending or approved."""

import math
from functools import partial
from typing import Any

from flask import request
from flask.typing import ResponseReturnValue
from wtforms import BooleanField, FloatField, IntegerField, SelectField, StringField
from wtforms.validators import InputRequired

from embed import pages
from embed.db.models import Page
from embed.domain import amounts
from embed.domain.policy import Policy
from embed.errors import InvalidInput
from embed.submissions import policy_simulation, queries
from embed.wallets import search
from embed.web.current import runtime
from embed.web.dashboard.access import current_person, open_page
from embed.web.dashboard.blueprint import blueprint
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


@blueprint.route("/pages/<page_id>/policy", methods=["GET", "POST"])
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


def _fill_form(page: Page) -> PolicyForm:
    number, unit = split_span(page.cooldown_s)
    form = PolicyForm(
        auto_approve=page.auto_approve,
        min_balance=amounts.format_amount(page.min_balance),
        queue_capacity=page.queue_capacity,
        cooldown=number,
        cooldown_unit=unit,
        trust_after=page.trust_after,
        holding_watch=page.holding_watch,
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
) -> ResponseReturnValue:
    return render(
        "policy.html",
        page=page,
        form=form,
        rules=pages.read_policy(page),
        waiting=queries.count_waiting(page),
        count_flagged=partial(search.count_wallets, page, search.WalletFilter(is_flagged=True)),
        outcomes=outcomes,
        mint_advice=advise_on_mint(page.token_mint),
        differing=[one for one in outcomes or [] if one.differs],
    )
