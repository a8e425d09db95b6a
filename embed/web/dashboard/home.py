"""A person's pages, and what needs somebody on any of them."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from flask.typing import ResponseReturnValue

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
from embed.web.dashboard.access import may
from embed.web.dashboard.blueprint import blueprint
from embed.web.dashboard.current_person import current_person
from embed.web.dashboard.responses import render
from embed.web.dashboard.shell import list_own_pages
from embed.web.languages import gettext

REFUSED_WITHIN = timedelta(days=7)
MAX_NEEDS = 5  # at first sight; the others are one press away


class Need(NamedTuple):
    """Something that somebody has to do; the template has a sentence for each kind."""

    kind: str
    page: Page | None  # None: the whole installation
    facts: Any


@blueprint.get("/")
def list_pages() -> ResponseReturnValue:
    person, now = current_person(), runtime().clock()
    own_pages = list_own_pages()
    wallet_counts = pages.count_tracked_wallets(person)
    uses_chain = runtime().settings.uses_chain
    return render(
        "pages.html",
        own_pages=own_pages,
        needs=list(_list_needs(person, own_pages, now, uses_chain=uses_chain)),
        max_needs=MAX_NEEDS,
        role_names={role: gettext(name) for role, name in NAME_BY_ROLE.items()},
        wallet_counts=wallet_counts,
        totals=sum_by_page(person, uses_chain=uses_chain),
        read_at=list_read_at(pages.is_page_of(person)) if uses_chain else {},
        deleted=[one for one in pages.list_of_owner(person) if pages.can_be_restored(one, now)],
    )


def _list_needs(
    person: Person, own_pages: list[OwnPage], now: datetime, *, uses_chain: bool
) -> Iterator[Need]:
    """Yield what visitors wait for first, then what works for nobody, then what could be better.

    Each person is told of what their role can change.
    """
    for one in own_pages:
        if one.waiting and may("decide", one.role):
            yield Need("waiting", one.page, one)
    live = [one.page for one in own_pages if one.role == OWNER]
    if live:
        yield from _list_broken_work(now, uses_chain=uses_chain)
    problems = list_problems(person) if uses_chain else {}
    for page in live:
        if page.token_mint in problems:
            yield Need("problem", page, problems[page.token_mint])
    given_up, failing = count_given_up(person), list_failing(person)
    for page in live:
        if page.id in given_up or page.id in failing:
            yield Need("undelivered", page, (given_up.get(page.id, 0), failing.get(page.id)))
    refused = list_lately_refused(person, now - REFUSED_WITHIN)
    for page in live:
        if page.id in refused:
            yield Need("refused", page, refused[page.id])
    keys = pages.count_live_keys(person)
    for page in live:
        if page.id not in keys:
            yield Need("no_key", page, None)


def _list_broken_work(now: datetime, *, uses_chain: bool) -> Iterator[Need]:
    work = read_work_status(now)
    if not work.is_working:
        yield Need("background", None, None)
    for job in work.jobs:
        if uses_chain and job.name == "balances" and job.failure:
            yield Need("balances", None, job)
