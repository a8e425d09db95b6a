"""The tab Look: colors, order and logo, and their preview."""

import html
import io
import re

import pytest
from forms import read_mistake
from PIL import Image
from werkzeug.datastructures import FileStorage
from werkzeug.test import encode_multipart

from embed.db.models import ApiKey
from embed.domain.look import DEFAULT_LOOK, Look

pytestmark = pytest.mark.slow


def open_look(owner) -> str:
    return owner.get(f"/dashboard/pages/{owner.world.page_id}/embed/look").text


def save_look(owner, **fields):
    given = DEFAULT_LOOK.write_texts() | {"hide": []} | fields
    return owner.post(f"/dashboard/pages/{owner.world.page_id}/embed/look", **given)


def read_preview(text: str) -> str:
    return html.unescape(re.search(r'<iframe class="preview" src="([^"]*)"', text)[1])


def test_saved_look_is_shown_by_the_form_and_the_preview_and_logged(world, owner):
    assert re.search('<input checked[^>]* name="order"[^>]*>Automatic', open_look(owner))

    world.clock.forward(seconds=1)
    answer = save_look(owner, accent="#FF6600", font="serif", hide=["add", "tools"], order="newest")

    assert answer.status_code == 303
    saved = Look(accent="ff6600", font="serif", hide=("tools", "add"), order="newest")
    assert world.page.look == saved
    text = open_look(owner)
    assert 'value="#ff6600"' in text
    for name, value in (("font", "serif"), ("order", "newest"), ("hide", "tools"), ("hide", "add")):
        assert re.search(f'<input checked[^>]* name="{name}"[^>]* value="{value}"', text)
    assert 'data-accent="ff6600"' in owner.get(read_preview(text), follow_redirects=True).text
    assert "accent: ff6600, font: serif, order: newest, hide: tools,add" in owner.see(
        f"/dashboard/pages/{world.page_id}/activity"
    )


# The preview


def test_preview_is_the_widget_with_a_key_of_its_own(world, owner):
    address = read_preview(open_look(owner))

    answer = owner.get(address, follow_redirects=True)
    assert answer.status_code == 200
    assert "frame-ancestors 'self'" in answer.headers["Content-Security-Policy"]
    owner.get(address)
    assert ApiKey.select().where(ApiKey.purpose == "preview").count() == 1
    world.configure(is_public=False)
    text = open_look(owner)
    assert "<iframe" not in text
    assert "private, so there's nothing to preview" in text


# The logo


def make_logo() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (300, 300), "red").save(file, "PNG")
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


def test_logo_is_uploaded_with_the_look_and_stays_until_it_is_removed(world, owner):
    """See test_logos.py for what is stored."""
    assert upload(owner, make_logo(), accent="none").status_code == 422
    assert find_image(open_look(owner)) is None  # nor stored if the look is refused

    assert upload(owner, make_logo(), font="serif").status_code == 303
    image = find_image(open_look(owner))
    assert world.client.get(image).content_type == "image/webp"
    assert world.page.look.font == "serif"
    save_look(owner, font="serif")  # without a file
    assert find_image(open_look(owner)) == image

    save_look(owner, removes_logo="y")
    assert find_image(open_look(owner)) is None


def test_refused_logo_is_told_beside_its_field_and_the_other_choices_stay(world, owner):
    answer = upload(owner, make_logo() + bytes(5_000_000), font="serif")

    assert answer.status_code == 422
    assert read_mistake(answer, "logo") == "The logo must be at most 1 MB."
    assert re.search('checked[^>]*value="serif"', answer.text)
    assert (world.page.look, find_image(answer.text)) == (DEFAULT_LOOK, None)
