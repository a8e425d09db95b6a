"""What a proxy does to the service, each with a real nginx that does it."""

import msgspec
import pytest
from proxied import BODIES, PASSED_ON, Proxied
from support.servers import find_free_port

from embed.doctor.probe import Report

pytestmark = pytest.mark.slow

WITHOUT_HOST = "\n".join(line for line in PASSED_ON.splitlines() if "Host" not in line)


def write_outer(service: Proxied, inner_port: int) -> str:
    """Return a second proxy in front of the one that listens on `inner_port`."""
    inner = service.write_server().replace(str(service.port), str(inner_port))
    return inner + service.write_server().replace(service.backend, f"http://127.0.0.1:{inner_port}")


def test_proxy_that_is_not_trusted_is_found(service):
    # The service trusts one proxy; the command is told so, too, and there are two.
    found = service.examine(write_outer(service, find_free_port()))

    assert set(found) == {"proxies_not_trusted"}
    assert "through 2 proxies, and TRUSTED_PROXIES is 1" in found["proxies_not_trusted"].problem


def test_host_that_is_not_passed_on_is_found(service):
    sample = service.write_server(
        passed_on=WITHOUT_HOST + "proxy_set_header Host backend.internal;"
    )

    found = service.examine(sample)

    assert set(found) == {"host_mismatch"}
    assert "backend.internal" in found["host_mismatch"].problem
    assert "proxy_set_header Host" in found["host_mismatch"].remedy


@pytest.mark.parametrize(
    ("location", "code", "told"),
    [
        pytest.param(
            "add_header X-Frame-Options SAMEORIGIN;",
            "proxy_adds_frame_options",
            "SAMEORIGIN",
            id="frame options",
        ),
        pytest.param(
            "add_header Content-Security-Policy \"frame-ancestors 'none'\";",
            "proxy_changes_policy",
            "frame-ancestors",
            id="policy",
        ),
        pytest.param(
            "proxy_hide_header Content-Security-Policy;",
            "proxy_changes_policy",
            "without default-src",
            id="no policy",
        ),
        pytest.param(
            "proxy_hide_header Set-Cookie;",
            "proxy_changes_cookies",
            "without Expires",
            id="no cookie",
        ),
        pytest.param(
            "proxy_cookie_flags ~ samesite=lax;",
            "proxy_changes_cookies",
            "without SameSite=None",
            id="cookie for one site",
        ),
        pytest.param(
            "proxy_cookie_path /embed /;", "proxy_changes_cookies", "with Path=/", id="path"
        ),
        pytest.param(
            "add_header Cross-Origin-Opener-Policy same-origin;",
            "proxy_changes_header",
            "Cross-Origin-Opener-Policy",
            id="opener",
        ),
        pytest.param(
            "proxy_hide_header Access-Control-Allow-Origin;",
            "proxy_changes_header",
            "Access-Control-Allow-Origin",
            id="CORS",
        ),
        pytest.param(
            'proxy_set_header Authorization "";', "proxy_drops_header", "Authorization", id="key"
        ),
        pytest.param('proxy_set_header Origin "";', "proxy_drops_header", "Origin", id="origin"),
        pytest.param('proxy_set_header Cookie "";', "proxy_drops_header", "Cookie", id="sessions"),
    ],
)
def test_change_of_headers_is_found(service, location, code, told):
    found = service.examine(service.write_server(location))

    assert set(found) == {code}
    assert told in found[code].problem


def test_cache_that_keeps_answers_of_the_api_is_found(service, tmp_path):
    cache = f"proxy_cache_path {tmp_path}/cache keys_zone=api:1m use_temp_path=off;"
    sample = cache + service.write_server(
        "proxy_cache api; proxy_cache_valid 200 5m; proxy_cache_key $uri;"
        " proxy_ignore_headers Cache-Control Set-Cookie Vary Expires;"
    )

    found = service.examine(sample)

    assert set(found) == {"proxy_caches"}


def test_cache_that_follows_the_service_is_none(service, tmp_path):
    cache = f"proxy_cache_path {tmp_path}/cache keys_zone=api:1m use_temp_path=off;"
    location = "proxy_cache api; proxy_cache_valid 200 5m; proxy_cache_key $uri;"

    assert service.examine(cache + service.write_server(location)) == {}


@pytest.mark.parametrize(
    ("limit", "code"), [("8k", "proxy_refuses_bodies"), ("1m", "proxy_refuses_files")]
)
def test_limit_of_bodies_is_found(service, limit, code):
    found = service.examine(service.write_server(server=f"client_max_body_size {limit};"))

    assert set(found) == {code}
    assert "client_max_body_size" in found[code].remedy


def test_proxy_without_a_service_behind_it_is_found(service):
    nobody = f"http://127.0.0.1:{find_free_port()}"

    found = service.examine(service.write_server().replace(service.backend, nobody))

    assert set(found) == {"service_down"}
    assert "502" in found["service_down"].problem


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("https://$host$request_uri", "redirects to https://127.0.0.1/api/embed"),
        ("http://[x", "redirects to http://[x."),
    ],
    ids=["HTTPS", "no address"],
)
def test_redirect_is_found(service, target, told):
    sample = f"server {{ listen 127.0.0.1:{service.port}; return 301 {target}; }}"

    found = service.examine(sample)

    assert set(found) == {"public_url_redirects"}
    assert told in found["public_url_redirects"].problem


def test_another_service_at_the_public_address_is_found(service):
    sample = f'server {{ listen 127.0.0.1:{service.port}; return 200 "Welcome to nginx!"; }}'

    assert set(service.examine(sample)) == {"another_service"}


def test_paths_that_are_not_passed_on_are_found(service):
    sample = service.write_server(server=f"{BODIES} location /embed/ {{ return 404; }}")

    assert set(service.examine(sample)) == {"another_service"}


def test_another_service_that_makes_up_a_report_sends_no_commands_to_the_terminal(service):
    command = "\x1b[2J"
    made_up = Report(
        probe_id=command,
        version=command,
        scheme=command,
        host=command,
        forwarded_for=[command] * 3,
        received={},
        sent=[("Set-Cookie", command), ("X-Frame-Options", command)],
        differing=[command],
    )
    answer = msgspec.json.encode(made_up).decode()
    sample = f"server {{ listen 127.0.0.1:{service.port}; return 200 '{answer}'; }}"

    found = service.list_findings(sample)

    assert len(found) > 5
    assert "check_failed" not in {one.code for one in found}
    assert all((one.problem + one.remedy).isprintable() for one in found)


def test_nothing_at_the_public_address_is_found(service):
    found = service.ask()

    assert set(found) == {"public_url_unreachable"}
    assert "the connection was refused" in found["public_url_unreachable"].problem
