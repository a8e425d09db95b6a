"""A person's pages, what needs attention on them, and restoring one."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from flask import redirect, url_for
from flask.typing import ResponseReturnValue
from wtforms import BooleanField, StringField, TextAreaField
from wtforms.validators import InputRequired, Length, Optional

from embed import pages
from embed.balances.due import list_read_at
from embed.balances.tokens import list_problems
from embed.db.models import Page, Person
from embed.db.work_status import read_work_status
from embed.domain.roles import NAME_BY_ROLE, OWNER
from embed.keys.refused_origins import list_lately_refused
from embed.notifications.delivery_log import count_given_up, list_failing
from embed.pages import OwnPage
from embed.wallets.search import sum_by_page
from embed.web.current import runtime
from embed.web.dashboard.access import current_change, current_person
from embed.web.dashboard.responses import (
    AddressField,
    Form,
    advise_on_mint,
    list_own_pages,
    name_page,
    redirect_to,
    render,
)
from embed.web.dashboard.routes import PERSON, may, page_route, route
from embed.web.languages import gettext, lazy_gettext

REFUSED_WITHIN = timedelta(days=7)
MAX_NEEDS = 5  # shown at first; the others are one press away


class PageForm(Form):
    token_name = StringField(lazy_gettext("Token name"), [InputRequired(), Length(max=100)])
    token_symbol = StringField(
        lazy_gettext("Ticker"),
        [InputRequired(), Length(max=20)],
        description=lazy_gettext("Without the $ sign."),
    )
    token_mint = AddressField(
        lazy_gettext("Mint address"),
        [InputRequired()],
        description=lazy_gettext("Base58, 32 to 44 characters."),
    )
    public_title = StringField(lazy_gettext("Title"), [Optional(), Length(max=200)])
    public_comments = TextAreaField(lazy_gettext("Comment"), [Optional(), Length(max=2000)])
    is_embeddable = BooleanField(
        lazy_gettext("Shown on sites"),
        default=True,
        description=lazy_gettext("When this is off, sites show a notice instead of the list."),
    )

    @property
    def advice(self) -> str:
        return advise_on_mint(self.token_mint.data)


class Need(NamedTuple):
    """Something that someone has to do; the template has a sentence for each kind."""

    kind: str
    page: Page | None  # None for the whole installation
    facts: Any


@route("/", needs=PERSON, help="owners#activity")
def list_pages() -> ResponseReturnValue:
    person, now = current_person(), runtime().clock()
    own_pages = list_own_pages()
    balances = runtime().balances
    deleted = pages.list_of_owner(person, Page.deleted_at.is_null(False))
    return render(
        "pages.html",
        own_pages=own_pages,
        needs=list(_list_needs(person, own_pages, now)),
        max_needs=MAX_NEEDS,
        role_names={role: gettext(name) for role, name in NAME_BY_ROLE.items()},
        wallet_counts=pages.count_tracked_wallets([one.page for one in own_pages]),
        totals=sum_by_page([one.page for one in own_pages], balances),
        read_at=list_read_at(pages.is_page_of(person)) if balances.uses_chain else {},
        restore_within=pages.RESTORE_WITHIN,
        deleted=[one for one in deleted if pages.can_be_restored(one, now)],
    )


def _list_needs(person: Person, own_pages: list[OwnPage], now: datetime) -> Iterator[Need]:
    """Yield what visitors wait for, then what's broken for everyone, then possible improvements.

    People only see what their role can change.
    """
    for one in own_pages:
        if one.waiting and may("decide", one.role):
            yield Need("waiting", one.page, one)
    live = [one.page for one in own_pages if one.role == OWNER]
    if live:
        yield from _list_broken_work(now)
    problems = list_problems(person) if runtime().balances.uses_chain else {}
    for page in live:
        if page.token_mint in problems:
            yield Need("problem", page, problems[page.token_mint])
    given_up, failing = count_given_up(Page.owner == person), list_failing(person)
    for page in live:
        if page.id in given_up or page.id in failing:
            yield Need("undelivered", page, (given_up.get(page.id, 0), failing.get(page.id)))
    refused = list_lately_refused(person, now - REFUSED_WITHIN)
    for page in live:
        if page.id in refused:
            yield Need("refused", page, refused[page.id])
    for page in live:
        if not (page.is_public and page.is_embeddable):
            yield Need("closed", page, None)
    keys = pages.count_live_keys(person)
    for page in live:
        if page.id not in keys:
            yield Need("no_key", page, None)


def _list_broken_work(now: datetime) -> Iterator[Need]:
    work = read_work_status(now)
    if not work.is_working:
        yield Need("background", None, None)
    for job in work.jobs:
        if job.name == "balances" and job.failure and runtime().balances.uses_chain:
            yield Need("balances", None, job)


@page_route("/", needs="viewer")
def show_page(page: Page) -> ResponseReturnValue:
    return redirect(url_for("dashboard.show_queue", page_id=page.id))


@page_route("/restore", methods=["POST"], needs="owner", opens_deleted=True)
def restore_page(page: Page) -> ResponseReturnValue:
    pages.restore_page(page.id, current_change())
    return redirect_to("list_pages", gettext("%(name)s has been restored.", name=name_page(page)))


def read_page_form(form: PageForm) -> dict[str, Any]:
    return {name: value for name, value in form.data.items() if name != "csrf_token"}
