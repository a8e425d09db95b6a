"""The JSON that the API takes and returns: one Struct for each body and each answer.

Bodies are parsed into them, answers are written from them, and the OpenAPI document describes them.
Here, only the types of bodies are checked, since each field has its own error code.
"""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Any

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from embed.domain.amounts import MAX_AMOUNT, MAX_DECIMALS
from embed.domain.nonces import ACTIONS
from embed.domain.nonces import Nonce as SubmissionNonce
from embed.domain.nonces import RecordNonce as RecordsNonce
from embed.domain.policy import REJECT_REASON_BY_CODE
from embed.domain.reasons import CODES, MAX_LENGTH


def about(description: str, example: Any = ..., **schema: Any) -> Meta:
    """Describe a field for readers; `schema` is additional JSON Schema, which isn't enforced.

    A field has an example unless it consists of other Structs or is usually absent.
    """
    examples = None if example is ... else [example]
    return Meta(description=description, examples=examples, extra_json_schema=schema or None)


def instant(description: str, example: str | None = "2026-01-31T09:35:01.002Z") -> Meta:
    return about(f"{description} UTC, with milliseconds.", example, format="date-time")


def exact_amount(description: str, example: Decimal, most: Decimal | None = MAX_AMOUNT) -> Meta:
    """Describe an amount, which a Struct holds as written by write_amount."""
    description += (
        " In whole tokens, decimals applied. An exact number of at most "
        f"{MAX_DECIMALS} decimals, never with an exponent: a 64-bit float may round it."
    )
    limits = {"minimum": 0} | ({} if most is None else {"maximum": int(most)})
    return about(description, example, type="number", format="decimal", **limits)


class Json(Struct, rename="camel", kw_only=True, omit_defaults=True):
    """A JSON object with names in camelCase."""


# The examples belong together: this wallet signed these messages.
_WALLET_ADDRESS = "EhvJsnst4uHi8CCa8RarV1cPi1YCpzpbTGBWdSLXbTXK"
_PAGE_ID = "KcSGXVu1dM9WKcnWRfvt"
_BOUND_TO: dict[str, Any] = {
    "page_id": _PAGE_ID,
    "wallet_address": _WALLET_ADDRESS,
    "key_id": "kKRxWPpbSUVb61Pv8aIL",
    "host": "embed.example.com",
    "issued_at": datetime(2026, 1, 31, 9, 30, tzinfo=UTC),
    "expires_at": datetime(2026, 1, 31, 9, 40, tzinfo=UTC),
}
_MESSAGE = SubmissionNonce(
    **_BOUND_TO,
    token="M861dCFXZggWrOk2YJND",  # noqa: S106 - not a credential
    detail="Ada",
).build_message()
_NONCE_ID = (
    ".eJwVytsKgjAAgOF38VqkRci6rFWW0xI1NxMvdsrEtOEJ6elb_-XHX7irf3ZhYZF4NJuADLcEi47Ez3m0bOv4mv2hG8bN"
    "dK4hQgzGrM-AiGqQI_3VPPX2RCYB5SnFZm9wvJBI8-SecRdEM2SXwLBquZKOWlir38oRn9ZYCF0g0Yk-qor0t2ad-9eD4Z1kVl"
    "n-AEoKL8k.AZwTY0nA.5jiCgpnxJabBiB2KcdECETD3FAW2qzfq8TkjmhtghoE"
)
_RECORDS_MESSAGE = RecordsNonce(
    **_BOUND_TO,
    token="qHOOr8CW5lSnzsex0N8D",  # noqa: S106 - not a credential
    detail="show",
).build_message()
_RECORDS_NONCE_ID = (
    ".eJwVytsKgjAAgOF32bWIg5J12wqtWYozZ4gX21woVeieEp--9V9-_Lnr_LNyQCT1snSG5e3AiOxY_FomYIFztVzHbpx2s18j"
    "jDmK-ZBCGdXwifWmReIdWUmDTCQZMfubxCuLtKCPVLgwWhC_BIZVK1Rpq5W3ulG27FtjHz8MB4TZvqHdNqrVuaOT4bHqv6Aofo"
    "lzMQI.AZwTY0nA.37h9-VvxwCTT0s0QXsKPCR3w8PsB7BkpzvYRoM1JGjg"
)

