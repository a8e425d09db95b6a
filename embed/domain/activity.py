"""The activity log in words: sentences are made of an entry's facts where they are shown."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

import msgspec

from embed.domain.addresses import is_address
from embed.domain.amounts import format_amount
from embed.domain.reasons import write_sentences

Action = Literal[
    "create page", "delete page", "restore page", "change page", "change look",
    "create key", "change label", "change origins", "revoke key",
    "add tag", "remove tag", "change tag",
    "add wallet", "change wallet", "remove wallet", "import wallets",
    "hide wallets", "show wallets", "tag wallets", "untag wallets", "remove wallets",
    "flag wallet", "unflag wallet",
    "add receiver", "remove receiver", "rotate secret",
    "approve submission", "reject submission", "undo decision",
    "withdraw submission", "erase wallet",
]  # fmt: skip

# Every action, as what somebody did.
VERB_BY_ACTION: Mapping[str, str] = {
    "create page": "created the page",
    "delete page": "deleted the page",
    "restore page": "restored the page",
    "change page": "changed the page:",
    "change look": "changed the look:",
    "create key": "created a key:",
    "change label": "changed the label of a key:",
    "change origins": "changed the sites of a key:",
    "revoke key": "revoked a key:",
    "add tag": "added the tag",
    "remove tag": "removed the tag",
    "change tag": "changed the tag",
    "add wallet": "added the wallet",
    "change wallet": "changed the wallet",
    "remove wallet": "removed the wallet",
    "import wallets": "imported wallets:",
    "hide wallets": "hid wallets:",
    "show wallets": "showed wallets:",
    "tag wallets": "added a tag to wallets:",
    "untag wallets": "removed a tag from wallets:",
    "remove wallets": "removed wallets:",
    "flag wallet": "flagged the wallet",
    "unflag wallet": "unflagged the wallet",
    "add receiver": "added the",
    "remove receiver": "removed the",
    "rotate secret": "created a new secret for the",
    "approve submission": "approved the submission of",
    "reject submission": "rejected the submission of",
    "undo decision": "undid the decision on",
    "withdraw submission": "withdrew the submission",
    "erase wallet": "erased a wallet",
}

# What the dashboard calls the fields of a page.
_PAGE_FIELDS = {
    "owner": "owner",
    "token_name": "token name",
    "token_symbol": "ticker",
    "token_mint": "mint address",
    "public_title": "title",
    "public_comments": "comment",
    "is_public": "public",
    "is_embeddable": "embedding",
    "auto_approve": "approve everything at once",
    "min_balance": "minimum balance",
    "queue_capacity": "places in the queue",
    "cooldown_s": "cooldown in seconds",
    "trust_after": "approvals that earn trust",
    "holding_watch": "holding watch",
}

# By whom the facts of an entry were erased, which were about a wallet.
_ERASED = {"holder": "withdrawn by the wallet's holder", "operator": "erased by the operator"}

_LONGEST_EXPONENT = 100  # many times an amount's

Facts = dict[str, Any]


def _read_number(text: str) -> Decimal:
    """Raises ValueError for a number that would fill the memory once it is written in full."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"{text} is no number.") from None
    if abs(number.adjusted()) > _LONGEST_EXPONENT:
        raise ValueError(f"{text} is no amount.")
    return number


_decode = msgspec.json.Decoder(Facts, float_hook=_read_number).decode
_encode = msgspec.json.Encoder(decimal_format="number").encode


def read_facts(data: str) -> Facts:
    """Return the facts of an entry or a message, which are stored as JSON, with exact amounts."""
    return _decode(data)


def find_address(facts: Mapping[str, Any]) -> str | None:
    """Return the address of the wallet that facts are about."""
    address = facts.get("walletAddress") or facts.get("address")
    return address if isinstance(address, str) and is_address(address) else None


def write_subject(action: str, facts: Facts, gettext: Callable[[str], str] = str) -> str:
    """Say what an action was done to; `gettext` translates what wallets' holders read."""
    if action in ("change page", "change look") and "text" not in facts:
        return ", ".join(f"{_PAGE_FIELDS.get(k, k)}: {_format(v)}" for k, v in facts.items())
    match facts:
        case {"text": text}:  # of an older version
            return f"{text}"
        case {"erasedBy": who}:
            return _ERASED.get(f"{who}", "")
        case {"tokenBalance": balance, "minBalance": least}:
            sentence = gettext("%(wallet)s: holds %(balance)s, the minimum is %(minimum)s")
            amounts = {"balance": _format(balance), "minimum": _format(least)}
            return sentence % {"wallet": _name_wallet(facts), **amounts}
        case {"address": _} | {"walletAddress": _}:
            return ": ".join(filter(None, (_name_wallet(facts), _write_reason(facts, gettext))))
        case {"displayPrefix": _}:
            return _name_key(facts)
        case {"name": _, "counted": bool(_)} | {"name": _, "previousName": _}:
            return _name_tag(facts)
        case {"tokenName": name} | {"name": name}:
            return f"{name}"
        case {"added": added, "changed": changed}:
            return f"{added} added, {changed} changed"
        case {"count": count}:
            return f"{count}, {facts['tagName']}" if facts.get("tagName") else f"{count}"
        case {"submissionId": submission_id, "createdAtIso": sent_at}:
            return f"{submission_id}, sent {sent_at}"
        case {"kind": kind, "target": target}:
            return f"{kind} {target}"
    return "and all that was kept of it" if action == "erase wallet" else ""


