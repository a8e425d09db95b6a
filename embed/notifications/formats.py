"""A digest as the text of a message: plain, or as a service shows links.

Names in it are neutralised (domain/texts.py): nothing in them is markup for any of these.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
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
    return _write_marked(digest, "**{}**", "[{1}](<{0}>)", str)


def write_slack(digest: Digest) -> str:
    return _write_marked(digest, "*{}*", "<{0}|{1}>", _escape)


def write_telegram(digest: Digest) -> str:
    """Write HTML with no tags but those that Telegram shows."""
    return _write_marked(digest, "<b>{}</b>", '<a href="{0}">{1}</a>', _escape)


# Slack shows the codes of quotes as they are.
_escape = partial(escape, quote=False)


def _write_marked(digest: Digest, title: str, link: str, quote: Callable[[str], str]) -> str:
    lines = [title.format(quote(digest.title))]
    for line in _list_lines(digest):
        if isinstance(line, Choice):
            links = " · ".join(link.format(url, quote(label)) for label, url in line.links)
            # With a sign in front, a name never begins a list.
            lines.append(f"• {quote(line.name)}: {links}")
        else:
            lines.append(quote(_write_line(line)))
    return "\n".join(lines)


def write_html(digest: Digest) -> str:
    """Write the HTML of a mail, with each address also as text: some readers show no links."""
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
