"""What flask doctor says of headers that a real nginx adds, changes or removes."""

import pytest
from support.absence import skip_or_fail
from support.nginx import run_servers
from support.remote import make_environ
from support.servers import Unavailable, find_free_port, run_gunicorn

from embed.doctor import check_public_address
from embed.settings import Settings

pytestmark = pytest.mark.slow

POLICY, FRAME, OPENER = "Content-Security-Policy", "X-Frame-Options", "Cross-Origin-Opener-Policy"
RESOURCE, REFERRER = "Cross-Origin-Resource-Policy", "Referrer-Policy"
PERMISSIONS = "Permissions-Policy"
SELF = "frame-ancestors 'self'"
OWN = "$upstream_http_content_security_policy"
# Each was tried in Chromium, with lists on a site, by share link and on a site with an embedder
# policy, with the signing window, the API and the dashboard.
BREAKS = [
    ("add", POLICY, "frame-ancestors 'self'"),
    ("add", POLICY, "sandbox allow-scripts"),
    ("set", POLICY, f"{SELF}, {OWN}"),
    ("hide", POLICY, ""),
    ("add", FRAME, "sameorigin"),
    ("add", OPENER, "same-origin"),
    ("add", "Cross-Origin-Embedder-Policy", "require-corp"),
    ("hide", RESOURCE, ""),
    ("add", "Access-Control-Allow-Origin", "*"),
    ("add", REFERRER, "no-referrer"),
    ("add", PERMISSIONS, "publickey-credentials-get=()"),
]
HARMLESS = [
    ("add", POLICY, "upgrade-insecure-requests; object-src 'none'"),
    ("set", POLICY, f"frame-ancestors *, {OWN}"),
    ("add", FRAME, "ALLOW-FROM https://a.example"),
    ("add", PERMISSIONS, "camera=(), geolocation=()"),
]
WRITTEN = {
    "add": 'add_header {name} "{value}" always;',
    "set": 'proxy_hide_header {name}; add_header {name} "{value}";',
    "hide": "proxy_hide_header {name};",
}


SERVER = """
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://127.0.0.1:{to};
            proxy_set_header Host $http_host;
            {change}
        }}
    }}
"""


@pytest.fixture(scope="module")
def find_at(make_sqlite):
    """Return what doctor finds behind an nginx that makes one of the changes."""
    ports = {change: find_free_port() for change in (*BREAKS, *HARMLESS)}
    with run_gunicorn(make_environ(make_sqlite())) as service:
        servers = [
            SERVER.format(
                port=port, to=service.port, change=WRITTEN[how].format(name=name, value=value)
            )
            for (how, name, value), port in ports.items()
        ]
        try:
            with run_servers("".join(servers), max(ports.values())):
                yield lambda change: [
                    (found.code, found.problem.rpartition(": ")[2])
                    for found in check_public_address(
                        Settings.from_environ({"PUBLIC_URL": f"http://127.0.0.1:{ports[change]}"})
                    )
                ]
        except Unavailable as why:
            skip_or_fail(str(why))


@pytest.mark.parametrize("change", BREAKS, ids=" ".join)
def test_change_that_breaks_something_is_found(find_at, change):
    assert find_at(change) == [("proxy_changes_headers", change[1])]


@pytest.mark.parametrize("change", HARMLESS, ids=" ".join)
def test_change_that_breaks_nothing_is_not(find_at, change):
    assert find_at(change) == []
