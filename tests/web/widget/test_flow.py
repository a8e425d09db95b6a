"""GET /embed/tracking/{id}/flow: the steps, which the widget loads when they are wanted."""

import pytest
from world import Visitor, one_database


def ask(world, **query):
    return world.client.get(
        f"/embed/tracking/{world.page_id}/flow", query_string={"key": world.public_key} | query
    )


@one_database
def test_steps_come_with_their_sentences_and_styles(world):
    answer = ask(world, lang="de")

    assert answer.status_code == 200
    assert '<section id="flow"' in answer.text
    assert "/widget/flow.css" in answer.text
    assert "Wallet hinzufügen" in answer.text
    assert "Set-Cookie" not in answer.headers
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]


@one_database
def test_list_comes_without_them(world):
    page = world.open_widget(Visitor()).text

    assert '<section id="flow"' not in page
    assert "/widget/flow.css" not in page


@one_database
def test_refusals_are_those_of_the_list(world):
    other = world.make_key("public", page_id=world.make_page())

    for key in ("", "x", world.secret_key, other):
        assert ask(world, key=key).status_code == 401
    for switch in ("is_public", "is_embeddable"):
        world.configure(**{switch: False})
        assert ask(world).status_code == 403
        world.configure(**{switch: True})
    world.delete_page()
    assert ask(world).status_code == 404


@one_database
@pytest.mark.parametrize("text", ["<b>x</b>", '"><img src=x>'])
def test_what_owners_write_does_nothing(world, text):
    world.configure(token_symbol=text, min_balance="5")

    assert text not in ask(world).text


@one_database
def test_frames_without_an_origin_may_read_it_if_their_key_allows_them(world):
    sandboxed = world.make_key("public", allow_null_origin=True)

    def read_permission(key: str, origin: str) -> str | None:
        path = f"/embed/tracking/{world.page_id}/flow?key={key}"
        answer = world.client.get(path, headers={"Origin": origin})
        assert answer.status_code == 200
        return answer.headers.get("Access-Control-Allow-Origin")

    assert read_permission(sandboxed, "null") == "null"
    assert read_permission(sandboxed, "https://other.example") is None
    assert read_permission(world.public_key, "null") is None
