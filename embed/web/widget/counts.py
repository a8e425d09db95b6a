"""How many wallets a page that is public by link has, and their share of the supply.

Caches may keep these answers, since they hold nothing else of the list.
"""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Self

from flask import Response, request

from embed.domain.languages import LANGUAGES
from embed.public_payload.payloads import Payload
from embed.web.figures import format_share
from embed.web.languages import format_number, gettext, ngettext
from embed.web.security_headers import allow_loading

CACHED_FOR = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Counts:
    wallets: int
    share: Decimal | None  # of the supply, of the wallets that are counted; None: nobody knows

    @classmethod
    def of(cls, payload: Payload) -> Self:
        sums = payload.details.get("sums", {})
        share = sums.get("countedShare") if sums.get("countedWallets") else None
        return cls(payload.wallet_count, share)

    def write(self) -> str:
        """Return them in the reader's language, such as ``128 wallets · 12.4% of supply``."""
        text = ngettext(
            "%(count)s wallet", "%(count)s wallets", self.wallets, count=format_number(self.wallets)
        )
        if self.share is None:
            return text
        share = gettext("%(share)s of supply", share=format_share(self.share, 1))
        return f"{text} · {share}"


def let_caches_keep(response: Response, *, is_translated: bool = True) -> Response:
    """Let shared caches keep an answer for some minutes, and every site read it."""
    response.cache_control.public = True
    response.cache_control.max_age = int(CACHED_FOR.total_seconds())
    if is_translated and request.args.get("lang") not in LANGUAGES:
        response.vary.add("Accept-Language")
    response.headers["Access-Control-Allow-Origin"] = "*"
    allow_loading(response)
    response.add_etag()
    response.make_conditional(request)
    return response
