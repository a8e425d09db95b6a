"""What every answer of the service has, whatever it is: headers, and attributes of cookies."""

from functools import partial

import pytest
from support.world import Visitor

from embed.db.models import Wallet
from embed.keys import derived
from embed.logos import draw_logo, find_digest
from embed.pages import change_look
from embed.web.assets import STATIC_DIR, hash_folder

SERVICE = "https://embed.example"
MARK = (STATIC_DIR / "look/mark.png").read_bytes()
STATIC = f"/static/{hash_folder()}"


@pytest.fixture
def environ(environ) -> dict[str, str]:
    return environ | {"PUBLIC_URL": SERVICE}


@pytest.fixture
def paths(world) -> dict[str, str]:
    """One address of each kind, by its name."""
    widget = f"/embed/tracking/{world.page_id}"
    return {
        "widget": f"{widget}?key={world.public_key}",
        "refused widget": widget,
        "QR code": f"{widget}/qr.svg?key={world.public_key}&wallet=phantom",
        "signing window": "/embed/sign",
        "checker of receipts": "/embed/check-receipts",
        "rows": f"{widget}?key={world.public_key}&part=rows",
        "own rows": f"{widget}/own?key={world.public_key}",
        "proofs": f"{widget}/proofs?key={world.public_key}",
        "unknown receipt": f"{widget}/receipts/x?key={world.public_key}",
        "API": f"/embed/api/tracking/{world.page_id}",
        "unknown path of the API": "/api/embed/nothing",
        "OpenAPI document": "/api/embed/openapi.json",
        "unknown path": "/nothing",
        "script for sites": "/embed.js",
        "script": f"{STATIC}/widget/main.js",
        "style sheet": f"{STATIC}/widget/widget.css",
        "image": f"{STATIC}/look/mark.svg",
        "page among the files": f"{STATIC}/check-receipts.html",
        "unknown file": f"{STATIC}/nothing.js",
        "front page": "/",
        "dashboard": "/dashboard/",
        "sign-in": "/dashboard/sign-in",
        "unknown path of the dashboard": "/dashboard/nothing",
    }


SHOWN_AS_TEXT = {"script", "style sheet"}


def ask_all(world, paths: dict[str, str], base_url=SERVICE, method="GET") -> dict:
    """Return the answer of each path, as to a browser with the right origin."""
    return {
        name: world.call(
            method, path, base_url=base_url, headers={"Origin": SERVICE}, buffered=True
        )  # buffered: files are closed
        for name, path in paths.items()
    }


def test_the_paths_are_of_the_kinds_that_they_say(world, paths):
    statuses = {name: answer.status_code for name, answer in ask_all(world, paths).items()}

    assert statuses == dict.fromkeys(paths, 200) | {
        "refused widget": 401,
        "unknown path of the API": 404,
        "unknown path": 404,
        "unknown file": 404,
        "unknown receipt": 404,
        "dashboard": 302,
        "unknown path of the dashboard": 404,
    }


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "OPTIONS"])
def test_no_answer_is_taken_for_another_type_or_loads_what_is_not_ours(world, paths, method):
    for name, answer in ask_all(world, paths, method=method).items():
        assert answer.headers["X-Content-Type-Options"] == "nosniff", name
        if name not in SHOWN_AS_TEXT or answer.status_code != 200:
            policy = answer.headers["Content-Security-Policy"]
            assert {"default-src 'none'", "base-uri 'none'"} <= set(policy.split("; ")), name


