"""A file that is not as the service wrote it is refused as a whole, with one sentence."""

import io
import json
import math
import re
from datetime import UTC, datetime

import pytest
from filled_page import EMAIL
from page_files import find, forge, read_lines, take_over
from support.world import USDC

from embed.db.models import ApiKey, Page, Person
from embed.errors import InvalidInput
from embed.maintenance.page_file.reading import MAX_LINE_BYTES, PageFile
from embed.maintenance.page_file.tables import VERSION

pytestmark = pytest.mark.slow

NOWHERE = "0" * 20
TIME = "2026-01-31T09:30:00.000Z"
NOW = datetime(2026, 1, 31, 9, 35, tzinfo=UTC)


def refuse(content: bytes) -> str:
    """Read a file that is refused before the database is asked; return the reason."""
    with pytest.raises(InvalidInput) as refusal:
        list(PageFile(io.BytesIO(content), NOW).read_rows())
    return check_sentence(refusal.value)


def refuse_import(world, content: bytes, **options) -> str:
    """Import a file that the database refuses; return the reason."""
    world.clock.forward(minutes=5)
    before = world.dump()
    with pytest.raises(InvalidInput) as refusal:
        take_over(world, content, **options)
    assert world.dump() == before
    return check_sentence(refusal.value)


def check_sentence(mistake: InvalidInput) -> str:
    sentence = str(mistake)
    assert len(sentence) < 500
    assert sentence.isprintable(), "one line without control characters"
    return sentence


def change(kind: str, /, **values):
    """Change values of the first record of a type."""
    return lambda lines: find(lines, kind).update(values)


def change_data(message_type: str = "submission.created", /, **values):
    """Change data of the first message, which is of this type then."""

    def apply(lines):
        record = find(lines, "message")
        data = json.loads(record["data"]) | values
        record.update(messageType=message_type, data=json.dumps(data, separators=(",", ":")))

    return apply


def change_part(kind: str, attribute: str, /, **values):
    def apply(lines):
        record = next(one for one in lines if one["type"] == kind and one[attribute])
        part = record[attribute]
        (part[0] if isinstance(part, list) else part).update(values)

    return apply


def repeat(kind: str, /, **values):
    """Repeat the first record of a type right after it, with other values."""

    def apply(lines):
        record = find(lines, kind)
        lines.insert(lines.index(record) + 1, record | values)

    return apply


def drop(kind: str, name: str):
    return lambda lines: find(lines, kind).pop(name)


def swap(lines):
    """Put the page before the owner."""
    lines[1], lines[2] = lines[2], lines[1]


