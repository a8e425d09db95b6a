"""What flask doctor finds in the settings themselves."""

import re
import secrets

import pytest
from support.servers import PROJECT_DIR
from support.world import RANDOM_KEY, SECRET_KEY

from embed.doctor.variables import Installation, check_variables

pytestmark = pytest.mark.slow


def find(**environ: str):
    return [*check_variables(Installation.from_environ({"SECRET_KEY": RANDOM_KEY} | environ))]


def list_codes(**environ: str) -> list[str]:
    return [finding.code for finding in find(**environ)]


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"PUBLIC_URL": "", "METRICS_BIND": " "},
        {"PUBLIC_URL": "https://embed.example.com", "TRUSTED_PROXIES": "1"},
        {"PUBLIC_URL": "http://127.0.0.1:8000"},
        {"DATABASE_URL": "postgresql://embed@127.0.0.1/embed"},
        {"DATABASE_URL": "postgresql://embed:Vv0Xq2mJtK8d@a,b/embed"},
        {"SECRET_KEY": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
    ],
)
def test_nothing_is_wrong_with_the_defaults_and_with_good_values(environ):
    assert find(**environ) == []


def test_every_setting_that_is_not_valid_is_found_at_once():
    found = find(TRUSTED_PROXIES="one", NONCE_LIFETIME="soon", LIMIT_PER_IP="a lot")

    assert {each.code for each in found} == {"setting_invalid"}
    assert sorted(each.remedy.split()[1].strip(",") for each in found) == [
        "LIMIT_PER_IP",
        "NONCE_LIFETIME",
        "TRUSTED_PROXIES",
    ]


def test_key_file_that_cannot_be_used_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr("embed.settings.INSTANCE_DIR", tmp_path)
    (tmp_path / "secret_key").write_text("hush")

    (found,) = find(SECRET_KEY="")

    assert found.code == "setting_invalid"
    assert "secret_key contains a key that is too short" in found.problem
    assert "hush" not in found.problem + found.remedy


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "postgresql://embed:hush@[::1/embed"),
        ("DATABASE_URL", "postgresql://embed@a.example/embed?hush=hush"),
        ("RATELIMIT_STORAGE_URI", "redis://:hush@a.example:hush"),
        ("SMTP_URL", "smtp://user:hush@a.example:hush"),
        ("SOLANA_RPC_URL", "https://a.example:hush/hush"),
        ("SECRET_KEY", "hush"),
    ],
)
def test_value_that_is_not_valid_is_not_shown(name, value):
    (found,) = find(**{name: value})

    assert found.code == "setting_invalid"
    assert name in found.problem
    assert "hush" not in found.problem + found.remedy


@pytest.mark.parametrize(
    "key",
    [
        "changeme-changeme-changeme",
        "CHANGE-ME to something random",
        "please replace this value 4f9a1c",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "abababababababab12",
        SECRET_KEY,
    ],
)
def test_key_that_can_be_guessed_is_found(key):
    assert list_codes(SECRET_KEY=key) == ["secret_weak"]
    assert list_codes(SECRET_KEY=f"{RANDOM_KEY},{key}") == ["secret_weak"]


@pytest.mark.parametrize("password", ["a%20long%20password", "postgres", "embed", "20261122"])
def test_password_that_can_be_guessed_is_found(password):
    url = f"postgresql://embed:{password}@127.0.0.1/embed"

    assert list_codes(DATABASE_URL=url) == ["secret_weak"]


@pytest.mark.parametrize("document", ["docs/operating.md", "deploy/embed.env.example"])
def test_documented_addresses_have_no_password_that_can_be_guessed(document):
    text = (PROJECT_DIR / document).read_text().replace("$password", secrets.token_hex(24))
    urls = re.findall(r"DATABASE_URL=([^\s'\"]+)", text)

    assert urls
    assert [find(DATABASE_URL=url) for url in urls] == [[]] * len(urls)


@pytest.mark.parametrize("url", ["http://embed.example.com", "http://192.0.2.1:8000"])
def test_public_url_without_https_is_found(url):
    (found,) = find(PUBLIC_URL=url)

    assert found.code == "public_url_http"
    assert "PUBLIC_URL=https://" in found.remedy


@pytest.mark.parametrize(
    ("environ", "remedy", "code"),
    [
        ({"TRUSTED_PROXIES": "1"}, {"PUBLIC_URL": "https://a.example"}, "public_url_missing"),
        ({"PUBLIC_URL": "https://a.example"}, {"TRUSTED_PROXIES": "1"}, "proxy_not_trusted"),
        (
            {"WEB_CONCURRENCY": "2"},
            {"RATELIMIT_STORAGE_URI": "redis://127.0.0.1"},
            "limits_not_shared",
        ),
    ],
)
def test_setting_that_needs_another_is_found_without_it(environ, remedy, code):
    assert list_codes(**environ) == [code]
    assert find(**environ, **remedy) == []
