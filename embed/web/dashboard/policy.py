"""The page's rules: its policy, which refuses, approves or queues, and its deny list."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from flask import request
from flask.typing import ResponseReturnValue
from wtforms import FloatField, IntegerField, SelectField, StringField
from wtforms.validators import InputRequired

from embed import pages
from embed.db.models import Block, Page
from embed.domain import amounts
from embed.domain.deny_list import find_kind, parse_pattern
from embed.domain.policy import Policy
from embed.errors import InvalidInput, NotFound
from embed.submissions import deny_list
from embed.submissions.policy_simulation import SimulatedDecision, simulate
from embed.web.current import runtime
from embed.web.dashboard.access import current_change, current_person
from embed.web.dashboard.filters import UNITS, split_span
from embed.web.dashboard.responses import (
    Choices,
    Form,
    advise_on_mint,
    redirect_to,
    render,
    show_mistakes,
)
from embed.web.dashboard.routes import page_route
from embed.web.languages import gettext, lazy_gettext

_REVIEWS: Choices = {
    "": lazy_gettext("I review each one"),
    "y": lazy_gettext("it is listed at once"),
}
_WATCHES: Choices = {
    "leave": lazy_gettext("stays"),
    "flag": lazy_gettext("is flagged"),
    "hide": lazy_gettext("is hidden"),
}
_UNITS: Choices = {
    "days": (lazy_gettext("day"), lazy_gettext("days")),
    "hours": (lazy_gettext("hour"), lazy_gettext("hours")),
    "minutes": (lazy_gettext("minute"), lazy_gettext("minutes")),
    "seconds": (lazy_gettext("second"), lazy_gettext("seconds")),
}
_KINDS: Choices = {
    "wallet": lazy_gettext("Wallet"),
    "name": lazy_gettext("Name"),
    "network": lazy_gettext("Network"),
}
ALL_PAGES = "all"
_SCOPES: Choices = {
    "page": lazy_gettext("on this page"),
    ALL_PAGES: lazy_gettext("on all my pages"),
}

LIST = "deny-list"  # its section's anchor
MAX_DIFFERING = 5  # shown at first
_TAKEN = ("auto_approved", "pending")


class PolicyForm(Form):
    auto_approve = SelectField(lazy_gettext("Review"), choices=_REVIEWS)
    min_balance = StringField(lazy_gettext("Minimum balance"), [InputRequired()])
    queue_capacity = IntegerField(
        lazy_gettext("Queue size"),
        [InputRequired()],
        description=lazy_gettext(
            "When the queue is full, visitors are asked to come back later. With 0, nothing "
            "reaches you."
        ),
    )
    cooldown = FloatField(lazy_gettext("Cooldown"), [InputRequired()])
    cooldown_unit = SelectField(lazy_gettext("Unit of the cooldown"), choices=list(_UNITS))
    trust_after = IntegerField(
        lazy_gettext("Approvals needed for trust"),
        [InputRequired()],
        description=lazy_gettext(
            "Once you've approved this many submissions of a wallet or visitor, and rejected none"
            " since, their next ones are listed at once. With 0, never."
        ),
    )
    holding_watch = SelectField(
        lazy_gettext("When a visitor's wallet falls below the minimum, it"),
        choices=_WATCHES,
        description=lazy_gettext(
            "Takes effect after two balance checks in a row, and never for wallets you added "
            "yourself."
        ),
    )


class BlockForm(Form):
    pattern = StringField(
        lazy_gettext("Address, *name* or network"),
        [InputRequired(lazy_gettext("Enter what to block."))],
    )
    scope = SelectField(lazy_gettext("Where"), choices=_SCOPES)


class Recognized(NamedTuple):
    """What would be blocked, and the names on the page that it matches, which stay."""

    kind: str
    compared: int  # how many names
    names: list[str]


@page_route("/settings/rules", needs="viewer", help="owners#rules")
def show_policy(page: Page) -> ResponseReturnValue:
    return _render(page, _fill_form(page), _simulate(page, pages.read_policy(page)))


@page_route(
    "/settings/rules", methods=["POST"], needs="editor", help="owners#rules", keeps_text=True
)
def edit_policy(page: Page) -> ResponseReturnValue:
    """Save another policy, or preview what it would have decided."""
    form = _fill_form(page)
    if form.validate():
        with show_mistakes(form, cooldown_s="cooldown"):
            fields = _read(form)
            if "preview" in request.form:
                parsed = pages.parse_fields(fields)
                outcomes = _simulate(page, pages.read_policy(Page(**parsed)))
                changed = [name for name in parsed if parsed[name] != getattr(page, name)]
                return _render(page, form, outcomes, changed)
            pages.update_page(page.id, fields, current_change())
            return redirect_to("show_policy", gettext("Saved."), page)
    return _render(page, form)


def _simulate(page: Page, rules: Policy) -> list[SimulatedDecision]:
    return simulate(page, rules, runtime().balances)


def _fill_form(page: Page, **options: Any) -> PolicyForm:
    number, unit = split_span(page.cooldown_s)
    form = PolicyForm(
        auto_approve="y" if page.auto_approve else "",
        min_balance=amounts.format_amount(page.min_balance),
        queue_capacity=page.queue_capacity,
        cooldown=number,
        cooldown_unit=unit,
        trust_after=page.trust_after,
        holding_watch=page.holding_watch,
        **options,
    )
    is_many = form.cooldown.data != 1
    form.cooldown_unit.choices = [(unit, names[is_many]) for unit, names in _UNITS.items()]
    return form


def _read(form: PolicyForm) -> dict[str, Any]:
    """Return the fields by the names in pages.py. Raises InvalidInput."""
    cooldown_s = (form.cooldown.data or 0.0) * UNITS[form.cooldown_unit.data]
    if not math.isfinite(cooldown_s):
        raise InvalidInput("The cooldown must be a number.", field="cooldown")
    return {
        "auto_approve": form.auto_approve.data == "y",
        "min_balance": form.min_balance.data,
        "queue_capacity": form.queue_capacity.data,
        "cooldown_s": round(cooldown_s),
        "trust_after": form.trust_after.data,
        "holding_watch": form.holding_watch.data,
    }


def _render(
    page: Page,
    form: PolicyForm,
    outcomes: list[SimulatedDecision] | None = None,
    changed: Sequence[str] = (),
    *,
    block_form: BlockForm | None = None,
    recognized: Recognized | None = None,
) -> ResponseReturnValue:
    """Render the tab; `block_form` is one that was sent, with mistakes or for a preview."""
    before = Counter(one.before for one in outcomes or [])
    after = Counter(one.after for one in outcomes or [])
    met = {*before, *after}
    codes = [*(code for code in _TAKEN if code in met), *sorted(met - {*_TAKEN})]
    return render(
        "settings_rules.html",
        page=page,
        form=form,
        outcomes=outcomes,
        met=[(code, before[code], after[code]) for code in codes],
        changed=[form[name.removesuffix("_s")].label.text for name in changed],
        mint_advice=advise_on_mint(page.token_mint),
        differing=[one for one in outcomes or [] if one.differs],
        max_differing=MAX_DIFFERING,
        block_form=block_form or _make_block_form(page, formdata=None),
        recognized=recognized,
        status=422 if form.errors or (block_form and not recognized) else 200,
        kinds=_KINDS,
        of_page=deny_list.list_of_page(page),
        of_person=deny_list.list_of_person(page.owner) if _is_own(page) else None,
    )


@page_route(
    "/settings/rules/deny-list",
    methods=["POST"],
    needs="editor",
    help="owners#deny-list",
    keeps_text=True,
)
def add_block(page: Page) -> ResponseReturnValue:
    """Block something, or preview its kind and the names on the page that it would match."""
    form, recognized = _make_block_form(page), None
    is_empty = "preview" in request.form and not form.pattern.data  # only the scope was chosen
    if not is_empty and form.validate():
        with show_mistakes(form):
            if "preview" in request.form:
                pattern = form.pattern.data or ""
                kind = find_kind(pattern)
                listed = deny_list.find_listed(page, kind, parse_pattern(kind, pattern))
                recognized = Recognized(kind, *listed)
            else:
                block = _block(page, form)
                said = gettext("%(pattern)s is blocked.", pattern=block.pattern)
                return redirect_to("show_policy", said, page, _anchor=LIST)
    outcomes = _simulate(page, pages.read_policy(page))
    policy_form = _fill_form(page, formdata=None)
    block_form = None if is_empty else form
    return _render(page, policy_form, outcomes, block_form=block_form, recognized=recognized)


def _make_block_form(page: Page, **options: Any) -> BlockForm:
    form = BlockForm(**options)
    if not _is_own(page):
        del form.scope
    return form


def _is_own(page: Page) -> bool:
    return bool(page.owner_id == current_person().id)


def _block(page: Page, form: BlockForm) -> Block:
    """Block the form's pattern on the page, or on all of the owner's. Raises InvalidInput."""
    pattern, change = form.pattern.data or "", current_change()
    kind = find_kind(pattern)
    if form.scope is not None and form.scope.data == ALL_PAGES:
        return deny_list.block_for_person(current_person(), kind, pattern, change)
    return deny_list.block_on_page(page.id, kind, pattern, change)


@page_route("/settings/rules/deny-list/<block_id>/remove", methods=["POST"], needs="editor")
def remove_block(page: Page, block_id: str) -> ResponseReturnValue:
    person = current_person()
    block = deny_list.get_block(block_id)
    if block.page_id != page.id and not (_is_own(page) and block.person_id == person.id):
        raise NotFound(block.id)
    deny_list.remove_block(block.id, current_change())
    said = gettext("%(pattern)s is no longer blocked.", pattern=block.pattern)
    return redirect_to("show_policy", said, page, _anchor=LIST)
