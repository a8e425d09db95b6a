"""The activity log in words: sentences are made from an entry's facts when they're shown."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, TypeAlias

import msgspec

from embed.domain.addresses import is_address
from embed.domain.amounts import format_amount
from embed.domain.reasons import write_sentences
from embed.domain.roles import NAME_BY_ROLE
from embed.domain.texts import gettext_noop

# A sentence for every action, translated where it is shown.
SENTENCE_BY_ACTION: Mapping[str, str] = {
    "create page": gettext_noop("%(actor)s created the page %(subject)s"),
    "delete page": gettext_noop("%(actor)s deleted the page %(subject)s"),
    "restore page": gettext_noop("%(actor)s restored the page %(subject)s"),
    "change page": gettext_noop("%(actor)s changed the page: %(subject)s"),
    "change look": gettext_noop("%(actor)s changed the look: %(subject)s"),
    "invite person": gettext_noop("%(actor)s invited %(subject)s"),
    "revoke invitation": gettext_noop("%(actor)s revoked the invitation of %(subject)s"),
    "accept invitation": gettext_noop("%(actor)s accepted the invitation: %(subject)s"),
    "change role": gettext_noop("%(actor)s changed a role: %(subject)s"),
    "remove member": gettext_noop("%(actor)s removed %(subject)s from the page"),
    "create key": gettext_noop("%(actor)s created a key: %(subject)s"),
    "change label": gettext_noop("%(actor)s changed the label of a key: %(subject)s"),
    "change origins": gettext_noop("%(actor)s changed the sites of a key: %(subject)s"),
    "revoke key": gettext_noop("%(actor)s revoked a key: %(subject)s"),
    "add tag": gettext_noop("%(actor)s added the tag %(subject)s"),
    "remove tag": gettext_noop("%(actor)s removed the tag %(subject)s"),
    "change tag": gettext_noop("%(actor)s changed the tag %(subject)s"),
    "add wallet": gettext_noop("%(actor)s added the wallet %(subject)s"),
    "change wallet": gettext_noop("%(actor)s changed the wallet %(subject)s"),
    "remove wallet": gettext_noop("%(actor)s removed the wallet %(subject)s"),
    "import wallets": gettext_noop("%(actor)s imported wallets: %(subject)s"),
    "hide wallets": gettext_noop("%(actor)s hid wallets: %(subject)s"),
    "show wallets": gettext_noop("%(actor)s showed wallets: %(subject)s"),
    "tag wallets": gettext_noop("%(actor)s added a tag to wallets: %(subject)s"),
    "untag wallets": gettext_noop("%(actor)s removed a tag from wallets: %(subject)s"),
    "remove wallets": gettext_noop("%(actor)s removed wallets: %(subject)s"),
    "flag wallet": gettext_noop("%(actor)s flagged the wallet %(subject)s"),
    "unflag wallet": gettext_noop("%(actor)s unflagged the wallet %(subject)s"),
    "add receiver": gettext_noop("%(actor)s added the %(subject)s"),
    "remove receiver": gettext_noop("%(actor)s removed the %(subject)s"),
    "rotate secret": gettext_noop("%(actor)s created a new secret for the %(subject)s"),
    "allow deciding": gettext_noop("%(actor)s let readers decide on submissions: %(subject)s"),
    "end deciding": gettext_noop(
        "%(actor)s no longer lets readers decide on submissions: %(subject)s"
    ),
    "approve submission": gettext_noop("%(actor)s approved the submission of %(subject)s"),
    "reject submission": gettext_noop("%(actor)s rejected the submission of %(subject)s"),
    "undo decision": gettext_noop("%(actor)s undid the decision on %(subject)s"),
    "add block": gettext_noop("%(actor)s blocked the %(subject)s"),
    "remove block": gettext_noop("%(actor)s unblocked the %(subject)s"),
    "withdraw submission": gettext_noop("%(actor)s withdrew the submission %(subject)s"),
    "erase wallet": gettext_noop("%(actor)s purged a wallet %(subject)s"),
}

# What the dashboard calls the fields of a page.
_PAGE_FIELDS = {
    "owner": gettext_noop("owner"),
    "token_name": gettext_noop("token name"),
    "token_symbol": gettext_noop("ticker"),
    "token_mint": gettext_noop("mint address"),
    "public_title": gettext_noop("title"),
    "public_comments": gettext_noop("comment"),
    "is_public": gettext_noop("public"),
    "is_embeddable": gettext_noop("shown on sites"),
    "is_shared": gettext_noop("share link"),
    "auto_approve": gettext_noop("approve everything at once"),
    "min_balance": gettext_noop("minimum balance"),
    "queue_capacity": gettext_noop("queue size"),
    "cooldown_s": gettext_noop("cooldown in seconds"),
    "trust_after": gettext_noop("approvals needed for trust"),
    "holding_watch": gettext_noop("wallets below the minimum"),
}

# Receivers of messages, and entries of a deny list.
_NAME_BY_KIND = {
    "webhook": gettext_noop("channel %(target)s"),
    "channel": gettext_noop("channel %(target)s"),
    "mail": gettext_noop("emails to %(target)s"),
    "wallet": gettext_noop("wallet %(pattern)s"),
    "name": gettext_noop("name %(pattern)s"),
    "network": gettext_noop("network %(pattern)s"),
}

# Who erased the facts of an entry, which were about a wallet.
_ERASED = {
    "holder": gettext_noop("withdrawn by the wallet's holder"),
    "operator": gettext_noop("purged by the operator"),
}

Facts = dict[str, Any]
Gettext: TypeAlias = Callable[[str], str]

_decode = msgspec.json.Decoder(Facts, float_hook=Decimal).decode


def read_facts(data: str) -> Facts:
    """Read an entry's or a message's facts from their JSON, with exact amounts."""
    return _decode(data)


def find_address(facts: Mapping[str, Any]) -> str | None:
    """Return the address of the wallet that facts are about."""
    address = facts.get("walletAddress") or facts.get("address")
    return address if isinstance(address, str) and is_address(address) else None


def write_subject(action: str, facts: Facts, gettext: Gettext = str) -> str:
    """Say what an action was done to, in the language of `gettext`."""
    if action in ("change page", "change look") and "text" not in facts:
        return ", ".join(_write_change(name, value, gettext) for name, value in facts.items())
    match facts:
        case {"text": text}:  # of an older version
            return f"{text}"
        case {"erasedBy": who}:
            return gettext(_ERASED[who]) if who in ("holder", "operator") else ""
        case {"tokenBalance": balance, "minBalance": least}:
            sentence = gettext("%(wallet)s: holds %(balance)s, the minimum is %(minimum)s")
            amounts = {"balance": _format(balance), "minimum": _format(least)}
            return sentence % {"wallet": _name_wallet(facts), **amounts}
        case {"email": email, "role": role}:
            return _name_person(f"{email}", role, gettext)
        case {"address": _} | {"walletAddress": _}:
            return ": ".join(filter(None, (_name_wallet(facts), _write_reason(facts, gettext))))
        case {"displayPrefix": _}:
            return _name_key(facts, gettext)
        case {"name": _, "counted": bool(_)} | {"name": _, "previousName": _}:
            return _name_tag(facts, gettext)
        case {"tokenName": name} | {"name": name}:
            return f"{name}"
        case {"added": added, "changed": changed}:
            sentence = gettext("%(added)s added, %(changed)s changed")
            return sentence % {"added": added, "changed": changed}
        case {"count": count}:
            return f"{count}, {facts['tagName']}" if facts.get("tagName") else f"{count}"
        case {"submissionId": submission_id, "createdAtIso": sent_at}:
            return gettext("%(id)s, sent %(time)s") % {"id": submission_id, "time": sent_at}
        case {"kind": str(kind), "target": shown} | {"kind": str(kind), "pattern": shown}:
            name = gettext(_NAME_BY_KIND[kind]) if kind in _NAME_BY_KIND else ""
            return name % {"target": shown, "pattern": shown}
    return gettext("and all its data") if action == "erase wallet" else ""


def _write_change(name: str, value: Any, gettext: Gettext) -> str:
    field = gettext(_PAGE_FIELDS[name]) if name in _PAGE_FIELDS else name
    if value is None:
        return gettext("%(field)s: none") % {"field": field}
    if isinstance(value, bool):
        sentence = gettext("%(field)s: on") if value else gettext("%(field)s: off")
        return sentence % {"field": field}
    return gettext("%(field)s: %(value)s") % {"field": field, "value": _format(value)}


def _name_person(email: str, role: Any, gettext: Gettext) -> str:
    name = NAME_BY_ROLE.get(f"{role}")
    return email if name is None else f"{email} ({gettext(name)})"


def _name_wallet(facts: Facts) -> str:
    name = facts.get("nickname") or facts.get("publicAlias")
    address = facts.get("walletAddress") or facts.get("address")
    return f"{name} ({address})" if name else f"{address}"


def _write_reason(facts: Facts, gettext: Gettext) -> str:
    """Return why a submission was rejected; empty for other facts."""
    sentence = write_sentences(gettext).get(f"{facts.get('reasonCode')}")
    return sentence or f"{facts.get('reasonText') or ''}"


def _name_tag(facts: Facts, gettext: Gettext) -> str:
    tag, previous = f"{facts['name']}", facts.get("previousName")
    if previous not in (None, facts["name"]):
        tag = gettext("%(previous)s, now %(name)s") % {"previous": previous, "name": tag}
    if "counted" not in facts:
        return tag
    if facts["counted"]:
        return gettext("%(tag)s, counted in totals") % {"tag": tag}
    return gettext("%(tag)s, not counted in totals") % {"tag": tag}


def _name_key(facts: Facts, gettext: Gettext) -> str:
    label, prefix = facts.get("label"), facts["displayPrefix"]
    match facts.get("tier"):
        case "public":
            key = gettext("public %(prefix)s") % {"prefix": prefix}
        case "secret":
            key = gettext("secret %(prefix)s") % {"prefix": prefix}
        case tier:
            key = f"{tier} {prefix}"
    previous = facts.get("previousLabel", label)
    name = f"{previous} ({key})" if previous else key
    if "previousLabel" not in facts:
        return name
    if not label:
        return gettext("%(previous)s, now without a label") % {"previous": name}
    return gettext("%(previous)s, now %(name)s") % {"previous": name, "name": label}


def _format(value: Any) -> str:
    return format_amount(value) if isinstance(value, Decimal) else str(value)
