"""The snippet, the look and its preview."""

import html
import json
import re

import pytest

from embed.db.models import ApiKey
from embed.domain.look import DEFAULT_LOOK, Look
from embed.pages import change_look
from embed.settings import PROJECT_DIR
from embed.web.assets import STATIC_DIR

pytestmark = pytest.mark.slow


def open_page(owner, **chosen: str | list[str]) -> str:
    path = f"/dashboard/pages/{owner.world.page_id}/embed"
    answer = owner.get(path, query_string=chosen)
    assert answer.status_code == 200
    return answer.text


def open_look(owner) -> str:
    return owner.get(f"/dashboard/pages/{owner.world.page_id}/embed/look").text


def read_snippet(text: str) -> str:
    return read_code(text, "snippet")


def read_code(text: str, name: str) -> str:
    return html.unescape(
        re.search(rf'<pre translate="no" id="{name}"[^>]*>(.*?)</pre>', text, re.DOTALL)[1]
    )


def make_key(owner, site="https://new.example", *, chosen=None, **fields):
    path = f"/dashboard/pages/{owner.world.page_id}/embed"
    return owner.client.post(
        path, query_string=chosen or {}, data={"csrf_token": owner.token, "site": site} | fields
    )


def read_preview(text: str) -> str:
    return html.unescape(re.search(r'<iframe class="preview" src="([^"]*)"', text)[1])


def test_key_language_height_and_title_go_into_the_snippet(world, owner):
    world.configure(public_title='"><script>alert(1)</script>')
    text = open_page(owner, lang="de", height="450")

    for name in ("snippet", "react"):
        code = read_code(text, name)
        address = (
            f"http://localhost/embed/tracking/{world.page_id}?key=PASTE_YOUR_PUBLIC_KEY&lang=de"
        )
        assert f'src="{address}"' in html.unescape(code)
        assert 'height="450"' in code
        assert 'title="&quot;&gt;&lt;script&gt;' in code


@pytest.mark.parametrize("height", ["199", "4001", "tall", "9" * 5000])
def test_language_and_height_that_make_no_sense_are_named_and_left_out(owner, height):
    text = open_page(owner, height=height, lang="xx")

    assert "From 200 to 4000 pixels." in text or "Not a valid integer" in text
    assert text.count('class="wrong"') == 2
    assert 'height="600"' in read_snippet(text)
    assert "lang=" not in read_snippet(text)


# The look


@pytest.mark.parametrize(
    ("theme", "scheme"),
    [("site", "light"), ("light", "light"), ("dark", "dark"), ("auto", "light dark")],
)
def test_frame_has_the_color_scheme_of_the_stored_theme(world, owner, theme, scheme):
    change_look(world.page_id, {"theme": theme}, world.clock())
    text = open_page(owner)

    assert f'display: block; color-scheme: {scheme}"' in read_snippet(text)
    assert f'colorScheme: "{scheme}" }}}}' in read_code(text, "react")


def test_saved_look_is_shown_by_the_form_the_preview_and_the_log_and_not_by_the_snippet(
    world, owner
):
    before = read_snippet(open_page(owner))

    answer = save_look(owner, accent="#FF6600", font="serif", hide=["add", "tools"])

    assert answer.status_code == 303
    assert world.page.look == Look(accent="ff6600", font="serif", hide=("tools", "add"))
    text = open_look(owner)
    assert 'value="ff6600"' in text
    assert re.search('<input checked[^>]* name="font"[^>]* value="serif"', text)
    assert len(re.findall('<input checked[^>]* name="hide"', text)) == 2
    assert 'data-accent="ff6600"' in owner.get(read_preview(text), follow_redirects=True).text
    log = owner.get(f"/dashboard/pages/{world.page_id}/activity").text
    assert "changed the look:" in log
    assert "accent: ff6600, font: serif, hide: tools,add" in log
    assert read_snippet(open_page(owner)) == before


