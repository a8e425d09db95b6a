"""The snippet, its choices and the preview."""

import html
import json
import re

import pytest

from embed.db.models import ApiKey
from embed.domain.languages import LANGUAGES
from embed.settings import PROJECT_DIR

pytestmark = pytest.mark.slow


def open_page(owner, **chosen: str | list[str]) -> str:
    path = f"/dashboard/pages/{owner.world.page_id}/embed"
    answer = owner.get(path, query_string=chosen)
    assert answer.status_code == 200
    return answer.text


def read_snippet(text: str) -> str:
    return read_code(text, "snippet")


def read_code(text: str, name: str) -> str:
    return html.unescape(re.search(rf'<pre id="{name}"[^>]*>(.*?)</pre>', text, re.DOTALL)[1])


def make_key(owner, site="https://new.example", *, look=None, **fields):
    path = f"/dashboard/pages/{owner.world.page_id}/embed"
    return owner.client.post(
        path, query_string=look or {}, data={"csrf_token": owner.token, "site": site} | fields
    )


def read_preview(text: str) -> str:
    return html.unescape(re.search(r'<iframe class="preview" src="([^"]*)"', text)[1])


def test_snippet_has_a_placeholder_for_the_key(world, owner):
    snippet = read_snippet(open_page(owner))

    assert f'src="http://localhost/embed/tracking/{world.page_id}?key=PASTE_YOUR_PUBLIC_KEY"' in (
        snippet
    )


def test_choices_go_into_snippet_and_preview(world, owner):
    text = open_page(
        owner, theme="dark", accent="#FF6600", lang="de", height="450", hide=["tools", "add"]
    )

    preview = owner.get(read_preview(text)).location
    for address in (read_snippet(text), read_code(text, "react"), preview):
        assert "&theme=dark&accent=ff6600&lang=de&hide=tools,add" in html.unescape(address)
    for code in (read_snippet(text), read_code(text, "react"), text.partition("Preview</h2>")[2]):
        assert 'height="450"' in code


@pytest.mark.parametrize(
    "chosen",
    [
        {"theme": "pink"},
        {"accent": '"><script>'},
        {"accent": "12345"},
        {"lang": "xx"},
        {"hide": "everything"},
    ],
)
def test_choice_that_makes_no_sense_is_named_and_left_out(owner, chosen):
    text = open_page(owner, **chosen)

    assert 'class="wrong"' in text
    assert next(iter(chosen)) + "=" not in read_snippet(text)
    assert "<script>" not in text


@pytest.mark.parametrize(
    ("theme", "scheme"),
    [("", "light"), ("light", "light"), ("dark", "dark"), ("auto", "light dark"), ("x", "light")],
)
def test_frame_has_the_color_scheme_of_the_theme(owner, theme, scheme):
    text = open_page(owner, theme=theme)

    assert f'display: block; color-scheme: {scheme}"' in read_snippet(text)
    assert f'colorScheme: "{scheme}" }}}}' in read_code(text, "react")


@pytest.mark.parametrize("height", ["199", "4001", "-1", "1e3", "tall", "9" * 5000])
def test_height_that_makes_no_sense_is_named_and_left_out(owner, height):
    text = open_page(owner, height=height)

    assert "From 200 to 4000 pixels." in text or "Not a valid integer" in text
    assert 'height="600"' in read_snippet(text)


def test_title_of_the_page_is_escaped_in_the_snippet(world, owner):
    world.configure(public_title='"><script>alert(1)</script>')

    assert 'title="&quot;&gt;&lt;script&gt;' in read_snippet(open_page(owner))


def test_every_language_of_the_widget_is_offered(owner):
    assert set(re.findall(r'<option (?:selected )?value="(\w\w)"', open_page(owner))) == set(
        LANGUAGES
    )


def test_preview_is_the_widget_with_a_key_of_its_own(world, owner):
    address = read_preview(open_page(owner))

    answer = owner.get(address, follow_redirects=True)
    assert answer.status_code == 200
    assert "frame-ancestors 'self'" in answer.headers["Content-Security-Policy"]
    owner.get(address)
    assert ApiKey.select().where(ApiKey.is_preview).count() == 1


def test_private_page_has_no_preview_and_says_why(world, owner):
    world.configure(is_public=False)

    text = open_page(owner)
    assert "<iframe" not in text
    assert "private, so there is nothing to preview" in text


# A key and its snippet in one step


def test_address_of_a_site_makes_a_key_and_the_snippet_with_it(world, owner):
    answer = make_key(owner, "https://New.example/blog", label=" Blog ", look={"theme": "dark"})

    assert answer.status_code == 201
    (key,) = set(re.findall("svc_pub_[0-9A-Za-z]{32}", answer.text))
    for name in ("snippet", "react"):
        assert f"?key={key}&theme=dark" in html.unescape(read_code(answer.text, name))
    assert "https://New.example/blog is kept as https://new.example." in answer.text
    assert "Your new public key: <bdi>Blog</bdi>" in answer.text
    assert world.read(key=key, headers={"Origin": "https://new.example"}).status_code == 200
    assert world.read(key=key).status_code == 403


def test_new_key_is_in_that_answer_only(world, owner):
    key = read_code(make_key(owner).text, "new-key")

    assert key not in open_page(owner)
    assert key not in repr(world.dump())


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"site": ""}, "Which site is it for?"),
        ({"site": "new.example"}, "has no scheme"),
        ({"label": "x" * 65}, "longer than 64 characters"),
    ],
)
def test_mistake_in_the_step_is_told_beside_the_field_and_makes_no_key(owner, fields, said):
    before = ApiKey.select().where(~ApiKey.is_preview).count()

    answer = make_key(owner, **fields)

    assert answer.status_code == 422
    (field,) = fields
    assert said in re.search(rf'id="{field}-wrong">(.*?)</p>', answer.text, re.DOTALL)[1]
    assert ApiKey.select().where(~ApiKey.is_preview).count() == before


def test_page_names_live_public_keys_for_the_check_of_a_pasted_one(world, owner):
    kept = make_key(owner, label="Blog").text
    world.revoke(world.public_key)

    names = html.unescape(re.search('data-names="([^"]*)"', open_page(owner))[1])
    prefix = read_code(kept, "new-key")[:12]
    assert json.loads(html.unescape(names)) == {prefix: f"Blog ({prefix}…)"}


@pytest.mark.parametrize(
    ("file", "language", "name"),
    [
        ("README.md", "html", "snippet"),
        ("docs/embedding.md", "html", "snippet"),
        ("docs/embedding.md", "html", "script"),
        ("docs/embedding.md", "jsx", "react"),
    ],
)
def test_code_in_the_docs_is_what_the_tab_prints(world, owner, file, language, name):
    world.configure(public_title="Wallets we watch")
    printed = read_code(open_page(owner), name)
    for shown, meant in (
        ("PASTE_YOUR_PUBLIC_KEY", "PUBLIC_KEY"),
        ("http://localhost/", "https://embed.example.com/"),
        (world.page_id, "PAGE_ID"),
    ):
        printed = printed.replace(shown, meant)

    assert f"```{language}\n{printed}\n```" in (PROJECT_DIR / file).read_text()
