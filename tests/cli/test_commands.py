"""The operator's commands: their output as text and as JSON, and their errors."""

import re

import click
import pytest
from support.operator import Operator
from support.servers import run_flask
from support.world import SECRET_KEY, SITE, USDC, Visitor, change_at

from embed import commands as all_commands
from embed.db import connection, schema_version
from embed.db.models import Session
from embed.factory import create_app
from embed.people import accounts, sessions
from embed.settings import Settings
from embed.terminal import format_table

pytestmark = pytest.mark.slow

NOW = "2026-01-31T09:30:00.000Z"
TOKEN = ("--token-name", "USD Coin", "--token-symbol", "USDC", "--token-mint", USDC)
NOT_UTF8 = "\udcff"  # how Python decodes a byte of the command line that is not UTF-8


@pytest.fixture
def page_id(operator):
    return operator.show("pages", "create", *TOKEN)["id"]


def test_each_command_speaks_json_and_has_help(operator):
    commands = {}
    for command in all_commands.COMMANDS:
        if isinstance(command, click.Group):
            commands |= {f"{command.name} {one.name}": one for one in command.commands.values()}
        else:
            commands[command.name] = command

    silent = {
        name
        for name, command in commands.items()
        if "--json" not in {option for each in command.params for option in each.opts}
    }
    # What is exported is one JSON document already, and a server answers nothing.
    assert silent == {"export-receipts", "serve"}
    assert all(command.help for command in commands.values())
    for name in commands:
        assert operator.tell(*name.split(), "--help").startswith("Usage: ")


# Owners


def test_owner_is_made_and_listed(operator):
    owner = operator.show("owners", "create", " First@Example.com ", "--language", "de")

    assert owner.pop("passwordUrl").startswith("http://127.0.0.1:8000/dashboard/password/")
    assert owner == {
        "id": owner["id"],
        "email": "first@example.com",
        "language": "de",
        "mayCreatePages": True,
        "createdAtIso": NOW,
    }
    assert operator.show("owners", "list") == [owner]
    assert "first@example.com" in operator.tell("owners", "list")


def test_owner_is_signed_out_everywhere(operator, clock):
    ann, bob = (accounts.create_person(f"{name}@example.com", clock()) for name in ("ann", "bob"))
    for person in (ann, ann, bob):
        sessions.begin(person, change_at(clock()))

    shown = operator.show("owners", "sign-out", " Ann@example.com")
    assert (shown["email"], shown["sessions"]) == ("ann@example.com", 2)
    assert [session.person for session in Session.select()] == [bob]
    assert operator.show("owners", "sign-out", "ann@example.com")["sessions"] == 0


def test_page_without_an_owner_belongs_to_the_installation_and_can_be_handed_over(operator):
    page = operator.show("pages", "create", *TOKEN)
    operator.show("owners", "create", "first@example.com")

    assert page["owner"] == "owner@localhost"
    assert operator.show("pages", "create", *TOKEN)["owner"] == "owner@localhost"
    assert len(operator.show("owners", "list")) == 2
    operator.show("wallets", "add", page["id"], ADDRESS, "--balance", "5")
    hand_over = ("pages", "update", page["id"], "--owner", "FIRST@example.com")
    said = operator.run(*hand_over).stderr
    assert "Balances that owner@localhost entered stay with them." in said
    assert operator.show(*hand_over)["owner"] == "first@example.com"  # nothing changes any more


# Pages


def test_page_is_made_with_defaults_and_shown_and_listed(operator):
    page = operator.show("pages", "create", *TOKEN)

    assert page == {
        "id": page["id"],
        "owner": "owner@localhost",
        "tokenName": "USD Coin",
        "tokenSymbol": "USDC",
        "tokenMint": USDC,
        "publicTitle": None,
        "publicComments": None,
        "autoApprove": False,
        "minBalance": 0,
        "queueCapacity": 100,
        "cooldown": 86_400,
        "trustAfter": 0,
        "holdingWatch": "leave",
        "public": True,
        "embed": True,
        "createdAtIso": NOW,
        "deletedAtIso": None,
    }
    assert re.fullmatch("[0-9A-Za-z]{20}", page["id"])
    assert operator.show("pages", "show", page["id"]) == page | {"shared": False}
    assert operator.show("pages", "list") == [page]


