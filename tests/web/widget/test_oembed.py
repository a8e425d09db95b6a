"""GET /oembed, against the rules of oEmbed 1.0 (https://oembed.com)."""

import html
from urllib.parse import quote

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from shared_pages import ENDINGS, every_ending, get, share
from support.world import code_of
from test_iframe_route import Document

HOST = "http://localhost"
HOSTILE = '"><script>'

# https://oembed.com, 2.3.4 Response parameters, with those of the type "rich" (2.3.4.4): which are
# required, their types in JSON, and that all three of a thumbnail's are there or none.
PIXELS = {"type": "integer", "minimum": 1}
ADDRESS = {"type": "string", "pattern": "^https?://"}
THUMBNAIL = ["thumbnail_url", "thumbnail_width", "thumbnail_height"]
RESPONSE = {
    "type": "object",
    "required": ["type", "version", "html", "width", "height"],
    "properties": {
        "type": {"const": "rich"},
        "version": {"const": "1.0"},
        "title": {"type": "string"},
        "author_name": {"type": "string"},
        "author_url": ADDRESS,
        "provider_name": {"type": "string"},
        "provider_url": ADDRESS,
        "cache_age": {"type": "integer", "minimum": 0},
        "thumbnail_url": ADDRESS,
        "thumbnail_width": PIXELS,
        "thumbnail_height": PIXELS,
        "html": {"type": "string", "minLength": 1},
        "width": PIXELS,
        "height": PIXELS,
    },
    "additionalProperties": False,
    "dependentRequired": dict.fromkeys(THUMBNAIL, THUMBNAIL),
}
check = Draft202012Validator(RESPONSE).validate


@pytest.fixture
def path(world) -> str:
    return share(world)


def ask(world, url: str, **query: str):
    return get(world, "/oembed", url=url, **query)


def read_frame(answer) -> dict[str, str | None]:
    document = Document(answer.json["html"])
    assert document.tags == {"iframe"}
    return document.find("iframe")[0]


def test_link_is_described_by_the_rules_of_oembed(world, path):
    answer = ask(world, HOST + path)

    assert answer.status_code == 200
    assert answer.content_type == "application/json"
    check(answer.json)
    assert answer.json["title"] == "USD Coin wallets"
    assert answer.json["provider_url"] == HOST


@pytest.mark.parametrize("broken", [{"version": 1.0}, {"width": "640"}, {"html": None}, {"x": 1}])
def test_answer_that_breaks_the_rules_would_be_found(world, path, broken):
    with pytest.raises(ValidationError):
        check(ask(world, HOST + path).json | broken)


def test_frame_shows_the_list_on_any_site(world, path):
    frame = read_frame(ask(world, HOST + path))

    assert frame["src"] == f"{HOST}{path}/frame"
    assert (frame["width"], frame["height"], frame["referrerpolicy"]) == (
        "640",
        "600",
        "strict-origin",
    )
    assert frame["title"] == "USD Coin wallets"
    assert "svc_" not in str(frame)


def test_title_of_the_page_is_escaped(world, path):
    title = """"><script>alert(1)</script>' &"""
    world.configure(public_title=title)
    answer = ask(world, HOST + path)

    assert answer.json["title"] == title
    assert read_frame(answer)["title"] == title
    assert html.escape(title) in answer.json["html"]


def test_language_and_look_of_the_link_are_those_of_the_frame(world, path):
    link = f"{HOST}{path}?lang=de&accent=ff6600&hide=heading,add&key=x&utm_source=y#top"

    assert read_frame(ask(world, link))["src"] == (
        f"{HOST}{path}/frame?lang=de&accent=ff6600&hide=heading,add"
    )


@pytest.mark.parametrize(
    ("theme", "scheme"), [("dark", "dark"), ("auto", "light dark"), ("x", "light")]
)
def test_frame_has_the_color_scheme_of_the_theme_that_the_link_asks_for(world, path, theme, scheme):
    frame = read_frame(ask(world, f"{HOST}{path}?theme={theme}&lang=de"))

    assert frame["style"].endswith(f" color-scheme: {scheme}")


def test_argument_of_a_link_cannot_leave_the_address(world, path):
    link = f"{HOST}{path}?lang={quote(HOSTILE)}&theme={quote('&key=x#')}"
    answer = ask(world, link)

    assert "<script>" not in answer.json["html"]
    src = read_frame(answer)["src"]
    assert "key=" not in src.replace("%26key%3Dx", "")