@pytest.mark.parametrize(
    ("forgery", "reason"),
    [
        (change("page", tokenMint="not base58!"), "tokenMint"),
        (change("page", tokenMint="1" * 44), "is not an address"),
        (change("page", minBalance="-1"), "minBalance"),
        (change("page", minBalance="1e9"), "minBalance"),
        (change("page", minBalance=1), "Expected `str`, got `int`"),
        (change("page", minBalance="1.50"), "minBalance"),
        (change("page", queueCapacity=2**31), "queueCapacity"),
        (change("page", cooldown=-1), "cooldown"),
        (change("page", cooldown=1.5), "cooldown"),
        (change("page", version=2**31 - 1), "version"),
        (change("page", holdingWatch="shout"), "holdingWatch"),
        (change("page", public="yes"), "public"),
        (change("page", id="../etc/passwd"), "id"),
        (change("page", tokenName=""), "tokenName"),
        (change("page", tokenName="x" * 101), "tokenName"),
        (change("page", publicTitle="two\nlines"), "publicTitle"),
        (change("page", publicComments="a\x00b"), "publicComments"),
        (change("page", publicComments="x" * 2001), "publicComments"),
        (change("page", createdAtIso="2026-02-31T09:30:00.000Z"), "is not a date and time"),
        (change("page", createdAtIso="2026-02-28T09:30:00Z"), "createdAtIso"),
        (change("page", unheardOf=1), "unknown field `unheardOf`"),
        (drop("page", "autoApprove"), "missing required field `autoApprove`"),
        (change("tag", color="url(evil)"), "color"),
        (change("tag", name="x" * 101), "name"),
        (change("key", tier="root"), "tier"),
        (change("key", keyHash="A" * 64), "keyHash"),
        (change("key", displayPrefix="svc_pub_<b>x"), "displayPrefix"),
        (change("key", origins=["https://a.example b"]), "origins"),
        (change("key", origins=["https://a.example"] * 101), "origins"),
        (change("key", origins=["https://a.example;script-src"]), "is not how the service writes"),
        (change("key", origins=["https://A.example"]), "is not how the service writes an origin"),
        (change("key", origins=["*"]), "is not how the service writes an origin"),
        (change_part("key", "refusedOrigins", count=-1), "count"),
        (change_part("key", "refusedOrigins", count=2**31 - 1), "count"),
        (change("key", refusedOrigins=[
            {"origin": f"https://{number}.example", "count": 1, "refusedAtIso": TIME}
            for number in range(21)
        ]), "refusedOrigins"),
        (change("wallet", address="1" * 43), "is not an address"),
        (change("wallet", publicAlias="x" * 101), "publicAlias"),
        (change("wallet", publicAlias="\x1b[31m"), "publicAlias"),
        (change("wallet", tagIds=[NOWHERE]), "no line before this one has the tag"),
        (lambda lines: find(lines, "wallet")["tagIds"].append(find(lines, "wallet")["tagIds"][0]),
         "is named twice"),
        (change("wallet", submissionId=NOWHERE), "no line before this one is its approved sub"),
        (lambda lines: find(lines, "wallet").update(
            submissionId=find(lines, "submission", status="approved")["id"]),
         "no line before this one is its approved submission"),
        (lambda lines: find(lines, "wallet", publicAlias="Ada").update(withdrawn=True),
         "A wallet that is withdrawn has no submissionId"),
        (change("submission", keyId=NOWHERE), "no line before this one has the key"),
        (change("submission", status="pending", proof=None), "is pending has another decidedAtIso"),
        (change("submission", status="approved", rejectReason="manual"), "another rejectReason"),
        (change("submission", status="rejected", rejectReason=None), "another rejectReason"),
        (change("submission", reasonCode="low_balance"), "another reasonCode or reasonText"),
        (change("submission", status="rejected", rejectReason="manual", proof=None,
                reasonCode="low_balance", reasonText="x"), "another reasonCode or reasonText"),
        (change("submission", reasonCode="mood"), "reasonCode"),
        (change("submission", reasonText="x" * 201), "reasonText"),
        (change("submission", status="liked"), "status"),
        (change("submission", rejectReason="mood"), "rejectReason"),
        (change("submission", sessionId="x"), "sessionId"),
        (change_part("submission", "proof", signature="AAAA"), "signature"),
        (change_part("submission", "proof", form="v9"), "form"),
        (change_part("submission", "proof", message="a\x1bb"), "a character that no message has"),
        (change_part("submission", "proof", signedBytes="%"), "signedBytes"),
        (change("withdrawal", submissionId="x"), "submissionId"),
        (change("block", kind="name", pattern="*"), "or it would block everybody"),
        (change("block", kind="name", pattern="A"), "is not how the service writes what is bl"),
        (change("block", kind="network", pattern="0.0.0.0/0"), "This network is too large"),
        (change("block", kind="wallet", pattern="1" * 43), "not a wallet's address"),
        (change("block", kind="name", pattern="x" * 65), "pattern"),
        (change("block", kind="name", pattern="x\x00"), "pattern"),
        (change("block", kind="mood"), "kind"),
        (change("block", personId=NOWHERE), "unknown field `personId`"),
        (repeat("usedNonce"), "twice in the file"),
        (change("activity", action="x" * 31), "action"),
        (change("activity", subject="Ann"), "subject"),
        (change("activity", data="[]"), "no JSON object"),
        (change("activity", data='{"tokenBalance":1e9999999}'), "no JSON object"),
        (change("activity", data=f'{{"tokenBalance":1e{"9" * 30}}}'), "no JSON object"),
        (change("activity", data='{"text":' + "[" * 500 + "]" * 500 + "}"), "and the like only"),
        (change("activity", data='{"text":{}}'), "and the like only"),
        (change("activity", address=USDC), "unknown field `address`"),
        (change("receiver", secret="whsec_AAAA"), "secret"),
        (change("receiver", failedAttempts=2**31 - 1), "failedAttempts"),
        (change("receiver", secret=None), "A webhook has a secret"),
        (change("receiver", kind="channel"), "A webhook has a secret"),
        (change("receiver", target="file:///etc/passwd"), "target of a webhook"),
        (change("message", data="[1]"), "no JSON object"),
        (change("message", data='{"a":' * 300), "no JSON object"),
        (change("message", messageType="queue.unheard"), "messageType"),
        (change("message", messageType="wallet.flagged"), "not those of wallet.flagged: .*missing"),
        (change("message", data="{}"), "not those of submission.created: .*missing"),
        (change_data(nickname=None), "Expected `str`, got `null`"),
        (change_data(nickname=7), "Expected `str`, got `int`"),
        (change_data(nickname="x" * 2000), "data"),
        (change_data(more=[[]]), "and the like only"),
        (change_data(more="\ud800"), "no JSON object"),
        (change_data("queue.filling", pending=-1, queueCapacity=10), "Expected `int` >= 0"),
        (change_data("queue.filling", pending=1.5, queueCapacity=10), "got `float`"),
        (change_data("queue.filling", pending=1, queueCapacity=2**31), "Expected `int` <= "),
        (change_data("queue.filling", pending=1, queueCapacity=math.inf), "no JSON object"),
        (change_part("message", "deliveries", attempts=2**31 - 1), "attempts"),
        (change("receiver", signingKey=None), "A webhook has a signing key"),
        (change_part("message", "deliveries", state="waiting"), "state"),
        (change_part("message", "deliveries", receiverId=NOWHERE), "no line before this one has"),
        (repeat("token"), "twice in the file"),
        (change("token", decimals=256), "decimals"),
        (change("enteredBalance", amount="NaN"), "amount"),
        (change("enteredBalance", amount="9" * 41), "amount"),
        (repeat("enteredBalance"), "twice in the file"),
        (repeat("observedBalance"), "twice in the file"),
        (change("observedBalance", slot=2**63), "slot"),
        (change_part("observedBalance", "days", amount="1,5"), "amount"),
        (change("owner", email="nobody"), "email"),
        (repeat("owner"), "the second line, and no other, is the owner"),
        (repeat("page", id=NOWHERE), "the third line, and no other, is the page"),
        (swap, "the second line, and no other, is the owner"),
        (lambda lines: lines.pop(1), "the second line, and no other, is the owner"),
        (lambda lines: lines.pop(2), "the third line, and no other, is the page"),
        (lambda lines: lines.append({"type": "surprise"}), "Invalid value 'surprise'"),
    ],
)  # fmt: skip
def test_forged_line_is_named_with_what_is_wrong(content, forgery, reason):
    forged = forge(content, forgery)

    check_line(content, forged, refuse(forged), reason)


