"""The snippet, its choices and the preview."""

import html
import re

import pytest
from world import one_database

from embed.db.models import ApiKey
from embed.translations import LANGUAGES


def open_page(owner, **chosen: str):
    path = f"/dashboard/pages/{owner.world.page_id}/embed"
    answer = owner.get(path, query_string=chosen)
    assert answer.status_code == 200
    return answer.text


def read_snippet(text: str) -> str:
    return html.unescape(re.search(r'<pre id="snippet">(.*?)</pre>', text, re.DOTALL)[1])


def read_preview(text: str) -> str:
    return html.unescape(re.search(r'<iframe class="preview" src="([^"]*)"', text)[1])


def test_snippet_has_a_placeholder_for_the_key(world, owner):
    snippet = read_snippet(open_page(owner))

    assert f'src="http://localhost/embed/tracking/{world.page_id}?key=PASTE_YOUR_PUBLIC_KEY"' in (
        snippet
    )


def test_choices_go_into_snippet_and_preview(world, owner):
    text = open_page(owner, theme="dark", accent="#FF6600", lang="de")

    for address in (read_snippet(text), read_preview(text)):
        address = html.unescape(address)
        assert "&theme=dark" in address
        assert "&accent=ff6600" in address
        assert "&lang=de" in address


@one_database
@pytest.mark.parametrize(
    "chosen", [{"theme": "pink"}, {"accent": '"><script>'}, {"accent": "12345"}, {"lang": "xx"}]
)
def test_choice_that_makes_no_sense_is_named_and_left_out(owner, chosen):
    text = open_page(owner, **chosen)

    assert 'class="wrong"' in text
    assert next(iter(chosen)) + "=" not in read_snippet(text)
    assert "<script>" not in text


def test_title_of_the_page_is_escaped_in_the_snippet(world, owner):
    world.configure(public_title='"><script>alert(1)</script>')

    assert 'title="&quot;&gt;&lt;script&gt;' in read_snippet(open_page(owner))


def test_every_language_of_the_widget_is_offered(owner):
    assert set(re.findall(r'<option (?:selected )?value="(\w\w)"', open_page(owner))) == set(
        LANGUAGES
    )


def test_preview_is_the_widget_with_a_key_of_its_own(world, owner):
    address = read_preview(open_page(owner))

    answer = owner.get(address)
    assert answer.status_code == 200
    assert "frame-ancestors 'self'" in answer.headers["Content-Security-Policy"]
    open_page(owner)
    assert ApiKey.select().where(ApiKey.is_preview).count() == 1


def test_private_page_has_no_preview_and_says_why(world, owner):
    world.configure(is_public=False)

    text = open_page(owner)
    assert "<iframe" not in text
    assert "private, so there is nothing to preview" in text
