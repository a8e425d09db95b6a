import stat
from datetime import timedelta
from functools import partial
from urllib.parse import quote

import pytest
from limits import parse
from support.remote import at_once
from support.world import SECRET_KEY

from embed import settings
from embed.settings import (
    Settings,
    SettingsError,
    load_secret_key,
)

NEW = "a newer secret of some length"
OLD = "an older secret of some length"


def read(**environ: str) -> Settings:
    return Settings.from_environ({"SECRET_KEY": SECRET_KEY} | environ)


READ = {
    "SECRET_KEYS": (f"{NEW}, {OLD}", (NEW, OLD)),
    "DATABASE_URL": ("postgres://embed@db.example/embed", "postgresql://embed@db.example/embed"),
    "PUBLIC_URL": ("https://embed.example.com", "https://embed.example.com"),
    "TRUSTED_PROXIES": ("2", 2),
    "RATELIMIT_STORAGE_URI": ("redis://cache.example:6379", "redis://cache.example:6379"),
    "LIMIT_PER_IP": ("1/second", parse("1/second")),
    "LIMIT_PER_KEY": ("2 per 5 minutes", parse("2/5 minutes")),
    "LIMIT_SESSION_NONCES": ("3/hour", parse("3/hour")),
    "LIMIT_SESSION_SUBMISSIONS": ("4/day", parse("4/day")),
    "LIMIT_IP_SUBMISSIONS": ("5/minute", parse("5/minute")),
    "LIMIT_REFRESHES": ("7/minute", parse("7/minute")),
    "MAX_WALLETS": ("7", 7),
    "NONCE_LIFETIME": ("60", timedelta(minutes=1)),
    "SOLANA_RPC_URL": (
        "https://a.example/?api-key=hush, http://localhost:8899",
        ("https://a.example/?api-key=hush", "http://localhost:8899"),
    ),
    "LIMIT_RPC": ("6/second", parse("6/second")),
    "BALANCE_REFRESH": ("1 hour", timedelta(hours=1)),
    "BALANCE_HISTORY": ("400 days", timedelta(days=400)),
    "REJECTED_KEPT": ("0", None),
    "BACKGROUND": ("worker", "worker"),
    "SMTP_URL": ("smtp://user:hush@mail.example:587", "smtp://user:hush@mail.example:587"),
    "ALLOW_PRIVATE_TARGETS": ("1", True),
    "FRONT_PAGE": ("0", False),
    "WEB_CONCURRENCY": ("3", 3),
    "METRICS_BIND": ("[::1]:9100", ("::1", 9100)),
    "LOG_FORMAT": ("json", "json"),
}


def test_every_variable_is_read():
    given = read(**{name.replace("KEYS", "KEY"): text for name, (text, _) in READ.items()})

    assert {name: getattr(given, name.lower()) for name in READ} == {
        name: value for name, (_, value) in READ.items()
    }
    assert "hush" not in repr(given)


@pytest.mark.parametrize("nothing", ["", " \n"])
@pytest.mark.parametrize("name", [name for name in settings.VARIABLES if name != "SECRET_KEY"])
def test_empty_variable_is_as_good_as_none(name, nothing):
    assert read(**{name: nothing}) == read()


@pytest.mark.parametrize(
    "around",
    [
        *('"{}"', "“{}”", '{}"', " {}", "{}\r", "\u00a0{}", "{}\u200b", "\ufeff{}", "{}\udcff"),
    ],
)
@pytest.mark.parametrize(
    ("name", "value"),
    [("BALANCE_REFRESH", "10 minutes"), ("SECRET_KEY", NEW), ("INSTANCE_DIR", "instance")],
)
def test_what_stands_around_a_value_is_refused_with_what_to_write_instead(name, value, around):
    with pytest.raises(SettingsError, match=rf"^{name} has .* Write {name}= and only the value"):
        read(**{name: around.format(value)})


@pytest.mark.parametrize(
    ("name", "lookalike", "instead"),
    [
        ("BALANCE_REFRESH", "10m", "10 minutes"),
        ("NONCE_LIFETIME", "10m", "number of seconds"),
        ("LIMIT_PER_IP", "600/m", "600/minute"),
        ("FRONT_PAGE", "true", "0 or 1"),
    ],
)
def test_value_of_another_form_is_refused_with_what_to_write_instead(name, lookalike, instead):
    with pytest.raises(SettingsError, match=f"^{name} must .*{instead}"):
        read(**{name: lookalike})