@pytest.mark.parametrize(
    ("forgery", "reason"),
    [
        (repeat("tag"), "its id is used already|the same"),
        (repeat("tag", id=NOWHERE), "another tag has the same name"),
        (repeat("key", id=NOWHERE), "this key belongs to another page"),
        (repeat("wallet", id=NOWHERE), "another wallet has the same address"),
        (repeat("submission"), "its id is used already|the same|another submission of this"),
        (repeat("submission", id=NOWHERE, nonce=None), "another submission of this wallet"),
        (repeat("submission", id=NOWHERE), "the same nonce|another submission of this wallet"),
        (repeat("activity"), "its id is used already|the same"),
        (repeat("block", id=NOWHERE), "this is blocked twice"),
        (repeat("listing"), "the address is on the list twice"),
    ],
)  # fmt: skip
def test_line_that_the_database_refuses_is_named(world, content, forgery, reason):
    forged = forge(content, forgery)

    check_line(content, forged, refuse_import(world, forged), reason)


def check_line(content: bytes, forged: bytes, sentence: str, reason: str) -> None:
    """Check that a refusal names the line that was changed, and says why."""
    number, _, rest = sentence.partition(": ")
    assert re.search(reason, rest), sentence
    pairs = zip(read_lines(content), read_lines(forged), strict=False)
    changed = next(line for line, (old, new) in enumerate(pairs, start=1) if old != new)
    assert number == f"Line {changed}"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "truncated|malformed"),
        (b"[]", "Expected `object`"),
        (b"null", "Expected `object`"),
        (b"", "truncated"),
        (b'{"type":"tag","id":' + b"[" * 100_000, "Expected `str`|nested too deeply|truncated"),
        (b'{"type":"tag","more":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "unknown field|nested"),
        (b'{"type":"activity","actor":"\\ud800"}', "malformed|truncated"),
        (b'{"type":"activity","actor":"\xff"}', "not UTF-8"),
        (b'{"type":"' + b"x" * 100_000 + b'"}', "Invalid value"),
        (b'{"no":"type"}', "missing required field `type`"),
        (b'{"type":"header","format":"tracking-embed-page/1"}', "Invalid value 'header'"),
    ],
)
def test_line_that_is_no_record_is_refused(content, line, reason):
    lines = content.splitlines(keepends=True)
    lines.insert(4, line + b"\n")

    sentence = refuse(b"".join(lines))

    assert sentence.startswith("Line 5: ")
    assert re.search(reason, sentence), sentence