@pytest.mark.parametrize(
    ("asked", "size"),
    [
        ({}, (640, 600)),
        ({"maxwidth": "320"}, (320, 600)),
        ({"maxheight": "200"}, (640, 200)),
        ({"maxwidth": "2000", "maxheight": "0400"}, (640, 400)),
        ({"maxwidth": "", "maxheight": ""}, (640, 600)),
    ],
)
def test_frame_is_no_larger_than_asked(world, path, asked, size):
    answer = ask(world, HOST + path, **asked)

    check(answer.json)
    assert (answer.json["width"], answer.json["height"]) == size
    frame = read_frame(answer)
    assert (int(frame["width"]), int(frame["height"])) == size


@pytest.mark.parametrize("name", ["maxwidth", "maxheight"])
@pytest.mark.parametrize("size", ["0", "-1", "1.5", "1e3", "tall", "٣", "9" * 5000, "\0", " "])
def test_size_that_is_none_is_refused(world, path, name, size):
    answer = ask(world, HOST + path, **{name: size})

    assert (answer.status_code, code_of(answer)) == (400, "bad_request")


@pytest.mark.parametrize("name", ["xml", "JSON", "", "html"])
def test_other_formats_are_not_implemented(world, path, name):
    answer = ask(world, HOST + path, format=name)

    assert (answer.status_code, answer.json) == (501, {"error": "unsupported_format"})
    assert answer.headers["Cache-Control"] == "no-store"
    assert ask(world, HOST + path, format="json").status_code == 200


@pytest.mark.parametrize(
    "url",
    [
        "",
        "{path}",
        "https://localhost{path}",
        "http://localhost:81{path}",
        "http://evil.example{path}",
        "http://localhost.evil.example{path}",
        "http://localhost@evil.example{path}",
        "http://evil.example\\@localhost{path}",
        "http://localhost{path}/frame",
        "http://localhost{path}/../x",
        "http://localhost{path}\0",
        "http://localhost{path}%00",
        "http://localhost/embed/page/",
        "http://localhost/embed/page/xxxxxxxxxxxxxxxxxxxx",
        "http://localhost/embed/tracking/{page_id}",
        "http://[{path}",
        "javascript:alert(1)",
        "http://localhost{path}?" + "x" * 20_000,
    ],
)
def test_any_other_address_is_not_found(world, path, url):
    answer = ask(world, url.format(path=path, page_id=world.page_id))
    if len(url) > 20_000:  # a long link is a link
        assert answer.status_code == 200
    else:
        assert (answer.status_code, code_of(answer)) == (404, "not_found")


def test_address_with_a_slash_at_its_end_is_the_same(world, path):
    assert ask(world, f"{HOST}{path}/").status_code == 200


@every_ending
def test_page_is_not_found_once_its_link_has_ended(world, path, ending):
    ENDINGS[ending](world)
    answer = ask(world, HOST + path)

    assert (answer.status_code, code_of(answer)) == (404, "not_found")
    assert "no-store" in answer.headers["Cache-Control"]


def test_scripts_of_every_site_may_read_answers_and_refusals(world, path):
    for answer in (ask(world, HOST + path), ask(world, ""), world.client.post("/oembed")):
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert answer.content_type == "application/json"
        assert "Access-Control-Allow-Credentials" not in answer.headers
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_caches_may_keep_it_as_long_as_it_says(world, path):
    answer = ask(world, HOST + path)

    assert answer.headers["Cache-Control"] == f"public, max-age={answer.json['cache_age']}"
    assert "Vary" not in answer.headers
    again = world.client.get(
        "/oembed",
        query_string={"url": HOST + path},
        headers={"If-None-Match": answer.headers["ETag"]},
    )
    assert again.status_code == 304


def test_public_address_is_the_only_one_of_links(world_with):
    world = world_with(PUBLIC_URL="https://embed.example.com")
    path = share(world)
    headers = {"Host": "embed.example.com"}

    def ask_for(url: str, host: str = "embed.example.com"):
        return world.client.get(
            "/oembed", query_string={"url": url}, headers=headers | {"Host": host}
        )

    found = ask_for(f"https://embed.example.com{path}")
    assert read_frame(found)["src"] == f"https://embed.example.com{path}/frame"
    assert ask_for(f"http://embed.example.com{path}").status_code == 404
    assert code_of(ask_for(f"https://embed.example.com{path}", "evil.example")) == "invalid_host"


def test_requests_count_against_the_clients_limit(world_with):
    world = world_with(LIMIT_PER_IP="2/minute")
    path = share(world)
    answers = [ask(world, HOST + path) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert code_of(answers[2]) == "rate_limit_ip"