PageId = Annotated[str, about("The id of the key's tracking page.", _PAGE_ID)]
WalletAddress = Annotated[
    str,
    about(
        "The wallet's address: base58 of 32 bytes.",
        _WALLET_ADDRESS,
        pattern="^[1-9A-HJ-NP-Za-km-z]{32,44}$",
    ),
]
TokenMint = Annotated[
    str,
    about("Base58 address of the token's mint.", "EPjFWdD5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"),
]


def _signature(example: str) -> Meta:
    return about(
        "Standard base64, padded, of the 64 bytes of an Ed25519 signature over the message.",
        example,
        pattern="^[A-Za-z0-9+/]{85}[AQgw]==$",
    )


# A tracking page


class Tag(Json):
    """A word that the owner puts on wallets."""

    id: Annotated[str, about("Stays the same from call to call.", "hNvwG4y52ZONNENwFJr8")]
    name: Annotated[str, about("The name to show.", "team")]
    color: Annotated[str, about("A color's name, such as `green` or `blue-500`.", "blue")]
    counted: Annotated[
        bool,
        about(
            "Only there if it is false: wallets with this tag, such as pools and exchanges, are "
            "not in `countedBalance`."
        ),
    ] = True


class Wallet(Json, kw_only=True):
    """A wallet that is tracked."""

    id: Annotated[str, about("Stays the same from call to call.", "Pz3i9VpPYoMik9A11QTQ")]
    address: WalletAddress
    public_alias: Annotated[
        str | None, about("The owner's name for it, or its visitor's nickname.", "Treasury")
    ]
    token_balance: Annotated[
        Raw,
        exact_amount(
            "What it holds, as read from the chain or entered; else 0.",
            Decimal("18446744073.709551615"),
        ),
    ]
    balance_known: Annotated[
        bool,
        about(
            "Only there if it is false: nobody entered or read its balance, and the 0 stands for "
            "that."
        ),
    ] = True
    tags: Annotated[list[Tag], about("Those of the page's tags that this wallet has.")]


class ListedWallet(Wallet, kw_only=True):
    """A wallet of the list, asked for by its address."""

    share: Annotated[
        Raw | UnsetType,
        about(
            "`tokenBalance` / the page's `supply`, rounded to six significant digits; absent if "
            "either is unknown.",
            Decimal("0.000012505"),
            type="number",
            minimum=0,
        ),
    ] = UNSET


class Sums(Json):
    """What the listed wallets hold together, as far as their balances are known."""

    balance: Annotated[Raw, exact_amount("All of them.", Decimal("4801250.5"), None)]
    wallets: Annotated[int, about("How many of them are in `balance`.", 37, minimum=1)]
    counted_balance: Annotated[
        Raw, exact_amount("Those without a tag whose `counted` is false.", Decimal("1250.5"), None)
    ]
    counted_wallets: Annotated[
        int, about("How many of them are in `countedBalance`.", 36, minimum=0)
    ]
    counted_share: Annotated[
        Raw | UnsetType,
        about(
            "`countedBalance` / `supply`, rounded to six significant digits; absent without a "
            "`supply`. More than 1 means that tokens were burned after a balance was read.",
            Decimal("0.000012505"),
            type="number",
            minimum=0,
        ),
    ] = UNSET


class TrackingPage(Json, kw_only=True):
    """The public data of a tracking page."""

    token_name: Annotated[str, about("The token's name.", "USD Coin")]
    token_symbol: Annotated[str, about("The token's symbol, without a `$`.", "USDC")]
    token_mint: TokenMint
    public_title: Annotated[str | None, about("The page's title.", "Wallets we watch")]
    public_comments: Annotated[
        str | None, about("A note by the owner; may have several lines.", None)
    ]
    supply: Annotated[
        Raw | UnsetType,
        exact_amount(
            "How much of the token there is, read from the chain with the balances, so that "
            "`tokenBalance` / `supply` is a wallet's share; absent if it is not known, or 0.",
            Decimal(100_000_000),
        ),
    ] = UNSET
    sums: Annotated[Sums | UnsetType, about("Absent if no balance is known.")] = UNSET
    wallets: Annotated[list[Wallet], about("Oldest first, without hidden ones.")]
    tags: Annotated[list[Tag], about("All tags of the page, used or not.")]


# A submission


class WalletRequest(Json):
    """What every body names."""

    tracking_page_id: PageId
    wallet_address: WalletAddress


