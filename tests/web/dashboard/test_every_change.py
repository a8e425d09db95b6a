"""Every change by an owner is logged, increments the version, and is one transaction."""

import re
from collections.abc import Callable
from itertools import count

import pytest
from peewee import OperationalError
from support.world import SITE, USDC, Visitor, read_log

from embed.db.connection import db
from embed.db.models import Member, RefusedOrigin
from embed.db.statements import Statement
from embed.domain.look import DEFAULT_LOOK
from embed.keys import access
from embed.notifications import receivers
from embed.people import accounts, invitations
from embed.runtime import EXTENSION
from embed.submissions.deny_list import block_on_page

pytestmark = pytest.mark.slow

MEMBER = "member@example.com"
EVIL = "https://evil.example"

# Forms that change no page.
OTHER_FORMS = {
    "accept_invitation",  # is no owner's: tests/people
    "leave_page",  # the same
    "account",  # changes the owner
    "choose_language",  # changes the owner
    "choose_password",
    "confirm",  # signs in once more
    "choose_theme",  # sets a cookie
    "end_other_sessions",  # signs out
    "end_session",  # signs out
    "list_passkeys",  # is about the account
    "remove_passkey",  # the same
    "forget_origin",  # deletes a notice; the key is unchanged
    "import_wallets",  # a dry run
    "look_up_suggestions",  # only asks the chain
    "send_again",  # delivers a message once more
    "send_all_again",  # delivers messages once more
    "send_test",  # delivers a message
    "sign_in",
    "sign_in_by_passkey",
    "sign_out",
    "start_mail",  # is each person's own
    "stop_mail",  # the same
    "stop_mail_by_link",  # the same
    "decide_by_link",  # is no owner's: test_decision_link.py
    "let_mail_decide",  # the same, of whoever gets mails
    "end_deciding_by_mail",  # the same
}

PAGE_FORM = {"token_name": "Other", "token_symbol": "USDC", "token_mint": USDC, "is_public": "y"}
POLICY_FORM = {
    "min_balance": "5",
    "queue_capacity": "7",
    "cooldown": "1",
    "cooldown_unit": "hours",
    "trust_after": "3",
    "save": "",
}
LOOK_FORM = DEFAULT_LOOK.write_texts() | {"accent": "#FF6600", "hide": ["tools", "add"]}


class Things:
    """One of each object that a form may change."""

    def __init__(self, world) -> None:
        self.world = world
        self.root = f"/dashboard/pages/{world.page_id}"
        self.tag_id = world.add_tag("team").id
        world.add_tag("watch")
        self.wallet = world.track(Visitor().address, alias="Whale", tag_names=["team"], balance=5)
        self.key_id = access.find_access(world.public_key).key_id
        self.submission_id = world.submit(Visitor()).json["submissionId"]
        self.block_id = block_on_page(world.page_id, "name", "bot*", world.clock()).id
        self.decided_id = world.submit(Visitor()).json["submissionId"]
        settings = world.app.extensions[EXTENSION].settings
        self.webhook_id = receivers.add_webhook(
            world.page_id, f"{EVIL}/hook", settings=settings, now=world.clock()
        ).id
        self.channel_id, self.deciding_id = (
            receivers.add_channel(
                world.page_id,
                "ntfy",
                {"topic": str(may_decide)},
                may_decide=may_decide,
                settings=settings,
                now=world.clock(),
            ).id
            for may_decide in (False, True)
        )
        member = accounts.create_person(MEMBER, world.clock())
        Member.create(page=world.page_id, person=member, role="viewer", created_at=world.clock())
        invitations.invite(world.page_id, MEMBER, "owner", world.clock())
        # Another page of the owner's that shows the same balances.
        self.other_page_id = world.make_page(owner=world.page.owner)


