"""Program-derived addresses: those of accounts that belong to a program, with no key pair."""

from solders.pubkey import Pubkey
from solders.token.associated import get_associated_token_address

TOKEN_PROGRAM = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"  # noqa: S105 -- an address
TOKEN_2022_PROGRAM = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"  # noqa: S105 -- an address
TOKEN_PROGRAMS = (TOKEN_PROGRAM, TOKEN_2022_PROGRAM)
METADATA_PROGRAM = "metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s"  # Metaplex Token Metadata
SYSTEM_PROGRAM = "1" * 32


def derive_token_account(owner: str, mint: str, program: str) -> str:
    """Return the associated token account in which wallets keep an owner's tokens of a mint."""
    return str(get_associated_token_address(*map(Pubkey.from_string, (owner, mint, program))))


def derive_metadata_account(mint: str) -> str:
    """Return the account that holds the mint's Metaplex metadata, if it has any."""
    program = Pubkey.from_string(METADATA_PROGRAM)
    seeds = [b"metadata", bytes(program), bytes(Pubkey.from_string(mint))]
    return str(Pubkey.find_program_address(seeds, program)[0])
