from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embed.domain.nonces import ACTIONS, STATEMENT, Nonce, RecordNonce
from embed.domain.signing import Signer
from embed.errors import ApiError

NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
LIFETIME = timedelta(minutes=10)
MILLISECOND = timedelta(milliseconds=1)

BINDING = {
    "page_id": "page5678901234567890",
    "wallet_address": "EPjFWdD5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
    "key_id": "key45678901234567890",
}


def make_signer(*secret_keys: str, now: datetime = NOW) -> Signer:
    return Signer(secret_keys or ["secret"], lambda: now)


def issue(signer: Signer | None = None, kind=Nonce, **changes) -> tuple[str, Nonce]:
    wanted = {**BINDING, "host": "embed.example", "lifetime": LIFETIME}
    return kind.issue(signer or make_signer(), **(wanted | changes))


NONCE_ID, ISSUED = issue()
# With a fixed random part, so that the message is known.
NONCE = replace(ISSUED, token="token678901234567890")

IDS = st.text("0123456789ABCXYZabcxyz", min_size=20, max_size=20)
ADDRESSES = st.text("123456789ABCXYZabcxyz", min_size=32, max_size=44)
LONGEST_HOST = ".".join(["a" * 63, "b" * 63, "c" * 63, "d" * 61]) + ":65535"
HOSTS = st.sampled_from(["localhost", "embed.example:8080", "[2001:db8::1]:443", LONGEST_HOST])
INSTANTS = st.integers(0, 10**9).map(lambda n: NOW + n * MILLISECOND)
NONCES = st.builds(Nonce, IDS, ADDRESSES, IDS, HOSTS, IDS, st.just(""), INSTANTS, INSTANTS)


def find_code(kind: type, raw: str, signer: Signer | None = None) -> str | None:
    """Return the code of the refusal of a ``nonceId``, or None."""
    try:
        kind.read(raw, signer or make_signer())
    except ApiError as refusal:
        return refusal.code
    return None


@given(IDS, ADDRESSES, IDS, HOSTS, INSTANTS, st.integers(1, 10**9))
def test_nonce_comes_back_as_it_was_issued(page_id, address, key_id, host, now, lifetime_ms):
    lifetime = lifetime_ms * MILLISECOND
    nonce_id, nonce = Nonce.issue(
        make_signer(now=now),
        page_id=page_id,
        wallet_address=address,
        key_id=key_id,
        host=host,
        lifetime=lifetime,
    )

    assert (nonce.page_id, nonce.wallet_address, nonce.key_id) == (page_id, address, key_id)
    assert (nonce.host, nonce.issued_at, nonce.expires_at) == (host, now, now + lifetime)
    assert Nonce.read(nonce_id, make_signer(now=nonce.expires_at - MILLISECOND)) == nonce
    assert find_code(Nonce, nonce_id, make_signer(now=nonce.expires_at)) == "invalid_nonce"


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"page_id": "another"}, id="another page"),
        pytest.param({"wallet_address": "1" * 32}, id="another wallet"),
        pytest.param({"key_id": "another"}, id="another key"),
        pytest.param({"page_id": NONCE.key_id, "key_id": NONCE.page_id}, id="swapped"),
    ],
)
def test_nonce_of_something_else_does_not_match(other):
    with pytest.raises(ApiError, match=r"^nonce_binding_mismatch$"):
        NONCE.check_binding(**(BINDING | other), detail="Ada")


def test_nonce_with_a_nickname_is_bound_to_it():
    nonce_id, _ = issue(detail="Ada")
    nonce = Nonce.read(nonce_id, make_signer())

    nonce.check_binding(**BINDING, detail="Ada")
    for other in ("ada", "Ada ", "Ben", ""):
        with pytest.raises(ApiError, match=r"^nonce_binding_mismatch$"):
            nonce.check_binding(**BINDING, detail=other)


@pytest.mark.parametrize("action", ACTIONS)
def test_nonces_of_submissions_and_of_records_are_never_taken_for_each_other(action):
    record_id, record = issue(kind=RecordNonce, detail=action)

    for kind, raw in ((Nonce, record_id), (RecordNonce, NONCE_ID), (Nonce, ISSUED.token)):
        assert find_code(kind, raw) == "invalid_nonce"
    first_lines = {one.build_message().partition("\n")[0] for one in (NONCE, record)}
    assert len(first_lines) == 2


def test_nonce_of_one_action_is_not_one_of_another():
    _, record = issue(kind=RecordNonce, detail="show")

    record.check_binding(**BINDING, detail="show")
    with pytest.raises(ApiError, match=r"^nonce_binding_mismatch$"):
        record.check_binding(**BINDING, detail="withdraw")


def test_value_that_is_no_action_is_no_nonce_of_records():
    for detail in ("", "Ada"):
        nonce_id, _ = issue(kind=RecordNonce, detail=detail)
        with pytest.raises(ApiError, match=r"^invalid_nonce$"):
            RecordNonce.read(nonce_id, make_signer())


def test_message_has_a_line_with_the_nickname_if_there_is_one():
    named = replace(NONCE, detail="Żółw 7").build_message()

    assert [line for line in named.splitlines() if line.startswith("Name")] == ["Name: Żółw 7"]
    assert named.replace("Name: Żółw 7\n", "") == NONCE.build_message()


def test_message_tells_the_visitor_what_they_sign():
    assert NONCE.build_message() == (
        "embed.example asks for proof that you own this wallet.\n"
        "\n"
        "Wallet: EPjFWdD5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v\n"
        "Tracking page: page5678901234567890\n"
        "Nonce: token678901234567890\n"
        "Issued at: 2026-01-31T09:30:00.000Z\n"
        "Valid until: 2026-01-31T09:40:00.000Z\n"
        "\n"
        "Signing is free. This signature does not authorize any transaction."
    )


@given(NONCES)
def test_message_is_what_a_ledger_can_sign(nonce):
    message = nonce.build_message()

    assert all(character == "\n" or " " <= character <= "~" for character in message)
    assert len(message.encode()) < 1200
    assert message.endswith(STATEMENT)
