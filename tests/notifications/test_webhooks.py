"""Webhooks: what is sent, how it is signed, and where it may go."""

import re

import pytest
from standardwebhooks import Webhook
from support.world import with_session

from embed.domain.times import format_instant
from embed.errors import InvalidInput
from embed.notifications import receivers, webhooks
from embed.notifications.targets import check_url
from embed.notifications.webhooks import mask_url, read_public_key


def test_submission_arrives_signed_as_standard_webhooks_has_it(owner, http_receiver):
    webhook = owner.add_webhook(http_receiver.url)
    visitor = with_session(owner.world)
    owner.world.submit(visitor, "Ann")
    owner.deliver(webhook)

    (received,) = http_receiver.received
    (shown,) = owner.world.list_own(visitor).json["submissions"]
    reason = {"reasonCode": None, "reasonText": None}
    assert Webhook(webhook.secret).verify(received.body, received.headers) == {
        "type": "submission.created",
        "timestamp": format_instant(owner.world.clock()),
        "data": shown | reason | {"trackingPageId": owner.world.page_id},
    }
    assert received.headers["content-type"] == "application/json"
    assert b", " not in received.body
    assert b": " not in received.body


def test_each_webhook_has_secrets_of_its_own_form(owner):
    one, two = owner.add_webhook("http://127.0.0.1:9/"), owner.add_webhook("http://127.0.0.1:9/")

    assert re.fullmatch(r"whsec_[\w+/]{43}=", one.secret)  # 32 bytes
    assert one.signing_key.startswith("whsk_")
    assert read_public_key(one.signing_key).startswith("whpk_")
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


# Where a webhook may lead


@pytest.fixture
def settings(app, runtime):
    return runtime.settings


@pytest.mark.parametrize(
    "url",
    [
        "http://0x7f000001/",
        "http://169.254.169.254/latest",
        "http://[::1]/",
        "http://[::ffff:192.168.0.1]/",
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
        "javascript:alert(1)",
        "https://example.com/\r\nHost: other",
        "https://:80/",
        "https://example.com:0/",
        "https://[::1",
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
        ("https://example.com", "https://example.com/"),
        ("https://[2001:db8::1]:8443/secret", "https://[2001:db8::1]:8443/…"),
        # As an older version may have taken them.
        ("https://ann:hunter2@example.com/secret", "https://example.com/…"),
        ("https://ann:hunter2@[::1/secret", "https://…"),
    ],
)
def test_masked_address_shows_the_host_only(url, masked):
    assert mask_url(url) == masked
