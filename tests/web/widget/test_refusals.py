"""Who is refused the widget: its page, and all that lies below it, by one rule."""

import pytest
from frames import Document, ask, read_attribute
from support.world import Visitor, with_session

from embed.db.models import Submission, Wallet

pytestmark = pytest.mark.databases("sqlite", "postgres")

# What is asked for, below the page's address, with its query.
ROUTES = {
    "page": ("", {}),
    "rows": ("", {"part": "rows"}),
    "own rows": ("/own", {}),
    "details": ("/wallets/{wallet}", {}),
    "steps": ("/flow", {}),
    "proofs": ("/proofs", {}),
    "receipt": ("/receipts/{submission}", {}),
}
# What happens first, the key or the name of the world's, and the refusal.
REFUSALS = {
    "no key": (None, "", 401, "missing_key"),
    "NUL in the key": (None, "svc_pub_" + "0" * 31 + "\0", 401, "invalid_key"),
    "secret key": (None, "secret_key", 401, "invalid_key"),
    "key of another page": (None, "other_key", 401, "invalid_key"),
    "revoked key": (lambda world: world.revoke(world.public_key), "public_key", 401, "revoked_key"),
    "private page": (
        lambda world: world.configure(is_public=False), "public_key", 403, "embed_disabled",
    ),
    "embedding off": (
        lambda world: world.configure(is_embeddable=False), "public_key", 403, "embed_disabled",
    ),
    "deleted page": (lambda world: world.delete_page(), "public_key", 404, "not_found"),
}  # fmt: skip


@pytest.fixture
def world(world):
    """A page with a wallet whose holder signed, and another page with a key of its own."""
    world.approve(world.submit(Visitor(), "Night heron").json["submissionId"])
    world.other_key = world.make_key("public", page_id=world.make_page())
    return world


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(("act", "key", "status", "code"), REFUSALS.values(), ids=REFUSALS)
def test_refusal_comes_at_the_next_request_and_tells_nothing(world, route, act, key, status, code):
    path, query = ROUTES[route]
    path = path.format(wallet=Wallet.get().id, submission=Submission.get().id)
    visitor = with_session(world)
    before = ask(world, path, **query)
    assert before.status_code == 200
    has_tag = route in ("rows", "own rows")
    headers = {"If-None-Match": read_attribute(before.text, "data-etag") if has_tag else "*"}
    if act is not None:
        act(world)

    key = getattr(world, key, key)
    answer = ask(world, path, key=key, cookie=visitor.cookie, headers=headers, **query)

    assert answer.status_code == status
    if route == "receipt":
        assert answer.json == {"error": code}
    else:
        assert answer.mimetype == "text/html"
        assert code in Document(answer.text).text
    assert "Set-Cookie" not in answer.headers
    for secret in ("USD Coin", "Night heron", world.public_key, world.secret_key):
        assert secret not in answer.text


def test_api_key_header_does_not_open_the_widget(world):
    authorization = {"Authorization": f"Bearer {world.public_key}"}

    assert ask(world, key="", headers=authorization).status_code == 401
