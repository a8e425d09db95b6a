"""Possible problems of an installation: every code with its severity."""

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]

SEVERITY_BY_CODE: dict[str, Severity] = {
    # Settings
    "setting_invalid": "error",
    "secret_weak": "error",
    "public_url_missing": "warning",
    "public_url_http": "error",
    "proxy_not_trusted": "warning",
    "limits_not_shared": "error",
    # Files
    "file_exposed": "error",
    "file_not_writable": "error",
    "disk_nearly_full": "error",
    # The database
    "database_missing": "error",
    "database_unreachable": "error",
    "database_behind": "error",
    "database_of_another_version": "error",
    "minimum_without_endpoint": "warning",
    # The background work
    "no_worker": "error",
    "job_failing": "error",
    # The service at PUBLIC_URL
    "public_url_unreachable": "error",
    "public_url_redirects": "error",
    "certificate_invalid": "error",
    # A check itself
    "check_failed": "error",
}
_LONGEST_QUOTE = 200


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem; its sentences contain no secrets."""

    code: str  # from SEVERITY_BY_CODE
    problem: str
    remedy: str

    @property
    def severity(self) -> Severity:
        return SEVERITY_BY_CODE[self.code]


class NotChecked(Exception):
    """A check could not be run; the text is a sentence that says why."""


def quote(raw: object) -> str:
    """Shorten untrusted text and make it safe to print."""
    text = "".join(each if each.isprintable() else " " for each in str(raw))
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…"
