"""What a forged file says changes nothing of other owners, and what they are told."""

from datetime import timedelta
from decimal import Decimal

import pytest
from page_files import find, forge, read_lines, take_over
from support.fake_chain import FakeChain
from support.world import SITE, USDC, Visitor, code_of, with_session

from embed.balances.history import read_balance_changes
from embed.balances.known import read_balances
from embed.balances.observations import ChainObservation, store_chain
from embed.db.fields import InstantField
from embed.db.models import (
    Balance,
    ChainBalance,
    DailyBalance,
    ImportedBalance,
    ImportedDay,
    Page,
    Submission,
    Token,
    UsedNonce,
    Withdrawal,
)
from embed.domain.times import count_days
from embed.errors import InvalidInput
from embed.maintenance.page_file.tables import TABLES
from embed.pages import get_page, update_page
from embed.people import accounts

pytestmark = pytest.mark.slow

LAST_SECOND = "2999-12-31T23:59:59.999Z"  # that the form of instants allows
OWNER = "victim@example.com"
WSOL = "So11111111111111111111111111111111111111112"


@pytest.fixture
def chain():
    return FakeChain()


@pytest.fixture
def page(later) -> Page:
    """Another owner's page of the same token, with a minimum."""
    owner = accounts.create_person(OWNER, later.clock())
    later.page_id = later.make_page(owner=owner, min_balance="1000")
    later.public_key = later.make_key("public", origins=[SITE])
    return later.page


def claim(address: str, at: str):
    """Claim that the chain was seen to hold a million tokens."""

    def change(lines) -> None:
        find(lines, "observedBalance").update(
            address=address,
            amount="1000000",
            slot=2**62,
            observedAtIso=at,
            allObservedAtIso=at,
        )

    return change


def now_of(world) -> str:
    return world.clock().isoformat(timespec="milliseconds").replace("+00:00", "Z")


@pytest.mark.databases("sqlite", "postgres")
@pytest.mark.parametrize("is_down", [False, True])
def test_claimed_balance_opens_no_gate_of_another_owner(later, page, chain, content, is_down):
    visitor = with_session(later)
    take_over(later, forge(content, claim(visitor.address, now_of(later))))
    chain.is_down = is_down

    refusal = code_of(later.submit(visitor))

    assert refusal == ("balance_unavailable" if is_down else "ca_gate_failed")


def test_what_the_chain_is_said_to_hold_is_no_observation(later, page, content):
    Token.create(mint=USDC, decimals=6, observed_at=later.clock())
    before, version = later.dump(), page.version

    take_over(later, forge(content, claim(Visitor().address, now_of(later))))

    after = later.dump()
    for model in (ChainBalance, DailyBalance, Token):
        table = model._meta.table_name
        assert after[table] == before[table]
    assert Page.get_by_id(page.id).version == version
    assert not Balance.select().where(Balance.owner == page.owner).exists()


def test_refusal_of_a_token_is_not_taken(later, content):
    take_over(later, forge(content, lambda lines: find(lines, "token").update(problem="None.")))

    assert Token.select().count() == 0


def list_instants() -> list[tuple[str, str | None, str]]:
    """Return the type, the part if any, and the name of each instant of a file."""
    return [
        (table.name, None if each is table else each.name, name)
        for table in TABLES.values()
        for each in (table, *table.parts)
        for name, field in each.columns.items()
        if isinstance(field, InstantField)
    ]


@pytest.mark.parametrize(("kind", "part", "name"), list_instants())
@pytest.mark.parametrize("instant", [LAST_SECOND, "2026-03-31T00:00:00.000Z"])
def test_no_time_in_the_future_is_taken(later, content, kind, part, name, instant):
    def postpone(lines) -> None:
        rows = [line for line in lines if line["type"] == kind]
        if part is not None:
            rows = [each for line in rows for each in line[part]]
        next((row for row in rows if row[name] is not None), rows[0])[name] = instant

    with pytest.raises(InvalidInput, match=rf"^Line \d+: {name} lies (too far )?in the future"):
        take_over(later, forge(content, postpone))


def test_refusals_of_days_in_the_future_are_not_taken(later, content):
    tomorrow = count_days(later.clock()) + 1

    with pytest.raises(InvalidInput, match=r"^Line \d+: day lies in the future"):
        take_over(
            later, forge(content, lambda lines: find(lines, "refusalCount").update(day=tomorrow))
        )


def test_clock_that_was_a_little_ahead_is_set_right(later, content):
    ahead = later.clock().replace(second=59).isoformat(timespec="milliseconds")
    take_over(
        later,
        forge(content, lambda lines: find(lines, "page").update(createdAtIso=f"{ahead[:-6]}Z")),
    )

    assert Page.get_by_id(find(read_lines(content), "page")["id"]).created_at == later.clock()


# An owner who is only named in the file


