"""Reading the primary domains of wallets from the Solana Name Service.

A name counts only if it leads back: its own account follows from its text, so no account and no
endpoint can claim another's.
"""

import base64
import binascii
import logging
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
from peewee import chunked

from embed.balances.mints import TOKEN_PROGRAM
from embed.balances.rpc_endpoint import RpcRefused, WrongAnswer
from embed.balances.rpc_results import COMMITMENT, Account, Accounts
from embed.balances.solana_rpc import SolanaRpc, UnusableAnswer
from embed.balances.stored_names import NameObservation
from embed.domain import sns
from embed.domain.times import Clock

MOST_WALLETS = 33  # in a call, which asks for three accounts of each and for the root of all names

_BYTES = {
    "encoding": "base64",
    "dataSlice": {"offset": 0, "length": sns.READ_BYTES},
    **COMMITMENT,
}

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Favourite:
    """What a wallet has chosen as its primary domain."""

    address: str
    domain: str | None  # the account of a name; None: nothing was chosen
    slot: int


def parse_favourite(address: str, account: Account | None, slot: int) -> Favourite:
    """Read what lies in a wallet's account for its choice. Raises WrongAnswer."""
    data = read_data(account, sns.OFFERS_PROGRAM)
    return Favourite(address, sns.parse_favourite(data), slot)


def read_data(account: Account | None, program: str) -> bytes:
    """Return what a program keeps in an account; b"" if it is another's. Raises WrongAnswer."""
    if account is None or account.owner != program or not isinstance(account.data, tuple):
        return b""
    try:
        return base64.b64decode(account.data[0], validate=True)
    except binascii.Error:
        raise WrongAnswer("it has an account of another form") from None


def read_names(
    rpc: SolanaRpc, clock: Clock, favourites: Iterable[Favourite]
) -> Generator[list[NameObservation]]:
    """Yield the names of these wallets, some after each call.

    A call without a usable answer does not keep others from being made: UnusableAnswer is raised
    at the end. Raises RpcUnavailable at once.
    """
    chosen, now = [], clock()
    without = []
    for one in favourites:
        if one.domain is None:
            without.append(NameObservation(one.address, None, one.slot, now))
        else:
            chosen.append(_Choice(one.address, one.domain, one.slot))
    if without:
        yield without
    first_failure: UnusableAnswer | None = None
    for batch in chunked(chosen, MOST_WALLETS):
        try:
            yield _read_batch(rpc, clock, batch)
        except UnusableAnswer as failure:
            first_failure = first_failure or failure
            _log.warning("The names of %d wallets were not read. %s", len(batch), failure)
    if first_failure is not None:
        raise first_failure


class _Choice(NamedTuple):
    wallet: str
    domain: str
    slot: int


class _Read(NamedTuple):
    slot: int
    data: dict[str, bytes]  # by account


def _read_batch(rpc: SolanaRpc, clock: Clock, batch: Sequence[_Choice]) -> list[NameObservation]:
    read = _read_accounts(rpc, _list_accounts(batch))
    parents = {one.wallet: parent for one in batch if (parent := _find_parent(one, read.data))}
    below = {
        one.domain: parents[one.wallet]
        for one in batch
        if parents.get(one.wallet, sns.ROOT_DOMAIN) != sns.ROOT_DOMAIN
    }
    slot, data = read
    if below:
        more = _read_accounts(rpc, _list_accounts_below(below))
        slot, data = min(slot, more.slot), data | more.data
    now = clock()
    rows = []
    for one in batch:
        labels = _find_labels(one.domain, parents.get(one.wallet), data)
        known_at = min(slot, one.slot)
        name = sns.write_name(*labels, slot=known_at) if labels else None
        rows.append(NameObservation(one.wallet, name, known_at, now))
    return rows


def _list_accounts(batch: Sequence[_Choice]) -> dict[str, str]:
    """Return what to ask for first, with the program that each has to belong to.

    Wallets may choose any account, so what was derived comes last: another's token stays a token.
    """
    programs = {one.domain: sns.NAME_PROGRAM for one in batch}
    for one in batch:
        programs[sns.derive_reverse(one.domain)] = sns.NAME_PROGRAM
        programs[sns.derive_holding(one.domain, one.wallet)] = TOKEN_PROGRAM
    return programs


def _list_accounts_below(parents: Mapping[str, str]) -> dict[str, str]:
    """Return what else tells the names of subdomains, which are given with their parents."""
    reverses = [sns.derive_reverse(domain, parent) for domain, parent in parents.items()]
    reverses += [sns.derive_reverse(parent) for parent in parents.values()]
    return dict.fromkeys(reverses, sns.NAME_PROGRAM)


def _find_parent(choice: _Choice, data: Mapping[str, bytes]) -> str | None:
    """Return what the chosen name is below; None if it is no longer the wallet's."""
    wallet, domain, _ = choice
    registry = sns.parse_registry(data[domain])
    if registry is None:
        return None
    # A tokenized name belongs to whoever holds its token.
    holding = data[sns.derive_holding(domain, wallet)]
    is_own = registry.owner == wallet or sns.is_held(holding, domain, wallet)
    return registry.parent if is_own else None


def _find_labels(
    domain: str, parent: str | None, data: Mapping[str, bytes]
) -> tuple[bytes, ...] | None:
    """Return the parts of a name from the left, if each leads back to the account it is of."""
    if parent is None:
        return None
    label = sns.parse_label(data[sns.derive_reverse(domain, parent)])
    if label is None or sns.derive_domain(label, parent) != domain:
        return None
    if parent == sns.ROOT_DOMAIN:
        return (label,)
    above = _find_labels(parent, sns.ROOT_DOMAIN, data)
    return (label, *above) if above else None


def _read_accounts(rpc: SolanaRpc, programs: Mapping[str, str]) -> _Read:
    """Read accounts, of which those of other programs count as empty.

    The root of all names is asked for too, because on another network none would exist.
    Raises RpcUnavailable, UnusableAnswer.
    """
    wanted = [*programs, sns.ROOT_DOMAIN]

    def parse(raw: msgspec.Raw) -> _Read:
        answer = msgspec.json.decode(raw, type=Accounts)
        if len(answer.value) != len(wanted):
            raise WrongAnswer("it has another number of accounts")
        *accounts, root = answer.value
        if root is None:
            raise WrongAnswer("it does not know the root of names, so it may be of another network")
        found = zip(programs.items(), accounts, strict=True)
        data = {address: read_data(account, program) for (address, program), account in found}
        return _Read(answer.context.slot, data)

    try:
        return rpc.call("getMultipleAccounts", [wanted, _BYTES], parse=parse)
    except RpcRefused as refused:
        raise UnusableAnswer(str(refused)) from None