def test_file_that_was_cut_off_anywhere_is_refused(content):
    lines = content.splitlines(keepends=True)
    for end in (0, 1, 3, len(lines) // 2, len(lines) - 1):
        assert "without its last line" in refuse(b"".join(lines[:end]))
    for end in (10, len(content) // 2, len(content) - 1):
        assert "in the middle of line" in refuse(content[:end])


def test_line_that_was_removed_changed_or_added_is_noticed(content):
    lines = content.splitlines(keepends=True)
    assert "lines are missing" in refuse(b"".join(lines[:-2] + lines[-1:]))
    changed = content.replace("Größe".encode(), "Grösse".encode())
    assert changed != content
    assert "the file was changed" in refuse(changed)
    assert "nothing may follow the trailer" in refuse(content + b"\n")
    assert "nothing may follow the trailer" in refuse(content + lines[-1])


def test_file_of_another_version_or_kind_is_refused(content):
    newer = content.replace(b'page/%d"' % VERSION, b'page/%d"' % (VERSION + 1), 1)
    assert f"reads them up to tracking-embed-page/{VERSION}; a newer one may" in refuse(newer)
    for other in (b"\x00\x01\n", b"PK\x03\x04\n", b'{"format": "tracking-embed-receipts/1"}\n',
                  b'{"type":"header","format":"other/1"}\n', b"[" * 100_000 + b"\n"):  # fmt: skip
        assert "not a page's file" in refuse(other)
    assert "unknown field" in refuse(
        b'{"type":"header","format":"tracking-embed-page/1","more":1}\n'
    )


def test_line_without_end_is_not_read_into_memory():
    class Endless:
        """A file of one line; fails if too much of it is read."""

        left = 10 * MAX_LINE_BYTES

        def readline(self, limit: int) -> bytes:
            self.left -= limit
            assert self.left > 0
            return b"x" * limit

    with pytest.raises(InvalidInput, match="Line 1: longer than"):
        list(PageFile(Endless(), NOW).read_rows())


def test_page_with_more_wallets_than_allowed_is_refused(world, content):
    assert "MAX_WALLETS" in refuse_import(world, content, max_wallets=1)


def test_key_that_another_page_has_is_refused(world, content):
    other = ApiKey.create(
        page=world.page,
        tier="secret",
        key_hash=find(read_lines(content), "key")["keyHash"],
        display_prefix="svc_sec_0000",
        created_at=world.clock(),
    )

    assert "this key belongs to another page here" in refuse_import(world, content)
    assert ApiKey.get_by_id(other.id).page_id == world.page_id


def test_wallet_of_another_page_cannot_be_taken(world, content):
    world.page_id = world.make_page()
    taken = world.track(USDC, alias="Mine")

    sentence = refuse_import(world, forge(content, change("wallet", id=taken.id)))

    assert sentence.endswith("its id is used already, here or in the file.")


def test_refusal_in_the_middle_leaves_nothing(world, content):
    """On both databases: what comes before the line that is wrong is rolled back, too."""
    sentence = refuse_import(world, forge(content, repeat("listing")))

    assert "the address is on the list twice" in sentence
    assert Person.select().where(Person.email == EMAIL).count() == 0


def test_unknown_owner_who_is_named_is_refused(world, content):
    world.clock.forward(minutes=5)
    with pytest.raises(LookupError, match="There is no owner other@"):
        take_over(world, content, owner_email="other@example.com")
    assert [page.id for page in Page.select()] == [world.page_id]
