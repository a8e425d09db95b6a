"""Channels: e-mail, and the services that Apprise reaches."""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from apprise import Apprise, AppriseAsset, NotifyBase, NotifyFormat
from apprise.plugins import N_MGR, url_to_dict

from embed.errors import InvalidInput
from embed.notifications.digest import Choice, Digest
from embed.notifications.formats import (
    Write,
    write_actions,
    write_mail,
    write_markdown,
    write_telegram,
    write_text,
)
from embed.notifications.mailboxes import build_arguments, is_mailbox
from embed.notifications.services import ALLOWED, FILE_ARGUMENTS, REFUSED, UNKNOWN
from embed.notifications.targets import Outcome, check_host
from embed.outbound import guard
from embed.outbound.guard import Guard, Reach, guarded
from embed.settings import Settings

TIMEOUT_S = 20
MAX_BYTES = 4 * 1024 * 1024  # of all answers; some services list a workspace's rooms or users
MAX_MAIL_BYTES = 256 * 1024  # of all replies of a mail server; smtplib is slow to read many lines
MAX_TARGET_LENGTH = 2000
# Some addresses of these have a topic or a token, which has no dot, in place of the host.
_MAY_NAME_HOST = {"Ntfy", "Matrix"}

# What shows links by their words, once there are choices.
_FORMATS: Mapping[str, tuple[NotifyFormat, Write]] = {
    "Discord": (NotifyFormat.MARKDOWN, write_markdown),
    "Email": (NotifyFormat.HTML, write_mail),
    "Slack": (NotifyFormat.MARKDOWN, write_markdown),
    "Telegram": (NotifyFormat.HTML, write_telegram),
}
# Where less arrives than Apprise sends: a section of Slack's blocks has 3,000 characters, and
# ntfy's servers make an attachment of what is longer than 4,096 bytes.
_ROOM = {"Slack": 3_000, "Ntfy": 4_000}
_RESERVE = 200  # for the title, and for what is escaped

# Nothing on disk: no storage between messages, no keys that are made by themselves.
_ASSET = AppriseAsset(
    app_id="Tracking embed",
    app_desc="Tracking embed",
    app_url="",
    image_url_mask="",  # no pictures from a third party's server
    image_url_logo="",
    storage_mode="memory",
    secure_logging=True,
    pgp_autogen=False,
    pem_autogen=False,
    service_timeout=0,  # `guarded` limits the time
    interpret_emojis=False,
)

_STATUS = re.compile(r"\berror=([345][0-9]{2})\b")
_SMTP_STATUS = re.compile(r"^Socket Exception: \(([45][0-9]{2}), ")
_NO_CONNECTION = re.compile("connection error", re.IGNORECASE)
_PHRASES = {status.value: status.phrase for status in HTTPStatus}
_reasons: ContextVar[list[str] | None] = ContextVar("_reasons", default=None)