def test_page_is_made_public_by_link_and_its_link_is_ended(operator):
    page_id = operator.show("pages", "create", *TOKEN)["id"]
    link = f"/embed/page/{page_id}"

    for _ in range(2):
        on = operator.show("pages", "share", page_id)
        assert on == {"id": page_id, "shared": True, "address": link}
    assert operator.show("pages", "show", page_id)["shared"]
    assert operator.show("pages", "share", page_id, "--off")["address"] is None
    assert not operator.show("pages", "show", page_id)["shared"]


CHANGES = [
    (("--token-name", "Bonk"), {"tokenName": "Bonk"}),
    (("--token-symbol", "BONK"), {"tokenSymbol": "BONK"}),
    (
        ("--token-mint", "solana:DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263?label=Bonk"),
        {"tokenMint": "DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263"},
    ),
    (("--title", "  Friends "), {"publicTitle": "Friends"}),
    (("--comments", "Two\nlines"), {"publicComments": "Two\nlines"}),
    (("--auto-approve",), {"autoApprove": True}),
    (("--min-balance", "0.5"), {"minBalance": 0.5}),
    (("--queue-capacity", "0"), {"queueCapacity": 0}),
    (("--cooldown", "60"), {"cooldown": 60}),
    (("--trust-after", "3"), {"trustAfter": 3}),
    (("--holding-watch", "flag"), {"holdingWatch": "flag"}),
    (("--private",), {"public": False}),
    (("--no-embed",), {"embed": False}),
]


def test_update_changes_what_is_given_and_nothing_else(operator):
    page = operator.show("pages", "create", *TOKEN)

    for options, changed in CHANGES:
        page |= changed
        assert operator.show("pages", "update", page["id"], *options) == page

    assert operator.show("pages", "show", page["id"]) == page | {"shared": False}


# Keys


def test_public_key_is_shown_once_with_its_origins(operator, page_id):
    origins = ("--origin", "HTTPS://Site.Example:443/", "--origin", "http://localhost:8080")
    made = operator.show("keys", "create", page_id, "--tier", "public", *origins)

    assert re.fullmatch("svc_pub_[0-9A-Za-z]{32}", made["key"])
    assert made == {
        "key": made["key"],
        "id": made["id"],
        "trackingPageId": page_id,
        "tier": "public",
        "displayPrefix": made["key"][:12],
        "label": None,
        "origins": ["https://site.example", "http://localhost:8080"],
        "allowNullOrigin": False,
        "createdAtIso": NOW,
        "revokedAtIso": None,
    }
    del made["key"]
    assert operator.show("keys", "list", page_id) == [made]


def test_secret_key_is_made_and_revoked_once(operator, page_id, clock):
    made = operator.show("keys", "create", page_id, "--tier", "secret")
    assert re.fullmatch("svc_sec_[0-9A-Za-z]{32}", made["key"])

    assert operator.show("keys", "revoke", made["id"])["revokedAtIso"] == NOW
    clock.forward(hours=1)
    assert operator.show("keys", "revoke", made["id"])["revokedAtIso"] == NOW


# Tags and wallets


def test_tags_are_added_listed_changed_and_removed(operator, page_id, clock):
    team = operator.show("tags", "add", page_id, " team ", "Blue")
    clock.forward(seconds=1)
    whale = operator.show("tags", "add", page_id, "whale", "red-500", "--not-counted")

    assert team == {"id": team["id"], "name": "team", "color": "blue", "counted": True}
    assert whale == {"id": whale["id"], "name": "whale", "color": "red-500", "counted": False}
    assert operator.show("tags", "list", page_id) == [team, whale]
    for options, changed in [
        (("--not-counted",), {"counted": False}),
        (("--name", "crew"), {"name": "crew"}),
        (("--color", "Teal", "--counted"), {"color": "teal", "counted": True}),
        ((), {}),
    ]:
        team |= changed
        assert operator.show("tags", "update", team["id"], *options) == team
    assert operator.show("tags", "remove", team["id"]) == team
    assert operator.show("tags", "list", page_id) == [whale]


