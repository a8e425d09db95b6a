"""Recovery codes on the account page, and signing in with one."""

import html
import re

import pytest
from support.owner_browser import PASSWORD, find_token, read_text
from test_confirmation import is_asked, read_hidden

from embed.db.models import AccountEvent, Person, RecoveryCode
from embed.domain.activity import read_facts
from embed.domain.passwords import make_switched_off
from embed.people import recovery_codes
from embed.web.dashboard.sessions import LOCAL_NAME

pytestmark = pytest.mark.slow

ACCOUNT, HOME = "/dashboard/account", "/dashboard/"
MAKE, KEEP = f"{ACCOUNT}/recovery-codes", f"{ACCOUNT}/recovery-codes/keep"
RECOVERY, SIGN_IN = "/dashboard/sign-in/recovery", "/dashboard/sign-in"
WRONG = "ABCDEF-ABCDEF-ABCDEF-ABCDEF"


@pytest.fixture
def make(owner):
    """Ask for new codes; return them, and the page's hidden field."""

    def ask() -> tuple[list[str], str]:
        answer = owner.post(MAKE)
        assert answer.status_code == 201
        return read_codes(answer), read_offer(answer)

    return ask


@pytest.fixture
def codes(owner, make) -> list[str]:
    """The owner's codes, which count."""
    shown, offer = make()
    assert owner.post(KEEP, offer=offer, code=shown[0]).status_code == 303
    return shown


@pytest.fixture
def guest(world):
    return world.app.test_client()


def read_codes(answer) -> list[str]:
    return re.search(r'<pre id="codes"[^>]*>(.*?)</pre>', answer.text, re.DOTALL)[1].split()


def read_offer(answer) -> str:
    return html.unescape(re.search(r'name="offer"[^>]* value="([^"]+)"', answer.text)[1])


def attempt(client, email: str, code: str, **arguments):
    token = find_token(client.get(RECOVERY).text)
    form = {"csrf_token": token, "email": email, "code": code}
    return client.post(RECOVERY, data=form, **arguments)


def list_kinds(owner) -> list[str]:
    events = AccountEvent.select().where(AccountEvent.person == owner.owner)
    return [event.kind for event in events]


# Making them


def test_new_codes_are_shown_once_and_count_when_one_is_typed_in(world, owner, make):
    shown, offer = make()
    assert len(set(shown)) == 8
    assert not RecoveryCode.select().exists()

    answer = owner.post(KEEP, offer=offer, code=shown[7].lower().replace("-", ""))

    assert answer.headers["Location"] == f"{ACCOUNT}#recovery-codes"
    assert "8 recovery codes are left" in owner.see(ACCOUNT)
    assert "You made new recovery codes: 8" in owner.see(ACCOUNT)
    assert not any(code in owner.get(ACCOUNT).text for code in shown)


def test_codes_are_in_no_cookie_no_cache_and_no_compressed_answer(owner):
    answer = owner.post(MAKE)

    compressed = owner.client.post(
        MAKE, data={"csrf_token": owner.token}, headers={"Accept-Encoding": "gzip, br"}
    )
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Content-Encoding" not in compressed.headers
    with owner.client.session_transaction(ACCOUNT) as session:
        kept = repr(dict(session))
    for code in read_codes(answer):
        assert code not in kept
        assert code not in read_offer(answer)
        assert answer.text.count(code) == 1


@pytest.mark.parametrize("code", ["", WRONG, "x" * 500])
def test_mistyped_code_changes_nothing_and_may_be_typed_again(world, owner, make, code):
    shown, offer = make()
    before = world.dump()

    answer = owner.post(KEEP, offer=offer, code=code)

    assert answer.status_code == 422
    assert 'id="code-wrong"' in answer.text
    assert not any(one in answer.text for one in shown)  # shown once
    assert world.dump() == before
    assert owner.post(KEEP, offer=read_offer(answer), code=shown[0]).status_code == 303


def test_form_that_is_sent_again_brings_no_used_code_back(owner, make, guest):
    shown, offer = make()
    owner.post(KEEP, offer=offer, code=shown[0])
    assert attempt(guest, owner.email, shown[0]).status_code == 303

    assert owner.post(KEEP, offer=offer, code=shown[0]).status_code == 409

    assert RecoveryCode.select().count() == 7


