"""Email, Telegram, Discord, Slack and ntfy channels, each with the fields that owners fill in.

Everything else needs a webhook. A receiver stores these fields as JSON in its `target`.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias, get_args
from urllib.parse import parse_qsl, urlsplit

import msgspec

from embed.domain.texts import gettext_noop
from embed.errors import InvalidInput
from embed.notifications import mail
from embed.notifications.digest import (
    Digest,
    count_bytes,
    fit,
    write_discord,
    write_slack,
    write_telegram,
    write_text,
)
from embed.notifications.targets import Outcome, check_reach, check_url, post
from embed.outbound import Client
from embed.settings import Settings

TELEGRAM_API = "https://api.telegram.org"
UNSUPPORTED = "no longer supported: use a webhook"
_RESERVE = 200  # of a service's limit, for what it counts and we don't


class _Channel(msgspec.Struct, tag=str.lower):
    """A service, named like its class; all fields are strings."""

    def mask(self) -> str:
        """Return where messages are sent, without secrets."""
        return type(self).__name__

    def check(self, settings: Settings) -> None:
        """Raises InvalidInput if nothing can be sent with these settings."""


class Email(_Channel):
    address: str

    def mask(self) -> str:
        return self.address

    def check(self, settings: Settings) -> None:
        if settings.smtp_url is None:
            raise InvalidInput(
                "This service can't send email yet. Its operator can set that up.", field="address"
            )

    def send(self, digest: Digest, _: Client, settings: Settings) -> Outcome:
        return mail.send(self.address, digest, settings)


class Telegram(_Channel):
    """https://core.telegram.org/bots/api#sendmessage"""

    bot_token: str
    chat_id: str

    def send(self, digest: Digest, client: Client, _: Settings) -> Outcome:
        content = {
            "chat_id": self.chat_id,
            "text": fit(digest, write_telegram, 4096 - _RESERVE),
            "parse_mode": "HTML",
            "link_preview_options": {"is_disabled": True},
        }
        return post(client, f"{TELEGRAM_API}/bot{self.bot_token}/sendMessage", content)


class _Incoming(_Channel):
    webhook_url: str

    def mask(self) -> str:
        return f"{type(self).__name__} ({urlsplit(self.webhook_url).netloc})"

    def check(self, settings: Settings) -> None:
        check_reach(self.webhook_url, settings, field="webhook_url")


class Discord(_Incoming):
    """https://docs.discord.com/developers/resources/webhook#execute-webhook"""

    def send(self, digest: Digest, client: Client, _: Settings) -> Outcome:
        content = {
            "content": fit(digest, write_discord, 2000 - _RESERVE),
            "allowed_mentions": {"parse": []},
            "flags": 4,  # no link previews
        }
        return post(client, self.webhook_url, content)


class Slack(_Incoming):
    """https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks"""

    def send(self, digest: Digest, client: Client, _: Settings) -> Outcome:
        # Slack recommends at most 4,000 characters.
        content = {"text": fit(digest, write_slack, 4000 - _RESERVE), "unfurl_links": False}
        return post(client, self.webhook_url, content)


class Ntfy(_Channel):
    """https://docs.ntfy.sh/publish/#publish-as-json"""

    topic: str
    server: str = "https://ntfy.sh"
    access_token: str = ""

    def mask(self) -> str:
        return f"ntfy ({urlsplit(self.server).netloc})"

    def check(self, settings: Settings) -> None:
        check_reach(self.server, settings, field="server")

    def send(self, digest: Digest, client: Client, _: Settings) -> Outcome:
        """Show the first choice as buttons; ntfy turns more than 4,096 bytes into a file."""
        content = {
            "topic": self.topic,
            "title": digest.title,
            "message": fit(
                replace(digest, choices=digest.choices[1:]),
                write_text,
                4096 - _RESERVE,
                count_bytes,
            ),
            "actions": [
                {"action": "view", "label": f"{label}: {choice.name}", "url": url}
                for choice in digest.choices[:1]
                for label, url in choice.links
            ],
        }
        token = {"Authorization": f"Bearer {self.access_token}"} if self.access_token else {}
        return post(client, self.server, content, token)


class Unsupported(_Channel):
    """A channel that came from a version before 0.7.0; it's listed but never used."""

    address: str

    def mask(self) -> str:
        scheme, separator, _ = self.address.partition("://")
        return f"{scheme}://…" if separator else "…"

    def check(self, settings: Settings) -> None:
        raise InvalidInput("No longer supported: use a webhook. Nothing is sent here.")

    def send(self, _digest: Digest, _client: Client, _settings: Settings) -> Outcome:
        return Outcome(False, UNSUPPORTED, is_final=True)