def test_only_the_widget_can_be_framed_and_only_it_and_the_sign_in_set_cookies(world, paths):
    framed, embedders, setters = set(), set(), set()
    for name, answer in ask_all(world, paths).items():
        policy = answer.headers.get("Content-Security-Policy", "")
        framed |= set() if "frame-ancestors 'none'" in policy else {name}
        embedders |= {name} if "Cross-Origin-Embedder-Policy" in answer.headers else set()
        assert ("require-trusted-types-for 'script'" in policy) == ("script-src" in policy), name
        is_text = answer.mimetype != "application/json"
        assert ("charset=utf-8" in answer.content_type) == is_text, name

        setters |= {name} if "Set-Cookie" in answer.headers else set()

    assert framed - SHOWN_AS_TEXT == embedders == {"widget", "refused widget"}
    assert setters == {"widget", "sign-in"}


LOADED_BY_SITES = {
    "widget",
    "refused widget",
    "QR code",
    "script for sites",
    "script",
    "style sheet",
    "image",
    "page among the files",
}


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_sites_load_the_widget_and_what_is_the_same_for_everybody_and_nothing_else(
    world, paths, method
):
    policies = {
        name: answer.headers["Cross-Origin-Resource-Policy"]
        for name, answer in ask_all(world, paths, method=method).items()
    }

    assert policies == dict.fromkeys(paths, "same-origin") | dict.fromkeys(
        LOADED_BY_SITES, "cross-origin"
    )


def test_browsers_are_told_to_stay_with_https_by_https(world, paths):
    for base_url, told in ((SERVICE, {"max-age=31536000"}), ("http://embed.example", {None})):
        answers = ask_all(world, paths, base_url).values()
        assert {one.headers.get("Strict-Transport-Security") for one in answers} == told


@pytest.mark.parametrize("public_url", ["", "http://embed.example"])
def test_nothing_is_said_about_https_that_the_operator_did_not_announce(world_with, public_url):
    world = world_with(PUBLIC_URL=public_url)

    answer = world.call("GET", "/embed/sign", base_url=SERVICE)

    assert "Strict-Transport-Security" not in answer.headers


# Shared caches, most of which ignore Vary


def test_what_shared_caches_may_keep_is_the_same_for_everybody(world):
    derived.share_page(world.page_id, world.change())
    visitor = Visitor()
    nonce = world.ask_nonce(visitor, base_url=SERVICE).json
    sent = world.post(world.draft(visitor, nonce=nonce), base_url=SERVICE)
    world.approve(sent.json["submissionId"])
    change_look(world.page_id, {}, world.change(), logo=draw_logo(MARK))
    pictures = {"wallet_id": Wallet.get().id, "digest": find_digest(world.page_id)}
    named = pictures | {
        "page_id": world.page_id,
        "folder_digest": hash_folder(),
        "name": "embed.js",
    }
    named |= {"tier": "public", "place": "tags"}
    addresses = world.app.url_map.bind("embed.example")
    reader = {"Accept-Language": "ar", "Cookie": "theme=dark", "Accept": "text/html"}
    kept = set()

    for rule in world.app.url_map.iter_rules():
        if "GET" in rule.methods:
            path = addresses.build(
                rule.endpoint, {one: named.get(one, "x") for one in rule.arguments}
            )
            how = {"query_string": {"key": world.public_key}, "buffered": True}
            ask = partial(world.call, "GET", path, base_url=SERVICE, **how)
            answer = ask(headers=reader | {"Accept-Encoding": "gzip"})
            if answer.cache_control.max_age and not answer.cache_control.private:
                kept.add(rule.endpoint)
                assert set(answer.vary) <= {"Accept-Encoding"}, path
                assert ask(headers=reader).data == ask().data, path
    pictures = {"widget.show_logo", "widget.show_picture", "widget.show_card_picture"}
    assert kept == pictures | {"static_file", "embed_script", "widget.read_counts"}


@pytest.mark.parametrize(
    "path",
    [
        f"{STATIC}/",
        f"{STATIC}/..%2fapp.py",
        f"{STATIC}/%00",
        "/instance/secret_key",
    ],
)
def test_nothing_but_static_files_is_served_as_a_file(world, path):
    answer = world.call("GET", path, base_url=SERVICE)

    assert answer.status_code == 404
