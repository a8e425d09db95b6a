"""What no line of the log shows, even where an error quotes it."""

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.world import SECRET_KEY
from werkzeug import Request
from werkzeug.test import create_environ

from embed.domain.identifiers import make_key
from embed.logs.redaction import Redactor
from embed.settings import Settings

KEY = make_key("public")
SECRETS = {
    "public key": (KEY, KEY[12:]),
    "secret key": (make_key("secret"), None),
    "key in an address": (f"/embed/tracking/x?key={KEY}&theme=dark", KEY[12:]),
    "bearer": (f"Authorization: Bearer {KEY}", KEY[12:]),
    "one-time link": ("http://x.example/dashboard/password/abc-def.gh", "abc-def"),
    "invitation": ("GET /dashboard/invitations/Ab-c_d HTTP/1.1", "Ab-c_d"),
    "link that decides": ("http://x.example/dashboard/decide/WzM.Ab-c", "WzM"),
    "link that stops mails": ("http://x.example/dashboard/mail/WzM.Ab-c", "WzM"),
    "webhook's secret": (
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    ),
    "password in an address": ("redis://:hunter2@cache.example:6379/0", "hunter2"),
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
        "10.0.0.5 and 198.51.100.7 are machines of the operator",
        "at 09:30:00, version 3.1.3, took 12:30",
        "embed.balances.refresh.RefreshFailed: 3 of 4",
    ],
)
def test_what_operators_need_stays(text):
    assert Redactor().redact(text) == text


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

    assert shown == "… … … … 10.9.8.0/24 192.168.77.0/24 110.9.8.7"


def test_what_the_settings_hold_is_hidden():
    settings = Settings.from_environ(
        {
            "SECRET_KEY": SECRET_KEY,
            "DATABASE_URL": "postgresql://embed:pass%20word%20one@db.example/embed",
            "RATELIMIT_STORAGE_URI": "redis://:password-two@cache.example",
            "SMTP_URL": "smtp://user:password-four@mail.example",
            "SOLANA_RPC_URL": "https://a.example/v2/0123456789abcdef,https://b.example/?k=tokenfive",
        }
    )
    hidden = [SECRET_KEY, "pass%20word%20one", "pass word one", "password-two"]
    hidden += ["password-four", "0123456789abcdef", "tokenfive"]

    shown = Redactor(settings.secrets).redact(f"{' '.join(hidden)} embed user")

    assert shown == f"{'… ' * len(hidden)}embed user"


@given(st.integers(0, 2**32 - 1) | st.integers(2**32, 2**128 - 1))
def test_no_address_of_a_client_is_shown_whole(number):
    ip = ip_address(number)
    shown = Redactor().redact(f"from {ip} here", {"REMOTE_ADDR": str(ip)})

    assert ip.is_loopback or f"{ip} " not in shown
    assert shown.startswith("from ")


@pytest.mark.parametrize(
    "given",
    [
        {"data": {"password": "swordfish & chips", "again": "swordfish & chips"}},
        {"json": {"password": "swordfish & chips", "again": 5}},
        {"data": b"swordfish & chips"},
    ],
    ids=["form", "JSON", "neither"],
)
def test_what_a_body_holds_is_hidden_once_the_app_has_read_it(given):
    request = Request(create_environ(method="POST", **given))
    read = request.form if isinstance(given.get("data"), dict) else request.get_data()

    assert read
    assert Redactor().redact("wrong: 'swordfish & chips'", request.environ) == "wrong: '…'"


def test_body_that_nobody_has_read_is_left_to_the_app():
    request = Request(create_environ(method="POST", data={"password": "swordfish"}))

    Redactor().redact("It is being read.", request.environ)

    assert request.form["password"] == "swordfish"


@pytest.mark.parametrize("part", ["a.", "://", "?a=", "svc_pub_", "::", "1.", "%2B"])
def test_long_text_is_searched_in_time_that_grows_with_it(part):
    """Where the time grew with the square of the length, this would take many minutes."""
    Redactor().redact(part * (200_000 // len(part)), {"QUERY_STRING": "x=12345678"})
