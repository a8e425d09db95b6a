"""Template filters: outcomes, messages, amounts and durations as text for owners."""

import math
from collections import Counter
from datetime import timedelta
from functools import lru_cache
from typing import Any

from babel import Locale
from babel.dates import format_timedelta
from markupsafe import Markup

from embed.db.models import STATUSES, Activity, ApiKey, Session
from embed.domain.addresses import shorten_address
from embed.domain.clients import Client
from embed.domain.texts import gettext_noop
from embed.events.kinds import FACTS_BY_ACTION, write_subject
from embed.web.dashboard.routes import blueprint
from embed.web.languages import current_locale, gettext, lazy_gettext

# Every status of a submission, and every reason of a rejection (docs/api.md, List own submissions).
OUTCOMES = {
    "pending": gettext_noop("waiting"),
    "approved": gettext_noop("approved"),
    "auto_approved": gettext_noop("approved automatically"),
    "rejected": gettext_noop("rejected"),
    "soft_rejected": gettext_noop("refused"),
    "manual": gettext_noop("by the deny list"),
    "rate_limited": gettext_noop("too many submissions from one visitor"),
    "queue_full": gettext_noop("the queue was full"),
    "duplicate": gettext_noop("already submitted"),
    "ca_gate": gettext_noop("below the minimum balance"),
    "cooldown": gettext_noop("rejected recently"),
}

# Every type of message, and every state of its delivery.
MESSAGES = {
    "submission.created": lazy_gettext("New submission"),
    "submission.decided": lazy_gettext("Decision on a submission"),
    "submission.withdrawn": lazy_gettext("Submission withdrawn by the wallet's holder"),
    "wallet.flagged": lazy_gettext("Wallet below the minimum balance"),
    "queue.filling": lazy_gettext("Queue almost full"),
    "test": lazy_gettext("Test"),
}
STATES = {
    "waiting": lazy_gettext("waiting"),
    "delivered": lazy_gettext("delivered"),
    "given_up": lazy_gettext("failed"),
}

# By the status of a submission, the state of a delivery, or the kind of an account's event: the
# class of its color.
TONES = {
    "approved": "good",
    "auto_approved": "good",
    "delivered": "good",
    "pending": "warn",
    "waiting": "warn",
    "rejected": "bad",
    "given_up": "bad",
    "sign-in failed": "bad",
    "confirmation failed": "bad",
    "passkey refused": "bad",
}

# Those who change a page but have no account.
ACTORS = {
    "command line": lazy_gettext("command line"),
    "visitor": lazy_gettext("visitor"),
    "holding watch": lazy_gettext("balance check"),
}


UNITS = {"days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}


@blueprint.app_template_filter("outcome")
def describe_outcome(code: str) -> str:
    return gettext(OUTCOMES.get(code, code))


@blueprint.app_template_filter("tone")
def find_tone(outcome: str) -> str:
    return TONES.get(outcome, "")


@blueprint.app_template_filter("outcomes")
def describe_outcomes(counts: Counter[str]) -> str:
    """Return how many submissions had each outcome, such as ``2 approved, 1 rejected``."""
    named = (
        f"{counts[code]} {describe_outcome(code)}"
        for code in (*STATUSES[1:], "pending")
        if counts[code]
    )
    return ", ".join(named) or gettext("none")


@blueprint.app_template_filter("actor")
def describe_actor(actor: str) -> str:
    kind, _, target = actor.partition(" ")
    if kind == "channel":  # no email address has a space
        return gettext("channel %(target)s", target=target)
    return str(ACTORS.get(actor, actor))


@blueprint.app_template_filter("sentence")
def find_sentence(entry: Activity) -> str:
    """Return a log entry's sentence, untranslated, with placeholders for its values."""
    kind = FACTS_BY_ACTION.get(entry.action)
    return kind.sentences[entry.action] if kind else "%(actor)s %(action)s %(subject)s"


@blueprint.app_template_filter("subject")
def describe_subject(entry: Activity) -> Markup:
    """Return what a log entry is about, with shortened addresses; its title has the whole ones."""
    addresses: list[str] = []

    def shorten(address: str) -> str:
        addresses.append(address)
        return shorten_address(address)

    text = write_subject(entry.action, entry.data, gettext, shorten)
    title = Markup(' title="{}"').format(" ".join(addresses)) if addresses else ""
    return Markup('<bdi translate="no"{}>{}</bdi>').format(title, text)


@blueprint.app_template_filter("message")
def describe_message(message_type: str) -> str:
    return str(MESSAGES.get(message_type, message_type))


@blueprint.app_template_filter("delivery_state")
def describe_state(state: str) -> str:
    return str(STATES[state])


@blueprint.app_template_filter("span")
def format_span(span: timedelta) -> str:
    """Return a duration in its largest whole unit, such as ``36 hours``."""
    return _format_span(span, current_locale())


@lru_cache(maxsize=1_000)  # most lines of a list have the same; Babel takes 30 us
def _format_span(span: timedelta, locale: Locale) -> str:
    _, unit = split_span(int(span.total_seconds()))
    granularity: Any = unit.removesuffix("s")
    return format_timedelta(span, granularity, threshold=math.inf, locale=locale)


def split_span(span_s: int) -> tuple[int, str]:
    """Return the duration as a whole number of its largest possible unit."""
    unit = next(unit for unit, size_s in UNITS.items() if span_s % size_s == 0)
    return span_s // UNITS[unit], unit


@blueprint.app_template_filter("key_name")
def name_key(key: ApiKey) -> str:
    """Return the name of a key in a sentence for its owner."""
    return f"{key.label} ({key.display_prefix}…)" if key.label else f"{key.display_prefix}…"


@blueprint.app_template_filter("browser_name")
def name_browser_of(one: Client | Session) -> str | None:
    """Return a browser and its system in words, as far as they are known; None if neither is."""
    if one.browser and one.system:
        return gettext("%(browser)s on %(system)s", browser=one.browser, system=one.system)
    return one.browser or one.system
