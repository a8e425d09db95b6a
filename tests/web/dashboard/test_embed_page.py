"""The snippet, the look and its preview."""

import html
import io
import re

import pytest
from PIL import Image
from support.world import SITE, read_log
from werkzeug.datastructures import FileStorage
from werkzeug.test import encode_multipart

from embed.db.models import ApiKey
from embed.domain.look import DEFAULT_LOOK, Look
from embed.pages import change_look
from embed.settings import PROJECT_DIR

pytestmark = pytest.mark.slow

KEY = re.compile("svc_pub_[0-9A-Za-z]{32}")


def open_page(owner, **chosen: str | list[str]) -> str:
    path = f"/dashboard/pages/{owner.world.page_id}/embed"
    answer = owner.get(path, query_string=chosen)
    assert answer.status_code == 200
    return answer.text


def open_look(owner) -> str:
    return owner.get(f"/dashboard/pages/{owner.world.page_id}/embed/look").text


def read_snippet(text: str) -> str:
    found = re.search(r'<pre translate="no" id="snippet"[^>]*>(.*?)</pre>', text, re.DOTALL)
    return html.unescape(found[1])


def make_key(owner, site="https://new.example", *, chosen=None, **fields):
    """Post the form of a new site, or with `renewed` the button of one that has a key."""
    path = f"/dashboard/pages/{owner.world.page_id}/embed"
    return owner.client.post(
        path, query_string=chosen or {}, data={"csrf_token": owner.token, "site": site} | fields
    )


def read_preview(text: str) -> str:
    return html.unescape(re.search(r'<iframe class="preview" src="([^"]*)"', text)[1])


def test_key_language_height_and_title_go_into_the_snippet(world, owner):
    world.configure(public_title='"><script>alert(1)</script>')
    start = world.public_key[:12]

    for kind in ("html", "react"):
        code = read_snippet(open_page(owner, lang="de", height="450", kind=kind))
        address = f"http://localhost/embed/tracking/{world.page_id}?key={start}…&lang=de"
        assert f'src="{address}"' in html.unescape(code)
        assert 'height="450"' in code
        assert 'title="&quot;&gt;&lt;script&gt;' in code
        assert "embed.js" not in code


@pytest.mark.parametrize("kind", ["html", "react", "wordpress"])
def test_strip_has_a_snippet_of_its_own_whose_height_is_fixed(world, owner, kind):
    strip = open_page(owner, size="strip", lang="de", height="450", kind=kind)
    code = html.unescape(read_snippet(strip))

    key = f"{world.public_key[:12]}…"
    assert f'/embed/tracking/{world.page_id}?key={key}&lang=de&size=strip"' in code
    assert 'height="72"' in code
    assert '<div data-size="list" hidden>' in strip
    assert "size=" not in read_snippet(open_page(owner, size="stripe", kind=kind))


def test_line_of_the_script_is_in_the_snippet_unless_its_box_is_unticked(owner):
    for chosen in ({}, {"kind": "hugo", "script": "y"}, {"kind": "react", "script": "y"}):
        assert "http://localhost/embed.js" in read_snippet(open_page(owner, **chosen))
    text = open_page(owner, kind="wordpress", height="600")
    assert "embed.js" not in read_snippet(text)
    assert '<div data-kind="wordpress">' in text
    assert '<div data-kind="react" hidden>' in text


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
    change_look(world.page_id, {"theme": theme}, world.change())

    assert f'display: block; color-scheme: {scheme}"' in read_snippet(open_page(owner))
    assert f'colorScheme: "{scheme}" }}}}' in read_snippet(open_page(owner, kind="react"))


