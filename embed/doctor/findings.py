"""What can be wrong with an installation: every code with its severity."""

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]

SEVERITY_BY_CODE: dict[str, Severity] = {
    # Settings
    "setting_invalid": "error",
    "secret_weak": "error",
    "public_url_missing": "warning",
    "public_url_http": "error",
    "limits_not_shared": "error",
    # This machine
    "file_exposed": "error",
    "folder_exposed": "error",
    "file_of_another_user": "error",
    "file_not_writable": "error",
    "runs_as_another_user": "warning",
    "disk_nearly_full": "error",
    # The database
    "database_missing": "error",
    "database_unreachable": "error",
    "database_behind": "error",
    "database_ahead": "error",
    "database_damaged": "error",
    "clock_differs": "error",
    "minimum_without_endpoint": "warning",
    "passkeys_of_another_host": "warning",
    "no_worker": "error",
    "job_failing": "error",
    # The service at its public address
    "public_url_unreachable": "error",
    "certificate_invalid": "error",
    "certificate_expiring": "warning",
    "public_url_redirects": "error",
    "service_down": "error",
    "another_service": "error",
    "secret_key_differs": "error",
    "service_outdated": "error",
    "settings_differ": "error",
    "host_mismatch": "error",
    # The proxy in front of it
    "proxies_not_trusted": "error",
    "proxies_trusted_too_far": "error",
    "proxy_headers_missing": "error",
    "proxy_drops_header": "error",
    "proxy_adds_frame_options": "error",
    "proxy_changes_policy": "error",
    "proxy_changes_cookies": "error",
    "proxy_changes_header": "error",
    "proxy_caches": "error",
    "proxy_refuses_bodies": "error",
    "proxy_refuses_files": "warning",
    # A check itself
    "check_failed": "error",
}
_LONGEST_QUOTE = 200


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong; neither sentence contains a secret."""

    code: str  # of SEVERITY_BY_CODE
    problem: str
    remedy: str

    @property
    def severity(self) -> Severity:
        return SEVERITY_BY_CODE[self.code]


class NotChecked(Exception):
    """A check that could not be made, or not to its end; the text is a sentence that says why."""


def quote(raw: object) -> str:
    """Return what others sent as a short text that is safe to print."""
    text = "".join(each if each.isprintable() else " " for each in str(raw))
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…"
