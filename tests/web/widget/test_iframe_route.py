"""GET /embed/tracking/{id}?key= and the session cookie."""

import re

import pytest
from frames import Document, ask, list_rows, read_cookie, read_policy
from support.world import SITE, Visitor, with_session

from embed.db.models import Wallet


def is_own_or_data(script: dict[str, str | None]) -> bool:
    """Tell whether a script comes from the service, or is data and not run."""
    return (script.get("src") or "").startswith("/static/") or (
        script.get("type") == "application/json"
    )


def test_widget_shows_the_page(world):
    visitor = Visitor()
    world.configure(public_title="Our holders", public_comments="Thank you all.")
    world.add_tag("Friend")
    world.track(visitor.address, alias="Ann", tag_names=["Friend"], balance=1500)

    answer = ask(world)

    assert answer.status_code == 200
    assert answer.content_type == "text/html; charset=utf-8"
    text = Document(answer.text).text
    for part in ("$USDC", "Our holders", "Thank you all.", "Ann", "Friend", "1.50K"):
        assert part in text
    assert 'title="USD Coin"' in answer.text


# The cookie


def test_cookie_has_the_attributes_of_the_spec_and_no_others(world):
    (line,) = ask(world).headers.getlist("Set-Cookie")

    pair, *attributes = line.split("; ")
    assert pair.startswith("embed_session=")
    # Expires repeats the lifetime for clients that do not support Max-Age.
    assert sorted(one for one in attributes if not one.startswith("Expires=")) == [
        "HttpOnly",
        f"Max-Age={30 * 24 * 60 * 60}",
        "Partitioned",
        "Path=/embed",
        "SameSite=None",
        "Secure",
    ]


def test_opening_the_widget_writes_nothing(world):
    before = world.dump()

    ask(world)

    assert world.dump() == before


def test_every_visit_renews_the_thirty_days_of_the_same_session(world):
    visitor = with_session(world)
    world.submit(visitor)

    for _ in range(3):
        world.clock.forward(days=29)
        answer = ask(world, cookie=visitor.cookie)
        visitor.cookie = read_cookie(answer)
        assert f"Max-Age={30 * 24 * 60 * 60}" in answer.headers["Set-Cookie"]

    assert len(world.list_own(visitor).json["submissions"]) == 1


def test_session_is_one_for_all_pages(world):
    visitor = with_session(world)
    other = world.make_page()
    key = world.make_key("public", page_id=other)
    world.submit(visitor)

    visitor.cookie = read_cookie(ask(world, key=key, page_id=other, cookie=visitor.cookie))

    assert len(world.list_own(visitor).json["submissions"]) == 1


# Who may show it, and what it may load


def test_only_the_sites_on_the_keys_list_may_frame_the_widget(world):
    key = world.make_key("public", origins=["https://A.example/", "http://b.example:3000"])

    assert read_policy(ask(world))["frame-ancestors"] == ["'self'", SITE]
    assert read_policy(ask(world, key=key))["frame-ancestors"] == [
        "'self'",
        "https://a.example",
        "http://b.example:3000",
    ]
    assert read_policy(ask(world, key=world.make_key("public")))["frame-ancestors"] == ["'self'"]


def test_key_for_the_null_origin_names_no_ancestors_as_none_could_match(world):
    key = world.make_key("public", origins=[SITE], allow_null_origin=True)

    answer = ask(world, key=key)

    assert "frame-ancestors" not in read_policy(answer)
    assert "X-Frame-Options" not in answer.headers
    assert "data-any-site" in answer.text
    assert "data-any-site" not in ask(world).text


def test_widget_loads_nothing_but_the_services_own_files(world):
    answer = ask(world)

    policy = read_policy(answer)
    assert policy["default-src"] == ["'none'"]
    for directive in ("script-src", "style-src", "connect-src"):
        assert policy[directive] == ["'self'"]
    assert policy["base-uri"] == ["'none'"]
    assert policy["form-action"] == ["'self'"]  # the search
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert read_policy(world.call("GET", "/embed/sign")) == policy | {"frame-ancestors": ["'none'"]}
    assert answer.headers["Referrer-Policy"] == "strict-origin"
    assert "no-store" in answer.headers["Cache-Control"]
    document = Document(answer.text)
    assert "style" not in document.tags | document.attributes
    assert all(is_own_or_data(script) for script in document.find("script"))
    assert all(link["href"].startswith(("/", "data:,")) for link in document.find("link"))


def test_refusal_loads_its_style_and_nothing_else(world):
    refused = ask(world, key="")

    assert refused.status_code == 401
    nothing = {name: ["'none'"] for name in ("default-src", "base-uri", "form-action")}
    assert read_policy(refused) == nothing | {
        "style-src": ["'self'"],
        "img-src": ["'self'"],
    }


# Text from owners and visitors


HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7*7 }}{% raw %}",
]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_what_an_owner_wrote_is_text_and_never_markup(world, text):
    world.configure(public_title="Title", public_comments="Comments")
    world.add_tag("tag")
    world.track(Visitor().address, alias="Ann", tag_names=["tag"])
    harmless = Document(ask(world).text)
    world.configure(
        token_name=text, token_symbol=text[:20], public_title=text, public_comments=text
    )
    world.add_tag(text[:40])
    world.track(Visitor().address, alias=text, tag_names=[text[:40]])

    document = Document(ask(world).text)

    assert text in document.text
    assert text[:40] in document.text
    assert document.tags == harmless.tags
    assert not any(name.startswith("on") for name in document.attributes)
    assert all(is_own_or_data(script) for script in document.find("script"))


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_what_the_address_says_is_never_markup(world, text):
    plain = Document(ask(world).text)

    names = ["theme", "accent", "lang", "order", "tag", "q", "page", "to", "part", "sent", text]

    answer = ask(world, headers={"Referer": f"{SITE}/{text}"}, **dict.fromkeys(names, text))

    document = Document(answer.text)
    assert answer.status_code == 200
    assert document.tags == plain.tags
    assert not any(name.startswith("on") for name in document.attributes)


@pytest.mark.databases("sqlite", "postgres")
@pytest.mark.parametrize("wallet_id", ["x", "a%00b", "%ED%A0%80"])
def test_details_of_a_wallet_that_there_is_not_are_not_found(world, wallet_id):
    assert ask(world, f"/wallets/{wallet_id}").status_code == 404


def test_balance_that_nobody_knows_is_shown_as_unknown_and_not_as_zero(world):
    world.approve(world.submit(Visitor(), "Ann").json["submissionId"])

    (row,) = list_rows(ask(world).text)
    details = ask(world, f"/wallets/{Wallet.get().id}").text

    assert re.search('class="balance"><(?:bdi|span)[^>]*>unknown<', row)
    assert '<dd><bdi translate="no">unknown</bdi></dd>' in details
    assert "Signed by its holder" in details