def test_saved_look_is_shown_by_the_form_the_preview_and_the_log_and_not_by_the_snippet(
    world, owner
):
    before = read_snippet(open_page(owner))

    world.clock.forward(seconds=1)
    answer = save_look(owner, accent="#FF6600", font="serif", hide=["add", "tools"])

    assert answer.status_code == 303
    assert world.page.look == Look(accent="ff6600", font="serif", hide=("tools", "add"))
    text = open_look(owner)
    assert 'value="#ff6600"' in text
    assert re.search('<input checked[^>]* name="font"[^>]* value="serif"', text)
    assert len(re.findall('<input checked[^>]* name="hide"', text)) == 2
    assert 'data-accent="ff6600"' in owner.get(read_preview(text), follow_redirects=True).text
    log = owner.get(f"/dashboard/pages/{world.page_id}/activity").text
    assert "changed the look:" in log
    assert "accent: ff6600, font: serif, hide: tools,add" in log
    assert read_snippet(open_page(owner)) == before


def test_automatic_order_is_chosen_until_another_one_is_saved(world, owner):
    def read_order() -> str:
        (label,) = re.findall('<input checked[^>]* name="order"[^>]*>([^<]+)', open_look(owner))
        return label

    assert read_order() == "Automatic"

    save_look(owner, order="newest")

    assert read_order() == "Newest"
    assert world.page.look == Look(order="newest")


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
    save_look(owner, accent="#3e63dd")
    answer = save_look(owner, **fields)

    assert answer.status_code == 422
    assert said in answer.text
    assert "<script>" not in answer.text
    assert world.page.look == DEFAULT_LOOK


def test_preview_shows_what_is_chosen_before_it_is_saved(world, owner):
    change_look(world.page_id, {"accent": "ff6600", "hide": "add"}, world.change())
    path = f"/dashboard/pages/{world.page_id}/embed/preview"

    chosen = {"accent": "3e63dd", "radius": "0", "hide": "", "lang": "de", "key": "x"}
    answer = owner.get(path, query_string=chosen, follow_redirects=True)

    assert 'lang="de"' in answer.text
    assert 'data-radius="0"' in answer.text
    assert "data-accent" not in answer.text
    assert not re.search('<button[^>]* id="add"[^>]* hidden', answer.text)


# The logo


def make_logo(form: str = "PNG", color: str = "red") -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (300, 300), color).save(file, form)
    return file.getvalue()


def upload(owner, raw: bytes, **fields):
    given = DEFAULT_LOOK.write_texts() | {"hide": [], "csrf_token": owner.token} | fields
    file = FileStorage(io.BytesIO(raw), "logo.png")
    boundary, body = encode_multipart(given | {"logo": file})
    return owner.client.post(
        f"/dashboard/pages/{owner.world.page_id}/embed/look",
        data=body,
        content_type=f"multipart/form-data; boundary={boundary}",
    )


def find_image(text: str) -> str | None:
    found = re.search(r'<img src="(/embed/page/[^"]+)"', text)
    return found and found[1]


def test_logo_is_uploaded_with_the_look_shown_replaced_and_removed(world, owner):
    assert find_image(open_look(owner)) is None
    assert "Remove the logo" not in open_look(owner)

    assert upload(owner, make_logo(), font="serif").status_code == 303
    first = find_image(open_look(owner))
    assert world.client.get(first).content_type == "image/webp"
    assert world.page.look.font == "serif"
    save_look(owner, font="serif")  # without a file, the logo stays
    assert find_image(open_look(owner)) == first
    upload(owner, make_logo("JPEG", "blue"))
    assert find_image(open_look(owner)) not in (first, None)

    save_look(owner, removes_logo="y")
    assert find_image(open_look(owner)) is None
    log = {entry.subject for entry in read_log(world.page_id)}
    assert {"font: serif, logo: on", "font: sans, logo: on", "logo: off"} <= log


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"<svg></svg>", "The logo must be a PNG, JPEG or WebP picture."),
        (b"", "The logo must be a PNG, JPEG or WebP picture."),
        (make_logo()[:-30], "The picture is damaged. Save it again in an image editor."),
        (make_logo() + bytes(5_000_000), "The logo must be at most 1 MB."),
    ],
)
def test_refused_logo_is_told_beside_its_field_and_the_other_choices_stay(world, owner, raw, said):
    answer = upload(owner, raw, font="serif", accent="ff6600")

    assert answer.status_code == 422
    assert f'<p class="wrong" id="logo-wrong">{said}</p>' in answer.text
    assert re.search('checked[^>]*value="serif"', answer.text)
    assert 'value="ff6600"' in answer.text
    assert (world.page.look, find_image(answer.text)) == (DEFAULT_LOOK, None)


