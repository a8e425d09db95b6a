"""Pages for people who only know the service's address: the front page, and docs/ under /docs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Flask, Response, abort, render_template, request
from markupsafe import Markup, escape

from embed.settings import PROJECT_DIR, Settings
from embed.web.compression import compress_once
from embed.web.dashboard.responses import read_theme
from embed.web.security_headers import isolate, restrict_content

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

FOLDER = PROJECT_DIR / "docs"

# Each document once, in reading order; the README has the same roles.
NAMES_BY_ROLE = {
    "have a site": ("owners", "embedding", "glossary"),
    "run the service": (
        *("operating", "settings", "commands", "limits", "monitoring", "backups"),
        *("privacy", "security"),
    ),
    "write programs": ("api", "receipts"),
    "hold a wallet": ("visitors",),
}
NAMES = frozenset(chain.from_iterable(NAMES_BY_ROLE.values()))
LONG_CELL = 40  # characters; on a phone, its column is kept wider than others
_PICTURE_TYPES = {".png": "image/png", ".svg": "image/svg+xml"}

blueprint = Blueprint("documents", __name__, url_prefix="/docs")


@dataclass(frozen=True, slots=True)
class Document:
    title: str
    summary: str  # its first paragraph
    content: Markup
    anchors: frozenset[str]  # of its sections


def init_documents(app: Flask, settings: Settings) -> None:
    app.register_blueprint(blueprint)
    if settings.front_page:
        app.add_url_rule("/", "front_page", show_front_page, methods=["GET"])


def show_front_page() -> Response:
    """Say what this service is and where to go next, but nothing about owners or pages."""
    response = Response(render_template("front/page.html"))
    policy = restrict_content(response)
    policy.form_action = policy.frame_ancestors = "'none'"
    response.headers["Referrer-Policy"] = "strict-origin"
    response.headers["Cache-Control"] = "no-cache"
    response.vary.add("Accept-Language")
    return response


@blueprint.get("/")
def list_documents() -> Response:
    by_role = {
        role: {name: read_document(name) for name in names} for role, names in NAMES_BY_ROLE.items()
    }
    return _send("", documents_by_role=by_role)


@blueprint.get("/<name>")
def show_document(name: str) -> Response:
    if name not in NAMES:
        abort(404)
    return _send(name, document=read_document(name))


@blueprint.get("/pictures/<name>")
def show_picture(name: str) -> Response:
    if name not in _list_pictures():
        abort(404)
    path = FOLDER / "pictures" / name
    response = Response(path.read_bytes(), content_type=_PICTURE_TYPES[path.suffix])
    return _let_ask_again(response)


def _send(name: str, **values: Any) -> Response:
    html = render_template("documents.html", theme=read_theme(), **values)
    response = Response(html, content_type="text/html; charset=utf-8")
    policy = restrict_content(response)
    policy.form_action = policy.frame_ancestors = "'none'"
    response.headers["Referrer-Policy"] = "same-origin"
    response.vary.add("Cookie")
    isolate(response)
    etag, _ = _let_ask_again(response).get_etag()
    return compress_once(response, str(etag))


def _let_ask_again(response: Response) -> Response:
    """Let browsers store the response, and revalidate it each time."""
    response.cache_control.no_cache = True
    response.add_etag()
    response.make_conditional(request)
    return response


@cache
def _list_pictures() -> frozenset[str]:
    paths = (FOLDER / "pictures").glob("*")
    return frozenset(path.name for path in paths if path.suffix in _PICTURE_TYPES)


@cache
def _make_markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt  # a large library, which only these pages need

    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.add_render_rule("table_open", lambda *_: '<div class="table" tabindex="0"><table>')
    markdown.add_render_rule("table_close", lambda *_: "</table></div>")
    markdown.add_render_rule(
        "code_inline",
        lambda _, tokens, at, *__: f'<code translate="no">{escape(tokens[at].content)}</code>',
    )
    markdown.add_render_rule("fence", lambda _, tokens, at, *__: _write_code(tokens[at].content))
    return markdown


@cache
def read_document(name: str) -> Document:
    """Return one of NAMES; documents don't change while the service runs."""
    markdown = _make_markdown()
    tokens = markdown.parse((FOLDER / f"{name}.md").read_text(encoding="utf-8"))
    anchors = _set_anchors(tokens)
    for token, text in pairwise(tokens):
        if token.children:
            token.children = list(_point_links(token.children))
        if "style" in token.attrs:  # in number columns; the policy allows no inline styles
            token.attrs = {"class": "number"}
        elif token.type == "td_open" and len(_write_plainly(text)) >= LONG_CELL:
            token.attrs = {"class": "long"}
    return Document(
        _read_first(tokens, "heading_open"),
        _read_first(tokens, "paragraph_open"),
        Markup(markdown.renderer.render(tokens, markdown.options, {})),  # noqa: S704 -- it escapes texts
        frozenset(anchors),
    )


def _read_first(tokens: Sequence[Token], kind: str) -> str:
    """Return the text of the first top-level one, empty if there is none."""
    texts = (text for one, text in pairwise(tokens) if one.type == kind and one.level == 0)
    return next(map(_write_plainly, texts), "")


def _set_anchors(tokens: Sequence[Token]) -> list[str]:
    """Give each heading the id that GitHub gives it, and return the ids."""
    anchors: list[str] = []
    counts: Counter[str] = Counter()
    for heading, text in pairwise(tokens):
        if heading.type == "heading_open":
            slug = re.sub(r"[^\w\- ]", "", _write_plainly(text).lower()).replace(" ", "-")
            anchors.append(f"{slug}-{counts[slug]}" if counts[slug] else slug)
            heading.attrs["id"] = anchors[-1]
            counts[slug] += 1
    return anchors


def _write_plainly(text: Token) -> str:
    """Return a token's text without markup."""
    parts = (" " if one.type == "softbreak" else one.content for one in text.children or ())
    return "".join(parts)


def _write_code(text: str) -> str:
    """Return code that scrolls, by keyboard too: wrapped lines would look like separate ones."""
    return f'<pre tabindex="0" translate="no"><code>{escape(text)}</code></pre>\n'


def _point_links(tokens: Sequence[Token]) -> Iterator[Token]:
    """Point links to the documents' pages, and remove links to other files."""
    is_left_out = False
    for token in tokens:
        if token.type == "link_open":
            target = _find_target(str(token.attrs["href"]))
            is_left_out = target is None
            token.attrs["href"] = target or ""
        if not (is_left_out and token.type in ("link_open", "link_close")):
            yield token


def _find_target(href: str) -> str | None:
    """Return where a link leads from another document's page; None if there is no such page."""
    path, mark, anchor = href.partition("#")
    if "://" in href or not path:
        return href
    name = path.removesuffix(".md")
    return f"{name}{mark}{anchor}" if name != path and name in NAMES else None
