"""Bad input: each gets the 4xx of its own kind, none a 500, and none changes the database."""

import base64
import itertools
import json
import string

import base58
import pytest
from world import SECRET_KEY, SITE, Clock, Visitor, World, code_of

from embed.db import connection
from embed.factory import create_app
from embed.settings import Settings

NONCE = "/api/embed/siws/nonce"
SUBMISSIONS = "/api/embed/submissions"
SESSION = "/api/embed/session/submissions"
NONCE_FIELDS = ("trackingPageId", "walletAddress")
FIELDS = (*NONCE_FIELDS, "nickname", "nonceId", "signature")

# The order of the base point's group (RFC 8032): S + L verifies as S does where S is not checked.
L = 2**252 + 27742317777372353535851937790883648493
SMALL_ORDER_KEYS = [
    bytes.fromhex(key)
    for key in (
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    )
]


def encode(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


@pytest.fixture(scope="module")
def world(shared_database_url):
    """One world for all, since each test makes sure that it leaves the world as it was."""
    no_limit = "1000000/minute"
    environ = {
        "DATABASE_URL": shared_database_url,
        "SECRET_KEY": SECRET_KEY,
        "LIMIT_PER_IP": no_limit,
        "LIMIT_PER_KEY": no_limit,
    }
    clock = Clock()
    yield World(create_app(Settings.from_environ(environ), clock=clock), clock)
    connection.db.close()


@pytest.fixture
def visitor(world):
    """Somebody new, with a session: were anything of theirs kept, it would be found there."""
    visitor = Visitor()
    world.open_widget(visitor)
    return visitor


@pytest.fixture
def draft(world, visitor):
    return world.draft(visitor)


def check_refusal(world, code: str, *request, **arguments) -> None:
    """Send a request: it gets its code, and leaves every table as it was."""
    before = world.dump()

    answer = world.call(*request, **arguments)

    assert code_of(answer) == code
    assert world.dump() == before


def check_draft(world, visitor, code: str, endpoint: str, draft: dict) -> None:
    names = NONCE_FIELDS if endpoint == NONCE else FIELDS
    body = {name: draft[name] for name in names if name in draft}
    check_refusal(world, code, "POST", endpoint, json=body, cookie=visitor.cookie)


# Whole bodies: (data, content type, code)

JSON = "application/json"
BODIES = {
    "nothing": (b"", JSON, "invalid_json"),
    "text": (b"hello", JSON, "invalid_json"),
    "cut": (b'{"trackingPageId": "x"', JSON, "invalid_json"),
    "single quotes": (b"{'trackingPageId': 'x'}", JSON, "invalid_json"),
    "comma at the end": (b'{"trackingPageId": "x",}', JSON, "invalid_json"),
    "two documents": (b"{} {}", JSON, "invalid_json"),
    "NaN": (b'{"trackingPageId": NaN}', JSON, "invalid_json"),
    "Infinity": (b"-Infinity", JSON, "invalid_json"),
    "raw NUL": (b'{"trackingPageId": "\0"}', JSON, "invalid_json"),
    "raw newline": (b'{"trackingPageId": "\n"}', JSON, "invalid_json"),
    "bad escape": (b'{"trackingPageId": "\\x00"}', JSON, "invalid_json"),
    "Latin-1": ('{"nickname": "é"}'.encode("latin-1"), JSON, "invalid_json"),
    "UTF-16": ('{"nickname": "é"}'.encode("utf-16"), JSON, "invalid_json"),
    "UTF-16 as it says": ("{}".encode("utf-16"), f"{JSON}; charset=utf-16", "invalid_json"),
    "raw surrogate": (b'{"nickname": "\xed\xa0\x80"}', JSON, "invalid_json"),
    "overlong": (b'{"nickname": "\xc0\x80"}', JSON, "invalid_json"),
    "byte order mark": (b"\xef\xbb\xbf{}", JSON, "invalid_json"),
    "gzip": (b"\x1f\x8b\x08\x00", JSON, "invalid_json"),
    "arrays 100,000 deep": (b"[" * 100_000 + b"]" * 100_000, JSON, "invalid_json"),
    "arrays 8,000 deep": (b"[" * 8_000 + b"]" * 8_000, JSON, "invalid_json"),
    "objects 3,000 deep": (b'{"":' * 3_000 + b"1" + b"}" * 3_000, JSON, "invalid_json"),
    "3 MB": (b'{"nickname": "' + b"a" * 3_000_000 + b'"}', JSON, "invalid_json"),
    "3 MB of space": (b" " * 3_000_000 + b"{}", JSON, "invalid_json"),
    "17 KB": (b'{"nickname": "' + b"a" * 17_000 + b'"}', JSON, "invalid_json"),
    "number of 10,000 digits": (
        b'{"trackingPageId": ' + b"1" * 10_000 + b"}",
        JSON,
        "invalid_json",
    ),
    "form": (b"trackingPageId=x", "application/x-www-form-urlencoded", "invalid_json"),
    "multipart": (b"--x--", "multipart/form-data; boundary=x", "invalid_json"),
    "no content type": (b"{}", None, "invalid_json"),
    "empty content type": (b"{}", "", "invalid_json"),
    "text/plain": (b"{}", "text/plain", "invalid_json"),
    "almost JSON": (b"{}", "application/jsonp", "invalid_json"),
    "array": (b"[]", JSON, "missing_fields"),
    "array of fields": (json.dumps(FIELDS).encode(), JSON, "missing_fields"),
    "array of an object": (b'[{"trackingPageId": "x"}]', JSON, "missing_fields"),
    "string": (b'"trackingPageId"', JSON, "missing_fields"),
    "number": (b"1", JSON, "missing_fields"),
    "huge number": (b"1e999", JSON, "missing_fields"),
    "true": (b"true", JSON, "missing_fields"),
    "null": (b"null", JSON, "missing_fields"),
    "no fields": (b"{}", JSON, "missing_fields"),
    "other case": (b'{"trackingpageid": "x", "walletaddress": "x"}', JSON, "missing_fields"),
    "snake case": (b'{"tracking_page_id": "x", "wallet_address": "x"}', JSON, "missing_fields"),
}

WRONG_TYPES = {
    "null": None,
    "number": 1,
    "fraction": 1.5,
    "true": True,
    "array": ["x"],
    "object": {"x": "x"},
}

# Values of fields, with the code of the field

ADDRESS = base58.b58encode(bytes(range(32))).decode()
OPAQUE = {
    "empty": "",
    "NUL": "\0",
    "NUL inside": "a\0b",
    "lone surrogate": "\ud800",
    "reversed surrogates": "\udc00\ud800",
    "5,000 characters": "x" * 5000,
    "emoji": "\U0001f600",
    "SQL": "' OR 1=1 --",
    "template": "{{ 7*7 }}",
    "path": "../../etc/passwd",
}
ADDRESSES = {
    "31 bytes": base58.b58encode(bytes(range(1, 32))).decode(),
    "33 bytes": base58.b58encode(bytes(range(1, 34))).decode(),
    "31 zero bytes": "1" * 31,
    "33 zero bytes": "1" * 33,
    "64 bytes": base58.b58encode(bytes(range(1, 65))).decode(),
    "44 of the last digit": "z" * 44,
    "zero for o": "0" + ADDRESS[1:],
    "capital O": "O" + ADDRESS[1:],
    "capital I": "I" + ADDRESS[1:],
    "small l": "l" + ADDRESS[1:],
    "full-width digit": "\uff11" + ADDRESS[1:],
    "Arabic digit": "\u0661" + ADDRESS[1:],
    "Cyrillic letter": "\u0410" + ADDRESS[1:],
    "space before": " " + ADDRESS,
    "space after": ADDRESS + " ",
    "newline after": ADDRESS + "\n",
    "tab after": ADDRESS + "\t",
    "space inside": ADDRESS[:20] + " " + ADDRESS[20:],
    "no-break space after": ADDRESS + "\xa0",
    "zero-width space": ADDRESS + "\u200b",
    "NUL after": ADDRESS + "\0",
    "hexadecimal": bytes(range(32)).hex(),
    "base64": encode(bytes(range(32))),
    "Ethereum": "0x" + "ab" * 20,
}
LONG_NICKNAMES = {
    "empty": "",
    "spaces": "   ",
    "white space of all kinds": " \t\r\n\x0b\x0c\x1c\x85\xa0\u2003\u2028\u3000",
    "33 code points": "a" * 33,
    "33 letters beyond the first plane": "\U00020000" * 33,
    "33 after NFKC": "\ufb01" * 16 + "a",
    "one that NFKC makes 18, twice": "\ufdfa" * 2,
    "5,000 code points": "a" * 5000,
    "1,000 stacked marks": "a" + "\u0316" * 1000,
    "33 emoji": "\U0001f600" * 33,
}
NICKNAMES = {
    "emoji": "ann \U0001f600",
    "emoji in text form": "ann \u263a",
    "flag": "\U0001f1e6\U0001f1f9",
    "keycap": "1\ufe0f\u20e3",
    "markup": "<b>ann</b>",
    "entity": "&lt;ann",
    "quote": 'ann"',
    "backslash": "ann\\",
    "zero-width space": "an\u200bn",
    "zero-width joiner": "an\u200dn",
    "word joiner": "\u2060ann",
    "byte order mark": "ann\ufeff",
    "soft hyphen": "an\u00adn",
    "only a zero-width space": "\u200b",
    "right-to-left override": "\u202enna",
    "left-to-right mark": "ann\u200e",
    "isolate": "\u2066ann\u2069",
    "Hangul filler": "\u3164",
    "Hangul filler inside": "an\u3164n",
    "half-width Hangul filler": "\uffa0",
    "Hangul choseong filler": "\u115f\u1160",
    "Braille blank": "\u2800",
    "Mongolian vowel separator": "an\u180en",
    "variation selector": "a\ufe00",
    "tag character": "a\U000e0041",
    "stacked marks": "a\u0316\u0317\u0318\u0319",
    "one mark that does not compose": "a\u0316",
    "mark alone": "\u0301",
    "enclosing mark": "a\u20dd",
    "control character": "an\x07n",
    "NUL": "an\0n",
    "newline inside": "an\nn",
    "tab inside": "an\tn",
    "lone surrogate": "ann\ud800",
    "private use": "ann\ue000",
    "unassigned": "ann\U000e0fff",
    "non-character": "ann\uffff",
    "line separator inside": "an\u2028n",
    "ideographic comma": "an\u3001n",
    "currency": "ann$",
    "at": "@ann",
    "plus": "ann+",
    "en dash": "ann\u2013",
}


BOTH = pytest.mark.parametrize("endpoint", [NONCE, SUBMISSIONS], ids=["nonce", "submissions"])
FIELDS_OF_BOTH = pytest.mark.parametrize(
    ("endpoint", "field"),
    [
        *itertools.product([NONCE], NONCE_FIELDS),
        *itertools.product([SUBMISSIONS], FIELDS),
    ],
    ids=[f"nonce-{name}" for name in NONCE_FIELDS] + [f"submissions-{name}" for name in FIELDS],
)


@BOTH
@pytest.mark.parametrize(("data", "content_type", "code"), BODIES.values(), ids=BODIES)
def test_body_that_is_no_object_of_fields_is_refused(
    world, visitor, endpoint, data, content_type, code
):
    headers = {"Content-Type": content_type}
    check_refusal(world, code, "POST", endpoint, data=data, headers=headers, cookie=visitor.cookie)


@FIELDS_OF_BOTH
def test_missing_field_is_refused(world, visitor, draft, endpoint, field):
    del draft[field]
    check_draft(world, visitor, "missing_fields", endpoint, draft)


@FIELDS_OF_BOTH
@pytest.mark.parametrize("value", WRONG_TYPES.values(), ids=WRONG_TYPES)
def test_field_of_another_type_is_refused(world, visitor, draft, endpoint, field, value):
    draft[field] = value
    check_draft(world, visitor, "missing_fields", endpoint, draft)


@BOTH
@pytest.mark.parametrize("page_id", OPAQUE.values(), ids=OPAQUE)
def test_page_that_is_none_is_refused(world, visitor, draft, endpoint, page_id):
    draft["trackingPageId"] = page_id
    check_draft(world, visitor, "invalid_key", endpoint, draft)


@BOTH
@pytest.mark.parametrize("address", (OPAQUE | ADDRESSES).values(), ids=OPAQUE | ADDRESSES)
def test_address_that_is_none_is_refused(world, visitor, draft, endpoint, address):
    draft["walletAddress"] = address
    check_draft(world, visitor, "invalid_wallet_address", endpoint, draft)


@pytest.mark.parametrize("nickname", LONG_NICKNAMES.values(), ids=LONG_NICKNAMES)
def test_nickname_of_a_wrong_length_is_refused(world, visitor, draft, nickname):
    draft["nickname"] = nickname
    check_draft(world, visitor, "invalid_nickname_length", SUBMISSIONS, draft)


@pytest.mark.parametrize("nickname", NICKNAMES.values(), ids=NICKNAMES)
def test_nickname_of_wrong_characters_is_refused(world, visitor, draft, nickname):
    draft["nickname"] = nickname
    check_draft(world, visitor, "invalid_nickname_chars", SUBMISSIONS, draft)


# Nonces

# How to get a nonceId that is not the visitor's own, from their own good one.
FORGED_NONCES = OPAQUE | {
    "first character changed": lambda good: ("x" if good[0] != "x" else "y") + good[1:],
    "first character gone": lambda good: good[1:],
    "seal changed": lambda good: good[:-9] + ("x" if good[-9] != "x" else "y") + good[-8:],
    "seal cut": lambda good: good[:-4],
    "seal gone": lambda good: good.rpartition(".")[0],
    "seal empty": lambda good: good.rpartition(".")[0] + ".",
    "payload empty": lambda good: "." + good.rpartition(".")[2],
    "twice": lambda good: good + good,
    "dots": "....",
    "space after": lambda good: good + " ",
    "newline after": lambda good: good + "\n",
    "NUL after": lambda good: good + "\0",
    "letter beyond ASCII after": lambda good: good + "\xe9",
    "lone surrogate after": lambda good: good + "\ud800",
}


@pytest.mark.parametrize("forge", FORGED_NONCES.values(), ids=FORGED_NONCES)
def test_forged_nonce_is_unknown(world, visitor, draft, forge):
    draft["nonceId"] = forge(draft["nonceId"]) if callable(forge) else forge
    check_draft(world, visitor, "invalid_nonce", SUBMISSIONS, draft)


def test_nonce_with_the_signature_of_another_is_unknown(world, visitor, draft):
    other = world.ask_nonce(visitor).json["nonceId"]
    draft["nonceId"] = draft["nonceId"].rpartition(".")[0] + "." + other.rpartition(".")[2]
    check_draft(world, visitor, "invalid_nonce", SUBMISSIONS, draft)


def test_nonce_of_another_secret_is_unknown(world, visitor, draft):
    draft = world.draft(visitor, nonce=world.forge_nonce(visitor, "another secret"))
    check_draft(world, visitor, "invalid_nonce", SUBMISSIONS, draft)


def test_session_is_no_nonce(world, visitor, draft):
    draft["nonceId"] = visitor.cookie
    check_draft(world, visitor, "invalid_nonce", SUBMISSIONS, draft)


def test_expired_nonce_is_refused(world, visitor, draft):
    world.clock.forward(seconds=600)
    check_draft(world, visitor, "invalid_nonce", SUBMISSIONS, draft)


def test_used_nonce_is_refused(world, visitor, draft):
    assert code_of(world.post(draft)) is None
    check_draft(world, visitor, "invalid_nonce", SUBMISSIONS, draft)


def test_nonce_of_another_wallet_page_or_key_is_refused(world, visitor, draft):
    page_id = world.make_page()
    page_key = world.make_key("secret", page_id=page_id)
    for nonce in (
        world.ask_nonce(Visitor()),
        world.ask_nonce(visitor, key=world.secret_key),
        world.ask_nonce(visitor, key=page_key, page_id=page_id),
    ):
        draft["nonceId"] = nonce.json["nonceId"]
        check_draft(world, visitor, "nonce_binding_mismatch", SUBMISSIONS, draft)


# Signatures


def add_to_s(raw: bytes, number: int) -> bytes:
    return raw[:32] + (int.from_bytes(raw[32:], "little") + number).to_bytes(32, "little")


def set_stray_bits(text: str) -> str:
    """Change bits of the last letter that decoding drops: 64 bytes leave four unused."""
    alphabet = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
    return text[:-3] + alphabet[alphabet.index(text[-3]) + 1] + "=="


# From the bytes of a good signature.
FORGED_SIGNATURES = OPAQUE | {
    "zeros": encode(bytes(64)),
    "ones": encode(b"\xff" * 64),
    "32 bytes": lambda raw: encode(raw[:32]),
    "63 bytes": lambda raw: encode(raw[:63]),
    "65 bytes": lambda raw: encode(raw + b"\0"),
    "twice": lambda raw: encode(raw * 2),
    "halves swapped": lambda raw: encode(raw[32:] + raw[:32]),
    "first bit": lambda raw: encode(bytes([raw[0] ^ 1]) + raw[1:]),
    "last bit": lambda raw: encode(raw[:63] + bytes([raw[63] ^ 0x80])),
    "S + L": lambda raw: encode(add_to_s(raw, L)),
    "S + 8 L": lambda raw: encode(add_to_s(raw, 8 * L)),
    "S = 0": lambda raw: encode(raw[:32] + bytes(32)),
    "stray bits": lambda raw: set_stray_bits(encode(raw)),
    "no padding": lambda raw: encode(raw).rstrip("="),
    "half the padding": lambda raw: encode(raw)[:-1],
    "more padding": lambda raw: encode(raw) + "=",
    "space before": lambda raw: " " + encode(raw),
    "newline after": lambda raw: encode(raw) + "\n",
    "newline inside": lambda raw: encode(raw)[:44] + "\n" + encode(raw)[44:],
    "character of no alphabet": lambda raw: encode(raw)[:44] + "*" + encode(raw)[44:],
    "NUL after": lambda raw: encode(raw) + "\0",
    "letter beyond ASCII after": lambda raw: encode(raw) + "\xe9",
    "lone surrogate after": lambda raw: encode(raw) + "\ud800",
    "hexadecimal": lambda raw: raw.hex(),
    "base58": lambda raw: base58.b58encode(raw).decode(),
    "data URI": lambda raw: "data:;base64," + encode(raw),
}


@pytest.mark.parametrize("forge", FORGED_SIGNATURES.values(), ids=FORGED_SIGNATURES)
def test_forged_signature_is_refused(world, visitor, draft, forge):
    raw = base64.b64decode(draft["signature"])
    draft["signature"] = forge(raw) if callable(forge) else forge
    check_draft(world, visitor, "invalid_signature", SUBMISSIONS, draft)


@pytest.mark.parametrize("key", SMALL_ORDER_KEYS, ids=bytes.hex)
def test_keys_of_small_order_sign_nothing(world, visitor, key):
    visitor.address = base58.b58encode(key).decode()
    for r in SMALL_ORDER_KEYS:  # one of them fits the equation that lenient libraries check
        draft = world.draft(visitor, signature=encode(r + bytes(32)))
        check_draft(world, visitor, "invalid_signature", SUBMISSIONS, draft)


@pytest.mark.parametrize("first_byte", range(2, 8))
def test_addresses_off_the_curve_sign_nothing(world, visitor, first_byte):
    visitor.address = base58.b58encode(bytes([first_byte]) + bytes(31)).decode()
    draft = world.draft(visitor, signature=encode(bytes(64)))
    check_draft(world, visitor, "invalid_signature", SUBMISSIONS, draft)


# Outside the body

PAGE_IDS = {
    "unknown": "x" * 20,
    "NUL": "%00",
    "NUL inside": "a%00b",
    "lone surrogate": "%ed%a0%80",
    "not UTF-8": "%ff",
    "emoji": "%f0%9f%98%80",
    "5,000 characters": "x" * 5000,
    "space": "%20",
    "dots": "%2e%2e",
    "SQL": "'%20OR%201=1",
}


@pytest.mark.parametrize("page_id", PAGE_IDS.values(), ids=PAGE_IDS)
def test_page_in_the_address_that_is_none_is_refused(world, visitor, page_id):
    tracking = f"/api/embed/tracking/{page_id}"
    check_refusal(world, "invalid_key", "GET", tracking)
    check_refusal(world, "origin_not_allowed", "OPTIONS", tracking)
    query = f"trackingPageId={page_id}"
    check_refusal(world, "invalid_key", "GET", SESSION, query_string=query, cookie=visitor.cookie)


@pytest.mark.parametrize("page_id", PAGE_IDS.values(), ids=PAGE_IDS)
def test_widget_of_a_page_that_is_none_is_refused(world, page_id):
    before = world.dump()

    answer = world.client.get(f"/embed/tracking/{page_id}?key={world.public_key}")

    assert answer.status_code == 401
    assert world.dump() == before


@pytest.mark.parametrize(
    "query", ["", "trackingPageId=", "trackingPageId", "x=%ff", "%00=%00", "&&&", "=" * 5000]
)
def test_query_without_a_page_is_refused(world, visitor, query):
    code = "missing_tracking_page_id"
    check_refusal(world, code, "GET", SESSION, query_string=query, cookie=visitor.cookie)


ORIGINS = {
    "user": "https://user@site.example",
    "user and password": "https://user:password@site.example",
    "empty user": "https://@site.example",
    "listed site as user": "https://site.example@evil.example",
    "listed site and port as user": "https://site.example:443@evil.example",
    "backslashes": "https:\\\\site.example",
    "backslash before user": "https://evil.example\\@site.example",
    "backslash after": "https://site.example\\",
    "trailing dot": "https://site.example.",
    "trailing dot and port": "https://site.example.:443",
    "two dots": "https://site..example",
    "port 0": "https://site.example:0",
    "port 65536": "https://site.example:65536",
    "port of letters": "https://site.example:https",
    "negative port": "https://site.example:-443",
    "port with plus": "https://site.example:+443",
    "two ports": "https://site.example:443:443",
    "two values": "https://site.example, https://site.example",
    "two values by space": "https://site.example https://site.example",
    "two values by comma": "https://site.example,https://evil.example",
    "space before": " https://site.example",
    "space after": "https://site.example ",
    "tab inside": "https://site.\texample",
    "NUL after": "https://site.example\0",
    "Latin-1": "https://s\xeete.example",
    "wildcard": "*",
    "wildcard host": "https://*.example",
    "percent-encoded": "https://site%2eexample",
    "no scheme": "site.example",
    "no scheme but slashes": "//site.example",
    "empty scheme": "://site.example",
    "no slashes": "https:site.example",
    "three slashes": "https:///site.example",
    "no host": "https://",
    "port alone": "https://:443",
    "bracketed name": "https://[site.example]",
    "open bracket": "https://[::1",
    "zone": "https://[fe80::1%25eth0]",
    "five numbers": "https://1.2.3.4.5",
    "blob": "blob:https://site.example/x",
    "script": "javascript:alert(1)",
    "data": "data:text/html,x",
    "file": "file://",
    "null in capitals": "NULL",
    "null twice": "null, null",
    "5,000 characters": "https://" + "a" * 5000,
    "5,000 labels": "https://" + "a." * 5000 + "example",
}


@pytest.mark.parametrize("origin", ORIGINS.values(), ids=ORIGINS)
def test_origin_that_is_none_is_refused_everywhere(world, visitor, draft, origin):
    code, headers = "origin_not_allowed", {"Origin": origin}
    tracking = f"/api/embed/tracking/{world.page_id}"
    check_refusal(world, code, "GET", tracking, headers=headers)
    check_refusal(world, code, "GET", tracking, headers={"Origin": None, "Referer": origin})
    check_refusal(world, code, "OPTIONS", tracking, headers=headers)
    check_refusal(world, code, "POST", NONCE, json=draft, headers=headers)
    check_refusal(world, code, "POST", SUBMISSIONS, json=draft, headers=headers)
    query = {"trackingPageId": world.page_id}
    check_refusal(world, code, "GET", SESSION, query_string=query, headers=headers)


def test_good_request_of_this_file_would_have_been_taken(world, visitor, draft):
    assert code_of(world.ask_nonce(visitor)) is None
    assert code_of(world.read(headers={"Origin": SITE})) is None
    assert code_of(world.post(draft, cookie=visitor.cookie)) is None