def test_wallet_is_added_updated_listed_and_removed(operator, page_id):
    team = operator.show("tags", "add", page_id, "team", "blue")
    address = Visitor().address
    details = ("--alias", "Treasury", "--tag", "team", "--balance", "1e3", "--hidden")

    wallet = operator.show("wallets", "add", page_id, address, *details)

    assert wallet == {
        "id": wallet["id"],
        "address": address,
        "publicAlias": "Treasury",
        "tokenBalance": 1000,
        "balanceKnown": True,
        "tags": [team],
        "hideFromPublic": True,
        "flagged": False,
        "withheld": False,
    }
    assert operator.show("wallets", "list", page_id) == [wallet]
    for options, changed in [
        (("--alias", ""), {"publicAlias": None}),
        (("--balance", "0.25"), {"tokenBalance": 0.25}),
        (("--visible",), {"hideFromPublic": False}),
        (("--no-tags",), {"tags": []}),
        (("--tag", "team"), {"tags": [team]}),
        ((), {}),
    ]:
        wallet |= changed
        assert operator.show("wallets", "update", wallet["id"], *options) == wallet
    assert operator.show("wallets", "remove", wallet["id"]) == wallet
    assert operator.show("wallets", "list", page_id) == []


# Submissions


@pytest.mark.databases("sqlite", "postgres")
def test_submissions_are_listed_newest_first_and_decided(operator, world, clock):
    ids = []
    for nickname in ("Ann", "Bob", "Cem"):
        ids.append(world.submit(Visitor(), nickname).json["submissionId"])
        clock.forward(minutes=1)

    listed = operator.show("submissions", "list", world.page_id)
    assert [one["id"] for one in listed] == ids[::-1]
    assert listed[2] == {
        "id": ids[0],
        "walletAddress": listed[2]["walletAddress"],
        "nickname": "Ann",
        "status": "pending",
        "rejectReason": None,
        "reasonCode": None,
        "reasonText": None,
        "createdAtIso": NOW,
        "decidedAtIso": None,
    }
    decided_at = "2026-01-31T09:33:00.000Z"
    approved = operator.show("submissions", "approve", ids[0])
    assert approved == listed[2] | {"status": "approved", "decidedAtIso": decided_at}
    rejected = operator.show("submissions", "reject", ids[1], "--reason", "low_balance")
    assert rejected == listed[1] | {
        "status": "rejected",
        "rejectReason": "manual",
        "reasonCode": "low_balance",
        "decidedAtIso": decided_at,
    }
    (one,) = operator.show("submissions", "list", world.page_id, "--status", "approved")
    assert one["id"] == ids[0]
    newest = operator.show("submissions", "list", world.page_id, "--limit", "1")
    assert [one["id"] for one in newest] == [ids[2]]


# Text output


def test_people_get_a_line_for_each_field_and_a_table_for_each_list(operator, page_id):
    shown = [line.split() for line in operator.tell("pages", "show", page_id).splitlines()]
    assert shown[0] == ["id", page_id]
    assert ["publicTitle", "-"] in shown
    assert ["embed", "yes"] in shown

    operator.show("tags", "add", page_id, "team", "blue")
    heading, row = operator.tell("tags", "list", page_id).splitlines()
    assert heading.split() == ["id", "name", "color", "counted"]
    assert row.split()[1:] == ["team", "blue", "yes"]


# Tables fit a terminal; what is cut off is in the JSON document


ADDRESS = "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"


@pytest.mark.parametrize(("alias", "owner"), [("A" * 32, "b" * 254), ("ä\n" * 9, "b")])
def test_lines_are_cut_where_people_wrote_much_and_nowhere_else(alias, owner):
    row = {"address": ADDRESS, "publicAlias": alias, "owner": owner, "tokenBalance": "1" * 20}

    heading, line = format_table([row], tuple(row)).splitlines()

    assert len(line) <= 100
    assert heading.split() == list(row)
    assert line.startswith(f"{ADDRESS}  ")
    assert line.endswith("1" * 20)
    assert ("…" in line) == (len(owner) > 1)


# Mistakes


