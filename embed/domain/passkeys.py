"""Passkeys: what browsers are asked, and what they answer (https://www.w3.org/TR/webauthn-3/).

fido2 reads the answers and verifies the signatures. This module checks what it leaves open: that
the origin is exactly ours, since it lets subdomains in; the algorithms; and whose passkey it is.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Self
from urllib.parse import urlsplit

from itsdangerous import BadSignature

from embed.domain.clients import parse_client_address
from embed.domain.identifiers import make_id
from embed.domain.signing import Signer
from embed.domain.texts import gettext_noop
from embed.errors import InvalidInput

ADD, SIGN_IN, CONFIRM = "add", "sign in", "confirm"  # what a challenge is for
CHALLENGE_LIFETIME = timedelta(hours=1)  # how long a page that offers passkeys may stay open
ALGORITHMS = (-7, -8, -257)  # ES256, EdDSA, RS256, as COSE numbers them
_SIGNED_FOR = "passkey challenge"
MAX_CREDENTIAL_BYTES = 2048  # the longest id, 1,023 bytes, with an RSA key


_WRONG = gettext_noop("Your browser's answer couldn't be verified.")
LATE = gettext_noop("The answer came too late, or twice. Please try again.")


class RefusedPasskey(InvalidInput):
    """An answer that is not accepted; a note says why, for tests and developers."""

    def __init__(self, why: str, sentence: str = _WRONG) -> None:
        super().__init__(sentence)
        self.add_note(why)


@dataclass(frozen=True, slots=True)
class RelyingParty:
    """The service as browsers know it: passkeys belong to its host, and are used at its origin."""

    origin: str
    host: str

    @classmethod
    def find(cls, origin: str) -> Self | None:
        """Return the party of an origin; None where browsers offer no passkeys.

        They need HTTPS, except on localhost, and a host name rather than an IP address.
        """
        parts = urlsplit(origin)
        host = parts.hostname or ""
        if parts.scheme != "https" and host != "localhost":
            return None
        return None if parse_client_address(host) else cls(origin, host)


def issue_challenge(signer: Signer, purpose: str, session_id: str = "") -> str:
    """Return a challenge for a passkey to sign, good for one purpose, once.

    It's signed, so it needn't be stored before it's used. `session_id` is "" for signing in.
    """
    return signer.sign(_SIGNED_FOR, (purpose, session_id, make_id()), CHALLENGE_LIFETIME)


def check_challenge(
    raw: str, signer: Signer, purpose: str, session_id: str = ""
) -> tuple[str, datetime]:
    """Return a challenge's nonce, not used up yet, and when it expires.

    Raises RefusedPasskey unless it was issued for this purpose and session.
    """
    try:
        signed = signer.read(_SIGNED_FOR, raw, tuple[str, str, str])
    except BadSignature as error:
        raise RefusedPasskey("the challenge is not ours, or has expired", LATE) from error
    *issued_for, token = signed.value
    if issued_for != [purpose, session_id]:
        raise RefusedPasskey("the challenge was issued for something else")
    return token, signed.expires_at


@dataclass(frozen=True, slots=True)
class NewPasskey:
    credential_id: str  # base64url
    credential: str  # base64url of the id with the public key (WebAuthn 3, section 6.5.1)
    sign_count: int


@dataclass(frozen=True, slots=True)
class Answer:
    """A browser's answer to a challenge, not yet verified."""

    fields: Mapping[str, Any]  # a credential, in the standard's JSON
    credential_id: str  # base64url
    challenge: str


def describe_creation(
    party: RelyingParty,
    challenge: str,
    *,
    person_id: str,
    email: str,
    known_ids: Iterable[str],
) -> str:
    """Return what a browser needs to make a passkey: PublicKeyCredentialCreationOptionsJSON.

    `known_ids` are those of the person's passkeys; a device that has one won't make a second.
    """
    return json.dumps(
        {
            "rp": {"id": party.host, "name": party.host},
            # The id comes back as the user handle. It tells nothing about the person.
            "user": {"id": _encode(person_id.encode()), "name": email, "displayName": email},
            "challenge": _encode(challenge.encode()),
            "pubKeyCredParams": [{"type": "public-key", "alg": each} for each in ALGORITHMS],
            "excludeCredentials": _describe(known_ids),
            "authenticatorSelection": {
                "residentKey": "required",
                "requireResidentKey": True,
                "userVerification": "required",
            },
            "attestation": "none",
        }
    )


