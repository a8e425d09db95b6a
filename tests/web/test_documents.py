"""The documents as pages under /docs."""

import html
import re
from html.parser import HTMLParser
from urllib.parse import urljoin

import pytest

from embed.settings import PROJECT_DIR
from embed.web import documents

NAMES = sorted(path.stem for path in (PROJECT_DIR / "docs").glob("*.md"))


class Page(HTMLParser):
    """The tags of a page, with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def list_values(self, tag: str, name: str) -> list[str]:
        return [attrs[name] for one, attrs in self.tags if one == tag and name in attrs]


@pytest.fixture
def client(app):
    return app.test_client()


def test_every_document_is_listed_once_with_its_title_and_first_paragraph(client):
    text = client.get("/docs/").text

    assert len(NAMES) > 10
    assert sorted(re.findall('<li><a href="/docs/(.*?)"', text)) == NAMES
    for name in NAMES:
        title = re.match("# (.*)", (PROJECT_DIR / f"docs/{name}.md").read_text())[1]
        assert f'<a href="/docs/{name}">{title}</a>\n        <p class="quiet">' in text
    assert not re.search(r'<p class="quiet">\s*</p>', text)


@pytest.mark.parametrize("name", NAMES)
def test_every_link_and_picture_leads_to_what_is_served(client, name):
    page = Page(client.get(f"/docs/{name}").text)
    ids = {attrs["id"] for _, attrs in page.tags if "id" in attrs}
    targets = page.list_values("a", "href") + page.list_values("img", "src")
    inside = [urljoin(f"/docs/{name}", one) for one in targets if "://" not in one]

    for target in inside:
        path, _, anchor = target.partition("#")
        answer = client.get(path, follow_redirects=True)
        assert answer.status_code == 200, target
        if anchor and path.startswith("/docs/"):
            found = ids if path == f"/docs/{name}" else documents.read_document(path[6:]).anchors
            assert anchor in found | {"main"}, target


@pytest.mark.parametrize("name", ["", *NAMES])
def test_pages_are_strict_english_and_hold_nothing_inline(client, name):
    answer = client.get(f"/docs/{name}", headers={"Accept-Language": "ar"})
    page = Page(answer.text)

    assert answer.status_code == 200
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert page.tags[0] == ("html", {"lang": "en", "dir": "ltr"})
    assert not any("style" in attrs or tag in ("script", "style") for tag, attrs in page.tags)
    assert not any(name.startswith("on") for _, attrs in page.tags for name in attrs)


def test_link_to_another_file_of_the_repository_is_only_its_text(client):
    source = (PROJECT_DIR / "docs/operating.md").read_text()
    (text, *_) = re.findall(r"\[([^\]]+)\]\(\.\./", source)
    page = client.get("/docs/operating").text

    assert text in html.unescape(re.sub("<[^>]+>", "", page))
    assert not any("../" in target for target in Page(page).list_values("a", "href"))


def test_html_in_a_document_is_shown_as_text(monkeypatch, tmp_path):
    (tmp_path / "a.md").write_text("# <b>A\n\n<script>alert(1)</script> [x](javascript:alert(1))")
    monkeypatch.setattr(documents, "FOLDER", tmp_path)

    content = documents.read_document.__wrapped__("a").content

    assert "&lt;script&gt;" in content
    assert {tag for tag, _ in Page(content).tags} == {"h1", "p"}


@pytest.mark.parametrize("path", ["owners", "pictures/proof.png"])
def test_what_a_browser_has_is_not_sent_again(client, path):
    headers = {"Accept-Encoding": "br"}
    first = client.get(f"/docs/{path}", headers=headers)
    again = client.get(f"/docs/{path}", headers=headers | {"If-None-Match": first.headers["ETag"]})

    assert (first.status_code, again.status_code, again.data) == (200, 304, b"")
    assert first.mimetype == ("image/png" if path.endswith(".png") else "text/html")


@pytest.mark.parametrize(
    "path",
    [
        *("nothing", "../README", "..%2fREADME", "owners.md", "take_pictures.py", "pictures/"),
        *("pictures/..%2fowners.md", "pictures/%2e%2e/api.md", "\0", "pictures/proof.png%00"),
    ],
)
def test_nothing_else_is_served(client, path):
    assert client.get(f"/docs/{path}").status_code == 404
