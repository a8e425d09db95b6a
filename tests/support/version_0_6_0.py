"""A database of version 0.6.0, with rows in each of its tables.

Its tables are what that version made, in v0.6.0/; rows are written by plain SQL, since the models
are those of today.
"""

from pathlib import Path
from typing import Any

from peewee import SqliteDatabase
from support.world import USDC

from embed.db import connection
from embed.db.schema_version import LATER_MIGRATIONS_OF_0_6_0
from embed.domain.identifiers import hash_key, shorten_key

MIGRATIONS = ("0001_initial", *LATER_MIGRATIONS_OF_0_6_0)
TABLES_DIR = Path(__file__).with_name("v0.6.0")

KEY = f"svc_pub_{'k' * 32}"
AT = 1_760_000_000_123
ADDRESSES = [f"{letter}{USDC[1:]}" for letter in "ABCD"]

Row = dict[str, Any]


def _id(name: str) -> str:
    return name.ljust(20, "0")


def _make_page(name: str, **values: Any) -> Row:
    return {
        "id": _id(name),
        "created_at": AT,
        "owner_id": _id("owner"),
        "token_name": "USD Coin",
        "token_symbol": "USDC",
        "token_mint": USDC,
        "public_title": "Größe 我们",
        "public_comments": None,
        "is_public": True,
        "is_embeddable": True,
        "auto_approve": False,
        "min_balance": "0.5",
        "queue_capacity": 7,
        "cooldown_s": 60,
        "trust_after": 2,
        "holding_watch": "flag",
        "look": '{"accent":"7c4ddb","radius":3}',
        "version": 41,
        "listed_version": 40,
        "deleted_at": None,
    } | values


def _make_key(name: str, key: str, **values: Any) -> Row:
    return {
        "id": _id(name),
        "created_at": AT,
        "page_id": _id("page"),
        "tier": "public",
        "key_hash": hash_key(key),
        "display_prefix": shorten_key(key),
        "origins": "https://site.example\nhttps://www.site.example",
        "allow_null_origin": True,
        "revoked_at": None,
        "last_used_at": AT,
        "purpose": "sites",
        "label": "Main",
    } | values


def _make_wallet(name: str, number: int, **values: Any) -> Row:
    return {
        "id": _id(name),
        "created_at": AT + number,
        "page_id": _id("page"),
        "address": ADDRESSES[number],
        "public_alias": f"Alias {number}",
        "is_hidden": False,
        "low_count": 1,
        "low_observed_at": AT,
        "is_withheld": False,
        "submission_id": None,
        "is_withdrawn": False,
    } | values


def _make_submission(name: str, number: int, status: str, **values: Any) -> Row:
    return {
        "id": _id(name),
        "created_at": AT + number,
        "page_id": _id("page"),
        "api_key_id": _id("key"),
        "wallet_address": ADDRESSES[number],
        "nickname": f"Nickname {number}",
        "status": status,
        "reject_reason": None,
        "session_id": _id("session"),
        "nonce": _id(f"nonce{number}"),
        "decided_at": None if status == "pending" else AT + 9,
        "reason_code": None,
        "reason_text": None,
    } | values


def _make_entry(number: int, action: str, **values: Any) -> Row:
    return {
        "id": _id(f"activity{number:02}"),
        "created_at": AT + 1_000_000 * number,
        "page_id": _id("page"),
        "actor": "command line",
        "action": action,
        "address": None,
    } | values


def _make_receiver(name: str, **values: Any) -> Row:
    return {
        "id": _id(name),
        "created_at": AT,
        "page_id": _id("page"),
        "kind": "channel",
        "event_types": "submission.created",
        "secret": None,
        "previous_secret": None,
        "previous_secret_expires_at": None,
        "signing_key": None,
        "next_attempt_at": AT,
        "failed_attempts": 2,
        "is_slow": True,
        "first_failed_at": AT,
        "person_id": None,
        "may_decide": True,
    } | values