def _name_wallet(facts: Facts) -> str:
    name = facts.get("nickname") or facts.get("publicAlias")
    address = facts.get("walletAddress") or facts.get("address")
    return f"{name} ({address})" if name else f"{address}"


def _write_reason(facts: Facts, gettext: Callable[[str], str]) -> str:
    """Return why a submission was rejected; nothing of other facts."""
    sentence = write_sentences(gettext).get(f"{facts.get('reasonCode')}")
    return sentence or f"{facts.get('reasonText') or ''}"


def _name_tag(facts: Facts) -> str:
    name, previous = facts["name"], facts.get("previousName")
    sentence = f"{name}" if previous in (None, name) else f"{previous}, now {name}"
    if "counted" in facts:
        sentence += ", counted in the sums" if facts["counted"] else ", not counted in the sums"
    return sentence


def _name_key(facts: Facts) -> str:
    label, key = facts.get("label"), f"{facts.get('tier')} {facts['displayPrefix']}"
    previous = facts.get("previousLabel", label)
    name = f"{previous} ({key})" if previous else key
    return f"{name}, now {label or 'without a label'}" if "previousLabel" in facts else name


def _format(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if value is None:
        return "none"
    return format_amount(value) if isinstance(value, Decimal) else str(value)


# Entries of databases and page files of versions up to 0.5.0 have sentences in place of facts.

_ADDRESS = "[1-9A-HJ-NP-Za-km-z]{32,44}"
_WALLET = rf"(?:(?P<publicAlias>.+) \()?(?P<address>{_ADDRESS})(?(publicAlias)\))"
_KEY = r"(?:(?P<{0}>.+) \()?(?P<tier>public|secret) (?P<displayPrefix>\w+)(?({0})\))"
_AMOUNT = r"[0-9]+(?:\.[0-9]+)?"
_HOLDING = f": holds (?P<tokenBalance>{_AMOUNT}), the minimum is (?P<minBalance>{_AMOUNT})"
_NUMBERS = {"added", "changed", "count", "tokenBalance", "minBalance"}
# Not of "change page": one value cannot be told from the next.
_OLD_SUBJECTS = {
    "create page, delete page, restore page": "(?P<tokenName>.+)",
    "create key, change origins, revoke key": _KEY.format("label"),
    "change label": _KEY.format("previousLabel") + ", now (?:without a label|(?P<label>.+))",
    "add tag, remove tag": "(?P<name>.+)",
    "change tag": "(?:(?P<previousName>.+), now )?(?P<name>.+)",
    "add wallet, change wallet, remove wallet": _WALLET,
    "import wallets": "(?P<added>[0-9]+) added, (?P<changed>[0-9]+) changed",
    "hide wallets, show wallets, tag wallets, untag wallets, remove wallets": (
        "(?P<count>[0-9]+)(?:, (?P<tagName>.+))?"
    ),
    "flag wallet, unflag wallet": _WALLET + _HOLDING,
    "add receiver, remove receiver, rotate secret": "(?P<kind>webhook|channel) (?P<target>.+)",
    "approve submission, reject submission, undo decision": (
        rf"(?P<nickname>.+) \((?P<walletAddress>{_ADDRESS})\)"
    ),
    "withdraw submission": r"(?P<submissionId>\w{20}), sent (?P<createdAtIso>\S+)",
    "erase wallet": "and all that was kept of it",
}


def parse_old_subject(action: str, subject: str) -> str:
    """Return the facts of an older version's sentence, as JSON.

    A sentence that cannot be made of them again is kept as it is.
    """
    for who, sentence in _ERASED.items():
        if subject == sentence:
            return _write({"erasedBy": who})
    for actions, pattern in _OLD_SUBJECTS.items():
        found = re.fullmatch(pattern, subject, re.DOTALL) if action in actions.split(", ") else None
        if found:
            parts = found.groupdict().items()
            data = _write({k: Decimal(v) if v and k in _NUMBERS else v for k, v in parts})
            if _tells(data, action, subject):
                return data
    return _write({"text": subject})


def _tells(data: str, action: str, subject: str) -> bool:
    try:
        return write_subject(action, read_facts(data)) == subject
    except ValueError:  # a number that no version wrote: whoever forged a file may have
        return False


def _write(facts: Facts) -> str:
    return _encode(facts).decode()