class NonceRequest(WalletRequest):
    """Which wallet asks for a text to sign."""

    nickname: Annotated[
        str | None,
        about(
            "The name that the submission will bring: the text then has it, so that the signature "
            "covers it. Null is as good as absent.",
            "Ada",
        ),
    ] = None


class GateRefusal(Json):
    """What a refusal below the minimum balance has besides its code."""

    balance: Annotated[Raw, exact_amount("What the service knows of this wallet.", Decimal(0))]
    min_balance: Annotated[Raw, exact_amount("What the page asks for.", Decimal(100))]


class Nonce(Json):
    """A text to sign; works once, for one page, wallet and key."""

    nonce_id: Annotated[str, about("Send it back unchanged.", _NONCE_ID)]
    message: Annotated[str, about("Sign exactly these characters, encoded as UTF-8.", _MESSAGE)]
    is_duplicate: Annotated[
        bool,
        about(
            "There is nothing to sign: a submission put the wallet on the public list, or this "
            "session has already sent it. Pending submissions of others are not revealed.",
            False,
        ),
    ]
    below_minimum: Annotated[
        GateRefusal | UnsetType,
        about(
            "Only at `/embed/api`, for a request without a `nickname`: a submission would be "
            "refused now, with `ca_gate_failed`."
        ),
    ] = UNSET


class SubmissionRequest(WalletRequest):
    """A wallet, its public name and the proof that the sender holds its key."""

    nickname: Annotated[
        str,
        about(
            "Trimmed and normalized (NFKC), then 1 to 32 letters, numbers, spaces, periods, "
            "underscores and hyphens.",
            "Ada",
            minLength=1,
        ),
    ]
    nonce_id: Annotated[str, about("From the nonce's answer.", _NONCE_ID)]
    signature: Annotated[
        str,
        _signature(
            "qdcbmkmlSgUj+fu9FBkLsryHQFQ6+sdgOK+Val3nSrVPu6p6mmnEuGF8EaKaIxuhdukxUU/Rx0galUwjfXgyBA=="
        ),
    ]


class NewSubmission(Json):
    """What became of the request."""

    submission_id: Annotated[
        str, about("The id in the visitor's own list.", "KAAHpsc7L7NahhipkfVQ")
    ]
    status: Annotated[
        str,
        about(
            "`pending`: the owner looks at it first. `auto_approved`: it is on the page already.",
            "pending",
            enum=["pending", "auto_approved"],
        ),
    ]


class Submission(Json):
    """A submission, as its visitor may see it."""

    id: Annotated[str, about("Stays the same from call to call.", "KAAHpsc7L7NahhipkfVQ")]
    wallet_address: WalletAddress
    nickname: Annotated[str, about("As it was normalized.", "Ada")]
    status: Annotated[
        str,
        about(
            "`soft_rejected` is a note on a request that was refused when it was sent.",
            "approved",
            enum=["pending", "approved", "rejected", "auto_approved", "soft_rejected"],
        ),
    ]
    reject_reason: Annotated[
        str | None,
        about(
            "Why, if it was rejected or soft-rejected.",
            None,
            enum=[*REJECT_REASON_BY_CODE.values(), None],
        ),
    ]
    reason_code: Annotated[
        str | None,
        about("Why the owner rejected it, if one of these was picked.", None, enum=[*CODES, None]),
    ]
    reason_text: Annotated[
        str | None,
        about("Why, in the owner's own words, if these were written.", None, maxLength=MAX_LENGTH),
    ]
    created_at_iso: Annotated[str, instant("When it was sent.", "2026-01-31T09:30:12.345Z")]
    decided_at_iso: Annotated[str | None, instant("When it was decided; null while pending.")]


class OwnSubmissions(Json):
    """The submissions of this session to this page."""

    submissions: Annotated[list[Submission], about("Newest first.", maxItems=50)]


# A wallet's records


class RecordNonceRequest(WalletRequest):
    """For which wallet, and for what, a text to sign is asked for."""

    action: Annotated[str, about("What the signature is to serve for.", "show", enum=list(ACTIONS))]


class RecordNonce(Json):
    """A text to sign; works once, for one page, wallet, key and action."""

    nonce_id: Annotated[str, about("Send it back unchanged.", _RECORDS_NONCE_ID)]
    message: Annotated[
        str, about("Sign exactly these characters, encoded as UTF-8.", _RECORDS_MESSAGE)
    ]


