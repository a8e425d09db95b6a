"""What is stored of what happens with an account, by each use case, and for how long."""

from datetime import timedelta

import pytest

from embed import pages
from embed.db.models import AccountEvent, Person
from embed.domain.clients import Client
from embed.events import account_log
from embed.events.account_log import SENTENCE_BY_KIND, write_sentence
from embed.events.kinds import read_facts
from embed.people import invitations, members, passwords, sessions

on_both_databases = pytest.mark.databases("sqlite", "postgres")

ANN, OWNER = "ann@example.com", "owner@example.com"
PASSWORD = "four words that nobody says"
HERE = Client("Firefox", "Linux", "192.0.2.0/24")
DAY = timedelta(days=1)
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@pytest.fixture
def join(world, owner, ann):
    """Let Ann in, as what the role says."""

    def accept(role: str = "viewer") -> None:
        _, token = invitations.invite(world.page_id, ANN, role, world.change(OWNER))
        invitations.accept(token, ann, world.change())

    return accept


def read(person: Person) -> list[tuple[str, dict]]:
    """Return kinds and facts, in the order of their names."""
    events = AccountEvent.select().where(AccountEvent.person == person)
    return sorted((event.kind, read_facts(event.data)) for event in events)


def list_kinds(person: Person) -> list[str]:
    return [kind for kind, _ in read(person)]


@on_both_databases
def test_sign_in_is_stored_with_browser_and_network_of_whoever_is_there(world, ann):
    sessions.begin(ann, world.change(client=Client.parse(FIREFOX, "192.0.2.77")))

    event = AccountEvent.get(AccountEvent.person == ann)
    assert (event.kind, event.network) == ("signed in", "192.0.2.0/24")
    assert event.created_at == world.clock()
    assert read_facts(event.data) == {"browser": "Firefox", "system": "Linux"}
    ann.delete_instance()
    account_log.store(ann, "signed in", world.clock())
    assert not AccountEvent.select().where(AccountEvent.person == ann.id).exists()


def test_new_password_and_the_sessions_that_it_ends(world, ann):
    for _ in range(2):
        sessions.begin(ann, world.change())
    passwords.choose_password(ann, PASSWORD, world.change(client=HERE), host="")

    by = {"browser": "Firefox", "system": "Linux"}
    assert read(ann)[0] == ("password changed", by)
    assert read(ann)[1] == ("session ended by password", {"count": 2} | by)


def test_ended_sessions_are_stored_by_whom_and_only_if_there_were_any(world, ann):
    first, second, third = (sessions.begin(ann, world.change())[0] for _ in range(3))
    AccountEvent.delete().execute()

    for _ in range(2):
        sessions.end(ann, first.id, world.change(client=HERE))
    assert list_kinds(ann) == ["session ended"]
    sessions.end(ann, second.id, world.change(), kind="signed out")
    sessions.end_others(third, world.change())
    for _ in range(2):
        sessions.end_all(ann, world.change())
    assert read(ann)[1:] == [
        ("session ended by operator", {"count": 1}),
        ("signed out", {"count": 1}),
    ]


@pytest.mark.parametrize(
    ("actor", "end"),
    [
        ("command line", ("removed from a page", {"actor": "command line", "page": "USD Coin"})),
        (ANN, ("left a page", {"page": "USD Coin"})),
    ],
)
def test_role_and_its_end_are_stored(world, ann, join, actor, end):
    join()
    for _ in range(2):
        members.change_role(world.page_id, ANN, "editor", world.change(OWNER))
    members.remove_person(world.page_id, ANN, world.change(actor))

    changed = ("role changed", {"actor": OWNER, "page": "USD Coin", "role": "editor"})
    assert read(ann)[1:] == sorted([changed, end])


