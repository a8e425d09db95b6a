"""Checks of the Solana RPC endpoints: each by itself, and that they are of one network."""

import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from typing import Any

from embed.balances.rpc_endpoint import CallFailed, Endpoint, Pace, RpcRefused, WrongAnswer
from embed.doctor.checks import Check, run_together
from embed.doctor.findings import Finding, quote
from embed.outbound.guard import Reach
from embed.outbound.http import Clients
from embed.settings import Settings

_TIMEOUT_S = 8.0
# By the hash of the first block (github.com/ChainAgnostic/namespaces, solana/caip2.md).
_NETWORKS = {
    "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d": "mainnet",
    "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG": "devnet",
    "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY": "testnet",
}
_TEST_NETWORKS = {"devnet", "testnet"}


def check_rpc(settings: Settings) -> Iterator[Finding]:
    """Ask each endpoint for its network, all at the same time."""
    networks: dict[int, str] = {}
    checks = [
        Check(f"RPC endpoint {number}", partial(_check_endpoint, number, url, settings, networks))
        for number, url in enumerate(settings.solana_rpc_url, start=1)
    ]
    yield from run_together(checks).findings
    if len(set(networks.values())) > 1:
        yield Finding(
            "rpc_networks_differ",
            "The endpoints in SOLANA_RPC_URL belong to different networks: "
            + ", ".join(f"{number} to {network}" for number, network in sorted(networks.items()))
            + ".",
            "Leave only endpoints of one network in SOLANA_RPC_URL.",
        )
    elif found := set(networks.values()) & _TEST_NETWORKS:
        yield Finding(
            "rpc_test_network",
            f"SOLANA_RPC_URL leads to {found.pop()}, whose tokens have no value.",
            "For real balances, name an endpoint of mainnet in SOLANA_RPC_URL.",
        )


def _check_endpoint(
    number: int, url: str, settings: Settings, networks: dict[int, str]
) -> Iterator[Finding]:
    reach = Reach.ANY if settings.allow_private_targets else Reach.PUBLIC_OR_LOOPBACK
    with closing(Clients(reach, time.monotonic)) as clients:
        endpoint = Endpoint(url, "", pace=Pace(settings.limit_rpc), clients=clients)
        try:
            networks[number] = endpoint.call("getGenesisHash", [], _read_network, _TIMEOUT_S)
        except RpcRefused:
            return  # it answers, and does not tell its network
        except CallFailed as failure:
            yield Finding(
                "rpc_unreachable",
                f"Endpoint {number} of {len(settings.solana_rpc_url)} in SOLANA_RPC_URL gave no"
                f" usable answer: {failure}.",
                "Look whether its address and its key are right, or replace it in SOLANA_RPC_URL.",
            )


def _read_network(result: Any) -> str:
    if not isinstance(result, str) or not result.isalnum():
        raise WrongAnswer("it is no hash")
    return _NETWORKS.get(result, quote(result))