ADDRESSES = {
    "DATABASE_URL": "postgresql://embed:{}@db.example/embed",
    "SMTP_URL": "smtp://news:{}@mail.example.com:587",
    "RATELIMIT_STORAGE_URI": "redis://:{}@cache.example:6379/0",
    "SOLANA_RPC_URL": "https://user:{}@rpc.example",
}
NOT_ESCAPED = ["Tr0ub4dor%zsv9kLmn", "Tr0ub@v9kLmn", "Tr0ub v9kLmn", "12/v9kLmn", "12#v9k"]


@pytest.mark.parametrize("password", NOT_ESCAPED)
@pytest.mark.parametrize("name", ADDRESSES)
def test_no_part_of_a_password_that_is_not_escaped_is_told(name, password):
    with pytest.raises(SettingsError, match=f"^{name} .*% as %25, @ as %40, / as %2F") as told:
        read(**{name: ADDRESSES[name].format(password)})

    assert not any(part in str(told.value) for part in ("Tr0ub", "v9k", "zsv"))


@pytest.mark.parametrize("password", NOT_ESCAPED)
@pytest.mark.parametrize("name", ADDRESSES)
def test_every_form_of_an_escaped_password_is_kept_out_of_logs(name, password):
    raw = quote(password, safe="")
    url = ADDRESSES[name].format(raw)

    assert {url, raw, password} <= {*read(**{name: url}).secrets}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "postgresql://embed:hush/embed"),
        ("DATABASE_URL", "postgresql://embed@a.example/embed?hush=hush"),
        ("RATELIMIT_STORAGE_URI", "redis://:hush@a.example:hush"),
        ("SOLANA_RPC_URL", "https://a.example:hush/hush"),
        ("SECRET_KEY", "hush"),
    ],
)
def test_secret_value_that_is_not_valid_is_not_told(name, value):
    with pytest.raises(SettingsError, match=f"^{name} ") as told:
        read(**{name: value})

    assert "hush" not in str(told.value)


def test_several_wrong_values_are_told_at_once():
    with pytest.raises(SettingsError) as told:
        read(TRUSTED_PROXIES="one", FRONT_PAGE="no")

    assert str(told.value) == (
        "TRUSTED_PROXIES must be a whole number, 0 or more. FRONT_PAGE must be 0 or 1."
    )


@pytest.mark.parametrize(
    "url",
    [
        "sqlite:///embed.db",
        "postgresql://embed:password@localhost:5433/embed?connect_timeout=3",
    ],
)
def test_databases_are_sqlite_and_postgres(url):
    assert read(DATABASE_URL=url).database_url == url


@pytest.mark.parametrize(
    ("url", "public_url"),
    [
        pytest.param("https://embed.example.com/", "https://embed.example.com", id="slash"),
        pytest.param("HTTPS://Embed.Example.COM", "https://embed.example.com", id="capitals"),
        pytest.param("http://[::1]:8000", "http://[::1]:8000", id="IPv6"),
        pytest.param("https://ΟΔΟΣ1.gr", "https://xn--1-4lb6abu.gr", id="IDN"),
        pytest.param("https://embed.example.com:443", "https://embed.example.com", id="own port"),
    ],
)
def test_public_url_is_kept_as_browsers_write_it(url, public_url):
    assert read(PUBLIC_URL=url).public_url == public_url


@pytest.mark.parametrize(
    "uri",
    [
        "memory://",
        "redis://:password@localhost:6379/1",
        "redis+unix:///run/redis.sock",
        "redis+sentinel://localhost:26379",
    ],
)
def test_limits_are_counted_in_memory_or_in_redis(uri):
    assert read(RATELIMIT_STORAGE_URI=uri).ratelimit_storage_uri == uri


