"""Channels: e-mail, Telegram, Discord, Slack and ntfy, each with the fields that owners fill in.

All else is reached through a webhook. A receiver keeps these fields as JSON in its `target`.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias, get_args
from urllib.parse import urlsplit

import msgspec

from embed.errors import InvalidInput
from embed.notifications import mail
from embed.notifications.digest import Digest
from embed.notifications.formats import fit, write_discord, write_slack, write_telegram, write_text
from embed.notifications.mail import is_mailbox
from embed.notifications.targets import Outcome, check_url, post
from embed.outbound.http import Client
from embed.serializers import write_json
from embed.settings import Settings

TELEGRAM_API = "https://api.telegram.org"
UNSUPPORTED = "no longer supported: use a webhook"
_RESERVE = 200  # of a service's room, for what it counts that we do not


class Email(msgspec.Struct, tag="email", frozen=True):
    address: str

    def check(self, settings: Settings) -> None:
        if not is_mailbox(self.address):
            raise InvalidInput("This is no e-mail address.", field="address")
        if settings.smtp_url is None:
            raise InvalidInput(
                "This installation has no mail server; its operator can set SMTP_URL.",
                field="address",
            )

    def mask(self) -> str:
        return self.address

    def send(self, digest: Digest, _client: Client, settings: Settings) -> Outcome:
        return mail.send(self.address, digest, settings)


class Telegram(msgspec.Struct, tag="telegram", frozen=True):
    """https://core.telegram.org/bots/api#sendmessage"""

    bot_token: str
    chat_id: str

    def check(self, _settings: Settings) -> None:
        if not re.fullmatch(r"[0-9]+:[A-Za-z0-9_-]{10,200}", self.bot_token):
            raise InvalidInput(
                "A bot's token looks like 123456789:AbCdEfGhIjKlMnOp; @BotFather shows it.",
                field="bot_token",
            )
        if not re.fullmatch(r"-?[0-9]{1,20}|@\w{4,64}", self.chat_id, re.A):
            raise InvalidInput(
                "A chat's id is a number such as -1001234567890, or @channel.", field="chat_id"
            )

    def mask(self) -> str:
        return "Telegram"

    def send(self, digest: Digest, client: Client, _settings: Settings) -> Outcome:
        content = {
            "chat_id": self.chat_id,
            "text": fit(digest, write_telegram, 4096 - _RESERVE),
            "parse_mode": "HTML",
            "link_preview_options": {"is_disabled": True},
        }
        return _post(client, f"{TELEGRAM_API}/bot{self.bot_token}/sendMessage", content)


class Discord(msgspec.Struct, tag="discord", frozen=True):
    """https://docs.discord.com/developers/resources/webhook#execute-webhook"""

    webhook_url: str

    def check(self, settings: Settings) -> None:
        check_url(self.webhook_url, settings, field="webhook_url")

    def mask(self) -> str:
        return f"Discord ({urlsplit(self.webhook_url).netloc})"

    def send(self, digest: Digest, client: Client, _settings: Settings) -> Outcome:
        content = {
            "content": fit(digest, write_discord, 2000 - _RESERVE),
            "allowed_mentions": {"parse": []},
            "flags": 4,  # no previews of links
        }
        return _post(client, self.webhook_url, content)


class Slack(msgspec.Struct, tag="slack", frozen=True):
    """https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks"""

    webhook_url: str

    def check(self, settings: Settings) -> None:
        check_url(self.webhook_url, settings, field="webhook_url")

    def mask(self) -> str:
        return f"Slack ({urlsplit(self.webhook_url).netloc})"

    def send(self, digest: Digest, client: Client, _settings: Settings) -> Outcome:
        # Slack advises at most 4,000 characters.
        content = {"text": fit(digest, write_slack, 4000 - _RESERVE), "unfurl_links": False}
        return _post(client, self.webhook_url, content)


class Ntfy(msgspec.Struct, tag="ntfy", frozen=True):
    """https://docs.ntfy.sh/publish/#publish-as-json"""

    topic: str
    server: str = "https://ntfy.sh"
    access_token: str = ""

    def check(self, settings: Settings) -> None:
        parts = urlsplit(check_url(self.server, settings, field="server"))
        if parts.path.strip("/") or parts.query or parts.fragment:
            raise InvalidInput(
                "The server's address must have no path, such as https://ntfy.sh.", field="server"
            )
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", self.topic):
            raise InvalidInput(
                "A topic has at most 64 letters, digits, hyphens and underscores.", field="topic"
            )
        if not re.fullmatch(r"[\w.~+/=-]{0,200}", self.access_token, re.A):
            raise InvalidInput("An access token looks like tk_AbCdEf.", field="access_token")

    def mask(self) -> str:
        return f"ntfy ({urlsplit(self.server).netloc})"

    def send(self, digest: Digest, client: Client, _settings: Settings) -> Outcome:
        """Show the first choice as buttons; a server makes a file of more than 4,096 bytes."""
        text = fit(replace(digest, choices=digest.choices[1:]), write_text, 4096 - _RESERVE)
        actions = [
            {"action": "view", "label": f"{label}: {choice.name}", "url": url}
            for choice in digest.choices[:1]
            for label, url in choice.links
        ]
        content = {"topic": self.topic, "title": digest.title, "message": text, "actions": actions}
        token = {"Authorization": f"Bearer {self.access_token}"} if self.access_token else {}
        return _post(client, self.server, content, token)


class Unsupported(msgspec.Struct, frozen=True):
    """A channel of Apprise, which older versions had: it is listed, and never tried."""

    address: str

    def mask(self) -> str:
        scheme, separator, _ = self.address.partition("://")
        return f"{scheme}://…" if separator else "…"

    def send(self, _digest: Digest, _client: Client, _settings: Settings) -> Outcome:
        return Outcome(False, UNSUPPORTED, is_final=True)


Channel: TypeAlias = Email | Telegram | Discord | Slack | Ntfy
SERVICES: Mapping[str, type[Channel]] = {
    str(each.__struct_config__.tag): each for each in get_args(Channel)
}


def parse_channel(service: str, raw: Mapping[str, str | None], settings: Settings) -> str:
    """Return the target of a new channel. Raises InvalidInput, without the target in it.

    `raw` has fields by their names; those of other services are ignored.
    """
    kind = SERVICES.get(service)
    if kind is None:
        raise InvalidInput(
            "A channel is an e-mail address or one of %(services)s; anything else is reached"
            " through a webhook.",
            field="service",
            services=", ".join(list(SERVICES)[1:]),
        )
    values = {
        each.name: value
        for each in msgspec.structs.fields(kind)
        if (value := (raw.get(each.name) or "").strip()) or each.required
    }
    channel = kind(**values)
    channel.check(settings)
    return msgspec.json.encode(channel).decode()


def read_channel(target: str) -> Channel | Unsupported:
    """Read a receiver's target: what is no channel of these services is one of Apprise."""
    try:
        channel: Channel = msgspec.json.decode(target, type=Channel)
    except msgspec.DecodeError:
        return Unsupported(target)
    return channel


def find_service(target: str) -> str | None:
    """Return the name of a target's service; None: it is no longer supported."""
    kind = type(read_channel(target))
    return next((name for name, each in SERVICES.items() if each is kind), None)


def send(target: str, digest: Digest, client: Client, settings: Settings) -> Outcome:
    return read_channel(target).send(digest, client, settings)


def _post(
    client: Client,
    url: str,
    content: Mapping[str, object],
    headers: Mapping[str, str] | None = None,
) -> Outcome:
    return post(client, url, write_json(content, is_compact=True), headers or {})
