"""The database tables; every rule that a database can enforce is a constraint."""

# Imported here for other packages.
# ruff: noqa: F401
# mypy: implicit-reexport

from embed.db.fields import BaseModel
from embed.db.models.balances import (
    Balance,
    ChainBalance,
    DailyBalance,
    Token,
)
from embed.db.models.events import Activity, Delivery, Message, Receiver
from embed.db.models.pages import (
    HOLDING_WATCHES,
    ApiKey,
    Invitation,
    Logo,
    Member,
    Page,
    RefusedOrigin,
)
from embed.db.models.people import (
    AccountEvent,
    Passkey,
    Person,
    Session,
)
from embed.db.models.submissions import (
    APPROVED,
    LIVE,
    STATUSES,
    Block,
    Proof,
    RefusalCount,
    Submission,
    UsedNonce,
    Withdrawal,
)
from embed.db.models.wallets import (
    IS_VISIBLE,
    LOW_IN_A_ROW,
    UNMARKED,
    Listing,
    Tag,
    TrackedWallet,
    Wallet,
    WalletTag,
)
from embed.db.models.work import Job, Lease

MODELS = (
    Person,
    Session,
    Passkey,
    AccountEvent,
    Page,
    Logo,
    Member,
    Invitation,
    ApiKey,
    Submission,
    Tag,
    Wallet,
    WalletTag,
    Balance,
    Token,
    ChainBalance,
    DailyBalance,
    Proof,
    Withdrawal,
    UsedNonce,
    RefusalCount,
    Block,
    RefusedOrigin,
    Activity,
    Listing,
    Receiver,
    Message,
    Delivery,
    Job,
    Lease,
)
