"""What happened with the signed-in person's account."""

from flask import request
from flask.typing import ResponseReturnValue

from embed.db.models import AccountEvent
from embed.db.pagination import Cursor
from embed.domain.account_events import write_sentence
from embed.domain.activity import read_facts
from embed.domain.clients import Client
from embed.events import account_log
from embed.web.dashboard.blueprint import blueprint
from embed.web.dashboard.current_person import current_person
from embed.web.dashboard.filters import describe_actor
from embed.web.dashboard.responses import render
from embed.web.languages import gettext

SLICE_SIZE = 50


@blueprint.get("/account/log")
def show_account_log() -> ResponseReturnValue:
    after = Cursor.parse(request.args.get("after"))
    log = account_log.list_events(current_person(), SLICE_SIZE, after)
    return render("account_log.html", after=after, log=log)


@blueprint.app_template_filter("account_sentence")
def describe_event(event: AccountEvent) -> str:
    facts = read_facts(event.data)
    if "actor" in facts:
        facts["actor"] = describe_actor(facts["actor"])
    return write_sentence(event.kind, facts, gettext)


@blueprint.app_template_filter("event_client")
def read_client(event: AccountEvent) -> Client | None:
    """Return the browser and the system from which it was done; None if neither is known."""
    facts = read_facts(event.data)
    named = {name: facts[name] for name in ("browser", "system") if name in facts}
    return Client(**named) if named else None
