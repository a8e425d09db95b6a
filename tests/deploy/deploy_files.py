"""The samples in deploy/, as tests read them."""

import re

from support.servers import PROJECT_DIR

DEPLOY_DIR = PROJECT_DIR / "deploy"
HOME = "/srv/embed"  # where the samples expect the repository

_VARIABLE = re.compile(r"^(#?)([A-Z_]+)=(.*)$", re.MULTILINE)


def read_example(*, commented: bool) -> dict[str, str]:
    """Return the variables of embed.env.example; `commented`: also those that are commented out."""
    found = _VARIABLE.findall((DEPLOY_DIR / "embed.env.example").read_text())
    return {name: value for mark, name, value in found if commented or not mark}
