"""Passkeys: adding and removing them, signing in by one, and "Confirm it's you"."""

import html
import json
import re

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from fido2.cose import ES256, ES384
from flask import Response
from flask.testing import FlaskClient
from guest import ACCOUNT, SIGN_IN
from support.owner_browser import OwnerBrowser, find_token
from support.passkey_device import PRESENT, VERIFIED, Device, encode, store_passkey

from embed.db.models import AccountEvent, Passkey
from embed.people.passkeys import MAX_PASSKEYS

pytestmark = pytest.mark.slow

ORIGIN = "http://localhost"
PAGE, CONFIRM = f"{ACCOUNT}/passkeys", "/dashboard/confirm"
BY_PASSKEY = f"{SIGN_IN}/passkey"
WRONG = "Your browser's answer couldn't be verified."
LATE = "The answer came too late, or twice."
UNKNOWN = "This service doesn't know this passkey, or it was removed."


def find_options(answer) -> str:
    return html.unescape(re.search(r'data-passkey="([^"]*)"', answer.text)[1])


def has_button(answer) -> bool:
    return "data-passkey=" in answer.text


def is_refused(answer, *sentences: str) -> bool:
    """Return whether an answer is a refusal with one of the sentences."""
    said = html.unescape(answer.text)
    return answer.status_code == 422 and any(sentence in said for sentence in sentences)


def count_logged(person, kind: str) -> int:
    rows = AccountEvent.select().where(AccountEvent.person == person, AccountEvent.kind == kind)
    return rows.count()


def add(owner, device: Device, name: str = "Laptop"):
    return owner.post(PAGE, name=name, passkey=device.create(find_options(owner.get(PAGE))))


def send(client, passkey: str):
    """Sign in with an answer that a device has given."""
    token = find_token(client.get(SIGN_IN).text)
    return client.post(BY_PASSKEY, data={"csrf_token": token, "passkey": passkey})


def sign_in(client, device: Device):
    return send(client, device.get(find_options(client.get(SIGN_IN))))


@pytest.fixture
def device(owner) -> Device:
    """A device with a passkey of the owner."""
    device = Device(ORIGIN)
    assert add(owner, device).status_code == 303
    return device


@pytest.fixture
def visitor(world):
    return world.app.test_client()


# Adding and signing in


@pytest.mark.parametrize("algorithm", ["ES256", "EdDSA", "RS256"])
def test_passkey_of_each_algorithm_is_added_and_signs_in_without_a_name(owner, visitor, algorithm):
    device = Device(ORIGIN, algorithm=algorithm)

    assert add(owner, device, "Laptop").status_code == 303

    assert re.search("Laptop .*never used", owner.see(ACCOUNT))
    signed_in = sign_in(visitor, device)
    assert (signed_in.status_code, signed_in.location) == (303, "/dashboard/")
    assert "owner@example.com" in visitor.get(ACCOUNT).text
    assert "last used" in owner.see(ACCOUNT)
    assert count_logged(owner.owner, "signed in with passkey") == 1


def test_browser_is_asked_for_a_whole_sign_in(owner, device, visitor):
    adding = json.loads(find_options(owner.get(PAGE)))
    assert adding["rp"] == {"id": "localhost", "name": "localhost"}
    assert [one["alg"] for one in adding["pubKeyCredParams"]] == [-7, -8, -257]
    assert adding["authenticatorSelection"]["residentKey"] == "required"
    assert adding["authenticatorSelection"]["userVerification"] == "required"
    assert adding["attestation"] == "none"
    assert encode(owner.owner.id.encode()) == adding["user"]["id"]  # nothing of the person
    known = {"type": "public-key", "id": encode(device.credential_id)}
    assert adding["excludeCredentials"] == [known]

    signing_in = json.loads(find_options(visitor.get(SIGN_IN)))
    assert (signing_in["allowCredentials"], signing_in["rpId"]) == ([], "localhost")
    assert signing_in["userVerification"] == "required"