def test_form_is_for_the_session_that_was_shown_it(world, owner, stranger, make):
    shown, offer = make()
    before = world.dump()

    for raw in (offer, offer[:-1], "", "x"):
        assert stranger.post(KEEP, offer=raw, code=shown[0]).status_code == 409
    assert world.dump() == before


def test_form_of_more_than_an_hour_ago_is_too_late(world, owner, make):
    shown, offer = make()
    world.clock.forward(minutes=60)
    owner.confirm()

    assert owner.post(KEEP, offer=offer, code=shown[0]).status_code == 409
    assert not RecoveryCode.select().exists()


def test_new_codes_replace_the_earlier_ones_when_they_count(owner, codes, make, guest):
    shown, offer = make()
    assert attempt(world_client(owner), owner.email, codes[1]).status_code == 303
    owner.post(KEEP, offer=offer, code=shown[0])

    assert attempt(guest, owner.email, codes[2]).status_code == 422
    assert attempt(guest, owner.email, shown[2]).status_code == 303


def world_client(owner):
    return owner.world.app.test_client()


def test_both_steps_ask_who_it_is_and_lose_nothing(world, owner, make):
    shown, offer = make()
    world.clock.forward(minutes=31)

    assert is_asked(owner.post(MAKE))
    asked = owner.post(KEEP, offer=offer, code=shown[0])
    assert is_asked(asked)
    assert not RecoveryCode.select().exists()
    answer = owner.client.post(KEEP, data=read_hidden(asked) | {"present_password": PASSWORD})
    assert answer.status_code == 303
    assert RecoveryCode.select().count() == 8


def test_forms_of_other_sites_change_nothing(world, owner, make, guest):
    shown, offer = make()
    before = world.dump()

    forms = {MAKE: {"x": "y"}, KEEP: {"offer": offer, "code": shown[0]}}
    for path, form in forms.items():
        assert owner.client.post(path, data=form).status_code == 400
    assert guest.post(RECOVERY, data={"email": owner.email, "code": WRONG}).status_code == 400
    assert world.dump() == before


# Signing in


def test_code_signs_in_and_tells_how_many_are_left(world, owner, codes, guest):
    assert f'href="{RECOVERY}"' in guest.get(SIGN_IN).text

    answer = attempt(guest, " OWNER@example.com ", codes[5].lower())

    assert (answer.status_code, answer.headers["Location"]) == (303, HOME)
    assert "You signed in with a recovery code. 7 more are left." in read_text(guest.get(HOME))
    event = AccountEvent.get(AccountEvent.kind == "signed in with recovery code")
    assert read_facts(event.data)["left"] == 7
    assert "Codes that are left: 7" in owner.see(ACCOUNT)


def test_code_leads_to_where_the_person_was_going_and_nowhere_else(owner, codes, guest):
    inside, outside = (
        attempt(client, owner.email, code, query_string={"next": target})
        for client, code, target in (
            (guest, codes[0], "/dashboard/account"),
            (world_client(owner), codes[1], "https://evil.example/"),
        )
    )

    assert inside.headers["Location"] == ACCOUNT
    assert outside.headers["Location"] == HOME


def test_code_works_once(owner, codes, guest):
    assert attempt(guest, owner.email, codes[0]).status_code == 303

    assert attempt(world_client(owner), owner.email, codes[0]).status_code == 422


@pytest.mark.parametrize("email", ["owner@example.com", "nobody@example.com", "other@example.com"])
def test_wrong_code_and_unknown_address_get_the_same_answer(owner, stranger, codes, guest, email):
    wrong = [attempt(guest, one, WRONG) for one in ("owner@example.com", email)]
    others = attempt(guest, "other@example.com", codes[0])

    assert {answer.status_code for answer in (*wrong, others)} == {422}
    assert "The e-mail address or the code is wrong." in wrong[1].text
    texts = [remove_what_varies(answer.text, email) for answer in wrong]
    assert texts[0] == texts[1]
    assert codes[0] not in guest.get(HOME).text
    assert RecoveryCode.select().count() == 8


