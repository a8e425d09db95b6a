"""GET /embed/check-receipts: one file that may run its own script, and nothing else."""

import base64
import hashlib
import re

from support.servers import PROJECT_DIR
from test_source_rules import MARKUP_FROM_TEXT

PAGE = PROJECT_DIR / "static/check-receipts.html"


def find_inline(html: str, tag: str) -> str:
    (content,) = re.findall(rf"<{tag}[^>]*>(.*?)</{tag}>", html, re.DOTALL)
    return content


def test_page_may_run_its_script_and_load_or_send_nothing(world):
    answer = world.call("GET", "/embed/check-receipts", headers={"Authorization": None})

    assert answer.status_code == 200
    assert answer.content_type == "text/html; charset=utf-8"
    assert answer.text == PAGE.read_text(encoding="utf-8")
    directives = dict(
        one.split(" ", 1) for one in answer.headers["Content-Security-Policy"].split("; ")
    )
    assert directives == {
        "default-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
        "img-src": "data:",
        "script-src": hash_source(find_inline(answer.text, "script")),
        "style-src": hash_source(find_inline(answer.text, "style")),
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    assert "Set-Cookie" not in answer.headers
    tag = {"If-None-Match": answer.headers["ETag"]}
    assert world.client.get("/embed/check-receipts", headers=tag).status_code == 304


def test_file_refers_to_nothing_outside_itself_and_makes_no_markup_of_text():
    html = PAGE.read_text(encoding="utf-8")

    assert set(re.findall(r'\b(?:src|href|action)="(.*?)"', html)) == {"data:,"}
    assert not re.search(r"https?://|\bimport\b|\bfetch\b|@import|url\(", html)
    assert not MARKUP_FROM_TEXT.search(html)


def hash_source(content: str) -> str:
    digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
    return f"'sha256-{digest}'"
