"""Webhooks: what is sent, how it is signed, and where it may go."""

import base64
import json
import logging
import socket
import time
from datetime import timedelta
from decimal import Decimal

import pytest
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey
from standardwebhooks import Webhook, WebhookVerificationError
from support.raw_server import send, serve_raw, trickle, wait
from support.receivers import run_http_receiver
from support.world import Visitor

from embed.domain.times import format_instant
from embed.errors import InvalidInput
from embed.notifications import receivers, targets, webhooks
from embed.notifications.targets import check_url
from embed.notifications.webhooks import mask_url, read_public_key

SECRET_PATH = "/hook-that-nobody-may-read"


def verify_with_public_key(public_key: str, received) -> None:
    """Verify ``v1a`` as a receiver does that has our public key only."""
    signed = b".".join(
        [
            received.headers["webhook-id"].encode(),
            received.headers["webhook-timestamp"].encode(),
            received.body,
        ]
    )
    (signature,) = [
        each.removeprefix("v1a,")
        for each in received.headers["webhook-signature"].split(" ")
        if each.startswith("v1a,")
    ]
    key = VerifyKey(base64.b64decode(public_key.removeprefix("whpk_")))
    key.verify(signed, base64.b64decode(signature))


def test_submission_arrives_signed_as_standard_webhooks_has_it(owner, http_receiver):
    webhook = owner.add_webhook(http_receiver.url)
    submission_id = owner.world.submit(Visitor(), "Ann").json["submissionId"]
    owner.deliver(webhook)

    (received,) = http_receiver.received
    body = Webhook(webhook.secret).verify(received.body, received.headers)
    assert body["type"] == "submission.created"
    assert body["timestamp"] == format_instant(owner.world.clock())
    assert body["data"]["id"] == submission_id
    assert body["data"]["nickname"] == "Ann"
    assert body["data"]["trackingPageId"] == owner.world.page_id
    assert received.headers["content-type"] == "application/json"
    assert b", " not in received.body
    assert b": " not in received.body


def test_data_of_a_submission_is_that_of_the_api(owner, http_receiver):
    webhook = owner.add_webhook(http_receiver.url)
    visitor = Visitor()
    owner.world.open_widget(visitor)
    owner.world.submit(visitor, "Ann")
    owner.deliver(webhook)

    data = json.loads(http_receiver.received[0].body)["data"]
    (shown,) = owner.world.list_own(visitor).json["submissions"]
    assert data == shown | {"trackingPageId": owner.world.page_id}


def test_public_key_is_enough_to_verify(owner, http_receiver):
    webhook = owner.add_webhook(http_receiver.url)
    other = owner.add_webhook("http://127.0.0.1:9/")
    owner.tell()
    owner.deliver(webhook)

    verify_with_public_key(read_public_key(webhook.signing_key), http_receiver.received[0])
    with pytest.raises(BadSignatureError):
        verify_with_public_key(read_public_key(other.signing_key), http_receiver.received[0])


def test_each_webhook_has_secrets_of_its_own_form(owner):
    one, two = owner.add_webhook("http://127.0.0.1:9/"), owner.add_webhook("http://127.0.0.1:9/")

    assert one.secret.startswith("whsec_")
    assert one.signing_key.startswith("whsk_")
    assert read_public_key(one.signing_key).startswith("whpk_")
    assert len(base64.b64decode(one.secret.removeprefix("whsec_"))) == 32
    assert {one.secret, one.signing_key}.isdisjoint({two.secret, two.signing_key})


def test_altered_body_id_or_time_is_noticed(owner, http_receiver):
    webhook = owner.add_webhook(http_receiver.url)
    owner.tell()
    owner.deliver(webhook)
    (received,) = http_receiver.received
    judge = Webhook(webhook.secret)

    for body, headers in (
        (received.body.replace(b"8", b"9"), {}),
        (received.body, {"webhook-id": "other"}),
        (received.body, {"webhook-timestamp": str(int(time.time()) - 60)}),
    ):
        with pytest.raises(WebhookVerificationError):
            judge.verify(body, received.headers | headers)


def test_previous_secret_signs_as_well_for_a_day(owner, http_receiver):
    webhook = owner.add_webhook(http_receiver.url)
    rotated = receivers.rotate_secret(webhook.id, owner.world.clock())
    assert rotated.secret != webhook.secret

    owner.tell()
    owner.deliver(webhook)
    (received,) = http_receiver.received
    for secret in (webhook.secret, rotated.secret):
        Webhook(secret).verify(received.body, received.headers)
    verify_with_public_key(read_public_key(webhook.signing_key), received)

    # Judged by the signatures alone: the judge's own clock has not moved on.
    owner.world.clock.forward(days=1)
    headers = webhooks.sign(owner.read(webhook), "id", b"{}", owner.world.clock())
    assert headers["webhook-signature"].count("v1,") == 1


def test_amounts_are_exact(owner, http_receiver):
    webhook = owner.add_webhook(http_receiver.url)
    amount = Decimal("18446744073.709551615")
    owner.tell("wallet.flagged", tokenBalance=amount, minBalance=Decimal("1E-7"))
    owner.deliver(webhook)

    body = http_receiver.received[0].body
    assert b'"tokenBalance":18446744073.709551615,"minBalance":0.0000001' in body


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        (301, "301 Moved Permanently"),
        (400, "400 Bad Request"),
        (500, "500 Internal Server Error"),
        (599, "599"),
    ],
)
def test_only_2xx_delivers(owner, http_receiver, status, answer):
    webhook = owner.add_webhook(http_receiver.url)
    owner.tell()
    http_receiver.statuses = [status]

    owner.deliver(webhook)

    assert owner.list_states(webhook) == [("waiting", 1, answer)]


