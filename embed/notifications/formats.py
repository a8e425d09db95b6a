"""A digest as the text of a message: plain, or as a service shows links.

Names in it are neutralised (domain/texts.py): nothing in them is markup for any of these.
"""

from collections.abc import Callable
from dataclasses import replace
from html import escape

from embed.notifications.digest import Choice, Digest, Line, Link

Write = Callable[[Digest], str]

_SMALL = "font-size:small;color:#666"


def fit(digest: Digest, write: Write, max_bytes: int) -> str:
    """Write a digest with as many of its choices as there is room for."""
    text = write(digest)
    while digest.choices and len(text.encode()) > max_bytes:
        digest = replace(digest, choices=digest.choices[:-1])
        text = write(digest)
    return text


def write_text(digest: Digest) -> str:
    """Write plain text without the title, with each address in full."""
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
    """Without the angle brackets, Discord would show a preview of each address."""
    return _write_marked(digest, "**{}**", "[{1}](<{0}>)")


def write_slack(digest: Digest) -> str:
    return _write_marked(_escape_all(digest), "*{}*", "<{0}|{1}>")


def write_telegram(digest: Digest) -> str:
    """Write HTML with no tags but those that Telegram shows."""
    return _write_marked(_escape_all(digest), "<b>{}</b>", '<a href="{0}">{1}</a>')


def _write_marked(digest: Digest, title: str, link: str) -> str:
    def write_line(line: Line) -> str:
        if not isinstance(line, Choice):
            return _write_line(line)
        links = " · ".join(link.format(url, label) for label, url in line.links)
        return f"• {line.name}: {links}"  # with a sign in front, a name never begins a list

    return "\n".join([title.format(digest.title), *map(write_line, _list_lines(digest))])


def write_html(digest: Digest) -> str:
    """Write the HTML of a mail; as text beside the links, for readers that show no links."""
    lines = "<br>".join(map(_write_for_mail, _list_lines(_escape_all(digest))))
    return f'<div dir="auto" style="overflow-wrap:anywhere">{lines}</div>'


def _write_for_mail(line: Line) -> str:
    link = '<a href="{0}">{0}</a>'
    match line:
        case Link(sentence, url):
            return sentence % {"link": link.format(url)}
        case Choice(name, links):
            shown = [
                f'<a href="{url}"><strong>{label}</strong></a>: <span style="{_SMALL}">{url}</span>'
                for label, url in links
            ]
            return "<br>".join([f"<strong>{name}</strong>", *shown])
    return line


def _escape_all(digest: Digest) -> Digest:
    """Escape what would be markup; quotes only in addresses, as Slack would show their codes."""

    def escape_line(line: str | Link) -> str | Link:
        if isinstance(line, Link):
            return Link(escape(line.sentence, quote=False), escape(line.url))
        return escape(line, quote=False)

    return Digest(
        escape(digest.title, quote=False),
        tuple(escape(each, quote=False) for each in digest.lines),
        tuple(
            Choice(escape(each.name, quote=False), tuple((a, escape(b)) for a, b in each.links))
            for each in digest.choices
        ),
        tuple(map(escape_line, digest.end)),
    )
