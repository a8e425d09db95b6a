"""Wallets as a way in, over HTTP; in a browser: tests/browser/test_wallet_sign_in.py."""

import pytest
from support.owner_browser import OwnerBrowser, find_token
from support.world import Visitor

from embed.db.models import AccountEvent, ApiKey, LinkedWallet, Session
from embed.people import sessions

pytestmark = pytest.mark.slow

SIGN_IN = "/dashboard/sign-in/wallet"
LINK = "/dashboard/account/wallets/link"
CONFIRM = "/dashboard/confirm/wallet"
ACCOUNT = "/dashboard/account"
QUESTION = "Is it you?"
FORGED = "A" * 86 + "=="
REFUSED = 422


class Browser:
    """A browser in which nobody has signed in yet."""

    def __init__(self, world) -> None:
        self.client = world.app.test_client()
        page = self.client.get("/dashboard/sign-in").text
        self.fields = {"csrf_token": find_token(page)}

    def post(self, path: str, **fields: str):
        return self.client.post(path, data=self.fields | fields)


@pytest.fixture
def anonymous(world) -> Browser:
    return Browser(world)


@pytest.fixture
def wallet() -> Visitor:
    return Visitor()


@pytest.fixture
def linked(owner, wallet) -> Visitor:
    """A wallet that is linked to the owner's account."""
    assert sign(owner, LINK, wallet).status_code == 200
    return wallet


def sign(browser, path: str, wallet: Visitor):
    """Go through the steps of a page; return the answer to the signature."""
    asked = browser.post(path, address=wallet.address)
    assert asked.status_code == 200, asked.text
    return send(browser, path, wallet, asked.json)


def send(browser, path: str, wallet: Visitor, nonce: dict[str, str], **changes: str):
    fields = {
        "address": wallet.address,
        "nonceId": nonce["nonceId"],
        "signature": wallet.sign(nonce["message"]),
    }
    return browser.post(path, **(fields | changes))


def is_signed_in(client) -> bool:
    return client.get("/dashboard/").status_code == 200


def is_asked(answer) -> bool:
    return answer.status_code == 403 and QUESTION in answer.text


def list_linked() -> list[str]:
    return [one.address for one in LinkedWallet.select().order_by(LinkedWallet.created_at)]


# Linking and unlinking


def test_linked_wallet_is_on_the_account_page_until_it_is_unlinked(world, owner, wallet):
    assert wallet.address not in owner.see(ACCOUNT)

    answer = sign(owner, LINK, wallet)

    assert answer.json == {"next": f"{ACCOUNT}#linked-wallets"}
    shown = owner.see(ACCOUNT)
    assert "Your wallet is linked." in shown
    assert wallet.address in shown
    assert "not used yet" in shown
    path = f"{ACCOUNT}/wallets/{LinkedWallet.get().id}/unlink"
    assert f'action="{path}"' in owner.get(ACCOUNT).text
    assert owner.post(path).status_code == 303
    assert "The wallet is unlinked." in owner.see(ACCOUNT)
    assert list_linked() == []


def test_several_wallets_are_linked_and_the_eleventh_is_refused(owner):
    for _ in range(10):
        assert sign(owner, LINK, Visitor()).status_code == 200

    assert f'href="{LINK}"' not in owner.get(ACCOUNT).text
    answer = sign(owner, LINK, Visitor())
    assert (answer.status_code, answer.json["sentence"]) == (
        REFUSED,
        "You can link up to 10 wallets.",
    )
    assert len(list_linked()) == 10


def test_wallet_of_another_account_is_refused_without_saying_whose(owner, linked, stranger):
    answer = sign(stranger, LINK, linked)

    assert answer.status_code == REFUSED
    assert answer.json == {
        "error": "refused",
        "sentence": "This wallet is linked to an account already.",
    }


def test_nobody_unlinks_the_wallet_of_somebody_else(owner, linked, stranger):
    path = f"{ACCOUNT}/wallets/{LinkedWallet.get().id}/unlink"

    assert stranger.post(path).status_code == 404
    assert list_linked() == [linked.address]


@pytest.mark.parametrize("raw", ["x", "%00", "A" * 5000, "%ff"])
def test_what_cannot_be_an_id_is_not_found(owner, raw):
    assert owner.post(f"{ACCOUNT}/wallets/{raw}/unlink").status_code == 404


