"""What no line of the log shows, even where an error quotes it."""

import base64
from ipaddress import ip_address
from urllib.parse import quote

import base58
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl.signing import SigningKey
from world import SECRET_KEY, Clock

from embed.domain.key_format import make_key
from embed.domain.passwords import PasswordLinkSigner
from embed.domain.signing import SESSION_LIFETIME, SessionSigner
from embed.logs.redaction import Redactor
from embed.settings import Settings

KEY = make_key("public")
SIGNATURE = SigningKey.generate().sign(b"text").signature
COOKIE = SessionSigner([SECRET_KEY], Clock()).sign("a" * 20, SESSION_LIFETIME)
LINK = PasswordLinkSigner([SECRET_KEY], Clock()).sign("a" * 20, "fingerprint")
SECRETS = {
    "public key": (KEY, KEY[12:]),
    "secret key": (make_key("secret"), None),
    "key in an address": (f"/embed/tracking/x?key={KEY}&theme=dark", KEY[12:]),
    "bearer": (f"Authorization: Bearer {KEY}", KEY[12:]),
    "basic": ("Authorization: Basic dXNlcjpodW50ZXIy", "dXNlcjpodW50ZXIy"),
    "cookie": (f"embed_session={COOKIE}; Path=/embed", COOKIE),
    "owner's cookie": ("__Host-embed_dashboard=.eJwlzj", ".eJwlzj"),
    "one-time link": (f"http://x.example/dashboard/password/{LINK}", LINK),
    "one-time token": (f"'{LINK}'", LINK),
    "mistyped link": ("/dashboard/password/abc-def. The", "abc-def"),
    "signature": (base64.b64encode(SIGNATURE).decode(), None),
    "signature, encoded": (quote(base64.b64encode(SIGNATURE).decode(), safe=""), None),
    "signature in base58": (base58.b58encode(SIGNATURE).decode(), None),
    "signature in hex": (SIGNATURE.hex(), None),
    "webhook's secret": (
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    ),
    "password in an address": ("redis://:hunter2@cache.example:6379/0", "hunter2"),
    "key of an endpoint": ("https://rpc.example/?api-key=0a1b2c3d", "0a1b2c3d"),
    "password in words": ("password=hunter2 host=db", "hunter2"),
    "client": ("from 198.51.100.77 at noon", "100.77"),
    "client with a port": ("198.51.100.77:4711", "100.77"),
    "client after a word": ("ip:198.51.100.77", "100.77"),
    "client in IPv6": ("[2001:db8:1:2::77]:4711", "::77"),
    "client in a sentence": ("It was 198.51.100.77.", "100.77"),
}


@pytest.mark.parametrize("name", SECRETS)
def test_secret_is_known_by_its_form(name):
    text, secret = SECRETS[name]

    assert (secret or text) not in Redactor().redact(f"ValueError: ({text!r}, {text})")


@pytest.mark.parametrize(
    "text",
    [
        'File "/srv/embed/embed/web/api/endpoints.py", line 42, in create_submission',
        'connection to server at "127.0.0.1", port 5432 failed: Connection refused',
        "Listening at: http://[::1]:8000 (4711)",
        "10.0.0.5 and 192.168.1.7 are machines of the operator",
        "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU of the mint was not read.",
        "at 09:30:00, version 3.1.3, took 12:30",
        "203.0.113.0/24, 2001:db8:1::/48",
        "embed.balances.refresh.RefreshFailed: 3 of 4",
    ],
)
def test_what_operators_need_stays(text):
    assert Redactor().redact(text) == text


def test_networks_take_the_place_of_addresses():
    shown = Redactor().redact("198.51.100.77, 2001:db8:1:2::77, ::ffff:198.51.100.77")

    assert shown == "198.51.100.0/24, 2001:db8:1::/48, 198.51.100.0/24"


def test_what_a_request_carries_is_hidden_whatever_its_form():
    environ = {
        "QUERY_STRING": "key=an+odd%20key%21&page=abcdefgh1",
        "HTTP_COOKIE": "other=biscuits-and-tea",
        "HTTP_AUTHORIZATION": "Custom swordfish-9",
        "REMOTE_ADDR": "10.9.8.7",
        "HTTP_X_FORWARDED_FOR": "192.168.77.66, 10.9.8.7:4711",
    }
    said = "an odd key! biscuits-and-tea swordfish-9 abcdefgh1 10.9.8.7 192.168.77.66 110.9.8.7"

    shown = Redactor().redact(said, environ)

    assert shown == "… … … … 10.9.8.0/24 192.168.77.0/24 110.9.8.0/24"


def test_what_the_settings_hold_is_hidden():
    settings = Settings.from_environ(
        {
            "SECRET_KEY": SECRET_KEY,
            "DATABASE_URL": "postgresql://embed:pass%20word%20one@db.example/embed",
            "RATELIMIT_STORAGE_URI": "redis://:password-two@cache.example",
            "QUEUE_URL": "redis://user:password-three@queue.example/1",
            "SMTP_URL": "smtp://user:password-four@mail.example",
            "SOLANA_RPC_URL": "https://a.example/v2/0123456789abcdef,https://b.example/?k=tokenfive",
        }
    )
    hidden = [SECRET_KEY, "pass%20word%20one", "pass word one", "password-two", "password-three"]
    hidden += ["password-four", "0123456789abcdef", "tokenfive"]

    shown = Redactor(settings.secrets).redact(f"{' '.join(hidden)} embed user")

    assert shown == f"{'… ' * len(hidden)}embed user"


@given(st.integers(0, 2**32 - 1) | st.integers(2**32, 2**128 - 1))
def test_no_public_address_is_shown_whole(number):
    ip = ip_address(number)
    shown = Redactor().redact(f"from {ip} here")

    assert not ip.is_global or f"{ip} " not in shown
    assert shown.startswith("from ")


@pytest.mark.parametrize("part", ["a", "a.", "://", "?a=", "svc_pub_", "::", "1.", "%2B", "-"])
def test_long_text_is_searched_in_time_that_grows_with_it(part):
    """Where the time grew with the square of the length, this would take many minutes."""
    Redactor().redact(part * (200_000 // len(part)), {"QUERY_STRING": "x=12345678"})


def test_client_that_names_many_addresses_and_cookies_does_not_keep_the_log_busy():
    """Where each cost a search of its own, this would take minutes."""
    addresses = ", ".join(str(ip_address(number)) for number in range(2**25, 2**25 + 20_000))
    cookies = "; ".join(f"c={number:09}" for number in range(1_000))

    Redactor().redact("x" * 10_000, {"HTTP_X_FORWARDED_FOR": addresses, "HTTP_COOKIE": cookies})