def describe_request(party: RelyingParty, challenge: str, known_ids: Iterable[str] = ()) -> str:
    """Return what a browser needs to use a passkey: PublicKeyCredentialRequestOptionsJSON.

    Without `known_ids`, the browser offers all that it has for this host.
    """
    return json.dumps(
        {
            "rpId": party.host,
            "challenge": _encode(challenge.encode()),
            "allowCredentials": _describe(known_ids),
            "userVerification": "required",
        }
    )


@contextmanager
def _refusing_what_fails() -> Iterator[None]:
    """Turn any error into RefusedPasskey: on arbitrary input, fido2 raises many kinds."""
    try:
        yield
    except RefusedPasskey:
        raise
    except Exception as error:
        raise RefusedPasskey(f"{type(error).__name__}: {error}") from error


@_refusing_what_fails()
def read_answer(raw: str) -> Answer:
    """Read a browser's answer, a credential as JSON. Raises RefusedPasskey."""
    from fido2.webauthn import CollectedClientData

    fields = json.loads(raw)
    client_data = CollectedClientData(_decode(fields["response"]["clientDataJSON"]))
    return Answer(fields, _encode(_decode(fields["rawId"])), client_data.challenge.decode("ascii"))


@_refusing_what_fails()
def read_registration(answer: Answer, party: RelyingParty) -> NewPasskey:
    """Verify the answer to describe_creation, except for whose challenge it has.

    Raises RefusedPasskey.
    """
    from fido2.webauthn import RegistrationResponse

    response = RegistrationResponse.from_dict(answer.fields)
    _check_client_data(response.response.client_data)
    data = _make_server(party).register_complete(_make_state(answer), response)
    made = data.credential_data
    if made is None or made.credential_id != response.raw_id:
        raise RefusedPasskey("the answer is about another passkey")
    if len(made) > MAX_CREDENTIAL_BYTES:
        raise RefusedPasskey("the passkey is too large")
    _check_public_key(made.public_key)
    return NewPasskey(answer.credential_id, _encode(made), data.counter)


@_refusing_what_fails()
def verify_assertion(
    answer: Answer, party: RelyingParty, *, credential: str, person_id: str, needs_handle: bool
) -> int:
    """Verify the answer to describe_request with a passkey's `credential`, as in NewPasskey.

    `needs_handle`: nobody is signed in yet, so the answer must say whose passkey it is. Returns how
    often the passkey has signed, 0 if it doesn't count. Raises RefusedPasskey.
    """
    from fido2.webauthn import AttestedCredentialData, AuthenticationResponse

    response = AuthenticationResponse.from_dict(answer.fields)
    _check_client_data(response.response.client_data)
    handle = response.response.user_handle
    if handle != person_id.encode() and (handle is not None or needs_handle):
        raise RefusedPasskey("the passkey belongs to someone else")
    known = [AttestedCredentialData(_decode(credential))]
    _make_server(party).authenticate_complete(_make_state(answer), known, response)
    return response.response.authenticator_data.counter


def _make_server(party: RelyingParty) -> Any:
    from fido2.server import Fido2Server
    from fido2.webauthn import PublicKeyCredentialRpEntity

    entity = PublicKeyCredentialRpEntity(id=party.host, name=party.host)
    return Fido2Server(entity, verify_origin=party.origin.__eq__)


def _make_state(answer: Answer) -> dict[str, str]:
    """Return what fido2 compares an answer with; check_challenge checks whose challenge it is."""
    return {"challenge": _encode(answer.challenge.encode()), "user_verification": "required"}


def _check_client_data(client_data: Any) -> None:
    """Refuse an answer requested by a frame inside another site, which we never use."""
    if client_data.cross_origin:
        raise RefusedPasskey("it comes from a frame in another site")


def _check_public_key(key: Any) -> None:
    """Refuse a key that cannot be read, or whose algorithm was not offered."""
    from cryptography.exceptions import InvalidSignature

    if key.ALGORITHM not in ALGORITHMS:
        raise RefusedPasskey("its algorithm was not offered")
    with suppress(InvalidSignature):
        key.verify(b"", bytes(64))


def _describe(credential_ids: Iterable[str]) -> list[dict[str, str]]:
    return [{"type": "public-key", "id": each} for each in credential_ids]


def _encode(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def _decode(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
