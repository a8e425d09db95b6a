"""How many bytes a page loads, as Chromium counts them."""

from playwright.sync_api import Page


def count_loaded(page: Page) -> dict[str, int]:
    """Return a dict that fills while the page loads: bytes on the wire, with headers, by address.

    Frames of other sites are left out, since a DevTools session does not see them.
    """
    url_by_request, size_by_url = {}, {}

    def note_request(event) -> None:
        url_by_request[event["requestId"]] = event["request"]["url"]

    def note_end(event) -> None:
        url = url_by_request[event["requestId"]]
        size_by_url[url] = size_by_url.get(url, 0) + int(event["encodedDataLength"])

    client = page.context.new_cdp_session(page)
    client.send("Network.enable")
    client.on("Network.requestWillBeSent", note_request)
    client.on("Network.loadingFinished", note_end)
    return size_by_url
