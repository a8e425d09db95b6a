"""The words of channels: one short plain text for all that happened, in its reader's language."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from babel.support import NullTranslations

from embed.db.models import Message, Page, Person
from embed.domain.addresses import shorten_address
from embed.domain.languages import LANGUAGES, SOURCE_LANGUAGE
from embed.domain.texts import neutralise
from embed.events.messages import QueueFilling, SubmissionChanged, WalletFlagged, read_data
from embed.translations import load_catalog

MAX_NAMES = 5
_MAX_NAME_LENGTH = 40


@dataclass(frozen=True, slots=True)
class Digest:
    title: str
    body: str


def write_digest(
    page: Page,
    messages: Iterable[Message],
    *,
    public_url: str | None,
    reader: Person | None = None,
) -> Digest:
    """Sum up messages, whose data fit; without `public_url` there is no link to the queue.

    `reader`: None for the owner.
    """
    words = _load_words(reader or page.owner)
    by_type: dict[str, list[Any]] = {}
    for message in messages:
        by_type.setdefault(message.type, []).append(read_data(message.type, message.data))
    lines = _write_lines(words, by_type)
    if public_url is not None:
        link = f"{public_url}/dashboard/pages/{page.id}/queue"
        lines.append(words.gettext("Open the queue: %(link)s") % {"link": link})
    title = words.gettext("News about %(page)s") % {"page": _name_page(page)}
    return Digest(title, "\n".join(lines))


def add_reason(digest: Digest, reader: Person, stop_link: str) -> Digest:
    """Add why a person gets the mail, and what stops it."""
    words = _load_words(reader)
    reason = words.gettext("You get this mail because you asked for mails about this page.")
    stop = words.gettext("To stop them, open this link: %(link)s") % {"link": stop_link}
    return Digest(digest.title, f"{digest.body}\n\n{reason}\n{stop}")


def write_test(page: Page) -> Digest:
    words = _load_words(page.owner)
    return Digest(
        words.gettext("Test message from %(page)s") % {"page": _name_page(page)},
        words.gettext("Messages about this page arrive here."),
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
