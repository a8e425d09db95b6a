"""Signing in to a mail server, without sending anything."""

import smtplib
import ssl

from embed.outbound.guard import Reach, guarded
from embed.outbound.http import RequestFailed, find_reason


class LoginRefused(RequestFailed):
    """The mail server did not accept the user and the password."""


def sign_in(
    host: str, port: int, mode: str, *, user: str | None, password: str | None, timeout_s: float
) -> None:
    """Connect, encrypt as `mode` says (ssl, starttls, insecure), and sign in if there is a user.

    Raises RequestFailed, LoginRefused.
    """
    try:
        with (
            guarded(reach=Reach.ANY, timeout_s=timeout_s),
            _connect(host, port, mode, timeout_s) as server,
        ):
            if user is not None:
                server.login(user, password or "")
    except smtplib.SMTPAuthenticationError as refusal:
        raise LoginRefused(f"status {refusal.smtp_code}") from None
    except smtplib.SMTPNotSupportedError:
        raise RequestFailed("it does not offer what is needed") from None
    except (smtplib.SMTPException, OSError) as failure:
        raise RequestFailed(find_reason(failure)) from None


def _connect(host: str, port: int, mode: str, timeout_s: float) -> smtplib.SMTP:
    context = ssl.create_default_context()
    if mode == "ssl":
        return smtplib.SMTP_SSL(host, port, timeout=timeout_s, context=context)
    server = smtplib.SMTP(host, port, timeout=timeout_s)
    if mode == "starttls":
        try:
            server.starttls(context=context)
        except BaseException:
            server.close()
            raise
    return server