@pytest.mark.parametrize("name", [" ", "x" * 51])
def test_name_is_needed_and_suggested(owner, name):
    firefox = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0"}

    assert 'value="Firefox on Linux"' in owner.get(PAGE, headers=firefox).text
    assert add(owner, Device(ORIGIN), name).status_code == 422
    assert Passkey.select().count() == 0


def test_passkey_of_another_account_is_neither_taken_over_nor_removed(owner, device, stranger):
    assert is_refused(add(stranger, device), "This passkey has already been added.")

    for passkey_id in (Passkey.get().id, "x"):
        assert stranger.post(f"{PAGE}/{passkey_id}/remove", sure="yes").status_code == 404
    assert Passkey.get().person == owner.owner


def test_no_more_than_the_most_are_kept(owner):
    for number in range(MAX_PASSKEYS):
        store_passkey(owner.owner, owner.world.clock(), credential_id=f"{number}")

    assert is_refused(add(owner, Device(ORIGIN)), f"You already have {MAX_PASSKEYS} passkeys")


def test_passkey_of_a_former_host_and_a_removed_one_are_refused_in_a_sentence(
    owner, device, visitor
):
    remove = f"{PAGE}/{Passkey.get().id}/remove"
    Passkey.update(host="former.example").execute()
    assert is_refused(sign_in(visitor, device), UNKNOWN)
    asked = owner.post(remove).text
    assert "You won&#39;t be able to sign in with it anymore." in asked
    assert Passkey.select().count() == 1
    owner.post(remove, sure="yes")

    assert is_refused(sign_in(visitor, device), UNKNOWN)
    assert count_logged(owner.owner, "passkey removed") == 1


# Wrong answers


WRONG_DEVICES = {
    "another origin": {"origin": "https://evil.example"},
    "a parent of the host": {"host": "local"},
    "nobody verified": {"flags": PRESENT},
    "nobody present": {"flags": VERIFIED},
    "a frame in another site": {"client_data": {"crossOrigin": True}},
    "another kind of answer": {"client_data": {"type": "payment.get"}},
    "a challenge of its own": {"client_data": {"challenge": encode(b"x" * 32)}},
}


@pytest.mark.parametrize("wrong", WRONG_DEVICES.values(), ids=WRONG_DEVICES)
def test_device_elsewhere_or_of_nobody_is_not_added_and_signs_nobody_in(
    owner, device, visitor, wrong
):
    assert is_refused(add(owner, Device(**{"origin": ORIGIN} | wrong)), WRONG, LATE)
    assert Passkey.select().count() == 1

    for name, value in wrong.items():
        setattr(device, name, value)
    assert sign_in(visitor, device).status_code == 422
    assert visitor.get(ACCOUNT).status_code == 302


def test_algorithm_key_and_id_that_cannot_be_are_refused(owner):
    other = ES384.from_cryptography_key(ec.generate_private_key(ec.SECP384R1()).public_key())
    off_the_curve = ES256({1: 2, 3: -7, -1: 1, -2: bytes(32), -3: bytes(32)})

    for wrong in (
        {"public_key": other},  # of an algorithm that was not offered
        {"public_key": off_the_curve},
        {"credential_id": bytes(3000)},
    ):
        assert is_refused(add(owner, Device(ORIGIN, **wrong)), WRONG)
    assert Passkey.select().count() == 0


@pytest.mark.parametrize(
    "answer", ["", "null", "[" * 5000, '{"response": {"clientDataJSON": "e30"}}', "\0"]
)
def test_what_is_no_answer_is_refused_in_a_sentence(owner, visitor, answer):
    assert is_refused(owner.post(PAGE, name="x", passkey=answer), WRONG)
    assert is_refused(send(visitor, answer), WRONG)


def test_signature_of_another_key_signs_nobody_in(device, visitor):
    device.key = Device(ORIGIN).key

    assert is_refused(sign_in(visitor, device), WRONG)


@pytest.mark.parametrize("is_named", [False, True])
def test_answer_has_to_say_whose_passkey_it_is(stranger, device, visitor, is_named):
    device.handle = stranger.owner.id.encode() if is_named else None

    assert sign_in(visitor, device).status_code == 422


