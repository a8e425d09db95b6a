"""Bad input: each gets the 4xx of its own kind, none a 500, and none changes the database."""

import base64
import itertools
import json

import base58
import pytest
from world import SECRET_KEY, SITE, Visitor, code_of, one_database

from embed.domain.nonces import NonceSeal

NONCE = "/api/embed/siws/nonce"
SUBMISSIONS = "/api/embed/submissions"
SESSION = "/api/embed/session/submissions"
NONCE_FIELDS = ("trackingPageId", "walletAddress")
FIELDS = (*NONCE_FIELDS, "nickname", "nonceId", "signature")

# The order of the base point's group (RFC 8032): S and S + L would both verify if S were not checked.
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


@pytest.fixture
def visitor(world):
    visitor = Visitor()
    world.open_widget(visitor)
    return visitor


def encode(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def make_body(world, visitor, endpoint: str) -> dict:
    draft = world.draft(visitor)
    return draft if endpoint == SUBMISSIONS else {name: draft[name] for name in NONCE_FIELDS}


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
    "number of 10,000 digits": (b'{"trackingPageId": ' + b"1" * 10_000 + b"}", JSON, "invalid_json"),
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
    "4,000 stacked marks": "a" + "\u0316" * 4000,
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


def sloppy(signature: str) -> dict[str, str]:
    """Return ways to write a good signature that lenient decoders would take."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    last = signature[-3]  # 64 bytes leave four bits of it unused, and two padding characters
    return {
        "stray bits": signature[:-3] + alphabet[alphabet.index(last) + 1] + "==",
        "no padding": signature.rstrip("="),
        "half the padding": signature[:-1],
        "more padding": signature + "=",
        "space before": " " + signature,
        "newline after": signature + "\n",
        "newline inside": signature[:44] + "\n" + signature[44:],
        "character of no alphabet": signature[:10] + "*" + signature[10:],
        "URL-safe": encode_url_safe_only(signature),
        "hexadecimal": base64.b64decode(signature).hex(),
        "base58": base58.b58encode(base64.b64decode(signature)).decode(),
        "data URI": f"data:;base64,{signature}",
        "NUL after": signature + "\0",
        "full-width": chr(ord(signature[0]) + 0xFEE0) + signature[1:],
        "lone surrogate": "\ud800" + signature,
        "twice": signature * 2,
    }


def encode_url_safe_only(signature: str) -> str:
    """Return the URL-safe form; of a signature without + and / one with them is made up."""
    changed = signature.replace("+", "-").replace("/", "_")
    return changed if changed != signature else "-_" + signature[2:]


def forge_signatures(signature: str) -> dict[str, str]:
    raw = base64.b64decode(signature)
    r, s = raw[:32], int.from_bytes(raw[32:], "little")
    return {
        "empty": "",
        "zeros": encode(bytes(64)),
        "ones": encode(b"\xff" * 64),
        "63 bytes": encode(raw[:63]),
        "65 bytes": encode(raw + b"\0"),
        "32 bytes": encode(raw[:32]),
        "first bit": encode(bytes([raw[0] ^ 1]) + raw[1:]),
        "last bit": encode(raw[:63] + bytes([raw[63] ^ 0x80])),
        "S + L": encode(r + (s + L).to_bytes(32, "little")),
        "S + 2L": encode(r + (s + 2 * L).to_bytes(32, "little")),
        "S = 0": encode(r + bytes(32)),
        "halves swapped": encode(raw[32:] + raw[:32]),
        "5,000 characters": "A" * 5000,
    }


def forge_nonces(world, visitor, draft: dict) -> dict[str, tuple[str, str]]:
    """Return nonceId values that are not this visitor's, each with its code."""
    good = draft["nonceId"]
    payload, _, seal = good.rpartition(".")
    nonce = NonceSeal([SECRET_KEY]).open(good, world.clock())
    other_page = world.make_page()
    other_page_key = world.make_key("secret", page_id=other_page)

    def ask(**how) -> str:
        return world.ask_nonce(how.pop("visitor", visitor), **how).json["nonceId"]

    unknown, foreign = "invalid_nonce", "nonce_binding_mismatch"
    return {
        "random part alone": (nonce.token, unknown),
        "first character changed": (("x" if good[0] != "x" else "y") + good[1:], unknown),
        "first character gone": (good[1:], unknown),
        "seal cut": (good[:-4], unknown),
        "seal gone": (payload, unknown),
        "seal empty": (payload + ".", unknown),
        "seal of another nonce": (payload + "." + ask().rpartition(".")[2], unknown),
        "payload empty": ("." + seal, unknown),
        "dots": ("....", unknown),
        "space after": (good + " ", unknown),
        "NUL after": (good + "\0", unknown),
        "not ASCII": (good + "é", unknown),
        "lone surrogate after": (good + "\ud800", unknown),
        "session": (visitor.cookie, unknown),
        "sealed elsewhere": (NonceSeal(["another secret"]).close(nonce), unknown),
        "another wallet's": (ask(visitor=Visitor()), foreign),
        "another key's": (ask(key=world.secret_key), foreign),
        "another page's": (ask(page_id=other_page, key=other_page_key), foreign),
    }


NONCE_FORGERIES = (
    "random part alone",
    "first character changed",
    "first character gone",
    "seal cut",
    "seal gone",
    "seal empty",
    "seal of another nonce",
    "payload empty",
    "dots",
    "space after",
    "NUL after",
    "not ASCII",
    "lone surrogate after",
    "session",
    "sealed elsewhere",
    "another wallet's",
    "another key's",
    "another page's",
)


# Every case: what makes the request (method, path, arguments) in a world with a visitor


def body_case(endpoint, data, content_type):
    headers = {"Content-Type": content_type}
    return lambda world, visitor: ("POST", endpoint, {"data": data, "headers": headers})


def missing_case(endpoint, field):
    def prepare(world, visitor):
        body = make_body(world, visitor, endpoint)
        del body[field]
        return "POST", endpoint, {"json": body}

    return prepare


def field_case(endpoint, field, value):
    """`value` may be a function of the world, the visitor and the good body."""

    def prepare(world, visitor):
        body = make_body(world, visitor, endpoint)
        body[field] = value(world, visitor, body) if callable(value) else value
        return "POST", endpoint, {"json": body}

    return prepare


def list_cases():
    short = {NONCE: "nonce", SUBMISSIONS: "submissions"}
    for endpoint, name in short.items():
        fields = NONCE_FIELDS if endpoint == NONCE else FIELDS
        for case, (data, content_type, code) in BODIES.items():
            yield f"{name}: {case}", body_case(endpoint, data, content_type), code
        for field in fields:
            yield f"{name}: no {field}", missing_case(endpoint, field), "missing_fields"
        for field, (kind, value) in itertools.product(fields, WRONG_TYPES.items()):
            case = field_case(endpoint, field, value)
            yield f"{name}: {field} is {kind}", case, "missing_fields"
        for kind, value in OPAQUE.items():
            case = field_case(endpoint, "trackingPageId", value)
            yield f"{name}: trackingPageId, {kind}", case, "invalid_key"
        for kind, value in (OPAQUE | ADDRESSES).items():
            case = field_case(endpoint, "walletAddress", value)
            yield f"{name}: walletAddress, {kind}", case, "invalid_wallet_address"
    for kind, value in LONG_NICKNAMES.items():
        case = field_case(SUBMISSIONS, "nickname", value)
        yield f"nickname, {kind}", case, "invalid_nickname_length"
    for kind, value in NICKNAMES.items():
        case = field_case(SUBMISSIONS, "nickname", value)
        yield f"nickname, {kind}", case, "invalid_nickname_chars"
    for kind, value in OPAQUE.items():
        yield f"nonceId, {kind}", field_case(SUBMISSIONS, "nonceId", value), "invalid_nonce"
        case = field_case(SUBMISSIONS, "signature", value)
        yield f"signature, {kind}", case, "invalid_signature"


CASES = {name: (prepare, code) for name, prepare, code in list_cases()}


def check_refusal(world, method, path, arguments, code) -> None:
    """Send a request twice; it is refused both times and leaves nothing behind."""
    before = world.dump()

    answers = [world.call(method, path, **arguments) for _ in range(2)]

    assert [code_of(answer) for answer in answers] == [code, code]
    assert world.dump() == before


@one_database
@pytest.mark.parametrize(("prepare", "code"), CASES.values(), ids=CASES)
def test_bad_body_is_refused_with_its_code_and_changes_nothing(world, visitor, prepare, code):
    method, path, arguments = prepare(world, visitor)

    check_refusal(world, method, path, {"cookie": visitor.cookie} | arguments, code)
