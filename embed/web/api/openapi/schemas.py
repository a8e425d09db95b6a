"""The JSON that the API takes and returns (spec 2, 4), as schemas."""

from typing import Any

from embed.domain.amounts import MAX_AMOUNT, MAX_DECIMALS
from embed.domain.policy import REJECT_REASON_BY_CODE

Schema = dict[str, Any]


def refer_to(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def describe_object(description: str, **fields: Schema) -> Schema:
    """Return the schema of an object that always has all of its fields."""
    return {
        "type": "object",
        "description": description,
        "required": list(fields),
        "properties": fields,
    }


def add_optional(schema: Schema, **fields: Schema) -> Schema:
    """Return an object's schema with fields that may be absent."""
    return schema | {"properties": schema["properties"] | fields}


def describe_text(description: str, **constraints: Any) -> Schema:
    return {"type": "string", "description": description} | constraints


def describe_optional_text(description: str) -> Schema:
    return {"type": ["string", "null"], "description": description}


def describe_amount(description: str) -> Schema:
    return {
        "type": "number",
        "description": f"{description} In whole tokens, decimals applied. An exact number of at "
        f"most {MAX_DECIMALS} decimals, never with an exponent: a 64-bit float may round it.",
        "minimum": 0,
        "maximum": MAX_AMOUNT,
    }


def describe_list(name: str, description: str, **constraints: Any) -> Schema:
    return {"type": "array", "items": refer_to(name), "description": description} | constraints


def describe_instant(description: str) -> Schema:
    return describe_text(f"{description} UTC, with milliseconds.", format="date-time")


_PAGE_ID = describe_text("The id of the key's tracking page.")
_ADDRESS = describe_text(
    "The wallet's address: base58 of 32 bytes.", pattern="^[1-9A-HJ-NP-Za-km-z]{32,44}$"
)

_PAGE_FIELDS = {
    "tokenName": describe_text("The token's name."),
    "tokenSymbol": describe_text("The token's symbol, without a `$`."),
    "tokenMint": describe_text("Base58 address of the token's mint."),
    "publicTitle": describe_optional_text("The page's title."),
    "publicComments": describe_optional_text("A note by the owner; may have several lines."),
    "wallets": describe_list("Wallet", "Oldest first, without hidden ones."),
    "tags": describe_list("Tag", "All tags of the page, used or not."),
}
_WALLETS_OF_DELTA = {
    "type": "array",
    "description": "Wallets, and pairs of numbers for wallets that have not changed: `[1, 500]` "
    "stands for those at the places 1 to 499, counted from 0, of the earlier `wallets`.",
    "items": {
        "anyOf": [
            refer_to("Wallet"),
            {
                "type": "array",
                "prefixItems": [{"type": "integer", "minimum": 0}] * 2,
                "minItems": 2,
                "maxItems": 2,
            },
        ]
    },
}

SCHEMAS: dict[str, Schema] = {
    "TrackingPage": describe_object("The public data of a tracking page.", **_PAGE_FIELDS),
    "TrackingPageDelta": describe_object(
        "The public data of a tracking page, but for wallets that the client has.",
        **_PAGE_FIELDS | {"wallets": _WALLETS_OF_DELTA},
    ),
    "Wallet": describe_object(
        "A wallet that is tracked.",
        id=describe_text("Stays the same from call to call."),
        address=_ADDRESS,
        publicAlias=describe_optional_text("The owner's name for it, or its visitor's nickname."),
        tokenBalance=describe_amount("What it holds, as read from the chain or entered; else 0."),
        tags=describe_list("Tag", "Those of the page's tags that this wallet has."),
    ),
    "Tag": describe_object(
        "A word that the owner puts on wallets.",
        id=describe_text("Stays the same from call to call."),
        name=describe_text("The name to show."),
        color=describe_text("A color's name, such as `green` or `blue-500`."),
    ),
    "NonceRequest": add_optional(
        describe_object(
            "Which wallet asks for a text to sign.",
            trackingPageId=_PAGE_ID,
            walletAddress=_ADDRESS,
        ),
        nickname=describe_optional_text(
            "The name that the submission will bring: the text then has it, so that the signature "
            "covers it. Null is as good as absent."
        ),
    ),
    "Nonce": describe_object(
        "A text to sign; works once, for one page, wallet and key.",
        nonceId=describe_text("Send it back unchanged."),
        message=describe_text("Sign exactly these characters, encoded as UTF-8."),
    ),
    "SubmissionRequest": describe_object(
        "A wallet, its public name and the proof that the sender holds its key.",
        trackingPageId=_PAGE_ID,
        walletAddress=_ADDRESS,
        nickname=describe_text(
            "Trimmed and normalized (NFKC), then 1 to 32 letters, numbers, spaces, periods, "
            "underscores and hyphens.",
            minLength=1,
        ),
        nonceId=describe_text("From the nonce's answer."),
        signature=describe_text(
            "Standard base64, padded, of the 64 bytes of an Ed25519 signature over the message.",
            pattern="^[A-Za-z0-9+/]{85}[AQgw]==$",
        ),
    ),
    "NewSubmission": describe_object(
        "What became of the request.",
        submissionId=describe_text("The id in the visitor's own list."),
        status=describe_text(
            "`pending`: the owner looks at it first. `auto_approved`: it is on the page already.",
            enum=["pending", "auto_approved"],
        ),
    ),
    "OwnSubmissions": describe_object(
        "The submissions of this session to this page.",
        submissions=describe_list("Submission", "Newest first.", maxItems=50),
    ),
    "Submission": describe_object(
        "A submission, as its visitor may see it.",
        id=describe_text("Stays the same from call to call."),
        walletAddress=_ADDRESS,
        nickname=describe_text("As it was normalized."),
        status=describe_text(
            "`soft_rejected` is a note on a request that was refused when it was sent.",
            enum=["pending", "approved", "rejected", "auto_approved", "soft_rejected"],
        ),
        rejectReason={
            "type": ["string", "null"],
            "description": "Why, if it was rejected or soft-rejected.",
            "enum": ["manual", *REJECT_REASON_BY_CODE.values(), None],
        },
        createdAtIso=describe_instant("When it was sent."),
        decidedAtIso=describe_instant("When it was decided; null while pending.")
        | {"type": ["string", "null"]},
    ),
}