class _ReasonReader(logging.Filter):
    """Keeps why a message was not sent: a status, or that there was no connection.

    Apprise only logs that, in texts that may quote answers and addresses: nothing else of them is
    kept, and none gets into the log.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        found = _reasons.get()
        if found is not None:
            _add_reason(found, record.getMessage())
        return False


def _add_reason(found: list[str], text: str) -> None:
    status = _STATUS.search(text)
    if status is not None:
        found.append(f"{status[1]} {_PHRASES.get(int(status[1]), '')}".strip())
    elif (refusal := _SMTP_STATUS.search(text)) is not None:
        found.append(f"the mail server answered {refusal[1]}")
    elif _NO_CONNECTION.search(text):
        found.append("the connection failed")


_log = logging.getLogger(__name__)
_apprise_log = logging.getLogger("apprise")
_apprise_log.setLevel(logging.DEBUG)  # where it says why mail was refused
_apprise_log.addFilter(_ReasonReader())


def check_target(raw: str, settings: Settings) -> str:
    """Return the target of a new channel. Raises InvalidInput, without the target in it."""
    target = raw.strip()
    if not target.isprintable() or len(target) > MAX_TARGET_LENGTH:
        raise _explain_form()
    # Nothing connects yet, or should.
    with guarded(reach=Reach.PUBLIC, timeout_s=TIMEOUT_S, max_bytes=0):
        service = _open_service(target, settings)
    if not is_mailbox(target):
        check_host(service.host or "", settings)
    return target


def mask_target(target: str) -> str:
    """Return which service a target is of and at which host, if it names one, and nothing else.

    What Apprise calls public is not shown: a topic of ntfy is, which whoever knows it reads.
    """
    if is_mailbox(target):
        return target
    try:
        arguments = _read_address(target)
        service = _instantiate(arguments)
    except InvalidInput:  # of a service that this version of Apprise does not have, for example
        schema, separator, _ = target.partition("://")
        return f"{schema}://…" if separator else "…"
    port = f":{service.port}" if service.port else ""
    host = f"{service.host}{port}/" if _names_host(service) else ""
    return f"{arguments['schema']}://{host}…"  # some services call their own schema http


def _names_host(service: NotifyBase) -> bool:
    """Tell whether what an address has in the place of the host is one, and no token or account."""
    templates: tuple[str, ...] = service.templates
    if all("{host}" in each for each in templates):
        return True
    return _find_name(type(service)) in _MAY_NAME_HOST and "." in service.host


def _find_name(plugin: type[NotifyBase]) -> str:
    return plugin.__name__.removeprefix("Notify")


def send(target: str, digest: Digest, settings: Settings) -> Outcome:
    """Send a text to a channel."""
    is_anywhere_allowed = settings.allow_private_targets or is_mailbox(target)
    reach = Reach.ANY if is_anywhere_allowed else Reach.PUBLIC
    token = _reasons.set([])
    try:
        max_bytes = MAX_MAIL_BYTES if _is_mail(target) else MAX_BYTES
        with guarded(reach=reach, timeout_s=TIMEOUT_S, max_bytes=max_bytes) as bounds:
            return _notify(target, digest, settings, bounds)
    finally:
        _reasons.reset(token)


def _notify(target: str, digest: Digest, settings: Settings, bounds: Guard) -> Outcome:
    failure: Exception | None = None
    try:
        service = _open_service(target, settings, digest.choices)
        body, body_format = _write(service, digest)
        if service.notify(title=digest.title, body=body, body_format=body_format):
            return Outcome(True, "sent")
    except InvalidInput as mistake:
        return Outcome(False, str(mistake).removesuffix("."))
    except Exception as raised:  # a plugin may raise anything; its text may quote the target
        failure = raised
    if bounds.is_exceeded:
        return Outcome(False, f"the answers are larger than {bounds.max_bytes:,} bytes")
    if bounds.is_expired:
        return Outcome(False, "timed out")
    if failure is not None:
        _log.warning("A plugin of Apprise failed: %s", mask_target(target))
        return Outcome(False, "Apprise failed")
    return Outcome(False, _explain_failure())


def _is_mail(target: str) -> bool:
    return is_mailbox(target) or target.lower().startswith(("mailto:", "mailtos:"))


def _write(service: NotifyBase, digest: Digest) -> tuple[str, NotifyFormat]:
    """Return a message's body with as many choices as it has room for, and its format."""
    name = _find_name(type(service))
    if name == "Ntfy":
        digest = replace(digest, choices=digest.choices[1:])  # the first are its buttons
    plain = (NotifyFormat.TEXT, write_text)
    wanted, write = _FORMATS.get(name, plain) if digest.choices else plain
    if service.resolve_format(wanted) != wanted:  # the address asks for another
        wanted, write = plain
    room = min(service.body_maxlen, _ROOM.get(name, service.body_maxlen)) - _RESERVE
    body = write(digest)
    while digest.choices and len(body.encode()) > room:
        digest = replace(digest, choices=digest.choices[:-1])
        body = write(digest)
    return body, wanted


def _open_service(target: str, settings: Settings, choices: Sequence[Choice] = ()) -> NotifyBase:
    """Raises InvalidInput."""
    if is_mailbox(target):
        how = {"format": "html"} if choices else {}
        service: Any = _instantiate(build_arguments(target, settings) | how)
        service.targets = [(False, target)]  # Apprise would read o'neil@… as neil@…
        return service  # type: ignore[no-any-return]  # it has no type for its targets
    arguments = _read_address(target)
    if choices and _find_name(N_MGR[arguments["schema"]]) == "Ntfy":
        arguments["actions"] = write_actions(choices[0])
    return _instantiate(arguments)


def _read_address(address: str) -> dict[str, Any]:
    """Return the arguments in an address of Apprise.

    Raises InvalidInput unless it is one that channels may use.
    """
    try:
        arguments: dict[str, Any] | None = url_to_dict(address)  # type: ignore[no-untyped-call]  # Apprise's
    except Exception:  # what a plugin raises for an odd address is its own matter
        arguments = None
    if not arguments:
        raise _explain_form()
    service = _find_name(N_MGR[arguments["schema"]])
    if service not in ALLOWED:
        raise InvalidInput(
            "Apprise's service %(name)s cannot be used here: %(reason)s.",
            field="target",
            name=service,
            reason=REFUSED.get(service, UNKNOWN),
        )
    for name in FILE_ARGUMENTS.get(service, ()):
        if arguments.get(name):
            raise InvalidInput(
                "A channel's address must not name a template or a PGP key: Apprise would read"
                " them from the server's files.",
                field="target",
            )
    return arguments


def _instantiate(arguments: dict[str, Any]) -> NotifyBase:
    service = Apprise.instantiate(arguments, asset=_ASSET)
    if service is None:
        raise _explain_form()
    service.throttle = _make_throttle(service)  # type: ignore[method-assign]  # see there
    return service


def _make_throttle(service: NotifyBase) -> Callable[..., None]:
    """Make what pauses between a service's requests, for at most the time of `guarded`.

    Apprise's own sleeps for as long as the other side asks, or after each of a hundred recipients.
    """
    has_asked = False

    def throttle(last_io: object = None, wait: float | None = None) -> None:
        nonlocal has_asked
        if has_asked:
            guard.wait(service.request_rate_per_sec if wait is None else wait)
        has_asked = True

    return throttle


def _explain_form() -> InvalidInput:
    return InvalidInput(
        "This is neither an e-mail address nor a complete Apprise URL, such as"
        " ntfys://ntfy.sh/my-topic; see https://appriseit.com/services/.",
        field="target",
    )


def _explain_failure() -> str:
    """Say why the last attempt failed, as far as Apprise said so."""
    return (_reasons.get() or ["the message was not accepted"])[-1]
