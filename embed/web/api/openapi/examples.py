"""An example of everything that the API takes and returns, by the name of its schema."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from embed.domain.nonces import Nonce

PAGE_ID = "KcSGXVu1dM9WKcnWRfvt"
WALLET_ADDRESS = "5b5VY2k4Jb2PQLMf8miUno3eqU5CHnSRVotYmmoDiHPn"
NONCE_ID = (
    ".eJwVysEOQzAAgOF36Vlk7UbsTMaUrSNaJg5aJWJtbTHx-LP_-OWv3cM_qwZY5GFJv7BLzwwLzbJ-XYAFHO7QCk2nmCPy"
    "SNLeU2OhzVG-C8ePdJ5Rs1RKmWCMiN73CWcbIzPPC8pdSFavvSY7S8VlZ8utVfNL2sKo3VLPhZ1_KZ_DwD73CVXxLQBN8wP8"
    "Vi39.AZwTY0nA.ImsTUPrq90ebYWugJD1zay8SnZGmzIlzNnZ9o4WR2OQ"
)
# By the wallet above over the message of the example "Nonce".
SIGNATURE = (
    "28z9P/PGeZ481w8bKRwQ/3cOKYfzBvQq+Hcw+8qTTRCLsdersOo+aau/gEooLvccDu3OFMx1UmCsrqY27LQ9Dw=="
)

_TAG = {"id": "hNvwG4y52ZONNENwFJr8", "name": "team", "color": "blue"}

EXAMPLES: dict[str, dict[str, Any]] = {
    "TrackingPage": {
        "tokenName": "USD Coin",
        "tokenSymbol": "USDC",
        "tokenMint": "EPjFWdD5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
        "publicTitle": "Wallets we watch",
        "publicComments": None,
        "wallets": [
            {
                "id": "Pz3i9VpPYoMik9A11QTQ",
                "address": WALLET_ADDRESS,
                "publicAlias": "Treasury",
                "tokenBalance": Decimal("18446744073.709551615"),
                "tags": [_TAG],
            }
        ],
        "tags": [_TAG],
    },
    "NonceRequest": {"trackingPageId": PAGE_ID, "walletAddress": WALLET_ADDRESS},
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
}
