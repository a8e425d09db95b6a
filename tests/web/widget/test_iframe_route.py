"""GET /embed/tracking/{id}?key= and the session cookie."""

import re
from html.parser import HTMLParser

import pytest
from support.world import SITE, Visitor

from embed.db.models import Wallet

COOKIE = "embed_session"


def open_frame(world, key=None, *, page_id=None, cookie=None, **headers):
    """Request the page as a browser does for a frame: no Authorization, no Origin."""
    return world.call(
        "GET",
        f"/embed/tracking/{page_id or world.page_id}",
        query_string={} if key == "" else {"key": key or world.public_key},
        cookie=cookie,
        headers={"Authorization": None, "Origin": None} | headers,
    )


def read_cookie(answer) -> str:
    (line,) = answer.headers.getlist("Set-Cookie")
    name, _, value = line.partition(";")[0].partition("=")
    assert name == COOKIE
    return value


def read_policy(answer) -> dict[str, list[str]]:
    directives = answer.headers["Content-Security-Policy"].split(";")
    return {name: values for name, *values in map(str.split, directives)}


class Document(HTMLParser):
    """A parsed page: its elements, their attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data

    @property
    def attributes(self) -> set[str]:
        return {name for _, attributes in self.elements for name in attributes}

    @property
    def tags(self) -> set[str]:
        return {tag for tag, _ in self.elements}

    def find(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def is_own_or_data(script: dict[str, str | None]) -> bool:
    """Tell whether a script comes from the service, or is data and not run."""
    return (script.get("src") or "").startswith("/static/") or (
        script.get("type") == "application/json"
    )


def test_minimum_is_told_with_all_its_decimals_before_anything_is_signed(world):
    world.configure(min_balance="1000.0000004")
    path = f"/embed/tracking/{world.page_id}/flow"

    steps = world.call("GET", path, query_string={"key": world.public_key}).text

    assert "This list requires at least 1,000.0000004 $USDC." in steps
    assert "Only balances entered by the owner count." in steps


def test_widget_shows_the_page(world):
    visitor = Visitor()
    world.configure(public_title="Our holders", public_comments="Thank you all.")
    world.add_tag("Friend")
    world.track(visitor.address, alias="Ann", tag_names=["Friend"], balance=1500)

    answer = open_frame(world)

    assert answer.status_code == 200
    assert answer.content_type == "text/html; charset=utf-8"
    text = Document(answer.text).text
    for part in ("$USDC", "Our holders", "Thank you all.", "Ann", "Friend", "1.50K"):
        assert part in text
    assert 'title="USD Coin"' in answer.text


# The cookie


def test_cookie_has_the_attributes_of_the_spec_and_no_others(world):
    (line,) = open_frame(world).headers.getlist("Set-Cookie")

    pair, *attributes = line.split("; ")
    assert pair.startswith(f"{COOKIE}=")
    # Expires repeats the lifetime for clients that do not support Max-Age.
    assert sorted(one for one in attributes if not one.startswith("Expires=")) == [
        "HttpOnly",
        f"Max-Age={30 * 24 * 60 * 60}",
        "Partitioned",
        "Path=/embed",
        "SameSite=None",
        "Secure",
    ]


def test_every_visitor_gets_a_session_of_their_own(world):
    assert read_cookie(open_frame(world)) != read_cookie(open_frame(world))


def test_opening_the_widget_writes_nothing(world):
    before = world.dump()

    open_frame(world)

    assert world.dump() == before


def test_every_visit_renews_the_thirty_days_of_the_same_session(world):
    visitor = Visitor()
    world.open_widget(visitor)
    world.submit(visitor)

    for _ in range(3):
        world.clock.forward(days=29)
        answer = open_frame(world, cookie=visitor.cookie)
        visitor.cookie = read_cookie(answer)
        assert f"Max-Age={30 * 24 * 60 * 60}" in answer.headers["Set-Cookie"]

    assert len(world.list_own(visitor).json["submissions"]) == 1


def test_expired_session_is_followed_by_a_new_one(world):
    visitor = Visitor()
    world.open_widget(visitor)
    world.submit(visitor)
    world.clock.forward(days=30)

    visitor.cookie = read_cookie(open_frame(world, cookie=visitor.cookie))

    assert world.list_own(visitor).json["submissions"] == []


def test_session_is_one_for_all_pages(world):
    visitor = Visitor()
    world.open_widget(visitor)
    other = world.make_page()
    key = world.make_key("public", page_id=other)
    world.submit(visitor)

    visitor.cookie = read_cookie(open_frame(world, key, page_id=other, cookie=visitor.cookie))

    assert len(world.list_own(visitor).json["submissions"]) == 1


def test_no_other_route_sets_a_cookie(world):
    own_routes = [
        rule.rule.replace("<page_id>", world.page_id)
        for rule in world.app.url_map.iter_rules()
        if rule.rule.startswith("/embed/")
        and rule.rule != "/embed/tracking/<page_id>"
        and "GET" in rule.methods
    ]
    assert len(own_routes) >= 2

    query = {"key": world.public_key}
    answers = {path: world.call("GET", path, query_string=query) for path in own_routes}

    assert {path for path, answer in answers.items() if "Set-Cookie" in answer.headers} == set()


# Who may show it, and what it may load


def test_only_the_sites_on_the_keys_list_may_frame_the_widget(world):
    key = world.make_key("public", origins=["https://A.example/", "http://b.example:3000"])

    assert read_policy(open_frame(world))["frame-ancestors"] == ["'self'", SITE]
    assert read_policy(open_frame(world, key))["frame-ancestors"] == [
        "'self'",
        "https://a.example",
        "http://b.example:3000",
    ]
    assert read_policy(open_frame(world, world.make_key("public")))["frame-ancestors"] == ["'self'"]


def test_key_for_the_null_origin_names_no_ancestors_as_none_could_match(world):
    key = world.make_key("public", origins=[SITE], allow_null_origin=True)

    answer = open_frame(world, key)

    assert "frame-ancestors" not in read_policy(answer)
    assert "X-Frame-Options" not in answer.headers


def test_widget_loads_nothing_but_the_services_own_files(world):
    answer = open_frame(world)

    policy = read_policy(answer)
    assert policy["default-src"] == ["'none'"]
    for directive in ("script-src", "style-src", "connect-src"):
        assert policy[directive] == ["'self'"]
    assert policy["base-uri"] == ["'none'"]
    assert policy["form-action"] == ["'self'"]  # the search
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    document = Document(answer.text)
    assert "style" not in document.tags | document.attributes
    assert all(is_own_or_data(script) for script in document.find("script"))
    assert all(link["href"].startswith(("/", "data:,")) for link in document.find("link"))


def test_signing_window_loads_the_same_and_is_framed_by_nobody(world):
    policy = read_policy(world.call("GET", "/embed/sign"))

    assert policy == read_policy(open_frame(world)) | {"frame-ancestors": ["'none'"]}


def test_refusal_loads_its_style_and_nothing_else(world):
    refused = world.call("GET", f"/embed/tracking/{world.page_id}")

    assert refused.status_code == 401
    nothing = {name: ["'none'"] for name in ("default-src", "base-uri", "form-action")}
    assert read_policy(refused) == nothing | {
        "style-src": ["'self'"],
        "img-src": ["'self'"],
    }


def test_address_with_the_key_stays_with_the_service_and_out_of_caches(world):
    headers = open_frame(world).headers

    assert headers["Referrer-Policy"] == "strict-origin"
    assert "no-store" in headers["Cache-Control"]


@pytest.mark.parametrize("origin", ["https://evil.example", "null"])
def test_route_itself_leaves_the_origin_to_the_browser(world, origin):
    assert open_frame(world, Origin=origin).status_code == 200


# Refusals


# What happens first, the key or the name of the world's, and the refusal.
REFUSALS = {
    "no key": (None, "", 401, "missing_key"),
    "malformed key": (None, "x", 401, "invalid_key"),
    "unknown key": (None, "svc_pub_" + "0" * 32, 401, "invalid_key"),
    "NUL in the key": (None, "svc_pub_" + "0" * 31 + "\0", 401, "invalid_key"),
    "secret key": (None, "secret_key", 401, "invalid_key"),
    "revoked secret key": (
        lambda world: world.revoke(world.secret_key), "secret_key", 401, "revoked_key",
    ),
    "revoked key": (lambda world: world.revoke(world.public_key), "public_key", 401, "revoked_key"),
    "private page": (
        lambda world: world.configure(is_public=False), "public_key", 403, "embed_disabled",
    ),
    "embedding off": (
        lambda world: world.configure(is_embeddable=False), "public_key", 403, "embed_disabled",
    ),
    "deleted page": (lambda world: world.delete_page(), "public_key", 404, "not_found"),
}  # fmt: skip


@pytest.mark.parametrize(("act", "key", "status", "code"), REFUSALS.values(), ids=REFUSALS)
def test_refusal_is_a_small_page_for_people_that_sets_no_cookie(world, act, key, status, code):
    visitor = Visitor()
    world.open_widget(visitor)
    if act is not None:
        act(world)

    answer = open_frame(world, getattr(world, key, key), cookie=visitor.cookie)

    assert answer.status_code == status
    assert answer.mimetype == "text/html"
    assert code in Document(answer.text).text
    assert "Set-Cookie" not in answer.headers
    assert "USD Coin" not in answer.text
    assert world.public_key not in answer.text
    assert world.secret_key not in answer.text


def test_key_of_another_page_opens_nothing(world):
    key = world.make_key("public", page_id=world.make_page())

    assert open_frame(world, key).status_code == 401


def test_api_key_header_does_not_open_the_widget(world):
    answer = open_frame(world, "", Authorization=f"Bearer {world.public_key}")

    assert answer.status_code == 401


@pytest.mark.parametrize("method", ["POST", "OPTIONS"])
def test_widget_is_only_read(world, method):
    path = f"/embed/tracking/{world.page_id}"

    answer = world.call(method, path, query_string={"key": world.public_key})

    assert answer.status_code == 405
    assert "Set-Cookie" not in answer.headers
    assert "GET" in answer.headers["Allow"]


# Gone


def test_feed_of_a_page_is_gone_whatever_its_key(world, count_statements):
    path = f"/embed/tracking/{world.page_id}/feed.atom"

    def ask() -> None:
        for query in ({"key": world.public_key}, {}):
            answer = world.client.get(path, query_string=query)
            assert answer.status_code == 410
            assert answer.text == "This list no longer has a feed.\n"
            assert answer.mimetype == "text/plain"

    assert count_statements(ask) == 0
    assert "feed.atom" not in open_frame(world).text


# Text from owners and visitors


HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</script><script>alert(1)//",
    "{{ 7*7 }}{% raw %}",
    "&lt;b&gt; &amp;amp;",
]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_what_an_owner_wrote_is_text_and_never_markup(world, text):
    world.configure(public_title="Title", public_comments="Comments")
    world.add_tag("tag")
    world.track(Visitor().address, alias="Ann", tag_names=["tag"])
    harmless = Document(open_frame(world).text)
    world.configure(
        token_name=text, token_symbol=text[:20], public_title=text, public_comments=text
    )
    world.add_tag(text[:40])
    world.track(Visitor().address, alias=text, tag_names=[text[:40]])

    document = Document(open_frame(world).text)

    assert text in document.text
    assert text[:40] in document.text
    assert document.tags == harmless.tags
    assert not any(name.startswith("on") for name in document.attributes)
    assert all(is_own_or_data(script) for script in document.find("script"))


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_what_the_address_says_is_never_markup(world, text):
    plain = Document(open_frame(world).text)

    answer = world.call(
        "GET",
        f"/embed/tracking/{world.page_id}",
        query_string=dict.fromkeys(
            [
                *("theme", "accent", "lang", "order", "tag", "q", "page", "to", "part", "sent"),
                *("x", text),
            ],
            text,
        )
        | {"key": world.public_key},
        headers={"Referer": f"{SITE}/{text.encode('ascii', 'ignore').decode()}"},
    )

    document = Document(answer.text)
    assert answer.status_code == 200
    assert document.tags == plain.tags
    assert not any(name.startswith("on") for name in document.attributes)


@pytest.mark.databases("sqlite", "postgres")
@pytest.mark.parametrize("wallet_id", ["x", "0" * 20, "A" * 3000, "%00", "a%00b", "%ED%A0%80", "'"])
def test_details_of_a_wallet_that_there_is_not_are_not_found(world, wallet_id):
    path = f"/embed/tracking/{world.page_id}/wallets/{wallet_id}"

    assert world.call("GET", path, query_string={"key": world.public_key}).status_code == 404


def test_balance_that_nobody_knows_is_shown_as_unknown_and_not_as_zero(world):
    visitor = Visitor()
    world.approve(world.submit(visitor, "Ann").json["submissionId"])
    known = Visitor()
    world.track(known.address, balance="0")

    rows = re.findall(r'<li class="wallet".*?</li>', open_frame(world).text, re.DOTALL)
    figures = {
        re.search('<p class="row"><code.*?>(.*?)<', row)[1]: re.search(
            'class="balance"><(?:bdi|span)[^>]*>(.*?)<', row
        )[1]
        for row in rows
    }
    assert figures == {visitor.address: "unknown", known.address: "0"}
    of_ann = Wallet.get(Wallet.address == visitor.address)
    path = f"/embed/tracking/{world.page_id}/wallets/{of_ann.id}"
    details = world.call("GET", path, query_string={"key": world.public_key}).text
    assert '<dd><bdi translate="no">unknown</bdi></dd>' in details
    assert "Signed by its holder" in details


def test_refusal_by_the_minimum_names_what_the_wallet_holds_only_where_the_chain_is_read(world):
    def read_sentence() -> str:
        path = f"/embed/tracking/{world.page_id}/flow"
        text = world.client.get(path, query_string={"key": world.public_key}).text
        return re.search(r'"ca_gate_failed": "(.*?)"', text)[1]

    asked = "This list requires at least {minBalance} {symbol}"
    entered = f"{asked}. The owner has entered no balance for this wallet, or a lower one."
    assert read_sentence() == entered

    world.use_endpoint("https://rpc.example")
    assert read_sentence() == f"{asked}; this wallet holds {{balance}}."