def test_redirect_is_not_followed(owner, http_receiver):
    with run_http_receiver() as private:
        webhook = owner.add_webhook(http_receiver.url)
        owner.tell()
        http_receiver.statuses, http_receiver.headers = [307], {"Location": private.url}
        owner.deliver(webhook)

        assert private.received == []
    assert owner.list_states(webhook)[0] == ("waiting", 1, "307 Temporary Redirect")


DEAD = "HTTP/1.1 200 OK\r\nX: " + SECRET_PATH


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (wait, "timed out"),
        (trickle(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", 0.05), "timed out"),
        (trickle(b"HTTP/1.1 200 OK\r\nX: ", 0.05), "timed out"),
        (send(b""), "the connection failed"),
        (send(b"nonsense " + SECRET_PATH.encode() + b"\r\n\r\n"), "the connection failed"),
        (send(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 100_000), "larger than"),
    ],
    ids=["silent", "dripping body", "dripping head", "hangs up", "nonsense", "endless"],
)
def test_bad_receivers_fail_in_time_and_in_words(owner, monkeypatch, caplog, answer, said):
    monkeypatch.setattr(targets, "TIMEOUT_S", 2)
    caplog.set_level(logging.DEBUG)
    with serve_raw(answer) as port:
        webhook = owner.add_webhook(f"http://127.0.0.1:{port}{SECRET_PATH}")
        owner.tell()
        started = time.monotonic()
        owner.deliver(webhook)

    assert time.monotonic() - started < 20
    ((state, attempts, shown),) = owner.list_states(webhook)
    assert (state, attempts) == ("waiting", 1)
    assert said in shown
    assert SECRET_PATH not in shown
    assert SECRET_PATH not in "".join(
        record.getMessage() for record in caplog.records if record.name.startswith("embed")
    )


def test_receiver_that_is_not_there_fails(owner):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        webhook = owner.add_webhook(f"http://127.0.0.1:{free.getsockname()[1]}/")
        owner.tell()
        owner.deliver(webhook)

    assert owner.list_states(webhook) == [("waiting", 1, "the connection was refused")]


# Where a webhook may lead


@pytest.fixture
def settings(app, runtime):
    return runtime.settings


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://127.1:8080/",
        "http://0x7f000001/",
        "http://0/",
        "http://10.0.0.1.",
        "http://169.254.169.254/latest",
        "http://[::1]/",
        "http://[::ffff:192.168.0.1]/",
        "http://[fe80::1]/",
        "https://localhost",
        "http://LOCALHOST./",
        "http://2130706433/",
        "https://printer.localhost./",
    ],
)
def test_address_inside_the_network_is_refused_when_it_is_added(settings, url):
    with pytest.raises(InvalidInput, match="ALLOW_PRIVATE_TARGETS"):
        check_url(url, settings, field="target")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com",
        "ftp://example.com",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "gopher://example.com/",
        "https://example.com/\r\nHost: other",
        "https://",
        "https://:80/",
        "https://example.com:0/",
        "https://example.com:99999/",
        "https://[::1",
        "https://a b/",
        "https://example.com/\x00",
        "https://example.com/" + "x" * 2000,
    ],
)
def test_what_is_no_address_of_a_webhook_is_refused(settings, url):
    with pytest.raises(InvalidInput, match="must look like"):
        check_url(url, settings, field="target")


def test_credentials_in_an_address_are_refused_and_not_repeated(settings):
    with pytest.raises(InvalidInput, match="must not contain a user name") as refusal:
        check_url("https://ann:hunter2@example.com/", settings, field="target")

    assert "hunter2" not in str(refusal.value)


def test_name_that_leads_inside_is_refused_when_the_socket_opens(
    owner_with, http_receiver, monkeypatch
):
    """As a name does whose DNS answer changed after it was added."""
    owner = owner_with()
    webhook = owner.add_webhook(f"http://changing.example:{http_receiver.port}/")
    owner.tell()
    resolve = socket.getaddrinfo

    def lie(host, *more, **how):
        return resolve("127.0.0.1" if host == "changing.example" else host, *more, **how)

    monkeypatch.setattr(socket, "getaddrinfo", lie)
    owner.deliver(webhook)

    assert http_receiver.received == []
    reason = "its address is inside the operator's network, which needs ALLOW_PRIVATE_TARGETS=1"
    assert owner.list_states(webhook)[0][2] == reason


@pytest.mark.parametrize(
    ("url", "masked"),
    [
        ("https://example.com/secret?key=secret", "https://example.com/…"),
        ("https://example.com:8443/", "https://example.com:8443/"),
        ("https://example.com", "https://example.com/"),
        ("https://[2001:db8::1]:8443/secret", "https://[2001:db8::1]:8443/…"),
        ("https://xn--bcher-kva.example/secret", "https://xn--bcher-kva.example/…"),
        # As an older version may have taken them.
        ("https://ann:hunter2@example.com/secret", "https://example.com/…"),
        ("https://ann:hunter2@[::1/secret", "https://…"),
    ],
)
def test_masked_address_shows_the_host_only(url, masked):
    assert mask_url(url) == masked


def test_wait_of_a_receiver_counts_only_as_a_number(owner, http_receiver):
    webhook = owner.add_webhook(http_receiver.url)
    owner.tell()
    http_receiver.statuses, http_receiver.headers = [503], {"Retry-After": "tomorrow"}
    owner.deliver(webhook)

    wait_s = owner.read(webhook).next_attempt_at - owner.world.clock()
    assert wait_s <= timedelta(seconds=5)