def test_linking_and_unlinking_ask_whether_it_is_you_and_the_page_leads_there(world, owner, linked):
    world.clock.forward(minutes=31)
    asked = owner.get(LINK)
    assert asked.headers["Location"].startswith("/dashboard/confirm?next=")

    assert is_asked(owner.post(LINK, address=Visitor().address))
    assert is_asked(owner.post(f"{ACCOUNT}/wallets/{LinkedWallet.get().id}/unlink"))
    assert list_linked() == [linked.address]


def test_text_to_link_with_names_host_wallet_and_account(owner, wallet):
    message = owner.post(LINK, address=wallet.address).json["message"]

    assert message.startswith("localhost asks you to link this wallet to your account.\n")
    assert f"\nWallet: {wallet.address}\nAccount: {owner.email}\n" in message


# Signing in


def test_wallet_signs_in_beside_the_password(world, owner, linked, anonymous):
    assert f'href="{SIGN_IN}"' in anonymous.client.get("/dashboard/sign-in").text
    assert anonymous.client.get(SIGN_IN).status_code == 200

    answer = sign(anonymous, SIGN_IN, linked)

    assert answer.json == {"next": "/dashboard/"}
    page = anonymous.client.get(ACCOUNT).text
    assert owner.email in page
    assert "You signed in with the wallet" in page
    assert is_signed_in(owner.client)  # in the other browser


def test_it_leads_to_where_the_person_was_going_inside_the_dashboard(owner, linked, world):
    for target, expected in (
        (f"/dashboard/pages/{world.page_id}/queue", f"/dashboard/pages/{world.page_id}/queue"),
        ("https://evil.example/", "/dashboard/"),
        ("//evil.example", "/dashboard/"),
    ):
        browser = Browser(world)
        assert sign(browser, f"{SIGN_IN}?next={target}", linked).json == {"next": expected}


def test_person_who_signs_in_by_wallet_was_asked_just_now(world, owner, linked, anonymous):
    sign(anonymous, SIGN_IN, linked)

    assert anonymous.client.get(f"/dashboard/pages/{world.page_id}/keys").status_code == 200


def test_signing_in_gives_a_new_session_and_a_new_token(owner, linked, anonymous):
    """Whoever has put a cookie into somebody's browser gains nothing."""
    before = anonymous.fields["csrf_token"]
    sign(anonymous, SIGN_IN, linked)

    assert (
        anonymous.client.post("/dashboard/sign-out", data={"csrf_token": before}).status_code == 400
    )
    assert Session.select().where(Session.person == owner.owner).count() == 2


def test_only_the_holder_learns_whether_a_wallet_is_linked(owner, linked, anonymous):
    unlinked = Visitor()
    answers = []
    for one in (linked, unlinked):
        asked = anonymous.post(SIGN_IN, address=one.address)
        assert set(asked.json) == {"nonceId", "message"}
        assert "@" not in asked.json["message"]
        answers.append(send(anonymous, SIGN_IN, one, asked.json, signature=FORGED))

    assert [(one.status_code, one.json) for one in answers] == (
        [(401, {"error": "invalid_signature"})] * 2
    )
    assert sign(anonymous, SIGN_IN, unlinked).json["sentence"] == (
        "No account is linked to this wallet."
    )
    assert not is_signed_in(anonymous.client)


def test_unlinked_wallet_signs_nobody_in_but_sessions_stay(owner, linked, anonymous, world):
    sign(anonymous, SIGN_IN, linked)
    owner.post(f"{ACCOUNT}/wallets/{LinkedWallet.get().id}/unlink")

    assert sign(Browser(world), SIGN_IN, linked).status_code == REFUSED
    assert is_signed_in(anonymous.client)


def test_whoever_is_signed_in_is_led_on(owner, linked):
    assert owner.get(SIGN_IN).headers["Location"] == "/dashboard/"
    assert owner.post(SIGN_IN, address=linked.address).json == {"next": "/dashboard/"}


# Is it you?


def test_wallet_answers_the_question_and_the_form_that_waits_goes_through(world, owner, linked):
    """As the script of confirm.html does: it sends the form again, without an answer."""
    keys = f"/dashboard/pages/{world.page_id}/keys/new/public"
    form = {"label": "Blog", "origins": "https://one.example"}
    world.clock.forward(minutes=31)
    asked = owner.post(keys, **form)
    assert is_asked(asked)
    assert f'target="_blank" rel="opener" href="{CONFIRM}"' in asked.text

    assert sign(owner, CONFIRM, linked).json == {"next": "/dashboard/"}

    assert owner.post(keys, **form).status_code == 201
    assert ApiKey.select().where(ApiKey.label == "Blog").exists()


