"""Webhooks: what is sent, how it is signed, and where it may go."""

import base64
import json
from decimal import Decimal

import pytest
from standardwebhooks import Webhook
from support.world import Visitor

from embed.domain.times import format_instant
from embed.errors import InvalidInput
from embed.notifications import receivers, webhooks
from embed.notifications.targets import check_url
from embed.notifications.webhooks import mask_url, read_public_key


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


def test_data_of_a_submission_is_that_of_the_api_with_the_owners_reason(owner, http_receiver):
    webhook = owner.add_webhook(http_receiver.url)
    visitor = Visitor()
    owner.world.open_widget(visitor)
    owner.world.submit(visitor, "Ann")
    owner.deliver(webhook)

    data = json.loads(http_receiver.received[0].body)["data"]
    (shown,) = owner.world.list_own(visitor).json["submissions"]
    reason = {"reasonCode": None, "reasonText": None}
    assert data == shown | reason | {"trackingPageId": owner.world.page_id}


def test_each_webhook_has_secrets_of_its_own_form(owner):
    one, two = owner.add_webhook("http://127.0.0.1:9/"), owner.add_webhook("http://127.0.0.1:9/")

    assert one.secret.startswith("whsec_")
    assert one.signing_key.startswith("whsk_")
    assert read_public_key(one.signing_key).startswith("whpk_")
    assert len(base64.b64decode(one.secret.removeprefix("whsec_"))) == 32
    assert {one.secret, one.signing_key}.isdisjoint({two.secret, two.signing_key})


def test_previous_secret_signs_as_well_for_a_day(owner, http_receiver):
    webhook = owner.add_webhook(http_receiver.url)
    rotated = receivers.rotate_secret(webhook.id, owner.world.change())
    assert rotated.secret != webhook.secret

    owner.tell()
    owner.deliver(webhook)
    (received,) = http_receiver.received
    for secret in (webhook.secret, rotated.secret):
        Webhook(secret).verify(received.body, received.headers)

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
