"""E-mail addresses, as owners sign in with them."""

import re

_EMAIL = re.compile(r"[^\s@\x00-\x1f]{1,64}@[^\s@\x00-\x1f]{1,189}")


def parse_email(raw: str) -> str:
    """Return the address as it is kept. Raises ValueError."""
    email = raw.strip().lower()
    if not (_EMAIL.fullmatch(email) and email.isprintable()):
        raise ValueError(f"{raw!r} is not an e-mail address.")
    return email
