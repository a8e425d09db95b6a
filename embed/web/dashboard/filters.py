"""Template filters: outcomes, messages, amounts and durations as text for owners."""

from collections.abc import Iterable
from datetime import timedelta
from decimal import Decimal

from embed.db.models import Activity, ApiKey
from embed.domain import amounts
from embed.domain.activity import VERB_BY_ACTION, read_facts, write_subject
from embed.domain.origins import parse_allowlist_entry
from embed.web.dashboard.blueprint import blueprint

# Every status of a submission, and every reason of a rejection (docs/api.md, List own submissions).
OUTCOMES = {
    "pending": "waiting",
    "approved": "approved",
    "auto_approved": "approved by policy",
    "rejected": "rejected",
    "soft_rejected": "turned away",
    "manual": "by you",
    "rate_limited": "too many submissions from one visitor",
    "queue_full": "the queue was full",
    "duplicate": "already submitted",
    "ca_gate": "below the minimum balance",
    "cooldown": "rejected recently",
}

# Every type of message, and every state of its delivery.
MESSAGES = {
    "submission.created": "New submission",
    "submission.decided": "Decision on a submission",
    "submission.withdrawn": "Submission withdrawn by its wallet's holder",
    "wallet.flagged": "Wallet below the minimum balance",
    "queue.filling": "Queue filling up",
    "test": "Test",
}
STATES = {"waiting": "waiting", "delivered": "delivered", "given_up": "given up"}

UNITS = {"days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}


@blueprint.app_template_filter("outcome")
def describe_outcome(code: str) -> str:
    return OUTCOMES.get(code, code)


@blueprint.app_template_filter("action")
def describe_action(entry: Activity) -> str:
    return VERB_BY_ACTION.get(entry.action, entry.action)


@blueprint.app_template_filter("subject")
def describe_subject(entry: Activity) -> str:
    return write_subject(entry.action, read_facts(entry.data))


@blueprint.app_template_filter("message")
def describe_message(message_type: str) -> str:
    return MESSAGES.get(message_type, message_type)


@blueprint.app_template_filter("delivery_state")
def describe_state(state: str) -> str:
    return STATES[state]


@blueprint.app_template_filter("tokens")
def format_amount(amount: Decimal) -> str:
    """Return whole tokens with separators and all decimals, such as ``1,500`` or ``0.25``."""
    whole, point, decimals = amounts.format_amount(amount).partition(".")
    return f"{int(whole):,}{point}{decimals}"


@blueprint.app_template_filter("rounded_tokens")
def round_tokens(amount: Decimal) -> str:
    """Return whole tokens with two decimals, such as ``1,500.00``, or ``< 0.01``."""
    smallest = Decimal("0.01")
    return "< 0.01" if 0 < amount < smallest else f"{amount:,.2f}"


@blueprint.app_template_filter("rounded_change")
def round_change(change: Decimal) -> str:
    """Return whole tokens with a sign and two decimals, such as ``-0.25`` or ``+1,500.00``."""
    return f"{change:+,.2f}" if change else "0"


@blueprint.app_template_filter("share_of")
def format_share_of(amount: Decimal, supply: Decimal) -> str:
    """Return which part of the supply an amount is, with one decimal: ``2.9 %``, ``< 0.1 %``."""
    return format_share(amounts.find_share(amount, supply) or Decimal(0))


@blueprint.app_template_filter("percent")
def format_share(share: Decimal) -> str:
    return "< 0.1 %" if 0 < share < Decimal("0.001") else f"{share:,.1%}".replace("%", " %")


@blueprint.app_template_filter("signed_tokens")
def format_change(change: Decimal) -> str:
    """Return whole tokens with a sign, such as ``+1,500`` or ``-0.25``; ``0`` has none."""
    if change < 0:
        return f"-{format_amount(change.copy_abs())}"
    return f"+{format_amount(change)}" if change else "0"


@blueprint.app_template_filter("span")
def format_span(span: timedelta) -> str:
    """Return a duration in its largest whole unit, such as ``36 hours``."""
    number, unit = split_span(int(span.total_seconds()))
    return f"{number:,} {unit.removesuffix('s') if number == 1 else unit}"


def split_span(span_s: int) -> tuple[int, str]:
    """Return the duration as a whole number of its largest possible unit."""
    unit = next(unit for unit, size_s in UNITS.items() if span_s % size_s == 0)
    return span_s // UNITS[unit], unit


@blueprint.app_template_filter("key_name")
def name_key(key: ApiKey) -> str:
    """Return the name of a key in a sentence for its owner."""
    return f"{key.label} ({key.display_prefix}…)" if key.label else f"{key.display_prefix}…"


def explain_changes(raw_origins: Iterable[str]) -> list[str]:
    """Return a sentence for each site that is stored in another form than it was typed.

    The sites were accepted before.
    """
    origins = {raw: parse_allowlist_entry(raw) for raw in raw_origins}
    return [f"{raw} is kept as {origin}." for raw, origin in origins.items() if raw != origin]
