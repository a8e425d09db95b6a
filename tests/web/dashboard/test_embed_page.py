"""The tab Install: the snippet, keys for sites, and the share link."""

import html
import re

import pytest
from support.world import SITE

from embed.db.models import ApiKey
from embed.keys import derived
from embed.pages import change_look
from embed.settings import PROJECT_DIR

pytestmark = pytest.mark.slow

KEY = re.compile("svc_pub_[0-9A-Za-z]{32}")


def open_page(owner, **chosen: str) -> str:
    path = f"/dashboard/pages/{owner.world.page_id}/embed"
    answer = owner.get(path, query_string=chosen)
    assert answer.status_code == 200
    return answer.text


def read_snippet(text: str) -> str:
    found = re.search(r'<pre translate="no" id="snippet"[^>]*>(.*?)</pre>', text, re.DOTALL)
    return html.unescape(found[1])


def make_key(owner, site="https://new.example", *, query="", **fields):
    """Post the form of a new site, or with `renewed` the button of one that has a key."""
    return owner.post(f"/dashboard/pages/{owner.world.page_id}/embed{query}", site=site, **fields)


# The snippet


@pytest.mark.parametrize("kind", ["html", "react"])
def test_key_language_height_title_and_theme_go_into_the_snippet(world, owner, kind):
    world.configure(public_title='"><script>alert(1)</script>')
    change_look(world.page_id, {"theme": "auto"}, world.change())

    code = read_snippet(open_page(owner, lang="de", height="450", kind=kind))

    start = world.public_key[:12]
    address = f"http://localhost/embed/tracking/{world.page_id}?key={start}…&lang=de"
    assert f'src="{address}"' in html.unescape(code)
    assert 'height="450"' in code
    assert 'title="&quot;&gt;&lt;script&gt;' in code
    assert {"html": "color-scheme: light dark", "react": 'Scheme: "light dark"'}[kind] in code
    assert "embed.js" not in code


def test_strip_has_a_snippet_of_its_own_whose_height_is_fixed(world, owner):
    strip = open_page(owner, size="strip", lang="de", height="450", kind="wordpress")
    code = html.unescape(read_snippet(strip))

    key = f"{world.public_key[:12]}…"
    assert f'/embed/tracking/{world.page_id}?key={key}&lang=de&size=strip"' in code
    assert 'height="72"' in code
    assert '<div data-size="list" hidden>' in strip
    assert "size=" not in read_snippet(open_page(owner, size="stripe"))


def test_line_of_the_script_is_in_the_snippet_unless_its_box_is_unticked(owner):
    assert "http://localhost/embed.js" in read_snippet(open_page(owner))
    assert "embed.js" not in read_snippet(open_page(owner, kind="wordpress"))


@pytest.mark.parametrize("height", ["199", "4001", "tall"])
def test_language_and_height_that_make_no_sense_are_named_and_left_out(owner, height):
    text = open_page(owner, height=height, lang="xx")

    assert text.count('class="wrong"') == 2
    assert 'height="600"' in read_snippet(text)
    assert "lang=" not in read_snippet(text)


@pytest.mark.parametrize(("language", "kind"), [("html", "html"), ("jsx", "react")])
def test_code_in_the_docs_is_what_the_tab_prints(world, owner, language, kind):
    world.configure(public_title="Wallets we watch")
    printed = read_snippet(open_page(owner, kind=kind, script="y"))
    for shown, meant in (
        (f"{world.public_key[:12]}…", "PUBLIC_KEY"),
        ("http://localhost/", "https://embed.example.com/"),
        (world.page_id, "PAGE_ID"),
    ):
        printed = printed.replace(shown, meant)

    assert f"```{language}\n{printed}\n```" in (PROJECT_DIR / "docs/embedding.md").read_text()


# A key and its snippet in one step


def test_address_of_a_site_makes_a_key_and_the_snippet_with_it(world, owner):
    answer = make_key(owner, " New.example/blog", www="y", query="?lang=de")

    assert answer.status_code == 201
    (key,) = set(KEY.findall(answer.text))
    assert f"?key={key}&lang=de" in html.unescape(read_snippet(answer.text))
    for site in ("https://new.example", "https://www.new.example"):
        assert world.read(key=key, headers={"Origin": site}).status_code == 200
    assert world.read(key=key).status_code == 403
    assert ">https://new.example, https://www.new.example</option>" in answer.text


def test_new_key_for_a_site_leaves_the_one_there_and_takes_its_place(world, owner):
    old = ApiKey.get(ApiKey.purpose == "sites", ApiKey.tier == "public")
    assert not KEY.search(open_page(owner))
    world.clock.forward(seconds=1)

    answer = make_key(owner, renewed=old.id)

    (key,) = set(KEY.findall(answer.text))
    new = ApiKey.get(ApiKey.display_prefix == key[:12])
    assert (new.origins, new.allow_null_origin) == (old.origins, old.allow_null_origin)
    assert world.read(key=key).status_code == world.read().status_code == 200
    text = open_page(owner)
    assert f"key={key[:12]}…" in read_snippet(text)
    assert not KEY.search(text)
    assert old.id not in text


def test_site_is_chosen_and_a_page_without_a_key_shows_no_snippet(world, owner):
    world.clock.forward(seconds=1)
    (made,) = set(KEY.findall(make_key(owner).text))
    old = ApiKey.get(ApiKey.display_prefix == world.public_key[:12])

    assert made[:12] in read_snippet(open_page(owner))
    assert world.public_key[:12] in read_snippet(open_page(owner, key=old.id))
    world.revoke_all_keys()
    for chosen in ({}, {"key": old.id}, {"key": "new"}):
        text = open_page(owner, **chosen)
        assert "Create a key and its snippet" in text
        assert "iframe" not in text


def test_site_was_seen_with_whichever_of_its_keys_was_used_last(world, owner):
    def show_list(site: str = SITE, destination: str = "iframe", key: str = "") -> None:
        headers = {"Referer": f"{site}/", "Sec-Fetch-Dest": destination}
        path = f"/embed/tracking/{world.page_id}?key={key or world.public_key}"
        assert world.send("GET", path, headers=headers).status_code == 200

    def read_seen() -> str:
        return re.search('<span role="status">(.*?)</span></p>', open_page(owner))[1]

    show_list("https://other.example")
    show_list(destination="document")
    assert read_seen() == "Not seen yet"
    show_list()
    world.clock.forward(seconds=12)
    assert read_seen() == "Seen 12 seconds ago"

    old = ApiKey.get(ApiKey.purpose == "sites", ApiKey.tier == "public")
    made = KEY.search(make_key(owner, renewed=old.id).text)[0]
    assert read_seen() == "Seen 12 seconds ago, with the old key"
    show_list(key=made)
    assert read_seen() == "Seen 1 second ago"


# The share link


def test_page_becomes_public_by_link_and_ends_to_be(world, owner):
    path = f"/dashboard/pages/{world.page_id}/embed/share"
    assert "Turn the link on" in owner.see(path)

    assert owner.post(path, shared="yes").location.endswith("/embed/share")
    assert derived.is_shared(world.page_id)
    text = owner.get(path).text
    shared = f"http://localhost/embed/page/{world.page_id}"
    for name, address in (("link", shared), ("count", f"{shared}/count.json")):
        assert f'id="{name}" dir="ltr">{address}</code></a>' in text
    assert "The share link is on." in text
    world.configure(is_public=False)
    assert "so the link shows nothing." in owner.see(path)

    owner.post(path)
    assert not derived.is_shared(world.page_id)
    assert shared not in owner.get(path).text
