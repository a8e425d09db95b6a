"""Derived addresses are those of solders, Solana's own code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from solders.pubkey import Pubkey
from solders.token.associated import get_associated_token_address

from embed.balances.mints import TOKEN_PROGRAMS
from embed.domain.addresses import (
    METADATA_PROGRAM,
    derive_metadata_account,
    derive_token_account,
    is_on_curve,
)

PRIME = 2**255 - 19
pubkeys = st.binary(min_size=32, max_size=32).map(Pubkey)


@given(pubkeys, pubkeys, st.sampled_from(TOKEN_PROGRAMS))
def test_token_accounts(owner, mint, program):
    account = get_associated_token_address(owner, mint, Pubkey.from_string(program))

    assert derive_token_account(str(owner), str(mint), program) == str(account)


@given(pubkeys)
def test_metadata_accounts(mint):
    program = Pubkey.from_string(METADATA_PROGRAM)
    account, _ = Pubkey.find_program_address([b"metadata", bytes(program), bytes(mint)], program)

    assert derive_metadata_account(str(mint)) == str(account)


@given(pubkeys)
def test_points(pubkey):
    assert is_on_curve(str(pubkey)) == pubkey.is_on_curve()


# No x, a small order, a y that is not reduced, and a sign where there is none to have.
@pytest.mark.parametrize("y", [0, 1, 2, PRIME - 1, PRIME, PRIME + 1, 2**255 - 1])
@pytest.mark.parametrize("sign", [0, 2**255])
def test_unusual_points(y, sign):
    pubkey = Pubkey((y + sign).to_bytes(32, "little"))

    assert is_on_curve(str(pubkey)) == pubkey.is_on_curve()
