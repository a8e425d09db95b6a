"""Check of the mail server: everything up to the sign-in, and no mail."""

from collections.abc import Iterator
from urllib.parse import unquote

from embed.doctor.findings import Finding
from embed.notifications.mailboxes import build_arguments
from embed.outbound.http import RequestFailed
from embed.outbound.mail_server import LoginRefused, sign_in
from embed.settings import Settings

_TIMEOUT_S = 10.0
_ANYBODY = "anybody@example.com"  # nothing is sent there


def check_mail(settings: Settings) -> Iterator[Finding]:
    if settings.smtp_url is None:
        return
    how = build_arguments(_ANYBODY, settings)
    try:
        sign_in(
            how["smtp_host"],
            how["port"],
            how["secure_mode"],
            user=unquote(how["user"] or "") or None,
            password=unquote(how["password"] or ""),
            timeout_s=_TIMEOUT_S,
        )
    except LoginRefused as refusal:
        yield Finding(
            "smtp_login_refused",
            f"The mail server refuses the user or the password in SMTP_URL ({refusal}).",
            "Correct them in SMTP_URL; special characters are percent-encoded there.",
        )
    except RequestFailed as failure:
        yield Finding(
            "smtp_unreachable",
            f"No mail can be sent through the server in SMTP_URL: {failure}.",
            "Look at its name and port: smtp://user:password@host:587 encrypts by STARTTLS,"
            " smtps:// from the start.",
        )
