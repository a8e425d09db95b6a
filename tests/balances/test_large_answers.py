"""What large answers of an endpoint cost, whatever they are made of."""

import json
import tracemalloc
from decimal import Decimal

import pytest
from chain.ledger import SPL_TOKEN, SPL_TOKEN_2022
from chain.rpc_methods import Methods
from chain.rpc_server import Fault
from support.rpc_access import connect
from support.world import USDC, Visitor

from embed.balances.mints import read_token
from embed.balances.rpc_endpoint import MAX_ANSWER_BYTES
from embed.balances.rpc_results import PARSED
from embed.balances.solana_rpc import UnusableAnswer
from embed.balances.token_accounts import read_all_accounts

pytestmark = pytest.mark.slow

MAX_MEMORY_BYTES = 32 * 1024 * 1024
SIZE = MAX_ANSWER_BYTES - 1000  # of what an answer is filled with; the rest of it is less
LIMIT_S = 30
OWNER = Visitor().address


def fill(part: bytes) -> bytes:
    return b"[" + b",".join([part] * (SIZE // (len(part) + 1))) + b"]"


def write_mint(extensions: bytes) -> bytes:
    return (
        b'[{"owner":"%b","data":{"program":"","space":82,"parsed":{"type":"mint","info":'
        b'{"decimals":6,"isInitialized":true,"extensions":%b}}}},null]'
    ) % (SPL_TOKEN_2022.encode(), extensions)


A = b"A" * 32
METADATA = b'[{"extension":"tokenMetadata","state":{"mint":"%b","symbol":"","name":"%b"}}]'
EMOJI = "\U0001f600".encode()  # with it, each character of a text takes four bytes

VALUES = {
    "an endless list of lists": b"[" * SIZE,
    "a text with an emoji": b'[{"pubkey":"' + b"x" * SIZE + EMOJI + b'"}]',
    "the same key": b"[{" + b",".join([b'"pubkey":"%b"' % A] * (SIZE // 44)) + b"}]",
    "extensions without a name": write_mint(fill(b"{}")),
    "a name": write_mint(METADATA % (USDC.encode(), b"x" * (SIZE - 200) + EMOJI)),
}


def answer_value(value: bytes) -> Fault:
    def fault(handler, right) -> None:
        head = b'{"jsonrpc":"2.0","id":"%b","result":{"context":{"slot":5},"value":'
        head %= right["id"].encode()
        handler.send(head, headers={"Content-Length": str(len(head) + len(value) + 2)})
        handler.wfile.write(value)
        handler.wfile.write(b"}}")

    return fault


@pytest.fixture
def little_memory():
    tracemalloc.start()
    yield
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MAX_MEMORY_BYTES


@pytest.mark.parametrize("kind", VALUES)
def test_answer_that_cannot_be_right_takes_little_memory(endpoint, little_memory, kind):
    endpoint.fail(answer_value(VALUES[kind]))
    rpc = connect(endpoint)

    with pytest.raises(UnusableAnswer, match="its answer is invalid"):
        read_all_accounts(rpc, USDC, SPL_TOKEN, OWNER, timeout_s=LIMIT_S)
    with pytest.raises(UnusableAnswer, match="its answer is invalid"):
        read_token(rpc, USDC, timeout_s=LIMIT_S)


def test_owner_of_thousands_of_accounts_is_read(ledger, endpoint, little_memory):
    count = 7_000
    ledger.create_mint(6, address=USDC)
    ledger.mint_to(OWNER, USDC, 2**64 - 1)
    params = [OWNER, {"mint": USDC}, PARSED]
    (one,) = Methods(ledger).answer("getTokenAccountsByOwner", params)["value"]
    account = json.dumps(one["account"], separators=(",", ":"))
    each = (f'{{"pubkey":"{number:044}","account":{account}}}' for number in range(count))
    endpoint.fail(answer_value(f"[{','.join(each)}]".encode()))

    found = read_all_accounts(connect(endpoint), USDC, SPL_TOKEN, OWNER, timeout_s=LIMIT_S)

    assert found.amount == count * Decimal("18446744073709.551615")