# For each form: its path and its fields.
CHANGES: dict[str, Callable[[Things], tuple[str, dict]]] = {
    "edit_page": lambda things: (f"{things.root}/settings", PAGE_FORM),
    "delete_page": lambda things: (f"{things.root}/delete", {}),
    "restore_page": lambda things: (f"{things.root}/restore", {}),
    "invite_person": lambda things: (
        f"{things.root}/people",
        {"email": "new@example.com", "role": "editor"},
    ),
    "change_role": lambda things: (
        f"{things.root}/people/role",
        {"email": MEMBER, "role": "editor"},
    ),
    "revoke_invitation": lambda things: (f"{things.root}/people/revoke", {"email": MEMBER}),
    "remove_person": lambda things: (f"{things.root}/people/remove", {"email": MEMBER}),
    "edit_policy": lambda things: (f"{things.root}/policy", POLICY_FORM),
    "create_key": lambda things: (f"{things.root}/keys/new/public", {"origins": SITE}),
    "show_embed": lambda things: (f"{things.root}/embed", {"site": SITE, "label": "Blog"}),
    "share_page": lambda things: (f"{things.root}/embed/link", {"shared": "yes"}),
    "save_look": lambda things: (f"{things.root}/embed/look", LOOK_FORM),
    "edit_key": lambda things: (
        f"{things.root}/keys/{things.key_id}/edit",
        {"origins": f"{SITE}\n{EVIL}", "label": "Blog"},
    ),
    "allow_origin": lambda things: (f"{things.root}/keys/{things.key_id}/allow", {"origin": EVIL}),
    "revoke_key": lambda things: (f"{things.root}/keys/{things.key_id}/revoke", {}),
    "add_tag": lambda things: (f"{things.root}/tags", {"name": "new", "color": "red"}),
    "edit_tag": lambda things: (
        f"{things.root}/tags/{things.tag_id}",
        {"name": "crew", "color": "red"},
    ),
    "remove_tag": lambda things: (f"{things.root}/tags/{things.tag_id}/remove", {}),
    "add_channel": lambda things: (
        f"{things.root}/notifications/channels/new",
        {"service": "ntfy", "topic": "topic", "event_types": ["queue.filling"]},
    ),
    "add_webhook": lambda things: (
        f"{things.root}/notifications/webhooks/new",
        {"target": f"{SITE}/hook", "event_types": ["queue.filling"]},
    ),
    "rotate_secret": lambda things: (
        f"{things.root}/notifications/{things.webhook_id}/secret",
        {},
    ),
    "let_channel_decide": lambda things: (
        f"{things.root}/notifications/{things.channel_id}/decide",
        {},
    ),
    "end_deciding": lambda things: (
        f"{things.root}/notifications/{things.deciding_id}/decide/stop",
        {},
    ),
    "remove_receiver": lambda things: (
        f"{things.root}/notifications/{things.webhook_id}/remove",
        {},
    ),
    "add_wallet": lambda things: (
        f"{things.root}/wallets/new",
        {"address": USDC, "alias": "Mint", "tag_names": ["team"], "balance": "3"},
    ),
    "add_suggestions": lambda things: (
        f"{things.root}/wallets/suggestions/add",
        {"address": [things.wallet.address, USDC]},
    ),
    "edit_wallet": lambda things: (
        f"{things.root}/wallets/{things.wallet.id}",
        {"alias": "Dolphin", "tag_names": ["watch"], "is_hidden": "y", "balance": "7"},
    ),
    "remove_wallet": lambda things: (f"{things.root}/wallets/{things.wallet.id}/remove", {}),
    "change_wallets": lambda things: (
        f"{things.root}/wallets/change",
        {"wallet": [things.wallet.id], "change": "hide"},
    ),
    "apply_import": lambda things: (
        f"{things.root}/wallets/import/apply",
        {"text": f"{things.wallet.address},New,fresh,,9\n{USDC},Mint,team", "makes_tags": "y"},
    ),
    "decide": lambda things: (
        f"{things.root}/queue/decide",
        {"ids": [things.submission_id, things.decided_id], "decision": "approve"},
    ),
    "add_block": lambda things: (
        f"{things.root}/deny-list",
        {"kind": "name", "pattern": "*scam*", "scope": "page"},
    ),
    "remove_block": lambda things: (f"{things.root}/deny-list/{things.block_id}/remove", {}),
    "undo_decision": lambda things: (f"{things.root}/queue/undo", {"ids": [things.decided_id]}),
}
every_change = pytest.mark.parametrize("endpoint", CHANGES)


