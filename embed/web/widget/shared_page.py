"""A page with a share link: its address, its frame for other sites, its counts.

No address contains a key. The frame redirects to the iframe route with the page's current key, so
what other sites have stored keeps working after SECRET_KEY changes.
"""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Self

from flask import Response, render_template, request, url_for

from embed.db.models import Page
from embed.domain.amounts import find_share
from embed.errors import ApiError
from embed.keys import derived
from embed.public_payload import Payload, get_payload
from embed.serializers import write_json
from embed.translations import SOURCE_LANGUAGE
from embed.web.compression import compress
from embed.web.current import own_host, own_origin, runtime
from embed.web.figures import format_share
from embed.web.languages import (
    choose_language,
    find_named_language,
    format_number,
    gettext,
    ngettext,
)
from embed.web.look import read_look
from embed.web.security_headers import allow_isolated_hosts, allow_loading
from embed.web.snippets import ARGUMENTS, add_arguments, build_link, build_path, name_list
from embed.web.widget.blueprint import blueprint, respond

COUNTS_CACHED_FOR = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Counts:
    wallets: int
    share: Decimal | None  # of the supply, as in the list's sentence; None if unknown

    @classmethod
    def of(cls, payload: Payload) -> Self:
        sums, supply = payload.details["sums"], payload.details["supply"]
        share = find_share(sums.balance, supply) if sums else None
        return cls(payload.wallet_count, share)

    def write(self) -> str:
        """Return the counts in the reader's language, such as ``128 wallets · 12.4% of supply``."""
        text = ngettext(
            "%(count)s wallet", "%(count)s wallets", self.wallets, count=format_number(self.wallets)
        )
        if self.share is None:
            return text
        share = gettext("%(share)s of supply", share=format_share(self.share, 1))
        return f"{text} · {share}"


@blueprint.get("/page/<page_id>")
@compress.compressed()
def show_shared_page(page_id: str) -> Response:
    """Show the list as a page of its own, with what other sites read about it.

    Raises ApiError `not_found`, also for a page without a share link.
    """
    page = get_shared_page(page_id)
    look = read_look(page.look)
    theme = {"theme": look.attributes["data-theme"]}
    html = render_template(
        "widget/shared_page.html",
        look=look,
        title=name_list(page),
        description=page.public_comments or Counts.of(read_payload(page)).write(),
        address=build_link(page_id),
        origin=own_origin(),
        host=own_host(),
        frame=add_arguments(
            url_for("widget.show_shared_frame", page_id=page_id), theme | _read_arguments()
        ),
    )
    response = respond(html, ancestors=None, look=look)
    response.content_security_policy.frame_src = "'self'"
    allow_isolated_hosts(response)
    return response


@blueprint.get("/page/<page_id>/frame")
def show_shared_frame(page_id: str) -> Response:
    """Redirect a frame to the widget. Raises ApiError `not_found`."""
    page = get_shared_page(page_id)
    key = derived.get_link_key(page, runtime().secret_keys)
    response = Response(status=302)
    response.location = build_path(page, key, **_read_arguments())
    response.headers["Cache-Control"] = "no-store"
    allow_isolated_hosts(response)
    return response


@blueprint.get("/page/<page_id>/count.json")
def read_counts(page_id: str) -> Response:
    """Return the counts, also as a sentence, for every site and for shared caches.

    They reveal nothing else about the list. Raises ApiError `not_found`.
    """
    # Most shared caches ignore Vary, so the browser's language must not affect the answer.
    choose_language(find_named_language() or SOURCE_LANGUAGE)
    counts = Counts.of(read_payload(get_shared_page(page_id)))
    body = {"wallets": counts.wallets, "share": counts.share, "text": counts.write()}
    response = Response(write_json(body), content_type="application/json")
    response.cache_control.public = True
    response.cache_control.max_age = int(COUNTS_CACHED_FOR.total_seconds())
    response.headers["Access-Control-Allow-Origin"] = "*"
    allow_loading(response)
    response.add_etag()
    response.make_conditional(request)
    return response


def get_shared_page(page_id: str) -> Page:
    """Return a page with a share link. Raises ApiError `not_found`."""
    page = derived.find_shared_page(page_id)
    if page is None:
        raise ApiError("not_found")
    return page


def read_payload(page: Page) -> Payload:
    return get_payload(page.id, page.version, runtime().balances)


def _read_arguments() -> dict[str, str]:
    return {name: request.args[name] for name in ARGUMENTS if name in request.args}
