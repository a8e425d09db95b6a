"""What can happen to a page: the facts of every change, and its sentence.

The activity log stores an action and its facts as data; they become a sentence where they're shown.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, ClassVar, Literal, Self, TypeAlias

import msgspec
from msgspec import UNSET, Struct, UnsetType

from embed.domain.addresses import is_address
from embed.domain.amounts import format_amount
from embed.domain.reasons import write_sentences
from embed.domain.roles import NAME_BY_ROLE
from embed.domain.texts import gettext_noop
from embed.schemas import Submission
from embed.serializers import as_dict

Gettext: TypeAlias = Callable[[str], str]

FACTS_BY_ACTION: "dict[str, type[Facts]]" = {}


class Facts(Struct, rename="camel", omit_defaults=True):
    """What the activity log stores of an action.

    If the action has a message type, the page's receivers get the facts along with the page's id.
    """

    sentences: ClassVar[Mapping[str, str]] = {}  # by action; translated where they're shown
    message_types: ClassVar[Mapping[str, str]] = {}  # by action

    def __init_subclass__(cls) -> None:
        FACTS_BY_ACTION.update(dict.fromkeys(cls.sentences, cls))

    @classmethod
    def read(cls, data: dict[str, Any]) -> Self:
        """Raises ValidationError for the facts of other actions."""
        return msgspec.convert(data, cls)

    def write(self) -> dict[str, Any]:
        return as_dict(self)

    def name_subject(self, gettext: Gettext) -> str:
        """Say what it was done to, in the language of `gettext`."""
        raise NotImplementedError


class PageFacts(Facts):
    token_name: str
    sentences = {
        "create page": gettext_noop("%(actor)s created the page %(subject)s"),
        "delete page": gettext_noop("%(actor)s deleted the page %(subject)s"),
        "restore page": gettext_noop("%(actor)s restored the page %(subject)s"),
    }

    def name_subject(self, gettext: Gettext) -> str:
        return self.token_name


class ChangeFacts(Facts):
    """New values of a page's fields, or of its look's, by their names."""

    changes: dict[str, Any]
    sentences = {
        "change page": gettext_noop("%(actor)s changed the page: %(subject)s"),
        "change look": gettext_noop("%(actor)s changed the look: %(subject)s"),
    }
    labels = {
        "owner": gettext_noop("owner"),
        "token_name": gettext_noop("token name"),
        "token_symbol": gettext_noop("ticker"),
        "token_mint": gettext_noop("mint address"),
        "public_title": gettext_noop("title"),
        "public_comments": gettext_noop("comment"),
        "is_public": gettext_noop("public"),
        "is_embeddable": gettext_noop("shown on sites"),
        "is_shared": gettext_noop("share link"),
        "logo": gettext_noop("logo"),
        "auto_approve": gettext_noop("approve everything at once"),
        "min_balance": gettext_noop("minimum balance"),
        "queue_capacity": gettext_noop("queue size"),
        "cooldown_s": gettext_noop("cooldown in seconds"),
        "trust_after": gettext_noop("approvals needed for trust"),
        "holding_watch": gettext_noop("wallets below the minimum"),
    }

    @classmethod
    def read(cls, data: dict[str, Any]) -> Self:
        return cls(data)

    def write(self) -> dict[str, Any]:
        return self.changes

    def name_subject(self, gettext: Gettext) -> str:
        return ", ".join(self._write(*change, gettext) for change in self.changes.items())

    def _write(self, name: str, value: Any, gettext: Gettext) -> str:
        field = gettext(self.labels[name]) if name in self.labels else name
        if value is None:
            return gettext("%(field)s: none") % {"field": field}
        if isinstance(value, bool):
            sentence = gettext("%(field)s: on") if value else gettext("%(field)s: off")
            return sentence % {"field": field}
        shown = format_amount(value) if isinstance(value, Decimal) else value
        return gettext("%(field)s: %(value)s") % {"field": field, "value": shown}


class PersonFacts(Facts):
    email: str
    role: str | None = None
    sentences = {
        "invite person": gettext_noop("%(actor)s invited %(subject)s"),
        "revoke invitation": gettext_noop("%(actor)s revoked the invitation of %(subject)s"),
        "accept invitation": gettext_noop("%(actor)s accepted the invitation: %(subject)s"),
        "change role": gettext_noop("%(actor)s changed a role: %(subject)s"),
        "remove member": gettext_noop("%(actor)s removed %(subject)s from the page"),
    }

    def name_subject(self, gettext: Gettext) -> str:
        role = NAME_BY_ROLE.get(f"{self.role}")
        return f"{self.email} ({gettext(role)})" if role else self.email


class KeyFacts(Facts):
    tier: Literal["public", "secret"]
    display_prefix: str
    label: str | None
    previous_label: str | UnsetType | None = UNSET  # if it was changed
    sentences = {
        "create key": gettext_noop("%(actor)s created a key: %(subject)s"),
        "change label": gettext_noop("%(actor)s changed the label of a key: %(subject)s"),
        "change origins": gettext_noop("%(actor)s changed the sites of a key: %(subject)s"),
        "revoke key": gettext_noop("%(actor)s revoked a key: %(subject)s"),
    }

    def name_subject(self, gettext: Gettext) -> str:
        is_public, label = self.tier == "public", self.previous_label
        key = gettext("public %(prefix)s") if is_public else gettext("secret %(prefix)s")
        key %= {"prefix": self.display_prefix}
        if label is UNSET:
            return f"{self.label} ({key})" if self.label else key
        previous = f"{label} ({key})" if label else key
        if not self.label:
            return gettext("%(previous)s, now without a label") % {"previous": previous}
        return gettext("%(previous)s, now %(name)s") % {"previous": previous, "name": self.label}


class TagFacts(Facts):
    name: str
    previous_name: str | None = None  # if it may have changed
    counted: bool | None = None  # in totals; None: unchanged, or new and counted as usual
    sentences = {
        "add tag": gettext_noop("%(actor)s added the tag %(subject)s"),
        "remove tag": gettext_noop("%(actor)s removed the tag %(subject)s"),
        "change tag": gettext_noop("%(actor)s changed the tag %(subject)s"),
    }

    def name_subject(self, gettext: Gettext) -> str:
        tag, previous = self.name, self.previous_name
        if previous not in (None, self.name):
            tag = gettext("%(previous)s, now %(name)s") % {"previous": previous, "name": tag}
        if self.counted is None:
            return tag
        if self.counted:
            return gettext("%(tag)s, counted in totals") % {"tag": tag}
        return gettext("%(tag)s, not counted in totals") % {"tag": tag}


class WalletFacts(Facts):
    address: str
    public_alias: str | None
    sentences = {
        "add wallet": gettext_noop("%(actor)s added the wallet %(subject)s"),
        "change wallet": gettext_noop("%(actor)s changed the wallet %(subject)s"),
        "remove wallet": gettext_noop("%(actor)s removed the wallet %(subject)s"),
    }

    def name_subject(self, gettext: Gettext) -> str:
        return _name_wallet(self.public_alias, self.address)


def _name_wallet(name: str | None, address: str) -> str:
    return f"{name} ({address})" if name else address


class BulkFacts(Facts):
    count: int
    tag_name: str | None = None
    sentences = {
        "hide wallets": gettext_noop("%(actor)s hid wallets: %(subject)s"),
        "show wallets": gettext_noop("%(actor)s showed wallets: %(subject)s"),
        "tag wallets": gettext_noop("%(actor)s added a tag to wallets: %(subject)s"),
        "untag wallets": gettext_noop("%(actor)s removed a tag from wallets: %(subject)s"),
        "remove wallets": gettext_noop("%(actor)s removed wallets: %(subject)s"),
    }

    def name_subject(self, gettext: Gettext) -> str:
        return f"{self.count}, {self.tag_name}" if self.tag_name else f"{self.count}"


class ImportFacts(Facts):
    added: int
    changed: int
    sentences = {"import wallets": gettext_noop("%(actor)s imported wallets: %(subject)s")}

    def name_subject(self, gettext: Gettext) -> str:
        counts = {"added": self.added, "changed": self.changed}
        return gettext("%(added)s added, %(changed)s changed") % counts


class HoldingFacts(Facts):
    """A visitor's wallet that fell below the minimum, or holds it again.

    Nobody has to act on the latter, so nobody is notified.
    """

    wallet_id: str
    address: str
    public_alias: str | None
    token_balance: Decimal
    min_balance: Decimal
    hidden: bool | None = None  # off the list until it holds the minimum again
    sentences = {
        "flag wallet": gettext_noop("%(actor)s flagged the wallet %(subject)s"),
        "unflag wallet": gettext_noop("%(actor)s unflagged the wallet %(subject)s"),
    }
    message_types = {"flag wallet": "wallet.flagged"}

    def name_subject(self, gettext: Gettext) -> str:
        sentence = gettext("%(wallet)s: holds %(balance)s, the minimum is %(minimum)s")
        wallet = _name_wallet(self.public_alias, self.address)
        balance, minimum = format_amount(self.token_balance), format_amount(self.min_balance)
        return sentence % {"wallet": wallet, "balance": balance, "minimum": minimum}


class ErasureFacts(Facts):
    sentences = {"erase wallet": gettext_noop("%(actor)s purged a wallet %(subject)s")}

    def name_subject(self, gettext: Gettext) -> str:
        return gettext("and all its data")


class ReceiverFacts(Facts):
    kind: Literal["webhook", "channel", "mail"]
    target: str  # without secrets, since every owner of the page can read the log
    sentences = {
        "add receiver": gettext_noop("%(actor)s added the %(subject)s"),
        "remove receiver": gettext_noop("%(actor)s removed the %(subject)s"),
        "rotate secret": gettext_noop("%(actor)s created a new secret for the %(subject)s"),
        "allow deciding": gettext_noop("%(actor)s let readers decide on submissions: %(subject)s"),
        "end deciding": gettext_noop(
            "%(actor)s no longer lets readers decide on submissions: %(subject)s"
        ),
    }

    def name_subject(self, gettext: Gettext) -> str:
        is_mail = self.kind == "mail"
        name = gettext("emails to %(target)s") if is_mail else gettext("channel %(target)s")
        return name % {"target": self.target}


class BlockFacts(Facts):
    kind: Literal["wallet", "name", "network"]
    pattern: str
    sentences = {
        "add block": gettext_noop("%(actor)s blocked the %(subject)s"),
        "remove block": gettext_noop("%(actor)s unblocked the %(subject)s"),
    }

    def name_subject(self, gettext: Gettext) -> str:
        names = {
            "wallet": gettext("wallet %(pattern)s"),
            "name": gettext("name %(pattern)s"),
            "network": gettext("network %(pattern)s"),
        }
        return names[self.kind] % {"pattern": self.pattern}


class SubmissionFacts(Submission, Facts):
    """A submission in its new state, with the owner's reason for a rejection."""

    reason_code: str | None
    reason_text: str | None
    sentences = {
        "approve submission": gettext_noop("%(actor)s approved the submission of %(subject)s"),
        "reject submission": gettext_noop("%(actor)s rejected the submission of %(subject)s"),
        "undo decision": gettext_noop("%(actor)s undid the decision on %(subject)s"),
    }
    message_types = dict.fromkeys(sentences, "submission.decided")

    def name_subject(self, gettext: Gettext) -> str:
        wallet = _name_wallet(self.nickname, self.wallet_address)
        reason = write_sentences(gettext).get(f"{self.reason_code}") or self.reason_text
        return f"{wallet}: {reason}" if reason else wallet


