"""The virtual machine below the ledger: accounts, transactions, slots and time."""

import threading
from collections.abc import Sequence

from solders.account import Account
from solders.hash import Hash
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.litesvm import LiteSVM
from solders.message import Message
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.system_program import ID as SYSTEM
from solders.transaction import Transaction
from solders.transaction_metadata import FailedTransactionMetadata


class Refused(Exception):
    """A program refused a transaction."""


class Machine:
    """Threads may share it. Each transaction has its own slot; signatures are not checked."""

    def __init__(self) -> None:
        self._svm = (
            LiteSVM()
            .with_sigverify(False)
            .with_blockhash_check(False)
            .with_transaction_history(0)  # so that the same transaction can be sent twice
        )
        self._lock = threading.RLock()  # LiteSVM refuses two callers at once
        self.payer = Keypair().pubkey()
        self._svm.set_account(self.payer, Account(10**17, b"", SYSTEM))

    @property
    def slot(self) -> int:
        with self._lock:
            slot: int = self._svm.get_clock().slot
            return slot

    def advance(self, slots: int) -> None:
        with self._lock:
            self._svm.warp_to_slot(self._svm.get_clock().slot + slots)

    def find_account(self, address: Pubkey) -> Account | None:
        with self._lock:
            return self._svm.get_account(address)

    def set_account(self, address: Pubkey, account: Account) -> None:
        with self._lock:
            self._svm.set_account(address, account)

    def pay(self, address: Pubkey, lamports: int) -> None:
        with self._lock:
            self._svm.airdrop(address, lamports)

    def send(self, *calls: Instruction) -> None:
        """Execute these instructions in one transaction. Raises Refused."""
        with self._lock:
            outcome = self._svm.send_transaction(self._write(calls))
            if isinstance(outcome, FailedTransactionMetadata):
                raise Refused(f"{outcome.err()} {outcome.meta().logs()}")
            self.advance(1)

    def ask(self, call: Instruction) -> bytes:
        """Return what an instruction answers, without executing it."""
        with self._lock:
            outcome = self._svm.simulate_transaction(self._write([call]))
            if isinstance(outcome, FailedTransactionMetadata):
                raise Refused(f"{outcome.err()} {outcome.meta().logs()}")
            return outcome.meta().return_data().data

    def _write(self, calls: Sequence[Instruction]) -> Transaction:
        message = Message.new_with_blockhash(list(calls), self.payer, Hash.default())
        count = message.header.num_required_signatures
        return Transaction.populate(message, [Signature.default()] * count)
