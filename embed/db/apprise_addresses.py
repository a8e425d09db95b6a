"""Converts the Apprise addresses that version 0.6.0 stored for channels to today's fields.

Used only by the upgrade. An address isn't converted if it has something that could change who reads
a message: several recipients, a chat's topic, a channel other than the webhook's own, a password.
"""

import re
from collections.abc import Mapping
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

# Parameters that only change how a message looks or sounds.
_LOOKS = frozenset(
    """
    avatar avatar_url batch blocks botname emojis fields footer footer_logo format image mdv
    overflow preview priority silent tags timestamp tts xtags
    """.split()  # noqa: SIM905 -- easier to read without quotes around each word
)
_MAILBOX = r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z][A-Za-z0-9-]{0,62}"
_DISCORD = r"https?://discord(?:app)?\.com/api/webhooks/([0-9]+)/([\w-]+)/?"
_SLACK = r"https?://(hooks\.slack(?:-gov)?\.com/services/\w+/\w+/\w+)/?"

Fields = Mapping[str, str]


def read_fields(address: str) -> Fields | None:
    """Return a channel's fields, with its service as `type`; None if they'd be inexact."""
    if re.fullmatch(_MAILBOX, address, re.A):
        return {"type": "email", "address": address}
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        if not address.lower().startswith("tgram://"):  # its token looks like a port
            return None
        port = None
    parameters = dict(parse_qsl(parts.query, keep_blank_values=True))
    names = [unquote(each) for each in parts.path.split("/") if each]
    if parts.scheme in ("mailto", "mailtos"):
        return _read_mail(parts, parameters, names)
    if not {each.lower() for each in parameters} <= _LOOKS or parts.fragment:
        return None
    if parts.scheme == "tgram":
        return _read_telegram(parts)
    if parts.scheme in ("ntfy", "ntfys"):
        return _read_ntfy(parts, port, names)
    return _read_webhook(parts, names)


def _read_mail(parts: SplitResult, parameters: Fields, names: list[str]) -> Fields | None:
    """Read the recipient; the installation's own mail server sends the mail from now on."""
    recipients = [*names, *filter(None, [parameters.get("to")])]
    if not recipients and parts.username and "from" not in parameters:
        recipients = [f"{unquote(parts.username)}@{parts.hostname}"]
    is_one = len(recipients) == 1 and re.fullmatch(_MAILBOX, recipients[0], re.A)
    if not is_one or {"cc", "bcc"} & parameters.keys():
        return None
    return {"type": "email", "address": recipients[0]}


def _read_telegram(parts: SplitResult) -> Fields | None:
    found = re.fullmatch(
        r"(?:bot)?(?:[\w-]+@)?([0-9]+):([\w-]{10,})/(-?[0-9]{1,20}|(?:@|%40)?[A-Za-z_]\w{3,63})/?",
        unquote(f"{parts.netloc}{parts.path}"),
        re.A,
    )
    if found is None:
        return None
    number, secret, chat = found.groups()
    if not re.fullmatch(r"-?[0-9]+|@.*", chat):
        chat = f"@{chat}"
    return {"type": "telegram", "bot_token": f"{number}:{secret}", "chat_id": chat}


def _read_ntfy(parts: SplitResult, port: int | None, names: list[str]) -> Fields | None:
    user, _, host = parts.netloc.rpartition("@")
    if user and not re.fullmatch(r"tk_\w+", user, re.A):
        return None
    scheme = "https" if parts.scheme == "ntfys" else "http"
    if not names:  # ntfy://topic is a topic on ntfy.sh
        names, server = [host.removesuffix(f":{port}")], "https://ntfy.sh"
    elif host == "ntfy.sh":
        server = "https://ntfy.sh"
    else:
        server = f"{scheme}://{host}"
    if len(names) != 1 or not re.fullmatch(r"[\w-]{1,64}", names[0], re.A):
        return None
    token = {"access_token": user} if user else {}
    return {"type": "ntfy", "topic": names[0], "server": server} | token


def _read_webhook(parts: SplitResult, names: list[str]) -> Fields | None:
    url = f"{parts.scheme}://{parts.netloc}{parts.path}"
    host = parts.netloc.rpartition("@")[2]
    if parts.scheme == "discord" and len(names) == 1:
        url = f"https://discord.com/api/webhooks/{host}/{names[0]}"
    elif parts.scheme == "slack" and len(names) == 2:
        url = f"https://hooks.slack.com/services/{host}/{names[0]}/{names[1]}"
    if found := re.fullmatch(_DISCORD, url, re.A):
        url = f"https://discord.com/api/webhooks/{found[1]}/{found[2]}"
        return {"type": "discord", "webhook_url": url}
    if found := re.fullmatch(_SLACK, url, re.A):
        return {"type": "slack", "webhook_url": f"https://{found[1]}"}
    if found := re.fullmatch(r"https?://ntfy\.sh/([\w-]{1,64})/?", url, re.A):
        return {"type": "ntfy", "topic": found[1], "server": "https://ntfy.sh"}
    return None