def add_sibling(world, content) -> Page:
    """Add a page of the same owner and token, before the file is imported."""
    owner = accounts.create_person(find(read_lines(content), "owner")["email"], world.clock())
    page_id = world.make_page(owner=owner, min_balance="1000")
    return Page.get_by_id(page_id)


def test_balances_for_other_pages_of_an_owner_need_the_owners_name(later, content):
    sibling = add_sibling(later, content)
    email = sibling.owner.email
    before = later.dump()

    with pytest.raises(InvalidInput, match=f"name them: --owner {email}"):
        take_over(later, content)
    assert later.dump() == before

    take_over(later, content, owner_email=email)
    assert Balance.select().where(Balance.owner == sibling.owner).exists()


# Withdrawals


@pytest.fixture
def sent(later, page, chain) -> str:
    """A submission to the other owner's page."""
    visitor = with_session(later)
    chain.hold(visitor.address, 1000)
    return later.submit(visitor).json["submissionId"]


def test_submission_of_another_page_is_not_withdrawn(later, sent, content):
    forged = forge(content, lambda lines: find(lines, "withdrawal").update(submissionId=sent))
    before = later.dump()

    with pytest.raises(InvalidInput, match=f"The submission {sent} is of one page, and withdrawn"):
        take_over(later, forged)

    assert later.dump() == before


def test_submission_that_another_page_calls_withdrawn_is_not_imported(later, page, content):
    known = find(read_lines(content), "submission")["id"]
    Withdrawal.create(submission_id=known, page=page, withdrawn_at=later.clock())

    with pytest.raises(InvalidInput, match=f"The submission {known} is of one page"):
        take_over(later, content)
    assert Submission.get_or_none(Submission.id == known) is None


def test_nonce_stays_used_for_as_long_as_it_was(later, content):
    used = UsedNonce.create(token="z" * 20, expires_at=later.clock() + timedelta(days=30))
    body = {"token": used.token, "expiresAtIso": "2026-01-31T09:30:00.000Z"}

    take_over(later, forge(content, lambda lines: lines[-2].update(body)))

    assert UsedNonce.get_by_id(used.token).expires_at == used.expires_at


def test_page_has_no_more_receivers_than_its_owner_could_add(later, content):
    def add_receivers(lines) -> None:
        channel = find(lines, "receiver", kind="channel")
        at = lines.index(channel)
        lines[at:at] = [channel | {"id": f"{number:020}"} for number in range(19)]

    with pytest.raises(InvalidInput, match="at most 20 webhooks and channels"):
        take_over(later, forge(content, add_receivers))


# What the page itself gets


def test_page_shows_its_balances_and_history_until_the_chain_is_asked(later, page, content):
    address = find(read_lines(content), "observedBalance")["address"]

    def leave_out_entered(lines) -> None:
        lines.remove(find(lines, "enteredBalance", address=address))

    moved = take_over(later, forge(content, leave_out_entered)).page
    amount = Decimal("18446744073709.551615")
    assert read_balances(moved, [address], uses_chain=True) == {address: amount}
    assert read_balances(page, [address], uses_chain=True) == {}
    assert list_amounts(moved, address, later) == [Decimal("0.5"), Decimal("2.5"), 1, amount]
    assert list_amounts(page, address, later) == []

    store_chain(USDC, [ChainObservation(address, USDC, Decimal(4), 1, later.clock())])
    assert read_balances(moved, [address], uses_chain=True) == {address: 4}
    assert list_amounts(moved, address, later) == [Decimal("0.5"), Decimal("2.5"), 1, 4]
    assert list_amounts(page, address, later) == []


def list_amounts(page: Page, address: str, world) -> list[Decimal]:
    change = read_balance_changes(page, [address], world.clock()).get(address)
    return [point.amount for point in change.line] if change else []


def test_what_the_owner_entered_stays(later, content):
    lines = read_lines(content)
    address = find(lines, "observedBalance")["address"]
    entered = find(lines, "enteredBalance", address=address)

    moved = take_over(later, content).page

    known = read_balances(moved, [address], uses_chain=True)
    assert known == {address: Decimal(entered["amount"])}


def test_one_balance_of_a_day_is_kept(later, content):
    def repeat_days(lines) -> None:
        observed = find(lines, "observedBalance")
        observed["days"] += [day | {"amount": "8"} for day in observed["days"]]

    page = take_over(later, forge(content, repeat_days)).page

    days = ImportedDay.select().join(ImportedBalance).where(ImportedBalance.page == page)
    assert days.count() == 4


def test_history_of_another_token_is_not_shown(later, content):
    moved = take_over(later, content).page
    address = find(read_lines(content), "observedBalance")["address"]

    update_page(moved.id, {"token_mint": WSOL}, later.clock())

    assert list_amounts(get_page(moved.id), address, later) == []
