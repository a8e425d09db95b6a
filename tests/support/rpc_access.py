"""Access to RPC endpoints in tests."""

import socket
import time
from contextlib import suppress
from decimal import Decimal

from chain.ledger import Ledger
from chain.rpc_server import RpcServer
from limits import parse
from support.waiting import wait_for

from embed.balances.solana_rpc import SolanaRpc
from embed.balances.token_accounts import read_associated
from embed.domain.addresses import derive_token_account
from embed.outbound import Reach

LIMIT_S = 5


class PatientClock:
    """Passes as time does, and by what is waited, which takes no time."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def __call__(self) -> float:
        return time.monotonic() + sum(self.waits)

    def wait(self, seconds: float) -> None:
        assert seconds > 0
        self.waits.append(seconds)


def connect(*servers: RpcServer, limit: str = "1000/second", clock: PatientClock | None = None):
    """Return access to these endpoints; its waits are real without `clock`."""
    pretended = {} if clock is None else {"monotonic": clock, "wait": clock.wait}
    urls = tuple(server.url for server in servers)
    return SolanaRpc(urls, limit=parse(limit), reach=Reach.PUBLIC_OR_LOOPBACK, **pretended)


def hang_up(server: RpcServer) -> None:
    """End all connections that are open, and wait until the server is done with them."""
    for connection in list(server.open_connections):
        with suppress(OSError):  # the client was faster
            connection.shutdown(socket.SHUT_RDWR)
    wait_until_open(server, 0)


def wait_until_open(server: RpcServer, number: int) -> None:
    """Wait until so many connections are open."""
    wait_for(lambda: len(server.open_connections) == number, lambda: server.open_connections)


def read(rpc: SolanaRpc, ledger: Ledger, mint: str, *addresses: str) -> dict[str, Decimal]:
    """Read the associated accounts of these owners, as of the ledger's slot."""
    program = ledger.mints[mint].program
    accounts = {each: derive_token_account(each, mint, program) for each in addresses}
    found = read_associated(rpc, mint, accounts)
    assert found.slot == ledger.slot
    return found.amounts