def test_logo_is_not_stored_if_the_look_is_refused(world, owner):
    assert upload(owner, make_logo(), accent="none").status_code == 422

    assert find_image(open_look(owner)) is None


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
    assert "private, so there's nothing to preview" in text


# The language


def test_tab_is_in_the_owners_language_and_its_code_is_not(world, owner):
    code = read_snippet(open_page(owner))
    assert owner.post("/dashboard/account/language", language="de").status_code == 303

    text = open_page(owner)
    assert read_snippet(text) == code
    assert '<pre translate="no" id="snippet" class="partial" dir="ltr">' in text
    assert "Create a key and its snippet" not in open_page(owner, key="new")
    look = open_look(owner)
    for label in ("Light or dark", "As listed"):
        assert label not in look
    assert "sechs Hex-Ziffern" in save_look(owner, accent="red").text
    assert "Von 200 bis 4000 Pixel." in open_page(owner, height="199")
    assert "Gib die Adresse der Website ein." in make_key(owner, "").text
    save_look(owner, preset="Paper")
    assert world.page.look.font == "serif"
    assert "Gespeichert. Jede Website zeigt es" in open_page(owner)


# A key and its snippet in one step


def test_address_of_a_site_makes_a_key_and_the_snippet_with_it(world, owner):
    answer = make_key(owner, " New.example/blog", www="y", chosen={"lang": "de"})

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
    def read_seen() -> str:
        return re.search('<span role="status">(.*?)</span></p>', open_page(owner))[1]

    assert read_seen() == "Not seen yet"
    for site, destination in (("https://other.example", "iframe"), (SITE, "document")):
        show_list(world, site, destination)
    assert read_seen() == "Not seen yet"
    show_list(world, SITE)
    world.clock.forward(seconds=12)
    assert read_seen() == "Seen 12 seconds ago"

    old = ApiKey.get(ApiKey.purpose == "sites", ApiKey.tier == "public")
    made = KEY.search(make_key(owner, renewed=old.id).text)[0]
    assert read_seen() == "Seen 12 seconds ago, with the old key"
    show_list(world, SITE, key=made)
    assert read_seen() == "Seen 1 second ago"

    for site, said in (
        (SITE, "Seen 1 second ago, with the old key"),  # now also with www
        ("https://new.example", "Not seen yet"),
    ):
        world.clock.forward(seconds=1)
        make_key(owner, site, www="y")
        assert read_seen() == said
    world.revoke_all_keys()
    make_key(owner, SITE)
    assert read_seen() == "Not seen yet"


def show_list(world, site: str, destination: str = "iframe", key: str | None = None) -> None:
    headers = {"Referer": f"{site}/", "Sec-Fetch-Dest": destination}
    path = f"/embed/tracking/{world.page_id}?key={key or world.public_key}"
    assert world.send("GET", path, headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("site", "said"),
    [
        ("", "Enter the address of the site."),
        ("//example.com", "a site&#39;s address"),
        ("https://*.example.com", "has a wildcard"),
    ],
)
def test_mistake_in_the_step_is_told_beside_the_field_and_makes_no_key(owner, site, said):
    before = ApiKey.select().where(ApiKey.purpose == "sites").count()

    answer = make_key(owner, site, www="y")

    assert answer.status_code == 422
    assert said in re.search(r'id="site-wrong">(.*?)</p>', answer.text, re.DOTALL)[1]
    assert ApiKey.select().where(ApiKey.purpose == "sites").count() == before


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
