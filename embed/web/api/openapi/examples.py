"""An example of everything that the API takes and returns, by the name of its schema."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from embed.domain.nonces import Nonce, RecordNonce

PAGE_ID = "KcSGXVu1dM9WKcnWRfvt"
WALLET_ADDRESS = "GjJsz6v68e8EEE8STzVDBct8T4dHTKXMytjJtsWiy4vv"
NONCE_ID = (
    ".eJwVysEOQzAAgOF36Vlk7UbsTMaUrSNaJg5aJWJtbTHx-LP_-OWv3cM_qwZY5GFJv7BLzwwLzbJ-XYAFHO7QCk2nmCPy"
    "SNLeU2OhzVG-C8ePdJ5Rs1RKmWCMiN73CWcbIzPPC8pdSFavvSY7S8VlZ8utVfNL2sKo3VLPhZ1_KZ_DwD73CVXxLQBN8wP8"
    "Vi39.AZwTY0nA.ImsTUPrq90ebYWugJD1zay8SnZGmzIlzNnZ9o4WR2OQ"
)
# By the wallet above over the message of the example "Nonce".
SIGNATURE = (
    "zFNhsvg/TsIq+Cfcjmko2alT+cQRwzAk7YL7qht7EkCJ8Tr+2/DG/737/IvsfHyY/2QealmkqL6zL3OzAhuiDA=="
)

# The same for a wallet's records: another wallet, over the message of the example "RecordNonce".
HOLDER_ADDRESS = "DNpjX7Qew7LsvdrtKVXhYQpZjXXwNDxqZBf62nk1NuFp"
RECORD_NONCE_ID = (
    ".eJwVykkKgzAAQNG7ZC2ihUa7baUDsXGiJiouHCLiGOfQ0zf9y8dPoPZPSQAqggcNN718XwgqBuJX-woUYGHeUMNjh2Evezmv"
    "KKR15PG4ofTAlpjiawVPQ6vj7c7l3iJfEJfnwSfMoe7uZvayJbM-Z6XKRNbzjqnF2Eubno4zmzdy7oLhuzChYdOSvNTjAdL0B7z"
    "FMY8.AZwTY0nA.2UBgq-pf3dxWSgtbp28PmqvP9Plfl5oi0VVzP8WJk_4"
)
RECORD_SIGNATURE = (
    "H7wRWhP1sYOT3oszwxlVahUGyhN+GOe5SuNrUu6WLc0PgRY1OD958BAQsFqLYj55UyOcw4FBnykCsmIEBXepCA=="
)

_TAG = {"id": "hNvwG4y52ZONNENwFJr8", "name": "team", "color": "blue"}

_WALLET = {
    "id": "Pz3i9VpPYoMik9A11QTQ",
    "address": WALLET_ADDRESS,
    "publicAlias": "Treasury",
    "tokenBalance": Decimal("18446744073.709551615"),
    "tags": [_TAG],
}
_PAGE = {
    "tokenName": "USD Coin",
    "tokenSymbol": "USDC",
    "tokenMint": "EPjFWdD5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
    "publicTitle": "Wallets we watch",
    "publicComments": None,
    "wallets": [_WALLET],
    "tags": [_TAG],
}

EXAMPLES: dict[str, dict[str, Any]] = {
    "TrackingPage": _PAGE,
    "TrackingPageDelta": _PAGE | {"wallets": [_WALLET, [1, 500]]},
    "NonceRequest": {
        "trackingPageId": PAGE_ID,
        "walletAddress": WALLET_ADDRESS,
        "nickname": "Ada",
    },
    "Nonce": {
        "nonceId": NONCE_ID,
        "message": Nonce(
            page_id=PAGE_ID,
            wallet_address=WALLET_ADDRESS,
            key_id="kKRxWPpbSUVb61Pv8aIL",
            host="embed.example.com",
            token="M861dCFXZggWrOk2YJND",  # noqa: S106 - not a credential
            issued_at=datetime(2026, 1, 31, 9, 30, tzinfo=UTC),
            expires_at=datetime(2026, 1, 31, 9, 40, tzinfo=UTC),
            detail="Ada",
        ).build_message(),
    },
    "SubmissionRequest": {
        "trackingPageId": PAGE_ID,
        "walletAddress": WALLET_ADDRESS,
        "nickname": "Ada",
        "nonceId": NONCE_ID,
        "signature": SIGNATURE,
    },
    "NewSubmission": {"submissionId": "KAAHpsc7L7NahhipkfVQ", "status": "pending"},
    "OwnSubmissions": {
        "submissions": [
            {
                "id": "KAAHpsc7L7NahhipkfVQ",
                "walletAddress": WALLET_ADDRESS,
                "nickname": "Ada",
                "status": "pending",
                "rejectReason": None,
                "createdAtIso": "2026-01-31T09:30:12.345Z",
                "decidedAtIso": None,
            }
        ]
    },
    "RecordNonceRequest": {
        "trackingPageId": PAGE_ID,
        "walletAddress": HOLDER_ADDRESS,
        "action": "show",
    },
    "RecordNonce": {
        "nonceId": RECORD_NONCE_ID,
        "message": RecordNonce(
            page_id=PAGE_ID,
            wallet_address=HOLDER_ADDRESS,
            key_id="kKRxWPpbSUVb61Pv8aIL",
            host="embed.example.com",
            token="qHOOr8CW5lSnzsex0N8D",  # noqa: S106 - not a credential
            detail="show",
            issued_at=datetime(2026, 1, 31, 9, 30, tzinfo=UTC),
            expires_at=datetime(2026, 1, 31, 9, 40, tzinfo=UTC),
        ).build_message(),
    },
    "RecordRequest": {
        "trackingPageId": PAGE_ID,
        "walletAddress": HOLDER_ADDRESS,
        "nonceId": RECORD_NONCE_ID,
        "signature": RECORD_SIGNATURE,
    },
    "WalletRecords": {
        "walletAddress": HOLDER_ADDRESS,
        "listed": {
            "publicAlias": "Ada",
            "tags": [_TAG],
            "hideFromPublic": False,
            "flagged": False,
            "withheld": False,
            "addedBy": "submission",
            "createdAtIso": "2026-01-31T09:35:01.002Z",
        },
        "submissions": [
            {
                "id": "dZCx3N4914ktqLBkDCXm",
                "walletAddress": HOLDER_ADDRESS,
                "nickname": "Ada",
                "status": "approved",
                "rejectReason": None,
                "createdAtIso": "2026-01-31T09:30:12.345Z",
                "decidedAtIso": "2026-01-31T09:35:01.002Z",
                "hasReceipt": True,
            }
        ],
        "activity": [
            {
                "action": "approve submission",
                "subject": f"Ada ({HOLDER_ADDRESS})",
                "createdAtIso": "2026-01-31T09:35:01.002Z",
            }
        ],
        "messages": 2,
        "listings": [{"name": "Ada", "joinedAtIso": "2026-01-31T09:36:00.000Z", "leftAtIso": None}],
        "observedBalance": {
            "amount": Decimal("1250.5"),
            "observedAtIso": "2026-01-31T09:30:00.000Z",
            "days": 12,
        },
        "enteredBalance": {
            "amount": Decimal(1000),
            "observedAtIso": "2026-01-30T18:00:00.000Z",
        },
    },
    "WithdrawnWallet": {"withdrawnSubmissions": 1, "leftList": True, "staysListed": False},
}