Channel: TypeAlias = Email | Telegram | Discord | Slack | Ntfy
SERVICES: Mapping[str, type[Channel]] = {each.__name__.lower(): each for each in get_args(Channel)}
_FORMS: Mapping[str, tuple[str, str]] = {
    "address": (mail.MAILBOX, gettext_noop("This isn't an email address.")),
    "bot_token": (
        r"[0-9]+:[\w-]{10,200}",
        gettext_noop("A bot's token looks like 123456789:AbCdEfGhIjKlMnOp; @BotFather shows it."),
    ),
    "chat_id": (
        r"-?[0-9]{1,20}|@\w{4,64}",
        gettext_noop("A chat's id is a number such as -1001234567890, or @channel."),
    ),
    "topic": (
        r"[\w-]{1,64}",
        gettext_noop("A topic has at most 64 letters, digits, hyphens and underscores."),
    ),
    "server": (
        r"https?://[^/?#]+/?",
        gettext_noop("The server's address must look like https://ntfy.sh, without a path."),
    ),
    "access_token": (
        r"[\w.~+/=-]{0,200}",
        gettext_noop("An access token looks like tk_AbCdEf."),
    ),
}


def parse_channel(service: str, raw: Mapping[str, str | None], settings: Settings) -> str:
    """Return a new channel's target. Raises InvalidInput, without quoting the target.

    `raw` has fields by name; those of other services are ignored.
    """
    kind = SERVICES.get(service)
    if kind is None:
        raise InvalidInput(
            "A channel is an email address or one of %(services)s. Use a webhook for anything "
            "else.",
            field="service",
            services=", ".join(list(SERVICES)[1:]),
        )
    values = {
        each.name: value
        for each in msgspec.structs.fields(kind)
        if (value := (raw.get(each.name) or "").strip()) or each.required
    }
    for name, value in values.items():
        form, sentence = _FORMS.get(name, ("", ""))
        if form and not re.fullmatch(form, value, re.A):
            raise InvalidInput(sentence, field=name)
        if name in ("webhook_url", "server"):
            check_url(value, settings, field=name)
    # Discord also accepts Slack's format, at an address that ends in /slack.
    chat = find_chat(values.get("webhook_url", ""))
    if chat and chat[0] == service:
        values |= chat[1]
    elif chat and not values["webhook_url"].endswith("/slack"):
        raise InvalidInput(
            "This is a %(service)s address. Choose that service.",
            field="webhook_url",
            service=SERVICES[chat[0]].__name__,
        )
    channel = kind(**values)
    channel.check(settings)
    return msgspec.json.encode(channel).decode()


def check_is_no_chat(url: str) -> None:
    """Raises InvalidInput for a chat's address, since chats don't accept webhook messages."""
    if chat := find_chat(url):
        raise InvalidInput(
            "This is the address of a %(service)s chat, where webhooks don't work. Choose "
            "%(service)s instead.",
            field="target",
            service=SERVICES[chat[0]].__name__,
        )


def find_chat(url: str) -> tuple[str, dict[str, str]] | None:
    """Return the service of a chat's address, and its channel's fields."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return None
    host = (parts.hostname or "").rstrip(".")
    https = parts._replace(
        scheme="https", netloc=host
    )  # http is redirected, and we don't follow redirects
    if re.fullmatch(r"(\w+\.)?discord(app)?\.com", host) and "/webhooks/" in parts.path:
        path = re.sub(r"/(slack|github)/?$", "", parts.path)
        return "discord", {"webhook_url": https._replace(path=path).geturl()}
    if re.fullmatch(r"hooks\.slack(-gov)?\.com", host):
        return "slack", {"webhook_url": https.geturl()}
    if host == "api.telegram.org" and (found := re.match("/bot([^/]+)", parts.path)):
        chat_id = dict(parse_qsl(parts.query)).get("chat_id", "")
        return "telegram", {"bot_token": found[1], "chat_id": chat_id}
    return None


def read_channel(target: str) -> Channel | Unsupported:
    """Read a receiver's target; anything that isn't one of these services is unsupported."""
    try:
        channel: Channel = msgspec.json.decode(target, type=Channel)
    except msgspec.DecodeError:
        return Unsupported(target)
    return channel


def find_service(target: str) -> str | None:
    """Return the name of a target's service; None if it's no longer supported."""
    name = type(read_channel(target)).__name__.lower()
    return name if name in SERVICES else None


def send(target: str, digest: Digest, client: Client, settings: Settings) -> Outcome:
    return read_channel(target).send(digest, client, settings)
