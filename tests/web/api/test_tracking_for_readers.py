"""The tracking read at the widget's own address: 304, and only what changed."""

import json

import pytest
from support.world import USDC, Visitor, code_of

from embed.byte_cache import MOST_IN_GROUP, ByteCache
from embed.db.connection import db
from embed.db.models import Page
from embed.public_payload import deltas, payloads
from embed.wallets import tags, tracking
from embed.wallets.tags import TagFields
from embed.web import compression

EVIL = "https://evil.example"


@pytest.fixture
def reader(world):
    """The world, read at the widget's own address."""
    world.root = "/embed/api"
    return world


@pytest.fixture
def fill(reader):
    """Track many wallets at once; return them."""

    def add(count: int, **changes: object):
        with db.atomic():
            return [reader.track(Visitor().address, alias=f"n{n}", **changes) for n in range(count)]

    return add


@pytest.fixture
def start_process(monkeypatch):
    """Forget everything that this process keeps of payloads, as a new one would."""

    def start() -> None:
        monkeypatch.setattr(payloads, "_etags", ByteCache(10**6))
        monkeypatch.setattr(payloads, "_cache", ByteCache(10**8))
        monkeypatch.setattr(deltas, "_cache", ByteCache(10**7))

    start()
    return start


def read_again(reader, etag: str, *, understands_deltas=True, **how):
    headers = {"If-None-Match": etag} | how.pop("headers", {})
    return reader.read(headers=headers | ({"A-IM": "wallets"} if understands_deltas else {}), **how)


def apply_delta(page: dict, delta: dict) -> dict:
    listed = []
    for piece in delta["wallets"]:
        listed += page["wallets"][slice(*piece)] if isinstance(piece, list) else [piece]
    return delta | {"wallets": listed}


# Nothing has changed


def test_reader_of_the_present_payload_gets_304_and_no_body(reader, fill):
    fill(3)
    first = reader.read()
    second = read_again(reader, first.headers["ETag"])

    assert (second.status_code, second.data) == (304, b"")
    assert second.headers["ETag"] == first.headers["ETag"]
    for answer in (first, second):
        assert set(answer.headers["Cache-Control"].split(", ")) == {"private", "no-cache"}
        assert set(answer.headers["Vary"].split(", ")) == {"Accept-Encoding", "Origin"}


def test_unchanged_page_is_neither_loaded_nor_built(
    reader, built, start_process, count_statements, monkeypatch
):
    etag = reader.read().headers["ETag"]
    built.clear()
    monkeypatch.setattr(payloads, "_cache", ByteCache(1))  # the payload itself is forgotten

    def read() -> None:
        assert read_again(reader, etag).status_code == 304

    assert count_statements(read) == 1  # the key and its page
    assert built == []


def test_every_compression_of_a_payload_has_the_same_tag(reader, fill):
    fill(20)
    answers = [
        reader.read(headers={"Accept-Encoding": encoding})
        for encoding in ("identity", "gzip", "br", "zstd")
    ]

    assert len({answer.data for answer in answers}) == 4
    (etag,) = {answer.headers["ETag"] for answer in answers}
    assert etag.startswith('W/"')


@pytest.mark.parametrize(
    ("write", "status"),
    [
        (lambda etag: etag, 304),
        (lambda etag: etag.removeprefix("W/"), 304),
        (lambda etag: f'"other", {etag}', 304),
        (lambda etag: f'W/"a",W/"b",{etag},"c"', 304),
        (lambda etag: "*", 304),
        (lambda etag: "", 200),
        (lambda etag: '"other"', 200),
        (lambda etag: etag.strip('W/"'), 304),  # without quotes: read as lenient servers do
        (lambda etag: etag[:-1], 200),
        (lambda etag: etag.upper().replace("W/", "w/"), 200),
        (lambda etag: f'"{etag}"', 200),
        (lambda etag: '"' * 1001, 200),
        (lambda etag: ", ".join(f'"{number}"' for number in range(2000)), 200),
        (lambda etag: "x" * 8000, 200),
        (lambda etag: "\udcff\udc00", 200),
        (lambda etag: 'W/"99999999"', 200),
    ],
)
def test_conditions_of_all_kinds(reader, write, status):
    present = reader.read()

    answer = read_again(reader, write(present.headers["ETag"]))

    assert answer.status_code == status
    assert answer.data == (present.data if status == 200 else b"")


def test_other_conditions_and_ranges_are_ignored(reader):
    etag = reader.read().headers["ETag"]
    for name, value in (("If-Match", '"x"'), ("Range", "bytes=0-1"), ("If-Range", etag)):
        answer = reader.read(headers={name: value, "Accept-Encoding": "gzip"})
        assert answer.status_code == 200


def test_head_is_answered_as_get_is(reader, fill):
    fill(30)
    path = f"/embed/api/tracking/{reader.page_id}"
    etag = reader.read().headers["ETag"]

    whole = reader.call("HEAD", path)
    assert (whole.status_code, whole.data, whole.headers["ETag"]) == (200, b"", etag)
    same = reader.call("HEAD", path, headers={"If-None-Match": etag})
    assert (same.status_code, same.data) == (304, b"")
    refused = reader.call("HEAD", path, headers={"If-None-Match": etag, "Authorization": None})
    assert refused.status_code == 401


