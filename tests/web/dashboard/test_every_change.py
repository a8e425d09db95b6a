"""Every change by an owner is logged, increments the version, and is one transaction."""

import html
import re
from itertools import count

import pytest
from peewee import OperationalError
from support.folded import list_wrongly_folded
from support.world import SITE, USDC, Visitor, read_log

from embed.db.connection import db
from embed.db.models import Member, RefusedOrigin, Session, Wallet
from embed.domain.look import DEFAULT_LOOK
from embed.notifications import receivers
from embed.people import accounts, invitations
from embed.web.dashboard.routes import ROUTES

pytestmark = pytest.mark.slow

MEMBER = "member@example.com"
EVIL = "https://evil.example"

# Forms that change no page.
OTHER_FORMS = {
    # About a person's account and browser.
    *("account", "choose_language", "choose_password", "choose_theme"),
    *("add_passkey", "remove_passkey", "end_session", "end_other_sessions"),
    *("sign_in", "sign_in_by_passkey", "sign_out", "confirm"),
    # Each person's own: tests/people, test_own_mail.py, test_decision_link.py.
    *("accept_invitation", "leave_page", "start_mail", "stop_mail", "stop_mail_by_link"),
    *("decide_by_link", "let_mail_decide", "end_deciding_by_mail"),
    # Deliver messages once more, or a test.
    *("send_again", "send_all_again", "send_test"),
    # Only look something up, or delete a notice.
    *("import_wallets", "look_up_suggestions", "forget_origin", "refuse_unknown"),
}

PAGE_FORM = {"token_name": "Other", "token_symbol": "USDC", "token_mint": USDC}
POLICY_FORM = {
    "min_balance": "5",
    "queue_capacity": "7",
    "cooldown": "1",
    "cooldown_unit": "hours",
    "trust_after": "3",
    "save": "",
}
LOOK_FORM = DEFAULT_LOOK.write_texts() | {"accent": "#FF6600", "hide": ["tools", "add"]}


# For each form: its path below the page, and its fields, in which things are named.
CHANGES = {
    "edit_page": ("settings/general", PAGE_FORM),
    "show_danger": ("settings/danger", {"public": "no"}),
    "delete_page": ("settings/danger/delete", {"ticker": "usdc"}),
    "restore_page": ("restore", {}),
    "invite_person": ("settings/people", {"email": "new@example.com", "role": "editor"}),
    "change_role": ("settings/people/role", {"email": MEMBER, "role": "editor"}),
    "revoke_invitation": ("settings/people/revoke", {"email": MEMBER}),
    "remove_person": ("settings/people/remove", {"email": MEMBER, "sure": "yes"}),
    "edit_policy": ("settings/rules", POLICY_FORM),
    "create_key": ("settings/keys/new/public", {"origins": SITE}),
    "create_site_key": ("embed", {"site": SITE, "label": "Blog"}),
    "share_page": ("embed/share", {"shared": "yes"}),
    "save_look": ("embed/look", LOOK_FORM),
    "edit_key": ("settings/keys/{key_id}/edit", {"origins": f"{SITE}\n{EVIL}", "label": "Blog"}),
    "allow_origin": ("settings/keys/{key_id}/allow", {"origin": EVIL}),
    "revoke_key": ("settings/keys/{key_id}/revoke", {}),
    "add_tag": ("wallets/tags", {"name": "new", "color": "red"}),
    "edit_tag": ("wallets/tags/{tag_id}", {"name": "crew", "color": "red"}),
    "remove_tag": ("wallets/tags/{tag_id}/remove", {}),
    "add_receiver": (
        "settings/notifications",
        {"service": "ntfy", "topic": "topic", "event_types": ["queue.filling"]},
    ),
    "rotate_secret": ("settings/notifications/{receiver_id}/secret", {}),
    "let_channel_decide": ("settings/notifications/{channel_id}/decide", {}),
    "end_deciding": ("settings/notifications/{deciding_id}/decide/stop", {}),
    "remove_receiver": ("settings/notifications/{receiver_id}/remove", {}),
    "add_wallet": (
        "wallets/new",
        {"address": USDC, "alias": "Mint", "tag_names": ["team"], "balance": "3"},
    ),
    "add_suggestions": ("wallets/suggestions/add", {"address": ["{address}", USDC]}),
    "edit_wallet": (
        "wallets/{wallet_id}",
        {"alias": "Dolphin", "tag_names": ["watch"], "is_hidden": "y", "balance": "7"},
    ),
    "remove_wallet": ("wallets/{wallet_id}/remove", {}),
    "change_wallets": ("wallets/change", {"wallet": ["{wallet_id}"], "change": "hide"}),
    "apply_import": (
        "wallets/import/apply",
        {
            "text": f"{{address}},New,fresh,,9\n{USDC},Mint,team",
            "makes_tags": "y",
            "changes_listed": "y",
        },
    ),
    "decide": (
        "queue/decide",
        {"ids": ["{submission_id}", "{decided_id}"], "decision": "approve"},
    ),
    "add_block": (
        "settings/rules/deny-list",
        {"pattern": "*scam*", "scope": "page"},
    ),
    "remove_block": ("settings/rules/deny-list/{block_id}/remove", {}),
    "approve_clear": ("queue", {"ids": ["{submission_id}", "{decided_id}"]}),
    "undo_decision": ("queue/undo", {"ids": ["{decided_id}"]}),
}
every_change = pytest.mark.parametrize("endpoint", CHANGES)


