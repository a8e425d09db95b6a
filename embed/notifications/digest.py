"""A short text about everything that happened, in its reader's language and a service's format.

Names in it are neutralized (domain/texts.py), so they contain no markup of any format.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from typing import Any, TypeAlias

from babel.support import NullTranslations

from embed import schemas
from embed.db.models import Invitation, Message, Page, Person, Submission
from embed.domain.addresses import shorten_address
from embed.domain.texts import neutralise
from embed.events.kinds import HoldingFacts
from embed.events.messages import QueueFilling, read_data
from embed.translations import LANGUAGES, SOURCE_LANGUAGE, load_catalog

MAX_NAMES = 5
_MAX_NAME_LENGTH = 40
_MAX_EMAIL_LENGTH = 254
_EMAIL = re.compile(r"[\w.+-]+@[\w.-]+")  # programs only offer to write to it


@dataclass(frozen=True, slots=True)
class Link:
    sentence: str  # has %(link)s in place of the address
    url: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A submission that the reader can decide on."""

    name: str
    links: tuple[tuple[str, str], ...]  # the label of each, and its address


Line: TypeAlias = str | Link | Choice


@dataclass(frozen=True, slots=True)
class Digest:
    """A message's content, to be written in one of the formats below."""

    title: str
    lines: tuple[str, ...]
    choices: tuple[Choice, ...] = ()
    end: tuple[str | Link, ...] = ()
    stop_link: str | None = None  # ends such mails in one click (RFC 8058)


def write_digest(
    page: Page,
    messages: Iterable[Message],
    *,
    public_url: str | None,
    reader: Person | None = None,
    decisions: Sequence[tuple[Submission, Mapping[str, str]]] = (),
) -> Digest:
    """Sum up messages with readable data; without `public_url` there's no link to the queue.

    `reader`: None for the owner. `decisions`: submissions with the addresses that decide on each,
    by decision.
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


def add_reason(digest: Digest, reader: Person, stop_link: str | None, *, asked: bool) -> Digest:
    """Add why an address gets the mail, and how to stop it.

    `asked`: whether the reader asked for it; otherwise the page's owner entered the address.
    """
    words = _load_words(reader)
    reason = (
        words.gettext("You get this email because you asked for emails about this page.")
        if asked
        else words.gettext("This page's owner entered your address for emails about it.")
    )
    stop = (
        Link(words.gettext("To stop them, open this link: %(link)s"), stop_link)
        if stop_link
        else words.gettext("To stop them, ask the owner.")
    )
    return replace(digest, end=(*digest.end, "", reason, stop), stop_link=stop_link)


def write_test(page: Page) -> Digest:
    words = _load_words(page.owner)
    return Digest(
        words.gettext("Test message from %(page)s") % {"page": _name_page(page)},
        (words.gettext("Messages about this page arrive here."),),
    )


def write_invitation(
    invitation: Invitation, role: str, link: str, gettext: Callable[[str], str]
) -> Digest:
    """Write the invitation mail in the language of `gettext`."""
    page, inviter = _name_page(invitation.page), invitation.invited_by
    values = {
        "inviter": inviter
        if _EMAIL.fullmatch(inviter)
        else neutralise(inviter, max_length=_MAX_EMAIL_LENGTH),
        "page": page,
        "role": role,
    }
    return Digest(
        gettext("Invitation to %(page)s") % {"page": page},
        (
            gettext("%(inviter)s invites you to the page %(page)s. Your role: %(role)s.") % values,
            "",
            gettext("Open this link within seven days:"),
            "",
            link,
            "",
            gettext(
                "If you don't know what this is about, ignore this email. Nothing will happen."
            ),
        ),
    )


def _write_lines(words: NullTranslations, by_type: dict[str, list[Any]]) -> list[str]:
    created: list[schemas.Submission] = by_type.get("submission.created", [])
    decided: list[schemas.Submission] = by_type.get("submission.decided", [])
    flagged: list[HoldingFacts] = by_type.get("wallet.flagged", [])
    withdrawn = by_type.get("submission.withdrawn", [])
    filling: list[QueueFilling] = by_type.get("queue.filling", [])
    pending = [each.nickname for each in created if each.status == "pending"]
    added = [each.nickname for each in created if each.status != "pending"]
    low = [each.public_alias or shorten_address(each.address) for each in flagged]
    lines = [
        _count(words.gettext("New submissions to review: %(count)s"), pending),
        _count(words.gettext("Wallets added without review: %(count)s"), added),
        _count(words.gettext("Decided submissions: %(count)s"), [one.nickname for one in decided]),
    ]
    if withdrawn:  # without names, as those were erased
        line = words.gettext("Submissions withdrawn by their wallets' holders: %(count)s")
        lines.append(line % {"count": len(withdrawn)})
    lines.append(_count(words.gettext("Wallets below the minimum balance: %(count)s"), low))
    for newest in filling[-1:]:
        line = words.gettext("The queue is almost full: %(pending)s of %(capacity)s")
        lines.append(line % {"pending": newest.pending, "capacity": newest.queue_capacity})
    return list(filter(None, lines))


def _count(line: str, names: Sequence[str]) -> str:
    """Complete a line with the count and the first names; return nothing if there are none."""
    if not names:
        return ""
    shown = [neutralise(name, max_length=_MAX_NAME_LENGTH) for name in names[:MAX_NAMES]]
    if len(names) > MAX_NAMES:
        shown.append("…")
    return f"{line % {'count': len(names)}} ({', '.join(shown)})"


def _name_page(page: Page) -> str:
    return neutralise(page.public_title or page.token_name, max_length=_MAX_NAME_LENGTH)


def _load_words(reader: Person) -> NullTranslations:
    language = reader.language
    return load_catalog(language if language in LANGUAGES else SOURCE_LANGUAGE)


# The formats: plain text, and the ones in which services show links

Write = Callable[[Digest], str]

_SMALL = "font-size:small;color:#666"


def count_characters(text: str) -> int:
    """Count UTF-16 units; some services count a character outside the BMP as one, some as two."""
    return len(text.encode("utf-16-le")) // 2


def count_bytes(text: str) -> int:
    return len(text.encode())


def fit(
    digest: Digest, write: Write, room: int, count: Callable[[str], int] = count_characters
) -> str:
    """Write a digest with as many choices as fit."""
    text = write(digest)
    while digest.choices and count(text) > room:
        digest = replace(digest, choices=digest.choices[:-1])
        text = write(digest)
    return text


def write_text(digest: Digest) -> str:
    """Write plain text without the title, with every address in full."""
    return "\n".join(map(_write_line, _list_lines(digest)))


def _list_lines(digest: Digest) -> list[Line]:
    return [*digest.lines, *digest.choices, *digest.end]


def _write_line(line: Line) -> str:
    match line:
        case Link(sentence, url):
            return sentence % {"link": url}
        case Choice(name, links):
            return "\n".join([name, *(f"{label}: {url}" for label, url in links)])
    return line


def write_discord(digest: Digest) -> str:
    """Write Discord's Markdown; the angle brackets turn off previews of links."""
    return _write_marked(digest, "**{}**", "[{1}](<{0}>)", str)