class RecordRequest(WalletRequest):
    """The proof that the sender holds a wallet's key."""

    nonce_id: Annotated[
        str, about("From the nonce's answer, for the same action.", _RECORDS_NONCE_ID)
    ]
    signature: Annotated[
        str,
        _signature(
            "BpRo2nr910s3N9RnvztARqXSq2CaBX6EDmNj2rXU/NTTm8Ng70mO4/pjt6nl81uWGLDA/U1nXOqXKBOgkZ5aDg=="
        ),
    ]


class ListEntry(Json):
    """A wallet's place on the list."""

    public_alias: Annotated[str | None, about("The name beside it.", "Ada")]
    tags: Annotated[list[Tag], about("Its tags.")]
    hide_from_public: Annotated[bool, about("The owner hides it.", False)]
    flagged: Annotated[bool, about("It holds less than the page's minimum.", False)]
    withheld: Annotated[bool, about("It is off the public list until it holds that again.", False)]
    added_by: Annotated[
        str,
        about(
            "Who put it there. An owner's own entry stays after a withdrawal.",
            "submission",
            enum=["owner", "submission"],
        ),
    ]
    created_at_iso: Annotated[str, instant("When.")]


class RecordedSubmission(Submission):
    """A submission of the wallet, with or without a session."""

    has_receipt: Annotated[bool, about("What was signed for it is kept.", True)]


class RecordedActivity(Json):
    """An entry of the page's log."""

    action: Annotated[str, about("What was done.", "approve submission")]
    subject: Annotated[str, about("To what.", f"Ada ({_WALLET_ADDRESS})")]
    created_at_iso: Annotated[str, instant("When.")]


class RecordedListing(Json):
    """A time on the public list."""

    name: Annotated[str | None, about("The name that it had there.", "Ada")]
    joined_at_iso: Annotated[str, instant("When it began.", "2026-01-31T09:36:00.000Z")]
    left_at_iso: Annotated[str | None, instant("When it ended; null: it is there.", None)]


class EnteredBalance(Json):
    """A balance that the owner entered."""

    amount: Annotated[Raw, exact_amount("What it holds.", Decimal(1000))]
    observed_at_iso: Annotated[str, instant("When.", "2026-01-30T18:00:00.000Z")]


class ObservedBalance(Json):
    """The newest observation on the chain."""

    amount: Annotated[Raw, exact_amount("What it held.", Decimal("1250.5"))]
    observed_at_iso: Annotated[str, instant("When.", "2026-01-31T09:30:00.000Z")]
    days: Annotated[int, about("Past days of which an amount is kept.", 12, minimum=0)]


class WalletRecords(Json):
    """What the page keeps of a wallet."""

    wallet_address: WalletAddress
    listed: Annotated[ListEntry | None, about("Its place on the list, even if hidden.")]
    submissions: Annotated[list[RecordedSubmission], about("Newest first.", maxItems=200)]
    activity: Annotated[
        list[RecordedActivity], about("The log's entries about it, newest first.", maxItems=200)
    ]
    messages: Annotated[
        int, about("Messages about it to those whom the owner lets be told.", 2, minimum=0)
    ]
    listings: Annotated[
        list[RecordedListing], about("When it was on the public list, newest first.", maxItems=200)
    ]
    observed_balance: Annotated[
        ObservedBalance | None,
        about("What it held on the chain; every page of the token shares it."),
    ]
    entered_balance: Annotated[EnteredBalance | None, about("What the owner entered.")]


class WithdrawnWallet(Json):
    """What became of the wallet."""

    withdrawn_submissions: Annotated[int, about("How many submissions were erased.", 1, minimum=0)]
    left_list: Annotated[bool, about("It was on the list, and is not any more.", True)]
    stays_listed: Annotated[
        bool, about("It is on the list still, as it is not there by these.", False)
    ]


# A wallet's balance


class RefreshRequest(WalletRequest):
    """Which of the page's wallets is to be read."""


class RefreshedBalance(Json):
    """What a wallet holds in all of its token accounts: the newest observation on the chain."""

    wallet_address: WalletAddress
    token_mint: TokenMint
    token_balance: Annotated[Raw, exact_amount("What it holds.", Decimal("1250.5"))]
    observed_at_iso: Annotated[str, instant("When it was observed.")]
    slot: Annotated[
        int, about("The ledger's slot at which it held that; never less than before.", 368_421_907)
    ]


# Refusals