class WithdrawalFacts(Facts):
    """A submission that its wallet's holder withdrew; nothing names the wallet."""

    submission_id: str
    status: str  # before
    created_at_iso: str
    withdrawn_at_iso: str
    left_list: bool  # the submission had put the wallet on the list
    sentences = {
        "withdraw submission": gettext_noop("%(actor)s withdrew the submission %(subject)s")
    }
    message_types = {"withdraw submission": "submission.withdrawn"}

    def name_subject(self, gettext: Gettext) -> str:
        return self.submission_id


_ERASED_BY = {
    "holder": gettext_noop("withdrawn by the wallet's holder"),
    "operator": gettext_noop("purged by the operator"),
}


read_facts = msgspec.json.Decoder(dict[str, Any], float_hook=Decimal).decode  # amounts are exact


def find_address(facts: Mapping[str, Any]) -> str | None:
    """Return the address of the wallet that facts are about."""
    address = facts.get("walletAddress") or facts.get("address")
    return address if isinstance(address, str) and is_address(address) else None


def write_subject(
    action: str, data: str, gettext: Gettext = str, write_address: Callable[[str], str] = str
) -> str:
    """Say what an action was done to, in the language of `gettext`.

    Empty if these aren't its facts: a page that version 0.6.0 imported from a file may have any.
    """
    stored = read_facts(data)
    if "text" in stored:  # of version 0.5.0
        return f"{stored['text']}"
    if "erasedBy" in stored:  # the facts were about a wallet
        sentence = _ERASED_BY.get(f"{stored['erasedBy']}")
        return gettext(sentence) if sentence else ""
    shown = {
        name: write_address(one) if isinstance(one, str) and is_address(one) else one
        for name, one in stored.items()
    }
    try:
        facts = FACTS_BY_ACTION[action].read(shown)
    except (KeyError, msgspec.ValidationError):
        return ""
    return facts.name_subject(gettext)
