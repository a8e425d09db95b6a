"""The page at the service's own address: what this is, and where to go from here."""

from flask import Flask, Response, render_template

from embed.settings import Settings
from embed.web.security_headers import restrict_content


def init_front_page(app: Flask, settings: Settings) -> None:
    if settings.front_page:
        app.add_url_rule("/", "front_page", show_front_page, methods=["GET"])


def show_front_page() -> Response:
    """Return a page that tells nothing of owners or pages, in the browser's language."""
    response = Response(render_template("front/page.html"))
    policy = restrict_content(response)
    policy.form_action = policy.frame_ancestors = "'none'"
    response.headers["Referrer-Policy"] = "strict-origin"
    response.headers["Cache-Control"] = "no-cache"
    response.vary.add("Accept-Language")
    return response
