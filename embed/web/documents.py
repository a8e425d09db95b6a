"""The documents in docs/ as pages under /docs, for those who only know the service's address."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from flask import Blueprint, Flask, Response, abort, render_template, request
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from embed.settings import PROJECT_DIR
from embed.web.compression import compress_once
from embed.web.security_headers import isolate, restrict_content

FOLDER = PROJECT_DIR / "docs"
_PICTURE_TYPES = {".png": "image/png", ".svg": "image/svg+xml"}

_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
_markdown.add_render_rule("table_open", lambda *_: '<div class="table" tabindex="0"><table>')
_markdown.add_render_rule("table_close", lambda *_: "</table></div>")

blueprint = Blueprint("documents", __name__, url_prefix="/docs")


@dataclass(frozen=True, slots=True)
class Document:
    title: str
    summary: str  # its first paragraph
    content: Markup
    anchors: frozenset[str]  # of its sections


def init_documents(app: Flask) -> None:
    app.register_blueprint(blueprint)


@blueprint.get("/")
def list_documents() -> Response:
    found = {name: read_document(name) for name in list_names()}
    return _send("", render_template("documents.html", documents=found))


@blueprint.get("/<name>")
def show_document(name: str) -> Response:
    if name not in list_names():
        abort(404)
    return _send(name, render_template("documents.html", document=read_document(name)))


@blueprint.get("/pictures/<name>")
def show_picture(name: str) -> Response:
    if name not in _list_pictures():
        abort(404)
    path = FOLDER / "pictures" / name
    response = Response(path.read_bytes(), content_type=_PICTURE_TYPES[path.suffix])
    return _let_ask_again(response)


def _send(name: str, html: str) -> Response:
    response = Response(html, content_type="text/html; charset=utf-8")
    policy = restrict_content(response)
    policy.form_action = policy.frame_ancestors = "'none'"
    response.headers["Referrer-Policy"] = "same-origin"
    isolate(response)
    _let_ask_again(response)
    return compress_once(response, f"docs/{name}", hashlib.sha256(html.encode()).hexdigest())


def _let_ask_again(response: Response) -> Response:
    """Let browsers keep it, and ask whether it has changed."""
    response.cache_control.no_cache = True
    response.add_etag()
    response.make_conditional(request)
    return response


@cache
def list_names() -> Sequence[str]:
    """Return the documents as addresses name them."""
    return sorted(path.stem for path in FOLDER.glob("*.md"))


@cache
def _list_pictures() -> frozenset[str]:
    paths = (FOLDER / "pictures").glob("*")
    return frozenset(path.name for path in paths if path.suffix in _PICTURE_TYPES)


@cache
def read_document(name: str) -> Document:
    """Return one of list_names, which does not change while the service runs."""
    tokens = _markdown.parse((FOLDER / f"{name}.md").read_text(encoding="utf-8"))
    anchors = _set_anchors(tokens)
    for token in tokens:
        if token.children:
            token.children = list(_point_links(token.children))
        if "style" in token.attrs:  # of a column of numbers, which no policy would allow
            token.attrs = {"class": "number"}
    return Document(
        _read_first(tokens, "heading_open"),
        _read_first(tokens, "paragraph_open"),
        Markup(_markdown.renderer.render(tokens, _markdown.options, {})),  # noqa: S704 -- it escapes texts
        frozenset(anchors),
    )


def _read_first(tokens: Sequence[Token], kind: str) -> str:
    """Return the text of the first one that is in no list, empty if there is none."""
    texts = (text for one, text in pairwise(tokens) if one.type == kind and one.level == 0)
    return next(map(_write_plainly, texts), "")


def _set_anchors(tokens: Sequence[Token]) -> list[str]:
    """Give each heading the id that GitHub gives it, and return these."""
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
    """Return what is read of a token's text."""
    parts = (" " if one.type == "softbreak" else one.content for one in text.children or ())
    return "".join(parts)


def _point_links(tokens: Sequence[Token]) -> Iterator[Token]:
    """Point links to the pages of documents, and leave out those to other files."""
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
    return f"{name}{mark}{anchor}" if name != path and name in list_names() else None