def test_download_begins_after_an_answer_by_wallet_too(world, owner, linked):
    wallets = f"/dashboard/pages/{world.page_id}/wallets"
    world.clock.forward(minutes=31)
    asked_at = owner.get(f"{wallets}.csv").headers["Location"]
    sign(owner, CONFIRM, linked)

    assert owner.post(asked_at).headers["Location"] == wallets

    assert f"url={wallets}.csv" in owner.get(wallets).text


def test_answer_by_wallet_ends_copies_of_the_cookie(world, owner, linked):
    copied = owner.client.get_cookie("embed_dashboard", path="/dashboard").value
    world.clock.forward(minutes=31)
    sign(owner, CONFIRM, linked)

    thief = world.app.test_client()
    thief.set_cookie("embed_dashboard", copied, path="/dashboard")
    assert not is_signed_in(thief)
    assert is_signed_in(owner.client)


def test_question_offers_a_wallet_only_to_those_who_have_linked_one(world, owner, wallet):
    world.clock.forward(minutes=31)
    assert "Use your wallet" not in owner.get("/dashboard/confirm").text

    owner.confirm()
    sign(owner, LINK, wallet)
    world.clock.forward(minutes=31)
    page = owner.get("/dashboard/confirm?next=/dashboard/account").text
    assert "Use your wallet" in page
    assert f'href="{CONFIRM}?next=/dashboard/account"' in page


def test_question_is_not_answered_by_a_wallet_that_is_not_theirs(world, owner, linked, stranger):
    world.clock.forward(minutes=31)

    for one in (linked, Visitor()):
        answer = sign(stranger, CONFIRM, one)
        assert answer.json["sentence"] == "This wallet is not linked to your account."
    assert not sessions.is_confirmed(Session.get(Session.person == stranger.owner), world.clock())


# What is refused


@pytest.mark.parametrize("path", [SIGN_IN, LINK, CONFIRM])
def test_text_counts_once_and_for_ten_minutes(world, owner, linked, anonymous, path):
    browser, one = (anonymous, linked) if path == SIGN_IN else (owner, linked)
    one = Visitor() if path == LINK else one
    late = browser.post(path, address=one.address).json
    nonce = browser.post(path, address=one.address).json
    world.clock.forward(minutes=9)
    assert send(browser, path, one, nonce).status_code == 200
    if path == SIGN_IN:
        browser = Browser(world)

    assert send(browser, path, one, nonce).json == {"error": "invalid_nonce"}
    world.clock.forward(minutes=1)
    assert send(browser, path, one, late).json == {"error": "invalid_nonce"}


@pytest.mark.parametrize("path", [LINK, CONFIRM])
def test_text_of_another_session_or_person_is_refused(owner, linked, stranger, path):
    one = Visitor() if path == LINK else linked
    of_stranger = stranger.post(path, address=one.address).json

    assert send(owner, path, one, of_stranger).json == {"error": "nonce_binding_mismatch"}


def test_text_for_one_page_is_refused_by_the_others(world, owner, linked):
    nonces = {
        LINK: owner.post(LINK, address=linked.address).json,
        CONFIRM: owner.post(CONFIRM, address=linked.address).json,
        SIGN_IN: Browser(world).post(SIGN_IN, address=linked.address).json,
    }
    for made_for, nonce in nonces.items():
        for path in {LINK, CONFIRM, SIGN_IN} - {made_for}:
            browser = Browser(world) if path == SIGN_IN else owner
            answer = send(browser, path, linked, nonce)
            assert answer.json == {"error": "nonce_binding_mismatch"}, (made_for, path)