def write_slack(digest: Digest) -> str:
    return _write_marked(digest, "*{}*", "<{0}|{1}>", _escape)


def write_telegram(digest: Digest) -> str:
    """Write HTML with only the tags that Telegram supports."""
    return _write_marked(digest, "<b>{}</b>", '<a href="{0}">{1}</a>', _escape)


# Slack would show escaped quotes as codes.
_escape = partial(escape, quote=False)


def _write_marked(digest: Digest, title: str, link: str, quote: Callable[[str], str]) -> str:
    lines = [title.format(quote(digest.title))]
    for line in _list_lines(digest):
        if isinstance(line, Choice):
            links = " · ".join(link.format(url, quote(label)) for label, url in line.links)
            # After the bullet, a name can't start a list in Markdown.
            lines.append(f"• {quote(line.name)}: {links}")
        else:
            lines.append(quote(_write_line(line)))
    return "\n".join(lines)


def write_html(digest: Digest) -> str:
    """Write a mail's HTML; each address is also text, since some readers don't show links."""
    lines = "<br>".join(map(_write_for_mail, _list_lines(digest)))
    return f'<div dir="auto" style="overflow-wrap:anywhere">{lines}</div>'


def _write_for_mail(line: Line) -> str:
    match line:
        case Link(sentence, url):
            return escape(sentence) % {"link": f'<a href="{escape(url)}">{escape(url)}</a>'}
        case Choice(name, links):
            shown = [
                f'<a href="{escape(url)}"><strong>{escape(label)}</strong></a>:'
                f' <span style="{_SMALL}">{escape(url)}</span>'
                for label, url in links
            ]
            return "<br>".join([f"<strong>{escape(name)}</strong>", *shown])
    return escape(line)
