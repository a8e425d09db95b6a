"""A ledger of mints and token accounts, as SPL Token and Token-2022 keep them."""

import math
import struct
from dataclasses import dataclass, field
from typing import Any

from solders.keypair import Keypair
from solders.pubkey import Pubkey

SPL_TOKEN = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"  # an address
SPL_TOKEN_2022 = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"  # an address
ASSOCIATED = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"
METAPLEX = "metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s"
SYSTEM = "1" * 32
AUTHORITY = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"  # of every mint


@dataclass
class Mint:
    address: str
    program: str
    decimals: int
    supply: int = 0
    multiplier: float | None = None  # what wallets display for each unit
    extensions: list[dict[str, Any]] = field(default_factory=list)

    def display(self, units: int) -> str:
        """Return what wallets show for so many units."""
        if self.multiplier is not None:
            scaled = units * self.multiplier
            if math.isinf(scaled):
                return "inf"
            units = int(scaled)
        digits = f"{units:0{self.decimals + 1}}"
        point = len(digits) - self.decimals
        return f"{digits[:point]}.{digits[point:].rstrip('0')}".rstrip(".")


@dataclass
class TokenAccount:
    mint: Mint
    owner: str
    units: int = 0


@dataclass
class OtherAccount:
    """One that no token program has."""

    owner: str  # a program
    data: bytes = b""


class Ledger:
    """Everything is keyed by base58 addresses; amounts are units, as the programs count them."""

    def __init__(self) -> None:
        self.slot = 1
        self.mints: dict[str, Mint] = {}
        self._accounts: dict[str, TokenAccount | OtherAccount] = {}

    def advance(self) -> None:
        self.slot += 1

    def create_mint(
        self,
        decimals: int = 6,
        *,
        program: str = SPL_TOKEN,
        name: str | None = None,
        symbol: str | None = None,
        multiplier: float | None = None,
        bears_interest: bool = False,
        address: str | None = None,
    ) -> str:
        """Create a mint, and return its address.

        The name and symbol become a Metaplex account, or the extension TokenMetadata of a
        Token-2022 mint. `address` chooses a known mint's. Interest has not yet grown.
        """
        mint = Mint(address or make_address(), program, decimals, multiplier=multiplier)
        if multiplier is not None:
            mint.extensions.append({"extension": "scaledUiAmountConfig", "state": {}})
        if bears_interest:
            mint.extensions.append({"extension": "interestBearingConfig", "state": {}})
        self.mints[mint.address] = mint
        if name is not None and program == SPL_TOKEN_2022:
            state = {"mint": mint.address, "name": name, "symbol": symbol or "", "uri": ""}
            mint.extensions.append({"extension": "tokenMetadata", "state": state})
        elif name is not None:
            self.write_metaplex(mint.address, name, symbol or "")
        self.advance()
        return mint.address

    def set_multiplier(self, mint: str, multiplier: float) -> None:
        """Change what wallets display for a Token-2022 mint that was created with a multiplier."""
        self.mints[mint].multiplier = multiplier
        self.advance()

    def write_metaplex(self, mint: str, name: str, symbol: str) -> str:
        """Write a mint's Metaplex account; return its address."""
        program, key = Pubkey.from_string(METAPLEX), Pubkey.from_string(mint)
        address, _ = Pubkey.find_program_address([b"metadata", bytes(program), bytes(key)], program)
        data = bytes([4]) + bytes(Pubkey.from_string(AUTHORITY)) + bytes(key)
        for text, size in ((name, 32), (symbol, 10), ("", 200)):
            raw = text.encode().ljust(size, b"\0")
            data += struct.pack("<I", len(raw)) + raw
        self.set_account(str(address), data.ljust(607, b"\0"), METAPLEX)
        return str(address)

    def mint_to(self, owner: str, mint: str, units: int) -> str:
        """Mint into the owner's associated token account; return that account."""
        address = find_associated(owner, mint, self.mints[mint].program)
        return self._add(address, owner, mint, units)

    def open_auxiliary_account(self, owner: str, mint: str, units: int = 0) -> str:
        """Open another token account of the owner, and mint into it; return that account."""
        return self._add(make_address(), owner, mint, units)

    def burn(self, owner: str, mint: str, units: int) -> None:
        """Take units out of the owner's associated token account."""
        address = find_associated(owner, mint, self.mints[mint].program)
        self._add(address, owner, mint, -units)

    def give_associated(self, owner: str, mint: str, next_owner: str) -> None:
        """Make another owner that of an associated token account (SPL Token allows it)."""
        account = self._accounts[find_associated(owner, mint, self.mints[mint].program)]
        account.owner = next_owner
        self.advance()

    def set_account(self, address: str, data: bytes, program: str) -> None:
        """Write an account as it is."""
        self._accounts[address] = OtherAccount(program, data)

    def pay(self, address: str) -> None:
        """Send lamports to an address that did not exist."""
        self.set_account(address, b"", SYSTEM)

    def find_account(self, address: str) -> Mint | TokenAccount | OtherAccount | None:
        return self.mints.get(address) or self._accounts.get(address)

    def list_accounts(self, mint: str) -> dict[str, TokenAccount]:
        """Return a mint's token accounts by their addresses."""
        return {
            address: one
            for address, one in list(self._accounts.items())
            if isinstance(one, TokenAccount) and one.mint.address == mint
        }

    def _add(self, address: str, owner: str, mint: str, units: int) -> str:
        account = self._accounts.get(address)
        if not isinstance(account, TokenAccount):
            account = self._accounts[address] = TokenAccount(self.mints[mint], owner)
        account.units += units
        account.mint.supply += units
        self.advance()
        return address


def find_associated(owner: str, mint: str, program: str) -> str:
    seeds = [bytes(Pubkey.from_string(each)) for each in (owner, program, mint)]
    return str(Pubkey.find_program_address(seeds, Pubkey.from_string(ASSOCIATED))[0])


def make_address() -> str:
    return str(Keypair().pubkey())
