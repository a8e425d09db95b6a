"""A digest as the text of a message: plain, or as a service shows links.

Names in it are neutralised (domain/texts.py): nothing in them is markup for any of these.
"""

import json
from collections.abc import Callable
from html import escape

from embed.notifications.digest import Choice, Digest, Line, Link

Write = Callable[[Digest], str]

_SMALL = "font-size:small;color:#666"


def write_text(digest: Digest) -> str:
    """Write plain text, with each address in full."""
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


def write_markdown(digest: Digest) -> str:
    """Write what Discord shows, and what Apprise makes of it for Slack.

    Without the angle brackets, Discord would show a preview of each address.
    """
    return "\n".join(_write_in_one_line(line, "[{1}](<{0}>)") for line in _list_lines(digest))


def write_telegram(digest: Digest) -> str:
    """Write HTML with no tags but those that Telegram shows, and breaks of lines."""
    lines = (_escape(line) for line in _list_lines(digest))
    return "<br>".join(_write_in_one_line(line, '<a href="{0}">{1}</a>') for line in lines)


def _write_in_one_line(line: Line, link: str) -> str:
    if not isinstance(line, Choice):
        return _write_line(line)
    links = " · ".join(link.format(url, label) for label, url in line.links)
    return f"• {line.name}: {links}"  # with a sign in front, a name is never the start of a list


def write_mail(digest: Digest) -> str:
    """Write the HTML of a mail.

    Apprise makes the text beside it of the same HTML, without the targets of links: so each
    address is also there as text.
    """
    lines = "<br>".join(_write_for_mail(_escape(line)) for line in _list_lines(digest))
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


def _escape(line: Line) -> Line:
    match line:
        case Link(sentence, url):
            return Link(escape(sentence), escape(url))
        case Choice(name, links):
            return Choice(escape(name), tuple((escape(a), escape(b)) for a, b in links))
    return escape(line)


def write_actions(choice: Choice) -> str:
    """Write the buttons of ntfy that open the links of a choice, in ASCII, for a header.

    https://docs.ntfy.sh/publish/#using-a-json-array
    """
    actions = [
        {"action": "view", "label": f"{label}: {choice.name}", "url": url}
        for label, url in choice.links
    ]
    return json.dumps(actions)
