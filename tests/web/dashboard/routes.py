"""The routes of the dashboard, listed from the URL map."""

import re


def list_routes(app) -> list[tuple[str, str, str]]:
    """Return endpoint, method and rule of every route under /dashboard."""
    return [
        (rule.endpoint, method, rule.rule)
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/dashboard")
        for method in sorted(rule.methods - {"HEAD", "OPTIONS"})
    ]


def fill_in(rule: str, things: dict[str, str]) -> str:
    """Fill in a rule's variables; fails for a variable that the test does not know."""
    return re.sub(r"<(?:[^<>:]*:)?(\w+)>", lambda place: things[place[1]], rule)