def test_api_proper_has_the_headers_of_the_spec_only(world):
    world.read()
    answer = world.read(headers={"If-None-Match": "*", "A-IM": "wallets"})

    assert answer.status_code == 200
    assert {"ETag", "Cache-Control", "IM", "Delta-Base"} & set(answer.headers.keys()) == set()
    assert answer.headers["Vary"] == "Origin"


# What is checked before


REFUSALS = {
    "revoked_key": lambda world: world.revoke_all_keys(),
    "embed_disabled": lambda world: world.configure(is_public=False),
    "not_found": lambda world: world.delete_page(),
}


@pytest.mark.parametrize("code", REFUSALS)
def test_page_or_key_that_was_closed_meanwhile_is_refused(reader, code):
    etag = reader.read().headers["ETag"]
    REFUSALS[code](reader)

    for condition in (etag, "*"):
        answer = read_again(reader, condition)
        assert code_of(answer) == code
        assert "ETag" not in answer.headers


def test_page_that_is_opened_again_is_known_only_with_its_present_content(reader):
    etag = reader.read().headers["ETag"]
    reader.configure(is_public=False)
    reader.track(Visitor().address)
    reader.configure(is_public=True)

    answer = read_again(reader, etag)
    assert len(answer.json["wallets"]) == 1


def test_strangers_learn_nothing_by_a_condition(reader):
    etag = reader.read().headers["ETag"]
    other = reader.make_key("secret", page_id=reader.make_page())

    assert code_of(read_again(reader, etag, headers={"Origin": EVIL})) == "origin_not_allowed"
    assert code_of(read_again(reader, etag, headers={"Authorization": None})) == "missing_key"
    assert code_of(read_again(reader, "*", key=other)) == "invalid_key"


def test_unchanged_page_counts_in_the_limits(world_with):
    reader = world_with(LIMIT_PER_KEY="3/hour")
    reader.root = "/embed/api"
    etag = reader.read().headers["ETag"]

    assert [read_again(reader, etag).status_code for _ in range(3)] == [304, 304, 429]


# Processes, restarts and backups


def test_another_process_knows_the_tag_of_an_unchanged_page(reader, fill, start_process):
    fill(3)
    etag = reader.read().headers["ETag"]
    start_process()

    assert read_again(reader, etag).status_code == 304


def test_version_number_of_a_restored_backup_is_not_mistaken_for_a_later_one(reader, start_process):
    version = reader.page.version
    reader.configure(public_title="After the backup")
    etag = reader.read().headers["ETag"]
    assert reader.page.version == version + 1
    # The backup is restored, the service started, and another change made.
    Page.update(version=version, public_title=None).where(Page.id == reader.page_id).execute()
    start_process()
    reader.configure(public_title="After the restore")
    assert reader.page.version == version + 1

    answer = read_again(reader, etag)

    assert answer.status_code == 200
    assert answer.json["publicTitle"] == "After the restore"


def test_process_that_has_not_built_the_readers_payload_sends_everything(
    reader, fill, start_process
):
    fill(30)
    etag = reader.read().headers["ETag"]
    start_process()
    reader.track(Visitor().address)

    answer = read_again(reader, etag)

    assert answer.status_code == 200
    assert len(answer.json["wallets"]) == 31


# Something has changed

CHANGES = {
    "alias": lambda world, all_: change(world, all_[7], alias="Another"),
    "hidden": lambda world, all_: change(world, all_[0], is_hidden=True),
    "added": lambda world, all_: world.track(Visitor().address),
    "added again": lambda world, all_: add_again(world, all_[3]),
    "title": lambda world, all_: world.configure(public_title="Another"),
    "policy": lambda world, all_: world.configure(queue_capacity=7),
    "balance": lambda world, all_: world.observe(all_[7].address, 7),
    "tag added": lambda world, all_: world.add_tag("Another"),
}


def change(world, wallet, **changes):
    tracking.update_wallet(wallet.id, tracking.WalletFields(**changes), world.clock())


def add_again(world, wallet):
    tracking.remove_wallet(wallet.id, world.clock())
    world.clock.forward(seconds=1)
    world.track(wallet.address)


@pytest.mark.parametrize("make_change", CHANGES.values(), ids=CHANGES)
def test_reader_of_an_earlier_payload_gets_what_changed(reader, fill, make_change):
    wallets = fill(30)
    first = reader.read()

    make_change(reader, wallets)
    answer = read_again(reader, first.headers["ETag"])

    present = reader.read()
    assert answer.status_code == 226
    assert answer.content_type == "application/json"
    assert len(answer.data) < len(present.data) / 5
    assert apply_delta(first.json, answer.json) == present.json
    assert answer.headers["IM"] == "wallets"
    assert answer.headers["Delta-Base"] == first.headers["ETag"]
    assert answer.headers["ETag"] == present.headers["ETag"]
    assert "no-store" in answer.headers["Cache-Control"]
    assert read_again(reader, answer.headers["ETag"]).status_code == 304


