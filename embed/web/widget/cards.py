"""A holder's own card at a share link: their name and place on the list, as long as it's there."""

from dataclasses import dataclass
from datetime import datetime

from embed.db.models import Page
from embed.errors import ApiError
from embed.public_payload import Payload
from embed.wallets.listings import find_listed_since
from embed.wallets.tracking import find_visible
from embed.web.figures import format_day
from embed.web.languages import format_number, gettext
from embed.web.widget.list_sentences import write_place


@dataclass(frozen=True, slots=True)
class Card:
    """What a card shows, and the address whose squares it shows."""

    name: str | None
    rank: int  # 0 if no balance is known
    wallet_count: int
    since: datetime
    address: str

    def write_place(self) -> str:
        return write_place(self.rank, self.wallet_count)

    def write_figures(self) -> str:
        return (
            f"#{format_number(self.rank)} / {format_number(self.wallet_count)}" if self.rank else ""
        )

    def write_since(self) -> str:
        return gettext("On the list since %(date)s", date=format_day(self.since))


def get_card(page: Page, payload: Payload, wallet_id: str) -> Card:
    """Return the card of a wallet on a page's public list, whose holder has signed.

    Raises ApiError `not_found`.
    """
    wallet = find_visible(page, wallet_id)
    place = None if wallet is None else payload.find_place(wallet.address)
    if wallet is None or place is None or not payload.standings.proved[place]:
        raise ApiError("not_found")
    return Card(
        name=wallet.public_alias,
        rank=payload.standings.ranks[place],
        wallet_count=payload.wallet_count,
        since=find_listed_since(wallet),
        address=wallet.address,
    )
