"""Instructions of the programs that the ledger runs, as bytes.

Sources: solana-program/token and token-2022 (interface/src/instruction.rs, extension/*),
token-metadata (interface/src/instruction.rs), associated-token-account.
"""

import hashlib
import struct
from collections.abc import Sequence

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM
from solders.system_program import CreateAccountParams, create_account

TOKEN = Pubkey.from_string("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")
TOKEN_2022 = Pubkey.from_string("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb")
ASSOCIATED = Pubkey.from_string("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL")

MINT_BYTES, ACCOUNT_BYTES = 82, 165
# Extended accounts have their type after 165 bytes, and 4 bytes before each extension.
EXTENDED_BYTES, ENTRY_BYTES = ACCOUNT_BYTES + 1, 4
POINTER_BYTES, SCALE_BYTES = 64, 56


def open_account(
    payer: Pubkey, account: Pubkey, lamports: int, size: int, program: Pubkey
) -> Instruction:
    return create_account(
        CreateAccountParams(
            from_pubkey=payer, to_pubkey=account, lamports=lamports, space=size, owner=program
        )
    )


def initialize_mint(program: Pubkey, mint: Pubkey, decimals: int, authority: Pubkey) -> Instruction:
    return _call(program, bytes([20, decimals]) + bytes(authority) + b"\0", writable=[mint])


def initialize_account(
    program: Pubkey, account: Pubkey, mint: Pubkey, owner: Pubkey
) -> Instruction:
    return _call(program, bytes([18]) + bytes(owner), writable=[account], readable=[mint])


def create_associated(
    payer: Pubkey, account: Pubkey, owner: Pubkey, mint: Pubkey, program: Pubkey
) -> Instruction:
    """Create an associated token account, unless it exists."""
    accounts = [
        AccountMeta(payer, is_signer=True, is_writable=True),
        AccountMeta(account, is_signer=False, is_writable=True),
        *[_readable(key) for key in (owner, mint, SYSTEM, program)],
    ]
    return Instruction(ASSOCIATED, bytes([1]), accounts)


def mint_to(
    program: Pubkey, mint: Pubkey, account: Pubkey, authority: Pubkey, units: int
) -> Instruction:
    data = struct.pack("<BQ", 7, units)
    return _call(program, data, writable=[mint, account], signers=[authority])


def transfer(
    program: Pubkey,
    source: Pubkey,
    mint: Pubkey,
    target: Pubkey,
    owner: Pubkey,
    units: int,
    decimals: int,
) -> Instruction:
    accounts = [
        AccountMeta(source, is_signer=False, is_writable=True),
        _readable(mint),
        AccountMeta(target, is_signer=False, is_writable=True),
        AccountMeta(owner, is_signer=True, is_writable=False),
    ]
    return Instruction(program, struct.pack("<BQB", 12, units, decimals), accounts)


def give_account(
    program: Pubkey, account: Pubkey, owner: Pubkey, next_owner: Pubkey
) -> Instruction:
    """Give a token account to another owner."""
    data = bytes([6, 2, 1]) + bytes(next_owner)
    return _call(program, data, writable=[account], signers=[owner])


def amount_to_ui_amount(program: Pubkey, mint: Pubkey, units: int) -> Instruction:
    """Return the displayed amount as the transaction's return data."""
    return _call(program, struct.pack("<BQ", 23, units), readable=[mint])


def initialize_scale(mint: Pubkey, authority: Pubkey, multiplier: float) -> Instruction:
    data = bytes([43, 0]) + bytes(authority) + struct.pack("<d", multiplier)
    return _call(TOKEN_2022, data, writable=[mint])


def update_scale(mint: Pubkey, authority: Pubkey, multiplier: float) -> Instruction:
    data = bytes([43, 1]) + struct.pack("<dq", multiplier, 0)
    return _call(TOKEN_2022, data, writable=[mint], signers=[authority])


def initialize_metadata_pointer(mint: Pubkey, authority: Pubkey) -> Instruction:
    data = bytes([39, 0]) + bytes(authority) + bytes(mint)
    return _call(TOKEN_2022, data, writable=[mint])


def initialize_metadata(mint: Pubkey, authority: Pubkey, name: str, symbol: str) -> Instruction:
    kind = hashlib.sha256(b"spl_token_metadata_interface:initialize_account").digest()[:8]
    data = kind + b"".join(write_text(text) for text in (name, symbol, ""))
    accounts = [
        AccountMeta(mint, is_signer=False, is_writable=True),
        _readable(authority),
        _readable(mint),
        AccountMeta(authority, is_signer=True, is_writable=False),
    ]
    return Instruction(TOKEN_2022, data, accounts)


def write_text(text: str, size: int = 0) -> bytes:
    """Return a text as Borsh writes it, filled with NULs up to `size` bytes."""
    raw = text.encode().ljust(size, b"\0")
    return struct.pack("<I", len(raw)) + raw


def _call(
    program: Pubkey,
    data: bytes,
    *,
    writable: Sequence[Pubkey] = (),
    readable: Sequence[Pubkey] = (),
    signers: Sequence[Pubkey] = (),
) -> Instruction:
    accounts = [AccountMeta(key, is_signer=False, is_writable=True) for key in writable]
    accounts += [_readable(key) for key in readable]
    accounts += [AccountMeta(key, is_signer=True, is_writable=False) for key in signers]
    return Instruction(program, data, accounts)


def _readable(key: Pubkey) -> AccountMeta:
    return AccountMeta(key, is_signer=False, is_writable=False)
