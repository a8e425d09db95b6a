"""A ledger in this process: solders' LiteSVM with the real SPL Token and Token-2022 programs."""

from dataclasses import dataclass

from solders.account import Account
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from chain import token_instructions as instructions
from chain.machine import Machine
from chain.token_instructions import ASSOCIATED, TOKEN, TOKEN_2022

SPL_TOKEN, SPL_TOKEN_2022 = str(TOKEN), str(TOKEN_2022)
METAPLEX = Pubkey.from_string("metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s")
AMOUNT = slice(64, 72)  # of a token account's bytes
RENT = 10**8  # lamports; more than any account here needs


@dataclass(frozen=True, slots=True)
class Mint:
    address: str
    program: str
    decimals: int
    is_scaled: bool  # whether wallets display other amounts than the units with their point moved


class Ledger:
    """Everything is keyed by base58 addresses; amounts are units, as the programs count them.

    Signatures are not checked, so that a visitor's address is enough to move its tokens.
    """

    def __init__(self) -> None:
        self._machine = Machine()
        self._payer = self._machine.payer
        self._displayed: dict[tuple[str, int], str] = {}
        self._accounts_by_owner: dict[tuple[str, str], list[str]] = {}
        self.mints: dict[str, Mint] = {}

    @property
    def slot(self) -> int:
        return self._machine.slot

    def advance(self, slots: int = 1) -> None:
        self._machine.advance(slots)

    def create_mint(
        self,
        decimals: int = 6,
        *,
        program: str = SPL_TOKEN,
        name: str | None = None,
        symbol: str | None = None,
        multiplier: float | None = None,
        address: str | None = None,
    ) -> str:
        """Create a mint, and return its address.

        The name and symbol become a Metaplex account, or the extension TokenMetadata of a
        Token-2022 mint. `address` chooses a known mint's.
        """
        mint = Pubkey.from_string(address) if address else Keypair().pubkey()
        owner = Pubkey.from_string(program)
        before, size = [], instructions.EXTENDED_BYTES
        is_scaled = multiplier is not None
        if multiplier is not None:
            before.append(instructions.initialize_scale(mint, self._payer, multiplier))
            size += instructions.ENTRY_BYTES + instructions.SCALE_BYTES
        has_extension = name is not None and program == SPL_TOKEN_2022
        if has_extension:
            before.append(instructions.initialize_metadata_pointer(mint, self._payer))
            size += instructions.ENTRY_BYTES + instructions.POINTER_BYTES
        self._machine.send(
            instructions.open_account(
                self._payer, mint, RENT, size if before else instructions.MINT_BYTES, owner
            ),
            *before,
            instructions.initialize_mint(owner, mint, decimals, self._payer),
        )
        self.mints[str(mint)] = Mint(str(mint), program, decimals, is_scaled)
        if has_extension:
            texts = (name or "", symbol or "")
            self._machine.send(instructions.initialize_metadata(mint, self._payer, *texts))
        elif name is not None:
            self.write_metaplex(str(mint), name, symbol or "")
        return str(mint)

    def set_multiplier(self, mint: str, multiplier: float) -> None:
        """Change what wallets display for a Token-2022 mint that was created with a multiplier."""
        key = Pubkey.from_string(mint)
        self._machine.send(instructions.update_scale(key, self._payer, multiplier))
        self._displayed.clear()

    def write_metaplex(self, mint: str, name: str, symbol: str) -> str:
        """Write a mint's Metaplex account as bytes."""
        program, key = METAPLEX, Pubkey.from_string(mint)
        address, _ = Pubkey.find_program_address([b"metadata", bytes(program), bytes(key)], program)
        data = bytes([4]) + bytes(self._payer) + bytes(key)
        for text, size in ((name, 32), (symbol, 10), ("", 200)):
            data += instructions.write_text(text, size)
        self.set_account(str(address), data.ljust(607, b"\0"), str(program))
        return str(address)

    def mint_to(self, owner: str, mint: str, units: int) -> str:
        """Mint into the owner's associated token account; return that account."""
        return self._mint_into(self._open_associated(owner, mint), mint, units)

    def open_auxiliary_account(self, owner: str, mint: str, units: int = 0) -> str:
        """Open another token account of the owner, and mint into it; return that account."""
        account, program = Keypair().pubkey(), self._program(mint)
        keys = (Pubkey.from_string(mint), Pubkey.from_string(owner))
        self._machine.send(
            instructions.open_account(
                self._payer, account, RENT, instructions.ACCOUNT_BYTES, program
            ),
            instructions.initialize_account(program, account, *keys),
        )
        self._accounts_by_owner.setdefault((owner, mint), []).append(str(account))
        return self._mint_into(account, mint, units)

    def transfer(self, source: str, target: str, mint: str, units: int) -> None:
        """Move units between the associated token accounts of two owners."""
        key, program = Pubkey.from_string(mint), self._program(mint)
        from_account = Pubkey.from_string(find_associated(source, mint, str(program)))
        to_account = self._open_associated(target, mint)
        owner, decimals = Pubkey.from_string(source), self.mints[mint].decimals
        self._machine.send(
            instructions.transfer(program, from_account, key, to_account, owner, units, decimals)
        )

    def give_associated(self, owner: str, mint: str, next_owner: str) -> None:
        """Make another owner that of an associated token account (SPL Token allows it)."""
        account = find_associated(owner, mint, self.mints[mint].program)
        keys = [Pubkey.from_string(each) for each in (account, owner, next_owner)]
        self._machine.send(instructions.give_account(self._program(mint), *keys))
        self._accounts_by_owner[owner, mint].remove(account)
        self._accounts_by_owner.setdefault((next_owner, mint), []).append(account)

    def set_account(self, address: str, data: bytes, program: str) -> None:
        """Write an account as it is."""
        account = Account(RENT, data, Pubkey.from_string(program))
        self._machine.set_account(Pubkey.from_string(address), account)

    def pay(self, address: str, lamports: int) -> None:
        """Send lamports to an address; one that did not exist comes to exist."""
        self._machine.pay(Pubkey.from_string(address), lamports)

    def find_account(self, address: str) -> Account | None:
        return self._machine.find_account(Pubkey.from_string(address))

    def list_accounts(self, owner: str, mint: str) -> list[str]:
        return list(self._accounts_by_owner.get((owner, mint), ()))

    def list_units(self, mint: str) -> dict[str, int]:
        """Return what each token account of a mint holds."""
        by_owner = self._accounts_by_owner
        accounts = [one for owner, of in by_owner if of == mint for one in by_owner[owner, of]]
        found = {account: self.find_account(account) for account in accounts}
        return {
            account: int.from_bytes(held.data[AMOUNT], "little")
            for account, held in found.items()
            if held is not None
        }

    def display(self, mint: str, units: int) -> str:
        """Return what wallets show for so many units."""
        facts = self.mints[mint]
        if not facts.is_scaled:
            whole, part = divmod(units, 10**facts.decimals)
            return (
                f"{whole}.{part:0{facts.decimals}}".rstrip("0").rstrip(".") if part else f"{whole}"
            )
        if (mint, units) not in self._displayed:
            program, key = self._program(mint), Pubkey.from_string(mint)
            call = instructions.amount_to_ui_amount(program, key, units)
            self._displayed[mint, units] = self._machine.ask(call).decode()
        return self._displayed[mint, units]

    def _program(self, mint: str) -> Pubkey:
        return Pubkey.from_string(self.mints[mint].program)

    def _open_associated(self, owner: str, mint: str) -> Pubkey:
        program = self._program(mint)
        account = find_associated(owner, mint, str(program))
        known = self._accounts_by_owner.setdefault((owner, mint), [])
        key = Pubkey.from_string(account)
        if account not in known:
            keys = (Pubkey.from_string(owner), Pubkey.from_string(mint), program)
            self._machine.send(instructions.create_associated(self._payer, key, *keys))
            known.append(account)
        return key

    def _mint_into(self, account: Pubkey, mint: str, units: int) -> str:
        if units:
            program, key = self._program(mint), Pubkey.from_string(mint)
            self._machine.send(instructions.mint_to(program, key, account, self._payer, units))
        return str(account)


def find_associated(owner: str, mint: str, program: str) -> str:
    seeds = [bytes(Pubkey.from_string(each)) for each in (owner, program, mint)]
    return str(Pubkey.find_program_address(seeds, ASSOCIATED)[0])


def make_address() -> str:
    return str(Keypair().pubkey())
