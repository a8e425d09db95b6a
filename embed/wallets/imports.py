"""Exporting and importing CSV tables of wallets; an import can be planned first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import cycle

from embed.balances.known import BalanceSource
from embed.balances.observations import Observation, store_entered
from embed.db.batches import analyze_tables, in_batches
from embed.db.models import Balance, Page, Tag, TrackedWallet, Wallet, WalletTag
from embed.domain.folding import fold_wallet
from embed.domain.identifiers import make_id
from embed.errors import InvalidInput
from embed.events.editing import Change, editing
from embed.events.kinds import ImportFacts
from embed.pages import get_page
from embed.settings import Settings
from embed.wallets.csv_format import Line, format_csv
from embed.wallets.csv_lines import Kind, Mistake, ParsedTable
from embed.wallets.tags import list_tags, order_colors
from embed.wallets.tracking import PageFull, list_wallets


@dataclass(frozen=True, slots=True)
class RowChange:
    """A wallet after and before the import; `before` is None if it isn't tracked yet."""

    line: Line
    before: TrackedWallet | None

    @property
    def alias(self) -> str | None:
        if self.line.alias is None:
            return self.before.public_alias if self.before else None
        return self.line.alias or None

    @property
    def is_hidden(self) -> bool:
        if self.line.is_hidden is None:
            return self.before.is_hidden if self.before else False
        return self.line.is_hidden

    @property
    def changes_details(self) -> bool:
        return self.before is None or (self.alias, self.is_hidden) != (
            self.before.public_alias,
            self.before.is_hidden,
        )

    @property
    def changes_tags(self) -> bool:
        before = {tag.name for tag in self.before.tags} if self.before else set()
        return self.line.tag_names is not None and set(self.line.tag_names) != before

    @property
    def changes_balance(self) -> bool:
        before = self.before.known_balance if self.before else None
        return self.line.balance is not None and self.line.balance != before

    @property
    def changes_anything(self) -> bool:
        return self.changes_details or self.changes_tags or self.changes_balance


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What an import would change; lines with mistakes are not part of it."""

    changes: Sequence[RowChange]
    unchanged: int
    new_tags: Sequence[str]  # those that the page lacks, even if they won't be created
    mistakes: Sequence[Mistake]

    @property
    def added(self) -> int:
        return sum(change.before is None for change in self.changes)

    @property
    def changed(self) -> int:
        return len(self.changes) - self.added

    @property
    def wrong_lines(self) -> int:
        """Count the lines with mistakes; one may have several."""
        return len({mistake.number for mistake in self.mistakes})

    @property
    def is_too_long(self) -> bool:
        return any(mistake.kind is Kind.PAGE_FULL for mistake in self.mistakes)

    @property
    def lacks_only_tags(self) -> bool:
        """Tell whether there would be no mistake without the missing tags."""
        return {mistake.kind for mistake in self.mistakes} == {Kind.UNKNOWN_TAG}


def export_csv(page: Page, balances: BalanceSource) -> str:
    """Return all wallets of a page, the hidden ones too."""
    supply = balances.find_supply(page.token_mint)
    lines = (
        Line(
            wallet.address,
            wallet.public_alias,
            tuple(tag.name for tag in wallet.tags),
            wallet.is_hidden,
            wallet.known_balance,
        )
        for wallet in list_wallets(page, balances)
    )
    return format_csv(lines, None if supply is None else supply.amount)


def plan_import(
    page: Page,
    parsed: ParsedTable,
    *,
    makes_tags: bool,
    balances: BalanceSource,
    settings: Settings,
    changes_listed: bool = True,
) -> ImportPlan:
    """Return what a table would change, in three statements, whatever its length."""
    tags = list_tags(page)
    known = {tag.name for tag in tags}
    wallets = list_wallets(page, balances, page_tags=tags)
    tracked = {one.address: one for one in wallets}
    mistakes = list(parsed.mistakes)
    new_tags: dict[str, None] = {}
    changes = []
    for line in parsed.lines:
        change = RowChange(line, tracked.get(line.address))
        if change.before and change.changes_anything and not changes_listed:
            cause = InvalidInput("The wallet is already on the list.")
            mistakes.append(Mistake(line.number, Kind.LISTED, cause))
            continue
        missing = [name for name in line.tag_names or () if name not in known]
        new_tags |= dict.fromkeys(missing)
        if missing and not makes_tags:
            names = ", ".join(missing)
            cause = InvalidInput("The page has no tag %(names)s.", names=names)
            mistakes.append(Mistake(line.number, Kind.UNKNOWN_TAG, cause))
        else:
            changes.append(change)
    real = [change for change in changes if change.changes_anything]
    new = [change.line for change in real if change.before is None]
    room = max(0, settings.max_wallets - len(tracked))
    if len(new) > room:
        cause = PageFull(settings.max_wallets)
        mistakes.append(Mistake(new[room].number, Kind.PAGE_FULL, cause))
    mistakes.sort(key=lambda mistake: mistake.number)
    return ImportPlan(real, len(changes) - len(real), list(new_tags), mistakes)


def apply_import(
    page_id: str,
    parsed: ParsedTable,
    change: Change,
    *,
    balances: BalanceSource,
    makes_tags: bool,
    changes_listed: bool = True,
    skips_mistakes: bool = False,
) -> ImportPlan:
    """Apply a table in one transaction, and return what was changed.

    The plan is made before the page is locked, since others wait for the lock, and once more under
    the lock if the page has changed. If it's too long for the page, or has mistakes and they aren't
    skipped, nothing is changed. Raises NotFound.
    """
    page = get_page(page_id)
    plan_for = partial(
        plan_import,
        parsed=parsed,
        makes_tags=makes_tags,
        balances=balances,
        settings=change.settings,
        changes_listed=changes_listed,
    )
    plan = plan_for(page)
    with editing(page_id, change) as edit:
        if edit.page.version != page.version:
            page = edit.page  # it may have another owner
            plan = plan_for(page)
        may_apply = not plan.mistakes or (skips_mistakes and not plan.is_too_long)
        if may_apply and plan.changes:
            _make_tags(page, plan.new_tags if makes_tags else (), change.now)
            ids = _write_wallets(page, plan.changes, change.now)
            _write_tags(page, plan.changes, ids)
            store_entered(
                page,
                [
                    Observation(row.line.address, row.line.balance, change.now)
                    for row in plan.changes
                    if row.line.balance is not None and row.changes_balance
                ],
            )
            analyze_tables(Wallet, Balance, WalletTag)
            edit.log("import wallets", ImportFacts(plan.added, plan.changed))
    return plan


def _make_ids(count: int) -> list[str]:
    """Return ascending ids for rows with the same time: lists are sorted by time, then id."""
    return sorted(make_id() for _ in range(count))


def _make_tags(page: Page, names: Sequence[str], now: datetime) -> None:
    rows = [
        {
            "id": tag_id,
            "page": page,
            "name": name,
            "color": color,
            "created_at": now,
        }
        for name, tag_id, color in zip(names, _make_ids(len(names)), cycle(order_colors(page)))
    ]
    for batch in in_batches(rows):
        Tag.insert_many(batch).execute()


def _write_wallets(page: Page, changes: Sequence[RowChange], now: datetime) -> dict[str, str]:
    """Insert and update wallets, and return all ids by address."""
    new_ids = iter(_make_ids(sum(change.before is None for change in changes)))
    ids = {
        change.line.address: change.before.id if change.before else next(new_ids)
        for change in changes
    }
    rows = (
        {
            "id": ids[change.line.address],
            "page": page,
            "address": change.line.address,
            "public_alias": change.alias,
            "folded": fold_wallet(change.alias, change.line.address),
            "is_hidden": change.is_hidden,
            "created_at": now,
        }
        for change in changes
        if change.changes_details
    )
    for batch in in_batches(rows):
        Wallet.insert_many(batch).on_conflict(
            conflict_target=[Wallet.page, Wallet.address],
            preserve=[Wallet.public_alias, Wallet.folded, Wallet.is_hidden],
        ).execute()
    return ids


def _write_tags(page: Page, changes: Sequence[RowChange], ids: dict[str, str]) -> None:
    tag_ids = {tag.name: tag.id for tag in list_tags(page)}
    changed = [change for change in changes if change.changes_tags]
    old = [ids[change.line.address] for change in changed if change.before is not None]
    for wallet_ids in in_batches(old):
        WalletTag.delete().where(WalletTag.wallet.in_(wallet_ids)).execute()
    new = (
        {"wallet": ids[change.line.address], "tag": tag_ids[name]}
        for change in changed
        for name in change.line.tag_names or ()
    )
    for batch in in_batches(new):
        WalletTag.insert_many(batch).execute()
