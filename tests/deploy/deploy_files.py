"""The samples in deploy/, as tests read them."""

import re

from support.servers import PROJECT_DIR

DEPLOY_DIR = PROJECT_DIR / "deploy"
HOME = "/srv/embed"  # where the samples expect the repository

# What proxies answer without HTTPS: path, status, location.
PLAIN_HTTP = [
    ("/api/embed/tracking/x", 403, None),
    ("/embed/api/siws/nonce", 403, None),
    ("/embed/tracking/x?key=y", 301, "https://embed.example.com/embed/tracking/x?key=y"),
]

_VARIABLE = re.compile(r"^(#?)([A-Z_]+)=(.*)$", re.MULTILINE)


def read_example(*, commented: bool) -> dict[str, str]:
    """Return the variables of embed.env.example; `commented`: also those that are commented out."""
    found = _VARIABLE.findall((DEPLOY_DIR / "embed.env.example").read_text())
    return {name: value for mark, name, value in found if commented or not mark}