def test_preset_is_saved_where_no_script_fills_it_in(world, owner):
    save_look(owner, preset="Terminal", theme="dark", accent="ff6600")

    assert world.page.look == Look(
        accent="30a46c", neutral="sage", radius=0, density="compact", font="mono", theme="dark"
    )


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"accent": "red"}, "six hex digits"),
        ({"accent": '"><script>'}, "six hex digits"),
        ({"radius": "9"}, "Not a valid choice"),
        ({"hide": ["everything"]}, "not a valid choice"),
    ],
)
def test_look_that_makes_no_sense_is_named_and_not_saved(world, owner, fields, said):
    save_look(owner, accent="ff6600")
    save_look(owner, accent=" ")  # the widget's own
    answer = save_look(owner, **fields)

    assert answer.status_code == 422
    assert said in answer.text
    assert "<script>" not in answer.text
    assert world.page.look == DEFAULT_LOOK


def test_preview_shows_what_is_chosen_before_it_is_saved(world, owner):
    change_look(world.page_id, {"accent": "ff6600", "hide": "add"}, world.clock())
    path = f"/dashboard/pages/{world.page_id}/embed/preview"

    chosen = {"accent": "3e63dd", "radius": "0", "hide": "", "lang": "de", "key": "x"}
    answer = owner.get(path, query_string=chosen, follow_redirects=True)

    assert 'lang="de"' in answer.text
    assert 'data-radius="0"' in answer.text
    assert "data-accent" not in answer.text
    assert not re.search('<button[^>]* id="add"[^>]* hidden', answer.text)


@pytest.mark.parametrize(
    ("accent", "said"),
    [
        ("3e63dd", ["Letters on buttons are white: 5.2:1."]),
        ("red", ["Letters on buttons are white: 5.2:1."]),  # none, so the stored one
        (
            "ffee55",
            [
                "Letters on buttons are black: 17.6:1.",
                "On light grounds it has 1.0:1, so for texts and the focus ring it is darkened to"
                " #776d02: 4.5:1.",
                "On light grounds, buttons get an edge.",
                "On dark grounds, texts and the focus ring have 12.1:1.",
            ],
        ),
    ],
)
def test_contrast_and_what_is_changed_for_it_is_said_in_words(world, owner, accent, said):
    path = f"/dashboard/pages/{world.page_id}/embed/contrast"

    assert owner.get(path, query_string={"accent": accent}).json == {"sentences": said}


def save_look(owner, **fields):
    given = DEFAULT_LOOK.write_texts() | {"hide": []} | fields
    return owner.post(f"/dashboard/pages/{owner.world.page_id}/embed/look", **given)


def test_preview_is_the_widget_with_a_key_of_its_own(world, owner):
    address = read_preview(open_look(owner))

    answer = owner.get(address, follow_redirects=True)
    assert answer.status_code == 200
    assert "frame-ancestors 'self'" in answer.headers["Content-Security-Policy"]
    owner.get(address)
    assert ApiKey.select().where(ApiKey.purpose == "preview").count() == 1


def test_private_page_has_no_preview_and_says_why(world, owner):
    world.configure(is_public=False)

    text = open_look(owner)
    assert "<iframe" not in text
    assert "private, so there is nothing to preview" in text


# The language