def remove_what_varies(text: str, email: str) -> str:
    text = re.sub(r'name="csrf_token"[^>]*>', "", text)
    return text.replace(email, "E").replace("owner@example.com", "E")


def test_code_signs_in_where_others_have_used_up_the_attempts_at_the_password(
    owner, codes, guest, world
):
    token = find_token(guest.get(SIGN_IN).text)
    form = {"csrf_token": token, "email": owner.email, "password": "wrong"}
    while guest.post(SIGN_IN, data=form).status_code == 422:
        pass
    assert guest.post(SIGN_IN, data=form).status_code == 429

    assert attempt(world.app.test_client(), owner.email, codes[0]).status_code == 303


def test_wrong_codes_are_in_the_log_and_limited_by_network(owner, codes, guest):
    elsewhere = {"environ_base": {"REMOTE_ADDR": "192.0.2.1"}}
    for _ in range(30):
        answer = attempt(guest, owner.email, WRONG, **elsewhere)
        assert answer.status_code == 422
        answer.close()

    refused = attempt(guest, owner.email, codes[0], **elsewhere)

    assert refused.status_code == 429
    assert 0 < int(refused.headers["Retry-After"]) <= 601
    assert RecoveryCode.select().count() == 8
    assert list_kinds(owner).count("recovery code failed") == 1
    assert "with a wrong recovery code" in owner.see(ACCOUNT)
    assert attempt(guest, owner.email, codes[0]).status_code == 303  # from another network


def test_unknown_address_leaves_nothing_in_any_log(world, guest):
    before = world.dump()

    attempt(guest, "nobody@example.com", WRONG).close()

    assert world.dump() == before


def test_session_of_before_ends_when_a_code_signs_in(owner, codes, guest):
    guest.get(RECOVERY)
    planted = guest.get_cookie(LOCAL_NAME, path="/dashboard").value
    attempt(guest, owner.email, codes[0])

    other = world_client(owner)
    other.set_cookie(LOCAL_NAME, planted, path="/dashboard")
    assert other.get(HOME).status_code == 302


def test_whoever_is_signed_in_needs_no_code(owner):
    assert owner.get(RECOVERY).headers["Location"] == HOME


def test_after_a_code_the_person_is_confirmed_for_half_an_hour_and_then_signs_in_again(
    world, owner, codes, guest
):
    Person.update(password_hash=make_switched_off()).execute()
    attempt(guest, owner.email, codes[0])
    keys = f"/dashboard/pages/{world.page_id}/keys"
    world.clock.forward(minutes=30)
    assert guest.get(keys).status_code == 200
    world.clock.forward(seconds=1)

    asked = guest.get(guest.get(keys).headers["Location"])

    assert 'name="present_password"' not in asked.text
    assert "sign in once more, for example with a recovery code" in read_text(asked)
    token = find_token(asked.text)
    answer = guest.post("/dashboard/sign-out", data={"csrf_token": token})
    assert answer.headers["Location"] == SIGN_IN
    assert attempt(guest, owner.email, codes[1]).status_code == 303
    assert guest.get(keys).status_code == 200


def test_code_whose_password_changes_at_that_moment_signs_nobody_in(
    owner, codes, guest, monkeypatch
):
    use = recovery_codes.use

    def use_late(*arguments):
        used = use(*arguments)
        Person.update(password_hash=make_switched_off()).execute()
        return used

    monkeypatch.setattr(recovery_codes, "use", use_late)

    assert attempt(guest, owner.email, codes[0]).status_code == 422
    assert guest.get(HOME).status_code == 302


@pytest.mark.parametrize("language", ["de", "ar"])
def test_pages_are_in_the_persons_language(owner, codes, make, guest, language):
    owner.post("/dashboard/account/language", language=language)

    made = owner.post(MAKE)
    assert "New recovery codes" not in made.text
    assert '<pre id="codes" dir="ltr">' in made.text
    assert "Recovery codes" not in owner.get(ACCOUNT).text
    page = guest.get(RECOVERY, headers={"Accept-Language": language}).text
    assert "Use a recovery code" not in page
    assert f'<html lang="{language}"' in page