@pytest.mark.parametrize("is_asked", [True, False], ids=["accepted", "by a command"])
def test_both_see_that_a_page_changed_hands(world, owner, ann, join, is_asked):
    AccountEvent.delete().execute()
    if is_asked:
        join("owner")
    else:
        pages.update_page(world.page_id, {"owner": ann}, world.change())
        pages.update_page(world.page_id, {"owner": ann}, world.change())

    assert read(owner) == [("page handed over", {"page": "USD Coin", "owner": ANN})]
    assert read(ann)[-1] == ("page taken over", {"page": "USD Coin"})


# Wrong passwords


def fail(world, email: str = ANN, network: str | None = "192.0.2.0/24") -> None:
    client = Client("Firefox", None, network)
    account_log.store_failure(email, world.clock(), client, "sign-in failed")


@on_both_databases
@pytest.mark.parametrize("network", ["192.0.2.0/24", None])
def test_failures_of_one_network_are_stored_once_an_hour(world, ann, network):
    other = "198.51.100.0/24"
    for _ in range(3):
        fail(world, network=network)
    assert list_kinds(ann) == ["sign-in failed"]
    fail(world, network=other)
    assert len(list_kinds(ann)) == 2
    world.clock.forward(hours=1, milliseconds=-1)
    fail(world, network=network)
    assert len(list_kinds(ann)) == 2
    world.clock.forward(milliseconds=1)
    fail(world, network=network)
    assert len(list_kinds(ann)) == 3


@on_both_databases
def test_failures_of_many_networks_are_stored_20_times_a_day(world, owner, ann):
    for number in range(50):
        fail(world, network=f"192.0.{number}.0/24")
    assert len(list_kinds(ann)) == 20
    fail(world, OWNER)
    assert "sign-in failed" in list_kinds(owner)
    world.clock.forward(days=1)
    fail(world)
    assert len(list_kinds(ann)) == 21


@on_both_databases
def test_failure_at_an_unknown_address_takes_the_same_statements_and_stores_nothing(
    world, ann, count_statements
):
    before = AccountEvent.select().count()
    unknown = count_statements(lambda: fail(world, "nobody@example.com"))
    assert AccountEvent.select().count() == before
    known = count_statements(lambda: fail(world))

    assert unknown == known
    assert list_kinds(ann) == ["sign-in failed"]


@on_both_databases
def test_list_is_newest_first_and_shows_everything_once(world, owner, ann):
    for number in range(25):
        world.clock.forward(seconds=number % 2)  # two of a time
        account_log.store(ann, "session ended", world.clock(), count=number)
    account_log.store(owner, "signed in", world.clock())

    parts, after = [], None
    while not parts or after:
        part = account_log.list_events(ann, 10, after)
        parts.append(part.rows)
        after = part.next_cursor
    assert [len(rows) for rows in parts] == [10, 10, 5]
    shown = [event for rows in parts for event in rows]
    assert len({event.id for event in shown}) == 25
    times = [event.created_at for event in shown]
    assert times == sorted(times, reverse=True)


# Reading


@on_both_databases
def test_events_are_deleted_after_180_days(world, ann):
    AccountEvent.delete().execute()
    account_log.store(ann, "signed in", world.clock())
    account_log.store(ann, "signed out", world.clock() + DAY)

    assert account_log.prune(world.clock() + 180 * DAY) == 0
    assert account_log.prune(world.clock() + 180 * DAY + timedelta(milliseconds=1)) == 1
    assert list_kinds(ann) == ["signed out"]


def test_every_kind_fits_its_column_and_makes_a_sentence():
    facts = {"actor": "A", "owner": "O", "page": "P", "role": "editor", "count": 3}
    facts |= {"name": "N", "pattern": "*x*"}
    for kind in SENTENCE_BY_KIND:
        assert len(kind) <= AccountEvent.kind.max_length
        assert "%" not in write_sentence(kind, facts)
        assert write_sentence(kind, facts) != kind


def test_event_of_another_version_is_told_by_its_kind():
    assert write_sentence("signed in with wallet", {"wallet": "W"}) == "Signed in with wallet"
    assert write_sentence("100% new", {"x": 1}) == "100% new"
    assert write_sentence("invited", {"actor": "A"}) == "Invited"