@pytest.fixture
def things(world, things) -> dict[str, str]:
    """One of each object that a form may change; another page shows the same balances."""
    world.add_tag("watch")
    deciding = receivers.add_channel(
        world.page_id, "ntfy", {"topic": "deciding"}, world.change(), may_decide=True
    )
    member = accounts.create_person(MEMBER, world.clock())
    Member.create(page=world.page_id, person=member, role="viewer", created_at=world.clock())
    invitations.invite(world.page_id, MEMBER, "owner", world.change())
    world.make_page(owner=world.page.owner)
    decided_id = world.submit(Visitor(), "Another").json["submissionId"]
    return things | {
        "address": Wallet.get_by_id(things["wallet_id"]).address,
        "deciding_id": deciding.id,
        "decided_id": decided_id,
    }


@pytest.fixture
def fill_in(world, things):
    """Return a path and fields of a form, with the things that they name."""

    def fill(path: str, form: dict) -> tuple[str, dict]:
        named = {
            name: [each.format(**things) for each in value]
            if isinstance(value, list)
            else value.format(**things)
            for name, value in form.items()
        }
        return f"/dashboard/pages/{world.page_id}/{path}".format(**things), named

    return fill


@pytest.fixture
def send(world, owner, endpoint, things, fill_in):
    """Send the form; all objects that it may change exist."""
    path, form = fill_in(*CHANGES[endpoint])
    if endpoint == "restore_page":
        world.delete_page()
    if endpoint == "undo_decision":
        world.approve(things["decided_id"], actor=owner.email)
    if endpoint == "allow_origin":
        RefusedOrigin.create(
            api_key=things["key_id"], origin=EVIL, count=1, refused_at=world.clock()
        )
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
    assert list_wrongly_folded() == []


def test_new_page_begins_with_an_entry(world, owner):
    answer = owner.post("/dashboard/pages/new", **PAGE_FORM)

    page_id = re.search(r"/embed/page/(\w{20})", answer.text)[1]
    entries = {(entry.actor, entry.action) for entry in read_log(page_id)}
    assert entries == {(owner.email, "create page"), (owner.email, "change page")}  # and its link


@every_change
def test_change_is_whole_or_not_at_all(world, send, monkeypatch):
    """If any of its writes fails, none is stored."""
    before = dump(world)
    execute = db.obj.execute_sql
    writes = re.compile("INSERT|UPDATE|DELETE")

    for allowed in count():
        left = iter(range(allowed))

        def interrupt(sql, *arguments, left=left, **more):
            if writes.match(sql) and next(left, None) is None:
                raise OperationalError("interrupted by the test")
            return execute(sql, *arguments, **more)

        with monkeypatch.context() as patch:
            patch.setattr(db.obj, "execute_sql", interrupt)
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
        ("settings/general", PAGE_FORM | {"token_name": "USD Coin", "is_embeddable": "y"}),
        ("embed/look", DEFAULT_LOOK.write_texts() | {"hide": []}),
        ("wallets/tags/{tag_id}", {"name": "team", "color": "green"}),
        ("settings/keys/{key_id}/edit", {"origins": SITE, "label": ""}),
        ("wallets/{wallet_id}", {"alias": "Whale", "tag_names": ["team"], "balance": "5.00"}),
    ],
)
def test_form_that_is_sent_as_it_was_changes_nothing(world, owner, fill_in, path, form):
    path, form = fill_in(path, form)
    before = world.dump()
    world.clock.forward(seconds=1)

    assert owner.post(path, **form).status_code == 303
    assert world.dump() == before


def test_form_that_comes_after_its_session_has_ended_is_shown_again_and_changes_nothing(
    world, owner, fill_in
):
    """See test_unsaved_forms.py for whose forms these are."""
    kept = {name.removeprefix("dashboard.") for name in ROUTES if ROUTES[name].keeps_text}
    assert kept - {"create_page"} <= set(CHANGES)
    late = {one: fill_in(*CHANGES[one]) for one in kept - {"create_page"}}
    late["create_page"] = ("/dashboard/pages/new", PAGE_FORM)
    token = owner.token
    owner.post("/dashboard/sign-out")
    owner.sign_in_again()
    Session.update(seen_at=world.clock()).execute()
    before = dump(world)

    for endpoint, (path, fields) in late.items():
        headers = {"Sec-Fetch-Site": "same-origin"}
        sent = {"csrf_token": token} | fields
        answer = owner.client.post(path, data=sent, headers=headers)
        assert answer.status_code in (200, 422), endpoint
        assert "What you typed isn't saved yet." in html.unescape(answer.text), endpoint
        typed = [fields[one] for one in ("alias", "email", "pattern") if one in fields]
        assert all(f'value="{one}"' in answer.text for one in typed), endpoint
        assert 'class="wrong"' not in answer.text, endpoint
    assert dump(world) == before