LIMITS = [name for name in settings.VARIABLES if name.startswith("LIMIT_")]
WRONG_LIMITS = ["0/minute", "600", "600/fortnight", "-1/minute", "1.5/minute", "\u0663/minute"]
WRONG_SPANS = ["0 minutes", "600", "-1 hour", "1 week", "1.5 hours", "100000 days"]
WRONG = {
    "FIRST_OWNER": ["owner", "a b@example.com", "@", "owner@example.com,other@example.com x"],
    "DATABASE_URL": [
        "mysql://localhost/embed",
        "postgresql://localhost/embed?no_such_option=1",
    ],
    "SECRET_KEY": [
        ",",
        f"a\t{OLD}",
        f"not UTF-8: \udcff {OLD}",
        "15 characters..",
    ],
    "MAX_WALLETS": ["0", "-1", "many", "1e3"],
    "PUBLIC_URL": [
        "http://127.1:8000",
        "embed.example.com",
        "ftp://embed.example.com",
        "https://embed.example.com/path",
        "https://user@embed.example.com",
        "https://*.example.com",
    ],
    "TRUSTED_PROXIES": ["-1", "1_0", "\u0661", "1" * 10, "127.0.0.1"],
    "RATELIMIT_STORAGE_URI": [
        "redis",
        "localhost:6379",
        "redis://localhost:0",
    ],
    "NONCE_LIFETIME": ["0", "-600", "ten", "600s", "1e3", "1" * 10],
    "SOLANA_RPC_URL": [
        "https://a.example;https://b.example",
        "api.mainnet-beta.solana.com",
        "https://a.example,,https://b.example",
        "http://[::1",
    ],
    "BALANCE_REFRESH": WRONG_SPANS,
    "BALANCE_HISTORY": WRONG_SPANS,
    "REJECTED_KEPT": WRONG_SPANS,
    "BACKGROUND": ["redis://localhost", "Worker", "none", "1"],
    "SMTP_URL": [
        "mail.example",
        "imap://mail.example",
        "smtp://mail.example:0",
        "smtp://u:päss@mail.example",
    ],
    "ALLOW_PRIVATE_TARGETS": ["yes", "true", "2", "-1"],
    "FRONT_PAGE": ["no", "false", "2"],
    "WEB_CONCURRENCY": ["0", "-1", "many", "1.5"],
    "METRICS_BIND": ["9100", ":9100", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", "a.example:1"],
    "LOG_FORMAT": ["JSON", "plain"],
} | {name: [*WRONG_LIMITS, "600/minute;10/second"] for name in LIMITS}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in WRONG.items() for value in values]
)
def test_wrong_value_is_refused_in_a_sentence_that_names_the_variable(name, value):
    with pytest.raises(SettingsError, match=rf"^{name}\b.*\.$"):
        read(**{name: value})


def test_every_variable_has_its_wrong_values_above():
    assert set(WRONG) == set(settings.VARIABLES) - {"INSTANCE_DIR"}  # any name may be a folder's


def test_secret_key_may_be_as_short_as_16_characters():
    assert read(SECRET_KEY="sixteen letters.").secret_keys == ("sixteen letters.",)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "instance" / "secret_key"


def test_secret_key_is_made_once_for_its_owner_alone(path):
    key = load_secret_key(path)

    assert len(key) >= 43  # 256 random bits in base64
    assert path.read_text() == key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_secret_key(path) == key


def test_secret_key_of_the_installation_is_used_when_none_is_set(path, monkeypatch):
    monkeypatch.setattr(settings, "INSTANCE_DIR", path.parent)

    made = Settings.from_environ({}).with_secret_key()
    again = Settings.from_environ({"SECRET_KEY": " "}).with_secret_key()

    assert made.secret_keys == again.secret_keys == (path.read_text(),)


def test_no_secret_key_is_made_when_one_is_set(path, monkeypatch):
    monkeypatch.setattr(settings, "INSTANCE_DIR", path.parent)

    assert read().secret_keys == (SECRET_KEY,)
    assert not path.parent.exists()


def test_secret_key_that_an_operator_wrote_is_used(path):
    path.parent.mkdir()
    path.write_text("written by an operator\n")

    assert load_secret_key(path) == "written by an operator"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"secret\n", "is too short; use at least 16"),
        (b" \n", r"is empty; delete it, or set SECRET_KEY\.$"),
        (b"\xff\xfe\x00", "^SECRET_KEY is not set, and .* cannot be used"),
    ],
)
def test_secret_key_file_that_holds_no_usable_key_is_refused_and_kept(path, content, problem):
    path.parent.mkdir()
    path.write_bytes(content)

    with pytest.raises(SettingsError, match=problem) as error:
        load_secret_key(path)

    assert str(path) in str(error.value)
    assert path.read_bytes() == content


def test_all_who_start_at_once_agree_on_the_secret_key(tmp_path):
    for attempt in range(20):
        path = tmp_path / str(attempt) / "instance" / "secret_key"
        keys = at_once([partial(load_secret_key, path)] * 8)
        assert set(keys) == {path.read_text()}


@pytest.mark.parametrize("blocked", ["folder", "file"])
def test_secret_key_that_cannot_be_kept_is_refused(path, blocked):
    if blocked == "folder":
        path.parent.write_text("a file where the folder should be")
    else:
        path.mkdir(parents=True)

    with pytest.raises(SettingsError, match=r"SECRET_KEY is not set, and .* cannot be used"):
        load_secret_key(path)