ROWS: dict[str, list[Row]] = {
    "person": [
        {"id": _id("owner"), "created_at": AT, "email": "owner@example.com",
         "password_hash": "$argon2id$x", "language": "de", "is_guest": False},
        {"id": _id("other"), "created_at": AT, "email": "other@example.com",
         "password_hash": None, "language": None, "is_guest": True},
    ],
    "session": [{"id": _id("signed"), "created_at": AT, "person_id": _id("owner"),
                 "secret_hash": "1" * 64, "seen_at": AT + 9, "browser": "Firefox",
                 "system": "Linux", "network": "192.0.2.0/24", "confirmed_at": AT}],
    "passkey": [{"id": _id("passkey"), "created_at": AT, "person_id": _id("owner"),
                 "name": "Laptop", "credential_id": "Y3JlZA", "credential": "a2V5",
                 "host": "list.example", "sign_count": 2**32 - 1, "used_at": AT + 9}],
    "linked_wallet": [{"id": _id("linked"), "created_at": AT, "person_id": _id("owner"),
                       "address": "1" * 32, "used_at": None}],
    "recovery_code": [{"id": _id("code"), "created_at": AT, "person_id": _id("owner"),
                       "code_hash": "2" * 64}],
    "account_event": [{"id": _id("event"), "created_at": AT, "person_id": _id("owner"),
                       "kind": "signed in", "data": '{"browser":"Firefox"}',
                       "network": "192.0.2.0/24"}],
    "page": [_make_page("page"), _make_page("deleted", deleted_at=AT, owner_id=_id("other"))],
    "member": [{"id": _id("member"), "created_at": AT, "page_id": _id("page"),
                "person_id": _id("other"), "role": "reviewer"}],
    "invitation": [{"id": _id("invited"), "created_at": AT, "page_id": _id("page"),
                    "email": "new@example.com", "role": "editor", "invited_by": "owner@example.com",
                    "token_hash": "0" * 64, "expires_at": AT + 9}],
    "api_key": [
        _make_key("key", KEY),
        _make_key("revoked", f"svc_sec_{'r' * 32}", tier="secret", revoked_at=AT, label=None),
        _make_key("preview", f"svc_pub_{'p' * 32}", purpose="preview",
                  created_at=AT + 5),
    ],
    "tag": [{"id": _id("tag"), "created_at": AT, "page_id": _id("page"), "name": "whale",
             "color": "blue", "is_counted": False}],
    "submission": [
        _make_submission("approved", 0, "approved"),
        _make_submission("pending", 1, "pending"),
        _make_submission("rejected", 2, "rejected", reject_reason="manual",
                         reason_text="Ask first"),
        _make_submission("refused", 3, "soft_rejected", reject_reason="cooldown", nonce=None),
    ],
    "refusal_count": [{"id": 6, "page_id": _id("page"), "day": 20_370, "reason": "ca_gate",
                       "count": 12}],
    "block": [
        {"id": _id("block"), "created_at": AT, "page_id": _id("page"), "person_id": None,
         "kind": "wallet", "pattern": ADDRESSES[2], "created_by": "owner@example.com",
         "submission_id": _id("rejected")},
        {"id": _id("everywhere"), "created_at": AT, "page_id": None, "person_id": _id("owner"),
         "kind": "network", "pattern": "192.0.2.0/24", "created_by": "command line",
         "submission_id": None},
    ],
    "wallet": [
        _make_wallet("wallet", 0, created_at=AT + 9, submission_id=_id("approved")),
        _make_wallet("hidden", 1, is_hidden=True),
        _make_wallet("deleted", 2, page_id=_id("deleted")),
    ],
    "wallet_tag": [{"wallet_id": _id("wallet"), "tag_id": _id("tag")}],
    "balance": [{"owner_id": _id("owner"), "mint": USDC, "address": ADDRESSES[0],
                 "amount": "1250.5", "observed_at": AT}],
    "refused_origin": [{"api_key_id": _id("key"), "origin": "https://other.example", "count": 3,
                        "refused_at": AT}],
    "activity": [
        _make_entry(0, "add wallet", address=ADDRESSES[0],
                    data=f'{{"publicAlias":null,"address":"{ADDRESSES[0]}"}}'),
        _make_entry(1, "change page", data='{"text":"title: x, comment: y"}'),
    ],
    "token": [{"mint": USDC, "program": USDC, "decimals": 6, "name": "USD Coin", "symbol": "USDC",
               "supply": "18446744073709551615", "supply_observed_at": AT,
               "observed_at": AT, "problem": None}],
    "chain_balance": [{"id": 3, "mint": USDC, "address": ADDRESSES[0], "token_account": USDC,
                       "amount": "18446744073709.551615", "other_amount": "0", "slot": 2**62,
                       "observed_at": AT, "all_observed_at": None}],
    "daily_balance": [{"balance_id": 3, "day": 20_370, "amount": "0.000001", "observed_at": AT}],
    "domain_name": [{"address": ADDRESSES[0], "name": "toly.sol", "slot": 2**62,
                     "observed_at": AT}],
    "imported_balance": [{"id": 4, "page_id": _id("page"), "mint": USDC, "address": ADDRESSES[0]}],
    "imported_day": [{"balance_id": 4, "day": 20_370, "amount": "0.000001", "observed_at": AT}],
    "listing": [{"id": 5, "page_id": _id("page"), "address": ADDRESSES[0], "name": "Alias 0",
                 "joined_at": AT, "left_at": AT + 1}],
    "receiver": [
        _make_receiver("receiver", kind="webhook", target="https://example.com/hook",
                       secret="whsec_x", signing_key="whsk_x", may_decide=False),
        _make_receiver("ntfy", target="ntfys://ntfy.sh/topic"),
        _make_receiver("gone", target="pover://user@token"),
        _make_receiver("own", target="", person_id=_id("other")),
    ],
    "message": [{"number": 8, "id": _id("message"), "page_id": _id("page"),
                 "type": "submission.created", "created_at": AT, "address": ADDRESSES[1],
                 "data": f'{{"walletAddress":"{ADDRESSES[1]}"}}'},
                {"number": 9, "id": _id("filling"), "page_id": _id("page"),
                 "type": "queue.filling", "created_at": AT, "address": None,
                 "data": f'{{"pending":4,"note":"{ADDRESSES[1]}"}}'}],
    "delivery": [{"id": 9, "message_id": 8, "receiver_id": _id("receiver"), "state": "waiting",
                  "attempts": 2, "attempted_at": AT, "answer": "503 Service Unavailable"}],
    "job": [{"name": "balances", "due_at": AT, "leased_by": None, "leased_until": None,
             "started_at": AT, "finished_at": AT, "summary": "37 read.", "failed_at": None,
             "failure": None}],
    "worker_process": [{"id": _id("process"), "kind": "gunicorn", "host": "embed1",
                        "process_id": 7, "started_at": AT, "seen_at": AT}],
    "proof": [{"submission_id": _id("approved"), "message": "I agree", "signature": b"s" * 64,
               "form": "raw", "signed_bytes": b"I agree"}],
    "withdrawal": [{"submission_id": _id("withdrawn"), "page_id": _id("page"),
                    "withdrawn_at": AT}],
    "used_nonce": [{"token": _id("token"), "expires_at": AT}],
}  # fmt: skip