def test_reader_who_does_not_understand_deltas_gets_everything(reader, fill):
    fill(30)
    etag = reader.read().headers["ETag"]
    reader.configure(public_title="Another")

    for understood in (None, "", "gzip", "walletsx", "vcdiff, gzip"):
        answer = reader.read(headers={"If-None-Match": etag, "A-IM": understood})
        assert (answer.status_code, len(answer.json["wallets"])) == (200, 30)


@pytest.mark.parametrize("understood", ["wallets", "vcdiff, wallets", "wallets,gzip"])
def test_reader_may_understand_other_deltas_too(reader, fill, understood):
    fill(30)
    etag = reader.read().headers["ETag"]
    reader.configure(public_title="Another")

    headers = {"If-None-Match": f'"unknown", {etag}', "A-IM": understood}
    assert reader.read(headers=headers).status_code == 226


def test_lost_answer_is_made_up_for_by_the_next(reader, fill):
    wallets = fill(30)
    first = reader.read()
    for number in range(3):  # the answers to these do not arrive
        change(reader, wallets[number], alias="Another")
        assert read_again(reader, first.headers["ETag"]).status_code == 226
    answer = read_again(reader, first.headers["ETag"])

    assert apply_delta(first.json, answer.json) == reader.read().json


def test_thousand_edits_between_two_polls_are_one_small_delta(reader, fill):
    wallets = fill(30)
    first = reader.read()
    with db.atomic():
        for number in range(1000):
            change(reader, wallets[number % 2], alias=f"Edit {number}")
    answer = read_again(reader, first.headers["ETag"])

    assert answer.status_code == 226
    assert sum(isinstance(piece, dict) for piece in answer.json["wallets"]) == 2
    assert apply_delta(first.json, answer.json) == reader.read().json


def test_renamed_tag_on_all_wallets_brings_everything(reader, fill):
    tag = reader.add_tag("team")
    fill(30, tag_names=["team"])
    etag = reader.read().headers["ETag"]
    tags.update_tag(tag.id, TagFields(name="crew"), reader.clock())
    answer = read_again(reader, etag)

    assert answer.status_code == 200
    assert {one["tags"][0]["name"] for one in answer.json["wallets"]} == {"crew"}


def test_balances_that_all_changed_bring_everything(reader, fill):
    wallets = fill(30, balance=1)
    etag = reader.read().headers["ETag"]
    for wallet in wallets:
        reader.observe(wallet.address, 2)

    assert read_again(reader, etag).status_code == 200


def test_delta_is_compressed(reader, fill):
    wallets = fill(400)
    first = reader.read()
    for wallet in wallets[:20]:
        change(reader, wallet, alias="Another")
    compressed = read_again(reader, first.headers["ETag"], headers={"Accept-Encoding": "gzip"})
    plain = read_again(reader, first.headers["ETag"])

    assert (compressed.status_code, compressed.headers["Content-Encoding"]) == (226, "gzip")
    assert len(compressed.data) < len(plain.data)
    assert compressed.headers["ETag"] == plain.headers["ETag"]


def test_what_a_busy_page_makes_a_process_keep_is_bounded(reader, fill, monkeypatch):
    fill(20)
    bounds = {(payloads, "_cache"): 40_000, (payloads, "_etags"): 4_000}
    bounds[deltas, "_cache"] = 4_000
    for (module, name), bound in bounds.items():
        monkeypatch.setattr(module, name, ByteCache(bound))
    etag = reader.read().headers["ETag"]
    for number in range(60):
        reader.configure(public_title=f"Title {number}")
        answer = read_again(reader, etag)
        assert answer.status_code in (226, 200)  # everything, once its payload is forgotten
        sizes = [getattr(module, name).size_bytes for module, name in bounds]
        assert [
            size for size, bound in zip(sizes, bounds.values(), strict=True) if size > bound
        ] == []
    assert json.loads(answer.data)["tokenMint"] == USDC


def test_versions_of_a_busy_page_take_the_place_of_their_own(reader, fill):
    fill(20)
    etag = reader.read().headers["ETag"]
    for number in range(2 * MOST_IN_GROUP):
        reader.configure(public_title=f"Title {number}")
        answer = read_again(reader, etag)
        assert answer.status_code == 226
        etag = answer.headers["ETag"]
        assert reader.read(headers={"Accept-Encoding": "br"}).content_encoding == "br"

    caches = (payloads._cache, payloads._etags, deltas._cache, compression._compress_once.cache)
    counts = [sum(reader.page_id in str(key) for key in cache._values) for cache in caches]
    assert counts == [MOST_IN_GROUP] * len(caches)


# The document itself


def test_document_names_the_payload_that_it_shows(reader):
    reader.track(Visitor().address)
    path = f"/embed/tracking/{reader.page_id}"
    document = reader.client.get(path, query_string={"key": reader.public_key})
    etag = reader.read().headers["ETag"]

    assert f'data-etag="{etag.replace(chr(34), "&#34;")}"' in document.text