def test_answer_signs_in_once_and_leads_to_where_the_person_was_going(device, visitor, world):
    page = visitor.get(SIGN_IN, query_string={"next": ACCOUNT})
    action = html.unescape(re.search(rf'action="({BY_PASSKEY}[^"]*)"', page.text)[1])
    answer = device.get(find_options(page))
    fields = {"csrf_token": find_token(page.text), "passkey": answer}
    assert visitor.post(action, data=fields).location == ACCOUNT

    assert is_refused(send(world.app.test_client(), answer), LATE)


def test_answer_for_one_thing_or_session_is_of_no_use_for_another(owner, device, visitor, stranger):
    adding = Device(ORIGIN).create(find_options(stranger.get(PAGE)))
    assert owner.post(PAGE, name="x", passkey=adding).status_code == 422
    signing_in = device.get(find_options(visitor.get(SIGN_IN)))
    owner.world.clock.forward(minutes=31)
    confirming = device.get(find_options(owner.get(CONFIRM)))

    assert send(visitor, confirming).status_code == 422
    assert owner.post(CONFIRM, present_passkey=signing_in).status_code == 422
    assert Passkey.select().count() == 1


def test_copy_of_a_counting_passkey_is_refused_and_logged(owner, world):
    device = Device(ORIGIN, count=10)
    add(owner, device)
    device.count -= 1

    assert is_refused(sign_in(world.app.test_client(), device), "it may have been copied")
    assert count_logged(owner.owner, "passkey refused") == 1


def test_attempts_are_limited(visitor):
    answers = [send(visitor, "") for _ in range(31)]

    assert [answer.status_code for answer in answers] == [422] * 30 + [429]
    assert "Please wait" in answers[-1].text


# "Confirm it's you"


def test_passkey_answers_whether_it_is_you_and_the_waiting_form_goes_on(world, owner, device):
    world.clock.forward(minutes=31)
    path = f"/dashboard/pages/{world.page_id}/settings/keys/new/secret"
    asked = owner.post(path, label="a <shop>")
    assert asked.status_code == 403

    answer = owner.post(path, label="a <shop>", present_passkey=device.get(find_options(asked)))

    assert "svc_sec_" in answer.text


def test_only_ones_own_passkeys_answer_whether_it_is_you(world, owner, stranger):
    others = Device(ORIGIN)
    add(stranger, others)
    world.clock.forward(minutes=31)
    assert not has_button(owner.get(CONFIRM))
    own = store_passkey(owner.owner, world.clock(), credential_id="b3du")
    options = find_options(owner.get(CONFIRM))

    answer = owner.post(CONFIRM, present_passkey=others.get(options))

    asked = json.loads(options)["allowCredentials"]
    assert asked == [{"type": "public-key", "id": own.credential_id}]
    assert is_refused(answer, UNKNOWN)


# Where they are offered


@pytest.mark.parametrize("public_url", ["https://embed.example:8443", ""])
def test_host_has_passkeys_on_localhost_and_else_only_if_a_setting_names_it(world_with, public_url):
    visitor = world_with(PUBLIC_URL=public_url).app.test_client()
    url = public_url or "https://embed.example"

    assert has_button(visitor.get(SIGN_IN, base_url=url)) == bool(public_url)
    assert public_url or has_button(visitor.get(SIGN_IN))


class ByAddress(FlaskClient):
    """A browser that knows the service by its IP address."""

    def open(self, *arguments, **options):
        return super().open(*arguments, **{"base_url": "http://127.0.0.1"} | options)


def test_passkeys_are_listed_and_removed_where_they_cannot_be_offered(world):
    owner = OwnerBrowser(world, client=ByAddress(world.app, Response))
    passkey = store_passkey(owner.owner, world.clock(), host="former.example")

    assert "Add a passkey" not in owner.see(ACCOUNT)
    assert owner.get(PAGE).status_code == 404
    assert "only at former.example" in owner.see(ACCOUNT)
    assert owner.post(PAGE, name="x", passkey="x").status_code == 404
    assert owner.post(f"{PAGE}/{passkey.id}/remove", sure="yes").status_code == 303
    assert Passkey.select().count() == 0
