"""The JSON that the API takes and returns: Structs for bodies and answers.

docs/openapi.json describes their fields. Only the types of a body's fields are checked here, since
each field has its own error code. Amounts and shares are Raw: exact numbers, as write_amount wrote
them. A whole page is written in public_payload/.
"""

from msgspec import UNSET, Raw, Struct, UnsetType


class Json(Struct, rename="camel", kw_only=True):
    """A JSON object with names in camelCase."""


# Wallets and tags


class Tag(Json):
    """A label that the owner puts on wallets."""

    id: str
    name: str
    color: str


class Wallet(Json):
    """A wallet on the list."""

    id: str
    address: str
    public_alias: str | None
    token_balance: Raw  # 0 if unknown
    tags: list[Tag]


class ListedWallet(Wallet):
    """A single wallet of the list, with its share of the supply if it's known."""

    share: Raw | UnsetType = UNSET


# A submission


class WalletRequest(Json):
    """The fields of every body."""

    tracking_page_id: str
    wallet_address: str


class NonceRequest(WalletRequest):
    """Asks for a message to sign; with a nickname, the message contains it."""

    nickname: str | None = None


class GateRefusal(Json):
    """The amounts in a refusal below the minimum balance."""

    balance: Raw
    min_balance: Raw


class Nonce(Json):
    """A message to sign; the last two fields are for the widget only."""

    nonce_id: str
    message: str
    is_duplicate: bool | UnsetType = UNSET
    below_minimum: GateRefusal | UnsetType = UNSET


class SubmissionRequest(WalletRequest):
    """Submits a wallet under a name, with a signature of the nonce's message."""

    nickname: str
    nonce_id: str
    signature: str


class NewSubmission(Json):
    submission_id: str
    status: str  # pending or auto_approved


class Submission(Json):
    """A submission, as its visitor sees it."""

    id: str
    wallet_address: str
    nickname: str
    status: str
    reject_reason: str | None
    created_at_iso: str
    decided_at_iso: str | None


class OwnSubmissions(Json):
    """The submissions of a session to a page, newest first."""

    submissions: list[Submission]


# A wallet's records


class RecordNonceRequest(WalletRequest):
    """Asks for a message to sign; `action` is `show` or `withdraw`."""

    action: str


class RecordNonce(Json):
    """A message to sign for one action."""

    nonce_id: str
    message: str


class RecordRequest(WalletRequest):
    """Proves, with a signature of the nonce's message, that the sender holds the wallet's key."""

    nonce_id: str
    signature: str


class ListEntry(Json):
    """A wallet's entry on the list, even if hidden."""

    public_alias: str | None
    tags: list[Tag]
    hide_from_public: bool
    flagged: bool
    withheld: bool
    added_by: str  # owner or submission
    created_at_iso: str


class RecordedSubmission(Submission):
    """A submission of the wallet, with or without a session."""

    reason_code: str | None
    reason_text: str | None
    has_receipt: bool


class RecordedActivity(Json):
    action: str
    subject: str
    created_at_iso: str


class RecordedListing(Json):
    """A period on the public list."""

    name: str | None
    joined_at_iso: str
    left_at_iso: str | None


class EnteredBalance(Json):
    amount: Raw
    observed_at_iso: str


class ObservedBalance(Json):
    """The latest balance read from the chain."""

    amount: Raw
    observed_at_iso: str
    days: int  # how many daily balances are stored


class WalletRecords(Json):
    """What the page stores about a wallet."""

    wallet_address: str
    listed: ListEntry | None
    submissions: list[RecordedSubmission]
    activity: list[RecordedActivity]
    messages: int
    listings: list[RecordedListing]
    observed_balance: ObservedBalance | None
    entered_balance: EnteredBalance | None


class WithdrawnWallet(Json):
    withdrawn_submissions: int
    left_list: bool
    stays_listed: bool


# A wallet's balance


class RefreshRequest(WalletRequest):
    """Asks for a wallet's balance to be read from the chain."""


class RefreshedBalance(Json):
    """A wallet's latest balance on the chain, in all of its token accounts."""

    wallet_address: str
    token_mint: str
    token_balance: Raw
    observed_at_iso: str
    slot: int