def test_visitors_signature_signs_nobody_in_and_a_sign_in_sends_no_submission(
    world, owner, linked, anonymous
):
    draft = world.draft(linked)
    fields = {"address": linked.address, "nonceId": draft["nonceId"]}

    answer = anonymous.post(SIGN_IN, **fields, signature=draft["signature"])
    assert answer.json == {"error": "invalid_nonce"}
    own = anonymous.post(SIGN_IN, address=linked.address).json
    answer = send(anonymous, SIGN_IN, linked, own, signature=draft["signature"])
    assert answer.json == {"error": "invalid_signature"}

    signed = {"signature": linked.sign(own["message"])}
    answer = world.post(draft | signed | {"nonceId": own["nonceId"]})
    assert answer.json == {"error": "invalid_nonce"}
    assert world.post(draft | signed).json == {"error": "invalid_signature"}


@pytest.mark.parametrize("address", ["", "x", "\0", "1" * 31, "0" * 44, "\ud800"])
@pytest.mark.parametrize("path", [SIGN_IN, LINK, CONFIRM])
def test_what_is_no_address_is_refused(owner, anonymous, path, address):
    browser = anonymous if path == SIGN_IN else owner
    encoded = address.encode("utf-8", "surrogatepass")

    answer = browser.post(path, address=encoded)

    assert (answer.status_code, answer.json) == (400, {"error": "invalid_wallet_address"})


@pytest.mark.parametrize("path", [SIGN_IN, LINK, CONFIRM])
def test_key_of_small_order_is_of_no_use(owner, anonymous, path):
    browser, address = (anonymous if path == SIGN_IN else owner), "1" * 32
    nonce = browser.post(path, address=address).json

    answer = browser.post(path, address=address, nonceId=nonce["nonceId"], signature=FORGED)

    assert (answer.status_code, answer.json) == (401, {"error": "invalid_signature"})


@pytest.mark.parametrize("path", [SIGN_IN, LINK, CONFIRM])
def test_forms_without_their_token_are_refused(owner, linked, anonymous, path):
    browser = anonymous if path == SIGN_IN else owner
    nonce = browser.post(path, address=linked.address).json

    for token in ("", "x", "x.y"):
        assert send(browser, path, linked, nonce, csrf_token=token).status_code == 400
    assert browser.client.post(path, json={"address": linked.address}).status_code == 415


@pytest.mark.parametrize("path", [LINK, CONFIRM])
def test_session_that_has_ended_meanwhile_links_and_confirms_nothing(world, owner, linked, path):
    one = Visitor() if path == LINK else linked
    nonce = owner.post(path, address=one.address).json
    sessions.end_all(owner.owner, world.clock())

    answer = send(owner, path, one, nonce)

    assert answer.headers["Location"].startswith("/dashboard/sign-in")
    assert list_linked() == [linked.address]


def test_network_that_tries_too_often_has_to_wait_and_others_do_not(
    world, owner, linked, anonymous
):
    anonymous.client.environ_base["REMOTE_ADDR"] = "203.0.113.7"
    statuses = [anonymous.post(SIGN_IN, address=linked.address).status_code for _ in range(31)]
    assert statuses == [200] * 30 + [429]
    answer = anonymous.post(SIGN_IN, address=linked.address)
    assert answer.json == {"error": "rate_limit_ip"}
    assert 0 < int(answer.headers["Retry-After"]) <= 600

    elsewhere = Browser(world)
    elsewhere.client.environ_base["REMOTE_ADDR"] = "198.51.100.7"
    assert sign(elsewhere, SIGN_IN, linked).status_code == 200


def test_failed_attempts_are_not_in_the_log_which_anybody_could_fill(owner, linked, anonymous):
    """A wallet's address is public, and a signature cannot be guessed."""
    before = AccountEvent.select().count()
    for _ in range(3):
        nonce = anonymous.post(SIGN_IN, address=linked.address).json
        send(anonymous, SIGN_IN, linked, nonce, signature=FORGED)

    assert AccountEvent.select().count() == before


def test_pages_with_the_steps_load_nothing_from_elsewhere(owner, anonymous):
    for browser, path in ((anonymous.client, SIGN_IN), (owner.client, LINK)):
        answer = browser.get(path)
        policy = answer.headers["Content-Security-Policy"]
        assert "script-src 'self';" in policy
        assert "connect-src 'self';" in policy
        assert "style-src 'self';" in policy
        assert "needs JavaScript" in answer.text


def test_pages_say_what_they_are_for(world, owner: OwnerBrowser, anonymous):
    assert "Sign in with a wallet" in anonymous.client.get(SIGN_IN).text
    assert owner.email in owner.see(LINK)
    assert QUESTION in owner.see(CONFIRM)
