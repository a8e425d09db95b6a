"""The server, for everyone with pages on it: its background work, and the proxies before it.

How a person's own request arrived shows what's wrong with the proxy.
"""

from collections.abc import Iterator, Mapping

from flask import request
from flask.typing import ResponseReturnValue

from embed import __version__
from embed.db.work_status import read_work_status
from embed.doctor import list_changed_headers
from embed.outbound import RequestFailed
from embed.settings import Settings
from embed.web.current import runtime
from embed.web.dashboard.responses import render
from embed.web.dashboard.routes import PAGE_CREATOR, PERSON, route
from embed.web.languages import gettext, lazy_gettext

FROM_CLOUDFLARE = "CF-Connecting-IP"
FORWARDED = (
    *("X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "Forwarded"),
    FROM_CLOUDFLARE,
)

# What owners read instead of jobs' names; other jobs are shown by name.
TITLES = {
    "balances": lazy_gettext("Balances from the chain"),
    "listings": lazy_gettext("Wallets that joined or left"),
    "prune": lazy_gettext("Deletion of old data"),
}


@route("/background", needs=PERSON, help="owners#when-something-is-missing")
def show_background() -> ResponseReturnValue:
    now = runtime().clock()
    return render("background.html", work=read_work_status(now), titles=TITLES, now=now)


@route("/server", needs=PAGE_CREATOR, help="operating#proxies")
def show_server() -> ResponseReturnValue:
    # The values that ProxyFix replaced with the trusted proxies'.
    before: Mapping[str, str] = request.environ.get("werkzeug.proxy_fix.orig", request.environ)
    settings = runtime().settings
    return render(
        "server.html",
        version=__version__,
        settings=settings,
        connected_from=before["REMOTE_ADDR"],
        forwarded={name: request.headers.get(name) for name in FORWARDED},
        faults=list(_list_faults(settings)),
    )


def _list_faults(settings: Settings) -> Iterator[str]:
    """Yield what is wrong; browsers themselves send none of the headers that proxies write."""
    trusted = settings.trusted_proxies
    written = [each for each in request.headers.get("X-Forwarded-For", "").split(",") if each]
    count = len(written)
    cloudflare = request.headers.get(FROM_CLOUDFLARE)
    if cloudflare and cloudflare != request.remote_addr:
        yield gettext(
            "Cloudflare says that your address is %(address)s, but the service counts you as"
            " %(counted)s. So many visitors count as one client, and soon meet a limit. Give your"
            " proxy Cloudflare's addresses, as docs/operating.md shows under Behind Cloudflare.",
            address=cloudflare,
            counted=request.remote_addr,
        )
    elif not trusted and any(name in request.headers for name in FORWARDED):
        yield gettext(
            "TRUSTED_PROXIES is 0, but this request came through a proxy. All visitors count as "
            "one client and soon hit a limit. Set TRUSTED_PROXIES to the number of your proxies."
        )
    elif count < trusted:
        yield gettext(
            "TRUSTED_PROXIES is %(trusted)s, but X-Forwarded-For has %(count)s addresses. All "
            "visitors count as one client, or can make up their address. Have each proxy add the "
            "address it sees, or set TRUSTED_PROXIES to the number of your proxies.",
            trusted=trusted,
            count=count,
        )
    elif count > trusted > 0 and not cloudflare:
        yield gettext(
            "TRUSTED_PROXIES is %(trusted)s, but this request came through %(count)s proxies. "
            "Visitors are counted by the address of a proxy. Set TRUSTED_PROXIES to %(count)s if "
            "all of them are yours or your provider's.",
            trusted=trusted,
            count=count,
        )
    if settings.public_url is None:
        if trusted or count:
            yield gettext(
                "PUBLIC_URL is not set, so the service trusts any host name in a request. Set it "
                "to the address visitors use."
            )
    elif not settings.public_url.startswith(f"{request.scheme}://"):
        yield gettext(
            "This request arrived by %(scheme)s, but PUBLIC_URL is %(address)s. If HTTPS ends at"
            " your proxy, set TRUSTED_PROXIES to the number of your proxies. If there is no HTTPS,"
            " correct PUBLIC_URL.",
            scheme=request.scheme,
            address=settings.public_url,
        )
    try:
        names = ", ".join(list_changed_headers(settings.public_url) if settings.public_url else ())
    except RequestFailed:
        yield gettext("The service doesn't reach itself at PUBLIC_URL.")
        return
    if names:
        yield gettext(
            "A proxy adds, changes or removes headers of the service's answers: %(names)s. Have it"
            " leave these headers as the service sends them.",
            names=names,
        )
