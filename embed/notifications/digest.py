"""The words of channels: one short text for all that happened, in its reader's language."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from babel.support import NullTranslations

from embed.db.models import Message, Page, Person, Submission
from embed.domain.addresses import shorten_address
from embed.domain.texts import neutralise
from embed.events.messages import QueueFilling, SubmissionChanged, WalletFlagged, read_data
from embed.translations import LANGUAGES, SOURCE_LANGUAGE, load_catalog

MAX_NAMES = 5
_MAX_NAME_LENGTH = 40


@dataclass(frozen=True, slots=True)
class Link:
    sentence: str  # has %(link)s where the address goes
    url: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A submission on which the reader may decide."""

    name: str
    links: tuple[tuple[str, str], ...]  # what each does, and its address


Line: TypeAlias = str | Link | Choice


@dataclass(frozen=True, slots=True)
class Digest:
    """What a message says; formats.py writes it."""

    title: str
    lines: tuple[str, ...]
    choices: tuple[Choice, ...] = ()
    end: tuple[str | Link, ...] = ()


def write_digest(
    page: Page,
    messages: Iterable[Message],
    *,
    public_url: str | None,
    reader: Person | None = None,
    decisions: Sequence[tuple[Submission, Mapping[str, str]]] = (),
) -> Digest:
    """Sum up messages, whose data fit; without `public_url` there is no link to the queue.

    `reader`: None for the owner. `decisions`: submissions with the addresses that decide on each,
    by what they do.
    """
    words = _load_words(reader or page.owner)
    by_type: dict[str, list[Any]] = {}
    for message in messages:
        by_type.setdefault(message.type, []).append(read_data(message.type, message.data))
    end: tuple[Link, ...] = ()
    if public_url is not None:
        url = f"{public_url}/dashboard/pages/{page.id}/queue"
        end = (Link(words.gettext("Open the queue: %(link)s"), url),)
    return Digest(
        words.gettext("News about %(page)s") % {"page": _name_page(page)},
        tuple(_write_lines(words, by_type)),
        tuple(_write_choice(words, one, links) for one, links in decisions),
        end,
    )


def _write_choice(
    words: NullTranslations, submission: Submission, links: Mapping[str, str]
) -> Choice:
    labels = {"approve": words.gettext("Approve"), "reject": words.gettext("Reject")}
    name = neutralise(submission.nickname, max_length=_MAX_NAME_LENGTH)
    return Choice(
        f"{name} ({shorten_address(submission.wallet_address)})",
        tuple((labels[decision], url) for decision, url in links.items()),
    )


def add_reason(digest: Digest, reader: Person, stop_link: str) -> Digest:
    """Add why a person gets the mail, and what stops it."""
    words = _load_words(reader)
    reason = words.gettext("You get this mail because you asked for mails about this page.")
    stop = Link(words.gettext("To stop them, open this link: %(link)s"), stop_link)
    return replace(digest, end=(*digest.end, "", reason, stop))


def write_test(page: Page) -> Digest:
    words = _load_words(page.owner)
    return Digest(
        words.gettext("Test message from %(page)s") % {"page": _name_page(page)},
        (words.gettext("Messages about this page arrive here."),),
    )


def _write_lines(words: NullTranslations, by_type: dict[str, list[Any]]) -> list[str]:
    created: list[SubmissionChanged] = by_type.get("submission.created", [])
    pending = [each for each in created if each.status == "pending"]
    added = [each for each in created if each.status != "pending"]
    decided: list[SubmissionChanged] = by_type.get("submission.decided", [])
    withdrawn = by_type.get("submission.withdrawn", [])
    flagged: list[WalletFlagged] = by_type.get("wallet.flagged", [])
    filling: list[QueueFilling] = by_type.get("queue.filling", [])
    lines = []
    if pending:
        line = words.gettext("New submissions to review: %(count)s")
        lines.append(_count(line, [each.nickname for each in pending]))
    if added:
        line = words.gettext("Wallets added without review: %(count)s")
        lines.append(_count(line, [each.nickname for each in added]))
    if decided:
        line = words.gettext("Decided submissions: %(count)s")
        lines.append(_count(line, [each.nickname for each in decided]))
    if withdrawn:  # without names: they are erased
        line = words.gettext("Submissions withdrawn by their wallets' holders: %(count)s")
        lines.append(line % {"count": len(withdrawn)})
    if flagged:
        line = words.gettext("Wallets below the minimum balance: %(count)s")
        names = [each.public_alias or shorten_address(each.address) for each in flagged]
        lines.append(_count(line, names))
    for newest in filling[-1:]:
        line = words.gettext(
            "The queue is filling up: %(pending)s of %(capacity)s places are taken"
        )
        lines.append(line % {"pending": newest.pending, "capacity": newest.queue_capacity})
    return lines


def _count(line: str, names: Sequence[str]) -> str:
    """Complete a line with how many there are, and with the first of their names."""
    shown = [neutralise(name, max_length=_MAX_NAME_LENGTH) for name in names[:MAX_NAMES]]
    if len(names) > MAX_NAMES:
        shown.append("…")
    return f"{line % {'count': len(names)}} ({', '.join(shown)})"


def _name_page(page: Page) -> str:
    return neutralise(page.public_title or page.token_name, max_length=_MAX_NAME_LENGTH)


def _load_words(reader: Person) -> NullTranslations:
    language = reader.language
    return load_catalog(language if language in LANGUAGES else SOURCE_LANGUAGE)