MISTAKES = {
    "unknown_thing": [
        ("pages", "show", "nowhere"),
        ("keys", "revoke", "nothing"),
        ("submissions", "list", "nowhere"),
        ("submissions", "approve", "nothing"),
        ("owners", "sign-out", "nobody@example.com"),
    ],
    "texts": [
        ("pages", "create", *TOKEN, "--token-mint", "0x0000000000000000000000000000000000000000"),
        ("tags", "add", "{page}", "other", "#ff0000"),
        ("wallets", "add", "{page}", USDC, "--alias", "A" * 101),
    ],
    "origin": [
        ("keys", "create", "{page}", "--tier", "public", "--origin", SITE, "--origin", "*"),
        ("keys", "create", "{page}", "--tier", "secret", "--origin", SITE),
        ("keys", "create", "{page}", "--tier", "secret", "--label", "x" * 65),
    ],
    "unconfirmed": [
        ("pages", "delete", "{page}"),
        ("owners", "remove", "owner@localhost", "--yes"),
    ],
    "command_line": [
        ("pages", "create", *TOKEN, "--colour", "red"),
        ("pages", "create", "--token-name", "N"),
        ("keys", "create", "{page}", "--tier", "golden"),
        ("demo", "--port", "0"),
    ],
    "numbers": [
        ("wallets", "update", "{wallet}", "--balance", "-0.5"),
        ("pages", "update", "{page}", "--cooldown", "2147483648"),
        ("submissions", "list", "{page}", "--limit", "99999999999999999999"),
    ],
    "taken": [
        ("tags", "add", "{page}", "team", "red"),
        ("wallets", "add", "{page}", "{address}"),
        ("owners", "create", "OWNER@localhost"),
        ("submissions", "reject", "{approved}"),
        ("submissions", "approve", "{rejected}"),
    ],
    "bytes": [
        ("pages", "create", *TOKEN, "--title", NOT_UTF8),
        ("keys", "create", "{page}", "--tier", "public", "--origin", f"https://{NOT_UTF8}.example"),
    ],
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_mistake_is_one_line_and_changes_nothing(operator, world, kind):
    address = Visitor().address
    operator.show("tags", "add", world.page_id, "team", "blue")
    approved, rejected = (world.submit(Visitor()).json["submissionId"] for _ in range(2))
    world.approve(approved)
    world.reject(rejected)
    known = {
        "page": world.page_id,
        "address": address,
        "wallet": operator.show("wallets", "add", world.page_id, address)["id"],
        "approved": approved,
        "rejected": rejected,
    }
    for words in MISTAKES[kind]:
        operator.refuse(*(word.format(**known) for word in words))


def test_mistakes_say_what_to_do_instead(operator, world):
    page_id = world.page_id
    wildcard = ("keys", "create", page_id, "--tier", "public", "--origin", "https://*.example.com")
    assert "wildcard" in operator.refuse(*wildcard)
    assert "--yes" in operator.refuse("pages", "purge", page_id)
    assert "Add it first" in operator.refuse("wallets", "add", page_id, USDC, "--tag", "x")
    missing = operator.refuse("pages", "create", *TOKEN, "--owner", "first@example.com")
    assert "flask owners create first@example.com" in missing
    submission_id = world.submit(Visitor()).json["submissionId"]
    world.approve(submission_id)
    assert "already approved" in operator.refuse("submissions", "approve", submission_id)


@pytest.mark.databases("sqlite", "postgres")
def test_commands_on_a_database_that_is_not_upgraded_say_how_to_upgrade_it(empty_database_url):
    environ = {"DATABASE_URL": empty_database_url, "SECRET_KEY": SECRET_KEY}
    operator = Operator(create_app(Settings.from_environ(environ)))
    try:
        for words in [
            ("owners", "list"),
            ("pages", "create", *TOKEN),
            ("keys", "revoke", "nothing"),
        ]:
            result = operator.run(*words)
            assert (result.exit_code, result.stdout) == (1, "")
            (line,) = result.stderr.splitlines()
            assert line.startswith("Error: ")
            assert "flask db upgrade" in line
        migrations = sorted(path.stem for path in schema_version.MIGRATIONS_DIR.glob("*.py"))
        assert operator.show("db", "upgrade") == {"applied": migrations}
        assert operator.show("db", "upgrade") == {"applied": []}
        assert operator.tell("db", "upgrade") == "The database is up to date.\n"
        assert operator.show("owners", "list") == []
    finally:
        connection.db.close()


# As processes


def test_database_that_is_away_is_one_line(tmp_path):
    environ = {
        "DATABASE_URL": f"postgresql://embed@/embed?host={tmp_path}",
        "SECRET_KEY": SECRET_KEY,
    }

    ended = run_flask("pages", "list", environ=environ, check=False)

    assert (ended.returncode, ended.stdout) == (1, "")
    (line,) = ended.stderr.splitlines()
    assert line.startswith("Error: The database does not answer")