def make() -> None:
    """Create the tables and rows in the database of the models, which is empty."""
    database = connection.db.obj
    kind = "sqlite" if isinstance(database, SqliteDatabase) else "postgres"
    with database.atomic():
        for statement in (TABLES_DIR / f"{kind}.sql").read_text().split(";\n"):
            if statement.strip():
                database.execute_sql(statement)
        applied = [{"name": name, "applied": "2026-11-26 00:00:00"} for name in MIGRATIONS]
        for table, rows in ({"schema_migration": applied} | ROWS).items():
            for row in rows:
                insert(table, **row)


def insert(table: str, **row: Any) -> None:
    names = ", ".join(f'"{name}"' for name in row)
    marks = ", ".join(connection.db.obj.param for _ in row)
    connection.db.execute_sql(
        f'INSERT INTO "{table}" ({names}) VALUES ({marks})',  # noqa: S608 -- names of this file
        tuple(row.values()),
    )


def read_rows(table: str) -> list[Row]:
    """Return what the database stores, with booleans where ROWS has them."""
    cursor = connection.db.execute_sql(f'SELECT * FROM "{table}"')  # noqa: S608 -- a name of this file
    names = [column[0] for column in cursor.description]
    likes = [ROWS[table][0].get(name) for name in names]
    return [
        {name: _read(value, like) for name, value, like in zip(names, row, likes, strict=True)}
        for row in cursor.fetchall()
    ]


def _read(value: Any, like: Any) -> Any:
    if isinstance(like, bool):
        return bool(value)
    return bytes(value) if isinstance(like, bytes) else value