@pytest.fixture
def send(world, owner, endpoint):
    """Send the form; all objects that it may change exist."""
    things = Things(world)
    path, form = CHANGES[endpoint](things)
    if endpoint == "restore_page":
        owner.post(f"{things.root}/delete")
    if endpoint == "undo_decision":
        owner.post(f"{things.root}/queue/decide", ids=[things.decided_id], decision="approve")
    if endpoint == "allow_origin":
        RefusedOrigin.create(api_key=things.key_id, origin=EVIL, count=1, refused_at=world.clock())
    world.clock.forward(seconds=1)
    return lambda: owner.post(path, **form)


def dump(world) -> dict[str, list[str]]:
    refused = [str(row) for row in RefusedOrigin.select().tuples()]
    return world.dump() | {"refused_origin": refused}


def test_every_form_is_known(app):
    forms = {
        rule.endpoint.removeprefix("dashboard.")
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/dashboard") and "POST" in rule.methods
    }

    assert forms == set(CHANGES) | OTHER_FORMS | {"create_page"}


@every_change
def test_change_is_logged_and_gives_a_new_version(world, owner, send):
    version, logged = world.page.version, len(read_log(world.page_id))

    assert send().status_code in (201, 303)

    entries = read_log(world.page_id)
    assert len(entries) > logged
    assert {entry.actor for entry in entries[: len(entries) - logged]} == {owner.email}
    assert {entry.created_at for entry in entries[: len(entries) - logged]} == {world.clock()}
    assert world.page.version > version


def test_new_page_begins_with_an_entry(world, owner):
    answer = owner.post("/dashboard/pages/new", **PAGE_FORM)

    page_id = re.search(r"/pages/(\w+)/", answer.headers["Location"])[1]
    (entry,) = read_log(page_id)
    assert (entry.actor, entry.action) == (owner.email, "create page")


@every_change
def test_change_is_whole_or_not_at_all(world, send, monkeypatch):
    """If any of its writes fails, none is stored."""
    before = dump(world)
    execute, execute_many = db.obj.execute_sql, Statement.execute_many
    writes = re.compile("INSERT|UPDATE|DELETE")

    for allowed in count():
        left = iter(range(allowed))

        def count_down(left=left):
            if next(left, None) is None:
                raise OperationalError("interrupted by the test")

        def interrupt(sql, *arguments, count_down=count_down, **more):
            if writes.match(sql):
                count_down()
            return execute(sql, *arguments, **more)

        def interrupt_many(statement, rows, count_down=count_down):
            count_down()
            execute_many(statement, rows)

        with monkeypatch.context() as patch:
            patch.setattr(db.obj, "execute_sql", interrupt)
            patch.setattr(Statement, "execute_many", interrupt_many)
            status = send().status_code
        if status != 503:
            break
        assert dump(world) == before, f"after {allowed} writes"

    assert allowed >= 3  # the change itself, its entry in the log, and the version
    assert status in (201, 303)
    assert dump(world) != before


@pytest.mark.parametrize(
    ("path", "form"),
    [
        pytest.param("settings", PAGE_FORM | {"token_name": "USD Coin", "is_embeddable": "y"}),
        pytest.param("embed/look", DEFAULT_LOOK.write_texts() | {"hide": []}),
        pytest.param("tags/{tag_id}", {"name": "team", "color": "green"}),
        pytest.param("keys/{key_id}/edit", {"origins": SITE, "label": ""}),
        pytest.param(
            "wallets/{wallet.id}", {"alias": "Whale", "tag_names": ["team"], "balance": "5.00"}
        ),
    ],
)
def test_form_that_is_sent_as_it_was_changes_nothing(world, owner, path, form):
    things = Things(world)
    before = world.dump()
    world.clock.forward(seconds=1)

    assert owner.post(f"{things.root}/{path.format(**vars(things))}", **form).status_code == 303
    assert world.dump() == before
