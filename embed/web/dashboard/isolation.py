"""Keeps other sites from learning what the dashboard shows to their visitors."""

from flask import Response, request

# A window that another site opened stays readable to it when a download begins in it.
DOWNLOADS = {"dashboard.export_wallets"}


def is_from_elsewhere() -> bool:
    """Tell whether another site made the request, and not by a link to one of the pages.

    Answers that depend on the owner would tell such a site who its visitor is. Sites of the
    same domain count too: SameSite cookies are sent with their requests. Browsers that send
    no Sec-Fetch headers (https://www.w3.org/TR/fetch-metadata/) are not checked.
    """
    if request.headers.get("Sec-Fetch-Site", "none") in ("none", "same-origin"):
        return False
    is_link = (
        request.method == "GET"
        and request.headers.get("Sec-Fetch-Mode") == "navigate"
        and request.headers.get("Sec-Fetch-Dest") == "document"
    )
    return not is_link or request.endpoint in DOWNLOADS


def isolate(response: Response) -> Response:
    """Cut the tie to a window that opened the page."""
    if request.path.startswith("/dashboard"):
        response.headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
    return response
