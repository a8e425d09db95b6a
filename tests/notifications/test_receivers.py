"""Adding, removing and rotating: each is logged without secrets, and locked like other changes."""

import re
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from support.world import read_log

from embed.errors import InvalidInput, NotFound
from embed.notifications import receivers
from embed.notifications.channels import read_channel

HOOK = "http://127.0.0.1:9/secret-path?secret-query"
DISCORD = "discord"


def test_every_change_is_logged_and_no_secret_is(owner):
    webhook, channel = owner.add_webhook(HOOK), owner.add_channel(DISCORD)
    receivers.rotate_secret(webhook.id, owner.world.change())
    receivers.remove_receiver(webhook.id, "webhook", owner.world.change())
    receivers.remove_receiver(channel.id, "channel", owner.world.change())

    log = [(each.action, each.subject) for each in read_log(owner.world.page_id)]
    assert {
        ("add receiver", "channel http://127.0.0.1:9/…"),
        ("add receiver", "channel Discord (discord.com)"),
        ("rotate secret", "channel http://127.0.0.1:9/…"),
        ("remove receiver", "channel http://127.0.0.1:9/…"),
        ("remove receiver", "channel Discord (discord.com)"),
    } <= set(log)
    assert "secret-" not in repr(log)
    assert "JHMHI8" not in repr(log)


def test_page_has_at_most_twenty_of_both_kinds(owner):
    for _ in range(10):
        owner.add_webhook(HOOK)
        owner.add_channel(DISCORD)

    for add in (lambda: owner.add_webhook(HOOK), lambda: owner.add_channel(DISCORD)):
        with pytest.raises(InvalidInput, match="at most 20"):
            add()


def test_second_rotation_ends_the_first_secret(owner):
    webhook = owner.add_webhook(HOOK)
    now = owner.world.clock()
    first = receivers.rotate_secret(webhook.id, owner.world.change())
    second = receivers.rotate_secret(webhook.id, owner.world.change())

    assert second.previous_secret == first.secret
    assert second.previous_secret_expires_at == now + timedelta(days=1)
    assert len({webhook.secret, first.secret, second.secret}) == 3


def test_kinds_are_not_mistaken_for_each_other(owner):
    webhook, channel = owner.add_webhook(HOOK), owner.add_channel(DISCORD)

    with pytest.raises(NotFound, match=f"There is no channel {webhook.id}"):
        receivers.remove_receiver(webhook.id, "channel", owner.world.change())
    with pytest.raises(NotFound, match=f"There is no webhook {channel.id}"):
        receivers.rotate_secret(channel.id, owner.world.change())


def test_secrets_are_in_no_representation(owner):
    webhook = owner.add_webhook(HOOK)

    for text in (repr(webhook), str(webhook)):
        assert "secret-path" not in text
        assert "whsec_" not in text


PATH = "4174216298/JHMHI8qBe7bk2ZwO5U711"
SLACK = "T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcO"
TOKEN = "123456789:abcdefg_hijklmnop"
CHATS = {
    f"https://discord.com/api/webhooks/{PATH}": "Discord",
    f"http://discordapp.com:80/api/webhooks/{PATH}/": "Discord",
    f"https://ptb.discord.com/api/webhooks/{PATH}/github": "Discord",
    f"https://hooks.slack.com/services/{SLACK}": "Slack",
    f"https://api.telegram.org/bot{TOKEN}/sendMessage?chat_id=-100123": "Telegram",
}
NO_CHATS = [
    "https://discord.com.example.com/api/webhooks/1/x",
    "https://example.com/?to=https://hooks.slack.com/services/x",
    "https://api.telegram.example.com/bot1:x/sendMessage",
]


@pytest.mark.parametrize("url", CHATS)
def test_chat_is_no_webhook_and_another_service_is_not_taken_for_its_own(owner, url):
    with pytest.raises(InvalidInput, match=f"a {CHATS[url]} chat.*Choose {CHATS[url]} instead"):
        owner.add_webhook(url)
    service = "slack" if CHATS[url] == "Discord" else "discord"
    with pytest.raises(InvalidInput, match=f"is a {CHATS[url]} address"):
        owner.add_channel(service, webhook_url=url)


@pytest.mark.parametrize("url", NO_CHATS)
def test_address_that_only_resembles_a_chats_is_a_webhook(owner, url):
    assert owner.add_webhook(url).target == url


@pytest.mark.parametrize("url", [each for each in CHATS if CHATS[each] != "Telegram"])
def test_channel_goes_to_the_address_at_which_its_chat_takes_messages(owner, url):
    channel = owner.add_channel(CHATS[url].lower(), webhook_url=url)

    sent_to = urlsplit(read_channel(channel.target).webhook_url)
    assert re.fullmatch(r"https://[a-z.]+\w", f"{sent_to.scheme}://{sent_to.netloc}")
    assert not re.search("/(slack|github)", sent_to.path)
