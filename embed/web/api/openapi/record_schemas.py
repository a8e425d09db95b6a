"""The JSON of a wallet's records, as schemas."""

from embed.domain.nonces import ACTIONS
from embed.web.api.openapi.schemas import (
    SCHEMAS,
    Schema,
    describe_amount,
    describe_instant,
    describe_list,
    describe_object,
    describe_optional_text,
    describe_text,
    refer_to,
)

_NONCE_REQUEST = SCHEMAS["NonceRequest"]["properties"]
_PAGE_ID, _ADDRESS = _NONCE_REQUEST["trackingPageId"], _NONCE_REQUEST["walletAddress"]


def _describe_flag(description: str) -> Schema:
    return {"type": "boolean", "description": description}


def _describe_count(description: str) -> Schema:
    return {"type": "integer", "minimum": 0, "description": description}


def _describe_optional(name: str, description: str) -> Schema:
    return {"anyOf": [refer_to(name), {"type": "null"}], "description": description}


RECORD_SCHEMAS: dict[str, Schema] = {
    "RecordNonceRequest": describe_object(
        "For which wallet, and for what, a text to sign is asked for.",
        trackingPageId=_PAGE_ID,
        walletAddress=_ADDRESS,
        action=describe_text("What the signature is to serve for.", enum=list(ACTIONS)),
    ),
    "RecordRequest": describe_object(
        "The proof that the sender holds a wallet's key.",
        trackingPageId=_PAGE_ID,
        walletAddress=_ADDRESS,
        nonceId=describe_text("From the nonce's answer, for the same action."),
        signature=SCHEMAS["SubmissionRequest"]["properties"]["signature"],
    ),
    "WalletRecords": describe_object(
        "What the page keeps of a wallet.",
        walletAddress=_ADDRESS,
        listed=_describe_optional("ListEntry", "Its place on the list, even if hidden."),
        submissions=describe_list("RecordedSubmission", "Newest first.", maxItems=200),
        activity=describe_list(
            "RecordedActivity", "The log's entries about it, newest first.", maxItems=200
        ),
        messages=_describe_count("Messages about it to those whom the owner lets be told."),
        listings=describe_list(
            "RecordedListing", "When it was on the public list, newest first.", maxItems=200
        ),
        observedBalance=_describe_optional(
            "ObservedBalance", "What it held on the chain; every page of the token shares it."
        ),
        enteredBalance=_describe_optional("EnteredBalance", "What the owner entered."),
    ),
    "ListEntry": describe_object(
        "A wallet's place on the list.",
        publicAlias=describe_optional_text("The name beside it."),
        tags=describe_list("Tag", "Its tags."),
        hideFromPublic=_describe_flag("The owner hides it."),
        flagged=_describe_flag("It holds less than the page's minimum."),
        withheld=_describe_flag("It is off the public list until it holds that again."),
        addedBy=describe_text(
            "Who put it there. An owner's own entry stays after a withdrawal.",
            enum=["owner", "submission"],
        ),
        createdAtIso=describe_instant("When."),
    ),
    "RecordedSubmission": describe_object(
        "A submission of the wallet, with or without a session.",
        **SCHEMAS["Submission"]["properties"],
        hasReceipt=_describe_flag("What was signed for it is kept."),
    ),
    "RecordedActivity": describe_object(
        "An entry of the page's log.",
        action=describe_text("What was done."),
        subject=describe_text("To what."),
        createdAtIso=describe_instant("When."),
    ),
    "RecordedListing": describe_object(
        "A time on the public list.",
        name=describe_optional_text("The name that it had there."),
        joinedAtIso=describe_instant("When it began."),
        leftAtIso=describe_instant("When it ended; null: it is there.")
        | {"type": ["string", "null"]},
    ),
    "ObservedBalance": describe_object(
        "The newest observation on the chain.",
        amount=describe_amount("What it held."),
        observedAtIso=describe_instant("When."),
        days=_describe_count("Past days of which an amount is kept."),
    ),
    "EnteredBalance": describe_object(
        "A balance that the owner entered.",
        amount=describe_amount("What it holds."),
        observedAtIso=describe_instant("When."),
    ),
    "WithdrawnWallet": describe_object(
        "What became of the wallet.",
        withdrawnSubmissions=_describe_count("How many submissions were erased."),
        leftList=_describe_flag("It was on the list, and is not any more."),
        staysListed=_describe_flag("It is on the list still, as it is not there by these."),
    ),
}
