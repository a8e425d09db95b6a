"""What the use cases are handed: settings, clock, balances and seals."""

from dataclasses import dataclass

from embed.balances import BalanceSource
from embed.domain.nonces import NonceSeal
from embed.domain.passwords import LinkSeal
from embed.domain.times import Clock
from embed.domain.visits import SessionSeal
from embed.settings import Settings


@dataclass(frozen=True, slots=True)
class Service:
    settings: Settings
    clock: Clock
    balances: BalanceSource
    nonces: NonceSeal
    sessions: SessionSeal
    password_links: LinkSeal
    extra_scripts: tuple[str, ...] = ()  # static files that the widget loads, such as the demo's