def test_tab_is_in_the_owners_language_and_its_code_is_not(world, owner):
    code = {name: read_code(open_page(owner), name) for name in ("snippet", "script", "react")}
    assert owner.post("/dashboard/account/language", language="de").status_code == 303
    path = f"/dashboard/pages/{world.page_id}/embed"

    text = open_page(owner)
    assert {name: read_code(text, name) for name in code} == code
    assert '<pre translate="no" id="snippet" class="code" dir="ltr">' in text
    assert "Create a key and its snippet" not in text
    look = open_look(owner)
    for label in ("Start from", "As listed"):
        assert label not in look
    contrast = owner.get(f"{path}/contrast", query_string={"accent": "ffee55"}).json["sentences"]
    assert contrast[0] == "Schrift auf Knöpfen ist schwarz: 17,6:1."
    assert "Fokusring zu #776d02 abgedunkelt: 4,5:1." in contrast[1]
    assert "sechs Hex-Ziffern" in save_look(owner, accent="red").text
    assert "Von 200 bis 4000 Pixel." in open_page(owner, height="199")
    assert "Für welche Website ist er?" in make_key(owner, "").text
    assert "www.example.com nehmen</button>" in make_key(owner, "www.example.com").text
    save_look(owner, preset="Paper")
    assert world.page.look.font == "serif"
    assert "Gespeichert. Jede Website zeigt es" in open_page(owner)
    new = make_key(owner, label="Blog").text
    assert 'Dein neuer öffentlicher Schlüssel: <bdi translate="no">Blog</bdi>' in new


def test_page_has_a_sentence_for_whatever_a_pasted_text_is(owner):
    script = (STATIC_DIR / "dashboard/pasted-key.js").read_text()

    words = json.loads(re.search('id="words">(.*?)</script>', open_page(owner))[1])

    assert words.keys() == set(re.findall(r'word: "(\w+)"', script))


# A key and its snippet in one step


def test_address_of_a_site_makes_a_key_and_the_snippet_with_it(world, owner):
    answer = make_key(owner, "https://New.example/blog", label=" Blog ", chosen={"lang": "de"})

    assert answer.status_code == 201
    (key,) = set(re.findall("svc_pub_[0-9A-Za-z]{32}", answer.text))
    for name in ("snippet", "react"):
        assert f"?key={key}&lang=de" in html.unescape(read_code(answer.text, name))
    assert "https://New.example/blog is kept as https://new.example." in answer.text
    assert 'Your new public key: <bdi translate="no">Blog</bdi>' in answer.text
    assert world.read(key=key, headers={"Origin": "https://new.example"}).status_code == 200
    assert world.read(key=key).status_code == 403


def test_site_without_its_scheme_is_corrected_by_one_press(world, owner):
    refused = make_key(owner, " www.example.com/blog", label="Blog")

    assert ">Use https://www.example.com</button>" in refused.text
    made = make_key(owner, " www.example.com/blog", label="Blog", meant="")

    assert made.status_code == 201
    key = read_code(made.text, "new-key")
    assert world.read(key=key, headers={"Origin": "https://www.example.com"}).status_code == 200


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"site": ""}, "Which site is it for?"),
        ({"site": "new.example"}, "has no scheme"),
        ({"site": "//example.com"}, "has no scheme"),
        ({"site": "https://*.example.com"}, "has a wildcard"),
        ({"label": "x" * 65}, "longer than 64 characters"),
    ],
)
def test_mistake_in_the_step_is_told_beside_the_field_and_makes_no_key(owner, fields, said):
    before = ApiKey.select().where(ApiKey.purpose == "sites").count()

    answer = make_key(owner, **fields)

    assert answer.status_code == 422
    (field,) = fields
    assert said in re.search(rf'id="{field}-wrong">(.*?)</p>', answer.text, re.DOTALL)[1]
    is_certain = fields == {"site": "new.example"}
    assert ('name="meant"' in answer.text) == is_certain
    assert is_certain or make_key(owner, **fields, meant="").status_code == 422
    assert ApiKey.select().where(ApiKey.purpose == "sites").count() == before


def test_page_names_live_public_keys_for_the_check_of_a_pasted_one(world, owner):
    kept = make_key(owner, label="Blog").text
    world.revoke(world.public_key)

    names = html.unescape(re.search('data-names="([^"]*)"', open_page(owner))[1])
    prefix = read_code(kept, "new-key")[:12]
    assert json.loads(html.unescape(names)) == {prefix: f"Blog ({prefix}…)"}


@pytest.mark.parametrize(
    ("file", "language", "name"),
    [
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
