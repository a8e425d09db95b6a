"""Names of the Solana Name Service in the test ledger, as its programs leave them in accounts.

Source: SolanaNameService/sns-sdk. Addresses are derived here anew, to check those of the service.
"""

import hashlib

from solders.pubkey import Pubkey

from chain.ledger import SPL_TOKEN, Ledger, find_associated

NAMES = "namesLPneVptA9Z5rqUDD9tMTWEJwofgaYwp8cawRkX"
OFFERS = "85iDfUvr3HJyLM2zcq5BXSiDvUWfw6cSE1FfNBo8Ap29"
TOKENIZER = "nftD3vbNkNqfj2Sd3HZwbpw4BxxKWr4AjGb9X38JeZk"
ROOT = "58PwtjSDuFHuUkYjH9BYnnQKHfwo9reZhC2zMJv9JPkx"
REVERSE_CLASS = "33m47vH6Eav6jr5Ry86XjhRft2jRBLDnDgPSHoquXi2Z"
NOBODY = "1" * 32


class Domains:
    """Registers names, and lets wallets choose one; a name is its labels from the left."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        ledger.set_account(ROOT, _head(NOBODY, NOBODY), NAMES)

    def give(self, wallet: str, *labels: str) -> str:
        """Register a name for a wallet, which chooses it; return the name's account."""
        domain = self.register(wallet, *labels)
        self.choose(wallet, domain)
        return domain

    def register(self, owner: str, *labels: str) -> str:
        domain, parent = find_domain(*labels)
        self.ledger.set_account(domain, _head(parent, owner), NAMES)
        if len(labels) > 1:
            self.register(owner, *labels[1:])
        self.write_reverse(domain, labels[0], parent=parent)
        return domain

    def choose(self, wallet: str, domain: str, *, tag: int = 4, program: str = OFFERS) -> None:
        data = bytes([tag]) + to_bytes(domain)
        self.ledger.set_account(find_favourite(wallet), data, program)

    def forget(self, wallet: str) -> None:
        self.ledger.set_account(find_favourite(wallet), b"", NOBODY)

    def hand_on(self, domain: str, owner: str) -> None:
        account = self.ledger.find_account(domain)
        self.ledger.set_account(
            domain, account.data[:32] + to_bytes(owner) + account.data[64:], NAMES
        )

    def close(self, account: str) -> None:
        self.ledger.set_account(account, b"", NOBODY)

    def write_reverse(
        self, domain: str, label: str | bytes, *, parent: str = ROOT, size: int | None = None
    ) -> None:
        """Write what a name's account is called; `size` is the length that it claims."""
        raw = label if isinstance(label, bytes) else label.encode()
        raw = raw if parent == ROOT else b"\0" + raw
        length = (len(raw) if size is None else size).to_bytes(4, "little")
        data = _head(NOBODY, NOBODY, REVERSE_CLASS) + length + raw
        self.ledger.set_account(find_reverse(domain, parent), data, NAMES)

    def tokenize(self, domain: str, holder: str) -> str:
        """Let a token stand for a name from now on; return its mint."""
        mint = _derive(TOKENIZER, b"tokenized_name", to_bytes(domain))
        self.hand_on(domain, _derive(TOKENIZER, b"nft_record", to_bytes(domain)))
        self.put_token(mint, holder, 1)
        return mint

    def put_token(self, mint: str, holder: str, units: int) -> None:
        data = to_bytes(mint) + to_bytes(holder) + units.to_bytes(8, "little")
        account = find_associated(holder, mint, SPL_TOKEN)
        self.ledger.set_account(account, data.ljust(108, b"\0") + b"\1" + bytes(56), SPL_TOKEN)


def find_domain(label: str, *above: str) -> tuple[str, str]:
    """Return the account of a name, and that of the one above it."""
    if not above:
        return _derive_name(label.encode(), parent=ROOT), ROOT
    parent, _ = find_domain(*above)
    return _derive_name(b"\0" + label.encode(), parent=parent), parent


def find_reverse(domain: str, parent: str = ROOT) -> str:
    above = None if parent == ROOT else parent
    return _derive_name(domain.encode(), parent=above, name_class=REVERSE_CLASS)


def find_favourite(wallet: str) -> str:
    return _derive(OFFERS, b"favourite_domain", to_bytes(wallet))


def to_bytes(address: str) -> bytes:
    return bytes(Pubkey.from_string(address))


def _head(parent: str, owner: str, name_class: str = NOBODY) -> bytes:
    return to_bytes(parent) + to_bytes(owner) + to_bytes(name_class)


def _derive_name(text: bytes, *, parent: str | None, name_class: str | None = None) -> str:
    hashed = hashlib.sha256(b"SPL Name Service" + text).digest()
    return _derive(NAMES, hashed, *(to_bytes(key or NOBODY) for key in (name_class, parent)))


def _derive(program: str, *seeds: bytes) -> str:
    return str(Pubkey.find_program_address(seeds, Pubkey.from_string(program))[0])
